"""Everything that a spec is made into, in memory: its ledger, its pages, and what its checks say."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from seqgen.assertions import declared
from seqgen.assertions.outcome import Outcome
from seqgen.errors import Collector, SeqgenError, SpecError
from seqgen.files import Content
from seqgen.ledger.disk import ledger_path
from seqgen.ledger.document import dump
from seqgen.ledger.floating import compare_with_numpy
from seqgen.ledger.record import record
from seqgen.microscope import Microscope, open_microscope
from seqgen.project import Project
from seqgen.readings.forms import Facts
from seqgen.writers.medium import content_of, media


@dataclass(frozen=True, kw_only=True)
class Artifacts:
    """The files of a spec by path, the hashes of what they were made from, and the outcomes of its checks."""

    microscope: Microscope
    ledger: dict[str, Any]
    files: dict[str, Content]
    inputs: Mapping[str, str]
    outcomes: Sequence[Outcome]
    seconds: Mapping[str, float]


class Stopwatch:
    """Seconds by stage; what a stage needs first is counted with it."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time inside as that of ``name``."""
        start = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - start


def make(
    project: Project, name: str, *, replay: bool = False, known_forms: Mapping[str, list[Facts]] | None = None
) -> Artifacts:
    """Compute spec ``name``; with ``replay``, checks by other libraries run too.

    ``known_forms`` is what an earlier build knew of closed forms, by content.

    Raises:
        SeqgenError: with all mistakes of the spec, its tables, its derivations and its checks.
    """
    try:
        return _make(project, name, replay=replay, known_forms=known_forms)
    except (SeqgenError, OSError):
        raise
    except (RecursionError, MemoryError) as problem:
        reason = f"'{name}' is too deep or too large to compute ({type(problem).__name__})"
        raise SpecError(reason, code="too-large", hint="shorten its loops or its expressions") from None
    except Exception as problem:  # no spec may stop the others; this is ours to mend
        reason = f"seqgen fails on '{name}': {type(problem).__name__}: {problem}"
        raise SpecError(reason, code="internal", hint="this is a mistake of seqgen: please report it") from problem


def _make(project: Project, name: str, *, replay: bool, known_forms: Mapping[str, list[Facts]] | None) -> Artifacts:
    watch = Stopwatch()
    with watch.stage("graph"):
        microscope = open_microscope(project, name, known_forms)
    with watch.stage("numpy"):
        compare_with_numpy(microscope.prover, microscope.everything())
    errors = Collector()
    outcomes: list[Outcome] = []
    with watch.stage("checks"):
        for check in microscope.spec.conditions():
            try:
                outcomes += declared.run(microscope, check, replay=replay)
            except SeqgenError as problem:
                errors.add(problem)
    pages: dict[str, Content] = {}
    inputs = dict(microscope.spec.files)
    with watch.stage("pages"):
        try:
            content = content_of(microscope, outcomes)
            for medium in media().values():
                pages |= {page.path: page.content for page in medium.pages(content)}
            inputs |= content.used
        except SeqgenError as problem:
            errors.add(problem)
    errors.raise_any()
    with watch.stage("ledger"):
        ledger = record(
            microscope.spec,
            microscope.graph,
            microscope.prover,
            display=microscope.display,
            gradients=[(g.entry, g.contributions) for g in microscope.gradients],
            cited=list(microscope.cited()),
            checks=[dict(outcome.row) for outcome in outcomes],
        )
        text = dump(ledger)
    return Artifacts(
        microscope=microscope,
        ledger=ledger,
        files={**pages, ledger_path(name): text},  # pages first: they need not wait until the disk has the ledger
        inputs=inputs,
        outcomes=outcomes,
        seconds=watch.seconds,
    )
