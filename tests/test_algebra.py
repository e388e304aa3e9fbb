"""Closed forms are put together as sympy itself puts them together."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from seqgen.readings import writing
from seqgen.readings.algebra import ABSENT, Closed
from seqgen.readings.exact import Exact

ONE_ARGUMENT: dict[str, Callable[[sympy.Expr], sympy.Expr]] = {
    "exp": sympy.exp,
    "tanh": sympy.tanh,
    "erf": sympy.erf,
    "log": sympy.log,
    "sqrt": sympy.sqrt,
}
MOST_OPERATIONS = 40

rationals = st.fractions(min_value=-3, max_value=3, max_denominator=6).map(
    lambda x: sympy.Rational(x.numerator, x.denominator)
)
leaves = rationals | st.sampled_from([sympy.pi, sympy.E, sympy.sqrt(2), sympy.exp(2), sympy.tanh(1)])
operations = st.sampled_from(["+", "-", "*", "/", "negative", "square", "cube", *ONE_ARGUMENT])
steps = st.tuples(operations, st.integers(0, 99), st.integers(0, 99))


def ours(name: str, x: sympy.Expr, y: sympy.Expr) -> sympy.Expr:
    """Return what the exact reading makes of two numbers, or of the first alone."""
    a, b = Closed(x), Closed(y)
    match name:
        case "+":
            return (a + b).form
        case "-":
            return (a - b).form
        case "*":
            return (a * b).form
        case "/":
            return Exact.divide(a, b).form
        case "negative":
            return (-a).form
        case "square" | "cube":
            return Exact.power(a, 2 if name == "square" else 3).form
    return getattr(Exact, name)(a).form


def theirs(name: str, x: sympy.Expr, y: sympy.Expr) -> sympy.Expr:
    """Return what sympy's own operators and functions make of them."""
    match name:
        case "+":
            return x + y
        case "-":
            return x - y
        case "*":
            return x * y
        case "/":
            return x / y
        case "negative":
            return -x
        case "square" | "cube":
            return x ** (2 if name == "square" else 3)
    return ONE_ARGUMENT[name](x)


@given(st.lists(leaves, min_size=2, max_size=4), st.lists(steps, min_size=5, max_size=12))
def test_forms_are_those_of_sympy(numbers: list[sympy.Expr], program: list[tuple[str, int, int]]) -> None:
    """Each step of a computation gives the expression, and the text, that sympy's own operators give."""
    for name, i, j in program:
        x, y = numbers[-1 - i % len(numbers)], numbers[-1 - j % len(numbers)]
        if (name == "/" and y == 0) or (name in ("log", "sqrt") and not x.evalf() > 0):
            continue
        form = ours(name, x, y)
        if form is ABSENT or sympy.count_ops(form) > MOST_OPERATIONS:
            continue
        expected = theirs(name, x, y)
        assert form == expected
        assert writing.text(form) == str(expected)
        numbers = [*numbers, form]


SUM = sympy.exp(2) + sympy.tanh(1)
ROOT = sympy.sqrt(SUM)
KEPT = sympy.Mul(3, SUM, evaluate=False)


@pytest.mark.parametrize(
    ("name", "x", "y"),
    [
        ("*", 3 * ROOT, ROOT),
        ("*", ROOT, 1 / ROOT),
        ("*", KEPT, sympy.Rational(1, 3)),
        ("*", KEPT, sympy.Rational(2, 5)),
        ("+", KEPT, -2 * SUM),
        ("+", KEPT, sympy.Mul(-2, SUM, evaluate=False)),
        ("/", 6 * sympy.exp(SUM), 3 * sympy.exp(2 * SUM)),
        ("*", sympy.exp(SUM), sympy.exp(-SUM)),
        ("*", sympy.E, sympy.exp(sympy.Rational(-1, 2))),
        ("/", sympy.sqrt(6) * SUM, sympy.sqrt(3)),
        ("*", sympy.oo, SUM),
        ("*", sympy.Integer(0), SUM),
        ("+", sympy.oo, SUM),
        ("square", -ROOT, ROOT),
        ("cube", sympy.sqrt(2) * SUM, ROOT),
        ("exp", sympy.Integer(0), ROOT),
        ("exp", 1 + 2 * sympy.log(3), ROOT),
        ("exp", -sympy.oo, ROOT),
        ("log", sympy.exp(SUM), ROOT),
        ("log", sympy.Rational(1, 3), ROOT),
        ("log", SUM / sympy.exp(5), ROOT),
        ("tanh", -SUM, ROOT),
        ("tanh", 1 - SUM, ROOT),
    ],
    ids=str,
)
def test_rules_that_are_seldom_needed(name: str, x: sympy.Expr, y: sympy.Expr) -> None:
    """Roots that cancel, sums that are kept whole, infinities, and functions of their inverses."""
    assert ours(name, x, y) == theirs(name, x, y)
    assert writing.text(ours(name, x, y)) == str(theirs(name, x, y))


def test_functions_of_functions_take_linear_time() -> None:
    """A recurrence of thirty steps has its form at once; sympy's own evaluation takes twice as long for each step."""
    half, state = Closed(sympy.Rational(1, 2)), Closed(sympy.Rational(1, 10))
    for _ in range(30):
        state = Exact.tanh(state * half + half)
    assert writing.text(state.form).count("tanh") == 30
