"""Enclosures with what is known to be equal: which values are a rational, shown by polynomials where no form is short.

Every number is an enclosure with a polynomial in atoms (`polynomials`), or without one where it may not exist. Where
the polynomial is a rational, that takes the place of the enclosure. So zeros are decided that no precision decides,
such as those of a softmax's gradient, however long the closed forms on the way would be.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from flint import arb, fmpq

from seqgen.graph.budget import NODE_COST
from seqgen.graph.node import Node, ancestors, units
from seqgen.readings import ball, polynomials
from seqgen.readings.arrays import Array, NumpyDomain, reduce
from seqgen.readings.ball import Balls
from seqgen.readings.evaluate import Loop, evaluate
from seqgen.readings.polynomials import Polynomial, Ring, Spent

# Products of monomials that may be made for a unit of a spec's size; a number past them is an atom.
WORK_A_UNIT = 128

SIGNS: dict[str, Callable[[Any], bool]] = {
    "greater": lambda x: x > 0,
    "less": lambda x: x < 0,
    "greater_equal": lambda x: x >= 0,
    "less_equal": lambda x: x <= 0,
    "equal": lambda x: x == 0,
    "not_equal": lambda x: x != 0,
}


class Number:
    """An enclosure, and the polynomial of the same number; None where that is not shown to exist."""

    __slots__ = ("ball", "polynomial", "ring")

    def __init__(self, ring: Ring, enclosure: Any, polynomial: Polynomial | None) -> None:
        self.ring, self.ball, self.polynomial = ring, enclosure, polynomial

    def rational(self) -> Any:
        """Return the rational that this number is shown to be, or None."""
        if ball.is_rational(self.ball):
            return self.ball
        try:
            return None if self.polynomial is None else self.ring.rational(self.polynomial)
        except Spent:
            return None

    def __add__(self, other: Any) -> Number:
        other = _number(self.ring, other)
        return _made(self.ring, self.ball + other.ball, "add", (self, other), self.ring.add)

    def __sub__(self, other: Any) -> Number:
        other = _number(self.ring, other)
        return _made(self.ring, self.ball - other.ball, "subtract", (self, other), self.ring.subtract)

    def __rsub__(self, other: Any) -> Number:
        return _number(self.ring, other) - self

    def __mul__(self, other: Any) -> Number:
        other = _number(self.ring, other)
        return _made(self.ring, self.ball * other.ball, "multiply", (self, other), self.ring.multiply)

    def __neg__(self) -> Number:
        return _made(self.ring, -self.ball, "negative", (self,), lambda p: self.ring.scale(fmpq(-1), p))

    __radd__, __rmul__ = __add__, __mul__


def _number(ring: Ring, value: Any) -> Number:
    """Return a number, or a rational as one."""
    if isinstance(value, Number):
        return value
    return Number(ring, fmpq(value), polynomials.constant(value))


def _made(
    ring: Ring, enclosure: Any, name: Hashable, operands: Sequence[Number], rule: Callable[..., Polynomial]
) -> Number:
    """Return a number with the polynomial that ``rule`` makes of those of its operands, if it exists.

    Where the rule gives none for its work, the number is an atom: the same one for the same name and operands.
    """
    if ball.is_rational(enclosure):
        is_long = enclosure.height_bits() > ball.MAX_RATIONAL_BITS
        return Number(ring, arb(enclosure), None) if is_long else _number(ring, enclosure)
    if not enclosure.is_finite():
        return Number(ring, enclosure, None)
    if enclosure == 0:  # as the exponential of minus infinity is
        return _number(ring, fmpq(0))
    known = [x.polynomial for x in operands if x.polynomial is not None]
    if len(known) < len(operands):
        return Number(ring, enclosure, None)
    try:
        polynomial = rule(*known)
    except Spent:
        polynomial = ring.atom((name, *map(polynomials.key, known)), positive=bool(enclosure > 0))
    value = polynomials.constant_of(polynomial)
    return Number(ring, enclosure if value is None else value, polynomial)


def _is_positive(x: Number) -> bool:
    return bool(x.ball > 0)


def _refuse(*polynomials: Polynomial) -> Polynomial:
    raise Spent


class Identities(NumpyDomain):
    """Numbers of one ring; their enclosures are those of `Balls`, at the precision in force."""

    recorded = frozenset[str]()

    def __init__(self) -> None:
        self.ring = Ring()
        self._balls = Balls()
        self.zero = _number(self.ring, 0)
        for name in ("exp", "tanh", "erf", "sin", "cos", "log", "sqrt"):
            setattr(self, name, np.frompyfunc(self._function(name), 1, 1))
        self.power = np.frompyfunc(self._power, 2, 1)
        self.where = np.frompyfunc(self._choose, 3, 1)

    def settled(self, number: Number) -> Number:
        """Return ``number``, as a rational where it is shown to be one."""
        self.ring.left = WORK_A_UNIT * NODE_COST
        found = number.rational()
        return number if found is None else _number(self.ring, found)

    def _function(self, name: str) -> Callable[[Any], Number]:
        function, ring = getattr(Balls, name), self.ring

        def rule(x: Number) -> Callable[[Polynomial], Polynomial]:
            match name:
                case "exp" | "sin" | "cos":
                    return getattr(ring, name)  # type: ignore[no-any-return]
                case "sqrt":
                    return lambda p: ring.power(p, Fraction(1, 2), positive=_is_positive(x))
                case "log":
                    return ring.log if _is_positive(x) else _refuse
            return lambda p: ring.odd(name, p)

        def apply(value: Any) -> Number:
            x = _number(ring, value)
            return _made(ring, function(x.ball), name, (x,), rule(x))

        return apply

    def _divide(self, x: Any, y: Any) -> Number:
        x, y, ring = _number(self.ring, x), _number(self.ring, y), self.ring
        inverse = Fraction(-1)
        return _made(
            ring,
            Balls.divide(x.ball, y.ball),
            "divide",
            (x, y),
            lambda p, q: ring.multiply(p, ring.power(q, inverse, positive=_is_positive(y))),
        )

    def _power(self, x: Any, y: Any) -> Number:
        x, y, ring = _number(self.ring, x), _number(self.ring, y), self.ring
        positive = _is_positive(x)

        def rule(p: Polynomial, q: Polynomial) -> Polynomial:
            exponent = polynomials.constant_of(q)
            if exponent is not None:
                return ring.power(p, Fraction(int(exponent.p), int(exponent.q)), positive=positive)
            return ring.exp(ring.multiply(q, ring.log(p))) if positive else _refuse()

        return _made(ring, Balls.power(x.ball, y.ball), "power", (x, y), rule)

    def _compare(self, name: str, x: Any, y: Any) -> Number:
        x, y, ring = _number(self.ring, x), _number(self.ring, y), self.ring
        verdict = ball.COMPARE[name](x.ball, y.ball)
        if not ball.is_rational(verdict) and (difference := (x - y).rational()) is not None:
            verdict = fmpq(int(SIGNS[name](difference)))
        return _made(ring, verdict, name, (x, y), _refuse)

    def _choose(self, *values: Any) -> Number:
        condition, x, y = (_number(self.ring, value) for value in values)
        if ball.is_rational(condition.ball):
            return x if condition.ball else y
        if None not in (condition.polynomial, x.polynomial) and x.polynomial == y.polynomial:
            return x
        return _made(self.ring, Balls.where(condition.ball, x.ball, y.ball), "where", (condition, x, y), _refuse)

    def _chooser(self, name: str, choose: np.ufunc) -> np.ufunc:
        def apply(x: Number, y: Number) -> Number:
            verdict = self._compare(name, x, y)
            if ball.is_rational(verdict.ball):
                return x if verdict.ball else y
            return _made(self.ring, choose(x.ball, y.ball), f"{name} of two", (x, y), _refuse)

        return np.frompyfunc(apply, 2, 1)

    def divide(self, x: Any, y: Any) -> Any:
        """Return the quotient."""
        return np.frompyfunc(self._divide, 2, 1)(x, y)

    def compare(self, name: str, x: Any, y: Any) -> Any:
        """Return 1 where the comparison ``name`` holds, 0 where it does not, else an atom between them."""
        return np.frompyfunc(partial(self._compare, name), 2, 1)(x, y)

    def scalar(self, text: str) -> Number:
        """Return the number that ``text`` writes."""
        return _made(self.ring, self._balls.scalar(text), "scalar", (), self.ring.pi)

    def position(self, x: Array, size: int) -> Array:
        """Return ``x``, once no element is certain to be no position among ``size``."""
        self._balls.position(balls(x), size)
        return x

    def centre(self, x: Array, axis: int) -> tuple[Array, Array]:
        """Return ``x`` less the element with the largest midpoint along ``axis``, and that element, kept as an axis."""
        differences, _ = self._balls.centre(balls(x), axis)
        middles = ball.AS_FLOAT(balls(x)).astype(np.float64)
        shift = np.take_along_axis(x, np.expand_dims(np.argmax(middles, axis=axis), axis), axis)

        def make(enclosure: Any, a: Number, b: Number) -> Number:
            return _made(self.ring, enclosure, "subtract", (a, b), self.ring.subtract)

        return np.asarray(np.frompyfunc(make, 3, 1)(differences, x, shift), dtype=object), shift

    def max(self, x: Array, axes: tuple[int, ...], *, keepdims: bool) -> Any:
        """Return the maximum over ``axes``."""
        return reduce(self._chooser("greater_equal", ball.LARGER), x, axes, keepdims=keepdims)

    def min(self, x: Array, axes: tuple[int, ...], *, keepdims: bool) -> Any:
        """Return the minimum over ``axes``."""
        return reduce(self._chooser("less_equal", ball.SMALLER), x, axes, keepdims=keepdims)

    def argmax(self, x: Array, axis: int) -> Array:
        """Return the first position of the maximum along ``axis``."""
        rows = np.moveaxis(x, axis, -1)
        result = np.empty(rows.shape[:-1], dtype=object)
        for place in np.ndindex(*result.shape):
            result[place] = self._first_largest(rows[place])
        return result

    def _first_largest(self, row: Array) -> Number:
        best = 0
        for i in range(1, len(row)):
            verdict = self._compare("greater", row[i], row[best]).ball
            if not ball.is_rational(verdict):
                return Number(self.ring, self._balls.argmax(balls(row), 0).item(), None)
            best = i if verdict else best
        return _number(self.ring, best)

    def iterate(self, loop: Loop, values: Sequence[Array]) -> Array:
        """Return what a loop keeps, as atoms: it is enclosed only."""
        found = self._balls.iterate(loop, [balls(value) for value in values])
        operands = [x for value in values for x in value.flat]
        places = np.arange(found.size).reshape(found.shape)
        make = lambda value, place: _made(self.ring, value, ("loop", loop, place), operands, _refuse)  # noqa: E731
        return np.asarray(np.frompyfunc(make, 2, 1)(found, places), dtype=object)


def _ball(x: Any) -> Any:
    return x.ball if type(x) is Number else fmpq(x)


_BALLS = np.frompyfunc(_ball, 1, 1)


def balls(x: Array) -> Array:
    """Return the enclosures of numbers."""
    return np.asarray(_BALLS(x), dtype=object)


def extend(node: Node, domain: Identities, known: dict[Node, Array], settle: Callable[[Node, Array], None]) -> None:
    """Add the numbers of ``node``, and of all before it, to ``known``; ``settle`` may replace some of an array.

    The work for a node is bounded by its own size, so that what is found of it depends on nothing but what it is.

    Raises:
        Undefined: where a value does not exist; its ``node`` tells where.
    """
    for step in ancestors([node], known):
        domain.ring.left = WORK_A_UNIT * units(step)
        evaluate([step], domain, known=known)
        numbers = known[step] = np.array(known[step], dtype=object)
        for place, value in enumerate(numbers.flat):
            number = _number(domain.ring, value)
            numbers.flat[place] = domain.settled(number) if ball.may_be_whole(number.ball) else number
        settle(step, numbers)
