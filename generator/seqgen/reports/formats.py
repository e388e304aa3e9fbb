"""The forms in which people, editors and services read what a check found: one table of them."""

from __future__ import annotations

from collections.abc import Callable

from seqgen.reports import github, json, junit, sarif, text
from seqgen.rules.review import Review

FORMATS: dict[str, Callable[[Review], str]] = {
    "text": text.report,
    "github": github.report,
    "json": json.report,
    "sarif": sarif.report,
    "junit": junit.report,
}
