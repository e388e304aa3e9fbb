"""The arguments of a call, sorted by the signature of the operation that it calls."""

from __future__ import annotations

import ast
from typing import Any

from seqgen.errors import nearest
from seqgen.graph.node import REQUIRED, Operation
from seqgen.language.scope import Scope


def arguments(node: ast.Call, operation: Operation, scope: Scope) -> tuple[list[ast.expr], dict[str, Any]]:
    """Return the array arguments, and the options by name; options may also follow by position."""
    signature = operation.signature
    count = len(node.args) if signature.variadic else len(signature.arrays)
    form = _form(operation)
    if len(node.args) < len(signature.arrays):
        scope.fail(node, f"{operation.name} takes {form}", "call", got=f"{len(node.args)} arguments")
    extra = list(zip(signature.options, node.args[count:], strict=False))
    if len(node.args) - count > len(signature.options):
        scope.fail(node, f"{operation.name} takes {form}", "call", got=f"{len(node.args)} arguments")
    options = {}
    for key, value in extra + [(k.arg or "", k.value) for k in node.keywords]:
        if key not in signature.options:
            scope.fail(
                value,
                f"{operation.name} has no option '{key}'",
                "call",
                expected=form,
                hint=nearest(key, signature.options),
            )
        options[key] = _option(key, value, scope)
    return list(node.args[:count]), options


def _form(operation: Operation) -> str:
    parts = [*operation.signature.arrays]
    if operation.signature.variadic:
        parts.append("…")
    parts += [
        key if default is REQUIRED else f"{key}={default}" for key, default in operation.signature.options.items()
    ]
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
