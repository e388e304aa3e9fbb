"""A piece of a formula, and how tightly its parts hold together."""

from __future__ import annotations

from dataclasses import dataclass

# A name with a superscript of its own is raised: a power of it needs parentheses, a transpose does not.
COMPARISON, SUM, PRODUCT, MATRIX_PRODUCT, UNARY, POWER, RAISED, ATOM = range(8)


@dataclass(frozen=True)
class Phrase:
    """A piece of a formula and how tightly it binds; ``enclosed`` where it has parentheses of its own."""

    text: str
    binding: int = ATOM
    enclosed: bool = False
