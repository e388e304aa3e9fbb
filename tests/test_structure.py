"""The structure of the package, held by tests: layers, sizes, one table."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from seqgen.graph.domain import Domain
from seqgen.graph.operations import OPERATIONS

PACKAGE = Path(__file__).parent.parent / "generator" / "seqgen"
MODULES = sorted(PACKAGE.rglob("*.py"))
# A unit, a package or a loose module, imports only from those before it.
LAYERS = [
    "errors", "findings", "files", "configuration", "project",
    "spec", "graph", "reference", "readings", "language", "ledger", "typeset", "microscope",
    "assertions", "shown", "conventions", "pages", "writers", "export", "decks", "auditing", "build", "rules",
    "search", "reports",
    "api", "__init__", "cli", "__main__",
]  # fmt: skip
RANK = {name: rank for rank, name in enumerate(LAYERS)}


def layer(path: Path) -> int:
    """Return the layer of a module's file."""
    return RANK[path.relative_to(PACKAGE).parts[0].removesuffix(".py")]


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_a_module_imports_only_downwards(path: Path) -> None:
    """No module knows of a layer above its own; imports for types alone and inside functions count too."""
    own = path.relative_to(PACKAGE).parts[0]
    for node in ast.walk(ast.parse(path.read_text())):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names = [f"seqgen.{a.name}" for a in node.names] if names == ["seqgen"] else names
        names += [a.name for a in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            parts = name.split(".")
            if parts[0] == "seqgen" and parts[1:] not in ([], ["__version__"]):
                below = RANK[parts[1]] < layer(path) or (parts[1] == own and path.parent != PACKAGE)
                assert below, f"line {node.lineno} imports {name}"


def test_few_modules_lie_loose() -> None:
    """At most nine modules lie beside the packages."""
    assert len(list(PACKAGE.glob("*.py"))) <= 9


def imported(path: Path) -> set[Path]:
    """Return the package's modules that a module imports at its top, those for types alone too."""
    found: set[Path] = set()
    tree = ast.parse(path.read_text())
    for node in [*tree.body, *(part for top in tree.body if isinstance(top, ast.If) for part in top.body)]:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("seqgen"):
            place = PACKAGE.parent.joinpath(*node.module.split("."))
            found |= {place.with_suffix(".py"), *(place / f"{name.name}.py" for name in node.names)}
    return found & set(MODULES)


def test_no_modules_import_each_other() -> None:
    """Along imports one never comes back to a module, not even for its types."""
    after = {path: imported(path) for path in MODULES}
    while free := [path for path, needed in after.items() if not needed & after.keys()]:
        after = {path: needed for path, needed in after.items() if path not in free}
    assert sorted(path.relative_to(PACKAGE).as_posix() for path in after) == []


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
    # The last two name the functions of another library, and of spreadsheets.
    allowed = {"graph/operations", "readings", "assertions/references.py", "export/formulas.py"}
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


def test_operations_use_the_contract_of_a_domain_and_no_more() -> None:
    """What their values ask of a domain is what `Domain` promises, so that a reading that gives this can be walked."""
    promised = {name for name in vars(Domain) if not name.startswith("_")} | set(Domain.__annotations__)
    asked: set[str] = set()
    for path in (PACKAGE / "graph" / "operations").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "domain":
                asked.add(node.attr)
    assert asked <= promised
