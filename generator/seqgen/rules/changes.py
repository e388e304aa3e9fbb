"""What differs between two ledgers, number by number."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Place = tuple[int, ...]
LONGEST = 60


@dataclass(frozen=True, kw_only=True)
class Change:
    """One number, one entry or one part of a ledger that differs.

    ``key`` is the entry's, empty for what belongs to none; ``name`` says what it is: ``h[1][0]``, ``dims``. A number
    has ``old`` and ``new`` with their printed forms, and its ``place`` in the entry; anything else has ``what``.
    """

    key: str
    name: str
    place: Place = ()
    old: str = ""
    new: str = ""
    old_shown: str = ""
    new_shown: str = ""
    what: str = ""

    @property
    def is_number(self) -> bool:
        """Whether a number has changed, rather than what belongs to it."""
        return not self.what

    @property
    def moves(self) -> bool:
        """Whether the printed form changes."""
        return self.old_shown != self.new_shown

    def __str__(self) -> str:
        if self.what:
            return f"{self.name}: {self.what}"
        printed = f"printed {self.old_shown} → {self.new_shown}" if self.moves else f"still prints {self.new_shown}"
        return f"{self.name}: {self.old} → {self.new} ({printed})"


def changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Change]:
    """Yield what differs from the ledger ``old`` to the ledger ``new``: the numbers first, in the new one's order."""
    before, after = _entries(old), _entries(new)
    for key in [*after, *(k for k in before if k not in after)]:
        if key not in before:
            yield Change(key=key, name=key, what=f"new, {_short(after[key].get('shown'))}")
        elif key not in after:
            yield Change(key=key, name=key, what="no longer there")
        elif before[key] != after[key]:
            yield from _of_entry(key, before[key], after[key])
    for part, value in new.items():
        if part not in ("entries", "source") and old.get(part) != value:
            yield Change(key="", name=part, what="differs")
    if old.get("source") != new.get("source"):
        yield Change(key="", name="source", what="the text of the spec, of a parent or of a library has changed")


def _entries(ledger: dict[str, Any]) -> dict[str, dict[str, Any]]:
    entries = ledger.get("entries")
    found = entries if isinstance(entries, dict) else {}
    return {key: entry if isinstance(entry, dict) else {} for key, entry in found.items()}


def _of_entry(key: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Change]:
    values = _flat(old.get("value")), _flat(new["value"])
    shown = _flat(old.get("shown")), _flat(new["shown"])
    if any(a.keys() != b.keys() for a in values + shown for b in values + shown):
        yield Change(key=key, name=key, what=f"{_short(old.get('shown'))} → {_short(new['shown'])}, another shape")
        return
    told = False
    for place in values[1]:
        if values[0][place] != values[1][place] or shown[0][place] != shown[1][place]:
            told = True
            yield Change(
                key=key,
                name=key + "".join(f"[{i}]" for i in place),
                place=place,
                old=str(values[0][place]),
                new=str(values[1][place]),
                old_shown=str(shown[0][place]),
                new_shown=str(shown[1][place]),
            )
    if not told:
        parts = [part for part in {**old, **new} if old.get(part) != new.get(part)]
        yield Change(key=key, name=key, what=f"{', '.join(parts)} changed, and no number")


def _flat(value: Any, place: Place = ()) -> dict[Place, Any]:
    if not isinstance(value, list):
        return {place: value}
    return {where: item for i, part in enumerate(value) for where, item in _flat(part, (*place, i)).items()}


def _short(value: Any) -> str:
    text = str(value).replace("'", "")
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def place_of(change: Change, old: str, new: str) -> tuple[int, int]:
    """Return line and column, in the text ``old`` of a ledger, of what differs from the text ``new`` in ``change``."""
    head = f"  {json.dumps(change.key, ensure_ascii=False)}: "
    a, b = old.split("\n"), new.split("\n")
    starts = [next((i for i, line in enumerate(lines) if line.startswith(head)), None) for lines in (a, b)]
    if change.key and starts[0] is not None and starts[1] is not None:
        return first_difference(a, b, starts[0], starts[1])
    if change.key and starts[0] is not None:
        return starts[0] + 1, 3
    return first_difference(a, b)


def first_difference(old: list[str], new: list[str], i: int = 0, j: int = 0) -> tuple[int, int]:
    """Return line and column, from one, where ``old`` from its line ``i`` first differs from ``new`` from its ``j``."""
    while i < len(old) and j < len(new) and old[i] == new[j]:
        i, j = i + 1, j + 1
    a, b = (lines[k] if k < len(lines) else "" for lines, k in ((old, i), (new, j)))
    column = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return i + 1, column + 1
