"""Builds from the command line: with nothing to do, and after an edit of one spec."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.figures import Family, Figure
from benchmarks.measure import Pairs, memory, paired, python, run, seqgen

ROOT = Path(__file__).resolve().parent.parent
NUMPY = "import numpy"
FLOOR = "import click, yaml, numpy, jinja2, sympy"
MOST_MEMORY = 25.0
EDITED = "week06/ce-head"
# What an edit changes: a value that many closed forms follow from, a caption, a table; {} is the number of the save.
EDITS = {
    "a value": ("[0.4, -0.2]", "[0.4, -0.3{}]"),
    "a caption": ("Logits, probabilities and losses", "Logits, edited {} times"),
    "a table": ('"$a_t$": ', '"$a_t$, {}": '),
}


def shipped(folder: Path) -> Path:
    """Return a copy of the shipped specs and decks in ``folder``, built."""
    for name in ("specs", "slides"):
        shutil.copytree(ROOT / name, folder / name)
    run(seqgen("build"), folder)
    return folder


class Edit:
    """Changes a spec, anew each time, and builds."""

    def __init__(self, folder: Path, old: str, new: str) -> None:
        self._folder = folder
        self._spec = folder / "specs" / f"{EDITED}.yaml"
        self._text = self._spec.read_text(encoding="utf-8")
        assert old in self._text
        self._old, self._new, self._count = old, new, 0

    def save(self) -> None:
        """Write the spec with an edit that it has not had."""
        self._count += 1
        text = self._text.replace(self._old, self._new.format(self._count))
        self._spec.write_text(text, encoding="utf-8")

    def __call__(self) -> float:
        """Return the seconds of a build of that spec after a change."""
        self.save()
        return run(seqgen("build", EDITED), self._folder)


def _idle(folder: Path, runs: int) -> Iterator[Figure]:
    shipped(folder)
    idle = partial(run, seqgen("build"), folder)
    what = "`seqgen build` with nothing to do, all shipped specs"
    pairs = paired(idle, partial(run, python(NUMPY), folder), runs)
    yield Figure(what=what, against=f"`{NUMPY}`", pairs=pairs, bar=0.65)
    held = Pairs([memory(seqgen("build"), folder) for _ in range(3)], [MOST_MEMORY] * 3)
    yield Figure(what="the same, its memory", against=f"{MOST_MEMORY:.0f} MiB", pairs=held, bar=1, unit="MiB")


def _edits(folder: Path, runs: int) -> Iterator[Figure]:
    shipped(folder)
    floor = partial(run, python(FLOOR), folder)
    for what, (old, new) in EDITS.items():
        pairs = paired(Edit(folder, old, new), floor, runs)
        yield Figure(what=f"one spec built after an edit of {what}", against=f"`{FLOOR}`", pairs=pairs, bar=1.3)


IDLE = Family(name="idle", measure=_idle, runs=25)
EDITS_OF_ONE = Family(name="edit", measure=_edits, runs=9)
