"""Laws over the whole table of operations: every reading and every derivative, against what mpmath and PyTorch say."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from oracles import MP, ROUNDED, TRUE, TRUE_ERROR, array, fraction, number, table
from samples import ROW, SAMPLES, Sample
from seqgen.assertions.differences import MAX_ENCLOSED, Differences, central_differences
from seqgen.graph.gradient import Adjoints
from seqgen.graph.node import Node, NoDerivative, apply
from seqgen.graph.operations import OPERATIONS
from seqgen.readings import ball, intervals, torch
from seqgen.readings.ball import Balls
from seqgen.readings.evaluate import evaluate
from seqgen.readings.exact import Exact
from seqgen.readings.float64 import Float64
from strategies import decimals

torch_installed = pytest.mark.skipif(not torch.is_installed(), reason="PyTorch is not installed")
every_sample = pytest.mark.parametrize("sample", SAMPLES, ids=lambda s: f"{s.operation}: {s.title}")
smooth_samples = pytest.mark.parametrize(
    "sample", [s for s in SAMPLES if s.smooth], ids=lambda s: f"{s.operation}: {s.title}"
)
finite_samples = pytest.mark.parametrize(
    "sample", [s for s in SAMPLES if s.smooth and "inf" not in str(s.inputs)], ids=lambda s: f"{s.operation}: {s.title}"
)
# A loop's forms grow with every round: it has none.
closed_samples = pytest.mark.parametrize(
    "sample", [s for s in SAMPLES if s.operation != "repeat"], ids=lambda s: f"{s.operation}: {s.title}"
)


LIMIT = 1000  # no sample's form is as long


def leaf(texts: Any) -> Node:
    """Return a given array."""
    strings = np.array(texts, dtype=str)
    return apply("given", texts=tuple(map(str, strings.flat)), shape=strings.shape)


def build(sample: Sample) -> tuple[list[Node], Node]:
    """Return the inputs of a sample, and its operation applied to them."""
    inputs = [leaf(texts) for texts in sample.inputs]
    return inputs, apply(sample.operation, *inputs, **sample.parameters)


def weights(shape: tuple[int, ...], *, period: int) -> np.ndarray[Any, Any]:
    """Return numbers between 1/2 and 3/2, as texts, that no symmetry of an operation sums away."""
    count = int(np.prod(shape))
    return np.array([f"{0.5 + (3 * i % period) / period:.3f}" for i in range(count)], dtype=str).reshape(shape)


def weighted(node: Node, *, period: int = 11) -> Node:
    """Return a scalar that depends on every element of ``node``."""
    return apply("sum", apply("multiply", leaf(weights(node.shape, period=period)), node))


def weighted_sum(values: np.ndarray[Any, Any], *, period: int = 11) -> Any:
    """Return the same scalar of an oracle's values; what is not finite must not depend on the inputs."""
    factors = array(weights(values.shape, period=period))
    return MP.fsum(factor * value for factor, value in zip(factors.flat, values.flat, strict=True))


def places(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Return all places of an array."""
    return iter(np.ndindex(*shape))


def contains(enclosure: Any, true: Any, slack: Fraction = TRUE_ERROR) -> bool:
    """Whether an enclosure contains a true value that is itself known up to ``slack``."""
    if MP.isinf(true):
        return bool(enclosure == (ball.arb.pos_inf() if true > 0 else ball.arb.neg_inf()))
    bounds = intervals.bounds(enclosure)
    return bounds is not None and bounds[0] - slack <= fraction(true) <= bounds[1] + slack


# The table


def test_every_operation_has_a_sample() -> None:
    """An operation that is added without a sample here is not tested at all."""
    assert set(OPERATIONS) == {sample.operation for sample in SAMPLES}


@every_sample
def test_shape_is_that_of_the_formula(sample: Sample) -> None:
    """A shape rule gives the shape that the mathematics has."""
    assert build(sample)[1].shape == sample.shape


@pytest.mark.parametrize("exactly", [True, False], ids=["rationals", "balls"])
@every_sample
def test_ball_contains_the_true_value(sample: Sample, exactly: bool) -> None:
    """An enclosure holds what mpmath computes to 60 digits."""
    _, node = build(sample)
    with ball.precision(64):
        found = evaluate([node], Balls(exactly=exactly))[node]
    true = sample.values()
    outside = [place for place in places(sample.shape) if not contains(found[place], true[place])]
    assert outside == []


@every_sample
def test_ball_is_narrow(sample: Sample) -> None:
    """At 64 bits an enclosure of well-conditioned numbers decides 52 bits, so that it says something."""
    _, node = build(sample)
    with ball.precision(64):
        found = evaluate([node], Balls())[node]
    bounds = [intervals.bounds(x) for x in found.flat]
    assert all(b is None or b[1] - b[0] <= max(1, abs(b[0])) * Fraction(1, 2**52) for b in bounds)


@every_sample
def test_float64_is_within_its_rounding_error(sample: Sample) -> None:
    """Numpy's value is as near to the true one as a running error analysis of the textbook's formula says."""
    _, node = build(sample)
    found = evaluate([node], Float64())[node]
    far = [
        place
        for place, bound in zip(places(sample.shape), sample.values(ROUNDED).flat, strict=True)
        if not is_near(float(found[place]), bound)
    ]
    assert far == []


def is_near(found: float, rounded: Any, evaluations: int = 1) -> bool:
    """Whether a float64 is within the rounding error of a formula.

    A shift by the largest score makes intermediate results that are at most 8 times the textbook's, as no two
    scores of a sample differ by more.
    """
    if MP.isinf(rounded.value):
        return found == float(rounded.value)
    distance = abs(MP.mpf(found) - rounded.value)
    return bool(np.isfinite(found) and distance <= 8 * evaluations * rounded.error)


@closed_samples
def test_exact_form_is_the_true_value(sample: Sample) -> None:
    """A closed form, evaluated by sympy to 50 digits, is what mpmath computes."""
    _, node = build(sample)
    forms = evaluate([node], Exact(LIMIT))[node]
    true = sample.values()
    for place in places(sample.shape):
        digits = MP.mpf(str(sympy.sympify(forms[place]).evalf(50)).replace("oo", "inf"))
        assert digits == true[place] or abs(digits - true[place]) <= abs(digits) * MP.mpf(10) ** -48


@closed_samples
def test_exact_form_lies_in_the_ball(sample: Sample) -> None:
    """Two readings of one graph agree: the closed form's enclosure and the ball overlap."""
    _, node = build(sample)
    forms = evaluate([node], Exact(LIMIT))[node]
    with ball.precision(64):
        balls = evaluate([node], Balls())[node]
        for place in places(sample.shape):
            digits = number(str(sympy.sympify(forms[place]).evalf(50)).replace("oo", "inf"))
            assert contains(balls[place], digits, Fraction(1, 10**45))


functions = pytest.mark.parametrize(
    "sample",
    [s for s in SAMPLES if s.title == "a scalar" and s.operation not in ("log", "log10", "sqrt")],
    ids=lambda s: s.operation,
)


@given(x=decimals(low=-60, high=60))
@functions
def test_ball_contains_a_function_of_any_number(sample: Sample, x: str) -> None:
    """A function of one variable is enclosed wherever it is defined, far from zero too."""
    node = apply(sample.operation, leaf(x))
    true = sample.values(inputs=[array(x)])[()]
    with ball.precision(64):
        found = evaluate([node], Balls())[node][()]
    assert contains(found, true, TRUE_ERROR * max(1, abs(fraction(true))))


@given(x=decimals(low=-60, high=60))
@functions
def test_float64_of_any_number_is_within_its_rounding_error(sample: Sample, x: str) -> None:
    """Numpy's value of a function is as near as its own steps allow, far from zero too."""
    node = apply(sample.operation, leaf(x))
    found = evaluate([node], Float64())[node]
    assert is_near(float(found), sample.values(ROUNDED, [array(x, ROUNDED)])[()])


FAR = ["1e-300", "-1e-20", "1e5", "-1e5", "1e22", "-1e22", "700", "-740", "1e300", "-1e300"]


@pytest.mark.parametrize("x", FAR)
@functions
@MP.workdps(400)
def test_readings_agree_far_from_zero_and_next_to_it(sample: Sample, x: str) -> None:
    """Enclosure, closed form and float64 are what mpmath gives with digits enough for the argument."""
    node = apply(sample.operation, leaf(x))
    with ball.precision(64):
        found = evaluate([node], Balls())[node][()]
    if not ball.is_rational(found) and not found.is_finite():  # past the library's own exponents nothing is told
        assert x.strip("-") == "1e300"
        return
    true = sample.values(inputs=[array(x)])[()]
    if true and abs(MP.mag(true)) > ball.MAX_EXPONENT:  # it is not written out: its sign and size are told
        assert not (found < 0 if true > 0 else found > 0)
        assert ball.is_huge(found) if abs(true) > 1 else abs(found) < ball.TINY
        return
    slack = TRUE_ERROR * max(1, abs(fraction(true)))
    assert contains(found, true, slack)
    form = sympy.sympify(evaluate([node], Exact(LIMIT))[node][()])
    if form is not sympy.nan:
        assert contains(found, number(str(form.evalf(50))), slack + abs(fraction(true)) / 10**48)
    with np.errstate(all="ignore"):
        value = float(evaluate([node], Float64())[node])
    if np.isfinite(value) and abs(true) > 1e-290:
        assert abs(MP.mpf(value) - true) <= 64 * sample.values(ROUNDED, [array(x, ROUNDED)])[()].error


# Derivatives

STEP = MP.mpf(10) ** -15
# A central difference errs by h**2/6 times a third derivative (h**2 times a fourth, for a mixed second one): with
# h = 1e-15, and derivatives of the samples below 1e6, by less than 1e-23. Rounding adds 1e-60 / h**2 = 1e-30.
DIFFERENCE_ERROR = Fraction(1, 10**23)


def moved(sample: Sample, *moves: tuple[int, Any]) -> Any:
    """Return the weighted sum of a sample's values where inputs are moved: each move is an input and its change."""
    inputs = [array(texts) for texts in sample.inputs]
    for which, change in moves:
        for place in places(change.shape):
            inputs[which][place] += change[place]
    return weighted_sum(sample.values(TRUE, inputs))


def unit(shape: tuple[int, ...], place: tuple[int, ...], sign: int) -> np.ndarray[Any, Any]:
    """Return zeros with the step, up or down, at one place."""
    return table(shape, lambda *other: sign * STEP if other == place else MP.mpf(0))


def along(shape: tuple[int, ...], sign: int) -> np.ndarray[Any, Any]:
    """Return the step, up or down, in the direction that a gradient is weighted by."""
    factors = array(weights(shape, period=7))
    return table(shape, lambda *place: sign * STEP * factors[place])


def enclosed(node: Node) -> np.ndarray[Any, Any]:
    """Return the enclosures of a node at 128 bits."""
    with ball.precision(128):
        value: np.ndarray[Any, Any] = evaluate([node], Balls())[node]
    return value


@smooth_samples
def test_derivative_is_the_limit_of_differences(sample: Sample) -> None:
    """A gradient's enclosure holds the central difference of the textbook's formula, by every element."""
    inputs, node = build(sample)
    adjoints = Adjoints(weighted(node))
    for which in sample.smooth:
        found = enclosed(adjoints.gradient(inputs[which]))
        for place in places(inputs[which].shape):
            up, down = (unit(inputs[which].shape, place, sign) for sign in (1, -1))
            slope = (moved(sample, (which, up)) - moved(sample, (which, down))) / (2 * STEP)
            assert contains(found[place], slope, DIFFERENCE_ERROR), (which, place)


@smooth_samples
def test_second_derivative_is_the_limit_of_differences(sample: Sample) -> None:
    """A gradient of a weighted gradient holds the mixed second difference of the formula."""
    inputs, node = build(sample)
    adjoints = Adjoints(weighted(node))
    for first, second in itertools.product(sample.smooth, repeat=2):
        slope = Adjoints(weighted(adjoints.gradient(inputs[first]), period=7))
        found = enclosed(slope.gradient(inputs[second]))
        for place in places(inputs[second].shape):
            corners = [
                moved(sample, (first, along(inputs[first].shape, a)), (second, unit(inputs[second].shape, place, b)))
                * a
                * b
                for a in (1, -1)
                for b in (1, -1)
            ]
            assert contains(found[place], MP.fsum(corners) / (4 * STEP**2), DIFFERENCE_ERROR), (first, second, place)


@every_sample
def test_derivative_is_zero_where_none_is_defined(sample: Sample) -> None:
    """Comparisons, positions and stopped gradients send nothing back."""
    if sample.operation == "repeat":  # what follows from training has a gradient: it is refused, not left out
        inputs, node = build(sample)
        for source in inputs:
            with pytest.raises(NoDerivative):
                Adjoints(weighted(node)).gradient(source)
        return
    inputs, node = build(sample)
    adjoints = Adjoints(weighted(node))
    others = [x for which, x in enumerate(inputs) if which not in sample.smooth]
    assert all(x == 0 for other in others for x in enclosed(adjoints.gradient(other)).flat)


# PyTorch makes fewer than 64 roundings for an element of a sample, each of at most 4 * 2**-52 of a number that is below
# the result or 1.
TORCH_ERROR = Fraction(64 * 4, 2**52)


def far_from(node: Node, found: Any) -> list[tuple[int, ...]]:
    """Return the places at which PyTorch is further from the enclosures of ``node`` than its rounding explains."""
    enclosures, values = enclosed(node), np.asarray(found)
    numbers = [MP.mpf(float(values[place])) for place in places(node.shape)]
    return [
        place
        for place, value in zip(places(node.shape), numbers, strict=True)
        if not contains(enclosures[place], value, TORCH_ERROR * max(1, 0 if MP.isinf(value) else abs(fraction(value))))
    ]


@pytest.mark.real
@torch_installed
@every_sample
def test_torch_computes_the_same_value(sample: Sample) -> None:
    """PyTorch's own function gives the operation's value."""
    import torch as pytorch

    _, node = build(sample)
    tensors = [pytorch.tensor(np.array(texts, dtype=np.float64)) for texts in sample.inputs]
    found = sample.torch(pytorch, *tensors)
    assert tuple(found.shape) == node.shape
    assert far_from(node, found.numpy()) == []


@pytest.mark.real
@torch_installed
@smooth_samples
def test_derivative_is_that_of_torch(sample: Sample) -> None:
    """PyTorch's autograd of its own function gives the operation's derivative."""
    import torch as pytorch

    inputs, node = build(sample)
    adjoints = Adjoints(weighted(node))
    tensors = [pytorch.tensor(np.array(texts, dtype=np.float64), requires_grad=True) for texts in sample.inputs]
    factors = pytorch.tensor(weights(node.shape, period=11).astype(np.float64))
    (factors * sample.torch(pytorch, *tensors)).sum().backward()
    for which in sample.smooth:
        assert far_from(adjoints.gradient(inputs[which]), tensors[which].grad) == []


@pytest.mark.real
@torch_installed
@smooth_samples
def test_derivative_is_that_of_the_torch_reading(sample: Sample) -> None:
    """The torch reading of the same graph has the same derivative by autograd."""
    inputs, node = build(sample)
    root = weighted(node)
    adjoints = Adjoints(root)
    by = [inputs[which] for which in sample.smooth]
    for source, found in zip(by, torch.autograd(root, by), strict=True):
        assert far_from(adjoints.gradient(source), found) == []


# The check's differences err by their step squared times a third derivative, which is below 1e3 for the samples.
CHECK_STEP, CHECK_ERROR = Fraction(1, 10**6), 1e-9


@cache
def differences(sample: Sample, *, factor: int = 1) -> Differences:
    """Return what the check finds of ``factor`` times the derivative of a sample."""
    inputs, node = build(sample)
    root = weighted(node)
    adjoints = Adjoints(root)
    by = [inputs[which] for which in sample.smooth]
    gradients = [adjoints.gradient(x) * factor for x in by]
    return central_differences(root, by, gradients, CHECK_STEP, CHECK_ERROR)


@finite_samples
def test_central_differences_agree_with_the_derivative(sample: Sample) -> None:
    """The check's own differences, computed in one batch, are those of the mathematics."""
    assert differences(sample).largest <= CHECK_ERROR


@finite_samples
def test_central_differences_see_no_kink_where_there_is_none(sample: Sample) -> None:
    """A sample has derivatives everywhere, so that nothing is excused."""
    assert differences(sample).kinks == ()


@pytest.mark.parametrize("most_enclosed", [MAX_ENCLOSED, 0], ids=["enclosed", "float64"])
def test_central_differences_excuse_a_kink_and_nothing_else(most_enclosed: int) -> None:
    """At zero relu has two slopes; twice its gradient stays wrong by 1 where it is smooth."""
    x = leaf([["1", "0"], ["2", "3"]])
    root = apply("sum", apply("relu", x))
    for factor, error in ((1, 0.0), (2, 1.0)):
        gradient = Adjoints(root).gradient(x) * factor
        found = central_differences(root, [x], [gradient], CHECK_STEP, CHECK_ERROR, most_enclosed=most_enclosed)
        (kink,) = found.kinks
        assert (kink.place, kink.taken) == ((0, 1), 0.0)
        assert (kink.left, kink.right) == pytest.approx((0.0, 1.0), abs=CHECK_ERROR)
        assert found.largest == pytest.approx(error, abs=CHECK_ERROR)
        assert (found.count, found.enclosed) == (4, most_enclosed > 0)


@given(numerator=st.integers(-(2**80), 2**80), denominator=st.integers(1, 2**80))
def test_float64_reads_the_nearest_double_of_a_quotient(numerator: int, denominator: int) -> None:
    """What a quotient writes is rounded once, whether or not it is reduced."""
    assert Float64().scalar(f"{numerator}/{denominator}") == float(Fraction(numerator, denominator))


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.operation == "tanh"], ids=lambda s: s.title)
def test_central_differences_tell_a_wrong_derivative(sample: Sample) -> None:
    """Twice the derivative is found wrong, and not excused: a slope of tanh is above 1/2 at a place of either sample."""
    assert differences(sample, factor=2).largest > 0.25


# Ties and kinks: conventions, as PyTorch has them

KINKS: list[tuple[str, list[Any], dict[str, Any], Callable[..., Any]]] = [
    ("relu", [["0", "1", "-1"]], {}, lambda t, x: t.relu(x)),
    ("abs", [["0", "1", "-1"]], {}, lambda t, x: t.abs(x)),
    ("maximum", [["1", "2", "3"], ["1", "3", "2"]], {}, lambda t, x, y: t.maximum(x, y)),
    ("minimum", [["1", "2", "3"], ["1", "3", "2"]], {}, lambda t, x, y: t.minimum(x, y)),
    ("max", [[["1", "3", "3"], ["2", "2", "2"]]], {"axis": -1}, lambda t, x: t.amax(x, dim=-1)),
    ("min", [[["1", "1", "3"], ["2", "2", "2"]]], {"axis": -1}, lambda t, x: t.amin(x, dim=-1)),
    ("max", [[["1", "3", "3"], ["2", "3", "2"]]], {}, lambda t, x: t.amax(x)),
]


@pytest.mark.real
@torch_installed
@pytest.mark.parametrize(("name", "texts", "options", "function"), KINKS, ids=lambda x: x if isinstance(x, str) else "")
def test_kink_has_the_derivative_that_torch_gives_it(
    name: str, texts: list[Any], options: dict[str, Any], function: Callable[..., Any]
) -> None:
    """Where a function has no derivative, ours is PyTorch's convention."""
    import torch as pytorch

    inputs = [leaf(x) for x in texts]
    adjoints = Adjoints(weighted(apply(name, *inputs, **options)))
    tensors = [pytorch.tensor(np.array(x, dtype=np.float64), requires_grad=True) for x in texts]
    result = function(pytorch, *tensors)
    (pytorch.tensor(weights(tuple(result.shape), period=11).astype(np.float64)) * result).sum().backward()
    for source, tensor in zip(inputs, tensors, strict=True):
        assert far_from(adjoints.gradient(source), tensor.grad) == []


@pytest.mark.real
@torch_installed
@pytest.mark.parametrize(("name", "texts", "options", "_"), KINKS, ids=lambda x: x if isinstance(x, str) else "")
def test_kink_has_the_derivative_that_the_torch_reading_gives_it(
    name: str, texts: list[Any], options: dict[str, Any], _: object
) -> None:
    """The replay follows the same convention, so that a check by autograd raises no false alarm."""
    inputs = [leaf(x) for x in texts]
    root = weighted(apply(name, *inputs, **options))
    adjoints = Adjoints(root)
    for source, found in zip(inputs, torch.autograd(root, inputs), strict=True):
        assert far_from(adjoints.gradient(source), found) == []


@pytest.mark.real
@torch_installed
@pytest.mark.parametrize("name", ["stop_gradient", "sign", "argmax"])
def test_torch_reading_of_what_stops_gradients_is_zero(name: str) -> None:
    """Where nothing is sent back, the replay by autograd gives zeros too."""
    source = leaf(ROW)
    (found,) = torch.autograd(weighted(apply(name, source)), [source])
    assert np.asarray(found).tolist() == [0.0, 0.0, 0.0]


# Batches

FACTORS = (Fraction(1), Fraction(5, 4), Fraction(3, 4))


def variants(sample: Sample, which: int) -> list[np.ndarray[Any, Any]]:
    """Return an input of a sample and two others near it; positions stay positions."""
    texts = np.array(sample.inputs[which], dtype=str)
    if sample.operation == "one_hot":
        return [texts, texts[::-1], texts]
    scaled = np.vectorize(lambda text, factor: text if "inf" in text else str(Fraction(text) * factor), otypes=[object])
    return [scaled(texts, factor) for factor in FACTORS]


def batches(sample: Sample) -> list[tuple[int, ...]]:
    """Return which inputs become batches: each alone, and all together."""
    everything = tuple(range(len(sample.inputs)))
    return sorted({*((which,) for which in everything), everything})


batched_samples = pytest.mark.parametrize(
    ("sample", "batched"),
    [
        pytest.param(s, b, id=f"{s.operation}: {s.title}: {'all' if len(b) > 1 else b[0]}")
        for s in SAMPLES
        for b in batches(s)
        if b
    ],
)


def inputs_of_round(sample: Sample, batched: tuple[int, ...], round_: int) -> list[Any]:
    """Return the texts of all inputs in one round of a batch."""
    return [variants(sample, which)[round_ if which in batched else 0] for which in range(len(sample.inputs))]


def values_of(domain: Any, texts: Any) -> np.ndarray[Any, Any]:
    """Return an array of a domain's numbers."""
    strings = np.array(texts, dtype=str)
    value: np.ndarray[Any, Any] = domain.array(tuple(map(str, strings.flat)), strings.shape)
    return value


def evaluated_together(sample: Sample, batched: tuple[int, ...], domain: Any) -> np.ndarray[Any, Any]:
    """Return the results of all rounds of a batch, evaluated at once."""
    inputs, node = build(sample)
    replaced = {
        inputs[which]: np.stack([values_of(domain, texts) for texts in variants(sample, which)]) for which in batched
    }
    result: np.ndarray[Any, Any] = evaluate([node], domain, replaced=replaced)[node]
    return result


def evaluated_alone(sample: Sample, texts: list[Any], domain: Any) -> np.ndarray[Any, Any]:
    """Return the result of one round."""
    node = apply(sample.operation, *(leaf(x) for x in texts), **sample.parameters)
    result: np.ndarray[Any, Any] = evaluate([node], domain)[node]
    return result


@batched_samples
def test_batch_has_one_more_axis(sample: Sample, batched: tuple[int, ...]) -> None:
    """A batch of inputs gives a batch of results, whichever inputs are batched."""
    assert evaluated_together(sample, batched, Float64()).shape == (len(FACTORS), *sample.shape)


@batched_samples
def test_batch_of_float64_equals_its_rounds(sample: Sample, batched: tuple[int, ...]) -> None:
    """Numpy may take another path for a longer array: both results are within the rounding error."""
    found = evaluated_together(sample, batched, Float64())
    for round_ in range(len(FACTORS)):
        texts = inputs_of_round(sample, batched, round_)
        alone = evaluated_alone(sample, texts, Float64())
        bounds = sample.values(ROUNDED, [array(x, ROUNDED) for x in texts])
        for place in places(sample.shape):
            value, other = float(found[(round_, *place)]), float(alone[place])
            assert value == other or abs(value - other) <= 16 * float(bounds[place].error), (round_, place)


@batched_samples
def test_batch_of_balls_equals_its_rounds(sample: Sample, batched: tuple[int, ...]) -> None:
    """Rationals and balls go through the same steps in a batch as alone: the enclosures are the same."""
    with ball.precision(64):
        found = evaluated_together(sample, batched, Balls())
        for round_ in range(len(FACTORS)):
            alone = evaluated_alone(sample, inputs_of_round(sample, batched, round_), Balls())
            for place in places(sample.shape):
                assert str(found[(round_, *place)]) == str(alone[place]), (round_, place)
