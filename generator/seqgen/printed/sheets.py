"""What a page shows: each table and each derivation as a sheet of printed numbers.

The pages themselves are printed by the same functions, so that a sheet can't differ from what stands there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from seqgen.errors import Span
from seqgen.graph.node import Node
from seqgen.language.rows import row_positions
from seqgen.ledger.display import Printed
from seqgen.ledger.proof import written
from seqgen.microscope import Microscope
from seqgen.readings.arrays import Array
from seqgen.readings.formula import Formulas
from seqgen.spec.model import Display, Table, Worked

# What an index may follow without parentheses: a name with indices, or a gradient
NAMED = re.compile(r"[\w.]+(\[[^]]*\])*|grad\([^()]*\)(\[[^]]*\])*")
AS_WRITTEN = Display(form="as-written")


def display_for(microscope: Microscope, node: Node, display: Display | None = None) -> Display:
    """Return how a node is printed: by ``display``, or by the one that fits best."""
    return display or microscope.display_of(node)


def printed(microscope: Microscope, node: Node, display: Display | None = None) -> Array:
    """Return a node's printed numbers: a position as it is, else by ``display`` or by the one that fits best."""
    if node.number is not None and node.number.denominator == 1:
        result = np.empty((), dtype=object)
        result[()] = Printed(text=str(node.number), exact=True)
        return result
    return microscope.prover.printed(node, display_for(microscope, node, display))


def put_in(microscope: Microscope, node: Node, digits: int | None = None) -> Array:
    """Return the numbers that a derivation puts in for ``node``: as the spec writes them where it does."""
    display = AS_WRITTEN if written(node) is not None else with_digits(display_for(microscope, node), digits)
    return printed(microscope, node, display)


def with_digits(display: Display, digits: int | None) -> Display:
    """Return ``display`` with another number of digits, where it has one."""
    if digits is None or display.form in ("as-written", "exact"):
        return display
    return replace(display, digits=digits)


@dataclass(frozen=True, eq=False, kw_only=True)
class Shown:
    """A node with the numbers printed for it, and the place in the spec that asks for them."""

    node: Node
    label: str
    printed: Array
    display: Display
    span: Span | None

    def name(self, place: tuple[int, ...]) -> str:
        """Return the name of one number."""
        base = self.label if NAMED.fullmatch(self.label) or not place else f"({self.label})"
        return base + "".join(f"[{i}]" for i in place)


@dataclass(kw_only=True)
class Sheet:
    """A table or a derivation: its title, what is shown in it, and what stands in it for a node.

    ``numbers`` holds, for a named array, what is printed of its elements (``None`` where an element is not shown);
    ``expressions``, by their structure, the printed numbers of what has no name. In a derivation ``everything`` that
    a formula names has its numbers put in.
    """

    microscope: Microscope
    title: str
    everything: bool
    digits: int | None = None
    shown: list[Shown] = field(default_factory=list)
    numbers: dict[Node, Array] = field(default_factory=dict)
    expressions: dict[int, Array] = field(default_factory=dict)
    structure: Structure = field(init=False)

    def __post_init__(self) -> None:
        self.structure = Structure(self.microscope)

    def add(self, shown: Shown) -> None:
        """Note what is shown; a number that is shown twice keeps its first form."""
        self.shown.append(shown)
        base, places = element_places(self.microscope, shown.node)
        if base is None:
            self.expressions.setdefault(self.structure.of(shown.node), shown.printed)
            return
        if base not in self.numbers:
            self.numbers[base] = np.full(base.shape, None, dtype=object)
        known = self.numbers[base].reshape(-1)
        for place, number in zip(places.flat, shown.printed.flat, strict=True):
            if known[place] is None:
                known[place] = number
        self.numbers[base] = known.reshape(base.shape)

    def read(self, node: Node) -> Array | None:
        """Return the numbers that a reader takes for ``node`` (``None`` for those not shown), or nothing."""
        if node in self.microscope.graph.names:
            given = written(node) is not None
            if self.everything or (given and node not in self.numbers):
                return put_in(self.microscope, node, self.digits)
            hidden: Array = np.full(node.shape, None, dtype=object)
            numbers = self.numbers.get(node, hidden)
            return _filled(numbers, put_in(self.microscope, node)) if given else numbers
        return self.expressions.get(self.structure.of(node)) if self.expressions else None


def _filled(numbers: Array, otherwise: Array) -> Array:
    """Return ``numbers``, with those of ``otherwise`` where there is none."""
    result = np.empty(numbers.shape, dtype=object)
    for place, number in np.ndenumerate(numbers):
        result[place] = otherwise[place] if number is None else number
    return result


@dataclass(kw_only=True, init=False)
class Structure:
    """Numbers expressions by their structure, so that two that are written alike are known to be the same."""

    def __init__(self, microscope: Microscope) -> None:
        self._names = microscope.graph.names
        self._keys: dict[Any, int] = {}
        self._known: dict[Node, int] = {}

    def of(self, node: Node) -> int:
        """Return the number of an expression's structure; a named node is only like itself."""
        stack = [node]
        while stack:
            top = stack[-1]
            missing = [] if top in self._names else [i for i in top.inputs if i not in self._known]
            if top in self._known or not missing:
                stack.pop()
                self._known.setdefault(top, self._number(top))
            else:
                stack.extend(missing)
        return self._known[node]

    def _number(self, node: Node) -> int:
        if node in self._names:
            key: Any = node
        else:
            parameters = repr(sorted(node.parameters.items(), key=lambda item: item[0]))
            key = (node.operation.name, node.shape, parameters, *(self._known[i] for i in node.inputs))
        return self._keys.setdefault(key, len(self._keys))


def element_places(microscope: Microscope, node: Node) -> tuple[Node | None, Array]:
    """Return the named array that ``node`` is, or is a part of, and the flat places of its elements in that."""
    keys = []
    while node not in microscope.graph.names and node.operation.name == "index":
        keys.append(node.parameters["key"])
        (node,) = node.inputs
    if node not in microscope.graph.names:
        return None, np.empty(0, dtype=int)
    places: Array = np.arange(node.size).reshape(node.shape)
    for key in reversed(keys):
        places = np.asarray(places[key])
    return node, places


def table_sheet(microscope: Microscope, table: Table, digits: int | None = None) -> Sheet:
    """Return what a table shows, printed with ``digits`` where that is given."""
    sheet = Sheet(microscope=microscope, title=f"table {table.name}", everything=False, digits=digits)
    for statics in row_positions(table.rows, microscope.graph):
        for column in table.columns:
            node = microscope.cell(column.cell, statics)
            if isinstance(node, Node) and node.number is None:
                display = with_digits(display_for(microscope, node, column.display or table.display), digits)
                sheet.add(_shown(microscope, node, printed(microscope, node, display), display, column.cell.span))
    return sheet


def worked_sheet(microscope: Microscope, worked: Worked, digits: int | None = None) -> Sheet:
    """Return what a derivation shows, printed with ``digits`` where that is given."""
    sheet = Sheet(microscope=microscope, title=f"derivation {worked.name}", everything=True, digits=digits)
    for line in worked.lines:
        value, node = microscope.node(line.reference), microscope.node(line.shown)
        display = with_digits(display_for(microscope, value), digits)
        shown = _shown(microscope, node, put_in(microscope, value, digits), display, line.shown.span)
        sheet.add(replace(shown, label=line.reference.text) if line.formula else shown)
    return sheet


def displayed(microscope: Microscope) -> Iterator[Shown]:
    """Yield every computed number with its display: entries and gradients, then cells that are printed otherwise."""
    graph = microscope.graph
    for entry in [*graph.entries.values(), *(gradient.entry for gradient in microscope.gradients)]:
        if entry.role in ("computed", "gradient"):
            display = microscope.display(entry.key)
            numbers = microscope.prover.printed(entry.node, display)
            yield Shown(node=entry.node, label=entry.key, printed=numbers, display=display, span=entry.span)
    for table in microscope.spec.tables.values():
        for shown in table_sheet(microscope, table).shown:
            named = element_places(microscope, shown.node)[0] is not None
            if not named or shown.display != microscope.display_of(shown.node):
                yield shown


def _shown(microscope: Microscope, node: Node, numbers: Array, display: Display, span: Span | None) -> Shown:
    names = microscope.graph.names
    label = names[node] if node in names else Formulas(names=names, latex=False).definition(node)
    return Shown(node=node, label=label, printed=numbers, display=display, span=span)


def value_of(number: Printed) -> Fraction | None:
    """Return the number that printed digits stand for; nothing for a form such as ``sqrt(2)`` or an infinity."""
    try:
        return number.value
    except ValueError:
        return None
