"""What a ledger tells an audit: values that pages print besides the entries, and the course's notation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from seqgen.build.artifacts import make
from seqgen.project import Project

SPEC = r"""
title: example
given:
  x: {shape: [T], value: [0.5, 2]}
steps: |
  y = x**2
tex: {y: 'y^{\mathrm{square}}'}
tables:
  squares:
    rows: t = 0..T-1
    columns: {"$t$": t, "$x_t$": "x[t]", "$1-x_t$": "1 - x[t]"}
worked:
  line: ["y", "y[0] + 1"]
checks:
  - expect: {"exp(x)": [1.6487, 7.3891]}
"""


@pytest.fixture(scope="module")
def ledger(project: Callable[..., Project]) -> dict[str, Any]:
    """Return the ledger of an example whose table and derivation print more than its entries."""
    return make(project(SPEC), "example").ledger


def test_values_of_printed_expressions_are_kept(ledger: dict[str, Any]) -> None:
    """1 - 0.5, 1 - 2, 0.25 + 1 and exp(0.5) are no entries, and are in the ledger all the same."""
    derived = {key: content["value"] for key, content in ledger["derived"].items()}
    assert derived == {
        "1 - x[0]": 0.5,
        "1 - x[1]": -1.0,
        "y[0] + 1": 1.25,
        "exp(x)": [1.6487212707001282, 7.38905609893065],
    }


def test_headings_of_tables_are_kept_with_their_rows(ledger: dict[str, Any]) -> None:
    """What stands under x_t in the second row is x[1]."""
    assert {"reference": "x[1]", "heading": "$x_t$", "t": 1, "tables": ["squares"]} in ledger["cited"]


def test_a_position_is_no_value_of_the_ledger(ledger: dict[str, Any]) -> None:
    """The column of t holds no results."""
    assert all(row.get("heading") != "$t$" for row in ledger["cited"])


def test_the_notation_of_the_spec_is_kept(ledger: dict[str, Any]) -> None:
    """A name that the spec spells itself is spelled so in a deck, too."""
    assert ledger["notation"] == {"y": r"y^{\mathrm{square}}"}
