"""The ball reading: a proven enclosure of every value.

A scalar is a rational (`fmpq`) while it is rational, and a real ball (`arb`) after that: a midpoint
and a radius that together contain the true value (Johansson, Arb, IEEE Trans. Computers 2017).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from seqgen.graph.node import Shape
from seqgen.readings import loop_cache
from seqgen.readings.arrays import Array, NumpyDomain, reduce
from seqgen.readings.evaluate import Loop, Undefined

ZERO, ONE = fmpq(0), fmpq(1)

# A rational whose numerator and denominator together need more bits than this goes on as a ball.
MAX_RATIONAL_BITS = 4096
# Numbers beyond two to this power, and as close to zero, are not written out. A float64 ends at 2**1024 and 2**-1074.
MAX_EXPONENT = 4096
MAX_POWER = 1_000_000
HUGE, TINY = arb(2**MAX_EXPONENT), 1 / arb(2**MAX_EXPONENT)


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Compute balls with midpoints of ``bits`` bits."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


@lru_cache(maxsize=65536)
def rational(text: str) -> Any:
    """Return the rational that a decimal or a quotient writes."""
    value = Fraction(text)
    return fmpq(value.numerator, value.denominator)


def is_rational(x: Any) -> bool:
    """Whether ``x`` is known exactly, as a rational."""
    return type(x) is fmpq or type(x) is int


def is_nan(x: Any) -> bool:
    """Whether it is not shown that ``x`` is a number at all: something on the way to it may not exist."""
    return type(x) is arb and bool(x.is_nan())


def may_be_whole(x: Any) -> bool:
    """Whether it is open which integer, if any, ``x`` is: a choice or a division may depend on that."""
    return type(x) is arb and bool(x.is_finite() and x.contains_integer() and not x.is_exact())


def contains_zero(x: Any) -> bool:
    """Whether ``x`` is zero or can't be told from zero."""
    return x == 0 if is_rational(x) else bool(x.contains(0))


def _function(name: str, at: dict[int, int]) -> Callable[[Any], Any]:
    """Return the elementwise function ``name`` of balls, exact at the arguments in ``at``."""
    method = getattr(arb, name)

    def apply(x: Any) -> Any:
        if type(x) is not arb:
            for argument, value in at.items():
                if x == argument:
                    return fmpq(value)
            x = arb(x)
        return method(x)

    return np.frompyfunc(apply, 1, 1)  # type: ignore[no-any-return]


def _wave(name: str, at: dict[int, int]) -> Callable[[Any], Any]:
    """Return a sine or cosine, which infinity has none of; arb gives all values that one has."""
    function = _function(name, at)
    return np.frompyfunc(lambda x: arb.nan() if type(x) is arb and not x.is_finite() else function(x), 1, 1)  # type: ignore[no-any-return]


def _log(x: Any) -> Any:
    if is_rational(x):
        if x <= 0:
            raise Undefined(f"the logarithm of {x}, which is not positive")
        if x == 1:
            return ZERO
        x = arb(x)
    if x <= 0:
        raise Undefined("the logarithm of a number that is not positive")
    return x.log()


def _root(x: Any, degree: int) -> Any:
    """Return the exact root of a non-negative rational, or nothing where it is not rational."""
    parts = []
    for part in (int(x.p), int(x.q)):
        if part.bit_length() > 1000:
            return None
        root = math.isqrt(part) if degree == 2 else round(part ** (1 / degree))
        if root**degree != part:
            return None
        parts.append(root)
    return fmpq(*parts)


def _sqrt(x: Any) -> Any:
    if is_rational(x):
        if x < 0:
            raise Undefined(f"the square root of {x}, which is negative")
        exact = _root(fmpq(x), 2)
        return arb(x).sqrt() if exact is None else exact
    if x < 0:
        raise Undefined("the square root of a negative number")
    return x.sqrt()


def _power(x: Any, y: Any) -> Any:
    if type(x) is arb and y == 2:  # as in most powers
        return x * x
    whole = fmpq(y).q == 1 if is_rational(y) else y.is_exact() and y.is_integer()
    if is_rational(x) and x == 0 and y < 0:
        raise Undefined("a division by zero: zero to a negative power")
    if whole and abs(y) > MAX_POWER:
        raise Undefined(f"an exponent of more than {MAX_POWER:,}")
    if whole:
        n = int(fmpq(y).p if is_rational(y) else y.unique_fmpz())
        if is_rational(x):
            if abs(n) * fmpq(x).height_bits() <= MAX_RATIONAL_BITS:
                return fmpq(x) ** n
            x = arb(x)
        return _integer_power(x, n) if n >= 0 else 1 / _integer_power(x, -n)
    if x < 0:
        raise Undefined("a power of a negative number with an exponent that is not an integer")
    if is_rational(x) and is_rational(y):
        if x == 0:
            return ZERO
        p, q = int(fmpq(y).p), int(fmpq(y).q)
        root = _root(fmpq(x), q) if q <= 64 and abs(p) <= 64 else None
        if root is not None:
            return root**p
    return arb(x) ** arb(y)


def _integer_power(x: Any, n: int) -> Any:
    """Return a ball's power by repeated squaring: python-flint's goes by the logarithm, which zero has none of."""
    if is_nan(x):
        return x
    result = None
    while n:
        if n & 1:
            result = x if result is None else result * x
        n >>= 1
        if n:
            x = x * x
    return arb(1) if result is None else result


def _divide(x: Any, y: Any) -> Any:
    if type(y) is arb:
        return x / y
    if y == 0:
        raise Undefined("a division by zero")
    return (fmpq(x) if type(x) is int else x) / fmpq(y)


def _choose(condition: Any, x: Any, y: Any) -> Any:
    if is_nan(condition):
        return condition
    if is_rational(condition) or condition.is_exact() or not condition.contains(0):
        return x if condition != 0 else y
    return arb(x).union(arb(y))


def _comparison(holds: Callable[[Any, Any], bool], fails: Callable[[Any, Any], bool]) -> np.ufunc:
    """Return a comparison by what shows that it holds, and that it fails; it has no value where a side has none."""

    def compare(x: Any, y: Any) -> Any:
        if holds(x, y):
            return ONE
        if fails(x, y):
            return ZERO
        return arb.nan() if is_nan(x) or is_nan(y) else arb(0.5, 0.5)

    return np.frompyfunc(compare, 2, 1)  # type: ignore[no-any-return]


def _is_same(x: Any, y: Any) -> bool:
    """Whether two are equal: a ball is the enclosure of one number, and that number is equal to itself."""
    return bool(x == y) or (x is y and not is_nan(x))


COMPARE = {
    "greater": _comparison(lambda x, y: x > y, lambda x, y: x <= y),
    "less": _comparison(lambda x, y: x < y, lambda x, y: x >= y),
    "greater_equal": _comparison(lambda x, y: x >= y or _is_same(x, y), lambda x, y: x < y),
    "less_equal": _comparison(lambda x, y: x <= y or _is_same(x, y), lambda x, y: x > y),
    "equal": _comparison(_is_same, lambda x, y: x != y),
    "not_equal": _comparison(lambda x, y: x != y, _is_same),
}


def _larger(x: Any, y: Any) -> Any:
    if x >= y:
        return x
    return y if y >= x else arb(x).max(arb(y))


NEGATIVE_INFINITY, POSITIVE_INFINITY = arb.neg_inf(), arb.pos_inf()


def _smaller(x: Any, y: Any) -> Any:
    if x <= y:
        return x
    return y if y <= x else arb(x).min(arb(y))


LARGER = np.frompyfunc(_larger, 2, 1)
SMALLER = np.frompyfunc(_smaller, 2, 1)


def _as_float(x: Any) -> float:
    return float(arb(x))  # python-flint 0.6 makes no float of a rational


AS_FLOAT = np.frompyfunc(_as_float, 1, 1)


def _shorten(x: Any) -> Any:
    return arb(x) if type(x) is fmpq and x.height_bits() > MAX_RATIONAL_BITS else x


def _less_itself(x: Any) -> Any:
    """Return zero for a finite number; infinity less itself is no number."""
    return ZERO if is_rational(x) or x.is_finite() else arb.nan()


ITSELF = np.frompyfunc(_less_itself, 1, 1)
MIDDLE = np.frompyfunc(lambda x: x.mid() if type(x) is arb else x, 1, 1)
SHORTEN = np.frompyfunc(_shorten, 1, 1)


def _trim(array: Array) -> None:
    """Put balls in place of rationals that are too long to go on with."""
    if _has_long(array):
        array[...] = SHORTEN(array)


def _has_long(array: Array) -> bool:
    some_rational = fmpq in map(type, array.flat)  # past the first function there are balls alone
    return some_rational and any(type(x) is fmpq and x.height_bits() > MAX_RATIONAL_BITS for x in array.flat)


class Balls(NumpyDomain):
    """Rationals and balls at the precision in force; ``exactly`` keeps rationals as rationals."""

    zero = ZERO
    exp = staticmethod(_function("exp", {0: 1}))
    tanh = staticmethod(_function("tanh", {0: 0}))
    sin = staticmethod(_wave("sin", {0: 0}))
    cos = staticmethod(_wave("cos", {0: 1}))
    erf = staticmethod(_function("erf", {0: 0}))
    log = staticmethod(np.frompyfunc(_log, 1, 1))
    sqrt = staticmethod(np.frompyfunc(_sqrt, 1, 1))
    power = staticmethod(np.frompyfunc(_power, 2, 1))
    divide = staticmethod(np.frompyfunc(_divide, 2, 1))
    where = staticmethod(np.frompyfunc(_choose, 3, 1))

    def __init__(self, *, exactly: bool = True) -> None:
        self.exactly = exactly

    def trim(self, array: Array) -> Callable[[Array], None] | None:
        """Return what shortens rationals in place, where ``array`` has some: balls do not become rationals again."""
        return _trim if self.exactly and fmpq in map(type, array.flat) else None

    def scalar(self, text: str) -> Any:
        """Return the rational, or the ball, that ``text`` writes."""
        match text:
            case "pi":
                return arb.pi()
            case "inf":
                return arb.pos_inf()
            case "-inf":
                return arb.neg_inf()
        return rational(text) if self.exactly else arb(rational(text))

    def finish(self, value: Any) -> Array:
        """Return ``value`` as an array, with rationals that are too long to go on with made balls."""
        array = value if type(value) is np.ndarray else super().finish(value)
        return np.asarray(SHORTEN(array), dtype=object) if self.exactly and _has_long(array) else array

    def is_lost(self, x: Array) -> bool:
        """Whether a ball is wider than one and than its midpoint, or not finite."""
        value = x.item()
        if is_rational(value):
            return False
        return not value.is_finite() or bool(value.rel_accuracy_bits() < 2 and value.rad() > 1)

    def lost(self, shape: Shape) -> Array:
        """Return balls that contain every number."""
        balls = [arb.nan() for _ in range(math.prod(shape))]  # one each: compared with itself, a ball is one number
        return np.array(balls, dtype=object).reshape(shape)

    def iterate(self, loop: Loop, values: Sequence[Array]) -> Array:
        """Return what a loop keeps; one that starts from the same rationals in another graph is not computed again."""
        if not all(is_rational(x) for value in values for x in value.flat):
            return super().iterate(loop, values)
        domain = (type(self), self.exactly, ctx.prec)
        return loop_cache.once(domain, loop, values, partial(super().iterate, loop, values))

    def compare(self, name: str, x: Any, y: Any) -> Any:
        """Return 1 where the comparison ``name`` holds, 0 where it does not, else the ball of both."""
        return COMPARE[name](x, y)

    def position(self, x: Array, size: int) -> Array:
        """Return ``x``, once no element is certain to be no position among ``size``.

        Raises:
            Undefined: where one is.
        """
        for place, value in np.ndenumerate(x):
            if is_rational(value) and fmpq(value).q != 1:
                raise Undefined(f"{value} is no position, which is a whole number")
            if value < 0 or value > size - 1:
                at = f", at {list(place)}" if place else ""
                raise Undefined(f"{value} does not fit size={size} (0 to {size - 1}){at}")
        return x

    def centre(self, x: Array, axis: int) -> tuple[Array, Array]:
        """Return ``x`` less the element with the largest midpoint along ``axis``, and that element, kept as an axis.

        Where the element is taken from itself the difference is exactly zero, so that one permitted source alone has
        the weight one.

        Raises:
            Undefined: where every element along the axis is minus infinity.
        """
        if x.ndim == 1:
            return self._centre(x)
        middles = np.asarray(AS_FLOAT(x), dtype=np.float64)
        empty = np.all(middles == -np.inf, axis=axis)
        if np.any(empty):
            raise Undefined(f"every entry of row {int(np.argmax(empty))} is -inf: no source is permitted")
        places = np.expand_dims(np.argmax(middles, axis=axis), axis)
        shift = np.take_along_axis(x, places, axis)
        difference = x - shift
        np.put_along_axis(difference, places, ITSELF(shift), axis)
        return difference, shift

    def _centre(self, x: Array) -> tuple[Array, Array]:
        """Return what `centre` does, for one row, in a tenth of the time."""
        middles = [_as_float(value) for value in x]
        largest = max(middles)
        if largest == -math.inf:
            raise Undefined("every entry is -inf: no source is permitted")
        place = middles.index(largest)
        shift = x[place : place + 1]
        difference = x - shift
        difference[place] = _less_itself(x[place])
        return difference, shift

    def max(self, x: Array, axes: tuple[int, ...], *, keepdims: bool) -> Any:
        """Return the maximum over ``axes``: the very element where it is decided."""
        return reduce(LARGER, x, axes, keepdims=keepdims)

    def min(self, x: Array, axes: tuple[int, ...], *, keepdims: bool) -> Any:
        """Return the minimum over ``axes``: the very element where it is decided."""
        return reduce(SMALLER, x, axes, keepdims=keepdims)

    def argmax(self, x: Array, axis: int) -> Array:
        """Return the first position of the maximum along ``axis``; a ball where it can't be told."""
        rows = np.moveaxis(x, axis, -1)
        result = np.empty(rows.shape[:-1], dtype=object)
        for place in np.ndindex(*result.shape):
            result[place] = _first_largest(rows[place])
        return result


def _drop_radii(x: Array) -> None:
    x[...] = MIDDLE(x)


class Middles(Balls):
    """The middles of balls alone, which prove nothing: floating point that is the same on every machine."""

    def __init__(self) -> None:
        super().__init__(exactly=False)

    def trim(self, array: Array) -> Callable[[Array], None] | None:  # noqa: ARG002
        """Return what drops the radii in place."""
        return _drop_radii

    def finish(self, value: Any) -> Array:
        """Return ``value`` as an array, without the radii."""
        return np.asarray(MIDDLE(super().finish(value)), dtype=object)


def _first_largest(row: Any) -> Any:
    if any(map(is_nan, row)):
        return arb.nan()
    possible = [i for i, x in enumerate(row) if not any(x < y for y in row) and not any(x == y for y in row[:i])]
    low, high = possible[0], possible[-1]
    return fmpq(low) if low == high else arb(low).union(arb(high))


def is_infinity(x: Any) -> bool:
    """Whether ``x`` is plus or minus infinity itself."""
    return not is_rational(x) and (x in (NEGATIVE_INFINITY, POSITIVE_INFINITY))


def is_huge(x: Any) -> bool:
    """Whether the magnitude of a finite ball is too large to be written out, or may be."""
    return type(x) is arb and bool(x.is_finite()) and not abs(x) < HUGE


def is_lost(x: Any) -> bool:
    """Whether a ball says next to nothing: it is wider than one."""
    return type(x) is arb and bool(x.is_finite()) and not x.rad() < 1
