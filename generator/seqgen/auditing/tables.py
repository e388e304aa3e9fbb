"""The tables of a deck as cells, each with what heads its column and its row."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from seqgen.auditing.marks import MATRIX, TABULAR, VALUE, end_of_environment, stretches

SPANNED = re.compile(r"\s*\\multicolumn\s*\{(\d+)\}\s*\{(?:[^{}]|\{[^{}]*\})*\}\s*\{(?P<text>.*)\}\s*", re.DOTALL)
RULES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|addlinespace)(?![A-Za-z])|\\c(?:mid)?line?r?ule?(?:\([a-z]*\))?\{[^{}]*\}"
)
ROW_END = re.compile(r"\\\\(?:\[[^\]\n]*\])?|\\tabularnewline(?![A-Za-z])|\\cr(?![A-Za-z])")
CELL_END = re.compile(r"(?<!\\)&")
INDEX = re.compile(r"[\s$*`({]*(?:\\?[A-Za-z]+(?:_\{?\w+\}?)?\s*=\s*)?(\d+)[\s$*`)}]*")


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A cell: its stretch, the heading of its column, the first cell of its row, and which table it belongs to.

    ``part`` is its place below a heading that spans several columns, ``column`` and ``row`` count from zero.
    """

    start: int
    end: int
    table: int
    row: int
    column: int
    heading: str = ""
    first: str = ""
    part: int | None = None

    @property
    def position(self) -> int | None:
        """The index that the first cell of its row says, as in a row ``1`` or ``t = 1``."""
        return _index(self.first)

    @property
    def across(self) -> int | None:
        """The index that the heading of its column says."""
        return _index(self.heading)


def _index(text: str) -> int | None:
    match = INDEX.fullmatch(text)
    return int(match[1]) if match else None


OUTSIDE = Cell(start=0, end=0, table=-1, row=-1, column=-1)


class Tables:
    """The tables of a text: for a place, the cell that it lies in."""

    def __init__(self, masked: str, text: str) -> None:
        self.cells: list[Cell] = []
        for number, rows in enumerate(_tables(masked)):
            self.cells += _headed(number, rows, masked, text)
        self._starts = [cell.start for cell in self.cells]

    def at(self, place: int) -> Cell:
        """Return the cell at ``place``; one without a table outside all."""
        at = bisect_left(self._starts, place + 1) - 1
        if at >= 0 and self.cells[at].start <= place <= self.cells[at].end:
            return self.cells[at]
        return OUTSIDE


Rows = list[list[tuple[int, int]]]


def _clean(text: str) -> str:
    return RULES.sub("", text).strip(" |&\\\n\t~")


def _headed(number: int, rows: Rows, masked: str, text: str) -> Iterator[Cell]:
    """Yield the cells of a table; its first row heads the columns where it has words or symbols there."""
    heading: list[tuple[str, int | None]] = []
    for start, end in rows[0]:
        content = _clean(text[start:end])
        if spanned := SPANNED.fullmatch(content):
            heading += [(spanned["text"], part if int(spanned[1]) > 1 else None) for part in range(int(spanned[1]))]
        else:
            heading.append((content, None))
    body = rows[0][1:] if len(rows[0]) > 1 else rows[0]
    is_headed = not any(VALUE.fullmatch(_clean(masked[a:b])) for a, b in body) or _counts(heading)
    for index, cells in enumerate(rows):
        first = _clean(text[slice(*cells[0])])
        for column, (start, end) in enumerate(cells):
            head, part = heading[column] if is_headed and index and column < len(heading) else ("", None)
            own = first if column and (index or not is_headed) else ""
            yield Cell(start=start, end=end, table=number, row=index, column=column, heading=head, first=own, part=part)


def _counts(heading: Sequence[tuple[str, int | None]]) -> bool:
    """Whether a heading is a count of positions, 0, 1, 2, beside a first cell that is no number."""
    numbers = [_index(text) for text, _ in heading[1:]]
    return (
        bool(numbers)
        and numbers in ([*range(len(numbers))], [*range(1, len(numbers) + 1)])
        and (_index(heading[0][0]) is None)
    )


def _tables(masked: str) -> Iterator[Rows]:
    """Yield the tables of a text in order: environments of LaTeX, and lines with bars or tabs."""
    found: list[tuple[int, Rows]] = []
    taken = []
    for opening, closing in stretches(masked, TABULAR, end_of_environment):
        rows = _latex_rows(masked, opening.end(), closing.start())
        taken.append((opening.start(), closing.end()))
        if rows:
            found.append((opening.start(), rows))
    matrices = [(a.start(), b.end()) for a, b in stretches(masked, MATRIX, end_of_environment)]
    rows, previous_end = [], -10
    for cells in _lines(masked, sorted(taken + matrices)):
        gap = masked[previous_end : cells[0][0]]
        if rows and (gap.strip("\n\r \t|&\\") or re.search(r"\n[ \t]?\r?\n", gap)):
            found.append((rows[0][0][0], rows))
            rows = []
        rows.append(cells)
        previous_end = cells[-1][1]
    if rows:
        found.append((rows[0][0][0], rows))
    yield from (rows for _, rows in sorted(found))


def _latex_rows(masked: str, start: int, end: int) -> Rows:
    rows: Rows = []
    for row_start, row_end in _pieces(ROW_END, masked, start, end):
        if _clean(masked[row_start:row_end]):
            rows.append(list(_pieces(CELL_END, masked, row_start, row_end)))
    return rows


def _pieces(separator: re.Pattern[str], text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for match in separator.finditer(text, start, end):
        yield at, match.start()
        at = match.end()
    yield at, end


def _meets(spans: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Whether one of the spans, in order and apart, has a place from ``start`` up to ``end``."""
    at = bisect_left(spans, (end,))
    return at > 0 and spans[at - 1][1] > start


def _lines(masked: str, environments: Sequence[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """Yield lines with at least two cells, separated by tabs or bars."""
    place = 0
    for line in masked.split("\n"):
        parts = r"\t" if "\t" in line else r"(?<!\\)\|"
        borders = [m.start() for m in re.finditer(parts, line)]
        is_row = borders and (parts == r"\t" or (line.lstrip().startswith("|") and len(borders) > 1))
        if is_row and (parts == r"\t" or not _meets(environments, place, place + max(1, len(line)))):
            edges = [-1, *borders, len(line)]
            cells = [(place + a + 1, place + b) for a, b in itertools.pairwise(edges)]
            yield cells if parts == r"\t" else cells[1:-1]
        place += len(line) + 1
