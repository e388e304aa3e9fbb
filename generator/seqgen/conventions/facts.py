"""Why two conventions agree: what is special about the values that the one and the other put together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from seqgen.conventions.classes import exact_values
from seqgen.graph.alternatives.catalogue import CATALOGUE
from seqgen.graph.alternatives.pattern import behind
from seqgen.graph.alternatives.rewrite import Site
from seqgen.graph.node import Node
from seqgen.microscope import Microscope
from seqgen.readings.formula import Formulas

MOST = 3


def facts(microscope: Microscope, sites: Iterable[Site]) -> tuple[str, ...]:
    """Return what is special about the values at ``sites``, as sentences: ``W_O is symmetric``."""
    formulas = Formulas(names=microscope.graph.names, latex=False)
    found: dict[str, None] = {}
    for site in sites:
        for letter, node in site.bound.items():
            if not isinstance(node, Node) or node.operation.name == "constant":
                continue
            name = microscope.graph.names.get(node) or microscope.graph.names.get(behind(node))
            for fact in _of(microscope, node, turned=_is_turned(site, letter)):
                found.setdefault(f"{name or formulas.definition(node)} {fact}")
    return tuple(found)[:MOST]


def _is_turned(site: Site, letter: str) -> bool:
    """Whether one of the two conventions, and not the other, transposes what ``letter`` stands for."""
    rules = CATALOGUE[site.name.partition("(")[0]].rules
    return any((f"{letter}.T" in rule[0]) != (f"{letter}.T" in rule[1]) for rule in rules if not callable(rule))


def _of(microscope: Microscope, node: Node, *, turned: bool) -> Iterator[str]:
    exact = exact_values(microscope, node)
    if exact is None or not exact:
        return
    values: Any = np.array(exact, dtype=object).reshape(node.shape)
    if set(exact) == {0}:
        yield "is zero"
    elif turned and values.ndim == 2 and values.shape[0] == values.shape[1] > 1 and (values == values.T).all():
        yield "is symmetric"
    elif values.ndim == 2 and len(values) > 1 and (values == values[0]).all():
        yield "has equal rows"
    elif values.size > 1 and len(set(exact)) == 1:
        yield "has equal elements"
    elif values.size == 1 and values.ndim:
        yield "has one element"
