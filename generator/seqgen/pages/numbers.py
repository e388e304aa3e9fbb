"""Printed numbers and arrays as LaTeX math: the subset that LaTeX with amsmath, KaTeX and MathJax share."""

from __future__ import annotations

import numpy as np

from seqgen.graph.phrase import ATOM, PRODUCT, SUM, UNARY, Phrase
from seqgen.ledger.display import Printed
from seqgen.readings.arrays import Array

# amsmath's matrix environments have ten columns; an array has as many as it says.
MATRIX_COLUMNS = 10


def number(printed: Printed) -> Phrase:
    """Return a printed number as math, with how tightly it binds."""
    if printed.latex:
        return Phrase(printed.latex, ATOM if printed.latex.isalnum() else SUM)
    text = printed.text
    negative = text.startswith("-")
    if "/" in text:
        numerator, _, denominator = text.lstrip("-").partition("/")
        return Phrase(rf"{'-' * negative}\frac{{{numerator}}}{{{denominator}}}", SUM if negative else UNARY)
    mantissa, scientific, exponent = text.lower().partition("e")
    if scientific:
        return Phrase(rf"{mantissa}\times10^{{{int(exponent)}}}", SUM if negative else PRODUCT)
    names = {"inf": r"\infty", "-inf": r"-\infty", "pi": r"\pi"}
    return Phrase(names.get(text, text), SUM if negative else ATOM)


def array(printed: Array) -> Phrase:
    """Return an array as math: a number, a tuple, a bracketed matrix, or a tuple of matrices."""
    if printed.ndim == 0:
        return number(printed.item())
    if printed.ndim == 2:
        return Phrase(matrix([[number(x).text for x in row] for row in printed]))
    parts = ", ".join(array(np.asarray(part, dtype=object)).text for part in printed)
    # A function of several matrices in one pair of parentheses would be one of several arguments.
    return Phrase(f"({parts})", enclosed=printed.ndim == 1)


def matrix(rows: list[list[str]]) -> str:
    """Return rows of math as a bracketed matrix."""
    body = r"\\".join(" & ".join(row) for row in rows)
    if len(rows[0]) <= MATRIX_COLUMNS:
        return rf"\begin{{bmatrix}}{body}\end{{bmatrix}}"
    return rf"\left[\begin{{array}}{{{'r' * len(rows[0])}}}{body}\end{{array}}\right]"
