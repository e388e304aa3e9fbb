"""Rules about printed digits: proven or not, printed as zero, close to another rounding."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from seqgen.build.artifacts import Artifacts
from seqgen.errors import Span
from seqgen.findings import Finding, at
from seqgen.ledger.display import decide, unit
from seqgen.microscope import Microscope
from seqgen.readings import intervals
from seqgen.shown.consistency import steps
from seqgen.shown.sheet import displayed, value_of

# An enclosure of this many bits tells a hundredth of a unit of any printed number.
BITS = 256
NEAR = Fraction(2, 100)


def unproven(artifacts: Artifacts) -> Iterator[Finding]:
    """Yield the entries with a value or a digit that is not proven."""
    microscope = artifacts.microscope
    for entry in microscope.all_entries():
        if not artifacts.ledger["entries"][entry.key]["proven"]:
            yield _unproven(artifacts, entry.key, entry.span)


def unproven_parts(artifacts: Artifacts) -> Iterator[Finding]:
    """Yield what is printed beside entries and is not proven: terms of gradients, cells, expectations."""
    microscope, entries = artifacts.microscope, artifacts.ledger["entries"]
    found: dict[str, Span | None] = {key: None for key, one in artifacts.ledger["derived"].items() if not one["proven"]}
    for gradient in microscope.gradients:
        for via, node in gradient.contributions:
            if not microscope.prover.reals(node).proven:
                found[f"{gradient.entry.key[:-1]}, via={via})"] = gradient.entry.span
    for shown in displayed(microscope):
        if not shown.proven:
            found[shown.reference] = found.get(shown.reference) or shown.span
    for name, span in found.items():
        if name not in entries:
            yield _unproven(artifacts, name, span)


def _unproven(artifacts: Artifacts, name: str, span: Span | None) -> Finding:
    bits = artifacts.microscope.prover.last_bits
    return at(span, f"the digits of {name} can't be proven with {bits} bits", otherwise=_file(artifacts.microscope))


def vanishing(artifacts: Artifacts) -> Iterator[Finding]:
    """Yield the printed zeros that stand for another value."""
    for shown in displayed(artifacts.microscope):
        for place, number in np.ndenumerate(shown.printed):
            if number.vanishes:
                real = shown.values[place]
                name = shown.name(place)
                yield at(
                    shown.span,
                    f"{name} is {real:.3g} and is printed as {number.text}",
                    otherwise=_file(artifacts.microscope),
                    old=number.text,
                    new=f"{real:.3g}",
                )


def near_ties(microscope: Microscope) -> Iterator[Finding]:
    """Yield the printed numbers whose value is next to where they would round otherwise."""
    ties = microscope.project.configuration.ties
    for shown in displayed(microscope):
        if shown.display.form in ("as-written", "exact") or shown.exact:
            continue
        values = microscope.prover.enclosures(shown.node, BITS)
        for place, number in np.ndenumerate(shown.printed):
            bounds, printed = intervals.bounds(values[place]), value_of(number)
            step = None if printed is None else unit(number.text, shown.display)
            if number.exact or bounds is None or printed is None or step is None:
                continue
            middle = (bounds[0] + bounds[1]) / 2
            distance = abs(abs(middle - printed) / step - Fraction(1, 2))
            if distance >= NEAR:
                continue
            beyond = printed + (step if middle > printed else -step)
            other = decide(beyond, beyond, shown.display, ties)
            text = other.text if other else str(beyond)
            how = "exactly" if distance == 0 else f"within {float(distance):.1%} of a unit of the middle"
            yield at(
                shown.span,
                f"{shown.name(place)} lies {how} between {number.text} and {text}",
                otherwise=_file(microscope),
                old=number.text,
                new=text,
            )


def printed_sums(microscope: Microscope) -> Iterator[Finding]:
    """Yield the steps of tables and derivations whose result does not follow from their printed operands."""
    for title, noted, step in steps(microscope):
        if noted:
            continue  # the page says so itself
        first = step.mismatches[0]
        digits = " or ".join(str(number) for number in step.fewest)
        holds = f"it adds up with {digits} digits" if digits else "it adds up with no number of digits up to 12"
        yield at(
            step.span,
            f"in {title}, {first}; {holds}",
            otherwise=_file(microscope),
            old=first.printed,
            new=first.found,
            details=tuple(str(mismatch) for mismatch in step.mismatches[1:]),
        )


def _file(microscope: Microscope) -> str:
    return f"specs/{microscope.spec.name}.yaml"
