"""The arguments of a call, sorted by the signature of the operation that it calls."""

from __future__ import annotations

import ast
from typing import Any

from seqgen.errors import count, nearest
from seqgen.graph.node import REQUIRED, Operation
from seqgen.language.idioms import OPTIONS
from seqgen.language.scope import Scope


def arguments(node: ast.Call, operation: Operation, scope: Scope) -> tuple[list[ast.expr], dict[str, Any]]:
    """Return the array arguments, and the options by name; most operations' options may also follow by position."""
    signature = operation.signature
    arrays = len(node.args) if signature.variadic else len(signature.arrays)
    wanted = form(operation)
    if len(node.args) < len(signature.arrays):
        scope.fail(node, f"{operation.name} takes {wanted}", "call", got=count(len(node.args), "argument"))
    extra = list(zip(signature.options, node.args[arrays:], strict=False))
    if len(node.args) - arrays > len(signature.options):
        scope.fail(node, f"{operation.name} takes {wanted}", "call", got=count(len(node.args), "argument"))
    if extra and signature.by_name:
        hint = signature.by_name.format(", ".join(map(ast.unparse, node.args)))
        scope.fail(extra[0][1], f"{operation.name} takes its options by name", "call", expected=wanted, hint=hint)
    options: dict[str, Any] = {}
    for key, value, place in [(k, v, v) for k, v in extra] + [(k.arg or "", k.value, k) for k in node.keywords]:
        if key not in signature.options:
            here = OPTIONS.get(key)
            hint = f"it is called {here} here" if here in signature.options else nearest(key, signature.options)
            scope.fail(place, f"{operation.name} has no option '{key}'", "call", expected=wanted, hint=hint)
        if key in options:
            scope.fail(place, f"the option '{key}' is given twice", "call", expected=wanted)
        options[key] = _option(key, value, scope)
    return list(node.args[:arrays]), options


def form(operation: Operation) -> str:
    """Return how ``operation`` is called, with its defaults."""
    parts = [*operation.signature.arrays]
    if operation.signature.variadic:
        parts.append("…")
    for key, default in operation.signature.options.items():
        parts.append(f"{key}=…" if default is REQUIRED else f"{key}={default}")
    return f"{operation.name}({', '.join(parts)})"


def _option(key: str, node: ast.expr, scope: Scope) -> Any:
    if isinstance(node, (ast.List, ast.Tuple)):
        if key in ("size", "ddof", "keepdims"):
            scope.fail(node, f"{key} is one number", "call")
        value: Any = tuple(scope.integer(item, f"{key}") for item in node.elts)
    else:
        value = scope.integer(node, key)
    if key in ("shape", "size") and min(value if isinstance(value, tuple) else (value,), default=1) < 1:
        scope.fail(node, "a size must be at least 1", "call", got=str(value))
    if key == "keepdims":
        return bool(value)
    return (value,) if key in ("shape", "axes", "indices") and not isinstance(value, tuple) else value
