"""What `seqgen show` says of one value."""

from __future__ import annotations

from collections.abc import Iterator

from seqgen.auditing.appearances import Appearances
from seqgen.errors import Source, Span, SpecError, nearest
from seqgen.graph.node import Node
from seqgen.ledger.record import nested, numbers
from seqgen.microscope import Microscope, open_microscope
from seqgen.project import Project
from seqgen.readings.forms import MOST_ELEMENTS
from seqgen.readings.formula import Formulas
from seqgen.shown.explain import explain
from seqgen.spec.document import Scalar

OPERANDS_SHOWN = 12


def describe(project: Project, name: str, reference: str) -> Iterator[str]:
    """Yield lines on the value ``reference`` of spec ``name``.

    Raises:
        SeqgenError: where the spec or the reference is wrong.
    """
    microscope = open_microscope(project, name)
    if reference == "parameters":
        yield from _parameters(microscope)
        return
    try:
        node = microscope.node_of(reference)
    except SpecError as problem:
        if problem.code == "unknown-name" and not problem.hint:
            problem.hint = nearest(reference, microscope.graph.entries)
        raise
    yield from _value(microscope, reference, node)
    yield from _contributions(microscope, node)
    places = dict.fromkeys(str(one) for one in Appearances(project=project).showing(microscope, node))
    yield from (f"cited    {place}" for place in places)


def describe_printed(project: Project, name: str, reference: str) -> Iterator[str]:
    """Yield lines on whether the value ``reference`` of spec ``name`` follows from its printed operands.

    Raises:
        SeqgenError: where the spec or the reference is wrong.
    """
    source = Source(name="reference", text=reference)
    span = Span(source=source, line=1, column=1, width=len(reference))
    yield from explain(open_microscope(project, name), Scalar(text=reference, span=span))


def _parameters(microscope: Microscope) -> Iterator[str]:
    for entry in microscope.parameters:
        yield f"{entry.key}: {entry.node.size}"
    yield f"total: {sum(entry.node.size for entry in microscope.parameters)}"


def _value(microscope: Microscope, reference: str, node: Node) -> Iterator[str]:
    graph, prover = microscope.graph, microscope.prover
    formulas = Formulas(names=graph.names, latex=False)
    key = graph.names.get(node, "")
    entry = graph.entries.get(key)
    yield f"{key or reference}" + (
        f"  ({entry.role}: {entry.about})" if entry and entry.about else f"  ({entry.role})" if entry else ""
    )
    yield f"shape    {list(node.shape) if node.shape else 'scalar'}"
    if node.operation.name != "given":
        yield f"formula  {entry.formula if entry and entry.formula else formulas.definition(node)}"
    printed = prover.printed(node, microscope.display_of(node))
    exactly = all(p.exact for p in printed.flat)
    yield f"printed  {'=' if exactly else '≈'} {_text(nested(printed, lambda p: p.text))}"
    yield f"value    {_text(numbers(prover.reals(node)))}"
    forms = nested(prover.short_forms(node), str)
    if forms not in (None, []) and "None" not in str(forms):
        yield f"exact    {_text(forms)}"
    elif microscope.closed_forms.is_large(node):
        yield f"exact    not sought: it follows from an array of more than {MOST_ELEMENTS:,} elements"
    proven = prover.reals(node).proven and all(p.proven for p in printed.flat)
    yield f"proven   {'yes' if proven else 'no'}"
    place = microscope.where(node)
    if place and key:
        yield f"defined  {place}"
    operands = [n for n in _operands(microscope, node) if n is not node][:OPERANDS_SHOWN]
    for operand in operands:
        shown = nested(prover.printed(operand, microscope.display(graph.names[operand])), lambda p: p.text)
        yield f"  from   {graph.names[operand]} = {_text(shown)}"


def _operands(microscope: Microscope, node: Node) -> Iterator[Node]:
    """Yield the named values that the formula of ``node`` is made of, in the order written."""
    seen: set[Node] = set()
    stack = list(reversed(node.inputs))
    while stack:
        top = stack.pop()
        if top in seen:
            continue
        seen.add(top)
        if top in microscope.graph.names:
            yield top
        else:
            stack.extend(reversed(top.inputs))


def _contributions(microscope: Microscope, node: Node) -> Iterator[str]:
    graph = microscope.graph
    for gradient in microscope.gradients:
        if gradient.entry.node is node:
            for via, part in gradient.contributions:
                shown = nested(
                    microscope.prover.printed(part, microscope.display(gradient.entry.key)), lambda p: p.text
                )
                yield f"  via    {via}: {_text(shown)}"
    if node in graph.names and graph.names[node] in graph.entries:
        asked = [g.entry.key for g in microscope.gradients if g.entry.key.endswith(f", {graph.names[node]})")]
        for key in asked:
            yield f"  see    {key}"


def _text(value: object) -> str:
    return str(value).replace("'", "")
