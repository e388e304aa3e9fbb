"""Short numbers for a new example, by which it is easy to follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from seqgen.errors import SpecError
from seqgen.graph.node import Shape
from seqgen.readings.arrays import Array
from seqgen.search.edits import filled, keys
from seqgen.search.task import Found, Task
from seqgen.search.trial import HIDDEN, Trial
from seqgen.search.verified import copied, unmet
from seqgen.spec.model import Draw

BATCH = 256
PARENTS = 12
ROUNDS = 60
# How many variants of each round are checked as specs, which takes a thousand times as long.
CHECKED = 3
# The first rounds are for floating point alone.
WARMING = 2


def nice(task: Task, varied: Sequence[str] = ()) -> Found:
    """Return the spec with short numbers in the place of what it draws and of what is ``varied``, as good as is found.

    Raises:
        SpecError: where there are no numbers to find.
    """
    trial = Trial(task.opened, task.within, task.conventions)
    space = Space(_arrays(task, varied), task.decimals)
    rng = np.random.default_rng(task.seed)
    pool = [space.draw(rng) for _ in range(BATCH)]
    best, parent = None, pool[0]
    tried: set[bytes] = set()
    with copied(task.project) as copy:
        for number in range(ROUNDS):
            faults, hidden = trial.faults(space.floats(pool))
            order = np.argsort(faults, kind="stable")
            fresh = [k for k in order[:PARENTS] if pool[k].tobytes() not in tried]
            for k in fresh[:CHECKED] if number >= WARMING or task.is_over else ():
                tried.add(pool[k].tobytes())
                text = filled(task.text, space.numbers(pool[k]))
                said = unmet(copy, task.name, text, task.conventions)
                said += ["a result is too large, saturated or near a tie"] * int(faults[k] - HIDDEN * hidden[k])
                if best is None or len(said) < len(best.unmet):
                    best, parent = Found(text=text, unmet=tuple(said)), pool[k]
                left = f"{len(tried)} specs checked, {len(best.unmet)} wishes unmet"
                task.progress(f"round {number + 1} of {ROUNDS}: {left}")
                if not best.unmet:
                    return best
            if task.is_over and best is not None:
                return best
            parents = [*([parent] * PARENTS if best else ()), *(pool[k] for k in order[:PARENTS])]
            pool = [*parents, *(space.move(parents[int(rng.integers(len(parents)))], rng) for _ in range(BATCH))]
    assert best is not None, "some variants are checked"
    return best


def _arrays(task: Task, varied: Sequence[str]) -> dict[str, tuple[Shape, float, float]]:
    """Return the arrays to fill, by key: shape, lowest and highest number."""
    base = task.opened.base
    own = {*keys(task.text, "value"), *keys(task.text, "draw")}
    found = {}
    for key in (*keys(task.text, "draw"), *varied):
        given = base.spec.given.get(key)
        if given is None or key not in own or key not in base.graph.entries:
            raise SpecError(f"'{key}' is no array that this spec gives itself", code="unknown-name")
        draw = given.value
        low, high = draw.parameters if isinstance(draw, Draw) and draw.distribution == "uniform" else (-1.5, 1.5)
        found[key] = base.graph.entries[key].node.shape, low, high
    if not found:
        raise SpecError(
            "there are no numbers to find",
            code="values",
            hint="give an array 'draw: {uniform: {low: -1, high: 1}}' instead of its value, or name it with --vary",
        )
    return found


@dataclass
class Space:
    """All numbers that may be chosen, in one line: integers, in units of the last decimal."""

    arrays: dict[str, tuple[Shape, float, float]]
    decimals: int
    low: Array = field(init=False)
    high: Array = field(init=False)

    def __post_init__(self) -> None:
        sizes = [int(np.prod(shape, dtype=int)) for shape, _, _ in self.arrays.values()]
        ends = [(round(low * self.unit), round(high * self.unit)) for _, low, high in self.arrays.values()]
        self.low, self.high = (np.repeat([end[k] for end in ends], sizes) for k in (0, 1))

    @property
    def unit(self) -> int:
        """How many units make one."""
        return int(10**self.decimals)

    def draw(self, rng: np.random.Generator) -> Array:
        """Return random numbers, none of them zero where that can be helped."""
        numbers = rng.integers(self.low, self.high + 1)
        return np.asarray(np.where(numbers == 0, np.where(self.high > 0, 1, -1), numbers))

    def move(self, parent: Array, rng: np.random.Generator) -> Array:
        """Return ``parent`` with up to three numbers drawn anew."""
        child: Array = parent.copy()
        places = rng.integers(len(child), size=int(rng.integers(1, 4)))
        child[places] = self.draw(rng)[places]
        return child

    def _split(self, rows: Array) -> dict[str, Array]:
        ends = np.cumsum([int(np.prod(shape, dtype=int)) for shape, _, _ in self.arrays.values()])[:-1]
        parts = np.split(rows, ends, axis=-1)
        return {
            key: part.reshape(*rows.shape[:-1], *shape)
            for (key, (shape, _, _)), part in zip(self.arrays.items(), parts, strict=True)
        }

    def floats(self, pool: Sequence[Array]) -> dict[str, Array]:
        """Return the float64s of a pool by array, one variant along the first axis."""
        return {key: part / self.unit for key, part in self._split(np.array(pool)).items()}

    def numbers(self, one: Array) -> dict[str, Array]:
        """Return the exact numbers of one variant by array."""
        exact = np.array([Fraction(int(number), self.unit) for number in one], dtype=object)
        return self._split(exact)
