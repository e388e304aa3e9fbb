"""Reads a workbook that anybody may have edited: its cells' values, as data. Nothing in it is run or followed.

A file may be hostile, so that it is read part by part: no more than a workbook of ours can hold, XML without a document
type (by defusedxml), and nothing where there are macros, embedded objects or links to elsewhere.
"""

from __future__ import annotations

import io
import math
import re
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from seqgen.errors import SpecError

MOST_BYTES = 8_000_000
MOST_UNPACKED = 32_000_000
MOST_PARTS = 1000
MOST_CELLS = 200_000
REFUSED = {
    "vbaproject": "macros",
    "macrosheets/": "macros",
    "activex/": "controls",
    "externallinks/": "links to other workbooks",
    "embeddings/": "embedded objects",
    "connections.xml": "connections to data elsewhere",
    "querytables/": "queries",
}
CELL = re.compile(r"\$?([A-Z]{1,3})\$?([0-9]{1,7})\Z")
AREA = re.compile(r"(?:'((?:[^']|'')+)'|([^'!]+))!(\$?[A-Z]{1,3}\$?[0-9]{1,7})(?::(\$?[A-Z]{1,3}\$?[0-9]{1,7}))?\Z")

Value = float | str


@dataclass(frozen=True, kw_only=True)
class Read:
    """A workbook: ``subject`` is the spec that it names, ``sheets`` the values of cells by row and column from 0.

    ``names`` give a sheet with the first and the last cell.
    """

    subject: str
    sheets: dict[str, dict[tuple[int, int], Value]]
    names: dict[str, tuple[str, tuple[int, int], tuple[int, int]]]


def read(path: Path) -> Read:
    """Return the values in a workbook.

    Raises:
        SpecError: where it is none, or holds what is not read.
        OSError: where the file can't be read.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise _refusal(path, f"it has more than {MOST_BYTES:,} bytes")
        return _read(path, path.read_bytes())
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, RuntimeError):
        raise _refusal(path, "it is no workbook in the format xlsx") from None
    except (ParseError, KeyError, ValueError, IndexError):  # defusedxml's refusals are ValueErrors
        raise _refusal(path, "its XML is not that of a workbook") from None


def _refusal(path: Path, why: str) -> SpecError:
    hint = "save it as .xlsx, without macros and links"
    return SpecError(f"{path.name} is not read: {why}", code="spreadsheet", hint=hint)


def _read(path: Path, content: bytes) -> Read:
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        parts = file.infolist()
        if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > MOST_UNPACKED:
            raise _refusal(path, f"unpacked it is larger than {MOST_UNPACKED:,} bytes")
        for part in parts:
            for sign, what in REFUSED.items():
                if sign in part.filename.lower():
                    raise _refusal(path, f"it has {what}")
            if part.filename.endswith(".rels") and any(
                relation.get("TargetMode") == "External" for relation in _parse(file.read(part))
            ):
                raise _refusal(path, "it has links to elsewhere")
        return _workbook(path, file)


def _parse(content: bytes) -> Element:
    from defusedxml.ElementTree import fromstring

    root: Element = fromstring(content, forbid_dtd=True)
    return root


def _all(root: Element, name: str) -> list[Element]:
    """Return the elements of a name, whatever namespace of the two editions of the format they have."""
    return [element for element in root.iter() if element.tag.rpartition("}")[2] == name]


def _workbook(path: Path, file: zipfile.ZipFile) -> Read:
    present = set(file.namelist())
    book = _parse(file.read("xl/workbook.xml"))
    targets = {r.get("Id"): r.get("Target", "") for r in _parse(file.read("xl/_rels/workbook.xml.rels"))}
    texts = _texts(file) if "xl/sharedStrings.xml" in present else []
    sheets: dict[str, dict[tuple[int, int], Value]] = {}
    count = 0
    for sheet in _all(book, "sheet"):
        (relation,) = (value for key, value in sheet.attrib.items() if key.rpartition("}")[2] == "id" and "}" in key)
        target = targets[relation]
        part = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
        cells = _all(_parse(file.read(part)), "c")
        count += len(cells)
        if count > MOST_CELLS:
            raise _refusal(path, f"it has more than {MOST_CELLS:,} cells")
        sheets[sheet.get("name", "")] = dict(filter(None, (_cell(cell, texts) for cell in cells)))
    core = _parse(file.read("docProps/core.xml")) if "docProps/core.xml" in present else None
    subjects = [element.text or "" for element in _all(core, "subject")] if core is not None else []
    return Read(
        subject="".join(subjects[:1]), sheets=sheets, names=dict(filter(None, map(_name, _all(book, "definedName"))))
    )


def _texts(file: zipfile.ZipFile) -> list[str]:
    return [
        "".join(t.text or "" for t in _all(item, "t")) for item in _all(_parse(file.read("xl/sharedStrings.xml")), "si")
    ]


def _cell(cell: Element, texts: list[str]) -> tuple[tuple[int, int], Value] | None:
    """Return where a cell is and its value; ``None`` where it is empty."""
    found = next((part.text for part in cell if part.tag.rpartition("}")[2] == "v"), None)
    place, kind = position(cell.get("r", "")), cell.get("t", "n")
    if kind == "inlineStr":
        return place, "".join(t.text or "" for t in _all(cell, "t"))
    if found is None:
        return None
    if kind == "s":
        return place, texts[int(found)]
    value: Any = found if kind in ("str", "e", "b", "d") else float(found)
    return (place, value) if isinstance(value, str) or math.isfinite(value) else None


def position(reference: str) -> tuple[int, int]:
    """Return the row and the column, counted from 0, of a reference such as ``$B$7``.

    Raises:
        ValueError: where it is none.
    """
    match = CELL.match(reference)
    if match is None:
        raise ValueError(reference)
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - 64
    return int(match[2]) - 1, column - 1


def _name(element: Element) -> tuple[str, tuple[str, tuple[int, int], tuple[int, int]]] | None:
    match = AREA.match(element.text or "")
    if match is None:
        return None
    sheet = match[1].replace("''", "'") if match[1] else match[2]
    return element.get("name", ""), (sheet, position(match[3]), position(match[4] or match[3]))
