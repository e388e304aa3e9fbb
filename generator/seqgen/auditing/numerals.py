"""Numbers as they are typed: where they stand, and the interval that their printed digits stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from seqgen.auditing.spelling import Spelled

SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
MINUS = "-−–"
POWER = r"10\s*(?:\^\s*(?:\{\s*[-−+]?\d+\s*\}|[-−+]?\d+)|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
PATTERN = r"""
    (?P<sign>\{\s*[-−+]\s*\}|[-−–+])?
    (?:
        \\[dt]?frac\s*(?:\{\s*(?P<top>\d+)\s*\}\s*\{\s*(?P<bottom>\d+)\s*\}|(?P<top1>\d)(?P<bottom1>\d))
      | (?P<above>\d+)\s?/\s?(?P<below>\d+)(?![\d./]|\s*\d)
      | (?P<lone>POWER)
      | (?P<mantissa>
            COMMA\d+\.\d+(?:THIN\d{2,3})+(?!\d|\.\d|\s*\^) | \d{1,3}(?:THIN\d{3})+(?!\d|\s*\^)(?:\.\d+)?
          | \d+\.\d+ | \d+\.(?=\s*\]|\s+[-−]?\d|\s*,\s*[-−]?\d+\.\s*[],]) | \.\d+
          | \d{1,3}(?:\{,\}\d{3})+(?!\d) | \d+\{,\}\d+ | \d+
        )
        (?:[eE](?P<exponent>[-−+]?\d+)|\s*(?:\\times|\\cdot|×|·|\\,|\*|x)\s*(?P<power>POWER))?
    )
    (?P<percent>(?:\s|~|\\[,;:!\ ]|\{\})?\s?\\?% | \s(?:percent|per\scent)(?![A-Za-z]))?
"""
THIN = r"(?:\\,|\{\\,\}|[\u2009\u202f])"
INDENT = 80  # how far from the beginning of a line an item's number stands at most
LARGEST = 200  # powers of ten beyond are no results of a float64
# What stands before a number that is no result: a place in a text, a version, a date.
PLACES = re.compile(
    r"""(?:\b(?:version|release|v|python|pytorch|numpy|sympy|cuda|chapter|chap|ch|section|sections|sec|subsection|figure|
    figures|fig|figs|table|tab|equation|equations|eq|eqs|theorem|lemma|algorithm|appendix|lecture|week|part|slide|page|
    pages|p|pp|exercise|listing|line|lines|arxiv|doi|isbn|issn|http\S*|
    licen[cs]e|cc[-\s]by(?:-[a-z]+)*|gpl|lgpl|agpl|apache|mpl|rgba?|hsla?|ubuntu|debian|texlive|quarto|marp|revealjs)
    [.:,]?[\s~({]*|§+\s*|\#|==\s*|>=\s*)$""",
    re.VERBOSE | re.IGNORECASE,
)
# Words that have a number in their name.
TYPES = frozenset(
    ["float", "bfloat", "int", "uint", "complex", "utf", "sha", "base", "python", "cuda", "layer", "head", "step"]
)
UNITS = re.compile(
    r"(?:in|mm|cm|deg|pc|bp|sp|mu|ms|fr|vh|vw|ex)\b|\s?(?:em|pt|px|rem|dpi|KB|MB|GB|TB|Hz|kHz|MHz|GHz)\b"
    r"|\s?\\(?:text|line|column|paper|page)(?:width|height)|\s?\\baselineskip"
)
SCRIPTS = re.compile(r"[_^]\s*(?:\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|\([^()\n]*\)|\\[A-Za-z]+|[-−]?\d+|[^\s{}])")
SETTINGS = re.compile(r"\\(?:num|tablenum|SI|qty|sisetup)(?![A-Za-z])\s*(\[[^\[\]\n]*\]|(?<=sisetup)\{[^{}\n]*\})?")
SECTION = re.compile(r"^[ \t]*(?:#+[ \t]*|<h\d[^>]*>\s*)?\d+(?:\.\d+)+\.?\s+[A-Z]", re.MULTILINE)
DOTS = re.compile(r"\s?(?:…|\.\.\.|\\[lc]?dots(?![A-Za-z]))")
OPERAND_END = re.compile(r"[\w)\]}.]\s*$")


@dataclass(frozen=True, kw_only=True)
class Numeral:
    """A number as typed, from ``start`` to ``end`` of the text.

    ``unit`` is what its last digit counts, zero where it is exact (an integer, a fraction); ``loose`` where its sign
    may be an operator that belongs to the formula; ``goes_on`` where dots follow, so that its digits may be cut off.
    """

    text: str
    start: int
    end: int
    value: Fraction
    unit: Fraction = Fraction(0)
    loose: bool = False
    goes_on: bool = False

    @cached_property
    def size(self) -> float:
        """The value as a float."""
        return float(self.value)

    @cached_property
    def step(self) -> float:
        """The unit as a float."""
        return float(self.unit)

    @cached_property
    def is_whole(self) -> bool:
        """Whether it is typed as an integer."""
        return self.unit == 0 and self.value.denominator == 1


def numerals(text: str, *, decimal_comma: bool = False) -> Iterator[Numeral]:
    """Yield the numbers of ``text`` that may be results, in order.

    Subscripts, exponents, versions, section numbers, years in a date and lengths are left out. With
    ``decimal_comma``, ``3,14`` is one number.
    """
    comma = r"\d+,\d+|" if decimal_comma else ""
    pattern = re.compile(PATTERN.replace("POWER", POWER).replace("COMMA", comma).replace("THIN", THIN), re.VERBOSE)
    typed, spelled = text, Spelled(text)
    text = spelled.text
    skipped = _skipped(text)
    position, excluded_until, at = 0, -1, 0
    while match := pattern.search(text, position):
        start, end = match.span()
        position = max(end, start + 1)
        digits = start + len(match["sign"] or "")
        while at < len(skipped) and skipped[at][1] <= digits:
            at += 1
        if at < len(skipped) and skipped[at][0] <= digits:
            position = max(skipped[at][1], start + 1)
            continue
        found = _numeral(text, match, decimal_comma=decimal_comma)
        if found is None:
            position = _past_word(text, start, end)
        elif _is_place(text, found, excluded_until):
            excluded_until = found.end
        else:
            yield _as_shown(found, typed, spelled)


def _as_shown(number: Numeral, typed: str, spelled: Spelled) -> Numeral:
    """Return a number with its text as it was typed, and its value as the page shows it."""
    digits = re.compile(rf"[{MINUS}+]?").match(number.text)
    start = number.start + (digits.end() if digits else 0)
    is_percent, rounding = spelled.shown(start)
    value, unit = number.value, number.unit
    if rounding:
        value, unit = rounding(value, unit)
    if is_percent:
        value, unit = value / 100, (unit or Fraction(1)) / 100
    first = start if start in spelled.moved else number.start
    return replace(number, start=first, text=typed[first : number.end], value=value, unit=unit)


def _skipped(text: str) -> list[tuple[int, int]]:
    """Return the stretches that hold no results: scripts of a symbol, and numbers of sections."""
    spans = [m.span() for m in SCRIPTS.finditer(text) if not _raises_ten(text, m.start())]
    spans += [m.span(1) for m in SETTINGS.finditer(text) if m[1]]
    return sorted(spans + [m.span() for m in SECTION.finditer(text)])


def _raises_ten(text: str, place: int) -> bool:
    return text[place] == "^" and re.search(r"(?<![\d.])10\s*$", text[max(0, place - 6) : place]) is not None


def _past_word(text: str, start: int, end: int) -> int:
    """Return where to go on after something that only looks like a number: past the rest of its word."""
    rest = re.compile(r"[\w.]*").match(text, end)
    return max(rest.end() if rest else end, start + 1)


def _numeral(text: str, match: re.Match[str], *, decimal_comma: bool) -> Numeral | None:
    sign, start = match["sign"] or "", match.start()
    first = start + len(sign)
    before = text[max(0, start - 40) : start]
    loose = False
    if sign and sign.strip("{} ") in MINUS + "+":
        if OPERAND_END.search(before) and not _ends_in_command(before):
            loose = bool(re.search(r"\s$", before)) and first < len(text) and sign != "–"
            if not loose:
                sign, start, before = "", first, text[max(0, first - 40) : first]
    elif re.search(rf"[{MINUS}]\s+$", before) and not OPERAND_END.search(re.sub(rf"[{MINUS}]\s+$", "", before)):
        sign = "-"  # a minus that stands apart, but not between two operands
    value, unit = _read(match, decimal_comma=decimal_comma)
    if value is None or not _bounded(text, start, first, match.end(), whole=unit == 0 and value.denominator == 1):
        return None
    negative = any(c in sign for c in MINUS)
    return Numeral(
        text=text[start : match.end()],
        start=start,
        end=match.end(),
        value=-value if negative else value,
        unit=unit,
        loose=loose,
        goes_on=DOTS.match(text, match.end()) is not None,
    )


def _read(match: re.Match[str], *, decimal_comma: bool) -> tuple[Fraction | None, Fraction]:
    """Return the absolute value that a match spells, and the unit of its last digit."""
    scale = Fraction(1, 100) if match["percent"] else Fraction(1)
    for top, bottom in (("top", "bottom"), ("top1", "bottom1"), ("above", "below")):
        if match[top]:
            if int(match[bottom]) == 0 or int(match[top]) > 1000 < int(match[bottom]):
                return None, Fraction(0)
            return Fraction(int(match[top]), int(match[bottom])) * scale, Fraction(0)
    if match["lone"] and abs(_exponent(match["lone"])) > LARGEST:
        return None, Fraction(0)
    if match["lone"]:
        return Fraction(10) ** _exponent(match["lone"]) * scale, Fraction(0)
    digits = match["mantissa"]
    if "{,}" in digits:
        digits = digits.replace(
            "{,}", "" if not decimal_comma and re.fullmatch(r"\d{1,3}(\{,\}\d{3})+", digits) else "."
        )
    digits = re.sub(THIN, "", digits).replace(",", ".")
    decimals = len(digits.partition(".")[2])
    power = int((match["exponent"] or "0").replace("−", "-")) if match["exponent"] else 0
    power = _exponent(match["power"]) if match["power"] else power
    if abs(power) > LARGEST or len(digits) > 60:
        return None, Fraction(0)
    scale *= Fraction(10) ** power
    is_decimal = "." in digits.rstrip(".") or match["percent"] or match["exponent"] or match["power"]
    return Fraction(digits.rstrip(".")) * scale, Fraction(1, 10**decimals) * scale if is_decimal else Fraction(0)


def _exponent(power: str) -> int:
    digits = re.sub(r"[\s{}^]", "", power.translate(SUPERSCRIPTS).replace("−", "-"))[2:]
    return max(-LARGEST - 1, min(LARGEST + 1, int(digits)))


def _ends_in_command(before: str) -> bool:
    """Whether a command or the opening of an environment comes before, so that a minus is a sign."""
    return re.search(r"\\(?:[A-Za-z]+|begin\{[^{}]*\}(?:\{[^{}]*\})?)\s*$", before) is not None


def _bounded(text: str, start: int, first: int, end: int, *, whole: bool) -> bool:
    """Whether what stands around a number lets it be one."""
    before, after = text[max(0, start - 60) : start], text[end : end + 24]
    if re.search(r"\d\.?$", before) or re.match(r"\d|\.\d", after) or before.endswith(("_", "#")):
        return False
    if UNITS.match(after) or re.match(r"[A-Za-z_]\w*\.\w", after):
        return False
    word = re.search(r"[^\W\d_]+$", before)
    if word and not re.search(r"\\[A-Za-z]+$", before):
        # "output4.64" and "seed7" are a word and its number, "h1" and "v2.0" are names.
        return (
            word[0].lower() not in TYPES
            and len(word[0]) >= (4 if whole else 2)
            and not re.search(r"[\w.]\d*$", before[: word.start()])
        )
    if whole and re.search(r"[^\W\d_]-$", text[max(0, first - 2) : first]):
        return False
    return not (whole and re.match(r"[^\W\d_]{2,}|[DdxX]\b", after))


def _is_place(text: str, numeral: Numeral, excluded_until: int) -> bool:
    """Whether a number tells where something stands, or is one of a row of such numbers."""
    before = text[max(0, numeral.start - 40) : numeral.start]
    if PLACES.search(before) and numeral.value >= 0:
        return True
    if excluded_until >= 0 and re.fullmatch(r"\s*(?:–|-|,|and|&|to)\s*", text[excluded_until : numeral.start]):
        return True
    line_start = text.rfind("\n", max(0, numeral.start - INDENT), numeral.start) + 1
    return numeral.is_whole and bool(
        re.fullmatch(r"[\s>*#-]*", text[line_start : numeral.start])
        and re.match(r"[.)]\s", text[numeral.end : numeral.end + 2])
    )
