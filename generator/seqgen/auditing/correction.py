"""A typed number put right: the ledger's value, spelled as the number is."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction

from seqgen.auditing.numerals import MINUS, Numeral

ROUNDING = {"half-even": ROUND_HALF_EVEN, "half-away": ROUND_HALF_UP}
PRECISION = 500  # more digits than a float64 and a typed number have together
DIGITS = re.compile(r"\d+(?:\{,\}|[.,])\d+|\.\d+|\d+\.?")
SIGN = re.compile(rf"\{{\s*[{MINUS}+]\s*\}}|[{MINUS}+]")


def corrected(number: Numeral, value: float, ties: str) -> str:
    """Return the text of ``number`` with the digits of ``value``: as many decimals, the same power, marks and sign.

    ``value`` is read as the shortest decimal that stands for it, so that an exact tie stays one; ``ties`` says how it
    is rounded. Empty where the spelling leaves no room: a fraction with other terms, or a sign that stands apart.
    """
    sign = SIGN.match(number.text)
    lead = number.text[: sign.end() if sign else 0]
    spelled = _magnitude(number.text[len(lead) :], number, Decimal(repr(abs(value))), ties)
    is_negative = value < 0 and re.search("[1-9]", spelled) is not None
    if not spelled or number.loose or is_negative == (number.value < 0):
        return spelled and lead + spelled
    if number.value < 0 and not lead:
        return ""
    return f"-{spelled}" if is_negative else spelled


def _magnitude(unsigned: str, number: Numeral, value: Decimal, ties: str) -> str:
    digits = DIGITS.search(unsigned)
    if digits is None or not (number.unit or number.is_whole):
        return unsigned if Fraction(value) == abs(number.value) else ""
    mark = next((m for m in ("{,}", ",", ".") if m in digits[0]), "")
    if mark and not number.unit:  # thousands, parted
        return ""
    decimals = len(digits[0].rpartition(mark)[2]) if mark else 0
    scale = number.unit * 10**decimals or Fraction(1)
    with localcontext(prec=PRECISION):
        typed = Fraction((digits[0].replace(mark, ".") if mark else digits[0]).rstrip("."))
        if typed * scale != abs(number.value):  # in groups of digits, or rounded by the macro around it
            return ""
        mantissa = value * scale.denominator / scale.numerator
        text = f"{mantissa.quantize(Decimal(1).scaleb(-decimals), ROUNDING[ties]):f}"
    if digits[0].startswith("."):
        text = text.removeprefix("0")
    return unsigned[: digits.start()] + text.replace(".", mark) + unsigned[digits.end() :]
