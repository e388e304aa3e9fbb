"""The report that a person reads."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator

from seqgen.errors import count
from seqgen.findings import Finding
from seqgen.project import Project
from seqgen.rules.review import Review
from seqgen.rules.table import MISTAKE

NOTHING = "nothing was checked"


def report(review: Review, *, warnings: bool = False) -> str:
    """Return every finding with its cure, then the counts; of warnings only how many, unless they are asked for."""
    return "".join(f"{line}\n" for line in _lines(review, warnings=warnings))


def _lines(review: Review, *, warnings: bool) -> Iterator[str]:
    yield from review.said
    for finding in review.findings:
        if finding.rule != MISTAKE.name and (warnings or not finding.warning):
            yield from told(finding)
    if review.warnings and not warnings:
        found = Counter(finding.rule for finding in review.warnings)
        yield f"warnings: {', '.join(f'{number} {rule}' for rule, number in found.items())} (--warnings lists them)"
    yield f"{counts(review)}: {verdict(review)}"


def told(finding: Finding) -> Iterator[str]:
    """Yield the lines on one finding."""
    kind = "warning: " if finding.warning else ""
    yield f"{finding.place}: {kind}{finding.rule}: {finding.message}"
    for detail in finding.details:
        yield f"    {detail}"
    for label, span in finding.related:
        yield f"  {span}: {label}"
    yield f"  cure: {finding.cure}"


def counts(review: Review) -> str:
    """Return how much was looked at."""
    return ", ".join(count(number, what) for what, number in review.counts.items()) or "0 specs"


def verdict(review: Review) -> str:
    """Return whether all is in order, in words."""
    number = len(review.failures)
    return count(number, "finding") if number else "in order" if review.looked else NOTHING


def diff(project: Project, review: Review) -> str:
    """Return a unified diff from the files on disk to what the specs give, as ``git apply`` reads it."""
    parts: list[str] = []
    for path, wanted in review.files.items():
        file = project.root / path
        if isinstance(wanted, bytes):  # a diff shows texts
            continue
        found = file.read_bytes().decode("utf-8", errors="replace") if file.is_file() else None
        if found != wanted:
            old, new = (found or "").splitlines(keepends=True), wanted.splitlines(keepends=True)
            before = "/dev/null" if found is None else f"a/{path}"
            parts += _ended(difflib.unified_diff(old, new, before, f"b/{path}"))
    return "".join(parts)


def _ended(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
