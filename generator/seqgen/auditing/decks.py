"""Which decks `seqgen check` audits, and what the command line calls them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from seqgen.auditing.formats import READERS
from seqgen.decks.sources import FOLDER, deck_names
from seqgen.decks.sources import select as select_woven
from seqgen.errors import SpecError
from seqgen.project import Project

LEFT_OUT = ("build", "ledgers", "node_modules")


def audited(project: Project) -> list[str]:
    """Return the decks whose typed numbers `check` audits, by their paths from the root, sorted.

    Raises:
        SpecError: where a pattern of the setting ``audit`` leads outside the project or matches no deck.
    """
    place = project.setting("audit")
    found: set[str] = set()
    for pattern in project.configuration.audit:
        if Path(pattern).is_absolute() or ".." in Path(pattern).parts or not pattern.strip():
            raise SpecError(f"'{pattern}' leads outside the project", code="path", span=place)
        matches = {project.relative(path) for path in _matches(project.root, pattern) if _is_deck(project.root, path)}
        if not matches and place is not None:
            raise SpecError(
                f"'audit' names no deck: '{pattern}'",
                code="configuration",
                span=place,
                expected=f"files that end in {', '.join(READERS)}, folders of them, or patterns such as 'notes/*.html'",
            )
        found |= matches
    return sorted(found)


def _matches(root: Path, pattern: str) -> Iterator[Path]:
    for path in root.glob(pattern):
        yield from path.rglob("*") if path.is_dir() else [path]


def _is_deck(root: Path, path: Path) -> bool:
    parts = path.relative_to(root).parts
    hidden = any(part.startswith(".") or part in LEFT_OUT for part in parts)
    is_inside = path.resolve().is_relative_to(root.resolve())
    return path.suffix.lower() in READERS and path.is_file() and not hidden and is_inside


def select(project: Project, wanted: tuple[str, ...]) -> tuple[list[str], list[str], list[str]]:
    """Return the specs, the decks that are woven and the decks that are audited which the command line names.

    All of each for nothing; a deck is named by its file or its folder.

    Raises:
        SpecError: where a word matches none, or the setting ``audit`` is wrong.
    """
    known, woven = audited(project), deck_names(project)
    if not wanted:
        return project.select(()), woven, known
    chosen: list[str] = []
    others: list[str] = []
    for word in wanted:
        name = word.removeprefix("./").removesuffix("/")
        matches = _named(name, known)
        chosen += [deck for deck in matches if deck not in chosen]
        if not matches or _named(name, woven):
            others.append(word)
    specs, decks = select_woven(project, tuple(others)) if others else ([], [])
    return specs, decks, chosen


def _named(name: str, decks: Sequence[str]) -> list[str]:
    return [deck for deck in decks if deck == name or deck.startswith(f"{name}/")]


def is_part(project: Project, deck: str) -> bool:
    """Whether a file of ``slides/`` is no deck of its own, but is taken in by one."""
    return deck.startswith(f"{FOLDER}/") and deck.endswith(".tex") and deck not in deck_names(project)
