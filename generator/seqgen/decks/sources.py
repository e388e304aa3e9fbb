"""Where decks are: the files under ``slides/``, and what the command line calls them. Imports nothing heavy."""

from __future__ import annotations

import re
from pathlib import Path

from seqgen.errors import SpecError, nearest
from seqgen.project import Project

FOLDER = "slides"
MARKDOWN = (".md", ".qmd")
ENDINGS = (*MARKDOWN, ".tex")
WOVEN = "build/slides"
STYLE = "seqgen.sty"
DOCUMENT = re.compile(r"^[^%\n]*\\begin\s*\{document\}", re.MULTILINE)


def deck_names(project: Project) -> list[str]:
    """Return the decks by their paths from the root, sorted: Markdown files, and TeX files with a document in them.

    Other TeX files are parts, read with the deck that inputs them.
    """
    folder = project.root / FOLDER
    found = [p for p in folder.rglob("*") if p.suffix in ENDINGS and p.is_file()] if folder.is_dir() else []
    names = {project.relative(p): p for p in found if not _is_hidden(p.relative_to(folder))}
    return sorted(name for name, path in names.items() if path.suffix in MARKDOWN or _is_document(path))


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") or part == "node_modules" for part in path.parts)


def _is_document(path: Path) -> bool:
    """Whether a TeX file is a deck; one that can't be read is, so that it is told."""
    try:
        text = path.read_bytes().decode("utf-8", errors="replace")
    except OSError:
        return True
    return bool(DOCUMENT.search(text))


def select(project: Project, wanted: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Return the specs and the decks that the command line names; all of both for nothing.

    A deck is named by its file, or by its folder.

    Raises:
        SpecError: where a word matches neither.
    """
    decks = deck_names(project)
    if not wanted:
        return project.select(()), decks
    specs: list[str] = []
    chosen: list[str] = []
    for word in wanted:
        name = word.removeprefix("./").removesuffix("/")
        matches = [deck for deck in decks if deck == name or deck.startswith(f"{name}/")]
        if not matches and Path(name).suffix == ".tex" and (project.root / name).is_file():
            raise SpecError(
                f"'{word}' is no deck of its own",
                code="no-such-deck",
                expected=r"a file under slides/ with \begin{document}",
                hint="a part is read with the deck that inputs it: name that deck",
            )
        if not matches and Path(name).suffix in ENDINGS:
            raise SpecError(f"there is no deck '{word}'", code="no-such-deck", hint=nearest(name, decks))
        chosen += [deck for deck in matches if deck not in chosen]
        if not matches:
            specs += [spec for spec in project.select((word,)) if spec not in specs]
    return specs, chosen


def numbers_path(deck: str) -> str:
    """Return the path of the file that holds the numbers of a LaTeX deck."""
    return f"{WOVEN}/{deck.removeprefix(FOLDER + '/').removesuffix('.tex')}.seq.tex"


def woven_path(deck: str) -> str:
    """Return the path of a woven Markdown deck."""
    return f"{WOVEN}/{deck.removeprefix(FOLDER + '/')}"


def woven_paths(deck: str) -> tuple[str, ...]:
    """Return the paths of all files that a deck is made into."""
    return (woven_path(deck),) if deck.endswith(MARKDOWN) else (numbers_path(deck), f"{WOVEN}/{STYLE}")
