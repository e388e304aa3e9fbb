"""The three entry points: load a ledger, compute a spec, audit a deck."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from seqgen.api.reporting import reporting
from seqgen.errors import SpecError, nearest
from seqgen.ledger.disk import ledger_on_disk, ledger_path
from seqgen.ledger.values import Ledger
from seqgen.project import Project, bare_name, check_name, find_project

if TYPE_CHECKING:
    from seqgen.api.example import Example
    from seqgen.auditing.verdicts import Audit


def _project(course: str | Path | None) -> Project:
    return find_project(Path(course) if course is not None else Path.cwd())


@reporting
def load(name: str, *, course: str | Path | None = None) -> Ledger:
    """Return the ledger of spec ``name``, as it stands in the course around ``course`` (the working folder by default).

    Raises:
        SpecError: where there is no course, no such ledger, or the file is no ledger.
    """
    project, name = _project(course), bare_name(name)
    check_name(name)
    content = ledger_on_disk(project, name)
    if content is None:
        known = [one for one in project.spec_names() if (project.root / ledger_path(one)).is_file()]
        hint = f"run seqgen build {name}" if name in project.spec_names() else nearest(name, known)
        raise SpecError(f"there is no ledger of '{name}'", code="no-such-spec", hint=hint)
    return Ledger(content)


@reporting
def compute(name: str = "example", *, text: str | None = None, course: str | Path | None = None) -> Example:
    """Return spec ``name`` computed in memory, or the spec that ``text`` is, under that name; nothing is written.

    A ``text`` may extend and use specs of the course, and needs none where it does neither.

    Raises:
        SeqgenError: with all errors of the spec, at their places.
    """
    from seqgen.api.example import Example

    if text is None:
        return Example.of(_project(course), bare_name(name))
    check_name(name)
    try:
        root = _project(course).root
    except SpecError:
        root = Path.cwd() if course is None else Path(course)
    return Example.of(Project(root, {name: text}), name, on_disk=False)


@reporting
def audit(deck: str | Path, *, course: str | Path | None = None) -> Audit:
    """Return the audit of a deck: its typed numbers, each with its verdict, against the ledgers of the course.

    Raises:
        SpecError: where the deck or a ledger can't be read.
    """
    from seqgen.rules.typed import auditor, memory

    path = Path(deck)
    project = _project(course if course is not None else path.resolve().parent)
    name = project.relative(path.resolve())
    return auditor(project, {}).audit(path, name, memory(project, name))
