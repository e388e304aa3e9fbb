"""First files: of a course (`seqgen init`), and of a spec (`seqgen new`). What is there already is never touched."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from seqgen.errors import Source, SpecError
from seqgen.files import Tree
from seqgen.project import LIBRARY, Project, bare_name, check_name, package_folder
from seqgen.spec.document import Mapping, parse, plain
from seqgen.spec.schema import schema_text

SCHEMA = "specs/seqgen.schema.json"
ALWAYS = {"gitignore": ".gitignore", "gitattributes": ".gitattributes"}
EXAMPLES = ("specs/week01/example.yaml", "slides/week01.md")


def course(root: Path) -> Iterator[tuple[str, bool]]:
    """Write what a course begins with into ``root``; yield each path, and whether it was written.

    The example, a spec and a deck that cites it, is for a folder without specs.

    Raises:
        SpecError: where a link leads outside ``root``.
    """
    shipped = _shipped()
    is_new = not any((root / "specs").rglob("*.yaml"))
    texts = {path: (shipped / name).read_text(encoding="utf-8") for name, path in ALWAYS.items()}
    texts[SCHEMA] = schema_text()
    if is_new:
        texts |= {path: (shipped / path).read_text(encoding="utf-8") for path in EXAMPLES}
    for path, text in texts.items():
        file = root / path
        yield path, not (file.exists() or file.is_symlink()) and Tree(root).write(path, text)


def spec(project: Project, name: str, parent: str = "") -> str:
    """Write a spec to begin with and return its path; with ``parent``, one that extends it.

    Raises:
        SpecError: where ``name`` is no spec's name or is taken, or there is no such parent.
    """
    name, parent = bare_name(name), bare_name(parent)
    check_name(name)
    path = f"specs/{name}.yaml"
    if (project.root / path).exists() or (project.root / path).is_symlink():
        raise SpecError(f"there is a spec '{name}' already", code="taken", hint=f"edit {path}")
    if name.startswith(f"{LIBRARY}/"):
        hint = f"choose another folder; or write {path} yourself: a title, and functions under 'steps'"
        raise SpecError(f"'{name}' would be a library: it holds functions, and is not built", code="library", hint=hint)
    if parent:
        project.spec_path(parent)
    words = name.split("/")[-1].replace("-", " ").replace("_", " ").strip()
    text = (_shipped() / ("child.yaml" if parent else "spec.yaml")).read_text(encoding="utf-8")
    title = _quoted(words[:1].upper() + words[1:] or name)
    up = "../" * name.count("/") or "./"
    project.tree.write(path, text.format(title=title, parent=_quoted(parent), up=up))
    return path


def _quoted(text: str) -> str:
    """Return ``text`` as YAML reads it as text: in quotes where it would be a number, nothing or true without."""
    try:
        found = parse(Source(name="", text=f"text: {text}\n"))
    except SpecError:
        found = None
    is_text = isinstance(found, Mapping) and plain(found) == {"text": text}
    return text if is_text else json.dumps(text, ensure_ascii=False)


def _shipped() -> Path:
    return package_folder("templates", "templates") / "course"
