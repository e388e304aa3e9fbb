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
# How much smaller a step is where a difference is taken again. A kink that is nearer than that is taken for one.
CLOSER = 10**6
# From so many scalars on, an array is moved in a batch of its own.
LARGE = 16
# Above this many, the batch would take gigabytes.
MAX_MOVED = 100_000_000


@dataclass(frozen=True, kw_only=True)
class Kink:
    """A scalar at which the function has two slopes: from the left, from the right, and the one that is taken."""

    node: Node
    place: tuple[int, ...]
    left: float
    right: float
    taken: float


@dataclass(frozen=True, kw_only=True)
class Worst:
    """The scalar at which a gradient, ``taken``, is farthest from its central difference, ``found``."""

    node: Node
    place: tuple[int, ...]
    taken: float
    found: float


@dataclass(frozen=True, kw_only=True)
class Differences:
    """The largest distance between a gradient and its central difference, kinks left out.

    ``order`` is how fast the distance falls with the step (2 where the gradient is right), where it can be told;
    ``enclosed`` tells that no rounding is in it.
    """

    count: int
    largest: float
    order: float | None
    enclosed: bool
    kinks: tuple[Kink, ...] = ()
    worst: Worst | None = None


@dataclass(frozen=True, kw_only=True)
class _Sides:
    """The slopes to the right and to the left of every scalar that was moved, at one step."""

    right: Array
    left: Array


def work(root: Node, by: Sequence[Node]) -> int:
    """Return how many scalars the differences of ``root`` by every scalar of ``by`` take."""
    return 4 * sum(node.size for node in by) * sum(node.size for node in ancestors([root]))


def central_differences(
    root: Node,
    by: Sequence[Node],
    gradients: Sequence[Node],
    step: Fraction,
    tolerance: float = math.inf,
    *,
    most_enclosed: int = MAX_ENCLOSED,
) -> Differences:
    """Compare ``gradients``, one for each node of ``by``, with central differences of the scalar ``root``.

    A difference that is off by more than ``tolerance`` is taken again with a much smaller step, as enclosures have no
    noise, and looked at from both sides: where the two slopes stay apart as the step shrinks, and the gradient lies
    between them, it is a kink and no mistake. What takes more than ``most_enclosed`` scalars is done in float64.
    """
    count = sum(node.size for node in by)
    enclosed = work(root, by) <= most_enclosed
    domain = Balls() if enclosed else Float64()
    with ball.precision(PRECISION), np.errstate(all="ignore"):
        values = evaluate([root, *by, *gradients], domain)
        of = dict(zip(by, gradients, strict=True))
        groups = _batches(moved_together(by))
        exact = np.concatenate([values[of[node]].reshape(-1) for group in groups for node in group])
        near, far = _sides(root, groups, values, step, domain)
        distances = [_distances(sides, exact) for sides in (near, far)]
        off = np.flatnonzero(~(distances[0] <= tolerance))
        if enclosed and off.size:
            for sides, closer in zip((near, far), _sides(root, groups, values, step / CLOSER, domain), strict=True):
                sides.right[off], sides.left[off] = closer.right[off], closer.left[off]
            distances = [_distances(sides, exact) for sides in (near, far)]
    places = [(node, place) for group in groups for node in group for place in np.ndindex(*node.shape)]
    kinks = {}
    for i in np.flatnonzero(~(distances[0] <= tolerance)):
        kink = _kink(
            *places[i], [_middle(x[i]) for x in (near.left, near.right, far.left, far.right, exact)], tolerance
        )
        if kink is not None:
            kinks[i] = kink
    smooth = [i for i in range(count) if i not in kinks]
    largest = [float(f"{d[smooth].max(initial=0.0):.3g}") for d in distances]
    order = round(math.log2(largest[1] / largest[0]), 2) if enclosed and min(largest) > 0 else None
    worst = None
    if smooth:
        at = max(smooth, key=lambda i: (math.isnan(distances[0][i]), distances[0][i]))
        taken, slope = _middle(exact[at]), _middle((near.right[at] + near.left[at]) / 2)
        worst = Worst(node=places[at][0], place=places[at][1], taken=taken, found=slope)
    return Differences(
        count=count, largest=largest[0], order=order, enclosed=enclosed, kinks=tuple(kinks.values()), worst=worst
    )


def _kink(node: Node, place: tuple[int, ...], slopes: list[float], tolerance: float) -> Kink | None:
    left, right, far_left, far_right, taken = slopes
    jump, far_jump = right - left, far_right - far_left
    slack = abs(far_right - right) + abs(far_left - left) + tolerance
    # The slopes of a smooth function come together like the step; those at a kink stay apart.
    if (
        abs(jump) <= slack
        or abs(far_jump) > 1.5 * abs(jump)
        or not min(left, right) - slack <= taken <= max(left, right) + slack
    ):
        return None
    return Kink(node=node, place=place, left=left, right=right, taken=taken)


def moved_together(by: Sequence[Node]) -> list[list[Node]]:
    """Return the nodes in groups that may be moved in one batch: given arrays together, a computed value alone.

    A computed value that is moved no longer follows from others, which must not be hidden from those.
    """
    given = [node for node in by if not node.inputs]
    return [*([given] if given else []), *([node] for node in by if node.inputs)]


def _batches(groups: list[list[Node]]) -> list[list[Node]]:
    """Return ``groups`` with large arrays alone: what does not follow from one is not computed for its variants."""
    batches: list[list[Node]] = []
    for group in groups:
        batches.append([])
        for node in group:
            if batches[-1] and max(node.size, batches[-1][-1].size) >= LARGE:
                batches.append([])
            batches[-1].append(node)
    return batches


def _sides(
    root: Node, groups: list[list[Node]], base: Mapping[Node, Array], step: Fraction, domain: Any
) -> tuple[_Sides, _Sides]:
    """Return the slopes by every scalar of ``groups``, by ``step`` and by twice as much, each group in one batch."""
    order = ancestors([root])
    widths = [domain.scalar(str(step)), domain.scalar(str(2 * step))]
    slopes: list[list[Array]] = [[], [], [], []]
    for group in groups:
        count = sum(node.size for node in group)
        changed = set(group)
        for node in order:
            if any(i in changed for i in node.inputs):
                changed.add(node)
        still = {node: base[node] for node in order if node not in changed}
        results = evaluate([root], domain, replaced=_variants(group, base, widths), known=still)[root]
        if results.ndim == 0:  # the scalar does not depend on what was moved
            results = np.full(4 * count, results[()], dtype=results.dtype)
        for found, width, moved in zip(slopes, _signed(widths), results.reshape(4, count), strict=True):
            found.append((moved - base[root]) / width)
    near_right, near_left, far_right, far_left = map(np.concatenate, slopes)
    return _Sides(right=near_right, left=near_left), _Sides(right=far_right, left=far_left)


def _signed(widths: Sequence[Any]) -> list[Any]:
    return [sign * width for width in widths for sign in (1, -1)]


def _variants(group: Sequence[Node], base: Mapping[Node, Array], widths: Sequence[Any]) -> dict[Node, Array]:
    """Return each node's variants: for each width, one a scalar with it added, then one a scalar with it taken off."""
    count = sum(node.size for node in group)
    replaced, start = {}, 0
    for node in group:
        variants = np.empty((2 * len(widths), count, node.size), dtype=base[node].dtype)
        variants[...] = base[node].reshape(-1)
        for moved, width in zip(variants, _signed(widths), strict=True):
            places = np.arange(node.size)
            moved[start + places, places] += width
        start += node.size
        replaced[node] = variants.reshape((-1, *node.shape))
    return replaced


def _distances(sides: _Sides, exact: Array) -> Array:
    return np.array([_distance(x) for x in (sides.right + sides.left) / 2 - exact], dtype=np.float64)


def _distance(x: Any) -> float:
    """Return how large an error can be: the far end of its enclosure, or the float."""
    if isinstance(x, float):
        return abs(x)
    bounds = ball.bounds(x)
    return math.inf if bounds is None else float(max(abs(bounds[0]), abs(bounds[1])))


def _middle(x: Any) -> float:
    bounds = None if isinstance(x, float) else ball.bounds(x)
    return float(x) if bounds is None else float((bounds[0] + bounds[1]) / 2)
