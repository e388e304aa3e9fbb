"""The slides of a deck, so that a place in it can be told as a reader finds it: slide 4, its title."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from seqgen.decks.marks import FRONT

FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$")
FRAME = re.compile(
    r"(?P<comment>(?<!\\)%[^\n]*)"
    r"|\\begin\s*\{frame\}\s*(?:<[^>\n]*>|\[[^\]\n]*\])*\s*(?P<titled>\{)?"
    r"|\\frame(?![A-Za-z@])\s*(?:<[^>\n]*>|\[[^\]\n]*\])*\s*\{"
    r"|\\frametitle\s*(?:<[^>\n]*>)?\s*(?P<title>\{)"
)
LONGEST = 60


@dataclass(frozen=True, kw_only=True)
class Slides:
    """Where the slides of a deck begin, counted in lines from one, and what each is called."""

    starts: tuple[int, ...]
    names: tuple[str, ...]

    def at(self, line: int) -> str:
        """Return the slide that a line lies on, empty where it lies on none."""
        i = bisect_right(self.starts, line) - 1
        return self.names[i] if i >= 0 else ""


def slides(name: str, text: str) -> Slides:
    """Return the slides of the deck ``name``: frames in LaTeX, in Markdown what lines of three dashes part.

    A Markdown text without such lines is told by its headings.
    """
    text = text.removeprefix("\ufeff")
    found = list(_frames(text) if name.endswith(".tex") else _parted(text))
    numbered = "frame" if name.endswith(".tex") else "slide" if len(found) > 1 else ""
    if not numbered:
        found = [(line, title) for line, title in _headings(text.split("\n"), 1)]
    names = (
        ": ".join(part for part in (f"{numbered} {i}" if numbered else "", _short(title)) if part)
        for i, (_, title) in enumerate(found, start=1)
    )
    return Slides(starts=tuple(line for line, _ in found), names=tuple(names))


def _short(title: str) -> str:
    title = " ".join(title.split())
    return title if len(title) <= LONGEST else f"{title[: LONGEST - 1]}…"


def _parted(text: str) -> Iterator[tuple[int, str]]:
    """Yield the first line of each slide of a Markdown deck, with its first heading."""
    text = text.replace("\r\n", "\n")
    front = FRONT.match(text)
    lines = text.split("\n")
    first = text.count("\n", 0, front.end()) + 2 if front else 1
    borders = [first - 1]
    fence = ""
    for number in range(first, len(lines) + 1):
        line = lines[number - 1]
        mark = FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence and line.rstrip() == "---" and (number == first or not lines[number - 2].strip()):
            borders.append(number)
    for begin, end in zip(borders, [*borders[1:], len(lines) + 1], strict=True):
        title = next(_headings(lines[begin : end - 1], begin + 1), (0, ""))[1]
        yield begin + 1, title


def _headings(lines: list[str], first: int) -> Iterator[tuple[int, str]]:
    """Yield the headings among ``lines``, the first of which is that line of the deck."""
    fence = ""
    for number, line in enumerate(lines, start=first):
        mark = FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence and (heading := HEADING.match(line.rstrip("\r"))):
            yield number, heading[1]


def _frames(text: str) -> Iterator[tuple[int, str]]:
    """Yield the first line of each frame of a LaTeX deck, with its title."""
    found: list[tuple[int, str]] = []
    for match in FRAME.finditer(text):
        if match["comment"]:
            continue
        if match["title"]:
            if found and not found[-1][1]:
                found[-1] = (found[-1][0], _braced(text, match.end()))
            continue
        found.append((text.count("\n", 0, match.start()) + 1, _braced(text, match.end()) if match["titled"] else ""))
    yield from found


def _braced(text: str, start: int) -> str:
    """Return what stands from ``start`` to the brace that closes it."""
    depth = 1
    for place in range(start, min(start + 1000, len(text))):
        depth += (text[place] == "{") - (text[place] == "}")
        if depth == 0:
            return text[start:place]
    return ""
