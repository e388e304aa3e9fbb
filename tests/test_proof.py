"""Proven values and digits: ties and zeros that no precision decides, cancellation, chains, and the nearest float64."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from fractions import Fraction
from typing import Any, NamedTuple

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import FUNCTIONS, MP, nearest, number
from seqgen.build.artifacts import make
from seqgen.errors import SeqgenError
from seqgen.graph.node import ancestors
from seqgen.ledger.display import Printed
from seqgen.ledger.floating import compare_with_numpy
from seqgen.microscope import Microscope
from seqgen.project import Project
from seqgen.readings import ball, intervals
from seqgen.spec.model import Display
from strategies import decimals

Opened = Callable[[], Microscope]
TimeLimit = Callable[[float], AbstractContextManager[None]]


@pytest.fixture(scope="session")
def even(steps: Callable[..., Microscope]) -> Opened:
    """Return, by a call that Hypothesis need not print, a microscope that rounds ties to even."""
    opened = steps(given={"zero": "0"})
    return lambda: opened


@pytest.fixture(scope="session")
def away(steps: Callable[..., Microscope]) -> Opened:
    """Return a microscope that rounds ties away from zero."""
    opened = steps(given={"zero": "0"}, configuration='ties = "half-away"')
    return lambda: opened


class Real(NamedTuple):
    """The float64 of a scalar, and whether it is proven."""

    value: float
    proven: bool


def real(microscope: Microscope, text: str) -> Real:
    """Return the proven float64 of a scalar expression."""
    found = microscope.prover.reals(microscope.node_of(text))
    return Real(found.values.item(), found.proven)


def printed(microscope: Microscope, text: str, digits: int = 4) -> Printed:
    """Return the proven digits of a scalar expression."""
    found: Printed = microscope.prover.printed(microscope.node_of(text), Display(digits=digits))[()]
    return found


# Ties that no precision decides

TIES = [
    ("0.12345", "0.1234", "0.1235"),
    ("-0.12345", "-0.1234", "-0.1235"),
    ("0.1 + 0.02345", "0.1234", "0.1235"),
    ("12345 / 100000", "0.1234", "0.1235"),
    ("1 / 32", "0.0312", "0.0313"),
    ("softmax([log(1), log(31)])[0]", "0.0312", "0.0313"),
    ("exp(log(3) - log(96))", "0.0312", "0.0313"),
    ("sqrt(2) * sqrt(2) / 64", "0.0312", "0.0313"),
    ("(sqrt(3) / 8)**2 * 2 / 3", "0.0312", "0.0313"),
    ("cos(pi) / 32 + 1 / 16", "0.0312", "0.0313"),
    ("sigmoid(log(3)) - 0.71875", "0.0312", "0.0313"),
    ("mean([sqrt(2), -sqrt(2), 0.09375])", "0.0312", "0.0313"),
    ("var([sqrt(2), -sqrt(2)]) / 64", "0.0312", "0.0313"),
    ("max([sqrt(2), 1])**2 / 64", "0.0312", "0.0313"),
    ("exp(logsumexp([log(1), log(2)])) / 96", "0.0312", "0.0313"),
]


@pytest.mark.parametrize(("text", "half_even", "half_away"), TIES)
def test_tie_is_rounded_by_the_rule(even: Opened, away: Opened, text: str, half_even: str, half_away: str) -> None:
    """A value exactly between two printed ones follows the configured rule, not the noise of a precision."""
    assert [printed(opened(), text).text for opened in (even, away)] == [half_even, half_away]


@pytest.mark.parametrize("text", [tie[0] for tie in TIES])
def test_tie_is_proven(even: Opened, text: str) -> None:
    """A rational or a closed form decides what no enclosure can."""
    assert printed(even(), text).proven


@pytest.mark.parametrize("text", [tie[0] for tie in TIES])
def test_tie_is_not_exact_until_all_its_digits_are_printed(even: Opened, text: str) -> None:
    """Rounded to four decimals it is about equal, with five it is the number itself."""
    assert [printed(even(), text, digits).exact for digits in (4, 5)] == [False, True]


NEAR_TIES = [
    ("0.12345 + 1e-60", "0.1235"),
    ("0.12345 - 1e-60", "0.1234"),
    ("1/32 + exp(-200)", "0.0313"),
    ("1/32 - exp(-200)", "0.0312"),
    ("softmax([log(1), log(31)])[0] + exp(-500)", "0.0313"),
]


@pytest.mark.parametrize(("text", "digits"), NEAR_TIES)
def test_near_tie_is_decided_by_precision(even: Opened, text: str, digits: str) -> None:
    """A value a hair from a tie is rounded to its own side."""
    found = printed(even(), text)
    assert (found.text, found.proven) == (digits, True)


# Zeros that no precision decides

ZEROS = [
    "0.1 + 0.2 - 0.3",
    "relu(0.1 + 0.2 - 0.3)",
    "sqrt(0.1 + 0.2 - 0.3)",
    "abs(0.1 + 0.2 - 0.3)",
    "sign(0.1 + 0.2 - 0.3)",
    "tanh(0.1 + 0.2 - 0.3)",
    "0.1 + 0.2 > 0.3",
    "sqrt(2) * sqrt(2) - 2",
    "relu(sqrt(2) * sqrt(2) - 2)",
    "sin(pi)",
    "cos(pi / 2)",
    "exp(log(3)) - 3",
    "log(exp(2)) - 2",
    "softmax([log(1), log(31)])[0] - 1/32",
    "sum(softmax([0.3, -0.7, 1.1])) - 1",
    "sqrt(8) - 2 * sqrt(2)",
    "(sqrt(2) + 1) * (sqrt(2) - 1) - 1",
    "sum([sqrt(2), sqrt(3)] - mean([sqrt(2), sqrt(3)]))",
    "sigmoid(0.3) + sigmoid(-0.3) - 1",
    "-0.0",
    "0 * -1",
    "-(zero)",
    "-relu(-1)",
    "exp(0) - 1",
    "1e-400 * 0",
]


@pytest.mark.parametrize("text", ZEROS)
def test_zero_is_zero(even: Opened, text: str) -> None:
    """What is zero in mathematics is 0.0, without the noise and without the sign of floating point."""
    value = real(even(), text).value
    assert (value, math.copysign(1, value)) == (0, 1)


@pytest.mark.parametrize("text", ZEROS)
def test_zero_is_proven(even: Opened, text: str) -> None:
    """A zero is known to be one, by a rational or by its closed form."""
    assert real(even(), text).proven


@pytest.mark.parametrize("text", ZEROS)
def test_zero_is_printed_as_exact(even: Opened, text: str) -> None:
    """A zero is equal to its digits, and does not vanish in them."""
    found = printed(even(), text)
    assert (found.text, found.exact, found.vanishes) == ("0.0000", True, False)


def test_zero_that_nothing_decides_is_said_to_be_unproven(even: Opened) -> None:
    """An identity that sympy does not see leaves 0.0 as the likely value, and says that it is not proven."""
    assert real(even(), "tanh(1) - (exp(1) - exp(-1)) / (exp(1) + exp(-1))") == Real(value=0.0, proven=False)


@pytest.mark.parametrize("text", ["1 / (0.1 + 0.2 - 0.3)", "1 / (sqrt(2) * sqrt(2) - 2)", "1 / sin(pi)", "(zero)**-1"])
def test_quotient_by_zero_is_an_error(even: Opened, text: str) -> None:
    """A division by what is zero in mathematics has no value, whatever float64 makes of it."""
    with pytest.raises(SeqgenError) as caught:
        real(even(), text)
    assert caught.value.code == "division-by-zero"


@pytest.mark.parametrize(
    "text", ["log(zero)", "log(0.1 + 0.2 - 0.3)", "log(-1)", "sqrt(-1)", "(-8)**(1/3)", "log(sin(pi))"]
)
def test_function_outside_its_domain_is_an_error(even: Opened, text: str) -> None:
    """A logarithm or a root that does not exist is no number and no NaN."""
    with pytest.raises(SeqgenError) as caught:
        real(even(), text)
    assert caught.value.code in ("undefined", "division-by-zero")


# Signs that show


def test_switch_at_an_exact_zero_takes_the_side_of_zero(even: Opened) -> None:
    """Where float64 sees 5.6e-17, the comparison sees zero."""
    assert real(even(), "where(0.1 + 0.2 - 0.3 > 0, 1, -1)").value == -1


def test_equal_irrational_forms_are_equal(even: Opened) -> None:
    """Two forms of one number are one number."""
    assert real(even(), "sqrt(8) == 2 * sqrt(2)").value == 1


def test_largest_of_equal_irrational_numbers_is_the_first(even: Opened) -> None:
    """A tie of forms goes to the first position, as in numpy."""
    assert real(even(), "argmax([1, sqrt(8), 2 * sqrt(2)])").value == 1


# The nearest float64

MEANS = {name: name + "({})" for name in ("exp", "tanh", "erf", "sin", "cos")}


@given(x=decimals(low=-20, high=20, digits=12))
@pytest.mark.parametrize("name", MEANS)
def test_value_is_the_nearest_float64(even: Opened, name: str, x: str) -> None:
    """A value is what mpmath's 60 digits round to, on every machine."""
    assert real(even(), MEANS[name].format(x)).value == nearest(getattr(MP, name)(number(x)))


@given(x=decimals(low=-600, high=600))
def test_nearest_float64_of_large_and_small_numbers(even: Opened, x: str) -> None:
    """The range of float64 is used to its ends."""
    assert real(even(), f"exp({x})").value == nearest(MP.exp(number(x)))


@given(x=decimals(low=708, high=745))
def test_nearest_float64_of_subnormal_numbers(even: Opened, x: str) -> None:
    """Below 2.2e-308 the spacing of float64 is even: the nearest is still the nearest."""
    assert real(even(), f"exp(-{x})").value == nearest(MP.exp(-number(x)))


@given(top=st.integers(-(10**40), 10**40), bottom=st.integers(1, 10**40))
def test_nearest_float64_of_a_rational(even: Opened, top: int, bottom: int) -> None:
    """A quotient of long integers is rounded once."""
    assert real(even(), f"({top}) / {bottom}").value == float(Fraction(top, bottom))


@given(mantissa=st.integers(2**52, 2**53 - 1), exponent=st.integers(-60, 60), nudge=st.sampled_from([-1, 0, 1]))
def test_nearest_float64_of_a_number_between_two(even: Opened, mantissa: int, exponent: int, nudge: int) -> None:
    """Half way between two float64 the even one is nearest, a hair off the half the nearer one."""
    half = Fraction(2 * mantissa + 1) * Fraction(2) ** exponent
    exact = half + nudge * Fraction(1, 10**90)
    text = f"{half.numerator} / {half.denominator} + ({nudge}) / 10**45 / 10**45"
    assert real(even(), text).value == float(exact)


@given(x=decimals(low=-20, high=20), digits=st.integers(0, 30))
def test_printed_digits_are_those_of_mpmath(even: Opened, x: str, digits: int) -> None:
    """As many digits as are asked for are right."""
    with mpmath.workdps(80):
        true = mpmath.tanh(mpmath.mpf(x))
        scaled = mpmath.nint(true * mpmath.mpf(10) ** digits)
    expected = Fraction(int(scaled), 10**digits)
    assert Fraction(printed(even(), f"tanh({x})", digits).text) == expected


CANCELLING = {
    "exp(1e-10) - 1 - 1e-10": lambda m: m.exp(m.mpf("1e-10")) - 1 - m.mpf("1e-10"),
    "(1e20 + 1) - 1e20": lambda m: m.mpf(1),
    "exp(20) - exp(20 + 1e-30)": lambda m: m.exp(20) - m.exp(20 + m.mpf("1e-30")),
    "tanh(20) - 1": lambda m: m.tanh(20) - 1,
    "1 - erf(10)": lambda m: m.erfc(10),
    "sin(1e22)": lambda m: m.sin(m.mpf(10) ** 22),
    "cos(10**40)": lambda m: m.cos(m.mpf(10) ** 40),
    "log(1 + 1e-30) - 1e-30": lambda m: m.log1p(m.mpf("1e-30")) - m.mpf("1e-30"),
    "sqrt(10**60 + 1) - 10**30": lambda m: m.sqrt(m.mpf(10) ** 60 + 1) - m.mpf(10) ** 30,
    "var([1e15, 1e15 + 1])": lambda m: m.mpf(1) / 4,
    "softplus(-100)": lambda m: m.log1p(m.exp(-100)),
    "log_softmax([0, -200])[0]": lambda m: -m.log1p(m.exp(-200)),
    "gelu(-20)": lambda m: -10 * m.erfc(20 / m.sqrt(2)),
    "sigmoid(-300)": lambda m: 1 / (1 + m.exp(300)),
}


@pytest.mark.parametrize(("text", "formula"), CANCELLING.items(), ids=CANCELLING.keys())
def test_cancellation_leaves_the_nearest_float64(even: Opened, text: str, formula: Callable[..., Any]) -> None:
    """Digits that cancel are won back by precision."""
    with mpmath.workdps(400):
        expected = nearest(mpmath.mpf(formula(mpmath.mp)))
    assert real(even(), text) == Real(value=expected, proven=True)


# Precision that rises

CHAIN = ["for t in range(N):", "    x[t+1] = 3.9 * x[t] * (1 - x[t])"]
TANH_CHAIN = ["for t in range(N):", "    x[t+1] = 2.5 * tanh(x[t]) - 0.8 * x[t]**2"]


def chain(steps: Callable[..., Microscope], lines: list[str], count: int, **more: Any) -> Microscope:
    """Return a microscope of a chaotic sequence, which loses about a bit a step."""
    return steps(*(line.replace("N", str(count)) for line in lines), given={"x[0]": "0.3"}, **more)


def sequence(rule: Callable[[Any], Any], count: int) -> float:
    """Return the float64 nearest to the end of a sequence, computed by mpmath with 300 digits."""
    with mpmath.workdps(300):
        x = mpmath.mpf(3) / 10
        for _ in range(count):
            x = rule(x)
    return nearest(x)


def test_chain_of_quadratic_steps_is_proven(steps: Callable[..., Microscope]) -> None:
    """A hundred steps of the logistic map, whose rationals soon are too long to carry, end in the nearest float64."""
    found = real(chain(steps, CHAIN, 100), "x[100]")
    assert found == Real(value=sequence(lambda x: mpmath.mpf("3.9") * x * (1 - x), 100), proven=True)


def test_chain_of_tanh_steps_is_proven(steps: Callable[..., Microscope]) -> None:
    """The same where no value is rational."""
    found = real(chain(steps, TANH_CHAIN, 100), "x[100]")
    rule = lambda x: mpmath.mpf("2.5") * mpmath.tanh(x) - mpmath.mpf("0.8") * x**2  # noqa: E731
    assert found == Real(value=sequence(rule, 100), proven=True)


def test_chain_past_the_precision_limit_is_said_to_be_unproven(steps: Callable[..., Microscope]) -> None:
    """Where 64 bits are all that is allowed, a hundred steps leave nothing that is known."""
    opened = chain(steps, CHAIN, 100, configuration="precision_limit = 64")
    assert not real(opened, "x[100]").proven


def test_what_stays_unproven_costs_no_more_than_its_chain(
    steps: Callable[..., Microscope], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Floating point, which has to do past the last precision, is computed once for all steps together."""
    opened = chain(steps, CHAIN, 300, configuration="precision_limit = 64")
    computed: list[Any] = []
    finish = ball.Middles.finish
    monkeypatch.setattr(ball.Middles, "finish", lambda self, value: computed.append(value) or finish(self, value))
    nodes = opened.everything()
    assert not all(opened.prover.reals(node).proven for node in nodes)
    assert len(computed) <= len(ancestors(nodes))


def test_bits_that_a_value_needed_are_tried_at_once_for_its_steps(
    steps: Callable[..., Microscope], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last of 500 steps takes 1,024 bits and the way to them; the step before it is asked at the first and there."""
    opened = chain(steps, CHAIN, 500)
    prover = opened.prover
    assert prover.reals(opened.node_of("x[500]")).proven
    asked: list[int] = []
    interval = prover.interval
    monkeypatch.setattr(prover, "interval", lambda node, at, bits: asked.append(bits) or interval(node, at, bits))
    assert prover.reals(opened.node_of("x[499]")).proven
    assert sorted(set(asked)) == [256, 1024]


def test_what_64_bits_decide_is_proven_under_the_lowest_limit(steps: Callable[..., Microscope]) -> None:
    """A few steps need no more."""
    assert real(chain(steps, CHAIN, 3, configuration="precision_limit = 64"), "x[3]").proven


# Zeros of float64 that are not zero


@pytest.mark.parametrize("text", ["exp(-20)", "0.00001", "-exp(-20)", "1e-50", "-0.00004", "1e-400", "exp(-1000)"])
def test_number_that_prints_as_zero_is_flagged(even: Opened, text: str) -> None:
    """A value that is not zero and whose digits are says so, and its digits have no sign."""
    found = printed(even(), text)
    assert (found.text, found.vanishes, found.exact) == ("0.0000", True, False)


@pytest.mark.parametrize("text", ["0", "0.0001", "0.1 + 0.2 - 0.3", "exp(-9)"])
def test_number_that_prints_as_itself_is_not_flagged(even: Opened, text: str) -> None:
    """Zero itself, and what has a digit left, do not vanish."""
    assert not printed(even(), text).vanishes


UNDERFLOWS = ["1e-400", "-1e-400", "exp(-1000)", "-exp(-1000)", "sqrt(2) * sqrt(2) * -1e-400", "sigmoid(-1000)"]
UNDERFLOWS += ["softplus(-1000)", "gelu(-40)", "-softplus(-1000)", "log_softmax([0, -1000])[0]", "1 - erf(30)"]


@pytest.mark.parametrize("text", UNDERFLOWS)
def test_number_below_float64_is_zero_without_a_sign(even: Opened, text: str) -> None:
    """The float64 nearest to it is zero, and zero has no sign."""
    value = real(even(), text).value
    assert (value, math.copysign(1, value)) == (0, 1)


@pytest.mark.parametrize("text", UNDERFLOWS)
def test_number_below_float64_is_proven(even: Opened, text: str) -> None:
    """An enclosure on one side of zero and below the smallest float64 leaves no doubt."""
    assert real(even(), text).proven


@pytest.mark.parametrize(
    "text", ["1e400", "-1e400", "exp(1000)", "10**200 * 10**200", "2.0**1024", "1.7976931348623159e308"]
)
def test_number_past_float64_is_an_error(even: Opened, text: str) -> None:
    """No float64 is near to it: that is a mistake of the spec, said at its place."""
    with pytest.raises(SeqgenError):
        real(even(), text)


def test_largest_float64_is_a_value(even: Opened) -> None:
    """The range ends where float64's does."""
    assert real(even(), "1.7976931348623157e308").value == 1.7976931348623157e308


@pytest.mark.parametrize("score", ["-100", "-1000", "-1e5", "-1e9", "-1e30"])
def test_mask_of_a_large_negative_score_gives_a_weight_of_zero(
    project: Callable[..., Project], at_most: TimeLimit, score: str
) -> None:
    """Many write a mask as -1e9: its weight is zero as printed, found soon, and no float64 is nearer than its own."""
    text = f"title: mask\nsteps: |\n  A = softmax([0, {score}])\n"
    with at_most(5):
        entry = make(project(text), "example").ledger["entries"]["A"]
    weight = nearest(MP.exp(number(score)) / (1 + MP.exp(number(score)))) if float(score) > -1e6 else 0.0
    assert (entry["value"], entry["shown"]) == ([1.0, weight], ["1.0000", "0.0000"])


@pytest.mark.parametrize("text", ["exp(-1000)", "1e-400", "sigmoid(-800)", "exp(-600)**2", "softmax([0, -1000])"])
def test_underflow_of_numpy_is_no_mistake(project: Callable[..., Project], text: str) -> None:
    """Where the true value is below float64, numpy's zero is as near as it can be."""
    assert make(project(f"title: x\nsteps: |\n  y = {text}\n"), "example").ledger["entries"]["y"]["proven"]


# Whole ledgers


def values(content: Any) -> list[Any]:
    """Return all numbers of nested lists."""
    return [x for part in content for x in values(part)] if isinstance(content, list) else [content]


LEDGER = """
title: signs
given:
  x: {value: [[-0.0, 0.5], [-1e-300, 3]]}
steps: |
  a = -x
  b = relu(a)
  c = x * 0
  d = 0.1 + 0.2 - 0.3
  e = x - x
  y = tanh(x)
  L = sum(y**2) * 0
gradients: {L: [x, y]}
"""


def test_no_ledger_holds_a_negative_zero(project: Callable[..., Project]) -> None:
    """Neither a value nor a contribution is -0.0, which JSON would show."""
    entries = make(project(LEDGER), "example").ledger["entries"].values()
    numbers = [x for e in entries for part in (e["value"], *e.get("via", {}).values()) for x in values(part)]
    assert [x for x in numbers if x == 0 and math.copysign(1, x) < 0] == []


def test_no_ledger_prints_a_negative_zero(project: Callable[..., Project]) -> None:
    """Printed digits of zero have no sign."""
    entries = make(project(LEDGER), "example").ledger["entries"].values()
    shown = [text for entry in entries for text in values(entry["shown"])]
    assert [text for text in shown if text.startswith("-") and not text.strip("-0.")] == []


def test_same_spec_gives_the_same_bytes(project: Callable[..., Project]) -> None:
    """A ledger depends on the spec alone."""
    texts = [make(project(LEDGER), "example").files["ledgers/example.json"] for _ in range(2)]
    assert texts[0] == texts[1]


def test_functions_of_the_oracle_are_known() -> None:
    """Every function whose value is compared here is one of mpmath's."""
    assert set(MEANS) <= set(FUNCTIONS)


# Balls that can't be written out


@pytest.mark.parametrize(
    ("middle", "radius"),
    [("1", 9000), ("1", 10**9), ("0", 10**9), ("-1/2", 10**9)],
)
def test_interval_of_a_ball_of_a_tiny_radius_holds_its_middle(middle: str, radius: int) -> None:
    """One and next to nothing is about one, and takes no more bits than can be read."""
    found = intervals.interval(ball.arb(ball.rational(middle), (ball.arb(2) ** -radius).mid()))
    assert found is not None
    low, high, over = found
    assert low <= Fraction(middle) * over <= high
    assert over.bit_length() < 10_000


@pytest.mark.parametrize("radius", [4000, 5000, 9000])
def test_interval_of_a_ball_of_a_small_radius_is_narrow(radius: int) -> None:
    """It keeps the bits of the middle, whatever the precision in force."""
    third = ball.rational("1/3")
    with ball.precision(6000):
        wide = ball.arb(third)
        enclosure = wide.mid() + ball.arb(0, (ball.arb(2) ** -radius).mid())
    low, high = intervals.bounds(enclosure) or (Fraction(0), Fraction(1))
    assert low <= Fraction(1, 3) <= high
    assert high - low <= Fraction(4, 2 ** min(radius, ball.MAX_EXPONENT))


def test_one_and_a_zero_that_is_enclosed_very_narrowly_is_one(even: Opened) -> None:
    """What is left of a tiny number less itself does not make the sum tiny."""
    assert real(even(), "1 + (exp(-1000000) - 1.0 * exp(-1000000))").value == 1


@pytest.mark.parametrize(
    ("expression", "possible"),
    [
        ("u > v", {0.0, 1.0}),
        ("u == v", {0.0, 1.0}),
        ("argmax([u, v])", {0.0, 1.0}),
        ("sign(u - v)", {-1.0, 0.0, 1.0}),
        ("where(u > v, 1, 3)", {1.0, 3.0}),
    ],
)
def test_a_choice_that_nothing_decides_takes_one_of_its_sides(
    steps: Callable[..., Microscope], expression: str, possible: set[float]
) -> None:
    """With tanh 1 = (e**2 - 1)/(e**2 + 1) no precision decides; a number between the sides would be of neither."""
    made = steps("u = tanh(1)", "v = (exp(2) - 1)/(exp(2) + 1)", f"b = 1 * ({expression})")
    node = made.node_of("b")
    found, (shown,) = made.prover.reals(node), made.prover.printed(node, made.display("b")).flat
    assert found.values.item() in possible
    assert float(shown.text) == found.values.item()
    assert not found.proven
    assert not shown.proven


def test_a_closed_form_of_infinity_is_written_as_in_a_spec(steps: Callable[..., Microscope]) -> None:
    """A ledger says -inf, not sympy's -oo."""
    made = steps("b = a", given={"a": "[-inf, inf, 1]"})
    assert [str(form) for form in made.forms(made.node_of("b"))] == ["-inf", "inf", "1"]


UNDECIDED = """
title: t
given: {a: {value: 2}}
steps: |
  s = exp(log(a) / 2)
  p = s * s > 2
  q = s * s >= 2
  same = p == q
"""


def test_two_open_choices_are_not_taken_for_the_same(project: Callable[..., Project]) -> None:
    """Root two squared is neither above 2 nor below; that both stay open in enclosures says nothing of their equality."""
    values = {
        key: (entry["value"], entry["proven"])
        for key, entry in json.loads(make(project(UNDECIDED), "example").files["ledgers/example.json"])[
            "entries"
        ].items()
    }
    for key, truth in {"p": 0.0, "q": 1.0, "same": 0.0}.items():
        assert values[key][0] == truth or not values[key][1], key


def test_what_may_be_no_number_is_not_equal_to_itself() -> None:
    """Elements lost in a loop may not exist: no comparison of them holds or fails."""
    (lost,) = ball.Balls().lost((1,))
    assert all(ball.is_nan(compare(lost, lost)) for compare in ball.COMPARE.values())


def test_a_closed_form_outside_the_proven_bounds_stops_the_build(
    steps: Callable[..., Microscope], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The two readings are independent, so that a mistake of either shows, where the digits are decided, too."""
    monkeypatch.setattr("seqgen.readings.ball.Balls.exp", staticmethod(lambda x: x))
    opened = steps(given={"zero": "0"})
    with pytest.raises(SeqgenError, match="the closed form 1 is outside the proven bounds"):
        opened.prover.believed(opened.node_of("exp(0 * sqrt(2))"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0 ** (-1/2)", "zero to a negative power"),
        ("0 ** (-2)", "zero to a negative power"),
        ("2 ** (2**20000)", "an exponent of more than 1,000,000"),
        ("(2 ** 1000000) ** ((2 ** 1000000) ** 1000000)", "an exponent of more than 1,000,000"),
    ],
)
def test_a_power_that_does_not_exist_or_never_ends_is_an_error(
    steps: Callable[..., Microscope], text: str, reason: str, at_most: TimeLimit
) -> None:
    """In a line, at once, and before the exponent is written out."""
    with at_most(10), pytest.raises(SeqgenError, match=reason):
        real(steps(given={"zero": "0"}), text)


# What is not shown is not assumed

ZERO = "(softmax([1, 2])[0] - softmax([2, 3])[0])"
TINY = "(tanh(200) - 1)"  # negative, and closer to zero than 256 bits tell


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (f"where({ZERO}, 1, 0)", 0),
        (f"where({ZERO} == 0, 1, 0)", 1),
        (f"where({TINY}, 1, 0)", 1),
        (f"{TINY} < 0", 1),
        (f"sign({ZERO})", 0),
        (f"sign({TINY})", -1),
        (f"sqrt({ZERO})", 0),
        (f"norm([{ZERO}, {ZERO}])", 0),
        (f"maximum({ZERO}, 0)", 0),
        (f"argmax([{ZERO}, 0])", 0),
        (f"argmax([{TINY}, 0])", 1),
        (f"{ZERO}**0", 1),
        (f"sum(one_hot(argmax([{ZERO}, 0]), 2) * [3, 5])", 3),
        (f"{TINY} / {TINY}", 1),
    ],
)
def test_a_choice_on_what_is_almost_zero_is_that_of_its_true_value(even: Opened, text: str, value: int) -> None:
    """A softmax does not feel a shift, and tanh(200) < 1: the true values follow by hand."""
    assert real(even(), text) == (value, True)


@pytest.mark.parametrize(
    "text",
    [
        "{0} / {0}",
        "{0} / {0} == 1",
        "sign({0} / {0})",
        "where({0} / {0}, 1, 2)",
        "argmax([{0} / {0}, 0])",
        "({0} / {0})**0",
        "softmax([1 / {0}])[0]",
        "0 * (1 / {0})",
        "log({0}) - log({0})",
        "exp(log({0}))",
        "{0}**(-1)",
        "sqrt({1}) / sqrt({1})",
        "sqrt({1}) * sqrt({1})",
        "log({1}) - log({1})",
        "({1}**(1/2))**2",
        "{1}**(1/3) * 0",
    ],
)
def test_nothing_follows_from_what_does_not_exist(even: Opened, text: str) -> None:
    """A quotient by zero, or a root of a negative number, does not cancel: the spec is refused."""
    with pytest.raises(SeqgenError, match=r"zero|not positive|negative"):
        real(even(), text.format(ZERO, TINY))


def test_a_number_too_large_for_a_float_on_the_way_is_no_disagreement(steps: Callable[..., Microscope]) -> None:
    """1 / softplus(1000) is 1/1000 to the last bit: exp(-1000) is lost beside 1000."""
    opened = steps("y = 1 / softplus(x)", given={"x": "1000"})
    compare_with_numpy(opened.prover, opened.everything())
    assert real(opened, "y") == (0.001, True)


@pytest.mark.parametrize(("root", "text"), [(2, "sqrt({})"), (3, "({})**(1/3)"), (7, "({})**(1/7)")])
def test_a_root_of_a_large_integer_has_no_closed_form(even: Opened, at_most: TimeLimit, root: int, text: str) -> None:
    """Its factors are not sought; its value is proven without."""
    large = 50000000990000004901**2
    with at_most(5):
        found = real(even(), text.format(large * 3))
    assert found == (nearest(MP.root(3 * large, root)), True)
