"""What stands in a deck for a citation: in Markdown, in a block, and in the file of numbers that TeX reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from seqgen.decks.marks import Block, DeckText, Mark, Setting
from seqgen.decks.neighbours import Neighbours, neighbours
from seqgen.decks.printout import Printout
from seqgen.graph.phrase import ATOM, SUM
from seqgen.writers.latex import escape_tex
from seqgen.writers.markdown import escape_markdown

# What no number has: a blank line, and at a line's beginning a heading or what parts slides.
PROSE = re.compile(r"\n\s*\n|^(?:#+\s|(?:-{3,}|\*{3,}|_{3,})$)", re.MULTILINE)
FORMULA = re.compile(
    r"\$\$(?:(?!\$\$).)*\$\$|\\\[(?:(?!\\\]).)*\\\]|\\ensuremath\s*\{(?:(?!\\ensuremath).)*\}", re.DOTALL
)
SPELLED = re.compile(
    r"\\(?:begin|end)\{(?:[A-Za-z]*matrix|array|aligned|cases)\}(?:\{[lcr|]*\})?"
    r"|\\(?:text|mathrm|operatorname)\{[^{}]*\}|\\[A-Za-z]+|\b(?:inf|nan|pi)\b"
)
# A word, but none of a function as in sqrt(2).
WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]{2,}(?![^\W\d_]|\()")


def in_markdown(printout: Printout, setting: Setting) -> str:
    """Return what stands for a citation in Markdown."""
    if setting is Setting.PLAIN:
        return printout.plain
    if setting is Setting.TEXT and printout.simple:
        return escape_markdown(printout.plain) if printout.word else printout.plain
    # Engines that read Markdown before math would take one of two backslashes.
    math = printout.math.replace(r"\\", r"\cr ")
    return math if setting is Setting.MATH else f"${math}$"


def beside(printout: Printout, deck: DeckText, mark: Mark) -> str:
    """Return what stands for a citation in Markdown, in parentheses where its neighbours ask for them."""
    if printout.page:
        return printout.plain
    if mark.bare:
        return printout.bare
    around = neighbours(deck.text, mark.start, mark.end, in_math=mark.setting is Setting.MATH)
    if mark.setting is not Setting.PLAIN and around.part(printout.binding):
        printout = printout.enclosed
    return in_markdown(printout, mark.setting)


def before(deck: DeckText, mark: Mark) -> Neighbours:
    """Return what TeX does not see itself beside a citation: it looks ahead, but not out of braces, and not back."""
    around = neighbours(deck.text, mark.start, mark.end, in_math=True)
    return around if around.wrapped else replace(around, power=False, times=False)


def numbers_file(key: str, printout: Printout, *, enclosed: bool) -> Iterator[str]:
    """Yield what the file of numbers says of a citation."""
    if printout.page:
        yield f"\\seqpage{{{key}}}{{%\n{printout.math}}}"
        return
    yield rf"\seqnumber{{{key}}}{{{printout.math}}}{{{_bookmark(printout)}}}"
    if enclosed:
        yield rf"\seqparen{{{key}}}"
    elif printout.binding < ATOM:
        yield rf"\seqahead{{{key}}}" if printout.binding <= SUM else rf"\seqpower{{{key}}}"
    if printout.bare and printout.bare != _bookmark(printout):
        yield rf"\seqbare{{{key}}}{{{printout.bare}}}"


def _bookmark(printout: Printout) -> str:
    """Return plain text that a PDF's bookmarks can show."""
    return escape_tex(printout.plain.replace("−", "-").replace("≈", "about").replace("∞", "infinity"))


def in_block(printout: Printout, block: Block, deck: DeckText) -> str:
    """Return what stands between a block's marks."""
    if printout.page:
        lines = (printout.math if deck.source.name.endswith(".tex") else printout.plain).splitlines()
        return "".join(f"{block.indent}{line}".rstrip() + deck.newline for line in lines)
    if deck.source.name.endswith(".tex"):
        return f"{block.indent}\\ensuremath{{{printout.math}}}{deck.newline}"
    if not block.alone:
        return in_markdown(printout, Setting.TEXT)
    lines = [printout.plain] if printout.simple else ["$$", in_markdown(printout, Setting.MATH), "$$"]
    return "".join(f"{block.indent}{line}{deck.newline}" for line in lines)


def holds_more(inside: str, *, word: bool) -> bool:
    """Whether there is more between a block's marks than one number, one array or, where it cites one, a ``word``."""
    text = "\n".join(line.lstrip(" \t>").rstrip() for line in inside.strip().splitlines())
    if PROSE.search(text) or ("\n" in text and not FORMULA.fullmatch(text)):
        return True
    return not word and WORD.search(SPELLED.sub(" ", text)) is not None
