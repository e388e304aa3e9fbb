"""The search for given numbers: what it finds is a spec whose checks say that every wish is met."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from seqgen.cli import main
from seqgen.errors import SpecError
from seqgen.microscope import open_microscope
from seqgen.project import Project
from seqgen.rules.review import review
from seqgen.search.edits import Edit, edited, filled
from seqgen.search.fix import fix
from seqgen.search.nice import nice
from seqgen.search.task import Task

Made = Callable[..., Project]
GRU = """
title: A small GRU
seed: 1
given:
  x: {role: input, shape: [D], draw: {uniform: {low: -1, high: 1}}, about: 'the input, # no comment'}  # of one step
  h: {role: initial, value: [0.5, -0.4]}
  U: {role: parameter, shape: [H, D], draw: {uniform: {low: -1, high: 1}}}
  W: {role: parameter, shape: [H, H], draw: {uniform: {low: -1, high: 1}}}
dims: {D: 2, H: 2}
steps: |
  r = sigmoid(x @ U.T)
  n = tanh(x @ U.T + (r * h) @ W.T)
worked:
  step: [r, n]
distinguishes: [reset-after, transposed(W)]
"""
SYMMETRIC = """
title: A symmetric matrix
given:
  x: {role: input, value: [1, 2]}
  W: {role: parameter, value: [[1, 0.5],  # a comment
                               [0.5, 1]]}
steps: |
  y = x @ W.T
checks:
  - equal: {left: "y[0]", right: 2}
distinguishes: [transposed(W)]
"""


def test_a_new_example_meets_every_wish(project: Made) -> None:
    """Its conventions are seen, its digits are near no tie, its printed steps add up, and results are small."""
    here = project(GRU)
    found = nice(Task(project=here, name="example"))
    assert found.unmet == ()
    (here.specs / "example.yaml").write_text(found.text, encoding="utf-8")
    rules = ["indistinct", "near-tie", "printed-sum", "failed-check"]
    assert [f.message for f in review(here, ("example",), select=rules).findings if f.rule in rules] == []
    microscope = open_microscope(here, "example")
    for key in ("r", "n"):
        values = microscope.prover.reals(microscope.node_of(key)).values
        assert (np.abs(values) <= 3).all()
        assert (np.abs(values) < 0.97).all()


def test_the_same_seed_finds_the_same_numbers_and_keeps_the_rest_of_the_text(project: Made) -> None:
    """Comments, other arrays and the order of keys stay as they are written."""
    first, second = (nice(Task(project=project(GRU), name="example", seed=5)).text for _ in range(2))
    assert first == second
    assert first != nice(Task(project=project(GRU), name="example", seed=6)).text
    assert "about: 'the input, # no comment'}  # of one step" in first
    assert "h: {role: initial, value: [0.5, -0.4]}" in first
    assert "draw" not in first


def test_numbers_have_the_decimals_that_are_asked_for_and_lie_in_their_range(project: Made) -> None:
    """With no decimals and a range from -3 to 3 they are integers from -3 to 3."""
    spec = GRU.replace("low: -1, high: 1", "low: -3, high: 3").replace(
        "distinguishes: [reset-after, transposed(W)]", ""
    )
    here = project(spec)
    (here.specs / "example.yaml").write_text(nice(Task(project=here, name="example", decimals=0)).text)
    graph = open_microscope(here, "example").graph
    for key in ("x", "U", "W"):
        assert set(graph.entries[key].node.parameters["texts"]) <= {"-3", "-2", "-1", "1", "2", "3"}


def test_a_wish_that_nothing_meets_is_told(project: Made) -> None:
    """One unit without a bias can't show where the reset acts; the search ends with its best."""
    spec = GRU.replace("H: 2", "H: 1").replace("[0.5, -0.4]", "[0.5]")
    found = nice(Task(project=project(spec), name="example", seconds=2))
    assert "'reset-after' changes no printed number" in found.unmet


def test_a_search_without_numbers_to_find_is_an_error(project: Made) -> None:
    """Nothing is drawn, and nothing is named."""
    with pytest.raises(SpecError, match="there are no numbers to find"):
        nice(Task(project=project(SYMMETRIC), name="example"))


def test_one_number_makes_a_convention_visible_and_keeps_the_checks(project: Made) -> None:
    """The symmetric matrix becomes another by the shortest number; y[0] = 1 + 2 * 0.5 is asserted, so W[1][0] changes."""
    found = fix(Task(project=project(SYMMETRIC), name="example"))
    assert found is not None
    assert [(edit.reference, len(edit.text)) for edit in found.edits] == [("W[1][0]", 1)]
    assert "# a comment" in found.text


def test_nothing_is_changed_where_every_convention_is_seen(project: Made) -> None:
    """The example tells them apart already."""
    found = fix(Task(project=project(SYMMETRIC.replace("[0.5, 1]", "[0.7, 1]")), name="example"))
    assert found is not None
    assert found.edits == ()


def test_no_number_is_found_where_none_can_help(project: Made) -> None:
    """Whatever the one element of a matrix is, it is its transpose."""
    spec = "title: t\ngiven: {x: {value: [1]}, W: {role: parameter, value: [[2]]}}\nsteps: |\n  y = x @ W.T\ndistinguishes: [transposed(W)]\n"
    assert fix(Task(project=project(spec), name="example")) is None


def test_edits_replace_numbers_at_their_places() -> None:
    """In flow and in block style, by key and place."""
    text = "title: t\ngiven:\n  h[-1]: {value: [1, [2, 3]]}\n  x:\n    value:\n      - 4\n      - 5  # five\n"
    found = edited(text, [Edit(key="h[-1]", place=(1, 0), text="0.5"), Edit(key="x", place=(1,), text="-7")])
    assert found == text.replace("[2, 3]", "[0.5, 3]").replace("- 5", "- -7")
    assert filled(text, {"h[-1]": np.array([1, 2])}).splitlines()[2] == "  h[-1]: {value: [1, 2]}"


def test_the_command_writes_a_spec(project: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """Printed by default, put into its file with --write; exit status 1 where a wish is unmet."""
    here = project(GRU)
    monkeypatch.chdir(here.root)
    result = CliRunner().invoke(main, ["nice", "example", "--seed", "3"])
    assert result.exit_code == 0
    assert result.output.startswith("\ntitle: A small GRU\n")
    written = CliRunner().invoke(main, ["nice", "example", "--seed", "3", "--write"])
    assert (written.exit_code, written.output) == (0, "")
    assert Path("specs/example.yaml").read_text() == result.output
    fixed = CliRunner().invoke(main, ["nice", "example", "--fix"])
    assert (fixed.exit_code, fixed.output) == (0, "every convention is seen already\n")
