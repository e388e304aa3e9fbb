"""What a piece of math looks like, so that two names of a spec are not typeset as one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from seqgen.spec.tex import ACCENTS, FONTS, SIZES, TEXTS

MARK = re.compile(r"\\(?:[A-Za-z]+|.)|\S")
# Spaces, and what only sets the size of a bracket
UNSEEN = {*SIZES, "~", "\\ "} | {rf"\{c}" for c in ("left", "right", "quad", "qquad", *",!:;")}
SAME = [
    r"\mathrm \text \textrm \operatorname", r"\le \leq", r"\ge \geq", r"\ne \neq", r"\rightarrow \to",
    r"| \lvert \rvert \vert \mid", r"\| \lVert \rVert \Vert", r"\hat \widehat", r"\tilde \widetilde", r"* \ast",
]  # fmt: skip
ALIKE = {one: first for first, *others in map(str.split, SAME) for one in others}


def look(math: str) -> str:
    """Return what math looks like: the same text for `x_1^2`, `x^{2}_{1}` and `{x_{\\,1}}^2`."""
    marks = [ALIKE.get(mark, mark) for mark in MARK.findall(math) if mark not in UNSEEN]
    return " ".join(map(str, _row(marks[::-1])))


@dataclass
class _Item:
    """A symbol with what stands below and above it."""

    symbol: str
    below: str = ""
    above: str = ""

    def __str__(self) -> str:
        below, above = (
            f"{sign}{{{script}}}" if script else "" for sign, script in (("_", self.below), ("^", self.above))
        )
        return self.symbol + below + above


def _row(marks: list[str]) -> list[_Item]:
    """Read items up to a closing brace, which is read too; ``marks`` are in reverse."""
    items: list[_Item] = []
    while marks and (mark := marks.pop()) != "}":
        if mark in ("_", "^", "'"):
            items = items or [_Item("")]
            script = r"\prime" if mark == "'" else " ".join(map(str, _argument(marks)))
            last = items[-1]
            if mark == "_":
                last.below = f"{last.below} {script}".strip()
            else:
                last.above = f"{last.above} {script}".strip()
        elif mark == "{":
            items += _row(marks)
        else:
            items.append(_item(mark, marks))
    return items


def _item(mark: str, marks: list[str]) -> _Item:
    if mark in FONTS | ACCENTS | TEXTS:
        return _Item(f"{mark}{{{' '.join(map(str, _argument(marks)))}}}")
    return _Item(mark)


def _argument(marks: list[str]) -> list[_Item]:
    """Read what a script or an accent applies to: a group, or one symbol."""
    mark = marks.pop() if marks else "}"
    return [] if mark == "}" else _row(marks) if mark == "{" else [_item(mark, marks)]
