"""What a typed number may stand for: entries of the ledgers, their rows, columns and elements, and what pages print."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from seqgen.auditing.notation import Symbol, formula, stem, symbol
from seqgen.readings.names import tex_name

GIVEN = frozenset({"input", "parameter", "initial", "target", "constant", "mask", "upstream", "label", "given", "dim"})
# How likely a deck prints a part of an entry, against the entry as a whole.
WEIGHTS = {
    "whole": 1.0,
    "derived": 1.0,
    "row": 0.6,
    "element": 0.25,
    "column": 0.1,
    "stack": 0.3,
    "via": 0.5,
    "via part": 0.1,
    "count": 1.0,
}
DEEP = 0.3  # a value inside a call
UNASKED = 0.5  # a gradient that no page prints
LONGEST_STACK = 12
Place = tuple[str, tuple[int, ...]]
MEMBER = re.compile(r"(.+)\[(\d+)\]\Z")
NAMES = re.compile(r"[^\W\d]\w*(?:\[[^\]]*\]|\.(?!T\b)[^\W\d]\w*)*")


@dataclass(frozen=True, kw_only=True)
class Named:
    """A name or formula of an entry, or of its part at ``path``."""

    symbol: Symbol
    path: tuple[int, ...] = ()


@dataclass(kw_only=True)
class Entry:
    """An entry of a ledger, with all that it is called by."""

    spec: str
    key: str
    role: str
    names: list[Named] = field(default_factory=list)
    operands: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Candidate:
    """A number, vector or matrix that a deck may print: a part of ``entry``, or all of it."""

    entry: Entry
    reference: str
    path: tuple[int, ...]
    shape: tuple[int, ...]
    values: tuple[float, ...]
    kind: str
    weight: float
    is_cited: bool = False

    def element(self, number: int) -> str:
        """Return the reference of one of its numbers."""
        places = []
        for size in reversed(self.shape):
            number, place = divmod(number, size)
            places.append(place)
        if self.kind == "stack":
            first = int(self.reference.rpartition("[")[2].partition("..")[0])
            return f"{self.entry.key}[{first + places[0]}]"
        if self.kind == "column":
            base, _, column = self.reference.rpartition("[:, ")
            return f"{base}[{places[0]}][{column}"
        head = (
            f"({self.reference})"
            if self.kind == "derived" and places and not self.reference.endswith("]")
            else self.reference
        )
        return head + "".join(f"[{place}]" for place in reversed(places))

    @property
    def identity(self) -> tuple[str, tuple[float, ...]]:
        """What is the same in all specs of a family: the reference, apart from case, and the values."""
        return self.reference.lower(), self.values

    @property
    def is_given(self) -> bool:
        """Whether the spec gives it, so that it is no result."""
        return self.entry.role in GIVEN


@dataclass(kw_only=True)
class Ledgers:
    """The candidates of many ledgers, found by value."""

    specs: tuple[str, ...]
    ancestors: Mapping[str, tuple[str, ...]]
    entries: Mapping[tuple[str, str], Entry]
    by_shape: Mapping[tuple[int, ...], Sequence[Candidate]]
    totals: Mapping[tuple[str, tuple[int, ...]], float]
    called: Mapping[str, Mapping[Symbol, frozenset[Place]]]
    alike: Mapping[tuple[str, tuple[int, ...]], frozenset[tuple[str, str]]]
    by_place: Mapping[tuple[str, str, tuple[int, ...]], Candidate]
    values: Mapping[tuple[str, str], tuple[float, ...]]
    _sorted: dict[tuple[int, ...], tuple[list[float], list[int]]] = field(default_factory=dict)

    @cached_property
    def words(self) -> Mapping[str, frozenset[str]]:
        """The words that each spec uses of its entries."""
        found: dict[str, set[str]] = {}
        for (spec, _), entry in self.entries.items():
            found.setdefault(spec, set()).update(entry.words)
        return {spec: frozenset(words) for spec, words in found.items()}

    @cached_property
    def _sizes(self) -> Mapping[str, int]:
        return Counter(spec for spec, _ in self.entries)

    def size(self, spec: str) -> tuple[int, int]:
        """Return how large a spec is: by the specs that it extends, then by its entries."""
        return len(self.ancestors.get(spec, ())), self._sizes.get(spec, 0)

    @cached_property
    def scalars(self) -> Mapping[tuple[str, str], float]:
        """The single numbers by spec and reference."""
        return {(c.entry.spec, c.reference): c.values[0] for c in self.by_shape.get((), ())}

    @cached_property
    def printed_scalars(self) -> Sequence[Candidate]:
        """The single numbers that pages print."""
        return [candidate for candidate in self.by_shape.get((), ()) if candidate.is_cited]

    def near(self, shape: tuple[int, ...], value: float, reach: float) -> Iterator[int]:
        """Yield the numbers of those of ``shape`` with an element within ``reach`` of ``value`` or of its negative."""
        if shape not in self._sorted:
            pairs = sorted(
                (abs(v), i)
                for i, c in enumerate(self.by_shape.get(shape, ()))
                for v in set(c.values)
                if math.isfinite(v)
            )
            self._sorted[shape] = ([v for v, _ in pairs], [i for _, i in pairs])
        magnitudes, numbers = self._sorted[shape]
        first, last = bisect_left(magnitudes, abs(value) - reach), bisect_right(magnitudes, abs(value) + reach)
        yield from numbers[first:last]

    def places(self, spec: str, name: Symbol) -> frozenset[Place]:
        """Return what ``name`` is in a spec: entries by key, with the path of a part."""
        called = self.called.get(spec, {})
        if name.is_formula and name not in called:
            name = name.skeleton
        found: set[Place] = set()
        for count in range(len(name.index), -1, -1):
            for key, path in called.get(Symbol(name.base, name.index[:count]), ()):
                found.add((key, path + name.index[count:]))
            if found:
                break
        return frozenset(found)

    @cached_property
    def _calling(self) -> Mapping[Symbol, frozenset[str]]:
        found: dict[Symbol, set[str]] = {}
        for spec, names in self.called.items():
            for name in names:
                found.setdefault(name, set()).add(spec)
        return {name: frozenset(specs) for name, specs in found.items()}

    def calling(self, name: Symbol) -> frozenset[str]:
        """Return the specs in which ``name``, or what it is a part of, is called so."""
        names = [Symbol(name.base, name.index[:count]) for count in range(len(name.index), -1, -1)]
        return frozenset[str]().union(*(self._calling.get(one, ()) for one in (name.skeleton, *names)))

    def alike_to(self, name: Symbol) -> frozenset[tuple[str, str, tuple[int, ...]]]:
        """Return the places, in all specs, whose symbol is ``name`` apart from case and decorations."""
        found = set()
        for count in range(len(name.index) + 1) if name.letter else ():
            for spec, key in self.alike.get((name.letter, name.index[:count]), ()):
                found.add((spec, key, name.index[count:]))
        return frozenset(found)

    def origin(self, candidate: Candidate) -> str:
        """Return the spec that a value comes from: the first ancestor with the same entry and the same value."""
        key = candidate.entry.key
        own = self.values.get((candidate.entry.spec, key))
        for ancestor in self.ancestors.get(candidate.entry.spec, ()):
            if own is not None and self.values.get((ancestor, key)) == own:
                return ancestor
        return candidate.entry.spec


def gather(ledgers: Iterable[Mapping[str, Any]]) -> Ledgers:
    """Return the candidates of ``ledgers``."""
    by_shape: dict[tuple[int, ...], list[Candidate]] = {}
    totals: dict[tuple[str, tuple[int, ...]], float] = {}
    entries: dict[tuple[str, str], Entry] = {}
    called: dict[str, dict[Symbol, set[Place]]] = {}
    values: dict[tuple[str, str], tuple[float, ...]] = {}
    ancestors: dict[str, tuple[str, ...]] = {}
    by_place: dict[tuple[str, str, tuple[int, ...]], Candidate] = {}
    alike: dict[tuple[str, tuple[int, ...]], set[tuple[str, str]]] = {}
    for ledger in ledgers:
        spec = ledger["spec"]
        ancestors[spec] = tuple(parent["spec"] for parent in ledger["source"].get("extends", ()))
        own = _entries(ledger)
        called[spec] = _called(own.values())
        for entry in own.values():
            for named in entry.names:
                if named.symbol.letter and not named.path:
                    alike.setdefault((named.symbol.letter, named.symbol.index), set()).add((spec, entry.key))
        entries |= {(spec, key): entry for key, entry in own.items()}
        for candidate in _candidates(ledger, own):
            by_shape.setdefault(candidate.shape, []).append(candidate)
            by_place[spec, candidate.entry.key, candidate.path] = candidate
            total = (spec, candidate.shape)
            totals[total] = totals.get(total, 0.0) + candidate.weight
            if candidate.kind in ("whole", "derived"):
                values[spec, candidate.entry.key] = candidate.values
    frozen = {spec: {s: frozenset(keys) for s, keys in names.items()} for spec, names in called.items()}
    return Ledgers(
        specs=tuple(ancestors),
        ancestors=ancestors,
        entries=entries,
        by_shape=by_shape,
        totals=totals,
        called=frozen,
        alike={name: frozenset(keys) for name, keys in alike.items()},
        by_place=by_place,
        values=values,
    )


def _called(entries: Iterable[Entry]) -> dict[Symbol, set[Place]]:
    called: dict[Symbol, set[Place]] = {}
    for entry in entries:
        for named in entry.names:
            for name in {named.symbol, named.symbol.skeleton}:
                called.setdefault(name, set()).add((entry.key, named.path))
    return called


def _entries(ledger: Mapping[str, Any]) -> dict[str, Entry]:
    spec, notation = ledger["spec"], ledger.get("notation", {})
    found: dict[str, Entry] = {}
    for key, content in ledger["entries"].items():
        names = [Named(symbol=symbol(tex_name(key, notation).text)), Named(symbol=symbol(key))]
        if content["formula"] and not NAMES.fullmatch(content["formula"]):
            names.append(Named(symbol=formula(content["formula"])))
        words = f"{re.sub(r'[_.]', ' ', key)} {content['about']} {content['role']}"
        found[key] = Entry(
            spec=spec,
            key=key,
            role=content["role"],
            names=names,
            operands=_operands(content["formula"]),
            words=_words(words),
        )
    for key in ledger.get("derived", {}):
        found[key] = Entry(
            spec=spec,
            key=key,
            role="derived",
            names=[Named(symbol=formula(key))],
            operands=_operands(key),
            words=_words(key),
        )
    for key, entry in found.items():
        kind = found.get(key.split("_", maxsplit=1)[0])  # A_causal is an A
        entry.words |= kind.words if kind else frozenset()
    for name in ledger["dims"]:
        found.setdefault(name, Entry(spec=spec, key=name, role="dim", names=[Named(symbol=symbol(name))]))
    for row in ledger.get("cited", ()):
        _add_heading(found, row)
    return found


def _add_heading(found: dict[str, Entry], row: Mapping[str, Any]) -> None:
    from seqgen.auditing.notation import at_position

    key: str = row["reference"]
    path: tuple[int, ...] = ()
    if "heading" not in row:
        return
    while key not in found and (match := MEMBER.match(key)):
        key, path = match[1], (int(match[2]), *path)
    if key not in found:
        return
    heading = row["heading"]
    positions = {name: value for name, value in row.items() if name not in ("reference", "heading", "tables")}
    for name, value in positions.items():
        heading = at_position(heading, value, name)
    entry = found[key]
    if "$" in heading:
        entry.names.append(Named(symbol=symbol(heading), path=path))
    else:
        entry.words |= _words(heading)


def _operands(text: str) -> frozenset[str]:
    return frozenset(NAMES.findall(text))


def _words(text: str) -> frozenset[str]:
    return frozenset(stem(w) for w in re.findall(r"[^\W\d_]{3,}", text))


def _candidates(ledger: Mapping[str, Any], entries: Mapping[str, Entry]) -> Iterator[Candidate]:
    families: dict[str, dict[int, Any]] = {}
    cited = frozenset(row["reference"] for row in ledger.get("cited", ()))
    for key, content in {**ledger["entries"], **ledger.get("derived", {})}.items():
        kind = "whole" if key in ledger["entries"] else "derived"
        yield from _parts(entries[key], content["value"], kind, cited)
        for via, value in content.get("via", {}).items():
            reference = f"{key[:-1]}, via={via})"
            entry = Entry(spec=ledger["spec"], key=reference, role="gradient", words=entries[key].words)
            yield from _parts(entry, value, "via", cited)
        member = MEMBER.match(key)
        if member and not isinstance(content["value"], list):
            families.setdefault(member[1], {})[int(member[2])] = content["value"]
    for name, members in families.items():
        yield from _stacks(ledger["spec"], name, members, entries)
    for name, size in ledger["dims"].items():
        if name not in ledger["entries"]:
            yield _candidate(entries[name], (), size, "whole")
    for name, count in ledger.get("parameters", {}).items():
        key = "parameters" if name == "total" else f"parameters[{name}]"
        entry = Entry(spec=ledger["spec"], key=key, role="computed", words=frozenset({"parameter"}))
        yield _candidate(entry, (), count, "count" if name == "total" else "via part")


def _candidate(
    entry: Entry, path: tuple[int, ...], value: Any, kind: str, reference: str = "", cited: frozenset[str] = frozenset()
) -> Candidate:
    if not reference:
        is_expression = entry.role == "derived" and path and not entry.key.endswith("]")
        reference = (f"({entry.key})" if is_expression else entry.key) + "".join(f"[{i}]" for i in path)
    is_cited = reference in cited or kind == "derived"
    weight = 1.5 if is_cited else WEIGHTS[kind] * (DEEP if "." in entry.key else 1.0)
    return Candidate(
        entry=entry,
        reference=reference,
        path=path,
        shape=_shape(value),
        values=tuple(_flat(value)),
        kind=kind,
        weight=weight * (UNASKED if entry.role == "gradient" and not is_cited else 1.0),
        is_cited=is_cited,
    )


def _shape(value: Any) -> tuple[int, ...]:
    return (len(value), *_shape(value[0])) if isinstance(value, list) and value else ()


def _flat(value: Any) -> Iterator[float]:
    if isinstance(value, list):
        for part in value:
            yield from _flat(part)
    else:
        yield float(value)


def _parts(entry: Entry, value: Any, kind: str, cited: frozenset[str]) -> Iterator[Candidate]:
    """Yield an entry, and its rows, columns and elements."""
    part = "via part" if kind == "via" else "row"
    stack: list[tuple[tuple[int, ...], Any]] = [((), value)]
    while stack:
        path, inner = stack.pop()
        shape = _shape(inner)
        depth_kind = kind if not path else part if shape or kind == "via" else "element"
        yield _candidate(entry, path, inner, depth_kind, cited=cited)
        if len(shape) == 2:
            for column in range(shape[1]):
                values = [row[column] for row in inner]
                name = entry.key + "".join(f"[{i}]" for i in path)
                yield _candidate(entry, (*path, -1), values, "column", f"{name}[:, {column}]")
        if shape and len(path) < 4:
            stack += [((*path, i), item) for i, item in enumerate(inner)]


def _stacks(spec: str, name: str, members: Mapping[int, Any], entries: Mapping[str, Entry]) -> Iterator[Candidate]:
    """Yield the members of a family of numbers side by side: all of them, and runs of some."""
    indices = sorted(members)
    if len(indices) < 2 or indices != list(range(indices[0], indices[-1] + 1)):
        return
    first_entry = entries[f"{name}[{indices[0]}]"]
    role = entries[f"{name}[{indices[-1]}]"].role
    entry = Entry(spec=spec, key=name, role=role, names=[Named(symbol=symbol(name))], words=first_entry.words)
    count = len(indices)
    runs = [(a, b) for a in range(count) for b in range(a + 2, count + 1)] if count <= LONGEST_STACK else [(0, count)]
    for a, b in runs:
        values = [members[i] for i in indices[a:b]]
        yield _candidate(entry, (), values, "stack", f"{name}[{indices[a]}..{indices[b - 1]}]")
