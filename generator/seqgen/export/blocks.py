"""What is exported of a microscope: named arrays, each laid out in rows, with their scalars, values and digits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from seqgen.graph.node import Node, Shape, ancestors
from seqgen.ledger.display import Printed
from seqgen.ledger.proof import written
from seqgen.microscope import Microscope
from seqgen.readings.arrays import Array
from seqgen.readings.formula import Formulas
from seqgen.readings.traced import Scalar, trace
from seqgen.shown.model import AS_WRITTEN

FORWARD, BACKWARD = "Forward", "Backward"


@dataclass(frozen=True, eq=False, kw_only=True)
class Block:
    """A named array as rows: its last axis runs to the right, all others downwards.

    scalars, printed, values: object and float arrays of two axes.
    fixed: the flat places whose given integers the graph is built by.
    """

    key: str
    sheet: str
    role: str
    formula: str
    about: str
    shape: Shape
    scalars: Array
    printed: Array
    values: Array
    fixed: frozenset[int] = frozenset()

    @property
    def is_given(self) -> bool:
        """Whether a reader may put other numbers in."""
        return all(scalar.function == "given" and scalar.text == self.key for scalar in self.scalars.flat)

    @property
    def size_text(self) -> str:
        """The shape as a reader writes it."""
        return " × ".join(map(str, self.shape))

    def row_label(self, row: int) -> str:
        """Return the index of a row among the axes that run downwards."""
        return ", ".join(map(str, np.unravel_index(row, self.shape[:-1]))) if len(self.shape) > 1 else ""


@dataclass(frozen=True, kw_only=True)
class Exported:
    """The blocks of a microscope in order, and the scalars of every node that they, and ``more``, depend on."""

    microscope: Microscope
    blocks: tuple[Block, ...]
    traced: Mapping[Node, Array]


def exported(microscope: Microscope, more: list[Node] | None = None) -> Exported:
    """Return what a spreadsheet of ``microscope`` shows; nodes in ``more`` are traced too."""
    graph = microscope.graph
    nodes = [(entry.node, entry.key, FORWARD) for entry in graph.entries.values()]
    nodes += [(node, key, BACKWARD) for node, key in _backward(microscope)]
    traced = trace([*(node for node, _, _ in nodes), *(more or [])], graph.names)
    blocks = tuple(_block(microscope, traced, *item) for item in nodes)
    return Exported(microscope=microscope, blocks=blocks, traced=traced)


def _backward(microscope: Microscope) -> Iterator[tuple[Node, str]]:
    """Yield the gradients that the spec asks for and what has a name on the way to them, in the order of computing."""
    names = dict(microscope.graph.names)
    names |= {gradient.entry.node: gradient.entry.key for gradient in microscope.gradients}
    entries = {entry.node for entry in microscope.graph.entries.values()}
    for gradient in microscope.gradients:
        if len(gradient.contributions) > 1:
            key = gradient.entry.key.removesuffix(")")
            for via, node in gradient.contributions:
                names.setdefault(node, f"{key}, via={via})")
    roots = [gradient.entry.node for gradient in microscope.gradients]
    for node in ancestors(roots):
        if node in names and node not in entries and node.operation.name != "given":
            yield node, names[node]


def _block(microscope: Microscope, traced: Mapping[Node, Array], node: Node, key: str, sheet: str) -> Block:
    graph, prover = microscope.graph, microscope.prover
    entry = graph.entries.get(key)
    display = AS_WRITTEN if written(node) is not None else microscope.display(key)
    return Block(
        key=key,
        sheet=sheet,
        role=entry.role if entry else "gradient",
        formula=_formula(microscope, node, key),
        about=entry.about if entry else "",
        shape=node.shape,
        scalars=in_rows(traced[node]),
        printed=in_rows(prover.printed(node, display)),
        values=in_rows(prover.reals(node).values),
        fixed=frozenset(graph.fixed.get(node, ())),
    )


def _formula(microscope: Microscope, node: Node, key: str) -> str:
    entry = microscope.graph.entries.get(key)
    if entry and entry.formula:
        return entry.formula
    return (
        "" if node.operation.name == "given" else Formulas(names=microscope.graph.names, latex=False).definition(node)
    )


def in_rows(array: Array) -> Array:
    """Return an array of any rank with two axes: the last runs to the right, all others downwards."""
    return array.reshape(-1, array.shape[-1] if array.shape else 1)


def decimals(printed: Printed) -> int | None:
    """Return how many decimals a number is printed with, or ``None`` where it is no plain decimal."""
    whole, point, digits = printed.text.removeprefix("-").partition(".")
    return len(digits) if whole.isdigit() and (not point or digits.isdigit()) else None


def is_kept(scalar: Scalar) -> bool:
    """Whether a number is what a loop keeps, which a spreadsheet holds as a value."""
    return scalar.function == "kept"
