"""Spreadsheets that somebody edited, compared with the ledger cell by cell; formulas are not run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

from seqgen.errors import SeqgenError, SpecError, count
from seqgen.export import need_xlsx
from seqgen.export.blocks import Block, decimals, exported
from seqgen.export.formulas import Address
from seqgen.export.naming import range_names
from seqgen.export.reader import Read, Value, read
from seqgen.export.xlsx import cell_value
from seqgen.findings import Finding
from seqgen.ledger.display import Printed
from seqgen.microscope import open_microscope
from seqgen.project import Project
from seqgen.reference import Reference
from seqgen.rules.review import Review, keep
from seqgen.rules.table import RULES, severities

RULE = "spreadsheet"
# A program that computes in float64 is nearer than this; given numbers are kept as they are.
NEAR = 1e-9


def review_spreadsheets(
    project: Project, files: Sequence[Path], wanted: Sequence[str] = (), *, select: Sequence[str], ignore: Sequence[str]
) -> Review:
    """Compare workbooks with the specs that they name, or all with the one in ``wanted``.

    Raises:
        SeqgenError: where a library is missing, the configuration is wrong, or ``wanted`` is not one spec.
    """
    need_xlsx()
    force = {RULE: "error", **severities(project, select, ignore)}
    names = project.select(tuple(wanted)) if wanted else []
    result = Review()
    for path in files:
        try:
            book = read(path)
            name = names[0] if len(names) == 1 else book.subject
            if not name:
                hint = f"name it: seqgen check --xlsx {path.name} SPEC"
                raise SpecError(f"{path.name} does not say which spec it is of", code="spreadsheet", hint=hint)
            blocks = exported(open_microscope(project, name)).blocks
        except SeqgenError as problem:
            result.errors.append(problem)
            continue
        result.count("spec")
        result.asked.setdefault(name, []).append(RULE)
        found, cells = _compare(project.relative(path.absolute()), book, blocks)
        result.count("cell", cells)
        keep(result, RULES[RULE], force, found, name)
    return result


def _compare(file: str, book: Read, blocks: Sequence[Block]) -> tuple[list[Finding], int]:
    """Return what differs, and how many cells were compared."""
    findings: list[Finding] = []
    cells = 0
    for block, name in zip(blocks, range_names(block.key for block in blocks).values(), strict=True):
        place = book.names.get(name)
        if place is None or place[0] not in book.sheets or _size(place[1], place[2]) != block.scalars.shape:
            findings.append(Finding(file=file, message=f"no cells named {name} hold {block.key}"))
            continue
        sheet, first, _ = place
        findings += _differences(file, book.sheets[sheet], Address(sheet, *first), block)
        cells += block.scalars.size
    return findings, cells


def _size(first: tuple[int, int], last: tuple[int, int]) -> tuple[int, int]:
    return last[0] - first[0] + 1, last[1] - first[1] + 1


def _differences(file: str, sheet: dict[tuple[int, int], Value], first: Address, block: Block) -> Iterator[Finding]:
    empty = []
    for (row, column), value in np.ndenumerate(block.values):
        address = Address(first.sheet, first.row + row, first.column + column)
        cell, printed = sheet.get((address.row, address.column)), block.printed.item(row, column)
        place = f"{address.sheet}!{address.write(address.sheet)}"
        index = np.unravel_index(row * block.scalars.shape[1] + column, block.shape) if block.shape else ()
        of = Reference.parse(block.key).at(*map(int, index)).write()
        if cell is None:
            empty.append(place)
        elif not _is_right(cell, float(value), printed, is_given=block.is_given):
            what = "is given as" if block.is_given else "is"
            shown = cell if isinstance(cell, str) else f"{cell:.15g}"
            yield Finding(
                file=file, message=f"{place} has {shown}, {of} {what} {printed.text}", old=shown, new=printed.text
            )
    if empty:
        rest = f" and {count(len(empty) - 1, 'cell')} more" if len(empty) > 1 else ""
        yield Finding(file=file, message=f"{empty[0]}{rest} of {block.key} {'are' if rest else 'is'} empty")


def _is_right(cell: Value, value: float, printed: Printed, *, is_given: bool) -> bool:
    """Whether a cell holds a number: as a program computes it, or rounded to the printed digits."""
    if isinstance(cell, str):
        return False
    true = cell_value(value)
    if math.isclose(cell, true, rel_tol=NEAR, abs_tol=NEAR if not is_given else 0.0):
        return True
    places = decimals(printed)
    if is_given or places is None or not math.isfinite(value):
        return False
    return abs(Fraction(cell) - Fraction(value)) <= Fraction(51, 100 * 10**places)
