"""Typed numbers turned into citations that show the same; what is not sure is left, with the reason."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from seqgen.auditing.verdicts import BACKED, GIVEN, UNBACKED, Audit, Finding
from seqgen.decks import latex, markdown
from seqgen.decks.citation import of_mark
from seqgen.decks.expanded import expanded
from seqgen.decks.inserted import beside
from seqgen.decks.marks import DeckText, Mark, Marks, Piece, Pragma, Setting, resolve
from seqgen.decks.mathmode import MathMode
from seqgen.decks.neighbours import neighbours
from seqgen.decks.printout import Printout, print_citation
from seqgen.decks.weave import Shelf, replaced
from seqgen.errors import Collector, SeqgenError, Source

SURE = 0.9  # how certain it must be which entry a number is
SHARED = 0.8  # the same beside a label that names the entry
PERCENT = re.compile(r"(?:\s|~|\\[,;:! ]|\{\})*\\?%\Z")
QUANTITY = re.compile(
    r"\\(?:num|tablenum|SI|qty|ang|SIrange|numrange|numlist|complexnum)\*?\s*(?:\[[^\[\]]*\]\s*)?\{[^{}]*\Z"
)
# Columns that read their cells themselves: siunitx's S, dcolumn's D.
ALIGNED = re.compile(
    r"\\begin\s*\{(?P<name>tabular\*?|tabularx|longtable|array|tblr)\}(?:\[[^\]]*\])?(?:\{\\[a-z]+\})?"
    r"\{[^{}]*(?:(?<![A-Za-z])S(?![a-z])|D\{)"
)
CLASS = re.compile(r"^[^%\n]*\\documentclass\s*(?:\[[^\]]*\]\s*)?\{[^}]*\}[^\n]*", re.MULTILINE)
STYLE = re.compile(r"\\(?:usepackage|RequirePackage)\s*(?:\[[^\]]*\]\s*)?\{[^}]*\bseqgen\b")
UNSEEN = "it is in code, or where no citation is read"


@dataclass(frozen=True, kw_only=True)
class Left:
    """A typed number that stays, and why."""

    number: Finding
    why: str


@dataclass(frozen=True, kw_only=True)
class Rewritten:
    """A deck with citations for typed numbers: its text before and after, how many, and what is left."""

    deck: str
    old: str
    new: str
    count: int
    left: tuple[Left, ...]


@dataclass(frozen=True, kw_only=True)
class _Number:
    """A number that becomes a citation: its stretch, the typed digits, what it refers to, and how it is printed."""

    finding: Finding
    start: int
    end: int
    text: str
    reference: str
    options: tuple[str, ...] = ()

    def citation(self, about: Pragma | None, *, named: bool) -> str:
        """Return the citation, without the spec's name where the deck says what it is about."""
        options = f"[{', '.join(self.options)}]" if self.options else ""
        short = Piece(text=self.reference, start=0)
        found = resolve(short, about) if not named else None
        if found and (found[0].text, found[1].text.strip()) == (self.finding.spec, self.reference):
            return rf"\seq{options}{{{self.reference}}}"
        aliases = {**about.earlier, **about.aliases} if about else {}
        alias = next((alias for alias, piece in aliases.items() if piece.text == self.finding.spec), self.finding.spec)
        return rf"\seq{options}{{{alias}: {self.reference}}}"


def cite(audit: Audit, shelf: Shelf) -> Rewritten:
    """Return a deck of Markdown or LaTeX with citations for the typed numbers whose entries are certain.

    What the deck shows stays the same, digit by digit and sign by sign.
    """
    return _Rewriter(audit=audit, shelf=shelf).rewritten()


@dataclass(kw_only=True)
class _Rewriter:
    audit: Audit
    shelf: Shelf

    def rewritten(self) -> Rewritten:
        left: dict[int, str] = {}
        numbers = []
        for finding in self.audit.findings:
            why = _unsure(finding)
            if why:
                left[finding.start] = why
            else:
                numbers.append(_number(finding, self.audit.text))
        for _ in range(3):  # parentheses by the neighbours, of which some have become citations
            text, marks = self._with(numbers)
            kept = []
            for number in numbers:
                found = self._fitting(number, text, marks.get(number.start))
                if isinstance(found, str):
                    left[number.start] = found
                else:
                    kept.append(found)
            if kept == numbers:
                break
            numbers = kept
        new, _ = self._with(numbers)
        return Rewritten(
            deck=self.audit.deck,
            old=self.audit.text,
            new=_with_style(new, self.audit.deck) if numbers and self.is_latex else new,
            count=len(numbers),
            left=tuple(Left(number=f, why=left[f.start]) for f in self.audit.findings if f.start in left),
        )

    @property
    def is_latex(self) -> bool:
        return self.audit.deck.endswith(".tex")

    def _scan(self, deck: DeckText) -> Marks:
        return latex.scan(deck) if self.is_latex else markdown.scan(deck)

    def _with(self, numbers: Sequence[_Number]) -> tuple[str, Mapping[int, _Place]]:
        """Return the deck with citations for some numbers, and for each by its first place how it is read there."""
        old = self._scan(DeckText(Source(name=self.audit.deck, text=self.audit.text)))
        named = self.is_latex and len(old.pragmas) > 1  # TeX finds a number by what is written
        stretches = [(n.start, n.end, n.citation(old.about(n.start), named=named)) for n in numbers]
        text = replaced(self.audit.text, stretches)
        deck = DeckText(Source(name=self.audit.deck, text=text))
        marks = self._scan(deck)
        by_start = {mark.start: mark for mark in marks.outside_blocks()}
        mode = MathMode(text) if self.is_latex else None
        bad = [*expanded(text), *_aligned(text)] if self.is_latex else []
        places, shift = {}, 0
        for start, end, citation in stretches:
            mark = by_start.get(start + shift)
            if mark and not any(a <= mark.start < b for a, b in bad):
                in_math = mode.at(mark.start) if mode else mark.setting is Setting.MATH
                places[start] = _Place(deck=deck, marks=marks, mark=mark, in_math=in_math)
            shift += len(citation) - (end - start)
        return text, places

    def _fitting(self, number: _Number, text: str, place: _Place | None) -> _Number | str:
        """Return a number with options by which its citation shows what is typed, or why there are none."""
        if place is None or QUANTITY.search(text[max(0, place.mark.start - 60) : place.mark.start]):
            return UNSEEN
        for plain in _options(number, in_math=place.in_math):
            options = plain
            printout = self._printed(number, options, place)
            if printout is None:
                continue
            around = neighbours(text, place.mark.start, place.mark.end, in_math=place.in_math)
            if place.mark.setting is not Setting.PLAIN and around.part(printout.binding):
                options = (*options, "paren=no")
                printout = replace(printout, binding=6)
            if _shows(printout, number.text, place):
                return replace(number, options=options)
        return "no citation shows it as it is typed"

    def _printed(self, number: _Number, options: tuple[str, ...], place: _Place) -> Printout | None:
        """Return how a citation is printed, or None where its reference or its options don't go."""
        body = Piece(text=f"{number.finding.spec}: {number.reference}", start=place.mark.start)
        mark = replace(place.mark, body=body, options=Piece(text=", ".join(options), start=place.mark.start))
        errors = Collector()
        citation = of_mark(place.deck, mark, Marks(), errors)
        if citation is None or errors:
            return None
        try:
            return print_citation(self.shelf.open(citation.spec, citation.span), citation)
        except SeqgenError:
            return None


@dataclass(frozen=True, kw_only=True)
class _Place:
    """How a citation is read: its mark in the new text, and whether it is in math."""

    deck: DeckText
    marks: Marks
    mark: Mark
    in_math: bool


def _unsure(finding: Finding) -> str:
    """Return why a number is left, empty where it is certain which entry it is."""
    if finding.verdict not in (BACKED, GIVEN):
        return "it is of no entry" if finding.verdict == UNBACKED else f"{finding.verdict}: {finding.reason}"
    if finding.is_bound:
        return "it bounds a value"
    if finding.certainty < SURE:
        return f"it may be {finding.spec}: {finding.reference}, but that is not sure"
    return ""


def _number(finding: Finding, text: str) -> _Number:
    """Return the number with its percent sign and its factor outside of the citation."""
    typed = text[finding.start : finding.end]
    percent = PERCENT.search(typed)
    end = finding.start + percent.start() if percent else finding.end
    factor = finding.factor * (100 if percent else 1)
    reference = finding.reference
    if factor != 1:
        inner = (
            reference
            if re.fullmatch(r"[\w.]+(?:\[[^\[\]]*\])*|grad\([^()]*\)(?:\[\d+\])*", reference)
            else f"({reference})"
        )
        reference = f"-{inner}" if factor == -1 else f"{factor:g} * {inner}"
    return _Number(finding=finding, start=finding.start, end=end, text=text[finding.start : end], reference=reference)


def _options(number: _Number, *, in_math: bool) -> Iterator[tuple[str, ...]]:
    """Yield the options that a citation may have, the plainest first."""
    more: tuple[str, ...] = ()
    if re.search(r"\d(?:,|\{,\})\d", number.text):
        more = ("decimal=comma",)
    if number.text.startswith("-") and not in_math:
        more = (*more, "minus=hyphen")
    digits = re.match(r"[-−+]?\d*(?:(?:\.|,|\{,\})(?P<decimals>\d+))?", number.text)
    decimals = len(digits["decimals"] or "") if digits else 0
    figures = len(re.sub(r"\D", "", digits[0]).lstrip("0")) if digits else 0
    yield more
    if number.finding.verdict == GIVEN:
        yield ("form=as-written", *more)
    yield (f"digits={decimals}", *more)
    if figures:
        yield (f"scientific={figures}", *more)
    yield ("form=exact", *more)


def _shows(printout: Printout, typed: str, place: _Place) -> bool:
    """Whether a citation shows what is typed, in this place."""
    if place.deck.source.name.endswith(".tex"):
        shown = printout.math
        if not place.in_math:  # the digits are the same in math, the minus sign is not a hyphen
            shown = re.sub(r"\\text\{(-[\d.]+)\}", r"\1", shown) if r"\text" in shown else shown.replace("-", "−")
        return _signs(shown, in_math=place.in_math) == _signs(typed, in_math=place.in_math)
    shown = beside(replace(printout, binding=6), place.deck, place.mark)
    return _signs(shown, in_math=place.in_math) == _signs(typed, in_math=place.in_math)


def _signs(text: str, *, in_math: bool) -> str:
    """Return a number in one spelling: in math, spaces show nothing and both signs are the same."""
    return re.sub(r"\s", "", text).replace("−", "-") if in_math else text


def _aligned(text: str) -> Iterator[tuple[int, int]]:
    """Yield the tables of LaTeX that read their cells themselves."""
    for match in ALIGNED.finditer(text):
        end = text.find(rf"\end{{{match['name']}}}", match.end())
        yield match.start(), end if end >= 0 else len(text)


def _with_style(text: str, deck: str) -> str:
    """Return a LaTeX deck that loads the style for citations."""
    found = CLASS.search(text)
    if not found or STYLE.search(text):
        return text
    name = deck.removeprefix("slides/").removesuffix(".tex")
    option = f"[deck={name}]" if "/" in name else ""
    return f"{text[: found.end()]}\n\\usepackage{option}{{seqgen}}{text[found.end() :]}"
