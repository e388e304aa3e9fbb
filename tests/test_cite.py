"""Typed numbers that become citations: the deck shows the same before and after, and what is not sure stays."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from seqgen.build import build
from seqgen.cli import main

# By hand: a = (-0.1, 0.95), h = sigmoid(a) = (0.475021, 0.721115), s = 0.7*h0 - 0.6*h1 = -0.100155, p = 0.474982,
# L = -log(p) = 0.744478.
SPEC = """\
title: A small net
given:
  x: {role: input, shape: [D], value: [1, 2]}
  W: {role: parameter, shape: [H, D], value: [[0.3, -0.2], [0.15, 0.4]]}
  u: {role: parameter, shape: [H], value: [0.7, -0.6]}
steps: |
  a = W @ x
  h = sigmoid(a)
  s = u @ h
  p = sigmoid(s)
  L = -log(p)
gradients: {L: [u]}
"""
MARKDOWN = r"""---
title: A net
---
# A small net

The state is $h = (0.4750, 0.7211)$, the score $s = -0.1002$ and the output $p = 0.475$; in text -0.1002, or s = −0.1002.

$$\begin{bmatrix} 0.3 & -0.2 \\ 0.15 & 0.4 \end{bmatrix} = W, \quad L \approx 0.74448$$

The loss is $2L = 1.4890$, $\frac{\partial L}{\partial u_0} = -0.2494$; $h_1 = 72.11\,\%$. $s^2 = (-0.1002)^2$, $1 - s = 1 - (-0.1002)$.

$s \cdot 2 = -0.1002 \cdot 2$. The value 0.9137 is nobody's. Code `h = 0.4750` stays, and so does $h_1 < 0.7212$.

| | $h_0$ | $h_1$ | $s$ | $p$ |
| --- | ---: | ---: | ---: | ---: |
| value | 0.4750 | 0.7211 | -0.1002 | 0.4750 |

```
h = [0.4750 0.7211]
```
"""
LATEX = r"""\documentclass{article}
\usepackage{amsmath}
\begin{document}
The state is $h = (0.4750, 0.7211)$, the score $s = -0.1002$ and the output $p = 0.475$; in text s = -0.1002.
\[\begin{bmatrix} 0.3 & -0.2 \\ 0.15 & 0.4 \end{bmatrix} = W, \quad L \approx 0.74448\]
The loss is $2L = 1.4890$, $\frac{\partial L}{\partial u_0} = -0.2494$; $h_1 = 72.11\,\%$. $s^2 = (-0.1002)^2$.
\begin{align*} 1 - s &= 1 - (-0.1002) & s \cdot 2 &= -0.1002 \cdot 2 \end{align*}
\begin{tabular}{lrrrr}
 & $h_0$ & $h_1$ & $s$ & $p$ \\ \hline
value & 0.4750 & 0.7211 & -0.1002 & 0.4750
\end{tabular}
\newlength{\x}\setlength{\x}{0.4750cm}
\verb|h = 0.4750|
\end{document}
"""


class Course:
    """A course with one deck."""

    def __init__(self, project: Any, name: str, text: str) -> None:
        self.project = project
        self.root: Path = project.root
        self.deck = self.root / name
        shutil.rmtree(self.deck.parent, ignore_errors=True)
        self.deck.parent.mkdir()
        self.deck.write_text(text)

    def cite(self, *options: str) -> str:
        """Run ``seqgen cite``, and return what it prints."""
        result = CliRunner().invoke(main, ["cite", str(self.deck.relative_to(self.root)), *options])
        assert result.exit_code == 0, result.output
        return result.output

    def woven(self) -> str:
        """Return the woven deck."""
        assert not build(self.project).failed
        return (self.root / "build" / self.deck.relative_to(self.root)).read_text()


@pytest.fixture(scope="module")
def built(project: Any) -> Any:
    """Return a course whose spec is built."""
    made = project(SPEC)
    assert not build(made).failed
    return made


@pytest.fixture
def course(built: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a maker of courses with one deck, as the working folder."""

    def make(text: str = MARKDOWN, name: str = "slides/a.md") -> Course:
        made = Course(built, name, text)
        monkeypatch.chdir(made.root)
        return made

    return make


def cited(course: Any, line: str, name: str = "slides/a.md") -> str:
    """Return a line after ``seqgen cite --write``, beside numbers that tell the spec."""
    head = "<!-- seqgen: spec example -->\n\n"
    made = course(f"{head}{line}\n", name)
    made.cite("--write")
    return str(made.deck.read_text().removeprefix(head).rstrip("\n"))


def test_a_cited_deck_is_woven_into_the_same_text(course: Any) -> None:
    """Of Markdown, each character: text, math, tables, matrices, factors and percentages."""
    made = course()
    before = made.woven()
    made.cite("--write")
    assert made.deck.read_text() != MARKDOWN
    assert made.woven() == before


def test_only_what_is_sure_becomes_a_citation(course: Any) -> None:
    """A number of no entry, a bound, and code stay, each with the reason."""
    printed = course().cite()
    left = re.findall(r"^slides/a\.md:(\d+):\d+: (\S+) is left: (.*)$", printed, re.MULTILINE)
    assert [(line, text) for line, text, _ in left] == [
        ("12", "0.9137"), ("12", "0.4750"), ("12", "0.7212"), ("19", "0.4750"), ("19", "0.7211"),
    ]  # fmt: skip
    assert printed.rstrip().endswith("slides/a.md: 21 of 26 typed numbers cited if written")


def test_without_write_a_diff_is_printed_and_nothing_changes(course: Any) -> None:
    """The diff is what git applies."""
    made = course()
    printed = made.cite()
    assert made.deck.read_text() == MARKDOWN
    subprocess.run(["git", "init", "-q"], cwd=made.root, check=True)  # without one, git applies to an outer repository
    diff = printed[: printed.index("slides/a.md:12")]
    subprocess.run(["git", "apply"], cwd=made.root, input=diff, text=True, check=True)
    applied = made.deck.read_text()
    made.deck.write_text(MARKDOWN)
    made.cite("--write")
    assert made.deck.read_text() == applied


def test_citing_twice_changes_nothing_more(course: Any) -> None:
    """What is cited is typed no longer."""
    made = course()
    made.cite("--write")
    once = made.deck.read_text()
    made.cite("--write")
    assert made.deck.read_text() == once


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("$s = -0.1002$", r"$s = \seq{s}$"),
        ("$s = -0.10$", r"$s = \seq[digits=2]{s}$"),
        ("The score $s$ is -0.1002.", r"The score $s$ is \seq[minus=hyphen]{s}."),
        ("$W_{0,0} = 0.3$", r"$W_{0,0} = \seq{W[0][0]}$"),
        (r"$s = -1.002\times10^{-1}$", r"$s = \seq[scientific=4]{s}$"),
        ("$h_1 = 0{,}7211$", r"$h_1 = \seq[decimal=comma]{h[1]}$"),
        ("$2L = 1.489$", r"$2L = \seq[digits=3]{2 * L}$"),
        ("$h_1 = 72.11\\,\\%$", r"$h_1 = \seq[digits=2]{100 * h[1]}\,\%$"),
    ],
)
def test_options_are_chosen_so_that_the_same_is_shown(course: Any, typed: str, written: str) -> None:
    """As many digits, the same form, mark and sign; without the spec's name where the deck says it."""
    assert cited(course, typed) == written


def test_windows_line_ends_stay(course: Any) -> None:
    """Only numbers change."""
    made = course()
    made.deck.write_bytes(MARKDOWN.replace("\n", "\r\n").encode())
    made.cite("--write")
    found = made.deck.read_bytes()
    assert found.count(b"\r\n") == found.count(b"\n") == MARKDOWN.count("\n")


def test_a_latex_deck_loads_the_style(course: Any) -> None:
    """After its class, with the deck's name where it lies in a folder; once."""
    made = course(LATEX, "slides/a.tex")
    made.cite("--write")
    assert made.deck.read_text().startswith("\\documentclass{article}\n\\usepackage{seqgen}\n\\usepackage{amsmath}\n")
    made.cite("--write")
    assert made.deck.read_text().count("{seqgen}") == 1


def test_a_length_and_verbatim_text_stay(course: Any) -> None:
    r"""``\seq`` would break TeX there, or be shown as it is."""
    made = course(LATEX, "slides/a.tex")
    made.cite("--write")
    text = made.deck.read_text()
    assert r"\setlength{\x}{0.4750cm}" in text
    assert r"\verb|h = 0.4750|" in text


@pytest.mark.real
@pytest.mark.skipif(not shutil.which("pdflatex") or not shutil.which("pdftotext"), reason="needs TeX")
def test_a_cited_latex_deck_has_the_same_pdf_text(course: Any) -> None:
    """Text, math, matrices, alignments and tables."""
    made = course(LATEX, "slides/a.tex")

    def words() -> str:
        assert not build(made.project).failed
        folder = made.root / "build/slides"
        run = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-output-directory", str(folder)]
        done = subprocess.run([*run, "slides/a.tex"], cwd=made.root, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-1500:]
        return subprocess.run(
            ["pdftotext", "-layout", str(folder / "a.pdf"), "-"], capture_output=True, text=True, check=True
        ).stdout

    before = words()
    made.cite("--write")
    assert made.deck.read_text().count(r"\seq") == 20
    assert words() == before
