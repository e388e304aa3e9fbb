"""The comparison of numpy's float64 run with the enclosures, within numpy's own rounding error."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from seqgen.graph.node import Node, ancestors
from seqgen.ledger.proof import Prover
from seqgen.readings import intervals
from seqgen.readings.evaluate import evaluate
from seqgen.readings.float64 import Float64

# numpy's functions are within 4 units in the last place (numpy issue 22904), and a unit is at most
# 2**-52 of the value: balls of 50 bits grow at least as fast as its rounding errors do.
NUMPY_PRECISION = 50
SMALLEST_NORMAL = Fraction(1, 2**1022)


def compare_with_numpy(prover: Prover, nodes: Sequence[Node]) -> None:
    """Compare numpy's float64 run with the enclosures.

    A value that follows from a number too small or too large for a float64 is not compared: no bound holds for it.

    Raises:
        SpecError: where they differ by more than numpy's rounding; either reading has a mistake then.
    """
    rough = prover.rough(nodes, NUMPY_PRECISION)
    floats, lost = _floats(nodes)
    for node in nodes:
        for enclosure, number in zip(rough[node].flat, floats[node].flat, strict=True):
            interval = intervals.interval(enclosure)
            if interval is None or not np.isfinite(number) or _is_near(float(number), *interval) or node in lost:
                continue
            raise prover.differs(node, f"numpy computes {float(number)!r}, which")


def _floats(nodes: Sequence[Node]) -> tuple[dict[Node, np.ndarray], set[Node]]:
    """Return numpy's values, and the nodes that follow from one that left the range of float64."""
    values: dict[Node, np.ndarray] = {}
    lost: set[Node] = set()
    events: list[str] = []
    with np.errstate(all="call", call=lambda kind, flag: events.append(kind)):
        for step in ancestors(nodes):
            evaluate([step], Float64(), known=values)
            if events or any(i in lost for i in step.inputs):
                lost.add(step)
                events.clear()
    return values, lost


def _is_near(value: float, low: int, high: int, over: int) -> bool:
    """Whether ``value`` lies from low/over to high/over, or beyond by at most numpy's own rounding."""
    above, below = value.as_integer_ratio()
    slack = max(abs(low), abs(high))
    middle = (above * over) << NUMPY_PRECISION
    if ((low << NUMPY_PRECISION) - slack) * below <= middle <= ((high << NUMPY_PRECISION) + slack) * below:
        return True
    # Below the smallest normal number a float64 has no relative precision.
    return abs(Fraction(low, over) - Fraction(value)) <= SMALLEST_NORMAL
