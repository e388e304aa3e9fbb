"""Closed forms that an earlier build of a spec knew, by content, so that an edit that moves none asks sympy for none.

A file is used only while seqgen, its configuration and its libraries are those that wrote it, and only whole.
`seqgen check` reads none: it computes everything anew.
"""

from __future__ import annotations

import json

from seqgen import files
from seqgen.project import Project
from seqgen.readings.forms import Facts

Rows = dict[str, list[Facts]]


def path_of(name: str) -> str:
    """Return the path of the cache of spec ``name``, from the project's root."""
    return f"build/.forms/{name}.json"


def read(project: Project, name: str, surroundings: str) -> Rows:
    """Return what the cache has of spec ``name``: nothing where another seqgen wrote it, or none did."""
    try:
        head, body = (project.root / path_of(name)).read_text(encoding="utf-8").split("\n", 1)
        if head != _head(surroundings, body):
            return {}
        rows: Rows = json.loads(body)
    except (OSError, ValueError):
        return {}
    return rows


def write(project: Project, name: str, surroundings: str, rows: Rows) -> None:
    """Write what is known of the closed forms of spec ``name``.

    Raises:
        SpecError: where a link leads outside the project.
        OSError: where the file can't be written.
    """
    body = json.dumps(rows, separators=(",", ":")) + "\n"
    project.tree.write(path_of(name), f"{_head(surroundings, body)}\n{body}", durable=False)


def _head(surroundings: str, body: str) -> str:
    return files.sha256(f"{surroundings} {body}".encode())
