"""What a ledger says of a microscope."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from seqgen.graph.node import Node
from seqgen.language.bindings import Entry, Graph, Labels
from seqgen.ledger.document import VERSION
from seqgen.ledger.proof import Prover, Reals
from seqgen.readings.arrays import Array
from seqgen.readings.formula import Formulas
from seqgen.reference import one_by_one
from seqgen.spec.model import Display, Spec


@dataclass(frozen=True, kw_only=True)
class Cited:
    """A value that a table, a derivation or an expectation refers to.

    ``heading`` is what the ``table`` calls it, a word or a symbol, ``position`` the row that it stands in, by name.
    """

    node: Node
    table: str = ""
    heading: str = ""
    position: Mapping[str, int] = field(default_factory=dict)


def record(
    spec: Spec,
    graph: Graph,
    prover: Prover,
    *,
    display: Callable[[str], Display],
    gradients: Sequence[tuple[Entry, Sequence[tuple[str, Node]]]],
    cited: Sequence[Cited] = (),
    checks: Sequence[dict[str, Any]],
) -> dict[str, Any]:
    """Return the ledger's content: the steps' entries, the gradients with their contributions, what pages refer to."""
    formulas = Formulas(names=graph.names, latex=False)
    entries: dict[str, Any] = {}
    for entry in graph.entries.values():
        entries[entry.key] = _entry(entry, prover, formulas, display(entry.key))
    for entry, contributions in gradients:
        entries[entry.key] = _entry(entry, prover, formulas, display(entry.key))
        reals = {via: prover.reals(node) for via, node in contributions}
        entries[entry.key]["via"] = {via: numbers(found) for via, found in reals.items()}
        if open_terms := [via for via, found in reals.items() if not found.proven]:
            entries[entry.key]["unproven"] = open_terms
    own = spec.digests[spec.name]
    return {
        "seqgen": VERSION,
        "spec": spec.name,
        "title": spec.title,
        "source": {
            "spec": own,
            "extends": [{"spec": name, "sha256": spec.digests[name].removeprefix("sha256:")} for name in spec.parents],
            "uses": [
                {"spec": name, "sha256": digest.removeprefix("sha256:")}
                for name, digest in sorted(spec.digests.items())
                if name != spec.name and name not in spec.parents
            ],
        },
        "dims": dict(sorted(graph.dims.items())),
        "parameters": _parameters(graph),
        "notation": dict(spec.tex),
        "labels": {name: list(found.words) for name, found in graph.bindings.items() if isinstance(found, Labels)},
        "entries": entries,
        "derived": _derived(cited, graph, prover, formulas, display("")),
        "cited": _references(cited, formulas),
        "checks": list(checks),
    }


def _entry(entry: Entry, prover: Prover, formulas: Formulas, display: Display) -> dict[str, Any]:
    reals, shown = prover.reals(entry.node), prover.printed(entry.node, display)
    forms = nested(prover.short_forms(entry.node), lambda form: form)
    content: dict[str, Any] = {
        "role": entry.role,
        "formula": _formula(entry, formulas),
        "about": entry.about,
        "shape": list(entry.node.shape),
        "value": numbers(reals),
    }
    if _any(forms):
        content["exact"] = forms
    content["shown"] = nested(shown, lambda printed: printed.text)
    content["relation"] = _relation(shown)
    content["proven"] = reals.proven and all(p.proven for p in shown.flat)
    return content


def _references(cited: Sequence[Cited], formulas: Formulas) -> list[dict[str, Any]]:
    """Return what pages print, in order: by reference, with what tables call it, in which row, and which tables."""
    tables: dict[tuple[tuple[str, Any], ...], dict[str, None]] = {}
    for one in cited:
        row: dict[str, Any] = {"reference": _reference(one.node, formulas)}
        row |= {"heading": one.heading, **one.position} if one.heading else {}
        if row["reference"]:
            tables.setdefault(tuple(row.items()), {}).update({one.table: None} if one.table else {})
    return [{**dict(row), "tables": list(names)} for row, names in tables.items()]


def _derived(
    cited: Sequence[Cited], graph: Graph, prover: Prover, formulas: Formulas, display: Display
) -> dict[str, Any]:
    """Return the values of expressions that pages print: what is neither an entry nor elements of one."""
    found: dict[str, Any] = {}
    for node in dict.fromkeys(one.node for one in cited if not _is_part(one.node, graph)):
        key = _reference(node, formulas)
        if key:
            reals, shown = prover.reals(node), prover.printed(node, display)
            found[key] = {
                "shape": list(node.shape),
                "value": numbers(reals),
                "shown": nested(shown, lambda printed: printed.text),
                "relation": _relation(shown),
                "proven": reals.proven and all(p.proven for p in shown.flat),
            }
    return found


def _relation(shown: Array) -> Any:
    """Return ``=`` where digits are the value itself, ``≈`` where they are a rounding; nested where elements differ."""
    relations = nested(shown, lambda printed: "=" if printed.exact else "≈")
    kinds = {printed.exact for printed in shown.flat}
    return relations if len(kinds) > 1 else "≈" if kinds == {False} else "="


def _reference(node: Node, formulas: Formulas) -> str:
    """Return a node as the reference grammar writes it; nothing for a constant, such as a row's position."""
    return "" if node.operation.name == "constant" else one_by_one(formulas.write(node))


def _is_part(node: Node, graph: Graph) -> bool:
    """Whether a node is an entry, or elements of one."""
    while node not in graph.names and node.operation.name == "index":
        (node,) = node.inputs
    return node in graph.names


def _formula(entry: Entry, formulas: Formulas) -> str:
    if entry.role not in ("computed", "gradient"):
        return ""
    return entry.formula or formulas.definition(entry.node)


def numbers(reals: Reals) -> Any:
    """Return nested lists of floats; minus infinity is a text, as JSON has none."""
    if np.isfinite(reals.values).all():
        return reals.values.tolist()
    return nested(reals.values.astype(object), lambda value: str(value) if math.isinf(value) else value)


def nested(array: Array, convert: Callable[[Any], Any]) -> Any:
    """Return an object array as nested lists of converted elements."""
    converted = np.frompyfunc(convert, 1, 1)(array)
    return converted.tolist() if array.shape else converted


def _any(forms: Any) -> bool:
    return any(map(_any, forms)) if isinstance(forms, list) else forms is not None


def _parameters(graph: Graph) -> dict[str, int]:
    counts = {e.key: e.node.size for e in graph.entries.values() if e.role == "parameter"}
    return {**counts, "total": sum(counts.values())}
