"""What a reader sees of each value in a table or a derivation, so that results can be recomputed from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from seqgen.graph.node import Node
from seqgen.ledger.display import Printed
from seqgen.ledger.proof import written
from seqgen.microscope import Microscope
from seqgen.readings.arrays import Array
from seqgen.shown.model import Model, Shown
from seqgen.spec.model import Table, Worked


@dataclass(kw_only=True)
class Sheet:
    """The numbers of a table or a derivation: what is shown in it, and what stands in it for a node.

    ``numbers`` holds, for a named array, what is printed of its elements (``None`` where an element is not shown);
    ``expressions``, by their structure, the printed numbers of what has no name. In a derivation ``everything`` that
    a formula names has its numbers put in.
    """

    model: Model
    everything: bool
    shown: list[Shown] = field(default_factory=list)
    numbers: dict[Node, Array] = field(default_factory=dict)
    expressions: dict[int, Array] = field(default_factory=dict)
    microscope: Microscope = field(init=False)
    structure: Structure = field(init=False)

    def __post_init__(self) -> None:
        self.microscope = self.model.microscope
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
                return self.model.put_in(node).printed
            hidden: Array = np.full(node.shape, None, dtype=object)
            numbers = self.numbers.get(node, hidden)
            return _filled(numbers, self.model.put_in(node).printed) if given else numbers
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


def table_sheet(model: Model, table: Table) -> Sheet:
    """Return what a table shows."""
    sheet = Sheet(model=model, everything=False)
    for shown in model.table(table).values:
        sheet.add(shown)
    return sheet


def worked_sheet(model: Model, worked: Worked) -> Sheet:
    """Return what a derivation shows."""
    sheet = Sheet(model=model, everything=True)
    for line in model.derivation(worked).lines:
        sheet.add(line.step)
    return sheet


def displayed(microscope: Microscope) -> Iterator[Shown]:
    """Yield every computed number with its display: entries and gradients, then cells that are printed otherwise."""
    model = Model(microscope=microscope)
    yield from (value.shown for value in model.values() if value.entry.role in ("computed", "gradient"))
    for table in microscope.spec.tables.values():
        for shown in model.table(table).values:
            named = element_places(microscope, shown.node)[0] is not None
            if not named or shown.display != microscope.display_of(shown.node):
                yield shown


def value_of(number: Printed) -> Fraction | None:
    """Return the number that printed digits stand for; nothing for a form such as ``sqrt(2)`` or an infinity."""
    try:
        return number.value
    except ValueError:
        return None
