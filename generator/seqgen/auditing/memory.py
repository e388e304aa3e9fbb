"""What is remembered of a deck's typed numbers: each with the text around it, and the entry that it stands for.

The file is committed. A record is found again by its digits and the words around them, not by its line, so that it
survives edits elsewhere; each stands on a line of its own, so that branches merge.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from seqgen.errors import Source, Span, SpecError

FOLDER = "ledgers/decks"
BEFORE, AFTER = 40, 20
CONFLICT = re.compile(r"^(?:<<<<<<< |\|\|\|\|\|\|\| |=======$|>>>>>>> )", re.MULTILINE)
DIGITS = re.compile(r"[-−]?\d+(?:[.,]\d+)*")
KEYS = ("before", "text", "after", "spec", "reference")


@dataclass(frozen=True, kw_only=True)
class Record:
    """A typed number: its digits and the text around them, what it stands for, and the factor that its label has."""

    before: str
    text: str
    after: str
    spec: str
    reference: str
    factor: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Typed:
    """A number of a deck as it stands now: its digits, and the text around them."""

    text: str
    before: str
    after: str

    @property
    def is_telling(self) -> bool:
        """Whether its digits are seldom met by chance."""
        return len(re.sub(r"\D", "", self.text).lstrip("0")) >= 3


def memory_path(deck: str) -> str:
    """Return the path of a deck's memory from the project's root."""
    return f"{FOLDER}/{deck.removeprefix('slides/')}.json"


def typed(text: str, start: int, end: int) -> Typed:
    """Return the number at a place of a text, with what stands around it."""
    before, after = _spaced(text[max(0, start - 3 * BEFORE) : start]), _spaced(text[end : end + 3 * AFTER])
    return Typed(text=_spaced(text[start:end]), before=before[-BEFORE:], after=after[:AFTER])


def _spaced(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _masked(text: str) -> str:
    return DIGITS.sub("#", text)


def read_memory(text: str, name: str) -> list[Record]:
    """Return the records of a memory; those of both sides where it holds a merge conflict.

    Raises:
        SpecError: where a line can't be read.
    """
    records: dict[Record, None] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.startswith('  {"before"'):
            continue
        try:
            content = json.loads(line.strip().removesuffix(","))
            record = Record(**{key: str(content[key]) for key in KEYS}, factor=float(content.get("factor", 1)))
        except (ValueError, KeyError, TypeError):
            span = Span(source=Source(name=name, text=text), line=number, column=1)
            raise SpecError("this line records no typed number", code="ledger", span=span, hint=FIX) from None
        records.setdefault(record)
    return list(records)


FIX = "run seqgen audit --accept, after a look at what it reports"


def write_memory(deck: str, records: Iterable[Record]) -> str:
    """Return the text of a memory."""
    lines = []
    for record in records:
        content = {key: getattr(record, key) for key in KEYS} | (
            {"factor": record.factor} if record.factor != 1 else {}
        )
        lines.append("  " + json.dumps(content, ensure_ascii=False))
    body = ",\n".join(lines)
    return f'{{\n "seqgen": 1,\n "deck": {json.dumps(deck, ensure_ascii=False)},\n "numbers": [\n{body}\n ]\n}}\n'


Key = tuple[str, ...]


def recall(records: Sequence[Record], numbers: Sequence[Typed]) -> list[tuple[Record, ...]]:
    """Return for each number the records that it may be, likeliest first; none where it is new.

    A number is the record with its digits and the same text around it; else the same but for other digits there; else
    with the same few characters; else the only one with such digits. Copies of a line share its records.
    """
    found: list[tuple[Record, ...]] = [()] * len(numbers)
    for level in (_exact, _but_digits, _nearby):
        _match(records, numbers, found, level)
    taken = {record for options in found for record in options}
    lone = _lone({i: (n.text,) for i, n in enumerate(numbers) if not found[i] and n.is_telling})
    left = _lone({i: (r.text,) for i, r in enumerate(records) if r not in taken})
    for key, i in lone.items():
        if key in left:
            found[i] = (records[left[key]],)
    return found


def replaced(
    records: Sequence[Record], numbers: Sequence[Typed], found: Sequence[tuple[Record, ...]]
) -> Iterator[tuple[int, Record]]:
    """Yield the numbers that stand where a record stood with other digits, each with that record."""
    taken = {record for options in found for record in options}
    places = _lone({i: _place(n) for i, n in enumerate(numbers) if not found[i]})
    before = _lone({i: _place(r) for i, r in enumerate(records) if r not in taken})
    for key, i in places.items():
        if key in before:
            yield i, records[before[key]]


def _lone(keys: Mapping[int, Key]) -> dict[Key, int]:
    """Return where each key stands that stands once."""
    seen: dict[Key, list[int]] = {}
    for i, key in keys.items():
        seen.setdefault(key, []).append(i)
    return {key: places[0] for key, places in seen.items() if len(places) == 1}


def _place(one: Record | Typed) -> Key:
    return _masked(one.before), _masked(one.after)


def _exact(one: Record | Typed) -> Key:
    return one.text, one.before, one.after


def _but_digits(one: Record | Typed) -> Key:
    return one.text, *_place(one)


def _nearby(one: Record | Typed) -> Key:
    return one.text, _masked(one.before)[-14:], _masked(one.after)[:2]


def _match(
    records: Sequence[Record],
    numbers: Sequence[Typed],
    found: list[tuple[Record, ...]],
    key: Callable[[Record | Typed], Key],
) -> None:
    known: dict[Key, list[Record]] = {}
    for record in records:
        known.setdefault(key(record), []).append(record)
    places: dict[Key, list[int]] = {}
    for i, number in enumerate(numbers):
        if not found[i]:
            places.setdefault(key(number), []).append(i)
    for one, indices in places.items():
        options = known.get(one, [])
        for n, i in enumerate(indices):
            if options:
                first = options[min(n, len(options) - 1)]
                rest = [] if len(options) == len(indices) else [r for r in options if r is not first]
                found[i] = (first, *rest)
