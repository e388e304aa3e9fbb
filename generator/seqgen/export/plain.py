"""Entries and tables as CSV, as numpy arrays, and as JSON: the float64s nearest to the true values."""

from __future__ import annotations

import csv
import io
import json as encoding
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from seqgen.errors import SpecError, nearest
from seqgen.export.blocks import in_rows
from seqgen.microscope import Microscope
from seqgen.readings.arrays import Array
from seqgen.shown.model import Model, Shown, TableModel


def csvs(microscope: Microscope, *, printed: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the files of a spec: a name and a text for each table and each entry."""
    model = Model(microscope=microscope)
    taken: set[str] = set()
    for table in microscope.spec.tables.values():
        yield _file(f"table-{table.name}", taken), _table(model.table(table), printed=printed)
    for value in model.values():
        yield _file(value.entry.key, taken), _text(_rows(value.shown, printed=printed))


def one_csv(microscope: Microscope, reference: str, *, printed: bool = False) -> str:
    """Return the CSV of one value, or of ``table NAME``.

    Raises:
        SeqgenError: where there is none.
    """
    model = Model(microscope=microscope)
    word, _, name = reference.partition(" ")
    if word != "table" or not name:
        return _text(_rows(model.shown(microscope.node_of(reference)), printed=printed))
    tables = microscope.spec.tables
    if name not in tables:
        raise SpecError(f"there is no table '{name}'", code="unknown-name", hint=nearest(name, tables))
    return _table(model.table(tables[name]), printed=printed)


def _file(key: str, taken: set[str]) -> str:
    """Return a file's name for an entry, one for each also where capitals do not count."""
    name = re.sub(r"[^\w.=,-]+", "_", key).strip("_")[:100]
    while name.lower() in taken:
        name += "_"
    taken.add(name.lower())
    return f"{name}.csv"


def _text(rows: Iterable[Iterable[str]]) -> str:
    result = io.StringIO()
    csv.writer(result, lineterminator="\n").writerows(rows)
    return result.getvalue()


def _rows(shown: Shown, *, printed: bool) -> list[list[str]]:
    array = in_rows(shown.printed if printed else shown.values)
    return [[cell.text if printed else repr(float(cell)) for cell in row] for row in array]


def _table(model: TableModel, *, printed: bool) -> str:
    """Return a table with its headings; an array in a cell takes as many columns as it has numbers."""
    sizes = [max((c.node.size for c in column if isinstance(c, Shown)), default=1) for column in model.columns]
    headings: list[str] = []
    for column, size in zip(model.table.columns, sizes, strict=True):
        headings += [column.heading] if size == 1 else [f"{column.heading} {k}" for k in range(size)]
    rows = [headings]
    for _, cells in model.rows:
        row: list[str] = []
        for cell, size in zip(cells, sizes, strict=True):
            texts = [cell] if isinstance(cell, str) else [t for line in _rows(cell, printed=printed) for t in line]
            row += texts + [""] * (size - len(texts))
        rows.append(row)
    return _text(rows)


def npz(microscope: Microscope) -> bytes:
    """Return all entries as numpy arrays of float64, by their keys, in one file that holds no objects."""
    result = io.BytesIO()
    arrays: Any = {entry.key: microscope.prover.reals(entry.node).values for entry in microscope.all_entries()}
    np.savez(result, **arrays)
    return result.getvalue()


def json(microscope: Microscope) -> str:
    """Return all entries and tables; infinity is a text there, as JSON has no number for it."""
    model = Model(microscope=microscope)
    entries = {
        value.entry.key: {
            "role": value.entry.role,
            "shape": list(value.entry.node.shape),
            "value": _nested(value.shown.values),
            "shown": _texts(value.shown.printed),
        }
        for value in model.values()
    }
    tables = {table.name: _json_table(model.table(table)) for table in microscope.spec.tables.values()}
    content = {"spec": microscope.spec.name, "title": microscope.spec.title, "entries": entries, "tables": tables}
    return encoding.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _json_table(model: TableModel) -> dict[str, Any]:
    rows = [[cell if isinstance(cell, str) else _nested(cell.values) for cell in cells] for _, cells in model.rows]
    return {"columns": [column.heading for column in model.table.columns], "rows": rows}


def _nested(values: Array) -> Any:
    finite = np.frompyfunc(lambda x: float(x) if math.isfinite(x) else str(float(x)), 1, 1)(values)
    return finite.tolist() if isinstance(finite, np.ndarray) else finite


def _texts(printed: Array) -> Any:
    texts = np.frompyfunc(lambda number: number.text, 1, 1)(printed)
    return texts.tolist() if isinstance(texts, np.ndarray) else texts
