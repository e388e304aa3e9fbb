"""Functions that make arrays of positions and dims: zeros, ones, eye, arange, causal_mask."""

from __future__ import annotations

import ast
from collections.abc import Callable

from seqgen.graph.node import MAX_AXES, MAX_ELEMENTS, Node, Shape, apply, element_count
from seqgen.language.scope import Scope


def _array(node: ast.Call, scope: Scope, shape: Shape, text: Callable[[int], str]) -> Node:
    if element_count(shape) > MAX_ELEMENTS:
        scope.fail(
            node,
            f"this would have {element_count(shape):,} elements",
            "too-large",
            expected=f"at most {MAX_ELEMENTS:,}",
        )
    if len(shape) > MAX_AXES:
        scope.fail(node, f"this would have {len(shape)} axes", "too-large", expected=f"at most {MAX_AXES}")
    texts = tuple(text(i) for i in range(element_count(shape)))
    return apply("constant", texts=texts, shape=shape, label=_label(node, scope), origin=scope.text.span(node))


def _label(node: ast.Call, scope: Scope) -> str:
    """Return the call as every place of the spec reads it: a size that is not the same everywhere is a number."""
    everywhere = Scope(graph=scope.graph, text=scope.text, names=scope.graph.bindings)

    def written(size: ast.expr) -> str:
        known, text = scope.number(size), scope.text.segment(size)
        if everywhere.number(size) != known:
            return str(known)
        return ast.unparse(size) if "\n" in text else text

    sizes = [
        f"[{', '.join(map(written, size.elts))}]" if isinstance(size, (ast.List, ast.Tuple)) else written(size)
        for size in node.args
    ]
    return f"{ast.unparse(node.func)}({', '.join(sizes)})"


def _sizes(node: ast.Call, scope: Scope, count: int | None = None) -> Shape:
    arguments = node.args
    if len(arguments) == 1 and isinstance(arguments[0], (ast.Tuple, ast.List)):
        arguments = arguments[0].elts
    name = ast.unparse(node.func)
    if node.keywords or (count is not None and len(arguments) != count):
        scope.fail(
            node,
            f"{name} takes {'sizes' if count is None else 'one size'}",
            "call",
            hint=f"write {name}({'T, D' if count is None else 'T'})",
        )
    sizes = tuple(scope.integer(a, "a size") for a in arguments)
    if any(size < 1 for size in sizes):
        scope.fail(node, "a size must be at least 1", "call", got=str(list(sizes)))
    return sizes


def zeros(node: ast.Call, scope: Scope) -> Node:
    """Return zeros of the given sizes."""
    return _array(node, scope, _sizes(node, scope), lambda i: "0")


def ones(node: ast.Call, scope: Scope) -> Node:
    """Return ones of the given sizes."""
    return _array(node, scope, _sizes(node, scope), lambda i: "1")


def eye(node: ast.Call, scope: Scope) -> Node:
    """Return the identity matrix of a size."""
    (n,) = _sizes(node, scope, 1)
    return _array(node, scope, (n, n), lambda i: "1" if i % (n + 1) == 0 else "0")


def arange(node: ast.Call, scope: Scope) -> Node:
    """Return 0, 1, …, n-1."""
    (n,) = _sizes(node, scope, 1)
    return _array(node, scope, (n,), str)


def causal_mask(node: ast.Call, scope: Scope) -> Node:
    """Return the matrix [n, n] to add to scores: 0 where column <= row, -inf after that."""
    (n,) = _sizes(node, scope, 1)
    return _array(node, scope, (n, n), lambda i: "0" if i % n <= i // n else "-inf")


MAKERS: dict[str, Callable[[ast.Call, Scope], Node]] = {
    "zeros": zeros,
    "ones": ones,
    "eye": eye,
    "arange": arange,
    "causal_mask": causal_mask,
}
