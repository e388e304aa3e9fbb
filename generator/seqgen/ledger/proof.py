"""Proven values and proven digits: enclosures at rising precision, then exact forms.

Precision is doubled until every enclosure lies inside one rounding. No precision decides an exact tie or an
exact zero; a rational or a closed form does. What stays open is said to be unproven.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from seqgen.configuration import Configuration
from seqgen.errors import Span, SpecError
from seqgen.graph.node import Node, ancestors
from seqgen.ledger.display import Printed, shortened, stands_in
from seqgen.ledger.rounding import TO_FLOAT, Interval, Rounding, nearest, to_digits
from seqgen.readings import ball, intervals
from seqgen.readings.arrays import Array
from seqgen.readings.ball import Balls, Middles
from seqgen.readings.evaluate import Undefined, evaluate
from seqgen.readings.identities import Identities, balls, extend
from seqgen.spec.model import Display

# A rounding that is open after so many bits is most likely a tie or a zero. Fewer bits are hardly faster.
FIRST_PRECISION = 256

FLOATING = 53


@dataclass(frozen=True, kw_only=True)
class Reals:
    """The float64s nearest to the true values of an array, in its shape, and whether all are proven."""

    values: Array
    proven: bool


@dataclass(kw_only=True)
class Prover:
    """Proves values and digits of nodes; ``where`` tells the place that a node comes from.

    ``is_derived`` tells whether a node is part of the gradient of what stands there. ``forms`` computes the closed
    forms of a node (an array with ``None`` for what is left out); those of more than ``longest_form`` characters are
    shown only where a spec asks for them. ``nodes`` are those that are most likely asked for: at the first precision
    they are enclosed in one go.
    """

    settings: Configuration
    where: Callable[[Node], Span | None]
    forms: Callable[[Node], Array]
    longest_form: int
    is_derived: Callable[[Node], bool] = lambda node: False
    nodes: Sequence[Node] = ()
    _values: dict[int, dict[Node, Any]] = field(default_factory=dict)
    _nearest: dict[Node, list[float | None]] = field(default_factory=dict)
    _printed: dict[tuple[Node, Display], Array] = field(default_factory=dict)
    _reals: dict[Node, Reals] = field(default_factory=dict)
    _floats: dict[Node, Any] = field(default_factory=dict)
    _unknown: dict[Node, Node | None] = field(default_factory=dict)
    _believed: dict[Node, Array] = field(default_factory=dict)
    _identities: Identities = field(default_factory=Identities)
    _refined: dict[Node, Array] = field(default_factory=dict)

    def rough(self, nodes: Sequence[Node], bits: int) -> dict[Node, Any]:
        """Return enclosures of ``nodes`` at a low precision, by balls from the start.

        Raises:
            SpecError: where a value does not exist.
        """
        found: dict[Node, Any] = {}
        self._evaluate(nodes, Balls(exactly=False), bits, found)
        return found

    def enclosures(self, node: Node, bits: int) -> Array:
        """Return the enclosures of ``node`` (an object array) at a precision.

        Raises:
            SpecError: where the value does not exist.
        """
        known = self._values.get(bits)
        if known is None:
            known = self._values[bits] = {}
            if bits == self._first_bits:
                self._evaluate(self.nodes, Balls(), bits, known)
        if node not in known:
            self._evaluate([node], Balls(), bits, known)
        value: Array = known[node]
        return value

    def nearest(self, node: Node) -> list[float | None]:
        """Return the float64s nearest to the elements of ``node``, in one line, as far as the first enclosures tell."""
        if node not in self._nearest:
            values = self.enclosures(node, self._first_bits)
            with ball.precision(self._first_bits):
                self._nearest[node] = [nearest(x) for x in values.flat]
        return self._nearest[node]

    def interval(self, node: Node, place: int, bits: int) -> Interval | None:
        """Return the enclosure of an element of ``node``, by place in one line, as integers (`intervals.interval`)."""
        return intervals.interval(self.enclosures(node, bits).flat[place])

    def _evaluate(self, nodes: Sequence[Node], domain: Balls, bits: int, known: dict[Node, Any]) -> None:
        with ball.precision(bits):
            try:
                evaluate(nodes, domain, known=known)
            except Undefined as problem:
                if not domain.exactly and problem.node is not None:  # rationals know more of what is wrong
                    self.enclosures(problem.node, self._first_bits)
                raise self._undefined(problem.node or nodes[0], str(problem), known) from None

    @property
    def _first_bits(self) -> int:
        return min(FIRST_PRECISION, self.settings.precision_limit)

    @property
    def last_bits(self) -> int:
        """The highest precision at which a proof is tried."""
        bits = self._first_bits
        while bits * 2 <= self.settings.precision_limit:
            bits *= 2
        return bits

    def reals(self, node: Node) -> Reals:
        """Return the nearest float64s of ``node``.

        Raises:
            SpecError: where a value does not exist, or is larger than a float64 holds.
        """
        if node not in self._reals:
            values, places, proven = self._round(node, TO_FLOAT)
            for place in places:
                enclosure = self.enclosures(node, self._first_bits).flat[place]
                if math.isinf(values[place]) and not ball.is_infinity(enclosure):
                    raise self._too_large(node)
            self._reals[node] = Reals(values=np.array(values).reshape(node.shape), proven=proven)
        return self._reals[node]

    def printed(self, node: Node, display: Display) -> Array:
        """Return the `Printed` of every element of ``node``."""
        found = self._printed.get((node, display))
        if found is None:
            found = self._printed[node, display] = self._print(node, display)
        return found

    def _print(self, node: Node, display: Display) -> Array:
        if display.form in ("as-written", "exact"):
            return self._spelled(node, display)
        numbers, places, _ = self._round(node, to_digits(display, self.settings.ties))
        self._mark_exact(node, numbers, places)
        if display.form == "short":
            numbers = [shortened(number) for number in numbers]
        return np.fromiter(numbers, dtype=object, count=node.size).reshape(node.shape)

    def _mark_exact(self, node: Node, result: list[Any], places: Iterable[int]) -> None:
        """Mark the numbers that are the value itself although its enclosure is wider than a point."""
        for place in places:
            number, interval = result[place], self.interval(node, place, self._first_bits)
            if number.exact or not number.proven or interval is None or not stands_in(number.text, *interval):
                continue
            if not ball.is_nan(self._existing(node, place)) and self._form_value(node, place) == number.value:
                result[place] = replace(number, exact=True)

    def believed(self, node: Node) -> Array:
        """Return the closed forms of ``node``, ``None`` where one is left out or is not shown to be the value.

        Raises:
            SpecError: where one lies outside the enclosure, which knows nothing of it: either reading has a mistake.
        """
        if node not in self._believed:
            result = np.array(self.forms(node), dtype=object)
            for place, form in enumerate(result.flat):
                if form is not None and not self._is_believed(node, place, form):
                    result.flat[place] = None
            self._believed[node] = result
        return self._believed[node]

    def _is_believed(self, node: Node, place: int, form: Any) -> bool:
        value = self._existing(node, place)
        if ball.is_infinity(value):
            return str(form) == ("inf" if value > 0 else "-inf")
        if ball.is_nan(value) or (verdict := form.agrees(value)) not in ("yes", "no"):
            return False
        if verdict == "no":
            raise self.differs(node, f"the closed form {form}")
        return bool(str(form))  # at sympy's own limits there is no text

    def short_forms(self, node: Node) -> Array:
        """Return the texts of the closed forms of ``node``, ``None`` where there is none or it is long."""

        def text(form: Any) -> str | None:
            return None if form is None or len(str(form)) > self.longest_form else str(form)

        return np.asarray(np.frompyfunc(text, 1, 1)(self.believed(node)), dtype=object)

    def _existing(self, node: Node, place: int) -> Any:
        """Return the enclosure of an element at the first precision; only where it is no ``nan`` the number exists.

        Where it depends on whether a number is zero, a closed form may say so.

        Raises:
            SpecError: where the value does not exist.
        """
        value = self.enclosures(node, self._first_bits).flat[place]
        return self._refine(node).flat[place].ball if ball.is_nan(value) else value

    def _refine(self, node: Node) -> Array:
        """Return the numbers of ``node`` (`Identities`), with the rational in place of an enclosure where one is shown.

        Raises:
            SpecError: where a value does not exist.
        """
        if node not in self._refined:
            with ball.precision(self._first_bits):
                try:
                    extend(node, self._identities, self._refined, self._settled_by_forms)
                except Undefined as problem:
                    step = problem.node or node
                    known = {i: balls(self._refined[i]) for i in step.inputs if i in self._refined}
                    raise self._undefined(step, str(problem), known) from None
        return self._refined[node]

    def _settled_by_forms(self, node: Node, numbers: Array) -> None:
        """Replace what closed forms decide, where a choice or a division may depend on it."""
        for place, number in enumerate(numbers.flat):
            if ball.may_be_whole(number.ball) and (value := self._rational_form(node, place)) is not None:
                self._contain(node, number.ball, value)
                numbers.flat[place] = self._identities.scalar(str(value))

    def rational(self, node: Node, place: tuple[int, ...]) -> Fraction | None:
        """Return the rational that an element, whose enclosures are finite, is shown to be, or None."""
        return self._form_value(node, int(np.ravel_multi_index(place, node.shape)) if place else 0)

    def _form_value(self, node: Node, place: int) -> Fraction | None:
        """Return the rational that an element is shown to be, by its closed form or by identities, or None."""
        value = self._rational_form(node, place)
        if value is None and ball.is_rational(found := self._identities.settled(self._refine(node).flat[place]).ball):
            value = Fraction(int(found.p), int(found.q))
        return value

    def _rational_form(self, node: Node, place: int) -> Fraction | None:
        form = self.forms(node).flat[place]
        return None if form is None else form.rational

    def _spelled(self, node: Node, display: Display) -> Array:
        """Return numbers as the spec writes them, rounded where it does not, or closed forms.

        Raises:
            SpecError: where a closed form is asked for that is left out.
        """
        spelling = self.believed(node) if display.form == "exact" else written(node)
        if spelling is None:
            return self.printed(node, Display(digits=self.settings.digits))
        for place, known in np.ndenumerate(spelling):
            if known is None:
                raise self._no_form(node, place)
        return np.asarray(np.frompyfunc(_spell, 1, 1)(spelling), dtype=object)

    def _no_form(self, node: Node, place: tuple[int, ...]) -> SpecError:
        at = f" at [{']['.join(map(str, place))}]" if place else ""
        return SpecError(
            f"there is no closed form{at}",
            code="no-closed-form",
            span=self.where(node),
            expected="a value with a closed form, where it is printed as exact",
            hint="print digits instead, or raise exact_limit in the spec or in [tool.seqgen]",
        )

    def _round(self, node: Node, rounding: Rounding) -> tuple[list[Any], list[int], bool]:
        """Return the rounded elements of ``node``, the places that their float64s leave open, and if all are proven."""
        bits = self._first_bits
        result = rounding.by_floats(self.nearest(node))
        untold = places = [place for place, found in enumerate(result) if found is None]
        if places:
            places = self._settle(node, bits, result, places, rounding)
            places = self._ask_forms(node, result, places, rounding)
        while places and bits < self.last_bits:
            # What follows from the node may have needed more bits already.
            bits = max(bits * 2, *(known for known, values in self._values.items() if node in values))
            places = self._settle(node, bits, result, places, rounding)
        for place in places:
            bounds = self.interval(node, place, bits)
            taken = bounds or self._guess(node, place, bits)
            # Between two sides of a choice that stays open there is no value: floating point takes one of them.
            chosen = self._floating(node, place) if _is_wide(*taken) else None
            result[place] = rounding.unproven(chosen or taken, bounds)
        return result, untold, not places

    def _guess(self, node: Node, place: int, bits: int) -> tuple[int, int, int]:
        """Return what floating point gives where enclosures know nothing, for want of precision: it stays unproven.

        Raises:
            SpecError: where it is not precision that is wanting.
        """
        step = self._first_unknown(node, bits)
        known = self._values[bits]
        if any(ball.is_huge(x) and abs(x) > ball.HUGE for x in known[step].flat):
            raise self._too_large(step)
        lost = any(map(ball.is_lost, known[step].flat)) or any(
            ball.is_lost(x) for i in step.inputs for x in known[i].flat
        )
        if not lost and "loop" not in step.parameters:
            raise self._not_finite(step, bits)
        found = self._floating(node, place)
        if found is None:
            raise SpecError(
                f"no digit of a value is known at {bits} bits",
                code="undecided",
                span=self.where(step),
                hint="errors grow at every step here: take fewer steps, or raise precision_limit in [tool.seqgen]",
            )
        return found

    def _floating(self, node: Node, place: int) -> Interval | None:
        """Return what floating point gives, the same on every machine; nothing where that is no number."""
        with ball.precision(FLOATING):
            try:
                return intervals.interval(evaluate([node], Middles(), known=self._floats)[node].flat[place])
            except Undefined:
                return None

    def _first_unknown(self, node: Node, bits: int) -> Node:
        """Return the first value on the way to ``node`` that is not finite, or is huge, at the last precision."""
        for step in ancestors([node], self._unknown):
            before = [first for i in step.inputs if (first := self._unknown[i]) is not None]
            if before:
                self._unknown[step] = min(before, key=lambda first: first.serial)
            else:
                values = self._values[bits][step].flat
                unknown = any(intervals.interval(x) is None and not ball.is_infinity(x) for x in values)
                self._unknown[step] = step if unknown else None
        return self._unknown[node] or node

    def _settle(self, node: Node, bits: int, result: list[Any], places: Sequence[int], rounding: Rounding) -> list[int]:
        """Settle what the enclosures decide, and return the places that stay open."""
        for place in places:
            if (interval := self.interval(node, place, bits)) is not None:
                result[place] = rounding.by_interval(*interval)
            elif ball.is_infinity(value := self.enclosures(node, bits).flat[place]):
                result[place] = rounding.infinite(float(value))
        return [place for place in places if result[place] is None]

    def _ask_forms(self, node: Node, result: list[Any], places: Sequence[int], rounding: Rounding) -> list[int]:
        """Settle what a closed form decides, and return the places that stay open."""
        for place in places:
            enclosure = self._existing(node, place)
            value = None if ball.is_nan(enclosure) else self._form_value(node, place)
            if value is not None:
                self._contain(node, enclosure, value)
                result[place] = rounding.by_form(value)
            elif (interval := intervals.interval(self._refine(node).flat[place].ball)) is not None:
                result[place] = rounding.by_interval(*interval)
        return [place for place in places if result[place] is None]

    def _contain(self, node: Node, enclosure: Any, value: Fraction) -> None:
        """Make sure that a closed form's value lies in the enclosure.

        Raises:
            SpecError: where it does not; either reading has a mistake then.
        """
        found = intervals.bounds(enclosure)
        if found is not None and not found[0] <= value <= found[1]:
            raise self.differs(node, f"the closed form gives {value}, which")

    def differs(self, node: Node, what: str) -> SpecError:
        """Return the error that ``what``, computed for ``node`` by another reading, is not what is proven."""
        return SpecError(
            f"{what} is outside the proven bounds",
            code="readings-differ",
            span=self.where(node),
            hint="this is a mistake of seqgen, not of the spec: please report it",
        )

    def _too_large(self, node: Node) -> SpecError:
        return SpecError(
            "this is larger than a float64 holds",
            code="overflow",
            span=self.where(node),
            expected="at most 1.8e308 in magnitude",
            hint="scale the inputs, or compute with logarithms: log_softmax and logsumexp do not overflow",
        )

    def _not_finite(self, step: Node, bits: int) -> SpecError:
        known = self._values[bits]
        if any(ball.is_infinity(x) for i in step.inputs for x in known[i].flat):
            return self._undefined(step, "infinity less infinity, or zero times infinity, which is no number")
        return self._undefined(step, f"{step.operation.undefined or 'no finite value'}, or what can't be told from it")

    def _undefined(self, node: Node, reason: str, known: Mapping[Node, Any] | None = None) -> SpecError:
        code = (
            "division-by-zero" if "division by zero" in reason else "no-source" if "source" in reason else "undefined"
        )
        hint = {
            "no-source": "let every row see at least one source",
            "division-by-zero": "see which of the values it divides by is zero",
        }
        place = _undefined_place(node, known or {}) if code != "no-source" else ()
        reason += f", at [{']['.join(map(str, place))}]" if place else ""
        reason += ", in the gradient of this" if self.is_derived(node) else ""
        return SpecError(reason, code=code, span=self.where(node), hint=hint.get(code, ""))


def _undefined_place(node: Node, known: Mapping[Node, Any]) -> tuple[int, ...]:
    """Return the first place at which an operation on single elements has no value; nothing where that is not known."""
    inputs = [known[i] for i in node.inputs if i in known]
    if len(inputs) < len(node.inputs) or not (node.operation.elementwise or inputs[0].shape == node.shape):
        return ()
    spread = [np.broadcast_to(x, node.shape) for x in inputs]
    for place in np.ndindex(*node.shape):
        try:
            node.operation.value(Balls(), node, *(Balls().finish(x[place]) for x in spread))
        except Undefined:
            return place
    return ()


def _is_wide(low: int, high: int, over: int) -> bool:
    """Whether an enclosure is wider than the rounding of any precision explains."""
    return (high - low) << 20 > over + max(abs(low), abs(high))


def written(node: Node) -> Array | None:
    """Return the texts of a given array as the spec writes them, or nothing where the node is computed."""
    if node.operation.name == "given" and not node.parameters["drawn"]:
        return np.array(node.parameters["texts"], dtype=object).reshape(node.shape)
    if node.operation.name == "index":
        source = written(node.inputs[0])
        return None if source is None else np.asarray(source[node.parameters["key"]], dtype=object)
    return None


def _spell(known: Any) -> Printed:
    if isinstance(known, str):
        return Printed(text=known, exact=True)
    return Printed(text=str(known), exact=True, latex=known.latex)
