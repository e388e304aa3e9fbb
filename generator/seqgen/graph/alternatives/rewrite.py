"""Rewrites a graph while it is built: each new node by the first rule of an alternative that fits it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field

from seqgen.errors import SpecError
from seqgen.graph.alternatives.alternative import Alternative
from seqgen.graph.alternatives.catalogue import CATALOGUE
from seqgen.graph.alternatives.pattern import Bound, behind, build, find, parse
from seqgen.graph.node import Node, ShapeClash, apply


@dataclass(frozen=True, kw_only=True)
class Site:
    """A place where an alternative applies, and what its names stand for there.

    ``name`` is the choice that it belongs to: ``reset-before``, ``transposed(W_O)``. ``instead`` is what comes in the
    node's place.
    """

    name: str
    bound: Bound
    node: Node
    instead: Node


def _site(alternative: Alternative, node: Node, parameters: Mapping[Node, str]) -> Site | None:
    """Return how ``alternative`` rewrites ``node``, by the first of its rules that fits."""
    for rule in alternative.rules:
        if callable(rule):
            instead = rule(node)
            if instead is not None:
                return Site(name=alternative.name, bound={}, node=node, instead=instead)
            continue
        for bound in find(parse(rule[0]), node, {}):
            if alternative.each and behind(bound[alternative.each]) not in parameters:
                continue
            try:
                instead = build(parse(rule[1]), bound, node.origin)
            except ShapeClash:  # here nobody can take the one for the other
                continue
            if instead.shape == node.shape:
                of = f"({parameters[behind(bound[alternative.each])]})" if alternative.each else ""
                return Site(name=alternative.name + of, bound=bound, node=node, instead=instead)
    return None


@dataclass(kw_only=True)
class Rewriter:
    """Rewrites what is built of a graph, by alternatives of the catalogue that are named in ``wanted``.

    With ``transposed(W_O)`` one array is meant, with ``transposed`` all. ``found`` are the places where alternatives
    apply: those that are wanted, or of a graph that is left as it is, all.
    """

    wanted: tuple[str, ...] = ()
    found: list[Site] = field(default_factory=list)
    _done: dict[Node, Node] = field(default_factory=dict)

    def __call__(
        self,
        node: Node,
        names: Container[Node],
        parameters: Mapping[Node, str],
        *,
        leaves: Iterable[Node] = (),
        training: bool = False,
    ) -> Node:
        """Return ``node``, rewritten down to ``leaves`` and to what has a name; ``parameters`` are known by theirs."""
        stack, new, stop = [node], [], {*leaves}
        while stack:
            top = stack.pop()
            if top not in self._done and top not in names and top not in stop:
                self._done[top] = top
                new.append(top)
                stack.extend(top.inputs)
        for step in sorted(new, key=lambda one: one.serial):
            self._done[step] = self._rewritten(step, parameters, training=training)
        return self._done.get(node, node)

    def refuse_unused(self) -> None:
        """Make sure that each alternative that is wanted applies somewhere.

        Raises:
            SpecError: where one does not.
        """
        names = {name for site in self.found for name in (site.name, site.name.partition("(")[0])}
        for name in self.wanted:
            if name not in names:
                raise SpecError(
                    f"the convention '{name}' applies nowhere in this spec",
                    code="no-such-convention",
                    hint="'seqgen conventions SPEC' lists those that apply",
                )

    def _rewritten(self, node: Node, parameters: Mapping[Node, str], *, training: bool) -> Node:
        inputs = tuple(self._done.get(i, i) for i in node.inputs)
        if inputs != node.inputs:
            node = apply(node.operation.name, *inputs, origin=node.origin, **node.parameters)
        chosen = [CATALOGUE[name.partition("(")[0]] for name in self.wanted] if self.wanted else CATALOGUE.values()
        for alternative in chosen:
            site = None if alternative.training and not training else _site(alternative, node, parameters)
            if site is None:
                continue
            if not self.wanted:
                self.found.append(site)
            elif {site.name, alternative.name} & {*self.wanted}:
                self.found.append(site)
                node = site.instead
        return node
