"""What large specs may take, and what is computed once: by structure and memory, never by the clock."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from seqgen.assertions import differences
from seqgen.errors import SeqgenError
from seqgen.ledger.document import dump
from seqgen.microscope import open_microscope
from seqgen.readings import arrays
from seqgen.readings.forms import MOST_ELEMENTS
from seqgen.reports.show import describe

ATTENTION = """
title: attention
seed: 1
dims: {{T: {T}, D: 2}}
given:
  Q: {{role: input, shape: [T, D], draw: {{normal: {{mean: 0, deviation: 1}}}}}}
  K: {{role: input, shape: [T, D], draw: {{normal: {{mean: 0, deviation: 1}}}}}}
steps: |
  S = Q @ K.T / sqrt(D)
  A = softmax(S)
  corner = A[0][0]
"""
TRAINED = """
title: a trained scalar
given: {w: {role: parameter, value: 1/3}}
steps: |
  L = tanh(w)**2
train: {of: L, steps: 20, rule: sgd, rate: 0.1, every: 20}
"""
NET = """
title: a net
given:
  x: {role: input, value: [0.5, -0.25]}
  W: {role: parameter, value: [[0.1, 0.2], [0.3, -0.4], [0.5, 0.6]]}
  V: {role: parameter, value: [[0.7, -0.8, 0.9]]}
  b: {role: parameter, value: [0.01]}
steps: |
  L = sum(tanh(tanh(x @ W.T) @ V.T + b)**2)
gradients: {L: [W, V, b]}
"""


def test_a_ledger_is_written_in_memory_of_four_times_its_text() -> None:
    """Rows are encoded one by one."""
    draw = random.Random(1).random
    ledger = {"entries": {f"W[{k}]": {"value": [[draw() for _ in range(50)] for _ in range(50)]} for k in range(20)}}
    tracemalloc.start()
    size = len(dump(ledger))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak <= 4 * size


def test_what_follows_from_a_large_array_has_no_closed_form(project: Callable[..., Any]) -> None:
    """Its values are proven all the same, and `seqgen show` says that the form was not sought."""
    side = int(MOST_ELEMENTS**0.5) + 1
    course = project(ATTENTION.format(T=side))
    microscope = open_microscope(course, "example")
    corner = microscope.graph.entries["corner"].node
    assert microscope.forms(corner).item() is None
    assert microscope.prover.reals(corner).proven
    said = list(describe(course, "example", "corner"))
    assert f"exact    not sought: it follows from an array of more than {MOST_ELEMENTS:,} elements" in said


def test_what_follows_from_a_small_array_has_one(microscope: Callable[..., Any]) -> None:
    """The same spec with few tokens keeps its closed forms, up to the limit of operations."""
    small = microscope(ATTENTION.format(T=2).replace("title", "exact_limit: 200\ntitle"))
    assert small.forms(small.graph.entries["corner"].node).item() is not None


def test_a_spec_beyond_the_budget_is_told_which_setting_raises_it(project: Callable[..., Any]) -> None:
    """Nothing is computed of it."""
    with pytest.raises(SeqgenError) as caught:
        open_microscope(project(ATTENTION.format(T=40), configuration="size_limit = 1000"), "example")
    assert "raise size_limit in [tool.seqgen]" in caught.value.render()


def test_the_training_of_a_parent_is_not_enclosed_again(
    microscope: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same loop from the same start, in another graph, has been computed."""

    def trained() -> list[Any]:
        found = microscope(TRAINED)
        return [found.prover.reals(found.graph.entries[key].node).values.item() for key in ("loss[20]", "trained.w")]

    first = trained()
    monkeypatch.setattr(arrays, "iterate", lambda *_: pytest.fail("the loop is computed again"))
    assert trained() == first


@pytest.mark.parametrize("alone_from", [1, 4, 100])
def test_differences_do_not_depend_on_how_arrays_are_batched(
    microscope: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, alone_from: int
) -> None:
    """Each array alone, large ones alone, and all together give one result, of the order of the step squared."""
    net = microscope(NET)
    entries = net.graph.entries
    by = [entries[name].node for name in ("W", "V", "b")]
    gradients = [gradient.entry.node for gradient in net.gradients]
    monkeypatch.setattr(differences, "LARGE", alone_from)
    found = differences.central_differences(entries["L"].node, by, gradients, Fraction(1, 1000))
    assert (found.count, found.order, found.enclosed) == (10, 2.0, True)
    together = differences.central_differences(entries["L"].node, by, gradients, Fraction(1, 1000), most_enclosed=0)
    assert together.largest == pytest.approx(found.largest, rel=1e-4)
