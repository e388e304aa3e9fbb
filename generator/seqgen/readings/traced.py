"""The traced reading: every number as an expression of given numbers, for a medium that computes on its own.

An element of an array is a `Scalar`, a function of other scalars. It is recorded while an operation computes, so that
whoever writes scalar functions in another language (JavaScript, a spreadsheet's formulas) needs to know no operation.

The functions, with their operands:

- ``add``, ``subtract``, ``multiply``, ``divide``, ``power`` of two; ``negative``, ``exp``, ``log``, ``sqrt``, ``tanh``,
  ``sin``, ``cos``, ``erf`` and ``abs`` of one;
- ``greater``, ``less``, ``greater_equal``, ``less_equal``, ``equal`` and ``not_equal`` of two: 1 or 0;
- ``where`` of three: the second where the first is not 0, else the third;
- ``max`` and ``min`` of two or more, and ``argmax``: the first position, from 0, of the largest;
- ``constant`` (``text``: a decimal, a quotient such as ``1/3``, ``pi``, ``inf`` or ``-inf``) and ``given`` (``text``:
  the key of an entry, ``place``: the index in it);
- ``kept`` of the state that a loop starts from (``rounds``: the loop, ``place``: a row and a column of what it keeps);
  inside one round, ``state`` (``place``: which number of the state).

Positions are part of the graph, as shapes are: a row chosen by a given integer stays that row, and `Graph.fixed` says
which given integers were read so. A position that is computed, as by an argmax, goes through ``equal`` (a one-hot row)
and moves with the numbers.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from seqgen.graph.node import Node, Shape, ancestors
from seqgen.readings.arrays import Array, NumpyDomain
from seqgen.readings.evaluate import Loop, evaluate


@dataclass(frozen=True, eq=False, slots=True)
class Scalar:
    """A ``function`` of ``operands``; one that is used several times is the same object in each use."""

    function: str
    operands: tuple[Scalar, ...] = ()
    text: str = ""
    place: tuple[int, ...] = ()
    rounds: Rounds | None = None

    def __add__(self, other: Any) -> Any:
        return _with("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return _with("add", as_scalar(other), self)

    def __sub__(self, other: Any) -> Any:
        return _with("subtract", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _with("subtract", as_scalar(other), self)

    def __mul__(self, other: Any) -> Any:
        return _with("multiply", self, other)

    def __rmul__(self, other: Any) -> Any:
        return _with("multiply", as_scalar(other), self)

    def __truediv__(self, other: Any) -> Any:
        return _with("divide", self, other)

    def __neg__(self) -> Scalar:
        return Scalar("negative", (self,))

    @property
    def is_zero(self) -> bool:
        """Whether this is the constant zero, which a sum into zeros starts from."""
        return self.function == "constant" and self.text == "0"


@dataclass(frozen=True, kw_only=True, eq=False)
class Rounds:
    """A loop, by one round of it.

    start: the state before the first round.
    state: what stands for the state inside a round.
    results: the state after the round, as functions of ``state``.
    watched: a number of each round that is kept beside the state before it.
    kept: the rounds whose watched number and state make the rows of what the loop keeps; 0 is before the first.
    """

    start: tuple[Scalar, ...]
    state: tuple[Scalar, ...]
    results: tuple[Scalar, ...]
    watched: Scalar
    kept: tuple[int, ...]

    def unrolled(self, count: int) -> list[tuple[Scalar, tuple[Scalar, ...]]]:
        """Return the watched number and the state of rounds 0 to ``count``, each as functions of the round before."""
        body = ordered([self.watched, *self.results])
        state, rows = self.start, []
        for _ in range(count + 1):
            made = dict(zip(self.state, state, strict=True))
            for scalar in body:
                if scalar not in made:
                    operands = tuple(made[o] for o in scalar.operands)
                    same = operands == scalar.operands
                    made[scalar] = scalar if same else Scalar(scalar.function, operands, scalar.text, scalar.place)
            rows.append((made[self.watched], state))
            state = tuple(made[result] for result in self.results)
        return rows


def as_scalar(value: Scalar | int) -> Scalar:
    """Return ``value`` itself, or the constant."""
    return value if isinstance(value, Scalar) else Scalar("constant", text=str(value))


def _with(function: str, x: Scalar, y: Any) -> Any:
    if isinstance(y, np.ndarray):
        return NotImplemented
    y = as_scalar(y)
    if function == "add" and (x.is_zero or y.is_zero):
        return y if x.is_zero else x
    return Scalar(function, (x, y))


def _function(name: str, count: int) -> Callable[..., Any]:
    """Return the function ``name`` of ``count`` scalars, element by element."""
    return np.frompyfunc(lambda *operands: Scalar(name, tuple(map(as_scalar, operands))), count, 1)  # type: ignore[no-any-return]


class Traced(NumpyDomain):
    """Scalars that record how they are computed; ``leaves`` are the values of given arrays."""

    zero = Scalar("constant", text="0")
    exp, log, sqrt, tanh, sin, cos, erf, absolute = (
        staticmethod(_function(name, 1)) for name in ("exp", "log", "sqrt", "tanh", "sin", "cos", "erf", "abs")
    )
    divide, power, maximum, minimum = (staticmethod(_function(name, 2)) for name in ("divide", "power", "max", "min"))
    where = staticmethod(_function("where", 3))

    def __init__(self, leaves: Mapping[Node, Array]) -> None:
        self.leaves = leaves

    def scalar(self, text: str) -> Scalar:
        """Return the constant."""
        return Scalar("constant", text=text)

    def compare(self, name: str, x: Any, y: Any) -> Any:
        """Return the comparison ``name``, element by element."""
        return _function(name, 2)(x, y)

    def centre(self, x: Array, axis: int) -> tuple[Array, Array]:
        """Return ``x`` less its maximum along ``axis``, and the maximum, kept as an axis of length one."""
        shift = np.expand_dims(_over("max", x, (axis,)), axis)
        return x - shift, shift

    def max(self, x: Array, axes: tuple[int, ...], *, keepdims: bool) -> Any:
        """Return the maximum over ``axes``."""
        return _kept(_over("max", x, axes), axes, keepdims=keepdims)

    def min(self, x: Array, axes: tuple[int, ...], *, keepdims: bool) -> Any:
        """Return the minimum over ``axes``."""
        return _kept(_over("min", x, axes), axes, keepdims=keepdims)

    def argmax(self, x: Array, axis: int) -> Array:
        """Return the first position of the maximum along ``axis``."""
        return _over("argmax", x, (axis,))

    def iterate(self, loop: Loop, values: Sequence[Array]) -> Array:
        """Return what a loop keeps, one row a kept round; the loop itself is recorded by one round."""
        count = itertools.count()
        inside = {node: _made(node.shape, lambda _: Scalar("state", place=(next(count),))) for node in loop.state}
        found = evaluate([loop.watched, *loop.results], self, known={**self.leaves, **inside})
        rounds = Rounds(
            start=_flat(values),
            state=_flat(inside.values()),
            results=_flat(found[node] for node in loop.results),
            watched=found[loop.watched].item(),
            kept=loop.kept,
        )
        shape = (len(loop.kept), 1 + len(rounds.start))
        return _made(shape, lambda place: Scalar("kept", rounds.start, place=place, rounds=rounds))


def _flat(arrays: Iterable[Array]) -> tuple[Scalar, ...]:
    return tuple(scalar for array in arrays for scalar in array.flat)


def _made(shape: Shape, make: Callable[[Shape], Scalar]) -> Array:
    """Return an array of what ``make`` gives for each index."""
    result = np.empty(shape, dtype=object)
    for place in np.ndindex(*shape):
        result[place] = make(place)
    return result


def _over(function: str, x: Array, axes: tuple[int, ...]) -> Array:
    """Return ``function`` of all elements along ``axes``, which the result does not have."""
    rows = np.moveaxis(x, axes, range(-len(axes), 0))
    rows = rows.reshape(*rows.shape[: x.ndim - len(axes)], -1)
    return _made(rows.shape[:-1], lambda place: _reduced(function, tuple(rows[place])))


def _reduced(function: str, operands: tuple[Scalar, ...]) -> Scalar:
    if len(operands) == 1:
        return as_scalar(0) if function == "argmax" else operands[0]
    return Scalar(function, operands)


def _kept(x: Array, axes: tuple[int, ...], *, keepdims: bool) -> Array:
    return np.expand_dims(x, tuple(sorted(axes))) if keepdims else x


def trace(roots: Iterable[Node], names: Mapping[Node, str]) -> dict[Node, Array]:
    """Return the scalars of ``roots`` and of all that they depend on; the given arrays in ``names`` are leaves."""
    roots = list(roots)
    leaves = {
        node: _made(node.shape, partial(_leaf, names[node]))
        for node in ancestors(roots)
        if node.operation.name == "given" and node in names
    }
    return evaluate(roots, Traced(leaves), known=dict(leaves))


def _leaf(key: str, place: Shape) -> Scalar:
    return Scalar("given", text=key, place=place)


def ordered(roots: Iterable[Scalar]) -> list[Scalar]:
    """Return ``roots`` and all that they are functions of, operands first; what a round does inside is left out."""
    order: dict[Scalar, None] = {}
    stack = [(root, False) for root in reversed(list(roots))]
    while stack:
        scalar, ready = stack.pop()
        if ready:
            order[scalar] = None
        elif scalar not in order:
            stack.append((scalar, True))
            stack.extend((operand, False) for operand in reversed(scalar.operands) if operand not in order)
    return list(order)
