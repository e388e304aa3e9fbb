"""What an edit of a spec changes, number by number: the ledger on disk against what would be built."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from seqgen.auditing.appearances import Appearance
from seqgen.build.artifacts import make
from seqgen.errors import count
from seqgen.ledger.disk import ledger_on_disk
from seqgen.microscope import Microscope
from seqgen.project import Project
from seqgen.rules.changes import Change, changes


@dataclass(frozen=True, kw_only=True)
class Edit:
    """What a build of a spec would change in its ledger: ``changes``, nothing where there is no ledger yet."""

    name: str
    microscope: Microscope
    changes: Sequence[Change] | None


def edit(project: Project, name: str) -> Edit:
    """Return what a build of spec ``name`` would change.

    Raises:
        SeqgenError: where the spec has a mistake, or its ledger can't be read.
    """
    ledger = ledger_on_disk(project, name)
    artifacts = make(project, name)
    found = None if ledger is None else list(changes(ledger, artifacts.ledger))
    return Edit(name=name, microscope=artifacts.microscope, changes=found)


def told(made: Edit, *, moved_only: bool = False, appearances: Sequence[Appearance] = ()) -> Iterator[str]:
    """Yield lines on what changes: old and new values, whether the printed form moves, and the slides that show it."""
    name, found = made.name, made.changes
    if found is None:
        yield f"{name}: there is no ledger yet; all is new"
        return
    numbers = [change for change in found if change.is_number]
    moved = [change for change in numbers if change.moves]
    yield f"{name}: {count(len(numbers), 'number')} changed, {len(moved)} as printed"
    ties = made.microscope.project.configuration.ties
    where = {change: list(_where(change, appearances, ties)) for change in found}
    told_of = [c for c in numbers if c.moves or any(moves for _, moves in where[c])] if moved_only else numbers
    rows = [(c.name, f"{c.old} → {c.new}", _printed(c.old_shown, c.new_shown)) for c in told_of]
    widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    for change, (first, second, third) in zip(told_of, rows, strict=True):
        yield f"  {first:{widths[0]}}  {second:{widths[1]}}  {third}"
        yield from (line for line, _ in where[change])
    for change in found:
        if not change.is_number and not moved_only:
            yield f"  {change}"
            yield from (line for line, _ in where[change])


def _where(change: Change, appearances: Sequence[Appearance], ties: str) -> Iterator[tuple[str, bool]]:
    """Yield lines on the slides that show what changes, each with whether it is printed otherwise there.

    That differs from what the ledger says where a citation has its own number of digits.
    """
    key = change.key or change.name
    found: dict[tuple[str, str, str], tuple[str, bool]] = {}
    for one in appearances:
        if not (one.shows(key, change.place) if change.is_number else one.key == key):
            continue
        printed, moves = "", False
        if change.is_number and (new := one.printed(change.new, ties)):
            old = one.printed(change.old, ties)
            printed, moves = f" ({_printed(old, new)})", old != new
        found.setdefault(
            (one.deck, one.slide or str(one.line), printed or str(one.typed)), (f"    on {one}{printed}", moves)
        )
    yield from found.values()


def _printed(old: str, new: str) -> str:
    return f"still prints {new}" if old == new else f"printed {old} → {new}"
