"""Reverse mode from graph to graph, with every contribution kept apart.

The gradient of a scalar with respect to a node is the sum, over the node's uses, of what each use
sends back (Griewank & Walther, Evaluating Derivatives, 2008, section 3.2). Each use stays a node.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass

from seqgen.graph.node import Node, NoDerivative, ancestors, apply, constant
from seqgen.graph.operations.arrays import filled


@dataclass(frozen=True, kw_only=True)
class Contribution:
    """What one use of a node sends back: ``consumer`` uses the node as its input ``position``."""

    consumer: Node
    position: int
    cotangent: Node


Place = Callable[[Node, int], tuple[int, ...]]


def by_serial(consumer: Node, position: int) -> tuple[int, ...]:
    """Return the place of a use in the order of evaluation."""
    return consumer.serial, position


class Adjoints:
    """The cotangents of every node that ``root``, a scalar, depends on.

    ``differentiated`` tells which node each node of a derivative rule comes from. ``closed`` are the nodes that the
    root depends on through an operation without a derivative rule: they have no gradient.

    The gradient of a node in ``named`` is a node apart, so that it can have a name too; where it is passed on
    unchanged, as through a sum, the two share it. So is what a use of such a node contributes where the root itself
    depends on that: the name of a gradient would get into the root's own formula. ``place`` orders the uses.
    """

    def __init__(self, root: Node, named: Container[Node] = (), place: Place = by_serial) -> None:
        self.root = root
        self._named = named
        self._place = place
        self._apart: set[Node] = set()
        self._contributions: dict[Node, list[Contribution]] = {}
        self._totals: dict[Node, Node] = {}
        self.differentiated: dict[Node, Node] = {}
        self.closed: set[Node] = set()
        forward = ancestors([root])
        self._forward = set(forward)
        for node in reversed(forward):
            if node is root or node in self._contributions:
                self._send(node, self._total(node))

    def _send(self, node: Node, total: Node) -> None:
        try:
            cotangents = node.operation.derivative(node, total)
        except NoDerivative as problem:
            self.closed.update(problem.sources)
            return
        for position, cotangent in enumerate(cotangents):
            source = node.inputs[position]
            if cotangent is not None:
                self._note(cotangent, node)
            if cotangent is not None and source.operation.name != "constant":
                sent = self._set_apart(cotangent, source, node)
                contribution = Contribution(consumer=node, position=position, cotangent=sent)
                self._contributions.setdefault(source, []).append(contribution)

    def _set_apart(self, cotangent: Node, source: Node, step: Node) -> Node:
        """Return what ``step`` sends back to ``source``: apart where it would be a named forward node."""
        if cotangent not in self._forward or cotangent in self._named or source not in self._named:
            return cotangent
        apart = apply("identity", cotangent)
        self._apart.add(apart)
        self._note(apart, step)
        return apart

    def _note(self, cotangent: Node, step: Node) -> None:
        """Remember which step the nodes of a cotangent are the derivative of: they have no place of their own."""
        stack = [cotangent]
        while stack:
            node = stack.pop()
            if node.origin is None and node.serial > self.root.serial and node not in self.differentiated:
                self.differentiated[node] = step
                stack.extend(node.inputs)

    def contributions(self, node: Node) -> list[Contribution]:
        """Return what each use of ``node`` sends back, in the order of the uses."""
        return sorted(self._contributions.get(node, []), key=lambda use: self._place(use.consumer, use.position))

    def gradient(self, node: Node) -> Node:
        """Return the gradient of the root with respect to ``node``; zeros where it does not depend on it.

        Raises:
            NoDerivative: where it is one of ``closed``.
        """
        if node in self.closed:
            raise NoDerivative("the gradient would pass an operation that has no derivative rule")
        return self._total(node)

    def _total(self, node: Node) -> Node:
        if node not in self._totals:
            total = constant(1) if node is self.root else None
            for use in self.contributions(node):
                total = use.cotangent if total is None else total + use.cotangent
            if total is None:
                total = filled(node.shape, 0)
            else:
                self._note(total, node)
                if node in self._named and total not in self._apart and total.operation.name != "constant":
                    total = apply("identity", total)
                    self._apart.add(total)
            self._totals[node] = total
        return self._totals[node]
