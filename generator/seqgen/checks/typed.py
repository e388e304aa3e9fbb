"""Typed numbers as `seqgen check` tells them: those of the decks that the project declares, against the ledgers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from seqgen.audit.verdicts import NEAR_MISS, UNBACKED, Audit, Auditor
from seqgen.audit.verdicts import Finding as Number
from seqgen.checks.files import ledger_on_disk
from seqgen.checks.finding import Finding
from seqgen.decks.audited import audited
from seqgen.errors import SpecError
from seqgen.project import Project

CITING = (".md", ".tex")
IGNORED = "seqgen-ignore"  # in a comment on a line whose numbers are somebody else's


def ledgers(project: Project, computed: Mapping[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the ledgers of all specs: as they were ``computed``, else as they stand on disk.

    Raises:
        SpecError: where one on disk can't be read.
    """
    for name in project.spec_names():
        ledger = computed.get(name) or ledger_on_disk(project, name)
        if ledger is not None:
            yield ledger


def auditor(project: Project, computed: Mapping[str, dict[str, Any]]) -> Auditor:
    """Return an auditor against all ledgers of a project, by its settings.

    Raises:
        SpecError: where a ledger on disk can't be read.
    """
    settings = project.configuration
    return Auditor(ledgers(project, computed), decimal_comma=settings.decimal_comma, ties=settings.ties)


def audits(project: Project) -> list[Audit]:
    """Return the audits of the declared decks against the ledgers on disk; none where one of them can't be read."""
    decks = audited(project)
    try:
        against = auditor(project, {}) if decks else None
        return [against.audit(project.root / deck, deck) for deck in decks] if against else []
    except SpecError:
        return []


def findings(audit: Audit) -> Iterator[Finding]:
    """Yield the near misses and the unbacked numbers of a deck, each under its rule; lines may ask to be left out."""
    lines = audit.text.split("\n")
    for number in audit.findings:
        if IGNORED in lines[number.line - 1]:
            continue
        if number.verdict == NEAR_MISS:
            yield _near_miss(audit.deck, number)
        elif number.verdict == UNBACKED:
            yield Finding(
                rule="unbacked",
                file=audit.deck,
                line=number.line,
                column=number.column,
                message=f"{_typed(number)} is of no ledger",
                old=_typed(number),
            )


def _near_miss(deck: str, number: Number) -> Finding:
    entry = f"{number.spec}: {number.reference}"
    cures = [f"write {number.right}"] if number.right else []
    if Path(deck).suffix in CITING:
        cures.append(rf"cite \seq{{{entry}}}")
    return Finding(
        rule="near-miss",
        file=deck,
        line=number.line,
        column=number.column,
        message=f"{_typed(number)} stands for {entry}, which is {number.value!r}: {number.reason}",
        old=_typed(number),
        new=number.right,
        cure=", or ".join(cures),
    )


def _typed(number: Number) -> str:
    return " ".join(number.text.split())
