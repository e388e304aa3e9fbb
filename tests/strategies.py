"""Hypothesis strategies that several test files share."""

from __future__ import annotations

import re
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from seqgen.spec.model import Display

WIDE = Context(prec=400)


def decimals(*, low: int, high: int, digits: int = 6) -> st.SearchStrategy[str]:
    """Return texts of decimal numbers between two integers, with up to ``digits`` decimals."""
    scale = 10**digits

    def write(scaled: int) -> str:
        sign, magnitude = "-" if scaled < 0 else "", abs(scaled)
        return f"{sign}{magnitude // scale}.{magnitude % scale:0{digits}d}"

    return st.integers(low * scale, high * scale).map(write)


def finite_decimals() -> st.SearchStrategy[Decimal]:
    """Return decimals of up to 40 digits and exponents that slides may see, ties and near ties among them."""
    scaled = st.integers(-(10**40), 10**40), st.integers(-50, 10)
    ties = st.integers(-(10**6), 10**6).map(lambda x: Fraction(10 * x + 5)), st.integers(-41, 0)
    nudges = st.sampled_from([Fraction(0), Fraction(1, 10**80), Fraction(-1, 10**80)])
    return st.one_of(
        st.builds(lambda x, e: WIDE.create_decimal(x).scaleb(e, WIDE), *scaled),
        st.builds(lambda x, e, nudge: _decimal(x * Fraction(10) ** e + nudge), *ties, nudges),
    )


def _decimal(x: Fraction) -> Decimal:
    return WIDE.divide(Decimal(x.numerator), Decimal(x.denominator))


def fractions() -> st.SearchStrategy[Fraction]:
    """Return rationals of all sizes, small and large, whole and not."""
    size = st.integers(-30, 30).map(lambda e: Fraction(10) ** e)
    return st.one_of(
        st.builds(lambda x, s: x * s, st.fractions(max_denominator=10**6, min_value=-100, max_value=100), size),
        finite_decimals().map(Fraction),
        st.just(Fraction(0)),
    )


def forms() -> st.SearchStrategy[Display]:
    """Return ways of printing a number in digits."""
    return st.one_of(
        st.builds(Display, digits=st.integers(0, 12)),
        st.builds(Display, form=st.sampled_from(["significant", "scientific"]), digits=st.integers(1, 12)),
    )


@st.composite
def enclosures(draw: st.DrawFn) -> tuple[Fraction, Fraction, Fraction]:
    """Return the low end of an enclosure, a number in it, and its high end."""
    low = draw(fractions())
    width = draw(st.one_of(st.just(Fraction(0)), st.integers(1, 9).map(Fraction)))
    width *= Fraction(10) ** draw(st.integers(-60, 2))
    share = draw(st.fractions(min_value=0, max_value=1))
    return low, low + share * width, low + width


def ledgers() -> st.SearchStrategy[dict[str, Any]]:
    """Return contents of ledgers: their version, and any JSON beside it."""
    words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
    numbers = st.one_of(st.integers(-(10**30), 10**30), st.floats(allow_nan=False, allow_infinity=False))
    leaves = st.one_of(st.none(), st.booleans(), numbers, words)
    trees = st.recursive(
        leaves,
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(words, inner, max_size=4)),
        max_leaves=20,
    )
    return st.dictionaries(words.filter(lambda w: w != "seqgen"), trees, max_size=5).map(lambda d: {"seqgen": 1, **d})


# Words that YAML 1.2 reads as something else than a text, or that PyYAML writes by the rules of YAML 1.1.
_NOT_WORDS = re.compile(r"[-+.]?[0-9_].*|~|[.].*|(?i:null|true|false|yes|no|on|off|y|n)?\Z|=|<<")


def words() -> st.SearchStrategy[str]:
    """Return texts of a line that every YAML reads as texts."""
    characters = st.characters(
        categories=["L", "N", "P", "S", "Zs"], max_codepoint=0xD7FF, exclude_characters="\u2028\u2029"
    )
    return st.text(characters, max_size=12).filter(lambda word: not _NOT_WORDS.match(word.strip()))


def trees() -> st.SearchStrategy[Any]:
    """Return mappings of words to trees of words, numbers, truth values and nothing."""
    numbers = st.one_of(st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False))
    inner = st.recursive(
        st.one_of(st.none(), st.booleans(), numbers, words()),
        lambda inside: st.one_of(st.lists(inside, max_size=4), st.dictionaries(words(), inside, max_size=4)),
        max_leaves=12,
    )
    return st.dictionaries(words(), inner, min_size=1, max_size=4)


def number_like() -> st.SearchStrategy[str]:
    """Return texts of the characters that numbers are written with."""
    pieces = st.sampled_from(["0", "1", "9", "17", "0x", "0o", "f", ".", "-", "+", "e", "E", "_", ":", " "])
    return st.lists(pieces, min_size=1, max_size=6).map("".join)


def yaml_like() -> st.SearchStrategy[str]:
    """Return texts that are nearly YAML."""
    pieces = [
        *("a", "b: ", "key:", "- ", "[", "]", "{", "}", ", ", ": ", "? ", "~", "0", "1e5", "ü", "\ufeff"),
        *("\n", "\n  ", "\n    ", "\t", "\r\n", "#", " # x", "---\n", "...\n", "%", "@", "`"),
        *("&a ", "*a", "<<: ", "!", "!!int ", "|", ">", "|2", "'", '"', "\\"),
    ]
    return st.lists(st.sampled_from(pieces), max_size=16).map("".join)
