"""Annotations of GitHub Actions: workflow commands in the log, shown at their lines in a pull request.

A step shows ten errors and ten warnings; what is left over is rolled up in the tenth (GitHub Docs, "Workflow commands
for GitHub Actions"; the limit and the escapes: actions/toolkit, ``command.ts`` and issue 734).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from seqgen.findings import Finding
from seqgen.rules.review import Review

MOST = 10


def report(review: Review) -> str:
    """Return the annotations, one a line."""
    lines = [
        *_annotations("error", review.failures, review.folder),
        *_annotations("warning", review.warnings, review.folder),
    ]
    return "".join(f"{line}\n" for line in lines)


def _annotations(kind: str, findings: Sequence[Finding], folder: str) -> Iterator[str]:
    room = len(findings) if len(findings) <= MOST else MOST - 1
    for finding in findings[:room]:
        properties = {"file": f"{folder}{finding.file}"}
        if finding.line:
            properties["line"] = str(finding.line)
        if finding.column:
            properties["col"] = str(finding.column)
        properties["title"] = f"seqgen: {finding.rule}"
        body = "\n".join([finding.message, *finding.details, f"cure: {finding.cure}"])
        yield command(kind, properties, body)
    left = Counter(finding.rule for finding in findings[room:])
    if left:
        total = ", ".join(f"{number} {rule}" for rule, number in left.items())
        yield command(kind, {"title": "seqgen"}, f"and {sum(left.values())} more: {total}; the log has them all")


def command(kind: str, properties: dict[str, str], message: str) -> str:
    """Return a workflow command; what would end a property or a line is escaped."""
    written = ",".join(f"{key}={escape_property(value)}" for key, value in properties.items())
    return f"::{kind} {written}::{escape(message)}"


def escape(text: str) -> str:
    """Return ``text`` as the message of a command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_property(text: str) -> str:
    """Return ``text`` as a property of a command."""
    return escape(text).replace(":", "%3A").replace(",", "%2C")
