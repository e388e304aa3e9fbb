"""Texts and names that pages show: what must not stand in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from seqgen.errors import Collector, Span, SpecError
from seqgen.spec import tex
from seqgen.spec.document import Mapping, Node, Scalar, Sequence
from seqgen.spec.names import normal

PLAIN_NAME = re.compile(r"[\w-]+\Z")
# What a page's reader of math takes for math, in a word that is to be shown as it is.
MATH_IN_A_WORD = re.compile(r"\\[(\[]|\\begin\b")
# A command of LaTeX's, read as a tab, a line break or a bell: "\theta", "\nu", "\alpha". A line break may be meant.
ESCAPED = re.compile(r"(?<!\\)(?:\\\\)*(\\(?:[abefrtv][a-zA-Z]+|n(?:abla|u|eq?|ot|eg)\b))")


def check_texts(document: Mapping, errors: Collector) -> None:
    """Look at the names of pages and at the texts that they show; mistakes go to ``errors``."""
    for key in ("tables", "worked"):
        part = document.get(key)
        for label in part.keys.values() if isinstance(part, Mapping) else ():
            if not PLAIN_NAME.match(label.text):
                errors.add(
                    SpecError(
                        f"'{label.text}' can't be a page's name",
                        code="name",
                        span=label.span,
                        expected="letters, digits, - and _",
                    )
                )
    for scalar, read in _texts(document):
        escaped = None if scalar.plain or scalar.block else ESCAPED.search(_written(scalar))
        if escaped:
            errors.add(
                SpecError(
                    f"'{escaped[1]}' begins with an escape in double quotes",
                    code="yaml-syntax",
                    span=scalar.span,
                    hint="write LaTeX in 'single quotes', where a backslash is itself",
                )
            )
        else:
            check_text(scalar.text, partial(_place, scalar), errors, read)


def check_text(
    text: str, place: Callable[[int, int], Span], errors: Collector, read: Callable[[str], object] = tex.parts
) -> None:
    """Look at one text by its grammar; ``place`` gives the span of a stretch of it, by its start and width."""
    try:
        read(text)
    except tex.Fault as fault:
        span = place(fault.start, fault.width)
        errors.add(SpecError(fault.message, code="unsafe-text", span=span, hint=fault.hint))


def _place(scalar: Scalar, start: int, width: int) -> Span:
    before = scalar.text[:start]
    return scalar.locate(before.count("\n") + 1, start - before.rfind("\n") - 1, width)


def _word(text: str) -> None:
    """Refuse what would not be shown as it is.

    Raises:
        Fault: at what is not allowed in a word.
    """
    tex.refuse_steering(text)
    match = MATH_IN_A_WORD.search(text)
    if match:
        raise tex.Fault(match.start(), len(match[0]), f"'{match[0]}' begins math in a word", "leave out the backslash")


def spellings(document: Mapping) -> dict[str, str]:
    """Return the math that a spec writes for its names, under ``tex`` and in ``given``."""
    spelled = {normal(k.text): _symbol(v) for k, v in document.entries("tex") if isinstance(v, Scalar)}
    for label, body in document.entries("given"):
        if isinstance(body, Mapping) and isinstance(body.get("tex"), Scalar):
            spelled.setdefault(normal(label.text), _symbol(body["tex"]))
    return spelled


def _symbol(node: Node) -> str:
    """Return a spelling as every medium takes it; as it stands where it is wrong, which has been reported."""
    assert isinstance(node, Scalar)
    try:
        return tex.symbol(node.text.strip())
    except tex.Fault:
        return node.text


def _written(scalar: Scalar) -> str:
    """Return a text in double quotes as the file has it; empty for any other."""
    span = scalar.span
    written = span.source.line(span.line)[span.column - 1 :][: span.width]
    return written if written.startswith('"') else ""


def _texts(document: Mapping) -> Iterator[tuple[Scalar, Callable[[str], object]]]:
    """Yield the texts that can reach a page, each with the function that reads its kind."""
    for key in ("title", "about", "source"):
        yield from _at(document, key, tex.parts)
    yield from ((v, tex.symbol) for _, v in document.entries("tex") if isinstance(v, Scalar))
    for _, body in (*document.entries("given"), *document.entries("tables")):
        if isinstance(body, Mapping):
            yield from _at(body, "about", tex.parts)
            yield from _at(body, "caption", tex.parts)
            yield from _at(body, "tex", tex.symbol)
            yield from ((label, tex.parts) for label, _ in body.entries("columns"))
            yield from ((word, _word) for word in _words(body.get("value")))
    checks = document.get("checks")
    for check in checks.items if isinstance(checks, Sequence) else ():
        for _, arguments in check.items.items() if isinstance(check, Mapping) else ():
            if isinstance(arguments, Mapping):
                yield from _at(arguments, "cause", tex.parts)


def _at(body: Mapping, key: str, read: Callable[[str], object]) -> Iterator[tuple[Scalar, Callable[[str], object]]]:
    node = body.get(key)
    if isinstance(node, Scalar):
        yield node, read


def _words(node: Node | None) -> Iterator[Scalar]:
    """Yield the words in a given value; numbers hold nothing to look at."""
    pending = [node]
    while pending:
        node = pending.pop()
        if isinstance(node, Sequence):
            pending += node.items
        elif isinstance(node, Scalar) and ("\\" in node.text or not node.text.isprintable()):
            yield node
