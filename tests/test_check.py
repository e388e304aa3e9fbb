"""`seqgen check`: each rule finds its own fault and no other, and nothing is written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from seqgen.build import build
from seqgen.errors import SpecError
from seqgen.findings import Finding
from seqgen.microscope import open_microscope
from seqgen.rules.review import review
from seqgen.rules.table import ROWS, RULES, severities

SPEC = """\
title: t
given:
  a: {value: [0.1, 0.25]}
steps: |
  b = 2 * a
tables:
  t: {columns: {b: b}}
"""


@pytest.fixture
def built(project: Any) -> Any:
    """Return a project whose ledgers and pages are in order."""
    made = project(SPEC)
    build(made)
    return made


def findings(made: Any) -> list[Finding]:
    """Return what check finds but warnings of digits, after making sure that it wrote nothing."""
    before = {p: p.read_bytes() for p in made.root.rglob("*") if p.is_file()}
    result = review(made)
    assert {p: p.read_bytes() for p in made.root.rglob("*") if p.is_file()} == before
    assert not result.errors
    return result.findings


def ledger_lines(made: Any) -> list[str]:
    """Return the lines of the example's ledger."""
    return (made.root / "ledgers/example.json").read_text().splitlines()


def test_a_fresh_build_is_in_order(built: Any) -> None:
    """No finding, and the counts say what was looked at."""
    assert findings(built) == []
    assert review(built).counts == {"spec": 1, "entry": 2, "check": 0, "page": 6}


def test_a_stale_ledger_is_told_number_by_number(built: Any) -> None:
    """An edit that moves the printed digits says so; one that does not says so too."""
    spec = built.root / "specs/example.yaml"
    spec.write_text(SPEC.replace("0.25", "0.2500001"))
    (finding,) = findings(built)
    line = next(n for n, text in enumerate(ledger_lines(built), start=1) if text.startswith('   "value": [0.1, 0.25'))
    assert (finding.rule, finding.place, finding.cure) == (
        "stale-ledger",
        f"ledgers/example.json:{line}:23",
        "seqgen build example",
    )
    assert finding.details[1] == "b[1]: 0.5 → 0.5000002 (still prints 0.5000)"
    assert finding.details[-1] == "4 pages follow it"
    spec.write_text(SPEC.replace("0.25", "0.35"))
    (finding,) = findings(built)
    assert finding.details[:2] == (
        "a[1]: 0.25 → 0.35 (printed 0.2500 → 0.3500)",
        "b[1]: 0.5 → 0.7 (printed 0.5000 → 0.7000)",
    )
    assert (finding.old, finding.new) == ("0.25", "0.35")
    assert [str(span) for _, span in finding.related] == ["specs/example.yaml:3:3"]


def test_a_missing_ledger_and_missing_pages_are_found(built: Any) -> None:
    """Each with the command that cures it."""
    (built.root / "ledgers/example.json").unlink()
    (built.root / "build/latex/example/table-t.tex").unlink()
    assert [(f.rule, f.place) for f in findings(built)] == [
        ("missing-ledger", "ledgers/example.json"),
        ("missing-page", "build/latex/example/table-t.tex"),
    ]


def test_a_page_edited_by_hand_is_told_from_a_stale_one(built: Any) -> None:
    """The digest in its first line no longer fits; the line that differs is named."""
    page = built.root / "build/latex/example/table-t.tex"
    page.write_text(page.read_text().replace("0.2000", "0.2001"))
    (finding,) = findings(built)
    assert (finding.rule, finding.place) == ("edited-page", "build/latex/example/table-t.tex:6:8")
    assert finding.details == (r"- $(0.2001, 0.5000)$ \\", r"+ $(0.2000, 0.5000)$ \\")


def test_a_file_that_no_spec_makes_is_an_orphan(built: Any) -> None:
    """A ledger of a spec that is gone."""
    (built.root / "ledgers/old.json").write_text("{}")
    (finding,) = findings(built)
    assert (finding.rule, finding.place, finding.cure) == ("orphan", "ledgers/old.json", "rm ledgers/old.json")


def test_a_merge_conflict_in_a_ledger_gets_a_clear_message(built: Any) -> None:
    """Conflict markers are named as what they are."""
    ledger = built.root / "ledgers/example.json"
    ledger.write_text("<<<<<<< ours\n" + ledger.read_text() + ">>>>>>> theirs\n")
    (finding,) = findings(built)
    assert (finding.rule, finding.message) == ("conflict", "the ledger holds a merge conflict")
    assert finding.place == "ledgers/example.json:1:1"
    assert finding.cure == "resolve the spec, then seqgen build example"


@pytest.mark.parametrize(
    ("check", "said"),
    [
        ("- expect: {b: [0.2, 0.6]}", "expect: b[1] is 0.5, expected 0.6"),
        ("- equal: {left: 'b[0]', right: '1/4'}", "equal: b[0] = 1/4 does not hold: left is 0.2, right is 0.25"),
        ("- erratum: {of: 'b[0]', printed: 0.2, right: 0.2, cause: none}", "erratum of b[0]: what is printed, 0.2, agrees with what is computed; leave this check out"),
        ("- erratum: {of: 'b[0]', printed: 0.3, right: 0.25, cause: slip}", "erratum of b[0]: the number given as right is not what is computed: b[0] is 0.20, expected 0.25"),
    ],
)  # fmt: skip
def test_a_declared_check_that_does_not_hold_is_found_at_its_place(project: Any, check: str, said: str) -> None:
    """The finding stands at the check's line in the spec."""
    made = project(f"{SPEC}checks:\n  {check}\n")
    build(made)
    (finding,) = findings(made)
    assert (finding.rule, finding.message) == ("failed-check", said)
    assert finding.place.startswith("specs/example.yaml:9:")


def test_a_wrong_gradient_rule_is_caught_by_differences(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a sign slipped into tanh's rule, the finite-difference check fails."""
    import dataclasses

    from seqgen.graph.node import OPERATIONS

    tanh = OPERATIONS["tanh"]
    wrong = dataclasses.replace(tanh, derivative=lambda node, g: (g * (1 + node**2),))
    monkeypatch.setitem(OPERATIONS, "tanh", wrong)
    made = project(
        "title: t\ngiven: {w: {role: parameter, value: 0.5}}\nsteps: |\n  L = tanh(w)\n"
        "checks:\n  - finite_difference: {of: L, tolerance: 1e-6}\n"
    )
    report = build(made)
    assert len(report.failed_checks) == 1


def test_what_cannot_be_proven_is_said(project: Any) -> None:
    """A zero that no rational and no closed form decides is unproven, and check says so."""
    made = project(
        "title: t\nexact_limit: 0\nsteps: |\n  a = 2 * sin(1) * cos(1) - sin(2)\n",
        configuration="precision_limit = 256",
    )
    build(made)
    (finding,) = findings(made)
    assert (finding.rule, finding.place) == ("unproven", "specs/example.yaml:4:3")


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (
            "steps: |\n  b = 2 * sin(1) * cos(1) - sin(2)\ntables:\n  t: {columns: {twice: 2 * b}}\n",
            ["b", "2 * b"],
        ),
        ("steps: |\n  b = sin(1)\nchecks:\n  - expect: {2 * b * cos(1) - sin(2): 0}\n", ["2 * b * cos(1) - sin(2)"]),
    ],
)
def test_an_unproven_cell_or_expectation_is_told_too(project: Any, spec: str, told: list[str]) -> None:
    """Not only what is an entry: no rational and no closed form decides whether these are zero."""
    made = project(f"title: t\nexact_limit: 0\n{spec}", configuration="precision_limit = 256")
    build(made)
    messages = [f.message for f in findings(made) if f.rule.startswith("unproven")]
    assert messages == [f"the digits of {name} can't be proven with 256 bits" for name in told]
    assert all(f.warning == (f.rule == "unproven-part") for f in findings(made))


def test_an_unproven_term_of_a_gradient_is_told(project: Any) -> None:
    """One use contributes 2 * sin(1) * cos(1) - sin(2), which is zero, and nobody can tell."""
    made = project(
        "title: t\nexact_limit: 0\ngiven: {w: {role: parameter, value: 0.5}}\nsteps: |\n"
        "  a = (2 * sin(1) * cos(1) - sin(2)) * w\n  b = 3 * w\n  L = a + b\ngradients: {L: [w]}\n",
        configuration="precision_limit = 256",
    )
    build(made)
    messages = [f.message for f in findings(made) if f.rule.startswith("unproven")]
    assert "the digits of grad(L, w, via=a) can't be proven with 256 bits" in messages
    assert "the digits of grad(L, w) can't be proven with 256 bits" not in messages


def test_an_equality_that_nothing_decides_is_not_said_to_be_wrong(project: Any) -> None:
    """It fails, as undecided: 64 bits leave the difference of two numbers near 2e30 open by a billion."""
    made = project(
        "title: t\nexact_limit: 0\nsteps: |\n  a = 2e30 * sin(1) * cos(1)\n"
        "checks:\n  - equal: {left: a, right: 1e30 * sin(2)}\n",
        configuration="precision_limit = 64",
    )
    build(made)
    messages = [f.message for f in findings(made) if f.rule == "failed-check"]
    assert [message.partition(", and at")[0] for message in messages] == [
        "equal: a = 1e30 * sin(2) can't be decided: no closed form tells"
    ]


def test_the_finite_difference_check_records_count_and_measure(project: Any) -> None:
    """The ledger's row has the count, the largest distance, and an order of two."""
    made = project(
        "title: t\ngiven: {w: {role: parameter, value: [0.5, 0.25]}}\nsteps: |\n  L = sum(tanh(w))\n"
        "checks:\n  - finite_difference: {of: L, step: 1e-4, tolerance: 1e-6}\n"
    )
    build(made)
    from seqgen.ledger.document import parse

    (row,) = parse((made.root / "ledgers/example.json").read_text())["checks"]
    assert (row["count"], row["order"], row["passed"]) == (2, 2.0, True)
    # The third derivative of tanh is at most 2, so that a difference is off by at most 2 * step**2 / 6.
    assert 0 < row["measured"] <= 1e-8 / 3


@pytest.mark.parametrize(
    ("steps", "kink"),
    [
        ("L = relu(w)", {"of": "w", "left": 0.0, "right": 1.0, "taken": 0.0}),
        ("L = where(w > 0, w, 2 * w)", {"of": "w", "left": 2.0, "right": 1.0, "taken": 2.0}),
    ],
)
def test_at_a_kink_both_slopes_are_shown_instead_of_a_false_alarm(
    project: Any, steps: str, kink: dict[str, Any]
) -> None:
    """At zero these have two slopes; the derivative that is taken lies between them."""
    from seqgen.ledger.document import parse

    made = project(
        f"title: t\ngiven: {{w: {{role: parameter, value: 0}}}}\nsteps: |\n  {steps}\n"
        "checks:\n  - finite_difference: {of: L, tolerance: 1e-9}\n"
    )
    assert build(made).failed_checks == []
    (row,) = parse((made.root / "ledgers/example.json").read_text())["checks"]
    assert row["kinks"] == [kink]


def test_a_wrong_slope_near_a_kink_is_no_kink(project: Any) -> None:
    """At 4e-7, the kink of the maximum lies within the step: the slope there is 1, and 0.3 of it are taken."""
    report = build(project(NEAR.format(loss="0.3*r + 0.7*stop_gradient(r)")))
    assert "gradient" in report.failed_checks[0] or "finite_difference" in report.failed_checks[0]


def test_a_right_slope_near_a_kink_is_no_false_alarm(project: Any) -> None:
    """The same with all of it taken."""
    assert not build(project(NEAR.format(loss="r"))).failed_checks


NEAR = """
title: t
given: {{x: {{role: parameter, value: 4e-7}}}}
steps: |
  r = maximum(x, 0)
  L = {loss}
checks:
  - finite_difference: {{of: L, tolerance: 1e-9}}
"""


def test_a_wrong_slope_beside_a_kink_is_no_kink(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relu with a slope of 2 at a positive argument fails: the two sides agree there."""
    import dataclasses

    from seqgen.graph.node import OPERATIONS

    relu = OPERATIONS["relu"]
    monkeypatch.setitem(OPERATIONS, "relu", dataclasses.replace(relu, derivative=lambda node, g: (g * 2,)))
    made = project(
        "title: t\ngiven: {w: {role: parameter, value: 0.5}}\nsteps: |\n  L = relu(w)\n"
        "checks:\n  - finite_difference: {of: L, tolerance: 1e-9}\n"
    )
    assert len(build(made).failed_checks) == 1


def test_the_same_spec_gives_the_same_bytes_in_another_folder(project: Any) -> None:
    """No path of a machine reaches a ledger or a page."""
    one, two = project(SPEC), project(SPEC)
    for made in (one, two):
        build(made)
    for path in sorted(Path(one.root).rglob("*.*")):
        relative = path.relative_to(one.root)
        if path.is_file() and relative.parts[0] in ("ledgers", "build"):
            assert path.read_bytes() == (two.root / relative).read_bytes()


def test_a_page_behind_its_template_is_told_from_one_behind_its_numbers(built: Any) -> None:
    """The ledger is in order and a template has changed since the build: the finding names it."""
    template = built.root / "templates/markdown/table.md.j2"
    template.parent.mkdir(parents=True)
    template.write_text("*{{ table.name }}*\n")
    finding, listing = findings(built)  # the listing shows the tables too
    assert (listing.rule, listing.place.split(":")[0]) == ("stale-template", "build/markdown/example/ledger.md")
    assert (finding.rule, finding.place) == ("stale-template", "build/markdown/example/table-t.md:2:1")
    assert finding.message == "the page was made before templates/markdown/table.md.j2 changed"
    assert (finding.old, finding.new) == ("| b |", "*t*")


def test_a_page_of_other_numbers_than_the_ledger_is_stale(built: Any) -> None:
    """A spec and its ledger come from a colleague, and the pages in build/ are still the old ones."""
    other = SPEC.replace("0.25", "0.35")
    old = {path: path.read_text() for path in (built.root / "build").rglob("*-t.*")}
    (built.root / "specs/example.yaml").write_text(other)
    build(built)
    for path, text in old.items():
        path.write_text(text)
    assert [(f.rule, f.place, f.old, f.new) for f in findings(built)] == [
        ("stale-page", "build/latex/example/table-t.tex:6:13", r"$(0.2000, 0.5000)$ \\", r"$(0.2000, 0.7000)$ \\"),
        ("stale-page", "build/markdown/example/table-t.md:4:15", "| $(0.2000, 0.5000)$ |", "| $(0.2000, 0.7000)$ |"),
    ]


def test_an_edited_ledger_is_told_from_one_that_is_behind_its_spec(built: Any) -> None:
    """It says that it was made from this very text, and holds another number."""
    ledger = built.root / "ledgers/example.json"
    ledger.write_text(ledger.read_text().replace('"value": [0.2, 0.5]', '"value": [0.2, 0.6]'))
    (finding,) = findings(built)
    line = next(n for n, text in enumerate(ledger_lines(built), start=1) if "[0.2, 0.6]" in text)
    assert (finding.rule, finding.place) == ("stale-ledger", f"ledgers/example.json:{line}:21")
    assert "made from this very text: it was edited" in finding.message
    assert (finding.old, finding.new) == ("0.6", "0.5")


def test_a_ledger_that_is_no_json_is_told(built: Any) -> None:
    """Half a file, say."""
    ledger = built.root / "ledgers/example.json"
    ledger.write_text(ledger.read_text()[:200])
    (finding,) = findings(built)
    assert (finding.rule, finding.message[:22]) == ("stale-ledger", "this is not a ledger: ")


def test_an_ignored_rule_finds_nothing(project: Any) -> None:
    """Other rules go on."""
    made = project(SPEC, configuration='ignore = ["missing-page", "orphan"]')
    (made.root / "ledgers").mkdir()
    (made.root / "ledgers/old.json").write_text("{}")
    assert [finding.rule for finding in findings(made)] == ["missing-ledger"]


@pytest.mark.parametrize(
    ("configuration", "said"),
    [
        ('select = ["printed-sums"]', "'select' names a rule that there is not: 'printed-sums'"),
        ('ignore = ["stale"]', "'ignore' names a rule that there is not: 'stale'"),
        ('ignore = ["mistake"]', "a mistake can't be ignored"),
        ('select = ["orphan"]\nignore = ["orphan"]', "'orphan' is both selected and ignored"),
        ('select = "orphan"', "'select' must be a list of texts"),
        ("ignore = [1]", "'ignore' must be a list of texts"),
    ],
)
def test_a_wrong_choice_of_rules_is_an_error_at_its_line(project: Any, configuration: str, said: str) -> None:
    """In pyproject.toml, where the key stands."""
    with pytest.raises(SpecError) as caught:
        review(project(SPEC, configuration=configuration))
    assert caught.value.message == said
    line = 3 if "\n" in configuration else 2
    assert str(caught.value.span).startswith(f"pyproject.toml:{line}:")


def test_the_command_line_chooses_over_the_configuration(project: Any) -> None:
    """It ignores what is selected there, and selects what is ignored there."""
    made = project(SPEC, configuration='select = ["near-tie"]\nignore = ["unproven"]')
    force = severities(made, ["unproven", "vanishing"], ["near-tie"])
    assert (force["unproven"], force["vanishing"], force["printed-sum"]) == ("error", "error", "warning")
    assert "near-tie" not in force


def test_an_unknown_rule_is_told_with_the_nearest(project: Any) -> None:
    """As every unknown name is."""
    with pytest.raises(SpecError) as caught:
        review(project(SPEC, configuration='ignore = ["printed-sums"]'))
    assert caught.value.hint == "did you mean printed-sum?"


def test_every_rule_has_all_its_parts() -> None:
    """A name of its own, what, why, cure, a severity, and what finds it.

    A mistake is found by what raises it, and a spreadsheet is looked at where it is named.
    """
    assert len(RULES) == len(ROWS)
    for row in ROWS:
        assert row.what.endswith(".")
        assert row.why.endswith(".")
        assert row.cure
        assert row.severity in ("error", "warning", "off")
        assert row.of_spec is None or row.of_project is None
        assert bool(row.of_spec or row.of_project or row.of_files or row.of_decks) == (
            row.name not in ("mistake", "spreadsheet")
        )


def test_digits_that_are_not_proven_are_not_as_expected(project: Any) -> None:
    """A hundred steps of the logistic map leave nothing in 64 bits: whatever is printed then is no word for itself."""
    spec = """
title: t
given: {"x[0]": {value: 0.3}}
steps: |
  for t in range(100):
      x[t+1] = 3.9 * x[t] * (1 - x[t])
checks:
  - expect: {"x[100]": "DIGITS"}
"""
    first = project(spec.replace("DIGITS", "0.5000"), configuration="precision_limit = 64")
    (said,) = build(first).failed_checks
    printed = re.search(r"x\[100\] is ([\d.]+), expected", said)
    assert printed is not None
    (said,) = build(project(spec.replace("DIGITS", printed[1]), configuration="precision_limit = 64")).failed_checks
    assert "its digits are not proven" in said


def test_check_opens_each_spec_once(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A deck that cites a spec is woven from what was computed for the spec's own rules."""
    from seqgen.build import artifacts
    from seqgen.decks import weave

    made, opened = project("title: t\nsteps: a = 1\n"), list[str]()
    (made.root / "slides").mkdir()
    (made.root / "slides/one.md").write_text(r"\seq{example: a} and \seq{example: a + 1}")

    def counted(one: Any, name: str, *more: Any, **options: Any) -> Any:
        opened.append(name)
        return open_microscope(one, name, *more, **options)

    for module in (artifacts, weave):
        monkeypatch.setattr(module, "open_microscope", counted)
    assert [finding.rule for finding in review(made).findings if "slides" in finding.file] == ["missing-deck"]
    assert opened == ["example"]
