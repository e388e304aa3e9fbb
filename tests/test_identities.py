"""Numbers that are shown to be rational by polynomials in what is not: zeros that no precision decides."""

from __future__ import annotations

import ast
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
import sympy
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from seqgen.microscope import Microscope
from seqgen.readings import ball
from seqgen.readings.identities import Identities
from seqgen.readings.polynomials import Ring, Spent, constant, constant_of

HEAD = {"x": "[0.3, -0.7, 1.1]", "y": "[0, 1, 0]", "W": "[[1, 2], [0.5, -1], [0.25, 3]]", "b": "[0.1]", "c": "0.7"}

# Each is zero by an identity of real numbers: a proof on paper is one line.
ZEROS = {
    "the logits' gradient of a cross-entropy sums to zero": ["L = -log(softmax(x)[1])", "sum(grad(L, x))"],
    "so does that of a log_softmax": ["L = -sum(y * log_softmax(x))", "sum(grad(L, x))"],
    "and that of any function of a softmax": ["p = softmax(x)", "L = sum(tanh(p @ W)**2)", "sum(grad(L, x))"],
    "a bias of all logits has no gradient": ["L = -log(softmax(tanh(x) + b)[1])", "sum(grad(L, b))"],
    "equal signals cancel in a softmax": ["L = sum(c * softmax(tanh(x)))", "sum(abs(grad(L, x)))"],
    "one permitted source has no gradient": [
        "s = x + [0, -inf, -inf]",
        "L = tanh(sum(softmax(s) * tanh(x)))",
        "sum(abs(grad(L, s)))",
    ],
    "a gradient less its only use": ["h = tanh(x)", "L = sum(exp(h @ W))", "sum(grad(L, h) - grad(L, h))"],
    "centred numbers sum to zero": ["h = exp(x)", "sum(h - mean(h))"],
    "normalised ones have the norm one": ["h = exp(x)", "norm(h / norm(h)) - 1"],
    "and the variance one": ["h = tanh(x)", "g = (h - mean(h)) / sqrt(var(h))", "mean(g**2) - 1"],
    "a rotation keeps a square": ["(cos(c) * x[0] - sin(c) * x[1])**2 + (sin(c) * x[0] + cos(c) * x[1])**2 - 0.58"],
    "a logistic and its mirror": ["sigmoid(tanh(c)) + sigmoid(-tanh(c)) - 1"],
    "logarithms of products": ["log(12) - log(3) - 2 * log(2)"],
    "a logarithm of an exponential": ["log(exp(tanh(c))) - tanh(c)"],
    "an exponential of a logarithm": ["exp(2 * log(tanh(c))) - tanh(c)**2"],
    "roots of products": ["sqrt(6) - sqrt(2) * sqrt(3)"],
    "a fraction of a sum and itself": ["h = exp(x)", "1 / sum(h) - h[0] / sum(h * h[0])"],
    "the larger of two equal numbers": ["maximum(exp(c) * exp(-c), 1) - 1"],
}


@pytest.mark.parametrize("written", ZEROS.values(), ids=ZEROS.keys())
def test_an_identity_is_proven_without_closed_forms(steps: Callable[..., Microscope], written: list[str]) -> None:
    """Polynomials decide it, where closed forms are left out and no precision can."""
    *lines, text = written
    opened = steps(*lines, given=HEAD, configuration="exact_limit = 0")
    found = opened.prover.reals(opened.node_of(text))
    assert (found.values.tolist(), found.proven) == (0.0, True)


NO_ZEROS = [
    "sqrt((c - 1)**2) - (c - 1)",  # |c - 1| is 1 - c
    "exp(c + 1e-90) - exp(c)",
    "sigmoid(c) + sigmoid(-c) - 1 + 1e-80",
    "sin(c)**2 - cos(c)**2 - 1",
    "log(12) - log(3) - log(2)",
    "sum(softmax(x)[0:2]) - 1",
    "cos(c) - cos(-c) + sin(c) - sin(-c)",
    "tanh(c) - tanh(-c)",
    "(tanh(c) * -1)**2 - tanh(c)",
]


@pytest.mark.parametrize("text", NO_ZEROS)
def test_what_is_not_zero_is_not_taken_for_zero(steps: Callable[..., Microscope], text: str) -> None:
    """Identities that hold under a condition alone are not used without it."""
    opened = steps("k = c", given=HEAD, configuration="exact_limit = 0")
    assert opened.prover.reals(opened.node_of(text)).values.item() != 0


ATOMS = {"e": sympy.E, "r": sympy.sqrt(2), "t": sympy.Symbol("t"), "u": sympy.Symbol("u")}


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> str:
    """Return an expression over ``ATOMS`` with sums, products, quotients by sums of squares, and whole powers."""
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from([*ATOMS, "1", "2", "(-1)", "(3 / 5)"]))
    a, b = draw(expressions(depth - 1)), draw(expressions(depth - 1))
    pattern = draw(st.sampled_from(["({} + {})", "({} - {})", "({} * {})", "({}**2 * {})", "({} / (1 + {}**2))"]))
    return pattern.format(a, b)


@given(text=expressions())
def test_a_polynomial_is_zero_only_where_sympy_says_so(text: str) -> None:
    """E, the root of two and two unknown numbers: a quotient of polynomials in them is zero where sympy cancels it."""
    domain = Identities()
    domain.ring.left = 100_000
    with ball.precision(256):
        known = {name: domain.tanh(domain.scalar(value)) for name, value in {"t": "3/7", "u": "2/9"}.items()}
        known |= {"e": domain.exp(domain.scalar("1")), "r": domain.sqrt(domain.scalar("2"))}
        value = _evaluated(text, domain, known)
    form = sympy.cancel(sympy.sympify(text, locals=ATOMS), extension=True)
    expected = Fraction(form.p, form.q) if form.is_Rational else None
    found = value.rational()
    assert (None if found is None else Fraction(int(found.p), int(found.q))) == expected


def _evaluated(text: str, domain: Identities, known: dict[str, Any]) -> Any:
    """Return the number of an expression, whose Python meaning is its own."""

    def value(node: ast.expr) -> Any:
        match node:
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return value(left) + value(right)
            case ast.BinOp(left=left, op=ast.Sub(), right=right):
                return value(left) - value(right)
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                return value(left) * value(right)
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return domain.divide(value(left), value(right))
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                return domain.power(value(left), value(right))
            case ast.UnaryOp(operand=operand):
                return -value(operand)
            case ast.Name(id=name):
                return known[name]
            case ast.Constant(value=number):
                return domain.scalar(str(number))
        raise AssertionError(ast.dump(node))

    return value(ast.parse(text, mode="eval").body)


def test_work_is_bounded_by_the_size_of_a_node() -> None:
    """What needs more is an atom: (a + b + c + d)**60 has 39,711 terms."""
    ring = Ring()
    ring.left = 5000
    total = constant(0)
    for name in "abcd":
        total = ring.add(total, ring.atom(name))
    with pytest.raises(Spent):
        ring.power(total, Fraction(60), positive=True)
    assert ring.left < 0


def test_a_product_of_equal_roots_is_the_number() -> None:
    """The cube of the cube root of 12/35 is 12/35."""
    ring = Ring()
    ring.left = 1000
    root = ring.power(constant(fmpq(12, 35)), Fraction(1, 3), positive=True)
    assert constant_of(ring.multiply(root, ring.multiply(root, root))) == fmpq(12, 35)
