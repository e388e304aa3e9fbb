"""LibreOffice without a window: workbooks in, recalculated values and shown digits out.

LibreOffice keeps cached values of a file unless told otherwise; the profile here always recalculates, which wrong cached
values that are planted show.
"""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
import zipfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import openpyxl

PLANTED = "12345"
DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?\Z")
ALWAYS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""
# Comma, quotes, UTF-8, from the first row, cells as shown, all sheets
CSV = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true,false,false,-1"


def convert(files: list[Path], folder: Path, kind: str) -> None:
    """Convert workbooks in one call, in a profile of its own."""
    profile = folder / "profile"
    if not profile.exists():
        (profile / "user").mkdir(parents=True)
        (profile / "user" / "registrymodifications.xcu").write_text(ALWAYS)
    program = shutil.which("soffice")
    assert program is not None
    command = [program, f"-env:UserInstallation={profile.as_uri()}", "--headless", "--convert-to", kind]
    subprocess.run(
        [*command, "--outdir", str(folder), *map(str, files)],
        check=True,
        capture_output=True,
        timeout=60 + 10 * len(files),
    )


def planted(content: bytes) -> bytes:
    """Return a workbook in which every formula's cached value is wrong."""
    result = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(result, "w") as target:
        for name in source.namelist():
            text = source.read(name)
            if name.startswith("xl/worksheets/"):
                text = re.sub(rb"(</f><v>)[^<]*", rb"\g<1>" + PLANTED.encode(), text)
            target.writestr(name, text)
    return result.getvalue()


def recalculated(books: dict[str, bytes], folder: Path) -> dict[str, Any]:
    """Return workbooks, by name, with the values that LibreOffice computes, read by openpyxl."""
    (folder / "in").mkdir(parents=True, exist_ok=True)
    files = [folder / "in" / f"{name}.xlsx" for name in books]
    for file, content in zip(files, books.values(), strict=True):
        file.write_bytes(planted(content))
    convert(files, folder, "xlsx")
    return {name: openpyxl.load_workbook(folder / f"{name}.xlsx", data_only=True) for name in books}


def shown(books: dict[str, bytes], folder: Path) -> dict[str, dict[str, list[list[str]]]]:
    """Return the texts that LibreOffice shows of each workbook, by sheet, after recalculating."""
    (folder / "in").mkdir(parents=True, exist_ok=True)
    files = [folder / "in" / f"{name}.xlsx" for name in books]
    for file, content in zip(files, books.values(), strict=True):
        file.write_bytes(planted(content))
    convert(files, folder, CSV)
    result = {}
    for name, content in books.items():
        sheets = openpyxl.load_workbook(io.BytesIO(content)).sheetnames
        result[name] = {
            sheet: list(csv.reader((folder / f"{name}-{sheet}.csv").read_text(encoding="utf-8").splitlines()))
            for sheet in sheets
        }
    return result


def edited(content: bytes, changes: dict[tuple[str, int, int], float]) -> bytes:
    """Return a workbook with other numbers in some cells, by sheet, row and column counted from 0."""
    book = openpyxl.load_workbook(io.BytesIO(content))
    for (sheet, row, column), value in changes.items():
        cell = book[sheet].cell(row + 1, column + 1)
        assert not cell.protection.locked
        cell.value = value
    result = io.BytesIO()
    book.save(result)
    return result.getvalue()


def is_shown(text: str, printed: str, value: Any) -> bool:
    """Whether a cell's text stands for a printed number: its digits, or more of them where it is a tie or vanishes.

    A closed form, such as 1/3, is shown as a decimal.
    """
    text = text.replace("−∞", "-inf").replace("∞", "inf")
    if text == printed or text.startswith(("Err", "#")) or text.endswith("inf"):
        return text == printed
    found, true = Fraction(text), Fraction(value)
    if DECIMAL.match(printed) and Fraction(printed) != 0:
        return found in (Fraction(printed), true)
    mantissa, _, exponent = text.partition("E")
    unit = Fraction(10) ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return abs(found - true) <= Fraction(51, 100) * unit


def cells(book: Any, name: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the sheet and the cells, counted from 0, that a name of a workbook stands for."""
    ((sheet, area),) = book.defined_names[name].destinations
    ranges = openpyxl.utils.range_boundaries(area.replace("$", ""))
    left, top, right, bottom = ranges
    return sheet, [(row - 1, column - 1) for row in range(top, bottom + 1) for column in range(left, right + 1)]
