"""Closed forms have bounds: on their work, which is counted, and at the limits of sympy and of Python's integers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from seqgen.build import build
from seqgen.microscope import Microscope
from seqgen.readings import forms
from seqgen.readings.algebra import ABSENT, Closed, Work, charged
from seqgen.readings.exact import Exact
from seqgen.readings.forms import Form

TimeLimit = Callable[[float], AbstractContextManager[None]]

NASTY = [
    "0", "-1", "1/3", "10**5000", "-10**5000", "1/10**5000", "10**308", "10**-309", "2**4000 + 1", "3**2500/7**2500",
    "2**127 - 1", "2**1279 - 1", "10**40 + 1", "999999999999999989", "1/999999999999999989", "355/113", "1001", "-1000",
]  # fmt: skip


def nasty(text: str) -> Closed:
    """Return a number of the list as a closed form."""
    return Closed(sympy.sympify(text))


numbers = st.sampled_from(NASTY).map(nasty) | st.sampled_from([sympy.pi, sympy.oo, -sympy.oo, sympy.E]).map(Closed)
UNARY = ["exp", "log", "tanh", "sin", "cos", "erf", "sqrt"]
BINARY = ["add", "subtract", "multiply", "divide", "power", "compare", "where"]
steps = st.tuples(st.sampled_from([*UNARY, *BINARY]), st.integers(0, 99), st.integers(0, 99))


def apply(name: str, x: Closed, y: Closed) -> Any:
    """Return what the exact reading makes of two numbers."""
    match name:
        case "add":
            return x + y
        case "subtract":
            return x - y
        case "multiply":
            return x * y
        case "compare":
            return Exact(1000).compare("greater", x, y)
        case "where":
            return Exact.where(x, y, x)
        case "divide" | "power":
            return getattr(Exact, name)(x, y)
    return getattr(Exact, name)(x)


@given(st.lists(numbers, min_size=2, max_size=4), st.lists(steps, min_size=1, max_size=8))
def test_limits_of_sympy_and_of_integers_mean_no_closed_form(
    values: list[Closed], program: list[tuple[str, int, int]]
) -> None:
    """Thousands of digits, large roots, enormous exponents: nothing is raised, and what can't be written is empty."""
    reading = Exact(1000)
    for name, i, j in program:
        found = reading.finish(apply(name, values[i % len(values)], values[j % len(values)])).item()
        if found.form is not ABSENT:
            form = Form({}, lambda found=found: found.form)
            assert isinstance(str(form), str)
            assert isinstance(form.latex, str)
            values = [*values, found]


@pytest.mark.parametrize("function", [*UNARY, "negative"])
def test_forms_nest_as_deep_as_python_can_go(function: str) -> None:
    """A thousand levels are left out from a level on that is the same everywhere, and no form is too deep to be written."""
    reading, value = Exact(1000), Closed(sympy.Rational(1, 3))
    for _ in range(1000):
        value = reading.finish(-value if function == "negative" else getattr(Exact, function)(value + 2)).item()
        if value.form is ABSENT:
            break
        assert str(Form({}, lambda value=value: value.form))


def test_a_long_sum_is_left_out() -> None:
    """A sum that has grown past its bound stays out, whatever is subtracted later."""
    with charged(Work(terms=10)):
        total = sum((Closed(sympy.log(n)) for n in sympy.primerange(100)), Closed(sympy.S.Zero))
    assert total.form is ABSENT


def test_work_that_is_spent_leaves_the_rest_out() -> None:
    """Four of five products are within what may be spent."""
    with charged(Work(left=4 * 3)):
        found = [Closed(sympy.log(2)) * Closed(sympy.log(3)) for _ in range(5)]
    assert [value.form is ABSENT for value in found] == [False] * 4 + [True]


SPECS = {
    "powers of sums": ["v = arange(N) + 2", "p = exp(1) + exp(2) + sqrt(2) + sqrt(v)", "q = p**10",
                       "d = q * p - (q * exp(1) + q * exp(2) + q * sqrt(2) + q * sqrt(v))"],
    "sums of logarithms": ["v = arange(N) + 2", "s = sum(log(v)) - sum(sqrt(v))", "c = cumsum(log(v))"],
    "products of matrices of roots": ["M = sqrt(reshape(arange(256), [16, 16]) + 2)", "A = M @ M @ M @ M"],
}  # fmt: skip


@pytest.mark.parametrize("lines", SPECS.values(), ids=SPECS.keys())
def test_work_is_bounded_by_the_size_of_the_spec(
    steps: Callable[..., Microscope], at_most: TimeLimit, lines: list[str]
) -> None:
    """What took minutes takes seconds: closed forms past their work are left out."""
    opened = steps(*(line.replace("N", "300") for line in lines))
    with at_most(20):
        for node in opened.everything():
            opened.prover.reals(node)
            opened.prover.believed(node)


def test_what_has_a_form_does_not_depend_on_the_order_of_the_questions(steps: Callable[..., Microscope]) -> None:
    """The work of a node is its own: asked alone or after all others, the same elements have forms."""
    lines = ["v = arange(200) + 2", "c = cumsum(log(v))", "d = c * c", "e = d + c"]
    alone, after = steps(*lines), steps(*lines)
    for node in after.everything():
        after.forms(node)
    found = [
        np.frompyfunc(lambda form: form is None or str(form), 1, 1)(opened.forms(opened.node_of("e"))).tolist()
        for opened in (alone, after)
    ]
    assert found[0] == found[1]
    assert True in found[0]
    assert set(found[0]) != {True}


def test_a_raised_limit_gives_what_a_clean_build_gives(project: Callable[..., Any]) -> None:
    """Forms that an earlier build knew are those of its own limit: after an edit of it the ledger is a clean build's."""
    spec = "title: t\nexact_limit: {}\nsteps: |\n  y = " + " + ".join(f"sqrt({n})" for n in (2, 3, 5, 7, 11, 13)) + "\n"
    edited, clean = project(spec.format(2)), project(spec.format(80))
    build(edited)
    assert '"exact"' not in (edited.root / "ledgers/example.json").read_text()
    (edited.root / "specs/example.yaml").write_text(spec.format(80))
    build(edited)
    build(clean)
    ledgers = [(made.root / "ledgers/example.json").read_text() for made in (edited, clean)]
    assert ledgers[0] == ledgers[1]
    assert '"exact"' in ledgers[0]


def test_a_raised_limit_shows_longer_forms(project: Callable[..., Any]) -> None:
    """The length up to which a form is shown grows with the limit: 25 roots take 297 characters."""
    spec = "title: t\nexact_limit: {}\nsteps: |\n  y = " + " + ".join(f"sqrt({n})" for n in PRIMES) + "\n"
    shown = []
    for limit in (120, 60):
        made = project(spec.format(limit))
        build(made)
        shown.append('"exact"' in (made.root / "ledgers/example.json").read_text())
    assert shown == [True, False]


PRIMES = list(sympy.primerange(100, 230))


@pytest.mark.parametrize(
    "change", [lambda body: body.replace("sqrt(2)", "sqrt(3)"), lambda body: body.replace("1/3", "2/3")]
)
def test_a_forged_note_of_closed_forms_reaches_no_page(
    project: Callable[..., Any], change: Callable[[str], str]
) -> None:
    """A note that is not as it was written is not read: the page shows the form that sympy finds."""
    made = project(
        "title: t\nsteps: |\n  y = sqrt(2) + 1/3\n  z = 1/3\nworked:\n  w: [y, z]\ndigits: {y: exact, z: exact}\n"
    )
    build(made)
    before = {path: path.read_text() for path in (made.root / "build/latex").rglob("*.tex")}
    note = made.root / "build/.forms/example.json"
    assert change(note.read_text()) != note.read_text()
    note.write_text(change(note.read_text()))
    forms._known.clear()  # what this process knows itself
    build(made, force=True)
    assert {path: path.read_text() for path in before} == before


def test_exact_without_a_closed_form_is_an_error(project: Callable[..., Any]) -> None:
    """Rounded digits never stand in its place, and the message has the way out."""
    made = project(
        "title: t\nexact_limit: 1\nsteps: |\n  y = sqrt(2) + sqrt(3)\nworked:\n  w: [y]\ndigits: {y: exact}\n"
    )
    (problem,) = build(made).errors
    assert problem.code == "no-closed-form"
    assert "exact_limit" in problem.hint
