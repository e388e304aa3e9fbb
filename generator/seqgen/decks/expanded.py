r"""Where LaTeX expands its argument, so that only ``\seqvalue`` can stand there: coordinates, lengths, colours."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Commands with the number of arguments that they expand, the first ones.
ARGUMENTS = {
    "pgfmathparse": 1, "pgfmathsetmacro": 2, "pgfmathsetlength": 2, "pgfmathtruncatemacro": 2, "pgfmathsetcount": 2,
    "pgfmathprintnumber": 1, "setlength": 2, "addtolength": 2, "setcounter": 2, "addtocounter": 2, "hspace": 1,
    "vspace": 1, "rule": 2, "definecolor": 3, "colorlet": 2, "inteval": 1, "fpeval": 1, "dimeval": 1, "skipeval": 1,
    "setbeamersize": 1, "resizebox": 2, "scalebox": 1, "rotatebox": 1, "includegraphics": 1,
}  # fmt: skip
NAMES = {count: [name for name, taken in ARGUMENTS.items() if taken == count] for count in (1, 2, 3)}
GROUP = r"\s*(?:\[(?:[^\[\]]|\[[^\[\]]*\])*\]\s*)?\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
BARE = r"\s*\\[A-Za-z@]+"  # a macro that is set needs no braces
COMMANDS = re.compile(
    "|".join(rf"\\(?:{'|'.join(NAMES[count])})(?![A-Za-z@])\*?(?:{GROUP}|{BARE}){{1,{count}}}" for count in (1, 2, 3))
    + rf"|\\[ex]def\s*\\[A-Za-z@]+{GROUP}|\\foreach[^{{}};]*?\bin{GROUP}"
    r"|\\(?:ifnum|ifdim|numexpr|dimexpr)(?![A-Za-z@])[^\n]*?(?=\\(?:relax|else|fi|then)|\n)"
    r"|\\(?:kern|[hv]skip|[hv]size|par(?:skip|indent)|baselineskip|(?:dimen|count|skip)\d+)\s*=?\s*[-+]?\s*\\seq\s*\{[^{}]*\}"
)
PICTURE = re.compile(r"\\begin\s*\{(?P<name>tikzpicture|pgfpicture|axis|scope)\}|\\tikz(?![A-Za-z])")
BRACKET = re.compile(
    r"\\[{}\[\]()]|[{}()\[\];]|\\begin\s*\{[^{}]*\}|\\end\s*\{(?P<name>[^{}]*)\}|(?P<seq>\\seq(?![A-Za-z]))"
)
# What makes braces text: a node, a matrix, a title or a label.
TYPESET = re.compile(r"(?:\bnode|\\node|\\matrix|\bpic|label|title|legend|pin|ticklabels?|edge|\btext)\b[^{};]*\Z")
MEASURE = re.compile(
    r"(?:width|height|shift|scale|rotate|size|[xyz]m(?:in|ax)|angle|radius|opacity|sep|length|distance|looseness|slant|"
    r"domain|samples|[xyz]tick|bend (?:left|right)|\bin|\bout|pos|!)\s*=?\s*[^,=\[\]]*\Z"
)


def expanded(text: str) -> Iterator[tuple[int, int]]:
    r"""Yield the stretches of a LaTeX source whose commands are expanded; a ``\seq`` there breaks TeX."""
    for match in COMMANDS.finditer(text):
        yield match.span()
    for match in PICTURE.finditer(text):
        yield from _in_picture(text, match)


def _in_picture(text: str, opening: re.Match[str]) -> Iterator[tuple[int, int]]:
    r"""Yield the places of ``\seq`` in a picture that are not inside what is typeset."""
    stack: list[str] = []
    since, is_inline = opening.end(), opening["name"] is None
    for match in BRACKET.finditer(text, opening.end()):
        found = match[0]
        if found[:1] == "\\" and not match["seq"]:
            if match["name"] and match["name"] == opening["name"]:
                return
            continue
        if match["seq"]:
            key = text[since : match.start()]
            if "text" not in stack and not (stack and stack[-1] == "[" and not MEASURE.search(key)):
                yield match.start(), match.end()
        elif found in "{([":
            is_text = found == "{" and TYPESET.search(text[since : match.start()])
            stack.append("text" if is_text else found)
            since = match.end() if not is_text and found == "{" else since
        elif found in "})]":
            if not stack:
                return
            ended = stack.pop()
            since = match.end() if ended in ("text", "{") else since
            if is_inline and not stack and ended == "{":
                return
        elif found == ";":
            since = match.end()
            if is_inline and not stack:
                return
