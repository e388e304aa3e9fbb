"""Closed forms as text and as LaTeX, exactly as sympy writes them, in less time.

sympy orders the terms of a sum of numbers by their values, which it computes anew for every sum. Here each value is
computed once, by sympy as well, so that the order is the same.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import sympy
from sympy.printing.latex import LatexPrinter
from sympy.printing.str import StrPrinter


@lru_cache(maxsize=65536)
def _value(factor: sympy.Expr) -> complex:
    return complex(factor)


def _size(term: sympy.Expr) -> float:
    """Return what `sympy.Expr.as_terms` orders a number by."""
    coefficient, rest = term.as_coeff_Mul()
    value = complex(coefficient.p / coefficient.q) if coefficient.is_Rational else complex(coefficient)
    if rest is not sympy.S.One:
        for factor in sympy.Mul.make_args(rest):
            value *= _value(factor)
    return value.real


def _ordered(form: sympy.Expr) -> list[sympy.Expr] | None:
    """Return the terms of a sum as sympy orders them, or nothing where it has an order of its own for them."""
    if len(form.args) == 2 and any(isinstance(term, (sympy.Number, sympy.NumberSymbol)) for term in form.args):
        return None
    return sorted(form.args, key=_size)


class _Text(StrPrinter):  # type: ignore[misc]
    def _as_ordered_terms(self, expr: sympy.Expr, order: Any = None) -> list[sympy.Expr]:
        return _ordered(expr) or super()._as_ordered_terms(expr, order)


class _Latex(LatexPrinter):  # type: ignore[misc]
    def _as_ordered_terms(self, expr: sympy.Expr, order: Any = None) -> list[sympy.Expr]:
        return _ordered(expr) or super()._as_ordered_terms(expr, order)


def text(form: sympy.Expr) -> str:
    """Return what ``str(form)`` gives; ``form`` holds numbers only."""
    return str(_Text().doprint(form))


def latex(form: sympy.Expr) -> str:
    """Return what ``sympy.latex(form)`` gives; ``form`` holds numbers only."""
    return str(_Latex().doprint(form))
