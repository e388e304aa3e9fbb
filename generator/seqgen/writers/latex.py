"""LaTeX, for ``\\input``."""

from __future__ import annotations

from seqgen.pages.environment import one_line
from seqgen.writers.templated import Templated

SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}",
}  # fmt: skip


def escape_tex(text: str) -> str:
    """Return ``text`` with everything that TeX reads as a command made a plain character."""
    return "".join(SPECIAL.get(c, c) for c in one_line(text))


def code_tex(text: str) -> str:
    """Return ``text`` in typewriter type."""
    return rf"\texttt{{{escape_tex(text)}}}"


MEDIUM = Templated(
    name="latex",
    suffix="tex",
    comment=("% ", ""),
    escape=escape_tex,
    code=code_tex,
    delimiters={
        "variable_start_string": "<<", "variable_end_string": ">>",
        "block_start_string": "<%", "block_end_string": "%>",
        "comment_start_string": "<#", "comment_end_string": "#>",
    },
)  # fmt: skip
