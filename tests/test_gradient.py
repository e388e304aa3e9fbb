"""Laws of reverse mode that no single operation shows: the order of the uses, and names for what is passed on."""

from __future__ import annotations

from fractions import Fraction

import pytest

from seqgen.graph.gradient import Adjoints
from seqgen.graph.node import Node, ShapeClash, apply
from seqgen.readings.ball import Balls
from seqgen.readings.evaluate import evaluate


def given(*texts: str) -> Node:
    """Return a given number, or a vector."""
    return apply("given", texts=texts, shape=(len(texts),) if len(texts) > 1 else ())


def value(node: Node) -> Fraction:
    """Return a rational scalar's value."""
    return Fraction(str(evaluate([node], Balls())[node].item()))


def test_uses_come_in_the_order_of_the_steps_that_use() -> None:
    """In y - x it is the second input, in x * z, which comes later, the first."""
    x, y, z = given("3"), given("5"), given("7")
    early, late = apply("subtract", y, x), apply("multiply", x, z)
    uses = Adjoints(apply("add", late, early)).contributions(x)
    assert [use.consumer for use in uses] == [early, late]
    assert [value(use.cotangent) for use in uses] == [-1, 7]


def test_two_uses_by_one_step_come_in_the_order_of_its_inputs() -> None:
    """In x / x: by the numerator, then by the denominator."""
    x = given("4")
    uses = Adjoints(apply("divide", x, x)).contributions(x)
    assert [use.position for use in uses] == [0, 1]
    assert [value(use.cotangent) for use in uses] == [Fraction(1, 4), Fraction(-1, 4)]


def test_values_to_which_a_signal_is_passed_on_unchanged_share_its_node() -> None:
    """Through z = x + y the signal of z is that of x and y: one node, that of the last."""
    x, y, t = given("1"), given("2"), given("3")
    z = apply("add", x, y)
    adjoints = Adjoints(apply("multiply", z, t), named={x, y, z})
    gradients = [adjoints.gradient(node) for node in (x, y, z)]
    assert len(set(gradients)) == 1
    assert [value(g) for g in gradients] == [3, 3, 3]


def test_a_gradient_that_is_apart_already_is_not_set_apart_again() -> None:
    """What was made for z serves z whenever it is asked for."""
    x, t = given("1"), given("3")
    adjoints = Adjoints(apply("multiply", x, t), named={x})
    first = adjoints.gradient(x)
    assert first.operation.name == "identity"
    assert first.inputs[0].operation.name != "identity"
    assert adjoints.gradient(x) is first


def test_values_that_share_a_gradient_apart_share_its_node() -> None:
    """A second name for a value passes on a node that is apart: it needs no other."""
    x, t = given("1"), given("3")
    again = apply("identity", x)
    adjoints = Adjoints(apply("multiply", again, t), named={x, again})
    assert adjoints.gradient(x) is adjoints.gradient(again)


def test_a_constant_gradient_is_no_node_apart() -> None:
    """The one that the root sends to itself reads as 1, not as a name for it."""
    x, y = given("1"), given("2")
    adjoints = Adjoints(apply("add", x, y), named={x, y})
    assert adjoints.gradient(x).operation.name == "constant"


def test_an_unnamed_value_shares_its_gradient() -> None:
    """Without names there is nothing to set apart."""
    x, t = given("1"), given("3")
    assert Adjoints(apply("multiply", x, t)).gradient(x).operation.name != "identity"


def test_what_a_derivative_is_made_of_knows_the_step_that_it_is_of() -> None:
    """The slope of exp at x is exp(x) itself: the product with it is new, exp(x) and x stand in the steps."""
    x, t = given("2"), given("3")
    y = apply("exp", x)
    adjoints = Adjoints(apply("multiply", y, t))
    (use,) = adjoints.contributions(x)
    assert adjoints.differentiated[use.cotangent] is y
    assert not {x, y, t} & adjoints.differentiated.keys()


def test_the_root_itself_is_no_part_of_a_derivative() -> None:
    """The slope of exp is the root again: it stands in the steps."""
    root = apply("exp", given("2"))
    assert root not in Adjoints(root).differentiated


@pytest.mark.parametrize("ddof", [2, 3])
def test_a_variance_needs_more_values_than_are_taken_off(ddof: int) -> None:
    """Of two values there is no variance with ddof 2: it would divide by zero."""
    with pytest.raises(ShapeClash, match="needs more than 2 values"):
        apply("var", given("1", "2"), ddof=ddof)
