"""Nothing outside the project is read into a page or written, whatever links and paths say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from seqgen.build import build
from seqgen.errors import SeqgenError
from seqgen.project import Project

SECRET = "title: secret\nsteps: |\n  a = 12345\n"


def _spec(root: Path, outside: Path) -> None:
    (root / "specs/link.yaml").symlink_to(outside / "secret")


def _parent(root: Path, outside: Path) -> None:
    (root / "specs/library").symlink_to(outside)
    (outside / "functions.yaml").write_text(SECRET)
    (root / "specs/example.yaml").write_text("title: t\nuse: [library/functions]\nsteps: |\n  b = 1\n")


def _deck(root: Path, outside: Path) -> None:
    (root / "slides/link.md").symlink_to(outside / "secret")


def _template(root: Path, outside: Path) -> None:
    (root / "templates/markdown/values.md.j2").write_text("{% include 'part' %}")
    (root / "templates/markdown/part").symlink_to(outside / "secret")


def _absolute(root: Path, outside: Path) -> None:
    (root / "templates/markdown/values.md.j2").write_text(f"{{% include '{outside}/secret' %}}")


def _upwards(root: Path, outside: Path) -> None:
    (root / "templates/markdown/values.md.j2").write_text("{% import '../../../outside/secret' as x %}")


def _ledger(root: Path, outside: Path) -> None:
    (root / "ledgers").mkdir()
    (root / "ledgers/example.json").symlink_to(outside / "written")


def _ledgers(root: Path, outside: Path) -> None:
    (root / "ledgers").symlink_to(outside)


def _pages(root: Path, outside: Path) -> None:
    (root / "build").symlink_to(outside)


def _folder_of_pages(root: Path, outside: Path) -> None:
    (root / "build").mkdir()
    (root / "build/latex").symlink_to(outside)


@pytest.mark.parametrize(
    "way",
    [_spec, _parent, _deck, _template, _absolute, _upwards, _ledger, _ledgers, _pages, _folder_of_pages],
    ids=lambda way: way.__name__[1:],
)
def test_a_way_out_is_closed(tmp_path: Path, way: Callable[[Path, Path], None]) -> None:
    """A message says so, what lies outside stays as it is, and none of it reaches a page."""
    root, outside = tmp_path / "course", tmp_path / "outside"
    outside.mkdir()
    for folder in ("specs", "slides", "templates/markdown"):
        (root / folder).mkdir(parents=True)
    (root / "specs/example.yaml").write_text("title: t\nsteps: |\n  a = 1\n")
    (outside / "secret").write_text(SECRET)
    way(root, outside)
    before = sorted(outside.iterdir())
    try:
        codes = {error.code for error in build(Project(root)).errors}
    except SeqgenError as problem:
        codes = {problem.code}
    assert codes
    assert codes <= {"path", "template", "no-such-spec"}
    assert sorted(outside.iterdir()) == before
    found = (path for folder in ("build", "ledgers") for path in (root / folder).rglob("*") if path.is_file())
    made = [path for path in found if path.resolve().is_relative_to(root)]
    assert [path for path in made if "12345" in path.read_text(encoding="utf-8")] == []
