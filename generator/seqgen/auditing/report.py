"""An audit as a table for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from seqgen.auditing.verdicts import BACKED, CONTRADICTION, GIVEN, NEAR_MISS, STALE, UNBACKED, Audit, Finding

VERDICTS = (STALE, CONTRADICTION, NEAR_MISS, UNBACKED, BACKED, GIVEN)
SHOWN = (STALE, CONTRADICTION, NEAR_MISS, UNBACKED)
WIDEST = 60


def table(audits: Sequence[Audit], *, everything: bool) -> Iterator[str]:
    """Yield lines: what is to be looked at, or all numbers, then one line with the counts of each deck."""
    for audit in audits:
        rows = [row(audit, f) for f in audit.findings if everything or f.verdict in SHOWN]
        widths = [min(WIDEST, max(map(len, column))) for column in zip(*rows, strict=True)]
        for cells in rows:
            padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
            yield "  ".join(padded).rstrip()
        yield f"{audit.deck}: {summary(audit)}"


def row(audit: Audit, finding: Finding) -> tuple[str, ...]:
    """Return a finding's cells: place, digits, verdict, entry, value in the ledger and reason."""
    entry = f"{finding.spec}: {finding.reference}" if finding.reference else ""
    return (
        f"{audit.deck}:{finding.line}:{finding.column}",
        " ".join(finding.text.split()),
        finding.verdict,
        entry,
        value(finding),
        finding.reason,
    )


def value(finding: Finding) -> str:
    """Return the ledger's value as reports show it."""
    return "" if finding.value is None else f"{finding.value:.10g}"


def summary(audit: Audit) -> str:
    """Return how many numbers have each verdict."""
    told = [verdict for verdict in VERDICTS if verdict != STALE or audit.count(STALE)]
    counts = [f"{audit.count(verdict)} {_plural(verdict, audit.count(verdict))}" for verdict in told]
    number = len(audit.findings)
    return f"{number} number{'' if number == 1 else 's'}: {', '.join(counts)}"


def _plural(verdict: str, count: int) -> str:
    return {NEAR_MISS: "near misses", CONTRADICTION: "contradictions"}.get(verdict, verdict) if count != 1 else verdict


def as_json(audits: Sequence[Audit]) -> str:
    """Return all findings of all decks; a value of the ledger is null where there is none."""
    decks: list[dict[str, Any]] = [
        {
            "deck": audit.deck,
            "counts": {verdict: audit.count(verdict) for verdict in VERDICTS},
            "numbers": [_record(finding) for finding in audit.findings],
        }
        for audit in audits
    ]
    return json.dumps({"decks": decks}, ensure_ascii=False, indent=1)


def _record(finding: Finding) -> dict[str, Any]:
    record = asdict(finding)
    del record["start"], record["end"]
    record["certainty"] = round(finding.certainty, 4)
    return record
