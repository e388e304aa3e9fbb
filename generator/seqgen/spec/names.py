"""Names of arrays, dims and positions: what Python reads as a name, in the one spelling that it gives it."""

from __future__ import annotations

import unicodedata
from keyword import iskeyword

from seqgen.errors import Span, SpecError

NAMES = "a name such as W_x, or a member of a family such as h[-1]"


def normal(name: str) -> str:
    """Return ``name`` in the normal form (NFKC) that Python reads names in, so that one letter has one spelling."""
    return name if name.isascii() else unicodedata.normalize("NFKC", name)


def checked_name(text: str, span: Span) -> str:
    """Return the normal form of a name.

    Raises:
        SpecError: where steps could not say it.
    """
    name = normal(text)
    if iskeyword(name):
        latex = r"\lambda" if name == "lambda" else name
        hint = f"use another name, such as {name}_; tex: {{{name}_: '{latex}'}} gives it its spelling on the pages"
        raise SpecError(f"'{name}' is a word of Python, and can't be a name", code="name", span=span, hint=hint)
    if not text.isidentifier():
        hint = "letters, digits and _, not a digit first"
        better = "".join(c if c == "_" or c.isalnum() else "_" for c in name).strip("_")
        if better.isidentifier() and not iskeyword(better):
            hint = f"write {better}"
        raise SpecError(f"'{text}' is not a name", code="name", span=span, expected=NAMES, hint=hint)
    return name
