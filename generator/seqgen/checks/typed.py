"""Typed numbers as `seqgen check` tells them: those of the decks that the project declares, against the ledgers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from seqgen.audit.verdicts import CONTRADICTION, NEAR_MISS, UNBACKED, Audit, Auditor
from seqgen.audit.verdicts import Finding as Number
from seqgen.checks.finding import Finding
from seqgen.decks.audited import audited
from seqgen.decks.sources import ENDINGS
from seqgen.errors import SeqgenError
from seqgen.files import refusals
from seqgen.ledger.disk import ledger_on_disk, ledgers
from seqgen.project import Project


def auditor(project: Project, computed: Mapping[str, dict[str, Any]]) -> Auditor:
    """Return an auditor against all ledgers of a project, by its settings.

    Raises:
        SpecError: where a ledger on disk can't be read.
    """
    settings = project.configuration
    return Auditor(ledgers(project, computed), decimal_comma=settings.decimal_comma, ties=settings.ties)


def audits(project: Project) -> tuple[list[Audit], list[SeqgenError]]:
    """Return the audits of the declared decks against the ledgers on disk.

    What can't be read is left out and told: decks, and ledgers with the entries that they would back.
    """
    decks = audited(project)
    known: list[dict[str, Any]] = []
    found: list[Audit] = []
    problems: list[SeqgenError] = []
    for name in project.spec_names() if decks else ():
        try:
            with refusals():
                ledger = ledger_on_disk(project, name)
            known += [ledger] if ledger else []
        except SeqgenError as problem:
            problems.append(problem)
    settings = project.configuration
    against = Auditor(known, decimal_comma=settings.decimal_comma, ties=settings.ties)
    for deck in decks:
        try:
            with refusals():
                found.append(against.audit(project.root / deck, deck))
        except SeqgenError as problem:
            problems.append(problem)
    return found, problems


def findings(audit: Audit) -> Iterator[Finding]:
    """Yield the contradictions, the near misses and the unbacked numbers of a deck, each under its rule."""
    for number in audit.findings:
        if number.verdict in (NEAR_MISS, CONTRADICTION):
            yield _wrong(audit.deck, number)
        elif number.verdict == UNBACKED:
            yield Finding(
                rule="unbacked",
                file=audit.deck,
                line=number.line,
                column=number.column,
                message=f"{_typed(number)} is of no ledger",
                old=_typed(number),
            )


def _wrong(deck: str, number: Number) -> Finding:
    entry = f"{number.spec}: {number.reference}"
    cures = [f"write {number.right}"] if number.right else []
    if Path(deck).suffix in ENDINGS and not number.is_bound:
        cures.append(rf"cite \seq{{{entry}}}")
    rule, message = "near-miss", f"{_typed(number)} stands for {entry}, which is {number.value!r}: {number.reason}"
    if number.verdict == CONTRADICTION:
        rule = "possible-contradiction" if number.is_doubtful else "contradiction"
        said = f"bounds {entry}, and" if number.is_bound else f"is typed as {entry},"
        message = f"{_typed(number)} {said} which is {number.value!r}".replace("and which", "which")
    return Finding(
        rule=rule,
        file=deck,
        line=number.line,
        column=number.column,
        message=message,
        old=_typed(number),
        new=number.right,
        cure=", or ".join(cures),
    )


def _typed(number: Number) -> str:
    return " ".join(number.text.split())
