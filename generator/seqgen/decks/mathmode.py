"""Where a LaTeX source is in math mode."""

from __future__ import annotations

import re
from bisect import bisect_right

ENVIRONMENTS = (
    r"equation|align|alignat|aligned|flalign|gather|multline|eqnarray|displaymath|math|dmath|subequations|"
    r"[bpvBV]?matrix|smallmatrix|cases|array|split"
)
TOKEN = re.compile(
    rf"""
      (?P<open> \\\(|\\\[ ) | (?P<close> \\\)|\\\] )
    | \\begin\s*\{{(?P<begin>{ENVIRONMENTS})\*?\}} | \\end\s*\{{(?P<end>{ENVIRONMENTS})\*?\}}
    | (?P<word> \\(?:text(?:rm|bf|it|sf|tt|normal)?|mbox|hbox|intertext|shortintertext)\s*\{{ )
    | (?P<ensure> \\ensuremath\s*\{{ )
    | \\. | %[^\n]*
    | (?P<dollar> \$\$? ) | (?P<left> \{{ ) | (?P<right> \}} )
    | (?P<paragraph> \n[ \t]*\r?\n )
    """,
    re.VERBOSE | re.DOTALL,
)
DISPLAYED = re.compile(r"subequations|split|cases|array|aligned|.*matrix")  # these change no mode


class MathMode:
    """The math of a LaTeX source: formulas, environments, and text inside them."""

    def __init__(self, text: str) -> None:
        self._starts: list[int] = [0]
        self._modes: list[bool] = [False]
        self._stack: list[tuple[str, bool]] = []
        for match in TOKEN.finditer(text):
            self._read(match)

    def at(self, place: int) -> bool:
        """Whether a place is in math."""
        return self._modes[bisect_right(self._starts, place) - 1]

    def _read(self, match: re.Match[str]) -> None:
        kind, mode = match.lastgroup, self._modes[-1]
        if kind in ("left", "word", "ensure"):
            self._stack.append(("}", mode))
            self._set(match.end(), mode if kind == "left" else kind == "ensure")
        elif kind == "right":
            self._close(match, "}")
        elif kind == "dollar":
            if not self._close(match, match[0]):
                self._stack.append((match[0], mode))
                self._set(match.end(), True)
        elif kind == "open" or (kind == "begin" and not DISPLAYED.fullmatch(match["begin"])):
            self._stack.append((match["begin"] or match[0], mode))
            self._set(match.end(), True)
        elif kind == "close" or (kind == "end" and not DISPLAYED.fullmatch(match["end"])):
            self._close(match, match["end"] or {r"\)": r"\(", r"\]": r"\["}[match[0]])
        elif kind == "paragraph" and any(opening[0] == "$" for opening in self._stack):
            self._stack.clear()  # no formula goes on past a paragraph: it was no dollar of one
            self._set(match.end(), False)

    def _close(self, match: re.Match[str], wanted: str) -> bool:
        if self._stack and self._stack[-1][0] == wanted:
            self._set(match.start(), self._stack.pop()[1])
            return True
        return False

    def _set(self, place: int, mode: bool) -> None:
        self._starts.append(place)
        self._modes.append(mode)
