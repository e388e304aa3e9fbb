"""Many variants of a spec's given numbers at once, in floating point, and which wishes each meets.

This only chooses what is worth a proof; what is proposed is checked as any spec is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from seqgen.conventions.compare import Conventions, Item, items
from seqgen.errors import SeqgenError
from seqgen.graph.node import Node, ancestors
from seqgen.microscope import Microscope
from seqgen.readings.arrays import Array
from seqgen.readings.evaluate import Undefined, evaluate
from seqgen.readings.float64 import Float64
from seqgen.spec.model import Display

# A number so near to a tie, in units of its last digit, rounds otherwise by any change.
NEAR = 0.02
# A unit is saturated within this part of the range between its limits.
SATURATED = 0.03
HIDDEN = 10  # how many other faults a convention that is not seen counts as much as


class Trial:
    """A spec and its alternatives, opened once, to be evaluated with other given numbers."""

    def __init__(self, conventions: Conventions, within: float, names: Sequence[str]) -> None:
        self.base = conventions.base
        self._within = within
        self._items = list(items(self.base))
        self._others: dict[str, tuple[Microscope, dict[str, Item]]] = {}
        for name in names:
            try:
                other = conventions.open(name)
            except SeqgenError as problem:
                if problem.code == "no-such-convention":
                    raise
                continue  # by it there are no numbers at all, which anybody sees
            self._others[name] = other, {item.reference: item for item in items(other)}
        forward = [e.node for e in self.base.graph.entries.values() if e.role == "computed"]
        self._results = forward
        self._units = [node for node in ancestors(forward) if node.operation.limits]

    def faults(self, arrays: Mapping[str, Array]) -> tuple[Array, Array]:
        """Return for each variant (the first axis of ``arrays``) the number of faults, and of conventions not seen."""
        count = len(next(iter(arrays.values())))
        wanted = [*self._results, *self._units, *(item.node for item in self._items)]
        values = _values(self.base, wanted, arrays, count)
        with np.errstate(all="ignore"):
            return self._faults(values, arrays, count)

    def _faults(
        self, values: Mapping[Node, Array] | None, arrays: Mapping[str, Array], count: int
    ) -> tuple[Array, Array]:
        if values is None:
            return np.full(count, 10**6), np.full(count, len(self._others))
        faults = np.zeros(count, dtype=int)
        for node in self._results:
            row = values[node]
            faults += _number(~(np.abs(row) <= self._within) & ~np.isneginf(row))
        for node in self._units:
            low, high = min(node.operation.limits), max(node.operation.limits)
            for limit in (low, high):
                distance = np.abs(values[node] - limit)
                faults += _number((distance < SATURATED * (high - low)) & (distance > 0))
        for item in self._items:
            if item.display.form == "decimals":
                scaled = values[item.node] * 10.0**item.display.digits
                faults += _number(np.abs(scaled - np.floor(scaled) - 0.5) < NEAR)
        hidden = np.zeros(count, dtype=int)
        for other, found in self._others.values():
            hidden += ~self._seen(values, other, found, arrays, count)
        return faults + HIDDEN * hidden, hidden

    def _seen(
        self,
        values: Mapping[Node, Array],
        other: Microscope,
        found: Mapping[str, Item],
        arrays: Mapping[str, Array],
        count: int,
    ) -> Array:
        """Return which variants print a number otherwise under a convention."""
        theirs = _values(other, [item.node for item in found.values()], arrays, count)
        seen = np.zeros(count, dtype=bool)
        for item in self._items:
            if item.reference in found and theirs is not None:
                mine, its = values[item.node], theirs[found[item.reference].node]
                seen |= _differ(mine, its, item.display).reshape(count, -1).any(1) if mine.shape == its.shape else True
        return seen if theirs is not None else np.ones(count, dtype=bool)


def _values(
    microscope: Microscope, nodes: Sequence[Node], arrays: Mapping[str, Array], count: int
) -> dict[Node, Array] | None:
    """Return the values of ``nodes`` for all variants; None where one has none."""
    replaced = {microscope.graph.entries[key].node: array for key, array in arrays.items()}
    try:
        with np.errstate(all="ignore"):
            found = evaluate(nodes, Float64(), replaced=replaced)
    except Undefined:
        return None
    return {node: _spread(found[node], (count, *node.shape)) for node in nodes}


def _spread(values: Array, shape: tuple[int, ...]) -> Array:
    """Return what does not depend on the variants for each of them."""
    return np.broadcast_to(values, shape) if values.ndim < len(shape) else values


def _number(faults: Array) -> Any:
    return faults.reshape(len(faults), -1).sum(axis=1)


def _differ(x: Array, y: Array, display: Display) -> Array:
    """Return where two numbers are surely printed otherwise."""
    if display.form == "decimals":
        return np.asarray(np.round(x, display.digits) != np.round(y, display.digits))
    return np.asarray(~(np.abs(x - y) <= 10.0**-display.digits * np.abs(x)) & (x != y))
