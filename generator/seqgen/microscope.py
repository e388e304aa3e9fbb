"""A microscope: one spec, computed. Everything that is written or checked is read off this."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from seqgen.errors import Collector, SeqgenError, Source, Span, SpecError, nearest, placed
from seqgen.graph.alternatives.catalogue import CATALOGUE
from seqgen.graph.alternatives.rewrite import Rewriter
from seqgen.graph.budget import Budget
from seqgen.graph.node import Node, ancestors
from seqgen.language.bindings import Entry, Graph, Silenced
from seqgen.language.lower import build_graph, cell
from seqgen.language.rows import row_positions
from seqgen.language.twins import refuse_twins
from seqgen.ledger.proof import Prover
from seqgen.ledger.record import Cited
from seqgen.project import Project
from seqgen.readings.arrays import Array
from seqgen.readings.forms import Facts, Forms
from seqgen.reference import Reference
from seqgen.spec.document import Scalar
from seqgen.spec.load import load
from seqgen.spec.model import Display, Spec, Table
from seqgen.spec.names import normal


@dataclass(frozen=True, kw_only=True)
class Gradient:
    """A gradient that the spec asks for, with what each use contributes."""

    entry: Entry
    contributions: Sequence[tuple[str, Node]]


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row of a table: the positions that it sets, by name, and a node or a word a column."""

    positions: Mapping[str, int]
    cells: tuple[Node | str, ...]


@dataclass(kw_only=True)
class Microscope:
    """A spec, its graph, and what is proven of it; ``rows`` are those of each table, by the table's name."""

    project: Project
    spec: Spec
    graph: Graph
    budget: Budget
    gradients: tuple[Gradient, ...] = ()
    rows: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)
    known_forms: Mapping[str, list[Facts]] = field(default_factory=dict)
    _cells: dict[Any, Node | str] = field(default_factory=dict)

    @cached_property
    def prover(self) -> Prover:
        """Proves values and digits of this microscope's nodes."""
        return Prover(
            settings=self.project.configuration,
            where=self.where,
            forms=self.forms,
            longest_form=self.closed_forms.longest,
            is_derived=lambda node: node.origin is None and self.graph.differentiated(node) is not None,
            nodes=self.everything(),
        )

    @cached_property
    def closed_forms(self) -> Forms:
        """The closed forms of this microscope's nodes."""
        own, settings = self.spec.exact_limit, self.project.configuration
        limit = settings.exact_limit if own is None else own
        return Forms(limit, settings.precision_limit, self.known_forms)

    def forms(self, node: Node) -> Array:
        """Return the closed form of each element of ``node``, ``None`` where one is left out."""
        return self.closed_forms.of(node)

    def where(self, node: Node) -> Span | None:
        """Return the place in the spec that ``node`` comes from."""
        while node.origin is None and (step := self.graph.differentiated(node)) is not None:
            node = step
        if node.origin is not None:
            return node.origin
        for gradient in self.gradients:
            if gradient.entry.node is node:
                return gradient.entry.span
        entry = self.graph.entries.get(self.graph.owners.get(node, ""))
        return entry.span if entry else self.spec.span

    def display(self, key: str) -> Display:
        """Return how the entry ``key`` is printed: by its key, by its name, or by default."""
        default = Display(digits=self.project.configuration.digits)
        return self.declared_display(key) or self.spec.displays.get("default", default)

    def declared_display(self, key: str) -> Display | None:
        """Return how the spec prints the entry ``key``, by its key or by its name; None where it does not say."""
        displays = self.spec.displays
        return displays.get(key) or displays.get(Reference.parse(key).name)

    def whole_of(self, node: Node) -> Node:
        """Return the named array that a node is a part of; the node itself where it is none."""
        whole = node
        while whole not in self.graph.names and whole.operation.name == "index":
            (whole,) = whole.inputs
        return whole if whole in self.graph.names else node

    def key_of(self, node: Node) -> str:
        """Return the key of the entry that a node is, or is a part of; empty where there is none."""
        return self.graph.names.get(self.whole_of(node), "")

    def display_of(self, node: Node) -> Display:
        """Return how a node is printed: as the entry that it is, or is a part of."""
        return self.display(self.key_of(node))

    def node(self, scalar: Scalar) -> Node:
        """Return the node of a reference or an expression.

        Raises:
            SpecError: where it is wrong, or is a word.
        """
        found = self.cell(scalar, {})
        if isinstance(found, str):
            raise SpecError(
                f"'{scalar.text}' is a word", code="labels", span=scalar.span, expected="a number or an array"
            )
        return found

    def cell(self, scalar: Scalar, indices: Mapping[str, Fraction]) -> Node | str:
        """Return what stands in a table's cell, where ``indices`` set positions: a node, or the word of a label.

        Raises:
            SpecError: where the expression is wrong.
        """
        key = (scalar.text, tuple(indices.items()))
        if key not in self._cells:
            with self.budget.in_force():
                self._cells[key] = cell(self.graph, scalar, indices)
        return self._cells[key]

    def node_of(self, text: str) -> Node:
        """Return the node of a reference that a command line gives."""
        source = Source(name="reference", text=text)
        return self.node(Scalar(text=text, span=Span(source=source, line=1, column=1, width=len(text))))

    @property
    def parameters(self) -> list[Entry]:
        """The entries that are parameters."""
        return [entry for entry in self.graph.entries.values() if entry.role == "parameter"]

    def cited(self) -> Iterator[Cited]:
        """Yield what tables, derivations and expectations refer to, words left out.

        Raises:
            SeqgenError: where a reference is wrong.
        """
        for table in self.spec.tables.values():
            for row in self.rows[table.name]:
                for column, node in zip(table.columns, row.cells, strict=True):
                    if not isinstance(node, str):
                        yield Cited(node=node, table=table.name, heading=column.heading, position=row.positions)
        for scalar in _references(self.spec, kinds=("expect",)):
            yield Cited(node=self.node(scalar))

    def all_entries(self) -> list[Entry]:
        """Return all entries, gradients last: the ledger's order."""
        return [*self.graph.entries.values(), *(gradient.entry for gradient in self.gradients)]

    def everything(self) -> list[Node]:
        """Return the nodes of all entries and gradients."""
        return [entry.node for entry in self.all_entries()]


def open_microscope(
    project: Project,
    name: str,
    known_forms: Mapping[str, list[Facts]] | None = None,
    *,
    rewriter: Rewriter | None = None,
) -> Microscope:
    """Return the microscope of spec ``name``: its graph built, its gradients found, its references read.

    ``SPEC@ALTERNATIVE`` is the spec under another convention, of the catalogue or its own; several follow each other.
    ``known_forms`` is what an earlier run knew of closed forms, by content. A ``rewriter`` sees the graph being built.

    Raises:
        SeqgenError: with all mistakes of the spec that can be seen without computing.
    """
    errors = Collector()
    base, *wanted = name.split("@")
    spec = load(project, base, errors)
    budget = Budget(limit=project.configuration.size_limit)
    own, rewriter = _conventions(spec, wanted, rewriter)
    with budget.in_force():
        graph = build_graph(spec, errors, own=own, rewriter=rewriter)
    if not wanted and not errors:
        for alternative in spec.alternatives:
            build_graph(spec, errors, own=[alternative])
    for one in spec.distinguishes:
        if one.text.partition("(")[0] not in {**spec.alternatives, **CATALOGUE}:
            errors.add(_no_convention(spec, one.text, one.span))
    if wanted:
        errors.raise_any()
    microscope = Microscope(project=project, spec=spec, graph=graph, budget=budget, known_forms=known_forms or {})
    found: dict[str, Gradient] = {}
    for of, by in spec.gradients:
        for gradient in _gradients(microscope, of, by, errors):
            found.setdefault(gradient.entry.key, gradient)
    microscope.gradients = tuple(found.values())
    for mention in spec.mentions:
        _mentioned(microscope, mention, errors)
    microscope.rows = {table.name: tuple(_rows(microscope, table, errors)) for table in spec.tables.values()}
    for scalar in _references(spec):
        _read(microscope, scalar, errors)
    for moved in (moved for check in spec.checks for moved in check.by):
        if not any(graph.members(moved.text)):
            _read(microscope, moved, errors)
    cells = [cell for rows in microscope.rows.values() for row in rows for cell in row.cells if isinstance(cell, Node)]
    refuse_twins(spec, graph, ancestors([*microscope.everything(), *cells]), errors)
    if not wanted:  # by another convention a value may have fewer uses, and fewer gradients
        errors.raise_any()
    elif rewriter is not None:
        rewriter.refuse_unused()
    return microscope


def _conventions(spec: Spec, wanted: Sequence[str], rewriter: Rewriter | None) -> tuple[list[str], Rewriter | None]:
    """Return those of ``wanted`` that are the spec's own, and what rewrites the graph by the others."""
    own = [name for name in wanted if name in spec.alternatives]
    others = tuple(name for name in wanted if name not in spec.alternatives)
    for name in others:
        if name.partition("(")[0] not in CATALOGUE:
            raise _no_convention(spec, name)
    return own, Rewriter(wanted=others) if others else rewriter


def _no_convention(spec: Spec, name: str, span: Span | None = None) -> SpecError:
    known = [*spec.alternatives, *CATALOGUE]
    hint = nearest(name.partition("(")[0], known) or f"'seqgen conventions {spec.name}' lists those that apply"
    return SpecError(f"there is no convention '{name}'", code="no-such-convention", span=span, hint=hint)


def _mentioned(microscope: Microscope, name: Scalar, errors: Collector) -> None:
    """Make sure that a name under ``digits`` or ``tex`` is one of the spec's."""
    graph = microscope.graph
    keys = [*graph.entries, *(g.entry.key for g in microscope.gradients)]
    known = {*keys, *graph.bindings, *graph.dims, *(part for key in keys for part in Reference.parse(key).words())}
    if normal(name.text) not in known and name.text != "default":
        some = f"a name of this spec, such as {', '.join(list(graph.entries)[:5])}" if graph.entries else ""
        forms = [] if name.text in microscope.spec.tex else ["default", "decimals", "significant", "scientific"]
        errors.add(
            SpecError(
                f"unknown name '{name.text}'",
                code="unknown-name",
                span=name.span,
                expected=" or ".join(filter(None, [some, ", ".join(forms)])),
                hint=nearest(name.text, [*known, *forms]),
            )
        )


def _references(spec: Spec, *, kinds: tuple[str, ...] = ()) -> Iterator[Scalar]:
    """Yield what derivations and checks (of ``kinds``) refer to."""
    for worked in spec.worked.values():
        for line in worked.lines:
            yield from filter(None, (line.reference, line.formula))
    for check in spec.checks:
        if not kinds or check.kind in kinds:
            yield from check.references()


def _rows(microscope: Microscope, table: Table, errors: Collector) -> Iterator[Row]:
    """Yield the rows of ``table`` whose cells can all be read; errors of the others go to ``errors``, one a column."""
    try:
        positions = row_positions(table.rows, microscope.graph)
    except SeqgenError as problem:
        errors.add(problem)
        return
    except Silenced:
        return
    columns = [list(_column(microscope, column.cell, table.rows, positions, errors)) for column in table.columns]
    for indices, *cells in zip(positions, *columns, strict=False):
        yield Row(positions={name: int(value) for name, value in indices.items()}, cells=tuple(cells))


def _column(
    microscope: Microscope,
    scalar: Scalar,
    rows: Scalar | None,
    positions: Sequence[Mapping[str, Fraction]],
    errors: Collector,
) -> Iterator[Node | str]:
    """Yield a column's cells from the top, up to the first that is wrong."""
    for indices in positions:
        try:
            yield microscope.cell(scalar, indices)
        except SeqgenError as problem:
            if rows is not None and problem.code in ("shape", "outside", "never-set"):
                row = ", ".join(f"{name} = {value}" for name, value in indices.items())
                problem.related += ((rows.span, f"in the row {row}"),)
            errors.add(problem)
            return
        except Silenced:
            return


def _read(microscope: Microscope, scalar: Scalar, errors: Collector) -> None:
    try:
        microscope.cell(scalar, {})
    except SeqgenError as problem:
        errors.add(problem)
    except Silenced:
        return


def _gradients(microscope: Microscope, of: Scalar, by: Sequence[Scalar], errors: Collector) -> list[Gradient]:
    graph = microscope.graph
    found = []
    try:
        root = microscope.node(of)
        graph.refuse_unless_scalar(root, of.text, of.span)
    except (SeqgenError, Silenced) as problem:
        if isinstance(problem, SeqgenError):
            errors.add(problem)
        return []
    below = set(ancestors([root]))
    for name in by:
        try:
            members = list(graph.members(name.text)) or [(name.text, microscope.node(name))]
            with microscope.budget.in_force(), placed(name.span):
                used = below | graph.adjoints(root).closed
            if all(node in graph.names and node not in used for _, node in members):
                raise SpecError(
                    f"'{of.text}' does not depend on '{name.text}'",
                    code="gradient",
                    span=name.span,
                    hint=f"name what '{of.text}' is computed from",
                )
            found += [_gradient(graph, microscope.budget, root, node, name) for _, node in members]
        except (SeqgenError, Silenced) as problem:
            if isinstance(problem, SeqgenError):
                errors.add(problem)
    return found


def _gradient(graph: Graph, budget: Budget, root: Node, node: Node, name: Scalar) -> Gradient:
    if node not in graph.names:
        raise SpecError(
            f"'{name.text}' is not a name to differentiate by",
            code="gradient",
            span=name.span,
            expected="names that the scalar depends on, such as {L: [x]}",
            hint="formulas do not stand here: the gradient is found by itself",
        )
    key = f"grad({graph.names[root]}, {graph.names[node]})"
    with budget.in_force(), placed(name.span):
        total = graph.named(graph.gradient(root, node), key)
    entry = Entry(key=key, node=total, role="gradient", span=name.span)
    return Gradient(entry=entry, contributions=graph.contributions(root, node))
