"""Rounding to printed digits, against Python's decimal module and against the definition of a rounding."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from seqgen.ledger.display import decide, digits_of
from seqgen.spec.model import Display
from strategies import enclosures, finite_decimals, forms, fractions

ROUNDINGS = {"half-even": ROUND_HALF_EVEN, "half-away": ROUND_HALF_UP}
EXACT = Context(prec=400)
rules = st.sampled_from(sorted(ROUNDINGS))
counts = st.integers(0, 40)


def leading(x: Decimal, digits: int, ties: str) -> Decimal:
    """Return ``x`` to a number of leading digits, all of them kept, by Python's decimal."""
    rounded = Context(prec=digits, rounding=ROUNDINGS[ties]).create_decimal(x)
    return rounded.quantize(Decimal(1).scaleb(rounded.adjusted() - digits + 1), context=EXACT)


def without_sign_of_zero(text: str) -> str:
    """Return a number's text, zero without its sign."""
    return text.removeprefix("-") if not text.strip("-0.") else text


@given(x=finite_decimals(), digits=counts, ties=rules)
def test_fixed_digits_are_those_of_decimal(x: Decimal, digits: int, ties: str) -> None:
    """Fixed decimals are what ``Decimal.quantize`` gives."""
    expected = x.quantize(Decimal(1).scaleb(-digits), rounding=ROUNDINGS[ties], context=EXACT)
    assert digits_of(Fraction(x), Display(digits=digits), ties) == without_sign_of_zero(f"{expected:f}")


@given(x=finite_decimals(), digits=st.integers(1, 40), ties=rules)
def test_significant_digits_are_those_of_decimal(x: Decimal, digits: int, ties: str) -> None:
    """Significant digits are those of a context of that precision, with trailing zeros, without an exponent."""
    assume(x != 0)
    expected = f"{leading(x, digits, ties):f}"
    assert digits_of(Fraction(x), Display(form="significant", digits=digits), ties) == expected


@given(x=finite_decimals(), digits=st.integers(1, 40), ties=rules)
def test_scientific_digits_are_those_of_decimal(x: Decimal, digits: int, ties: str) -> None:
    """Scientific digits are those of a context of that precision, and its exponent of ten."""
    assume(x != 0)
    rounded = leading(x, digits, ties)
    mantissa, exponent = f"{rounded:.{digits - 1}e}".split("e")
    assert digits_of(Fraction(x), Display(form="scientific", digits=digits), ties) == f"{mantissa}e{int(exponent)}"


@given(x=fractions(), digits=counts, ties=rules)
def test_fixed_digits_are_at_most_half_a_unit_away(x: Fraction, digits: int, ties: str) -> None:
    """No printed decimal is nearer to a rational than the one that is printed."""
    printed = Fraction(digits_of(x, Display(digits=digits), ties))
    assert abs(printed - x) <= Fraction(1, 2 * 10**digits)


@given(x=fractions(), digits=st.integers(1, 40), ties=rules)
def test_significant_digits_are_at_most_half_a_unit_away(x: Fraction, digits: int, ties: str) -> None:
    """The relative distance is at most half of a unit in the last of the digits."""
    printed = Fraction(digits_of(x, Display(form="significant", digits=digits), ties))
    assert abs(printed - x) <= abs(x) * Fraction(1, 2 * 10 ** (digits - 1))


@given(x=fractions(), display=forms(), ties=rules)
def test_the_other_sign_has_the_same_digits(x: Fraction, display: Display, ties: str) -> None:
    """Both rules of ties are symmetric about zero."""
    text, other = digits_of(x, display, ties), digits_of(-x, display, ties)
    assert text.removeprefix("-") == other.removeprefix("-")


@given(x=fractions(), display=forms(), ties=rules)
def test_printed_digits_print_as_themselves(x: Fraction, display: Display, ties: str) -> None:
    """Rounding a rounded number changes nothing."""
    text = digits_of(x, display, ties)
    assert digits_of(Fraction(text), display, ties) == text


@given(x=fractions(), y=fractions(), display=forms(), ties=rules)
def test_rounding_keeps_the_order(x: Fraction, y: Fraction, display: Display, ties: str) -> None:
    """Of two numbers the larger is not printed as the smaller: enclosures rely on this."""
    low, high = sorted([x, y])
    assert Fraction(digits_of(low, display, ties)) <= Fraction(digits_of(high, display, ties))


@given(x=st.integers(-(10**6), 10**6), digits=st.integers(0, 6))
def test_half_even_tie_ends_in_an_even_digit(x: int, digits: int) -> None:
    """A number exactly between two printed ones goes to the even one."""
    text = digits_of(Fraction(2 * x + 1, 2 * 10**digits), Display(digits=digits), "half-even")
    assert int(text[-1]) % 2 == 0


@given(x=st.integers(-(10**6), 10**6), digits=st.integers(0, 6))
def test_half_away_tie_goes_away_from_zero(x: int, digits: int) -> None:
    """A number exactly between two printed ones goes to the one further from zero."""
    tie = Fraction(2 * x + 1, 2 * 10**digits)
    assert abs(Fraction(digits_of(tie, Display(digits=digits), "half-away"))) > abs(tie)


DECIMALS = [
    ("0.12345", 4, "0.1234", "0.1235"),
    ("0.12355", 4, "0.1236", "0.1236"),
    ("-0.12345", 4, "-0.1234", "-0.1235"),
    ("0.03125", 4, "0.0312", "0.0313"),
    ("2.5", 0, "2", "3"),
    ("3.5", 0, "4", "4"),
    ("-0.5", 0, "0", "-1"),
    ("0.5", 0, "0", "1"),
    ("0.123450000000000000000000000000000000000001", 4, "0.1235", "0.1235"),
    ("0.123449999999999999999999999999999999999999", 4, "0.1234", "0.1234"),
    ("9.99995", 4, "10.0000", "10.0000"),
    ("99.9996", 3, "100.000", "100.000"),
    ("0", 4, "0.0000", "0.0000"),
    ("-0.00004", 4, "0.0000", "0.0000"),
    ("-0.00005", 4, "0.0000", "-0.0001"),
    ("12345678901234567890", 2, "12345678901234567890.00", "12345678901234567890.00"),
]


@pytest.mark.parametrize(("number", "digits", "even", "away"), DECIMALS)
def test_fixed_digits(number: str, digits: int, even: str, away: str) -> None:
    """Fixed decimals of ties, carries and zeros, by both rules."""
    display = Display(digits=digits)
    assert [digits_of(Fraction(number), display, ties) for ties in ROUNDINGS] == [even, away]


LEADING = [
    ("9.996", 3, "10.0", "1.00e1"),
    ("-9.996", 3, "-10.0", "-1.00e1"),
    ("0.09996", 3, "0.100", "1.00e-1"),
    ("0.9996", 3, "1.00", "1.00e0"),
    ("9.994", 3, "9.99", "9.99e0"),
    ("99960", 3, "100000", "1.00e5"),
    ("12345", 2, "12000", "1.2e4"),
    ("5", 1, "5", "5e0"),
    ("5", 3, "5.00", "5.00e0"),
    ("0.00000000017149", 3, "0.000000000171", "1.71e-10"),
    ("1/3", 4, "0.3333", "3.333e-1"),
    ("0", 4, "0", "0e0"),
    ("1e-400", 2, "0." + 399 * "0" + "10", "1.0e-400"),
]


@pytest.mark.parametrize(("number", "digits", "significant", "scientific"), LEADING)
def test_leading_digits(number: str, digits: int, significant: str, scientific: str) -> None:
    """Significant and scientific digits where a carry adds a digit, and where zeros are significant."""
    found = [
        digits_of(Fraction(number), Display(form=f, digits=digits), "half-even") for f in ("significant", "scientific")
    ]
    assert found == [significant, scientific]


@given(x=fractions(), display=forms(), ties=rules)
def test_zero_has_no_sign(x: Fraction, display: Display, ties: str) -> None:
    """What is printed with a minus is below zero as printed."""
    text = digits_of(x, display, ties)
    assert text.startswith("-") == (Fraction(text) < 0)


@given(enclosure=enclosures(), display=forms(), ties=rules)
def test_a_decision_holds_for_every_number_of_the_enclosure(
    enclosure: tuple[Fraction, Fraction, Fraction], display: Display, ties: str
) -> None:
    """What is decided from two ends is what any number between them prints."""
    low, between, high = enclosure
    printed = decide(low, high, display, ties)
    assert printed is None or printed.text == digits_of(between, display, ties)


@given(enclosure=enclosures(), display=forms(), ties=rules)
def test_a_decision_says_of_every_number_whether_it_vanishes(
    enclosure: tuple[Fraction, Fraction, Fraction], display: Display, ties: str
) -> None:
    """A number vanishes where it is not zero and its digits are."""
    low, between, high = enclosure
    printed = decide(low, high, display, ties)
    assert printed is None or printed.vanishes == (between != 0 and Fraction(printed.text) == 0)


@given(enclosure=enclosures(), display=forms(), ties=rules)
def test_what_is_said_to_be_exact_is_the_number_itself(
    enclosure: tuple[Fraction, Fraction, Fraction], display: Display, ties: str
) -> None:
    """An equals sign stands only where the digits are the number."""
    low, between, high = enclosure
    printed = decide(low, high, display, ties)
    assert printed is None or not printed.exact or Fraction(printed.text) == between


@given(x=fractions(), display=forms(), ties=rules)
def test_a_point_is_always_decided(x: Fraction, display: Display, ties: str) -> None:
    """A rational is known, ties and zero included."""
    printed = decide(x, x, display, ties)
    assert printed is not None


@given(x=fractions(), display=forms(), ties=rules)
def test_a_point_is_exact_where_its_digits_are_the_number(x: Fraction, display: Display, ties: str) -> None:
    """A rational that needs no rounding is printed with an equals sign."""
    printed = decide(x, x, display, ties)
    assert printed is not None
    assert printed.exact == (Fraction(printed.text) == x)


@pytest.mark.parametrize("display", [Display(digits=4), Display(form="significant", digits=3)])
def test_an_enclosure_of_zero_is_left_open(display: Display) -> None:
    """A number that may be zero is not called small: that is for an exact form to say."""
    assert decide(Fraction(-1, 10**30), Fraction(1, 10**30), display, "half-even") is None


def test_an_enclosure_of_a_tie_is_left_open() -> None:
    """No rounding is decided as long as the tie lies between the ends."""
    tie, radius = Fraction("0.12345"), Fraction(1, 10**30)
    assert decide(tie - radius, tie + radius, Display(digits=4), "half-even") is None
