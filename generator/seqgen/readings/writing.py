"""Closed forms as text and as LaTeX, exactly as sympy writes them, in less time.

sympy orders the terms of a sum of numbers by their values, which it computes anew for every sum, and writes a form anew
wherever it stands. Here each value is computed once, and each form is placed and written once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import sympy
from flint import arb
from sympy.printing.latex import LatexPrinter
from sympy.printing.str import StrPrinter

from seqgen.readings.exact import enclose


@lru_cache(maxsize=65536)
def _value(factor: sympy.Expr) -> complex:
    enclosure = enclose(factor)
    return complex(factor) if enclosure is None else complex(float(arb(enclosure)))


def _size(term: sympy.Expr) -> float:
    """Return what `sympy.Expr.as_terms` orders a number by."""
    coefficient, rest = term.as_coeff_Mul()
    value = complex(coefficient.p / coefficient.q) if coefficient.is_Rational else complex(coefficient)
    if rest is not sympy.S.One:
        for factor in sympy.Mul.make_args(rest):
            value *= _value(factor)
    return value.real


def _is_number(form: sympy.Expr) -> bool:
    return isinstance(form, (sympy.Number, sympy.NumberSymbol))


def _ordered(form: sympy.Expr) -> list[sympy.Expr]:
    """Return the terms of a sum as sympy orders them: by value, but a positive number before -c*x alone."""
    first, *others = sorted(form.args, key=lambda term: not _is_number(term))
    if len(others) == 1 and _is_number(first) and first.is_positive and others[0].is_Mul:
        coefficient, *factors = others[0].args
        if len(factors) == 1 and coefficient.is_Number and coefficient.is_negative:
            return [first, others[0]]
    return sorted(form.args, key=_size)


@lru_cache(maxsize=65536)
def _place(factor: sympy.Expr) -> tuple[Any, ...]:
    """Return what `sympy.Expr.sort_key` orders the factors of a product by."""
    if factor.is_Number:
        return tuple(factor.sort_key())
    coefficient, rest = factor.as_coeff_Mul()
    base, exponent = rest.args if rest.is_Pow else (rest, sympy.S.One)
    parts = _ordered(base) if base.is_Add else _factors(base) if base.is_Mul else base.args
    places = tuple(map(_place, parts)) if parts else (str(base),)
    return base.class_key(), (len(places), places), _place(exponent), coefficient


def _factors(form: sympy.Expr) -> list[sympy.Expr]:
    """Return the factors of a product as sympy orders them."""
    return sorted(form.args, key=_place)


class _Text(StrPrinter):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__({"order": "none"})
        self._once = lru_cache(maxsize=65536)(super()._print)

    def _print(self, expr: sympy.Expr, **kwargs: Any) -> str:
        return str(self._once(expr, **kwargs))

    def _as_ordered_terms(self, expr: sympy.Expr, order: Any = None) -> list[sympy.Expr]:  # noqa: ARG002
        return _ordered(expr)

    def _print_Mul(self, expr: sympy.Expr) -> str:  # noqa: N802
        return str(super()._print_Mul(sympy.Mul(*_factors(expr), evaluate=False)))


class _Latex(LatexPrinter):  # type: ignore[misc]
    def _as_ordered_terms(self, expr: sympy.Expr, order: Any = None) -> list[sympy.Expr]:  # noqa: ARG002
        return _ordered(expr)


_TEXT = _Text()


def text(form: sympy.Expr) -> str:
    """Return what ``str(form)`` gives; ``form`` holds numbers only."""
    return str(_TEXT.doprint(form))


def latex(form: sympy.Expr) -> str:
    """Return what ``sympy.latex(form)`` gives; ``form`` holds numbers only."""
    return str(_Latex().doprint(form))
