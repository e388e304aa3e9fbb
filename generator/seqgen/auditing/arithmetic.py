"""Printed arithmetic: what ``0.9×0.5+0.1×(-0.4)`` can be, where each number is the interval of its digits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from seqgen.auditing.numerals import Numeral

OPERATORS = {
    "+": "+",
    "-": "-",
    "−": "-",
    "*": "*",
    "×": "*",
    "·": "*",
    "⋅": "*",
    "/": "/",
    "^": "^",
    "(": "(",
    ")": ")",
}
WORDS = {"times": "*", "plus": "+", "minus": "-", "over": "/", "cdot": "*"}
TOKEN = re.compile(r"\\?[A-Za-z]+|\S")
LONGEST = 60
ROUNDED = Fraction(1, 100)  # numbers of fewer decimals are taken as they are
Interval = tuple[Fraction, Fraction]


@dataclass(kw_only=True)
class Reader:
    """Reads a formula of numbers, from left to right."""

    tokens: Sequence[str | Interval]
    place: int = 0

    def take(self, *wanted: str) -> str:
        """Return the next token and pass it, where it is one of ``wanted``."""
        if self.place < len(self.tokens):
            token = self.tokens[self.place]
            if isinstance(token, str) and token in wanted:
                self.place += 1
                return token
        return ""

    def sum(self) -> Interval:
        """Read terms."""
        value = self.product()
        while operator := self.take("+", "-"):
            low, high = self.product()
            value = (value[0] + low, value[1] + high) if operator == "+" else (value[0] - high, value[1] - low)
        return value

    def product(self) -> Interval:
        """Read factors."""
        value = self.power()
        while operator := self.take("*", "/"):
            other = self.power()
            if operator == "/":
                if other[0] <= 0 <= other[1]:
                    raise ValueError("a quotient by zero")
                other = (1 / other[1], 1 / other[0])
            corners = [a * b for a in value for b in other]
            value = (min(corners), max(corners))
        return value

    def power(self) -> Interval:
        """Read a number, a group, or a power of one."""
        value = self.atom()
        if self.take("^"):
            low, high = self.atom()
            if low != high or low.denominator != 1 or abs(low) > LONGEST or value[0] <= 0:
                raise ValueError("not a power of a number")
            ends = (value[0] ** int(low), value[1] ** int(low))
            value = (min(ends), max(ends))
        return value

    def atom(self) -> Interval:
        """Read a number or a group."""
        if self.take("-"):
            low, high = self.atom()
            return -high, -low
        if self.take("("):
            value = self.sum()
            if not self.take(")"):
                raise ValueError("an open bracket")
            return value
        if self.place >= len(self.tokens) or isinstance(self.tokens[self.place], str):
            raise ValueError("no number")
        token = self.tokens[self.place]
        assert not isinstance(token, str)
        self.place += 1
        return token


def evaluate(text: str, offset: int, numbers: Mapping[int, Numeral]) -> Interval | None:
    """Return the interval of a formula of numbers, or nothing where ``text`` is none; ``numbers`` are by their place.

    ``offset`` is where ``text`` begins.
    """
    tokens: list[str | Interval] = []
    place = 0
    while place < len(text):
        number = numbers.get(offset + place)
        if number is not None:
            if tokens and not isinstance(tokens[-1], str):
                if not number.text.startswith(("+", "-", "−")):
                    return None
                tokens.append("+")
            slack = number.unit / 2 if number.unit < ROUNDED else 0
            tokens.append((number.value - slack, number.value + slack))
            place = number.end - offset
            continue
        match = TOKEN.match(text, place)
        if match is None:
            place += 1
            continue
        name = match[0].lstrip("\\")
        power = re.compile(r"\^\{?(-?\d+)\}?").match(text, place)
        if power:
            tokens += ["^", (Fraction(power[1]), Fraction(power[1]))]
            place = power.end()
            continue
        if name in ("left", "right", "", ",", ";", "!", "$", "&", "~"):
            place = match.end()
            continue
        operator = OPERATORS.get(name) or WORDS.get(name)
        if operator is None:
            return None
        tokens.append(operator)
        place = match.end()
    if not 3 <= len(tokens) <= LONGEST:
        return None
    reader = Reader(tokens=tokens)
    try:
        value = reader.sum()
    except (ValueError, RecursionError, OverflowError):
        return None
    return value if reader.place == len(tokens) else None
