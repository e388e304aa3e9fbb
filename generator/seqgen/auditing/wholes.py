"""Numbers that stand together: tuples, matrices and single numbers."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from seqgen.auditing.marks import MATRIX, NESTED, NUMBER, ROW, TUPLE, end_of_environment, stretches
from seqgen.auditing.numerals import Numeral
from seqgen.auditing.surroundings import Beside, Surroundings

Shaped = tuple[int, int, tuple[Numeral, ...], tuple[int, ...]]


@dataclass(frozen=True, kw_only=True)
class Whole:
    """A scalar, a vector or a matrix as typed: ``shape``, its numbers row after row, and what is written ``beside``."""

    numbers: tuple[Numeral, ...]
    shape: tuple[int, ...]
    beside: Beside = field(default_factory=Beside)

    @property
    def is_bare(self) -> bool:
        """Whether it is a single integer or fraction, as they stand everywhere."""
        return not self.shape and not self.numbers[0].unit

    def parts(self) -> list[Whole]:
        """Return its numbers, each on its own."""
        return [
            replace(self, numbers=(n,), shape=(), beside=replace(self.beside, label="", also=())) for n in self.numbers
        ]

    def called(self, label: str) -> Whole:
        """Return the same whole under another label."""
        return replace(self, beside=replace(self.beside, label=label, also=()))

    def anywhere(self) -> Whole:
        """Return the same whole without its place in the text."""
        numbers = tuple(replace(n, start=0, end=0, text="") for n in self.numbers)
        return replace(self, numbers=numbers)

    @property
    def start(self) -> int:
        """Where it begins in the text."""
        return self.numbers[0].start


def wholes(text: str, found: Sequence[Numeral]) -> list[Whole]:
    """Return the numbers of ``text``, gathered into what they stand in, in order."""
    around = Surroundings(text, found)
    taken: set[int] = set()
    result: list[Whole] = []
    alone = ((n.start, n.end, (n,), ()) for n in found)
    for start, end, numbers, shape in (
        *_matrices(around.masked, found),
        *_nested(around.masked, found),
        *_tuples(around.masked, found),
        *alone,
    ):
        places = {number.start for number in numbers}
        if taken & places:
            continue
        taken |= places
        is_bare = not shape and not numbers[0].unit
        beside = around.beside(start, end, is_bare=is_bare, is_scalar=not shape)
        result.append(Whole(numbers=numbers, shape=shape, beside=beside))
    return sorted(result, key=lambda whole: whole.start)


def _between(found: Sequence[Numeral], start: int, end: int) -> tuple[Numeral, ...]:
    first = bisect_left(found, start, key=lambda n: n.start)
    last = bisect_left(found, end, key=lambda n: n.start)
    return tuple(found[first:last])


def _matrices(masked: str, found: Sequence[Numeral]) -> Iterator[Shaped]:
    for begin, end in stretches(masked, MATRIX, end_of_environment):
        body = masked[begin.end() : end.start()]
        rows = [row for row in re.split(r"\\\\(?:\[[^\]\n]*\])?|\\cr\b", body) if row.strip(" \n~&")]
        cells = [[cell.strip() for cell in re.sub(r"\\hline|\\,|\\;|\\ |~|\$", "", row).split("&")] for row in rows]
        if (
            not cells
            or len({len(row) for row in cells}) != 1
            or not all(re.fullmatch(NUMBER, c) for row in cells for c in row)
        ):
            continue
        shape = (len(cells), len(cells[0]))
        flat = tuple(size for size in shape if size != 1) if 1 in shape else shape
        yield begin.start(), end.end(), _between(found, begin.start(), end.end()), flat


def _nested(masked: str, found: Sequence[Numeral]) -> Iterator[Shaped]:
    for match in NESTED.finditer(masked):
        rows = [
            _between(found, match.start() + 1 + r.start(), match.start() + 1 + r.end())
            for r in re.finditer(ROW, match[0][1:])
        ]
        if len({len(row) for row in rows}) == 1:
            shape = (len(rows), len(rows[0]))
            yield match.start(), match.end(), tuple(n for row in rows for n in row), shape


def _tuples(masked: str, found: Sequence[Numeral]) -> Iterator[Shaped]:
    for match in TUPLE.finditer(masked):
        numbers = _between(found, *match.span())
        yield match.start(), match.end(), numbers, (len(numbers),)
