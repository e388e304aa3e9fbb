"""Numbers that stand together: tuples, matrices and single numbers, each with what is written beside it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from seqgen.audit.notation import stem
from seqgen.audit.arithmetic import Interval, evaluate
from seqgen.audit.numerals import Numeral

# In the masked text a number is a HEAD and as many TAILs as it has further characters.
HEAD, TAIL = "\x02", "\x01"
NUMBER = rf"{HEAD}{TAIL}*"
GAP = r"(?:[\s~$]|\\[,;:!> ]|\\q?quad(?![A-Za-z]))*"
COMMA = rf"{GAP}[,;]{GAP}"
OPEN = r"(?:\\left|\\[bB]igg?l?)?(?:[(\[]|\\\{|\\langle|\\lbrack)"
CLOSE = r"(?:\\right|\\[bB]igg?r?)?(?:[)\]]|\\\}|\\rangle|\\rbrack)"
ROW = rf"{OPEN}{GAP}{NUMBER}(?:(?:{COMMA}|\s+){NUMBER})*{GAP},?{GAP}{CLOSE}"
TUPLE = re.compile(
    rf"{OPEN}{GAP}{NUMBER}(?:{COMMA}{NUMBER})+{GAP},?{GAP}{CLOSE}|\[{GAP}{NUMBER}(?:\s+{NUMBER})+{GAP}\]"
)
NESTED = re.compile(rf"\[{GAP}{ROW}(?:(?:{COMMA}|\s+){ROW})*{GAP}\]")
MATRIX = re.compile(
    r"\\begin\{(?P<kind>[bpvBV]?matrix\*?|[bp]?smallmatrix|array)\}(?:\[[^\]]*\])?(?:\{[^{}]*\})?(?P<body>.*?)\\end\{(?P=kind)\}",
    re.DOTALL,
)
VALUE = re.compile(rf"[\s$*`]*(?:{ROW}|{NUMBER})[\s$*`\\]*")
RELATION = r"(?:=|≈|≃|≅|:=|\\approx(?:eq)?|\\simeq|\\doteq|\\equiv)(?![A-Za-z])"
# Where an expression begins, looking back: the border of mathematics, a cell or a line, or a break in the words.
BORDER = re.compile(
    r"\$|->|→|\\\[|\\\(|\\\)|\\\]|\n\s*\n|[\t|]|\\q?quad(?![A-Za-z])|\\begin\{[a-z*]+\}|\\end\{[a-z*]+\}|```|`|[;:]\s|\.\s|,\s+|"
    r"\\text\{[^{}]*\}|\\item|\\frametitle|\\section|\*\*"
)


@dataclass(frozen=True, kw_only=True)
class Whole:
    """A scalar, a vector or a matrix as typed: ``shape`` and, row after row, its numbers.

    ``label`` is what it is said to be (``h_1``), ``also`` further names and formulas in the same chain of equations.
    ``is_defined`` where a sign of equality says so, ``is_operand`` where it is a part of the formula instead of its
    value. ``implied`` is the interval that the arithmetic before it comes to. ``position`` is the row of a table.
    ``words`` are those nearby, ``following`` those right after it.
    """

    numbers: tuple[Numeral, ...]
    shape: tuple[int, ...]
    label: str = ""
    also: tuple[str, ...] = ()
    is_defined: bool = False
    is_operand: bool = False
    implied: Interval | None = None
    position: int | None = None
    words: frozenset[str] = field(default_factory=frozenset)
    following: frozenset[str] = field(default_factory=frozenset)

    @property
    def is_bare(self) -> bool:
        """Whether it is a single integer or fraction, as they stand everywhere."""
        return not self.shape and not self.numbers[0].unit

    def parts(self) -> list[Whole]:
        """Return its numbers, each on its own."""
        return [replace(self, numbers=(n,), shape=(), label="", also=(), is_defined=False) for n in self.numbers]

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
    masked = mask(text, found)
    shapes = [*_matrices(masked, found), *_nested(masked, found), *_tuples(masked, found)]
    taken: set[int] = set()
    result: list[tuple[int, tuple[Numeral, ...], tuple[int, ...], int, int]] = []
    for start, end, numbers, shape in shapes:
        if not taken & {n.start for n in numbers}:
            taken |= {n.start for n in numbers}
            result.append((numbers[0].start, numbers, shape, start, end))
    result += [(n.start, (n,), (), n.start, n.end) for n in found if n.start not in taken]
    tables = Tables(masked, text)
    by_place = {number.start: number for number in found}
    return [_with_context(text, masked, tables, by_place, *rest) for _, *rest in sorted(result, key=lambda r: r[0])]


def mask(text: str, found: Sequence[Numeral]) -> str:
    """Return ``text`` with its numbers replaced by marks of the same length."""
    parts, place = [], 0
    for number in found:
        parts += [text[place : number.start], HEAD, TAIL * (number.end - number.start - 1)]
        place = number.end
    return "".join(parts) + text[place:]


Shaped = tuple[int, int, tuple[Numeral, ...], tuple[int, ...]]


def _between(found: Sequence[Numeral], start: int, end: int) -> tuple[Numeral, ...]:
    first = bisect_left(found, start, key=lambda n: n.start)
    last = bisect_left(found, end, key=lambda n: n.start)
    return tuple(found[first:last])


def _matrices(masked: str, found: Sequence[Numeral]) -> Iterator[Shaped]:
    for match in MATRIX.finditer(masked):
        rows = [row for row in re.split(r"\\\\(?:\[[^\]]*\])?|\\cr\b", match["body"]) if row.strip(" \n~&")]
        cells = [[cell.strip() for cell in re.sub(r"\\hline|\\,|\\;|\\ |~|\$", "", row).split("&")] for row in rows]
        if (
            not cells
            or len({len(row) for row in cells}) != 1
            or not all(re.fullmatch(NUMBER, c) for row in cells for c in row)
        ):
            continue
        shape = (len(cells), len(cells[0]))
        flat = tuple(size for size in shape if size != 1) if 1 in shape else shape
        yield match.start(), match.end(), _between(found, *match.span()), flat


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


def _table_rows(masked: str) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Yield lines with at least two cells, parted by tabs, bars, or ampersands outside a matrix."""
    environments = [m.span() for m in MATRIX.finditer(masked)]
    tabulars = [
        m.span() for m in re.finditer(r"\\begin\{(tabular\*?|tabularx|longtable)\}.*?\\end\{\1\}", masked, re.DOTALL)
    ]
    place = 0
    for line in masked.split("\n"):
        in_matrix = any(a <= place < b or place <= a < place + len(line) for a, b in environments)
        in_tabular = any(a <= place < b for a, b in tabulars)
        parts = r"(?<!\\)&" if in_tabular else r"\t" if "\t" in line else r"(?<!\\)\|" if not in_matrix else r"(?!)"
        borders = [m.start() for m in re.finditer(parts, line)]
        if len(borders) >= 1 and (parts != r"(?<!\\)\|" or line.lstrip().startswith("|")):
            edges = [-1, *borders, len(line)]
            cells = [(place + a + 1, place + b) for a, b in zip(edges, edges[1:], strict=False)]
            if parts == r"(?<!\\)\|":
                cells = cells[1:-1] or cells
            yield place, cells
        place += len(line) + 1


def _with_context(
    text: str,
    masked: str,
    tables: Tables,
    by_place: Mapping[int, Numeral],
    numbers: tuple[Numeral, ...],
    shape: tuple[int, ...],
    start: int,
    end: int,
) -> Whole:
    heading, row = tables.at(start)
    label, also, is_operand = _label(text, masked, start, end)
    position = None
    is_defined = bool(label)
    if heading:
        is_defined = is_defined or "$" in heading
        label = label or heading
        match = re.search(r"(?<![\w.])(\d+)(?![\w.])", row)
        position = int(match[1]) if match else None
    elif not label and not is_operand:
        apart = r"\s?" if shape or numbers[0].unit else ""  # "section 3" names nothing, "norm5" may
        word = re.search(rf"(?:^|[\s$*(])([^\W\d]\w*){apart}$", text[max(0, start - 40) : start])
        label = word[1] if word else ""
        is_defined = bool(label) and word is not None and word.end(1) == min(40, start)
    near = f"{_before(text, start)} {heading} {row}"
    return Whole(
        numbers=numbers,
        shape=shape,
        label=label,
        also=also,
        is_defined=is_defined,
        is_operand=is_operand,
        implied=_implied(text, masked, by_place, start) if not shape and not is_operand else None,
        position=position,
        words=frozenset(map(stem, re.findall(r"[^\W\d_]{3,}", near))),
        following=frozenset(re.findall(r"[^\W\d_]+", text[end : end + 40].split("\n")[0].lower())[:2]),
    )


def _implied(text: str, masked: str, by_place: Mapping[int, Numeral], start: int) -> Interval | None:
    """Return what the arithmetic left of a sign of equality comes to: the longest run of it that is only numbers."""
    lead = masked[max(0, start - 200) : start]
    relations = list(re.finditer(RELATION, lead))
    if not relations or lead[relations[-1].end() :].strip(" $&~\\,;({"):
        return None
    offset = start - len(lead)
    first = relations[-2].end() if len(relations) > 1 else 0
    last = relations[-1].start()
    breaks = [first, *(first + m.end() for m in re.finditer(r"[\s$:,;]|is\b", lead[first:last]))]
    for begin in breaks:
        value = evaluate(text[offset + begin : offset + last], offset + begin, by_place)
        if value is not None:
            return value
    return None


def _before(text: str, start: int, reach: int = 90) -> str:
    """Return what stands before a place, from the last break in the text on."""
    lead = text[max(0, start - reach) : start]
    lines = [line for line in lead.split("\n") if line.strip(" $")]
    return " ".join(lines[-2:])


def _label(text: str, masked: str, start: int, end: int) -> tuple[str, tuple[str, ...], bool]:
    """Return what a number is said to be, further names in its chain of equations, and whether it is but an operand."""
    lead = masked[max(0, start - 400) : start]
    offset = start - len(lead)
    borders = [m.end() for m in BORDER.finditer(lead) if _is_border(lead, m)]
    begin = borders[-1] if borders else 0
    chain = lead[begin:]
    pieces = list(re.finditer(RELATION, chain))
    if not pieces:
        follows = re.match(rf"{GAP}{RELATION}", masked[end : end + 40])
        return ("", (), False) if not follows else ("", (), True)
    edges = [0, *[p.end() for p in pieces]]
    stops = [*[p.start() for p in pieces], len(chain)]
    segments = [(text[offset + begin + a : offset + begin + b], chain[a:b]) for a, b in zip(edges, stops, strict=True)]
    for i in range(len(segments) - 2, 0, -1):
        restart = RESTART.fullmatch(segments[i][1])
        if restart:  # "h1=0.76 h2=": another name after a value
            segments = [(segments[i][0][restart.start(1) :], restart[1]), *segments[i + 1 :]]
            break
    names, own_lead = segments[:-1], segments[-1][1]
    if RESTART.fullmatch(own_lead):  # words after a value: the equations have ended
        return "", (), False
    head = _last_words(*names[0])
    rest = tuple(s.strip(" &~") for s, m in names[1:] if HEAD not in m)
    return head, rest, _has_operator(own_lead, masked[end : end + 30])


RESTART = re.compile(rf"\s*(?:{ROW}|{NUMBER})(?:\s*[,;]\s*|\s+)([^\W\d][^{HEAD}]*)", re.DOTALL)


def _has_operator(lead: str, after: str) -> bool:
    """Whether a number is but a part of the formula on its side of the sign of equality."""
    if re.sub(r"\\(?:left|[bB]igg?l?|,|;|!)|[-+]$|[~$&{(\s]", "", lead):
        return True
    return re.match(r"\s*(?:[-+*/^×·]|\\(?:times|cdot|odot)(?![A-Za-z]))|[A-Za-z(\[]", after) is not None


def _is_border(lead: str, match: re.Match[str]) -> bool:
    """Whether a break in the words is one: not inside brackets, and not the comma of a tuple."""
    if not match[0].startswith(","):
        return not (match[0] == "$" and re.match(r"\$?\s*\$*\s*(?:=|\\approx)", lead[match.start() :]))
    inside = lead[: match.start()]
    return inside.count("(") <= inside.count(")") or "$" in lead[match.end() :]


def _last_words(segment: str, marks: str) -> str:
    """Return the end of a segment that names something: after the last number in it, or its last word in a sentence."""
    words = re.fullmatch(r".*[^\W\d_]{2,}\W*\s([^\W\d][\w\[\]{},^]*)\s*", segment, re.DOTALL)
    if words and "\\" not in segment and HEAD not in marks:
        return words[1]
    last = marks.rfind(HEAD)
    if last >= 0:
        rest = re.match(rf"{NUMBER}[)\]}}\s,]*", marks[last:])
        cut = last + (rest.end() if rest else 1)
        if re.match(r"[-+*/^]|\\", segment[cut:].strip()[:1]) and segment[cut:].strip():
            return segment.strip()
        segment = segment[cut:] or segment
    return segment.strip(" &~\n")
