"""Whether two values are equal: as rationals, by closed forms, or within narrow enclosures of their difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from seqgen.errors import SeqgenError
from seqgen.graph.node import Node
from seqgen.microscope import Microscope
from seqgen.readings import ball, intervals
from seqgen.spec.model import Display

# Two values whose difference is enclosed within 10**-NARROW of zero are called equal, and the width is told.
FIRST_BITS = 256
NARROW = 60
# How the sides of an equality, and what they are apart, are told.
LONGEST = 40
SIDE, APART = Display(form="significant", digits=12), Display(form="scientific", digits=3)


@dataclass(frozen=True, kw_only=True)
class Equality:
    """How a difference is seen to be zero, or not: exact, enclosed (``within`` so much), different or undecided.

    ``place`` is an element at which it is not, seen at ``bits``.
    """

    how: str
    within: str = ""
    place: tuple[int, ...] | None = None
    bits: int = FIRST_BITS


def equality_to_zero(microscope: Microscope, difference: Node) -> Equality:
    """Return how an array is seen to be zero."""
    bits, prover = FIRST_BITS, microscope.prover
    values = prover.enclosures(difference, bits)
    open_places = [place for place in np.ndindex(*difference.shape) if not _is_zero(microscope, difference, place)]
    if not open_places:
        return Equality(how="exact")
    while True:
        wide = None
        exponents = []
        for place in open_places:
            if not ball.contains_zero(values[place]):
                return Equality(how="different", place=place, bits=bits)
            exponent = _width(values[place])
            exponents.append(exponent)
            wide = place if exponent < NARROW else wide
        if wide is None:
            return Equality(how="enclosed", within=f"1e-{min(exponents)}")
        if bits * 2 > microscope.project.configuration.precision_limit:
            return Equality(how="undecided", place=wide, bits=bits)
        bits *= 2
        values = prover.enclosures(difference, bits)


def unequal(microscope: Microscope, equality: Equality, nodes: tuple[Node, Node, Node]) -> str:
    """Return what two sides and their difference are at the place where they are not seen to be equal."""
    place = equality.place
    assert place is not None
    at = f" at {key_of_place(place)}" if place else ""
    if equality.how == "undecided":
        left, right = (_enclosure(microscope, node, nodes[2], equality) for node in nodes[:2])
        said = f"no closed form tells, and at {equality.bits} bits left is {left}, right is {right}"
        cure = "leave out terms that are too large, or raise precision_limit in [tool.seqgen] of pyproject.toml"
        return f"can't be decided{at}: {said}; {cure}"
    try:
        return f"does not hold{at}: {_sides(microscope, nodes, place)}"
    except SeqgenError:  # too large to be told
        return f"does not hold{at}"


def key_of_place(place: tuple[int, ...]) -> str:
    """Return a place as references write it: ``[1][0]``."""
    return "".join(f"[{i}]" for i in place)


def _sides(microscope: Microscope, nodes: tuple[Node, Node, Node], place: tuple[int, ...]) -> str:
    left, right, apart = (
        np.broadcast_to(microscope.prover.printed(node, display), nodes[2].shape)[place].text
        for node, display in zip(nodes, (SIDE, SIDE, APART), strict=True)
    )
    if left != right:
        return f"left is {_plain(left)}, right is {_plain(right)}"
    longer = Display(form="significant", digits=LONGEST)
    left, right = (
        np.broadcast_to(microscope.prover.printed(node, longer), nodes[2].shape)[place].text for node in nodes[:2]
    )
    return f"left is {_plain(left)}, right is {_plain(right)}, {apart.lstrip('-')} apart"


def _plain(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def _enclosure(microscope: Microscope, node: Node, difference: Node, equality: Equality) -> str:
    """Return what is known of one side: its middle, and how far the true value may lie from it."""
    value = np.broadcast_to(microscope.prover.enclosures(node, equality.bits), difference.shape)[equality.place]
    bounds = intervals.bounds(value)
    if bounds is None:
        return "unknown"
    half = (bounds[1] - bounds[0]) / 2
    width = f"{float(half):.1e}" if half > 1e-300 else f"1e-{len(str(int(1 / half))) - 1}" if half else "0"
    return f"{float((bounds[0] + bounds[1]) / 2):.12g} ± {width}"


def _is_zero(microscope: Microscope, difference: Node, place: tuple[int, ...]) -> bool:
    """Whether an element is shown to be exactly zero."""
    value = microscope.prover.enclosures(difference, FIRST_BITS)[place]
    bounds = intervals.bounds(value)
    if bounds is None or not bounds[0] <= 0 <= bounds[1]:
        return False
    if bounds[0] == bounds[1]:
        return True
    return microscope.prover.rational(difference, place) == 0


def _width(value: Any) -> int:
    """Return n where the enclosure of zero lies within 10**-n of it; 0 where that is not known."""
    bounds = intervals.bounds(value)
    if bounds is None:
        return 0
    width = max(abs(bounds[0]), abs(bounds[1]))
    return len(str(int(1 / width))) - 1 if width else NARROW
