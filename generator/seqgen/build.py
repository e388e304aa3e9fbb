"""The build: which specs and decks have changed, and writing what follows from them.

A spec or a deck is up to date while every file that it was made from, the configuration and seqgen itself have the
content that they had, seqgen's libraries have the versions that they had, and every file that was written is still as
written. Times decide only whether a file must be read again to know its content (see `files.Digests`). This module
imports nothing heavy: a build with nothing to do ends here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Any

from seqgen import files, origin
from seqgen.decks.sources import is_deck, select
from seqgen.errors import SeqgenError, SpecError
from seqgen.installation import own_files, versions
from seqgen.project import Project

STATE = "build/.seqgen.json"
FORMAT = 4
SETTINGS = "pyproject.toml"


@dataclass(kw_only=True)
class Report:
    """What a build did: specs and decks by what happened, files, failures, seconds by spec and stage.

    ``kept`` names what was edited by hand and had to make way, with where it is now.
    """

    built: dict[str, str] = field(default_factory=dict)
    unchanged: list[str] = field(default_factory=list)
    decks: dict[str, str] = field(default_factory=dict)
    unchanged_decks: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    kept: dict[str, str] = field(default_factory=dict)
    errors: list[SeqgenError] = field(default_factory=list)
    failed_checks: list[str] = field(default_factory=list)
    seconds: dict[str, Mapping[str, float]] = field(default_factory=dict)


class State:
    """What earlier builds made, by spec or deck: the hashes of what went in and of what came out."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._path = project.root / STATE
        content: dict[str, Any] = {}
        try:
            found = json.loads(self._path.read_bytes())
            if found.get("format") == FORMAT:
                content = {key: dict(found[key]) for key in ("targets", "surroundings", "files")}
        except (OSError, ValueError, TypeError, AttributeError, KeyError):
            content = {}  # a lost or torn state only means that more is rebuilt
        self.targets: dict[str, dict[str, Any]] = content.get("targets", {})
        self._surroundings: dict[str, Any] = content.get("surroundings", {})
        self.digests = files.Digests(project.root, content.get("files"))

    @cached_property
    def surroundings(self) -> str:
        """A hash of what every target depends on: the configuration, seqgen's own files and its libraries."""
        parts = {path: self.digests.of(path) for path in [SETTINGS, *own_files()]} | versions()
        if self._surroundings.get("parts") != parts:
            settings = json.dumps(asdict(self.project.configuration), sort_keys=True)
            own = json.dumps({path: digest for path, digest in parts.items() if path != SETTINGS})
            self._surroundings = {"parts": parts, "digest": files.sha256((settings + own).encode())}
        digest: str = self._surroundings["digest"]
        return digest

    def reason(self, name: str) -> str:
        """Return why ``name`` must be built, or an empty text where it need not."""
        before = self.targets.get(name)
        if before is None:
            return "it has not been built"
        if before["surroundings"] != self.surroundings:
            return "seqgen, its configuration or a library that it computes with has changed"
        for path, content in before["inputs"].items():
            if self.digests.of(path) != content:
                return f"{path} has changed"
        for path, content in before["outputs"].items():
            if self.digests.of(path) != content:
                return f"{path} is not as it was written"
        return ""

    def look(self, name: str) -> None:
        """Note the content of what ``name`` is made from, as far as that is known, before it is read."""
        own = name if is_deck(name) else f"specs/{name}.yaml"
        for path in [own, *self.targets.get(name, {}).get("inputs", {})]:
            self.digests.of(path)

    def failed_checks(self, name: str) -> list[str]:
        """Return the checks of ``name`` that did not hold when it was built."""
        lines: list[str] = self.targets.get(name, {}).get("failed", [])
        return lines

    def record(self, name: str, inputs: Iterable[str], outputs: Mapping[str, str], failed: Iterable[str] = ()) -> None:
        """Note what ``name`` was made from, the texts that were written, and its checks that do not hold.

        Paths are relative to the root.
        """
        written = {path: files.sha256(outputs[path].encode()) for path in sorted(outputs)}
        for path, digest in written.items():
            self.digests.put(path, digest)
        self.targets[name] = {
            "surroundings": self.surroundings,
            "inputs": {path: self.digests.of(path) for path in sorted(inputs)},
            "outputs": written,
            "failed": list(failed),
        }

    def save(self) -> None:
        """Write the state."""
        content = {
            "format": FORMAT,
            "surroundings": self._surroundings,
            "targets": dict(sorted(self.targets.items())),
            "files": dict(sorted(self.digests.found.items())),
        }
        text = json.dumps(content, separators=(",\n", ":")) + "\n"
        files.write(self._path, text, scratch=self.project.root / files.SCRATCH)


def build(
    project: Project,
    wanted: tuple[str, ...] = (),
    *,
    force: bool = False,
    jobs: int = 1,
    said: Callable[[str, str], None] = lambda name, reason: None,
    waiting: Callable[[], None] = lambda: None,
) -> Report:
    """Bring ``wanted`` specs and decks (all for nothing) up to date, specs in ``jobs`` processes.

    ``said`` is told of each one whose turn it is, and why it is built; ``waiting``, where another build is at work,
    for which this one waits. One with a mistake leaves its old files in place; the others are built all the same.
    """
    _keep_inside(project, files.LOCK)
    with files.alone(project.root, waiting):
        return _build(project, wanted, force=force, jobs=jobs, said=said)


def _build(
    project: Project, wanted: tuple[str, ...], *, force: bool, jobs: int, said: Callable[[str, str], None]
) -> Report:
    state, report = State(project), Report()
    specs, decks = select(project, wanted)
    reasons = {name: "it was forced" if force else state.reason(name) for name in [*specs, *decks]}
    report.unchanged = [name for name in specs if not reasons[name]]
    report.failed_checks = [line for name in report.unchanged for line in state.failed_checks(name)]
    report.unchanged_decks = [name for name in decks if not reasons[name]]
    report.built = {name: reasons[name] for name in specs if reasons[name]}
    report.decks = {name: reasons[name] for name in decks if reasons[name]}
    for name in [*report.built, *report.decks]:
        state.look(name)
    for name, made in chain(_made(state, report.built, jobs, said), _woven(project, report.decks, said)):
        if isinstance(made, SeqgenError):
            state.targets.pop(name, None)
            report.failed.append(name)
            report.errors.append(made)
        else:
            try:
                _write(project, name, made, state, report)
            except SeqgenError as problem:
                report.failed.append(name)
                report.errors.append(problem)
    if not wanted:
        _forget_removed(project, state, {*specs, *decks}, report)
    if report.built or report.decks or report.removed or state.digests.learned:
        state.save()
    return report


@dataclass(frozen=True, kw_only=True)
class Made:
    """What a spec or a deck gives, to be written: texts by path, the files that went in, checks that do not hold.

    ``read`` has the texts, as they were read, of files that are to be changed in place.
    """

    texts: Mapping[str, str]
    inputs: list[str]
    read: Mapping[str, str] = field(default_factory=dict)
    failed_checks: list[str] = field(default_factory=list)
    seconds: Mapping[str, float] = field(default_factory=dict)


def _made(
    state: State, reasons: Mapping[str, str], jobs: int, said: Callable[[str, str], None]
) -> Iterator[tuple[str, Made | SeqgenError]]:
    """Yield what each spec gives, or its mistake, in the order of ``reasons``.

    Raises:
        SpecError: where one of several processes was killed.
    """
    if jobs == 1 or len(reasons) < 2:
        for name, reason in reasons.items():
            said(name, reason)
            yield name, _make(state.project, state.surroundings, name)
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    try:
        with ProcessPoolExecutor(min(jobs, len(reasons)), initializer=_end_with_parent) as pool:
            results = pool.map(partial(_make, state.project, state.surroundings), reasons)
            for name, reason in reasons.items():
                said(name, reason)
                yield name, next(results)
    except BrokenProcessPool:
        problem = "a process of this build was ended from outside"
        hint = "the memory may be too short for so many: build again with a smaller -j"
        raise SpecError(problem, code="worker", hint=hint) from None


def _end_with_parent() -> None:
    """Let this process end when the one that started it does, even where that is killed."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait
    from threading import Thread

    parent = parent_process()
    assert parent is not None

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def _make(project: Project, surroundings: str, name: str) -> Made | SeqgenError:
    from seqgen import remembered
    from seqgen.product import make

    rows = remembered.recall(project, name, surroundings)
    try:
        product = make(project, name, remembered=rows)
    except SeqgenError as problem:
        return problem
    used = product.microscope.closed_forms.used
    if used != rows:
        remembered.remember(project, name, surroundings, used)
    return Made(
        texts=product.files,
        inputs=list(product.inputs),
        failed_checks=[f"{outcome.span}: {outcome.said}" for outcome in product.outcomes if not outcome.passed],
        seconds=product.seconds,
    )


def _woven(
    project: Project, reasons: Mapping[str, str], said: Callable[[str, str], None]
) -> Iterator[tuple[str, Made | SeqgenError]]:
    """Yield what each deck gives, or its mistakes; decks share the microscopes that they cite."""
    if not reasons:
        return
    from seqgen.decks.weave import Shelf, weave

    shelf = Shelf(project=project)
    for name, reason in reasons.items():
        said(name, reason)
        try:
            woven = weave(project, name, shelf)
        except SeqgenError as problem:
            yield name, problem
            continue
        yield name, Made(texts=woven.files, inputs=list(woven.inputs), read=woven.read)


def _write(project: Project, name: str, made: Made, state: State, report: Report) -> None:
    for path, text in made.read.items():
        if (project.root / path).read_bytes() != text.encode():
            problem = SpecError(f"'{path}' was changed while it was built", code="changed", hint="build again")
            state.targets.pop(name, None)
            report.failed.append(name)
            report.errors.append(problem)
            return
    before = state.targets.get(name, {}).get("outputs", {})
    for path, text in made.texts.items():
        _keep_inside(project, path)
        if path not in made.read:
            _keep_edit(state, path, before.get(path), text, report)
        # What is built can be built again; what is committed must not be lost where the power fails.
        durable = not path.startswith("build/")
        if files.write(project.root / path, text, scratch=project.root / files.SCRATCH, durable=durable):
            report.written.append(path)
    _remove(state, {path: content for path, content in before.items() if path not in made.texts}, report)
    state.record(name, made.inputs, made.texts, made.failed_checks)
    report.failed_checks += made.failed_checks
    report.seconds[name] = made.seconds


def _keep_inside(project: Project, path: str) -> None:
    """Make sure that a file to be written lies in the project, wherever links lead.

    Raises:
        SpecError: where it does not.
    """
    if not (project.root / path).resolve().is_relative_to(project.root.resolve()):
        raise SpecError(f"'{path}' leads outside the project", code="path", hint="replace the link by a folder")


def _forget_removed(project: Project, state: State, names: set[str], report: Report) -> None:
    """Remove what targets made that are gone, all but ledgers: those are committed, and left to their owner."""
    gone = {name: state.targets.pop(name) for name in list(state.targets) if name not in names}
    needed = {path for target in state.targets.values() for path in target["outputs"]}
    for name, target in gone.items():
        (project.root / f"build/.forms/{name}.json").unlink(missing_ok=True)
        _remove(state, {path: content for path, content in target["outputs"].items() if path not in needed}, report)


def _remove(state: State, outputs: Mapping[str, str], report: Report) -> None:
    """Remove files below ``build/``; the notes that name them are no more to be trusted than any other file."""
    root = state.project.root
    inside = (root / "build").resolve()
    for path, content in outputs.items():
        file = root / path
        if ".." not in Path(path).parts and file.resolve().is_relative_to(inside) and file.is_file():
            _keep_edit(state, path, content, None, report)
            file.unlink(missing_ok=True)
            report.removed.append(path)


def _keep_edit(state: State, path: str, written: str | None, text: str | None, report: Report) -> None:
    """Move a file below ``build/`` aside where it was edited by hand and is to become ``text``, or to go away.

    ``written`` is the hash of what the last build wrote there.
    """
    file = state.project.root / path
    if not path.startswith("build/") or not file.is_file():
        return
    content = file.read_bytes()
    digest = files.sha256(content)
    if digest == written or content == (text or "").encode() or not origin.was_edited(content.decode(errors="replace")):
        return
    aside = f"{path}.edited-{digest[:8]}"
    file.replace(state.project.root / aside)
    report.kept[path] = aside
