"""The report as JSON, for programs."""

from __future__ import annotations

import json
from typing import Any

from seqgen.findings import Finding
from seqgen.rules.review import Review

VERSION = 1


def report(review: Review) -> str:
    """Return one object: the version of this form, the exit status, the counts, and every finding."""
    content = {
        "version": VERSION,
        "status": review.status,
        "counts": review.counts,
        "findings": [_finding(finding) for finding in review.findings],
        "said": review.said,
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "severity": "warning" if finding.warning else "error",
        "spec": finding.spec,
        "file": finding.file,
        "line": finding.line or None,
        "column": finding.column or None,
        "message": finding.message,
        "old": finding.old,
        "new": finding.new,
        "details": list(finding.details),
        "related": [
            {"label": label, "file": span.source.name, "line": span.line, "column": span.column}
            for label, span in finding.related
        ],
        "cure": finding.cure,
    }
