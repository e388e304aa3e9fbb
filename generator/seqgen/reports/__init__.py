"""What a check found, in the forms that people, editors and services read: one table of them."""

from __future__ import annotations

from collections.abc import Callable

from seqgen.checks.review import Review
from seqgen.reports import github, json, junit, sarif, text

FORMATS: dict[str, Callable[[Review], str]] = {
    "text": text.report,
    "github": github.report,
    "json": json.report,
    "sarif": sarif.report,
    "junit": junit.report,
}
