"""The notebook that an instructor would run: twenty microscopes in PyTorch, through nbconvert."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.builds import EDITED, EDITS, ROOT, Edit, shipped
from benchmarks.figures import Family, Figure
from benchmarks.measure import paired, run, seqgen, surroundings
from benchmarks.microscopes import CELLS, SETUP

NAME = "microscopes.ipynb"
AGAINST = f"a PyTorch notebook of {len(CELLS)} microscopes through nbconvert"
PATIENCE = 60


def write_notebook(folder: Path) -> list[str]:
    """Write the notebook, and return the command that runs it."""
    cells: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "id": f"cell-{i}",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": code.strip(),
        }
        for i, code in enumerate([SETUP, *CELLS.values()])
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    (folder / NAME).write_text(json.dumps(content), encoding="utf-8")
    return [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--output", "run.ipynb", NAME]


@contextmanager
def watching(folder: Path) -> Iterator[None]:
    """Let ``seqgen build --watch`` run in ``folder``."""
    said = folder / "watch.log"
    with said.open("w", encoding="utf-8") as log:
        watcher = subprocess.Popen(seqgen("build", "--watch"), cwd=folder, env=surroundings(), stdout=log, stderr=log)
    try:
        while "waiting for changes" not in said.read_text(encoding="utf-8"):
            time.sleep(0.1)
        yield
    finally:
        watcher.terminate()
        watcher.wait()


def seconds_to_page(edit: Edit, page: Path) -> float:
    """Return how long after a save a page is new.

    Raises:
        TimeoutError: where it stays as it is.
    """
    time.sleep(1)  # the hand of someone who edits; what follows from the last save is built by then
    before = page.stat().st_mtime_ns
    start = time.perf_counter()
    edit.save()
    while page.stat().st_mtime_ns == before:
        time.sleep(0.001)
        if time.perf_counter() - start > PATIENCE:
            raise TimeoutError(f"{page.name} has not been written again")
    return time.perf_counter() - start


def _watch(folder: Path, runs: int) -> Iterator[Figure]:
    notebook = partial(run, write_notebook(folder), folder)
    shipped(folder)
    # The last page that is written
    page = folder / "build" / "markdown" / EDITED / "ledger.md"
    edit = Edit(folder, *EDITS["a value"])
    with watching(folder):
        pairs = paired(partial(seconds_to_page, edit, page), notebook, runs)
    yield Figure(what="`seqgen build --watch`, from save to the last page", against=AGAINST, pairs=pairs, bar=1 / 50)


def _all(folder: Path, runs: int) -> Iterator[Figure]:
    notebook = partial(run, write_notebook(folder), folder)
    shutil.copytree(ROOT / "specs", folder / "specs")

    def from_nothing(*words: str) -> float:
        for name in ("build", "ledgers"):
            shutil.rmtree(folder / name, ignore_errors=True)
        return run(seqgen("build", *words), folder)

    found = {p.stem: p.relative_to(folder / "specs") for p in sorted((folder / "specs").rglob("*.yaml"))}
    same = [found[name].with_suffix("").as_posix() for name in CELLS]
    pairs = paired(partial(from_nothing, *same), notebook, runs)
    what = f"the specs of these {len(same)} microscopes from nothing, in one process"
    yield Figure(what=what, against=AGAINST, pairs=pairs, bar=1)
    count = len([p for p in (folder / "specs").rglob("*.yaml") if p.parent.name != "library"])
    pairs = paired(from_nothing, notebook, runs)
    yield Figure(what=f"all {count} shipped specs from nothing, in one process", against=AGAINST, pairs=pairs, bar=1)
    pairs = paired(partial(from_nothing, "-j", "0"), notebook, runs)
    yield Figure(what="the same with `-j 0`", against=AGAINST, pairs=pairs)


WATCH = Family(name="watch", measure=_watch, runs=5)
ALL = Family(name="all", measure=_all, runs=3)
