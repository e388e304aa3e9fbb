"""Printed numbers and arrays, as the math that LaTeX with amsmath, KaTeX and MathJax share, and as plain text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from seqgen.graph.phrase import ATOM, POWER, PRODUCT, SUM, UNARY, Phrase
from seqgen.ledger.display import Printed
from seqgen.readings.arrays import Array

# amsmath's matrix environments have ten columns; an array has as many as it says.
MATRIX_COLUMNS = 10
BRACKETS = {"bmatrix": ("[", "]"), "pmatrix": ("(", ")")}
DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?\Z")
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, kw_only=True)
class Style:
    """How an array is laid out.

    layout: ``tuple``, ``bmatrix``, ``pmatrix``, ``column``, ``plain`` (no parentheses), or empty for the one that fits:
    a vector is a tuple, a matrix is in brackets, an array of higher rank is a tuple of matrices.
    comma: whether the decimal mark is a comma.
    """

    layout: str = ""
    comma: bool = False


DEFAULT = Style()


# Marks a number whose digits are not proven; alone it stands for a number of which no digit is known.
UNPROVEN = "?"


def number(printed: Printed) -> Phrase:
    """Return a printed number as math, with how tightly it binds; what is not proven has a mark."""
    if printed.proven:
        return _proven(printed)
    if not printed.known:
        return Phrase(rf"\text{{{UNPROVEN}}}")
    found = _proven(printed)
    text = f"{{{found.text}}}" if "^" in found.text else found.text
    return Phrase(f"{text}^{{{UNPROVEN}}}", min(found.binding, POWER))


def _proven(printed: Printed) -> Phrase:
    if printed.latex:
        return Phrase(printed.latex, ATOM if printed.latex.isalnum() else SUM)
    text = printed.text
    negative = text.startswith("-")
    if text.endswith("%"):
        return Phrase(text.replace("%", r"\%"), SUM if negative else ATOM)
    if "/" in text:
        numerator, _, denominator = text.lstrip("-").partition("/")
        return Phrase(rf"{'-' * negative}\frac{{{numerator}}}{{{denominator}}}", SUM if negative else UNARY)
    mantissa, scientific, exponent = text.lower().partition("e")
    if scientific:
        return Phrase(rf"{mantissa}\times10^{{{int(exponent)}}}", SUM if negative else PRODUCT)
    names = {"inf": r"\infty", "-inf": r"-\infty", "pi": r"\pi"}
    return Phrase(names.get(text, text), SUM if negative else ATOM)


def scientific(value: float, digits: int = 3) -> str:
    """Return a float as math, as a power of ten times a mantissa of at most so many digits: ``10^{-9}``."""
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    mantissa = mantissa.rstrip("0").rstrip(".")
    if mantissa == "0":
        return "0"
    power = rf"10^{{{int(exponent)}}}"
    return power if mantissa == "1" else rf"{mantissa}\times{power}"


def array(printed: Array, style: Style = DEFAULT) -> Phrase:
    """Return an array of any rank as math."""
    if printed.ndim == 0:
        return Phrase(_number(printed.item(), style), number(printed.item()).binding)
    if style.layout == "column":
        return Phrase(_matrix(printed.reshape(-1, 1), "bmatrix", style))
    if style.layout in BRACKETS or (printed.ndim == 2 and not style.layout):
        return Phrase(_matrix(printed.reshape(-1, printed.shape[-1]), style.layout or "bmatrix", style))
    parts = [array(np.asarray(part, dtype=object), style).text for part in printed]
    joined = _between(printed, style).join(parts)
    if style.layout == "plain":
        return Phrase(joined)
    tall = r"\frac" in joined or r"\begin" in joined
    # A function of several matrices in one pair of parentheses would be one of several arguments.
    return Phrase(rf"\left({joined}\right)" if tall else f"({joined})", enclosed=printed.ndim == 1)


def plain(printed: Array, style: Style = DEFAULT) -> str:
    """Return an array of any rank as plain text: numbers in nested parentheses."""
    if printed.ndim == 0:
        return _plain_number(printed.item(), style)
    parts = [plain(np.asarray(part, dtype=object), style) for part in printed]
    joined = _between(printed, style).join(parts)
    return joined if style.layout == "plain" else f"({joined})"


def is_decimal(printed: Printed) -> bool:
    """Whether a number is printed as a plain decimal."""
    return printed.proven and not printed.latex and DECIMAL.match(printed.text) is not None


def _between(printed: Array, style: Style) -> str:
    """Return what separates the parts of a tuple: where a comma is the decimal mark, it can't separate numbers too."""
    return "; " if style.comma or (style.layout == "plain" and printed.ndim == 2) else ", "


def _number(printed: Printed, style: Style) -> str:
    text = number(printed).text
    return text.replace(".", "{,}") if style.comma else text


def _plain_number(printed: Printed, style: Style) -> str:
    if not printed.known:
        return UNPROVEN
    text = printed.text
    if text in ("inf", "-inf"):
        text = text.replace("inf", "∞")
    mantissa, scientific, exponent = text.partition("e")
    if scientific and DECIMAL.match(mantissa):
        text = f"{mantissa} × 10{str(int(exponent)).translate(SUPERSCRIPTS)}"
    text = text.replace("-", "−") + ("" if printed.proven else UNPROVEN)
    return text.replace(".", ",") if style.comma else text


def _matrix(printed: Array, environment: str, style: Style) -> str:
    columns = [_column(list(printed[:, j]), style) for j in range(printed.shape[1])]
    body = r"\\".join(" & ".join(row) for row in zip(*columns, strict=True))
    if len(columns) <= MATRIX_COLUMNS:
        return rf"\begin{{{environment}}}{body}\end{{{environment}}}"
    left, right = BRACKETS[environment]
    return rf"\left{left}\begin{{array}}{{{'r' * len(columns)}}}{body}\end{{array}}\right{right}"


def _column(numbers: Sequence[Printed], style: Style) -> list[str]:
    """Return a column's numbers, decimals filled up invisibly so that their marks stand below each other."""
    texts = [_number(p, style) for p in numbers]
    if not all(map(is_decimal, numbers)):
        return texts
    parts = [p.text.partition(".") for p in numbers]
    before = max(len(whole.lstrip("-")) for whole, _, _ in parts)
    after = max(len(digits) for _, _, digits in parts)
    signed = any(p.text.startswith("-") for p in numbers)
    mark = "{,}" if style.comma else "."
    filled = []
    for text, (whole, point, digits) in zip(texts, parts, strict=True):
        left = "-" * (signed and not whole.startswith("-")) + "0" * (before - len(whole.lstrip("-")))
        right = mark * (bool(after) and not point) + "0" * (after - len(digits))
        filled.append(_phantom(left) + text + _phantom(right))
    return filled


def _phantom(text: str) -> str:
    return rf"\phantom{{{text}}}" if text else ""
