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
from seqgen.readings import ball, intervals
from seqgen.readings.arrays import Array, NumpyDomain
from seqgen.readings.ball import Balls
from seqgen.readings.evaluate import evaluate
from seqgen.readings.float64 import Float64

PRECISION = 192
# Above this many scalar results, the batch is computed in float64 instead.
MAX_ENCLOSED = 2_000_000
# How much smaller a step is where a difference is taken again. A kink that is nearer than that is taken for one.
CLOSER = 10**6
# In float64, a change that is smaller than this part of the value may be rounding.
ROUNDING = 1e-10
# From so many scalars on, an array is moved in a batch of its own.
LARGE = 8
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
class Jump:
    """A scalar at which the function is discontinuous: how far its values to the left and right are from its own."""

    node: Node
    place: tuple[int, ...]
    left: float
    right: float


@dataclass(frozen=True, kw_only=True)
class Worst:
    """The scalar at which a gradient, ``taken``, is farthest from its central difference, ``found``."""

    node: Node
    place: tuple[int, ...]
    taken: float
    found: float


@dataclass(frozen=True, kw_only=True)
class Differences:
    """The largest distance between a gradient and its central difference, without kinks and jumps.

    ``within`` tells whether each distance is within its tolerance.
    ``order`` is how fast the distance falls with the step (2 where the gradient is right), where it can be told;
    ``enclosed`` tells that no rounding is in it.
    """

    count: int
    largest: float
    order: float | None
    enclosed: bool
    within: bool
    kinks: tuple[Kink, ...] = ()
    jumps: tuple[Jump, ...] = ()
    worst: Worst | None = None


@dataclass(frozen=True, kw_only=True)
class _Sides:
    """The slopes to the right and to the left of every scalar that was moved, at one step."""

    right: Array
    left: Array

    @property
    def slope(self) -> Array:
        """The central differences."""
        slope: Array = (self.right + self.left) / 2
        return slope


def work(root: Node, by: Sequence[Node]) -> int:
    """Return how many scalars the differences of ``root`` by every scalar of ``by`` take at most."""
    return 4 * sum(node.size for node in by) * sum(node.size for node in ancestors([root]))


def central_differences(
    root: Node,
    by: Sequence[Node],
    gradients: Sequence[Node],
    step: Fraction,
    tolerance: float = math.inf,
    *,
    relative: float = 0.0,
    most_enclosed: int = MAX_ENCLOSED,
) -> Differences:
    """Compare ``gradients``, one for each node of ``by``, with central differences of the scalar ``root``.

    A distance may be ``tolerance``, or ``relative`` times the gradient where that is more. Where the values beside a
    scalar stay away from the value itself, however small the step, the function jumps and has no derivative.
    A difference that is off by more is taken again with a much smaller step, as enclosures have no
    noise, and looked at from both sides: where the two slopes stay apart as the step shrinks, and the gradient lies
    between them, it is a kink and no mistake. What takes more than ``most_enclosed`` scalars is done in float64.
    """
    enclosed = work(root, by) <= most_enclosed
    domain = Balls() if enclosed else Float64()
    groups = _batches(moved_together(by))
    moved = [node for group in groups for node in group]
    of = dict(zip(by, gradients, strict=True))
    with ball.precision(PRECISION), np.errstate(all="ignore"):
        values = evaluate([root, *by, *gradients], domain)
        exact = np.concatenate([values[of[node]].reshape(-1) for node in moved])
        # The second step tells the order of the error, which rounding would hide.
        steps = [step, 2 * step] if enclosed else [step]
        sides = _sides(root, groups, values, steps, domain)
        bounds = np.maximum(tolerance, relative * np.abs(np.array([_middle(x) for x in exact])))
        within = _distances(sides[0], exact) <= bounds
        jumps = _jumps(root, groups, values, step, domain, np.union1d(_suspects(sides, step), np.flatnonzero(~within)))
        off = np.setdiff1d(np.flatnonzero(~within), list(jumps))
        kinks: dict[int, Kink] = {}
        if off.size:
            closer = step / CLOSER if enclosed else step
            again = _sides(root, groups, values, [closer, 2 * closer], domain)
            for found, closer_found in zip(sides, again, strict=False):
                found.right[off], found.left[off] = closer_found.right[off], closer_found.left[off]
            kinks = _kinks(moved, off, again, exact, bounds)
        distances = [_distances(found, exact) for found in sides]
    smooth = np.delete(np.arange(len(exact)), [*kinks, *jumps])
    largest = [float(f"{d[smooth].max(initial=0.0):.3g}") for d in distances]
    within = distances[0] <= bounds
    return Differences(
        count=len(exact),
        largest=largest[0],
        order=round(math.log2(largest[1] / largest[0]), 2) if enclosed and min(largest) > 0 else None,
        enclosed=enclosed,
        within=bool(within[smooth].all()),
        kinks=tuple(kinks.values()),
        jumps=tuple(jumps.values()),
        worst=_worst(moved, smooth, distances[0], within, exact, sides[0]) if smooth.size else None,
    )


def _worst(moved: list[Node], smooth: Array, distances: Array, within: Array, exact: Array, sides: _Sides) -> Worst:
    """Return the scalar of ``smooth`` that is farthest off, one that is out of bounds if there is any."""
    beyond = smooth[~within[smooth]]
    among = beyond if beyond.size else smooth
    at = int(among[np.argmax(distances[among])])
    node, place = _place(moved, at)
    return Worst(node=node, place=place, taken=_middle(exact[at]), found=_middle(sides.slope[at]))


def discontinuities(root: Node, by: Sequence[Node], step: Fraction) -> tuple[Jump, ...]:
    """Return the scalars of ``by`` at which the scalar ``root`` jumps; ``step`` is the first that is looked at."""
    enclosed = work(root, by) <= MAX_ENCLOSED
    domain = Balls() if enclosed else Float64()
    groups = _batches(moved_together(by))
    with ball.precision(PRECISION), np.errstate(all="ignore"):
        values = evaluate([root, *by], domain)
        sides = _sides(root, groups, values, [step, 2 * step] if enclosed else [step], domain)
        return tuple(_jumps(root, groups, values, step, domain, _suspects(sides, step)).values())


def _suspects(sides: Sequence[_Sides], step: Fraction) -> Array:
    """Return the scalars at which the two slopes are not seen to come together like the step."""
    apart = [np.array([_near_end(x) for x in found.right - found.left]) for found in sides]
    if len(apart) == 1:  # in float64, where rounding hides the second
        return np.flatnonzero(apart[0] * float(step) > ROUNDING)
    return np.flatnonzero(apart[0] > 0.75 * apart[1])


def _jumps(
    root: Node,
    groups: list[list[Node]],
    values: Mapping[Node, Array],
    step: Fraction,
    domain: NumpyDomain,
    suspects: Array,
) -> dict[int, Jump]:
    """Return those of ``suspects`` beside which values stay away from the value itself as the step shrinks."""
    if not suspects.size:
        return {}
    moved = [node for group in groups for node in group]
    enclosed = isinstance(domain, Balls)
    widths = [step / CLOSER, step / CLOSER**2] if enclosed else [step, step / 1000]
    near, nearest = _sides(root, groups, values, widths, domain)
    noise = 0.0 if enclosed else ROUNDING * max(1.0, abs(_middle(values[root].item())))
    jumps = {}
    for i in suspects:
        changes = []
        for wide, narrow in ((near.left[i], nearest.left[i]), (near.right[i], nearest.right[i])):
            far, close = (_near_end(x) * float(w) for x, w in zip((wide, narrow), widths, strict=True))
            changes.append(_middle(narrow) * float(widths[1]) if close > max(noise, far / 2) else 0.0)
        if any(changes):
            node, place = _place(moved, i)
            # A slope to the left is the value less the one before it.
            jumps[int(i)] = Jump(node=node, place=place, left=-changes[0], right=changes[1])
    return jumps


def _kinks(moved: list[Node], off: Array, sides: Sequence[_Sides], exact: Array, bounds: Array) -> dict[int, Kink]:
    """Return those of the scalars ``off`` that are out of bounds because they stand at a kink."""
    near, far = sides
    distances = _distances(near, exact)
    kinks = {}
    for i in off[~(distances[off] <= bounds[off])]:
        slopes = [_middle(x[i]) for x in (near.left, near.right, far.left, far.right, exact)]
        kink = _kink(*_place(moved, i), slopes, bounds[i])
        if kink is not None:
            kinks[int(i)] = kink
    return kinks


def _kink(node: Node, place: tuple[int, ...], slopes: list[float], tolerance: float) -> Kink | None:
    left, right, far_left, far_right, taken = slopes
    jump, far_jump = right - left, far_right - far_left
    slack = abs(far_right - right) + abs(far_left - left) + tolerance
    # The slopes of a smooth function come together like the step; those at a kink stay apart.
    if (
        abs(jump) <= slack
        or not abs(jump) / 1.5 <= abs(far_jump) <= 1.5 * abs(jump)
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


def _place(nodes: Sequence[Node], i: int) -> tuple[Node, tuple[int, ...]]:
    """Return the node of the ``i``-th of all scalars of ``nodes``, and the scalar's place in it."""
    for node in nodes:
        if i < node.size:
            break
        i -= node.size
    return node, tuple(int(k) for k in np.unravel_index(i, node.shape))


def _sides(
    root: Node, groups: list[list[Node]], base: Mapping[Node, Array], steps: Sequence[Fraction], domain: NumpyDomain
) -> list[_Sides]:
    """Return the slopes by every scalar of ``groups``, for each of ``steps``; each group is one batch."""
    order = ancestors([root])
    widths = np.array([sign * domain.scalar(str(step)) for step in steps for sign in (1, -1)], dtype=domain.dtype)
    slopes = []
    for group in groups:
        changed = set(group)
        for node in order:
            if any(i in changed for i in node.inputs):
                changed.add(node)
        still = {node: base[node] for node in order if node not in changed}
        results = evaluate([root], domain, replaced=_variants(group, base, widths), known=still)[root]
        # A scalar that does not depend on what was moved has no variants.
        variants = results.reshape(len(widths), -1) if results.ndim else results
        by_each = np.empty((len(widths), sum(node.size for node in group)), dtype=domain.dtype)
        by_each[...] = (variants - base[root]) / widths[:, None]
        slopes.append(by_each)
    both = np.concatenate(slopes, axis=1).reshape(len(steps), 2, -1)
    return [_Sides(right=right, left=left) for right, left in both]


def _variants(group: Sequence[Node], base: Mapping[Node, Array], widths: Array) -> dict[Node, Array]:
    """Return each node's variants: for each of ``widths``, one a scalar of the group with it added."""
    flat = np.concatenate([base[node].reshape(-1) for node in group])
    places = np.arange(flat.size)
    variants = np.empty((len(widths), flat.size, flat.size), dtype=flat.dtype)
    variants[...] = flat
    variants[:, places, places] += widths[:, None]
    ends = np.cumsum([node.size for node in group])
    parts = np.split(variants, ends[:-1], axis=-1)
    return {node: part.reshape(-1, *node.shape) for node, part in zip(group, parts, strict=True)}


def _distances(sides: _Sides, exact: Array) -> Array:
    """Return how large each error can be: the far end of its enclosure, or the float."""
    errors = sides.slope - exact
    return np.array([_far_end(x) for x in errors]) if errors.dtype == object else np.abs(errors)


def _far_end(x: Any) -> float:
    found = intervals.interval(x)
    return math.inf if found is None else max(abs(found[0]), abs(found[1])) / found[2]


def _near_end(x: Any) -> float:
    """Return how far a value is from zero at least."""
    if isinstance(x, float):
        return abs(x)
    found = intervals.interval(x)
    if found is None:
        return math.inf
    low, high, unit = found
    return max(low, -high, 0) / unit


def _middle(x: Any) -> float:
    found = None if isinstance(x, float) else intervals.interval(x)
    return float(x) if found is None else (found[0] + found[1]) / (2 * found[2])
