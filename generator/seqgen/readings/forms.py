"""Closed forms as they are printed, cached by content, so that sympy is asked for what is new and only for that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np

from seqgen.graph.fingerprint import Fingerprints
from seqgen.graph.node import Node, ancestors, units
from seqgen.readings.arrays import Array
from seqgen.readings.evaluate import evaluate

MOST_ELEMENTS = 1024
# So many arguments of forms may be put together for a node, and for each unit of what it costs its spec: a spec takes
# time in proportion to its size, and what becomes of a node depends on nothing but what it is.
NODE_WORK, UNIT_WORK = 1500, 50

# What is known of an element's form, or nothing where the form is left out
Facts = dict[str, str | None] | None

# sympy's names of the infinities, and those of specs and ledgers
INFINITIES = {"oo": "inf", "-oo": "-inf"}

# Rows of facts by limit, precision and content, of all graphs of this process: a child's parents are computed once.
_known: dict[str, list[Facts]] = {}


class Form:
    """The closed form of one element; each fact is computed once."""

    def __init__(self, facts: dict[str, str | None], expression: Callable[[], Any]) -> None:
        self._facts = facts
        self._expression = expression

    def _fact(self, name: str, compute: Callable[[Any], str | None]) -> str | None:
        if name not in self._facts:
            from seqgen.readings.algebra import INTERNAL

            try:
                self._facts[name] = compute(self._expression())
            except INTERNAL:
                self._facts[name] = None
        return self._facts[name]

    def __str__(self) -> str:
        def compute(expression: Any) -> str:
            from seqgen.readings import writing

            found = writing.text(expression)
            return INFINITIES.get(found, found)

        return self._fact("text", compute) or ""

    @property
    def latex(self) -> str:
        """The form in LaTeX; as a text where sympy can write no LaTeX."""

        def compute(expression: Any) -> str:
            from seqgen.readings import writing

            return writing.latex(expression)

        return self._fact("latex", compute) or rf"\text{{{self}}}"

    @property
    def rational(self) -> Fraction | None:
        """The rational that the form is as it stands, or None."""

        def compute(expression: Any) -> str | None:
            return str(expression) if expression.is_Rational else None

        text = self._fact("rational", compute)
        return None if text is None else Fraction(text)

    def agrees(self, value: Any) -> str:
        """Return whether the form may be the number that ``value`` encloses: "yes", "no" or "unknown"."""

        def compute(expression: Any) -> str:
            from seqgen.readings.exact import agreement

            return agreement(expression, value)

        return self._fact("agrees", compute) or ""


class Forms:
    """The closed forms of a graph's nodes, of at most ``limit`` operations.

    What follows from an array of more than ``MOST_ELEMENTS`` has none: sympy takes about a millisecond an element.
    ``bits`` is the highest precision of the enclosures that they are compared with. ``known_forms`` holds rows of
    facts, by limit, precision and content, from an earlier run; ``used`` those of this run.
    """

    def __init__(self, limit: int, bits: int, known_forms: Mapping[str, list[Facts]] | None = None) -> None:
        self._limit = limit
        self._terms = f"{limit} {bits} "
        self._known_forms = known_forms or {}
        self._contents = Fingerprints()
        self._expressions: dict[Node, Array] = {}
        self._forms: dict[Node, Array] = {}
        self._large: dict[Node, bool] = {}
        self.used: dict[str, list[Facts]] = {}

    @property
    def longest(self) -> int:
        """The characters up to which a form is shown: a longer one is for nobody to read unless a spec asks for it."""
        return max(200, 3 * self._limit)

    def of(self, node: Node) -> Array:
        """Return a `Form` for each element of ``node``, ``None`` where it is left out."""
        if node not in self._forms:
            self._forms[node] = self._make(node)
        return self._forms[node]

    def _make(self, node: Node) -> Array:
        result = np.full(node.size, None, dtype=object)
        if not self._limit or self.is_large(node):
            return result.reshape(node.shape)
        for place, facts in enumerate(self._facts(node)):
            if facts is not None:
                result[place] = Form(facts, partial(self._element, node, place))
        return result.reshape(node.shape)

    def is_large(self, node: Node) -> bool:
        """Whether ``node``, or an array that it follows from, has too many elements for closed forms."""
        for step in ancestors([node], self._large):
            self._large[step] = step.size > MOST_ELEMENTS or any(self._large[i] for i in step.inputs)
        return self._large[node]

    def _facts(self, node: Node) -> list[Facts]:
        key = self._terms + self._contents.digest(node)
        facts = _known.get(key)
        if facts is None:
            before = self._known_forms.get(key)
            if before is None:
                from seqgen.readings.algebra import ABSENT

                facts = [None if closed.form is ABSENT else {} for closed in self._expression(node).flat]
            else:  # a copy, so that what is new in it can be seen
                facts = [None if known is None else dict(known) for known in before]
        self.used[key] = _known[key] = facts
        return facts

    def _element(self, node: Node, place: int) -> Any:
        return self._expression(node).flat[place].form

    def _expression(self, node: Node) -> Array:
        from seqgen.readings.algebra import Work, charged

        for step in ancestors([node], self._expressions):
            with charged(Work(left=NODE_WORK + UNIT_WORK * units(step), terms=2 * self._limit + 64)):
                evaluate([step], self._reading, known=self._expressions)
        return self._expressions[node]

    @cached_property
    def _reading(self) -> Any:
        from seqgen.readings.exact import Exact

        return Exact(self._limit)
