"""Numbers as they are written, to exact rationals; what is too long is refused before it is computed."""

from __future__ import annotations

import re
from fractions import Fraction

# A float64 has at most 767 significant digits and reaches from 5e-324 to 1.8e308: this holds any of them.
MAX_DIGITS = 1000
MAX_EXPONENT = 1000

DECIMAL = re.compile(
    r"(?P<sign>[-+]?)(?P<whole>[0-9]*)(\.(?P<part>[0-9]*))?([eE](?P<exponent>[-+]?[0-9]+))?\Z",
)
BASED = re.compile(r"0[xX][0-9a-fA-F]+\Z|0[oO][0-7]+\Z|0[bB][01]+\Z")
LIMITS = f"at most {MAX_DIGITS:,} digits, and an exponent of at most {MAX_EXPONENT:,}"


class TooLong(Exception):
    """A number with more digits, or a larger exponent, than `LIMITS` allow."""


def numeral(text: str) -> Fraction | None:
    """Return the number that ``text`` writes: a decimal, a quotient of two, or 0x…, 0o…, 0b…; nothing where it is none.

    Raises:
        TooLong: where it is longer than `LIMITS`.
    """
    above, slash, below = text.partition("/")
    if slash:
        numerator, denominator = numeral(above), numeral(below)
        return numerator / denominator if numerator is not None and denominator else None
    if BASED.match(text):
        if len(text) > MAX_DIGITS:
            raise TooLong
        return Fraction(int(text, 0))
    found = DECIMAL.match(text)
    if not found or not (found["whole"] or found["part"]):
        return None
    exponent = (found["exponent"] or "0").lstrip("+-0") or "0"
    if len(text) > MAX_DIGITS or len(exponent) > len(str(MAX_EXPONENT)) or int(exponent) > MAX_EXPONENT:
        raise TooLong
    return Fraction(text)
