"""Enclosures of every value, and the proven digits of every printed number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from flint import arb, ctx

from benchmarks.figures import Family, Figure
from benchmarks.measure import calls, paired
from benchmarks.recurrent import project, spec
from seqgen.ledger.proof import Prover
from seqgen.microscope import open_microscope

# This net has about as many scalars and operations as the row asks for.
T, H = 82, 2
SCALARS, OPERATIONS, BITS = 1100, 4700, 64


def loop(scalars: int, operations: int) -> Callable[[], list[arb]]:
    """Return a loop over balls of that many operations, as one writes it with python-flint: sums of products, tanh."""
    inputs = [arb(k) / 7 for k in range(1, 11)]
    products = (operations // scalars - 1) // 2

    def compute() -> list[arb]:
        ctx.prec, before = BITS, ctx.prec
        found = inputs[:]
        for k in range(scalars):
            total = found[k] * inputs[0]
            for j in range(1, products):
                total += found[k + j] * inputs[j]
            found.append((total + inputs[9]).tanh())
        ctx.prec = before
        return found

    return compute


def _digits(folder: Path, runs: int) -> Iterator[Figure]:
    forward, _, _ = spec(T, H, H, 3).partition("gradients:")
    microscope = open_microscope(project(folder, forward), "example")
    nodes = microscope.everything()
    count = sum(node.size for node in nodes)
    settings = microscope.project.configuration

    def prove() -> None:
        forms, longest = microscope.forms, microscope.closed_forms.longest
        prover = Prover(settings=settings, where=microscope.where, forms=forms, longest_form=longest, nodes=nodes)
        for node in nodes:
            prover.reals(node)
            prover.printed(node, microscope.display(microscope.graph.names[node]))

    what = f"enclosures, nearest floats and printed digits of {count:,} scalars"
    against = f"a loop of {OPERATIONS:,} operations with python-flint"
    yield Figure(what=what, against=against, pairs=paired(calls(prove), calls(loop(SCALARS, OPERATIONS)), runs), bar=5)


DIGITS = Family(name="proof", measure=_digits, runs=15)
