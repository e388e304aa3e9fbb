"""Typed numbers as rules of `seqgen check`: what each says, where, and which decks are looked at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from seqgen.build import build
from seqgen.errors import SpecError
from seqgen.ledger.disk import ledgers
from seqgen.project import Project
from seqgen.rules.review import review

ROOT = Path(__file__).parent.parent
# tanh(0.4) = 0.379948962…, tanh(-0.45) = -0.421899005…, and p is 1/8 at an exact tie of two decimals.
SPEC = """\
title: One unit
given:
  x: {role: input, value: [0.5, -1.25]}
  W: {role: parameter, value: [[0.3, -0.2], [0.1, 0.4]]}
steps: |
  z = x @ W.T
  h = tanh(z)
  p = 1/8
  tiny = 3e-7 * x[0]
tables:
  t: {columns: {h: h}}
"""
DECK = "# One unit\n\nHere $h = (0.3799, -0.4219)$.\n"


@pytest.fixture
def deck(project: Any) -> Any:
    """Return a function that checks a deck of a text, under a name, in a project of one spec."""

    def check(text: str | bytes, name: str = "slides/a.md", *, configuration: str = "", **options: Any) -> Any:
        made = project(SPEC, configuration=configuration)
        path = made.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        assert not build(made).failed
        return review(made, **options)

    return check


def said(result: Any) -> list[tuple[str, str, str, str]]:
    """Return rule, place and the digits before and after of what a check finds, warnings left out."""
    return [(f.rule, f.place, f.old, f.new) for f in result.failures]


def test_a_near_miss_says_the_entry_the_value_the_slip_and_the_cure(deck: Any) -> None:
    """An instructor mends it from the message alone."""
    (finding,) = deck("# One unit\n\nHere $h = (0.3799, -0.4218)$.\n").failures
    assert (finding.rule, finding.place) == ("near-miss", "slides/a.md:3:20")
    assert finding.message == (
        "-0.4218 stands for example: h[1], which is -0.42189900525000795: truncated instead of rounded"
    )
    assert finding.cure == r"write -0.4219, or cite \seq{example: h[1]}"


@pytest.mark.parametrize(
    ("typed", "column", "old", "new"),
    [
        ("$h = (0.3800, -0.4219)$", 7, "0.3800", "0.3799"),
        ("$h = (0.3799, −0.4218)$", 15, "−0.4218", "−0.4219"),
        ("$h = (0.3799, 0.4219)$", 15, "0.4219", "-0.4219"),
        ("$h = (-0.3799, -0.4219)$", 7, "-0.3799", "0.3799"),
        ("$h = (.3798, -.4219)$", 7, ".3798", ".3799"),
        ("$h_0 = 0{,}3798$", 8, "0{,}3798", "0{,}3799"),
        (r"$\mathrm{tiny} = 1.51\times 10^{-7}$", 18, r"1.51\times 10^{-7}", r"1.50\times 10^{-7}"),
        ("$\\mathrm{tiny} = 1.51e-7$", 18, "1.51e-7", "1.50e-7"),
        ("$p = 12.6\\%$", 6, "12.6\\%", "12.5\\%"),
    ],
)  # fmt: skip
def test_what_should_stand_there_is_spelled_as_the_number_is(
    deck: Any, typed: str, column: int, old: str, new: str
) -> None:
    """Marks, powers, minus signs and the number of decimals are the author's."""
    assert said(deck(f"{DECK}{typed}\n")) == [("near-miss", f"slides/a.md:4:{column}", old, new)]


@pytest.mark.parametrize("typed", ["0.12", "0.13", "0.125", "12.5\\%", "1/8"])
def test_either_rounding_of_a_tie_is_backed(deck: Any, typed: str) -> None:
    """An eighth is 0.12 and 0.13."""
    assert said(deck(f"$p = {typed}$\n")) == []


def test_two_numbers_in_each_others_place_are_two_near_misses(deck: Any) -> None:
    """Each with the digits that belong there."""
    result = deck("Here $h = (-0.4219, 0.3799)$.\n")
    assert said(result) == [
        ("near-miss", "slides/a.md:1:12", "-0.4219", "0.3799"),
        ("near-miss", "slides/a.md:1:21", "0.3799", "-0.4219"),
    ]


def test_unbacked_numbers_are_told_where_the_rule_is_selected(deck: Any) -> None:
    """It is off: most decks have numbers of their own."""
    text = "The state is $h = (0.3799, -0.4219)$.\n\nNobody computed 0.7316.\n"
    assert said(deck(text)) == []
    assert said(deck(text, select=["unbacked"])) == [("unbacked", "slides/a.md:3:17", "0.7316", "")]
    assert said(deck(text, configuration='select = ["unbacked"]')) == [("unbacked", "slides/a.md:3:17", "0.7316", "")]


@pytest.mark.parametrize(("name", "mark"), [("a.md", "<!-- seqgen-ignore -->"), ("a.tex", "% seqgen-ignore")])
def test_a_line_whose_numbers_are_somebody_elses_is_left_out(deck: Any, name: str, mark: str) -> None:
    """That line only."""
    result = deck(f"They print $h = (0.3799, -0.4218)$. {mark}\n\nWe, $h = (0.3799, -0.4218)$.\n", f"slides/{name}")
    assert said(result) == [("near-miss", f"slides/{name}:3:19", "-0.4218", "-0.4219")]


def test_a_near_miss_can_be_ignored(deck: Any) -> None:
    """As any other rule."""
    assert said(deck("$h = (0.3799, -0.4218)$\n", ignore=["near-miss"])) == []


@pytest.mark.parametrize(
    ("name", "audit", "found"),
    [
        ("slides/part/a.md", None, True),
        ("slides/a.html", None, True),
        ("notes/a.txt", None, False),
        ("notes/a.txt", '["notes"]', True),
        ("notes/a.txt", '["notes/a.txt"]', True),
        ("notes/deep/a.html", '["notes/**/*.html"]', True),
        ("slides/a.md", "[]", False),
    ],
)
def test_the_project_declares_which_decks_are_audited(deck: Any, name: str, audit: str | None, found: bool) -> None:
    """All under slides/ without a word; files, folders and patterns as it says."""
    result = deck("$h = (0.3799, -0.4218)$\n", name, configuration="" if audit is None else f"audit = {audit}")
    assert [f.file for f in result.failures] == ([name] if found else [])


def test_an_audited_file_is_checked_by_its_name(deck: Any) -> None:
    """Also one that is not woven."""
    result = deck(
        "$h = (0.3799, -0.4218)$\n", "notes/a.txt", configuration='audit = ["notes"]', wanted=("notes/a.txt",)
    )
    assert said(result) == [("near-miss", "notes/a.txt:1:15", "-0.4218", "-0.4219")]
    assert result.counts == {"deck": 1, "typed number": 2}


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("lectures", "'audit' names no deck: 'lectures'"),
        ("notes/*.pdf", "'audit' names no deck: 'notes/*.pdf'"),
        ("../other", "'../other' leads outside the project"),
        ("/etc", "'/etc' leads outside the project"),
    ],
)
def test_a_pattern_that_names_no_deck_is_a_mistake(deck: Any, pattern: str, message: str) -> None:
    """It stands at its line in pyproject.toml."""
    with pytest.raises(SpecError) as caught:
        deck(DECK, configuration=f'audit = ["{pattern}"]')
    assert (caught.value.message, str(caught.value.span)) == (message, "pyproject.toml:2:1")


def test_a_typed_number_is_held_against_the_spec_as_it_is_now(project: Any) -> None:
    """After an edit, before a build, the ledger is stale, and so is what was typed: tanh(0.40002) is 0.37997."""
    made = project(SPEC)
    (made.root / "slides").mkdir()
    (made.root / "slides/a.md").write_text(DECK)
    build(made)
    assert said(review(made)) == []
    (made.root / "specs/example.yaml").write_text(SPEC.replace("-1.25", "-1.2501"))
    assert [f.rule for f in review(made).failures] == ["stale-ledger", "near-miss"]
    assert said(review(made))[1] == ("near-miss", "slides/a.md:3:12", "0.3799", "0.3800")


def test_blocks_citations_and_invisible_signs_are_not_typed(deck: Any) -> None:
    """What the build writes is compared as such."""
    text = (
        "<!-- seqgen: example: h, digits=3 -->\n$$\n(0.380, -0.422)\n$$\n<!-- /seqgen -->\n\n"
        "$\\phantom{-}0.3799$ and \\seq[form=column]{example: h}\n"
    )
    result = deck(text, select=["unbacked"])
    assert said(result) == []
    assert result.counts["typed number"] == 1


def test_numbers_of_a_deck_with_windows_line_ends_have_their_place(deck: Any) -> None:
    """Lines and columns are the editor's."""
    result = deck(b"# One\r\n\r\nHere\r\n$h = (0.3799, -0.4218)$\r\n")
    assert said(result) == [("near-miss", "slides/a.md:4:15", "-0.4218", "-0.4219")]


def test_a_tex_deck_and_what_it_takes_in_are_audited(project: Any) -> None:
    """A part is no deck of its own, and its numbers are checked all the same."""
    made = project(SPEC)
    (made.root / "slides/parts").mkdir(parents=True)
    (made.root / "slides/a.tex").write_text(
        "\\documentclass{beamer}\n\\begin{document}\n\\input{parts/b}\n\\end{document}\n"
    )
    (made.root / "slides/parts/b.tex").write_text("\\begin{frame}\n\\(h = (0.3799, 0.4219)\\)\n\\end{frame}\n")
    build(made)
    result = review(made)
    assert said(result) == [("near-miss", "slides/parts/b.tex:2:16", "0.4219", "-0.4219")]
    assert result.counts["deck"] == 1


def test_a_torn_ledger_is_told_when_only_a_deck_is_checked(project: Any) -> None:
    """Then the specs are not computed, and nothing could be said of the numbers."""
    made = project(SPEC)
    (made.root / "slides").mkdir()
    (made.root / "slides/a.md").write_text(DECK)
    build(made)
    ledger = made.root / "ledgers/example.json"
    ledger.write_text("<<<<<<< ours\n" + ledger.read_text())
    result = review(made, ("slides/a.md",))
    assert result.status == 2
    assert "holds a merge conflict" in str(result.errors[0])


def test_the_sample_decks_have_no_near_miss() -> None:
    """Neither as they stand nor as they are woven."""
    from seqgen.auditing.verdicts import NEAR_MISS, Auditor

    auditor = Auditor(ledgers(Project(ROOT)))
    for name in ("week06.md", "week06.tex"):
        audit = auditor.audit(ROOT / "slides" / name, name)
        assert [f for f in audit.findings if f.verdict == NEAR_MISS] == []
