"""Writes docs/operations.md and docs/rules.md from the tables of operations and rules; run by `make docs`."""

from __future__ import annotations

from pathlib import Path

from seqgen.checks.rules import ROWS
from seqgen.graph.node import REQUIRED, Operation
from seqgen.graph.operations import OPERATIONS
from seqgen.language.makers import MAKERS

SIGNS = {
    "add": "x + y",
    "subtract": "x - y",
    "multiply": "x * y",
    "divide": "x / y",
    "negative": "-x",
    "power": "x ** y",
    "matmul": "x @ y",
    "index": "x[…]",
    "gather": "x[list]",
    "greater": "x > y",
    "less": "x < y",
    "greater_equal": "x >= y",
    "less_equal": "x <= y",
    "equal": "x == y",
    "not_equal": "x != y",
}


def form(operation: Operation) -> str:
    """Return how a spec writes an operation."""
    if operation.name in SIGNS:
        return SIGNS[operation.name]
    signature = operation.signature
    parts = [*signature.arrays, *(["…"] if signature.variadic else [])]
    parts += [f"{key}=…" if default is REQUIRED else f"{key}={default}" for key, default in signature.options.items()]
    return f"{operation.name}({', '.join(parts)})"


def text() -> str:
    """Return the page."""
    lines = [
        "# Operations",
        "",
        "Made from the table of operations by `make docs`. Elementwise operations broadcast by numpy's rule.",
        "",
        "| written | meaning |",
        "| --- | --- |",
    ]
    for operation in OPERATIONS.values():
        if operation.public or operation.name in SIGNS:
            lines.append(f"| `{form(operation)}` | {operation.about} |")
    lines += ["", "Functions that make arrays of sizes:", "", "| written | meaning |", "| --- | --- |"]
    for name, maker in MAKERS.items():
        lines.append(f"| `{name}(…)` | {(maker.__doc__ or '').strip()} |")
    return "\n".join(lines) + "\n"


def rules() -> str:
    """Return the page of rules."""
    lines = [
        "# Rules",
        "",
        "Made from the table of rules by `make docs`. What `seqgen check` finds has the name of a rule. An error ends",
        "with status 1, a warning fails nothing, and a rule that is off is looked at only where it is selected.",
        "[Checking](checking.md) says how to select and ignore rules.",
        "",
        "| rule | severity | finds |",
        "| --- | --- | --- |",
        *(f"| [`{row.name}`](#{row.name}) | {row.severity} | {row.what} |" for row in ROWS),
    ]
    for row in ROWS:
        lines += ["", f"## {row.name}", "", row.what, "", row.why, ""]
        lines.append(f"Cure: {row.cure.format(spec='SPEC', file='FILE')}.")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (Path(__file__).parent / "rules.md").write_text(rules(), encoding="utf-8")
    (Path(__file__).parent / "operations.md").write_text(text(), encoding="utf-8")
