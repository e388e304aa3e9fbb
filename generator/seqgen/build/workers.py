"""What specs and decks give, computed in this process or in several."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from seqgen import files
from seqgen.build import artifacts, form_cache
from seqgen.errors import SeqgenError, SpecError
from seqgen.project import Project


@dataclass(frozen=True, kw_only=True)
class Output:
    """What a spec or a deck gives, to be written: contents by path, hashes of what was read, checks that do not hold.

    ``read`` has the texts, as they were read, of files that are to be changed in place.
    """

    contents: Mapping[str, files.Content]
    inputs: Mapping[str, str]
    read: Mapping[str, str] = field(default_factory=dict)
    failed_checks: list[str] = field(default_factory=list)
    seconds: Mapping[str, float] = field(default_factory=dict)


def computed(
    project: Project, surroundings: str, reasons: Mapping[str, str], jobs: int, said: Callable[[str, str], None]
) -> Iterator[tuple[str, Output | SeqgenError]]:
    """Yield what each spec gives, or its mistake, in the order of ``reasons``, from ``jobs`` processes.

    ``surroundings`` is the hash of what every spec depends on. Where one of several processes was killed, all that were
    still to come have the same mistake.
    """
    if jobs == 1 or len(reasons) < 2:
        for name, reason in reasons.items():
            said(name, reason)
            yield name, _make(project, surroundings, name)
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    with ProcessPoolExecutor(min(jobs, len(reasons)), initializer=_end_with_parent) as pool:
        results: Iterator[Output | SeqgenError] = iter(())
        with suppress(BrokenProcessPool):  # a process may be killed before all are told what to do
            results = pool.map(partial(_make, project, surroundings), reasons)
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


def _make(project: Project, surroundings: str, name: str) -> Output | SeqgenError:
    try:
        with files.refusals():
            rows = form_cache.read(project, name, surroundings)
            made = artifacts.make(project, name, known_forms=rows)
            used = made.microscope.closed_forms.used
            if used != rows:
                form_cache.write(project, name, surroundings, used)
    except SeqgenError as problem:
        return problem
    return Output(
        contents=made.files,
        inputs=made.inputs,
        failed_checks=[f"{outcome.span}: {outcome.said}" for outcome in made.outcomes if not outcome.passed],
        seconds=made.seconds,
    )


def woven(
    project: Project, reasons: Mapping[str, str], said: Callable[[str, str], None]
) -> Iterator[tuple[str, Output | SeqgenError]]:
    """Yield what each deck gives, or its mistakes; decks share the microscopes that they cite."""
    if not reasons:
        return
    from seqgen.decks.weave import Shelf, weave

    shelf = Shelf(project=project)
    for name, reason in reasons.items():
        said(name, reason)
        made: Output | SeqgenError
        try:
            with files.refusals():
                deck = weave(project, name, shelf)
            made = Output(contents=deck.files, inputs=deck.inputs, read=deck.read)
        except SeqgenError as problem:
            made = problem
        yield name, made
