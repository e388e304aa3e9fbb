"""What `seqgen show --printed` says: a result from its printed operands, with every number of digits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from seqgen.errors import count
from seqgen.graph.node import Node
from seqgen.graph.phrase import ATOM, SUM, Phrase
from seqgen.ledger.record import nested
from seqgen.microscope import Microscope
from seqgen.readings.arrays import Array
from seqgen.readings.formula import Formulas
from seqgen.shown.consistency import MOST_DIGITS, Step, failing, mismatches_in, operands_of
from seqgen.shown.model import Model
from seqgen.shown.sheet import Sheet, element_places, worked_sheet
from seqgen.spec.document import Scalar
from seqgen.spec.model import Worked, WorkedLine


def explain(microscope: Microscope, reference: Scalar) -> Iterator[str]:
    """Yield lines on whether the value ``reference`` follows from its printed operands.

    Raises:
        SeqgenError: where the reference is wrong.
    """
    node = microscope.node(reference)

    def sheet(model: Model) -> Sheet:
        return worked_sheet(model, Worked(name=reference.text, lines=(WorkedLine(reference=reference),)))

    model = Model(microscope=microscope)
    now = sheet(model)
    names = microscope.graph.names
    whole = element_places(microscope, node)[0] or node  # of a part, the formula is that of the whole
    yield names.get(node, reference.text)
    yield f"formula  {Formulas(names=names, latex=False).definition(whole)}"
    yield f"put in   {_put_in(model, whole)}"
    yield f"printed  {_text(model.put_in(node).printed)}"
    found = failing(microscope, sheet)
    if not found:
        exact = all(number.exact for numbers in operands_of(now, node).values() for number in numbers.flat)
        yield f"holds    {'its operands are printed exactly' if exact else 'the printed operands give what is printed'}"
        return
    for step in found:
        yield from (f"differs  {mismatch}" for mismatch in step.mismatches)
    yield f"holds    {_fewest(found)}"
    for digits in range(1, MOST_DIGITS + 1):
        mismatches = mismatches_in(sheet(Model(microscope=microscope, digits=digits)))
        told = "adds up" if not mismatches else f"{count(len(mismatches), 'difference')}, the first: {mismatches[0]}"
        yield f"  {count(digits, 'digit'):>9}: {told}"


def _fewest(steps: list[Step]) -> str:
    """Return the numbers of digits with which every step adds up."""
    common = sorted(set.intersection(*(set(step.fewest) for step in steps)))
    return (
        f"with {' or '.join(map(str, common))} digits"
        if common
        else f"with no one number of digits up to {MOST_DIGITS}"
    )


def _put_in(model: Model, node: Node) -> str:
    def numbers(operand: Node) -> Phrase:
        text = _text(model.put_in(operand).printed)
        return Phrase(text, SUM if text.startswith("-") else ATOM)

    return Formulas(names=model.microscope.graph.names, latex=False, numbers=numbers).definition(node)


def _text(numbers: Array) -> str:
    content: Any = nested(numbers, lambda number: number.text)
    return str(content).replace("'", "")
