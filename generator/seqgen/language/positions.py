"""What a loop runs over: positions that are known without computing."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from fractions import Fraction

from seqgen.graph.budget import charge
from seqgen.graph.node import Node
from seqgen.language.scope import Scope

MAX_UNROLLED = 100_000


def positions(target: ast.expr, iterable: ast.expr, scope: Scope) -> Iterator[Scope]:
    """Yield the scope of each round of ``for target in iterable``."""
    if not isinstance(target, ast.Name):
        scope.fail(target, "'for' sets one name", "syntax", hint="write 'for t in range(T):'")
    if target.id in scope.names or target.id in scope.graph.dims:
        scope.fail(target, f"'{target.id}' is already a name", "set-twice", hint="use another name for the position")
    for value in iterated(iterable, scope):
        charge(1, scope.text.span(target))
        yield scope.at(**{target.id: value})


def iterated(node: ast.expr, scope: Scope) -> Sequence[Fraction]:
    """Return the positions of ``range(…)``, a list of integers, or a given list of integers.

    Raises:
        SpecError: where they are not known.
    """
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("range", "reversed"):
        if node.func.id == "reversed" and len(node.args) == 1:
            return list(reversed(iterated(node.args[0], scope)))
        if not 1 <= len(node.args) <= 3 or node.keywords:
            scope.fail(
                node, "range takes one to three integers", "call", hint="range(T), range(1, T) or range(T - 1, -1, -1)"
            )
        bounds = [scope.integer(argument, "a bound of range") for argument in node.args]
        if len(bounds) == 3 and bounds[2] == 0:
            scope.fail(node, "the step of range must not be zero", "call")
        values = range(*bounds)
        if len(values) > MAX_UNROLLED:
            scope.fail(node, f"this loop has {len(values):,} rounds", "too-large", expected=f"at most {MAX_UNROLLED:,}")
        return [Fraction(value) for value in values]
    if isinstance(node, (ast.List, ast.Tuple)):
        return [Fraction(scope.integer(item, "a position")) for item in node.elts]
    if isinstance(node, ast.Name) and isinstance(binding := scope.names.get(node.id), Node) and len(binding.shape) == 1:
        texts = binding.parameters.get("texts", ())
        if texts and all(text.lstrip("-").isdigit() for text in texts):
            return [Fraction(scope.graph.read(binding, flat)) for flat in range(len(texts))]
    is_count = isinstance(node, ast.Constant) and type(node.value) is int
    hint = f"write range({scope.text.segment(node)})" if is_count else "loop over positions, and use x[t] inside"
    scope.fail(node, "'for' runs over range(…), a list of integers, or a given list of integers", "loop", hint=hint)
