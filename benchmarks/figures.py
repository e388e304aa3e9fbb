"""The table's rows: a figure, its bar, and whether it is met."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.measure import NOISY, Pairs

VERSIONS = (
    "seqgen", "click", "jinja2", "numpy", "python-flint", "pyyaml", "sympy",
    "torch", "autograd", "orjson", "nbconvert", "ipykernel",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One comparison.

    what: what seqgen does.
    against: what counts as 1, or the unit where there is no reference.
    bar: the most that is allowed; nothing where the figure is for comparison only.
    pairs: what both took.
    unit: of what is in ``pairs``.
    """

    what: str
    against: str
    pairs: Pairs
    bar: float | None = None
    unit: str = "s"

    @property
    def verdict(self) -> str:
        """Whether the bar is met, or can't be told."""
        if self.bar is None:
            return ""
        if self.pairs.spread > NOISY:
            return f"too noisy to judge (reference ± {self.pairs.spread:.0%})"
        return "met" if self.pairs.ratio <= self.bar else f"missed by {self.pairs.ratio / self.bar - 1:.0%}"

    def cells(self) -> list[str]:
        """Return the figure as a row of the table."""
        ours, theirs = (_middle(x, self.unit) for x in (self.pairs.ours, self.pairs.reference))
        bar = "" if self.bar is None else f"≤ {self.bar:.3g}"
        return [self.what, self.against, ours, theirs, f"{self.pairs.ratio:.3g}", bar, self.verdict]


HEADINGS = ["what", "against", "seqgen", "reference", "ratio", "bar", ""]


@dataclass(frozen=True, kw_only=True)
class Family:
    """Rows that are measured together: ``measure(folder, runs)`` yields them; ``folder`` is empty."""

    name: str
    measure: Callable[[Path, int], Iterator[Figure]]
    runs: int = 9


@dataclass
class Table:
    """The figures so far."""

    figures: list[Figure] = field(default_factory=list)

    def text(self) -> str:
        """Return the page of results."""
        rows = [HEADINGS, ["---"] * len(HEADINGS), *(figure.cells() for figure in self.figures)]
        lines = [
            "# Results",
            "",
            "Made by `python -m benchmarks`: medians of paired runs, with the median of the pairs' ratios.",
            "[speed.md](../docs/speed.md) says what is compared with what, and why a bar is missed.",
            "",
            *(f"- {line}" for line in machine()),
            "",
            *("| " + " | ".join(row) + " |" for row in rows),
        ]
        return "\n".join(lines) + "\n"


def machine() -> list[str]:
    """Return what the figures depend on."""
    versions = [f"{name} {_version(name)}" for name in VERSIONS]
    return [
        f"{_processor()}, {os.cpu_count()} cores, {platform.system()}",
        f"Python {platform.python_version()}, {', '.join(versions)}",
    ]


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "absent"


def _processor() -> str:
    known = Path("/proc/cpuinfo")
    lines = known.read_text(encoding="utf-8").splitlines() if known.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _middle(values: Sequence[float], unit: str) -> str:
    value = sorted(values)[len(values) // 2]
    if unit != "s":
        return f"{value:.3g} {unit}"
    for factor, name in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if value * factor >= 1:
            return f"{value * factor:.3g} {name}"
    return f"{value * 1e9:.3g} ns"
