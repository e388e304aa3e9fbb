"""The checks that a spec declares, one function a kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from seqgen.assertions import expected, gradients, references
from seqgen.assertions.bounds import Bounds, Distance
from seqgen.assertions.equality import equality_to_zero, unequal
from seqgen.assertions.outcome import Outcome
from seqgen.errors import SpecError
from seqgen.graph.node import ShapeClash, apply
from seqgen.graph.shapes import show
from seqgen.microscope import Microscope
from seqgen.readings import torch
from seqgen.spec import document
from seqgen.spec.document import Scalar
from seqgen.spec.model import Check

DEFAULT_TOLERANCE = "1e-12"


def run(microscope: Microscope, check: Check, *, replay: bool = True) -> list[Outcome]:
    """Return what comes of a declared check; replays in other libraries run only where ``replay``.

    Raises:
        SeqgenError: where the check itself is not well formed.
    """
    if check.kind not in REPLAYS:
        return KINDS[check.kind](microscope, check)
    row, compare = REPLAYS[check.kind]
    content, failure = row(microscope, check)
    compared = check.arguments["equals" if check.kind == "reference" else "of"]
    assert isinstance(compared, Scalar)
    if "release" in check.arguments:
        content["release"] = check.text("release")
    passed = not failure
    name = (
        f"{check.kind} {content['torch']} of {content['of']}"
        if "torch" in content
        else f"{check.kind} of {content['of']}"
    )
    outcome = Outcome(
        span=check.span,
        passed=passed,
        said=f"{name}: not replayed here{failure}",
        row=content,
        compared=microscope.node(compared),
    )
    if not replay:
        return [outcome]
    why = torch.missing(content.get("release", ""))
    if why:
        return [replace(outcome, said=f"{name}: skipped, {why}{failure}", skipped=why if passed else "")]
    distance = compare(microscope, check)
    bounds = Bounds.of(check, DEFAULT_TOLERANCE)
    said = f"{name}: {content['count']} values, largest distance {distance.largest:.3g} ({bounds}){failure}"
    return [replace(outcome, passed=passed and distance.within, said=said)]


def _equal(microscope: Microscope, check: Check) -> list[Outcome]:
    sides = [check.arguments[key] for key in ("left", "right")]
    left, right = (microscope.node(side) for side in sides if isinstance(side, Scalar))
    texts = f"{check.text('left')} = {check.text('right')}"
    try:
        difference = apply("subtract", left, right, origin=check.span)
    except ShapeClash as problem:
        raise SpecError(str(problem), code="shape", span=check.span) from None
    equality = equality_to_zero(microscope, difference)
    row: dict[str, Any] = {"check": "equal", "left": check.text("left"), "right": check.text("right")}
    row["how"] = equality.how
    if equality.within:
        row["within"] = equality.within
    row["passed"] = equality.place is None
    said = f"equal: {texts}, {equality.how}"
    if equality.place is not None:
        said = f"equal: {texts} {unequal(microscope, equality, (left, right, difference))}"
    return [Outcome(span=check.span, passed=equality.place is None, said=said, row=row)]


def _reference_row(microscope: Microscope, check: Check) -> tuple[dict[str, Any], str]:
    equals = check.arguments["equals"]
    assert isinstance(equals, Scalar)
    row: dict[str, Any] = {"check": "reference", "of": equals.text, "torch": check.text("torch")}
    row["count"] = microscope.node(equals).size
    return row | Bounds.of(check, DEFAULT_TOLERANCE).row(), ""


def _reference(microscope: Microscope, check: Check) -> Distance:
    """Return the distance between our value and that of a function of another library."""
    name, equals, names = check.text("torch"), check.arguments["equals"], check.arguments["arguments"]
    assert isinstance(names, document.Sequence)
    assert isinstance(equals, Scalar)
    wanted = microscope.node(equals)
    prover = microscope.prover
    arguments = [prover.reals(microscope.node(s)).values for s in names.items if isinstance(s, Scalar)]
    options = document.plain(check.arguments["options"]) if "options" in check.arguments else {}
    try:
        found = references.call(name, arguments, options)
    except Exception as problem:  # whatever the other library says of arguments that do not suit it
        raise SpecError(f"{name} refuses these arguments: {problem}", code="reference", span=check.span) from None
    if found.shape != wanted.shape:
        raise SpecError(
            f"{name} gives another shape",
            code="shape",
            span=equals.span,
            expected=show(found.shape),
            got=show(wanted.shape),
        )
    return Distance.between(found, prover.reals(wanted).values, Bounds.of(check, DEFAULT_TOLERANCE))


def _shape(microscope: Microscope, check: Check) -> list[Outcome]:
    outcomes = []
    for reference, stated in check.arguments.items():
        assert isinstance(stated, document.Sequence)
        shape = microscope.node(check.keys[reference]).shape
        sizes = [microscope.node(size).number for size in stated.items if isinstance(size, Scalar)]
        passed = sizes == list(shape)
        wanted = ", ".join(size.text for size in stated.items if isinstance(size, Scalar))
        said = f"shape: {reference} has shape {list(shape)}" + ("" if passed else f", expected [{wanted}]")
        row = {"check": "shape", "of": reference, "shape": list(shape), "passed": passed}
        outcomes.append(Outcome(span=stated.span, passed=passed, said=said, row=row))
    return outcomes


KINDS: dict[str, Callable[[Microscope, Check], list[Outcome]]] = {
    "finite_difference": gradients.finite_difference,
    "equal": _equal,
    "erratum": expected.erratum,
    "expect": expected.expect,
    "shape": _shape,
}
# Checks by another library: what the ledger records of one, with why it fails whatever the other library says, and the
# distance that it finds.
REPLAYS: dict[
    str,
    tuple[Callable[[Microscope, Check], tuple[dict[str, Any], str]], Callable[[Microscope, Check], Distance]],
] = {
    "autograd": (gradients.autograd_row, gradients.autograd),
    "reference": (_reference_row, _reference),
}
