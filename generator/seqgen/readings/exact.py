"""The exact reading: closed forms by sympy, kept while they are short.

Forms are built bottom-up and never simplified as a whole. A form that grows past the limit is
left out: it becomes ``nan``, which sympy carries through everything that would use it. Signs and
choices are decided by enclosures, never by sympy's assumptions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import sympy
from flint import arb

from seqgen.readings import ball
from seqgen.readings.algebra import (
    ABSENT,
    INTERNAL,
    MAX_BITS,
    Closed,
    bits,
    elementwise,
    form_of,
    multiply,
    negative,
    power,
    subtract,
)
from seqgen.readings.arrays import Array, NumpyDomain, reduce
from seqgen.readings.evaluate import Loop, Undefined

PRECISION = 256
LARGEST_EXPONENT = 709
# A form has at most so many levels: sympy goes down them by recursion, for which Python has a limit.
MAX_LEVELS = 60
# sympy factors the numbers below a root; a longer one has no form.
MAX_ROOT_BITS = 100

FUNCTIONS = {
    "exp": sympy.exp,
    "log": sympy.log,
    "tanh": sympy.tanh,
    "sin": sympy.sin,
    "cos": sympy.cos,
    "erf": sympy.erf,
}


def size(form: sympy.Expr, memo: dict[sympy.Expr, tuple[int, int]]) -> tuple[int, int]:
    """Return the number of operations of ``form``, of which a long rational has several, and the levels of nesting."""
    if form.is_Rational:
        return _digits(form) // 12, 0
    if not form.args:
        return 0, 0
    known = memo.get(form)
    if known is None:
        counts, levels = zip(*(size(a, memo) for a in form.args), strict=True)
        known = memo[form] = sum(counts) + max(1, len(form.args) - 1), 1 + max(levels)
    return known


def _digits(number: sympy.Rational) -> int:
    """Return the number of characters of a rational; `Work.keeps` bounds it."""
    return len(str(int(number.p))) + (len(f"/{int(number.q)}") if number.q != 1 else 0)


@lru_cache(maxsize=65536)
def enclose(form: sympy.Expr) -> Any:
    """Return a ball, or the rational, that contains the value of a form; ``None`` where it has none."""
    if form.is_Rational:
        return ball.rational(f"{form.p}/{form.q}")
    if form in (sympy.oo, -sympy.oo):
        return arb.pos_inf() if form == sympy.oo else arb.neg_inf()
    parts = [enclose(a) for a in form.args]
    with ball.precision(PRECISION):
        try:
            return _enclose(form, parts)
        except Undefined:
            return None


def _enclose(form: sympy.Expr, parts: list[Any]) -> Any:
    if form is sympy.pi:
        return arb.pi()
    if form is sympy.E:
        return arb(1).exp()
    if not parts or any(p is None for p in parts):
        return None
    if isinstance(form, sympy.Add):
        return sum(parts[1:], parts[0])
    if isinstance(form, sympy.Mul):
        return math.prod(parts[1:], start=parts[0])
    if isinstance(form, sympy.Pow):
        return ball.Balls.power(*parts)
    for name, function in FUNCTIONS.items():
        if isinstance(form, function):
            return getattr(ball.Balls, name)(parts[0])
    return None


# sympy evaluates an argument to find whether a function has a simpler form. Where an enclosure tells, it is not asked.


def _exp(x: sympy.Expr) -> sympy.Expr:
    """Return the form of an exponential in the range of a float64; sympy would count to a larger one when it prints."""
    if x is ABSENT or x in (sympy.oo, -sympy.oo):
        return sympy.exp(x)
    enclosure = enclose(x)
    if enclosure is None or not abs(arb(enclosure)) < LARGEST_EXPONENT:
        return ABSENT
    return sympy.exp(x, evaluate=x.is_Number or ball.contains_zero(enclosure) or x.has(sympy.log))


def _log(x: sympy.Expr) -> sympy.Expr:
    """Return the form of a logarithm, as it stands where it is that of a positive number."""
    enclosure = None if x.is_Number or x is sympy.E or isinstance(x, sympy.exp) else enclose(x)
    return sympy.log(x, evaluate=enclosure is None or not enclosure > 0)


def _odd(function: Any) -> Callable[[sympy.Expr], sympy.Expr]:
    """Return what gives the form of an odd function, with a minus sign drawn out of it."""

    def apply(x: sympy.Expr) -> sympy.Expr:
        enclosure = enclose(x)
        if x.is_Number or enclosure is None or ball.contains_zero(enclosure):
            return function(x)
        if x.could_extract_minus_sign():
            return negative(function(negative(x), evaluate=False))
        return function(x, evaluate=False)

    return apply


def _wave(function: Any) -> Callable[[sympy.Expr], sympy.Expr]:
    """Return what gives the form of a sine or cosine, which has none at infinity."""
    return lambda x: ABSENT if x in (sympy.oo, -sympy.oo) else function(x)


def _divide(x: sympy.Expr, y: sympy.Expr) -> sympy.Expr:
    return multiply(x, power(y, sympy.S.NegativeOne)) if y != 0 else ABSENT


def _power(x: sympy.Expr, y: sympy.Expr) -> sympy.Expr:
    if x.is_Rational and y.is_Rational and not y.is_Integer and bits(x) > MAX_ROOT_BITS:
        return ABSENT
    if (x == 0 and y.is_negative) or (y.is_Rational and abs(y.p) > 1000):
        return ABSENT
    if x.is_Rational and y.is_Rational and bits(x) * abs(y.p) > 2 * MAX_BITS * y.q:
        return ABSENT
    return power(x, y)


def _compare(name: str) -> Callable[[sympy.Expr, sympy.Expr], sympy.Expr]:
    def decide(x: sympy.Expr, y: sympy.Expr) -> sympy.Expr:
        enclosures = enclose(x), enclose(y)
        if any(enclosure is None for enclosure in enclosures):
            return ABSENT
        with ball.precision(PRECISION):
            verdict = ball.COMPARE[name](*enclosures)
        return sympy.Integer(int(verdict.p)) if ball.is_rational(verdict) else _same(x, y, name)

    return decide


def _same(x: sympy.Expr, y: sympy.Expr, name: str) -> sympy.Expr:
    """Decide a comparison that enclosures leave open: equal forms are equal."""
    if subtract(x, y) != 0:
        return ABSENT
    return sympy.Integer(name in ("equal", "greater_equal", "less_equal"))


def _choose(condition: sympy.Expr, x: sympy.Expr, y: sympy.Expr) -> sympy.Expr:
    """Return the side that the condition chooses, which is zero only where that is shown, and not zero only so."""
    verdict = condition if condition.is_Rational else IS_OTHER(condition, sympy.S.Zero)
    return ABSENT if verdict is ABSENT else x if verdict else y


def _chooser(side: str) -> np.ufunc:
    decide = _compare(side)
    return elementwise(lambda x, y: _choose(decide(x, y), x, y), 2)


IS_GREATER, IS_OTHER = _compare("greater"), _compare("not_equal")
COMPARE = {name: elementwise(_compare(name), 2) for name in ball.COMPARE}
LARGER, SMALLER = _chooser("greater_equal"), _chooser("less_equal")


class Exact(NumpyDomain):
    """Closed forms of at most ``limit`` operations; ``ABSENT`` where a form is left out."""

    zero = Closed(sympy.S.Zero)
    sqrt = staticmethod(elementwise(lambda x: _power(x, sympy.S.Half), 1))
    divide = staticmethod(elementwise(_divide, 2))
    power = staticmethod(elementwise(_power, 2))
    where = staticmethod(elementwise(_choose, 3))
    exp = staticmethod(elementwise(_exp, 1))
    log = staticmethod(elementwise(_log, 1))
    tanh = staticmethod(elementwise(_odd(sympy.tanh), 1))
    sin = staticmethod(elementwise(_wave(sympy.sin), 1))
    cos = staticmethod(elementwise(_wave(sympy.cos), 1))
    erf = staticmethod(elementwise(_odd(sympy.erf), 1))

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._sizes: dict[sympy.Expr, tuple[int, int]] = {}
        self._cut = np.frompyfunc(self._keep, 1, 1)

    def _keep(self, value: Any) -> Closed:
        form = form_of(value)
        try:
            operations, levels = size(form, self._sizes)
        except INTERNAL:
            return Closed(ABSENT)
        return Closed(form if operations <= self._limit and levels <= MAX_LEVELS else ABSENT)

    def finish(self, value: Any) -> Array:
        """Return ``value`` as an array, with forms past the limit left out."""
        array = super().finish(value)
        result = np.empty(array.shape, dtype=object)
        result[...] = self._cut(array)
        return result

    def iterate(self, loop: Loop, values: Sequence[Array]) -> Array:  # noqa: ARG002
        """Leave out what a loop gives: its forms grow with every round."""
        return np.full((len(loop.kept), 1 + sum(node.size for node in loop.state)), Closed(ABSENT), dtype=object)

    def scalar(self, text: str) -> Closed:
        """Return the rational or the constant that ``text`` writes."""
        match text:
            case "pi":
                return Closed(sympy.pi)
            case "inf":
                return Closed(sympy.oo)
            case "-inf":
                return Closed(-sympy.oo)
        value = ball.rational(text)
        return Closed(sympy.Rational(int(value.p), int(value.q)))

    def compare(self, name: str, x: Any, y: Any) -> Any:
        """Return 1 or 0 where an enclosure or equal forms decide, else ``ABSENT``."""
        return COMPARE[name](x, y)

    def centre(self, x: Array, axis: int) -> tuple[Array, Array]:
        """Return ``x`` as it is, and zeros: an exact exponential needs no shift."""
        shape = list(x.shape)
        shape[axis] = 1
        return x, self.zeros(tuple(shape))

    def max(self, x: Array, axes: tuple[int, ...], *, keepdims: bool) -> Any:
        """Return the maximum over ``axes``."""
        return reduce(LARGER, x, axes, keepdims=keepdims)

    def min(self, x: Array, axes: tuple[int, ...], *, keepdims: bool) -> Any:
        """Return the minimum over ``axes``."""
        return reduce(SMALLER, x, axes, keepdims=keepdims)

    def argmax(self, x: Array, axis: int) -> Array:
        """Return the first position of the maximum along ``axis``."""
        rows = np.moveaxis(x, axis, -1)
        result = np.empty(rows.shape[:-1], dtype=object)
        for place in np.ndindex(*result.shape):
            result[place] = _first_largest(rows[place])
        return result


def _first_largest(row: Array) -> Closed:
    best = 0
    for i in range(1, len(row)):
        verdict = IS_GREATER(form_of(row[i]), form_of(row[best]))
        if verdict is ABSENT:
            return Closed(ABSENT)
        best = i if verdict == 1 else best
    return Closed(sympy.Integer(best))


def agreement(form: sympy.Expr, value: Any) -> str:
    """Return "yes" where a form may be the number that ``value`` encloses, "no" where it is another, else "unknown"."""
    enclosure = enclose(form)
    if enclosure is None or not arb(enclosure).is_finite():
        return "unknown"
    return "yes" if arb(enclosure).overlaps(arb(value)) else "no"
