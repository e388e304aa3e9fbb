"""How wide a piece of our own math is, and where it is broken when it is wider than a slide.

Widths are counted in digits of the text's size, after the widths of Computer Modern; a test holds them against TeX.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from seqgen.readings.names import GREEK

# A 16:9 Beamer frame holds 72 digits abreast.
SLIDE = 70.0

MARK = re.compile(
    r"\\begin\{(?:bmatrix|array)\}(?:\{r+\})?|\\end\{\w+\}| [-+] | \\(?:odot|cdot|,) |, |\\[A-Za-z]+|\\.|.", re.DOTALL
)
RELATION, BINARY = 2.7, 2.4
CHARACTERS = {
    " ": 0.0, ".": 0.56, ",": 0.9, ", ": 0.9, "(": 0.8, ")": 0.8, "[": 0.6, "]": 0.6, "-": 1.6, "/": 1.0, "|": 0.6,
    " + ": BINARY, " - ": BINARY, r" \odot ": BINARY, r" \cdot ": 1.5, r" \, ": 0.33,
    "=": RELATION, "<": RELATION, ">": RELATION,
}  # fmt: skip
COMMANDS = {
    r"\approx": RELATION, r"\le": RELATION, r"\ge": RELATION, r"\ne": RELATION, r"\mid": 1.7, r"\times": BINARY,
    r"\circ": 1.0, r"\sum": 3.2, r"\infty": 2.0, r"\ell": 1.0, r"\prime": 0.6, r"\partial": 1.1, r"\top": 1.5,
    r"\,": 0.33, r"\;": 0.6, r"\quad": 2.0, r"\lvert": 0.6, r"\rvert": 0.6, r"\vert": 0.6, r"\lVert": 1.0,
    r"\rVert": 1.0, r"\Vert": 1.0, r"\left": 0.6, r"\right": 0.6, r"\mathrm": 0.0, r"\mathcal": 0.0, r"\tilde": 0.0,
    r"\bar": 0.0, r"\hat": 0.0, r"\widehat": 0.0, r"\widetilde": 0.0, r"\text": 0.0, r"\operatorname": 0.3,
    r"\phantom": 0.0, r"\mathbf": 0.0,
}  # fmt: skip
LETTER, SCRIPT, COLUMN_GAP, BRACKET, ROOT = 1.05, 0.7, 2.0, 1.2, 1.8

# Where a row may end, and how unwelcome that is: before a sum's sign, else before a factor, else after a comma.
ENDS = {" + ": 0, " - ": 0, r" \odot ": 100, r" \cdot ": 100, r" \, ": 100, ", ": 200}


def width(math: str) -> float:
    """Return about how many digits wide ``math`` is, set in one line."""
    return _Reader(MARK.findall(math)).row()


def text_width(text: str) -> float:
    """Return about how many digits wide ``text`` is, with math between dollars."""
    return sum(width(part) if i % 2 else LETTER * len(part) for i, part in enumerate(text.split("$")))


def broken(math: str, room: float) -> str:
    r"""Return ``math`` in rows of at most ``room`` digits for an alignment, with `\\ & \quad` between.

    A row ends outside braces, at the most welcome and least nested place that fits, and the last such one; a product
    without a sign is given one there. What holds no such place stays as wide as it is.
    """
    pieces = list(_pieces(math))
    rows, start = [], 0
    while start < len(pieces):
        end = _row_end(pieces, start, room)
        row = "".join(piece.text for piece in pieces[start:end]).strip()
        if row.startswith(r"\,"):
            row = rf"\cdot{row[2:]}"
        if start:
            opened = r"\left." * pieces[start].lefts
            row = rf"\quad {opened}{'{}' if opened else ''}{row}"  # the braces keep the space of the sign that follows
        rows.append(row + r"\right." * (pieces[end].lefts if end < len(pieces) else 0))
        start = end
    return " \\\\\n& ".join(rows)


def _row_end(pieces: list[_Piece], start: int, room: float) -> int:
    """Return the index of the piece that begins the next row."""
    total = 0.0
    best = len(pieces)
    for i in range(start, len(pieces)):
        if i > start and (best == len(pieces) or pieces[i].rank <= pieces[best].rank):
            best = i
        total += width(pieces[i].text)
        if total > room and i > start:
            return best
    return len(pieces)


@dataclass(frozen=True)
class _Piece:
    r"""What stands between two places where math may be broken.

    ``rank`` says how unwelcome a break before it is, ``lefts`` how many `\left` are open there.
    """

    text: str
    rank: int
    lefts: int


def _pieces(math: str) -> Iterator[_Piece]:
    """Yield the pieces of ``math``; nothing within braces is a place to break."""
    opened: list[str] = []
    text, rank, lefts, before = "", 0, 0, ""
    for mark in MARK.findall(math):
        if mark in ENDS and "{" not in opened:
            yield _Piece(text + mark if mark == ", " else text, rank, lefts)
            text, rank, lefts = "", ENDS[mark] + len(opened), opened.count(r"\left")
            text = "" if mark == ", " else mark
        else:
            text += mark
        if before == r"\left":
            opened.append(before)
        elif mark in ("(", "[", "{") or mark.startswith(r"\begin"):
            opened.append(mark if mark in ("(", "[") else "{")
        elif opened and (before == r"\right" or mark in (")", "]", "}") or mark.startswith(r"\end")):
            opened.pop()
        before = "" if before in (r"\left", r"\right") else mark
    yield _Piece(text, rank, lefts)


@dataclass
class _Reader:
    """Reads marks and adds up their widths; ``small`` inside scripts and nested fractions."""

    marks: list[str]
    at: int = field(default=0)

    def row(self, until: str = "", scale: float = 1.0) -> float:
        """Return the width up to the mark ``until``, which is read too."""
        total = 0.0
        while self.at < len(self.marks):
            mark = self.marks[self.at]
            if mark == until:
                self.at += 1
                break
            total += self.item(scale)
        return total

    def item(self, scale: float) -> float:
        """Return the width of the next mark, with what belongs to it; nothing is wide past the end."""
        if self.at >= len(self.marks):
            return 0.0
        mark = self.marks[self.at]
        self.at += 1
        if mark == "{":
            return self.row("}", scale)
        if mark in ("^", "_"):
            return self.item(scale * SCRIPT)
        if mark in (r"\frac", r"\tfrac"):
            small = scale if scale == 1 and mark == r"\frac" else scale * SCRIPT
            return max(self.item(small), self.item(small)) + 0.5 * scale
        if mark == r"\sqrt":
            return self.item(scale) + ROOT * scale
        if mark.startswith(r"\begin"):
            return self.matrix(scale)
        return scale * _plain(mark)

    def matrix(self, scale: float) -> float:
        """Return the width of an array: its widest rows' columns, the gaps between, the brackets around."""
        columns: list[float] = [0.0]
        place, cell = 0, 0.0
        while self.at < len(self.marks) and not (mark := self.marks[self.at]).startswith(r"\end"):
            if mark in ("&", r"\\"):
                self.at += 1
                place, cell = (place + 1, 0.0) if mark == "&" else (0, 0.0)
                columns += [0.0] * (place + 1 - len(columns))
            else:
                cell += self.item(scale)
                columns[place] = max(columns[place], cell)
        self.at += 1
        return sum(columns) + scale * (COLUMN_GAP * (len(columns) - 1) + 2 * BRACKET)


def _plain(mark: str) -> float:
    if mark in CHARACTERS:
        return CHARACTERS[mark]
    if mark in COMMANDS:
        return COMMANDS[mark]
    if mark.startswith("\\"):  # a function's name is set in letters
        return LETTER if mark[1:] in GREEK else 0.85 * LETTER * len(mark)
    return 1.0 if mark.isdigit() else LETTER
