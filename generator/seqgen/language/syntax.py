"""What a spec's steps and expressions may say: parsed with `ast`, checked, never executed."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

from seqgen.errors import Collector, Span, SpecError
from seqgen.language.diagnostics import MAX_NESTING, Program, read_expression, read_program
from seqgen.language.idioms import FUNCTIONS, PREFIXES
from seqgen.spec.document import Scalar
from seqgen.spec.texts import check_text

MAX_CHARACTERS = 1_000_000

EXPRESSIONS: tuple[type[ast.AST], ...] = (
    ast.Expression, ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.Subscript,
    ast.Slice, ast.Tuple, ast.List, ast.Call, ast.keyword, ast.Attribute, ast.GeneratorExp, ast.ListComp,
    ast.comprehension, ast.expr_context, ast.operator, ast.unaryop, ast.cmpop,
)  # fmt: skip
TERMS = (ast.Add, ast.Sub)
STATEMENTS: tuple[type[ast.AST], ...] = (
    ast.Module, ast.Assign, ast.For, ast.FunctionDef, ast.Return, ast.arguments, ast.arg,
)  # fmt: skip

# What people write from habit, and what to write here instead.
INSTEAD: dict[type[ast.AST], tuple[str, str]] = {
    ast.AugAssign: ("a name is set once", "accumulate in a family: s[t] = s[t-1] + x[t]"),
    ast.While: ("'while' is not part of the language", "use 'for t in range(…):'"),
    ast.If: ("'if' is not part of the language", "use where(condition, x, y), or 'x if t == 0 else y'"),
    ast.Import: ("'import' is not part of the language", "functions of other specs come by 'use:'"),
    ast.ImportFrom: ("'import' is not part of the language", "functions of other specs come by 'use:'"),
    ast.Lambda: ("'lambda' is not part of the language", "use 'def'"),
    ast.ClassDef: ("'class' is not part of the language", "use 'def' for a reusable function"),
    ast.BoolOp: (
        "'and' and 'or' are not part of the language",
        "a comparison is 0 or 1: multiply two, (x > 0) * (x < 2)",
    ),
    ast.Expr: ("this statement sets nothing", "write 'name = …'"),
    ast.Dict: ("a mapping is not part of the language", "give each value a name of its own"),
    ast.JoinedStr: ("text is not part of the language", "give labels under 'given' with role: label"),
    ast.NamedExpr: ("':=' is not part of the language", "set the name on a line of its own"),
    ast.AnnAssign: ("annotations are not part of the language", "write 'name = …'; shapes are inferred"),
    ast.Assert: ("'assert' is not part of the language", "state it under checks, - equal: {left: x, right: y}"),
    ast.With: ("'with' is not part of the language", "write assignments, 'for' and 'def'"),
    ast.Try: ("'try' is not part of the language", "write assignments, 'for' and 'def'"),
    ast.Delete: ("'del' is not part of the language", "every name stays, in the ledger too"),
    ast.Pass: ("'pass' does nothing", "leave it out"),
    ast.Starred: ("'*' before a name is not part of the language", "write the parts one by one"),
    ast.Set: ("a set is not part of the language", "a list is written [x, y]"),
    ast.DictComp: ("a mapping is not part of the language", "a family is set in a loop: y[t] = …"),
    ast.SetComp: ("a set is not part of the language", "a list is written [x, y]"),
}
OPERATORS = (
    ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult, ast.USub, ast.UAdd,
    ast.Gt, ast.Lt, ast.GtE, ast.LtE, ast.Eq, ast.NotEq,
)  # fmt: skip


# The other operators of Python, with what to write instead.
SIGNS: dict[type[ast.AST], tuple[str, str]] = {
    ast.BitXor: ("^", "a power is written **"),
    ast.Invert: ("~", "the opposite of a 0/1 mask is 1 - mask"),
    ast.Not: ("not", "the opposite of a 0/1 mask is 1 - mask"),
    ast.BitAnd: ("&", "multiply two 0/1 masks"),
    ast.BitOr: ("|", "maximum(a, b) joins two 0/1 masks"),
    ast.LShift: ("<<", "multiply by a power of two"),
    ast.RShift: (">>", "divide by a power of two"),
    ast.In: ("in", "compare with ==, and add the results"),
    ast.NotIn: ("not in", "compare with !=, and multiply the results"),
    ast.Is: ("is", "compare with =="),
    ast.IsNot: ("is not", "compare with !="),
}


@dataclass(frozen=True, kw_only=True)
class Text:
    """Steps or an expression: its scalar, its tree, its comments by line, and the lines that set names.

    ``faulty`` are the names that statements would set which were left out for a mistake of their own.
    """

    scalar: Scalar
    tree: ast.Module | ast.Expression
    comments: dict[int, str] = field(default_factory=dict)
    sets: dict[str, int] = field(default_factory=dict)
    faulty: frozenset[str] = frozenset()

    @property
    def expression(self) -> ast.expr:
        """The expression, where the text is one."""
        assert isinstance(self.tree, ast.Expression)
        return self.tree.body

    @property
    def statements(self) -> list[ast.stmt]:
        """The statements, where the text is steps."""
        assert isinstance(self.tree, ast.Module)
        return self.tree.body

    def span(self, node: ast.AST) -> Span:
        """Return the place of ``node`` in the file."""
        return _span(self.scalar, node)

    def segment(self, node: ast.AST) -> str:
        """Return the text of ``node`` as written."""
        first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
        if not first or last > len(self.scalar.lines):
            return ast.unparse(node)
        lines = self.scalar.lines[first - 1 : last]
        lines[-1] = lines[-1][: self.scalar.column(last, node.end_col_offset)]  # type: ignore[attr-defined]
        lines[0] = lines[0][self.scalar.column(first, node.col_offset) :]  # type: ignore[attr-defined]
        return "\n".join(lines)


def _span(scalar: Scalar, node: ast.AST) -> Span:
    line = getattr(node, "lineno", 1)
    start = scalar.column(line, getattr(node, "col_offset", 0))
    end = len(scalar.lines[line - 1]) if line <= len(scalar.lines) else start
    if getattr(node, "end_lineno", line) == line:
        end = scalar.column(line, getattr(node, "end_col_offset", end))
    return scalar.locate(line, start, max(1, end - start))


def parse_steps(scalar: Scalar, errors: Collector) -> Text:
    """Return the statements that are of the language; mistakes go to ``errors``, with the statements that hold them."""
    if len(scalar.text) > MAX_CHARACTERS:
        errors.add(SpecError("this text is too long", code="too-large", span=scalar.span))
        return Text(scalar=scalar, tree=ast.Module(body=[], type_ignores=[]))
    program = read_program(scalar)
    for slip in program.errors:
        errors.add(slip)
    wrong: set[ast.stmt] = set()
    for node, statement, problem in _problems(scalar, program.statements, EXPRESSIONS + STATEMENTS):
        if not _is_placeholder(node, program):
            errors.add(problem)
        wrong.add(statement)
    faulty = program.faulty | {name for statement in wrong for name in _stored(statement)}
    tree = ast.Module(body=_without(program.statements, wrong, faulty), type_ignores=[])
    comments = {}
    for line, (column, comment) in _comments(scalar.text).items():
        check_text(comment, partial(_in_line, scalar, line, column), errors)
        comments[line] = comment
    return Text(scalar=scalar, tree=tree, comments=comments, sets=_names_set(tree), faulty=frozenset(faulty))


@lru_cache(maxsize=1024)  # a table asks for its cells, and for the bounds of its rows, again with each row
def parse_expression(scalar: Scalar) -> Text:
    """Return the checked expression or reference.

    Raises:
        SpecError: where the text is not an expression of the language.
    """
    if len(scalar.text) > MAX_CHARACTERS:
        raise SpecError("this text is too long", code="too-large", span=scalar.span)
    if not scalar.text.strip():
        raise SpecError(
            "an expression is missing here", code="syntax", span=scalar.span, hint="write a name such as h[1]"
        )
    tree = read_expression(scalar)
    errors = Collector()
    for _, _, problem in _problems(scalar, [tree], EXPRESSIONS):
        errors.add(problem)
    errors.raise_any()
    return Text(scalar=scalar, tree=tree)


def _is_sum(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, TERMS)


def _problems(
    scalar: Scalar, roots: Sequence[ast.AST], allowed: tuple[type[ast.AST], ...]
) -> Iterator[tuple[ast.AST, Any, SpecError]]:
    """Yield each part that is not of the language, the statement that it stands in, and what to say of it.

    What stands inside such a part is not looked at.
    """
    stack: list[tuple[ast.AST, int, ast.AST]] = [(root, 0, root) for root in reversed(roots)]
    while stack:
        node, depth, statement = stack.pop()
        statement = node if isinstance(node, ast.stmt) else statement
        if depth > MAX_NESTING:
            yield (
                node,
                statement,
                SpecError(
                    "this is nested too deeply",
                    code="too-large",
                    span=_span(scalar, node),
                    expected=f"at most {MAX_NESTING} levels",
                    hint="give the inner part a name of its own",
                ),
            )
            continue
        problem = _problem(node, allowed)
        if problem:
            said, hint = problem
            place = node.ifs[0] if isinstance(node, ast.comprehension) and node.ifs else node
            yield node, statement, SpecError(said, code="unsupported-syntax", span=_span(scalar, place), hint=hint)
        if type(node) not in INSTEAD:
            # A sum of many terms is long, not deep.
            chained = node.left if isinstance(node, ast.BinOp) and _is_sum(node) and _is_sum(node.left) else None
            stack.extend(
                (child, depth + (child is not chained), statement)
                for child in reversed(list(ast.iter_child_nodes(node)))
            )


def _is_placeholder(node: ast.AST, program: Program) -> bool:
    """Whether ``node`` stands for a line that could not be read."""
    return isinstance(node, ast.Pass) and bool(program.errors)


def _without(body: Sequence[ast.stmt], wrong: set[ast.stmt], faulty: set[str]) -> list[ast.stmt]:
    """Return statements without the wrong ones; a function without its 'return' is wrong as a whole."""
    kept = []
    for statement in body:
        if isinstance(statement, ast.FunctionDef) and _lost_its_return(statement, wrong):
            faulty.add(statement.name)
        elif statement not in wrong:
            if isinstance(statement, (ast.For, ast.FunctionDef)):
                statement.body = _without(statement.body, wrong, faulty)
            kept.append(statement)
    return kept


def _lost_its_return(function: ast.FunctionDef, wrong: set[ast.stmt]) -> bool:
    """Whether what is wrong in a function may have been its 'return'."""
    returns = [s for s in function.body if isinstance(s, ast.Return) and s not in wrong]
    return not returns and any(s in wrong for s in function.body)


def _stored(statement: ast.AST) -> Iterator[str]:
    """Yield the names that a statement of Python would set, at any depth."""
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, (ast.Name, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            base: ast.AST = node
            while isinstance(base, ast.Subscript):
                base = base.value
            if isinstance(base, ast.Name):
                yield base.id


def _problem(node: ast.AST, allowed: tuple[type[ast.AST], ...]) -> tuple[str, str] | None:
    if isinstance(node, ast.Expr):
        return INSTEAD[ast.Expr][0], _instead_of_nothing(node.value)
    if isinstance(node, (ast.Import, ast.ImportFrom)) and _modules(node) & set(PREFIXES):
        return INSTEAD[ast.Import][0], "functions need no import and have no prefix: write exp(x)"
    if type(node) in INSTEAD:
        return INSTEAD[type(node)]
    if not isinstance(node, allowed):
        return f"'{type(node).__name__.lower()}' is not part of the language", "write assignments, 'for' and 'def'"
    if isinstance(node, ast.Constant) and (not isinstance(node.value, (bool, int, float))):
        return f"{node.value!r} is not a number", "steps compute with numbers only"
    if isinstance(node, ast.Assign) and len(node.targets) > 1:
        return "one name at a time", "write two lines, or a, b = f(x) for a function with two results"
    operators = getattr(node, "ops", [getattr(node, "op", None)])
    odd = next((op for op in operators if op is not None and not isinstance(op, OPERATORS)), None)
    if odd is not None:
        sign, hint = SIGNS.get(type(odd), (type(odd).__name__, "use arithmetic, @, ** and comparisons"))
        return f"'{sign}' is not part of the language", hint
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        return "a chain of comparisons is not part of the language", "multiply two: (0 < x) * (x < 2)"
    if isinstance(node, ast.comprehension) and (node.ifs or node.is_async):
        return "'if' inside 'for' is not part of the language", "choose the positions instead: for t in range(1, T)"
    if isinstance(node, (ast.GeneratorExp, ast.ListComp)) and len(node.generators) > 1:
        return "one 'for' at a time", "nest the sums: sum(sum(…) for …)"
    if isinstance(node, ast.For) and node.orelse:
        return "'for … else' is not part of the language", ""
    if isinstance(node, ast.FunctionDef) and (node.decorator_list or node.returns or _odd_arguments(node.args)):
        return "'def' takes plain arguments only", "write 'def name(x, y):'"
    return None


def _instead_of_nothing(value: ast.expr) -> str:
    """Return what to write instead of an expression that sets no name."""
    if isinstance(value, ast.Compare) and isinstance(value.ops[0], ast.Eq):
        return "one = sets a name, two compare"
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in FUNCTIONS:
        return FUNCTIONS[value.func.id]
    return INSTEAD[ast.Expr][1]


def _modules(node: ast.Import | ast.ImportFrom) -> set[str]:
    names = [alias.name for alias in node.names]
    return {name.split(".")[0] for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else names)}


def _odd_arguments(arguments: ast.arguments) -> bool:
    return bool(
        arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs or arguments.defaults
    )


def _names_set(tree: ast.Module) -> dict[str, int]:
    """Return the names that statements set, each with its first line."""
    lines: dict[str, int] = {}
    for node in (n for n in ast.walk(tree) if isinstance(n, ast.Assign)):
        for target in node.targets:
            for part in target.elts if isinstance(target, ast.Tuple) else (target,):
                base = part
                while isinstance(base, ast.Subscript):
                    base = base.value
                if isinstance(base, ast.Name):
                    lines.setdefault(base.id, node.lineno)
    return lines


def _in_line(scalar: Scalar, line: int, column: int, start: int, width: int) -> Span:
    return scalar.locate(line, column + start, width)


def _comments(text: str) -> dict[int, tuple[int, str]]:
    """Return the comments that stand behind statements: by line, the column where the words begin, and the words."""
    comments: dict[int, tuple[int, str]] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT and token.line[: token.start[1]].strip():
                words = token.string.lstrip("#").lstrip()
                comments[token.start[0]] = token.start[1] + len(token.string) - len(words), words.rstrip()
    except (tokenize.TokenError, IndentationError):  # the parser has accepted the text; comments are a courtesy
        return comments
    return comments
