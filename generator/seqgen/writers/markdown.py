"""Markdown, with math as KaTeX and MathJax read it."""

from __future__ import annotations

import re

from seqgen.pages.environment import one_line
from seqgen.writers.templated import Templated


def escape_markdown(text: str) -> str:
    """Return ``text`` with what Markdown, its tables and HTML read as marks made plain characters."""
    text = one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|#$~])", r"\\\1", text)


def code_markdown(text: str) -> str:
    """Return ``text`` as inline code; a bar would end a table's cell."""
    return "`" + one_line(text).replace("`", "'").replace("|", "¦") + "`"


MEDIUM = Templated(name="markdown", suffix="md", comment=("<!-- ", " -->"), escape=escape_markdown, code=code_markdown)
