"""Numbers for other programs: spreadsheets with live formulas, CSV, numpy, JSON."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

from seqgen.errors import SpecError
from seqgen.export import plain
from seqgen.microscope import open_microscope
from seqgen.project import Project


def export_spec(
    project: Project,
    name: str,
    kind: str,
    *,
    arrays: bool = False,
    blank: bool = False,
    rounds: int = 0,
    printed: bool = False,
) -> Iterator[str]:
    """Write spec ``name`` in the form ``kind`` below ``build/``, and yield the path of each file.

    Raises:
        SeqgenError: where it can't be computed, or what writes the form is not installed.
    """
    microscope = open_microscope(project, name)
    match kind:
        case "xlsx":
            need_xlsx()
            from seqgen.export.workbook import Options, workbook

            content = workbook(microscope, Options(rounds=rounds, arrays=arrays, blank=blank))
            ending = "-blank" * blank + "-arrays" * arrays
            files = {f"build/xlsx/{name}{ending}.xlsx": content}
        case "csv":
            files = {
                f"build/csv/{name}/{path}": text.encode() for path, text in plain.csvs(microscope, printed=printed)
            }
        case "npz":
            files = {f"build/npz/{name}.npz": plain.npz(microscope)}
        case _:
            files = {f"build/json/{name}.json": plain.json(microscope).encode()}
    for path, file in files.items():
        project.tree.write(path, file, durable=False)
        yield path


def one_csv(project: Project, name: str, reference: str, *, printed: bool = False) -> str:
    """Return one value, or ``table NAME``, of a spec as CSV.

    Raises:
        SeqgenError: where there is no such value.
    """
    return plain.one_csv(open_microscope(project, name), reference, printed=printed)


def need_xlsx() -> None:
    """Make sure that spreadsheets can be written and read.

    Raises:
        SpecError: where a library for it is not installed.
    """
    if not all(importlib.util.find_spec(module) for module in ("xlsxwriter", "defusedxml")):
        raise SpecError(
            "spreadsheets need XlsxWriter and defusedxml",
            code="not-installed",
            hint="pip install 'seqgen[xlsx]'",
        )
