"""The ledgers on disk: where they are, and which count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from seqgen.errors import Source, Span, SpecError
from seqgen.ledger.contract import read_ledger
from seqgen.project import Project

CONFLICT = ("<<<<<<< ", "||||||| ", ">>>>>>> ")


def ledger_path(name: str) -> str:
    """Return the path of a spec's ledger from the project's root."""
    return f"ledgers/{name}.json"


def ledgers(project: Project, computed: Mapping[str, dict[str, Any]] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the ledgers of all specs: as they were ``computed``, else as they stand on disk.

    A ledger that no spec makes counts for nothing.

    Raises:
        SpecError: where one on disk can't be read.
    """
    for name in project.spec_names():
        ledger = (computed or {}).get(name) or ledger_on_disk(project, name)
        if ledger is not None:
            yield ledger


def conflict(text: str) -> int:
    """Return the line at which the first mark of a merge conflict stands, or 0."""
    lines = enumerate(text.split("\n"), start=1)
    return next((number for number, line in lines if line.startswith(CONFLICT)), 0)


def ledger_on_disk(project: Project, name: str) -> dict[str, Any] | None:
    """Return the ledger of a spec as it stands on disk, or nothing where there is none.

    Raises:
        SpecError: where it holds a merge conflict, or is no ledger.
    """
    path = project.root / ledger_path(name)
    if not path.is_file():
        return None
    text = path.read_bytes().decode("utf-8", errors="replace")
    source = Source(name=ledger_path(name), text=text)
    line = conflict(text)
    if line:
        raise SpecError(
            "the ledger holds a merge conflict",
            code="conflict",
            span=Span(source=source, line=line, column=1, width=len(source.line(line))),
            hint=f"resolve the spec, then run seqgen build {name}; a ledger is never merged by hand",
        )
    try:
        return read_ledger(text)
    except ValueError as problem:
        raise SpecError(
            f"this is not a ledger: {problem}",
            code="ledger",
            span=Span(source=source, line=1, column=1),
            hint=f"run seqgen build {name}",
        ) from None
