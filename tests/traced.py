"""Numbers that know what they were computed from, so that they can be differentiated: reverse mode, one scalar at a time.

Nothing here is taken from seqgen. A rational stays a fraction, so that ties are exact; everything else has 60 digits, and
what agrees in 45 of them is equal. The conventions at kinks are those of docs/language.md.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from arraywise import MP, Array, Arrays, Points, boxed

EQUAL = MP.mpf(10) ** -45
WIDEST = 4000  # bits of a fraction

_serials = itertools.count()
Parents = tuple[tuple["Number", Callable[[], "Number"]], ...]


def point(value: Any) -> Any:
    """Return a fraction as mpmath has it."""
    return MP.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else value


def close(x: Any, y: Any) -> bool:
    """Whether two values are equal, as far as anybody can tell."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x == y
    x, y = point(x), point(y)
    return bool(x == y) if MP.isinf(x) or MP.isinf(y) else bool(abs(x - y) <= EQUAL * (1 + abs(x)))


class Number:
    """A value, and what it was computed from: each with the partial derivative, which is a number of this kind too."""

    __slots__ = ("parents", "serial", "value")

    def __init__(self, value: Any, parents: Parents = ()) -> None:
        exact = isinstance(value, (int, Fraction))
        value = Fraction(value) if exact else value
        wide = exact and value.denominator.bit_length() + value.numerator.bit_length() > WIDEST
        self.value: Any = point(value) if wide else value
        # A number that nothing named went into has no derivative that anybody asks for.
        self.parents = tuple(pair for pair in parents if pair[0].parents)
        self.serial = next(_serials)

    def _with(self, other: Any, value: Callable[[Any, Any], Any], by_self: Any, by_other: Any) -> Number:
        second = other if isinstance(other, Number) else Number(other)
        x, y = self.value, second.value
        if not (isinstance(x, Fraction) and isinstance(y, Fraction)):
            x, y = point(x), point(y)
        return Number(value(x, y), ((self, lambda: by_self(second)), (second, lambda: by_other(second))))

    def __add__(self, other: Any) -> Number:
        return self._with(other, lambda x, y: x + y, lambda _: ONE, lambda _: ONE)

    def __sub__(self, other: Any) -> Number:
        return self._with(other, lambda x, y: x - y, lambda _: ONE, lambda _: -ONE)

    def __mul__(self, other: Any) -> Number:
        return self._with(other, lambda x, y: x * y, lambda second: second, lambda _: self)

    def __truediv__(self, other: Any) -> Number:
        return self._with(other, lambda x, y: x / y, lambda y: ONE / y, lambda y: -self / (y * y))

    def __neg__(self) -> Number:
        return Number(-self.value, ((self, lambda: -ONE),))

    def __pow__(self, exponent: int) -> Number:
        return Traced.power(self, Number(exponent))

    def __rsub__(self, other: Any) -> Number:
        return Number(other) - self

    __radd__ = __add__
    __rmul__ = __mul__


ONE, ZERO = Number(1), Number(0)


class Traced:
    """The scalar functions of these numbers, for `arraywise.Arrays`."""

    pi = Number(+MP.pi)
    infinity = Number(MP.inf)

    @staticmethod
    def number(text: str | float) -> Number:
        """Return the number that a text, or an integer, is."""
        return Number(MP.mpf(text) if "inf" in str(text) else Fraction(text))

    @staticmethod
    def function(name: str, x: Number) -> Number:
        """Return one of `arraywise.FUNCTIONS` at ``x``."""
        result = Number(Points.function(name, point(x.value)))
        partials: dict[str, Callable[[], Number]] = {
            "exp": lambda: result,
            "log": lambda: ONE / x,
            "sqrt": lambda: ONE / (result + result),
            "tanh": lambda: ONE - result * result,
            "erf": lambda: Number(2 / MP.sqrt(MP.pi)) * Traced.function("exp", -(x * x)),
            "sin": lambda: Traced.function("cos", x),
            "cos": lambda: -Traced.function("sin", x),
        }
        if not MP.isfinite(result.value) or isinstance(result.value, MP.mpc):
            raise ZeroDivisionError(f"{name} at {x.value}")
        result.parents = ((x, partials[name]),) if x.parents else ()
        return result

    @staticmethod
    def power(x: Number, y: Number) -> Number:
        """Return a power; a whole one of any base."""
        whole = isinstance(y.value, Fraction) and y.value.denominator == 1
        if isinstance(x.value, Fraction) and whole:
            result = Number(x.value ** int(y.value))
        else:
            result = Number(Points.power(point(x.value), point(y.value)))
        if isinstance(result.value, MP.mpc):
            raise ZeroDivisionError(f"a root of {x.value}")
        lower = lambda: y * Traced.power(x, y - ONE) if y.value else ZERO  # noqa: E731
        pairs = ((x, lower), (y, lambda: result * Traced.function("log", x)))
        result.parents = tuple(pair for pair in pairs if pair[0].parents)
        return result

    @staticmethod
    def holds(sign: str, x: Number, y: Number) -> Number:
        """Return 1 where a comparison holds, else 0; it has no derivative."""
        equal = close(x.value, y.value)
        return Number(int(equal if sign == "==" else (sign == "<=") if equal else point(x.value) < point(y.value)))

    @staticmethod
    def either(condition: Number, x: Number, y: Number) -> Number:
        """Return x where the condition is not 0, else y."""
        chosen = not close(condition.value, Fraction(0))
        shares = (ONE, ZERO) if chosen else (ZERO, ONE)
        return Number((x if chosen else y).value, ((x, lambda: shares[0]), (y, lambda: shares[1])))

    @staticmethod
    def larger(x: Number, y: Number) -> Number:
        """Return the larger of two; a tie shares the gradient."""
        return largest([x, y])

    @staticmethod
    def magnitude(x: Number) -> Number:
        """Return the absolute value, whose derivative at 0 is 0."""
        sign = ZERO if close(x.value, Fraction(0)) else ONE if point(x.value) > 0 else -ONE
        return Number(abs(x.value), ((x, lambda: sign),))


def largest(among: list[Number]) -> Number:
    """Return the largest number; those that are equal to it share the gradient equally."""
    best = among[0]
    for x in among[1:]:
        if not close(x.value, best.value) and point(x.value) > point(best.value):
            best = x
    equal = [close(x.value, best.value) for x in among]
    share = Number(Fraction(1, sum(equal)))
    return Number(best.value, tuple((x, lambda e=e: share if e else ZERO) for x, e in zip(among, equal, strict=True)))


class TracedArrays(Arrays):
    """Arrays of these numbers."""

    def __init__(self) -> None:
        super().__init__(Traced)

    def apply(self, name: str, x: Array) -> Array:
        """Return a function of one variable, element by element."""
        if name == "stop_gradient":
            return self.each(lambda v: Number(v.value), x)
        if name == "relu":
            return self.each(lambda v: Traced.either(Traced.holds("<", ZERO, v), v, ZERO * v), x)
        return super().apply(name, x)

    def _reduced(self, name: str, among: list[Number], ddof: int) -> Number:
        if name in ("max", "min"):
            return largest(among) if name == "max" else -largest([-x for x in among])
        return super()._reduced(name, among, ddof)

    def _argmax(self, row: list[Number]) -> Number:
        best = largest(row)
        return Number(next(k for k, x in enumerate(row) if close(x.value, best.value)))


def copied(x: Array) -> Array:
    """Return the same values, each computed from the one of ``x``."""
    result = np.empty(x.shape, dtype=object)
    for place in np.ndindex(*x.shape):
        result[place] = Number(x[place].value)
        result[place].parents = ((x[place], lambda: ONE),)
    return boxed(result)


class Adjoints:
    """The derivatives of ``root`` by everything that it was computed from."""

    def __init__(self, root: Number) -> None:
        self._reached = _reached(root)
        self._of: dict[Number, Number] = {}
        self._root = root

    def _compute(self) -> None:
        self._of[self._root] = ONE
        for number in sorted(self._reached, key=lambda n: -n.serial):
            adjoint = self._of[number]
            nothing = not adjoint.parents and adjoint.value == 0
            for parent, partial in number.parents:
                sent = ZERO if nothing else self._sent(adjoint, partial)
                before = self._of.get(parent)
                self._of[parent] = sent if before is None or before is ZERO else before + sent

    @staticmethod
    def _sent(adjoint: Number, partial: Callable[[], Number]) -> Number:
        try:
            return adjoint * partial() if adjoint is not ONE else partial()
        except ZeroDivisionError:
            return Number(MP.nan)

    def reach(self, x: Array) -> bool:
        """Whether the root was computed from ``x``."""
        return not self._reached.isdisjoint(x.flat)

    def by(self, x: Array) -> Array:
        """Return the derivative by each element of ``x``.

        Raises:
            ZeroDivisionError: where there is none.
        """
        if not self._of:
            self._compute()
        result = np.empty(x.shape, dtype=object)
        for place in np.ndindex(*x.shape):
            result[place] = self._of.get(x[place], ZERO)
            if MP.isnan(point(result[place].value)):
                raise ZeroDivisionError("a derivative that does not exist")
        return boxed(result)


def _reached(root: Number) -> set[Number]:
    seen, stack = {root}, [root]
    while stack:
        for parent, _ in stack.pop().parents:
            if parent not in seen:
                seen.add(parent)
                stack.append(parent)
    return seen
