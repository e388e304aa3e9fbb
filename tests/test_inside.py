"""Builds write and remove nothing outside the project, wherever links and notes lead, and one fault ends no build."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from seqgen import files
from seqgen.build import build
from seqgen.build.state import STATE
from seqgen.cli import main
from seqgen.errors import SpecError
from seqgen.project import Project

TABLES = "title: t\nsteps: |\n  b = [1, 2]\ntables: {old: {columns: {b: 'b[0]'}}}\n"
FORMS = "title: t\nsteps: |\n  b = sqrt(2)\n"


@pytest.fixture
def course(tmp_path: Path) -> Project:
    """Return a project with two specs, a deck with a block and one without, beside a folder that is not its own."""
    root = tmp_path / "course"
    for folder in ("specs", "slides", "shared"):
        (root / folder).mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/.kept.tmp").write_text("mine")
    (root / "specs/a.yaml").write_text(TABLES)
    (root / "specs/b.yaml").write_text(FORMS)
    (root / "slides/block.md").write_text("<!-- seqgen: a: b[1] -->0<!-- /seqgen -->\n")
    (root / "slides/plain.md").write_text("\\seq{a: b[1]}\n")
    return Project(root)


def outside(course: Project) -> list[str]:
    """Return what lies beside the project."""
    return sorted(path.name for path in (course.root.parent / "outside").rglob("*"))


@pytest.mark.parametrize("folder", ["build/.scratch", "build/.lock", "build/.forms", "build", "build/latex", "ledgers"])
def test_a_link_that_leads_out_is_told_and_not_followed(course: Project, folder: str) -> None:
    """Nothing is made there, and nothing removed."""
    link = course.root / folder
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(course.root.parent / "outside")
    try:
        problems: list[Any] = build(course).errors
    except SpecError as problem:
        problems = [problem]
    assert {problem.code for problem in problems} == {"path"}
    assert outside(course) == [".kept.tmp"]


def test_only_unfinished_files_are_removed(course: Project) -> None:
    """What somebody else put into build/.scratch stays."""
    (course.root / "build/.scratch").mkdir(parents=True)
    for name in ("notes.md", ".a.json.x.tmp"):
        (course.root / "build/.scratch" / name).touch()
    build(course)
    assert [path.name for path in (course.root / "build/.scratch").iterdir()] == ["notes.md"]


def test_a_folder_that_is_made_a_link_is_left(course: Project) -> None:
    """Also where it was a folder when it was first looked at, and the link stays inside the project."""
    build(course)
    tree = files.Tree(course.root)
    assert tree.locate("build/latex/a", "build") == course.root.resolve() / "build/latex/a"
    (course.root / "build").rename(course.root / "before")
    (course.root / "build").symlink_to("specs")
    with pytest.raises(SpecError, match="leads outside build"):
        tree.locate("build/latex/a", "build")


@pytest.mark.parametrize("place", ["name", "output"])
def test_notes_that_were_tampered_with_remove_nothing_outside_build(course: Project, place: str) -> None:
    """Neither by a target's name nor by a path."""
    build(course)
    victim = course.root / "victim.json"
    victim.write_text("mine")
    notes = json.loads((course.root / STATE).read_text())
    target = notes["targets"]["a"]
    if place == "name":
        notes["targets"]["../../victim"] = target
    else:
        outside = ["victim.json", "build/../victim.json", "a\0b"]
        numbers = range(len(notes["contents"]), len(notes["contents"]) + len(outside))
        notes["contents"] += [[path, ""] for path in outside]
        notes["stamps"] += [[] for _ in outside]
        notes["targets"]["gone"] = {**target, "outputs": list(numbers)}
    (course.root / STATE).write_text(json.dumps(notes))
    assert build(course).errors == []
    assert victim.read_text() == "mine"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda notes: {**notes, "targets": {"a": {}}},
        lambda notes: {**notes, "targets": []},
        lambda notes: {**notes, "targets": {"a": {**notes["targets"]["a"], "failed": [1]}}},
        lambda notes: {**notes, "surroundings": {"parts": notes["surroundings"]["parts"]}},
        lambda notes: {**notes, "contents": [], "stamps": []},
        lambda notes: {**notes, "stamps": []},
        lambda notes: {**notes, "contents": [["specs/a.yaml"], *notes["contents"][1:]]},
        lambda notes: {**notes, "contents": [[1, *row[1:]] for row in notes["contents"]]},
        lambda notes: [notes],
    ],
)
def test_malformed_notes_only_mean_more_work(course: Project, spoil: Callable[[Any], Any]) -> None:
    """They are as good as none."""
    build(course)
    notes = course.root / STATE
    notes.write_text(json.dumps(spoil(json.loads(notes.read_text()))))
    report = build(course)
    assert (set(report.built), report.errors) == ({"a", "b"}, [])


def test_a_deck_with_blocks_keeps_its_rights(course: Project) -> None:
    """It is renewed, not replaced by another file."""
    deck = course.root / "slides/block.md"
    deck.chmod(0o600)
    build(course)
    assert ">2<" in deck.read_text()
    assert deck.stat().st_mode & 0o777 == 0o600


def test_a_deck_behind_a_link_is_renewed_where_it_lies(course: Project) -> None:
    """The link stays one."""
    link, shared = course.root / "slides/link.md", course.root / "shared/b.md"
    (course.root / "slides/block.md").rename(shared)
    link.symlink_to("../shared/b.md")
    assert build(course).errors == []
    assert link.is_symlink()
    assert ">2<" in shared.read_text()


@pytest.mark.parametrize("place", ["ledgers/a.json", "build/latex/a/values.tex", "build/.forms/b.json", STATE])
def test_what_can_not_be_written_hinders_nothing_else(course: Project, place: str) -> None:
    """Where a folder has the name of a file, all others are written and noted, and the fault is told."""
    (course.root / place).mkdir(parents=True)
    report = build(course)
    assert [problem.code for problem in report.errors] == ["files"]
    assert str(course.root / place) in report.errors[0].message
    assert (course.root / "build/slides/plain.md").is_file()
    assert (course.root / "ledgers/b.json").is_file() != ("b.json" in place)
    (course.root / place).rmdir()
    again = build(course)
    assert again.errors == []
    assert set(again.built) == ({"a", "b"} if place == STATE else {"b"} if "b.json" in place else {"a"})


def test_what_was_moved_aside_is_told_where_the_build_fails(course: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hand-edited page is not lost from sight."""
    build(course)
    (course.root / "build/latex/a/table-old.tex").write_text("mine\n")
    (course.root / "build/latex/a/values.tex").unlink()
    (course.root / "build/latex/a/values.tex").mkdir()
    monkeypatch.chdir(course.root)
    done = CliRunner().invoke(main, ["build"])
    assert done.exit_code == 2
    assert "Is a directory" in done.stderr
    assert "warning: build/latex/a/table-old.tex was edited by hand" in done.stderr


def test_a_watch_goes_on_where_the_system_refuses_a_file(
    course: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is told, and the next change is built."""
    from seqgen.cli.build import _watch

    answers = iter([OSError(13, "Permission denied", "pyproject.toml"), 7])

    def once(*_: Any, **__: Any) -> int:
        answer = next(answers)
        if isinstance(answer, OSError):
            raise answer
        return answer

    def moments(*_: Any, **__: Any) -> Any:
        yield from (None, None)
        raise KeyboardInterrupt

    monkeypatch.setattr("seqgen.build.watch.moments", moments)
    assert _watch(course, once, poll=True) == 7
    assert "error[files]: pyproject.toml: Permission denied" in capsys.readouterr().err


def test_a_deck_that_goes_away_during_a_build_hinders_nothing_else(course: Project) -> None:
    """It is told, and the others are woven."""

    def said(name: str, _: str) -> None:
        if name == "b":
            (course.root / "slides/block.md").unlink()

    report = build(course, said=said)
    assert report.failed == ["slides/block.md"]
    assert report.errors[0].message.endswith("slides/block.md: No such file or directory")
    assert (course.root / "build/slides/plain.md").is_file()


def test_a_failed_build_forgets_nothing_that_it_made(course: Project) -> None:
    """After a mistake is mended and a table renamed, the pages of its old name go away."""
    build(course)
    spec = course.root / "specs/a.yaml"
    spec.write_text(TABLES.replace("[1, 2]", "nothing"))
    assert build(course).failed[0] == "a"
    spec.write_text(TABLES.replace("old", "new"))
    report = build(course)
    assert report.built["a"] == "its last build failed"
    assert "build/latex/a/table-old.tex" in report.removed
    assert sorted(p.name for p in (course.root / "build/latex/a").glob("table-*")) == ["table-new.tex"]


@pytest.mark.parametrize("path", ["..", "../outside", "build/../../outside", "/etc", "a\0b"])
def test_a_path_that_leads_out_is_refused(course: Project, path: str) -> None:
    """However it is written."""
    with pytest.raises(SpecError, match="leads outside"):
        files.Tree(course.root).locate(path)


@pytest.mark.parametrize(("name", "code"), [("seqgen.sty", "encoding"), ("values.tex.j2", "encoding")])
def test_a_template_that_is_not_utf8_is_told(course: Project, name: str, code: str) -> None:
    """As a mistake of what it is used for; the decks in Markdown are woven."""
    (course.root / "templates/latex").mkdir(parents=True)
    (course.root / "templates/latex" / name).write_bytes(b"\xff")
    (course.root / "slides/deck.tex").write_text("\\begin{document}\\end{document}\n")
    report = build(course)
    assert {problem.code for problem in report.errors} == {code}
    assert (course.root / "build/slides/plain.md").is_file()
