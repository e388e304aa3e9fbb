"""The report as SARIF 2.1.0, which code scanning services read (OASIS standard, 27 March 2020)."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any
from urllib.parse import quote

from seqgen import __version__
from seqgen.findings import Finding
from seqgen.rules.review import Review
from seqgen.rules.table import OFF, ROWS, Rule

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
INDEX = {row.name: index for index, row in enumerate(ROWS)}


def report(review: Review) -> str:
    """Return one run: all rules, and a result for each finding."""
    run = {
        "tool": {"driver": {"name": "seqgen", "version": __version__, "rules": [_rule(row) for row in ROWS]}},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"ROOT": {"description": {"text": "The repository's root."}}},
        "invocations": [{"executionSuccessful": review.status != 2, "exitCode": review.status}],
        "results": [_result(finding, review.folder) for finding in review.findings],
    }
    content = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _rule(row: Rule) -> dict[str, Any]:
    return {
        "id": row.name,
        "shortDescription": {"text": row.what},
        "fullDescription": {"text": row.why},
        "help": {"text": f"Cure: {row.cure.format(spec='SPEC', file='FILE')}."},
        "defaultConfiguration": {"level": "none", "enabled": False} if row.severity == OFF else {"level": row.severity},
    }


def _result(finding: Finding, folder: str) -> dict[str, Any]:
    text = "\n".join([finding.message, *finding.details, f"cure: {finding.cure}"])
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": INDEX[finding.rule],
        "level": "warning" if finding.warning else "error",
        "message": {"text": text},
        "locations": [_location(folder + finding.file, finding.line, finding.column)],
        "partialFingerprints": {"seqgen/v1": _fingerprint(finding)},
    }
    if finding.related:
        result["relatedLocations"] = [
            {**_location(folder + span.source.name, span.line, span.column), "id": number, "message": {"text": label}}
            for number, (label, span) in enumerate(finding.related)
        ]
    return result


def _location(file: str, line: int, column: int) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(file), "uriBaseId": "ROOT"}}
    if line:
        place["region"] = {"startLine": line, **({"startColumn": column} if column else {})}
    return {"physicalLocation": place}


def _fingerprint(finding: Finding) -> str:
    """Return what stays the same where lines move or digits change, so that an alert stays one alert."""
    words = re.sub(r"[\d.+-]+", "#", finding.message)
    return hashlib.sha256(f"{finding.rule}\0{finding.file}\0{words}".encode()).hexdigest()[:32]
