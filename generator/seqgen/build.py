"""The build: which specs have changed, and writing what follows from them.

A spec's targets are up to date while every file that they were made from, the configuration and seqgen itself have the
content that they had, and every file that was written is still as written. Times play no part. This module imports
nothing heavy: a build with nothing to do ends here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from seqgen import files
from seqgen.errors import SeqgenError
from seqgen.project import Project

STATE = "build/.seqgen.json"
FORMAT = 1


@dataclass(kw_only=True)
class Report:
    """What a build did: specs by what happened, files written and removed, failures."""

    built: dict[str, str] = field(default_factory=dict)
    unchanged: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    errors: list[SeqgenError] = field(default_factory=list)
    failed_checks: list[str] = field(default_factory=list)


class State:
    """What earlier builds made, by spec: the hashes of what went in and of what came out."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._path = project.root / STATE
        self.specs: dict[str, dict[str, Any]] = {}
        try:
            content = json.loads(self._path.read_text(encoding="utf-8"))
            if content.get("format") == FORMAT:
                self.specs = content["specs"]
        except (OSError, ValueError, AttributeError, KeyError):
            self.specs = {}  # a lost or torn state only means that more is rebuilt

    @cached_property
    def surroundings(self) -> str:
        """A hash of what every spec depends on: the configuration and seqgen's own files."""
        package = Path(__file__).resolve().parent
        sources = sorted(p for p in package.rglob("*") if p.suffix in (".py", ".json"))
        total = hashlib.sha256(json.dumps(asdict(self.project.configuration), sort_keys=True).encode())
        for path in sources:
            total.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
        return total.hexdigest()

    def reason(self, name: str) -> str:
        """Return why ``name`` must be built, or an empty text where it need not."""
        before = self.specs.get(name)
        if before is None:
            return "it has not been built"
        if before["surroundings"] != self.surroundings:
            return "seqgen or its configuration has changed"
        for path, content in before["inputs"].items():
            if files.digest(self.project.root / path) != content:
                return f"{path} has changed"
        for path, content in before["outputs"].items():
            if files.digest(self.project.root / path) != content:
                return f"{path} is not as it was written"
        return ""

    def record(self, name: str, inputs: Iterable[str], outputs: Iterable[str]) -> None:
        """Note what ``name`` was made from and what was written; paths are relative to the root."""
        root = self.project.root
        self.specs[name] = {
            "surroundings": self.surroundings,
            "inputs": {path: files.digest(root / path) for path in sorted(inputs)},
            "outputs": {path: files.digest(root / path) for path in sorted(outputs)},
        }

    def save(self) -> None:
        """Write the state."""
        content = {"format": FORMAT, "specs": dict(sorted(self.specs.items()))}
        files.write(self._path, json.dumps(content, indent=0) + "\n")


def build(
    project: Project,
    wanted: tuple[str, ...] = (),
    *,
    force: bool = False,
    said: Callable[[str, str], None] = lambda name, reason: None,
) -> Report:
    """Bring the ledgers and pages of ``wanted`` specs (all for nothing) up to date.

    ``said`` is told of each spec that is about to be built, and why. A spec with a mistake leaves its old files
    in place; the others are built all the same.
    """
    state, report = State(project), Report()
    names = project.select(wanted)
    for name in names:
        reason = "it was forced" if force else state.reason(name)
        if not reason:
            report.unchanged.append(name)
            continue
        said(name, reason)
        report.built[name] = reason
        try:
            _build_one(project, name, state, report)
        except SeqgenError as problem:
            state.specs.pop(name, None)
            report.errors.append(problem)
    if not wanted:
        _forget_removed(project, state, set(names), report)
    if report.built or report.removed:
        state.save()
    return report


def _build_one(project: Project, name: str, state: State, report: Report) -> None:
    from seqgen.product import make

    product = make(project, name)
    for path, text in product.files.items():
        if files.write(project.root / path, text):
            report.written.append(path)
    before = state.specs.get(name, {}).get("outputs", {})
    _remove(project, [path for path in before if path not in product.files], report)
    state.record(name, product.inputs, product.files)
    report.failed_checks += [f"{outcome.span}: {outcome.said}" for outcome in product.outcomes if not outcome.passed]


def _forget_removed(project: Project, state: State, names: set[str], report: Report) -> None:
    """Remove the pages of specs that are gone; a ledger is committed, so that removing it is left to its owner."""
    for name in [n for n in state.specs if n not in names]:
        pages = [path for path in state.specs.pop(name)["outputs"] if path.startswith("build/")]
        _remove(project, pages, report)


def _remove(project: Project, paths: list[str], report: Report) -> None:
    for path in paths:
        file = project.root / path
        if path.startswith("build/") and file.is_file():
            file.unlink()
            report.removed.append(path)
