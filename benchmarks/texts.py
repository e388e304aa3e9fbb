"""Specs of many lines, right and wrong: reading takes as many times as long as the text is long."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from benchmarks.figures import Family, Figure
from benchmarks.measure import calls, paired
from seqgen.errors import SeqgenError
from seqgen.microscope import open_microscope
from seqgen.project import Project

SHORT, TIMES = 2_500, 4
LONG: Mapping[str, Callable[[int], str]] = {
    "lines of steps": lambda n: "steps: |\n" + "".join(f"  y{i} = {i} + 1.5\n" for i in range(n)),
    "numbers in a line": lambda n: f"given: {{x: {{value: [{', '.join(map(str, range(n)))}]}}}}\n",
    "terms in a line of any alphabet": lambda n: "steps: |\n  λ = [" + ", ".join(["0.5"] * n) + "]\n",
    "unreadable lines": lambda n: "steps: |\n" + "".join(f"  y{i} = {i} +\n" for i in range(n)),
    "lines outside the language": lambda n: "steps: |\n" + "".join(f"  y{i} += {i}\n" for i in range(n)),
    "unknown names": lambda n: "steps: |\n" + "".join(f"  y{i} = x{i}\n" for i in range(n)),
    "errors in one loop": lambda n: (
        "steps: |\n  for t in range(3):\n" + "".join(f"      y{i}[t] = (\n" for i in range(n))
    ),
    "a long text": lambda n: "about: >\n" + "".join(f"  {i}\n" for i in range(n)),
}


def _reader(folder: Path, name: str, text: str) -> Callable[[], float]:
    root = folder / name.replace(" ", "-")
    (root / "specs").mkdir(parents=True)
    (root / "specs" / "example.yaml").write_text(f"title: t\n{text}", encoding="utf-8")
    (root / "pyproject.toml").write_text("[tool.seqgen]\nsize_limit = 10_000_000\n", encoding="utf-8")

    def read() -> None:
        try:
            open_microscope(Project(root), "example")
        except SeqgenError as problem:
            problem.render()

    return calls(read)


def _long(folder: Path, runs: int) -> Iterator[Figure]:
    for name, build in LONG.items():
        long, short = (_reader(folder, f"{name} {n}", build(n)) for n in (TIMES * SHORT, SHORT))
        what, against = f"a spec of {TIMES * SHORT:,} {name}", f"one of {SHORT:,}"
        yield Figure(what=what, against=against, pairs=paired(long, short, runs), bar=2.0 * TIMES)


TEXTS = Family(name="texts", measure=_long, runs=3)
