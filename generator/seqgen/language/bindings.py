"""What a name stands for while steps are lowered, and the graph that results."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from seqgen.errors import Span, SpecError
from seqgen.graph.alternatives.rewrite import Rewriter
from seqgen.graph.gradient import Adjoints
from seqgen.graph.node import Node, ancestors, apply
from seqgen.graph.shapes import show
from seqgen.language.syntax import Text

Index = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Labels:
    """A list of words, for tables."""

    words: tuple[str, ...]


@dataclass(kw_only=True)
class Family:
    """An indexed name: its members by index, all with the same number of indices."""

    members: dict[Index, Node] = field(default_factory=dict)

    @property
    def rank(self) -> int:
        """The number of indices."""
        return len(next(iter(self.members)))


@dataclass(frozen=True, kw_only=True)
class Function:
    """A ``def`` of a spec or a library, and the text that it stands in."""

    definition: ast.FunctionDef
    text: Text


class Poisoned:
    """A name whose own statement is wrong, so that its uses say nothing more."""


class Silenced(Exception):
    """An expression uses a name whose own statement is wrong: nothing more is to be said."""


Binding = Node | Family | Labels | Poisoned


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A named value: one key of the ledger; ``formula`` says in words what no formula can, such as training."""

    key: str
    node: Node
    role: str
    about: str = ""
    span: Span | None = None
    formula: str = ""


def key_of(name: str, index: Index) -> str:
    """Return the key of a family's member: ``h[1]``, ``s[0][1]``."""
    return name + "".join(f"[{i}]" for i in index)


@dataclass(kw_only=True)
class Graph:
    """The lowered spec: entries in order, names of nodes, dims, and gradients on demand.

    ``faulty`` are names whose own definition has a mistake, so that its uses say nothing more; where a whole part was
    left out (``incomplete``), any unknown name may be one of its. ``fixed`` are the numbers of given arrays, by their
    place in the flat array, that were read to build the graph (a token's row, a loop's bound): it is another graph for
    other ones.
    ``by_length`` lets axes line up by their lengths alone, as code does that has another convention. ``rewriter``
    rewrites what the steps build, and ``replaced`` are expressions of theirs with what a spec's own alternative puts in
    their place.
    """

    entries: dict[str, Entry] = field(default_factory=dict)
    names: dict[Node, str] = field(default_factory=dict)
    bindings: dict[str, Binding] = field(default_factory=dict)
    dims: dict[str, int] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    owners: dict[Node, str] = field(default_factory=dict)
    fixed: dict[Node, set[int]] = field(default_factory=dict)
    _reading: dict[Node, tuple[int, dict[int, int]]] = field(default_factory=dict)
    faulty: set[str] = field(default_factory=set)
    incomplete: bool = False
    by_length: bool = False
    rewriter: Rewriter | None = None
    replaced: dict[ast.expr, Text] = field(default_factory=dict)
    _adjoints: dict[Node, Adjoints] = field(default_factory=dict)
    _seconds: dict[tuple[Node, str], Node] = field(default_factory=dict)

    def add(self, entry: Entry) -> None:
        """Keep ``entry``, and note which nodes its statement made."""
        self.entries[entry.key] = entry
        self._name(entry.node, entry.key)

    def read(self, node: Node, flat: int) -> str:
        """Return a number of the given array ``node`` as written, and note that the graph is built by it."""
        text: str = node.parameters["texts"][flat]
        self.fixed.setdefault(node, set()).add(flat)
        return text

    def rewritten(self, node: Node, *, leaves: Sequence[Node] = (), training: bool = False) -> Node:
        """Return what a step has built as the alternatives in force have it."""
        if self.rewriter is None:
            return node
        return self.rewriter(node, self.names, self._parameters, leaves=leaves, training=training)

    @cached_property
    def _parameters(self) -> dict[Node, str]:
        """The parameters by their nodes; all are given before the first step."""
        return {entry.node: entry.key for entry in self.entries.values() if entry.role == "parameter"}

    def _name(self, node: Node, key: str) -> None:
        self.names[node] = key
        if node in self.owners:
            return
        # Depth first from left to right: so the statement's uses of values are met as it is read.
        places = itertools.count()
        stack: list[tuple[Node, Node | None, int]] = [(node, None, 0)]
        while stack:
            top, consumer, position = stack.pop()
            if consumer is not None:
                self._reading[consumer][1][position] = next(places)
            if top not in self.owners and (top is node or top not in self.names):
                self.owners[top] = key
                self._reading[top] = (node.serial, {})
                stack.extend((item, top, i) for i, item in reversed(list(enumerate(top.inputs))))

    def _place(self, consumer: Node, position: int) -> tuple[int, ...]:
        """Return where a use stands: in the order of statements, and of reading inside one."""
        if consumer not in self._reading:
            return consumer.serial, position
        statement, places = self._reading[consumer]
        return statement, places[position]

    def named(self, node: Node, key: str) -> Node:
        """Return ``node`` under the name ``key``: itself, or a second name for it, one node for each key."""
        if node in self.names and self.names[node] != key:
            if (node, key) not in self._seconds:
                self._seconds[node, key] = apply("identity", node)
            node = self._seconds[node, key]
        self._name(node, key)
        return node

    def refuse_unless_scalar(self, node: Node, written: str, span: Span | None) -> None:
        """Make sure that a gradient can be taken of ``node``, which stands in the spec as ``written``.

        Raises:
            SpecError: where it is no scalar, or has no name.
        """
        if node.shape != ():
            message = f"'{written}' has shape {show(node.shape)}, a gradient is taken of one number"
            hint = f"such as a loss: L = sum({written})"
        elif node not in self.names:
            message, hint = f"'{written}' has no name, by which its gradient could be called", "name it in the steps"
        else:
            return
        raise SpecError(message, code="gradient", span=span, hint=hint)

    def adjoints(self, root: Node) -> Adjoints:
        """Return the adjoints of ``root``; the gradients of named values are named."""
        if root not in self._adjoints:
            adjoints = self._adjoints[root] = Adjoints(root, self.names, self._place)
            used = [
                e
                for e in self.entries.values()
                if adjoints.contributions(e.node) and e.node is not root and e.node not in adjoints.closed
            ]
            # From the root backwards: where two values share a gradient, the later one names it.
            for entry in reversed(used):
                self._name_new(adjoints.gradient(entry.node), f"grad({self.names[root]}, {entry.key})")
            for entry in used:
                uses = self.contributions(root, entry.node)
                for via, node in uses if len(uses) > 1 else ():
                    self._name_new(node, f"grad({self.names[root]}, {entry.key}, via={via})")
        return self._adjoints[root]

    def gradient(self, root: Node, node: Node) -> Node:
        """Return the gradient of ``root`` with respect to ``node``.

        Raises:
            SpecError: where it would pass through training.
        """
        self._refuse_training(root, node)
        return self.adjoints(root).gradient(node)

    def _refuse_training(self, root: Node, node: Node) -> None:
        if node not in self.adjoints(root).closed:
            return
        used = ancestors([root])
        trained, place = next(
            (
                (self.names[source], consumer.origin)
                for consumer in used
                for source in consumer.inputs
                if self.names.get(source, "").startswith(("trained.", "loss["))
            ),
            (self.names[root], None),
        )
        raise SpecError(
            "a gradient does not pass through training",
            code="gradient",
            related=[(place, f"{trained} comes from training, which uses {self.names.get(node, 'it')}")]
            if place
            else [],
            hint=f"stop_gradient({trained}) takes it as given, and leaves out how it depends on what it was trained on"
            if place
            else "",
        )

    def differentiated(self, node: Node) -> Node | None:
        """Return the step whose derivative ``node`` is a part of, or nothing."""
        for adjoints in self._adjoints.values():
            if node in adjoints.differentiated:
                return adjoints.differentiated[node]
        return None

    def _name_new(self, node: Node, key: str) -> None:
        if node not in self.names and node.operation.name != "constant":
            self._name(node, key)

    def contributions(self, root: Node, node: Node) -> list[tuple[str, Node]]:
        """Return what each use of ``node`` contributes to its gradient, named by its consumer."""
        self._refuse_training(root, node)
        counts: dict[str, int] = {}
        result = []
        for use in self.adjoints(root).contributions(node):
            via = self.owners.get(use.consumer, "?")
            counts[via] = counts.get(via, 0) + 1
            result.append((via if counts[via] == 1 else f"{via}, use={counts[via]}", use.cotangent))
        return result

    def members(self, name: str) -> Iterator[tuple[str, Node]]:
        """Yield the keys and nodes that ``name`` stands for: itself, or a family's members."""
        binding = self.bindings.get(name)
        if isinstance(binding, Family):
            for index, node in binding.members.items():
                yield key_of(name, index), node
        elif isinstance(binding, Node):
            yield name, binding
