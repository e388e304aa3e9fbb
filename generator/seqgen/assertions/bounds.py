"""How far two values may be apart: an absolute tolerance, a relative one, or the larger of both."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from seqgen.spec.model import Check


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Two values agree where they are at most ``tolerance`` apart, or ``relative`` times the magnitude of ours."""

    tolerance: float
    relative: float = 0.0

    @classmethod
    def of(cls, check: Check, default: str = "0") -> Bounds:
        """Return the bounds that ``check`` states."""
        relative = float(check.number("relative"))
        return cls(tolerance=float(check.number("tolerance", "0" if relative else default)), relative=relative)

    def at(self, values: Any) -> Any:
        """Return how far from each of ``values`` another may be."""
        return np.maximum(self.tolerance, self.relative * np.abs(values))

    def row(self) -> dict[str, float]:
        """Return the bounds as a row of a ledger states them."""
        return {"tolerance": self.tolerance} | ({"relative": self.relative} if self.relative else {})

    def __str__(self) -> str:
        parts = [f"{self.tolerance:g}"] if self.tolerance or not self.relative else []
        parts += [f"{self.relative:g} of the value"] if self.relative else []
        return f"at most {' or '.join(parts)}"


@dataclass(frozen=True, kw_only=True)
class Distance:
    """The largest distance between two arrays, infinite where a value is no number, and whether all are in bounds."""

    largest: float = 0.0
    within: bool = True

    @classmethod
    def between(cls, found: Any, own: Any, bounds: Bounds) -> Distance:
        """Return the distance of ``found`` from ``own``, arrays of one shape."""
        distances = np.abs(found - own)
        if not np.isfinite(distances).all():
            return cls(largest=math.inf, within=False)
        return cls(largest=float(np.max(distances, initial=0.0)), within=bool((distances <= bounds.at(own)).all()))

    def __or__(self, other: Distance) -> Distance:
        return Distance(largest=max(self.largest, other.largest), within=self.within and other.within)
