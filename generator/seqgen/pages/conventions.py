"""Two conventions side by side, as a table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from seqgen.conventions.compare import Conventions
from seqgen.errors import SeqgenError
from seqgen.microscope import Microscope
from seqgen.pages.views import Cell, TableView, fitting_size
from seqgen.readings.arrays import Array
from seqgen.readings.names import tex_name
from seqgen.typeset.numbers import array

NAME = "convention-"


def side_by_side(microscope: Microscope) -> Iterator[TableView]:
    """Yield a table for each convention that the spec must tell apart: what differs, in bold, beside the spec's own."""
    conventions = Conventions(project=microscope.project, name=microscope.spec.name, opened=microscope)
    for convention in dict.fromkeys(one.text for one in microscope.spec.distinguishes):
        rows: list[tuple[Cell, ...]] = []
        footnote = ""
        try:
            rows += _rows(conventions, convention)
        except SeqgenError as problem:
            footnote = f"{convention}: {problem.message}"
        headings = ("", "as it stands", convention)
        yield TableView(
            # In the name of a file neither parentheses nor brackets can stand.
            name=NAME + re.sub(r"[^\w.]+", "-", convention).strip("-"),
            caption=convention,
            headings=headings,
            alignments="lll",
            rows=tuple(rows),
            size=fitting_size(headings, list(zip(*rows, strict=True))) if rows else "",
            footnote=footnote,
        )


def _rows(conventions: Conventions, convention: str) -> Iterator[tuple[Cell, ...]]:
    microscope = conventions.base
    entries = {entry.key for entry in microscope.all_entries()}
    for item, before, after in conventions.differing(convention):
        if item.reference in entries:
            name = tex_name(item.reference, microscope.spec.tex)
            yield tuple(Cell(math=part.text) for part in (name, array(before), array(_marked(before, after))))


def _marked(before: Array, after: Array) -> Array:
    """Return printed numbers with those in bold that differ from ``before``."""
    result: Array = after.copy()
    other = [number.text for number in before.flat] if before.shape == after.shape else [""] * after.size
    for place, number in enumerate(after.flat):
        if number.text != other[place]:
            result.flat[place] = replace(number, latex=rf"\mathbf{{{number.latex or number.text}}}")
    return result
