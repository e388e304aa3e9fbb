"""Numbers as somebody else prints them: expected, or known to be printed wrongly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np

from seqgen.assertions.equality import equality_to_zero, key_of_place
from seqgen.assertions.outcome import Outcome
from seqgen.errors import SeqgenError, Span, SpecError
from seqgen.graph.node import Node, apply, constant
from seqgen.graph.shapes import show
from seqgen.microscope import Microscope
from seqgen.spec import document
from seqgen.spec.document import Scalar
from seqgen.spec.model import Check, Display
from seqgen.spec.numerals import DECIMAL, LIMITS, TooLong, numeral

# So many digits a float64 always keeps; what a program prints beyond them is its own rounding.
KEPT_DIGITS = 15


def erratum(microscope: Microscope, check: Check) -> list[Outcome]:
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


def expect(microscope: Microscope, check: Check) -> list[Outcome]:
    """Compare values with printed numbers at the digits of each; an integer and a quotient are compared exactly."""
    outcomes = []
    for reference, expected in check.arguments.items():
        node = microscope.node(check.keys[reference])
        wrong = list(_differences(microscope, reference, node, expected, exactly=True))
        said = f"expect: {reference} prints as expected" if not wrong else "expect: " + "; ".join(wrong)
        row = {"check": "expect", "of": reference, "count": node.size, "passed": not wrong}
        outcomes.append(Outcome(span=expected.span, passed=not wrong, said=said, row=row))
    return outcomes


def _differences(
    microscope: Microscope, reference: str, node: Node, expected: document.Node, *, exactly: bool = False
) -> Iterator[str]:
    """Yield where a value prints otherwise than ``expected``, at the digits of each, or where that is not proven.

    A quotient stands for its exact value, and so does an integer where ``exactly`` is set.
    """
    texts = _texts(expected)
    if texts.shape != node.shape:
        raise SpecError(
            f"'{reference}' has another shape",
            code="shape",
            span=expected.span,
            expected=show(node.shape),
            got=show(texts.shape),
        )
    for place, text in np.ndenumerate(texts):
        name = f"{reference}{key_of_place(place)}"
        if "/" in text or (exactly and text.lstrip("+-").isdigit()):
            difference = _exact_difference(microscope, node, place, text)
        else:
            difference = _printed_difference(microscope, node, place, text)
        if difference:
            yield f"{name} {difference}"


def _exact_difference(microscope: Microscope, node: Node, place: tuple[int, ...], text: str) -> str:
    """Return how an element differs from the rational that ``text`` writes; empty where it is equal to it."""
    wanted = numeral(text)
    assert wanted is not None
    element = apply("index", node, key=place) if place else node
    equality = equality_to_zero(microscope, apply("subtract", element, constant(wanted)))
    if equality.place is None:
        return ""
    if equality.how != "different":
        return f"can't be told from {text} with {equality.bits} bits"
    found = microscope.prover.printed(element, Display(form="significant", digits=KEPT_DIGITS)).item().text
    rounded = "" if "/" in text else f"; an integer is expected exactly, write the digits of a rounded number: {text}.0"
    return f"is {found}, expected {text} exactly{rounded}"


def _printed_difference(microscope: Microscope, node: Node, place: tuple[int, ...], text: str) -> str:
    """Return how an element prints otherwise than ``text``, at its digits; empty where it prints so and is proven."""
    found = microscope.prover.printed(node, display_of_text(text))[place]
    if "inf" in found.text or Fraction(found.text) != Fraction(text):
        return f"is {found.text}, expected {text}{_beyond_float(text)}"
    return "" if found.proven else f"prints as {text}, but its digits are not proven"


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
    if number is None or not ("/" in text or DECIMAL.match(text)):
        raise _not_printed(scalar.span, text)
    if "/" in text:
        return text
    mantissa, scientific, exponent = text.lower().partition("e")
    return f"{mantissa}e{int(exponent)}" if scientific else text


def _not_printed(span: Span, text: str) -> SeqgenError:
    return SpecError(
        "this is not a printed number", code="not-a-number", span=span, expected="digits such as '0.1403'", got=text
    )
