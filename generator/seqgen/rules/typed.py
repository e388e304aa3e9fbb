"""Typed numbers as `seqgen check` tells them: those of the decks that the project declares, against the ledgers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from seqgen.auditing.decks import audited
from seqgen.auditing.memory import Record, memory_path, read_memory
from seqgen.auditing.verdicts import CONTRADICTION, NEAR_MISS, STALE, UNBACKED, Audit, Auditor
from seqgen.auditing.verdicts import Finding as Number
from seqgen.decks.slides import slides
from seqgen.decks.sources import ENDINGS
from seqgen.errors import SeqgenError
from seqgen.files import refusals
from seqgen.findings import Finding
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
                found.append(against.audit(project.root / deck, deck, memory(project, deck)))
        except SeqgenError as problem:
            problems.append(problem)
    return found, problems


def memory(project: Project, deck: str) -> list[Record]:
    """Return what is remembered of a deck.

    Raises:
        SpecError: where its memory can't be read.
    """
    path = project.root / memory_path(deck)
    if not path.is_file():
        return []
    return read_memory(path.read_bytes().decode("utf-8", errors="replace"), memory_path(deck))


def findings(audit: Audit) -> Iterator[Finding]:
    """Yield the contradictions, the near misses and the unbacked numbers of a deck, each under its rule."""
    named = slides(audit.deck, audit.text)
    for number in audit.findings:
        if number.verdict == STALE:
            yield _stale(audit.deck, number, named.at(number.line))
        elif number.verdict in (NEAR_MISS, CONTRADICTION):
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


def _stale(deck: str, number: Number, slide: str) -> Finding:
    entry = f"{number.spec}: {number.reference}"
    now = f"which is now {number.right or repr(number.value)}" if number.value is not None else "which is gone"
    return Finding(
        rule="stale-number",
        file=deck,
        line=number.line,
        column=number.column,
        message=f"{f'on {slide}, ' if slide else ''}{_typed(number)} was {entry}, {now}",
        old=_typed(number),
        new=number.right,
        cure=", or ".join(_cures(deck, number))
        if number.value is not None
        else f"correct it, then seqgen audit --accept {deck}",
    )


def _cures(deck: str, number: Number) -> list[str]:
    cures = [f"write {number.right}"] if number.right else []
    if Path(deck).suffix in ENDINGS and not number.is_bound and number.factor == 1:
        cures.append(rf"cite \seq{{{number.spec}: {number.reference}}}")
    return cures


def _wrong(deck: str, number: Number) -> Finding:
    entry = f"{number.spec}: {number.reference}"
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
        cure=", or ".join(_cures(deck, number)),
    )


def _typed(number: Number) -> str:
    return " ".join(number.text.split())
