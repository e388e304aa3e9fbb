"""What a page says in LaTeX is true: formulas, numbers put in and results are equal, as an independent reader has them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings

from arraywise import Arrays, Points, array, boxed
from latexreader import Reader, Unreadable
from seqgen.microscope import Microscope, open_microscope
from seqgen.pages.views import Views
from seqgen.project import Project
from statements import Found, Law, faults, shipped
from strategies import EXPRESSION_ARRAYS, expressions

ROOT = Path(__file__).parents[1]
ARRAYS = Arrays(Points)
GIVEN = {name: str(value) for name, value in EXPRESSION_ARRAYS.items()}
SHAPED = {**GIVEN, "A": f"{GIVEN['A']}, shape: [T, D]"}


@pytest.mark.parametrize("name", list(shipped(ROOT)))
def test_every_formula_and_line_of_a_shipped_spec_is_true(name: str) -> None:
    """Symbols, numbers put in and printed results have the ledger's value."""
    assert faults(open_microscope(Project(ROOT), name)).faults == []


@settings(max_examples=60)
@given(expressions())
def test_the_formula_of_any_expression_is_true(steps: Callable[..., Microscope], expression: str) -> None:
    """An expression of the language is typeset so that it is read as it is computed."""
    assert faults(steps("q = " + expression, "L = sum(q * q)", given=SHAPED)).faults == []


@pytest.mark.parametrize(
    ("step", "latex"),
    [
        ("norm(A)", r"\left\lVert A \right\rVert_F"),
        ("norm(u)", r"\left\lVert u \right\rVert_2"),
        ("norm(A, axis=-1)", r"\left\lVert A \right\rVert_{2,\text{axis 1}}"),
        ("A - mean(A, axis=1, keepdims=1)", r"A - \operatorname{mean}_{\text{axis 1, kept}}(A)"),
        ("permute(A, (1, 0))", r"\operatorname{permute}_{(1, 0)}(A)"),
        ("one_hot(s > 0, size=3)", r"\operatorname{one\_hot}_{3}(\mathbf{1}\left[s > 0\right])"),
        ("argmax(A)", r"\operatorname{argmax}_{\text{axis 1}}(A)"),
        ("(s > r) + 1", r"\mathbf{1}\left[s > r\right] + 1"),
        ("tanh(s)**2", r"(\tanh(s))^{2}"),
        ("-s**2", r"-s^{2}"),
        ("(-s)**2", r"(-s)^{2}"),
        ("stack(A, C)", r"\left(A, C\right)"),
        ("(A @ u) @ G", r"(A \, u) \, G"),
    ],
)
def test_a_formula_says_all_that_its_value_needs(steps: Callable[..., Microscope], step: str, latex: str) -> None:
    """Which norm, which axis, which order, and where a power or a comparison ends."""
    microscope = steps("q = " + step, given=GIVEN)
    assert next(v.formula for v in Views(microscope=microscope).values() if v.key == "q") == latex


@pytest.mark.parametrize(
    ("latex", "value"),
    [
        ("-2^{2}", -4),
        (r"(-2)^{2} - 3 \cdot 2", -2),
        (r"\sum (1, 2) \cdot 3", 9),
        (r"\frac{1}{\frac{1}{4}}", 4),
        (r"(1, 2) \cdot (3, 4)", 11),
        (r"\begin{bmatrix}1 & 2\\3 & 4\end{bmatrix} \, (1, 1)", [3, 7]),
        (r"(1, 2)^\top \, (3, 4)", [[3, 4], [6, 8]]),
        (r"\mathbf{1}\left[2 > 1\right] + 1", 2),
        (r"\left\lVert \begin{bmatrix}3 & 0\\0 & 4\end{bmatrix} \right\rVert_F", 5),
        (r"\left[(1) \mid (2)\right]", [1, 2]),
        (r"(1, 2)^\top \cdot (3, 4)", [[3, 4], [6, 8]]),
    ],
)
def test_the_reader_reads_as_mathematics_is_read(latex: str, value: Any) -> None:
    """Precedence, fractions, sums and products have their usual meaning."""
    assert np.array_equal(Reader(ARRAYS, {}).read(latex), array(value, ARRAYS.numbers.number))


@pytest.mark.parametrize(
    ("sign", "printed", "value", "holds"),
    [
        (r"\approx", "0.50", "0.5049", True),
        (r"\approx", "0.50", "0.5051", False),
        ("=", "0.50", "0.5001", False),
        (r"\approx", "0.50^{?}", "0.509", True),
        (r"\approx", "0.50^{?}", "0.511", False),
        (r"\approx", r"{5.0\times10^{-3}}^{?}", "0.00509", True),
        (r"\approx", r"\text{?}", "7", True),
    ],
)
def test_a_rounded_number_stands_for_all_that_it_is_printed_for(
    steps: Callable[..., Microscope], sign: str, printed: str, value: str, holds: bool
) -> None:
    """After ``=`` it is itself, after ``≈`` half a unit either way, and a whole one where it is not proven."""
    law = Law(steps("q = 1"), Found())
    law.printed("q", printed, sign, boxed(arb(value)))
    assert (law.found.faults == []) is holds


@pytest.mark.parametrize(("digits", "holds"), [(0, True), (4, False)])
def test_an_integer_is_rounded_only_where_a_spec_prints_integers(
    microscope: Callable[..., Microscope], digits: int, holds: bool
) -> None:
    """3 may stand for 3.2 where no decimals are printed, and for itself where four are."""
    opened = microscope(
        f"title: t\ngiven: {{a: {{value: 3.2}}}}\nsteps: |\n  q = 2 * a\ndigits: {{default: {digits}}}\n"
    )
    law = Law(opened, Found())
    law.put_in("q", r"\approx", r"2 \cdot 3", r"2 \cdot a", boxed(arb("6.4")))
    assert (law.found.faults == []) is holds


@pytest.mark.parametrize(
    "latex",
    [
        r"\tanh(1)^{2}",
        r"1 + - 2",
        r"2 > 1",
        r"\begin{bmatrix}1 & 2\\3 & 4\end{bmatrix}^{2}",
        r"\left\lVert \begin{bmatrix}1 & 2\\3 & 4\end{bmatrix} \right\rVert_2",
        r"\operatorname{argmax}\left(\begin{bmatrix}1 & 2\\3 & 4\end{bmatrix}\right)",
    ],
)
def test_the_reader_refuses_what_can_be_read_in_two_ways(latex: str) -> None:
    """A page that a reader could misunderstand fails the law."""
    with pytest.raises(Unreadable):
        Reader(ARRAYS, {}).read(latex)
