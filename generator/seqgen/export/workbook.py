"""The workbook of a microscope: its sheets Forward, Backward, Rounds, Tables and Check."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

import numpy as np
import xlsxwriter

from seqgen.export.blocks import BACKWARD, FORWARD, Block, Exported, exported, in_rows
from seqgen.export.formulas import Address, Area
from seqgen.export.layout import BEFORE, HEAD, lay_out
from seqgen.export.xlsx import NUMBER_WIDTH, WHEN, Book, cell_value, number_format, plain, write_blocks, write_rest
from seqgen.graph.node import Node, ShapeClash, apply
from seqgen.ledger.display import Printed
from seqgen.microscope import Microscope
from seqgen.readings.arrays import Array
from seqgen.readings.traced import Rounds, Scalar, ordered
from seqgen.shown.model import Model, Shown, TableModel
from seqgen.spec.document import Scalar as Written

ROUNDS, TABLES, CHECK = "Rounds", "Tables", "Check"
# Two programs that compute in float64 differ by less than this in a number.
TOLERANCE = 1e-9
MOST_COMPARED = 400
HINT = "Yellow cells are given: put other numbers in, and all that follows from them moves."
LEGEND = "Grey numbers are parts of formulas. Orange cells hold values, not formulas: the sheet Check says why."
BLANK = "Fill in the empty cells: green is right, yellow has another last digit. Yellow cells with a border are given."


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a workbook is made: ``rounds`` of training are unrolled, ``blank`` leaves what is computed to the reader."""

    rounds: int = 0
    arrays: bool = False
    blank: bool = False


@dataclass(frozen=True, kw_only=True)
class _Equality:
    """An equality that the spec asserts: what it says, and the scalars of left less right."""

    said: str
    difference: Array
    tolerance: float


def workbook(microscope: Microscope, options: Options = Options()) -> bytes:
    """Return the bytes of a workbook.

    Raises:
        SeqgenError: where a value can't be computed.
    """
    tables = [] if options.blank else [Model(microscope=microscope).table(t) for t in microscope.spec.tables.values()]
    sides = [] if options.blank else _equalities(microscope)
    nodes = [node for _, node, _ in sides] + [cell.node for table in tables for cell in table.values]
    made = exported(microscope, nodes)
    equalities = [_Equality(said=s, difference=in_rows(made.traced[n]), tolerance=t) for s, n, t in sides]
    rounds, links = _rounds(made, options.rounds)
    more = [scalar for node in nodes for scalar in made.traced[node].flat]
    layout = lay_out([*made.blocks, *rounds], more, _kept(made))
    for block in rounds:
        block.values[0, :] = [layout.values[scalar] for scalar in block.scalars[0]]
    content = io.BytesIO()
    with xlsxwriter.Workbook(
        content, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    ) as file:
        file.set_properties({"title": plain(microscope.spec.title), "subject": microscope.spec.name, "created": WHEN})
        file.set_calc_mode("auto")
        book = Book(exported=made, layout=layout, book=file, links=links, arrays=options.arrays)
        title, notes = plain(microscope.spec.title), (BLANK,) if options.blank else (HINT, LEGEND)
        for name in (FORWARD, BACKWARD, ROUNDS):
            if layout.on(name):
                write_blocks(book, name, f"{title}: {name.lower()}", notes, blank=options.blank)
        if tables:
            _write_tables(book, tables)
        if not options.blank:
            _write_check(book, equalities)
        if layout.rest:
            write_rest(book, title)
    return content.getvalue()


def _equalities(microscope: Microscope) -> list[tuple[str, Node, float]]:
    found = []
    for check in microscope.spec.checks:
        sides = [check.arguments.get(key) for key in ("left", "right")]
        if check.kind != "equal" or not all(isinstance(side, Written) for side in sides):
            continue
        left, right = (microscope.node(side) for side in sides if isinstance(side, Written))
        with microscope.budget.in_force():
            try:
                node = apply("subtract", left, right, origin=check.span)
            except ShapeClash:
                continue
        if node.size <= MOST_COMPARED:
            found.append((f"{check.text('left')} = {check.text('right')}", node, TOLERANCE))
    return found


def _kept(made: Exported) -> dict[Scalar, float]:
    """Return the proven values of what loops keep."""
    found: dict[Scalar, float] = {}
    for node, scalars in made.traced.items():
        if node.operation.name == "repeat":
            values = made.microscope.prover.reals(node).values
            found |= dict(zip(scalars.flat, map(float, values.flat), strict=True))
    return found


def _rounds(made: Exported, count: int) -> tuple[list[Block], dict[Scalar, Scalar]]:
    """Return ``count`` unrolled rounds of each loop as blocks, and what of their numbers the loop keeps."""
    loops: dict[Rounds, list[Scalar]] = {}
    for scalar in ordered(scalar for array in made.traced.values() for scalar in array.flat):
        if scalar.rounds is not None:
            loops.setdefault(scalar.rounds, []).append(scalar)
    blocks, links = [], {}
    for rounds, kept in loops.items() if count else ():
        unrolled = [(watched, *state) for watched, state in rounds.unrolled(min(count, rounds.kept[-1]))]
        heads = ", ".join(["watched", *(_label(scalar) for scalar in rounds.start)])
        blocks += [_round_block(k, row, heads) for k, row in enumerate(unrolled)]
        for scalar in kept:
            row, column = scalar.place
            if rounds.kept[row] < len(unrolled):
                links[scalar] = unrolled[rounds.kept[row]][column]
    return blocks, links


def _label(scalar: Scalar) -> str:
    return scalar.text + "".join(f"[{i}]" for i in scalar.place)


def _round_block(number: int, row: tuple[Scalar, ...], heads: str) -> Block:
    scalars = np.empty((1, len(row)), dtype=object)
    scalars[0, :] = row
    return Block(
        key=f"round {number}",
        sheet=ROUNDS,
        role="round",
        formula=heads,
        about="",
        shape=(len(row),),
        scalars=scalars,
        printed=np.full(scalars.shape, Printed(text="?"), dtype=object),
        values=np.zeros(scalars.shape),
    )


def _write_tables(book: Book, tables: list[TableModel]) -> None:
    sheet = book.sheet(TABLES, f"{plain(book.exported.microscope.spec.title)}: tables", ())
    row, widest = HEAD - 1, 1
    for model in tables:
        widths = [max((c.node.size for c in column if isinstance(c, Shown)), default=1) for column in model.columns]
        widest = max(widest, sum(widths))
        sheet.write_string(row, 0, plain(model.table.caption or model.table.name), book.style("name"))
        starts = [sum(widths[:k]) for k in range(len(widths))]
        for start, column in zip(starts, model.table.columns, strict=True):
            sheet.write_string(row + 1, start, plain(column.heading), book.style("head"))
        for down, (_, cells) in enumerate(model.rows, row + 2):
            for start, cell in zip(starts, cells, strict=True):
                _write_cell(book, sheet, Address(TABLES, down, start), cell)
        row += len(model.rows) + 3
    sheet.set_column(0, widest - 1, NUMBER_WIDTH + 4)
    sheet.print_area(0, 0, row, widest - 1)


def _write_cell(book: Book, sheet: Any, address: Address, cell: Shown | str) -> None:
    if isinstance(cell, str):
        sheet.write_string(address.row, address.column, plain(cell))
        return
    if cell.node not in book.exported.traced:
        sheet.write_number(address.row, address.column, int(cell.node.number or 0))
        return
    scalars, printed, values = (
        array.reshape(-1) for array in (book.exported.traced[cell.node], cell.printed, cell.values)
    )
    for k, scalar in enumerate(scalars):
        form = number_format(printed[k], float(values[k]), values, cell.display.digits)
        formula = None if scalar.function == "constant" else book.formula(TABLES, scalar)
        place = Address(TABLES, address.row, address.column + k)
        book.write(sheet, place, formula, float(values[k]), book.style("number", form))


def _write_check(book: Book, equalities: list[_Equality]) -> None:
    spec = book.exported.microscope.spec
    notes = ("What a change of given numbers moves: each entry beside its value in the ledger.",)
    sheet = book.sheet(CHECK, f"{plain(spec.title)}: check", notes)
    for column, heading in enumerate(("entry", "cells", "state", "difference", "ledger")):
        sheet.write_string(HEAD - 1, column, heading, book.style("head"))
    for column, width in enumerate((24, 24, 18, 12)):
        sheet.set_column(column, column, width)
    sheet.freeze_panes(HEAD, 1)
    row = HEAD
    for placed in book.layout.placed:
        block = placed.block
        if block.role == "round":
            continue
        sheet.write_string(row, 0, block.key, book.style("name"))
        sheet.write_string(row, 1, book.valued.get(block.key) or book.names[block.key], book.style("note"))
        for (i, j), value in np.ndenumerate(block.values):
            sheet.write_number(row + i, BEFORE + j, cell_value(float(value)), book.style("part"))
        here = Area(Address(CHECK, row, BEFORE), *block.values.shape).write(CHECK)
        _write_state(book, sheet, row, f"{placed.area.write(CHECK)}-{here}", block.values.size)
        row += len(block.values)
    if equalities:
        sheet.write_string(row + 1, 0, "equalities that the spec asserts: left less right", book.style("head"))
        row += 2
    for equality in equalities:
        sheet.write_string(row, 0, equality.said, book.style("formula"))
        for (i, j), scalar in np.ndenumerate(equality.difference):
            formula, place = book.formula(CHECK, scalar), Address(CHECK, row + i, BEFORE + j)
            book.write(sheet, place, formula, book.layout.values[scalar], book.style("part", "0.0E+00"))
        here = Area(Address(CHECK, row, BEFORE), *equality.difference.shape).write(CHECK)
        _write_state(book, sheet, row, here, equality.difference.size, ("holds", "does not hold"))
        row += len(equality.difference)
    sheet.print_area(0, 0, row, BEFORE)


def _write_state(
    book: Book,
    sheet: Any,
    row: int,
    difference: str,
    count: int,
    words: tuple[str, str] = ("as in the ledger", "moved"),
) -> None:
    """Write whether numbers differ, and by how much in all."""
    cell = Address(CHECK, row, 3).write(CHECK)
    formula = f'=IF({cell}<={TOLERANCE * count!r},"{words[0]}","{words[1]}")'
    sheet.write_formula(row, 2, formula, None, words[0])
    sheet.write_formula(row, 3, f"=SUMPRODUCT(ABS({difference}))", book.style("part", "0.0E+00"), 0)
