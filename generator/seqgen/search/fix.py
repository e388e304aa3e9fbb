"""The smallest change of one given number that makes every convention visible."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from seqgen.errors import SpecError
from seqgen.graph.node import Node
from seqgen.readings.float64 import Float64
from seqgen.search.edits import Edit, edited, keys, short
from seqgen.search.task import Found, Task
from seqgen.search.trial import Trial
from seqgen.search.verified import copied, unmet

BATCH = 256
TRIES = 200
# How many steps of its last decimal a number may be moved.
REACH = 20

# How large a change is: the length of the new number, how far it is from the old one, and where it stands.
Size = tuple[int, Fraction, str, int]


def fix(task: Task) -> Found | None:
    """Return the spec with one number changed so that every convention is seen and its checks hold; None without one.

    Where every convention is seen already, nothing is changed.

    Raises:
        SpecError: where no convention is named, or one does not apply.
    """
    if not task.conventions:
        raise SpecError(
            "there is no convention to make visible",
            code="no-such-convention",
            hint="name some under 'distinguishes', or with --distinguish",
        )
    if all(task.opened.compare(name).visible for name in task.conventions):
        return Found(text=task.text)
    trial = Trial(task.opened, task.within, task.conventions)
    proposals = sorted(_proposals(task, trial), key=lambda proposal: proposal[0])[:TRIES]
    with copied(task.project) as copy:
        for number, (_, edit) in enumerate(proposals):
            if task.is_over:
                return None
            task.progress(f"{number + 1} of {len(proposals)} numbers: {edit.reference} = {edit.text}")
            text = edited(task.text, [edit])
            if not unmet(copy, task.name, text, task.conventions, strict=False):
                return Found(text=text, edits=(edit,))
    return None


def _proposals(task: Task, trial: Trial) -> Iterator[tuple[Size, Edit]]:
    """Yield the numbers by which every convention is seen in floating point, with the size of each change."""
    graph = trial.base.graph
    for key in keys(task.text, "value"):
        entry = graph.entries.get(key)
        if entry is None or entry.node.operation.name != "given" or not entry.node.size:
            continue
        texts: tuple[str, ...] = entry.node.parameters["texts"]
        numbers = [Fraction(text) if text.lstrip("-").replace(".", "", 1).isdigit() else None for text in texts]
        fixed = graph.fixed.get(entry.node, ())
        moves = [
            (flat, old + step)
            for flat, old in enumerate(numbers)
            if old is not None and flat not in fixed
            for step in _steps(max(task.decimals, *(len(text.partition(".")[2]) for text in texts)))
        ]
        for start in range(0, len(moves), BATCH):
            yield from _seen(trial, key, entry.node, moves[start : start + BATCH])


def _steps(places: int) -> list[Fraction]:
    """Return by how much a number may be moved."""
    return list(dict.fromkeys(Fraction(k, 10**p) for p in range(places + 1) for k in range(-REACH, REACH + 1) if k))


def _seen(trial: Trial, key: str, node: Node, moves: list[tuple[int, Fraction]]) -> Iterator[tuple[Size, Edit]]:
    texts: Any = node.parameters["texts"]
    values = np.tile(np.array([Float64().scalar(text) for text in texts]), (len(moves), 1))
    for row, (flat, number) in enumerate(moves):
        values[row, flat] = float(number)
    _, hidden = trial.faults({key: values.reshape(len(moves), *node.shape)})
    for row in map(int, np.flatnonzero(hidden == 0)):
        flat, number = moves[row]
        place = tuple(int(i) for i in np.unravel_index(flat, node.shape)) if node.shape else ()
        size = len(short(abs(number))), abs(number - Fraction(texts[flat])), key, flat
        yield size, Edit(key=key, place=place, text=short(number))
