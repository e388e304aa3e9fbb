"""One review: every rule in force, over every spec asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from seqgen.auditing.decks import is_part
from seqgen.auditing.decks import select as named
from seqgen.build.artifacts import Artifacts, make
from seqgen.decks.review import review_decks
from seqgen.decks.weave import Shelf, citations
from seqgen.errors import SeqgenError, SpecError, SpecErrors
from seqgen.files import Content
from seqgen.findings import Finding, at
from seqgen.project import Project
from seqgen.rules.table import MISTAKE, ROWS, RULES, WARNING, Rule, Subject, Whole, severities
from seqgen.rules.typed import auditor, findings, memory

TYPED = {"stale-number", "near-miss", "contradiction", "possible-contradiction", "unbacked"}


@dataclass(kw_only=True)
class Review:
    """All findings, the errors of specs, what each spec was asked, and how much was looked at.

    ``asked`` holds the rules by spec (those of the project and its decks under an empty name), ``files`` what should
    stand on disk, ``folder`` the path from the repository to the project, empty where they are the same.
    """

    findings: list[Finding] = field(default_factory=list)
    errors: list[SeqgenError] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    asked: dict[str, list[str]] = field(default_factory=dict)
    files: dict[str, Content] = field(default_factory=dict)
    folder: str = ""

    def count(self, what: str, number: int = 1) -> None:
        """Add to a count."""
        self.counts[what] = self.counts.get(what, 0) + number

    @property
    def failures(self) -> list[Finding]:
        """The findings that are more than warnings."""
        return [finding for finding in self.findings if not finding.warning]

    @property
    def warnings(self) -> list[Finding]:
        """The findings that are warnings."""
        return [finding for finding in self.findings if finding.warning]

    @property
    def looked(self) -> bool:
        """Whether there was anything to look at."""
        return bool(self.counts.get("spec") or self.counts.get("deck"))

    @property
    def status(self) -> int:
        """The exit status: 2 for a mistake or where nothing was checked, 1 where something disagrees, else 0."""
        if self.errors or not self.looked:
            return 2
        return 1 if self.failures else 0


def review(
    project: Project, wanted: tuple[str, ...] = (), *, select: Sequence[str] = (), ignore: Sequence[str] = ()
) -> Review:
    """Recompute ``wanted`` specs and decks (all for nothing) in memory, compare them with the files; writes nothing.

    ``select`` and ``ignore`` add rules to those that the configuration selects and ignores.

    Raises:
        SpecError: where the configuration is wrong, or there is no such spec or deck.
    """
    force = severities(project, select, ignore)
    result = Review(folder=_folder(project))
    expected: set[str] = set()
    computed: dict[str, dict[str, Any]] = {}
    names, decks, audited = named(project, wanted)
    cited, shelf = {one.spec for deck in decks for one in citations(project, deck)}, Shelf(project=project)
    for name in names:
        try:
            artifacts = review_spec(project, name, result, [row for row in ROWS if row.name in force], force)
        except SeqgenError as problem:
            result.errors.append(problem)
            result.findings += _mistakes(name, problem)
            continue
        if name in cited:
            shelf.opened[name] = artifacts.microscope
        expected |= set(artifacts.files)
        computed[name] = artifacts.ledger
        result.files |= artifacts.files
    if not wanted and not result.errors:
        whole = Whole(project=project, expected=expected)
        for row in ROWS:
            if row.of_project and row.name in force:
                result.asked.setdefault("", []).append(row.name)
                keep(result, row, force, row.of_project(whole), "")
    if decks or audited:
        result.asked.setdefault("", []).extend(
            row.name for row in ROWS if row.of_decks and row.name in force and row.name not in result.asked[""]
        )
        result.count("deck", len({*decks, *(deck for deck in audited if not is_part(project, deck))}))
    _review_decks(shelf, decks, result, force, everything=not wanted)
    if audited and TYPED & force.keys():
        _audit_decks(project, audited, computed, result, force)
    return result


def review_spec(
    project: Project, name: str, result: Review, rows: Sequence[Rule], force: Mapping[str, str]
) -> Artifacts:
    """Compute spec ``name``, and add to ``result`` what those of ``rows`` find that are about one spec.

    Raises:
        SeqgenError: where it can't be computed.
    """
    rows = [row for row in rows if row.of_spec or row.of_files]
    result.count("spec")
    result.asked[name] = [MISTAKE.name, *(row.name for row in rows)]
    artifacts = make(project, name, replay=True)
    _count(result, artifacts)
    subject = Subject(project, name, artifacts)
    for row in rows:
        keep(result, row, force, row.found(subject), name)
    return artifacts


def _review_decks(shelf: Shelf, decks: list[str], result: Review, force: dict[str, str], *, everything: bool) -> None:
    for finding in review_decks(shelf, decks, result.files, everything=everything):
        if finding.rule in force:
            keep(result, RULES[finding.rule], force, [finding], "")


def _audit_decks(
    project: Project,
    audited: Sequence[str],
    computed: Mapping[str, dict[str, Any]],
    result: Review,
    force: dict[str, str],
) -> None:
    """Compare the typed numbers of decks with the ledgers that were computed, and with those on disk."""
    try:
        against = auditor(project, computed)
    except SpecError as problem:
        result.errors.append(problem)
        return
    for deck in audited:
        try:
            audit = against.audit(project.root / deck, deck, memory(project, deck))
        except SpecError as problem:
            result.errors.append(problem)
            continue
        if audit.findings:
            result.count("typed number", len(audit.findings))
        for finding in findings(audit):
            if finding.rule in force:
                keep(result, RULES[finding.rule], force, [finding], "")


def _folder(project: Project) -> str:
    """Return the path from the repository that the project lies in, as services show its files."""
    root = project.root.resolve()
    repository = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)
    path = root.relative_to(repository).as_posix()
    return "" if path == "." else f"{path}/"


def keep(result: Review, row: Rule, force: Mapping[str, str], found: Iterable[Finding], spec: str) -> None:
    """Complete what a rule has found by its row; a child repeats what is its parent's, which is told once."""
    known = {(f.rule, f.place, f.message) for f in result.findings if f.rule == row.name}
    for finding in found:
        if (row.name, finding.place, finding.message) in known:
            continue
        cure = finding.cure or row.cure.format(spec=spec, file=finding.file)
        complete = replace(finding, rule=row.name, cure=cure, spec=spec, warning=force[row.name] == WARNING)
        known.add((row.name, finding.place, finding.message))
        result.findings.append(complete)


def _mistakes(name: str, problem: SeqgenError) -> Iterator[Finding]:
    for one in problem.errors if isinstance(problem, SpecErrors) else (problem,):
        details = [f"{label}: {text}" for label, text in (("expected", one.expected), ("got", one.got)) if text]
        finding = at(one.span, f"{one.message} [{one.code}]", otherwise=f"specs/{name}.yaml")
        related = tuple((label, span) for span, label in one.related if span)
        yield replace(
            finding,
            rule=MISTAKE.name,
            cure=one.hint or MISTAKE.cure,
            spec=name,
            details=tuple(details),
            related=related,
        )


def _count(result: Review, artifacts: Artifacts) -> None:
    result.count("entry", len(artifacts.ledger["entries"]))
    result.count("check", len(artifacts.outcomes))
    result.count("page", len(artifacts.files) - 1)
    for outcome in artifacts.outcomes:
        line = f"{outcome.span}: {outcome.said}"
        if (outcome.skipped or outcome.known) and line not in result.said:  # a child repeats its parent's checks
            result.said.append(line)
