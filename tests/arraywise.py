"""Arrays of mpmath numbers, or of arb balls, and what the operations of a textbook make of them.

Nothing here is taken from seqgen. `latexreader` evaluates typeset formulas with it, `interpreter` a spec's own text.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np
from flint import arb

MP = mpmath.MPContext()
MP.dps = 60

Array = np.ndarray[Any, Any]
FUNCTIONS = ("exp", "log", "sqrt", "tanh", "erf", "sin", "cos")
SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    "==": lambda x, y: x == y,
}


class Unclear(Exception):
    """A value that these numbers can't tell: a position that is not decided, a loop."""


class Points:
    """The scalar functions of mpmath's numbers: a comparison is true or false."""

    pi = +MP.pi
    infinity = MP.inf

    @staticmethod
    def number(text: str | float) -> Any:
        """Return the number that a text, or a float, is."""
        return MP.mpf(text)

    @staticmethod
    def function(name: str, x: Any) -> Any:
        """Return one of `FUNCTIONS` at ``x``."""
        return getattr(MP, name)(x)

    @staticmethod
    def power(x: Any, y: Any) -> Any:
        """Return a power."""
        return x ** int(y) if y == int(y) else MP.power(x, y)

    @staticmethod
    def holds(sign: str, x: Any, y: Any) -> Any:
        """Return 1 where a comparison holds, else 0."""
        return MP.mpf(int(SIGNS[sign](x, y)))

    @staticmethod
    def either(condition: Any, x: Any, y: Any) -> Any:
        """Return x where the condition is not 0, else y."""
        return x if condition != 0 else y

    @staticmethod
    def larger(x: Any, y: Any) -> Any:
        """Return the larger of two."""
        return x if x > y else y

    @staticmethod
    def magnitude(x: Any) -> Any:
        """Return the absolute value."""
        return abs(x)


class Balls:
    """The same of arb's balls: what is undecided is the hull of all that it may be."""

    pi = arb.pi()
    infinity = arb("inf")

    @staticmethod
    def number(text: str | float) -> Any:
        """Return the ball of a text, or the float itself."""
        return arb(text)

    @staticmethod
    def function(name: str, x: Any) -> Any:
        """Return one of `FUNCTIONS` at ``x``."""
        if name == "exp" and not x.is_finite() and x < 0:
            return arb(0)
        return getattr(x, name)()

    @staticmethod
    def power(x: Any, y: Any) -> Any:
        """Return a power; a whole one of any base."""
        whole = y.unique_fmpz()
        return x ** int(whole) if whole is not None and y.is_exact() else x**y

    @staticmethod
    def holds(sign: str, x: Any, y: Any) -> Any:
        """Return 1 where a comparison holds, 0 where it does not, both where that is open."""
        if sign == "==":
            certain = x.is_exact() and y.is_exact() and bool(x == y)
            refused = not x.overlaps(y)
        else:
            certain, refused = bool(SIGNS[sign](x, y)), bool(SIGNS["<" if sign == "<=" else "<="](y, x))
        return arb(1) if certain else arb(0) if refused else arb(0).union(arb(1))

    @staticmethod
    def either(condition: Any, x: Any, y: Any) -> Any:
        """Return x where the condition is not 0, y where it is, both where that is open."""
        if not condition.contains(0):
            return x
        return y if condition.is_exact() else _hull(x, y)

    @staticmethod
    def larger(x: Any, y: Any) -> Any:
        """Return the larger of two."""
        return y if not x.is_finite() and x < 0 else x if not y.is_finite() and y < 0 else x.max(y)

    @staticmethod
    def magnitude(x: Any) -> Any:
        """Return the absolute value."""
        return abs(x)


def _hull(x: Any, y: Any) -> Any:
    return x.union(y)


def array(values: Any, make: Callable[[Any], Any]) -> Array:
    """Return nested lists of numbers or texts as an object array."""
    strings = np.array(values, dtype=object)
    result = np.empty(strings.shape, dtype=object)
    for place in np.ndindex(*strings.shape):
        result[place] = make(strings[place])
    return result


def boxed(x: Any) -> Array:
    """Return ``x`` as an object array: numpy gives a scalar where there are no axes."""
    if isinstance(x, np.ndarray):
        return x
    result = np.empty((), dtype=object)
    result[()] = x
    return result


class Arrays:
    """The operations on arrays of ``numbers``: axes from 0, vectors as rows, numpy's rule for unequal shapes."""

    def __init__(self, numbers: Any) -> None:
        self.numbers = numbers

    def constant(self, text: str | float) -> Array:
        """Return a scalar."""
        return boxed(self.numbers.number(text))

    def full(self, shape: Sequence[int], value: int) -> Array:
        """Return an array of one value."""
        result = np.empty(tuple(shape), dtype=object)
        result.fill(self.numbers.number(value))
        return result

    def each(self, function: Callable[..., Any], *arrays: Any) -> Array:
        """Return a function of scalars, element by element."""
        spread = np.broadcast_arrays(*(boxed(x) for x in arrays), subok=False)
        result = np.empty(spread[0].shape, dtype=object)
        for place in np.ndindex(*result.shape):
            result[place] = function(*(x[place] for x in spread))
        return result

    def compare(self, sign: str, x: Array, y: Array) -> Array:
        """Return 1 where a comparison holds, else 0."""
        holds = self.numbers.holds
        rules: dict[str, Callable[[Any, Any], Any]] = {
            ">": lambda a, b: holds("<", b, a),
            ">=": lambda a, b: holds("<=", b, a),
            "!=": lambda a, b: 1 - holds("==", a, b),
        }
        return self.each(rules.get(sign, lambda a, b: holds(sign, a, b)), x, y)

    def apply(self, name: str, x: Array) -> Array:
        """Return a function of one variable, element by element."""
        n = self.numbers
        one, two = n.number(1), n.number(2)

        def logistic(v: Any) -> Any:
            return one / (one + n.function("exp", -v))

        rules: dict[str, Callable[[Any], Any]] = {
            "sigmoid": logistic,
            "silu": lambda v: v * logistic(v),
            "relu": lambda v: n.larger(n.number(0), v),
            "gelu": lambda v: v * (one + n.function("erf", v / n.function("sqrt", two))) / two,
            "softplus": lambda v: n.function("log", one + n.function("exp", v)),
            "log10": lambda v: n.function("log", v) / n.function("log", n.number(10)),
            "abs": n.magnitude,
            "sign": lambda v: n.holds("<", n.number(0), v) - n.holds("<", v, n.number(0)),
            "stop_gradient": lambda v: v,
        }
        return self.each(rules.get(name, lambda v: n.function(name, v)), x)

    def is_function(self, name: str) -> bool:
        """Whether `apply` knows ``name``."""
        more = {"sigmoid", "silu", "relu", "gelu", "softplus", "log10", "abs", "sign", "stop_gradient"}
        return name in FUNCTIONS or name in more

    def product(self, x: Array, y: Array) -> Array:
        """Return the matrix product; a vector is a row on the left and a column on the right."""
        return boxed(np.matmul(np.atleast_1d(x), np.atleast_1d(y)))

    def reduce(self, name: str, x: Array, axis: Any = None, keepdims: bool = False, ddof: int = 0) -> Array:
        """Return a sum, mean, var, norm, max, min over an axis, several, or everything."""
        x = boxed(x)
        axes = tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
        axes = tuple(a % x.ndim for a in axes)
        kept = tuple(1 if a in axes else size for a, size in enumerate(x.shape))
        result = np.empty(kept, dtype=object)
        for place in np.ndindex(*kept):
            part = boxed(x[tuple(slice(None) if a in axes else slice(i, i + 1) for a, i in enumerate(place))])
            result[place] = self._reduced(name, list(part.flat), ddof)
        return result if keepdims else result.reshape(tuple(s for a, s in enumerate(x.shape) if a not in axes))

    def _reduced(self, name: str, among: list[Any], ddof: int) -> Any:
        n = self.numbers
        match name:
            case "sum" | "mean":
                total = sum(among[1:], among[0])
                return total if name == "sum" else total / n.number(len(among))
            case "var":
                mean = self._reduced("mean", among, 0)
                return sum(((v - mean) ** 2 for v in among), n.number(0)) / n.number(len(among) - ddof)
            case "norm":
                return n.function("sqrt", sum((v**2 for v in among), n.number(0)))
            case "max" | "min":
                sign = n.number(1 if name == "max" else -1)
                best = sign * among[0]
                for v in among[1:]:
                    best = n.larger(best, sign * v)
                return sign * best
        raise Unclear(name)

    def along(self, name: str, x: Array, axis: int) -> Array:
        """Return softmax, log_softmax, logsumexp, cumsum, flip or argmax along an axis."""
        moved = np.moveaxis(x, axis, -1)
        drops = name in ("logsumexp", "argmax")
        result = np.empty(moved.shape[:-1] if drops else moved.shape, dtype=object)
        for place in np.ndindex(*moved.shape[:-1]):
            row = list(moved[place])
            result[place] = self._row(name, row) if drops else _list(self._row(name, row))
        return result if drops else np.moveaxis(result, -1, axis)

    def _row(self, name: str, row: list[Any]) -> Any:
        n = self.numbers
        if name == "cumsum":
            return list(itertools.accumulate(row))
        if name == "flip":
            return row[::-1]
        if name == "argmax":
            return self._argmax(row)
        powers = [n.function("exp", v) for v in row]
        total = sum(powers[1:], powers[0])
        if name == "softmax":
            return [p / total for p in powers]
        log = n.function("log", total)
        return log if name == "logsumexp" else [v - log for v in row]

    def _argmax(self, row: list[Any]) -> Any:
        n = self.numbers
        possible = []
        for k, v in enumerate(row):
            before = [n.holds("<", w, v) for w in row[:k]]
            after = [n.holds("<=", w, v) for w in row[k + 1 :]]
            if all(h != 0 if n is Points else not (h.is_exact() and h == 0) for h in [*before, *after]):
                possible.append(n.number(k))
        best = possible[0]
        for other in possible[1:]:
            best = _hull(best, other)
        return best

    def one_hot(self, x: Array, size: int) -> Array:
        """Return rows of zeros with a one at each position."""
        places = np.array([self.numbers.number(k) for k in range(size)], dtype=object)
        return self.compare("==", x[..., None], places)


def _list(values: list[Any]) -> Array:
    result = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        result[i] = value
    return result
