"""What a deck says of its specs besides its numbers: pragmas, and what it cites."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Context:
    """Which specs a deck is about: ``pragmas`` from a place on, each until the next, and what is ``cited`` where."""

    pragmas: tuple[tuple[int, tuple[str, ...]], ...] = ()
    cited: tuple[tuple[int, str], ...] = ()

    def specs_at(self, place: int) -> tuple[str, ...]:
        """Return the specs that the last pragma before ``place`` names."""
        at = bisect_right(self.pragmas, place, key=lambda pragma: pragma[0])
        return self.pragmas[at - 1][1] if at else ()
