"""Enclosures as integers and rationals, which digits are decided by."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from seqgen.readings import ball


def interval(x: Any) -> tuple[int, int, int] | None:
    """Return integers l, h and d > 0 with ``x`` from l/d to h/d, or nothing where ``x`` is not finite, or is huge.

    A number other than zero that is closer to it than 2**-MAX_EXPONENT is bounded by two numbers that are so, too, and
    so far apart that no digits but zeros are decided by them.
    """
    if type(x) is not arb:
        value = fmpq(x)
        return int(value.p), int(value.p), int(value.q)
    if not x.is_finite() or ball.is_huge(x):
        return None
    mid, rad = _written_out(x.mid()), _written_out(x.rad())
    if _is_moderate(*mid) and _is_moderate(*rad):
        return _ends(*mid, *rad)
    if abs(x) < ball.TINY and not x.contains(0):
        ends = (1, 1 << ball.MAX_EXPONENT, 1 << 2 * ball.MAX_EXPONENT)
        return ends if x > 0 else (-ends[1], -ends[0], ends[2])
    # What is tiny is left out, and the interval is wider by as much as can be written out.
    kept = [part if _is_moderate(*part) else (0, 0) for part in (mid, rad)]
    low, high, over = (end << ball.MAX_EXPONENT for end in _ends(*kept[0], *kept[1]))
    wider = sum(old != new for old, new in zip((mid, rad), kept, strict=True)) * over >> ball.MAX_EXPONENT
    return low - wider, high + wider, over


def _written_out(x: Any) -> tuple[int, int]:
    """Return integers m and e with ``x`` = m · 2**e."""
    mantissa, exponent = x.man_exp()
    return int(mantissa), int(exponent)


def _is_moderate(mantissa: int, exponent: int) -> bool:
    """Whether mantissa · 2**exponent is zero, or neither huge nor tiny."""
    return mantissa == 0 or abs(exponent + mantissa.bit_length()) < ball.MAX_EXPONENT


def _ends(middle: int, shift: int, radius: int, its_shift: int) -> tuple[int, int, int]:
    low = high = middle
    if radius:
        if its_shift < shift:
            middle, shift = middle << (shift - its_shift), its_shift
        else:
            radius <<= its_shift - shift
        low, high = middle - radius, middle + radius
    return (low << shift, high << shift, 1) if shift >= 0 else (low, high, 1 << -shift)


def bounds(x: Any) -> tuple[Fraction, Fraction] | None:
    """Return exact lower and upper bounds of a finite scalar, or nothing where it is not finite."""
    found = interval(x)
    return None if found is None else (Fraction(found[0], found[2]), Fraction(found[1], found[2]))
