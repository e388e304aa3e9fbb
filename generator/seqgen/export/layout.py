"""Where each number stands in a spreadsheet: elements of blocks, and what several formulas share, have cells."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from seqgen.export.blocks import BACKWARD, FORWARD, Block
from seqgen.export.formulas import Address, Area
from seqgen.readings.arrays import Array
from seqgen.readings.float64 import COMPARE, Float64
from seqgen.readings.traced import Scalar, ordered

# Rows above the first block, and columns before its numbers: name, formula, shape, index of the row.
HEAD, BEFORE = 4, 4
# A part of a formula that is used more than once has a cell of its own from this many operations on.
SHARED = 4
# A formula has at most so many operations, and functions so deep in each other: Excel takes 8192 characters and 64.
LONGEST, DEEPEST = 1000, 16
# A row of shared parts is broken after so many.
WIDEST = 24
PARTS = "Parts"


@dataclass(frozen=True, eq=False, kw_only=True)
class Placed:
    """A block in its place, with the rows of shared parts below it."""

    block: Block
    area: Area
    parts: tuple[tuple[Scalar, ...], ...] = ()

    @property
    def end(self) -> int:
        """The first row below."""
        return self.area.first.row + self.area.rows + len(self.parts)

    def address(self, row: int, column: int) -> Address:
        """Return the cell of one of its numbers."""
        first = self.area.first
        return Address(first.sheet, first.row + row, first.column + column)

    def part(self, row: int, column: int) -> Address:
        """Return the cell of a shared part."""
        first = self.area.first
        return Address(first.sheet, first.row + self.area.rows + row, first.column + column)


@dataclass(kw_only=True)
class Layout:
    """Blocks in their places; ``cells`` gives a scalar's cell, ``values`` its float64.

    ``rest`` are shared parts of what no block needs, on the sheet `PARTS`.
    """

    placed: list[Placed] = field(default_factory=list)
    rest: list[Scalar] = field(default_factory=list)
    cells: dict[Scalar, Address] = field(default_factory=dict)
    values: dict[Scalar, float] = field(default_factory=dict)

    def on(self, sheet: str) -> list[Placed]:
        """Return the blocks of a sheet, from the top."""
        return [one for one in self.placed if one.block.sheet == sheet]


def lay_out(blocks: Sequence[Block], more: Sequence[Scalar], known: Mapping[Scalar, float]) -> Layout:
    """Return the layout of ``blocks``; ``known`` are values that no formula gives, ``more`` what else is written."""
    layout = Layout()
    roots = [scalar for block in blocks for scalar in block.scalars.flat]
    order = ordered([*roots, *more])
    layout.values = _values(order, {**known, **_given(blocks)})
    named = set(roots)
    shared = _shared(order, [*roots, *more], named)
    waiting = {scalar for scalar in order if scalar in shared}
    for sheet in dict.fromkeys([FORWARD, BACKWARD, *(block.sheet for block in blocks)]):
        row = HEAD
        for block in (block for block in blocks if block.sheet == sheet):
            parts = _parts(block, named, waiting)
            rows, columns = block.scalars.shape
            lead = 1 if len(block.shape) > 1 else 0  # a line with the columns' indices
            placed = Placed(block=block, area=Area(Address(sheet, row + lead, BEFORE), rows, columns), parts=parts)
            layout.placed.append(placed)
            _enter(layout, placed)
            row = placed.end + (1 if lead or parts else 0)
    layout.rest = [scalar for scalar in order if scalar in waiting]
    for place, scalar in enumerate(layout.rest):
        layout.cells[scalar] = Address(PARTS, HEAD + place // WIDEST, place % WIDEST)
    return layout


def _enter(layout: Layout, placed: Placed) -> None:
    for (row, column), scalar in np.ndenumerate(placed.block.scalars):
        if scalar.function != "constant":
            layout.cells.setdefault(scalar, placed.address(row, column))
    for row, line in enumerate(placed.parts):
        for column, scalar in enumerate(line):
            layout.cells[scalar] = placed.part(row, column)


def _shared(order: Sequence[Scalar], roots: Sequence[Scalar], named: set[Scalar]) -> set[Scalar]:
    """Return what has a cell besides the named elements: parts used more than once, and those that are long."""
    uses: dict[Scalar, int] = {}
    for scalar in order:
        for operand in scalar.operands:
            uses[operand] = uses.get(operand, 0) + 1
    for root in roots:
        uses[root] = uses.get(root, 0) + 1
    sizes: dict[Scalar, tuple[int, int]] = {}
    shared = set()
    for scalar in order:
        if scalar.function in ("constant", "given") or scalar in named:
            sizes[scalar] = (1, 0)
            continue
        if scalar.function == "kept":
            sizes[scalar] = (1, 0)
            shared.add(scalar)
            continue
        size = 1 + sum(sizes[o][0] for o in scalar.operands)
        is_chain = scalar.function in ("add", "subtract")
        depth = max(sizes[o][1] + (not (is_chain and k == 0)) for k, o in enumerate(scalar.operands))
        if (uses[scalar] > 1 and size >= SHARED) or size > LONGEST or depth > DEEPEST:
            shared.add(scalar)
            size, depth = 1, 0
        sizes[scalar] = (size, depth)
    return shared


def _parts(block: Block, named: set[Scalar], waiting: set[Scalar]) -> tuple[tuple[Scalar, ...], ...]:
    """Return the shared parts that a block is the first to need, by the row that needs them; they wait no more."""
    lines = []
    for row in block.scalars:
        found = [s for s in _inside(row, named) if s in waiting]
        waiting.difference_update(found)
        lines += [tuple(found[k : k + WIDEST]) for k in range(0, len(found), WIDEST)]
    return tuple(lines)


def _inside(row: Array, named: set[Scalar]) -> Iterator[Scalar]:
    """Yield what the formulas of a row are made of, down to named elements, operands first."""
    seen: set[Scalar] = set()
    stack = [(scalar, False) for scalar in reversed(row)]
    while stack:
        scalar, ready = stack.pop()
        if ready:
            yield scalar
        elif scalar not in seen:
            seen.add(scalar)
            stack.append((scalar, True))
            if scalar.function != "kept":
                inner = (o for o in reversed(scalar.operands) if o not in named and o not in seen)
                stack.extend((operand, False) for operand in inner)


def _given(blocks: Sequence[Block]) -> dict[Scalar, float]:
    return {
        scalar: float(value)
        for block in blocks
        for scalar, value in zip(block.scalars.flat, block.values.flat, strict=True)
        if scalar.function in ("given", "kept")
    }


ARITHMETIC: dict[str, Any] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "negative": operator.neg,
    "abs": abs,
    "max": max,
    "min": min,
    "argmax": lambda *xs: float(xs.index(max(xs))),
    "where": lambda condition, x, y: x if condition != 0 else y,
    **{name: lambda x, y, holds=holds: float(holds(x, y)) for name, holds in COMPARE.items()},
}


def _values(order: Sequence[Scalar], known: Mapping[Scalar, float]) -> dict[Scalar, float]:
    """Return the float64s of scalars, as a reader's program computes them."""
    domain, values = Float64(), dict(known)
    with np.errstate(all="ignore"):
        for scalar in order:
            if scalar in values:
                continue
            operands = [np.float64(values[o]) for o in scalar.operands]
            if scalar.function == "constant":
                values[scalar] = domain.scalar(scalar.text)
            else:
                function = ARITHMETIC.get(scalar.function) or getattr(domain, scalar.function)
                values[scalar] = float(function(*operands))
    return values
