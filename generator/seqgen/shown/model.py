"""What pages show, independent of any medium: numbers, tables and derivations as data.

A writer of a medium reads this, and so does the check that printed steps add up: what is written and what is checked
can't differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from seqgen.errors import Span
from seqgen.graph.node import Node
from seqgen.language.bindings import Entry
from seqgen.ledger.display import Printed, shortened
from seqgen.ledger.proof import written
from seqgen.microscope import Microscope
from seqgen.readings.arrays import Array
from seqgen.readings.formula import Formulas
from seqgen.reference import Reference
from seqgen.spec.model import Column, Display, Table, Worked, WorkedLine

AS_WRITTEN = Display(form="as-written")
WHOLE = re.compile(r"-?([0-9]+(\.0*)?|inf)")
# Digits of a number that stands as a power of ten among decimals.
SMALL_DIGITS = 2


@dataclass(frozen=True, eq=False, kw_only=True)
class Shown:
    """A value as it is shown.

    node: the node that it is.
    printed: its printed numbers, an object array of `Printed` in the node's shape.
    display: how they are printed.
    span: the place in the spec that asks for it.
    label: what it is called, where that is not what its node is written as.
    """

    microscope: Microscope
    node: Node
    printed: Array
    display: Display
    span: Span | None = None
    label: str = ""

    @cached_property
    def reference(self) -> str:
        """What it is called in the reference grammar."""
        names = self.microscope.graph.names
        if self.label:
            return self.label
        return names[self.node] if self.node in names else Formulas(names=names, latex=False).definition(self.node)

    @property
    def role(self) -> str:
        """The role of the entry that it is, ``position`` for a whole number such as a row's, else ``expression``."""
        graph = self.microscope.graph
        key = graph.names.get(self.node, "")
        if is_position(self.node):
            return "position"
        return graph.entries[key].role if key in graph.entries else "gradient" if key else "expression"

    @property
    def values(self) -> Array:
        """The float64s nearest to the true values, in the node's shape."""
        return self.microscope.prover.reals(self.node).values

    @property
    def exact(self) -> bool:
        """Whether every printed number is the value itself: the relation is then ``=``, else ``≈``."""
        return is_exact(self.printed)

    @property
    def proven(self) -> bool:
        """Whether every printed digit is proven."""
        return all(number.proven for number in self.printed.flat)

    def name(self, place: tuple[int, ...]) -> str:
        """Return the reference of one of its numbers."""
        return Reference.parse(self.reference).at(*place).write()


Cell = Shown | str


@dataclass(frozen=True, kw_only=True)
class TableModel:
    """A table with its rows: the positions that each sets, and a value or a word a column."""

    table: Table
    rows: tuple[tuple[Mapping[str, int], tuple[Cell, ...]], ...]

    @property
    def columns(self) -> list[tuple[Cell, ...]]:
        """The cells of each column, from the top."""
        return [tuple(cells[place] for _, cells in self.rows) for place in range(len(self.table.columns))]

    @property
    def values(self) -> list[Shown]:
        """The values among the cells, row by row: no words and no positions."""
        return [
            cell for _, cells in self.rows for cell in cells if isinstance(cell, Shown) and cell.node.number is None
        ]


@dataclass(frozen=True, eq=False, kw_only=True)
class Line:
    """A line of a derivation: ``formula`` in symbols, then with numbers put in for its operands, then ``result``."""

    source: WorkedLine
    formula: Node
    result: Shown
    model: Model

    @property
    def is_given(self) -> bool:
        """Whether the spec writes the value itself, so that no formula leads to it."""
        return written(self.formula) is not None

    @property
    def step(self) -> Shown:
        """The result as the value of the line's formula."""
        return replace(self.result, node=self.formula, label=self.source.reference.text if self.source.formula else "")

    def operand(self, node: Node) -> Shown:
        """Return what is put in for an operand of the formula."""
        return self.model.put_in(node)


@dataclass(frozen=True, kw_only=True)
class Derivation:
    """A derivation with its lines."""

    worked: Worked
    lines: tuple[Line, ...]


@dataclass(frozen=True, kw_only=True)
class Value:
    """An entry as a listing shows it."""

    entry: Entry
    shown: Shown


@dataclass(frozen=True, kw_only=True)
class Model:
    """Makes what pages show of a microscope; ``digits`` replaces the number of digits of each display that has one."""

    microscope: Microscope
    digits: int | None = None

    def shown(
        self, node: Node, display: Display | None = None, span: Span | None = None, *, whole: bool = True
    ) -> Shown:
        """Return ``node`` by ``display``, else as the spec prints the entry that it is or is a part of, else naturally.

        Naturally, a position is printed as it is, a given number as the spec writes it, an array of whole numbers as
        such (with ``whole``), and a number that its decimals would print as zero as a power of ten.
        """
        microscope = self.microscope
        declared = display or microscope.declared_display(microscope.key_of(node))
        given = declared is None and written(node) is not None
        chosen = AS_WRITTEN if given else self._with_digits(declared or microscope.display_of(node))
        if is_position(node):
            printed = integer(int(node.number or 0))
        else:
            printed = microscope.prover.printed(node, chosen)
            if declared is None and chosen.form == "decimals":
                printed = self._natural(node, printed, chosen, whole=whole)
        return Shown(microscope=microscope, node=node, printed=printed, display=chosen, span=span)

    def put_in(self, node: Node) -> Shown:
        """Return what a derivation puts in for ``node``: as the spec writes it where it does."""
        return self.shown(node, None if written(node) is None else AS_WRITTEN)

    def _natural(self, node: Node, printed: Array, display: Display, *, whole: bool) -> Array:
        """Return printed decimals, with an array of whole numbers as such and a power of ten for a vanishing number."""
        prover = self.microscope.prover
        if whole and is_whole(prover.printed(self.microscope.whole_of(node), display)):
            return prover.printed(node, replace(display, form="short"))
        if not display.digits or not any(number.vanishes for number in printed.flat):
            return printed
        result: Array = printed.copy()
        powers = prover.printed(node, Display(form="scientific", digits=SMALL_DIGITS))
        for place, number in np.ndenumerate(printed):
            if number.vanishes:
                result[place] = shortened(powers.item(*place))
        return result

    def _with_digits(self, display: Display) -> Display:
        if self.digits is None or display.form in ("as-written", "exact"):
            return display
        return replace(display, digits=self.digits)

    def table(self, table: Table) -> TableModel:
        """Return ``table`` with its rows."""
        rows = self.microscope.rows[table.name]
        columns = [
            self._column(column, [row.cells[place] for row in rows], column.display or table.display)
            for place, column in enumerate(table.columns)
        ]
        cells = zip(*columns, strict=True) if rows else ()
        return TableModel(table=table, rows=tuple((row.positions, line) for row, line in zip(rows, cells, strict=True)))

    def _column(self, column: Column, nodes: Sequence[Node | str], display: Display | None) -> list[Cell]:
        """Return a column's cells: whole numbers as such where all computed ones are, else with as many decimals."""

        def cells(*, whole: bool) -> list[Cell]:
            return [n if isinstance(n, str) else self.shown(n, display, column.cell.span, whole=whole) for n in nodes]

        found = cells(whole=True)
        computed = [cell for cell in found if isinstance(cell, Shown) and written(cell.node) is None]
        return found if all(is_whole(cell.printed) for cell in computed) else cells(whole=False)

    def derivation(self, worked: Worked) -> Derivation:
        """Return ``worked`` with its lines.

        Raises:
            SeqgenError: where a value can't be computed.
        """
        return Derivation(worked=worked, lines=tuple(map(self._line, worked.lines)))

    def _line(self, line: WorkedLine) -> Line:
        value, formula = self.microscope.node(line.reference), self.microscope.node(line.shown)
        result = replace(self.put_in(value), span=line.shown.span)
        return Line(source=line, formula=formula, result=result, model=self)

    def values(self) -> Iterator[Value]:
        """Yield all entries and gradients, in the ledger's order: given ones as the spec writes them."""
        for entry in self.microscope.all_entries():
            shown = self.shown(entry.node, None if written(entry.node) is None else AS_WRITTEN, entry.span)
            yield Value(entry=entry, shown=shown)


def is_position(node: Node) -> bool:
    """Whether ``node`` is a whole number, such as a row's position, which is shown as it is."""
    return node.number is not None and node.number.denominator == 1


def is_whole(printed: Array) -> bool:
    """Whether every number of an array is printed exactly and is whole, or infinite."""
    return all(number.exact and WHOLE.fullmatch(number.text) for number in printed.flat)


def integer(value: int) -> Array:
    """Return a whole number as a printed array of rank 0."""
    result = np.empty((), dtype=object)
    result[()] = Printed(text=str(value), exact=True)
    return result


def is_exact(printed: Array) -> bool:
    """Whether every number of an array is the value itself."""
    return all(number.exact for number in printed.flat)
