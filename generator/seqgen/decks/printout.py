"""A cited value as it is printed: as math that TeX, KaTeX and MathJax read, and as plain text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from seqgen.decks.citation import Citation
from seqgen.decks.options import Options
from seqgen.errors import SpecError
from seqgen.graph.phrase import ATOM, SUM, UNARY, Phrase
from seqgen.ledger.proof import written
from seqgen.microscope import Microscope
from seqgen.readings.arrays import Array
from seqgen.shown.model import AS_WRITTEN, Model, integer, is_exact
from seqgen.typeset import numbers
from seqgen.typeset.numbers import Style
from seqgen.writers.latex import escape_tex


@dataclass(frozen=True, kw_only=True)
class Printout:
    """What stands in a deck for a citation.

    ``simple`` where the plain text is as good as the math: a word, a decimal, or numbers that are asked for plain.
    ``proven`` and ``vanishes`` are as of a printed number, for any of them. ``binding`` is how tightly a number binds
    whose neighbours say whether it is in parentheses, and ``bare`` a single number as programs read it. Of a ``page``,
    ``math`` is what LaTeX sets and ``plain`` what Markdown holds, and ``used`` has the hashes of its templates.
    """

    math: str
    plain: str
    simple: bool
    word: bool = False
    proven: bool = True
    vanishes: bool = False
    binding: int = ATOM
    bare: str = ""
    page: bool = False
    used: Mapping[str, str] = field(default_factory=dict)

    @property
    def enclosed(self) -> Printout:
        """The same in parentheses."""
        tall = r"\frac" in self.math
        math = rf"\left({self.math}\right)" if tall else f"({self.math})"
        return replace(self, math=math, plain=f"({self.plain})", binding=ATOM)


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
    _check_layout(printed.ndim, printed.shape, citation)
    style = Style(layout=options.layout, comma=options.comma)
    phrase, plain = numbers.array(printed, style), numbers.plain(printed, style)
    is_decimal = printed.ndim == 0 and numbers.is_decimal(printed.item())
    found = Printout(
        math=phrase.text,
        plain=plain.replace("−", "-") if options.hyphen else plain,
        simple=options.layout == "plain" or is_decimal,
        proven=all(p.proven for p in printed.flat),
        vanishes=any(p.vanishes for p in printed.flat),
        binding=_binding(printed, phrase) if options.paren is None and not options.relation else ATOM,
        bare=printed.item().text if printed.ndim == 0 and not printed.item().latex else "",
    )
    if options.hyphen and is_decimal:
        found = replace(found, math=rf"\text{{{phrase.text}}}")
    if options.paren:
        found = found.enclosed
    if options.relation:
        sign, plain_sign = ("=", "=") if is_exact(printed) else (r"\approx", "≈")
        found = replace(found, math=f"{sign} {found.math}", plain=f"{plain_sign} {found.plain}")
    return found


def _binding(printed: Array, phrase: Phrase) -> int:
    """Return how tightly a number binds; a closed form is a sum where it has a sign outside of its braces."""
    if printed.ndim or not printed.item().latex:
        return phrase.binding
    outside = phrase.text
    while (shorter := re.sub(r"\{[^{}]*\}|\([^()]*\)", "", outside)) != outside:
        outside = shorter
    return SUM if re.search(r"[-+]", outside) else UNARY


def _check_layout(rank: int, shape: tuple[int, ...], citation: Citation) -> None:
    """Make sure that the layout that a citation asks for goes with the rank of its value.

    Raises:
        SpecError: where it does not.
    """
    layout = citation.options.layout
    fits = {"bmatrix": (1, 2), "pmatrix": (1, 2), "column": (1,), "plain": (0, 1, 2)}.get(layout)
    if fits is not None and rank not in fits:
        got = f"shape {list(shape)}" if rank else "a single number"
        raise SpecError(
            f"form={layout} does not go with {got}",
            code="option",
            span=citation.reference.span,
            expected=" or ".join(("a number", "a vector", "a matrix")[r] for r in fits),
            hint="index a part of it, or leave the form out" if rank else "leave the form out",
        )
