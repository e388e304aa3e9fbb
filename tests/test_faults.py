"""Faults put in by hand: a dozen in a copy of the sample decks, and of each kind one alone in a small course.

Where each finding must stand is looked up in the faulty file, by what was put in.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from seqgen.build import build
from seqgen.cli import main
from seqgen.project import Project
from seqgen.reports.text import diff
from seqgen.rules.review import review
from seqgen.writers import markdown

ROOT = Path(__file__).parent.parent
CITED = (
    "attention", "attention-causal", "attention-scores", "clipping", "encoder-block", "final-state-loss", "gru-mix",
    "positions", "rnn-trace", "tokens",
)  # fmt: skip


def put(path: Path, old: str, new: str, *, at: str = "") -> str:
    """Write ``new`` for the one ``old`` in a file; return line and column of ``at`` in it."""
    text = path.read_bytes().decode()
    assert text.count(old) == 1, f"{path.name} has {text.count(old)} × {old}"
    start = text.index(old) + new.index(at)
    path.write_bytes(text.replace(old, new).encode())
    return place_of(path, at or new, start)


def place_of(path: Path, text: str, start: int = 0) -> str:
    """Return line and column of the first ``text`` from ``start`` on."""
    content = path.read_bytes().decode()
    at = content.index(text, start)
    return f"{content.count(chr(10), 0, at) + 1}:{at - content.rfind(chr(10), 0, at)}"


def first_unlike(right: Path, wrong: Path) -> str:
    """Return line and column at which two pages first differ, below the line with their digests."""
    pairs = enumerate(zip(right.read_text().split("\n"), wrong.read_text().split("\n"), strict=True), start=1)
    line, (a, b) = next((n, pair) for n, pair in pairs if n > 1 and pair[0] != pair[1])
    return f"{line}:{next(i for i, (x, y) in enumerate(zip(a, b, strict=False), start=1) if x != y)}"


def found(project: Project, *wanted: str) -> list[tuple[str, str]]:
    """Return rule and place of what check finds, warnings left out, in a fixed order."""
    result = review(project, wanted)
    assert not result.errors, result.errors
    return sorted((finding.rule, finding.place) for finding in result.failures)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return a course with the sample decks, the specs that they cite and a template of its own, not yet built."""
    root = tmp_path_factory.mktemp("course")
    for name in CITED:
        (root / "specs/week06").mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / f"specs/week06/{name}.yaml", root / f"specs/week06/{name}.yaml")
    shutil.copytree(ROOT / "slides", root / "slides")
    (root / "templates/latex").mkdir(parents=True)
    shutil.copy(ROOT / "templates/latex/worked.tex.j2", root / "templates/latex")
    return Project(root)


def test_a_dozen_faults_in_the_sample_decks_are_all_found_and_nothing_else(course: Project, tmp_path: Path) -> None:
    """Each by its rule at its line: what was typed, cited, woven, built and merged wrong, in both decks."""
    root = course.root
    markdown, latex = root / "slides/week06.md", root / "slides/week06.tex"
    assert not build(course).failed
    assert found(course) == []

    # A page made from other numbers: what a copy from another branch leaves behind.
    other = tmp_path / "other"
    shutil.copytree(root, other)
    put(other / "specs/week06/positions.yaml", "10000**", "1000**")
    build(Project(other), ("week06/positions",))

    faults = []
    # Typed before the build: the fourth decimal of h_1, and the sign of a gradient's second entry.
    place = put(
        markdown, r"$h_1 \seq[relation]{week06/rnn-trace: h[1]}$", r"$h_1 \approx (0.1403, 0.0962)$", at="0.0962"
    )
    faults.append(("near-miss", f"slides/week06.md:{place}"))
    place = put(
        latex,
        r"g^h_2 = h_2 - y &\seq[relation]{week06/final-state-loss: grad(L, h[2])}",
        r"g^h_2 = h_2 - y &\approx (-0.2502, -0.1308)",
        at="-0.1308",
    )
    faults.append(("near-miss", f"slides/week06.tex:{place}"))
    assert not build(course).failed
    assert found(course) == sorted(faults)

    # In the Markdown deck: a block's number, a citation of a row that is not there, the woven deck by hand.
    put(markdown, "0.0052", "0.0053")
    faults.append(
        ("stale-block", f"slides/week06.md:{place_of(markdown, 'week06/final-state-loss: grad(L, W_h), relation')}")
    )
    put(markdown, "week06/gru-mix: mixture[4]", "week06/gru-mix: mixture[7]")
    faults.append(("absent-citation", f"slides/week06.md:{place_of(markdown, 'mixture[7]')}"))
    woven = root / "build/slides/week06.md"
    place = put(woven, "| 2 | −0.0502 |", "| 2 | −0.0503 |", at="3 |")
    faults.append(("edited-deck", f"build/slides/week06.md:{place}"))

    # In the LaTeX deck: a citation that asks for other digits than were built.
    put(latex, r"\seq[digits=7, relation]{week06/rnn-trace: h[1]}", r"\seq[digits=6, relation]{week06/rnn-trace: h[1]}")
    start = latex.read_text().index("digits=6")
    faults.append(("stale-numbers", f"slides/week06.tex:{place_of(latex, 'week06/rnn-trace: h[1]', start)}"))

    # What the decks stand on: a spec, ledgers, pages, a template.
    put(root / "specs/week06/clipping.yaml", "-4e-9", "-5e-9")
    ledger = root / "ledgers/week06/clipping.json"
    vanished = ledger.read_text().index('"value": [3e-09', ledger.read_text().index('"tiny": {'))
    faults.append(("stale-ledger", f"ledgers/week06/clipping.json:{place_of(ledger, '4e-09', vanished)}"))
    shutil.copy(ledger, root / "ledgers/week06/clipping-old.json")
    faults.append(("orphan", "ledgers/week06/clipping-old.json"))
    place = put(root / "ledgers/week06/encoder-block.json", '\n "dims"', '\n<<<<<<< HEAD\n "dims"', at="<<<")
    faults.append(("conflict", f"ledgers/week06/encoder-block.json:{place}"))
    page = "build/markdown/week06/positions/values.md"
    faults.append(("stale-page", f"{page}:{first_unlike(root / page, other / page)}"))
    shutil.copy(other / page, root / page)
    page = "build/latex/week06/attention/values.tex"
    faults.append(("edited-page", f"{page}:{put(root / page, '1.2552 & 0.9930', '1.2553 & 0.9930', at='3 & 0.99')}"))
    page = "build/latex/week06/positions/table-vectors.tex"
    (root / page).unlink()
    faults.append(("missing-page", page))
    place = put(root / "templates/latex/worked.tex.j2", r"\[\begin{aligned}", r"\[\begin{aligned}[t]", at="[t]")
    worked = [course.relative(path) for path in (root / "build/latex").rglob("worked-*.tex")]
    column = place.split(":")[1]  # pages of clipping are told with its ledger
    faults += [("stale-template", f"{path}:2:{column}") for path in worked if "/clipping/" not in path]

    assert found(course) == sorted(faults)
    assert len({rule for rule, _ in faults}) == 12


SPEC = """\
title: One unit
given: {x: {value: [0.5, -1.25]}, W: {value: [[0.3, -0.2], [0.1, 0.4]]}}
steps: |
  z = x @ W.T
  h = tanh(z)
tables:
  t: {columns: {h: h}}
"""
# A deck in a folder, and one in LaTeX with a part of its own; both cite the same.
MARKDOWN = """\
---
marp: true
---

# One unit

It ends at $h \\approx \\seq{unit: h}$, as $h = (0.3799, -0.4219)$.

<!-- seqgen: unit: z, digits=2 -->
$$
(0.40, -0.45)
$$
<!-- /seqgen -->
"""
LATEX = """\
\\documentclass{beamer}
\\usepackage[deck=a/unit]{seqgen}
\\begin{document}
\\begin{frame}{One unit}
  \\only<2>{It ends at \\(h \\seq[relation]{unit: h}\\), as \\(h = (0.3799, -0.4219)\\).}
  \\input{a/part}
\\end{frame}
\\end{document}
"""
PART = "Of these, \\(z_0 \\seq[relation, digits=2]{unit: z[0]}\\) is positive.\n"
DECKS = {"slides/b/unit.md": MARKDOWN, "slides/a/unit.tex": LATEX, "slides/a/part.tex": PART}


@pytest.fixture
def small(tmp_path: Path) -> Project:
    """Return a small course with two decks, built."""
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/unit.yaml").write_text(SPEC)
    for name, text in DECKS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    project = Project(tmp_path)
    assert not build(project).failed
    assert found(project) == []
    return project


# What is put in, where, and the one finding: its rule, the text that it stands at, and in which file if in another.
ALONE = {
    "a spec is edited": ("specs/unit.yaml", "title: One unit", "title: A unit", "stale-ledger", 'One unit"', "ledgers/unit.json"),
    "a ledger is edited": ("ledgers/unit.json", '"value": [0.4, -0.45', '"value": [0.4, -0.46', "stale-ledger", "6", ""),
    "a ledger has marks of a merge": ("ledgers/unit.json", ' "dims"', '<<<<<<< HEAD\n "dims"', "conflict", "<<<", ""),
    "a page is edited": ("build/latex/unit/table-t.tex", "0.3799", "0.3798", "edited-page", "8,", ""),
    "a woven deck is edited": ("build/slides/b/unit.md", "approx (0.3799", "approx (0.3790", "edited-deck", "0,", ""),
    "a file of numbers is edited": ("build/slides/a/unit.seq.tex", "{= 0.40}{", "{= 0.41}{", "edited-deck", "", ""),
    "a block is edited": ("slides/b/unit.md", "(0.40, -0.45)", "(0.40, -0.44)", "stale-block", "unit: z, digits", ""),
    "a name is cited that is not there": ("slides/b/unit.md", "\\seq{unit: h}", "\\seq{unit: hh}", "absent-citation", "hh", ""),
    "a spec is cited that is not there": ("slides/a/unit.tex", "{unit: h}", "{units: h}", "absent-citation", "units", ""),
    "a position is cited that is not there": ("slides/a/part.tex", "z[0]", "z[2]", "absent-citation", "z[2]", ""),
    "an option is unknown": ("slides/a/unit.tex", "[relation]", "[relations]", "faulty-citation", "relations", ""),
    "a citation was added": ("slides/a/part.tex", "z[0]", "z[1]", "stale-numbers", "unit: z[1]", ""),
    "a last digit is off": ("slides/b/unit.md", "= (0.3799", "= (0.3797", "near-miss", "0.3797", ""),
    "a number is truncated": ("slides/a/unit.tex", "-0.4219", "-0.4218", "near-miss", "-0.4218", ""),
    "a sign is wrong": ("slides/a/unit.tex", "-0.4219", "0.4219", "near-miss", "0.4219", ""),
}  # fmt: skip


@pytest.mark.parametrize("kind", ALONE)
def test_a_fault_of_one_kind_is_found_alone(small: Project, kind: str) -> None:
    """By its rule, at its place, and nothing else is."""
    file, old, new, rule, text, elsewhere = ALONE[kind]
    path = small.root / file
    put(path, old, new)
    if file == "slides/b/unit.md" and rule == "near-miss":  # nothing is woven of it, but the deck is copied
        assert not build(small).failed
    where = elsewhere or file
    start = (small.root / where).read_text().index(new) if text in new else 0
    assert found(small) == [(rule, f"{where}:{place_of(small.root / where, text, start)}" if text else where)]


def test_marks_of_a_merge_in_a_deck_are_found(small: Project) -> None:
    """All three of them; a line of dashes below a heading is none."""
    deck = small.root / "slides/b/unit.md"
    put(deck, "It ends at", "<<<<<<< HEAD\nIt ends at\n=======\nIt stops at\n>>>>>>> other\n")
    assert ("conflict", f"slides/b/unit.md:{place_of(deck, '<<<')}") in found(small)


def test_two_numbers_of_a_vector_that_changed_places_are_found(small: Project) -> None:
    """Both stand in the other's place."""
    deck = small.root / "slides/a/unit.tex"
    put(deck, "(0.3799, -0.4219)", "(-0.4219, 0.3799)")
    assert found(small) == [
        ("near-miss", f"slides/a/unit.tex:{place_of(deck, text)}") for text in ("-0.4219", "0.3799")
    ]


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("ledgers/unit.json", "missing-ledger"),
        ("build/latex/unit/table-t.tex", "missing-page"),
        ("build/slides/b/unit.md", "missing-deck"),
        ("build/slides/a/unit.seq.tex", "missing-numbers"),
        ("build/slides/seqgen.sty", "missing-numbers"),
    ],
)
def test_a_file_that_is_gone_is_found_alone(small: Project, path: str, rule: str) -> None:
    """By its name."""
    (small.root / path).unlink()
    assert found(small) == [(rule, path)]


@pytest.mark.parametrize(
    "path", ["ledgers/old.json", "build/markdown/old/values.md", "build/slides/b/old.md", "build/slides/old.seq.tex"]
)
def test_a_file_that_nothing_makes_is_found_alone(small: Project, path: str) -> None:
    """A ledger, a page, a woven deck, a file of numbers."""
    (small.root / path).parent.mkdir(parents=True, exist_ok=True)
    (small.root / path).write_text("{}")
    assert found(small) == [("orphan", path)]


def test_a_changed_template_and_a_page_from_other_numbers_are_told_apart(small: Project) -> None:
    """The one template is to blame for its own pages only."""
    right = small.root / "build/markdown/unit/values.md"
    wrong = small.root / "wrong.md"
    wrong.write_text(
        markdown.MEDIUM.stamped(
            "specs/unit.yaml",
            "seqgen build unit",
            right.read_text().partition("\n")[2].replace("0.3799", "0.3788"),
        )
    )
    place = first_unlike(right, wrong)
    wrong.replace(right)
    own = small.root / "templates/markdown"
    own.mkdir(parents=True)
    (own / "table.md.j2").write_text("New:\n" + (ROOT / "templates/markdown/table.md.j2").read_text())
    head = (small.root / "build/markdown/unit/table-t.md").read_text().splitlines()[1]
    listed = (small.root / "build/markdown/unit/ledger.md").read_text().splitlines().index(head) + 1
    assert found(small) == [
        ("stale-page", f"build/markdown/unit/values.md:{place}"),
        ("stale-template", f"build/markdown/unit/ledger.md:{listed}:1"),  # the listing shows the tables too
        ("stale-template", "build/markdown/unit/table-t.md:2:1"),
    ]


def test_mistakes_in_a_deck_hide_none_of_its_other_faults(small: Project) -> None:
    """A citation that can't be met, an unknown option, a stale block and a typed slip, all at once."""
    deck = small.root / "slides/b/unit.md"
    put(deck, "\\seq{unit: h}", "\\seq[digit=2]{unit: hh}")
    put(deck, "(0.40, -0.45)", "(0.40, -0.44)")
    put(deck, "-0.4219", "-0.4218")
    (small.root / "build/slides/old.md").write_text("")
    assert found(small) == [
        ("absent-citation", f"slides/b/unit.md:{place_of(deck, 'hh')}"),
        ("faulty-citation", f"slides/b/unit.md:{place_of(deck, 'digit')}"),
        ("near-miss", f"slides/b/unit.md:{place_of(deck, '-0.4218')}"),
        ("orphan", "build/slides/old.md"),
        ("stale-block", f"slides/b/unit.md:{place_of(deck, 'unit: z, digits')}"),
    ]


def test_a_deck_with_windows_line_ends_keeps_them_and_is_checked_by_its_lines(small: Project) -> None:
    """Woven with them, and renewed with them."""
    deck = small.root / "slides/b/unit.md"
    deck.write_bytes(MARKDOWN.replace("\n", "\r\n").encode())
    assert not build(small).failed
    assert found(small) == []
    put(deck, "(0.40, -0.45)", "(0.40, -0.44)")
    put(deck, "-0.4219", "-0.4218")
    told = [finding for finding in found(small, "slides/b") if finding[0] != "stale-deck"]
    assert told == [
        ("near-miss", f"slides/b/unit.md:{place_of(deck, '-0.4218')}"),
        ("stale-block", f"slides/b/unit.md:{place_of(deck, 'unit: z, digits')}"),
    ]
    assert not build(small).failed
    for path in (deck, small.root / "build/slides/b/unit.md"):
        content = path.read_bytes()
        assert content.count(b"\n") == content.count(b"\r\n")


def test_a_deck_that_is_a_link_is_woven_and_checked_under_its_own_name(small: Project) -> None:
    """It leads to a file of the project; one that leads outside is refused, and not read."""
    (small.root / "shared").mkdir()
    (small.root / "shared/deck.md").write_text("# One\n\nIt is \\seq{unit: h[0]}, or $h_0 = 0.3798$.\n")
    (small.root / "slides/link.md").symlink_to("../shared/deck.md")
    assert not build(small).failed
    assert "It is 0.3799," in (small.root / "build/slides/link.md").read_text()
    assert found(small) == [("near-miss", f"slides/link.md:{place_of(small.root / 'shared/deck.md', '0.3798')}")]
    outside = small.root.parent / f"{small.root.name}-outside.md"
    outside.write_text("It is $h_0 = 0.3797$.\n")
    (small.root / "slides/outside.md").symlink_to(outside)
    assert ("faulty-citation", "slides/outside.md") in found(small)
    assert not any(rule == "near-miss" and "outside" in place for rule, place in found(small))


def test_a_fresh_checkout_is_in_order_by_the_arguments_of_the_hook_and_the_action(
    small: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is built there; a slip in a deck is found all the same."""
    hook = re.search("entry: seqgen (check.*)", (ROOT / ".pre-commit-hooks.yaml").read_text())
    action = re.search("default: (--ignore.*)", (ROOT / "action.yml").read_text())
    assert hook is not None
    assert action is not None
    assert hook[1] == f"check {action[1]}"
    shutil.rmtree(small.root / "build")
    monkeypatch.chdir(small.root)
    result = CliRunner().invoke(main, hook[1].split())
    assert (result.exit_code, result.output.splitlines()[-1][-8:]) == (0, "in order")
    put(small.root / "slides/b/unit.md", "-0.4219", "-0.4218")
    assert CliRunner().invoke(main, hook[1].split()).exit_code == 1


def test_a_diff_shows_what_a_build_would_change_in_decks_and_blocks(small: Project) -> None:
    """As git applies it: the deck with the block, the woven deck, the file of numbers."""
    (small.root / "specs/unit.yaml").write_text(SPEC.replace("-1.25", "-1.5"))
    told = diff(small, review(small))
    files = re.findall(r"^\+\+\+ b/(.*)$", told, re.MULTILINE)
    assert {"slides/b/unit.md", "build/slides/b/unit.md", "build/slides/a/unit.seq.tex"} <= set(files)
    assert "-(0.40, -0.45)\n+(0.45, -0.55)\n" in told
    subprocess.run(["git", "init", "-q"], cwd=small.root, check=True)
    subprocess.run(["git", "apply"], cwd=small.root, input=told, text=True, check=True)
    assert {rule for rule, _ in found(small)} <= {"near-miss", "contradiction"}  # what is typed is nobody's to change
