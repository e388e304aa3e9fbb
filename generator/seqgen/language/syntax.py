"""What a spec's steps and expressions may say: parsed with `ast`, checked, never executed."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field

from seqgen.errors import Collector, Span, SpecError
from seqgen.spec.document import Scalar
from seqgen.spec.numerals import LIMITS

MAX_CHARACTERS = 1_000_000
MAX_NESTING = 60
LONG_NUMBER = re.compile(r"[0-9_]{4000,}")

EXPRESSIONS: tuple[type[ast.AST], ...] = (
    ast.Expression, ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.Subscript,
    ast.Slice, ast.Tuple, ast.List, ast.Call, ast.keyword, ast.Attribute, ast.GeneratorExp, ast.ListComp,
    ast.comprehension, ast.expr_context, ast.operator, ast.unaryop, ast.cmpop,
)  # fmt: skip
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
    ast.BoolOp: ("'and' and 'or' are not part of the language", "multiply 0/1 masks, or use where(…)"),
    ast.Expr: ("this statement sets nothing", "write 'name = …'"),
    ast.Dict: ("a mapping is not part of the language", "give several names"),
    ast.JoinedStr: ("text is not part of the language", "give labels under 'given' with role: label"),
    ast.NamedExpr: ("':=' is not part of the language", "set the name on a line of its own"),
    ast.AnnAssign: ("annotations are not part of the language", "write 'name = …'; shapes are inferred"),
}
OPERATORS = (
    ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult, ast.USub, ast.UAdd,
    ast.Gt, ast.Lt, ast.GtE, ast.LtE, ast.Eq, ast.NotEq,
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Text:
    """Steps or an expression: its scalar, its tree, its comments by line, and the lines that set names."""

    scalar: Scalar
    tree: ast.Module | ast.Expression
    comments: dict[int, str] = field(default_factory=dict)
    sets: dict[str, int] = field(default_factory=dict)

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
        lines = [line.encode() for line in self.scalar.lines[first - 1 : last]]
        lines[-1] = lines[-1][: node.end_col_offset]  # type: ignore[attr-defined]
        lines[0] = lines[0][node.col_offset :]  # type: ignore[attr-defined]
        return b"\n".join(lines).decode(errors="ignore")


def _span(scalar: Scalar, node: ast.AST) -> Span:
    line = getattr(node, "lineno", 1)
    written = scalar.lines[line - 1] if line <= len(scalar.lines) else ""
    encoded = written.encode()
    start = len(encoded[: getattr(node, "col_offset", 0)].decode(errors="ignore"))
    end = len(written)
    if getattr(node, "end_lineno", line) == line:
        end = len(encoded[: getattr(node, "end_col_offset", len(encoded))].decode(errors="ignore"))
    return scalar.locate(line, start, max(1, end - start))


def parse_steps(scalar: Scalar) -> Text:
    """Return the checked steps.

    Raises:
        SpecError: where the text is not Python-shaped, or says something outside the language.
    """
    tree = _parse(scalar, "exec")
    assert isinstance(tree, ast.Module)
    _check(scalar, tree, EXPRESSIONS + STATEMENTS)
    return Text(scalar=scalar, tree=tree, comments=_comments(scalar.text), sets=_names_set(tree))


def parse_expression(scalar: Scalar) -> Text:
    """Return the checked expression or reference.

    Raises:
        SpecError: where the text is not an expression of the language.
    """
    tree = _parse(scalar, "eval")
    assert isinstance(tree, ast.Expression)
    _check(scalar, tree, EXPRESSIONS)
    return Text(scalar=scalar, tree=tree)


def _parse(scalar: Scalar, mode: str) -> ast.AST:
    text = scalar.text
    if len(text) > MAX_CHARACTERS:
        raise SpecError("this text is too long", code="too-large", span=scalar.span)
    if mode == "eval" and not text.strip():
        raise SpecError(
            "an expression is missing here", code="syntax", span=scalar.span, hint="write a name such as h[1]"
        )
    try:
        return ast.parse(text, mode=mode)
    except SyntaxError as problem:
        if "integer string conversion" in (problem.msg or ""):
            number = max(LONG_NUMBER.finditer(text), key=lambda match: len(match[0]))
            line, column = text.count("\n", 0, number.start()), number.start() - text.rfind("\n", 0, number.start()) - 1
            span = scalar.locate(line + 1, column, len(number[0]))
            raise SpecError("this number is too long", code="too-large", span=span, expected=LIMITS) from None
        line, column = problem.lineno or 1, (problem.offset or 1) - 1
        raise SpecError(
            f"this can't be read: {problem.msg}",
            code="syntax",
            span=scalar.locate(min(line, text.count("\n") + 1), max(0, column)),
            hint=_syntax_hint(problem, text),
        ) from None
    except (RecursionError, MemoryError):
        raise SpecError(
            "this is nested too deeply", code="too-large", span=scalar.span, expected=f"at most {MAX_NESTING} levels"
        ) from None
    except ValueError:
        raise SpecError("this can't be read: it holds a null character", code="syntax", span=scalar.span) from None


def _syntax_hint(problem: SyntaxError, text: str) -> str:
    lines = text.split("\n")
    line = lines[(problem.lineno or 1) - 1] if (problem.lineno or 1) <= len(lines) else ""
    if "^" in line:
        return "a power is written **"
    if "indent" in (problem.msg or ""):
        return "statements of one block begin in the same column; the body of 'for' and 'def' is indented"
    return ""


def _check(scalar: Scalar, tree: ast.AST, allowed: tuple[type[ast.AST], ...]) -> None:
    errors = Collector()
    for node, depth in _walk(tree):
        if depth > MAX_NESTING:
            raise SpecError(
                "this is nested too deeply",
                code="too-large",
                span=_span(scalar, node),
                expected=f"at most {MAX_NESTING} levels",
                hint="give the inner part a name of its own",
            )
        problem = _problem(node, allowed)
        if problem:
            errors.add(SpecError(problem[0], code="unsupported-syntax", span=_span(scalar, node), hint=problem[1]))
    errors.raise_any()


def _walk(tree: ast.AST) -> Iterator[tuple[ast.AST, int]]:
    """Yield nodes with their depth; what stands inside an unsupported node is not looked at."""
    stack = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        yield node, depth
        if type(node) not in INSTEAD:
            stack.extend((child, depth + 1) for child in reversed(list(ast.iter_child_nodes(node))))


def _problem(node: ast.AST, allowed: tuple[type[ast.AST], ...]) -> tuple[str, str] | None:
    if type(node) in INSTEAD:
        return INSTEAD[type(node)]
    if not isinstance(node, allowed):
        return f"{type(node).__name__} is not part of the language", ""
    if isinstance(node, ast.Constant) and (not isinstance(node.value, (bool, int, float))):
        return f"{node.value!r} is not a number", "steps compute with numbers only"
    operators = getattr(node, "ops", [getattr(node, "op", None)])
    if any(op is not None and not isinstance(op, OPERATORS) for op in operators):
        if isinstance(operators[0], ast.BitXor):
            return "'^' is not a power", "a power is written **"
        name = type(operators[0]).__name__
        return f"the operator {name} is not part of the language", "use arithmetic, @, ** and comparisons"
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        return "a chain of comparisons is not part of the language", "multiply two comparisons"
    if isinstance(node, ast.comprehension) and (node.ifs or node.is_async):
        return "'if' inside 'for' is not part of the language", "choose the range instead"
    if isinstance(node, (ast.GeneratorExp, ast.ListComp)) and len(node.generators) > 1:
        return "one 'for' at a time", "nest the sums: sum(sum(…) for …)"
    if isinstance(node, ast.For) and node.orelse:
        return "'for … else' is not part of the language", ""
    if isinstance(node, ast.FunctionDef) and (node.decorator_list or node.returns or _odd_arguments(node.args)):
        return "'def' takes plain arguments only", "write 'def name(x, y):'"
    return None


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


def _comments(text: str) -> dict[int, str]:
    comments: dict[int, str] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT and token.line[: token.start[1]].strip():
                comments[token.start[0]] = token.string.lstrip("#").strip()
    except (tokenize.TokenError, IndentationError):  # the parser has accepted the text; comments are a courtesy
        return comments
    return comments
