"""Where in the decks a value appears: cited, in a block, or typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from seqgen.auditing.verdicts import Audit
from seqgen.decks.citation import Citation
from seqgen.decks.slides import Slides, slides
from seqgen.decks.sources import deck_names
from seqgen.decks.weave import citations
from seqgen.errors import SeqgenError
from seqgen.graph.node import Node
from seqgen.language.bindings import Silenced
from seqgen.ledger.display import digits_of
from seqgen.microscope import Microscope
from seqgen.project import Project
from seqgen.spec.model import Display

Place = tuple[int, ...]
USE = re.compile(r"(grad\(.*), via=.*\)\Z")
NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*|\[-?\d+\])*")
REFERENCE = re.compile(r"(?P<key>.*?)(?P<place>(?:\[\d+\])*)\Z")


@dataclass(frozen=True, kw_only=True)
class Appearance:
    """A place in a deck that shows an entry, or its part at ``place``.

    It is ``typed`` there, or cited, with a ``display`` where the citation says how it is printed.
    """

    deck: str
    line: int
    slide: str
    key: str
    place: Place = ()
    typed: bool = False
    display: Display | None = None

    def __str__(self) -> str:
        slide = f", {self.slide}" if self.slide else ""
        return f"{self.deck}:{self.line}{slide}{' (typed)' if self.typed else ''}"

    def shows(self, key: str, place: Place) -> bool:
        """Whether it shows the number at ``place`` of the entry ``key``."""
        return self.key == key and self.place == place[: len(self.place)]

    def printed(self, value: str, ties: str) -> str:
        """Return a value as it is printed here, empty where that is as its spec prints it."""
        if self.display is None or self.display.form not in ("decimals", "significant", "scientific"):
            return ""
        return digits_of(Fraction(value), self.display, ties)


@dataclass(kw_only=True)
class Appearances:
    """The decks of a project, each read once."""

    project: Project
    typed: Sequence[Audit] = ()
    _cited: list[Citation] | None = None
    _slides: dict[str, Slides] = field(default_factory=dict)

    def of(self, microscope: Microscope) -> Iterator[Appearance]:
        """Yield where the values of a microscope appear, deck by deck.

        An expression shows each entry that it names.
        """
        spec = microscope.spec.name
        for citation in self._citations():
            if citation.spec != spec:
                continue
            span = citation.span
            entries, alone = shown(microscope, citation)
            for key, place in sorted(entries):
                yield Appearance(
                    deck=span.source.name,
                    line=span.line,
                    slide=self._slide(span.source.name, span.source.text, span.line),
                    key=key,
                    place=place,
                    display=citation.options.display if alone else None,
                )
        for audit in self.typed:
            for number in audit.findings:
                if number.spec == spec and (match := REFERENCE.match(number.reference)):
                    slide = self._slide(audit.deck, audit.text, number.line)
                    for key, place in _splits(match["key"], match["place"]):
                        yield Appearance(
                            deck=audit.deck, line=number.line, slide=slide, key=key, place=place, typed=True
                        )

    def showing(self, microscope: Microscope, node: Node) -> Iterator[Appearance]:
        """Yield where a value, a part of it, or what it is a part of appears."""
        base, place = _part(microscope, node)
        if base not in microscope.graph.names:
            return
        key, place = _entry(microscope, base, place)
        for one in self.of(microscope):
            common = min(len(place), len(one.place))
            if one.key == key and one.place[:common] == place[:common]:
                yield one

    def _citations(self) -> list[Citation]:
        if self._cited is None:
            self._cited = [one for deck in deck_names(self.project) for one in citations(self.project, deck)]
        return self._cited

    def _slide(self, name: str, text: str, line: int) -> str:
        if name not in self._slides:
            self._slides[name] = slides(name, text)
        return self._slides[name].at(line)


def _splits(key: str, place: str) -> Iterator[tuple[str, Place]]:
    """Yield the ways to read ``h[1][0]``: the part 0 of ``h[1]``, or the part 1, 0 of ``h``, or an entry as it is."""
    steps = re.findall(r"\[\d+\]", place)
    for count in range(len(steps) + 1):
        yield key + "".join(steps[:count]), tuple(int(step[1:-1]) for step in steps[count:])


def shown(microscope: Microscope, citation: Citation) -> tuple[set[tuple[str, Place]], bool]:
    """Return the entries that a citation names, each with the place of its part, and whether it shows one as it is."""
    if citation.reference.text == "parameters":
        return {("parameters", ())}, False
    try:
        found = microscope.cell(citation.reference, {})
    except (SeqgenError, Silenced):  # it may be what the edit took away
        matches = [REFERENCE.match(name) for name in NAME.findall(citation.reference.text)]
        return {split for match in matches if match for split in _splits(match["key"], match["place"])}, False
    if isinstance(found, str):
        return set(), False
    node, place = _part(microscope, found)
    if node in microscope.graph.names:
        return {_entry(microscope, node, place)}, True
    return _named(microscope, found), False


def _part(microscope: Microscope, node: Node) -> tuple[Node, Place]:
    """Return what a node is a part of, and its place there as far as it is one position."""
    place: Place = ()
    while node not in microscope.graph.names and node.operation.name == "index":
        steps = node.parameters["key"]
        sliced = next((i for i, step in enumerate(steps) if not isinstance(step, int)), None)
        place = (*steps, *place) if sliced is None else tuple(steps[:sliced])
        (node,) = node.inputs
    return node, place


def _entry(microscope: Microscope, node: Node, place: Place) -> tuple[str, Place]:
    key = microscope.graph.names[node]
    use = USE.match(key)  # what one use contributes changes with the gradient
    return (f"{use[1]})", ()) if use else (key, place)


def _named(microscope: Microscope, root: Node) -> set[tuple[str, Place]]:
    result: set[tuple[str, Place]] = set()
    stack, seen = [root], {root}
    while stack:
        node, place = _part(microscope, stack.pop())
        if node in microscope.graph.names:
            result.add(_entry(microscope, node, place))
            continue
        stack += [part for part in node.inputs if part not in seen]
        seen.update(node.inputs)
    return result
