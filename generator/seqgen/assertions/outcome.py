"""The result of a check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from seqgen.errors import Span
from seqgen.graph.node import Node


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Whether a check holds.

    ``row`` is what the ledger records, the same on every machine; ``said`` is what a person reads, and may hold
    what was measured here; ``skipped`` tells why a check could not run, ``known`` that it reports
    a known erratum of somebody else's. ``compared`` is the value whose comparison has a row in the table of checks.
    """

    span: Span
    passed: bool
    said: str
    row: Mapping[str, Any] = field(default_factory=dict)
    skipped: str = ""
    known: bool = False
    compared: Node | None = None
