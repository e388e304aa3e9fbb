"""The one formatter: an enclosure to the digits that stand on a slide, or "not decided yet".

Rounding is monotone: where both ends of an enclosure round to the same digits, so does the true value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from seqgen.spec.model import Display

# Up to so many units of its last digit a number is told by its float64, if it is not so close to a tie or a whole one.
LARGEST, CLOSE = 2.0**40, 2.0**-10
# The forms that print a fixed number of decimals.
FIXED = ("decimals", "short")


@dataclass(kw_only=True, slots=True)  # to make a frozen one, of which there are many, takes three times as long
class Printed:
    """A number as printed.

    ``text`` is plain (``-0.1974``, ``1.71e-10``); ``exact`` tells that it is the value itself and not a
    rounding; ``vanishes`` that a value other than zero is printed as zero; ``latex`` a spelling of its own. Digits
    that are not ``proven`` are at most one off in the last place where they are ``known``, and anything where not.
    """

    text: str
    exact: bool = False
    vanishes: bool = False
    proven: bool = True
    known: bool = True
    latex: str = ""

    @property
    def value(self) -> Fraction:
        """The number that the digits stand for."""
        return number_of(self.text)


def number_of(text: str) -> Fraction:
    """Return the number that printed digits stand for.

    Raises:
        ValueError: where they are none.
    """
    return Fraction(text.removesuffix("%")) / (100 if text.endswith("%") else 1)


def round_to_integer(x: Fraction, ties: str) -> int:
    """Return ``x`` rounded to an integer, ties by the rule ``half-even`` or ``half-away`` (from zero)."""
    if ties == "half-even":
        return round(x)
    magnitude = math.floor(abs(x) + Fraction(1, 2))
    return magnitude if x >= 0 else -magnitude


def digits_of(x: Fraction, display: Display, ties: str) -> str:
    """Return the digits of ``x``; zero has no sign."""
    if display.form in FIXED:
        return fixed(round_to_integer(x * 10**display.digits, ties), display.digits)
    if display.form == "percent":
        return f"{fixed(round_to_integer(x * 10 ** (display.digits + 2), ties), display.digits)}%"
    if x == 0:
        return "0" if display.form == "significant" else "0e0"
    scaled, exponent = _scale(x, display.digits, ties)
    decimals = display.digits - 1 - exponent
    if display.form == "significant":
        return fixed(scaled, decimals) if decimals >= 0 else str(scaled * 10**-decimals)
    return f"{fixed(scaled, display.digits - 1)}e{exponent}"


def _scale(x: Fraction, digits: int, ties: str) -> tuple[int, int]:
    """Return the ``digits`` leading digits of ``x`` as an integer, and the exponent of the first of them."""
    exponent = _exponent(abs(x))
    scaled = round_to_integer(x * Fraction(10) ** (digits - 1 - exponent), ties)
    if abs(scaled) == 10**digits:  # 9.996 to three digits is 10.0
        return scaled // 10, exponent + 1
    return scaled, exponent


def _exponent(x: Fraction) -> int:
    """Return the largest e with 10**e <= x."""
    estimate = len(str(x.numerator)) - len(str(x.denominator))
    while Fraction(10) ** estimate > x:
        estimate -= 1
    while Fraction(10) ** (estimate + 1) <= x:
        estimate += 1
    return estimate


def shortened(number: Printed) -> Printed:
    """Return a printed number without the zeros at the end of its decimals, where it is exact: ``0.50`` is ``0.5``."""
    mantissa, scientific, exponent = number.text.partition("e")
    if not number.exact or "." not in mantissa or number.latex:
        return number
    return replace(number, text=mantissa.rstrip("0").removesuffix(".") + scientific + exponent)


def unit(text: str, display: Display) -> Fraction | None:
    """Return what one step in the last digit of a printed number is worth; nothing for a zero that has no digits."""
    if "e" in text:  # a number in a column of decimals may be printed as a power of ten
        mantissa, _, exponent = text.partition("e")
        return Fraction(10) ** (int(exponent) - len(mantissa.partition(".")[2]))
    if display.form in (*FIXED, "percent"):
        return Fraction(1, 10 ** (display.digits + 2 * (display.form == "percent")))
    value = number_of(text)
    return None if value == 0 else Fraction(10) ** (_exponent(abs(value)) - display.digits + 1)


def fixed(scaled: int, decimals: int) -> str:
    """Return ``scaled`` / 10**decimals in full, without a sign where it is zero."""
    sign, digits = ("-" if scaled < 0 else ""), str(abs(scaled)).rjust(decimals + 1, "0")
    return f"{sign}{digits[:-decimals]}.{digits[-decimals:]}" if decimals else f"{sign}{digits}"


def decide(low: Fraction, high: Fraction, display: Display, ties: str) -> Printed | None:
    """Return the printed number of every value from ``low`` to ``high``, or nothing where they differ."""
    if display.form in FIXED:
        common = low.denominator * high.denominator
        ends = low.numerator * high.denominator, high.numerator * low.denominator
        return decide_decimals(*ends, common, display.digits, ties)
    text = digits_of(low, display, ties)
    if low == high:
        exact = number_of(text) == low
        return Printed(text=text, exact=exact, vanishes=not exact and number_of(text) == 0)
    if text != digits_of(high, display, ties):
        return None
    zero = number_of(text) == 0
    if zero and low <= 0 <= high:
        return None  # it may be zero itself: that is for an exact form to say
    return Printed(text=text, vanishes=zero)


def decide_decimals(low: int, high: int, over: int, digits: int, ties: str) -> Printed | None:
    """Return the printed number, to fixed decimals, of every value from low/over to high/over, as `decide` does."""
    unit = 10**digits
    scaled = _rounded_quotient(low * unit, over, ties)
    if low == high:
        exact = scaled * over == low * unit
        return Printed(text=fixed(scaled, digits), exact=exact, vanishes=not exact and scaled == 0)
    if scaled != _rounded_quotient(high * unit, over, ties) or (scaled == 0 and low <= 0 <= high):
        return None  # undecided; where it may be zero itself, an exact form has to say
    return Printed(text=fixed(scaled, digits), vanishes=scaled == 0)


def print_floats(values: Sequence[float | None], decimals: int) -> list[Printed | None]:
    """Return the printed numbers, to fixed decimals, of all numbers whose nearest float64s are ``values``.

    Nothing stands where these leave it open: close to a tie or to what is printed, at zero, and where digits are many.
    """
    unit, text = 10.0**decimals, f"%.{decimals}f"
    result: list[Printed | None] = [None] * len(values)
    for place, value in enumerate(values):
        # In units of the last digit the number, its float64 and this product are within 2**-51 of each other's size.
        if (
            value is not None
            and 0.5 < (scaled := abs(value) * unit) < LARGEST
            and CLOSE < abs(scaled % 1 - 0.5) < 0.5 - CLOSE
        ):
            result[place] = Printed(text=text % value)
    return result


def _rounded_quotient(above: int, below: int, ties: str) -> int:
    """Return above/below rounded to an integer, as `round_to_integer` does."""
    whole, rest = divmod(above, below)
    rest *= 2
    if rest != below:
        return whole + (rest > below)
    return whole + (whole & 1 if ties == "half-even" else whole >= 0)


def stands_in(text: str, low: int, high: int, over: int) -> bool:
    """Whether the number that ``text`` writes lies from low/over to high/over."""
    if text.endswith("%"):
        return Fraction(low, over) <= number_of(text) <= Fraction(high, over)
    try:
        if not low / over <= float(text) <= high / over:  # rounding is monotone: this rules out most at little cost
            return False
    except OverflowError:
        pass
    whole, _, decimals = text.partition(".")
    try:
        written, unit = int(whole + decimals), int(10 ** len(decimals))
    except ValueError:  # scientific
        value = Fraction(text)
        written, unit = value.numerator, value.denominator
    return low * unit <= written * over <= high * unit
