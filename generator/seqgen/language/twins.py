"""Two names that are typeset as one: a reader of a page can't tell them apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from seqgen.errors import Collector, Span, SpecError
from seqgen.graph.node import Node
from seqgen.graph.notation import brackets
from seqgen.language.bindings import Graph
from seqgen.readings.names import tex_name
from seqgen.readings.symbols import look
from seqgen.reference import Name, Reference
from seqgen.spec.model import Spec
from seqgen.spec.names import normal


@dataclass(frozen=True, kw_only=True)
class _Named:
    """A key, the name that its symbol comes from, and where that is spelled or set."""

    key: str
    name: str
    span: Span | None
    is_spelled: bool

    @property
    def order(self) -> tuple[bool, bool]:
        """What is easier to change comes first: a spelling, and a name without positions."""
        return not self.is_spelled, "[" in self.key


def refuse_twins(spec: Spec, graph: Graph, nodes: Iterable[Node], errors: Collector) -> None:
    """Make sure that values, their elements that ``nodes`` use, and sizes have each a symbol of its own."""
    places = {key: entry.span for key, entry in graph.entries.items()}
    for node in nodes:
        owner = graph.names.get(node.inputs[0], "") if node.operation.name == "index" else ""
        if owner in graph.entries and node not in graph.names:
            places.setdefault(owner + brackets(node.parameters["key"]), node.origin or places[owner])
    places |= {name: spec.dims[name][1] if name in spec.dims else None for name in graph.dims}
    spelled = {normal(name.text): name.span for name in spec.mentions if normal(name.text) in spec.tex}
    seen: dict[str, _Named] = {}
    told: set[tuple[str, str]] = set()
    for key, place in places.items():
        base = Reference.parse(key).base
        name = key if key in spec.tex else base.name if isinstance(base, Name) else key
        one = _Named(key=key, name=name, span=spelled.get(name, place), is_spelled=name in spec.tex)
        other = seen.setdefault(look(tex_name(key, spec.tex).text), one)
        # Values of one name inside two calls look alike where the calls do.
        if other.name != name and (other.name, name) not in told:
            told.add((other.name, name))
            errors.add(_twins(spec, *sorted((one, other), key=lambda named: named.order)))


def _twins(spec: Spec, one: _Named, other: _Named) -> SpecError:
    symbol = spec.tex.get(one.name) or tex_name(one.name, {}).text
    other_symbol = rf"\tilde{{{symbol}}}" if "^" in symbol or "'" in symbol else rf"{symbol}^{{\prime}}"
    return SpecError(
        f"'{one.key}' and '{other.key}' have the same symbol",
        code="same-symbol",
        span=one.span,
        got=tex_name(one.key, spec.tex).text,
        related=[(other.span, f"'{other.key}' is here")] if other.span else [],
        hint=f"give one of them a symbol of its own: tex: {{{one.name}: '{other_symbol}'}}",
    )
