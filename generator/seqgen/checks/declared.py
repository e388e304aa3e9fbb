"""The checks that a spec declares, one function a kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from seqgen.checks.differences import central_differences
from seqgen.checks.outcome import Outcome
from seqgen.errors import SeqgenError, Span, SpecError
from seqgen.graph.node import Node, ShapeClash, apply
from seqgen.graph.shapes import show
from seqgen.microscope import Microscope
from seqgen.readings import ball, torch
from seqgen.readings.exact import rational_value
from seqgen.spec import document
from seqgen.spec.document import Scalar
from seqgen.spec.model import Check, Display

DEFAULT_STEP = "1e-6"


def run(microscope: Microscope, check: Check, *, replay: bool = True) -> list[Outcome]:
    """Return what comes of a declared check; replays in other libraries run only where ``replay``.

    Raises:
        SeqgenError: where the check itself is not well formed.

    """
    if check.kind == "autograd" and not replay:
        return [
            Outcome(
                span=check.span, passed=True, said="autograd: not replayed by build", row=_replay_row(microscope, check)
            )
        ]
    return KINDS[check.kind](microscope, check)


def _scalar_of(microscope: Microscope, check: Check) -> Node:
    scalar = check.arguments["of"]
    assert isinstance(scalar, Scalar)
    node = microscope.node(scalar)
    if node.shape != () or node not in microscope.graph.names:
        raise SpecError(
            f"'{scalar.text}' is not a named scalar", code="gradient", span=scalar.span, got=show(node.shape)
        )
    return node


def _by(microscope: Microscope, check: Check) -> list[Node]:
    """Return the nodes that a gradient check moves: those it names, or the parameters."""
    names = check.arguments.get("by")
    if not isinstance(names, document.Sequence):
        root = _scalar_of(microscope, check)
        adjoints = microscope.graph.adjoints(root)
        found = [e.node for e in microscope.parameters if adjoints.contributions(e.node)]
        if not found:
            raise SpecError(
                f"'{check.text('of')}' depends on no parameter",
                code="gradient",
                span=check.span,
                hint="name what to move: by: [x]",
            )
        return found
    nodes = []
    for name in names.items:
        assert isinstance(name, Scalar)
        members = [node for _, node in microscope.graph.members(name.text)] or [microscope.node(name)]
        for node in members:
            if node not in microscope.graph.names:
                raise SpecError(f"'{name.text}' is not a named value", code="gradient", span=name.span)
        nodes += members
    return nodes


def _finite_difference(microscope: Microscope, check: Check) -> list[Outcome]:
    root, by = _scalar_of(microscope, check), _by(microscope, check)
    adjoints = microscope.graph.adjoints(root)
    step = Fraction(check.text("step", DEFAULT_STEP))
    tolerance = float(check.text("tolerance"))
    found = central_differences(root, by, [adjoints.gradient(node) for node in by], step)
    passed = found.largest <= tolerance
    row: dict[str, Any] = {
        "check": "finite_difference",
        "of": check.text("of"),
        "count": found.count,
        "step": float(step),
        "tolerance": tolerance,
    }
    if found.enclosed:
        row["measured"] = found.largest
        if found.order is not None:
            row["order"] = found.order
    row["passed"] = passed
    order = "" if found.order is None else f", order {found.order:.2f}"
    said = (
        f"finite_difference of {check.text('of')}: {found.count} scalars, largest distance {found.largest:.3g} "
        f"(at most {tolerance:g}){order}"
    )
    return [Outcome(span=check.span, passed=passed, said=said, row=row)]


def _replay_row(microscope: Microscope, check: Check) -> dict[str, Any]:
    count = sum(node.size for node in _by(microscope, check))
    return {"check": "autograd", "of": check.text("of"), "count": count, "tolerance": float(check.text("tolerance"))}


def _autograd(microscope: Microscope, check: Check) -> list[Outcome]:
    row = _replay_row(microscope, check)
    if not torch.is_installed():
        said = f"autograd of {row['of']}: skipped, PyTorch is not installed"
        return [Outcome(span=check.span, passed=True, said=said, row=row, skipped="PyTorch is not installed")]
    root, by = _scalar_of(microscope, check), _by(microscope, check)
    adjoints = microscope.graph.adjoints(root)
    largest = 0.0
    for node, replayed in zip(by, torch.autograd(root, by), strict=True):
        reals = microscope.prover.reals(adjoints.gradient(node))
        own = np.array([real.value for real in reals.flat]).reshape(node.shape)
        largest = max(largest, float(np.max(np.abs(own - replayed), initial=0.0)))
    said = f"autograd of {row['of']}: {row['count']} scalars, largest distance {largest:.3g}"
    said += f" (at most {row['tolerance']:g})"
    return [Outcome(span=check.span, passed=largest <= row["tolerance"], said=said, row=row)]


def _equal(microscope: Microscope, check: Check) -> list[Outcome]:
    sides = [check.arguments[key] for key in ("left", "right")]
    left, right = (microscope.node(side) for side in sides if isinstance(side, Scalar))
    texts = f"{check.text('left')} = {check.text('right')}"
    try:
        difference = apply("subtract", left, right, origin=check.span)
    except ShapeClash as problem:
        raise SpecError(str(problem), code="shape", span=check.span) from None
    how, within, place = _zero(microscope, difference)
    row: dict[str, Any] = {"check": "equal", "left": check.text("left"), "right": check.text("right"), "how": how}
    if within:
        row["within"] = within
    row["passed"] = place is None
    said = (
        f"equal: {texts}, {how}"
        if place is None
        else f"equal: {texts} does not hold" + (f" at {list(place)}" if place else "")
    )
    return [Outcome(span=check.span, passed=place is None, said=said, row=row)]


def _zero(microscope: Microscope, difference: Node) -> tuple[str, str, tuple[int, ...] | None]:
    """Return how an array is seen to be zero, the width of the enclosures, and a place where it is not."""
    bits = microscope.project.configuration.precision_limit
    values = microscope.prover.enclosures(difference, 128)
    forms = None
    open_places = []
    how = "exact"
    for place in np.ndindex(*difference.shape):
        value = values[place]
        if not ball.contains_zero(value):
            return "different", "", place
        if not ball.is_rational(value):
            forms = microscope.forms(difference) if forms is None else forms
            form = forms[place]
            if form is None or rational_value(form) != 0:
                open_places.append(place)
    if not open_places:
        return how, "", None
    values = microscope.prover.enclosures(difference, bits)
    exponent = None
    for place in open_places:
        if not ball.contains_zero(values[place]):
            return "different", "", place
        bounds = ball.bounds(values[place])
        if bounds is None:
            return "different", "", place
        width = max(abs(bounds[0]), abs(bounds[1]))
        digits = len(str(int(1 / width))) - 1 if width else bits
        exponent = digits if exponent is None else min(exponent, digits)
    return "enclosed", f"1e-{exponent}", None


def _expect(microscope: Microscope, check: Check) -> list[Outcome]:
    outcomes = []
    for reference, expected in check.arguments.items():
        texts = _texts(expected)
        scalar = Scalar(text=reference, span=expected.span)
        node = microscope.node(scalar)
        if texts.shape != node.shape:
            raise SpecError(
                f"'{reference}' has another shape",
                code="shape",
                span=expected.span,
                expected=show(node.shape),
                got=show(texts.shape),
            )
        wrong = [
            f"{reference}{''.join(f'[{i}]' for i in place)} is {found}, expected {text}"
            for place, text, found in _compare(microscope, node, texts)
            if found != text
        ]
        said = f"expect: {reference} prints as expected" if not wrong else "expect: " + "; ".join(wrong)
        row = {"check": "expect", "of": reference, "count": int(texts.size), "passed": not wrong}
        outcomes.append(Outcome(span=expected.span, passed=not wrong, said=said, row=row))
    return outcomes


def _compare(microscope: Microscope, node: Node, texts: Any) -> Iterator[tuple[tuple[int, ...], str, str]]:
    for place, text in np.ndenumerate(texts):
        printed = microscope.prover.printed(node, display_of_text(text))
        yield place, text, printed.flat[np.ravel_multi_index(place, texts.shape) if place else 0].text


def display_of_text(text: str) -> Display:
    """Return the display that a printed number was made with: its decimals, or its mantissa's digits."""
    mantissa, scientific, _ = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    if scientific:
        return Display(form="scientific", digits=decimals + 1)
    return Display(digits=decimals)


def _texts(node: document.Node) -> Any:
    if isinstance(node, Scalar):
        result = np.empty((), dtype=object)
        result[()] = _number(node)
        return result
    if not isinstance(node, document.Sequence):
        raise SpecError("printed numbers are texts or lists of texts", code="wrong-kind", span=node.span)
    rows: Sequence[Any] = [_texts(item) for item in node.items]
    if len({row.shape for row in rows}) != 1:
        raise SpecError("the rows have different lengths", code="ragged", span=node.span)
    return np.stack(rows)


def _number(scalar: Scalar) -> str:
    text = scalar.text.strip().replace("\u2212", "-")
    try:
        Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise _not_printed(scalar.span, text) from None
    return text


def _not_printed(span: Span, text: str) -> SeqgenError:
    return SpecError(
        "this is not a printed number", code="not-a-number", span=span, expected="digits such as '0.1403'", got=text
    )


KINDS: dict[str, Callable[[Microscope, Check], list[Outcome]]] = {
    "finite_difference": _finite_difference,
    "autograd": _autograd,
    "equal": _equal,
    "expect": _expect,
}
