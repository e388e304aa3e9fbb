"""Whether what is printed adds up: each result recomputed from the printed digits of its operands.

A node's own formula is evaluated in rationals and balls, with its operands replaced by what is printed for them. An
operand that is not shown is no number, so that a result which depends on one is no number either, and nothing is said
of it. A result holds where it is within half a unit of its last digit of what the reader gets: then it is one of the
roundings of that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from seqgen.errors import Span
from seqgen.graph.node import Node
from seqgen.ledger.display import Printed, digits_of, number_of, unit
from seqgen.ledger.proof import written
from seqgen.microscope import Microscope
from seqgen.readings import ball, intervals
from seqgen.readings.arrays import Array
from seqgen.readings.ball import Balls
from seqgen.readings.evaluate import Undefined, evaluate
from seqgen.shown.model import Model, Shown
from seqgen.shown.sheet import Sheet, element_places, table_sheet, value_of, worked_sheet
from seqgen.spec.model import Display

BITS = 256
# An enclosure of one that is narrower than this is one.
ONE = Fraction(1, 10**60)
MOST_DIGITS = 12

Place = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Mismatch:
    """A printed number that does not follow from the printed numbers beside it.

    ``name`` is the number's, ``printed`` its text, ``found`` what its operands give in as many digits, ``units`` how
    far that is away, in steps of the last digit. A row that should add up to one ``is_sum``.
    """

    name: str
    printed: str
    found: str
    units: int
    is_sum: bool = False

    def __str__(self) -> str:
        steps = f"{abs(self.units)} unit{'s' if abs(self.units) != 1 else ''} of the last digit"
        more = "more" if self.units > 0 else "less"
        if self.is_sum:
            return f"{self.name} adds up to {self.found} as printed, {steps} {more} than 1"
        return f"{self.name} is printed as {self.printed}; its printed operands give {self.found}, {steps} {more}"


@dataclass(frozen=True, kw_only=True)
class Step:
    """A step of a page that does not add up as printed: its mismatches, and the digits with which it does."""

    label: str
    span: Span | None
    mismatches: tuple[Mismatch, ...]
    fewest: tuple[int, ...] = ()


def steps(microscope: Microscope) -> Iterator[tuple[str, bool, Step]]:
    """Yield the title of a table or a derivation, whether it has a footnote, and each step that does not add up."""
    for table in microscope.spec.tables.values():
        for step in failing(microscope, lambda model, table=table: table_sheet(model, table)):  # type: ignore[misc]
            yield f"table {table.name}", bool(table.footnote), step
    for worked in microscope.spec.worked.values():
        for step in failing(microscope, lambda model, worked=worked: worked_sheet(model, worked)):  # type: ignore[misc]
            yield f"derivation {worked.name}", bool(worked.footnote), step


def failing(microscope: Microscope, sheet: Callable[[Model], Sheet]) -> list[Step]:
    """Return the steps of a sheet that do not add up; ``sheet`` makes it of a model with any number of digits."""
    now = sheet(Model(microscope=microscope))
    found = _failing(now)
    if not found:
        return []
    current = max((shown.display.digits for shown in now.shown), default=0)
    known: dict[int, set[str]] = {}

    def holds(step: Step, digits: int) -> bool:
        if digits not in known:
            printed = sheet(Model(microscope=microscope, digits=digits))
            known[digits] = {other.label for other in _failing(printed)}
        return step.label not in known[digits]

    result = []
    for step in found:
        fewer = next((n for n in range(1, current) if holds(step, n)), None)
        more = next((n for n in range(current + 1, MOST_DIGITS + 1) if holds(step, n)), None)
        result.append(replace(step, fewest=tuple(n for n in (fewer, more) if n is not None)))
    return result


def adds_up(sheet: Sheet) -> bool:
    """Whether every step of a sheet follows from what is printed."""
    return not _failing(sheet)


def mismatches_in(sheet: Sheet) -> list[Mismatch]:
    """Return all mismatches of a sheet."""
    return [mismatch for step in _failing(sheet) for mismatch in step.mismatches]


def _failing(sheet: Sheet) -> list[Step]:
    found: dict[str, Step] = {}
    for shown in sheet.shown:
        mismatches = tuple(mismatches_of(sheet, shown))
        if mismatches and shown.reference not in found:
            found[shown.reference] = Step(label=shown.reference, span=shown.span, mismatches=mismatches)
    for label, span, mismatch in _sums(sheet):
        found.setdefault(label, Step(label=label, span=span, mismatches=(mismatch,)))
    return list(found.values())


def mismatches_of(sheet: Sheet, shown: Shown) -> Iterator[Mismatch]:
    """Yield the numbers of a result that do not follow from what the sheet shows."""
    values = recomputed(sheet, shown.node)
    if values is None:
        return
    for place, number in np.ndenumerate(shown.printed):
        mismatch = compare(shown.name(place), number, values[place], shown.display, sheet.microscope)
        if mismatch:
            yield mismatch


def compare(name: str, number: Printed, found: Any, display: Display, microscope: Microscope) -> Mismatch | None:
    """Return how a printed number differs from what its operands give, or nothing where it is a rounding of that."""
    bounds, value = intervals.bounds(found), value_of(number)
    if bounds is None or value is None or "/" in number.text:
        return None
    if display.form in ("as-written", "exact"):
        if number.exact:
            return None
        display = Display(digits=microscope.project.configuration.digits)
    step = unit(number.text, display)
    if step is None or bounds[0] - step / 2 <= value <= bounds[1] + step / 2:
        return None
    text = digits_of((bounds[0] + bounds[1]) / 2, display, microscope.project.configuration.ties)
    return Mismatch(name=name, printed=number.text, found=text, units=round((number_of(text) - value) / step))


def recomputed(sheet: Sheet, node: Node) -> Array | None:
    """Return a result from the printed digits of its operands; nothing where it is not made of what is shown."""
    operands = operands_of(sheet, node)
    if not any(number is not None and not number.exact for numbers in operands.values() for number in numbers.flat):
        return None  # from exact operands follows the value itself
    microscope = sheet.microscope
    replaced = {operand: _scalars(microscope, operand, numbers) for operand, numbers in operands.items()}
    with ball.precision(BITS):
        try:
            result: Array = evaluate([node], Balls(), replaced=replaced)[node]
        except Undefined:
            return None  # a printed zero is divided by: that it vanishes is told by another rule
    return result


def operands_of(sheet: Sheet, node: Node) -> dict[Node, Array]:
    """Return what the formula of ``node`` is made of, with the numbers that a reader takes for it."""
    microscope = sheet.microscope
    base = element_places(microscope, node)[0] or node
    entry = microscope.graph.entries.get(microscope.graph.names.get(base, ""))
    if written(base) is not None or (entry and entry.formula):
        return {}  # given, or made by what no formula says
    found: dict[Node, Array] = {}
    seen: set[Node] = set()
    stack = list(reversed(base.inputs))
    while stack:
        top = stack.pop()
        if top in seen:
            continue
        seen.add(top)
        numbers = sheet.read(top)
        if numbers is not None:
            found[top] = numbers
        else:
            stack.extend(reversed(top.inputs))
    return found


def _scalars(microscope: Microscope, node: Node, numbers: Array) -> Array:
    """Return printed numbers as rationals; a closed form stands for its value, what is not shown for no number."""
    result = Balls().lost(node.shape)
    for place, number in np.ndenumerate(numbers):
        if number is None:
            continue
        value = value_of(number)
        if value is None:
            result[place] = microscope.prover.enclosures(node, BITS)[place]
        else:
            result[place] = ball.rational(str(value))
    return result


def _sums(sheet: Sheet) -> Iterator[tuple[str, Span | None, Mismatch]]:
    """Yield the rows that are shown in full and add up to one, but not as printed."""
    microscope = sheet.microscope
    spans: dict[Node | None, tuple[Span | None, Display]] = {}
    for shown in sheet.shown:
        base = element_places(microscope, shown.node)[0]
        spans.setdefault(base, (shown.span, shown.display))
    for base, numbers in sheet.numbers.items():
        span, display = spans[base]
        for axis in range(numbers.ndim):
            rows = np.moveaxis(numbers, axis, -1)
            for place in np.ndindex(*rows.shape[:-1]):
                mismatch = _sum_mismatch(microscope, base, rows[place], axis, place, display)
                if mismatch:
                    yield f"sum of {mismatch.name}", span, mismatch


def _sum_mismatch(
    microscope: Microscope, base: Node, row: Array, axis: int, place: Place, display: Display
) -> Mismatch | None:
    values = [None if number is None else value_of(number) for number in row]
    if len(values) < 2 or any(value is None for value in values) or all(number.exact for number in row):
        return None
    total = sum((value for value in values if value is not None), Fraction(0))
    if total == 1 or display.form == "exact" or not _is_one(microscope, base, axis, place):
        return None
    steps_of = [unit(number.text, display) for number in row]
    step = min((s for s in steps_of if s is not None), default=None)
    if step is None:
        return None
    decimals = max(len(number.text.lower().partition("e")[0].partition(".")[2]) for number in row)
    key = microscope.graph.names[base]
    parts = [str(i) for i in place]
    parts.insert(axis, ":")
    name = key + "".join(f"[{part}]" for part in parts) if place else key
    text = digits_of(total, display if display.form == "percent" else Display(digits=decimals), "half-even")
    return Mismatch(
        name=f"{name.removesuffix('[:]')}", printed="1", found=text, units=round((total - 1) / step), is_sum=True
    )


def _is_one(microscope: Microscope, base: Node, axis: int, place: Place) -> bool:
    """Whether a row is proven to add up to one."""
    row = np.moveaxis(microscope.prover.enclosures(base, BITS), axis, -1)[place]
    with ball.precision(BITS):
        bounds = intervals.bounds(sum(row[1:], row[0]))
    return bounds is not None and -ONE <= bounds[0] - 1 <= bounds[1] - 1 <= ONE
