"""What `seqgen check` finds in decks: files that are not as their decks give, and citations of what is not there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from seqgen.decks.sources import MARKDOWN, STYLE, WOVEN, woven_paths
from seqgen.decks.weave import Cited, Shelf, Woven, attempt
from seqgen.errors import SeqgenError, Span, SpecErrors
from seqgen.files import Content, was_edited
from seqgen.findings import Finding, at
from seqgen.project import Project

NUMBER = re.compile(r"^\\seqnumber\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}(.*)$", re.MULTILINE)
LINES = r"(?:(?!<<<<<<< )[^\n]*\n)*?"
CONFLICT = re.compile(rf"^<<<<<<< [^\n]*\n{LINES}=======\r?\n{LINES}>>>>>>> ", re.MULTILINE)
POSITION = re.compile(r"index \d+ is out of range")
ABSENT = ("unknown-name", "no-such-spec", "cited-spec", "never-set", "outside")


def review_decks(
    shelf: Shelf, decks: Sequence[str], files: dict[str, Content], *, everything: bool = False
) -> Iterator[Finding]:
    """Weave ``decks`` in memory and yield what differs from the files; writes nothing.

    ``files`` takes what should stand on disk. ``everything`` tells that these are all decks, so that a woven file
    without a deck is found too.
    """
    project = shelf.project
    for deck in decks:
        try:
            woven, errors = attempt(project, deck, shelf)
            yield from _conflict(project, deck)
            if not errors:
                files |= woven.files
            yield from _of_deck(project, deck, woven, whole=not errors)
            errors.raise_any()
        except SeqgenError as problem:
            yield from _faults(deck, problem)
    if everything:
        yield from _orphans(project, {path for deck in decks for path in woven_paths(deck)})


def _found(
    rule: str,
    where: Span | str,
    message: str,
    cure: str,
    *,
    old: str = "",
    new: str = "",
    details: Sequence[str] = (),
) -> Finding:
    """Return a finding at a place of a deck, or in a file; ``old`` is what stands there, ``new`` what should."""
    lines = [f"{sign} {line}" for sign, text in (("-", old), ("+", new)) for line in text.splitlines() if line.strip()]
    span, file = (where, "") if isinstance(where, Span) else (None, where)
    path, line, column = (*file.split(":"), "0", "0")[:3]
    found = at(span, message, otherwise=path, rule=rule, cure=cure, details=(*details, *lines), old=old, new=new)
    return found if span else replace(found, line=int(line), column=int(column))


def _faults(deck: str, problem: SeqgenError) -> Iterator[Finding]:
    for error in problem.errors if isinstance(problem, SpecErrors) else (problem,):
        is_absent = error.code in ABSENT or (error.code == "shape" and POSITION.search(error.message))
        rule = "absent-citation" if is_absent else "faulty-citation"
        details = error.span.excerpt().split("\n") if error.span else []
        details += [f"{label}: {text}" for label, text in (("expected", error.expected), ("got", error.got)) if text]
        yield _found(rule, error.span or deck, error.message, error.hint or "correct the citation", details=details)


def _conflict(project: Project, deck: str) -> Iterator[Finding]:
    """Yield a finding where a deck holds the marks of a merge conflict, all three in their order."""
    text = (project.root / deck).read_bytes().decode("utf-8", errors="replace")
    if match := CONFLICT.search(text):
        line = text.count("\n", 0, match.start()) + 1
        message, cure = "the deck holds a merge conflict", f"resolve it, then run seqgen build {deck}"
        yield _found("conflict", f"{deck}:{line}:1", message, cure, details=[match[0].splitlines()[0]])


def _of_deck(project: Project, deck: str, woven: Woven, *, whole: bool) -> Iterator[Finding]:
    """Yield what differs from a deck's files; of one that is not ``whole``, what can be told all the same."""
    cure = f"seqgen build {deck}"
    for change in woven.changes:
        if change.old != change.new:
            message = "the block does not hold what it cites"
            yield _found("stale-block", change.span, message, cure, old=change.old, new=change.new)
    for cited in woven.cited:
        yield from _of_citation(cited)
    for path, text in woven.files.items():
        if path.startswith(f"{WOVEN}/"):
            found = _of_file(project, deck, path, text, woven)
            yield from found if whole else (one for one in found if _holds_in_part(one))


def _holds_in_part(finding: Finding) -> bool:
    """Whether a finding says something of a deck with mistakes, whose files are not whole."""
    return finding.rule == "edited-deck" or (finding.rule == "stale-numbers" and finding.line > 0)


def _of_citation(cited: Cited) -> Iterator[Finding]:
    span = cited.citation.reference.span
    if not cited.printout.proven:
        cure = "raise precision_limit in [tool.seqgen], or print fewer digits"
        yield _found("unproven", span, "the digits can't be proven", cure)
    if cited.printout.vanishes:
        message = f"a value other than zero is printed as {cited.printout.plain}"
        yield _found("vanishing", span, message, "print more digits, or write scientific=3")


def _of_file(project: Project, deck: str, path: str, text: str, woven: Woven) -> Iterator[Finding]:
    """Compare a file in ``build/slides/`` with what its deck gives."""
    cure = f"seqgen build {deck}"
    file = project.root / path
    if not file.is_file():
        rule = "missing-deck" if path.endswith(MARKDOWN) else "missing-numbers"
        yield _found(rule, path, f"{deck} has not been woven", cure)
        return
    found = file.read_bytes().decode("utf-8", errors="replace")
    if found == text:
        return
    if path.endswith(STYLE):
        yield _found("stale-numbers", path, "this is not the style file in force", cure)
    elif path.endswith(MARKDOWN):
        yield _stale_markdown(path, found, text, cure)
    elif was_edited(found):
        yield _found("edited-deck", path, "the file of numbers was edited by hand", cure)
    else:
        yield from _stale_numbers(path, found, text, woven, cure)


def _stale_markdown(path: str, found: str, text: str, cure: str) -> Finding:
    old, new = found.splitlines(), text.splitlines()
    # The line that holds the digest differs whenever anything does, and one with a mistake in it can't be woven.
    differing = ((i, a, b) for i, (a, b) in enumerate(zip(old, new, strict=False), 1) if a != b)
    pairs = [(i, a, b) for i, a, b in differing if "(sum " not in b and "\\seq" not in b]
    line, before, after = pairs[0] if pairs else (min(len(old), len(new)), "", "")
    column = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0) + 1
    where = f"{path}:{line}:{column}"
    if was_edited(found):
        message, cure = "the woven deck was edited by hand", f"move the edit to the deck, then {cure}"
        return _found("edited-deck", where, message, cure, old=before, new=after)
    return _found("stale-deck", where, "the woven deck is not what the deck gives", cure, old=before, new=after)


def _stale_numbers(path: str, found: str, text: str, woven: Woven, cure: str) -> Iterator[Finding]:
    """Yield a finding for each citation whose number is not in the file; one for the file where none is to blame."""
    old, new = dict(NUMBER.findall(found)), dict(NUMBER.findall(text))
    at_fault = {key for key in new if old.get(key) != new[key]}
    if not at_fault:
        yield _found("stale-numbers", path, "the file of numbers is not what the deck gives", cure)
    for cited in woven.cited:
        if cited.key in at_fault:
            at_fault.discard(cited.key)
            before = old.get(cited.key, "")
            message = f"{path} has another number" if before else f"{path} has no number for this"
            yield _found("stale-numbers", cited.citation.span, message, cure, old=before, new=new[cited.key])


def _orphans(project: Project, expected: set[str]) -> Iterator[Finding]:
    folder = project.root / WOVEN
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        relative = project.relative(path)
        made = path.suffix in MARKDOWN or path.name.endswith(".seq.tex") or path.name == STYLE
        if made and relative not in expected and not path.name.startswith("."):
            yield _found("orphan", relative, "no deck makes this file", f"rm {relative}")
