"""A spec to its graph: given arrays first, then the steps, one statement after the other."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from seqgen.errors import Collector, SeqgenError, SpecError, count, nearest
from seqgen.graph.alternatives.rewrite import Rewriter
from seqgen.graph.budget import charge
from seqgen.graph.node import Node, apply, constant
from seqgen.language.alternatives import replace_step
from seqgen.language.bindings import (
    Binding,
    Entry,
    Family,
    Function,
    Graph,
    Index,
    Labels,
    Poisoned,
    Silenced,
    key_of,
)
from seqgen.language.expressions import RESERVED, lower, public_functions
from seqgen.language.given import bind_given
from seqgen.language.positions import positions
from seqgen.language.scope import Scope
from seqgen.language.syntax import Text, parse_expression, parse_steps
from seqgen.language.training import bind_training
from seqgen.reference import Reference
from seqgen.spec.document import Scalar
from seqgen.spec.model import Spec, Train

MAX_CALLS = 32


def build_graph(spec: Spec, errors: Collector, *, own: Sequence[str] = (), rewriter: Rewriter | None = None) -> Graph:
    """Return the graph of ``spec``: its given arrays and everything that its steps set; mistakes go to ``errors``.

    ``own`` are the spec's own alternatives that are in force; ``rewriter`` rewrites what its steps build.
    """
    graph = Graph(rewriter=rewriter, by_length=bool(own or rewriter))
    bind_given(spec, graph, errors)
    parts = [part if isinstance(part, Train) else parse_steps(part, errors) for part in (*spec.functions, *spec.steps)]
    for part in parts[: len(spec.functions)]:
        _only_functions(part, errors)
    graph.faulty.update(name for part in parts if isinstance(part, Text) for name in part.faulty)
    for name in own:
        replace_step(spec.alternatives[name], [p for p in parts if isinstance(p, Text)], graph, errors)
    runner = _Runner(graph, errors)
    for part in parts:
        if isinstance(part, Train):
            _train(part, graph, errors)
        else:
            runner.run(part.statements, Scope(graph=graph, text=part, names=graph.bindings))
    return graph


def _only_functions(part: Text | Train, errors: Collector) -> None:
    """Make sure that a library's steps define functions and compute nothing."""
    assert isinstance(part, Text)
    for statement in part.statements:
        if not isinstance(statement, ast.FunctionDef):
            hint = "put it into a 'def', or into the spec that uses the library"
            errors.add(
                SpecError("a library holds functions only", code="library", span=part.span(statement), hint=hint)
            )
    part.statements[:] = [s for s in part.statements if isinstance(s, ast.FunctionDef)]


def _train(train: Train, graph: Graph, errors: Collector) -> None:
    try:
        bind_training(train, graph)
    except (SeqgenError, Silenced) as problem:
        if isinstance(problem, SeqgenError):
            errors.add(problem)
        graph.bindings.setdefault("loss", Poisoned())


def cell(graph: Graph, scalar: Scalar, indices: Mapping[str, Fraction]) -> Node | str:
    """Return what an expression stands for where ``indices`` set positions: a node, or the word of a label.

    Raises:
        SpecError: where the expression is wrong.
    """
    text = parse_expression(scalar)
    scope = Scope(graph=graph, text=text, names=graph.bindings).at(**indices)
    match text.expression:
        case ast.Subscript(value=ast.Name(id=name), slice=place) if isinstance(
            words := graph.bindings.get(name), Labels
        ):
            position = scope.integer(place, "a position")
            if not 0 <= position < len(words.words):
                scope.fail(place, f"'{name}' has {len(words.words)} words", "outside", got=f"position {position}")
            return words.words[position]
    if not any(isinstance(n, ast.Name) and n.id in scope.names for n in ast.walk(text.tree)):
        number = scope.number(text.expression)
        if number is not None:
            return constant(number, origin=scalar.span)  # made of positions and dims alone, such as t + 1
    return graph.rewritten(lower(text.tree, scope))


@dataclass
class _Runner:
    """Runs statements: each sets names, or is an error and poisons them."""

    graph: Graph
    errors: Collector
    failed: set[int] = field(default_factory=set)

    def run(self, body: Sequence[ast.stmt], scope: Scope) -> list[Node]:
        """Run ``body``; return what its ``return`` gives."""
        for statement in body:
            charge(1, scope.text.span(statement))
            if isinstance(statement, ast.Return):
                return self._return(statement, scope)
            self._guarded(statement, scope)
        return []

    def _guarded(self, statement: ast.stmt, scope: Scope) -> None:
        """Run one statement; a mistake is kept, once, and its names are poisoned."""
        try:
            if id(statement) not in self.failed:
                self._statement(statement, scope)
                return
        except (SeqgenError, Silenced) as problem:
            if isinstance(problem, SeqgenError):
                self.errors.add(problem)
            self.failed.add(id(statement))
        if isinstance(statement, ast.FunctionDef):
            self.graph.faulty.add(statement.name)
        for name, _ in _targets(statement, scope, careful=False):
            scope.names.setdefault(name, Poisoned())
            if isinstance(scope.names[name], Family):
                scope.names[name] = Poisoned()

    def _statement(self, statement: ast.stmt, scope: Scope) -> None:
        match statement:
            case ast.Assign(targets=[target], value=value):
                self._assign(statement, target, value, scope)
            case ast.For(target=target, iter=iterable, body=body):
                for inner in positions(target, iterable, scope):
                    self.run(body, inner)
            case ast.FunctionDef():
                self._define(statement, scope)
            case _:
                scope.fail(
                    statement,
                    "this is not a statement of the language",
                    "unsupported-syntax",
                    hint="set one name a line: name = …",
                )

    def _define(self, statement: ast.FunctionDef, scope: Scope) -> None:
        name = statement.name
        if scope.prefix or scope.indices:
            hint = "put it before, in the first column"
            scope.fail(statement, "'def' stands inside a loop or another 'def'", "unsupported-syntax", hint=hint)
        if name in RESERVED or name in public_functions() or name in self.graph.functions:
            scope.fail(statement, f"the function '{name}' exists already", "set-twice", hint="use another name")
        if not any(isinstance(s, ast.Return) and s.value for s in statement.body):
            scope.fail(statement, f"'{name}' returns nothing", "no-return", hint="end it with 'return …'")
        self.graph.functions[name] = Function(definition=statement, text=scope.text)

    def _assign(self, statement: ast.stmt, target: ast.expr, value: ast.expr, scope: Scope) -> None:
        targets = _targets(statement, scope)
        inside = scope
        if (written := self.graph.replaced.get(value)) is not None:
            value, inside = written.expression, replace(scope, text=written)
        function = self._called(value)
        about = scope.text.comments.get(statement.lineno, "")
        for part, (name, index) in zip(_parts(target), targets, strict=True):
            self._may_set(part, name, index, scope)
        if function is not None:
            assert isinstance(value, ast.Call)
            prefix = scope.prefix + "_".join(key_of(name, index) for name, index in targets)
            if any(key.startswith(f"{prefix}.") for key in self.graph.entries):
                scope.fail(
                    statement,
                    f"the values inside this call would be named like those of another '{prefix}'",
                    "set-twice",
                )
            results = self._call(value, function, prefix, inside)
        else:
            results = [self.graph.rewritten(lower(value, inside))]
        if len(results) != len(targets):
            values = count(len(results), "value")
            hint = "a function with several results sets as many names: a, b = f(x)"
            scope.fail(statement, f"{count(len(targets), 'name')} can't be set to {values}", "call", hint=hint)
        for (name, index), node in zip(targets, results, strict=True):
            self._set(name, index, node, about, statement, scope)

    def _called(self, value: ast.expr) -> Function | None:
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
            return self.graph.functions.get(value.func.id)
        return None

    def _call(self, call: ast.Call, function: Function, prefix: str, scope: Scope) -> list[Node]:
        """Run a function's body under the call's name; it sees its arguments only."""
        names = [argument.arg for argument in function.definition.args.args]
        if scope.depth >= MAX_CALLS:
            scope.fail(call, "calls are nested too deeply", "too-large", expected=f"at most {MAX_CALLS} levels")
        given = _arguments(call, function.definition.name, names, scope)
        local: dict[str, Binding] = {}
        indices: dict[str, Fraction] = {}
        for name, argument in given.items():
            binding = scope.names.get(argument.id) if isinstance(argument, ast.Name) else None
            number = scope.number(argument) if binding is None else None
            if isinstance(binding, (Family, Labels)):
                local[name] = binding
            elif number is not None:
                indices[name] = number
            else:
                local[name] = lower(argument, scope)
        inside = Scope(
            graph=self.graph,
            text=function.text,
            names=local,
            indices=indices,
            prefix=f"{prefix}.",
            depth=scope.depth + 1,
        )
        results = self.run(function.definition.body, inside)
        if not results:
            raise Silenced
        return results

    def _return(self, statement: ast.Return, scope: Scope) -> list[Node]:
        if not scope.prefix or statement.value is None:
            said = "'return' stands outside a 'def'" if not scope.prefix else "'return' gives no value"
            scope.fail(statement, said, "unsupported-syntax", hint="every name that is set is in the ledger")
        parts = _parts(statement.value)
        try:
            return [self.graph.rewritten(lower(part, scope)) for part in parts]
        except SeqgenError as problem:
            self.errors.add(problem)
            raise Silenced from None

    def _may_set(self, target: ast.expr, name: str, index: Index, scope: Scope) -> None:
        key = key_of(name, index)
        before = scope.names.get(name)
        if isinstance(before, Poisoned):
            raise Silenced
        taken = _taken(name, scope)
        if taken:
            scope.fail(target, f"'{name}' is {taken} already", "set-twice", hint="use another name")
        if before is None:
            return
        entry = self.graph.entries.get(scope.prefix + key)
        if not isinstance(before, Family) or not index:
            entry = entry or next(
                (e for e in self.graph.entries.values() if Reference.parse(e.key).name == scope.prefix + name), None
            )
            what = (
                f"'{name}' is one value already"
                if index and not isinstance(before, Family)
                else f"'{name}' is set already"
            )
        elif index in before.members:
            what = f"'{key}' is set already"
        elif len(index) != before.rank:
            what = f"'{name}' has {before.rank} indices elsewhere"
        else:
            return
        if entry is not None and entry.span == scope.text.span(target):
            what, entry = f"'{key}' is set in every round of the loop", None
        raise SpecError(
            what,
            code="set-twice",
            span=scope.text.span(target),
            related=[(entry.span, "it is set here first")] if entry and entry.span else [],
            hint=_instead_of_setting(name, index, entry, scope),
        )

    def _set(self, name: str, index: Index, node: Node, about: str, statement: ast.stmt, scope: Scope) -> None:
        key = scope.prefix + key_of(name, index)
        if node in self.graph.names or node in self.graph.owners or node.operation.name == "constant":
            node = apply("identity", node, origin=scope.text.span(statement))
        self.graph.add(
            Entry(key=key, node=node, role="computed", about=about, span=scope.text.span(_parts_of(statement)))
        )
        tables = [scope.names] if not scope.prefix else [scope.names, self.graph.bindings]
        for table, short in zip(tables, (name, scope.prefix + name), strict=False):
            if not index:
                table[short] = node
                continue
            family = table.setdefault(short, Family())
            assert isinstance(family, Family)
            family.members[index] = node


def _taken(name: str, scope: Scope) -> str:
    """Return what a name is already, so that no value can have it; nothing where it is free."""
    if name in RESERVED:
        return "a word of the language"
    if name in scope.indices:
        return "a position here"
    if scope.prefix:
        return ""
    return "a dim" if name in scope.graph.dims else "a function" if name in scope.graph.functions else ""


def _instead_of_setting(name: str, index: Index, entry: Entry | None, scope: Scope) -> str:
    """Return what to do where a name is set that is set already."""
    if scope.indices and not index:
        t = list(scope.indices)[-1]
        return f"a loop sets a member a round: {name}[{t}] = …; a sum is {name}[{t}] = {name}[{t}-1] + …"
    if entry is not None and entry.role != "computed":
        return "a given array stays as it is: use another name"
    return "a name is set once: use another one"


def _arguments(call: ast.Call, function: str, names: list[str], scope: Scope) -> dict[str, ast.expr]:
    """Return the arguments of a call of a 'def' by name.

    Raises:
        SpecError: where one is missing, given twice, or not the function's.
    """
    form = f"{function}({', '.join(names)})"
    if len(call.args) > len(names):
        got = count(len(call.args), "argument")
        scope.fail(call.args[len(names)], "an argument too many", "call", expected=form, got=got)
    given = dict(zip(names, call.args, strict=False))
    for keyword in call.keywords:
        name = keyword.arg or ""
        if name not in names:
            hint = nearest(name, names)
            scope.fail(keyword, f"'{function}' has no argument '{name}'", "call", expected=form, hint=hint)
        if name in given:
            scope.fail(keyword, f"the argument '{name}' is given twice", "call", expected=form)
        given[name] = keyword.value
    missing = [name for name in names if name not in given]
    if missing:
        scope.fail(call, f"the argument '{missing[0]}' is missing", "call", expected=form)
    return given


def _parts(target: ast.expr) -> list[ast.expr]:
    return list(target.elts) if isinstance(target, ast.Tuple) else [target]


def _parts_of(statement: ast.stmt) -> ast.AST:
    return statement.targets[0] if isinstance(statement, ast.Assign) else statement


def _targets(statement: ast.stmt, scope: Scope, *, careful: bool = True) -> list[tuple[str, Index]]:
    """Return the names and indices that a statement sets; all names below a loop where not ``careful``."""
    if isinstance(statement, ast.For):
        return [pair for s in statement.body for pair in _targets(s, scope, careful=False)]
    if not isinstance(statement, ast.Assign):
        return []
    return [_target(part, scope, careful) for part in _parts(statement.targets[0])]


def _target(target: ast.expr, scope: Scope, careful: bool) -> tuple[str, Index]:
    brackets: list[ast.expr] = []
    base = target
    while isinstance(base, ast.Subscript):
        parts = base.slice.elts if isinstance(base.slice, ast.Tuple) else [base.slice]
        brackets[:0] = parts
        base = base.value
    if not isinstance(base, ast.Name):
        if careful:
            scope.fail(
                target,
                "this can't be set",
                "unsupported-syntax",
                hint="set a name, or a member of a family such as h[t]",
            )
        return ("", ())
    if not careful:
        return (base.id, ())
    return base.id, tuple(scope.integer(part, "a position of a family") for part in brackets)
