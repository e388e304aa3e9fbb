"""What `seqgen check` finds in decks: files that are not as their decks give, and citations of what is not there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from seqgen.checks.findings import Finding
from seqgen.decks.sources import STYLE, WOVEN
from seqgen.decks.weave import Cited, Shelf, Woven, was_edited, weave
from seqgen.errors import SeqgenError, SpecErrors
from seqgen.pages.render import was_edited as page_was_edited
from seqgen.project import Project

NUMBER = re.compile(r"^\\seqnumber\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}(.*)$", re.MULTILINE)
ABSENT = ("unknown-name", "no-such-spec", "cited-spec", "never-set", "outside")


def review_decks(project: Project, decks: Sequence[str], *, everything: bool = False) -> Iterator[Finding]:
    """Weave ``decks`` in memory and yield what differs from the files; writes nothing.

    ``everything`` tells that these are all decks, so that a woven file without a deck is found too.
    """
    shelf = Shelf(project=project)
    expected: set[str] = set()
    complete = everything
    for deck in decks:
        try:
            woven = weave(project, deck, shelf)
        except SeqgenError as problem:
            complete = False
            yield from _faults(deck, problem)
            continue
        expected |= set(woven.files)
        yield from _of_deck(project, deck, woven)
    if complete:
        yield from _orphans(project, expected)


def _faults(deck: str, problem: SeqgenError) -> Iterator[Finding]:
    for error in problem.errors if isinstance(problem, SpecErrors) else (problem,):
        absent = error.code in ABSENT
        details = error.span.excerpt().split("\n") if error.span else []
        details += [f"{label}: {text}" for label, text in (("expected", error.expected), ("got", error.got)) if text]
        yield Finding(
            rule="absent-citation" if absent else "faulty-citation",
            place=str(error.span or deck),
            message=error.message,
            cure=error.hint or "correct the citation",
            details=tuple(details),
        )


def _of_deck(project: Project, deck: str, woven: Woven) -> Iterator[Finding]:
    cure = f"seqgen build {deck}"
    for change in woven.changes:
        if change.old != change.new:
            yield Finding(
                rule="stale-block",
                place=str(change.span),
                message="the block does not hold what it cites",
                cure=cure,
                details=_lines(change.old, change.new),
            )
    for cited in woven.cited:
        yield from _of_citation(cited)
    for path, text in woven.files.items():
        file = project.root / path
        if not path.startswith(f"{WOVEN}/"):
            continue
        if not file.is_file():
            rule = "missing-numbers" if deck.endswith(".tex") else "missing-deck"
            yield Finding(rule=rule, place=path, message=f"{deck} has not been woven", cure=cure)
            continue
        found = file.read_bytes().decode("utf-8", errors="replace")
        if found == text:
            continue
        if path.endswith(".md"):
            yield _stale_markdown(path, found, text, cure)
        elif path.endswith(STYLE):
            yield Finding(rule="stale-numbers", place=path, message="this is not the style file in force", cure=cure)
        else:
            yield from _stale_numbers(path, found, text, woven, cure)


def _of_citation(cited: Cited) -> Iterator[Finding]:
    place = str(cited.citation.reference.span)
    if not cited.printout.proven:
        yield Finding(
            rule="unproven",
            place=place,
            message="the digits can't be proven",
            cure="raise precision_limit in [tool.seqgen], or print fewer digits",
        )
    if cited.printout.vanishes:
        yield Finding(
            rule="prints-as-zero",
            place=place,
            message=f"a value other than zero is printed as {cited.printout.plain}",
            cure="print more digits, or write scientific=3",
        )


def _stale_markdown(path: str, found: str, text: str, cure: str) -> Finding:
    edited = was_edited(found)
    old, new = found.splitlines(), text.splitlines()
    # The line that holds the digest differs whenever anything does.
    pairs = [(i, a, b) for i, (a, b) in enumerate(zip(old, new, strict=False), 1) if a != b and "(sum " not in b]
    line, before, after = pairs[0] if pairs else (min(len(old), len(new)), "", "")
    column = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0) + 1
    return Finding(
        rule="edited-deck" if edited else "stale-deck",
        place=f"{path}:{line}:{column}",
        message="the woven deck was edited by hand" if edited else "the woven deck is not what the deck gives",
        cure=f"move the edit to the deck, then {cure}" if edited else cure,
        details=_lines(before, after) if pairs else (),
    )


def _stale_numbers(path: str, found: str, text: str, woven: Woven, cure: str) -> Iterator[Finding]:
    """Yield a finding for each citation whose number is not in the file; one for the file where none is to blame."""
    if page_was_edited(found):
        yield Finding(rule="edited-deck", place=path, message="the file of numbers was edited by hand", cure=cure)
        return
    old, new = dict(NUMBER.findall(found)), dict(NUMBER.findall(text))
    at_fault = {key for key in new if old.get(key) != new[key]}
    if not at_fault:
        yield Finding(
            rule="stale-numbers", place=path, message="the file of numbers is not what the deck gives", cure=cure
        )
    for cited in woven.cited:
        if cited.key in at_fault:
            at_fault.discard(cited.key)
            before = old.get(cited.key)
            yield Finding(
                rule="stale-numbers",
                place=str(cited.citation.span),
                message=f"{path} has another number" if before is not None else f"{path} has no number for this",
                cure=cure,
                details=_lines(before or "", new[cited.key]),
            )


def _lines(old: str, new: str) -> tuple[str, ...]:
    return (
        *(f"- {line}" for line in old.splitlines() if line.strip()),
        *(f"+ {line}" for line in new.splitlines() if line.strip()),
    )


def _orphans(project: Project, expected: set[str]) -> Iterator[Finding]:
    folder = project.root / WOVEN
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        relative = project.relative(path)
        made = path.suffix == ".md" or path.name.endswith(".seq.tex") or path.name == STYLE
        if made and relative not in expected and not path.name.startswith("."):
            yield Finding(rule="orphan", place=relative, message="no deck makes this file", cure=f"rm {relative}")
