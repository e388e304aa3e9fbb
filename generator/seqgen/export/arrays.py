"""Formulas of whole arrays: what every cell of a block computes alike, written once over ranges.

Nothing is known here of operations: the elements of a block are compared with each other. Where all are the same
function of cells, and each of these moves over the sheet with the row and the column or stands still, the cells become
a range, and a sum of products over a range of rows and one of columns becomes a product of matrices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from seqgen.export.formulas import ATOM, POWER, PRODUCT, SIGNS, SUM, Address, Area, Writer, number
from seqgen.readings.arrays import Array
from seqgen.readings.traced import Scalar


class NoArray(Exception):
    """Elements that are not alike, or have no formula over ranges."""


@dataclass(frozen=True)
class ArrayWriter:
    """Writes what the scalars of a block have in common; ``writer`` knows the cells of all others."""

    writer: Writer

    def formula(self, scalars: Array) -> str:
        """Return the formula, without its equality sign, whose array is ``scalars``, of two axes.

        Raises:
            NoArray: where there is none.
        """
        return self._made(scalars)[0]

    def _write(self, scalars: Array, at_least: int = SUM) -> str:
        text, binding = self._phrase(scalars)
        return text if binding >= at_least else f"({text})"

    def _phrase(self, scalars: Array) -> tuple[str, int]:
        cells = self._cells(scalars)
        if cells is None:
            return self._made(scalars)
        text = _range(cells, self.writer.sheet)
        if text is None:
            raise NoArray
        return text, ATOM

    def _cells(self, scalars: Array) -> Array | None:
        """Return the cells of scalars that all have one; ``None`` where none has."""
        found: Any = np.frompyfunc(self.writer.cells.get, 1, 1)(scalars)
        known = [cell is not None for cell in found.flat]
        if any(known) and not all(known):
            raise NoArray
        cells: Array | None = found if all(known) else None
        return cells

    def _made(self, scalars: Array) -> tuple[str, int]:
        first: Scalar = scalars[0, 0]
        kind = (first.function, first.text, len(first.operands))
        if any((s.function, s.text, len(s.operands)) != kind for s in scalars.flat):
            raise NoArray
        match first.function:
            case "constant":
                return number(first.text)
            case "add" | "subtract":
                return self._sum(scalars)
            case "multiply" | "divide":
                left, right = self._operands(scalars)
                sign = "*" if first.function == "multiply" else "/"
                return f"{self._write(left, PRODUCT)}{sign}{self._write(right, POWER)}", PRODUCT
            case "power":
                left, right = self._operands(scalars)
                return f"{self._write(left, ATOM)}^{self._write(right, ATOM)}", POWER
            case "negative":
                return f"-{self._write(self._operands(scalars)[0], ATOM)}", SUM
            case "where":
                condition, x, y = self._operands(scalars)
                return f"IF({self._condition(condition)},{self._write(x)},{self._write(y)})", ATOM
            case function if function in SIGNS:
                return f"IF({self._comparison(scalars)},1,0)", ATOM
        return self._function(scalars, first)

    def _function(self, scalars: Array, first: Scalar) -> tuple[str, int]:
        """Return a function of one array; one of several cells, as MAX, is the same for the whole block or nothing."""
        if len(first.operands) == 1:
            (inner,) = self._operands(scalars)
            return self.writer.call(first.function, self._write(inner)), ATOM
        if all(s.operands == first.operands for s in scalars.flat):
            return self.writer.formula(first), ATOM
        raise NoArray

    def _operands(self, scalars: Array) -> list[Array]:
        return [_each(scalars, k) for k in range(len(scalars[0, 0].operands))]

    def _condition(self, scalars: Array) -> str:
        first: Scalar = scalars[0, 0]
        is_inside = first.function in SIGNS and self._cells(scalars) is None
        return self._comparison(scalars) if is_inside else f"{self._write(scalars)}<>0"

    def _comparison(self, scalars: Array) -> str:
        first: Scalar = scalars[0, 0]
        return SIGNS[first.function].join(map(self._write, self._operands(scalars)))

    def _sum(self, scalars: Array) -> tuple[str, int]:
        """Return a sum: of products over ranges as a product of matrices or SUMPRODUCT, else term by term."""
        parts: list[tuple[bool, Array]] = []
        rest = scalars
        while rest[0, 0].function in ("add", "subtract") and (rest is scalars or self._cells(rest) is None):
            minus = rest[0, 0].function == "subtract"
            if any(s.function != rest[0, 0].function for s in rest.flat):
                raise NoArray
            left, right = self._operands(rest)
            parts.append((minus, right))
            rest = left
        parts.append((False, rest))
        parts.reverse()
        count = next((k for k, (minus, _) in enumerate(parts) if minus), len(parts))
        products = next((k for k, (_, part) in enumerate(parts[:count]) if not self._is_product(part)), count)
        for size in dict.fromkeys((count, products)):
            text = self._together([part for _, part in parts[:size]]) if size > 1 else None
            if text is not None:
                head, parts = text, parts[size:]
                break
        else:
            head, parts = self._write(parts[0][1]), parts[1:]
        for minus, part in parts:
            head += f"{'-' if minus else '+'}{self._write(part, PRODUCT)}"
        return head, SUM if parts else ATOM

    def _is_product(self, scalars: Array) -> bool:
        return scalars[0, 0].function == "multiply" and scalars[0, 0] not in self.writer.cells

    def _together(self, terms: Sequence[Array]) -> str | None:
        """Return one formula of alike terms, or ``None``."""
        if terms[0].size == 1:
            line = np.array([term[0, 0] for term in terms], dtype=object)
            text = self._sumproduct(line)
            if text is not None:
                return text
        if not all(map(self._is_product, terms)):
            return None
        factors = [[self._known(_each(term, k)) for term in terms] for k in (0, 1)]
        a, b = ([cells for cells in side if cells is not None] for side in factors)
        if len(a) != len(terms) or len(b) != len(terms):
            return None
        return _product(a, b, self.writer.sheet) or _product(b, a, self.writer.sheet)

    def _sumproduct(self, line: Array) -> str | None:
        """Return the sum of terms that are alike over ranges of one shape, or ``None``."""
        if any(scalar in self.writer.cells for scalar in line):
            return None
        for columns in (k for k in range(1, len(line) + 1) if len(line) % k == 0):
            try:
                inner = self.formula(line.reshape(-1, columns))
            except NoArray:
                continue
            if ":" in inner and not any(name in inner for name in ("IF(", "TRANSPOSE(", "MMULT(", "SUMPRODUCT(")):
                return f"SUMPRODUCT({inner})"
        return None

    def _known(self, scalars: Array) -> Array | None:
        found: Any = np.frompyfunc(self.writer.cells.get, 1, 1)(scalars)
        return None if any(cell is None for cell in found.flat) else found


def _each(scalars: Array, k: int) -> Array:
    result: Array = np.frompyfunc(lambda scalar: scalar.operands[k], 1, 1)(scalars)
    return result


def _step(cells: Array) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return how far a cell moves with the row and with the column, in rows and columns; ``None`` where it jumps."""
    first: Address = cells[0, 0]
    down = (cells[1, 0].row - first.row, cells[1, 0].column - first.column) if cells.shape[0] > 1 else (0, 0)
    right = (cells[0, 1].row - first.row, cells[0, 1].column - first.column) if cells.shape[1] > 1 else (0, 0)
    for (i, j), cell in np.ndenumerate(cells):
        place = (first.row + i * down[0] + j * right[0], first.column + i * down[1] + j * right[1])
        if cell.sheet != first.sheet or (cell.row, cell.column) != place:
            return None
    return down, right


def _range(cells: Array, sheet: str) -> str | None:
    """Return the range that cells of a block fill: as they lie, transposed, or spread from a row or a column."""
    step, first, (rows, columns) = _step(cells), cells[0, 0], cells.shape
    if step is None:
        return None
    down, right = step
    if down in ((1, 0), (0, 0)) and right in ((0, 1), (0, 0)):
        return Area(first, rows if down[0] else 1, columns if right[1] else 1).write(sheet)
    if down in ((0, 1), (0, 0)) and right in ((1, 0), (0, 0)):
        return f"TRANSPOSE({Area(first, columns if right[0] else 1, rows if down[1] else 1).write(sheet)})"
    return None


def _product(a: Sequence[Array], b: Sequence[Array], sheet: str) -> str | None:
    """Return the product of matrices that sums a_k b_k: a moves with the row and k, b with the column and k."""
    rows, columns = a[0].shape
    left = np.array([[cells[i, 0] for cells in a] for i in range(rows)], dtype=object)
    right = np.array([[cells[0, j] for j in range(columns)] for cells in b], dtype=object)
    for i, j in np.ndindex(rows, columns):
        if any(cells[i, j] != cells[i, 0] for cells in a) or any(cells[i, j] != cells[0, j] for cells in b):
            return None
    texts = [_full(part, sheet) for part in (left, right)]
    return None if None in texts else f"MMULT({texts[0]},{texts[1]})"


def _full(cells: Array, sheet: str) -> str | None:
    """Return the range of cells that are all different, as they lie or transposed."""
    return _range(cells, sheet) if len({*cells.flat}) == cells.size else None


def array_formula(writer: Writer, scalars: Array) -> str | None:
    """Return one formula for a block of scalars, of two axes, or ``None`` where its cells are not alike."""
    try:
        text = ArrayWriter(writer).formula(scalars)
    except NoArray:
        return None
    return text if scalars.size > 1 or "SUMPRODUCT(" in text or "MMULT(" in text else None
