"""Spreadsheets that come back: compared cell by cell, and refused where they could do anything but hold numbers."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from seqgen.cli import main
from seqgen.errors import SpecError
from seqgen.export import reader
from seqgen.export.workbook import workbook
from seqgen.microscope import open_microscope
from seqgen.project import Project

SPEC = "title: t\ngiven: {x: {value: [0.5, 2]}}\nsteps: |\n  y = x / 3\n  z = sum(y)\n"
SHEET = "xl/worksheets/sheet1.xml"


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the workbook of a small spec: x stands in E5:F5, y in E6:F6, z in E7."""
    root = tmp_path_factory.mktemp("book")
    (root / "specs").mkdir()
    (root / "specs" / "one.yaml").write_text(SPEC)
    return workbook(open_microscope(Project(root), "one"))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Return a runner of the check of a workbook, whose bytes it is given, in the project of the small spec."""
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "one.yaml").write_text(SPEC)
    monkeypatch.chdir(tmp_path)

    def check(book: bytes, *more: str) -> Result:
        Path("homework.xlsx").write_bytes(book)
        return CliRunner().invoke(main, ["check", "--xlsx", "homework.xlsx", *more], catch_exceptions=False)

    return check


def parts(book: bytes) -> dict[str, bytes]:
    """Return the files in a workbook."""
    with zipfile.ZipFile(io.BytesIO(book)) as file:
        return {name: file.read(name) for name in file.namelist()}


def packed(files: dict[str, bytes]) -> bytes:
    """Return a workbook of files."""
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in files.items():
            file.writestr(name, text)
    return result.getvalue()


def written(book: bytes, cell: str, value: str) -> bytes:
    """Return a workbook with another value in a cell of its first sheet."""
    files = parts(book)
    pattern = rf'(<c r="{cell}"[^>]*>(?:<f>[^<]*</f>)?)<v>[^<]*</v>'.encode()
    files[SHEET], count = re.subn(pattern, rb"\1" + value.encode(), files[SHEET])
    assert count == 1
    return packed(files)


def test_an_exported_workbook_is_in_order(run: Callable[..., Result], content: bytes) -> None:
    """Its spec is known from the file, and every cell is counted."""
    result = run(content)
    assert (result.exit_code, result.output) == (0, "1 spec, 5 cells: in order\n")


@pytest.mark.parametrize(
    ("cell", "value", "said"),
    [
        ("F6", "<v>0.6</v>", "Forward!F6 has 0.6, y[1] is 0.6667"),
        ("E7", "<v>0.8</v>", "Forward!E7 has 0.8, z is 0.8333"),
        ("E5", "<v>0.50001</v>", "Forward!E5 has 0.50001, x[0] is given as 0.5"),
        ("E6", "", "Forward!E6 of y is empty"),
    ],
)
def test_a_cell_that_differs_is_reported(
    run: Callable[..., Result], content: bytes, cell: str, value: str, said: str
) -> None:
    """With its sheet, its cell, what it holds, and the ledger's number."""
    result = run(written(content, cell, value))
    assert result.exit_code == 1
    assert f"homework.xlsx: spreadsheet: {said}\n" in result.output


def test_a_number_rounded_to_the_printed_digits_is_right(run: Callable[..., Result], content: bytes) -> None:
    """A student writes 0.6667 for two thirds; 0.6666 has another last digit."""
    assert run(written(content, "F6", "<v>0.6667</v>")).exit_code == 0
    assert run(written(content, "F6", "<v>0.6666</v>")).exit_code == 1


def test_words_and_errors_in_cells_are_reported(run: Callable[..., Result], content: bytes) -> None:
    """As they stand there."""
    book = written(content, "E7", "<v>#DIV/0!</v>")
    files = parts(book)
    files[SHEET] = files[SHEET].replace(b'<c r="E7"', b'<c r="E7" t="e"')
    assert "Forward!E7 has #DIV/0!, z is 0.8333" in run(packed(files)).output


def test_a_workbook_that_names_no_spec_is_compared_with_the_one_named(
    run: Callable[..., Result], content: bytes
) -> None:
    """Some programs drop the properties of a file."""
    files = parts(content)
    del files["docProps/core.xml"]
    refused, told = run(packed(files)), run(packed(files), "one")
    assert "error[spreadsheet]: homework.xlsx does not say which spec it is of" in refused.output
    assert (refused.exit_code, told.exit_code) == (2, 0)


DTD = b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
EXTERNAL = b'<Relationships><Relationship Id="r" Target="http://example.org/" TargetMode="External"/></Relationships>'
HOSTILE: dict[str, Callable[[dict[str, bytes]], dict[str, bytes]]] = {
    "macros": lambda f: {**f, "xl/vbaProject.bin": b"\0"},
    "links to other workbooks": lambda f: {**f, "xl/externalLinks/externalLink1.xml": b"<x/>"},
    "links to elsewhere": lambda f: {**f, "xl/worksheets/_rels/sheet1.xml.rels": EXTERNAL},
    "embedded objects": lambda f: {**f, "xl/embeddings/oleObject1.bin": b"\0"},
    "connections": lambda f: {**f, "xl/connections.xml": b"<x/>"},
    "larger than": lambda f: {**f, "xl/media/image1.png": bytes(40_000_000)},
    "its XML": lambda f: {**f, SHEET: f[SHEET].replace(b"<worksheet", DTD + b"<worksheet", 1)},
    "its XML is not that": lambda f: {**f, SHEET: (DTD + b"<worksheet/>").decode().encode("utf-16")},
    "is not that of a workbook": lambda f: {**f, SHEET: b"<worksheet><sheetData>"},
    "XML is not": lambda f: {**f, SHEET: f[SHEET].replace(b'r="E6"', b'r="E99999999"')},
    "200,000 cells": lambda f: {**f, SHEET: b"<worksheet>" + b'<c r="A1"/>' * 200_001 + b"</worksheet>"},
}


@pytest.mark.parametrize(("said", "make"), HOSTILE.items(), ids=HOSTILE)
def test_a_hostile_workbook_is_refused(
    tmp_path: Path, content: bytes, said: str, make: Callable[[dict[str, bytes]], dict[str, bytes]]
) -> None:
    """Macros, links, objects, bombs and document types: the whole file is refused, and it is said why."""
    path = tmp_path / "homework.xlsx"
    path.write_bytes(packed(make(parts(content))))
    with pytest.raises(SpecError, match=said) as found:
        reader.read(path)
    assert found.value.code == "spreadsheet"


def test_a_cell_far_away_takes_no_memory(tmp_path: Path, content: bytes) -> None:
    """Only cells that are there are kept, wherever they are."""
    files = parts(content)
    files[SHEET] = files[SHEET].replace(b"</sheetData>", b'<row><c r="XFD1048576"><v>1</v></c></row></sheetData>')
    files[SHEET] = files[SHEET].replace(b'<dimension ref="A1', b'<dimension ref="A1:XFD1048576" was="A1')
    path = tmp_path / "homework.xlsx"
    path.write_bytes(packed(files))
    assert reader.read(path).sheets["Forward"][1048575, 16383] == 1


@settings(max_examples=60)
@given(data=st.data())
def test_a_broken_workbook_is_a_message(content: bytes, tmp_path_factory: Any, data: st.DataObject) -> None:
    """Whatever bytes are changed, in the file or in its parts, nothing but a refusal or values comes of it."""
    files = parts(content)
    inside = data.draw(st.booleans())
    name = data.draw(st.sampled_from(sorted(files)))
    raw = bytearray(files[name] if inside else content)
    for _ in range(data.draw(st.integers(1, 5))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "broken.xlsx"
    path.write_bytes(packed({**files, name: bytes(raw)}) if inside else bytes(raw))
    assert outcome(path) in ("Read", "spreadsheet")


def outcome(path: Path) -> str:
    """Return the kind of what is read, or the code of the refusal."""
    try:
        return type(reader.read(path)).__name__
    except SpecError as problem:
        return problem.code
