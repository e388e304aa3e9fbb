"""Compiled plans: run by run they give what a walk of the graph gives, in float64 and in enclosures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from samples import SAMPLES, Sample
from seqgen.build.artifacts import make
from seqgen.errors import SeqgenError
from seqgen.graph.gradient import Adjoints
from seqgen.graph.node import Node, apply, constant
from seqgen.readings import ball, intervals
from seqgen.readings.ball import Balls
from seqgen.readings.evaluate import Loop, Undefined, evaluate, iterate, walk
from seqgen.readings.float64 import Float64
from seqgen.readings.plan import Plan, Unrecorded, replay

every_sample = pytest.mark.parametrize("sample", SAMPLES, ids=lambda s: f"{s.operation}: {s.title}")
smooth_samples = pytest.mark.parametrize(
    "sample", [s for s in SAMPLES if s.smooth], ids=lambda s: f"{s.operation}: {s.title}"
)


def leaf(texts: Any) -> Node:
    """Return a given array."""
    strings = np.array(texts, dtype=str)
    return apply("given", texts=tuple(map(str, strings.flat)), shape=strings.shape)


def build(sample: Sample) -> tuple[list[Node], Node]:
    """Return the inputs of a sample, and its operation applied to them."""
    inputs = [leaf(texts) for texts in sample.inputs]
    return inputs, apply(sample.operation, *inputs, **sample.parameters)


def compiled(roots: list[Node], inputs: list[Node], domain: Any) -> Plan:
    """Return a plan that was recorded on ones, and has run on the sample's own inputs since."""
    values = evaluate(inputs, domain)
    places = {node: domain.finish(values[node] * 0 + domain.scalar("1")) for node in inputs}
    plan = Plan(roots, domain, places)
    for node in inputs:
        places[node][...] = values[node]
    plan.run()
    return plan


def is_movable(sample: Sample) -> bool:
    """Whether a sample's operation has a value for ones too, and its inputs are finite."""
    return "inf" not in str(sample.inputs)


@every_sample
def test_a_plan_gives_the_bits_of_a_walk(sample: Sample) -> None:
    """A plan recorded on other inputs gives, in float64, the very numbers of a walk."""
    inputs, node = build(sample)
    with np.errstate(all="ignore"):
        expected = evaluate([node], Float64())[node]
        plan = compiled([node], inputs if is_movable(sample) else [], Float64())
    np.testing.assert_array_equal(plan.values[node], expected)


@smooth_samples
def test_a_plan_of_a_gradient_gives_the_bits_of_a_walk(sample: Sample) -> None:
    """Derivative rules are recorded like any other operation."""
    inputs, node = build(sample)
    adjoints = Adjoints(apply("sum", node))
    gradients = [adjoints.gradient(inputs[which]) for which in sample.smooth]
    with np.errstate(all="ignore"):
        expected = evaluate(gradients, Float64())
        plan = compiled(gradients, inputs if is_movable(sample) else [], Float64())
    for gradient in gradients:
        np.testing.assert_array_equal(plan.values[gradient], expected[gradient])


@every_sample
def test_a_plan_in_enclosures_gives_those_of_a_walk(sample: Sample) -> None:
    """Rationals are equal, and balls have the same midpoint and radius."""
    inputs, node = build(sample)
    with ball.precision(128):
        expected = evaluate([node], Balls())[node]
        plan = compiled([node], inputs if is_movable(sample) else [], Balls())
    found = plan.values[node]
    assert found.shape == expected.shape
    assert [intervals.interval(x) for x in found.flat] == [intervals.interval(x) for x in expected.flat]


def halving(domain: Any) -> tuple[Loop, list[Any]]:
    """Return a loop whose two states change places, one of them halved, and its first state."""
    a, b = leaf(["1", "2"]), leaf(["8", "16"])
    loop = Loop(state=(a, b), results=(b, a / 2), watched=apply("sum", a), kept=(0, 1, 2, 20))
    return loop, list(evaluate([a, b], domain).values())


@pytest.mark.parametrize("domain", [Float64(), Balls()], ids=["float64", "balls"])
@pytest.mark.parametrize("rounds", [walk, replay], ids=["walk", "replay"])
def test_states_that_change_places_do_not_overwrite_each_other(domain: Any, rounds: Any) -> None:
    """After two rounds each state is half of what it was: a closed form for any number of rounds."""
    loop, state = halving(domain)
    rows = iterate(loop, state, domain, rounds)
    assert np.asarray(rows, dtype=np.float64).tolist() == [
        [3.0, 1.0, 2.0, 8.0, 16.0],
        [24.0, 8.0, 16.0, 0.5, 1.0],
        [1.5, 0.5, 1.0, 4.0, 8.0],
        [3 / 2**10, 1 / 2**10, 2 / 2**10, 8 / 2**10, 16 / 2**10],
    ]


def test_a_value_that_does_not_exist_is_found_in_a_run() -> None:
    """The node of the division by zero is named, though it existed when the plan was made."""
    x = leaf("2")
    quotient = apply("divide", constant(1), x)
    domain = Balls()
    places = evaluate([x], domain)
    plan = Plan([apply("exp", quotient)], domain, places)
    places[x][...] = 0
    with pytest.raises(Undefined) as caught:
        plan.run()
    assert caught.value.node is quotient


def test_a_plan_keeps_rationals_short() -> None:
    """Squaring again and again doubles a rational's digits; past the limit it goes on as a ball."""
    x = leaf("1/3")
    square = x**2
    loop = Loop(state=(x,), results=(square,), watched=square, kept=(0, 20))
    with ball.precision(64):
        rows = Balls().iterate(loop, [evaluate([x], Balls())[x]])
    assert not ball.is_rational(rows[1][0])


def test_a_computation_out_of_sight_is_refused() -> None:
    """A domain's function that makes an array by other means can't become a constant unseen."""

    class Careless(Float64):
        recorded = Float64.recorded | {"tanh"}

        def tanh(self, x: Any) -> Any:
            return np.asarray(x, dtype=np.float64) + 0.0

    x = leaf(["2", "3"])
    with pytest.raises(Unrecorded):
        Plan([apply("tanh", x)], Careless(), evaluate([x], Careless()))


@pytest.mark.parametrize("rounds", [6, 20])
def test_a_position_is_looked_at_in_each_round(project: Any, rounds: int) -> None:
    """The parameter leaves the four positions in the fourth round, whether rounds are walked or planned."""
    spec = f"""
title: t
given:
  p: {{role: parameter, value: 0}}
  E: {{value: [1, 2, 4, 8]}}
steps: |
  L = -p + sum(one_hot(p, size=4) * E)
train: {{of: L, rate: 1, steps: {rounds}, every: 1, rule: sgd}}
"""
    with pytest.raises(SeqgenError, match=r"4 does not fit size=4 \(0 to 3\)"):
        make(project(spec), "example")
