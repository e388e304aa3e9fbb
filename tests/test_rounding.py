"""What is told of a rounding at little cost, against fractions and the slower way by both ends of an interval."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from seqgen.ledger.display import decide, print_floats
from seqgen.ledger.rounding import nearest
from seqgen.readings import ball, intervals
from seqgen.spec.model import Display


def steps_from(value: float, count: int) -> float:
    """Return the float64 that is ``count`` float64s above, or below, ``value``."""
    for _ in range(abs(count)):
        value = math.nextafter(value, math.copysign(math.inf, count))
    return value


@st.composite
def floats(draw: st.DrawFn) -> float:
    """Return float64s of all sizes, some of them next to ties, printed numbers, zero and powers of two."""
    half_units = draw(st.integers(-(10 ** draw(st.integers(0, 20))), 10**20))
    special = [
        float(Fraction(half_units, 2 * 10 ** draw(st.integers(0, 25)))),
        math.ldexp(draw(st.sampled_from([-1.0, 1.0])), draw(st.integers(-1074, 1023))),
        0.0,
    ]
    near = steps_from(draw(st.sampled_from(special)), draw(st.integers(-3, 3)))
    return draw(st.one_of(st.just(near), st.floats(-10, 10), st.floats(allow_nan=False, allow_infinity=False)))


def half_way(value: float) -> Iterator[Fraction]:
    """Yield the numbers half way to the float64s below and above."""
    for beyond in (-math.inf, math.inf):
        other = math.nextafter(value, beyond)
        yield (Fraction(value) + Fraction(other)) / 2 if math.isfinite(other) else Fraction(value)


@given(value=floats(), digits=st.integers(0, 40))
@example(value=0.5, digits=0)
@example(value=1.5, digits=0)
@example(value=0.00005, digits=4)
@example(value=-0.00004, digits=4)
@example(value=0.12345, digits=4)
@example(value=0.1234, digits=4)
@example(value=2.0**52 + 0.5, digits=0)
def test_digits_that_a_float_tells_are_those_of_all_numbers_next_to_it(value: float, digits: int) -> None:
    """Both ends of what rounds to the float64 print so, by both rules for ties, and the printed number lies outside."""
    (told,) = print_floats([value], digits)
    if told is not None:
        low, high = half_way(value)
        assert [decide(low, high, Display(digits=digits), ties) for ties in ("half-even", "half-away")] == [told] * 2
        assert not low <= told.value <= high


@pytest.mark.parametrize(
    ("value", "text"), [(0.14027, "0.1403"), (-3.65684904, "-3.6568"), (123456.78912, "123456.7891")]
)
def test_a_float_tells_the_digits_of_common_numbers(value: float, text: str) -> None:
    """The way by intervals is for the others."""
    (told,) = print_floats([value], 4)
    assert told is not None
    assert told.text == text


@given(value=floats(), offset=st.fractions(-2, 2), width=st.integers(0, 300), bits=st.sampled_from([53, 64, 256, 4096]))
@example(value=1.0, offset=Fraction(-1, 4), width=300, bits=256)
@example(value=0.0, offset=Fraction(0), width=0, bits=256)
@example(value=5e-324, offset=Fraction(1, 2), width=60, bits=256)
@example(value=1.7976931348623157e308, offset=Fraction(1, 2), width=60, bits=256)
def test_the_float_that_a_ball_tells_is_nearest_to_both_its_ends(
    value: float, offset: Fraction, width: int, bits: int
) -> None:
    """The ball lies about some units from a float64, and is some powers of two narrower than such a unit."""
    middle = Fraction(value) + offset * Fraction(math.ulp(value))
    with ball.precision(bits):
        radius = ball.arb(math.ulp(value)) / 2**width
        enclosure = ball.arb(ball.rational(str(middle)), radius.mid())
        found = nearest(enclosure)
    ends = intervals.bounds(enclosure)
    assert found is None or [float(end) for end in ends or ()] == [found, found]


@pytest.mark.parametrize("text", ["1/3", "-1/7", "0", "0.5", "1e300"])
def test_a_rational_has_a_nearest_float(text: str) -> None:
    """As a ball of the precision in force it is narrow enough."""
    with ball.precision(64):
        assert nearest(ball.rational(text)) == float(Fraction(text))


def test_a_ball_about_zero_tells_no_float() -> None:
    """Whether a number is zero is not for rounding to say."""
    assert nearest(ball.arb(0, 1e-320) * ball.arb(1e-300)) is None


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_number_too_small_for_a_float_is_zero_without_a_sign(sign: int) -> None:
    """It is known to be on one side of zero."""
    found = nearest(sign * ball.arb(2) ** -2000)
    assert found is not None
    assert (found, math.copysign(1, found)) == (0, 1)


@pytest.mark.parametrize("number", [ball.arb(2) ** 2000, ball.POSITIVE_INFINITY, ball.arb.nan()])
def test_what_is_not_finite_as_a_float_is_left_open(number: ball.arb) -> None:
    """It is an error, infinity itself, or unknown."""
    assert nearest(number) is None
