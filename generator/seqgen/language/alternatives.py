"""A spec's own alternatives: an expression in place of a step, or of a part of one."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from seqgen.errors import Collector, SeqgenError, SpecError, nearest
from seqgen.language.bindings import Graph
from seqgen.language.syntax import Text, parse_expression
from seqgen.spec.model import WorkedLine

EXPECTED = "NAME = …, with the name of a step, or an expression of the values that one part of a step is made of"


def replace_step(line: WorkedLine, texts: Sequence[Text], graph: Graph, errors: Collector) -> None:
    """Enter into ``graph`` what an alternative replaces in ``texts``; errors of it go to ``errors``."""
    try:
        text = parse_expression(line.shown)
        place = _step(line, texts) if line.formula else _part(line, text, texts)
    except SeqgenError as problem:
        errors.add(problem)
        return
    graph.replaced[place] = text


def _assignments(texts: Sequence[Text]) -> Iterator[ast.Assign]:
    for text in texts:
        yield from (node for node in ast.walk(text.tree) if isinstance(node, ast.Assign))


def _step(line: WorkedLine, texts: Sequence[Text]) -> ast.expr:
    """Return the right side of the step that sets the name of an alternative."""
    wanted = ast.unparse(parse_expression(line.reference).expression)
    steps = {ast.unparse(step.targets[0]): step.value for step in _assignments(texts)}
    if wanted not in steps:
        raise SpecError(
            f"no step sets '{line.reference.text}'",
            code="alternative",
            span=line.reference.span,
            expected=EXPECTED,
            hint=nearest(wanted, steps) or "write the name as the step has it, with its position: h[t]",
        )
    return steps[wanted]


def _part(line: WorkedLine, text: Text, texts: Sequence[Text]) -> ast.expr:
    """Return the one part of a step that is made of the same values."""
    wanted = _values(text.expression)
    found = [part for step in _assignments(texts) for part in _largest(step.value, wanted)]
    if len(found) != 1:
        said = "several parts of steps are" if found else "no part of a step is"
        raise SpecError(
            f"{said} made of {', '.join(sorted(wanted)) or 'no values'}",
            code="alternative",
            span=line.reference.span,
            expected=EXPECTED,
            hint="write the whole step, NAME = …",
        )
    return found[0]


def _largest(node: ast.AST, wanted: set[str]) -> Iterator[ast.expr]:
    """Yield the largest expressions in ``node`` whose values are ``wanted``."""
    if isinstance(node, ast.expr) and _values(node) == wanted:
        yield node
        return
    for child in ast.iter_child_nodes(node):
        yield from _largest(child, wanted)


def _values(node: ast.AST) -> set[str]:
    """Return the names and members of families that an expression uses."""
    if isinstance(node, ast.Call):
        parts: list[ast.AST] = [*node.args, *(keyword.value for keyword in node.keywords)]
    elif isinstance(node, ast.Name) or (
        isinstance(node, (ast.Subscript, ast.Attribute)) and not (isinstance(node, ast.Attribute) and node.attr == "T")
    ):
        return {ast.unparse(node)}
    else:
        parts = list(ast.iter_child_nodes(node))
    return {name for part in parts for name in _values(part)}
