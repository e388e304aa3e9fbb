r"""The files that a LaTeX deck inputs, by ``\input``, ``\include``, ``\subfile``, ``\import`` and ``\subimport``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from seqgen.decks.marks import Input, Marks
from seqgen.decks.sources import FOLDER

# Files of TeX's own that decks input by name, without a folder.
TEX = ["ltx", "fd", "def", "cfg", "sty", "cls", "clo", "pgf", "tikz", "code.tex", "bbl", "toc", "aux"]


def inputs(root: Path, deck: str, part: str, marks: Marks) -> Iterator[tuple[Input, Path]]:
    """Yield what ``part`` of ``deck`` inputs, with the path where TeX finds it, or where it would look first.

    What a macro names, and what lies outside ``root``, is left out.
    """
    root = root.resolve()
    for one in marks.inputs:
        if "#" in one.name + one.folder or "\\" in one.name + one.folder or not one.name:
            continue
        file = one.name if Path(one.name).suffix else f"{one.name}.tex"
        bases: tuple[Path, ...] = (Path(deck).parent, Path(FOLDER), Path(part).parent, Path())
        if one.folder:
            bases = (Path(part if one.below else deck).parent / one.folder, Path(deck).parent / one.folder)
        places = [(root / base / file).resolve() for base in bases]
        inside = [place for place in places if place.is_relative_to(root)]
        if inside:
            yield one, next((place for place in inside if place.is_file()), inside[0])


def missing(root: Path, deck: str, part: str, marks: Marks) -> Iterator[Input]:
    """Yield the inputs that are not there: neither a file of the project nor, by their ending, one of TeX."""
    for one, path in inputs(root, deck, part, marks):
        is_built = path.is_relative_to(root.resolve() / "build")
        if not path.is_file() and not is_built and not one.name.endswith(tuple(f".{end}" for end in TEX)):
            yield one
