"""What an alternative is: a row of the catalogue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from seqgen.graph.node import Node

Rule = tuple[str, str] | Callable[[Node], Node | None]


@dataclass(frozen=True, kw_only=True)
class Alternative:
    """Another convention for the same thing.

    what: what is done instead.
    used: who does it, with a source.
    rules: what is rewritten into what; the first that fits a node rewrites it.
    each: the name in the patterns that stands for a parameter, where each parameter is a choice of its own.
    unless: where alone the two differ, which is why an example may not tell them apart.
    training: whether it is about the update of a parameter, inside ``train:`` only.
    """

    name: str
    what: str
    used: str
    rules: tuple[Rule, ...]
    each: str = ""
    unless: str = ""
    training: bool = False
