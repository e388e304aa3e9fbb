"""Expressions to nodes: names, families, indices, calls, gradients."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NoReturn

from seqgen.errors import nearest, placed
from seqgen.graph.node import CONSTANTS, OPERATIONS, REQUIRED, Node, Operation, ShapeClash, apply, constant
from seqgen.language.bindings import Binding, Family, Labels, Poisoned, Silenced, key_of
from seqgen.language.idioms import ATTRIBUTES, FUNCTIONS, instead_of_call
from seqgen.language.makers import MAKERS
from seqgen.language.positions import iterated, positions
from seqgen.language.scope import WORDS, Scope
from seqgen.language.signatures import arguments, form

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.Pow: "power",
    ast.MatMult: "matmul",
}
COMPARE: dict[type[ast.cmpop], str] = {
    ast.Gt: "greater",
    ast.Lt: "less",
    ast.GtE: "greater_equal",
    ast.LtE: "less_equal",
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
}


RESERVED = frozenset({*WORDS, *MAKERS, "grad", "range", "reversed"})
ATTRIBUTE_HINT = "x.T is a transpose, O1.S a value inside the call O1 = …, and size(x, 0) the length of the first axis"


def public_functions() -> list[str]:
    """Return the names of all functions that an expression may call."""
    return [
        *(o.name for o in OPERATIONS.values() if o.public and o.signature.arrays),
        *MAKERS,
        "grad",
        "size",
        "scatter",
    ]


def lower(node: ast.AST, scope: Scope) -> Node:
    """Return the node of an expression.

    Raises:
        SpecError: where a name is unknown, shapes do not fit, or a call is wrong.
        Silenced: where a name is used whose own statement is wrong.
    """
    if node in scope.graph.replaced:
        text = scope.graph.replaced[node]
        return lower(text.tree, replace(scope, text=text))
    match node:
        case ast.Expression(body=body):
            return lower(body, scope)
        case ast.Constant():
            return constant(_literal(scope, node), origin=scope.text.span(node))
        case ast.Name():
            return _name(node, scope)
        case ast.UnaryOp(op=op, operand=operand):
            value = lower(operand, scope)
            if isinstance(op, ast.UAdd):
                return value
            if value.number is not None and isinstance(operand, ast.Constant):
                return constant(-value.number, origin=scope.text.span(node))
            return _apply(node, scope, "negative", (operand,), (value,))
        case ast.BinOp():
            return _binary(node, scope)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            sides = (left, right)
            return _apply(node, scope, COMPARE[type(op)], sides, [lower(s, scope) for s in sides])
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return lower(body if scope.condition(test) else orelse, scope)
        case ast.Attribute(attr="T", value=value):
            return _apply(node, scope, "transpose", (value,), (lower(value, scope),))
        case ast.Attribute() | ast.Subscript():
            return _reference(node, scope)
        case ast.List(elts=items):
            if not items:
                scope.fail(node, "an empty list has no shape", "syntax")
            return _apply(node, scope, "stack", items, [lower(item, scope) for item in items])
        case ast.ListComp():
            parts = unroll(node, scope)
            return _apply(node, scope, "stack", (), parts)
        case ast.Call():
            return _call(node, scope)
    scope.fail(node, "this is not an expression here", "syntax", hint="a list is written [x, y]")


def _literal(scope: Scope, node: ast.Constant) -> Fraction:
    value = scope.number(node)
    assert value is not None
    return value


def _name(node: ast.Name, scope: Scope) -> Node:
    name = node.id
    if name in scope.names:
        return _value(node, scope, name, scope.names[name])
    number = scope.number(node)
    if number is not None:
        # A dim is typeset by its name, a position by its number; a position may have the name of a dim inside a 'def'.
        label = name if name in scope.graph.dims and name not in scope.indices else ""
        return constant(number, label=label, origin=scope.text.span(node))
    if name in CONSTANTS:
        return apply("constant", texts=(name,), shape=(), origin=scope.text.span(node))
    scope.unknown(node, name)


def _value(node: ast.AST, scope: Scope, name: str, binding: Binding) -> Node:
    match binding:
        case Node():
            return binding
        case Family():
            some = ", ".join(key_of(name, index) for index in list(binding.members)[:3])
            scope.fail(
                node,
                f"'{name}' is a family, not one value",
                "family",
                expected=f"a member: {some}, …",
                hint=f"[{name}[t] for t in range(…)] stacks its members",
            )
        case Labels():
            scope.fail(
                node,
                f"'{name}' has role: label, so it can't be computed with",
                "labels",
                hint="words stand in a table's cells; if its values are numbers, leave out role: label",
            )
        case Poisoned():
            raise Silenced


def _binary(node: ast.BinOp, scope: Scope) -> Node:
    """Lower a chain of operators from its left end on: a sum of many terms is long, not deep."""
    chain: list[ast.BinOp] = []
    first: ast.expr = node
    while isinstance(first, ast.BinOp) and type(first.op) in BINARY and first not in scope.graph.replaced:
        chain.append(first)
        first = first.left
    if not chain:
        number = scope.number(node)
        if number is None:
            scope.fail(node, "// and % work on positions and dims only", "not-static")
        return constant(number, origin=scope.text.span(node))
    value = lower(first, scope)
    for part in reversed(chain):
        name, right = BINARY[type(part.op)], lower(part.right, scope)
        if name == "divide" and right.number == 0:
            scope.fail(part.right, "a division by zero", "division-by-zero")
        value = _apply(part, scope, name, (part.left, part.right), (value, right))
    return value


def _apply(
    node: ast.AST, scope: Scope, name: str, written: Sequence[ast.AST], values: Sequence[Node], **parameters: Any
) -> Node:
    try:
        return apply(name, *values, origin=scope.text.span(node), **parameters)
    except ShapeClash as problem:
        texts = [scope.text.segment(part) for part in written]
        scope.clash(node, problem, *zip(texts, values, strict=False))


def unroll(node: ast.GeneratorExp | ast.ListComp, scope: Scope) -> list[Node]:
    """Return the nodes of ``f(t) for t in …``, one a position."""
    (generator,) = node.generators
    return [lower(node.elt, inner) for inner in positions(generator.target, generator.iter, scope)]


def _reference(node: ast.Attribute | ast.Subscript, scope: Scope) -> Node:
    """Lower ``O1.S``, ``h[t-1]``, ``A[1][0]``, ``x[:, 0]``: a name, then positions into its value."""
    brackets: list[ast.Subscript] = []
    base: ast.expr = node
    while isinstance(base, ast.Subscript):
        brackets.insert(0, base)
        base = base.value
    name = scope.dotted(base)
    if name is None or (isinstance(base, ast.Name) and name not in scope.names):
        if isinstance(base, ast.Name):
            scope.unknown(brackets[0] if base.id in scope.text.sets else base, base.id)
        if isinstance(base, ast.Attribute) and base.attr != "T":
            hint = ATTRIBUTES.get(base.attr, ATTRIBUTE_HINT)
            scope.fail(base, f"'.{base.attr}' is not part of the language", "unsupported-syntax", hint=hint)
        value = lower(base, scope)
        return _index(brackets, value, scope)
    binding = scope.names.get(name, scope.graph.bindings.get(name))
    if binding is None:
        scope.silence(name)
        last = name.rpartition(".")[2]
        hint = ATTRIBUTES.get(last) or nearest(name, [*scope.names, *scope.graph.bindings]) or ATTRIBUTE_HINT
        scope.fail(base, f"unknown name '{name}'", "unknown-name", hint=hint)
    if isinstance(binding, Family):
        return _member(node, name, binding, brackets, scope)
    return _index(brackets, _value(base, scope, name, binding), scope)


def _member(node: ast.expr, name: str, family: Family, brackets: list[ast.Subscript], scope: Scope) -> Node:
    index: tuple[int, ...] = ()
    used = 0
    while len(index) < family.rank:
        if used == len(brackets):
            return _value(node, scope, name, family)
        index += tuple(scope.integer(part, "a position of a family") for part in _parts(brackets[used]))
        used += 1
    if index not in family.members:
        scope.silence(name)
        key = key_of(name, index)
        known = ", ".join(key_of(name, i) for i in list(family.members)[-3:])
        scope.fail(
            brackets[used - 1],
            f"'{key}' is not set here",
            "never-set",
            hint=f"set so far: {known}" + ("; give the state before the first under 'given'" if index[0] < 0 else ""),
        )
    return _index(brackets[used:], family.members[index], scope)


def _parts(bracket: ast.Subscript) -> list[ast.expr]:
    return list(bracket.slice.elts) if isinstance(bracket.slice, ast.Tuple) else [bracket.slice]


def _index(brackets: list[ast.Subscript], value: Node, scope: Scope) -> Node:
    """Apply brackets to a value; plain positions in a row become one index."""
    pending: list[tuple[ast.Subscript, tuple[Any, ...]]] = []
    for place, bracket in enumerate(brackets):
        parts = _parts(bracket)
        rows = _row_list(parts, scope)
        if rows is not None:
            value = _apply(bracket, scope, "gather", (bracket.value,), (value,), indices=rows)
            continue
        pending.append((bracket, tuple(_position(part, scope) for part in parts)))
        following = brackets[place + 1 : place + 2]
        plain = all(isinstance(p, int) for _, key in pending for p in key)
        if plain and following and _row_list(_parts(following[0]), scope) is None:
            continue
        value = _index_by(pending, value, scope)
        pending = []
    return value


def _index_by(chain: Sequence[tuple[ast.Subscript, tuple[Any, ...]]], value: Node, scope: Scope) -> Node:
    """Apply a chain of brackets as one index; where it does not fit, say so of the bracket that does not."""
    last = chain[-1][0]
    try:
        return apply("index", value, key=tuple(p for _, key in chain for p in key), origin=scope.text.span(last))
    except ShapeClash:
        for bracket, key in chain:
            value = _apply(bracket, scope, "index", (bracket.value,), (value,), key=key)
    return value


def _row_list(parts: list[ast.expr], scope: Scope) -> tuple[int, ...] | None:
    """Return the positions that a list, or a given list of integers, chooses."""
    if len(parts) != 1:
        return None
    (part,) = parts
    if isinstance(part, ast.List):
        return tuple(scope.integer(item, "a position") for item in part.elts)
    if isinstance(part, ast.Name) and part.id not in scope.indices:
        binding = scope.names.get(part.id)
        if isinstance(binding, Node) and len(binding.shape) == 1 and binding.operation.name == "given":
            return tuple(int(value) for value in iterated(part, scope))
    return None


def _position(part: ast.expr, scope: Scope) -> int | slice:
    if not isinstance(part, ast.Slice):
        position = scope.integer(part, "a position")
        if position < 0:
            scope.fail(
                part,
                f"position {position} is before the first",
                "outside",
                hint="positions count from 0; the last is written with its dim, as in h[T-1]",
            )
        return position
    if part.step is not None:
        scope.fail(part, "a slice has no step here", "syntax", hint="a list chooses positions: x[[0, 2]]")
    start = None if part.lower is None else scope.integer(part.lower, "a slice's start")
    stop = None if part.upper is None else scope.integer(part.upper, "a slice's end")
    # One slice has one spelling: x[:2] and x[0:2] are the same index, and so are x[:] and x[0:].
    return slice(start or None if stop is None else start or 0, stop)


def _call(node: ast.Call, scope: Scope) -> Node:
    if not isinstance(node.func, ast.Name):
        known = [*public_functions(), *scope.graph.functions]
        scope.fail(
            node.func,
            "only functions of the language can be called",
            "call",
            got=scope.text.segment(node.func),
            hint=instead_of_call(node.func, known),
        )
    name = node.func.id
    if name == "grad":
        return gradient(node, scope)
    if name == "size":
        return constant(scope.integer(node, "a size"), origin=scope.text.span(node))
    if name == "scatter":
        return _scatter(node, scope)
    if name in MAKERS:
        return MAKERS[name](node, scope)
    operation = OPERATIONS.get(name)
    if operation is None or not operation.public:
        if name in scope.graph.functions:
            scope.fail(
                node,
                f"a call of '{name}' stands inside an expression",
                "call",
                hint=f"give its result a name on a line of its own, r = {name}(…), and write r here",
            )
        scope.silence(name)
        known = [*public_functions(), *scope.graph.functions]
        hint = FUNCTIONS.get(name) or nearest(name, known) or "docs/operations.md lists all functions"
        if isinstance(scope.graph.bindings.get(name), (Node, Family)):
            hint = f"'{name}' is a value: a product is written {name} * (…), a position {name}[…]"
        scope.fail(node.func, f"unknown function '{name}'", "unknown-name", hint=hint)
    return _operation(node, operation, scope)


def _scatter(node: ast.Call, scope: Scope) -> Node:
    """Lower ``scatter(x, zeros(2, 3)[0])``: the zeros with ``x`` put in at the place that the index names."""
    wanted = "scatter(x, zeros(2, 3)[0]), an array and its place in zeros"
    if len(node.args) != 2 or node.keywords:
        scope.fail(node, "scatter takes an array and a place", "call", expected=wanted)
    value, place = (lower(argument, scope) for argument in node.args)
    if place.operation.name != "index" or set(place.inputs[0].parameters.get("texts", ())) != {"0"}:
        scope.fail(node.args[1], "this is no place in zeros", "call", expected=wanted)
    return _apply(
        node, scope, "scatter", node.args[:1], [value], key=place.parameters["key"], shape=place.inputs[0].shape
    )


def _operation(node: ast.Call, operation: Operation, scope: Scope) -> Node:
    signature = operation.signature
    if len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp) and not signature.variadic:
        return _over_positions(node, operation, node.args[0], scope)
    written, options = arguments(node, operation, scope)
    values: list[Node] | None = None
    if signature.variadic and len(written) == 1:  # concat([a, b]) is concat(a, b)
        listed = written[0]
        if isinstance(listed, (ast.List, ast.Tuple)):
            written = list(listed.elts)
        elif isinstance(listed, (ast.ListComp, ast.GeneratorExp)):
            written, values = [], _terms(listed, scope)
    if values is None:
        values = [lower(argument, scope) for argument in written]
    missing = [key for key, default in signature.options.items() if default is REQUIRED and key not in options]
    if missing:
        scope.fail(node, f"{operation.name} needs {missing[0]}=…", "call", expected=form(operation))
    return _apply(node, scope, operation.name, written, values, **options)


def _terms(node: ast.GeneratorExp | ast.ListComp, scope: Scope) -> list[Node]:
    """Return the terms that a comprehension stands for, at least one."""
    terms = unroll(node, scope)
    if not terms:
        scope.fail(node, "this runs over no positions", "loop")
    return terms


def _over_positions(node: ast.Call, operation: Operation, generator: ast.GeneratorExp, scope: Scope) -> Node:
    """Lower ``sum(f(t) for t in …)`` as a sum of terms, and others over the stacked terms."""
    terms = _terms(generator, scope)
    if operation.name == "sum" and not node.keywords:
        total = terms[0]
        for term in terms[1:]:
            total = _apply(node, scope, "add", (), (total, term))
        return total
    _, options = arguments(node, operation, scope)
    return _apply(node, scope, operation.name, (), [_apply(node, scope, "stack", (), terms)], **{"axis": 0, **options})


def gradient(node: ast.Call, scope: Scope) -> Node:
    """Lower ``grad(L, W)``, ``grad(L, W, via=R[1])`` and ``grad(L, W, via=y, use=2)``."""
    if len(node.args) != 2 or any(k.arg not in ("via", "use") for k in node.keywords):
        scope.fail(node, "grad takes a scalar and a value", "call", expected="grad(L, W) or grad(L, W, via=R[1])")
    of, to = (lower(argument, scope) for argument in node.args)
    graph = scope.graph
    graph.refuse_unless_scalar(of, scope.text.segment(node.args[0]), scope.text.span(node.args[0]))
    keys: list[tuple[Any, ...]] = []
    while to.operation.name == "index" and to not in graph.names:  # the gradient of a part is a part of the gradient
        keys.insert(0, to.parameters["key"])
        (to,) = to.inputs
    if to not in graph.names:
        scope.fail(
            node.args[1],
            "a gradient is taken with respect to a named value",
            "gradient",
            hint="give it a name in the steps",
        )
    with placed(scope.text.span(node)):
        if node.keywords:
            value = _one_use(node, scope, of, to)
        else:
            value = graph.named(graph.gradient(of, to), f"grad({graph.names[of]}, {graph.names[to]})")
    for part in keys:
        value = apply("index", value, key=part, origin=scope.text.span(node))
    return value


def _one_use(node: ast.Call, scope: Scope, of: Node, to: Node) -> Node:
    keywords = {k.arg: k.value for k in node.keywords}
    if "via" not in keywords:
        scope.fail(node, "'use' counts the uses in one value", "call", hint="write via=…, use=2")
    via = _via_key(keywords["via"], scope)
    use = scope.integer(keywords["use"], "use") if "use" in keywords else 1
    wanted = via if use == 1 else f"{via}, use={use}"
    contributions = dict(scope.graph.contributions(of, to))
    if wanted not in contributions:
        if isinstance(keywords["via"], ast.Name) and via not in (*scope.names, *contributions):
            scope.unknown(keywords["via"], via)
        _no_such_use(node, scope, scope.graph.names[to], wanted, list(contributions))
    key = f"grad({scope.graph.names[of]}, {scope.graph.names[to]}, via={wanted})"
    return scope.graph.named(contributions[wanted], key)


def _via_key(node: ast.expr, scope: Scope) -> str:
    return scope.dotted(node) or scope.graph.names.get(lower(node, scope), "?")


def _no_such_use(node: ast.Call, scope: Scope, name: str, wanted: str, known: list[str]) -> NoReturn:
    scope.fail(
        node,
        f"'{name}' has no use in {wanted} that the gradient passes through",
        "gradient",
        hint=f"its uses are {', '.join(known)}" if known else "the scalar does not depend on it",
    )
