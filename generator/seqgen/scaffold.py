"""First files: of a course (`seqgen init`), and of a spec (`seqgen new`). What is there already is never touched."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from seqgen.errors import SpecError
from seqgen.files import write
from seqgen.project import Project, check_name, package_folder
from seqgen.spec.schema import schema_text

SCHEMA = "specs/seqgen.schema.json"
ALWAYS = {"gitignore": ".gitignore", "gitattributes": ".gitattributes"}
EXAMPLES = ("specs/week01/example.yaml", "slides/week01.md")


def course(root: Path) -> Iterator[tuple[str, bool]]:
    """Write what a course begins with into ``root``; yield each path, and whether it was written.

    The example, a spec and a deck that cites it, is for a folder without specs.
    """
    shipped = _shipped()
    is_new = not any((root / "specs").rglob("*.yaml"))
    texts = {path: (shipped / name).read_text(encoding="utf-8") for name, path in ALWAYS.items()}
    texts[SCHEMA] = schema_text()
    if is_new:
        texts |= {path: (shipped / path).read_text(encoding="utf-8") for path in EXAMPLES}
    for path, text in texts.items():
        file = root / path
        yield path, not file.exists() and write(file, text)


def spec(project: Project, name: str, parent: str = "") -> str:
    """Write a spec to begin with and return its path; with ``parent``, one that extends it.

    Raises:
        SpecError: where ``name`` is no spec's name or is taken, or there is no such parent.
    """
    name = name.removeprefix("specs/").removesuffix(".yaml")
    check_name(name)
    path = project.specs / f"{name}.yaml"
    if path.exists():
        raise SpecError(f"there is a spec '{name}' already", code="taken", hint=f"edit {project.relative(path)}")
    if parent:
        project.spec_path(parent)
    words = name.split("/")[-1].replace("-", " ").replace("_", " ")
    text = (_shipped() / ("child.yaml" if parent else "spec.yaml")).read_text(encoding="utf-8")
    write(path, text.format(title=words[:1].upper() + words[1:], parent=parent, up="../" * name.count("/") or "./"))
    return project.relative(path)


def _shipped() -> Path:
    return package_folder("templates", "templates") / "course"
