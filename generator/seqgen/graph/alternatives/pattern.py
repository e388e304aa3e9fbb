"""Patterns over the graph, written as expressions: ``(r * h) @ W.T`` finds products, and builds them.

A name in a pattern stands for any node of the kind that its first letter declares (`KINDS`), and for the same node
wherever it occurs. Sums and products match in either order.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from seqgen.errors import Span
from seqgen.graph.node import CONSTANTS, REQUIRED, Node, apply, constant
from seqgen.graph.operations.arithmetic import transposed

Bound = Mapping[str, Any]

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "power",
    ast.MatMult: "matmul", ast.USub: "negative", ast.Gt: "greater", ast.Lt: "less", ast.Eq: "equal",
    ast.LtE: "less_equal", ast.GtE: "greater_equal",
}  # fmt: skip
COMMUTATIVE = ("add", "multiply")


def behind(node: Node) -> Node:
    """Return what ``node`` is, where it is only a second name for it."""
    while node.operation.name == "identity":
        (node,) = node.inputs
    return node


def _texts(node: Node) -> Sequence[str]:
    node = behind(node)
    return node.parameters["texts"] if node.operation.name in ("given", "constant") else ()


def number_of(node: Node) -> Fraction | None:
    """Return the number that a scalar is known to be: a constant, or a given one."""
    texts = _texts(node)
    if behind(node).shape == () and texts and not texts[0].endswith(("inf", "pi")):
        return Fraction(texts[0])
    return behind(node).number


def _is_small(node: Node) -> bool:
    number = number_of(node)
    return number is not None and 0 < number <= Fraction(1, 100)


def hides(node: Node) -> bool:
    """Whether minus infinity is among the numbers that ``node`` is made of directly: it is a mask to be added."""
    node = behind(node)
    if node.operation.name in ("add", "where", "index", "broadcast", "reshape"):
        return any(map(hides, node.inputs))
    return (node.operation.name == "negative" and "inf" in _texts(node.inputs[0])) or "-inf" in _texts(node)


def _like(pattern: str) -> Callable[[Node], bool]:
    return lambda node: any(find(parse(pattern), node, {}))


def _are_losses(node: Node) -> bool:
    node = behind(node)
    return node.operation.name == "stack" and all(behind(i).operation.name == "negative" for i in node.inputs)


def _is_weight(node: Node) -> bool:
    return behind(node).operation.name == "given" and len(node.shape) == 2 and node.shape[0] == node.shape[1]


def _is_bias(node: Node) -> bool:
    return behind(node).operation.name == "given" and len(node.shape) == 1


# What a name in a pattern may stand for, by its first letter; any other letter stands for anything.
KINDS: dict[str, tuple[str, Callable[[Node], bool]]] = {
    "W": ("a given square matrix", _is_weight),
    "b": ("a given vector", _is_bias),
    "e": ("a number above 0 and at most 0.01", _is_small),
    "n": ("a number", lambda node: number_of(node) is not None),
    "g": ("a gate", _like("sigmoid(x)")),
    "h": ("a state, which is no result of tanh", lambda node: not _like("tanh(x)")(node)),
    "i": ("a part of an array", lambda node: behind(node).operation.name == "index"),
    "l": ("a list of negative logarithms, or of other negative values", _are_losses),
    "M": ("a mask that is added, with minus infinity where a source is hidden", hides),
    "s": ("anything that is no mask", lambda node: not hides(node)),
    "t": ("anything that is no mean", lambda node: behind(node).operation.name != "mean"),
}


def static(tree: ast.expr) -> Fraction | None:
    """Return the number that a pattern writes: 2, 1/2, 1e-6."""
    match tree:
        case ast.Constant(value=value):
            return Fraction(str(value))
        case ast.BinOp(left=ast.Constant(value=above), op=ast.Div(), right=ast.Constant(value=below)):
            return Fraction(str(above)) / Fraction(str(below))
    return None


@lru_cache(maxsize=1024)
def parse(text: str) -> ast.expr:
    """Return the tree of a pattern."""
    return ast.parse(text, mode="eval").body


def _head(tree: ast.expr) -> tuple[str, list[ast.expr], dict[str, ast.expr]]:
    """Return a pattern's operation, its inputs and its options."""
    match tree:
        case ast.BinOp(left=left, op=op, right=right):
            return OPERATORS[type(op)], [left, right], {}
        case ast.UnaryOp(op=op, operand=operand):
            return OPERATORS[type(op)], [operand], {}
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return OPERATORS[type(op)], [left, right], {}
        case ast.Attribute(value=value, attr="T"):
            return "transpose", [value], {}
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords):
            return name, arguments, {k.arg or "": k.value for k in keywords}
    raise ValueError(f"no pattern: {ast.unparse(tree)}")


# Numbers that a pattern builds of a shape: how many elements, and how many columns.
SIZES: dict[str, Callable[[Node], int]] = {"count": lambda x: x.size, "columns": lambda x: x.shape[-1]}


def find(tree: ast.expr, node: Node, bound: Bound) -> Iterator[Bound]:
    """Yield what the names of a pattern stand for, where it is ``node``."""
    match tree:
        case ast.Name(id=name):
            if name in bound:
                same = _are_same(bound[name], node)
            else:
                kind = KINDS.get(name[0])
                same = kind is None or kind[1](node)
            if same:
                yield {**bound, name: bound.get(name, node)}
        case ast.Call(func=ast.Name(id=name), args=[ast.Name(id=of)]) if name in SIZES:
            if of in bound and number_of(node) == SIZES[name](bound[of]):
                yield bound
        case _ if (value := static(tree)) is not None:
            if number_of(node) == value:
                yield bound
        case _:
            name, inputs, options = _head(tree)
            node = behind(node)
            if node.operation.name != name or len(node.inputs) != len(inputs):
                return
            found = _options(node, options, bound)
            if found is None:
                return
            yield from _inputs(inputs, node.inputs, found)
            if name in COMMUTATIVE:
                yield from _inputs(inputs, node.inputs[::-1], found)


def _inputs(trees: Sequence[ast.expr], nodes: Sequence[Node], bound: Bound) -> Iterator[Bound]:
    if not trees:
        yield bound
        return
    for found in find(trees[0], nodes[0], bound):
        yield from _inputs(trees[1:], nodes[1:], found)


def _are_same(a: Node, b: Node, levels: int = 6) -> bool:
    """Whether two nodes are written alike, down to some levels, where they must be one."""
    a, b = behind(a), behind(b)
    if a is b or not levels or a.operation is not b.operation or a.operation.name == "given":
        return a is b
    if a.parameters != b.parameters or len(a.inputs) != len(b.inputs):
        return False
    return all(_are_same(x, y, levels - 1) for x, y in zip(a.inputs, b.inputs, strict=True))


def _options(node: Node, options: Mapping[str, ast.expr], bound: Bound) -> Bound | None:
    """Return what the options stand for; those that the pattern leaves out have their defaults."""
    for key, default in node.operation.signature.options.items():
        value = _counted(node, key)
        match options.get(key):
            case ast.Name(id=name):
                if bound.get(name, value) != value:
                    return None
                bound = {**bound, name: value}
            case None:
                if default is not REQUIRED and key not in ("label", "drawn") and value != default:
                    return None
            case wanted:
                if ast.literal_eval(wanted) != value:
                    return None
    return bound


def _counted(node: Node, key: str) -> Any:
    """Return an option's value; an axis counted from the last."""
    value: Any = node.parameters.get(key)
    is_axis = key == "axis" and isinstance(value, int) and value >= 0
    return value - len(node.inputs[0].shape) if is_axis else value


def build(tree: ast.expr, bound: Bound, origin: Span | None) -> Node:
    """Return the node that a pattern builds.

    Raises:
        ShapeClash: where shapes do not fit.
    """
    match tree:
        case ast.Name(id=name) if name in CONSTANTS:
            return apply("constant", texts=(name,), shape=(), origin=origin)
        case ast.Name(id=name):
            node: Node = bound[name]
            return node
        case _ if (value := static(tree)) is not None:
            return constant(value, origin=origin)
    name, inputs, options = _head(tree)
    nodes = [build(part, bound, origin) for part in inputs]
    if name in SIZES:
        return constant(SIZES[name](nodes[0]), origin=origin)
    if name == "transpose":
        return transposed(nodes[0])
    values = {k: bound[v.id] if isinstance(v, ast.Name) else ast.literal_eval(v) for k, v in options.items()}
    return apply(name, *nodes, origin=origin, **values)
