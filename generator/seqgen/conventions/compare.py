"""A microscope beside the same one under another convention: which numbers change, and where none does, why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from seqgen.conventions.classes import BITS, Classes
from seqgen.conventions.facts import facts
from seqgen.errors import SeqgenError, SpecErrors
from seqgen.graph.alternatives.catalogue import CATALOGUE
from seqgen.graph.alternatives.rewrite import Rewriter, Site
from seqgen.graph.node import Node
from seqgen.ledger.display import Printed
from seqgen.microscope import Microscope, open_microscope
from seqgen.project import Project
from seqgen.readings import intervals
from seqgen.shown.model import is_position
from seqgen.spec.model import Display

# Two values that are enclosed within 10**-60 of each other are called equal, and it is said that they are enclosed.
NARROW = 10**60


@dataclass(frozen=True, kw_only=True)
class Difference:
    """The first number that differs, and how many do: its reference, both numbers, and how far they are apart."""

    reference: str
    before: str
    after: str
    by: float
    count: int


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What a convention changes.

    verdict: ``seen`` where a printed number differs, ``hidden`` where only stored ones do, ``equal`` where all are
    shown to be equal, ``undecided`` where all are stored alike and no proof was found, ``fails`` where the
    convention gives no numbers, for the reason in ``why``.
    proof: ``exact`` or ``enclosed``, where all are equal.
    """

    name: str
    what: str
    verdict: str
    proof: str = ""
    first: Difference | None = None
    why: tuple[str, ...] = ()

    @property
    def in_gradients(self) -> bool:
        """Whether gradients alone differ, and no value that they are taken of."""
        return self.first is not None and self.first.reference.startswith("grad(")

    @property
    def visible(self) -> bool:
        """Whether somebody who computes by the other convention sees that."""
        return self.verdict in ("seen", "fails")


@dataclass(frozen=True, kw_only=True)
class Item:
    """A number or an array that is printed: what it is called, its node, and how it is printed."""

    reference: str
    node: Node
    display: Display


def items(microscope: Microscope) -> Iterator[Item]:
    """Yield what is printed of a microscope: entries and gradients, then the cells of tables that are no entries."""
    for entry in microscope.all_entries():
        if entry.role in ("computed", "gradient"):
            yield Item(reference=entry.key, node=entry.node, display=microscope.display(entry.key))
    for table in microscope.spec.tables.values():
        for number, row in enumerate(microscope.rows[table.name]):
            for column, node in zip(table.columns, row.cells, strict=True):
                if isinstance(node, str) or is_position(node):
                    continue
                display = column.display or table.display or microscope.display_of(node)
                name = f"{column.cell.text} in row {number + 1} of table {table.name}"
                yield Item(reference=name, node=node, display=display)


@dataclass(kw_only=True)
class Conventions:
    """A spec and the alternatives that apply to it; ``opened`` is the spec as it stands, where that is open already."""

    project: Project
    name: str
    opened: Microscope | None = None
    _known: dict[bool, tuple[Classes, dict[Node, int]]] = field(default_factory=dict)

    @cached_property
    def _seen(self) -> tuple[Microscope, dict[str, list[Site]]]:
        """The spec as it stands, and where alternatives apply to it."""
        rewriter = Rewriter()
        microscope = open_microscope(self.project, self.name, rewriter=rewriter)
        sites: dict[str, list[Site]] = {name: [] for name in microscope.spec.alternatives}
        for site in rewriter.found:
            sites.setdefault(site.name, []).append(site)
        return microscope, sites

    @cached_property
    def base(self) -> Microscope:
        """The spec as it stands.

        Raises:
            SeqgenError: with its errors.
        """
        return self.opened or self._seen[0]

    @property
    def applicable(self) -> Mapping[str, Sequence[Site]]:
        """The alternatives that apply, the spec's own first, each with the places where it does."""
        return self._seen[1]

    def what(self, name: str) -> str:
        """Return what an alternative does instead."""
        own = self.base.spec.alternatives.get(name)
        if own is None:
            return CATALOGUE[name.partition("(")[0]].what
        return f"{own.reference.text} = {own.formula.text}" if own.formula else own.reference.text

    def open(self, *names: str) -> Microscope:
        """Return the microscope under alternatives.

        Raises:
            SeqgenError: where it can't be built so.
        """
        return open_microscope(self.project, "@".join((self.name, *names)))

    @cached_property
    def _items(self) -> list[Item]:
        return list(items(self.base))

    def _classes(self, *, forms: bool) -> tuple[Classes, dict[Node, int]]:
        """Return classes that know the spec as it stands, and those of its items."""
        if forms not in self._known:
            classes, nodes = Classes(forms=forms), [item.node for item in self._items]
            self._known[forms] = classes, dict(zip(nodes, classes.of(self.base, nodes), strict=True))
        return self._known[forms]

    def compare(self, name: str) -> Comparison:
        """Return what alternative ``name`` changes.

        Raises:
            SeqgenError: where the spec itself has errors, or the alternative does not apply to it.
        """
        what = self.what(name)
        try:
            other = self.open(name)
            return self._compare(name, what, other)
        except SeqgenError as problem:
            if problem.code == "no-such-convention":
                raise
            first = problem.errors[0] if isinstance(problem, SpecErrors) else problem
            return Comparison(name=name, what=what, verdict="fails", why=(first.message,))

    def _compare(self, name: str, what: str, other: Microscope) -> Comparison:
        found = {item.reference: item for item in items(other)}
        pairs = [(item, found[item.reference]) for item in self._items if item.reference in found]
        pairs = self._open_pairs(pairs, other, forms=False)
        printed = _first([*self._printed(pairs, other), *self._absent(found)])
        if printed is not None:
            why = self._why(name) if printed.reference.startswith("grad(") else ()
            return Comparison(name=name, what=what, verdict="seen", first=printed, why=why)
        stored = _first([*self._stored(pairs, other)])
        if stored is not None:
            return Comparison(name=name, what=what, verdict="hidden", first=stored, why=self._why(name, hidden=True))
        proof = "exact"
        if pairs and self._open_pairs(pairs, other, forms=True):
            proof = "enclosed" if all(_are_near(self.base, a.node, other, b.node) for a, b in pairs) else ""
        verdict = "equal" if proof else "undecided"
        return Comparison(name=name, what=what, verdict=verdict, proof=proof, why=self._why(name))

    def _open_pairs(self, pairs: list[tuple[Item, Item]], other: Microscope, *, forms: bool) -> list[tuple[Item, Item]]:
        """Return those of ``pairs`` that are not known to be equal."""
        classes, known = self._classes(forms=forms)
        found = classes.of(other, [b.node for _, b in pairs])
        return [(a, b) for (a, b), number in zip(pairs, found, strict=True) if known[a.node] != number]

    def _absent(self, found: Mapping[str, Item]) -> Iterator[Difference]:
        """Yield what is printed of the spec as it stands and is not there by the other convention."""
        for item in self._items:
            if item.reference not in found:
                before = self.base.prover.printed(item.node, item.display).flat[0].text
                yield Difference(reference=item.reference, before=before, after="nothing", by=0, count=item.node.size)

    def _printed(self, pairs: Sequence[tuple[Item, Item]], other: Microscope) -> Iterator[Difference]:
        for a, b in pairs:
            texts = [_texts(m.prover.printed(i.node, i.display)) for m, i in ((self.base, a), (other, b))]
            yield from self._differences((a, b), texts, other)

    def _stored(self, pairs: Sequence[tuple[Item, Item]], other: Microscope) -> Iterator[Difference]:
        for a, b in pairs:
            numbers = (m.prover.reals(i.node).values for m, i in ((self.base, a), (other, b)))
            yield from self._differences((a, b), [np.vectorize(repr, otypes=[object])(one) for one in numbers], other)

    def _differences(self, pair: tuple[Item, Item], texts: Sequence[Any], other: Microscope) -> Iterator[Difference]:
        (a, b), (before, after) = pair, texts
        if before.shape != after.shape:
            yield Difference(
                reference=a.reference, before=f"shape {list(before.shape)}", after=f"{list(after.shape)}", by=0, count=1
            )
            return
        places = [place for place in np.ndindex(before.shape) if before[place] != after[place]]
        if places:
            values = [m.prover.reals(i.node).values[places[0]] for m, i in ((self.base, a), (other, b))]
            yield Difference(
                reference=a.reference + "".join(f"[{i}]" for i in places[0]),
                before=before[places[0]],
                after=after[places[0]],
                by=float(values[1] - values[0]) if np.isfinite(values).all() else 0,
                count=len(places),
            )

    def differing(self, name: str) -> Iterator[tuple[Item, Any, Any]]:
        """Yield what is printed otherwise by alternative ``name``, with its printed numbers by both conventions.

        Raises:
            SeqgenError: where the alternative gives no numbers.
        """
        other = self.open(name)
        found = {item.reference: item for item in items(other)}
        for a in self._items:
            if (b := found.get(a.reference)) is not None:
                one, two = (m.prover.printed(i.node, i.display) for m, i in ((self.base, a), (other, b)))
                if one.shape != two.shape or (_texts(one) != _texts(two)).any():
                    yield a, one, two

    def _why(self, name: str, *, hidden: bool = False) -> tuple[str, ...]:
        microscope, sites = self._seen
        found = () if hidden else facts(microscope, sites.get(name, ()))
        row = CATALOGUE.get(name.partition("(")[0])
        return found or ((row.unless,) if row is not None and row.unless else ())


def _first(differences: Sequence[Difference]) -> Difference | None:
    """Return the first difference, with the number of all."""
    return replace(differences[0], count=sum(one.count for one in differences)) if differences else None


def _texts(printed: Any) -> Any:
    texts = np.empty(printed.shape, dtype=object)
    for place, number in np.ndenumerate(printed):
        texts[place] = number.text if isinstance(number, Printed) else str(number)
    return texts


def _are_near(base: Microscope, a: Node, other: Microscope, b: Node) -> bool:
    """Whether two arrays are enclosed within `NARROW` of each other."""
    left, right = (m.prover.enclosures(node, BITS) for m, node in ((base, a), (other, b)))
    for x, y in zip(left.flat, right.flat, strict=True):
        one, two = intervals.bounds(x), intervals.bounds(y)
        if one is None or two is None or max(one[1] - two[0], two[1] - one[0]) * NARROW > 1:
            return False
    return True
