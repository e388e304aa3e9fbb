r"""Citations and blocks in Markdown: in text, in math and in comments, never in code."""

from __future__ import annotations

import re

from seqgen.decks.marks import COMMAND, Block, DeckText, Marks, Piece, Setting, pair_blocks, read_citation
from seqgen.errors import SpecError

MATH_ENVIRONMENT = r"(?:equation|align|alignat|gather|multline|eqnarray|CD)\*?"
# Dollars as pandoc reads them: no space inside, no digit after the closing one, no empty line within.
TOKEN = re.compile(
    r"""
      (?P<front> \A\ufeff?---[ \t]*\r?\n (?=[ \t]*(?:\#|[\w-]+[ \t]*:)) .*? ^(?:---|\.\.\.)[ \t]*\r?$ )
    | (?P<fence> ^[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?(?P<ticks>`{3,}|~{3,})(?![^\n]*`) [^\n]*\n
                 (?: .*? ^[ \t>]*(?P=ticks)[`~]*[ \t]*\r?$ | .*\Z ) )
    | (?P<code_html> <(?P<tag>script|style|pre|code|textarea)\b[^>]*> .*? </(?P=tag)\s*> )
    | (?P<open> <!--\s*seqgen:(?P<head>.*?)--> )
    | (?P<close> <!--\s*/seqgen\s*--> )
    | (?P<comment> <!--.*?--> )
    | (?P<code> (?P<run>`+) (?!`) (?:(?!\n[ \t]*\r?\n).)+? (?<!`)(?P=run)(?!`) )
    | (?P<ticks_only> `+ )
    | (?P<display> \$\$ (?:\\.|(?!\$\$).)+? \$\$ )
    | (?P<environment> \\begin\{(?P<name>"""
    + MATH_ENVIRONMENT
    + r""")\} .*? \\end\{(?P=name)\} )
    | (?P<bracket> (?P<slash>\\\\?)\[ (?:(?!\n[ \t]*\r?\n).)+? (?P=slash)\] )
    | (?P<parenthesis> (?P<slash2>\\\\?)\( (?:(?!\n[ \t]*\r?\n).)+? (?P=slash2)\) )
    | (?P<dollar> \$(?![\s$]) (?:\\.|(?!\n[ \t]*\r?\n)[^$\\])+? (?<!\s)\$(?!\d) )
    | (?P<citation> """
    + COMMAND
    + r""" )
    | (?P<escape> \\. )
    | (?P<element> </?[A-Za-z][^<>]*> )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
CITATION = re.compile(rf"\\\\|(?P<citation>{COMMAND})")
WITHIN = {
    "front": Setting.PLAIN,
    "comment": Setting.PLAIN,
    "element": Setting.PLAIN,
    "display": Setting.MATH,
    "environment": Setting.MATH,
    "bracket": Setting.MATH,
    "parenthesis": Setting.MATH,
    "dollar": Setting.MATH,
}


def scan(deck: DeckText) -> Marks:
    """Return what a Markdown deck cites."""
    marks = Marks()
    found: list[tuple[str, int, int, Piece]] = []
    at = 0
    while match := TOKEN.search(deck.text, at):
        at = match.end()
        if match["citation"]:
            at = _cite(deck, match.start(), at, Setting.TEXT, marks)
        elif match["open"]:
            found.append(("open", match.start(), at, Piece(text=match["head"], start=match.start("head"))))
        elif match["close"]:
            found.append(("close", match.start(), at, Piece(text="", start=at)))
        else:
            for kind, setting in WITHIN.items():
                if match[kind] is not None:
                    _within(deck, match.start(), match.end(), setting, marks)
    for opening, closing in pair_blocks(deck, found, marks):
        marks.blocks.append(_block(deck, found[opening], found[closing]))
    return marks


def _within(deck: DeckText, start: int, end: int, setting: Setting, marks: Marks) -> None:
    at = start
    while (match := CITATION.search(deck.text, at)) and match.start() < end:
        at = match.end()
        if match["citation"]:
            at = _cite(deck, match.start(), at, setting, marks)


def _cite(deck: DeckText, start: int, after: int, setting: Setting, marks: Marks) -> int:
    try:
        mark = read_citation(deck, start, after, setting)
    except SpecError as problem:
        marks.errors.add(problem)
        return after
    marks.citations.append(mark)
    return mark.end


def _block(deck: DeckText, opening: tuple[str, int, int, Piece], closing: tuple[str, int, int, Piece]) -> Block:
    _, start, head_end, head = opening
    _, foot, end, _ = closing
    line = deck.text.rfind("\n", 0, start) + 1
    indent = deck.text[line:start]
    rest = deck.text[head_end:].split("\n", 1)[0]
    alone = not indent.strip(" \t>") and not rest.strip() and "\n" in deck.text[head_end:foot]
    inside = (head_end, foot)
    if alone:  # whole lines
        inside = (deck.text.index("\n", head_end) + 1, deck.text.rfind("\n", 0, foot) + 1)
    return Block(start=start, end=end, inside=inside, head=head, alone=alone, indent=indent if alone else "")
