r"""A deck woven: citations replaced by numbers, or the numbers written for TeX, and blocks brought up to date."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from seqgen.decks import latex, markdown
from seqgen.decks.citation import Citation, of_block, of_mark
from seqgen.decks.expanded import expanded
from seqgen.decks.inputs import inputs
from seqgen.decks.inserted import before, beside, holds_more, in_block, numbers_file
from seqgen.decks.marks import FRONT, Block, DeckText, Mark, Marks, Pragma
from seqgen.decks.mathmode import MathMode
from seqgen.decks.pages import own_line, page_in_line, print_page
from seqgen.decks.printout import Printout, print_citation
from seqgen.decks.sources import MARKDOWN, STYLE, WOVEN, numbers_path, woven_path
from seqgen.errors import Collector, SeqgenError, Source, Span, SpecError, nearest
from seqgen.files import ABSENT, decoded, header, sha256
from seqgen.microscope import Microscope, open_microscope
from seqgen.project import LIBRARY, Project, package_folder
from seqgen.writers.latex import MEDIUM as LATEX

MOST_CHARACTERS = 5_000_000


@dataclass(kw_only=True)
class Shelf:
    """The microscopes that decks cite, each opened once; ``opened`` holds them, ``None`` for a wrong spec."""

    project: Project
    opened: dict[str, Microscope | None] = field(default_factory=dict)

    def open(self, name: str, span: Span) -> Microscope:
        """Return the microscope of spec ``name``.

        Raises:
            SpecError: at ``span``, where there is none, or where it has mistakes of its own.
        """
        if name.startswith(f"{LIBRARY}/"):
            raise SpecError(f"'{name}' holds functions, not values", code="no-such-spec", span=span)
        self.project.spec_path(name.partition("@")[0], span=span)
        if name not in self.opened:
            try:
                self.opened[name] = open_microscope(self.project, name)
            except SeqgenError as problem:
                if problem.code == "no-such-convention":
                    problem.span = problem.span or span
                    raise
                self.opened[name] = None
        found = self.opened[name]
        if found is None:
            raise SpecError(
                f"'{name}' has mistakes of its own", code="cited-spec", span=span, hint=f"run seqgen build {name}"
            )
        return found


@dataclass(frozen=True, kw_only=True)
class Cited:
    """A citation with its printout and the key by which TeX finds it."""

    citation: Citation
    printout: Printout
    key: str = ""


@dataclass(frozen=True, kw_only=True)
class Change:
    """A block's inside: where it is, as it stands, and as it should."""

    span: Span
    old: str
    new: str


@dataclass(frozen=True, kw_only=True)
class Woven:
    """What a deck is made into: the files by path, the hashes of what they follow from, and what was cited on the way.

    ``read`` has the texts, as they were read, of the decks among the files: those are changed in place.
    """

    files: Mapping[str, str]
    read: Mapping[str, str]
    inputs: Mapping[str, str]
    cited: Sequence[Cited]
    changes: Sequence[Change]


def weave(project: Project, name: str, shelf: Shelf) -> Woven:
    """Return the deck ``name`` woven. The files hold the deck itself where it has blocks.

    Raises:
        SeqgenError: with all mistakes of the deck and its parts.
    """
    woven, errors = attempt(project, name, shelf)
    errors.raise_any()
    return woven


def attempt(project: Project, name: str, shelf: Shelf) -> tuple[Woven, Collector]:
    """Return the deck ``name`` woven as far as it can be, and its mistakes: where it has some, its files are not whole.

    Raises:
        SpecError: where the deck can't be read at all.
    """
    weaver = _Weaver(project=project, shelf=shelf)
    woven = weaver.markdown(name) if name.endswith(MARKDOWN) else weaver.latex(name)
    return woven, weaver.errors


def read(project: Project, name: str) -> DeckText:
    """Return the text of a deck.

    Raises:
        SpecError: where it lies outside the project, is not UTF-8 or is too long.
    """
    path = project.root / name
    if not path.resolve().is_relative_to(project.root.resolve()):
        raise SpecError(f"'{name}' leads outside the project", code="path")
    text = decoded(path.read_bytes(), name)
    if len(text) > MOST_CHARACTERS:
        raise SpecError(f"'{name}' is too long", code="too-large", expected=f"at most {MOST_CHARACTERS:,} characters")
    return DeckText(Source(name=name, text=text))


def citations(project: Project, name: str) -> list[Citation]:
    """Return what the deck ``name`` and its parts cite, in blocks too, as far as it can be read."""
    weaver = _Weaver(project=project, shelf=Shelf(project=project))
    errors = weaver.errors
    found: list[Citation | None] = []
    try:
        if name.endswith(MARKDOWN):
            deck = read(project, name)
            texts = [(name, deck, markdown.scan(deck))]
        else:
            texts = list(weaver.parts(name, []))
    except SeqgenError:
        return []
    for _, deck, marks in texts:
        found += [of_mark(deck, mark, marks, errors) for mark in marks.outside_blocks()]
        found += [of_block(deck, block, marks, errors) for block in marks.blocks]
    return [citation for citation in found if citation is not None]


@dataclass(kw_only=True)
class _Weaver:
    project: Project
    shelf: Shelf
    errors: Collector = field(default_factory=Collector)
    cited: list[Cited] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    inputs: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    read: dict[str, str] = field(default_factory=dict)

    def markdown(self, name: str) -> Woven:
        deck = self._read(name)
        marks = markdown.scan(deck)
        replacements = [
            (mark.start, mark.end, beside(printout, deck, mark)) for mark, printout in self._marks(deck, marks)
        ]
        for block, inside in self._blocks(deck, marks, name):
            replacements.append((block.start, block.end, inside.strip("\r\n") if block.alone else inside))
        self.files[woven_path(name)] = stamped(replaced(deck.text, replacements), name)
        return self._woven()

    def latex(self, name: str) -> Woven:
        parts: list[str] = []
        keys: dict[str, Cited] = {}
        enclosed: set[str] = set()
        for part, deck, marks in self.parts(name, parts):
            mode = MathMode(deck.text)
            self._expanded(deck, marks)
            for mark, printout in self._marks(deck, marks):
                if mode.at(mark.start) and before(deck, mark).part(printout.binding):
                    enclosed.add(mark.key)
                cited = Cited(citation=self.cited[-1].citation, printout=printout, key=mark.key)
                self.cited[-1] = cited
                first = keys.setdefault(mark.key, cited)
                if first.citation.spec != cited.citation.spec:
                    self.errors.add(_ambiguous(deck, mark, first))
            list(self._blocks(deck, marks, part))
        entries = {c.key: c.printout for c in self.cited if c.key}
        lines = [line for key, p in entries.items() for line in numbers_file(key, p, enclosed=key in enclosed)]
        body = "".join(f"{line}\n" for line in lines)
        self.files[numbers_path(name)] = LATEX.stamped(name, f"seqgen build {name}", body)
        self.files[f"{WOVEN}/{STYLE}"] = self._style()
        return self._woven()

    def _expanded(self, deck: DeckText, marks: Marks) -> None:
        r"""Report each ``\seq`` where TeX would expand it."""
        stretches = list(expanded(deck.text)) if any(not mark.bare for mark in marks.citations) else []
        for mark in marks.outside_blocks():
            if not mark.bare and any(start <= mark.start < end for start, end in stretches):
                self.errors.add(
                    SpecError(
                        r"\seq can't stand where TeX expands its argument: in a coordinate, a length, a calculation",
                        code="citation",
                        span=deck.span(mark.start, mark.end - mark.start),
                        hint=rf"write \seqvalue{{{mark.body.text.strip()}}}, which is the bare number",
                    )
                )

    def parts(self, name: str, parts: list[str]) -> Iterator[tuple[str, DeckText, Marks]]:
        """Yield a LaTeX deck and what it inputs, as far as it is there; ``parts`` becomes the list of their names."""
        parts.append(name)
        inherited: dict[str, Pragma | None] = {}
        for part in parts:  # it grows on the way
            if not (self.project.root / part).is_file():
                self.inputs[part] = ABSENT
                continue  # TeX says that it is missing; once it is there, the deck is read again
            deck = self._read(part)
            marks = latex.scan(deck)
            marks.inherited = inherited.get(part)
            yield part, deck, marks
            root = self.project.root.resolve()
            for one, path in inputs(root, name, part, marks):
                if path.suffix == ".tex" and not path.is_relative_to(root / "build"):
                    inner = path.relative_to(root).as_posix()
                    inherited.setdefault(inner, marks.about(one.start))
                    parts += [inner] if inner not in parts else []

    def _read(self, name: str) -> DeckText:
        deck = read(self.project, name)
        self.inputs[name] = sha256(deck.text.encode())
        return deck

    def _style(self) -> str:
        own = self.project.root / "templates" / "latex" / STYLE
        shipped = package_folder("templates", "templates") / "latex" / STYLE
        self.inputs[self.project.relative(own)] = ABSENT
        path = own if own.is_file() else shipped
        content = path.read_bytes()
        self.inputs[self.project.relative(path)] = sha256(content)
        return decoded(content, self.project.relative(path)).replace("\r\n", "\n")

    def _marks(self, deck: DeckText, marks: Marks) -> Iterator[tuple[Mark, Printout]]:
        for problem in marks.errors:
            self.errors.add(problem)
        for piece in dict.fromkeys(piece for pragma in marks.pragmas for piece in pragma.pieces):
            try:
                self.project.spec_path(piece.text, span=deck.span(piece.start, len(piece.text)))
            except SpecError as problem:
                self.errors.add(problem)
        for mark in marks.outside_blocks():
            printout = self._print(of_mark(deck, mark, marks, self.errors))
            if printout is None:
                continue
            if printout.page and not own_line(deck, mark):
                self.errors.add(page_in_line(deck, mark))
            if mark.bare and not printout.bare:
                self.errors.add(
                    SpecError(
                        r"\seqvalue needs a single number",
                        code="citation",
                        span=deck.span(mark.start, mark.end - mark.start),
                        hint=r"index a part of it, or use \seq",
                    )
                )
            yield mark, printout

    def _blocks(self, deck: DeckText, marks: Marks, name: str) -> Iterator[tuple[Block, str]]:
        """Yield each block with what it should hold; the file is to be written where it has any."""
        replacements = []
        for block in marks.blocks:
            citation = of_block(deck, block, marks, self.errors)
            printout = self._print(citation)
            if citation is not None and printout is not None:
                inside = in_block(printout, block, deck)
                old = deck.text[slice(*block.inside)]
                if old != inside and not printout.page and holds_more(old, word=printout.word):
                    self.errors.add(_too_low(deck, block))
                    continue
                self.changes.append(Change(span=citation.span, old=old, new=inside))
                replacements.append((*block.inside, inside))
                yield block, inside
        if replacements:
            self.files[name] = replaced(deck.text, replacements)
            self.read[name] = deck.text

    def _print(self, citation: Citation | None) -> Printout | None:
        if citation is None:
            return None
        try:
            microscope = self.shelf.open(citation.spec, citation.spec_span)
            printout = (print_page if citation.page else print_citation)(microscope, citation)
        except SpecError as problem:
            if problem.code == "unknown-name" and not problem.hint:
                known = [*microscope.graph.entries, *(g.entry.key for g in microscope.gradients)]
                problem.hint = nearest(citation.reference.text, known)
            self.errors.add(problem)
            return None
        except SeqgenError as problem:
            self.errors.add(problem)
            return None
        if citation.faulty:
            return None
        self.inputs |= {**microscope.spec.files, **printout.used}
        self.cited.append(Cited(citation=citation, printout=printout))
        return printout

    def _woven(self) -> Woven:
        return Woven(
            files=self.files,
            read=self.read,
            inputs=self.inputs,
            cited=self.cited,
            changes=self.changes,
        )


def replaced(text: str, replacements: Sequence[tuple[int, int, str]]) -> str:
    """Return ``text`` with stretches (start, end, new) replaced."""
    parts, at = [], 0
    for start, end, new in sorted(replacements):
        parts += [text[at:start], new]
        at = end
    return "".join([*parts, text[at:]])


def _too_low(deck: DeckText, block: Block) -> SpecError:
    first = deck.text[block.start : block.end].splitlines()[0]
    return SpecError(
        "what stands in this block is more than one number or array",
        code="block",
        span=deck.span(block.start, len(first)),
        hint="is the end mark too low? The build replaces all that is between the marks",
    )


def _ambiguous(deck: DeckText, mark: Mark, first: Cited) -> SpecError:
    return SpecError(
        f"the same citation stands for a number of {first.citation.spec} at line {first.citation.span.line}",
        code="citation",
        span=deck.span(mark.start, mark.end - mark.start),
        hint="TeX finds a number by what is written in its citation: name the spec, or give it an alias",
    )


def stamped(text: str, name: str) -> str:
    """Return a woven deck with a line that says where it comes from, inside its front matter where it has one."""
    text = text.removeprefix("\ufeff")  # the mark of UTF-8, which no other line can hold
    said = header(name, f"seqgen build {name}", text)
    newline = "\r\n" if "\r\n" in text else "\n"
    front = FRONT.match(text)
    if front:
        head, rest = text.split("\n", 1)
        return f"{head}\n# {said}{newline}{rest}"
    return f"<!-- {said} -->{newline}{text}"
