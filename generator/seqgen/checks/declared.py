"""The checks that a spec declares, one function a kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np

from seqgen.checks import references
from seqgen.checks.differences import MAX_MOVED, central_differences, moved_together, work
from seqgen.checks.equality import equality_to_zero, key_of_place, unequal
from seqgen.checks.outcome import Outcome
from seqgen.errors import SeqgenError, Span, SpecError, placed
from seqgen.graph.node import Node, ShapeClash, apply
from seqgen.graph.shapes import show
from seqgen.ledger.display import Printed
from seqgen.microscope import Microscope
from seqgen.readings import torch
from seqgen.readings.evaluate import Undefined
from seqgen.spec import document
from seqgen.spec.document import Scalar
from seqgen.spec.model import Check, Display
from seqgen.spec.numerals import DECIMAL, LIMITS, TooLong, numeral

DEFAULT_STEP = "1e-6"
DEFAULT_TOLERANCE = "1e-12"
# So many digits a float64 always keeps; what a program prints beyond them is its own rounding.
KEPT_DIGITS = 15


def run(microscope: Microscope, check: Check, *, replay: bool = True) -> list[Outcome]:
    """Return what comes of a declared check; replays in other libraries run only where ``replay``.

    Raises:
        SeqgenError: where the check itself is not well formed.
    """
    if check.kind not in REPLAYS:
        return KINDS[check.kind](microscope, check)
    row, compare = REPLAYS[check.kind]
    content = row(microscope, check)
    name = (
        f"{check.kind} {content['torch']} of {content['of']}"
        if "torch" in content
        else f"{check.kind} of {content['of']}"
    )
    if not replay:
        return [Outcome(span=check.span, passed=True, said=f"{name}: not replayed here", row=content)]
    if not torch.is_installed():
        why = "PyTorch is not installed"
        return [Outcome(span=check.span, passed=True, said=f"{name}: skipped, {why}", row=content, skipped=why)]
    largest = compare(microscope, check)
    said = f"{name}: {content['count']} values, largest distance {largest:.3g} (at most {content['tolerance']:g})"
    return [Outcome(span=check.span, passed=largest <= content["tolerance"], said=said, row=content)]


def _scalar_of(microscope: Microscope, check: Check) -> Node:
    scalar = check.arguments["of"]
    assert isinstance(scalar, Scalar)
    node = microscope.node(scalar)
    microscope.graph.refuse_unless_scalar(node, scalar.text, scalar.span)
    return node


def _by(microscope: Microscope, check: Check) -> list[Node]:
    """Return the nodes that a gradient check moves: those it names, or the parameters."""
    if not check.by:
        root = _scalar_of(microscope, check)
        adjoints = microscope.graph.adjoints(root)
        found = [e.node for e in microscope.parameters if adjoints.contributions(e.node) or e.node in adjoints.closed]
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


def _finite_difference(microscope: Microscope, check: Check) -> list[Outcome]:
    root, by = _scalar_of(microscope, check), _by(microscope, check)
    gradients = _own_gradients(microscope, check, root, by)
    step, tolerance = check.number("step", DEFAULT_STEP), float(check.number("tolerance"))
    if work(root, by) > MAX_MOVED:
        raise SpecError(
            "these are too many differences",
            code="too-large",
            span=check.span,
            hint="name fewer values to move, such as by: [x]",
        )
    try:
        found = central_differences(root, by, gradients, step, tolerance)
    except Undefined as problem:
        raise SpecError(
            f"a step of {float(step):g} leaves where '{check.text('of')}' has a value: {problem}",
            code="undefined",
            span=check.span,
            hint="take a smaller step, such as step: 1e-9",
        ) from None
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
    names = microscope.graph.names
    kinks = [(names[k.node] + key_of_place(k.place), k) for k in found.kinks]
    if kinks:
        row["kinks"] = [
            {"of": name, "left": round(k.left, 6), "right": round(k.right, 6), "taken": round(k.taken, 6)}
            for name, k in kinks
        ]
    row["passed"] = passed
    order = "" if found.order is None else f", order {found.order:.2f}"
    said = (
        f"finite_difference of {check.text('of')}: {found.count} scalars, largest distance {found.largest:.3g} "
        f"(at most {tolerance:g}){order}"
    )
    if not passed and found.worst is not None:
        w = found.worst
        said += (
            f"; at {names[w.node]}{key_of_place(w.place)} the gradient is {w.taken:.6g}, the difference {w.found:.6g}"
        )
    for name, k in kinks:
        said += f"; a kink at {name}: slopes {k.left:.4g} and {k.right:.4g}, taken {k.taken:.4g}"
    return [Outcome(span=check.span, passed=passed, said=said, row=row)]


def _autograd_row(microscope: Microscope, check: Check) -> dict[str, Any]:
    count = sum(node.size for node in _by(microscope, check))
    return {"check": "autograd", "of": check.text("of"), "count": count, "tolerance": float(check.number("tolerance"))}


def _autograd(microscope: Microscope, check: Check) -> float:
    """Return the largest distance between our gradients and those of PyTorch's autograd."""
    root, by = _scalar_of(microscope, check), _by(microscope, check)
    gradients = dict(zip(by, _own_gradients(microscope, check, root, by), strict=True))
    largest = 0.0
    for group in moved_together(by):
        for node, replayed in zip(group, torch.autograd(root, group), strict=True):
            own = _floats(microscope, gradients[node])
            largest = max(largest, _distance(own, replayed))
    return largest


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


def _reference_row(microscope: Microscope, check: Check) -> dict[str, Any]:
    equals = check.arguments["equals"]
    assert isinstance(equals, Scalar)
    return {
        "check": "reference",
        "of": equals.text,
        "torch": check.text("torch"),
        "count": microscope.node(equals).size,
        "tolerance": float(check.number("tolerance", DEFAULT_TOLERANCE)),
    }


def _reference(microscope: Microscope, check: Check) -> float:
    """Return the largest distance between our value and that of a function of another library."""
    name, equals, names = check.text("torch"), check.arguments["equals"], check.arguments["arguments"]
    assert isinstance(names, document.Sequence)
    assert isinstance(equals, Scalar)
    wanted = microscope.node(equals)
    arguments = [_floats(microscope, microscope.node(s)) for s in names.items if isinstance(s, Scalar)]
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
    return _distance(found, _floats(microscope, wanted))


def _distance(a: Any, b: Any) -> float:
    """Return the largest distance between two arrays; infinity where a value is not a number."""
    distances = np.abs(a - b)
    return float(np.max(distances, initial=0.0)) if np.isfinite(distances).all() else math.inf


def _floats(microscope: Microscope, node: Node) -> Any:
    return microscope.prover.reals(node).values


def _erratum(microscope: Microscope, check: Check) -> list[Outcome]:
    """Hold while the right number is ours and the printed one is not; a known erratum is reported, not a fault."""
    of = check.arguments["of"]
    assert isinstance(of, Scalar)
    node = microscope.node(of)
    right = list(_differences(microscope, of.text, node, check.arguments["right"]))
    printed = list(_differences(microscope, of.text, node, check.arguments["printed"]))
    texts = [_texts(check.arguments[key]).tolist() for key in ("printed", "right")]
    said_printed, said_right = (str(text).replace("'", "") for text in texts)
    if right:
        said = f"erratum of {of.text}: the number given as right is not what is computed: {'; '.join(right)}"
    elif not printed:
        said = (
            f"erratum of {of.text}: what is printed, {said_printed}, agrees with what is computed; leave this check out"
        )
    else:
        said = f"erratum of {of.text}: printed {said_printed}, right {said_right} ({check.text('cause')})"
    passed = not right and bool(printed)
    row = {
        "check": "erratum",
        "of": of.text,
        "printed": texts[0],
        "right": texts[1],
        "cause": check.text("cause"),
        "passed": passed,
    }
    return [Outcome(span=check.span, passed=passed, said=said, row=row, known=passed)]


def _expect(microscope: Microscope, check: Check) -> list[Outcome]:
    outcomes = []
    for reference, expected in check.arguments.items():
        node = microscope.node(check.keys[reference])
        wrong = list(_differences(microscope, reference, node, expected))
        said = f"expect: {reference} prints as expected" if not wrong else "expect: " + "; ".join(wrong)
        row = {"check": "expect", "of": reference, "count": node.size, "passed": not wrong}
        outcomes.append(Outcome(span=expected.span, passed=not wrong, said=said, row=row))
    return outcomes


def _differences(microscope: Microscope, reference: str, node: Node, expected: document.Node) -> Iterator[str]:
    """Yield where a value prints otherwise than ``expected``, at the digits of each, or where that is not proven."""
    texts = _texts(expected)
    if texts.shape != node.shape:
        raise SpecError(
            f"'{reference}' has another shape",
            code="shape",
            span=expected.span,
            expected=show(node.shape),
            got=show(texts.shape),
        )
    for place, text, found in _compare(microscope, node, texts):
        name = f"{reference}{key_of_place(place)}"
        if "inf" in found.text or Fraction(found.text) != Fraction(text):
            yield f"{name} is {found.text}, expected {text}{_beyond_float(text)}"
        elif not found.proven:
            yield f"{name} prints as {text}, but its digits are not proven"


def _beyond_float(text: str) -> str:
    """Return what to do where an expected number has digits that a float64 does not keep."""
    number = Decimal(text).as_tuple()
    assert isinstance(number.exponent, int)
    count = len(str(int("".join(map(str, number.digits)))))
    if count <= KEPT_DIGITS:
        return ""
    half = Decimal((0, (5,), number.exponent - 1))
    with localcontext(prec=count + 2):
        low, high = Decimal(text) - half, Decimal(text) + half
    return (
        f" ({count} digits, of which a float64 keeps {KEPT_DIGITS}: write as many as you print; "
        f"as it stands it means {low} to {high})"
    )


def _compare(microscope: Microscope, node: Node, texts: Any) -> Iterator[tuple[tuple[int, ...], str, Printed]]:
    for place, text in np.ndenumerate(texts):
        printed = microscope.prover.printed(node, display_of_text(text))
        yield place, text, printed.flat[np.ravel_multi_index(place, texts.shape) if place else 0]


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
        number = numeral(text)
    except TooLong:
        raise SpecError("this number is too long", code="too-large", span=scalar.span, expected=LIMITS) from None
    if number is None or not DECIMAL.match(text):
        raise _not_printed(scalar.span, text)
    mantissa, scientific, exponent = text.lower().partition("e")
    return f"{mantissa}e{int(exponent)}" if scientific else text


def _not_printed(span: Span, text: str) -> SeqgenError:
    return SpecError(
        "this is not a printed number", code="not-a-number", span=span, expected="digits such as '0.1403'", got=text
    )


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
    "finite_difference": _finite_difference,
    "equal": _equal,
    "erratum": _erratum,
    "expect": _expect,
    "shape": _shape,
}
# Checks by another library: what the ledger records of one, and the largest distance that it finds.
REPLAYS: dict[str, tuple[Callable[[Microscope, Check], dict[str, Any]], Callable[[Microscope, Check], float]]] = {
    "autograd": (_autograd_row, _autograd),
    "reference": (_reference_row, _reference),
}
