"""Files on disk against what the specs give: which of spec, ledger, page and template is behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from seqgen.build.artifacts import Artifacts
from seqgen.build.state import State
from seqgen.files import Content, encoded, sha256, was_edited
from seqgen.findings import Finding
from seqgen.ledger.contract import read_ledger
from seqgen.ledger.disk import conflict, ledger_path
from seqgen.project import Project
from seqgen.rules.changes import Change, changes, first_difference, place_of
from seqgen.writers.medium import media

# The kinds of pages, each with the shipped templates that it is made with.
KINDS = {
    "table": ("table",),
    "checks": ("table",),
    "worked": ("worked",),
    "values": ("values",),
    "ledger": ("ledger", "table"),
}
MOST_CHANGES = 8
MOST_MISSING = 3


@dataclass(frozen=True)
class Files:
    """The files of one spec, each judged once; a file has at most one finding."""

    project: Project
    name: str
    artifacts: Artifacts

    def findings(self, rule: str) -> Iterator[Finding]:
        """Yield what ``rule`` finds."""
        return (finding for found, finding in self._all if found == rule)

    @cached_property
    def _all(self) -> list[tuple[str, Finding]]:
        own = list(self._ledger())
        behind = bool(own) and own[0][0] == "stale-ledger"
        pages = list(self._pages(behind=behind))
        if behind:
            # Pages that follow an old ledger are no disagreement of their own: one command cures all.
            late = sum(1 for rule, _ in pages if rule == "stale-page")
            rule, finding = own[0]
            details = (*finding.details, f"{late} pages follow it") if late else finding.details
            own = [(rule, replace(finding, details=details))]
            pages = [(rule, finding) for rule, finding in pages if rule != "stale-page"]
        return own + pages

    def content(self, path: str) -> bytes | None:
        """Return what a file holds, or ``None`` where there is no such file."""
        file = self.project.root / path
        return file.read_bytes() if file.is_file() else None

    def _ledger(self) -> Iterator[tuple[str, Finding]]:
        path = ledger_path(self.name)
        content, wanted = self.content(path), decoded(self.artifacts.files[path])
        if content is None:
            yield "missing-ledger", Finding(file=path, message="the ledger is missing")
            return
        text = decoded(content)
        if text == wanted:
            return
        line = conflict(text)
        if line:
            message, old = "the ledger holds a merge conflict", text.split("\n")[line - 1]
            yield "conflict", Finding(file=path, line=line, column=1, message=message, old=old)
            return
        try:
            ledger = read_ledger(text)
        except ValueError as problem:
            yield "stale-ledger", Finding(file=path, line=1, message=f"this is not a ledger: {problem}")
            return
        yield "stale-ledger", self._stale(path, text, wanted, list(changes(ledger, self.artifacts.ledger)), ledger)

    def _stale(self, path: str, text: str, wanted: str, found: list[Change], ledger: dict[str, object]) -> Finding:
        details = [str(change) for change in found[:MOST_CHANGES]]
        if len(found) > len(details):
            details.append(f"and {len(found) - len(details)} more")
        message = "the ledger is not what the spec computes"
        if found and ledger.get("source") == self.artifacts.ledger["source"]:
            message += ", though made from this very text: it was edited, or settings or seqgen have changed"
        if not found:
            line, column = first_difference(text.split("\n"), wanted.split("\n"))
            return Finding(file=path, line=line, column=column, message="the ledger's numbers are right, not its form")
        first = next((change for change in found if change.is_number), found[0])
        line, column = place_of(first, text, wanted)
        entry = self.artifacts.microscope.graph.entries.get(first.key)
        return Finding(
            file=path,
            line=line,
            column=column,
            message=message,
            old=first.old,
            new=first.new,
            details=tuple(details),
            related=((f"{first.key} is defined here", entry.span),) if entry and entry.span else (),
        )

    def _pages(self, *, behind: bool) -> Iterator[tuple[str, Finding]]:
        missing = []
        for path, wanted in self.artifacts.files.items():
            if path == ledger_path(self.name):
                continue
            content = self.content(path)
            if content is None:
                missing.append(path)
            elif content != encoded(wanted):
                yield self._differing(path, content, wanted, behind=behind)
        if len(missing) > MOST_MISSING:
            folders = sorted({path.split("/")[1] for path in missing})
            where = f"build/{folders[0]}/{self.name}" if len(folders) == 1 else f"build/*/{self.name}"
            yield "missing-page", Finding(file=where, message=f"{len(missing)} pages are missing")
        else:
            for path in missing:
                yield "missing-page", Finding(file=path, message="the page is missing")

    def _differing(self, path: str, found: bytes, wanted: Content, *, behind: bool) -> tuple[str, Finding]:
        rule, message = "stale-page", "the page is not what the ledger gives"
        if self._was_edited(path, found, wanted):
            rule, message = "edited-page", "the page was edited by hand"
        elif not behind and (to_blame := [name for name in self._changed_templates if _may_make(name, path)]):
            rule, message = "stale-template", f"the page was made before {to_blame[0]} changed"
        if isinstance(wanted, bytes):
            return rule, Finding(file=path, message=message)
        text = decoded(found)
        old, new = text.split("\n"), wanted.split("\n")
        line, column = first_difference(old, new, 1, 1)  # the first line holds the digest
        if text.partition("\n")[2] == wanted.partition("\n")[2]:
            line, column = 1, 1
        a, b = (lines[line - 1] if line <= len(lines) else "" for lines in (old, new))
        details = (f"- {a}", f"+ {b}")
        return rule, Finding(
            file=path, line=line, column=column, message=message, old=a.strip(), new=b.strip(), details=details
        )

    def _was_edited(self, path: str, found: bytes, wanted: Content) -> bool:
        """Whether a page is not as a build wrote it: by its header, or, where it is bytes, by the build's notes."""
        if isinstance(wanted, str):
            return was_edited(found)
        return self._notes.outputs(self.name).get(path, sha256(found)) != sha256(found)

    @cached_property
    def _notes(self) -> State:
        return State(self.project)

    @cached_property
    def _changed_templates(self) -> list[str]:
        """The templates that are not as they were when the pages were written, as far as the build's notes tell."""
        inputs, digests = self._notes.inputs(self.name), self._notes.digests
        return [path for path, digest in inputs.items() if path.endswith(".j2") and digests.of(path) != digest]


def decoded(content: Content) -> str:
    """Return a file's text, with marks for what is none."""
    return content if isinstance(content, str) else content.decode("utf-8", errors="replace")


def _may_make(template: str, page: str) -> bool:
    """Whether a page may be made with a template: of its medium, and not one for another kind of page only."""
    medium, kind = page.split("/")[1], page.rpartition("/")[2].split(".")[0].split("-")[0]
    begins = template.rpartition("/")[2].split(".")[0]
    return f"/{medium}/" in template and (begins in KINDS.get(kind, ()) or begins not in KINDS)


MEMORY = "ledgers/decks"


def orphans(project: Project, expected: set[str]) -> Iterator[Finding]:
    """Yield the ledgers and pages that no spec makes."""
    owned = [(project.pages / medium.name, pattern) for medium in media().values() for pattern in medium.patterns]
    for folder, pattern in [(project.ledgers, "*.json"), *owned]:
        for path in sorted(folder.rglob(pattern)) if folder.is_dir() else ():
            relative = project.relative(path)
            if relative not in expected and not _is_hidden(path) and not _is_memory(project, relative):
                yield Finding(file=relative, message="no spec makes this file")


def _is_memory(project: Project, relative: str) -> bool:
    """Whether a file is the memory of a deck that is there."""
    decks = (
        project.root / name for name in (relative[len(MEMORY) + 1 : -5], f"slides/{relative[len(MEMORY) + 1 : -5]}")
    )
    return relative.startswith(f"{MEMORY}/") and any(deck.is_file() for deck in decks)


def _is_hidden(path: Path) -> bool:
    return path.name.startswith(".")
