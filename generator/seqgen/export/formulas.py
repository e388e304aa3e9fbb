"""Traced scalars as formulas that Excel, LibreOffice and Google Sheets share.

A file holds formulas in English with decimal points, whatever the reader's locale. Functions are those of Excel 2010:
no LAMBDA, no spilled array.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from seqgen.readings.traced import Scalar

# How tightly an operator binds. A unary minus binds more tightly than a power there (-2^2 is 4), so that what it stands
# before has parentheses, and it has them wherever it does not come first.
SUM, PRODUCT, POWER, ATOM = range(4)
# exp makes this zero, and sums of some stay in range.
INFINITE = "1E+300"
LONGEST_SHORT = 15
MOST_ARGUMENTS = 100
MOST_DECIMALS = 6
SHORT = re.compile(r"[0-9]+(\.[0-9]+)?\Z")

FUNCTIONS = {
    "exp": "EXP",
    "log": "LN",
    "sqrt": "SQRT",
    "tanh": "TANH",
    "sin": "SIN",
    "cos": "COS",
    "erf": "ERF",
    "abs": "ABS",
    "max": "MAX",
    "min": "MIN",
}
SIGNS = {"greater": ">", "less": "<", "greater_equal": ">=", "less_equal": "<=", "equal": "=", "not_equal": "<>"}


@dataclass(frozen=True, order=True)
class Address:
    """A cell; rows and columns count from 0."""

    sheet: str
    row: int
    column: int

    def write(self, sheet: str) -> str:
        """Return the reference of this cell in a formula on ``sheet``."""
        return f"{'' if self.sheet == sheet else f'{self.sheet}!'}{column_name(self.column)}{self.row + 1}"


@dataclass(frozen=True)
class Area:
    """A rectangle of cells."""

    first: Address
    rows: int
    columns: int

    def write(self, sheet: str) -> str:
        """Return the reference of these cells in a formula on ``sheet``."""
        text = self.first.write(sheet)
        if self.rows == self.columns == 1:
            return text
        last = Address(sheet, self.first.row + self.rows - 1, self.first.column + self.columns - 1)
        return f"{text}:{last.write(sheet)}"


def column_name(column: int) -> str:
    """Return the letters of a column that counts from 0."""
    name = ""
    while column >= 0:
        column, letter = divmod(column, 26)
        name, column = chr(65 + letter) + name, column - 1
    return name


def area_of(places: Sequence[Address | None]) -> Area | None:
    """Return the rectangle that cells fill row by row, or ``None``."""
    first = places[0]
    if first is None:
        return None
    columns = next((k for k, p in enumerate(places) if p is None or p.row != first.row), len(places))
    rows, rest = divmod(len(places), columns)
    for k, place in enumerate(places):
        if rest or place != Address(first.sheet, first.row + k // columns, first.column + k % columns):
            return None
    return Area(first, rows, columns)


def number(text: str) -> tuple[str, int]:
    """Return a constant and how tightly it binds; Excel reads 15 digits of one."""
    if text.startswith("-"):
        return f"-{number(text[1:])[0]}", SUM
    if text == "pi":
        return "PI()", ATOM
    if text == "inf":
        return INFINITE, ATOM
    above, slash, below = text.partition("/")
    if slash and 10**MOST_DECIMALS % int(below) == 0:
        whole, rest = divmod(int(above) * 10**MOST_DECIMALS // int(below), 10**MOST_DECIMALS)
        return f"{whole}.{rest:0{MOST_DECIMALS}}".rstrip("0"), ATOM
    if slash and max(len(above), len(below)) < LONGEST_SHORT:
        return text, PRODUCT
    if SHORT.match(text) and len(text) <= LONGEST_SHORT:
        return text, ATOM
    mantissa, power, exponent = repr(float(Fraction(text))).partition("e")
    return f"{mantissa}E{int(exponent):+03d}" if power else mantissa, ATOM


@dataclass(frozen=True)
class Writer:
    """Writes formulas on ``sheet``; a scalar in ``cells`` is written by its cell, the others in full."""

    sheet: str
    cells: Mapping[Scalar, Address]

    def formula(self, scalar: Scalar) -> str:
        """Return the formula of a cell that holds ``scalar``, without its equality sign."""
        return self._made(scalar)[0]

    def call(self, function: str, argument: str) -> str:
        """Return a function of one argument."""
        return f"{FUNCTIONS[function]}({argument})"

    def _write(self, scalar: Scalar, at_least: int = SUM) -> str:
        text, binding = self._phrase(scalar)
        return text if binding >= at_least else f"({text})"

    def _phrase(self, scalar: Scalar) -> tuple[str, int]:
        if scalar in self.cells:
            return self.cells[scalar].write(self.sheet), ATOM
        return self._made(scalar)

    def _made(self, scalar: Scalar) -> tuple[str, int]:
        operands = scalar.operands
        match scalar.function:
            case "constant":
                return number(scalar.text)
            case "add" | "subtract":
                return self._sum(scalar)
            case "multiply" | "divide":
                sign = "*" if scalar.function == "multiply" else "/"
                return f"{self._write(operands[0], PRODUCT)}{sign}{self._write(operands[1], POWER)}", PRODUCT
            case "power" if operands[1].text == "0":
                return "1", ATOM  # 0^0 is an error in Excel
            case "power":
                return f"{self._write(operands[0], ATOM)}^{self._write(operands[1], ATOM)}", POWER
            case "negative":
                return f"-{self._write(operands[0], ATOM)}", SUM
            case "where":
                return f"IF({self._condition(operands[0])},{self._write(operands[1])},{self._write(operands[2])})", ATOM
            case "argmax":
                return self._argmax(operands), SUM
            case function if function in SIGNS:
                return f"IF({self._comparison(scalar)},1,0)", ATOM
            case function if function in FUNCTIONS:
                return self._over(FUNCTIONS[function], operands), ATOM
        raise ValueError(f"a spreadsheet has no {scalar.function}")

    def _sum(self, scalar: Scalar) -> tuple[str, int]:
        parts: list[tuple[bool, Scalar]] = []
        first = scalar
        while first.function in ("add", "subtract") and (first is scalar or first not in self.cells):
            parts.append((first.function == "subtract", first.operands[1]))
            first = first.operands[0]
        parts.append((False, first))
        parts.reverse()
        if len(parts) > 2 and not any(minus for minus, _ in parts):
            area = area_of([self.cells.get(part) for _, part in parts])
            if area:
                return f"SUM({area.write(self.sheet)})", ATOM
        text = self._write(first)
        for minus, part in parts[1:]:
            turned = part.function == "negative" and part not in self.cells
            text += "-" if minus != turned else "+"
            text += self._write(part.operands[0] if turned else part, PRODUCT)
        return text, SUM

    def _condition(self, scalar: Scalar) -> str:
        is_inside = scalar.function in SIGNS and scalar not in self.cells
        return self._comparison(scalar) if is_inside else f"{self._write(scalar)}<>0"

    def _comparison(self, scalar: Scalar) -> str:
        return SIGNS[scalar.function].join(map(self._write, scalar.operands))

    def _over(self, function: str, operands: Sequence[Scalar]) -> str:
        """Return a function of any number of operands, cells beside each other as ranges."""
        texts: list[str] = []
        run: list[Scalar] = []
        for operand in operands:
            if area_of([self.cells.get(o) for o in [*run, operand]]) is None and run:
                texts.append(self._run(run))
                run = []
            run.append(operand)
        texts.append(self._run(run))
        if len(texts) > MOST_ARGUMENTS:
            chunks = range(0, len(texts), MOST_ARGUMENTS)
            texts = [f"{function}({','.join(texts[k : k + MOST_ARGUMENTS])})" for k in chunks]
        return f"{function}({','.join(texts)})"

    def _run(self, operands: Sequence[Scalar]) -> str:
        area = area_of([self.cells.get(o) for o in operands])
        return area.write(self.sheet) if area else ",".join(map(self._write, operands))

    def _argmax(self, operands: Sequence[Scalar]) -> str:
        area = area_of([self.cells.get(o) for o in operands])
        if area and 1 in (area.rows, area.columns):
            text = area.write(self.sheet)
            return f"MATCH(MAX({text}),{text},0)-1"
        largest, text = self._over("MAX", operands), str(len(operands) - 1)
        for place in reversed(range(len(operands) - 1)):
            text = f"IF({self._write(operands[place])}={largest},{place},{text})"
        return text
