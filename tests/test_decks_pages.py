"""Whole tables and derivations in decks: as on their pages, in part, pointed out, revealed and left empty."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from components import need_beamer
from seqgen.build import build
from seqgen.errors import SpecErrors
from seqgen.project import Project

SPEC = r"""
title: t
given: {x: {value: [0.5, -1, 2]}, W: {value: [[1, 2, 0], [0, 1, 3]]}}
steps: |
  h = x @ W.T
  a = tanh(h)
tables:
  states:
    caption: 'Both states, $h$ and $a$'
    rows: i = 0..1
    columns: {"$i$": i, "$h_i$": "h[i]", "$a_i$": "a[i]"}
worked:
  one: [h, a]
"""
TABLE = ["0 | -1.5000 | -0.9051", "1 | 5.0000 | 0.9999"]


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Project]:
    """Return a maker of projects with the spec above and one deck in each format."""

    def project(text: str) -> Project:
        for name, content in {
            "specs/example.yaml": SPEC,
            "slides/deck.md": text,
            "slides/deck.tex": rf"\documentclass{{beamer}}\usepackage{{booktabs,seqgen}}\begin{{document}}\begin{{frame}}"
            f"{text}\n\\end{{frame}}\\end{{document}}",
        }.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(content)
        return Project(tmp_path)

    return project


@pytest.fixture
def woven(make: Callable[[str], Project]) -> Callable[[str], tuple[str, str]]:
    """Return what LaTeX and Markdown are given for a citation that stands alone."""

    def weave(citation: str) -> tuple[str, str]:
        made = make(f"\n{citation}\n")
        report = build(made)
        assert not report.errors, report.errors[0].render()
        return tuple(
            (made.root / f"build/slides/deck.{end}").read_text().split("\n", 1)[1] for end in ("seq.tex", "md")
        )

    return weave


def cells(page: str) -> list[str]:
    """Return the rows of a table of either medium, its numbers without markup."""
    rows = [line for line in page.splitlines() if re.match(r"\$|\| \$", line) and "_i$" not in line]
    return [re.sub(r"[\s|&]*(?:[|&]|\\\\)[\s|&]*", " | ", row.replace("$", "")).strip(" |") for row in rows]


@pytest.mark.parametrize("page", ["table states", "worked one"])
def test_a_cited_page_is_that_of_its_spec(make: Callable[[str], Project], page: str) -> None:
    """The LaTeX that the style sets is the page that could be input."""
    made = make(f"\n\\seq{{example: {page}}}\n")
    assert not build(made).errors
    own = (made.root / f"build/latex/example/{page.replace(' ', '-')}.tex").read_text().split("\n", 1)[1]
    assert own in (made.root / "build/slides/deck.seq.tex").read_text()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", TABLE),
        ("rows=2", TABLE[1:]),
        ("rows={2, 1}", TABLE[::-1]),
        ("columns=2-3", [row[4:] for row in TABLE]),
        ("digits=1", ["0 | -1.5 | -0.9", "1 | 5.0 | 1.0"]),
        ("highlight={a[0]}", [r"0 | -1.5000 | \BOX{-0.9051}", TABLE[1]]),
        ("blank", [r"0 | \phantom{-1.5000} | \phantom{-0.9051}", r"1 | \phantom{5.0000} | \phantom{0.9999}"]),
        ("blank=3", [r"0 | -1.5000 | \phantom{-0.9051}", r"1 | 5.0000 | \phantom{0.9999}"]),
    ],
)
def test_a_table_is_cited_in_part_and_with_options(
    woven: Callable[[str], tuple[str, str]], options: str, expected: list[str]
) -> None:
    """Rows and columns in the order asked for, digits, a box around one number, and blanks as wide as the numbers."""
    latex, markdown = woven(rf"\seq[{options}]{{example: table states}}")
    assert cells(latex) == [row.replace("BOX", "seqhighlight") for row in expected]
    assert cells(markdown) == [row.replace("BOX", "boxed") for row in expected]


def test_rows_are_revealed_one_after_the_other(woven: Callable[[str], tuple[str, str]]) -> None:
    """An overlay a row in LaTeX, a fragment a row in Markdown."""
    latex, markdown = woven(r"\seq[steps=2]{example: table states}")
    assert [re.findall(r"seqstep\{(\d)\}", row) for row in cells(latex)] == [["2"] * 3, ["3"] * 3]
    assert markdown.count('<tr class="fragment" v-click><td>$') == 2


def test_lines_are_revealed_one_after_the_other(woven: Callable[[str], tuple[str, str]]) -> None:
    """A derivation's lines are overlays too, and fragments of their own."""
    latex, markdown = woven(r"\seq[steps]{example: worked one}")
    assert set(re.findall(r"seqstep\{(\d)\}", latex)) == {"1", "2"}
    assert markdown.count('<div class="fragment" v-click>\n\n$$\n') == 2


def test_the_results_of_a_derivation_can_be_left_empty(woven: Callable[[str], tuple[str, str]]) -> None:
    """What leads to them stays."""
    for text in woven(r"\seq[blank]{example: worked one}"):
        assert r"\tanh(-1.5000, 5.0000) \approx \phantom{(-0.9051, 0.9999)}" in text


def test_math_in_markdown_has_no_backslash_before_a_sign(woven: Callable[[str], tuple[str, str]]) -> None:
    """A Markdown parser would read it as an escape: rows end with a name, and so do spaces."""
    _, markdown = woven(r"\seq{example: worked one}")
    assert r"\cr" in markdown
    assert re.findall(r"\\[^A-Za-z]", markdown) == []


def test_booktabs_and_a_caption_are_asked_for(woven: Callable[[str], tuple[str, str]]) -> None:
    """The rules of the package in LaTeX; the caption above in both."""
    latex, markdown = woven(r"\seq[booktabs, caption]{example: table states}")
    assert [latex.count(rule) for rule in (r"\toprule", r"\midrule", r"\bottomrule", r"\hline")] == [1, 1, 1, 0]
    assert "Both states, $h$ and $a$" in latex
    assert "*Both states, $h$ and $a$*\n\n| $i$" in markdown


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (r"\seq{example: table state}", "'example' has no table 'state'", "did you mean states?"),
        (r"\seq{example: worked two}", "'example' has no derivation 'two'", ""),
        (r"\seq[row=1]{example: table states}", "a page has no option 'row'", "did you mean rows?"),
        (r"\seq[rows=3]{example: table states}", "there is no row 3", ""),
        (r"\seq[steps=a]{example: table states}", "'steps' can't be read", ""),
        (r"\seq[rows=1, rows=2]{example: table states}", "'rows' is set twice", "leave one of them out"),
        (r"\seq[columns=1]{example: worked one}", "columns, booktabs and caption are options of a table", ""),
        (r"\seq[highlight={b}]{example: table states}", "unknown name 'b'", ""),
    ],
)
def test_what_is_wrong_with_a_page_is_reported(
    make: Callable[[str], Project], text: str, message: str, hint: str
) -> None:
    """With the pages and the options that there are."""
    (one, *_) = build(make(f"\n{text}\n")).errors
    found = one.errors[0] if isinstance(one, SpecErrors) else one
    assert found.message == message
    assert not hint or found.hint == hint


def test_a_page_in_a_line_of_markdown_is_refused(make: Callable[[str], Project]) -> None:
    """A table that does not begin a paragraph would be printed as text."""
    made = make(r"See \seq{example: table states}.")
    assert "must stand alone between blank lines" in build(made, ("slides/deck.md",)).errors[0].render()


@pytest.mark.real
def test_a_revealed_table_is_a_slide_a_row(make: Callable[[str], Project]) -> None:
    """Beamer makes as many pages as the last step says, with booktabs and a highlighted number."""
    need_beamer()
    made = make("\n\\seq[steps=2, booktabs, highlight={a[0]}]{example: table states}\n")
    assert not build(made).errors
    run = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-output-directory", "build/slides", "slides/deck.tex"],
        cwd=made.root,
        capture_output=True,
        check=False,
    )
    assert run.returncode == 0
    assert b"(3 pages" in run.stdout
