"""The build: which specs and decks have changed, and writing what follows from them.

A spec or a deck is up to date while every file that it was made from, the configuration and seqgen itself have the
content that they had, seqgen's libraries have the versions that they had, and every file that was written is still as
written. Times decide only whether a file must be read again to know its content (see `files.Digests`). This module
imports nothing heavy: a build with nothing to do ends here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from itertools import chain
from typing import Any

from seqgen import files, origin
from seqgen.decks.sources import select
from seqgen.errors import SeqgenError, SpecError
from seqgen.installation import own_files, versions
from seqgen.project import Project

STATE = "build/.seqgen.json"
FORMAT = 5
FAILED = "failed"  # in the place of the hash of what a target depends on
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

    def tell(self, problem: SeqgenError) -> None:
        """Note a mistake, once."""
        if problem not in self.errors:
            self.errors.append(problem)


class State:
    """What earlier builds made, by spec or deck: the hashes of what went in and of what came out."""

    def __init__(self, project: Project) -> None:
        self.project = project
        try:
            content = json.loads((project.root / STATE).read_bytes())
        except (OSError, ValueError, RecursionError):
            content = None
        if not _is_state(content):  # lost, torn or tampered with: that only means that more is rebuilt
            content = {"targets": {}, "surroundings": {"parts": {}, "digest": ""}, "files": {}}
        self.targets: dict[str, dict[str, Any]] = content["targets"]
        self._surroundings: dict[str, Any] = content["surroundings"]
        self.digests = files.Digests(project.root, content["files"])

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
        if before["surroundings"] == FAILED:
            return "its last build failed"
        if before["surroundings"] != self.surroundings:
            return "seqgen, its configuration or a library that it computes with has changed"
        for path, content in before["inputs"].items():
            if self.digests.of(path) != content:
                return f"{path} has changed"
        for path, content in before["outputs"].items():
            if self.digests.of(path) != content:
                return f"{path} is not as it was written"
        return ""

    def failed_checks(self, name: str) -> list[str]:
        """Return the checks of ``name`` that did not hold when it was built."""
        lines: list[str] = self.targets.get(name, {}).get("failed", [])
        return lines

    def outputs(self, name: str) -> Mapping[str, str]:
        """Return the hashes of what was made of ``name``, by path."""
        found: dict[str, str] = self.targets.get(name, {}).get("outputs", {})
        return found

    def record(self, name: str, made: Made) -> None:
        """Note what ``name`` was made from, as it was read, and what was written.

        A deck with blocks is both.
        """
        written = _hashes(made)
        for path, digest in written.items():
            self.digests.put(path, digest)
        for path in made.inputs:
            self.digests.of(path)  # so that its stamp is known
        self.targets[name] = {
            "surroundings": self.surroundings,
            "inputs": {path: written.get(path, made.inputs[path]) for path in sorted(made.inputs)},
            "outputs": dict(sorted(written.items())),
            "failed": made.failed_checks,
        }

    def fail(self, name: str, made: Made | None = None) -> None:
        """Note that ``name`` is to be built again, and what is there of it: of what is ``made``, a part perhaps."""
        before = self.targets.get(name, {"inputs": {}})
        outputs = (_hashes(made) if made else {}) | dict(self.outputs(name))
        self.targets[name] = {**before, "surroundings": FAILED, "outputs": outputs, "failed": []}

    def save(self) -> None:
        """Write the state.

        Raises:
            SpecError: where a link leads outside the project.
            OSError: where it can't be written.
        """
        content = {
            "format": FORMAT,
            "surroundings": self._surroundings,
            "targets": dict(sorted(self.targets.items())),
            "files": dict(sorted(self.digests.found.items())),
        }
        self.project.tree.write(STATE, json.dumps(content, separators=(",\n", ":")) + "\n")


def _is_state(found: Any) -> bool:
    """Whether notes are of the form that `State.save` writes."""
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        return False
    targets, around, stamps = (found.get(key) for key in ("targets", "surroundings", "files"))
    return (
        isinstance(targets, dict)
        and all(map(_is_target, targets.values()))
        and isinstance(around, dict)
        and isinstance(around.get("digest"), str)
        and isinstance(stamps, dict)
        and all(isinstance(one, list) and len(one) == 2 and isinstance(one[0], str) for one in stamps.values())
    )


def _is_target(found: Any) -> bool:
    kinds = {"surroundings": str, "inputs": dict, "outputs": dict, "failed": list}
    return (
        isinstance(found, dict)
        and all(isinstance(found.get(key), kind) for key, kind in kinds.items())
        and all(isinstance(line, str) for line in found["failed"])
    )


def _hashes(made: Made) -> dict[str, str]:
    return {path: files.sha256(text.encode()) for path, text in made.texts.items()}


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
    with files.alone(project.tree, waiting):
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
    try:
        for name, made in chain(_made(state, report.built, jobs, said), _woven(project, report.decks, said)):
            problem = made if isinstance(made, SeqgenError) else _written(name, made, state, report)
            if problem is not None:
                state.fail(name, made if isinstance(made, Made) else None)
                report.failed.append(name)
                report.tell(problem)
        if not wanted:
            _forget_removed(state, {*specs, *decks}, report)
    finally:
        _save(state, report)
    return report


def _save(state: State, report: Report) -> None:
    has_acted = report.built or report.decks or report.removed
    if not has_acted and not state.digests.learned:
        return
    try:
        with files.refusals():
            state.save()
    except SeqgenError as problem:
        if has_acted:  # stamps alone only spare the next build some reading
            report.tell(problem)


@dataclass(frozen=True, kw_only=True)
class Made:
    """What a spec or a deck gives, to be written: texts by path, hashes of what was read, checks that do not hold.

    ``read`` has the texts, as they were read, of files that are to be changed in place.
    """

    texts: Mapping[str, str]
    inputs: Mapping[str, str]
    read: Mapping[str, str] = field(default_factory=dict)
    failed_checks: list[str] = field(default_factory=list)
    seconds: Mapping[str, float] = field(default_factory=dict)


def _made(
    state: State, reasons: Mapping[str, str], jobs: int, said: Callable[[str, str], None]
) -> Iterator[tuple[str, Made | SeqgenError]]:
    """Yield what each spec gives, or its mistake, in the order of ``reasons``.

    Where one of several processes was killed, all that were still to come have the same mistake.
    """
    if jobs == 1 or len(reasons) < 2:
        for name, reason in reasons.items():
            said(name, reason)
            yield name, _make(state.project, state.surroundings, name)
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    with ProcessPoolExecutor(min(jobs, len(reasons)), initializer=_end_with_parent) as pool:
        results: Iterator[Made | SeqgenError] = iter(())
        with suppress(BrokenProcessPool):  # a process may be killed before all are told what to do
            results = pool.map(partial(_make, state.project, state.surroundings), reasons)
        hint = "the memory may be too short for so many: build again with a smaller -j"
        killed = SpecError("a process of this build was ended from outside", code="worker", hint=hint)
        for name, reason in reasons.items():
            said(name, reason)
            try:
                made = next(results, killed)  # after the first failure there are no more
            except BrokenProcessPool:
                made = killed
            yield name, made


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

    try:
        with files.refusals():
            rows = remembered.recall(project, name, surroundings)
            product = make(project, name, remembered=rows)
            used = product.microscope.closed_forms.used
            if used != rows:
                remembered.remember(project, name, surroundings, used)
    except SeqgenError as problem:
        return problem
    return Made(
        texts=product.files,
        inputs=product.inputs,
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
        made: Made | SeqgenError
        try:
            with files.refusals():
                woven = weave(project, name, shelf)
            made = Made(texts=woven.files, inputs=woven.inputs, read=woven.read)
        except SeqgenError as problem:
            made = problem
        yield name, made


def _written(name: str, made: Made, state: State, report: Report) -> SeqgenError | None:
    """Write what is ``made``, and return what hinders it."""
    try:
        with files.refusals():
            _write(name, made, state, report)
    except SeqgenError as problem:
        return problem
    return None


def _write(name: str, made: Made, state: State, report: Report) -> None:
    tree = state.project.tree
    for path, text in made.read.items():
        if tree.locate(path).read_bytes() != text.encode():
            raise SpecError(f"'{path}' was changed while it was built", code="changed", hint="build again")
    before = state.outputs(name)
    for path, text in made.texts.items():
        if path not in made.read:
            _keep_edit(state, path, before.get(path), text, report)
        # What is built can be built again; what is committed must not be lost where the power fails.
        durable = not path.startswith("build/")
        if tree.write(path, text, durable=durable):
            report.written.append(path)
    _remove(state, {path: content for path, content in before.items() if path not in made.texts}, report)
    state.record(name, made)
    report.failed_checks += made.failed_checks
    report.seconds[name] = made.seconds


def _forget_removed(state: State, names: set[str], report: Report) -> None:
    """Remove what targets made that are gone, all but ledgers: those are committed, and left to their owner."""
    gone = {name: target for name, target in state.targets.items() if name not in names}
    needed = {path for name in names for path in state.outputs(name)}
    for name, target in gone.items():
        outputs = {path: content for path, content in target["outputs"].items() if path not in needed}
        try:
            with files.refusals():
                _remove(state, outputs, report)
                if state.project.tree.holds(forms := f"{files.BUILT}/.forms/{name}.json", files.BUILT):
                    state.project.tree.remove(forms)
        except SeqgenError as problem:
            report.tell(problem)
        else:
            del state.targets[name]


def _remove(state: State, outputs: Mapping[str, str], report: Report) -> None:
    """Remove files below ``build/``; the notes that name them are no more to be trusted than any other file."""
    tree = state.project.tree
    for path, content in outputs.items():
        if tree.holds(path, files.BUILT):
            _keep_edit(state, path, content, None, report)
            tree.remove(path)
            report.removed.append(path)


def _keep_edit(state: State, path: str, written: str | None, text: str | None, report: Report) -> None:
    """Move a file below ``build/`` aside where it was edited by hand and is to become ``text``, or to go away.

    ``written`` is the hash of what the last build wrote there.
    """
    tree = state.project.tree
    if not tree.holds(path, files.BUILT):
        return
    content = tree.locate(path).read_bytes()
    digest = files.sha256(content)
    if digest == written or content == (text or "").encode() or not origin.was_edited(content.decode(errors="replace")):
        return
    aside = f"{path}.edited-{digest[:8]}"
    tree.move(path, aside)
    report.kept[path] = aside
