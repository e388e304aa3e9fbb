"""A cited value as it is printed: as math that TeX, KaTeX and MathJax read, and as plain text."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from seqgen.decks.citation import Citation
from seqgen.decks.options import Options
from seqgen.errors import SpecError
from seqgen.ledger.display import Printed
from seqgen.ledger.proof import written
from seqgen.microscope import Microscope
from seqgen.pages.environment import escape_tex
from seqgen.pages.numbers import MATRIX_COLUMNS, number
from seqgen.readings.arrays import Array
from seqgen.shown.model import AS_WRITTEN, Model, integer, is_exact

DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?\Z")
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, kw_only=True)
class Printout:
    """What stands in a deck for a citation.

    ``simple`` where the plain text is as good as the math: a word, a decimal, or numbers that are asked for plain.
    ``proven`` and ``vanishes`` are as of a printed number, for any of them.
    """

    math: str
    plain: str
    simple: bool
    word: bool = False
    proven: bool = True
    vanishes: bool = False


def print_citation(microscope: Microscope, citation: Citation) -> Printout:
    """Return the printout of ``citation``.

    Raises:
        SpecError: where its reference is wrong, or its value does not go with its options.
    """
    options, reference = citation.options, citation.reference
    if reference.text == "parameters":
        total = sum(entry.node.size for entry in microscope.parameters)
        return _numbers(integer(total), options, citation)
    found = microscope.cell(reference, {})
    if isinstance(found, str):
        if options != Options():
            raise SpecError("a word takes no options", code="option", span=reference.span, got=f"the word '{found}'")
        return Printout(math=rf"\text{{{escape_tex(found)}}}", plain=found, simple=True, word=True)
    if options.display == AS_WRITTEN and written(found) is None:
        raise SpecError(
            "form=as-written does not go with a computed value",
            code="option",
            span=reference.span,
            expected="a given number or array, or a part of one",
            hint="leave the form out, or say how many digits",
        )
    if options.display is None:
        printed = Model(microscope=microscope).shown(found).printed  # as tables print it, a position as it is
    else:
        printed = microscope.prover.printed(found, options.display)
    return _numbers(printed, options, citation)


def _numbers(printed: Array, options: Options, citation: Citation) -> Printout:
    math, plain = _layout(printed, options, citation)
    simple = options.layout == "plain" or (printed.ndim == 0 and _is_decimal(printed.item()))
    if options.relation:
        sign, plain_sign = ("=", "=") if is_exact(printed) else (r"\approx", "≈")
        math, plain = f"{sign} {math}", f"{plain_sign} {plain}"
    return Printout(
        math=math,
        plain=plain,
        simple=simple,
        proven=all(p.proven for p in printed.flat),
        vanishes=any(p.vanishes for p in printed.flat),
    )


def _is_decimal(printed: Printed) -> bool:
    return not printed.latex and DECIMAL.match(printed.text) is not None


def _layout(printed: Array, options: Options, citation: Citation) -> tuple[str, str]:
    layout, rank = options.layout, printed.ndim
    fits = {"bmatrix": (1, 2), "pmatrix": (1, 2), "column": (1,), "plain": (0, 1, 2)}.get(layout)
    if fits is not None and rank not in fits:
        shape = f"shape {list(printed.shape)}" if rank else "a single number"
        raise SpecError(
            f"form={layout} does not go with {shape}",
            code="option",
            span=citation.reference.span,
            expected=" or ".join(("a number", "a vector", "a matrix")[r] for r in fits),
            hint="index a part of it, or leave the form out" if rank else "leave the form out",
        )
    plain = _tuple(printed, options, plain=True, bare=layout == "plain")
    if layout == "column":
        return _matrix(printed.reshape(-1, 1), "bmatrix", options), plain
    if layout in ("bmatrix", "pmatrix") or (rank == 2 and not layout):
        rows = printed if rank == 2 else printed.reshape(1, -1)
        return _matrix(rows, layout or "bmatrix", options), plain
    return _tuple(printed, options, plain=False, bare=layout == "plain"), plain


def _tuple(printed: Array, options: Options, *, plain: bool, bare: bool) -> str:
    """Return numbers in parentheses; ``bare`` ones without, and rows apart by semicolons."""
    if printed.ndim == 0:
        return _plain(printed.item(), options) if plain else _math(printed.item(), options)
    parts = [np.asarray(part, dtype=object) for part in printed]
    if plain or printed.ndim <= 2:
        texts = [_tuple(part, options, plain=plain, bare=bare) for part in parts]
    else:
        texts = [_inner(part, options) for part in parts]
    # Where a comma is the decimal mark, it can't part numbers too.
    between = "; " if options.comma or (bare and printed.ndim == 2) else ", "
    joined = between.join(texts)
    if bare:
        return joined
    tall = not plain and any(tall in joined for tall in (r"\frac", r"\begin"))
    return rf"\left({joined}\right)" if tall else f"({joined})"


def _inner(part: Array, options: Options) -> str:
    """Return a part of an array of rank above two: its matrices are matrices unless tuples are asked for."""
    if part.ndim == 2 and not options.layout:
        return _matrix(part, "bmatrix", options)
    return _tuple(part, options, plain=False, bare=False)


def _math(printed: Printed, options: Options) -> str:
    text = number(printed).text
    return text.replace(".", "{,}") if options.comma else text


def _plain(printed: Printed, options: Options) -> str:
    text = printed.text
    if text in ("inf", "-inf"):
        text = text.replace("inf", "∞")
    mantissa, scientific, exponent = text.partition("e")
    if scientific and DECIMAL.match(mantissa):
        text = f"{mantissa} × 10{str(int(exponent)).translate(SUPERSCRIPTS)}"
    text = text.replace("-", "−")
    return text.replace(".", ",") if options.comma else text


def _matrix(printed: Array, environment: str, options: Options) -> str:
    columns = [_column(list(printed[:, j]), options) for j in range(printed.shape[1])]
    body = r"\\".join(" & ".join(row) for row in zip(*columns, strict=True))
    if len(columns) <= MATRIX_COLUMNS:
        return rf"\begin{{{environment}}}{body}\end{{{environment}}}"
    left, right = ("[", "]") if environment == "bmatrix" else ("(", ")")
    return rf"\left{left}\begin{{array}}{{{'r' * len(columns)}}}{body}\end{{array}}\right{right}"


def _column(numbers: list[Printed], options: Options) -> list[str]:
    """Return a column's numbers, decimals filled up invisibly so that their marks stand below each other."""
    texts = [_math(p, options) for p in numbers]
    if not all(_is_decimal(p) for p in numbers):
        return texts
    parts = [p.text.partition(".") for p in numbers]
    before = max(len(whole.lstrip("-")) for whole, _, _ in parts)
    after = max(len(digits) for _, _, digits in parts)
    signed = any(p.text.startswith("-") for p in numbers)
    mark = "{,}" if options.comma else "."
    filled = []
    for text, (whole, point, digits) in zip(texts, parts, strict=True):
        left = "-" * (signed and not whole.startswith("-")) + "0" * (before - len(whole.lstrip("-")))
        right = mark * (bool(after) and not point) + "0" * (after - len(digits))
        filled.append(_phantom(left) + text + _phantom(right))
    return filled


def _phantom(text: str) -> str:
    return rf"\phantom{{{text}}}" if text else ""
