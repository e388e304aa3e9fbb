"""Which values of several graphs are equal for certain: as exact numbers, by closed forms, or by the same steps."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from seqgen.graph.fingerprint import Fingerprints
from seqgen.graph.node import Node, ancestors
from seqgen.microscope import Microscope
from seqgen.readings import ball, intervals

BITS = 256
COMMUTATIVE = ("add", "multiply")
# What leaves the other operand as it is: the operations, whether on both sides, and the number.
NEUTRAL = {"add": (True, 0), "subtract": (False, 0), "multiply": (True, 1), "divide": (False, 1)}


class Classes:
    """Numbers nodes so that two with the same number are equal in every element.

    A node is known by its exact numbers, by its closed forms where ``forms``, and by its operation with the classes of
    its inputs: so what follows from equal values in the same way is equal, however long it is.
    """

    def __init__(self, *, forms: bool = True) -> None:
        self._forms = forms
        self._known: dict[Hashable, int] = {}
        self._classes: dict[Node, int] = {}

    def of(self, microscope: Microscope, nodes: Iterable[Node]) -> list[int]:
        """Return the classes of a microscope's ``nodes``."""
        nodes, contents = list(nodes), Fingerprints()
        for node in ancestors(nodes, self._classes):
            keys = list(self._keys(microscope, node, contents))
            found = next((self._known[key] for key in keys if key in self._known), len(self._known))
            for key in keys:
                self._known.setdefault(key, found)
            self._classes[node] = found
        return [self._classes[node] for node in nodes]

    def _keys(self, microscope: Microscope, node: Node, contents: Fingerprints) -> Iterator[Hashable]:
        """Yield all that a node is known by."""
        exact = exact_values(microscope, node)
        if exact is not None:
            yield node.shape, exact
            return
        inputs = [self._classes[i] for i in node.inputs]
        if (same := _unchanged(microscope, node)) is not None:
            yield "class", self._classes[same]
            self._known.setdefault(("class", self._classes[same]), self._classes[same])
            return
        if self._forms and (forms := microscope.prover.believed(node)).size and all(f is not None for f in forms.flat):
            yield "forms", node.shape, tuple(map(str, forms.flat))
        parameters = tuple(f"{key}={contents.told(value)}" for key, value in sorted(_meaningful(node).items()))
        name = node.operation.name
        yield name, node.shape, parameters, tuple(sorted(inputs) if name in COMMUTATIVE else inputs)


def _meaningful(node: Node) -> dict[str, Any]:
    return {key: value for key, value in node.parameters.items() if key not in ("label", "drawn")}


def exact_values(microscope: Microscope, node: Node) -> tuple[Any, ...] | None:
    """Return the numbers of ``node`` where each of them is known exactly, else nothing."""
    found: list[Any] = []
    for x in microscope.prover.enclosures(node, BITS).flat:
        if ball.is_infinity(x):
            found.append("inf" if x > 0 else "-inf")
            continue
        bounds = intervals.bounds(x)
        if bounds is None or bounds[0] != bounds[1]:
            return None
        found.append(bounds[0])
    return tuple(found)


def _unchanged(microscope: Microscope, node: Node) -> Node | None:
    """Return the input that ``node`` equals: a second name's, or an operand beside a zero or a one."""
    if node.operation.name == "identity":
        return node.inputs[0]
    both, number = NEUTRAL.get(node.operation.name, (False, None))
    if number is None:
        return None
    x, y = node.inputs
    for kept, other in ((x, y), (y, x)) if both else ((x, y),):
        if kept.shape == node.shape and set(exact_values(microscope, other) or ()) == {number}:
            return kept
    return None
