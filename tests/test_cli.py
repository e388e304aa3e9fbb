"""The command line: what it prints, and its exit status."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from seqgen import cli
from seqgen.cli import main
from seqgen.cli.command import NAMES

SPEC = "title: t\ngiven:\n  a: {role: parameter, value: [0.5, 0.25]}\nsteps: |\n  L = sum(a**2)    # squared length\ngradients: {L: [a]}\n"


@pytest.fixture
def run(project: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Return a runner of commands in a project with one spec."""
    monkeypatch.chdir(project(SPEC).root)
    return lambda *words: CliRunner().invoke(main, words)


def test_build_says_what_it_wrote(run: Callable[..., Result]) -> None:
    """The first build names the ledger and counts the pages; the second has nothing to do."""
    first, second = run("build"), run("build", "--explain")
    assert (
        first.output == "example: wrote ledgers/example.json and 4 pages\n1 spec built, 0 unchanged, 5 files written\n"
    )
    assert second.output == "0 specs built, 1 unchanged, 0 files written\n"
    assert (first.exit_code, second.exit_code) == (0, 0)


def test_build_explains_why(run: Callable[..., Result]) -> None:
    """With --explain, each spec's reason comes first."""
    run("build")
    path = Path("specs/example.yaml")
    path.write_text(path.read_text().replace("0.25", "0.75"))
    assert run("build", "--explain").output.startswith("example: specs/example.yaml has changed\n")


def test_build_tells_where_its_time_went(run: Callable[..., Result]) -> None:
    """The stages and what is left add up to all; the slowest specs follow."""
    lines = [line.split(" s  ") for line in run("build", "--timings").output.splitlines() if " s  " in line]
    labels = [label for _, label in lines]
    seconds = [float(taken) for taken, _ in lines]
    end = labels.index("all")
    assert {"graph", "numpy", "checks", "pages", "ledger", "writing"} <= set(labels[:end])
    assert sum(seconds[:end]) == pytest.approx(seconds[end], abs=0.0005 * (end + 1))
    assert labels[end + 1 :] == ["example"]


def test_check_succeeds_with_counts(run: Callable[..., Result]) -> None:
    """Success says what was looked at."""
    run("build")
    result = run("check")
    assert (result.exit_code, result.output) == (0, "1 spec, 3 entries, 0 checks, 4 pages: in order\n")


def test_check_fails_with_the_cure(run: Callable[..., Result]) -> None:
    """A missing ledger ends with status 1 and names the command that cures it."""
    run("build")
    Path("ledgers/example.json").unlink()
    result = run("check")
    assert result.exit_code == 1
    assert "missing-ledger" in result.output
    assert "  cure: seqgen build example\n" in result.output


@pytest.mark.parametrize("words", [("build",), ("check",), ("show", "example", "L")])
def test_a_mistake_in_a_spec_ends_with_status_two_and_no_traceback(
    run: Callable[..., Result], words: tuple[str, ...]
) -> None:
    """The report goes to standard error, with place and caret."""
    Path("specs/example.yaml").write_text("title: t\nsteps: |\n  y = x\n")
    result = run(*words)
    assert result.exit_code == 2
    assert "specs/example.yaml:3:7: error[unknown-name]: unknown name 'x'" in result.stderr
    assert result.exception is None or isinstance(result.exception, SystemExit)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("build", "exampel"), "there is no spec 'exampel'\n  hint: did you mean example?"),
        (("check", "nothing"), "there is no spec 'nothing'"),
        (("show", "example", "M"), "unknown name 'M'"),
        (("show", "example", "L +"), "this can't be read"),
        (("show", "example", "grad(L, b)"), "unknown name 'b'"),
        (("build", "--no-such-option"), "No such option"),
    ],
)
def test_wrong_usage_ends_with_status_two(run: Callable[..., Result], words: tuple[str, ...], message: str) -> None:
    """A wrong name, a wrong reference and a wrong option, each with its message."""
    result = run(*words)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_check_of_nothing_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project without specs ends with status 2."""
    (tmp_path / "specs").mkdir()
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["check"])
    assert (result.exit_code, result.stderr) == (2, "nothing was checked: there are no specs\n")


def test_outside_a_project_the_cure_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a specs folder, the message says how to begin."""
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["build"])
    assert result.exit_code == 2
    assert "seqgen init begins a course" in result.stderr


def test_show_tells_all_of_a_value(run: Callable[..., Result]) -> None:
    """Value, closed form, digits, formula, place and operands."""
    assert run("show", "example", "L").output.splitlines() == [
        "L  (computed: squared length)",
        "shape    scalar",
        "formula  sum(a**2)",
        "printed  = 0.3125",
        "value    0.3125",
        "exact    5/16",
        "proven   yes",
        "defined  specs/example.yaml:5:7",
        "  from   a = [0.5000, 0.2500]",
    ]


def test_show_tells_the_contributions_of_a_gradient(run: Callable[..., Result]) -> None:
    """Each use of the parameter is a line of its own."""
    lines = run("show", "example", "grad(L, a)").output.splitlines()
    assert "formula  2 * a" in lines
    assert "  via    L: [1.0000, 0.5000]" in lines


def test_show_tells_the_slides_that_cite_a_value(run: Callable[..., Result]) -> None:
    """The whole where a part is asked for, a part where the whole is, and nothing else."""
    deck = Path("slides/one.md")
    deck.parent.mkdir()
    deck.write_text("# First\n\n\\seq{example: a}\n\n---\n\n# Second\n\n\\seq{example: a[1]} \\seq{example: L}\n")
    first, second = "cited    slides/one.md:3, slide 1: First", "cited    slides/one.md:9, slide 2: Second"
    told = {ref: run("show", "example", ref).output.splitlines() for ref in ("a", "a[0]", "a[1]", "L")}
    assert {ref: [line for line in lines if line.startswith("cited")] for ref, lines in told.items()} == {
        "a": [first, second],
        "a[0]": [first],
        "a[1]": [first, second],
        "L": [second],
    }


def test_schema_is_json_schema(run: Callable[..., Result]) -> None:
    """What editors get is the schema that validates specs."""
    from jsonschema import Draft7Validator

    schema = json.loads(run("schema").output)
    Draft7Validator.check_schema(schema)
    assert schema["required"] == ["title"]


@pytest.mark.parametrize("name", NAMES)
def test_help_of_every_command_has_examples(name: str) -> None:
    """Each begins with the command itself."""
    text = CliRunner().invoke(main, [name, "--help"]).output
    assert f"Examples:\n  seqgen {name}" in text


def test_every_command_is_listed_with_what_it_does(run: Callable[..., Result]) -> None:
    """The group's help names the module of each command, though it imports one only when asked for it."""
    modules = {path.stem for path in Path(cli.__file__).parent.glob("*.py")} - {"__init__", "command"}
    lines = run("--help").output.split("Commands:\n")[1].splitlines()
    assert {line.split()[0] for line in lines} == modules
    assert all(len(line.split()) > 3 for line in lines)


def test_a_command_that_is_not_there_is_refused(run: Callable[..., Result]) -> None:
    """With the status of wrong usage, also where a module has its name."""
    assert [run(word).exit_code for word in ("bulid", "command")] == [2, 2]
