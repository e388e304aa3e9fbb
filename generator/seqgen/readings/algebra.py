"""Sums, products and powers of closed forms, the same as sympy's own, in less time.

sympy asks of every factor whether it is zero, finite or real, and evaluates it to find out. Here forms are put together
by the rules that it has for rationals, sums, functions and pi, which need no answer. A product with anything else in
it, such as the root of a rational, is left to sympy.

The work is bounded: a form is left out where it is past a bound of its own, past what may be spent on the node that it
belongs to, or past what sympy and Python can do.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cmp_to_key
from typing import Any

import numpy as np
import sympy

# What is left out: every step that uses it is left out, too.
ABSENT = sympy.S.NaN

# The numerator and the denominator of a rational have at most so many bits: Python writes integers of 4,300 digits.
MAX_BITS = 13_000
# What an operator of sympy itself costs, in arguments of forms put together here
LEFT_TO_SYMPY = 32
# What sympy and Python raise at their own limits
INTERNAL = (ArithmeticError, MemoryError, NotImplementedError, RecursionError, ValueError)

# The order in which sympy keeps terms and factors
canonical = cmp_to_key(sympy.Basic.compare)


@dataclass(kw_only=True)
class Work:
    """What may still be done: so many arguments of forms put together, sums of at most so many terms."""

    left: float = math.inf
    terms: float = math.inf

    def keeps(self, form: sympy.Expr) -> bool:
        """Charge what ``form`` has cost, and return whether it is kept."""
        self.left -= 1 + len(form.args)
        if form.is_Rational:
            return bits(form) <= MAX_BITS
        if form is sympy.zoo or self.left < 0 or (form.is_Add and len(form.args) > self.terms):
            return False
        numbers = (part.args[0] if part.is_Mul else part for part in form.args)
        return all(bits(number) <= MAX_BITS for number in numbers if number.is_Rational)


_UNBOUNDED = Work()
_work: ContextVar[Work] = ContextVar("work", default=_UNBOUNDED)


@contextmanager
def charged(work: Work) -> Iterator[None]:
    """Charge ``work`` with the forms that are put together meanwhile."""
    before = _work.set(work)
    try:
        yield
    finally:
        _work.reset(before)


def bits(number: sympy.Rational) -> int:
    """Return the bits of the longer one of numerator and denominator."""
    return max(int(number.p).bit_length(), int(number.q).bit_length())


class Closed:
    """A closed form that numpy can compute with: ``form`` is its expression."""

    __slots__ = ("form",)

    def __init__(self, form: sympy.Expr) -> None:
        self.form = form

    def __add__(self, other: Any) -> Closed:
        return closed(add, self.form, form_of(other))

    def __radd__(self, other: Any) -> Closed:
        return closed(add, form_of(other), self.form)

    def __sub__(self, other: Any) -> Closed:
        return closed(subtract, self.form, form_of(other))

    def __rsub__(self, other: Any) -> Closed:
        return closed(subtract, form_of(other), self.form)

    def __mul__(self, other: Any) -> Closed:
        return closed(multiply, self.form, form_of(other))

    def __rmul__(self, other: Any) -> Closed:
        return closed(multiply, form_of(other), self.form)

    def __neg__(self) -> Closed:
        return closed(negative, self.form)

    def _sympy_(self) -> sympy.Expr:
        return self.form


def form_of(value: Any) -> sympy.Expr:
    """Return the expression of a closed form or of an integer."""
    return value.form if type(value) is Closed else sympy.Integer(value)


def closed(function: Callable[..., sympy.Expr], *forms: sympy.Expr) -> Closed:
    """Return what ``function`` makes of forms; ``ABSENT`` where it has no value, or is more than may be done."""
    try:
        found = function(*forms)
        return Closed(found if _work.get().keeps(found) else ABSENT)
    except INTERNAL:
        return Closed(ABSENT)


def elementwise(function: Callable[..., sympy.Expr], arguments: int) -> np.ufunc:
    """Return ``function`` of so many expressions as one of arrays of closed forms."""
    return np.frompyfunc(lambda *values: closed(function, *map(form_of, values)), arguments, 1)  # type: ignore[no-any-return]


def add(x: sympy.Expr, y: sympy.Expr) -> sympy.Expr:
    """Return ``x + y``."""
    if x.is_Rational and y.is_Rational:
        return x + y
    if x is ABSENT or y is ABSENT:
        return ABSENT
    number = sympy.S.Zero
    coefficients: dict[sympy.Expr, sympy.Rational] = {}
    for term in (*sympy.Add.make_args(x), *sympy.Add.make_args(y)):
        coefficient, rest = term.as_coeff_Mul()
        if not coefficient.is_Rational:
            return _left_to_sympy(operator.add, x, y)
        if rest is sympy.S.One:
            number += coefficient
        else:
            coefficients[rest] = coefficients.get(rest, sympy.S.Zero) + coefficient
    return _sum(number, [_term(c, rest) for rest, c in coefficients.items() if c])


def subtract(x: sympy.Expr, y: sympy.Expr) -> sympy.Expr:
    """Return ``x - y``."""
    return add(x, negative(y))


def _term(coefficient: sympy.Rational, rest: sympy.Expr) -> sympy.Expr:
    """Return a term of a sum: where ``rest`` is a sum itself, the coefficient is not distributed."""
    if coefficient is sympy.S.One:
        return rest
    return sympy.Mul(coefficient, *(rest.args if rest.is_Mul else (rest,)), evaluate=False)


def _sum(number: sympy.Rational, terms: list[sympy.Expr]) -> sympy.Expr:
    terms.sort(key=canonical)
    if number:
        terms.insert(0, number)
    return sympy.Add(*terms, evaluate=False) if len(terms) > 1 else terms[0] if terms else sympy.S.Zero


def multiply(x: sympy.Expr, y: sympy.Expr) -> sympy.Expr:
    """Return ``x * y``."""
    if x is ABSENT or y is ABSENT:
        return ABSENT
    if x.is_Rational or y.is_Rational:
        return scale(x, y) if x.is_Rational else scale(y, x)
    (c, xs), (d, ys) = x.as_coeff_mul(), y.as_coeff_mul()
    powers = _powers((*xs, *ys))
    return _left_to_sympy(operator.mul, x, y) if powers is None else _product(c * d, powers)


def negative(form: sympy.Expr) -> sympy.Expr:
    """Return ``-form``."""
    return scale(sympy.S.NegativeOne, form)


def scale(number: sympy.Rational, form: sympy.Expr) -> sympy.Expr:
    """Return ``number * form``, with a number distributed over a sum."""
    if form.is_Number:
        return number * form
    coefficient, rest = form.as_coeff_Mul()
    if not coefficient.is_Rational or (not number and _powers(rest.as_coeff_mul()[1]) is None):
        return number * form
    if not number:
        return sympy.S.Zero
    if form.is_Add:
        first, terms = form.as_coeff_add()
        return _sum(number * first, [scale(number, term) for term in terms])
    return _term(number * coefficient, rest)


def power(base: sympy.Expr, exponent: sympy.Expr) -> sympy.Expr:
    """Return ``base**exponent``."""
    if exponent.is_Integer and not base.is_Number:
        coefficient, factors = base.as_coeff_mul()
        powers = _powers(factors)
        if powers is not None:
            return _product(coefficient**exponent, [(b, scale(exponent, e)) for b, e in powers])
    return _left_to_sympy(operator.pow, base, exponent)


def _left_to_sympy(
    operation: Callable[[sympy.Expr, sympy.Expr], sympy.Expr], x: sympy.Expr, y: sympy.Expr
) -> sympy.Expr:
    """Return what sympy's own operator gives, which takes the time of many forms put together here."""
    _work.get().left -= LEFT_TO_SYMPY
    return operation(x, y)


def _powers(factors: Iterable[sympy.Expr]) -> list[tuple[sympy.Expr, sympy.Expr]] | None:
    """Return the bases and exponents of factors, or nothing where one is to be left to sympy."""
    powers = []
    for factor in factors:
        base, exponent = factor.as_base_exp()
        is_plain = base.is_Add or base.is_Function or base.is_NumberSymbol
        if not is_plain or not (exponent.is_Rational or base is sympy.E):
            return None
        powers.append((base, exponent))
    return powers


def _product(coefficient: sympy.Rational, powers: Sequence[tuple[sympy.Expr, sympy.Expr]]) -> sympy.Expr:
    """Return a product of powers: exponents of a base are added where they are multiples of the same number."""
    gathered: dict[tuple[sympy.Expr, sympy.Expr], sympy.Rational] = {}
    for base, exponent in powers:
        count, rest = exponent.as_coeff_Mul()
        gathered[base, rest] = gathered.get((base, rest), sympy.S.Zero) + count
    factors = [_power(base, scale(count, rest)) for (base, rest), count in gathered.items() if count]
    if len(factors) == 1:
        return scale(coefficient, factors[0])
    factors.sort(key=canonical)
    if coefficient is not sympy.S.One:
        factors.insert(0, coefficient)
    return sympy.Mul(*factors, evaluate=False) if factors else coefficient


def _power(base: sympy.Expr, exponent: sympy.Expr) -> sympy.Expr:
    if exponent is sympy.S.One:
        return base
    return sympy.exp(exponent, evaluate=False) if base is sympy.E else sympy.Pow(base, exponent, evaluate=False)
