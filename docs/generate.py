"""Writes docs/operations.md, rules.md, alternatives.md and errors.md from the tables of each; run by `make docs`."""

from __future__ import annotations

import contextlib
import shlex
import tempfile
from pathlib import Path

from click.testing import CliRunner

from seqgen.cli import main
from seqgen.graph.alternatives.catalogue import CATALOGUE, GROUPS
from seqgen.graph.alternatives.pattern import KINDS
from seqgen.graph.node import REQUIRED, Operation
from seqgen.graph.operations import OPERATIONS
from seqgen.language.makers import MAKERS
from seqgen.reports.catalogue import Entry, entries
from seqgen.rules.table import ROWS

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
    "scatter": "scatter(x, zeros(…)[…])",
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


def errors() -> str:
    """Return the page of mistakes; what is told of each example is what its command prints."""
    lines = [
        "# Mistakes",
        "",
        "Made from the catalogue of mistakes by `make docs`. The code of a mistake stands in brackets after `error`;",
        "`seqgen explain CODE` prints what is said of it here. Everything that is wrong with a spec is told at once.",
        "",
        "| code | mistake |",
        "| --- | --- |",
        *(f"| [`{entry.code}`](#{entry.code}) | {entry.title} |" for entry in entries().values()),
    ]
    for entry in entries().values():
        lines += ["", f"## {entry.code}", "", f"**{entry.title}.** {entry.what}", "", f"Why: {entry.why}", ""]
        lines.append(f"What to do: {entry.mend}")
        for path, content in entry.files.items():
            kind = "yaml" if path.endswith(".yaml") else "text"
            lines += ["", f"`{path}`:", "", f"```{kind}", content.rstrip("\n"), "```"]
        if entry.files:
            lines += ["", "```text", f"$ {entry.run}", told(entry), "```"]
    return "\n".join(lines) + "\n"


def alternatives() -> str:
    """Return the page of conventions that clash."""
    count = len(CATALOGUE)
    lines = [
        "# Conventions that clash",
        "",
        f"Made from the catalogue of alternatives by `make docs`: {count} rewrites of the graph. `seqgen conventions`",
        "computes a spec by each that applies ([how](conventions.md)). A name in a pattern stands for anything, but",
        "for these first letters:",
        "",
        *(f"- `{letter}…`: {meaning}" for letter, (meaning, _) in KINDS.items()),
    ]
    for title, rows in GROUPS.items():
        lines += [
            "",
            f"## {title}",
            "",
            "| name | instead | used by | in place of | stands |",
            "| --- | --- | --- | --- | --- |",
        ]
        for row in rows:
            patterns = [rule for rule in row.rules if not callable(rule)]
            cells = ["<br>".join(f"`{pattern[k]}`" for pattern in patterns) or "by its structure" for k in (0, 1)]
            name = f"`{row.name}`" if not row.each else f"`{row.name}(…)`"
            lines.append(f"| {name} | {row.what} | {row.used} | {cells[0]} | {cells[1]} |")
    return "\n".join(lines) + "\n"


def told(entry: Entry) -> str:
    """Return what the command of an entry prints of its files."""
    output = ""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for path, content in entry.files.items():
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(content, encoding="utf-8")
        for command in entry.run.split(" && "):
            output = CliRunner().invoke(main, shlex.split(command)[1:]).output
    reports = [part.strip("\n") for part in output.split("\n\n") if "error[" in part]
    return "\n\n".join(reports) or output.strip("\n")


if __name__ == "__main__":
    (Path(__file__).parent / "errors.md").write_text(errors(), encoding="utf-8")
    (Path(__file__).parent / "rules.md").write_text(rules(), encoding="utf-8")
    (Path(__file__).parent / "alternatives.md").write_text(alternatives(), encoding="utf-8")
    (Path(__file__).parent / "operations.md").write_text(text(), encoding="utf-8")
