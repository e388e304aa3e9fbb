"""Closed forms are written as sympy itself writes them."""

from __future__ import annotations

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from seqgen.readings import writing

rationals = st.fractions(min_value=-3, max_value=3, max_denominator=12).map(
    lambda x: sympy.Rational(x.numerator, x.denominator)
)
constants = st.sampled_from([sympy.pi, sympy.E, sympy.sqrt(2), sympy.sqrt(3) / 2])


def larger(forms: st.SearchStrategy[sympy.Expr]) -> st.SearchStrategy[sympy.Expr]:
    """Return sums, products and functions of ``forms``."""
    functions = st.sampled_from([sympy.exp, sympy.tanh, sympy.sin, sympy.cos])
    return st.one_of(
        st.lists(forms, min_size=2, max_size=4).map(lambda parts: sympy.Add(*parts)),
        st.tuples(forms, forms).map(lambda pair: pair[0] * pair[1]),
        st.tuples(functions, forms).map(lambda pair: pair[0](pair[1])),
        forms.map(lambda form: form**2),
    )


@given(st.recursive(rationals | constants, larger, max_leaves=8))
def test_text_and_latex_are_those_of_sympy(form: sympy.Expr) -> None:
    """Terms stand in the order that sympy gives them."""
    assert writing.text(form) == str(form)
    assert writing.latex(form) == sympy.latex(form)


@pytest.mark.parametrize(
    "form",
    [
        1 - sympy.tanh(sympy.Rational(1, 20)) ** 2,
        sympy.exp(-1) / (1 + sympy.exp(-1) + sympy.exp(sympy.Rational(1, 2))),
        2 - 3 * sympy.pi,
        sympy.E + 1,
    ],
    ids=str,
)
def test_forms_that_sympy_orders_by_a_rule_of_its_own(form: sympy.Expr) -> None:
    """A positive number and a negative product are written in the order of their signs."""
    assert writing.text(form) == str(form)
    assert writing.latex(form) == sympy.latex(form)
