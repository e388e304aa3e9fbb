r"""What is found in a deck before anything is computed: citations ``\seq[…]{…}`` and blocks, each with its place."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from seqgen.errors import Source, Span, SpecError

COMMAND = r"\\seq(?:value)?(?![A-Za-z@_:])"
EXAMPLE = r"\seq{week06/rnn-trace: h[1]}"
MOST_MISTAKES = 100
# No citation is longer: what is not closed so far on is not closed.
LONGEST = 2000
# The space that TeX skips before an argument; an empty line would end the paragraph.
SKIPPED = re.compile(r"[ \t]*(?:\r?\n[ \t]*(?!\r?\n))?")
BLANK = re.compile(r"\n[ \t]*\r?\n")
# What a deck is about: `seqgen: spec NAME`, or several, each with an alias, until the next.
SPEC_NAME = r"[\w.-]+(?:/[\w.-]+)*"
# Another convention that a spec is computed by: `@reset-before`, `@transposed(W_O)`.
CONVENTION = r"@[\w.-]+(?:\([^()@]*\))?"
ABOUT = rf"(?:[^\W\d]\w*\s*=\s*)?{SPEC_NAME}"
PRAGMA = re.compile(rf"\s*seqgen\s*:\s*spec\s+(?P<names>{ABOUT}(?:\s*,\s*{ABOUT})*)\s*", re.IGNORECASE)
LIKE_A_PRAGMA = re.compile(r"\s*seqgen\s*:\s*specs?(?=\s|\Z)\s*(?!:)", re.IGNORECASE)
# A deck's head between lines of dashes, where the first says something: otherwise they separate slides.
FRONT = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(?=[ \t]*(?:#|[\w-]+[ \t]*:)).*?^(?:---|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE
)
FRONT_PRAGMA = re.compile(
    r"^seqgen[ \t]*:[ \t]*(?:\{[ \t]*spec[ \t]*:[ \t]*(?P<flow>[^{}\n]*)\}"
    r"|\r?\n[ \t]+spec[ \t]*:[ \t]*(?P<block>[^\n]*))",
    re.MULTILINE,
)
# What a block's mark looks like, however it is spelled, after the sign that begins the comment.
MARK = r"\s*(?:(?P<foot>/\s*seqgen\b)|seqgen\s*:)"


class Setting(Enum):
    """What surrounds a citation, and hence how it is woven."""

    TEX = "tex"  # TeX knows itself whether it is in math
    MATH = "math"
    TEXT = "text"
    PLAIN = "plain"  # comments, attributes, front matter: no math is set there


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A stretch of a deck: its text, and where it begins."""

    text: str
    start: int


@dataclass(frozen=True, kw_only=True)
class Input:
    """A file that a LaTeX deck inputs: its name, the folder that ``\\import`` gives, and where it is written."""

    name: str
    start: int
    folder: str = ""
    below: bool = False


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A citation as written: the stretch that it takes, its options and what it refers to.

    ``bare`` for ``\\seqvalue``, which gives the number as programs read it.
    """

    start: int
    end: int
    options: Piece
    body: Piece
    setting: Setting
    bare: bool = False

    @property
    def key(self) -> str:
        """The text by which TeX finds the number: options and reference without spaces."""
        return re.sub(r"\s", "", f"{self.options.text}|{self.body.text}")


@dataclass(frozen=True, kw_only=True)
class Pragma:
    """What a deck is about from ``start`` on: a spec without an alias, and specs by alias, each with its place.

    ``earlier`` are the aliases of the pragmas before it: they stay.
    """

    start: int
    end: int
    plain: Piece | None
    aliases: Mapping[str, Piece]
    earlier: Mapping[str, Piece] = field(default_factory=dict)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The specs, each with its place."""
        return (*((self.plain,) if self.plain else ()), *self.aliases.values())

    @property
    def names(self) -> tuple[str, ...]:
        """The specs, the default first."""
        return tuple(dict.fromkeys(piece.text for piece in self.pieces))

    def called(self, name: str) -> str:
        """Return the spec that an alias stands for, or the name as it is."""
        found = self.aliases.get(name) or self.earlier.get(name)
        return found.text if found else name


@dataclass(frozen=True, kw_only=True)
class Region:
    """A stretch that is no text of the page: ``kind`` is front, comment, code or cell, ``language`` that of code."""

    start: int
    end: int
    kind: str
    language: str = ""


@dataclass(frozen=True, kw_only=True)
class Block:
    """A stretch that the build keeps up to date: its head, and where its inside begins and ends.

    ``alone`` where its marks stand on lines of their own, at ``indent``.
    """

    start: int
    end: int
    inside: tuple[int, int]
    head: Piece
    alone: bool
    indent: str = ""


@dataclass(frozen=True)
class DeckText:
    """A deck's text, which knows lines and columns."""

    source: Source

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(i + 1 for i, c in enumerate(self.source.text) if c == "\n")]

    @property
    def text(self) -> str:
        """The whole text."""
        return self.source.text

    @property
    def newline(self) -> str:
        """The line end that the deck uses."""
        return "\r\n" if "\r\n" in self.text else "\n"

    def span(self, start: int, width: int = 1) -> Span:
        """Return the place of ``width`` characters from ``start``."""
        line = bisect_right(self._starts, start)
        return Span(source=self.source, line=line, column=start - self._starts[line - 1] + 1, width=max(1, width))


@dataclass(kw_only=True)
class Marks:
    """All citations, blocks, pragmas and regions of a deck in their order, the files it inputs, and the mistakes met.

    ``inherited`` is the pragma that is in force where another file inputs it.
    """

    citations: list[Mark] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    pragmas: list[Pragma] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)
    errors: list[SpecError] = field(default_factory=list)
    inherited: Pragma | None = None

    def about(self, place: int) -> Pragma | None:
        """Return the pragma in force at a place."""
        at = bisect_right(self.pragmas, place, key=lambda pragma: pragma.start)
        return self.pragmas[at - 1] if at else self.inherited

    @property
    def too_many(self) -> bool:
        """Whether so many mistakes were met that reading on helps nobody."""
        return len(self.errors) >= MOST_MISTAKES

    def add(self, problem: SpecError) -> None:
        """Note a mistake."""
        self.errors.append(problem)

    def outside_blocks(self) -> Iterator[Mark]:
        """Yield the citations that no block will replace."""
        blocks = iter(self.blocks)
        block = next(blocks, None)
        for mark in self.citations:
            while block is not None and block.end <= mark.start:
                block = next(blocks, None)
            if block is None or mark.start < block.start:
                yield mark


def read_pragma(deck: DeckText, start: int, end: int, marks: Marks) -> bool:
    """Note the pragma that a comment's inside from ``start`` to ``end`` is; return whether it is one."""
    match = PRAGMA.fullmatch(deck.text, start, end)
    if match:
        marks.pragmas.append(_pragma(deck.text, *match.span("names"), start, marks))
    elif wrong := LIKE_A_PRAGMA.match(deck.text, start, end):
        marks.add(
            SpecError(
                "a pragma that can't be read",
                code="citation",
                span=deck.span(wrong.end(), len(deck.text[wrong.end() : end].split("\n")[0].rstrip())),
                expected="seqgen: spec week06/rnn-trace, or seqgen: spec rnn = week06/rnn-trace, …",
            )
        )
    return bool(match or wrong)


def read_front(deck: DeckText, marks: Marks) -> int:
    """Note a deck's head with its pragma, and return where it ends, 0 without one."""
    front = FRONT.match(deck.text)
    if not front:
        return 0
    marks.regions.append(Region(start=0, end=front.end(), kind="front"))
    if match := FRONT_PRAGMA.search(deck.text, 0, front.end()):
        group = "flow" if match["flow"] is not None else "block"
        marks.pragmas.append(_pragma(deck.text, *match.span(group), 0, marks))
    return front.end()


def _pragma(text: str, start: int, end: int, place: int, marks: Marks) -> Pragma:
    """Return the pragma that names specs from ``start`` to ``end``; lines right below each other are one."""
    plain: Piece | None = None
    aliases: dict[str, Piece] = {}
    for part in re.finditer(rf"(?:(?P<alias>[^\W\d]\w*)\s*=\s*)?(?P<name>{SPEC_NAME})", text[start:end]):
        piece = Piece(text=part["name"], start=start + part.start("name"))
        if part["alias"]:
            aliases[part["alias"]] = piece
        else:
            plain = plain or piece
    earlier: dict[str, Piece] = {}
    if marks.pragmas:
        before = marks.pragmas[-1]
        earlier = {**before.earlier, **before.aliases}
        if not re.sub(r"<!--|-->|%|\s", "", text[before.end : place]):
            plain, aliases = plain or before.plain, {**before.aliases, **aliases}
    return Pragma(start=place, end=end, plain=plain, aliases=aliases, earlier=earlier)


def resolve(body: Piece, about: Pragma | None) -> tuple[Piece, Piece] | None:
    """Return the spec and the reference of a citation's body: by name, or by the pragma in force; else None."""
    name, colon, reference = body.text.partition(":")
    names_spec = colon and re.fullmatch(rf"\s*{SPEC_NAME}(?:{CONVENTION})*\s*", name)
    lead = len(name) - len(name.lstrip())
    spec = Piece(text=name.strip(), start=body.start + lead)
    if names_spec:
        if about:
            base, at, conventions = spec.text.partition("@")
            spec = Piece(text=about.called(base) + at + conventions, start=spec.start)
        return spec, Piece(text=reference, start=body.start + len(name) + 1)
    if about is None or not about.names or not body.text.strip() or (colon and "[" not in name):
        return None
    return Piece(text=about.names[0], start=body.start), body


def read_citation(deck: DeckText, start: int, after: int, setting: Setting) -> Mark:
    r"""Return the citation whose ``\seq`` begins at ``start`` and ends at ``after``.

    Raises:
        SpecError: where its arguments are missing or don't end.
    """
    options = Piece(text="", start=after)
    at = _skip(deck.text, after)
    if deck.text[at : at + 1] == "[":
        options, at = _argument(deck, at, "]")
        at = _skip(deck.text, at)
    if deck.text[at : at + 1] != "{":
        raise SpecError(
            f"{deck.text[start:after]} stands without a reference",
            code="citation",
            span=deck.span(start, after - start),
            expected=EXAMPLE,
        )
    body, end = _argument(deck, at, "}")
    bare = deck.text[start:after] == r"\seqvalue"
    return Mark(start=start, end=end, options=options, body=body, setting=setting, bare=bare)


def _skip(text: str, at: int) -> int:
    match = SKIPPED.match(text, at)
    return match.end() if match else at


def _argument(deck: DeckText, at: int, closing: str) -> tuple[Piece, int]:
    depth = 0
    limit = min(at + LONGEST, len(deck.text))
    blank = BLANK.search(deck.text, at, limit)
    for i in range(at + 1, blank.start() if blank else limit):
        c = deck.text[i]
        if c == closing and depth == 0:
            return Piece(text=deck.text[at + 1 : i], start=at + 1), i + 1
        depth += (c == "{") - (c == "}")
    raise SpecError(f"'{deck.text[at]}' is never closed", code="citation", span=deck.span(at), expected=f"'{closing}'")


def pair_blocks(deck: DeckText, found: list[tuple[str, int, int, Piece]], marks: Marks) -> Iterator[tuple[int, int]]:
    """Yield the indices of each block's opening and closing among ``found``: kind, start, end, head.

    An opening that is never closed and a closing without its opening are mistakes.
    """
    opened: int | None = None
    for i, (kind, start, end, _) in enumerate(found):
        if kind == "open" and opened is not None:
            _unclosed(deck, found[opened], marks)
        if kind == "open":
            opened = i
        elif opened is None:
            marks.add(
                SpecError(
                    "a block ends that has not begun",
                    code="block",
                    span=deck.span(start, end - start),
                    hint="see that the line 'seqgen: …' above it is spelled right",
                )
            )
        else:
            yield opened, i
            opened = None
    if opened is not None:
        _unclosed(deck, found[opened], marks)


def misspelt(deck: DeckText, start: int, end: int, expected: str) -> SpecError:
    """Return the mistake of a block's mark that is spelled otherwise: it would be passed over."""
    return SpecError(
        "a block's mark is spelled otherwise", code="block", span=deck.span(start, end - start), expected=expected
    )


def _unclosed(deck: DeckText, opening: tuple[str, int, int, Piece], marks: Marks) -> None:
    _, start, end, _ = opening
    marks.add(
        SpecError(
            "the block is never closed",
            code="block",
            span=deck.span(start, end - start),
            expected="% /seqgen" if deck.source.name.endswith(".tex") else "<!-- /seqgen -->",
        )
    )
