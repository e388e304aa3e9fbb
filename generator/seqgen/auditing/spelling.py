r"""Numbers in LaTeX's other spellings, rewritten to plain ones of the same length, and what siunitx shows of them.

A rewritten text has every digit where the original has it, so that places stay those of the file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from fractions import Fraction

COMMANDS = (
    r"num|tablenum|mathbf|mathrm|mathit|mathsf|mathtt|boldsymbol|bm|text|textbf|textit|textrm|textnormal|texttt|emph"
    r"|underline|boxed|alert|ensuremath|mbox|hbox|color|textcolor|colorbox|structure"
)
OPENED = rf"(?:[\s{{]|\\(?:{COMMANDS})(?![A-Za-z])(?:<[^<>\n]*>|\[[^\[\]\n]*\]|\{{[A-Za-z!\d]*\}}(?=\s*\{{))*)"
APART = re.compile(rf"(?<![-−–])(?P<sign>[-−–])(?P<between>{OPENED}*\{{{OPENED}*)(?=\.?\d)")
MINUS = re.compile(
    r"\\(?:textminus|minus)(?![A-Za-z])|\$\s*[-−]\s*\$(?=\s*\.?\d)|\{\}(?=\s*[-−])|[-−](?=(?:\\[,;:!]|~)+\s*\.?\d)(?:\\[,;:!]|~)+|\$\s*[-−]\s*(?:\\[,;:!]|~)*\s*\$(?=\s*\.?\d)"
)
QUANTITY = re.compile(
    r"\\(?P<command>num|tablenum|SI|qty)(?![A-Za-z])\s*(?:\[(?P<options>[^\[\]\n]*)\]\s*)?\{(?P<number>[^{}\n]*)\}"
    r"(?P<unit>(?:\s*\{\s*\\?(?:percent|%)\s*\}|(?:\s|~|\\[,;:! ])*\\?%)?)"
)
SETUP = re.compile(r"\\sisetup\s*\{(?P<options>(?:[^{}]|\{[^{}]*\})*)\}")
PRECISION = re.compile(r"round-precision\s*=\s*\{?(\d+)")
MODE = re.compile(r"round-mode\s*=\s*\{?(places|figures|none|off)")


class Spelled:
    """A text with plain signs and decimal marks, which knows what siunitx makes of a number at a place."""

    def __init__(self, text: str) -> None:
        self.moved: set[int] = set()  # digits whose sign stood apart
        text = MINUS.sub(_minus, text)
        text = QUANTITY.sub(_without_comma, text) if "\\" in text else text
        self.text = APART.sub(self._beside, text)
        self._quantities = [
            (m.start("number"), m.end("number"), m["options"] or "", bool(m["unit"])) for m in QUANTITY.finditer(text)
        ]
        self._starts = [start for start, *_ in self._quantities]
        self._setups = [(m.start(), m["options"]) for m in SETUP.finditer(text)] if "sisetup" in text else []

    def _beside(self, match: re.Match[str]) -> str:
        self.moved.add(match.end())
        return " " * len(match["between"]) + match["sign"]

    def shown(self, digits: int) -> tuple[bool, Callable[[Fraction, Fraction], tuple[Fraction, Fraction]] | None]:
        """Return whether the number at ``digits`` is a percentage by its unit, and how siunitx rounds it."""
        at = bisect_right(self._starts, digits) - 1
        if at < 0 or digits > self._quantities[at][1]:
            return False, None
        _, _, options, is_percent = self._quantities[at]
        setups = ",".join(text for place, text in self._setups if place < digits)
        modes, precisions = MODE.findall(f"{setups},{options}"), PRECISION.findall(f"{setups},{options}")
        mode = modes[-1] if modes else "off"
        if mode in ("none", "off"):
            return is_percent, None
        precision = int(precisions[-1]) if precisions else 2
        return is_percent, lambda value, unit: _rounded(value, unit, mode, precision)


def _minus(match: re.Match[str]) -> str:
    if match[0] == "{}":
        return "  "
    return "-".rjust(len(match[0]))


def _without_comma(match: re.Match[str]) -> str:
    start, end = match.start("number") - match.start(), match.end("number") - match.start()
    number = match["number"]
    if re.fullmatch(r"\s*[-−+]?\d*,\d+(?:[eE][-+]?\d+)?\s*", number):
        number = number.replace(",", ".")
    return match[0][:start] + number + match[0][end:]


def _rounded(value: Fraction, unit: Fraction, mode: str, precision: int) -> tuple[Fraction, Fraction]:
    """Return a value and its unit as siunitx rounds them: half away from zero, to places or to figures."""
    step = Fraction(1, 10**precision)
    if mode == "figures":
        size = abs(value)
        step = Fraction(1)
        while size and size >= 10:
            size, step = size / 10, step * 10
        while size and size < 1:
            size, step = size * 10, step / 10
        step /= Fraction(10) ** (precision - 1)
    if unit > step or (not unit and mode == "figures"):
        return value, unit
    count = (abs(value) / step + Fraction(1, 2)) // 1
    return (count if value >= 0 else -count) * step, step
