"""The shipped ledgers against the numbers that the two lectures print, read by code that shares nothing with seqgen."""

from __future__ import annotations

import functools
import json
import re
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

ROOT = Path(__file__).parent.parent
RECORDS = [r for f in sorted((ROOT / "tests" / "expected").glob("*.yaml")) for r in yaml.safe_load(f.read_text())]


def names_of(ledger: dict[str, Any]) -> dict[str, Any]:
    """Return a ledger's entries as a namespace: arrays, and families as mappings from index to array."""
    names: dict[str, Any] = {"exp": np.exp, "parameters": ledger["parameters"]["total"]}
    for key, entry in ledger["entries"].items():
        match = re.fullmatch(r"(\w+)\[(-?\d+)\]", key)
        if match:
            names.setdefault(match[1], {})[int(match[2])] = np.array(entry["value"])
        elif key.isidentifier():
            names[key] = np.array(entry["value"])
    return names


def look_up(ledger: dict[str, Any], reference: str) -> Any:
    """Return the value of a reference or an expression over a ledger's entries."""
    gradient = re.fullmatch(r"(grad\([^=]+?)(?:, via=(.+))?\)", reference)
    if gradient:
        entry = ledger["entries"][gradient[1] + ")"]
        return np.array(entry["via"][gradient[2]] if gradient[2] else entry["value"])
    return np.asarray(eval(reference, {"__builtins__": {}}, names_of(ledger)))


def printed(value: float, digits: int) -> str:
    """Return a float rounded half to even, zero without a sign."""
    text = str(Decimal(float(value)).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_EVEN))
    return text if any(c in "123456789" for c in text) else text.lstrip("-")


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: f"{r['spec']}: {r['entry']} to {r['digits']}")
def test_a_ledger_prints_what_the_lecture_prints(record: dict[str, Any]) -> None:
    """Every computed number of the lectures, at the digits that they print."""
    ledger = json.loads((ROOT / "ledgers" / f"{record['spec']}.json").read_text())
    value = look_up(ledger, record["entry"])
    expected = np.array(record["shown"])
    assert value.shape == expected.shape
    found = [printed(v, record["digits"]) for v in value.reshape(-1)]
    assert found == expected.reshape(-1).tolist()


def test_the_cross_entropy_gradients_are_those_that_the_lecture_derives() -> None:
    """Each formula of the lecture's derivation holds between the ledger's values, in plain numpy."""
    ledger = json.loads((ROOT / "ledgers/week06/ce-head.json").read_text())
    n = names_of(ledger)
    ga = [(n["p"][t] - np.eye(3)[[0, 2, 1][t]]) / 3 for t in range(3)]
    gz: Any = np.zeros(2)
    sums = {"W_x": np.zeros((2, 2)), "W_h": np.zeros((2, 2)), "b_h": np.zeros(2), "W_o": 0.0, "b_o": 0.0}
    for t in (2, 1, 0):
        direct, future = ga[t] @ n["W_o"], gz @ n["W_h"]
        gz = (direct + future) * (1 - n["h"][t] ** 2)
        np.testing.assert_allclose(look_up(ledger, f"grad(L, a[{t}])"), ga[t], atol=1e-15)
        np.testing.assert_allclose(look_up(ledger, f"grad(L, h[{t}], via=a[{t}])"), direct, atol=1e-15)
        np.testing.assert_allclose(look_up(ledger, f"grad(L, h[{t}])"), direct + future, atol=1e-15)
        np.testing.assert_allclose(
            look_up(ledger, f"grad(L, W_h, via=R[{t}])"), np.outer(gz, n["h"][t - 1]), atol=1e-15
        )
        sums["W_x"] = sums["W_x"] + np.outer(gz, n["x"][t])
        sums["W_h"] = sums["W_h"] + np.outer(gz, n["h"][t - 1])
        sums["b_h"] = sums["b_h"] + gz
        sums["W_o"] = sums["W_o"] + np.outer(ga[t], n["h"][t])
        sums["b_o"] = sums["b_o"] + ga[t]
    for name, total in sums.items():
        np.testing.assert_allclose(look_up(ledger, f"grad(L, {name})"), total, atol=1e-15)
    assert ledger["parameters"]["total"] == 19


def test_position_vectors_follow_the_formula_for_any_even_width(project: Any) -> None:
    """Six features and five positions, by a child spec that only sets the dims, against the formula in numpy."""
    from seqgen.microscope import open_microscope

    parent = (ROOT / "specs/week06/positions.yaml").read_text()
    made = project("title: wider\nextends: positions\ndims: {T: 5, D: 6}\n", others={"positions": parent})
    microscope = open_microscope(made, "example")
    for t in range(5):
        reals = microscope.prover.reals(microscope.node_of(f"p[{t}]"))
        expected = [f(t / 10000 ** (2 * r / 6)) for r in range(3) for f in (np.sin, np.cos)]
        np.testing.assert_allclose(reals.values, expected, atol=1e-15)


def texts_of(node: yaml.Node) -> Any:
    """Return the numbers of a YAML node as they are written, in lists."""
    return [texts_of(one) for one in node.value] if isinstance(node, yaml.SequenceNode) else node.value


@functools.cache
def expects_of(spec: str) -> dict[str, Any]:
    """Return what a spec and its parents expect to be printed, by reference, as written."""
    whole = yaml.compose((ROOT / f"specs/{spec}.yaml").read_text(), Loader=yaml.SafeLoader)
    document = {key.value: value for key, value in whole.value}
    inherited = expects_of(document["extends"].value) if "extends" in document else {}
    checks = [pair for check in document["checks"].value for pair in check.value]
    return inherited | {
        reference.value: texts_of(printed)
        for kind, expected in checks
        if kind.value == "expect"
        for reference, printed in expected.value
    }


def is_pinned(record: dict[str, Any], expects: dict[str, Any]) -> bool:
    """Whether an expectation, of the entry or of an array that it is an element of, prints as a record does."""
    for reference, texts in expects.items():
        match = re.fullmatch(re.escape(reference) + r"((\[\d+\])*)", record["entry"])
        if match is None:
            continue
        element = texts
        for place in re.findall(r"\d+", match[1]):
            element = element[int(place)]
        if element == record["shown"]:
            return True
    return False


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: f"{r['spec']}: {r['entry']} to {r['digits']}")
def test_a_spec_expects_what_the_lecture_prints(record: dict[str, Any]) -> None:
    """Every computed number of the lectures is an expectation of the spec where it is printed, so that check holds it."""
    assert is_pinned(record, expects_of(record["spec"]))
