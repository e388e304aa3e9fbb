"""Walks a graph once and lets a domain compute each node's value.

A domain supplies the scalar functions and array primitives that operations are written in. Arrays
may carry one more leading axis than their node: a batch of variants, evaluated together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from seqgen.graph.node import Node, ancestors


class Undefined(Exception):
    """A value that does not exist, such as a quotient by zero; the message says why."""

    node: Node | None = None


def evaluate(
    roots: Iterable[Node],
    domain: Any,
    *,
    replaced: Mapping[Node, Any] | None = None,
    known: dict[Node, Any] | None = None,
    after: Callable[[Node, Any], Any] | None = None,
) -> dict[Node, Any]:
    """Return the values, in ``domain``, of ``roots`` and all that they depend on.

    ``replaced`` gives values to use instead of computing them; ``known`` is a memo from an earlier
    call, which is extended in place; ``after`` may map each value as soon as it is computed.

    Raises:
        Undefined: where a value does not exist; its ``node`` tells where.

    """
    values: dict[Node, Any] = {} if known is None else known
    if replaced:
        values.update(replaced)
    for node in _missing(roots, values):
        inputs = align(node, [values[i] for i in node.inputs], domain)
        try:
            value = domain.finish(node.operation.value(domain, node, *inputs))
        except Undefined as problem:
            problem.node = node
            raise
        values[node] = value if after is None else after(node, value)
    return values


def _missing(roots: Iterable[Node], values: Mapping[Node, Any]) -> list[Node]:
    """Return the nodes still to compute, inputs first."""
    if not values:
        return ancestors(roots)
    seen: set[Node] = set()
    stack = [root for root in roots if root not in values]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack.extend(i for i in node.inputs if i not in values)
    return sorted(seen, key=lambda node: node.serial)


def align(node: Node, inputs: list[Any], domain: Any) -> list[Any]:
    """Return ``inputs`` with their batch axes in the same place, where any has one."""
    lengths = [x.shape[0] for x, i in zip(inputs, node.inputs, strict=True) if x.ndim > len(i.shape)]
    if not lengths:
        return inputs
    if node.operation.elementwise:
        rank = len(node.shape)
        return [
            x.reshape(x.shape[:1] + (1,) * (rank - len(i.shape)) + i.shape) if x.ndim > len(i.shape) else x
            for x, i in zip(inputs, node.inputs, strict=True)
        ]
    if node.operation.signature.variadic:
        return [
            x if x.ndim > len(i.shape) else domain.broadcast_to(x, (lengths[0], *i.shape))
            for x, i in zip(inputs, node.inputs, strict=True)
        ]
    return inputs
