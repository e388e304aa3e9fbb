"""The documentation is true: its specs build, its commands print what it says, its tables are the code's own."""

from __future__ import annotations

import doctest
import importlib.util
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from seqgen.cli import main

ROOT = Path(__file__).parent.parent
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def play(page: Path) -> int:
    """Write the page's specs and decks and run its commands in order, in this folder; return the number of commands."""
    commands = 0
    for kind, body in FENCE.findall(page.read_text()):
        name = re.match(r"# (specs/\S+\.yaml)\n", body)
        deck = re.match(r"(?:<!-- |% )(slides/\S+\.(?:md|tex))(?: -->)?\n", body)
        if kind == "yaml" and name:
            file = Path(name[1])
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(body)
        elif kind == "jinja":  # its first line, a comment, is its name
            name = re.match(r"\{# (templates/\S+) #\}\n", body)
            assert name is not None
            Path(name[1]).parent.mkdir(parents=True, exist_ok=True)
            Path(name[1]).write_text(body[name.end() :])
        elif deck:  # the line with its name is not part of it
            file = Path(deck[1])
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(body[deck.end() :])
        elif kind == "console":
            for command, expected in re.findall(r"^\$ seqgen (.*)\n((?:(?!\$ ).*\n)*)", body, re.MULTILINE):
                output = CliRunner().invoke(main, shlex.split(command)).output
                pattern = "".join(
                    ".*" if line == "…\n" else re.escape(line) for line in expected.splitlines(keepends=True)
                )
                assert re.fullmatch(pattern, output, re.DOTALL), f"{command} prints:\n{output}"
                commands += 1
        elif kind == "markdown":
            built = [p.read_text().split("\n", 1)[1] for p in Path("build").rglob("*.md")]
            assert body in built
    return commands


def test_every_command_of_the_readme_prints_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The README is followed from top to bottom in an empty folder."""
    (tmp_path / "specs").mkdir()
    monkeypatch.chdir(tmp_path)
    assert play(ROOT / "README.md") >= 4


def test_every_example_in_python_gives_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/api.md is played from top to bottom, in the course of this repository."""
    monkeypatch.chdir(ROOT)
    text = "".join(body for kind, body in FENCE.findall((ROOT / "docs" / "api.md").read_text()) if kind == "pycon")
    test = doctest.DocTestParser().get_doctest(text, {}, "docs/api.md", None, 0)
    told: list[str] = []
    result = doctest.DocTestRunner().run(test, out=told.append)
    assert result.attempted > 20
    assert result.failed == 0, "".join(told)


def test_every_spec_of_the_documentation_builds_and_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The specs of docs/ build without a mistake, and their checks hold."""
    (tmp_path / "specs").mkdir()
    monkeypatch.chdir(tmp_path)
    for page in sorted((ROOT / "docs").glob("*.md")):
        play(page)
    assert len(list(Path("specs").rglob("*.yaml"))) >= 5
    for command in ("build", "check"):
        result = CliRunner().invoke(main, [command])
        assert result.exit_code == 0, result.output


def test_the_list_of_operations_is_that_of_the_code() -> None:
    """docs/operations.md is what `make docs` writes."""
    assert (ROOT / "docs" / "operations.md").read_text() == generated().text()


def test_the_list_of_rules_is_that_of_the_code() -> None:
    """docs/rules.md is what `make docs` writes."""
    assert (ROOT / "docs" / "rules.md").read_text() == generated().rules()


def test_the_list_of_alternatives_is_that_of_the_code() -> None:
    """docs/alternatives.md is what `make docs` writes."""
    assert (ROOT / "docs" / "alternatives.md").read_text() == generated().alternatives()


def test_the_page_of_mistakes_is_that_of_the_catalogue() -> None:
    """docs/errors.md is what `make docs` writes, with what each example's command prints."""
    assert (ROOT / "docs" / "errors.md").read_text() == generated().errors()


def generated() -> Any:
    """Return the module that writes the generated pages."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    """Relative links name files that exist."""
    for target in re.findall(r"\]\((?!http|#)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_every_spec_and_entry_that_the_coverage_names_exists() -> None:
    """The specs in the coverage table are shipped ones."""
    names = {p.stem for p in (ROOT / "ledgers").rglob("*.json")}
    count, columns = 0, []
    for line in (ROOT / "docs" / "coverage.md").read_text().splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        columns = cells if not columns else columns if cells else []
        if not cells or "spec" not in columns or cells == columns or set(cells[1]) <= set(":- "):
            continue
        for name in (
            []
            if cells[columns.index("spec")].startswith("all ")
            else re.split(r", | and ", cells[columns.index("spec")])
        ):
            assert name.split("/")[-1].strip("`") in names, line
            count += 1
    assert count > 150


def test_every_setting_is_documented() -> None:
    """With its default, in TOML."""
    from dataclasses import asdict

    from seqgen.configuration import Configuration

    text = (ROOT / "docs" / "numbers.md").read_text().split("[tool.seqgen]\n")[1].split("```")[0]
    told = {key: list(value) if isinstance(value, list) else value for key, value in tomllib.loads(text).items()}
    assert told == {key: list(v) if isinstance(v, tuple) else v for key, v in asdict(Configuration()).items()}


def test_every_module_has_a_line_in_the_guide_for_contributors() -> None:
    """The table of places names all that lies directly in the package."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    package = ROOT / "generator" / "seqgen"
    names = {p.stem for p in package.glob("[a-z]*.py")} | {
        p.name + "/" for p in package.glob("[a-z]*") if (p / "__init__.py").is_file()
    }
    assert [name for name in sorted(names) if f"`{name}`" not in text and name != "cli/"] == []
