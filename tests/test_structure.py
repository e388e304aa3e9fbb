"""The structure of the package, held by tests: layers, sizes, one table."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from seqgen.graph.operations import OPERATIONS

PACKAGE = Path(__file__).parent.parent / "generator" / "seqgen"
MODULES = sorted(PACKAGE.rglob("*.py"))
# A module imports from its own layer and from those before it.
LAYERS = [
    ("errors", "catalogue", "project", "files", "installation", "origin"),
    ("spec",),
    ("graph",),
    ("readings",),
    ("language",),
    ("ledger",),
    ("audit",),
    ("microscope", "remembered"),
    ("printed",),
    ("pages", "checks", "decks", "product", "show", "build"),
    ("reports", "watch"),
    ("cli", "__main__", "__init__"),
]
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}


def layer(path: Path) -> int:
    """Return the layer of a module's file."""
    return RANK[path.relative_to(PACKAGE).parts[0].removesuffix(".py")]


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_a_module_imports_only_downwards(path: Path) -> None:
    """No module knows of a layer above its own; imports for types alone and inside commands count too."""
    if path.name == "__init__.py" and path.parent == PACKAGE:
        return
    for node in ast.walk(ast.parse(path.read_text())):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [a.name for a in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            parts = name.split(".")
            if parts[0] == "seqgen" and len(parts) > 1:
                assert RANK[parts[1]] <= layer(path), f"line {node.lineno} imports {name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_modules_and_functions_stay_small(path: Path) -> None:
    """A module has at most 440 lines, a function at most 60."""
    text = path.read_text()
    assert len(text.splitlines()) <= 440
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            assert (node.end_lineno or 0) - node.lineno < 60, node.name


def test_no_module_outside_the_table_names_an_operation_of_a_microscope() -> None:
    """tanh, softmax and their like occur in the table and in the domains' scalar functions only."""
    allowed = {"graph/operations", "readings", "checks/references.py"}  # the last names another library's functions
    for path in MODULES:
        relative = path.relative_to(PACKAGE).as_posix()
        if any(relative.startswith(place) for place in allowed):
            continue
        strings = [n.value for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Constant)]
        assert not {"tanh", "softmax", "sigmoid", "relu", "gelu"} & {s for s in strings if isinstance(s, str)}, relative


def test_every_public_operation_is_described() -> None:
    """The documentation is generated from what each entry says of itself."""
    for operation in OPERATIONS.values():
        assert operation.about.endswith("."), operation.name
