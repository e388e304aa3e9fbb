"""How typed digits agree with values: as the interval that they stand for, or how they miss it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from seqgen.auditing.candidates import Candidate
from seqgen.auditing.numerals import Numeral
from seqgen.auditing.wholes import Whole

NONE = 0.1  # how often a number that looks like a result is of no ledger
# How likely a number is typed so, where it is meant.
SLIP = {
    "last digit": 0.005,
    "truncated": 0.005,
    "two last digits": 0.002,
    "sign": 0.004,
    "order": 0.003,
    "other": 0.001,
}


@dataclass(frozen=True, kw_only=True)
class Match:
    """A candidate for a whole, and how each of its numbers agrees: empty where it does, else how it differs.

    ``factor`` is what the label multiplies the candidate by, as in ``2L``; ``is_bound`` where the number
    is a bound of it.
    """

    candidate: Candidate
    differs: tuple[str, ...]
    likelihood: float
    factor: float = 1.0
    is_bound: bool = False

    @property
    def is_exact(self) -> bool:
        """Whether every number agrees."""
        return not any(self.differs)


def agreement(number: Numeral, value: float) -> str:
    """Return how a typed number differs from a value: empty where the value lies in the interval of its digits."""
    typed, unit = number.size, number.step
    if not math.isfinite(value):
        return "other"
    slack = 1e-12 * max(1.0, abs(value)) if not unit else unit / 2 * (1 + 1e-9) + 1e-15 * abs(value)
    distance = abs(value - typed)
    if distance <= slack or (number.loose and abs(value + typed) <= slack):
        return ""
    step = unit or (1.0 if number.is_whole else 0.0)
    if abs(value + typed) <= slack:
        return "sign"
    if not step or (not unit and value != round(value)):
        return "other"
    if unit and distance < unit and abs(typed) <= abs(value):
        return "" if number.goes_on else "truncated"
    return "last digit" if distance <= 1.5 * step else "two last digits" if distance <= 2.5 * step else "other"


def chance(number: Numeral) -> float:
    """Return how likely a number of no ledger has just these digits."""
    size = abs(number.size)
    if not number.unit:
        return 0.15 / (1 + size) if number.is_whole else 0.01
    digits = number.value / number.unit
    zeros = 0
    while zeros < 8 and digits % 10 == 0:
        digits, zeros = digits / 10, zeros + 1
        if digits == 0:
            return 0.1
    shown = number.step * 10**zeros
    probable: float = min(0.1, 0.5 * shown / (shown + max(size, min(1.0, size * 10)))) * (0.5 if zeros else 1.0)
    return probable


def compare(candidate: Candidate, numbers: Sequence[Numeral]) -> Match | None:
    """Return how typed numbers agree with a candidate of their shape, or nothing where they are far from it."""
    differs = tuple(agreement(n, v) for n, v in zip(numbers, candidate.values, strict=True))
    wrong = [d for d in differs if d]
    if len(numbers) == 1 and wrong == ["other"]:
        return None
    if len(wrong) > max(1, len(numbers) // 3) or ("other" in wrong and len(numbers) < 3):
        return _reordered(candidate, numbers)
    likelihood = math.prod(
        SLIP[d] if d else _plausible(n, v) for d, n, v in zip(differs, numbers, candidate.values, strict=True)
    )
    return Match(candidate=candidate, differs=differs, likelihood=likelihood)


def _plausible(number: Numeral, value: float) -> float:
    """Return how likely a value is printed with so few digits."""
    if not number.unit or abs(value - number.size) <= 1e-12 * max(1.0, abs(value)):
        return 1.0
    digits = abs(number.value / number.unit)
    return 0.15 if digits < 10 else 0.4 if digits < 100 else 1.0


def _reordered(candidate: Candidate, numbers: Sequence[Numeral]) -> Match | None:
    """Return a match of the same numbers in another order, or all of the other sign."""
    differs = reordered(numbers, candidate.values)
    if differs is None:
        return None
    likelihood = SLIP["sign"] * 0.01 if set(differs) == {"sign"} else SLIP["order"]
    return Match(candidate=candidate, differs=differs, likelihood=likelihood)


def reordered(numbers: Sequence[Numeral], values: Sequence[float]) -> tuple[str, ...] | None:
    """Return how numbers differ from values that they have in another order, or with the other sign; else None."""
    if all(agreement(n, v) in ("", "sign") for n, v in zip(numbers, values, strict=True)):
        return ("sign",) * len(numbers)
    left = list(values)
    for number in numbers:
        same = next((v for v in left if not agreement(number, v)), None)
        if same is None:
            return None
        left.remove(same)
    if len({n.value for n in numbers}) < 2 or all(n.is_whole for n in numbers):
        return None
    return tuple("order" if agreement(n, v) else "" for n, v in zip(numbers, values, strict=True))


def background(whole: Whole) -> float:
    """Return how likely a whole is of no ledger and has just these digits."""
    return NONE * math.prod(chance(n) for n in whole.numbers)
