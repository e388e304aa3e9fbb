"""A citation read: which value of which spec, and how it is to be printed."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from seqgen.decks.marks import EXAMPLE, Block, DeckText, Mark, Marks, Piece, Pragma, resolve
from seqgen.decks.options import Options, read_options, split
from seqgen.decks.pageoptions import PageOptions, names_a_page, read_page_options
from seqgen.errors import Collector, SeqgenError, Span, SpecError
from seqgen.spec.document import Scalar


@dataclass(frozen=True, kw_only=True)
class Citation:
    """A spec's name, a reference or an expression over its values, and the options; ``page`` are those of a whole page.

    ``faulty`` where the options have mistakes: then only the reference is still to be looked at.
    """

    spec: str
    spec_span: Span
    reference: Scalar
    options: Options
    span: Span
    page: PageOptions | None = None
    faulty: bool = False


def of_mark(deck: DeckText, mark: Mark, marks: Marks, errors: Collector) -> Citation | None:
    r"""Return the citation that ``\seq[…]{…}`` writes, or nothing where it can't be read."""
    return _citation(deck, mark.body, mark.options, marks.about(mark.start), errors)


def of_block(deck: DeckText, block: Block, marks: Marks, errors: Collector) -> Citation | None:
    """Return the citation that a block's head writes: ``SPEC: REFERENCE, option, …``."""
    parts = list(split(block.head))
    body = parts[0] if parts else Piece(text="", start=block.head.start)
    options = Piece(text="", start=body.start)
    if len(parts) > 1:
        start, end = parts[1].start, parts[-1].start + len(parts[-1].text)
        options = Piece(text=deck.text[start:end], start=start)
    return _citation(deck, body, options, marks.about(block.start), errors)


def _citation(deck: DeckText, body: Piece, options: Piece, about: Pragma | None, errors: Collector) -> Citation | None:
    mistakes = Collector()
    page = read_page_options(deck, options, mistakes) if names_a_page(body.text) else None
    read = Options() if page else read_options(deck, options, mistakes)
    try:
        mistakes.raise_any()
    except SeqgenError as problem:
        errors.add(problem)
    try:
        citation = _read(deck, body, about, Options() if mistakes else read, faulty=bool(mistakes))
        return replace(citation, page=page)
    except SpecError as problem:
        errors.add(problem)
        return None


def _read(deck: DeckText, body: Piece, about: Pragma | None, options: Options, *, faulty: bool) -> Citation:
    span = deck.span(body.start, len(body.text.split("\n")[0]))
    if odd := re.search(r"[\\%#]", body.text):
        raise SpecError(
            f"'{odd[0]}' can't stand in a citation",
            code="citation",
            span=deck.span(body.start + odd.start()),
            hint={
                "\\": "write names as the spec does: W_h, not W\\_h",
                "%": "begin the reference on the line of its brace, without a comment",
                "#": "write each citation in full: it is read before TeX runs, so that a macro's argument is not known",
            }[odd[0]],
        )
    found = resolve(body, about)
    if found is None or not found[1].text.strip():
        raise SpecError(
            "a citation needs a spec and a reference",
            code="citation",
            span=span,
            expected=EXAMPLE,
            got=body.text,
            hint="or say once what the deck is about: seqgen: spec NAME, in a comment",
        )
    spec, reference = found
    start = reference.start + len(reference.text) - len(reference.text.lstrip())
    text = reference.text.strip()
    return Citation(
        spec=spec.text,
        spec_span=deck.span(spec.start, len(spec.text)),
        # Over several lines, as a paragraph that an editor has filled, it is still one expression.
        reference=Scalar(text=re.sub(r"\s+", " ", text), span=deck.span(start, len(text.split("\n")[0]))),
        options=options,
        span=span,
        faulty=faulty,
    )
