"""The memory of typed numbers: what was recorded is found again after edits, and fails when its entry changes."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from seqgen.auditing.memory import Record, read_memory, recall, typed, write_memory
from seqgen.build import build
from seqgen.cli import main
from seqgen.rules.review import review

# By hand: h = sigmoid(-0.1, 0.9) = (0.475021, 0.710950), s = 0.7*h0 - 0.6*h1 = -0.094055; with 0.5 for 0.3,
# h0 = sigmoid(0.1) = 0.524979 and s = -0.059084, while h1 stays.
SPEC = """\
title: A small net
given:
  x: {role: input, shape: [D], value: [1, 2]}
  W: {role: parameter, shape: [H, D], value: [[0.3, -0.2], [0.1, 0.4]]}
  u: {role: parameter, shape: [H], value: [0.7, -0.6]}
steps: |
  a = W @ x
  h = sigmoid(a)
  s = u @ h
"""
DECK = """\
# A small net

The state is $h = (0.4750, 0.7109)$, the score $s = -0.0941$.

| unit | state |
| --- | ---: |
| first | 0.4750 |
| second | 0.7109 |
"""
STALE = [("0.4750", "0.5250"), ("-0.0941", "-0.0591"), ("0.4750", "0.5250")]
MEMORY = "ledgers/decks/a.md.json"


class Course:
    """A course with one deck, whose numbers are recorded."""

    def __init__(self, project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        self.project = project(SPEC)
        self.root: Path = self.project.root
        monkeypatch.chdir(self.root)
        (self.root / "slides").mkdir()
        self.write(DECK)
        assert not build(self.project).failed
        assert self.accept().exit_code == 0

    def write(self, text: str) -> None:
        """Write the deck."""
        (self.root / "slides/a.md").write_text(text)

    def accept(self) -> Any:
        """Run ``seqgen audit --accept``."""
        return CliRunner().invoke(main, ["audit", "--accept", str(self.root / "slides/a.md")])

    def edit(self) -> None:
        """Change one weight and build."""
        spec = self.root / "specs/example.yaml"
        spec.write_text(spec.read_text().replace("0.3, -0.2", "0.5, -0.2"))
        assert not build(self.project).failed

    def failures(self) -> list[Any]:
        """Return what a check finds in the deck itself; what is woven from it is built anew first."""
        build(self.project)
        return review(self.project).failures

    def stale(self) -> list[tuple[str, str]]:
        """Return the digits of stale numbers, and what should stand there."""
        return [(f.old, f.new) for f in review(self.project).failures if f.rule == "stale-number"]


@pytest.fixture
def course(project: Any, monkeypatch: pytest.MonkeyPatch) -> Course:
    """Return a course whose typed numbers are recorded, as the working folder."""
    return Course(project, monkeypatch)


def test_an_edit_of_a_weight_makes_typed_numbers_stale(course: Course) -> None:
    """Those whose printed digits change, with or without a label beside them; nothing before the edit."""
    assert course.failures() == []
    course.edit()
    assert course.stale() == STALE


def test_a_stale_number_says_slide_reference_and_fix(course: Course) -> None:
    """What it was, what it is, where, and what to write."""
    course.edit()
    (first, *_) = [f for f in course.failures() if f.rule == "stale-number"]
    assert (first.place, first.message) == (
        "slides/a.md:3:20", "on A small net, 0.4750 was example: h[0], which is now 0.5250",
    )  # fmt: skip
    assert first.cure == r"write 0.5250, or cite \seq{example: h[0]}"


def test_neither_build_nor_check_records(course: Course) -> None:
    """Only --accept writes the memory."""
    before = (course.root / MEMORY).read_text()
    course.write(DECK.replace("the score", "and the score"))
    build(course.project)
    review(course.project)
    assert (course.root / MEMORY).read_text() == before


def test_a_number_edited_to_the_right_value_is_in_order_and_bound_again(course: Course) -> None:
    """After the next --accept its entry is watched as before."""
    course.edit()
    course.write(DECK.replace("0.4750", "0.5250").replace("-0.0941", "-0.0591"))
    assert course.failures() == []
    assert course.accept().exit_code == 0
    spec = course.root / "specs/example.yaml"
    spec.write_text(spec.read_text().replace("0.5, -0.2", "0.3, -0.2"))
    build(course.project)
    assert course.stale() == [(new, old) for old, new in STALE]


def test_a_number_edited_to_a_wrong_value_is_found(course: Course) -> None:
    """Also without a label: it stands where the state stood."""
    course.write(DECK.replace("| first | 0.4750 |", "| first | 0.6113 |"))
    assert [(f.rule, f.old, f.new) for f in course.failures()] == [("contradiction", "0.6113", "0.4750")]


def test_an_entry_that_is_gone_is_reported(course: Course) -> None:
    """Its number stands for nothing that is computed."""
    spec = course.root / "specs/example.yaml"
    spec.write_text(spec.read_text().replace("  s = u @ h\n", ""))
    build(course.project)
    (finding,) = [f for f in course.failures() if f.rule == "stale-number"]
    assert finding.message.endswith("-0.0941 was example: s, which is gone")


LINES = DECK.split("\n")
EDITS = {
    "a line above": "A new line, of 2024.\n\n" + DECK,
    "moved lines": "\n".join([*LINES[4:], "", *LINES[:4]]),
    "rows in another order": "\n".join([*LINES[:6], LINES[7], LINES[6], ""]),
    "another heading": DECK.replace("# A small net", "# The second network of 3"),
    "a word in between": DECK.replace("the score", "and hence the score"),
    "another number beside it": DECK.replace("0.7109)", "0.711)"),
    "reworded": DECK.replace("The state is $h = (0.4750, 0.7109)$, the score $s = -0.0941$.", "$(0.4750, 0.7109)^T$; $-0.0941$"),
    "wrapped": DECK.replace("is $h", "is\n$h").replace("the score", "the\nscore"),
    "Windows line ends": DECK.replace("\n", "\r\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_a_number_is_known_again_after_an_edit(course: Course, name: str) -> None:
    """Its digits and the text around it tell, not its line."""
    course.write(EDITS[name])
    course.edit()
    assert sorted(course.stale()) == sorted(STALE)


def test_a_copied_line_is_remembered_with_its_original(course: Course) -> None:
    """Both copies are stale."""
    course.write(DECK + "\n" + LINES[2] + "\n")
    course.edit()
    assert len(course.stale()) == len(STALE) + 2


def test_a_deleted_line_leaves_no_finding(course: Course) -> None:
    """And the next --accept forgets it."""
    course.write("\n".join(LINES[:4]))
    course.edit()
    assert course.stale() == STALE[:2]
    course.accept()
    assert len(read_memory((course.root / MEMORY).read_text(), MEMORY)) == 3


def test_branches_that_add_numbers_merge(course: Course) -> None:
    """Records stand on lines of their own; what conflicts is read from both sides."""

    def git(*arguments: str) -> int:
        identity = ("-c", "user.name=a", "-c", "user.email=a@b")
        return subprocess.run(
            ["git", *identity, *arguments], cwd=course.root, capture_output=True, check=False
        ).returncode

    git("init", "-b", "main"), git("add", "-A"), git("commit", "-m", "a")
    git("checkout", "-b", "side")
    course.write("The first weight is $W_{0,0} = 0.3$.\n\n" + DECK)
    course.accept()
    git("commit", "-am", "b")
    git("checkout", "main")
    course.write(DECK + "\nThe last weight is $W_{1,1} = 0.4$.\n")
    course.accept()
    git("commit", "-am", "c")
    git("merge", "side")
    course.edit()
    assert sorted(course.stale()) == sorted([*STALE, ("0.3", "0.5")])


def test_the_memory_of_a_deck_that_is_gone_is_an_orphan(course: Course) -> None:
    """While the deck is there it is none."""
    assert course.failures() == []
    (course.root / "slides/a.md").unlink()
    (course.root / "build/slides/a.md").unlink()
    assert [(f.rule, f.file) for f in course.failures()] == [("orphan", MEMORY)]


TEXTS = st.text(alphabet="ab 01.,$|\n", max_size=60)


@given(TEXTS, st.lists(st.tuples(TEXTS, st.sampled_from(["0.25", "-1.5", "7"])), max_size=8))
def test_an_unchanged_deck_recalls_each_number(head: str, parts: list[tuple[str, str]]) -> None:
    """Whatever stands around them, as long as no two records are the same."""
    text, places = head, []
    for before, digits in parts:
        text += before
        places.append((len(text), len(text) + len(digits)))
        text += digits
    now = [typed(text, *place) for place in places]
    records = [
        Record(before=n.before, text=n.text, after=n.after, spec="s", reference=f"r[{i}]") for i, n in enumerate(now)
    ]
    found = recall(read_memory(write_memory("a.md", records), "m"), now)
    assert all(record in options for record, options in zip(records, found, strict=True))
