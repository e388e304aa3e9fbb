"""What a spec asserts: jumps and kinks, tolerances, expected numbers."""

from __future__ import annotations

from typing import Any

import pytest

from components import need_torch
from seqgen.assertions.declared import run
from seqgen.build import build
from seqgen.ledger.document import parse
from seqgen.microscope import open_microscope

PARAMETER = "title: t\ngiven: {{z: {{role: parameter, value: {at}}}}}\nsteps: |\n  L = {steps}\nchecks:\n  - {check}\n"
DIFFERENCE = "finite_difference: {of: L, tolerance: 1e-9}"


def failures(project: Any, steps: str, at: str = "1", check: str = DIFFERENCE) -> list[str]:
    """Return the failed checks of a function of one parameter."""
    return list(build(project(PARAMETER.format(at=at, steps=steps, check=check))).failed_checks)


def row(made: Any) -> dict[str, Any]:
    """Return the ledger's row of the one check."""
    (found,) = parse((made.root / "ledgers/example.json").read_text())["checks"]
    return dict(found)


@pytest.mark.parametrize(
    ("steps", "at", "sides"),
    [
        ("where(z >= 1, 5 + z, 0)", "1", (-6, 0)),
        ("where(z > 1, 5 + z, 0)", "1", (0, 6)),
        ("where(z >= 1, 5, 0)", "1", (-5, 0)),
        ("where(z >= 1, 1e-6, 0)", "1", (-1e-6, 0)),
        ("sign(z)", "0", (-1, 1)),
        ("(z == 0) + z", "0", (-1, -1)),
        ("where(z > 0.1 + 0.2, z, 1 + z)", "0.3", (0, -1)),
        ("one_hot(argmax([z, 1]), 2) @ [3, 4]", "1", (1, 0)),
        ("tanh(z) + 2 * (z < 0.5)", "0.5", (2, 0)),
    ],
)
def test_a_jump_fails_the_check_with_its_place(project: Any, steps: str, at: str, sides: tuple[float, float]) -> None:
    """Where the values beside a point stay away from the value itself there is no derivative to compare with."""
    made = project(PARAMETER.format(at=at, steps=steps, check=DIFFERENCE))
    (failed,) = build(made).failed_checks
    assert "a jump at z" in failed
    (jump,) = row(made)["jumps"]
    # The sides are worked out by hand; a step of 1e-12 beside the point changes the value itself a little.
    assert (jump["left"], jump["right"]) == pytest.approx(sides, abs=1e-11)


@pytest.mark.parametrize(
    ("steps", "at"),
    [
        ("z**2", "1"),
        ("where(z >= 1, z, 2 - z)", "0.999999"),
        ("relu(z)", "0"),
        ("abs(z)", "0"),
        ("where(z > 1, 5 + z, 0 * z)", "0.5"),
        ("sum(where([z, 2] > 1, [z, 2], 1))", "1"),
        ("exp(30 * z)", "1"),
        ("tanh(1000 * z)", "0"),
        ("0 * (z > 1) + z", "1"),
    ],
)
def test_a_continuous_function_has_no_jump(project: Any, steps: str, at: str) -> None:
    """Kinks, steep slopes, jumps elsewhere and jumps that cancel are none."""
    made = project(
        PARAMETER.format(at=at, steps=steps, check="finite_difference: {of: L, tolerance: 1e-3, relative: 1e-3}")
    )
    build(made)
    assert "jumps" not in row(made)


def test_autograd_fails_at_a_jump_too(project: Any) -> None:
    """PyTorch differentiates one side of a jump as we do, so that its agreement says nothing."""
    check = "autograd: {of: L, tolerance: 1e-9}"
    (failed,) = failures(project, "where(z >= 1, 5 + z, 0)", check=check)
    assert "a jump at z" in failed


@pytest.mark.real
def test_autograd_agrees_where_there_is_no_jump(project: Any) -> None:
    """The derivative of tanh, and the bounds in the message."""
    need_torch()
    made = project(
        PARAMETER.format(at="1", steps="tanh(z)", check="autograd: {of: L, tolerance: 1e-30, relative: 1e-12}")
    )
    microscope = open_microscope(made, "example")
    (outcome,) = run(microscope, microscope.spec.checks[0])
    assert outcome.passed
    assert "at most 1e-30 or 1e-12 of the value" in outcome.said


@pytest.mark.parametrize(("relative", "passes"), [("1e-6", True), ("1e-8", False)])
def test_a_tolerance_can_be_relative(project: Any, relative: str, passes: bool) -> None:
    """The slope is 999,999.9 and the gradient that is taken 1,000,000, which is 1e-7 of it more."""
    check = f"finite_difference: {{of: L, tolerance: 1e-30, relative: {relative}}}"
    assert bool(failures(project, "1e6 * (z - 1e-7 * stop_gradient(z))", check=check)) != passes


EXPECT = "title: t\nsteps: |\n  a = {value}\nchecks:\n  - expect: {{a: {expected}}}\n"


@pytest.mark.parametrize(
    ("value", "expected"),
    [("3", "3"), ("1/7", "1/7"), ("[1/7, 2]", "['1/7', 2]"), ("sqrt(4)", "2"), ("10 / 3", "'3.33'"), ("-1/2", "-1/2"),
     ("exp(log(3))", "3"), ("argmax([1, 5, 2])", "1"), ("0.25", "1/4")],
)  # fmt: skip
def test_an_expected_number_agrees(project: Any, value: str, expected: str) -> None:
    """Integers and quotients exactly, decimals at their digits."""
    assert not build(project(EXPECT.format(value=value, expected=expected))).failed_checks


@pytest.mark.parametrize(
    ("value", "expected", "said"),
    [
        ("3.2", "3", "a is 3.20000000000000, expected 3 exactly"),
        ("1/7 + 1/10**9", "1/7", "expected 1/7 exactly"),
        ("[1, 2.4]", "[1, 2]", "a[1] is 2.40000000000000, expected 2 exactly"),
        ("10 / 3", "'3.34'", "a is 3.33, expected 3.34"),
    ],
)
def test_an_expected_number_is_refused(project: Any, value: str, expected: str, said: str) -> None:
    """An integer is no rounding, and neither is a quotient."""
    (failed,) = build(project(EXPECT.format(value=value, expected=expected))).failed_checks
    assert said in failed


@pytest.mark.parametrize("name", ["concat", "stack"])
@pytest.mark.parametrize("terms", ["O[h] for h in range(2)", "[O[h] for h in range(2)]", "[O[0], O[1]]", "O[0], O[1]"])
def test_a_list_is_the_same_however_it_is_written(project: Any, name: str, terms: str) -> None:
    """Elements, a list, a comprehension and a generator give numpy's array."""
    import numpy as np

    axis = ", axis=1" if name == "concat" else ""
    terms = f"({terms})" if axis and terms.startswith("O[h]") else terms  # as Python asks
    spec = (
        "title: t\ngiven: {a: {value: [[1, 2], [3, 4]]}}\nsteps: |\n  for h in range(2):\n      O[h] = a + h\n"
        f"  X = {name}({terms}{axis})\n"
    )
    made = project(spec)
    assert not build(made).errors
    a = np.array([[1, 2], [3, 4]])
    join = np.concatenate if name == "concat" else np.stack
    entry = parse((made.root / "ledgers/example.json").read_text())["entries"]["X"]
    assert entry["value"] == join([a, a + 1], axis=1 if axis else 0).tolist()


UNPROVEN = """title: t
exact_limit: 0
steps: |
  d = 2 * sin(1) * cos(1) - sin(2)
  w = where(d > 0, 1, 0)
  x[0] = 0.3
  for t in range(120):
      x[t+1] = 4 * x[t] * (1 - x[t])
tables:
  t: {columns: {d: d, w: w, last: "x[120]"}}
worked:
  v: [d]
"""


@pytest.mark.parametrize(
    ("page", "marked"),
    [
        ("latex/example/table-t.tex", r"$0.0000^{?}$ & $\text{?}$ & $\text{?}$ \\"),
        ("markdown/example/table-t.md", r"| $0.0000^{?}$ | $\text{?}$ | $\text{?}$ |"),
        ("latex/example/worked-v.tex", r"\approx 0.0000^{?}"),
        ("markdown/example/worked-v.md", r"\approx 0.0000^{?}"),
    ],
)
def test_what_is_not_proven_reaches_a_page_with_a_mark_only(project: Any, page: str, marked: str) -> None:
    """Digits that enclosures bound have a mark; a chaotic map past its precision and an open choice show no digit."""
    made = project(UNPROVEN, configuration="precision_limit = 64")
    assert not build(made).errors
    text = (made.root / "build" / page).read_text()
    assert marked in text
    assert "not proven" in text


def test_a_cited_number_that_is_not_proven_has_a_mark(project: Any) -> None:
    """In math and in text, where the mark stands behind the digits."""
    made = project(UNPROVEN, configuration="precision_limit = 64")
    (made.root / "slides").mkdir()
    (made.root / "slides/a.md").write_text(
        "d is \\seq{example: d}, so $d = \\seq{example: d}$ and $w = \\seq{example: w}$\n"
    )
    build(made)
    woven = (made.root / "build/slides/a.md").read_text()
    assert woven.endswith("d is $0.0000^{?}$, so $d = 0.0000^{?}$ and $w = \\text{?}$\n")
