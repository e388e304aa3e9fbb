"""`seqgen init` and `seqgen new`: what a course begins with works at once, and nothing is overwritten."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from seqgen.cli import main


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an empty folder the working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    """Run seqgen."""
    return CliRunner().invoke(main, list(arguments), catch_exceptions=False)


def test_a_new_course_builds_and_checks(empty: Path) -> None:
    """The example, its deck and its checks are in order."""
    said = run("init").output
    assert "specs/week01/example.yaml: written" in said
    assert said.endswith("Next: seqgen build\n")
    assert run("build").exit_code == 0
    assert r"h \approx (0.4219, -0.1974)" in (empty / "build/slides/week01.md").read_text()  # the lecture's first state
    assert run("check").exit_code == 0


def test_init_makes_the_folder_that_it_is_given(empty: Path) -> None:
    """And says how to go on."""
    assert run("init", "lectures").output.endswith("Next: cd lectures && seqgen build\n")
    assert (empty / "lectures/.gitignore").read_text() == "/build/\n"


def test_init_touches_nothing_that_is_there(empty: Path) -> None:
    """A course in being gets the schema; its own files stay, and it needs no example."""
    (empty / "specs").mkdir()
    (empty / "specs/mine.yaml").write_text("title: Mine\n")
    (empty / ".gitignore").write_text("*.aux\n")
    said = run("init").output
    assert ".gitignore: kept as it is" in said
    assert (empty / ".gitignore").read_text() == "*.aux\n"
    assert sorted(p.name for p in (empty / "specs").iterdir()) == ["mine.yaml", "seqgen.schema.json"]


def test_a_new_spec_builds(empty: Path) -> None:
    """Its title comes from its name, and editors find the schema from where it lies."""
    run("init")
    assert run("new", "week02/masked_attention").output == "specs/week02/masked_attention.yaml: written\n"
    lines = (empty / "specs/week02/masked_attention.yaml").read_text().splitlines()
    assert lines[:2] == ["# yaml-language-server: $schema=../seqgen.schema.json", "title: Masked attention"]
    assert run("build", "week02/masked_attention").exit_code == 0


def test_a_new_spec_extends_another(empty: Path) -> None:
    """It takes over all of it."""
    run("init")
    assert run("new", "specs/child.yaml", "--extends", "week01/example").exit_code == 0
    assert (empty / "specs/child.yaml").read_text() == (
        "# yaml-language-server: $schema=./seqgen.schema.json\ntitle: Child\nextends: week01/example\n"
    )
    assert run("build", "child").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["week01/example"], "there is a spec 'week01/example' already"),
        (["../outside"], "'../outside' is not a spec's name"),
        (["child", "--extends", "week01/exmaple"], "did you mean week01/example?"),
        (["library/child"], "'library/child' would be a library: it holds functions, and is not built"),
    ],
)
def test_a_new_spec_takes_no_place_that_is_not_its_own(empty: Path, arguments: list[str], message: str) -> None:
    """What exists stays, what leads outside is refused, and a parent must be there."""
    run("init")
    result = run("new", *arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert not (empty / "specs/child.yaml").exists()
    assert not (empty / "specs/library").exists()


@pytest.mark.parametrize("name", ["zz/2024", "null", "1e5", "true", "0x1f", "1_0", "-", "no", "2024-01-01", "a-b"])
def test_a_new_spec_of_any_name_builds(empty: Path, name: str) -> None:
    """Its title, and the name of its parent, are texts also where YAML would read a number, nothing or true."""
    run("init")
    assert run("new", "--", name).exit_code == 0
    assert run("new", "child", "--extends", f"specs/{name}.yaml").exit_code == 0
    done = run("build", "child", *([] if name == "-" else [name]))
    assert done.exit_code == 0, done.output


def test_a_link_is_there_already(empty: Path) -> None:
    """Also one that leads nowhere is nobody's to replace."""
    (empty / ".gitignore").symlink_to("shared/gitignore")
    assert ".gitignore: kept as it is" in run("init").output
    assert (empty / ".gitignore").is_symlink()


def test_nothing_is_begun_outside_the_project(empty: Path) -> None:
    """A link in specs/ that leads out is told."""
    course, outside = empty / "course", empty / "outside"
    outside.mkdir()
    (course / "specs").mkdir(parents=True)
    (course / "specs/lnk").symlink_to(outside)
    done = subprocess.run(
        [sys.executable, "-m", "seqgen", "new", "lnk/foo"], cwd=course, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "'specs/lnk/foo.yaml' leads outside the project" in done.stderr
    assert list(outside.iterdir()) == []
