"""Plants mistakes in the table of operations, one at a time, and asks its laws whether they see it.

A mutant is one module with one change: a sign, a factor, the order of two operands, an axis, a comparison, a transpose
(DeMillo, Lipton & Sayward, Hints on test data selection, Computer 1978). What no law fails is a survivor: a law is
wanting, or the change changes nothing. How things are typeset, and what messages say, is not mutated.

    python tests/mutants.py                 all modules, the score and the survivors
    python tests/mutants.py reductions 120  one module; only the mutants of line 120

It forks a process a mutant, with everything imported once.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import gc
import importlib.util
import io
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from seqgen.graph.operations import OPERATIONS

TESTS = Path(__file__).resolve().parent
PACKAGE = TESTS.parent / "generator" / "seqgen"
MODULES = [
    *(
        f"graph/operations/{name}"
        for name in ("arithmetic", "functions", "comparisons", "reductions", "arrays", "loops")
    ),
    *("graph/gradient", "graph/shapes", "graph/node"),
    *("readings/float64", "readings/ball", "readings/exact", "readings/arrays", "readings/evaluate"),
]
LAWS = ("test_operations.py", "test_gradient.py", "test_shapes.py")
# Changes that change nothing, and why
SAME = {
    "(('constant', 'A number in a formula.'), ('given', 'An array that the spec gives.'))  →  "
    "(('given', 'An array that the spec gives.'), ('constant', 'A number in a formula.'))": "the order of entering",
    "(len(a), len(b))  →  (len(b), len(a))": "whether one of the two is 1 does not depend on their order",
    "len(a) > 2  →  len(a) >= 2": "no leading axes broadcast to none",
    "len(b) > 2  →  len(b) >= 2": "no leading axes broadcast to none",
    "len(a) > 1  →  len(a) >= 1": "a vector has nothing before its last axis",
    "lead and rank < wanted  →  lead or rank < wanted": "a reshape to the shape that is there",
    "rank < wanted  →  rank <= wanted": "a reshape to the shape that is there",
    "not _keepdims(node) and value.shape  →  not _keepdims(node) or value.shape": "a reshape to the shape that is there",
    "x - domain.divide(x.sum(axis=axes, keepdims=True), count)  →  "
    "domain.divide(x.sum(axis=axes, keepdims=True), count) - x": "it is squared",
    "'Largest' if name == 'max' else 'Smallest'  →  'Smallest' if name == 'max' else 'Largest'": "a word of the docs",
    "name == 'max'  →  name != 'max'": "a word of the docs",
    "len(i.shape) == 2  →  len(i.shape) != 2": "the transpose of a product, written as one or as the product of transposes",
    "(1, wanted)  →  (wanted, 1)": "whether a size is one of two does not depend on their order",
}

# Seconds of computing after which a mutant counts as caught: it goes on for ever.
LONGEST = 90

SIGNS: dict[type[ast.operator], list[type[ast.operator]]] = {
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Div],
    ast.Div: [ast.Mult],
    ast.Pow: [ast.Mult],
}
COMPARISONS: dict[type[ast.cmpop], list[type[ast.cmpop]]] = {
    ast.Lt: [ast.LtE, ast.Gt],
    ast.LtE: [ast.Lt, ast.GtE],
    ast.Gt: [ast.GtE, ast.Lt],
    ast.GtE: [ast.Gt, ast.LtE],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
}
# An operation's name in a rule, and one that is easily taken for it
NAMES = {
    "greater": ["less", "greater_equal"], "less": ["greater", "less_equal"], "equal": ["not_equal"],
    "greater_equal": ["greater"], "less_equal": ["less"], "sin": ["cos"], "cos": ["sin"], "max": ["min"],
    "min": ["max"], "sigmoid": ["tanh"], "exp": ["log"], "log": ["exp"], "sum": ["mean"], "mean": ["sum"],
    "cumsum": ["flip"], "softmax": ["log_softmax"],
}  # fmt: skip
UNSEEN_KEYWORDS = {
    "notation",
    "about",
    "signature",
    "products",
    "public",
    "origin",
    "code",
    "hint",
    "latex",
    "text",
    "span",
}
SYMMETRIC = {"equal", "not_equal"}


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A module with one change: which, where, and what it says before and after."""

    module: str
    line: int
    change: str
    tree: ast.Module
    owners: frozenset[str]

    def __str__(self) -> str:
        return f"{self.module}.py:{self.line}: {self.change}"


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in the place of ``node`` by mistake."""
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            for other in SIGNS.get(type(op), []):
                yield ast.BinOp(left, other(), right)
            if isinstance(op, (ast.Mult, ast.Div, ast.Pow)):
                yield left
            if isinstance(op, ast.Mult):
                yield right
            if isinstance(op, (ast.Sub, ast.Div, ast.MatMult)):
                yield ast.BinOp(right, op, left)
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand) if not isinstance(operand, ast.Constant):
            yield operand
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            yield ast.Constant(-value - 1)
            yield ast.Constant(-value + 1)
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(value=str(value)):
            yield from (ast.Constant(other) for other in NAMES.get(value, []))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            yield from (ast.Compare(left, [other()], [right]) for other in COMPARISONS.get(type(op), []))
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(ast.And() if isinstance(op, ast.Or) else ast.Or(), values)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield ast.IfExp(test, orelse, body)
        case ast.If(test=test, body=body, orelse=orelse) if not any(isinstance(one, ast.Raise) for one in body):
            yield ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.Call(func=ast.Name(id="apply"), args=[ast.Constant(), one]):
            yield one
        case ast.Call(func=function, args=[ast.Constant(value=str(word)) as name, one, two, *rest]) if (
            word not in SYMMETRIC
        ):
            yield ast.Call(function, [name, two, one, *rest], node.keywords)  # type: ignore[attr-defined]
        case ast.Call(func=ast.Attribute(value=ast.Name(id="domain")), args=[one, two, *rest]):
            yield ast.Call(node.func, [two, one, *rest], node.keywords)  # type: ignore[attr-defined]
        case ast.Call(func=ast.Name(id="transposed" | "sum_to" | "spread" | "reversed"), args=[*_, one]):
            yield one if node.func.id != "sum_to" else node.args[0]  # type: ignore[attr-defined]
        case ast.Tuple(elts=[one, two], ctx=ast.Load()):
            yield ast.Tuple([two, one], ast.Load())


def unseen(node: ast.AST) -> bool:
    """Whether a part of a module is left as it is: texts for people, types, and how things are typeset."""
    match node:
        case ast.keyword(arg=name):
            return name in UNSEEN_KEYWORDS
        case ast.Tuple(elts=elements) if all(
            isinstance(one, ast.Constant) and isinstance(one.value, str) for one in elements
        ):
            return True
        case ast.FunctionDef(name=name):
            return name.endswith(("_latex", "_text", "_notation", "_error", "_products")) or name in (
                "__repr__",
                "show",
                "_passes_through",
                "_fraction",
                "_beside",
                "_row",
            )
        case (
            ast.Raise()
            | ast.JoinedStr()
            | ast.Import()
            | ast.ImportFrom()
            | ast.arg()
            | ast.arguments()
            | ast.AnnAssign()
        ):
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
    return False


def places(tree: ast.Module) -> Iterator[tuple[tuple[Any, ...], ast.AST]]:
    """Yield the parts of a module that may be changed, each with the way to it."""
    stack: list[tuple[tuple[Any, ...], ast.AST]] = [((), tree)]
    while stack:
        way, node = stack.pop()
        if unseen(node):
            continue
        if way:
            yield way, node
        for name, value in reversed(list(ast.iter_fields(node))):
            if name in ("returns", "annotation", "decorator_list", "ctx", "type_comment"):
                continue
            if isinstance(value, ast.AST):
                stack.append(((*way, name), value))
            elif isinstance(value, list):
                stack += [
                    ((*way, (name, i)), one) for i, one in reversed(list(enumerate(value))) if isinstance(one, ast.AST)
                ]


def replaced(tree: ast.Module, way: tuple[Any, ...], new: ast.AST) -> ast.Module:
    """Return a copy of a module with another part at the end of ``way``."""
    result = copy.deepcopy(tree)
    node: Any = result
    for step in way[:-1]:
        node = getattr(node, step) if isinstance(step, str) else getattr(node, step[0])[step[1]]
    match way[-1]:
        case str(name):
            setattr(node, name, copy.deepcopy(new))
        case (name, index):
            getattr(node, name)[index] = copy.deepcopy(new)
    return ast.fix_missing_locations(result)


def mutants(module: str) -> Iterator[Mutant]:
    """Yield the mutants of a module."""
    tree = ast.parse((PACKAGE / f"{module}.py").read_text(encoding="utf-8"))
    owners = {id(part): found for part, found in operations_of(tree)}
    for way, node in places(tree):
        top = getattr(tree, way[0][0])[way[0][1]]
        for new in changes(node):
            if ast.dump(new) == ast.dump(node):
                continue
            before, after = (ast.unparse(one).split("\n")[0] for one in (node, new))
            change = f"{before}  →  {after}"
            line = getattr(node, "lineno", top.lineno)
            yield Mutant(module=module, line=line, change=change, tree=replaced(tree, way, new), owners=owners[id(top)])


def operations_of(tree: ast.Module) -> Iterator[tuple[ast.stmt, frozenset[str]]]:
    """Yield each part of a module with the operations that are entered there, or that use what is defined there."""
    used: dict[str, set[str]] = {}
    entered: dict[int, set[str]] = {}
    for part in tree.body:
        names = {n.id for n in ast.walk(part) if isinstance(n, ast.Name)}
        words = {n.value for n in ast.walk(part) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
        own = words if isinstance(part, (ast.Expr, ast.For)) else set()
        entered[id(part)] = own
        for name in names if own else ():
            used.setdefault(name, set()).update(own)
    for part in tree.body:
        name = getattr(part, "name", "")
        yield part, frozenset(entered[id(part)] | used.get(name, set()))


@dataclass(frozen=True, kw_only=True)
class Law:
    """A test with its parameters."""

    title: str
    test: Callable[..., None]
    parameters: dict[str, Any]

    @property
    def operation(self) -> str:
        """The operation of the sample that it is about; empty where it is about all."""
        sample = self.parameters.get("sample")
        return sample.operation if sample else str(self.parameters.get("name", ""))


class Collected:
    """Keeps the tests that pytest finds."""

    def __init__(self) -> None:
        self.laws: list[Law] = []

    def pytest_collection_finish(self, session: Any) -> None:
        """Keep what would be run here."""
        for item in session.items:
            if not any(mark.args[0] for mark in item.iter_markers("skipif")):
                parameters = dict(item.callspec.params) if hasattr(item, "callspec") else {}
                self.laws.append(Law(title=item.name, test=item.obj, parameters=parameters))


def laws() -> list[Law]:
    """Return the laws, once everything that they need is imported."""
    sys.path.insert(0, str(PACKAGE.parent))
    found = Collected()
    options = ["--collect-only", "-q", "-p", "no:cacheprovider", *(str(TESTS / name) for name in LAWS)]
    with contextlib.redirect_stdout(io.StringIO()):
        assert pytest.main(options, plugins=[found]) == 0
    if "torch" in sys.modules or importlib.util.find_spec("torch"):
        importlib.import_module("torch").set_num_threads(1)
    return found.laws


def plant(mutant: Mutant) -> None:
    """Run a mutant's code in its module, and put what it defines wherever the old definitions are."""
    module = sys.modules["seqgen." + mutant.module.replace("/", ".")]
    own = [op.name for op in OPERATIONS.values() if op.derivative.__module__ == module.__name__]
    entered = {name: OPERATIONS.pop(name) for name in own}
    before = dict(vars(module))
    exec(compile(mutant.tree, str(mutant), "exec"), vars(module))
    if mutant.module == "graph/node":  # its table is that of all others
        vars(module).update({name: before[name] for name in ("OPERATIONS", "REQUIRED", "Operation", "Signature")})
    assert entered.keys() <= OPERATIONS.keys()
    new = {id(old): vars(module)[name] for name, old in before.items() if callable(old)}
    for other in [
        m
        for name, m in sys.modules.items()
        if name.startswith(("seqgen", "test_operations", "test_gradient", "test_shapes", "samples"))
    ]:
        for name, value in list(vars(other).items()):
            if id(value) in new:
                setattr(other, name, new[id(value)])
    for operation in OPERATIONS.values():
        for name in ("shape", "value", "derivative"):
            rule = getattr(operation, name)
            object.__setattr__(operation, name, new.get(id(rule), rule))


def is_caught(mutant: Mutant, known: list[Law]) -> bool:
    """Whether a law fails for a mutant, or it can't even be imported."""
    child = os.fork()
    if not child:
        status = 1
        signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
        try:
            plant(mutant)
            # A loop's sample holds nodes of the class before the change.
            held = [law for law in known if mutant.module != "graph/node" or law.operation != "repeat"]
            for law in sorted(held, key=lambda law: law.operation not in mutant.owners):
                law.test(**law.parameters)
            status = 0
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] != 0


def main() -> None:
    """Plant the mutants of the modules that the command line names, and say how many were caught."""
    word, line = (sys.argv[i] if len(sys.argv) > i else "" for i in (1, 2))
    os.chdir(TESTS.parent)
    known, start, counts = laws(), time.monotonic(), [0, 0, 0]
    warnings.simplefilter("ignore")
    gc.freeze()
    for module in (m for m in MODULES if word in m):
        whole = ast.parse((PACKAGE / f"{module}.py").read_text(encoding="utf-8"))
        same = Mutant(module=module, line=0, change="none", tree=whole, owners=frozenset())
        assert not is_caught(same, known), f"{module} does not pass as it is"
        found = [m for m in mutants(module) if not line or m.line == int(line)]
        survivors = []
        for mutant in found:
            if mutant.change not in SAME and not is_caught(mutant, known):
                survivors.append(mutant)
                print(f"  {mutant}", flush=True)
        same = sum(mutant.change in SAME for mutant in found)
        caught = len(found) - same - len(survivors)
        seconds = time.monotonic() - start
        print(f"{module}: {caught} of {len(found)} caught, {same} change nothing, {seconds:.0f} s", flush=True)
        counts = [counts[0] + caught, counts[1] + len(found), counts[2] + same]
    print(f"{counts[0]} of {counts[1]} mutants caught, {counts[2]} change nothing")


if __name__ == "__main__":
    main()
