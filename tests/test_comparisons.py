"""The page of independent checks: what is compared, how far apart, and how far at most."""

from __future__ import annotations

from typing import Any

import pytest

from components import need_torch
from seqgen.assertions.declared import run
from seqgen.build import build
from seqgen.microscope import open_microscope
from seqgen.typeset.numbers import scientific

SPEC = "title: t\ngiven: {{z: {{role: parameter, value: {at}}}}}\nsteps: |\n  L = {steps}\nchecks:\n  - {check}\n"


def page(project: Any, steps: str, check: str, at: str = "1") -> str:
    """Return the Markdown page of checks of a function of one parameter."""
    made = project(SPEC.format(at=at, steps=steps, check=check))
    assert not build(made).errors
    text: str = (made.root / "build/markdown/example/checks.md").read_text()
    return text


def test_the_largest_difference_is_that_of_the_definition(project: Any) -> None:
    """((1 + h)^3 - (1 - h)^3) / 2h is 3 + h^2, which is h^2 away from the derivative of z^3 at 1."""
    shown = page(project, "z**3", "finite_difference: {of: L, step: 1e-6, tolerance: 2.5e-9}")
    assert r"| $L$ | $1$ | $\text{central differences},\ \epsilon=10^{-6}$ | $10^{-12}$ | $2.5\times10^{-9}$ |" in shown


def test_what_differs_between_machines_is_given_by_its_bound(project: Any) -> None:
    """The page of a comparison with PyTorch is the same whether PyTorch is installed or not."""
    shown = page(project, "z**3", "autograd: {of: L, tolerance: 1e-14, release: 2.13.0}")
    assert r"| $L$ | $1$ | $\text{PyTorch 2.13.0 autograd}$ | $\le 10^{-14}$ | $10^{-14}$ |" in shown


def test_a_relative_tolerance_is_said_to_be_one(project: Any) -> None:
    """A bound that grows with the value is written with the value."""
    shown = page(project, "z**3", "finite_difference: {of: L, tolerance: 1e-30, relative: 1e-9}")
    assert r"$\max(10^{-30}, 10^{-9}\,\lvert x\rvert)$" in shown


def test_a_failed_comparison_is_said_to_fail(project: Any) -> None:
    """No page says that a derivative agrees where the function jumps."""
    assert "| the check fails |" in page(project, "where(z >= 1, 5, 0)", "finite_difference: {of: L, tolerance: 1e-9}")


def test_a_kink_that_excuses_a_difference_is_stated(project: Any) -> None:
    """At 0 the slopes of relu are 0 and 1: no derivative, but any between them is taken as one."""
    shown = page(project, "relu(z)", "finite_difference: {of: L, tolerance: 1e-9}", at="0")
    assert shown.rstrip().endswith("At a kink the derivative lies between the slopes on either side: z.")


def test_a_spec_without_comparisons_has_no_such_page(project: Any) -> None:
    """An equality is no comparison of many numbers."""
    made = project("title: t\nsteps: |\n  a = 1\nchecks:\n  - equal: {left: a, right: 1}\n")
    build(made)
    assert not list((made.root / "build").rglob("checks.*"))


@pytest.mark.real
def test_another_release_of_pytorch_is_not_said_to_be_the_one_stated(project: Any) -> None:
    """The page names a release; under another one the check is skipped with the reason."""
    need_torch()
    import torch

    made = project(SPEC.format(at="1", steps="z**3", check="autograd: {of: L, tolerance: 1e-14, release: 0.1.0}"))
    microscope = open_microscope(made, "example")
    (outcome,) = run(microscope, microscope.spec.checks[0])
    assert outcome.skipped == f"PyTorch {torch.__version__.partition('+')[0]} is installed, not 0.1.0"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.0, "0"),
        (1e-9, "10^{-9}"),
        (3.69e-13, r"3.69\times10^{-13}"),
        (9.999e-13, "10^{-12}"),
        (25.0, r"2.5\times10^{1}"),
    ],
)
def test_a_float_is_written_as_a_power_of_ten(value: float, written: str) -> None:
    """The mantissa has three digits at most, without zeros at its end."""
    assert scientific(value) == written
