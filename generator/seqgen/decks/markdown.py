r"""Citations and blocks in Markdown: in text, in math and in comments, never in code.

What opens a stretch is found by one expression; where it ends is looked up, and remembered where it does not, so that
a text of any kind is read in about the time that its length asks for.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property

from seqgen.decks.marks import (
    COMMAND,
    MARK,
    Block,
    DeckText,
    Marks,
    Piece,
    Region,
    Setting,
    misspelt,
    pair_blocks,
    read_citation,
    read_front,
    read_pragma,
)
from seqgen.errors import SpecError

OPENING = re.compile(
    r"""
      (?P<fence> ^[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?(?P<ticks>`{3,}(?![^\n]*`)|~{3,}) )
    | (?P<html> <(?P<tag>(?i:script|style|pre|code|textarea))\b )
    | (?P<comment> <!-- )
    | (?P<code> `+ )
    | (?P<display> \$\$ )
    | (?P<environment> \\begin\{(?P<name>(?:equation|align|alignat|gather|multline|eqnarray|CD)\*?)\} )
    | (?P<bracket> \\\\?[\[(] )
    | (?P<dollar> \$ )
    | (?P<citation> """
    + COMMAND
    + r""" )
    | (?P<escape> \\. )
    | (?P<element> </?[A-Za-z][^<>]*> )
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
HEAD = re.compile(r"<!--\s*seqgen:(?P<head>.*)-->\Z", re.DOTALL)
FOOT = re.compile(r"<!--\s*/seqgen\s*-->\Z")
LIKE_A_MARK = re.compile(f"<!--{MARK}", re.I)
CITATION = re.compile(rf"\\\\|(?P<citation>{COMMAND})")
EMPTY_LINE = re.compile(r"\n[ \t]*\r?\n")
DOLLAR = re.compile(r"\\.|\$", re.DOTALL)
DOLLARS = re.compile(r"\\.|(?P<end>\$\$)", re.DOTALL)


def scan(deck: DeckText) -> Marks:
    """Return what a Markdown deck cites."""
    return _Scanner(deck=deck).scan()


@dataclass(kw_only=True)
class _Scanner:
    deck: DeckText
    marks: Marks = field(default_factory=Marks)
    found: list[tuple[str, int, int, Piece]] = field(default_factory=list)
    # From where, and up to where, an ending was looked for in vain.
    missing: dict[str, tuple[int, int]] = field(default_factory=dict)

    @cached_property
    def empty_lines(self) -> list[int]:
        return [match.start() for match in EMPTY_LINE.finditer(self.deck.text)]

    def scan(self) -> Marks:
        at = 0
        if end := read_front(self.deck, self.marks):
            at = self.inside(0, end, Setting.PLAIN)
        while not self.marks.too_many and (match := OPENING.search(self.deck.text, at)):
            at = self.after(match)
        for opening, closing in pair_blocks(self.deck, self.found, self.marks):
            self.marks.blocks.append(_block(self.deck, self.found[opening], self.found[closing]))
        return self.marks

    def after(self, match: re.Match[str]) -> int:
        """Take in what ``match`` opens, and return where it ends; what does not end is plain text."""
        start, at = match.span()
        match match.lastgroup:
            case "citation":
                return self.cite(start, at, Setting.TEXT)
            case "fence":
                ticks = match["ticks"]
                closing = re.compile(rf"^[ \t>]*{re.escape(ticks)}{re.escape(ticks[0])}*[ \t]*\r?$", re.M)
                end = self.end(closing, at, len(self.deck.text)) or len(self.deck.text)
                self.fenced(start, at, end)
                return end
            case "html":
                return self.end(re.compile(rf"</{match['tag']}\s*>", re.I), at, len(self.deck.text)) or at
            case "comment":
                return self.comment(start, at)
            case "code":
                closing = re.compile(rf"(?<!`){match[0]}(?!`)")
                return self.end(closing, at, self.paragraph(at)) or at
            case "display":
                return self.math(start, self.end(DOLLARS, at, len(self.deck.text)) or 0, at)
            case "environment":
                closing = re.compile(rf"\\end\{{{re.escape(match['name'])}\}}")
                return self.math(start, self.end(closing, at, len(self.deck.text)) or 0, at)
            case "bracket":
                closing = re.compile(re.escape(match[0].replace("[", "]").replace("(", ")")))
                return self.math(start, self.end(closing, at, self.paragraph(at)) or 0, at)
            case "dollar":
                return self.math(start, self.dollar(at), at)
            case "element":
                return self.inside(start, at, Setting.PLAIN)
        return at

    def fenced(self, start: int, at: int, end: int) -> None:
        """Note a fence: what Quarto runs is a cell, other code has the language that stands after its ticks."""
        info = self.deck.text[at : self.deck.text.find("\n", at)].strip()
        kind = "cell" if info.startswith("{") else "code"
        language = info.strip("{.} ").split(" ")[0].split(",")[0].lower()
        self.marks.regions.append(Region(start=start, end=end, kind=kind, language=language))

    def end(self, closing: re.Pattern[str], at: int, limit: int) -> int:
        """Return where the stretch that ``closing`` ends is over, or 0 where it does not end before ``limit``."""
        since, until = self.missing.get(closing.pattern, (0, -1))
        if since <= at and limit <= until:
            return 0
        for match in closing.finditer(self.deck.text, at, limit):
            if "end" not in closing.groupindex or match["end"]:
                return match.end()
        self.missing[closing.pattern] = (at, limit)
        return 0

    def paragraph(self, at: int) -> int:
        """Return where the paragraph around ``at`` ends."""
        i = bisect_left(self.empty_lines, at)
        return self.empty_lines[i] if i < len(self.empty_lines) else len(self.deck.text)

    def dollar(self, at: int) -> int:
        """Return where inline math ends, as pandoc reads it: no space inside the dollars, no digit after them."""
        text = self.deck.text
        if text[at : at + 1].isspace():
            return 0
        for match in DOLLAR.finditer(text, at, self.paragraph(at)):
            if match[0] == "$":
                end = match.end()
                return 0 if text[end - 2].isspace() or text[end : end + 1].isdigit() else end
        return 0

    def math(self, start: int, end: int, at: int) -> int:
        """Take in math from ``start``, and return where it ends; 0 for the end means that it does not."""
        if not end:
            return at
        if block := LIKE_A_MARK.search(self.deck.text, start, end):
            self.marks.add(
                SpecError(
                    "a block can't stand in math",
                    code="block",
                    span=self.deck.span(block.start(), len(block[0])),
                    hint=r"use \seq there",
                )
            )
        return self.inside(start, end, Setting.MATH)

    def comment(self, start: int, at: int) -> int:
        end = self.end(re.compile("-->"), at, len(self.deck.text))
        if not end:
            return at
        text = self.deck.text[start:end]
        self.marks.regions.append(Region(start=start, end=end, kind="comment"))
        if read_pragma(self.deck, at, end - 3, self.marks):
            return end
        if head := HEAD.match(text):
            self.found.append(("open", start, end, Piece(text=head["head"], start=start + head.start("head"))))
        elif FOOT.match(text):
            self.found.append(("close", start, end, Piece(text="", start=end)))
        elif like := LIKE_A_MARK.match(text):
            right = "<!-- /seqgen -->" if like["foot"] else "<!-- seqgen: SPEC: REFERENCE -->"
            self.marks.add(misspelt(self.deck, start, end, right))
            # So that its other mark is not told as well.
            kind, after = ("close", end) if like["foot"] else ("open", start + like.end())
            self.found.append((kind, start, end, Piece(text=self.deck.text[after : end - 3], start=after)))
        else:
            self.inside(start, end, Setting.PLAIN)
        return end

    def inside(self, start: int, end: int, setting: Setting) -> int:
        """Take in the citations from ``start`` to ``end``."""
        at = start
        while match := CITATION.search(self.deck.text, at, end):
            at = match.end()
            if match["citation"]:
                at = self.cite(match.start(), at, setting)
        return end

    def cite(self, start: int, after: int, setting: Setting) -> int:
        try:
            mark = read_citation(self.deck, start, after, setting)
        except SpecError as problem:
            self.marks.add(problem)
            return after
        self.marks.citations.append(mark)
        return mark.end


def _block(deck: DeckText, opening: tuple[str, int, int, Piece], closing: tuple[str, int, int, Piece]) -> Block:
    _, start, head_end, head = opening
    _, foot, end, _ = closing
    line = deck.text.rfind("\n", 0, start) + 1
    indent = deck.text[line:start]
    newline = deck.text.find("\n", head_end, foot)
    alone = not indent.strip(" \t>") and newline >= 0 and not deck.text[head_end:newline].strip()
    inside = (head_end, foot)
    if alone:  # whole lines
        inside = (newline + 1, deck.text.rfind("\n", 0, foot) + 1)
    return Block(start=start, end=end, inside=inside, head=head, alone=alone, indent=indent if alone else "")
