"""The tables of a deck: lines of cells, parted by tabs, bars or ampersands."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from seqgen.audit.marks import MATRIX, TABULAR, VALUE, end_of_environment, stretches


class Tables:
    """The tables of a text: for a place in a cell, the heading of its column and the words that begin its row."""

    def __init__(self, masked: str, text: str) -> None:
        self._cells: list[tuple[int, int, str, str]] = []
        rows = list(_table_rows(masked))
        heading: list[str] = []
        previous_end = -10
        for start, cells in rows:
            gap = masked[previous_end:start]
            if previous_end < 0 or len(gap.strip("\n \t|&\\")) > 0 or gap.count("\n") > 2:
                heading = []
            previous_end = cells[-1][1]
            if not heading:
                heading = [text[a:b].strip(" |&\\\n") for a, b in cells]
                if not any(VALUE.fullmatch(masked[a:b]) for a, b in cells[1:]):
                    continue
                heading = [""] * len(cells)
            first = text[cells[0][0] : cells[0][1]].strip(" |&\\\n")
            for column, (a, b) in enumerate(cells):
                self._cells.append((a, b, heading[column] if column < len(heading) else "", first if column else ""))

    def at(self, place: int) -> tuple[str, str]:
        """Return heading and row words of the cell at ``place``, empty outside tables."""
        at = bisect_left(self._cells, place + 1, key=lambda c: c[0]) - 1
        if at >= 0 and self._cells[at][0] <= place <= self._cells[at][1]:
            return self._cells[at][2], self._cells[at][3]
        return "", ""


def _meets(spans: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Whether one of the spans, in order and apart, has a place from ``start`` up to ``end``."""
    at = bisect_left(spans, (end,))
    return at > 0 and spans[at - 1][1] > start


def _table_rows(masked: str) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Yield lines with at least two cells, parted by tabs, bars, or ampersands outside a matrix."""
    matrices, tabulars = (
        [(a.start(), b.end()) for a, b in stretches(masked, opening, end_of_environment)]
        for opening in (MATRIX, TABULAR)
    )
    place = 0
    for line in masked.split("\n"):
        in_matrix = _meets(matrices, place, place + max(1, len(line)))
        in_tabular = _meets(tabulars, place, place + 1)
        parts = r"(?<!\\)&" if in_tabular else r"\t" if "\t" in line else r"(?<!\\)\|" if not in_matrix else r"(?!)"
        borders = [m.start() for m in re.finditer(parts, line)]
        if len(borders) >= 1 and (parts != r"(?<!\\)\|" or line.lstrip().startswith("|")):
            edges = [-1, *borders, len(line)]
            cells = [(place + a + 1, place + b) for a, b in itertools.pairwise(edges)]
            if parts == r"(?<!\\)\|":
                cells = cells[1:-1] or cells
            yield place, cells
        place += len(line) + 1
