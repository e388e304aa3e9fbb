"""Gradients against central differences, computed in enclosures.

In floating point a central difference carries rounding noise of about 1e-16 divided by the step, which differs from
machine to machine. In enclosures there is none: what is left is the difference's own error, of the order of the step
squared (Griewank & Walther 2008, section 2.1), the same on every machine. All variants are one batch.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from seqgen.graph.node import Node, ancestors
from seqgen.readings import ball
from seqgen.readings.arrays import Array
from seqgen.readings.ball import Balls
from seqgen.readings.evaluate import evaluate
from seqgen.readings.float64 import Float64

PRECISION = 192
# Above this many scalar results, the batch is computed in float64 instead.
MAX_ENCLOSED = 2_000_000


@dataclass(frozen=True, kw_only=True)
class Differences:
    """The largest distance between a gradient and its central difference.

    ``order`` is how fast the distance falls with the step (2 where the gradient is right), where it can be told;
    ``enclosed`` tells that no rounding is in it.
    """

    count: int
    largest: float
    order: float | None
    enclosed: bool


def central_differences(root: Node, by: Sequence[Node], gradients: Sequence[Node], step: Fraction) -> Differences:
    """Compare ``gradients``, one for each node of ``by``, with central differences of the scalar ``root``."""
    count = sum(node.size for node in by)
    work = 4 * count * sum(node.size for node in ancestors([root]))
    enclosed = work <= MAX_ENCLOSED
    domain = Balls() if enclosed else Float64()
    with ball.precision(PRECISION), np.errstate(all="ignore"):
        values = evaluate([*by, *gradients], domain)
        of = dict(zip(by, gradients, strict=True))
        groups = moved_together(by)
        exact = np.concatenate([values[of[node]].reshape(-1) for group in groups for node in group])
        distances = []
        for factor in (1, 2):
            slopes = np.concatenate([_slopes(root, group, values, step * factor, domain) for group in groups])
            distances.append(_largest(slopes - exact, enclosed))
    order = None
    if enclosed and distances[0] > 0 and distances[1] > 0:
        order = round(math.log2(distances[1] / distances[0]), 2)
    return Differences(count=count, largest=distances[0], order=order, enclosed=enclosed)


def moved_together(by: Sequence[Node]) -> list[list[Node]]:
    """Return the nodes in groups that may be moved in one batch: given arrays together, a computed value alone.

    A computed value that is moved no longer follows from others, which must not be hidden from those.
    """
    given = [node for node in by if not node.inputs]
    return [*([given] if given else []), *([node] for node in by if node.inputs)]


def _slopes(root: Node, by: Sequence[Node], base: Mapping[Node, Array], step: Fraction, domain: Any) -> Array:
    """Return the central difference by every scalar of ``by``, all from one evaluation."""
    count = sum(node.size for node in by)
    move = domain.scalar(str(step))
    replaced, row = {}, 0
    for node in by:
        variants = np.empty((2 * count, node.size), dtype=base[node].dtype)
        variants[...] = base[node].reshape(1, -1)
        for place in range(node.size):
            variants[row, place] += move
            variants[count + row, place] -= move
            row += 1
        replaced[node] = variants.reshape((2 * count, *node.shape))
    results = evaluate([root], domain, replaced=replaced)[root]
    if results.ndim == 0:  # the scalar does not depend on what was moved
        results = np.full(2 * count, results[()], dtype=results.dtype)
    slopes: Array = (results[:count] - results[count:]) / domain.scalar(str(2 * step))
    return slopes


def _largest(errors: Array, enclosed: bool) -> float:
    if not enclosed:
        return float(np.max(np.abs(errors)))
    largest = Fraction(0)
    for error in errors.flat:
        bounds = ball.bounds(error)
        if bounds is None:
            return math.inf
        largest = max(largest, abs(bounds[0] + bounds[1]) / 2)
    return float(f"{float(largest):.3g}")
