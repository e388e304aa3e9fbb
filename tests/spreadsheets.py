"""Every exported spreadsheet, recalculated by LibreOffice: ``python tests/spreadsheets.py [EDITS]``.

Each formula's cached value is made wrong first. Then every printed number of the committed ledgers is compared with what
LibreOffice shows, in each layout; and as many times as EDITS says, given cells of each spec are changed at random and all
numbers are compared with a child spec that seqgen computes.
"""

from __future__ import annotations

import io
import json
import math
import random
import shutil
import sys
import tempfile
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl

import calc
from seqgen.errors import SeqgenError
from seqgen.export.blocks import exported
from seqgen.export.naming import range_names
from seqgen.export.workbook import Options, workbook
from seqgen.microscope import Microscope, open_microscope
from seqgen.project import Project

ROOT = Path(__file__).parent.parent
# Sums, products and functions of a few thousand roundings, in numbers of ordinary size.
NEAR = 1e-9


def names_of(microscope: Microscope) -> dict[str, str]:
    """Return the names of the cells of each entry."""
    return range_names(block.key for block in exported(microscope).blocks)


def differences(name: str, microscope: Microscope, content: bytes, shown: dict[str, Any]) -> list[str]:
    """Return what is shown otherwise than the committed ledger prints it."""
    ledger = json.loads((ROOT / "ledgers" / f"{name}.json").read_text())["entries"]
    book, names, found = openpyxl.load_workbook(io.BytesIO(content)), names_of(microscope), []
    for key, entry in ledger.items():
        sheet, places = calc.cells(book, names[key])
        printed, values = (np.array(entry[part], dtype=object).reshape(-1) for part in ("shown", "value"))
        for (row, column), text, value in zip(places, printed, values, strict=True):
            cell = shown[sheet][row][column]
            if not calc.is_shown(cell, text, value):
                found.append(f"{name}: {key} at {sheet} {row + 1}:{column + 1} shows {cell}, not {text}")
    return found


def change(microscope: Microscope, content: bytes, draw: random.Random) -> tuple[dict[str, Any], bytes]:
    """Return given arrays with some other numbers, by entry, and the workbook with the same ones."""
    book, names = openpyxl.load_workbook(io.BytesIO(content)), names_of(microscope)
    changes, given = {}, {}
    for entry in microscope.graph.entries.values():
        node = entry.node
        movable = (
            node.operation.name == "given" and not node.parameters.get("drawn") and node not in microscope.graph.fixed
        )
        if not movable or "inf" in "".join(node.parameters["texts"]) or entry.role == "constant":
            continue
        sheet, places = calc.cells(book, names[entry.key])
        texts = list(node.parameters["texts"])
        for flat in draw.sample(range(len(texts)), min(2, len(texts))):
            value = float(microscope.prover.reals(node).values.flat[flat])
            texts[flat] = str(Decimal(str(round(value * draw.uniform(0.7, 1.3) + draw.uniform(0, 0.05), 3))))
            changes[sheet, *places[flat]] = float(texts[flat])
        given[entry.key] = {"value": np.array(texts, dtype=object).reshape(node.shape).tolist()}
    return given, calc.edited(content, changes)


def child(parent: str, given: dict[str, Any]) -> str:
    """Return the spec that gives other numbers to its parent."""
    lines = [f"  {json.dumps(key)}: {json.dumps(value).replace(chr(34), '')}" for key, value in given.items()]
    return "\n".join([f"title: an edit of {parent}", f"extends: {parent}", "given:", *lines, ""])


def edits_differ(microscope: Microscope, book: Any) -> list[str]:
    """Return the entries whose recalculated numbers are not those of a microscope."""
    names, found = names_of(microscope), []
    for entry in microscope.all_entries():
        sheet, places = calc.cells(book, names[entry.key])
        values = microscope.prover.reals(entry.node).values
        for (row, column), value in zip(places, values.flat, strict=True):
            cell = book[sheet].cell(row + 1, column + 1).value
            true = float(value) if math.isfinite(value) else math.copysign(1e300, value)
            if not isinstance(cell, int | float) or not math.isclose(cell, true, rel_tol=NEAR, abs_tol=NEAR):
                found.append(
                    f"{microscope.spec.name}: {entry.key} at {sheet} {row + 1}:{column + 1} is {cell}, not {true}"
                )
    return found


def edits(names: list[str], folder: Path, seed: int) -> tuple[int, list[str]]:
    """Return how many specs were edited at random and recalculated, and what differs."""
    draw, root = random.Random(seed), folder / "project"
    shutil.copytree(ROOT / "specs", root / "specs")
    (root / "pyproject.toml").write_text("[tool.seqgen]\n")
    books, microscopes = {}, {}
    for name in names:
        parent = open_microscope(Project(ROOT), name)
        given, content = change(parent, workbook(parent), draw)
        own = f"edit-{name.replace('/', '-')}"
        (root / "specs" / f"{own}.yaml").write_text(child(name, given))
        if not given or (parent.spec.steps and any(type(step).__name__ == "Train" for step in parent.spec.steps)):
            continue
        try:
            microscope = open_microscope(Project(root), own)
            for entry in microscope.all_entries():
                microscope.prover.reals(entry.node)
        except SeqgenError:  # a logarithm of what is now negative, and the like
            continue
        books[own], microscopes[own] = content, microscope
    found = calc.recalculated(books, folder)
    return len(books), [line for own, one in microscopes.items() for line in edits_differ(one, found[own])]


def main() -> int:
    """Compare everything, and return 1 where something differs."""
    rounds, wrong, project = int(sys.argv[1]) if len(sys.argv) > 1 else 1, 0, Project(ROOT)
    microscopes = {name: open_microscope(project, name) for name in project.spec_names()}
    for title, options in (("a cell each", Options()), ("arrays", Options(arrays=True))):
        start = time.perf_counter()
        books = {name.replace("/", "--"): workbook(one, options) for name, one in microscopes.items()}
        made = time.perf_counter() - start
        with tempfile.TemporaryDirectory() as folder:
            texts = calc.shown(books, Path(folder))
        found = [
            line
            for name, one in microscopes.items()
            for line in differences(name, one, books[name.replace("/", "--")], texts[name.replace("/", "--")])
        ]
        count = sum(entry.node.size for one in microscopes.values() for entry in one.all_entries())
        print(f"{title}: {len(books)} workbooks in {made:.1f} s, {count} numbers, {len(found)} shown otherwise")
        print("\n".join(found[:20]))
        wrong += len(found)
    for seed in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            edited, found = edits(list(microscopes), Path(folder), seed)
        print(f"random edits {seed}: {edited} specs recalculated, {len(found)} numbers differ")
        print("\n".join(found[:20]))
        wrong += len(found)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
