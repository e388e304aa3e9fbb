"""A proposed spec, checked as any spec is: its own checks, proven digits, printed steps, conventions."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from seqgen.assertions import declared
from seqgen.conventions.compare import Conventions
from seqgen.errors import SeqgenError
from seqgen.microscope import open_microscope
from seqgen.project import SETTINGS, Project
from seqgen.rules import digits


@contextmanager
def copied(project: Project) -> Iterator[Project]:
    """Give a copy of a project's specs and settings, in which a spec can be tried."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        shutil.copytree(project.specs, root / "specs")
        if (project.root / SETTINGS).is_file():
            shutil.copy(project.root / SETTINGS, root / SETTINGS)
        yield Project(root)


def unmet(copy: Project, name: str, text: str, conventions: Sequence[str], *, strict: bool = True) -> list[str]:
    """Return what is wrong with spec ``name`` as ``text``, in words; ``strict`` asks for its printed digits, too."""
    (copy.specs / f"{name}.yaml").write_text(text, encoding="utf-8")
    try:
        microscope = open_microscope(copy, name)
        said = [
            outcome.said
            for check in microscope.spec.conditions()
            for outcome in declared.run(microscope, check, replay=False)
            if not outcome.passed
        ]
        if strict:
            said += [finding.message for finding in digits.near_ties(microscope)]
            said += [finding.message for finding in digits.printed_sums(microscope)]
        opened = Conventions(project=copy, name=name, opened=microscope)
        said += [f"'{one}' changes no printed number" for one in conventions if not opened.compare(one).visible]
    except SeqgenError as problem:
        return [problem.message]
    return said
