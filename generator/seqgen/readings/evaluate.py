"""Walks a graph once and lets a domain compute each node's value.

A domain supplies the scalar functions and array primitives that operations are written in. Arrays
may carry one more leading axis than their node: a batch of variants, evaluated together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seqgen.graph.domain import Domain
from seqgen.graph.node import Node, ancestors


class Undefined(Exception):
    """A value that does not exist, such as a quotient by zero; the message says why."""

    node: Node | None = None


def evaluate(
    roots: Iterable[Node],
    domain: Domain,
    *,
    replaced: Mapping[Node, Any] | None = None,
    known: dict[Node, Any] | None = None,
) -> dict[Node, Any]:
    """Return the values, in ``domain``, of ``roots`` and all that they depend on.

    ``replaced`` gives values to use instead of computing them; ``known`` is a memo from an earlier
    call, which is extended in place.

    Raises:
        Undefined: where a value does not exist; its ``node`` tells where.
    """
    values: dict[Node, Any] = {} if known is None else known
    if replaced:
        values.update(replaced)
    _compute(ancestors(roots, values), values, domain, batched=bool(replaced))
    return values


def _compute(nodes: Iterable[Node], values: dict[Node, Any], domain: Domain, *, batched: bool = False) -> None:
    """Compute ``nodes``, which come after their inputs, into ``values``; a batch can only come from replaced values."""
    finish = domain.finish
    for node in nodes:
        inputs = [values[i] for i in node.inputs]
        if batched:
            inputs = align(node, inputs, domain)
        try:
            values[node] = finish(node.operation.value(domain, node, *inputs))
        except Undefined as problem:
            problem.node = node
            raise


def align(node: Node, inputs: list[Any], domain: Domain) -> list[Any]:
    """Return ``inputs`` with their batch axes in the same place, where any has one."""
    for x, i in zip(inputs, node.inputs, strict=True):
        if x.ndim > len(i.shape):
            return _aligned(node, inputs, x.shape[0], domain)
    return inputs


def _aligned(node: Node, inputs: list[Any], length: int, domain: Domain) -> list[Any]:
    if node.operation.elementwise:
        rank = len(node.shape)
        return [
            x.reshape(x.shape[:1] + (1,) * (rank - len(i.shape)) + i.shape) if x.ndim > len(i.shape) else x
            for x, i in zip(inputs, node.inputs, strict=True)
        ]
    if node.operation.signature.variadic:
        return [
            x if x.ndim > len(i.shape) else domain.broadcast_to(x, (length, *i.shape))
            for x, i in zip(inputs, node.inputs, strict=True)
        ]
    return inputs


@dataclass(frozen=True, kw_only=True)
class Loop:
    """A computation that is repeated: ``results`` of one round take the place of ``state`` in the next.

    ``watched``, a scalar, is kept with the state after the rounds in ``kept`` (0 is before the first).
    """

    state: tuple[Node, ...]
    results: tuple[Node, ...]
    watched: Node
    kept: tuple[int, ...]


Rounds = Callable[[Loop, list[Any], dict[Node, Any], Any], Iterator[Mapping[Node, Any]]]


def iterate(loop: Loop, values: Sequence[Any], domain: Domain, rounds: Rounds) -> Any:
    """Return one row a kept round: the watched scalar, then the state, all in one line.

    ``rounds(loop, state, fixed values, domain)`` yields the values of round after round, and the state before each.
    """
    sizes = {x.shape[0] for x, node in zip(values, loop.state, strict=True) if x.ndim > len(node.shape)}
    if sizes:  # one loop a variant
        pairs = list(zip(values, loop.state, strict=True))
        variants = ([x[k] if x.ndim > len(n.shape) else x for x, n in pairs] for k in range(sizes.pop()))
        return domain.stack([iterate(loop, [*map(domain.finish, v)], domain, rounds) for v in variants], -3)
    fixed, _ = _split(loop)
    kept, rows = set(loop.kept), []
    for count, found in enumerate(rounds(loop, list(values), evaluate(fixed, domain) if fixed else {}, domain)):
        if count in kept:
            state = (found[node].reshape(-1) for node in loop.state)
            rows.append(domain.concatenate([found[loop.watched].reshape(1), *state], -1))
        if domain.is_lost(found[loop.watched]):
            return domain.lost((len(loop.kept), 1 + sum(node.size for node in loop.state)))
        if count == loop.kept[-1]:
            break
    return domain.stack(rows, -2)


def walk(loop: Loop, state: list[Any], fixed: dict[Node, Any], domain: Domain) -> Iterator[Mapping[Node, Any]]:
    """Yield the rounds of ``loop`` by walking its graph in each."""
    _, moving = _split(loop)
    while True:
        found = {**fixed, **dict(zip(loop.state, state, strict=True))}
        _compute(moving, found, domain)
        yield found
        state = [found[node] for node in loop.results]


def _split(loop: Loop) -> tuple[list[Node], list[Node]]:
    """Return the nodes of a round that stay the same, and those that follow from the state."""
    moved = set(loop.state)
    fixed, moving = [], []
    for node in ancestors([loop.watched, *loop.results]):
        if node in moved:
            continue
        if any(i in moved for i in node.inputs):
            moved.add(node)
            moving.append(node)
        else:
            fixed.append(node)
    return fixed, moving
