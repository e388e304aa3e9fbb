"""Builds: by content, whole files only, and nothing heavy where there is nothing to do."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from seqgen import files
from seqgen.build import build, installation

SPEC = "title: t\nextends: parent\nuse: [library/functions]\nsteps: |\n  c = b + 1\n"
PARENT = "title: p\ngiven:\n  a: {value: [1, 2]}\nsteps: |\n  b = double(a)\n"
LIBRARY = "title: l\nsteps: |\n  def double(x):\n      return 2 * x\n"
PARENT_WITH_USE = PARENT.replace("given:", "use: [library/functions]\ngiven:")


@pytest.fixture
def course(tmp_path: Path) -> Any:
    """Return a project with a child, a parent, a library and a template of its own."""
    from seqgen.project import Project

    (tmp_path / "specs/library").mkdir(parents=True)
    (tmp_path / "templates/latex").mkdir(parents=True)
    (tmp_path / "specs/child.yaml").write_text(SPEC)
    (tmp_path / "specs/parent.yaml").write_text(PARENT_WITH_USE)
    (tmp_path / "specs/library/functions.yaml").write_text(LIBRARY)
    (tmp_path / "templates/latex/values.tex.j2").write_text("<% include 'part.tex.j2' %>\n")
    (tmp_path / "templates/latex/part.tex.j2").write_text("part\n")
    return Project(tmp_path)


def test_a_second_build_has_nothing_to_do(course: Any) -> None:
    """The same content is not built again."""
    assert len(build(course).built) == 2
    report = build(course)
    assert report.unchanged == ["child", "parent"]
    assert report.written == []


@pytest.mark.parametrize(
    ("path", "old", "new", "touched"),
    [
        ("specs/child.yaml", "b + 1", "b + 2", {"child"}),
        ("specs/parent.yaml", "[1, 2]", "[1, 3]", {"child", "parent"}),
        ("specs/library/functions.yaml", "2 * x", "3 * x", {"child", "parent"}),
        ("templates/latex/part.tex.j2", "part", "para", {"child", "parent"}),
    ],
)
def test_a_change_of_content_rebuilds_what_depends_on_it(
    course: Any, path: str, old: str, new: str, touched: set[str]
) -> None:
    """One edit in each kind of input is noticed even where size and time stay the same, and only its specs are built."""
    build(course)
    file = course.root / path
    before = file.stat()
    file.write_text(file.read_text().replace(old, new))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    report = build(course)
    assert set(report.built) == touched
    assert all(path in reason for reason in report.built.values())


def test_a_new_template_of_the_course_is_noticed(course: Any) -> None:
    """A template that did not exist at the last build now comes before the shipped one."""
    build(course)
    (course.root / "templates/markdown").mkdir(parents=True)
    (course.root / "templates/markdown/ledger.md.j2").write_text("own\n")
    assert set(build(course).built) == {"child", "parent"}
    assert (course.root / "build/markdown/child/ledger.md").read_text().endswith("\nown\n")


def test_a_change_of_configuration_is_noticed(course: Any) -> None:
    """Another number of digits rebuilds all."""
    build(course)
    (course.root / "pyproject.toml").write_text("[tool.seqgen]\ndigits = 6\n")
    assert set(build(type(course)(course.root)).built) == {"child", "parent"}


def test_a_damaged_output_is_made_again(course: Any) -> None:
    """A page that was edited, and a ledger that was removed, come back."""
    build(course)
    page, ledger = course.root / "build/markdown/child/values.md", course.root / "ledgers/child.json"
    text, content = page.read_text(), ledger.read_text()
    page.write_text(text + "more")
    ledger.unlink()
    assert set(build(course).built) == {"child"}
    assert (page.read_text(), ledger.read_text()) == (text, content)


def test_a_page_edited_by_hand_is_moved_aside(course: Any) -> None:
    """The build writes its own page again, keeps the edit under another name, and says so."""
    build(course)
    page = course.root / "build/markdown/child/values.md"
    own = page.read_text()
    page.write_text(own + "my remark\n")
    report = build(course)
    ((path, aside),) = report.kept.items()
    assert path == "build/markdown/child/values.md"
    assert page.read_text() == own
    assert (course.root / aside).read_text() == own + "my remark\n"
    assert build(course).kept == {}


def test_a_deck_edited_where_it_is_woven_is_moved_aside(course: Any) -> None:
    """What was typed into build/slides/ is not lost either, even where the build's notes are."""
    (course.root / "slides").mkdir()
    (course.root / "slides/deck.md").write_text("\\seq{child: c}\n")
    build(course)
    woven = course.root / "build/slides/deck.md"
    woven.write_text("all my own\n")
    (course.root / "build/.seqgen.json").unlink()
    (aside,) = build(course).kept.values()
    assert (course.root / aside).read_text() == "all my own\n"


def test_a_page_of_a_removed_table_is_kept_where_it_was_edited(course: Any) -> None:
    """What goes away as nothing makes it any more takes no edit with it."""
    spec = course.root / "specs/parent.yaml"
    spec.write_text(spec.read_text() + "tables: {old: {columns: {b: 'b[0]'}}}\n")
    build(course)
    (course.root / "build/latex/parent/table-old.tex").write_text("mine\n")
    spec.write_text(PARENT_WITH_USE)
    report = build(course)
    assert (course.root / report.kept["build/latex/parent/table-old.tex"]).read_text() == "mine\n"


def test_a_page_of_an_older_spec_is_replaced_without_a_word(course: Any) -> None:
    """A page that is as some build wrote it is nobody's edit, also where the notes are lost."""
    build(course)
    (course.root / "build/.seqgen.json").unlink()
    (course.root / "specs/child.yaml").write_text(SPEC.replace("+ 1", "+ 2"))
    assert build(course).kept == {}


def test_pages_of_a_removed_table_go_away(course: Any) -> None:
    """What a spec no longer makes is removed from build/, and its name is reported."""
    spec = course.root / "specs/parent.yaml"
    spec.write_text(spec.read_text() + "tables: {old: {columns: {b: 'b[0]'}}}\n")
    build(course)
    assert (course.root / "build/latex/parent/table-old.tex").is_file()
    spec.write_text(PARENT_WITH_USE)
    assert "build/latex/parent/table-old.tex" in build(course).removed
    assert not (course.root / "build/latex/parent/table-old.tex").exists()


def test_a_mistake_in_one_spec_leaves_the_others_built(course: Any) -> None:
    """The wrong spec keeps its old ledger; the right one gets its new one."""
    build(course)
    old = (course.root / "ledgers/child.json").read_text()
    (course.root / "specs/child.yaml").write_text("title: t\nsteps: |\n  c = nothing\n")
    (course.root / "specs/parent.yaml").write_text(PARENT_WITH_USE.replace("[1, 2]", "[5, 6]"))
    report = build(course)
    assert [e.code for e in report.errors] == ["unknown-name"]
    assert (course.root / "ledgers/child.json").read_text() == old
    assert "[10.0, 12.0]" in (course.root / "ledgers/parent.json").read_text()


def test_a_torn_state_only_means_more_work(course: Any) -> None:
    """A state file that is not whole is as good as none."""
    build(course)
    (course.root / "build/.seqgen.json").write_text('{"format": 1, "specs": {"ch')
    assert len(build(course).built) == 2


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where putting the new file in place fails, the old one is whole and no scrap is left."""
    path = tmp_path / "file.txt"
    files.write(path, "old")

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(KeyboardInterrupt):
        files.write(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_idle_build_imports_nothing_heavy(course: Any) -> None:
    """Neither yaml, numpy, sympy, Jinja, flint nor jsonschema is imported where nothing is to be done."""
    build(course)
    code = (
        "import sys; from click.testing import CliRunner; from seqgen.cli import main; "
        "result = CliRunner().invoke(main, ['build']); assert result.exit_code == 0, result.output; "
        "print(sorted({'yaml', 'numpy', 'orjson', 'sympy', 'jinja2', 'flint', 'jsonschema'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=course.root, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_a_file_left_alone_is_not_read_again(tmp_path: Path) -> None:
    """A stamp that is old enough stands for the content, so that the content need not be looked at."""
    file = tmp_path / "file"
    file.write_text("old")
    stamp = [3, *(getattr(file.stat(), name) for name in ("st_mtime_ns", "st_ino", "st_ctime_ns"))]
    assert files.Digests(tmp_path, {"file": ("as remembered", stamp)}).of("file") == "as remembered"


def test_a_file_that_has_just_changed_is_not_remembered(tmp_path: Path) -> None:
    """Within a step of the clock a second change may leave the same times, so that only the content tells."""
    (tmp_path / "file").write_text("old")
    digests = files.Digests(tmp_path)
    assert digests.of("file") == files.sha256(b"old")
    assert digests.found == {}


@pytest.mark.parametrize("field", range(4))
def test_any_difference_of_a_stamp_lets_the_file_be_read(tmp_path: Path, field: int) -> None:
    """Size, modification time, inode and change time each count."""
    file = tmp_path / "file"
    file.write_text("old")
    stamp = [3, *(getattr(file.stat(), name) for name in ("st_mtime_ns", "st_ino", "st_ctime_ns"))]
    stamp[field] -= 1
    assert files.Digests(tmp_path, {"file": ("as remembered", stamp)}).of("file") == files.sha256(b"old")


@pytest.mark.parametrize(
    "path",
    [
        "specs/child.yaml",
        "specs/parent.yaml",
        "specs/library/functions.yaml",
        "templates/latex/values.tex.j2",
        "templates/latex/part.tex.j2",
        "slides/deck.md",
        "pyproject.toml",
    ],
)
def test_a_change_of_one_byte_is_noticed_after_stamps_are_known(
    course: Any, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Size and modification time stay; the time of the change does not, and it can't be set."""
    (course.root / "pyproject.toml").write_text("[tool.seqgen]\ndigits = 4\n")
    (course.root / "slides").mkdir()
    (course.root / "slides/deck.md").write_text("one, two, \\seq{child: c}\n")
    build(course)
    monkeypatch.setattr(files, "STEP", -(10**12))  # as if all files were old: their stamps are remembered
    again = build(type(course)(course.root))
    assert not again.built
    assert not again.decks
    file = course.root / path
    before, content = file.stat(), file.read_bytes()
    changes = {b"= 4": b"= 6", b"2 *": b"3 *", b"+ 1": b"+ 2", b"[1, 2]": b"[1, 3]", b"two": b"six", b" %>": b"\t%>"}
    new = content if path != "templates/latex/part.tex.j2" else b"para\n"
    for old, other in changes.items():
        new = new.replace(old, other)
    assert len(new) == len(content)
    assert new != content
    file.write_bytes(new)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    report = build(type(course)(course.root))
    assert report.built or report.decks


def test_a_change_of_seqgen_itself_is_noticed(course: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """One byte of the generator rebuilds all."""
    own = course.root / "own.py"
    own.write_text("a = 1\n")
    monkeypatch.setattr("seqgen.build.state.own_files", lambda: [str(own)])
    build(course)
    assert build(course).built == {}
    own.write_text("a = 2\n")
    assert set(build(course).built) == {"child", "parent"}


@pytest.mark.parametrize("library", ["python", "numpy", "orjson", "sympy", "python_flint", "jinja2", "pyyaml"])
def test_another_version_of_a_library_is_noticed(course: Any, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What seqgen computes with can change what it writes."""
    build(course)
    assert build(course).built == {}
    monkeypatch.setattr("seqgen.build.state.versions", lambda: installation.versions() | {library: "0.0.1"})
    assert set(build(course).built) == {"child", "parent"}


def test_versions_are_those_of_the_installed_libraries(tmp_path: Path) -> None:
    """What the folders' names say is what importlib.metadata reads; where there are none, it is asked."""
    expected = {library: metadata.version(library) for library in installation.LIBRARIES}
    expected["python"] = platform.python_version()
    assert installation.versions() == expected
    assert installation.versions([str(tmp_path), str(tmp_path / "absent")]) == expected


def test_the_first_place_of_a_library_is_that_of_its_import(tmp_path: Path) -> None:
    """Of two versions the one counts that Python finds first."""
    for place, version in (("a", "1.0"), ("b", "2.0")):
        (tmp_path / place / f"numpy-{version}.dist-info").mkdir(parents=True)
    assert installation.versions([str(tmp_path / "b"), str(tmp_path / "a")])["numpy"] == "2.0"


def test_two_versions_in_one_place_are_both_told(tmp_path: Path) -> None:
    """An upgrade that leaves the old folder behind is an upgrade all the same."""
    (tmp_path / "numpy-1.0.dist-info").mkdir()
    before = installation.versions([str(tmp_path)])["numpy"]
    (tmp_path / "numpy-2.0.dist-info").mkdir()
    assert (before, installation.versions([str(tmp_path)])["numpy"]) == ("1.0", "1.0 or 2.0")


def test_an_edit_during_a_build_is_built_next_time(course: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read counts, not what lies there when the build ends."""
    from seqgen.build import artifacts

    make, spec = artifacts.make, course.root / "specs/parent.yaml"

    def slowly(*arguments: Any, **options: Any) -> Any:
        made = make(*arguments, **options)
        spec.write_text(PARENT_WITH_USE.replace("[1, 2]", "[7, 8]"))
        return made

    monkeypatch.setattr(artifacts, "make", slowly)
    build(course, ("parent",))
    monkeypatch.setattr(artifacts, "make", make)
    assert set(build(course, ("parent",)).built) == {"parent"}
    assert "[14.0, 16.0]" in (course.root / "ledgers/parent.json").read_text()


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("specs/parent.yaml", "[1, 2]", "[7, 8]"),
        ("specs/library/functions.yaml", "2 * x", "7 * x"),
        ("templates/latex/part.tex.j2", "part", "whole"),
        ("slides/part.tex", "c[0]", "c[1]"),
    ],
)
def test_an_edit_of_what_is_used_for_the_first_time_is_built_next_time(
    course: Any, monkeypatch: pytest.MonkeyPatch, path: str, old: str, new: str
) -> None:
    """A parent, a library, a template, and a part of a deck that no build has read before."""
    from seqgen.decks import weave

    (course.root / "slides").mkdir()
    (course.root / "slides/deck.tex").write_text("\\begin{document}\\input{part}\\end{document}\n")
    (course.root / "slides/part.tex").write_text("\\seq{child: c[0]}\n")
    _build_and_edit_meanwhile(course, monkeypatch, path, old, new, weave if path.startswith("slides") else None)
    clean, made = build(course), {p: p.read_bytes() for p in (course.root / "build").rglob("*.t*") if p.is_file()}
    assert clean.built or clean.decks
    assert build(course, force=True).written == []
    assert {p: p.read_bytes() for p in made} == made


def _build_and_edit_meanwhile(
    course: Any, monkeypatch: pytest.MonkeyPatch, path: str, old: str, new: str, module: Any
) -> None:
    from seqgen.build import artifacts

    module, name = (module, "weave") if module else (artifacts, "make")
    work = getattr(module, name)

    def slowly(*arguments: Any, **options: Any) -> Any:
        made = work(*arguments, **options)
        file = course.root / path
        file.write_text(file.read_text().replace(old, new))
        return made

    with monkeypatch.context() as patch:
        patch.setattr(module, name, slowly)
        assert build(course, ("slides/deck.tex",) if name == "weave" else ("child",)).errors == []


def test_several_processes_build_the_same(course: Any) -> None:
    """Files and mistakes are those of one process."""
    (course.root / "specs/wrong.yaml").write_text("title: w\nsteps: |\n  c = nothing\n")
    alone = build(course)
    texts = {path: (course.root / path).read_text() for path in alone.written}
    together = build(course, force=True, jobs=2)
    assert {path: (course.root / path).read_text() for path in alone.written} == texts
    assert together.built.keys() == alone.built.keys()
    assert [e.render() for e in together.errors] == [e.render() for e in alone.errors]


@pytest.mark.parametrize("poll", [True, False])
def test_a_watch_sees_a_new_spec(course: Any, poll: bool) -> None:
    """After a file appears in a folder of specs, it is time to build, soon."""
    from seqgen.build.watch import moments

    waiting = moments(course, poll=poll)
    next(waiting)
    build(course)
    (course.root / "specs/new.yaml").write_text("title: n\nsteps: |\n  a = 1\n")
    next(waiting)
    assert set(build(course).built) == {"new"}


def test_a_watch_ends_where_seqgen_itself_changes(course: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code in memory is the old one, so that going on would build by it."""
    from seqgen.build import watch

    own = course.root / "own.py"
    own.write_text("a = 1\n")
    monkeypatch.setattr(watch, "own_files", lambda: [str(own)])
    waiting = watch.moments(course, poll=True)
    next(waiting)
    own.write_text("a = 22\n")
    assert next(waiting, "ended") == "ended"


@pytest.mark.parametrize("place", ["specs", "specs/library", "templates/latex", "."])
def test_a_watch_looks_where_inputs_lie_or_may_appear(course: Any, place: str) -> None:
    """Specs, libraries, templates, and the configuration's folder."""
    from seqgen.build.watch import folders

    assert str((course.root / place).resolve()) in folders(course)


def test_an_edit_that_moves_no_closed_form_does_not_import_sympy(course: Any) -> None:
    """A caption, a table and a template are built anew from remembered forms; the edit of a value asks sympy."""
    spec = course.root / "specs/parent.yaml"
    spec.write_text(PARENT_WITH_USE + "tables: {b: {caption: old, columns: {b: 'sqrt(b)'}}}\ndigits: {b: exact}\n")
    build(course)
    code = (
        "import sys; from pathlib import Path; from seqgen.build import build; from seqgen.project import Project; "
        "report = build(Project(Path.cwd())); print(sorted(report.built), report.errors, 'sympy' in sys.modules)"
    )

    def builds() -> str:
        run = subprocess.run([sys.executable, "-c", code], cwd=course.root, capture_output=True, text=True, check=True)
        return run.stdout.strip()

    spec.write_text(spec.read_text().replace("old", "new"))
    assert builds() == "['child', 'parent'] [] False"
    spec.write_text(spec.read_text().replace("columns: {b: 'sqrt(b)'}", "columns: {a: 'a', b: 'sqrt(b)'}"))
    assert builds() == "['child', 'parent'] [] False"
    (course.root / "templates/latex/part.tex.j2").write_text("another part\n")
    assert builds() == "['child', 'parent'] [] False"
    spec.write_text(spec.read_text().replace("[1, 2]", "[1, 3]"))
    assert builds() == "['child', 'parent'] [] True"


def test_what_is_remembered_of_forms_is_used_only_whole(course: Any) -> None:
    """A form that was changed by hand is not believed."""
    spec = course.root / "specs/parent.yaml"
    spec.write_text(PARENT_WITH_USE + "digits: exact\n")
    build(course)
    notes, ledger = course.root / "build/.forms/parent.json", course.root / "ledgers/parent.json"
    before = ledger.read_text()
    notes.write_text(notes.read_text().replace('"2"', '"7"'))
    from seqgen.readings import forms

    forms._known.clear()
    build(course, force=True)
    assert ledger.read_text() == before
