"""Plants errors in the steps of the shipped specs, one at a time, and asks each spec's own checks whether they see them.

A mutant is one spec with one change in its steps: two operands swapped, a term or a factor left out, another operation,
another activation, another axis, index or count (DeMillo, Lipton & Sayward, Hints on test data selection, Computer
1978). It is caught where a declared check of that spec fails or the spec is an error; ledgers are not looked at, since a
build renews them. A mutant that leaves every number of the spec as it is changes nothing. ``--given`` changes one given
number at a time instead.

    python tests/spec_mutants.py                          all specs: the score and the survivors
    python tests/spec_mutants.py week06/stack --given     one spec, or a folder
    python tests/spec_mutants.py --sample 5 --seed 1      five of each spec

It forks a process a mutant, with everything imported once.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "generator"))

from seqgen.assertions import declared  # noqa: E402
from seqgen.errors import SeqgenError  # noqa: E402
from seqgen.ledger.floating import compare_with_numpy  # noqa: E402
from seqgen.microscope import Microscope, open_microscope  # noqa: E402
from seqgen.project import Project  # noqa: E402

# Seconds of computing after which a mutant counts as caught.
LONGEST = 120
CAUGHT, SURVIVED, SAME = 1, 0, 3
# Cheap checks first: the first that fails ends a mutant.
ORDER = ("shape", "expect", "erratum", "equal", "reference", "autograd", "finite_difference")
OTHER: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult,
}
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
}
# A function, and what is easily written in its place; an empty name is its argument alone.
FUNCTIONS = {
    "tanh": ("sigmoid", ""), "sigmoid": ("tanh", ""), "relu": ("", "tanh"), "gelu": ("relu", ""),
    "softmax": ("log_softmax",), "log_softmax": ("softmax",), "softplus": ("exp",), "exp": ("",), "log": ("exp", ""),
    "sqrt": ("",), "sin": ("cos",), "cos": ("sin",), "abs": ("",), "sum": ("mean",), "mean": ("sum",), "max": ("min",),
    "min": ("max",), "maximum": ("minimum",), "minimum": ("maximum",), "argmax": ("argmin",), "zeros": ("ones",),
    "ones": ("zeros",), "norm": ("sum",), "var": ("mean",), "flip": ("",), "stop_gradient": ("",),
}  # fmt: skip
ORDERED = {"concat", "outer", "maximum", "minimum"}


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A spec with one change: what it says before and after, and the whole text of its file."""

    spec: str
    line: int
    change: str
    text: str

    def __str__(self) -> str:
        return f"{self.spec}.yaml:{self.line}: {self.change}"


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in the place of ``node`` by mistake."""
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            if type(op) in OTHER:
                yield ast.BinOp(left, OTHER[type(op)](), right)
            yield left
            if isinstance(op, (ast.Add, ast.Mult, ast.MatMult, ast.Sub)):
                yield right
            if isinstance(op, (ast.Sub, ast.Div, ast.MatMult, ast.Pow)):
                yield ast.BinOp(right, op, left)
        case ast.UnaryOp(op=ast.USub(), operand=operand) if not isinstance(operand, ast.Constant):
            yield operand
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
        case ast.Attribute(value=value, attr="T"):
            yield value
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARISONS:
            yield ast.Compare(left, [COMPARISONS[type(op)]()], [right])
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield ast.IfExp(test, orelse, body)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords):
            for other in FUNCTIONS.get(name, ()):
                yield ast.Call(ast.Name(other), arguments, keywords) if other else arguments[0]
            if name in ORDERED and len(arguments) > 1:
                yield ast.Call(node.func, [arguments[1], arguments[0], *arguments[2:]], keywords)


def is_kept(parent: ast.AST, field: str) -> bool:
    """Whether a part is left as it is: what is set, and what a function is called."""
    match parent:
        case ast.Assign():
            return field == "targets"
        case ast.For() | ast.comprehension():
            return field == "target"
        case ast.Call():
            return field == "func"
    return field in ("ctx", "args")


def places(tree: ast.Module) -> Iterator[tuple[tuple[Any, ...], ast.AST]]:
    """Yield the parts of steps that may be changed, each with the way to it."""
    stack: list[tuple[tuple[Any, ...], ast.AST]] = [((), tree)]
    while stack:
        way, node = stack.pop()
        if way:
            yield way, node
        for name, value in ast.iter_fields(node):
            if is_kept(node, name) and not (name == "args" and isinstance(node, ast.Call)):
                continue
            if isinstance(value, ast.AST):
                stack.append(((*way, name), value))
            elif isinstance(value, list):
                stack += [((*way, (name, i)), one) for i, one in enumerate(value) if isinstance(one, ast.AST)]


def replaced(tree: ast.Module, way: tuple[Any, ...], new: ast.AST) -> ast.Module:
    """Return a copy of steps with another part at the end of ``way``."""
    result = copy.deepcopy(tree)
    node: Any = result
    for step in way[:-1]:
        node = getattr(node, step) if isinstance(step, str) else getattr(node, step[0])[step[1]]
    last = way[-1]
    if isinstance(last, str):
        setattr(node, last, copy.deepcopy(new))
    else:
        getattr(node, last[0])[last[1]] = copy.deepcopy(new)
    return ast.fix_missing_locations(result)


def part(text: str, key: str) -> yaml.Node | None:
    """Return the YAML node under a key of a spec; None where the spec has no such key."""
    whole = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(whole, yaml.MappingNode)
    return next((value for name, value in whole.value if name.value == key), None)


def mutants(spec: str, text: str) -> Iterator[Mutant]:
    """Yield the mutants of a spec's own steps."""
    for key in ("steps", "after"):
        node = part(text, key)
        if node is None:
            continue
        before, behind = text[: node.start_mark.index], text[node.end_mark.index :]
        tree = ast.parse(node.value)
        seen = {ast.unparse(tree)}
        for way, old in places(tree):
            for new in changes(old):
                steps = ast.unparse(replaced(tree, way, new))
                if steps in seen:
                    continue
                seen.add(steps)
                line = node.start_mark.line + 1 + getattr(old, "lineno", 0)
                block = "|\n" + "".join(f"  {one}\n" for one in steps.split("\n"))
                change = f"{ast.unparse(old)}  →  {ast.unparse(new)}"
                yield Mutant(spec=spec, line=line, change=change, text=before + block + behind)


def given_mutants(spec: str, text: str) -> Iterator[Mutant]:
    """Yield mutants with one given number larger by a quarter; whole numbers of indices grow by one."""
    node = part(text, "given")
    for name, described in node.value if node else ():
        inside = {k.value: v for k, v in described.value}
        if "value" not in inside or (inside.get("role") and inside["role"].value in ("label", "mask")):
            continue
        stack = [inside["value"]]
        while stack:
            one = stack.pop()
            if isinstance(one, yaml.SequenceNode):
                stack += one.value
                continue
            whole = inside.get("role") and inside["role"].value in ("target", "constant") and one.value.isdigit()
            new = f"'{one.value} + {'1' if whole else '1/4'}'"
            new = text[: one.start_mark.index] + new + text[one.end_mark.index :]
            change = f"{name.value}: {one.value} is larger"
            yield Mutant(spec=spec, line=one.start_mark.line + 1, change=change, text=new)


def outcome(project: Project, name: str) -> int:
    """Return whether a check of a spec fails, or the spec is an error."""
    try:
        microscope = open_microscope(project, name)
        compare_with_numpy(microscope.prover, microscope.everything())
        for check in sorted(microscope.spec.conditions(), key=lambda check: ORDER.index(check.kind)):
            if not all(one.passed for one in declared.run(microscope, check)):
                return CAUGHT
    except SeqgenError:
        return CAUGHT
    return SURVIVED


def numbers(microscope: Microscope) -> dict[str, Any]:
    """Return the values of all entries, by key, and of what each use contributes to a gradient."""
    reals = microscope.prover.reals
    found = {entry.key: reals(entry.node).values.tolist() for entry in microscope.all_entries()}
    for gradient in microscope.gradients:
        for via, node in gradient.contributions:
            found[f"{gradient.entry.key} via {via}"] = reals(node).values.tolist()
    return found


def fate(project: Project, mutant: Mutant, original: dict[str, Any]) -> int:
    """Return whether a mutant is caught, survives, or leaves the ``original`` numbers of its spec as they are."""
    path = project.root / "specs" / f"{mutant.spec}.yaml"
    child = os.fork()
    if not child:
        status = CAUGHT
        signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
        try:
            path.write_text(mutant.text, encoding="utf-8")
            status = outcome(project, mutant.spec)
            if status == SURVIVED:
                found = numbers(open_microscope(project, mutant.spec))
                status = SAME if all(found.get(key) == value for key, value in original.items()) else SURVIVED
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(status)
    ended = os.waitpid(child, 0)[1]
    return os.waitstatus_to_exitcode(ended) if os.WIFEXITED(ended) else CAUGHT


def main() -> int:
    """Plant the mutants of the specs that the command line names, and print how many were caught."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("specs", nargs="*")
    parser.add_argument("--given", action="store_true")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    importlib.import_module("torch").set_num_threads(1)
    start, totals = time.monotonic(), {CAUGHT: 0, SURVIVED: 0, SAME: 0}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        shutil.copytree(ROOT / "specs", root / "specs")
        shutil.copy(ROOT / "pyproject.toml", root)
        project = Project(root)
        for name in project.select(tuple(options.specs)):
            original = numbers(open_microscope(project, name))
            assert outcome(project, name) == SURVIVED, f"{name} does not pass as it is"
            path = root / "specs" / f"{name}.yaml"
            text = path.read_text(encoding="utf-8")
            found = list((given_mutants if options.given else mutants)(name, text))
            if options.sample:
                found = random.Random(f"{options.seed} {name}").sample(found, min(options.sample, len(found)))
            counts = {CAUGHT: 0, SURVIVED: 0, SAME: 0}
            for mutant in found:
                result = fate(project, mutant, original)
                counts[result] += 1
                if result == SURVIVED:
                    print(f"  {mutant}", flush=True)
            path.write_text(text, encoding="utf-8")
            totals = {key: totals[key] + counts[key] for key in totals}
            seconds = time.monotonic() - start
            rest = len(found) - counts[SAME]
            print(
                f"{name}: {counts[CAUGHT]} of {rest} caught, {counts[SAME]} change nothing, {seconds:.0f} s", flush=True
            )
    rest = totals[CAUGHT] + totals[SURVIVED]
    print(
        f"{totals[CAUGHT]} of {rest} mutants caught ({totals[CAUGHT] / max(rest, 1):.1%}), {totals[SAME]} change nothing"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
