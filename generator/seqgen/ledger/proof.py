"""Proven values and proven digits: enclosures at rising precision, then exact forms.

Precision is doubled until every enclosure lies inside one rounding. No precision decides an exact tie or an
exact zero; a rational or a closed form does. What stays open is said to be unproven.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from seqgen.errors import Span, SpecError
from seqgen.graph.node import Node, ancestors
from seqgen.ledger.display import Printed, decide, digits_of
from seqgen.project import Configuration
from seqgen.readings import ball
from seqgen.readings.arrays import Array
from seqgen.readings.ball import Balls
from seqgen.readings.evaluate import Undefined, evaluate
from seqgen.readings.float64 import Float64
from seqgen.spec.model import Display

FIRST_PRECISION = 64
# Once an enclosure of this many bits leaves a rounding open, a tie or a zero is likely.
ASK_EXACT_FROM = 256

# numpy's functions are within 4 units in the last place (numpy issue 22904), and a unit is at most
# 2**-52 of the value: balls of 50 bits grow at least as fast as its rounding errors do.
NUMPY_PRECISION = 50


@dataclass(frozen=True, kw_only=True)
class Real:
    """The float64 nearest to the true value, and whether that is proven."""

    value: float
    proven: bool = True


@dataclass(kw_only=True)
class Prover:
    """Proves values and digits of nodes; ``where`` tells the place that a node comes from.

    ``forms`` computes the closed forms of a node (an array with ``None`` for what is left out).
    """

    settings: Configuration
    where: Callable[[Node], Span | None]
    forms: Callable[[Node], Array]
    _values: dict[int, dict[Node, Any]] = field(default_factory=dict)
    _printed: dict[tuple[Node, Display], Array] = field(default_factory=dict)
    _reals: dict[Node, Array] = field(default_factory=dict)

    def enclosures(self, node: Node, bits: int) -> Array:
        """Return the enclosures of ``node`` (an object array) at a precision.

        Raises:
            SpecError: where the value does not exist.
        """
        known = self._values.setdefault(bits, {})
        if node not in known:
            self._evaluate([node], Balls(), bits, known)
        value: Array = known[node]
        return value

    def _evaluate(self, nodes: list[Node], domain: Balls, bits: int, known: dict[Node, Any]) -> None:
        with ball.precision(bits):
            try:
                evaluate(nodes, domain, known=known)
            except Undefined as problem:
                raise self._undefined(problem.node or nodes[0], str(problem)) from None

    def reals(self, node: Node) -> Array:
        """Return the `Real` of every element of ``node``."""
        if node not in self._reals:
            self._reals[node] = self._decide(node, _nearest, self._real_of_form, _unproven_real)
        return self._reals[node]

    def printed(self, node: Node, display: Display) -> Array:
        """Return the `Printed` of every element of ``node``."""
        if (node, display) not in self._printed:
            self._printed[node, display] = self._print(node, display)
        return self._printed[node, display]

    def _print(self, node: Node, display: Display) -> Array:
        if display.form in ("as-written", "exact"):
            return self._spelled(node, display)
        ties = self.settings.ties

        def digits(low: Fraction, high: Fraction) -> Printed | None:
            return decide(low, high, display, ties)

        def unproven(low: Fraction, high: Fraction) -> Printed:
            return Printed(text=digits_of((low + high) / 2, display, ties), proven=False)

        return self._mark_exact(
            node, self._decide(node, digits, lambda value: decide(value, value, display, ties), unproven)
        )

    def _mark_exact(self, node: Node, result: Array) -> Array:
        """Mark the numbers that are the value itself although its enclosure is wider than a point."""
        values = self.enclosures(node, FIRST_PRECISION)
        for place, number in np.ndenumerate(result):
            bounds = ball.bounds(values[place])
            if number.exact or not number.proven or bounds is None or not bounds[0] <= number.value <= bounds[1]:
                continue
            if self._form_value(node, place) == number.value:
                result[place] = replace(number, exact=True)
        return result

    def _form_value(self, node: Node, place: tuple[int, ...]) -> Fraction | None:
        """Return the rational that the closed form of an element equals, or nothing where none is known."""
        from seqgen.readings.exact import rational_value

        form = self.forms(node)[place]
        return None if form is None else rational_value(form)

    def _spelled(self, node: Node, display: Display) -> Array:
        """Return numbers as the spec writes them, or closed forms; rounded ones where there are none."""
        rounded = self.printed(node, Display(digits=self.settings.digits))
        spelling = written(node) if display.form == "as-written" else self.forms(node)
        result = np.empty(node.shape, dtype=object)
        for place in np.ndindex(*node.shape):
            known = None if spelling is None else spelling[place]
            result[place] = rounded[place] if known is None else _spell(known)
        return result

    def _decide(
        self,
        node: Node,
        by_bounds: Callable[[Fraction, Fraction], Any],
        by_form: Callable[[Fraction], Any],
        unproven: Callable[[Fraction, Fraction], Any],
    ) -> Array:
        result = np.full(node.shape, None, dtype=object)
        bits = FIRST_PRECISION
        while True:
            values = self.enclosures(node, bits)
            _settle(values, result, by_bounds)
            if not _open(result):
                return result
            if bits >= ASK_EXACT_FROM:
                self._ask_forms(node, result, by_form)
                if not _open(result):
                    return result
            if bits * 2 > max(self.settings.precision_limit, FIRST_PRECISION):
                break
            bits *= 2
        for place in _open(result):
            bounds = ball.bounds(values[place])
            if bounds is None:
                raise self._not_finite(node, bits)
            result[place] = unproven(*bounds)
        return result

    def _ask_forms(self, node: Node, result: Array, by_form: Callable[[Fraction], Any]) -> None:
        for place in _open(result):
            value = self._form_value(node, place)
            if value is not None:
                result[place] = by_form(value)

    def _real_of_form(self, value: Fraction) -> Real:
        return Real(value=float(value))

    def _not_finite(self, node: Node, bits: int) -> SpecError:
        """Return the error of the first value on the way to ``node`` that is not finite."""
        known = self._values[bits]
        for step in ancestors([node]):
            if step in known and any(ball.bounds(x) is None and not ball.is_infinity(x) for x in known[step].flat):
                return self._undefined(
                    step, "a value that is not finite: a division by zero, or by what can't be told from it"
                )
        return self._undefined(node, "a value that is not finite")

    def _undefined(self, node: Node, reason: str) -> SpecError:
        code = (
            "division-by-zero" if "division by zero" in reason else "no-source" if "source" in reason else "undefined"
        )
        hint = {
            "no-source": "let every row see at least one source",
            "division-by-zero": "see which of the values it divides by is zero",
        }
        return SpecError(reason, code=code, span=self.where(node), hint=hint.get(code, ""))

    def agrees_with_numpy(self, nodes: list[Node]) -> None:
        """Compare numpy's float64 run with the enclosures, within numpy's own rounding error.

        Raises:
            SpecError: where they differ by more; either reading has a mistake then.
        """
        rough: dict[Node, Any] = {}
        self._evaluate(nodes, Balls(exactly=False), NUMPY_PRECISION, rough)
        with np.errstate(all="ignore"):
            floats = evaluate(nodes, Float64())
        for node in nodes:
            for place in np.ndindex(*node.shape):
                bounds, value = ball.bounds(rough[node][place]), float(floats[node][place])
                if bounds is None or not np.isfinite(value):
                    continue
                slack = max(abs(bounds[0]), abs(bounds[1])) * Fraction(1, 2**NUMPY_PRECISION)
                if not bounds[0] - slack <= Fraction(value) <= bounds[1] + slack:
                    raise SpecError(
                        f"numpy computes {value!r}, which is outside the proven bounds",
                        code="readings-differ",
                        span=self.where(node),
                        hint="this is a mistake of seqgen, not of the spec: please report it",
                    )


def written(node: Node) -> Array | None:
    """Return the texts of a given array as the spec writes them, or nothing where the node is computed."""
    if node.operation.name == "given" and not node.parameters["drawn"]:
        texts = np.empty(len(node.parameters["texts"]), dtype=object)
        texts[:] = node.parameters["texts"]
        return texts.reshape(node.shape)
    if node.operation.name == "index":
        source = written(node.inputs[0])
        return None if source is None else np.asarray(source[node.parameters["key"]], dtype=object)
    return None


def _spell(known: Any) -> Printed:
    if isinstance(known, str):
        return Printed(text=known, exact=True)
    import sympy

    return Printed(text=str(known), exact=True, latex=sympy.latex(known))


def _settle(values: Array, result: Array, by_bounds: Callable[[Fraction, Fraction], Any]) -> None:
    for place in _open(result):
        value = values[place]
        bounds = ball.bounds(value)
        if bounds is not None:
            result[place] = by_bounds(*bounds)
        elif ball.is_infinity(value):
            result[place] = _infinite(by_bounds, negative=bool(value == ball.NEGATIVE_INFINITY))


def _open(result: Array) -> list[tuple[int, ...]]:
    return [place for place in np.ndindex(*result.shape) if result[place] is None]


def _nearest(low: Fraction, high: Fraction) -> Real | None:
    a = float(low)
    if a != float(high) or (a == 0 and low != high):
        return None
    return Real(value=a + 0.0)  # the sum turns -0.0 into 0.0


def _unproven_real(low: Fraction, high: Fraction) -> Real:
    middle = float((low + high) / 2)
    # An enclosure of zero that is this narrow is printed as the zero that it most likely is.
    return Real(value=0.0 if low <= 0 <= high else middle, proven=False)


def _infinite(by_bounds: Callable[[Fraction, Fraction], Any], *, negative: bool) -> Any:
    if by_bounds is _nearest:
        return Real(value=-np.inf if negative else np.inf)
    sign = "-" if negative else ""
    return Printed(text=f"{sign}inf", exact=True, latex=rf"{sign}\infty")
