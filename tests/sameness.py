"""When two formulas are the same: the same operations on the same names, with the same parameters.

What the language itself holds to be one is one here: a rational number, however it is spelled; a value and the bare
value behind a second name that nobody gave; ``x[0][1]`` and ``x[0, 1]``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from seqgen.errors import Source, Span
from seqgen.graph.node import Node
from seqgen.language.bindings import Graph
from seqgen.language.expressions import lower
from seqgen.language.scope import Scope
from seqgen.language.syntax import parse_expression
from seqgen.readings.formula import Formulas
from seqgen.spec.document import Scalar

UNSEEN = ("label", "drawn")


def written(graph: Graph, node: Node) -> str:
    """Return the text that a ledger has of how ``node`` is made."""
    return Formulas(names=graph.names, latex=False).definition(node)


def read(graph: Graph, text: str) -> Node:
    """Return the node of a formula's text, with the names of the ledger in scope."""
    scalar = Scalar(text=text, span=Span(source=Source(name="formula", text=text), line=1, column=1, width=len(text)))
    parsed = parse_expression(scalar)
    return lower(parsed.tree, Scope(graph=graph, text=parsed, names=graph.bindings))


def is_definition(graph: Graph, node: Node, formula: Node) -> bool:
    """Whether ``formula`` computes what ``node`` is made by."""
    if node.operation.name == "identity":
        return same(graph, node.inputs[0], formula)
    return not (formula in graph.names and formula is not node) and _alike(graph, [(node, formula)])


def same(graph: Graph, one: Node, other: Node) -> bool:
    """Whether two nodes are the same where they stand in a formula; a name is itself and no other."""
    pairs = [(one, other)]
    return _is_leaf_pair(graph, pairs) if _named(graph, one, other) else _alike(graph, pairs)


def _named(graph: Graph, *nodes: Node) -> bool:
    return any(_bare(graph, node) in graph.names for node in nodes)


def _is_leaf_pair(graph: Graph, pairs: list[tuple[Node, Node]]) -> bool:
    return all(_bare(graph, one) is _bare(graph, other) for one, other in pairs)


def _alike(graph: Graph, pairs: list[tuple[Node, Node]]) -> bool:
    """Whether each pair has the same operation, parameters and inputs; names count inside a pair only."""
    first = True
    seen: set[tuple[Node, Node]] = set()
    while pairs:
        one, other = pairs.pop()
        if not first:
            one, other = _bare(graph, one), _bare(graph, other)
            if one is other or (one, other) in seen:
                continue
            if one in graph.names or other in graph.names:
                return False
        first = False
        seen.add((one, other))
        if (number := _number(one)) is not None:
            if number != _number(other):
                return False
            continue
        if _kind(graph, one) != _kind(graph, other):
            return False
        pairs += zip(_inputs(graph, one), _inputs(graph, other), strict=True)
    return True


def _bare(graph: Graph, node: Node) -> Node:
    while node.operation.name == "identity" and node not in graph.names:
        (node,) = node.inputs
    return node


def _number(node: Node) -> Fraction | None:
    if node.operation.name == "negative":
        number = _number(node.inputs[0])
        return None if number is None else -number
    return node.number


def _kind(graph: Graph, node: Node) -> tuple[Any, ...]:
    key, _ = _index(graph, node)
    parameters = {**node.parameters, "key": key} if node.operation.name == "index" else node.parameters
    told = sorted((name, repr(value)) for name, value in parameters.items() if name not in UNSEEN)
    return node.operation.name, node.shape, told, len(_inputs(graph, node))


def _inputs(graph: Graph, node: Node) -> tuple[Node, ...]:
    return (_index(graph, node)[1],) if node.operation.name == "index" else node.inputs


def _index(graph: Graph, node: Node) -> tuple[tuple[Any, ...], Node]:
    """Return the whole index and what it goes into: plain positions in a row are one index."""
    key: tuple[Any, ...] = ()
    base = node
    while base.operation.name == "index" and (base is node or base not in graph.names):
        inner = base.parameters["key"]
        if base is not node and not all(isinstance(part, int) for part in inner):
            break
        key, base = (*inner, *key), _bare(graph, base.inputs[0])
    return key, base
