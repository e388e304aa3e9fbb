"""``train:`` to the graph: one step of the rule as nodes, repeated."""

from __future__ import annotations

from dataclasses import dataclass

from seqgen.errors import SpecError, placed
from seqgen.graph.node import Node, ancestors, apply, constant
from seqgen.graph.operations.arrays import filled
from seqgen.language.bindings import Entry, Family, Graph
from seqgen.language.expressions import lower
from seqgen.language.scope import Scope
from seqgen.language.syntax import parse_expression
from seqgen.readings.evaluate import Loop
from seqgen.spec.document import Scalar
from seqgen.spec.model import Train
from seqgen.spec.numerals import numeral

# The published defaults: Kingma & Ba 2015, algorithm 1; momentum has none.
DEFAULTS = {"momentum": "0.9", "beta_1": "0.9", "beta_2": "0.999", "epsilon": "1e-8"}


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step: the state that goes round after the parameters, and what both become."""

    state: tuple[Node, ...]
    results: tuple[Node, ...]


def bind_training(train: Train, graph: Graph) -> None:
    """Enter ``loss[k]`` and ``trained.NAME`` into ``graph``.

    Raises:
        SpecError: where the scalar or a parameter is not what training needs.
    """
    root = _find(train.of, graph)
    graph.refuse_unless_scalar(root, train.of.text, train.of.span)
    with placed(train.span):
        parameters = _parameters(train, graph, root)
    for name in ("loss", "trained"):
        if name in graph.bindings:
            raise SpecError(
                f"'{name}' is set already",
                code="set-twice",
                span=train.span,
                hint=f"training gives '{name}'; rename yours",
            )
    nodes = list(parameters.values())
    gradients = [graph.gradient(root, node) for node in nodes]
    step = RULES[train.rule](train, nodes, _clipped(train, gradients))
    leaves = (*nodes, *step.state, *gradients)
    results = tuple(graph.rewritten(node, leaves=leaves, training=True) for node in step.results)
    kept = tuple(dict.fromkeys([*range(0, train.steps + 1, train.every), train.steps]))
    start = (*nodes, *step.state)
    loop = Loop(state=start, results=results, watched=root, kept=kept)
    rows = apply("repeat", *start, loop=loop, origin=train.span)
    _enter(train, graph, rows, parameters, kept)


def _find(scalar: Scalar, graph: Graph) -> Node:
    text = parse_expression(scalar)
    return lower(text.tree, Scope(graph=graph, text=text, names=graph.bindings))


def _parameters(train: Train, graph: Graph, root: Node) -> dict[str, Node]:
    used = graph.adjoints(root)
    found = {}
    if not train.by:
        found = {e.key: e.node for e in graph.entries.values() if e.role == "parameter" and used.contributions(e.node)}
    for name in train.by:
        node = _find(name, graph)
        if node.operation.name != "given" or node not in graph.names:
            raise SpecError(
                f"'{name.text}' is computed, and training changes given arrays only",
                code="gradient",
                span=name.span,
                hint=_given_of(node, graph),
            )
        found[graph.names[node]] = node
    if not found:
        raise SpecError(
            f"'{train.of.text}' depends on no parameter",
            code="gradient",
            span=train.of.span,
            hint="give an array the role parameter, or name what to change: by: [w]",
        )
    return found


def _given_of(node: Node, graph: Graph) -> str:
    """Return a hint that names the given arrays that ``node`` is computed from."""
    found = [graph.names[one] for one in ancestors([node]) if one.operation.name == "given" and one in graph.names]
    return f"name what it is computed from, by: [{', '.join(found)}]" if found else ""


def _enter(train: Train, graph: Graph, rows: Node, parameters: dict[str, Node], kept: tuple[int, ...]) -> None:
    losses = Family()
    graph.bindings["loss"] = losses
    for row, count in enumerate(kept):
        node = apply("index", rows, key=(row, 0), origin=train.span)
        formula = f"{train.of.text} after {count} steps"
        graph.add(Entry(key=f"loss[{count}]", node=node, role="computed", formula=formula, span=train.span))
        losses.members[(count,)] = node
    start = 1
    for key, parameter in parameters.items():
        part = apply("index", rows, key=(len(kept) - 1, slice(start, start + parameter.size)))
        node = apply("reshape", part, shape=parameter.shape, origin=train.span)
        formula = f"{key} after {train.steps} steps"
        graph.add(Entry(key=f"trained.{key}", node=node, role="computed", formula=formula, span=train.span))
        name, _, index = key.partition("[")
        if not index:
            graph.bindings[f"trained.{name}"] = node
        else:
            family = graph.bindings.setdefault(f"trained.{name}", Family())
            assert isinstance(family, Family)
            family.members[tuple(int(part) for part in index.rstrip("]").split("]["))] = node
        start += parameter.size


def _number(train: Train, name: str) -> Node:
    number = numeral(train.numbers.get(name, DEFAULTS.get(name, "0")))
    assert number is not None, "the schema asks for a number"
    return constant(number)


def _clipped(train: Train, gradients: list[Node]) -> list[Node]:
    """Return the gradients scaled to the largest allowed global norm (Pascanu, Mikolov & Bengio 2013, section 3.2)."""
    if "clip" not in train.numbers:
        return gradients
    squares = [apply("sum", g**2) for g in gradients]
    total = squares[0]
    for square in squares[1:]:
        total = total + square
    norm, largest = apply("sqrt", total), _number(train, "clip")
    # The larger of the two in the denominator: a gradient of zero stays zero.
    factor = largest / apply("maximum", norm, largest)
    return [factor * g for g in gradients]


def _sgd(train: Train, parameters: list[Node], gradients: list[Node]) -> Step:
    rate = _number(train, "rate")
    return Step(state=(), results=tuple(p - rate * g for p, g in zip(parameters, gradients, strict=True)))


def _momentum(train: Train, parameters: list[Node], gradients: list[Node]) -> Step:
    """Polyak's heavy ball: v becomes momentum * v + g, and the rate is outside."""
    rate, keep = _number(train, "rate"), _number(train, "momentum")
    velocities = tuple(_zeros(p) for p in parameters)
    moved = tuple(keep * v + g for v, g in zip(velocities, gradients, strict=True))
    return Step(state=velocities, results=(*(p - rate * v for p, v in zip(parameters, moved, strict=True)), *moved))


def _adam(train: Train, parameters: list[Node], gradients: list[Node]) -> Step:
    """Kingma & Ba 2015, algorithm 1: epsilon is added to the root of the corrected second moment."""
    rate, epsilon = _number(train, "rate"), _number(train, "epsilon")
    beta_1, beta_2 = _number(train, "beta_1"), _number(train, "beta_2")
    count = apply("given", texts=("0",), shape=())
    firsts = tuple(_zeros(p) for p in parameters)
    seconds = tuple(_zeros(p) for p in parameters)
    new_count = count + 1
    new_firsts = tuple(beta_1 * m + (1 - beta_1) * g for m, g in zip(firsts, gradients, strict=True))
    new_seconds = tuple(beta_2 * v + (1 - beta_2) * g**2 for v, g in zip(seconds, gradients, strict=True))
    results = []
    for p, m, v in zip(parameters, new_firsts, new_seconds, strict=True):
        corrected = m / (1 - beta_1**new_count)
        spread = apply("sqrt", v / (1 - beta_2**new_count))
        results.append(p - rate * (corrected / (spread + epsilon)))
    return Step(state=(count, *firsts, *seconds), results=(*results, new_count, *new_firsts, *new_seconds))


def _zeros(like: Node) -> Node:
    return filled(like.shape, 0) if like.shape else apply("given", texts=("0",), shape=())


RULES = {"sgd": _sgd, "momentum": _momentum, "adam": _adam}
