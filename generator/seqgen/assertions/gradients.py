"""Gradients against central differences, and against PyTorch's autograd.

A derivative exists only where the function does not jump: both checks look at the values on either side first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from seqgen.assertions.bounds import Bounds, Distance
from seqgen.assertions.differences import (
    MAX_MOVED,
    Jump,
    Kink,
    central_differences,
    discontinuities,
    moved_together,
    work,
)
from seqgen.assertions.equality import key_of_place
from seqgen.assertions.outcome import Outcome
from seqgen.errors import SpecError, count, placed
from seqgen.graph.node import Node, ancestors
from seqgen.microscope import Microscope
from seqgen.readings import torch
from seqgen.readings.evaluate import Undefined
from seqgen.spec.document import Scalar
from seqgen.spec.model import Check

DEFAULT_STEP = "1e-6"


def scalar_of(microscope: Microscope, check: Check) -> Node:
    """Return the scalar whose gradients ``check`` compares.

    Raises:
        SpecError: where it is no named scalar.
    """
    scalar = check.arguments["of"]
    assert isinstance(scalar, Scalar)
    node = microscope.node(scalar)
    microscope.graph.refuse_unless_scalar(node, scalar.text, scalar.span)
    return node


def moved_by(microscope: Microscope, check: Check) -> list[Node]:
    """Return the nodes that a gradient check moves: those it names, or the parameters.

    Raises:
        SpecError: where there is none, or one has no name.
    """
    if not check.by:
        root = scalar_of(microscope, check)
        adjoints = microscope.graph.adjoints(root)
        found = [e.node for e in microscope.parameters if adjoints.contributions(e.node) or e.node in adjoints.closed]
        if not found:  # through comparisons alone, where a jump may be
            below = set(ancestors([root]))
            found = [e.node for e in microscope.parameters if e.node in below]
        if not found:
            raise SpecError(
                f"'{check.text('of')}' depends on no parameter",
                code="gradient",
                span=check.span,
                hint="name what to move: by: [x]",
            )
        return found
    nodes = []
    for name in check.by:
        members = [node for _, node in microscope.graph.members(name.text)] or [microscope.node(name)]
        for node in members:
            if node not in microscope.graph.names:
                raise SpecError(
                    f"'{name.text}' is not a name to differentiate by",
                    code="gradient",
                    span=name.span,
                    expected="names that the scalar depends on, such as by: [x]",
                )
        nodes += members
    return nodes


def _own_gradients(microscope: Microscope, check: Check, root: Node, by: list[Node]) -> list[Node]:
    with placed(check.span):
        return [microscope.graph.gradient(root, node) for node in by]


def finite_difference(microscope: Microscope, check: Check) -> list[Outcome]:
    """Compare the gradients of a scalar with central differences.

    Raises:
        SpecError: where the check takes too much, or a step leads to where the scalar has no value.
    """
    root, by = scalar_of(microscope, check), moved_by(microscope, check)
    gradients = _own_gradients(microscope, check, root, by)
    step, bounds = check.number("step", DEFAULT_STEP), Bounds.of(check)
    if work(root, by) > MAX_MOVED:
        raise SpecError(
            "these are too many differences",
            code="too-large",
            span=check.span,
            hint="name fewer values to move, such as by: [x]",
        )
    try:
        found = central_differences(root, by, gradients, step, bounds.tolerance, relative=bounds.relative)
    except Undefined as problem:
        raise SpecError(
            f"a step of {float(step):g} leaves where '{check.text('of')}' has a value: {problem}",
            code="undefined",
            span=check.span,
            hint="take a smaller step, such as step: 1e-9",
        ) from None
    passed = found.within and not found.jumps
    row: dict[str, Any] = {"check": "finite_difference", "of": check.text("of"), "count": found.count}
    row |= {"step": float(step)} | bounds.row()
    if found.enclosed:
        row["measured"] = found.largest
        if found.order is not None:
            row["order"] = found.order
    row |= _kink_rows(microscope, found.kinks) | _jump_rows(microscope, found.jumps) | {"passed": passed}
    order = "" if found.order is None else f", order {found.order:.2f}"
    said = (
        f"finite_difference of {check.text('of')}: {count(found.count, 'scalar')}, "
        f"largest distance {found.largest:.3g} ({bounds}){order}"
    )
    if not found.within and found.worst is not None:
        w = found.worst
        name = _name(microscope, w.node, w.place)
        said += f"; at {name} the gradient is {w.taken:.6g}, the difference {w.found:.6g}"
    said += _said_of_jumps(microscope, found.jumps)
    for kink in found.kinks:
        name = _name(microscope, kink.node, kink.place)
        said += f"; a kink at {name}: slopes {kink.left:.4g} and {kink.right:.4g}, taken {kink.taken:.4g}"
    return [Outcome(span=check.span, passed=passed, said=said, row=row, compared=root)]


def _kink_rows(microscope: Microscope, kinks: Sequence[Kink]) -> dict[str, Any]:
    rows = [
        {
            "of": _name(microscope, kink.node, kink.place),
            "left": round(kink.left, 6),
            "right": round(kink.right, 6),
            "taken": round(kink.taken, 6),
        }
        for kink in kinks
    ]
    return {"kinks": rows} if rows else {}


def _jump_rows(microscope: Microscope, jumps: Sequence[Jump]) -> dict[str, Any]:
    rows = [
        {
            "of": _name(microscope, jump.node, jump.place),
            "left": float(f"{jump.left:.6g}"),
            "right": float(f"{jump.right:.6g}"),
        }
        for jump in jumps
    ]
    return {"jumps": rows} if rows else {}


def _said_of_jumps(microscope: Microscope, jumps: Sequence[Jump]) -> str:
    return "".join(
        f"; a jump at {_name(microscope, jump.node, jump.place)}, by {jump.left:+.4g} just below it and by "
        f"{jump.right:+.4g} just above it: there is no derivative"
        for jump in jumps
    )


def _name(microscope: Microscope, node: Node, place: tuple[int, ...]) -> str:
    return microscope.graph.names[node] + key_of_place(place)


def autograd_row(microscope: Microscope, check: Check) -> tuple[dict[str, Any], str]:
    """Return what the ledger records of a comparison with autograd, and why it fails without one, if it does."""
    root, by = scalar_of(microscope, check), moved_by(microscope, check)
    row = {"check": "autograd", "of": check.text("of"), "count": sum(node.size for node in by)} | Bounds.of(check).row()
    jumps: tuple[Jump, ...] = ()
    if work(root, by) <= MAX_MOVED:
        try:
            jumps = discontinuities(root, by, check.number("step", DEFAULT_STEP))
        except Undefined:  # a step leads to where there is no value, which is no jump
            jumps = ()
    return row | _jump_rows(microscope, jumps), _said_of_jumps(microscope, jumps)


def autograd(microscope: Microscope, check: Check) -> Distance:
    """Return the distance between our gradients and those of PyTorch's autograd."""
    root, by = scalar_of(microscope, check), moved_by(microscope, check)
    gradients = dict(zip(by, _own_gradients(microscope, check, root, by), strict=True))
    distance, bounds = Distance(), Bounds.of(check)
    for group in moved_together(by):
        for node, replayed in zip(group, torch.autograd(root, group), strict=True):
            distance |= Distance.between(replayed, microscope.prover.reals(gradients[node]).values, bounds)
    return distance
