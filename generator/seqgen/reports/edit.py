"""What an edit of a spec changes, number by number: the ledger on disk against what would be built."""

from __future__ import annotations

from collections.abc import Iterator

from seqgen.checks.changes import Change, changes
from seqgen.checks.files import ledger_on_disk
from seqgen.errors import count
from seqgen.product import make
from seqgen.project import Project


def differences(project: Project, name: str) -> list[Change] | None:
    """Return what a build of spec ``name`` would change in its ledger; nothing where there is no ledger yet.

    Raises:
        SeqgenError: where the spec has a mistake, or its ledger can't be read.
    """
    ledger = ledger_on_disk(project, name)
    new = make(project, name).ledger
    return None if ledger is None else list(changes(ledger, new))


def told(name: str, found: list[Change] | None, *, moved_only: bool = False) -> Iterator[str]:
    """Yield lines on what changes: old and new values, and whether the printed form moves."""
    if found is None:
        yield f"{name}: there is no ledger yet; all is new"
        return
    numbers = [change for change in found if change.is_number]
    moved = [change for change in numbers if change.moves]
    yield f"{name}: {count(len(numbers), 'number')} changed, {len(moved)} as printed"
    rows = [
        (change.name, f"{change.old} → {change.new}", _printed(change)) for change in (moved if moved_only else numbers)
    ]
    widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    for first, second, third in rows:
        yield f"  {first:{widths[0]}}  {second:{widths[1]}}  {third}"
    for change in found:
        if not change.is_number and not moved_only:
            yield f"  {change}"


def _printed(change: Change) -> str:
    return f"printed {change.old_shown} → {change.new_shown}" if change.moves else f"still prints {change.new_shown}"
