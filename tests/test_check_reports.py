"""The reports of `seqgen check`: each is read back by a parser of its form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from seqgen.build import build
from seqgen.cli import check, main
from seqgen.findings import Finding
from seqgen.reports import github, junit, sarif
from seqgen.reports.formats import FORMATS
from seqgen.rules.review import Review, review
from seqgen.rules.table import ROWS

# One spec with an expectation that does not hold (line 7), a row of weights that is 0.99, and a text to escape.
FAULTY = """\
title: t
digits: 2
given: {s: {value: [5, 5, 5], about: 'a % and <&"> and : and ,'}}
steps: |
  A = softmax(s)
checks:
  - expect: {"A[0]": 0.5}
worked: {w: [A]}
"""


@pytest.fixture
def faulty(project: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a project with one error and one warning, as the working folder."""
    made = project(FAULTY)
    build(made)
    monkeypatch.chdir(made.root)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    return made


def run(*arguments: str) -> Any:
    """Return what `seqgen check` prints and its status."""
    return CliRunner().invoke(main, ["check", *arguments])


def test_the_json_report_has_every_finding_with_its_parts(faulty: Any) -> None:
    """Rule, severity, place, message, cure; and the status that the command ends with."""
    result = run("--output-format", "json")
    report = json.loads(result.output)
    assert result.exit_code == report["status"] == 1
    assert report["counts"] == {"spec": 1, "entry": 2, "check": 1, "page": 6}
    failed, warned = report["findings"]
    assert (failed["rule"], failed["severity"], failed["file"], failed["line"]) == (
        "failed-check",
        "error",
        "specs/example.yaml",
        7,
    )
    assert (warned["rule"], warned["severity"], warned["spec"]) == ("printed-sum", "warning", "example")
    assert failed["message"] == "expect: A[0] is 0.3, expected 0.5"


def test_the_sarif_report_has_the_structure_of_sarif_2_1_0(faulty: Any) -> None:
    """Every property that sections 3.13 to 3.30 of the standard require, and every reference leads somewhere."""
    report = json.loads(run("--output-format", "sarif").output)
    assert report["version"] == "2.1.0"
    assert report["$schema"].endswith("sarif-schema-2.1.0.json")
    (run_,) = report["runs"]
    driver = run_["tool"]["driver"]
    assert driver["name"] == "seqgen"
    assert [rule["id"] for rule in driver["rules"]] == [row.name for row in ROWS]
    assert all(rule["shortDescription"]["text"] and rule["help"]["text"] for rule in driver["rules"])
    assert len(run_["results"]) == 2
    for result in run_["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("none", "note", "warning", "error")
        assert result["message"]["text"]
        (location,) = result["locations"]
        physical = location["physicalLocation"]
        assert physical["artifactLocation"]["uri"] == "specs/example.yaml"
        assert physical["artifactLocation"]["uriBaseId"] in run_["originalUriBaseIds"]
        assert physical["region"]["startLine"] >= 1
        assert physical["region"]["startColumn"] >= 1
        assert result["partialFingerprints"]["seqgen/v1"]
    assert run_["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 7


def test_an_alert_keeps_its_fingerprint_where_lines_and_digits_move(faulty: Any) -> None:
    """A line put before it and another digit leave it the same alert; another rule does not."""

    def prints(line: int, message: str, rule: str) -> str:
        finding = Finding(file="specs/a.yaml", line=line, message=message, rule=rule)
        report = json.loads(sarif.report(Review(findings=[finding], counts={"spec": 1})))
        return str(report["runs"][0]["results"][0]["partialFingerprints"]["seqgen/v1"])

    first = prints(3, "b is 0.12, expected 0.13", "failed-check")
    assert prints(9, "b is 0.15, expected 0.13", "failed-check") == first
    assert prints(3, "b is 0.12, expected 0.13", "unproven") != first


def test_the_junit_report_is_xml_with_a_case_for_every_rule(faulty: Any) -> None:
    """The failed check fails its case; the warning is told in its case's output and fails nothing."""
    root = ElementTree.fromstring(run("--output-format", "junit").output)
    assert root.tag == "testsuites"
    suites = {suite.get("name"): suite for suite in root}
    cases = {case.get("name"): case for case in suites["example"]}
    assert set(suites) == {"example", "project"}
    assert [case.get("name") for case in suites["project"]] == ["orphan"]
    assert int(suites["example"].get("tests", "")) == len(cases)
    assert [name for name, case in cases.items() if case.find("failure") is not None] == ["failed-check"]
    failure = cases["failed-check"].find("failure")
    assert failure is not None
    assert failure.get("message") == "expect: A[0] is 0.3, expected 0.5"
    output = cases["printed-sum"].find("system-out")
    assert output is not None
    assert "A adds up to 0.99" in (output.text or "")
    assert root.get("failures") == "1"


def test_junit_escapes_what_xml_reads_as_marks_and_leaves_out_what_it_forbids() -> None:
    """Read back, the message is the same; a control character becomes the replacement character."""
    finding = Finding(file="specs/a.yaml", message='<b> & "c" \x07', rule="failed-check", spec="a", cure="]]>")
    report = junit.report(Review(findings=[finding], asked={"a": ["failed-check"]}, counts={"spec": 1}))
    failure = ElementTree.fromstring(report).find(".//failure")
    assert failure is not None
    assert failure.get("message") == '<b> & "c" \ufffd'
    assert (failure.text or "").endswith("cure: ]]>")


def test_a_github_annotation_escapes_what_would_end_it() -> None:
    """Percent, line ends in the message; colon and comma in properties besides (actions/toolkit, command.ts)."""
    assert github.command("error", {"file": "a,b:c%.tex", "line": "3", "title": "x"}, "50 %\r\n1: 2, 3") == (
        "::error file=a%2Cb%3Ac%25.tex,line=3,title=x::50 %25%0D%0A1: 2, 3"
    )


def test_annotations_follow_the_text_on_github_actions(faulty: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """In addition to it, with file, line and column; elsewhere there are none."""
    assert "::" not in run().output
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    output = run().output
    assert "specs/example.yaml:7:22: failed-check: expect: A[0] is 0.3, expected 0.5\n" in output
    assert (
        "::error file=specs/example.yaml,line=7,col=22,title=seqgen%3A failed-check::"
        "expect: A[0] is 0.3, expected 0.5%0Acure: correct the spec, or what the check expects\n"
    ) in output
    assert "::warning file=specs/example.yaml,line=8,col=14,title=seqgen%3A printed-sum::" in output


@pytest.mark.parametrize(
    ("number", "lines", "last"), [(10, 10, "finding 9"), (11, 10, "and 2 more: 2 orphan"), (99, 10, "and 90 more")]
)
def test_a_step_shows_ten_errors_so_that_the_tenth_line_rolls_up_the_rest(number: int, lines: int, last: str) -> None:
    """Ten fit as they are; of more, nine are shown and one line counts what is left."""
    findings = [Finding(file="a", message=f"finding {i}", rule="orphan") for i in range(number)]
    report = github.report(Review(findings=findings, counts={"spec": 1})).splitlines()
    assert len(report) == lines
    assert all(line.startswith("::error ") for line in report)
    assert last in report[-1]


def test_files_are_named_from_the_repository_where_the_project_is_a_folder_of_it(tmp_path: Path) -> None:
    """GitHub shows an annotation only at a path from the repository's root."""
    from seqgen.project import Project

    (tmp_path / ".git").mkdir()
    root = tmp_path / "course a" / "ml"
    (root / "specs").mkdir(parents=True)
    (root / "specs/example.yaml").write_text(FAULTY)
    result = review(Project(root))
    assert "file=course a/ml/specs/example.yaml,line=7" in github.report(result)
    (first, *_) = json.loads(sarif.report(result))["runs"][0]["results"]
    assert first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "course%20a/ml/specs/example.yaml"


def test_a_report_goes_to_a_file_and_the_text_is_printed_all_the_same(faulty: Any) -> None:
    """So a log can be read where a service takes the file."""
    result = run("--output-format", "junit", "--output-file", "build/reports/seqgen.xml")
    assert result.exit_code == 1
    assert "1 spec, 2 entries, 1 check, 6 pages: 1 finding" in result.output
    assert ElementTree.parse("build/reports/seqgen.xml").getroot().tag == "testsuites"


def test_a_mistake_is_in_every_report(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the place of each mistake; the status is 2."""
    made = project("title: t\nsteps: |\n  b = a\n  c = d\n")
    monkeypatch.chdir(made.root)
    result = run("--output-format", "json")
    report = json.loads(result.output)
    assert result.exit_code == report["status"] == 2
    assert [(f["rule"], f["line"], f["column"]) for f in report["findings"]] == [("mistake", 3, 7), ("mistake", 4, 7)]
    assert run("--output-format", "junit").output.count("<failure ") == 1
    assert run("--output-format", "github").output.count("::error ") == 2


def test_the_command_offers_the_forms_that_there_are() -> None:
    """The list in the command, which stays fast by not importing the reports, is theirs."""
    from seqgen.cli.check import FORMATS as OFFERED

    assert list(OFFERED) == list(FORMATS)
    assert check is not None


def test_the_diff_is_what_git_applies_to_bring_files_up_to_date(faulty: Any) -> None:
    """Applied by git, the files on disk are what a build gives; a missing file is made."""
    import subprocess

    page, ledger = faulty.root / "build/latex/example/values.tex", faulty.root / "ledgers/example.json"
    wanted = page.read_text(), ledger.read_text()
    page.write_text(wanted[0].replace("0.33", "0.34"))
    ledger.unlink()
    output = run("--diff").output
    patch = output[output.index("--- ") :]
    assert "-\\[A \\approx (0.34, 0.34, 0.34)\\]\n+\\[A \\approx (0.33, 0.33, 0.33)\\]" in patch
    subprocess.run(["git", "apply", "-"], input=patch, text=True, cwd=faulty.root, check=True)
    assert (page.read_text(), ledger.read_text()) == wanted
