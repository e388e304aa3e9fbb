"""The build: which specs and decks have changed, and writing what follows from them.

A spec or a deck is up to date while every file that it was made from, the configuration and seqgen itself have the
content that they had, seqgen's libraries have the versions that they had, and every file that was written is still as
written. Times decide only whether a file must be read again to know its content (see `files.Digests`). This module
imports nothing heavy: a build with nothing to do ends here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from itertools import chain
from typing import TYPE_CHECKING

from seqgen import files
from seqgen.build.state import State
from seqgen.decks.sources import select
from seqgen.errors import SeqgenError, SpecError
from seqgen.project import Project

if TYPE_CHECKING:
    from seqgen.build.workers import Output


class Report:
    """What a build did: specs and decks by what happened, files, failures, seconds by spec and stage.

    ``kept`` names what was edited by hand and had to make way, with where it is now.
    """

    def __init__(self) -> None:
        self.built: dict[str, str] = {}
        self.unchanged: list[str] = []
        self.decks: dict[str, str] = {}
        self.unchanged_decks: list[str] = []
        self.failed: list[str] = []
        self.written: list[str] = []
        self.removed: list[str] = []
        self.kept: dict[str, str] = {}
        self.errors: list[SeqgenError] = []
        self.failed_checks: list[str] = []
        self.seconds: dict[str, Mapping[str, float]] = {}

    def tell(self, problem: SeqgenError) -> None:
        """Note a mistake, once."""
        if problem not in self.errors:
            self.errors.append(problem)


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
        if report.built or report.decks:
            _renew(state, report, jobs, said)
        if not wanted:
            _forget_removed(state, {*specs, *decks}, report)
    finally:
        _save(state, report)
    return report


def _renew(state: State, report: Report, jobs: int, said: Callable[[str, str], None]) -> None:
    """Make the specs and decks that are to be built, and write what they give."""
    from seqgen.build.workers import computed, woven

    specs = computed(state.project, state.surroundings, report.built, jobs, said)
    for name, made in chain(specs, woven(state.project, report.decks, said)):
        problem = made if isinstance(made, SeqgenError) else _written(name, made, state, report)
        if problem is not None:
            state.fail(name, None if isinstance(made, SeqgenError) else made)
            report.failed.append(name)
            report.tell(problem)


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


def _written(name: str, made: Output, state: State, report: Report) -> SeqgenError | None:
    """Write what is ``made``, and return what hinders it."""
    try:
        with files.refusals():
            _write(name, made, state, report)
    except SeqgenError as problem:
        return problem
    return None


def _write(name: str, made: Output, state: State, report: Report) -> None:
    start = time.perf_counter()
    tree = state.project.tree
    for path, text in made.read.items():
        if tree.locate(path).read_bytes() != text.encode():
            raise SpecError(f"'{path}' was changed while it was built", code="changed", hint="build again")
    before = state.outputs(name)
    for path, content in made.contents.items():
        if path not in made.read:
            _keep_edit(state, path, before.get(path), content, report)
        # What is built can be built again; what is committed must not be lost where the power fails.
        durable = not path.startswith("build/")
        if tree.write(path, content, durable=durable):
            report.written.append(path)
    _remove(state, {path: digest for path, digest in before.items() if path not in made.contents}, report)
    state.record(name, made)
    report.failed_checks += made.failed_checks
    report.seconds[name] = {**made.seconds, "writing": time.perf_counter() - start}


def _forget_removed(state: State, names: set[str], report: Report) -> None:
    """Remove what targets made that are gone, all but ledgers: those are committed, and left to their owner."""
    gone = state.targets.keys() - names
    needed = {path for name in names for path in state.outputs(name)} if gone else set()
    for name in sorted(gone):
        outputs = {path: content for path, content in state.outputs(name).items() if path not in needed}
        try:
            with files.refusals():
                _remove(state, outputs, report)
                if state.project.tree.find(forms := f"{files.BUILT}/.forms/{name}.json", files.BUILT):
                    state.project.tree.remove(forms)
        except SeqgenError as problem:
            report.tell(problem)
        else:
            del state.targets[name]


def _remove(state: State, outputs: Mapping[str, str], report: Report) -> None:
    """Remove files below ``build/``; the notes that name them are no more to be trusted than any other file."""
    tree = state.project.tree
    for path, content in outputs.items():
        if tree.find(path, files.BUILT):
            _keep_edit(state, path, content, None, report)
            tree.remove(path)
            report.removed.append(path)


def _keep_edit(state: State, path: str, written: str | None, wanted: files.Content | None, report: Report) -> None:
    """Move a file below ``build/`` aside where it was edited by hand and is to become ``wanted``, or to go away.

    ``written`` is the hash of what the last build wrote there.
    """
    tree = state.project.tree
    place = tree.find(path, files.BUILT)
    if place is None:
        return
    content = place.read_bytes()
    digest = files.sha256(content)
    if digest == written or content == files.encoded(wanted or "") or not files.was_edited(content):
        return
    aside = f"{path}.edited-{digest[:8]}"
    tree.move(path, aside)
    report.kept[path] = aside
