"""Plants mistakes in modules outside the table of operations, and asks the tests that concern each whether they see it.

A mutant is a copy of the package with one change, on which pytest runs the module's tests until the first that fails. What
`mutants.py` changes is changed here too; besides `all` and `any`, `min` and `max`, two arguments of a call, a constant by
one down, and statements that are left out.

    python tests/mutated.py spec/tex                     one module, every mutant
    python tests/mutated.py spec --sample 20 --seed 1    twenty of each module whose name begins so, drawn by the seed
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mutants import PACKAGE, TESTS, changes, replaced, unseen

# The tests that concern each module; those that only its neighbours fail are of no help to a reader of a failure.
SUITES = {
    "spec/tex": ("test_texts.py",),
    "spec/texts": ("test_texts.py", "test_errors.py"),
    "pages/sandbox": ("test_templates.py",),
    "pages/environment": ("test_texts.py", "test_templates.py", "test_pages.py"),
    **{f"writers/{name}": ("test_texts.py", "test_pages.py") for name in ("latex", "markdown")},
    "files": ("test_inside.py", "test_encodings.py", "test_interruptions.py"),
    "ledger/rounding": ("test_rounding.py", "test_display.py"),
    "ledger/display": ("test_display.py", "test_rounding.py"),
    "ledger/proof": ("test_proof.py", "test_rounding.py"),
    "readings/float64": ("test_operations.py", "test_proof.py"),
    "readings/ball": ("test_operations.py", "test_proof.py"),
    "readings/exact": ("test_operations.py", "test_proof.py"),
    "readings/algebra": ("test_algebra.py", "test_proof.py"),
    "readings/forms": ("test_algebra.py", "test_proof.py"),
    "readings/plan": ("test_plan.py",),
    "readings/formula": ("test_formulas.py", "test_writing.py"),
    "graph/notation": ("test_formulas.py", "test_language.py"),
    **{
        f"language/{name}": ("test_language.py", "test_errors.py")
        for name in ("lower", "expressions", "scope", "positions", "syntax", "given", "bindings", "rows", "training")
    },
    **{
        f"auditing/{name}": ("test_audit.py", "test_audit_ledger.py", "test_contradictions.py")
        for name in ("numerals", "notation", "judgement", "labels", "candidates", "arithmetic")
    },
}
EXCHANGED = {"all": "any", "any": "all", "min": "max", "max": "min"}
# A mutant's tests may take so many times as long as those of the module as it is; then it goes on for ever.
PATIENCE = 5.0


def further_changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in the place of ``node`` by mistake, besides what `mutants.changes` yields."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()) if name in EXCHANGED:
            yield ast.Name(EXCHANGED[name], ast.Load())
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            yield ast.Constant(value - 1)
        case ast.Call(args=[one, two, *rest]) if not isinstance(one, ast.Starred) and not isinstance(two, ast.Starred):
            yield ast.Call(node.func, [two, one, *rest], node.keywords)
        case ast.Raise() | ast.AugAssign() | ast.Continue() | ast.Break():
            yield ast.Pass()
        case ast.Expr(value=value) if not isinstance(value, (ast.Constant, ast.Yield, ast.YieldFrom)):
            yield ast.Pass()


def places(tree: ast.Module) -> Iterator[tuple[tuple[object, ...], ast.AST]]:
    """Yield the parts of a module that may be changed, each with the way to it; a `raise` as a whole."""
    stack: list[tuple[tuple[object, ...], ast.AST]] = [((), tree)]
    while stack:
        way, node = stack.pop()
        if isinstance(node, ast.Raise):
            yield way, node
        if unseen(node):
            continue
        if way:
            yield way, node
        for name, value in ast.iter_fields(node):
            if name in ("returns", "annotation", "decorator_list", "ctx", "type_comment"):
                continue
            if isinstance(value, ast.AST):
                stack.append(((*way, name), value))
            elif isinstance(value, list):
                stack += [((*way, (name, i)), one) for i, one in enumerate(value) if isinstance(one, ast.AST)]


def mutants(module: str) -> list[tuple[int, str, ast.Module]]:
    """Return the mutants of a module: a line, the change, and the module with it; ordered by line."""
    tree = ast.parse((PACKAGE / f"{module}.py").read_text(encoding="utf-8"))
    found = []
    for way, node in places(tree):
        for new in (*changes(node), *further_changes(node)):
            if ast.dump(new) != ast.dump(node):
                before, after = (ast.unparse(one).split("\n")[0] for one in (node, new))
                found.append((getattr(node, "lineno", 0), f"{before}  →  {after}", replaced(tree, way, new)))
    return sorted(found, key=lambda one: one[:2])


def passes(root: Path, tests: tuple[str, ...], seconds: float) -> bool:
    """Whether a module's tests pass on the copy of the package in ``root``."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *(str(TESTS / t) for t in tests)]
    environment = {**os.environ, "PYTHONPATH": str(root / "generator"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=TESTS.parent, env=environment, capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def copied(root: Path) -> Path:
    """Copy the package, with what ships beside it, and return where it is."""
    shutil.copytree(PACKAGE, root / "generator/seqgen", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("templates", "specs"):
        (root / name).symlink_to(PACKAGE.parent.parent / name)
    return root / "generator/seqgen"


def survivors(module: str, chosen: list[tuple[int, str, ast.Module]], seconds: float) -> Iterator[str]:
    """Yield the mutants of a module that its tests do not see."""
    with tempfile.TemporaryDirectory() as folder:
        package = copied(Path(folder))
        for line, change, tree in chosen:
            (package / f"{module}.py").write_text(ast.unparse(tree), encoding="utf-8")
            if passes(Path(folder), SUITES[module], seconds):
                yield f"{module}.py:{line}: {change}"


def seconds_of(module: str) -> float:
    """Return how long the tests of a module take, which must pass as it is."""
    import time

    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        copied(Path(folder))
        assert passes(Path(folder), SUITES[module], 600), f"{module} does not pass as it is"
    return time.monotonic() - start


def main() -> None:
    """Plant the mutants of the modules that the command line names, and say how many were caught."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module", nargs="?", default="", help="how a module's name begins")
    parser.add_argument("--sample", type=int, help="so many mutants of each module")
    parser.add_argument("--seed", type=int, default=0, help="by which they are drawn")
    asked = parser.parse_args()
    total = caught = 0
    for module in (m for m in SUITES if m.startswith(asked.module) and (PACKAGE / f"{m}.py").is_file()):
        found = mutants(module)
        draw = random.Random(f"{asked.seed} {module}")
        chosen = found if asked.sample is None else draw.sample(found, min(asked.sample, len(found)))
        missed = 0
        for survivor in survivors(module, chosen, PATIENCE * seconds_of(module) + 10):
            missed += 1
            print(f"  {survivor}", flush=True)
        total, caught = total + len(chosen), caught + len(chosen) - missed
        print(f"{module}: {len(chosen) - missed} of {len(chosen)} caught ({len(found)} in all)", flush=True)
    print(f"{caught} of {total} mutants caught: {caught / max(1, total):.1%}")


if __name__ == "__main__":
    main()
