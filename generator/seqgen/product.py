"""Everything that a spec is made into, in memory: its ledger, its pages, and what its checks say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from seqgen.checks import declared
from seqgen.checks.outcome import Outcome
from seqgen.errors import Collector, SeqgenError
from seqgen.ledger.document import dump
from seqgen.ledger.record import record
from seqgen.microscope import Microscope, open_microscope
from seqgen.pages.render import all_templates, pages
from seqgen.project import Project


@dataclass(frozen=True, kw_only=True)
class Product:
    """The files of a spec by path, what they were made from, and the outcomes of its checks."""

    microscope: Microscope
    ledger: dict[str, Any]
    files: dict[str, str]
    inputs: Sequence[str]
    outcomes: Sequence[Outcome]


def ledger_path(name: str) -> str:
    """Return the path of a spec's ledger from the project's root."""
    return f"ledgers/{name}.json"


def make(project: Project, name: str, *, replay: bool = False) -> Product:
    """Compute spec ``name``; with ``replay``, checks by other libraries run too.

    Raises:
        SeqgenError: with all mistakes of the spec, its tables, its derivations and its checks.
    """
    microscope = open_microscope(project, name)
    microscope.prover.agrees_with_numpy(microscope.everything())
    errors = Collector()
    outcomes: list[Outcome] = []
    for check in microscope.spec.checks:
        try:
            outcomes += declared.run(microscope, check, replay=replay)
        except SeqgenError as problem:
            errors.add(problem)
    templates = all_templates(microscope)
    rendered: dict[str, str] = {}
    try:
        rendered = {page.path: page.text for page in pages(microscope, templates)}
    except SeqgenError as problem:
        errors.add(problem)
    errors.raise_any()
    ledger = record(
        microscope.spec,
        microscope.graph,
        microscope.prover,
        display=microscope.display,
        gradients=[(g.entry, g.contributions) for g in microscope.gradients],
        cited=list(microscope.cited()),
        checks=[dict(outcome.row) for outcome in outcomes],
    )
    inputs = [project.relative(project.spec_path(spec)) for spec in microscope.spec.digests]
    inputs += [path for engine in templates.values() for path in engine.used]
    return Product(
        microscope=microscope,
        ledger=ledger,
        files={ledger_path(name): dump(ledger), **rendered},
        inputs=inputs,
        outcomes=outcomes,
    )
