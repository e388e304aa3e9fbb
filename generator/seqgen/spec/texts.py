"""Texts and names that pages show: what must not stand in them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from seqgen.errors import Collector, SpecError
from seqgen.spec.document import Mapping, Scalar

PLAIN_NAME = re.compile(r"[\w-]+\Z")
# What a text on a page may not hold: tags, and TeX's ways to files, programs and its own rules.
UNSAFE = re.compile(
    r"<[/!?a-zA-Z]|\\(?:input|include|openin|openout|read|write|immediate|csname|catcode|def|edef|gdef|let|usepackage"
    r"|href|url|html\w+|includegraphics|special|directlua|loop|expandafter)(?![a-zA-Z])"
)
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
    for scalar in _texts(document):
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
        if UNSAFE.search(scalar.text):
            errors.add(
                SpecError(
                    "this text holds a command or a tag that could do harm on a page",
                    code="unsafe-text",
                    span=scalar.span,
                    got=UNSAFE.search(scalar.text).group(0),  # type: ignore[union-attr]
                    hint="write < as \\lt in math; TeX's \\input, \\write and their like do not belong into a spec",
                )
            )


def _written(scalar: Scalar) -> str:
    """Return a text in double quotes as the file has it; nothing for any other."""
    span = scalar.span
    written = span.source.line(span.line)[span.column - 1 :][: span.width]
    return written if written.startswith('"') else ""


def _texts(document: Mapping) -> Iterator[Scalar]:
    """Yield the texts that pages show: titles, descriptions, headings, captions, spellings."""
    for key in ("title", "about", "source"):
        node = document.get(key)
        if isinstance(node, Scalar):
            yield node
    yield from (v for _, v in document.entries("tex") if isinstance(v, Scalar))
    for _, body in (*document.entries("given"), *document.entries("tables")):
        if isinstance(body, Mapping):
            yield from (v for k in ("about", "tex", "caption") if isinstance(v := body.get(k), Scalar))
            yield from (label for label, _ in body.entries("columns"))
