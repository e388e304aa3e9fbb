"""A workbook with live formulas, by XlsxWriter: the same bytes for the same microscope."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property
from typing import Any

import numpy as np
import xlsxwriter

from seqgen.export.arrays import array_formula
from seqgen.export.blocks import Block, Exported, decimals
from seqgen.export.formulas import Address, Area, Writer
from seqgen.export.layout import BEFORE, HEAD, PARTS, Layout, Placed
from seqgen.export.naming import range_names
from seqgen.ledger.display import Printed
from seqgen.readings.arrays import Array
from seqgen.readings.traced import Scalar

# Excel takes a formula of so many characters.
LONGEST_FORMULA = 8192
# What a spreadsheet holds for infinity, and the number format that shows it.
INFINITE = 1e300
SHOWS_INFINITY = '[<-1E+200]"−∞";[>1E+200]"∞";'
WHEN = datetime(2000, 1, 1)
HEADINGS = ("name", "formula", "shape", "")
WIDTHS = (8, 6)
NUMBER_WIDTH = 10
MOST_DECIMALS = 10

STYLES: dict[str, dict[str, Any]] = {
    "title": {"bold": True, "font_size": 14},
    "note": {"font_color": "#555555"},
    "head": {"bold": True, "bottom": 1, "font_color": "#333333"},
    "index": {"font_color": "#999999", "align": "right", "font_size": 9},
    "name": {"bold": True},
    "formula": {"font_color": "#333333", "font_name": "Courier New", "font_size": 9},
    "given": {"bg_color": "#FFF8DC", "font_color": "#0000C0", "border": 1, "border_color": "#D8C890", "locked": False},
    "fixed": {"bg_color": "#EEEEEE", "font_color": "#0000C0", "border": 1, "border_color": "#CCCCCC"},
    "number": {},
    "part": {"font_color": "#808080", "font_size": 9},
    "value": {"bg_color": "#FBE5D6"},
    "answer": {"border": 1, "border_color": "#AAAAAA", "locked": False},
    "right": {"bg_color": "#C6EFCE"},
    "near": {"bg_color": "#FFEB9C"},
}


@dataclass(kw_only=True)
class Book:
    """A workbook being written; ``formats`` are made once each."""

    exported: Exported
    layout: Layout
    book: Any
    links: dict[Scalar, Scalar] = field(default_factory=dict)
    arrays: bool = False
    valued: dict[str, str] = field(default_factory=dict)
    _formats: dict[Any, Any] = field(default_factory=dict)

    def style(self, name: str, number_format: str = "") -> Any:
        """Return a cell's style, with its number format."""
        key = (name, number_format)
        if key not in self._formats:
            more = {"num_format": number_format} if number_format else {}
            self._formats[key] = self.book.add_format({**STYLES[name], **more})
        return self._formats[key]

    def sheet(self, name: str, title: str, notes: tuple[str, ...]) -> Any:
        """Return a new sheet, locked without a password, with a title and notes above."""
        sheet = self.book.add_worksheet(name)
        sheet.protect("", {"format_columns": True, "format_rows": True})
        sheet.hide_gridlines(2)
        sheet.set_landscape()
        sheet.set_paper(9)
        sheet.fit_to_pages(1, 0)
        sheet.write_string(0, 0, title, self.style("title"))
        for row, note in enumerate(notes, 1):
            sheet.write_string(row, 0, note, self.style("note"))
        return sheet

    @cached_property
    def names(self) -> dict[str, str]:
        """The names of the blocks' cells."""
        return range_names(placed.block.key for placed in self.layout.placed)

    def formula(self, sheet: str, scalar: Scalar) -> str | None:
        """Return the formula that gives ``scalar`` on a sheet, away from its own cell; ``None`` where it is a value."""
        writer = Writer(sheet, self.layout.cells)
        if scalar in self.layout.cells:
            return f"={self.layout.cells[scalar].write(sheet)}"
        return self._checked(f"={writer.formula(scalar)}")

    def own_formula(self, scalar: Scalar, address: Address) -> str | None:
        """Return the formula of the cell at ``address``, which shows ``scalar``."""
        if self.layout.cells.get(scalar, address) != address:
            return self.formula(address.sheet, scalar)
        if scalar.function == "kept":
            return self.formula(address.sheet, self.links[scalar]) if scalar in self.links else None
        return self._checked(f"={Writer(address.sheet, self.layout.cells).formula(scalar)}")

    def write(self, sheet: Any, address: Address, formula: str | None, value: float, style: Any) -> None:
        """Write a formula with its value, or the value alone."""
        if formula:
            sheet.write_formula(address.row, address.column, formula, style, cell_value(value))
        else:
            sheet.write_number(address.row, address.column, cell_value(value), style)

    def _checked(self, formula: str) -> str | None:
        return formula if len(formula) < LONGEST_FORMULA else None


def cell_value(value: float) -> float:
    """Return a float as a cell holds it: infinity has no number there."""
    return value if math.isfinite(value) else 0.0 if math.isnan(value) else math.copysign(INFINITE, value)


def number_format(printed: Printed, value: float, among: Array, digits: int) -> str:
    """Return the number format that shows the printed digits, or more where the program would round otherwise."""
    count = decimals(printed)
    mantissa, scientific, _ = printed.text.partition("e")
    if printed.vanishes:
        form = "0.0E+00"
    elif count is not None:
        is_same = not math.isfinite(value) or _half_up(value, count) == Decimal(printed.text)
        form = _fixed(count if is_same else _all_decimals(value, digits))
    elif scientific:
        form = f"{_fixed(len(mantissa.partition('.')[2]))}E+00"
    else:
        form = _fixed(_all_decimals(value, digits))
    form += "" if printed.proven else '"?"'
    return f"{SHOWS_INFINITY}{form}" if np.isinf(among).any() else form


def _fixed(count: int) -> str:
    return f"0.{'0' * count}" if count else "0"


def _all_decimals(value: float, digits: int) -> int:
    """Return how many decimals a float has, or ``digits`` where these are many."""
    count = -int(Decimal(f"{value:.15g}").normalize().as_tuple().exponent) if math.isfinite(value) else 0
    return max(count, 0) if count <= MOST_DECIMALS else digits


def _half_up(value: float, count: int) -> Decimal:
    """Return a float as spreadsheets round it for show: by its 15 digits, ties away from zero."""
    return Decimal(f"{value:.15g}").quantize(Decimal(1).scaleb(-count), ROUND_HALF_UP)


def write_blocks(book: Book, name: str, title: str, notes: tuple[str, ...], *, blank: bool = False) -> None:
    """Write a sheet of blocks."""
    placed = book.layout.on(name)
    sheet = book.sheet(name, title, notes)
    for column, heading in enumerate(HEADINGS):
        sheet.write_string(HEAD - 1, column, heading, book.style("head"))
    widest = max((one.area.columns for one in placed), default=1)
    widest = max([widest, *(len(line) for one in placed for line in one.parts)])
    for column in range(BEFORE, BEFORE + widest):
        sheet.write_blank(HEAD - 1, column, None, book.style("head"))
    texts = [max((len(one.block.key) for one in placed), default=0), *(len(one.block.formula) for one in placed)]
    for column, width in enumerate((max(12, texts[0] + 2), min(50, max([12, *texts[1:]])), *WIDTHS)):
        sheet.set_column(column, column, width)
    sheet.set_column(BEFORE, BEFORE + widest - 1, NUMBER_WIDTH)
    sheet.freeze_panes(HEAD, 1)
    sheet.repeat_rows(0, HEAD - 1)
    end = max((one.end for one in placed), default=HEAD)
    sheet.print_area(0, 0, end, BEFORE + widest - 1)
    for one in placed:
        _write_block(book, sheet, one, blank=blank)
        if not blank:
            _write_parts(book, sheet, one)


def _write_block(book: Book, sheet: Any, placed: Placed, *, blank: bool) -> None:
    block, top = placed.block, placed.area.first.row
    lead = 1 if len(block.shape) > 1 else 0
    sheet.write_string(top - lead, 0, block.key, book.style("name"))
    sheet.write_string(
        top - lead, 1, block.formula or plain(block.about), book.style("formula" if block.formula else "note")
    )
    sheet.write_string(top - lead, 2, block.size_text, book.style("note"))
    if lead:
        for column in range(placed.area.columns):
            sheet.write_number(top - 1, BEFORE + column, column, book.style("index"))
        for row in range(placed.area.rows):
            sheet.write_string(top + row, BEFORE - 1, block.row_label(row), book.style("index"))
    digits = book.exported.microscope.display(block.key).digits
    text = _whole(book, placed) if book.arrays and not blank else None
    if text:
        form = number_format(block.printed.item(0), float(block.values.item(0)), block.values, digits)
        last = placed.address(placed.area.rows - 1, placed.area.columns - 1)
        corners = (placed.area.first.row, placed.area.first.column, last.row, last.column)
        value = cell_value(float(block.values.item(0)))
        sheet.write_array_formula(*corners, f"{{={text}}}", book.style("number", form), value)
    for (row, column), scalar in np.ndenumerate(block.scalars):
        address, value = placed.address(row, column), float(block.values[row, column])
        printed: Printed = block.printed.item(row, column)
        form = number_format(printed, value, block.values, digits)
        if blank and block.role in ("computed", "gradient") and scalar.function != "constant":
            _write_blank(book, sheet, address, printed, value, form)
            continue
        flat = row * placed.area.columns + column
        formula, style = (None, "number") if text else _content(book, block, address, scalar, flat)
        if text and flat == 0:
            continue
        book.write(sheet, address, formula, value, book.style(style, form))
    book.book.define_name(book.names[block.key], f"={_absolute(placed.area)}")


def _whole(book: Book, placed: Placed) -> str | None:
    """Return the formula of all cells of a block together, or ``None`` where they have none."""
    for (row, column), scalar in np.ndenumerate(placed.block.scalars):
        is_own = book.layout.cells.get(scalar) == placed.address(row, column)
        if not is_own or scalar.function in ("given", "kept", "constant"):
            return None
    text = array_formula(Writer(placed.block.sheet, book.layout.cells), placed.block.scalars)
    return text if text and len(text) < LONGEST_FORMULA else None


def plain(text: str) -> str:
    """Return words with math as plain text: the letters of the math.

    >>> plain(r"The state $h_{t-1}$ and $\\hat{y}$")
    'The state h_t-1 and y'
    """
    return re.sub(r"\\[A-Za-z]+(?=\{)|[\\${}]", "", text)


def _content(book: Book, block: Block, address: Address, scalar: Scalar, flat: int) -> tuple[str | None, str]:
    """Return the formula of an element's cell, or ``None`` for a number, and its style."""
    if scalar.function == "constant":
        return None, "number"
    if scalar.function == "given" and block.is_given:
        printed: Printed = block.printed.item(flat)
        return _quotient(printed), "fixed" if flat in block.fixed else "given"
    formula = book.own_formula(scalar, address)
    if formula is None:
        book.valued.setdefault(block.key, "what training keeps" if scalar.function == "kept" else "too long")
    return formula, "number" if formula else "value"


def _absolute(area: Area) -> str:
    first = area.first
    corners = [(first.row, first.column), (first.row + area.rows - 1, first.column + area.columns - 1)]
    texts = [xlsxwriter.utility.xl_rowcol_to_cell(*corner, row_abs=True, col_abs=True) for corner in corners]
    return f"{first.sheet}!{':'.join(dict.fromkeys(texts))}"


def _quotient(printed: Printed) -> str | None:
    """Return the formula of a given quotient, such as 1/3."""
    above, slash, below = printed.text.partition("/")
    return f"={printed.text}" if slash and max(len(above), len(below)) < 10 else None


def _write_blank(book: Book, sheet: Any, address: Address, printed: Printed, value: float, form: str) -> None:
    """Write an empty cell that turns green at the right number, and yellow at one with another last digit."""
    sheet.write_blank(address.row, address.column, None, book.style("answer", form))
    count = decimals(printed)
    unit = 10.0**-count if count is not None else max(abs(value), 1e-300) * 1e-3
    cell = address.write(address.sheet)
    for style, reach in (("right", 0.51), ("near", 1.51)):
        criteria = f"=AND(ISNUMBER({cell}),ABS({cell}-({cell_value(value)!r}))<={reach * unit:.3g})"
        options = {"type": "formula", "criteria": criteria, "format": book.style(style), "stop_if_true": True}
        sheet.conditional_format(address.row, address.column, address.row, address.column, options)


def _write_parts(book: Book, sheet: Any, placed: Placed) -> None:
    for row, line in enumerate(placed.parts):
        first = placed.part(row, 0)
        if row == 0:
            sheet.write_string(first.row, 0, f"parts of {placed.block.key}", book.style("part"))
        sheet.write_string(first.row, 1, ", ".join(scalar.function for scalar in line), book.style("part"))
        for scalar in line:
            _write_part(book, sheet, scalar)


def _write_part(book: Book, sheet: Any, scalar: Scalar) -> None:
    address = book.layout.cells[scalar]
    value, formula = book.layout.values[scalar], book.own_formula(scalar, address)
    book.write(sheet, address, formula, value, book.style("part", "0.0000"))


def write_rest(book: Book, title: str) -> None:
    """Write the sheet of parts that tables and equalities share."""
    sheet = book.sheet(PARTS, f"{title}: parts", ("Parts of formulas on the sheets Tables and Check.",))
    for scalar in book.layout.rest:
        _write_part(book, sheet, scalar)
