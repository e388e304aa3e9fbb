"""The traced reading: what it records gives the shipped ledgers' numbers, computed by mpmath and Python's own floats."""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

from samples import SAMPLES, Sample
from seqgen.graph.node import apply
from seqgen.microscope import Microscope, open_microscope
from seqgen.project import Project
from seqgen.readings.traced import Rounds, Scalar, ordered, trace

PROJECT = Project(Path(__file__).parent.parent)
MP = mpmath.MPContext()
MP.dps = 60
COMPARISONS = {
    "greater": operator.gt,
    "less": operator.lt,
    "greater_equal": operator.ge,
    "less_equal": operator.le,
    "equal": operator.eq,
    "not_equal": operator.ne,
}


BINARY = {"add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv}
EITHER = {
    **BINARY,
    "negative": operator.neg,
    "abs": abs,
    "max": max,
    "min": min,
    "argmax": lambda *xs: xs.index(max(xs)),
    "where": lambda c, x, y: x if c != 0 else y,
    **{name: lambda x, y, holds=holds: int(holds(x, y)) for name, holds in COMPARISONS.items()},
}
FUNCTIONS = ("exp", "log", "sqrt", "tanh", "sin", "cos", "erf")


def true(x: Any) -> Any:
    """Return a fraction as mpmath's number."""
    return MP.mpf(x.numerator) / x.denominator if isinstance(x, Fraction | int) else x


def true_number(text: str) -> Any:
    """Return what a constant writes: a fraction where it is one."""
    return +MP.pi if text == "pi" else MP.mpf(text) if text.endswith("inf") else Fraction(text)


def true_power(x: Any, y: Any) -> Any:
    """Return a power, a fraction where it is one."""
    return x ** int(y) if y == int(y) else MP.power(true(x), true(y))


def true_binary(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a function of two: of fractions a fraction, so that ties are ties."""
    exact = (Fraction, int)
    return lambda x, y: function(*((x, y) if isinstance(x, exact) and isinstance(y, exact) else (true(x), true(y))))


TRUE = {
    **EITHER,
    **{name: true_binary(EITHER[name]) for name in (*BINARY, *COMPARISONS)},
    "divide": true_binary(lambda x, y: Fraction(x) / y if isinstance(x, Fraction | int) else x / y),
    **{name: lambda x, name=name: getattr(MP, name)(true(x)) for name in FUNCTIONS},
    **{name: lambda *xs, function=EITHER[name]: function(*map(true, xs)) for name in ("max", "min", "argmax")},
    "number": true_number,
    "power": true_power,
}
FLOAT = {
    **EITHER,
    **{name: getattr(math, name) for name in FUNCTIONS},
    "power": operator.pow,
    "number": lambda text: math.pi if text == "pi" else float(Fraction(text)),
}


def program(scalars: list[Scalar]) -> str:
    """Return lines of Python that compute ``scalars``, as any medium writes its own."""
    names = {scalar: f"v{k}" for k, scalar in enumerate(scalars)}
    lines = []
    for scalar, name in names.items():
        operands = ", ".join(names[o] for o in scalar.operands)
        match scalar.function:
            case "constant":
                lines.append(f"{name} = number({scalar.text!r})")
            case "given":
                lines.append(f"{name} = given[{scalar.text!r}][{scalar.place}]")
            case "state":
                lines.append(f"{name} = state[{scalar.place[0]}]")
            case "kept":
                lines.append(f"{name} = kept({id(scalar.rounds)}, [{operands}])[{scalar.place[0]}][{scalar.place[1]}]")
            case function:
                lines.append(f"{name} = {function}({operands})")
    return "\n".join(lines)


def run(roots: list[Scalar], given: dict[str, Any], functions: dict[str, Any]) -> Callable[..., list[Any]]:
    """Return a program that gives the values of ``roots``; what a loop keeps is computed in floats."""
    scalars = ordered(roots)
    loops = {id(s.rounds): s.rounds for s in scalars if s.rounds is not None}
    floats = {key: {place: float(x) for place, x in array.items()} for key, array in given.items()}

    @cache
    def rows(key: int, start: tuple[float, ...]) -> list[list[float]]:
        return loop_rows(loops[key], list(start), floats)

    space = {
        **functions,
        "given": given,
        "kept": lambda key, start: rows(key, tuple(float(true(x)) for x in start)),
    }
    code = compile(program(scalars), "trace", "exec")
    places = {scalar: f"v{k}" for k, scalar in enumerate(scalars)}

    def values(**state: Any) -> list[Any]:
        space.update(state)
        exec(code, space)
        return [space[places[root]] for root in roots]

    return values


def loop_rows(rounds: Rounds, state: list[float], given: dict[str, Any]) -> list[list[float]]:
    """Return what a loop keeps, by the lines of one round run again and again."""
    after = run([rounds.watched, *rounds.results], given, FLOAT)
    rows = []
    for count in range(rounds.kept[-1] + 1):
        watched, *following = after(state=state)
        if count in rounds.kept:
            rows.append([watched, *state])
        state = following
    return rows


def given_of(microscope: Microscope) -> dict[str, Any]:
    """Return the given numbers as fractions, by entry and place."""
    found = {}
    for entry in microscope.all_entries():
        if entry.node.operation.name == "given":
            texts = entry.node.parameters["texts"]
            found[entry.key] = dict(zip(np.ndindex(*entry.node.shape), map(true_number, texts), strict=True))
    return found


@pytest.mark.parametrize("name", PROJECT.spec_names())
def test_a_trace_gives_the_numbers_of_the_ledger(name: str) -> None:
    """Each entry, computed from its trace with 60 digits, is the ledger's proven float64; after a loop, nearly."""
    microscope = open_microscope(PROJECT, name)
    ledger = json.loads((PROJECT.ledgers / f"{name}.json").read_text())["entries"]
    entries = microscope.all_entries()
    traced = trace([e.node for e in entries], microscope.graph.names)
    roots = [scalar for e in entries for scalar in traced[e.node].flat]
    found = run(roots, given_of(microscope), TRUE)()
    expected = [float(x) for e in entries for x in np.array(ledger[e.key]["value"], dtype=object).flat]
    looped = [s.rounds.kept[-1] for s in ordered(roots) if s.rounds is not None]
    if not looped:
        assert [float(true(x)) for x in found] == expected
    else:  # a thousand roundings a round, which training, as it converges, does not enlarge
        np.testing.assert_allclose(
            [float(true(x)) for x in found], expected, rtol=0, atol=1000 * max(looped) * 2.0**-53
        )


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda s: f"{s.operation}: {s.title}")
def test_a_trace_gives_what_the_textbook_says(sample: Sample) -> None:
    """Each operation's formula by mpmath and its trace agree to 50 digits, at numbers that are given."""
    inputs = [apply("given", texts=tuple(map(str, np.array(x).flat)), shape=np.shape(x)) for x in sample.inputs]
    node = apply(sample.operation, *inputs, **sample.parameters)
    names = {leaf: f"x{k}" for k, leaf in enumerate(inputs)}
    given = {
        names[leaf]: dict(zip(np.ndindex(*leaf.shape), map(true_number, leaf.parameters["texts"]), strict=True))
        for leaf in inputs
    }
    found = run(list(trace([node], names)[node].flat), given, TRUE)()
    for value, expected in zip(found, sample.values().flat, strict=True):
        assert true(value) == expected or abs(true(value) - expected) < (
            1e-14 if sample.operation == "repeat" else 1e-50
        )


def test_an_element_that_is_used_twice_is_one_scalar(steps: Callable[..., Microscope]) -> None:
    """A name's elements are the very operands of what uses them, and of a second name for them."""
    one = steps("y = exp(x)", "z = y * y", "again = y", given={"x": "[1, 2]"})
    traced = trace(one.everything(), one.graph.names)
    y, z, again = (traced[one.graph.entries[key].node] for key in ("y", "z", "again"))
    assert z[1].operands == (y[1], y[1])
    assert again[0] is y[0]


def test_integers_that_choose_rows_are_known_as_fixed(steps: Callable[..., Microscope]) -> None:
    """A token id chooses a row of the graph itself; a number that is only computed with, or shown, does not."""
    one = steps("e = E[ids]", "y = 2 * k", given={"E": "[[1, 2], [3, 4]]", "ids": "[1, 0, 1]", "k": "3"})
    one.node_of("k")
    assert {one.graph.names[node]: places for node, places in one.graph.fixed.items()} == {"ids": {0, 1, 2}}


def test_rounds_of_a_loop_can_be_unrolled(microscope: Callable[..., Microscope]) -> None:
    """Three rounds of gradient descent on w**2 with the rate 1/4 halve w three times."""
    train = "train: {of: L, by: [w], steps: 5, rule: sgd, rate: 0.25}"
    one = microscope(f"title: a parabola\ngiven: {{w: {{value: 3}}}}\nsteps: L = w**2\n{train}\n")
    node = one.graph.entries["trained.w"].node
    (scalar,) = trace([node], one.graph.names)[node].flat
    assert scalar.rounds is not None
    rows = [[watched, *state] for watched, state in scalar.rounds.unrolled(3)]
    values = run([x for row in rows for x in row], {"w": {(): Fraction(3)}}, TRUE)()
    assert values == [
        9,
        3,
        Fraction(9, 4),
        Fraction(3, 2),
        Fraction(9, 16),
        Fraction(3, 4),
        Fraction(9, 64),
        Fraction(3, 8),
    ]
