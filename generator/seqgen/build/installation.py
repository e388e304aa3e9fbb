"""What seqgen is made of here: its own files, and the versions of what it computes with. Imports none of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

# The distributions whose versions can change a byte of what is written, as their folders spell them
LIBRARIES = ("jinja2", "mpmath", "numpy", "orjson", "python_flint", "pyyaml", "sympy")
METADATA = (".dist-info", ".egg-info")


def own_files() -> list[str]:
    """Return the paths of seqgen's own files, sorted."""
    found = []
    for folder, below, names in os.walk(Path(__file__).resolve().parent.parent):
        below[:] = [name for name in below if name != "__pycache__"]
        found += [f"{folder}/{name}" for name in names if name.endswith((".py", ".json"))]
    return sorted(found)


def versions(places: Iterable[str] | None = None) -> dict[str, str]:
    """Return the versions of Python and of the libraries, read off the names of the folders that pip keeps beside them.

    ``places`` are searched in order, by default those that an import searches; `importlib.metadata`, which is slow,
    is asked for what is not there.
    """
    found: dict[str, str] = {}
    for place in sys.path if places is None else places:
        try:
            names = os.listdir(place or ".")  # noqa: PTH208 - a Path each would double the time
        except OSError:
            continue
        here: dict[str, list[str]] = {}
        for name in sorted(names):
            if name.endswith(METADATA):
                library, _, version = name.rpartition(".")[0].partition("-")
                library = library.lower().replace(".", "_")
                if library in LIBRARIES:
                    here.setdefault(library, []).append(version)
        # An upgrade may leave the old folder beside the new one: which of the two is imported, their names don't tell.
        found = {library: " or ".join(kept) for library, kept in here.items()} | found
    for library in LIBRARIES:
        if library not in found:
            found[library] = _asked(library)
    return {"python": sys.version.split()[0], **dict(sorted(found.items()))}


def _asked(library: str) -> str:
    from importlib import metadata

    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return "unknown"
