"""The exact reading: closed forms by sympy, kept while they are short.

Forms are built bottom-up and never simplified as a whole. A form that grows past the limit is
left out: it becomes ``nan``, which sympy carries through everything that would use it. Signs and
choices are decided by enclosures, never by sympy's assumptions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from flint import arb

from seqgen.graph.node import Node
from seqgen.readings import ball
from seqgen.readings.arrays import Array, NumpyDomain, reduce
from seqgen.readings.evaluate import Loop, evaluate

ABSENT = sympy.S.NaN
PRECISION = 256
MAX_WRITTEN = 8192
LARGEST_EXPONENT = 709
# An expanded form has at most so many terms, and a quotient that is cancelled at most so many.
MAX_TERMS = 2000
MAX_CANCELLED = 64

FUNCTIONS = {
    "exp": sympy.exp,
    "log": sympy.log,
    "tanh": sympy.tanh,
    "sin": sympy.sin,
    "cos": sympy.cos,
    "erf": sympy.erf,
}


def size(form: sympy.Expr, memo: dict[sympy.Expr, int]) -> int:
    """Return the number of operations of ``form``; a long rational counts as several."""
    stack = [form]
    while stack:
        top = stack[-1]
        if top in memo:
            stack.pop()
        elif not top.args:
            memo[top] = _digits(top) // 12 if top.is_Rational else 0
            stack.pop()
        else:
            missing = [a for a in top.args if a not in memo]
            if missing:
                stack.extend(missing)
            else:
                memo[top] = sum(memo[a] for a in top.args) + max(1, len(top.args) - 1)
                stack.pop()
    return memo[form]


def _digits(number: sympy.Rational) -> int:
    """Return the number of characters of a rational; of a very long one, which is not written out, an estimate."""
    bits = int(number.p).bit_length() + int(number.q).bit_length()
    return len(str(number)) if bits < MAX_WRITTEN else bits // 4


def enclose(form: sympy.Expr) -> Any:
    """Return a ball, or the rational, that contains the value of a form; ``None`` where it has none."""
    if form.is_Rational:
        return ball.rational(f"{form.p}/{form.q}")
    if form is sympy.pi:
        return arb.pi()
    if form is sympy.E:
        return arb(1).exp()
    if form in (sympy.oo, -sympy.oo):
        return arb.pos_inf() if form == sympy.oo else arb.neg_inf()
    parts = [enclose(a) for a in form.args]
    if not parts or any(p is None for p in parts):
        return None
    if isinstance(form, sympy.Add):
        return sum(parts[1:], parts[0])
    if isinstance(form, sympy.Mul):
        product = parts[0]
        for part in parts[1:]:
            product = product * part
        return product
    if isinstance(form, sympy.Pow):
        return ball.Balls.power(*parts)
    for name, function in FUNCTIONS.items():
        if isinstance(form, function):
            return getattr(ball.Balls, name)(parts[0])
    return None


def _function(function: Callable[[Any], Any]) -> Any:
    return np.frompyfunc(lambda x: function(sympy.sympify(x)), 1, 1)


def _exp(x: Any) -> Any:
    """Return the form of an exponential in the range of a float64; sympy would count to a larger one when it prints."""
    x = sympy.sympify(x)
    if x is ABSENT or x in (sympy.oo, -sympy.oo):
        return sympy.exp(x)
    with ball.precision(PRECISION):
        enclosure = enclose(x)
    return sympy.exp(x) if enclosure is not None and abs(arb(enclosure)) < LARGEST_EXPONENT else ABSENT


def _divide(x: Any, y: Any) -> Any:
    x, y = sympy.sympify(x), sympy.sympify(y)
    return ABSENT if y == 0 else x / y


def _power(x: Any, y: Any) -> Any:
    if x == 0 and y.is_negative:
        return ABSENT
    return x**y if not (y.is_Rational and abs(y.p) > 1000) else ABSENT


def _compare(name: str) -> Any:
    def decide(x: Any, y: Any) -> Any:
        x, y = sympy.sympify(x), sympy.sympify(y)
        if x is ABSENT or y is ABSENT:
            return ABSENT
        with ball.precision(PRECISION):
            enclosures = enclose(x), enclose(y)
            if enclosures[0] is None or enclosures[1] is None:
                return ABSENT
            verdict = ball.COMPARE[name](*enclosures)
        return sympy.Integer(int(verdict.p)) if ball.is_rational(verdict) else _same(x, y, name)

    return np.frompyfunc(decide, 2, 1)


def _same(x: sympy.Expr, y: sympy.Expr, name: str) -> sympy.Expr:
    """Decide a comparison that enclosures leave open: equal forms are equal."""
    difference = x - y
    if terms(difference) > MAX_TERMS or sympy.expand(difference) != 0:
        return ABSENT
    return sympy.Integer(name in ("equal", "greater_equal", "less_equal"))


def _choose(condition: Any, x: Any, y: Any) -> Any:
    if condition is ABSENT:
        return ABSENT
    return x if condition != 0 else y


COMPARE = {name: _compare(name) for name in ball.COMPARE}


class Exact(NumpyDomain):
    """Closed forms of at most ``limit`` operations; ``ABSENT`` where a form is left out."""

    zero = sympy.S.Zero
    sqrt = staticmethod(_function(sympy.sqrt))
    divide = staticmethod(np.frompyfunc(_divide, 2, 1))
    power = staticmethod(np.frompyfunc(_power, 2, 1))
    where = staticmethod(np.frompyfunc(_choose, 3, 1))
    exp = staticmethod(np.frompyfunc(_exp, 1, 1))
    log = staticmethod(_function(sympy.log))
    tanh = staticmethod(_function(sympy.tanh))
    sin = staticmethod(_function(sympy.sin))
    cos = staticmethod(_function(sympy.cos))
    erf = staticmethod(_function(sympy.erf))

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._sizes: dict[sympy.Expr, int] = {}
        self._cut = np.frompyfunc(self._keep, 1, 1)

    def _keep(self, form: Any) -> Any:
        form = sympy.sympify(form)
        return ABSENT if form.has(sympy.zoo) or size(form, self._sizes) > self._limit else form

    def finish(self, value: Any) -> Array:
        """Return ``value`` as an array, with forms past the limit left out."""
        array = super().finish(value)
        result = np.empty(array.shape, dtype=object)
        result[...] = self._cut(array)
        return result

    def iterate(self, loop: Loop, values: Sequence[Array]) -> Array:  # noqa: ARG002
        """Leave out what a loop gives: its forms grow with every round."""
        return np.full((len(loop.kept), 1 + sum(node.size for node in loop.state)), ABSENT, dtype=object)

    def scalar(self, text: str) -> sympy.Expr:
        """Return the rational or the constant that ``text`` writes."""
        match text:
            case "pi":
                return sympy.pi
            case "inf":
                return sympy.oo
            case "-inf":
                return -sympy.oo
        value = ball.rational(text)
        return sympy.Rational(int(value.p), int(value.q))

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
        return reduce(self._chooser("greater_equal"), x, axes, keepdims=keepdims)

    def min(self, x: Array, axes: tuple[int, ...], *, keepdims: bool) -> Any:
        """Return the minimum over ``axes``."""
        return reduce(self._chooser("less_equal"), x, axes, keepdims=keepdims)

    def _chooser(self, side: str) -> Any:
        return np.frompyfunc(lambda a, b: _choose(self.compare(side, a, b), a, b), 2, 1)

    def argmax(self, x: Array, axis: int) -> Array:
        """Return the first position of the maximum along ``axis``."""
        rows = np.moveaxis(x, axis, -1)
        result = np.empty(rows.shape[:-1], dtype=object)
        for place in np.ndindex(*result.shape):
            result[place] = self._first_largest(rows[place])
        return result

    def _first_largest(self, row: Array) -> sympy.Expr:
        best = 0
        for i in range(1, len(row)):
            verdict = self.compare("greater", row[i], row[best])
            if verdict is ABSENT:
                return ABSENT
            best = i if verdict == 1 else best
        return sympy.Integer(best)


def rational_value(form: sympy.Expr) -> Fraction | None:
    """Return the rational that a short form equals, or nothing where it is not seen to be one."""
    for rewrite in (lambda x: x, _expanded, _cancelled):
        found = rewrite(form)
        if found is not None and found.is_Rational:
            return Fraction(int(found.p), int(found.q))
    return None


def _expanded(form: sympy.Expr) -> sympy.Expr | None:
    return sympy.expand(form) if terms(form) <= MAX_TERMS else None


def _cancelled(form: sympy.Expr) -> sympy.Expr | None:
    quotient = sympy.together(form)
    return sympy.cancel(quotient) if terms(quotient) <= MAX_CANCELLED else None


def terms(form: sympy.Expr) -> int:
    """Return how many terms ``form`` has at most when it is multiplied out: (a + b + c)**n has C(n + 2, 2)."""
    match form:
        case sympy.Add():
            return sum(map(terms, form.args))
        case sympy.Mul():
            return math.prod(map(terms, form.args))
        case sympy.Pow(base=base, exp=exponent) if exponent.is_Integer and abs(exponent) > 1:
            return math.comb(int(abs(exponent)) + terms(base) - 1, int(abs(exponent)))
    return max([1, *map(terms, form.args)])


def closed_forms(nodes: Iterable[Node], limit: int, known: dict[Node, Array]) -> dict[Node, Array]:
    """Return the closed forms of ``nodes``, ``None`` where one is left out; ``known`` is extended in place."""
    evaluate(nodes, Exact(limit), known=known)
    result = {}
    for node in nodes:
        forms = np.empty(node.shape, dtype=object)
        for place in np.ndindex(*node.shape):
            form = known[node][place]
            forms[place] = None if form is ABSENT else form
        result[node] = forms
    return result
