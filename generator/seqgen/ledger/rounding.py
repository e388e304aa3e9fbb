"""Two roundings of a number that is enclosed: to the nearest float64, and to the digits that are printed.

Rounding is monotone: where both ends of an enclosure round to one result, so does the true value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import arb

from seqgen.ledger.display import FIXED, Printed, decide, decide_decimals, digits_of, number_of, print_floats, unit
from seqgen.spec.model import Display

# An enclosure of zero that is narrower than this stands for the zero that it most likely is.
ZERO_BITS = 50


# Integers l, h and d: a number from l/d to h/d
Interval = tuple[int, int, int]


@dataclass(frozen=True, kw_only=True, eq=False)
class Rounding:
    """How a number is rounded, by what is known of it; ``None`` where that leaves it open.

    by_floats: by the nearest float64s of several numbers, each of them ``None`` where it is not known.
    by_interval: by integers l, h and d with the number from l/d to h/d.
    by_form: by the rational that it is.
    unproven: what stands for a number that stays open, by the interval that is taken for it, and its proven bounds.
    infinite: what is said of infinity, by its float64.
    """

    by_floats: Callable[[Sequence[float | None]], list[Any]]
    by_interval: Callable[[int, int, int], Any]
    by_form: Callable[[Fraction], Any]
    unproven: Callable[[Interval, Interval | None], Any]
    infinite: Callable[[float], Any]


def nearest(x: Any) -> float | None:
    """Return the float64 nearest to an enclosed number, at the precision in force; nothing where that may be another.

    Nothing is returned either for infinity, and where the number may be zero or not.
    """
    if type(x) is not arb:
        x = arb(x)
    value = float(x.lower())
    if value != float(x.upper()) or math.isinf(value):
        return None
    return value or (0.0 if x == 0 or x != 0 else None)


def _nearest(low: int, high: int, over: int) -> float | None:
    value = _quotient(low, over)
    # Near zero both ends round to it: that is proven where they have one sign, and open where it may be zero itself.
    if value != _quotient(high, over) or (low < high and low <= 0 <= high):
        return None
    return value + 0.0  # the sum turns -0.0 into 0.0


def _quotient(above: int, below: int) -> float:
    """Return the float64 nearest to a quotient, as Python's own is."""
    try:
        return above / below
    except OverflowError:
        return math.inf if above > 0 else -math.inf


def _middle(interval: Interval) -> Fraction:
    low, high, over = interval
    return Fraction(low + high, 2 * over)


def _reach(x: Fraction, interval: Interval) -> Fraction:
    """Return how far from ``x`` a number of ``interval`` can be."""
    low, high, over = interval
    return max(abs(Fraction(low, over) - x), abs(Fraction(high, over) - x))


def _unproven_float(taken: Interval, bounds: Interval | None) -> float:
    low, high, over = taken
    zero = low <= 0 <= high and (high - low) << ZERO_BITS <= over
    return 0.0 if zero else _quotient(low + high, 2 * over)


TO_FLOAT = Rounding(
    by_floats=list,
    by_interval=_nearest,
    by_form=lambda value: _quotient(value.numerator, value.denominator),
    unproven=_unproven_float,
    infinite=float,
)


@lru_cache
def to_digits(display: Display, ties: str) -> Rounding:
    """Return the rounding to printed digits, to `Printed` numbers, ties by the rule ``half-even`` or ``half-away``."""

    def by_floats(values: Sequence[float | None]) -> list[Printed | None]:
        return print_floats(values, display.digits) if display.form in FIXED else [None] * len(values)

    def by_interval(low: int, high: int, over: int) -> Printed | None:
        if display.form in FIXED:
            return decide_decimals(low, high, over, display.digits, ties)
        return decide(Fraction(low, over), Fraction(high, over), display, ties)

    def unproven(taken: Interval, bounds: Interval | None) -> Printed:
        text = digits_of(_middle(taken), display, ties)
        step = unit(text, display)
        known = bounds is not None and step is not None and _reach(number_of(text), bounds) <= step
        return Printed(text=text, proven=False, known=known)

    return Rounding(
        by_floats=by_floats,
        by_interval=by_interval,
        by_form=lambda value: decide(value, value, display, ties),
        unproven=unproven,
        infinite=_infinite,
    )


def _infinite(value: float) -> Printed:
    sign = "-" if value < 0 else ""
    return Printed(text=f"{sign}inf", exact=True, latex=rf"{sign}\infty")
