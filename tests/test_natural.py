"""Numbers are printed as a person writes them, where the spec does not say how."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from seqgen.microscope import Microscope
from seqgen.shown.model import Model, Shown
from seqgen.typeset.numbers import array, plain

SPEC = """\
title: t
given:
  x: {role: input, shape: [N], value: [0.20, 3, -0.15]}
  epsilon: {value: 1e-5}
  q: {shape: [2], value: [0, 1]}
  K: {shape: [3, 2], value: [[1, 0], [0, 1], [0, 0]]}
steps: |
  best = argmax(x)
  hot = one_hot(best, size=N)
  positive = x > 0
  doubled = 2 * x
  counts = 10 * x[1:2]
  mask = causal_mask(2)
  tiny = 3 * epsilon
  small = [x[0], tiny]
  S = q @ K.T / sqrt(2)
  A = softmax([1 / sqrt(2), 0])
  n[0] = 2 * x[1]
  n[1] = x[0] * x[1]
tables:
  mixed:
    rows: t = 0..1
    columns: {whole: "hot[t]", mixed: "n[t]", given: "x[t]", asked: {cell: "hot[t]", digits: 2}}
digits: {S: {short: 4}, A: {percent: 2}%s}
"""


@pytest.fixture(scope="module")
def shown(microscope: Callable[..., Microscope]) -> Microscope:
    """Return the microscope of the examples."""
    return microscope(SPEC.replace("%s", ""))


@pytest.mark.parametrize(
    ("reference", "text"),
    [
        ("best", "1"),
        ("hot", "(0, 1, 0)"),
        ("hot[1]", "1"),
        ("positive", "(1, 1, 0)"),
        ("counts", "(30)"),
        ("mask[0]", r"(0, -\infty)"),
        ("x", "(0.20, 3, -0.15)"),
        ("x[1]", "3"),
        ("doubled", "(0.4000, 6.0000, -0.3000)"),
        ("doubled[1]", "6.0000"),
        ("tiny", r"3\times10^{-5}"),
        ("small", r"(0.2000, 3\times10^{-5})"),
        ("epsilon", r"1\times10^{-5}"),
        ("S", "(0, 0.7071, 0)"),
        ("A", r"(66.98\%, 33.02\%)"),
    ],
)
def test_a_number_is_printed_as_a_person_writes_it(shown: Microscope, reference: str, text: str) -> None:
    """Whole numbers, given ones, small ones, and the tuples of the lecture's scores and weights."""
    assert array(Model(microscope=shown).shown(shown.node_of(reference)).printed).text == text


def test_a_column_is_printed_alike_and_as_its_spec_asks(shown: Microscope) -> None:
    """Whole numbers have decimals beside others of their column, and where the column's digits say so."""
    table = Model(microscope=shown).table(shown.spec.tables["mixed"])
    texts = [[plain(cell.printed) for cell in cells if isinstance(cell, Shown)] for cells in table.columns]
    assert texts == [["0", "1"], ["6.0000", "0.6000"], ["0.20", "3"], ["0.00", "1.00"]]


def test_declared_digits_come_before_what_is_natural(microscope: Callable[..., Microscope]) -> None:
    """A name under digits is printed with these."""
    asked = microscope(SPEC.replace("%s", ", hot: 1, tiny: 4"))
    model: Any = Model(microscope=asked)
    assert [array(model.shown(asked.node_of(name)).printed).text for name in ("hot", "tiny")] == [
        "(0.0, 1.0, 0.0)",
        "0.0000",
    ]
