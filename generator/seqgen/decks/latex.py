r"""Citations and blocks in LaTeX: everywhere but in comments and verbatim text."""

from __future__ import annotations

import re

from seqgen.decks.marks import (
    COMMAND,
    MARK,
    Block,
    DeckText,
    Input,
    Marks,
    Piece,
    Region,
    Setting,
    misspelt,
    pair_blocks,
    read_citation,
    read_pragma,
)
from seqgen.errors import SpecError

TOKEN = re.compile(
    r"""
      (?P<environment> \\begin\s*\{(?P<name>verbatim\*?|Verbatim\*?|lstlisting|minted|comment|filecontents\*?)\}
                       .*? (?: \\end\s*\{(?P=name)\} | \Z ) )
    | (?P<verb> \\(?:verb|lstinline)(?![A-Za-z@])\*? (?P<mark>[^A-Za-z\s*\[{]) [^\n]*? (?P=mark) )
    | (?P<rest> \\end\s*\{document\} .* )
    | (?P<input> \\(?:input|include|subfile)(?![A-Za-z@]) \s* \{ (?P<file>[^}\n]*) \} )
    | (?P<import> \\(?P<sub>sub)?(?:import|inputfrom|includefrom)(?![A-Za-z@])\*?
                    \s* \{ (?P<folder>[^}\n]*) \} \s* \{ (?P<inner>[^}\n]*) \} )
    | (?P<citation> """
    + COMMAND
    + r""" )
    | (?P<escape> \\. )
    | (?P<comment> % [^\n]* )
    """,
    re.VERBOSE | re.DOTALL,
)
HEAD = re.compile(r"%+[ \t]*seqgen:(?P<head>[^\r\n]*)")
FOOT = re.compile(r"%+[ \t]*/seqgen[ \t]*\r?\Z")
LIKE_A_MARK = re.compile(rf"%+(?:{MARK})", re.I)


def scan(deck: DeckText) -> Marks:
    """Return what a LaTeX deck cites."""
    marks = Marks()
    found: list[tuple[str, int, int, Piece]] = []
    at = 0
    while not marks.too_many and (match := TOKEN.search(deck.text, at)):
        at = match.end()
        if match["citation"]:
            try:
                mark = read_citation(deck, match.start(), at, Setting.TEX)
                marks.citations.append(mark)
                at = mark.end
            except SpecError as problem:
                marks.add(problem)
        elif match["input"]:
            marks.inputs.append(Input(name=match["file"].strip(), start=match.start()))
        elif match["import"]:
            name, folder = match["inner"].strip(), match["folder"].strip()
            marks.inputs.append(Input(name=name, start=match.start(), folder=folder, below=bool(match["sub"])))
        elif match["environment"] or match["verb"] or match["rest"]:
            marks.regions.append(Region(start=match.start(), end=at, kind="code"))
        elif match["comment"]:
            marks.regions.append(Region(start=match.start(), end=at, kind="comment"))
            inside = re.compile("%+").match(deck.text, match.start())
            if inside and not read_pragma(deck, inside.end(), match.end(), marks):
                _comment(deck, match, found, marks)
    for opening, closing in pair_blocks(deck, found, marks):
        marks.blocks.append(_block(deck, found[opening], found[closing]))
    return marks


def _comment(deck: DeckText, match: re.Match[str], found: list[tuple[str, int, int, Piece]], marks: Marks) -> None:
    head, foot = HEAD.match(match[0]), FOOT.match(match[0])
    like = LIKE_A_MARK.match(match[0])
    if not like:
        return
    start = match.start()
    if not head and not foot:
        right = "% /seqgen" if like["foot"] else "% seqgen: SPEC: REFERENCE"
        marks.add(misspelt(deck, start, start + len(match[0].rstrip()), right))
    line = deck.text.rfind("\n", 0, start) + 1
    if deck.text[line:start].strip():
        marks.add(
            SpecError(
                "a block's mark must stand on a line of its own",
                code="block",
                span=deck.span(start, len(match[0].rstrip())),
            )
        )
    elif like["foot"]:
        found.append(("close", start, match.end(), Piece(text="", start=start)))
    else:
        after = start + like.end()
        found.append(("open", start, match.end(), Piece(text=deck.text[after : match.end()].rstrip("\r"), start=after)))


def _block(deck: DeckText, opening: tuple[str, int, int, Piece], closing: tuple[str, int, int, Piece]) -> Block:
    """Return the block whose inside is the whole lines between its marks."""
    _, start, head_end, head = opening
    _, foot, end, _ = closing
    line = deck.text.rfind("\n", 0, start) + 1
    inside = (deck.text.index("\n", head_end - 1) + 1, deck.text.rfind("\n", 0, foot) + 1)
    return Block(start=start, end=end, inside=inside, head=head, alone=True, indent=deck.text[line:start])
