r"""Numbers beside operators, powers and factors, and where TeX expands its arguments."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from seqgen.decks.weave import Shelf, attempt
from seqgen.errors import SeqgenError

SPEC = """\
title: Signs
given:
  a: {role: input, shape: [], value: -0.5000}
  b: {role: input, shape: [], value: 0.2500}
steps: |
  c = a * b
  d = 1 / 3
"""
HEAD = "<!-- seqgen: spec example -->\n\n"


class Decks:
    """A course that weaves one deck."""

    def __init__(self, project: Any) -> None:
        self.project = project(SPEC)
        (self.project.root / "slides").mkdir()

    def weave(self, text: str, name: str = "slides/a.md") -> dict[str, str]:
        """Return the files of a deck.

        Raises:
            SeqgenError: with its mistakes.
        """
        (self.project.root / name).write_text(text)
        woven, errors = attempt(self.project, name, Shelf(project=self.project))
        errors.raise_any()
        return dict(woven.files)

    def markdown(self, text: str) -> str:
        """Return a woven text."""
        (woven,) = self.weave(HEAD + text).values()
        return woven.partition(HEAD)[2]

    def pages(self, body: str, tmp_path: Path, packages: str = "") -> str:
        """Return the words of the PDF that LaTeX makes of a deck."""
        text = (
            f"\\documentclass{{article}}\n{packages}\\usepackage{{seqgen}}\n\\begin{{document}}\n"
            f"% seqgen: spec example\n{body}\n\\end{{document}}\n"
        )
        for name, content in self.weave(text, "slides/a.tex").items():
            (tmp_path / Path(name).name).write_text(content)
        (tmp_path / "a.tex").write_text(text)
        run = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"]
        done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done.stdout[-1500:]
        words = subprocess.run(
            ["pdftotext", "-raw", "a.pdf", "-"], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        return re.sub(r"\s+", "", words.stdout.replace("−", "-"))


@pytest.fixture(scope="module")
def decks(project: Any) -> Decks:
    """Return a course with numbers of both signs."""
    return Decks(project)


@pytest.mark.parametrize(
    ("typed", "woven"),
    [
        (r"$\seq{a}^2$", "$(-0.5000)^2$"),
        (r"$0.5 - \seq{a}$", "$0.5 - (-0.5000)$"),
        (r"$-\seq{a}$", "$-(-0.5000)$"),
        (r"$2 \cdot \seq{a}$", r"$2 \cdot (-0.5000)$"),
        (r"$2\times\seq{a}$", r"$2\times(-0.5000)$"),
        (r"$x \seq{a}$", "$x (-0.5000)$"),
        (r"$W_{11}\,\seq{a}$", r"$W_{11}\,(-0.5000)$"),
        (r"$\frac{1}{2}\seq{a}$", r"$\frac{1}{2}(-0.5000)$"),
        (r"$\seq{a} \cdot 3$", r"$(-0.5000) \cdot 3$"),
        (r"$\seq{a}(1 - y)$", "$(-0.5000)(1 - y)$"),
        (r"$\seq{b}\seq{a}$", "$(0.2500)(-0.5000)$"),
        (r"$\mathbf{\seq{a}}^2$", r"$\mathbf{(-0.5000)}^2$"),
        (r"${\seq{a}}^2$", "${(-0.5000)}^2$"),
        (r"$2\seq{b}$", "$2(0.2500)$"),
        (r"$\seq[form=exact]{d}^2$", r"$\left(\frac{1}{3}\right)^2$"),
        ("0.5 - \\seq{a} and 0.5 · \\seq{a}", "0.5 - (−0.5000) and 0.5 · (−0.5000)"),
        (r"\seq{a}² or \seq[paren]{a}", "(−0.5000)² or (−0.5000)"),
        (r"$x = \seq[relation, paren]{a}$", "$x = = (-0.5000)$"),
    ],
)
def test_a_negative_number_has_parentheses_beside_an_operator(decks: Decks, typed: str, woven: str) -> None:
    """After an operator or a factor, before a power or a factor; other numbers where digits would run together."""
    assert decks.markdown(typed) == woven


@pytest.mark.parametrize(
    "typed",
    [
        r"$a = \seq{a}$", r"$a \approx \seq{a}$", r"$(\seq{a}, \seq{b})$", r"$(\seq{a})^2$", r"$\le \seq{a}$", r"$\seq{a} + 1$",
        r"$\text{for } \seq{a}$", r"$a &= \seq{a} \\ &= \seq{a}$", r"$0.5 - \seq{b}$", r"$\seq{b}^2$", "- \\seq{a}\n- \\seq{a}",
        r"| \seq{a} | \seq{b} |", r"It is \seq{a}, or \seq{a}.", r"$\begin{bmatrix} \seq{a} & \seq{a} \end{bmatrix}$",
        r"$x = 3 \quad \seq{a}$", r"$0.5 - \seq[paren=no]{a}$", r"$\tanh(\seq{a})$", r"$2^{\seq{a}}$", r"$W_{\seq{a}}$", r"*\seq{a}*",
    ],
)  # fmt: skip
def test_other_numbers_have_no_parentheses(decks: Decks, typed: str) -> None:
    """After a relation, a bracket, a cell or words; positive numbers; where the author asks for none."""
    bare = re.sub(r"\\seq(?:\[[^\]]*\])?\{(\w)\}", lambda m: {"a": "-0.5000", "b": "0.2500"}[m[1]], typed)
    assert decks.markdown(typed).replace("−", "-") == bare


needs_tex = pytest.mark.skipif(not shutil.which("pdflatex") or not shutil.which("pdftotext"), reason="needs TeX")


@needs_tex
@pytest.mark.real
def test_latex_shows_the_same_parentheses(decks: Decks, tmp_path: Path) -> None:
    """TeX looks ahead itself; what stands before a citation is read by the build."""
    body = (
        r"A $\seq{a}^2$ B $a = \seq{a}$ C $0.5 - \seq[digits=2]{a}$ D $2\seq[digits=2]{b}$ E $\seq{a} \cdot 2$ "
        r"F $\mathbf{\seq[digits=3]{a}}^2$ G \seq{a} H $\seq[paren]{b}$ I $b = \seq{b}$ J $\seq{a}(1)$ "
        r"K \begin{tabular}{ll} \seq{a} & $\seq{a}$ \\ $\seq{a}$ & x \end{tabular}"
        "\n\\begin{align*} a &= \\seq{a} \\\\ &= \\seq{a}\\end{align*}"
    )
    assert decks.pages(body, tmp_path) == (
        "A(-0.5000)2Ba=-0.5000C0.5-(-0.50)D2(0.25)E(-0.5000)·2F(-0.500)2G-0.5000H(0.2500)Ib=0.2500J(-0.5000)(1)"
        "K-0.5000-0.5000-0.5000xa=-0.5000=-0.50001"
    )


@needs_tex
@pytest.mark.real
def test_seqvalue_is_a_bare_number_where_tex_expands(decks: Decks, tmp_path: Path) -> None:
    """In coordinates, calculations, lists and lengths: half of -0.5 is -0.25."""
    body = (
        r"\tikz \draw (0,0) -- (\seqvalue{b},\seqvalue[digits=1]{a}) node {\seq{b}};"
        r"\pgfmathparse{\seqvalue{a}/2}A \pgfmathresult\ \foreach \x in {\seqvalue{a},2}{[\x]}\hspace{\seqvalue{b}cm}"
        r"\newlength{\w}\setlength{\w}{\seqvalue{b}cm}\edef\x{\seqvalue[paren]{a}}\x"
    )
    assert decks.pages(body, tmp_path, "\\usepackage{tikz}\n") == "0.2500A-0.25[-0.5000][2]-0.50001"


def test_seqvalue_in_markdown_is_a_bare_number(decks: Decks) -> None:
    """With a hyphen for its sign, as programs read it."""
    assert (
        decks.markdown(r'<span data-x="\seqvalue{a}">\seqvalue[digits=2]{b}</span>')
        == '<span data-x="-0.5000">0.25</span>'
    )


EXPANDED = [
    r"\pgfmathparse{2*\seq{a}}", r"\pgfmathsetmacro{\x}{\seq{a}}", r"\pgfmathsetmacro\x{\seq{a}}", r"\setlength{\x}{\seq{a}cm}", r"\foreach \x in {1,\seq{a}} {x}",
    r"\definecolor{x}{rgb}{\seq{a},0,0}", r"\hspace{\seq{a}cm}", r"\rule{\seq{a}cm}{1pt}", r"\ifdim \seq{a}pt > 0pt x\fi", r"\edef\x{\seq{a}}",
    r"\begin{tikzpicture}\draw (0,0) -- (\seq{a},1);\end{tikzpicture}", r"\tikz \draw (\seq{a},1) -- (0,0);", r"\kern\seq{a}pt",
    r"\begin{tikzpicture}\addplot coordinates {(1,\seq{a})};\end{tikzpicture}", r"\begin{tikzpicture}[scale=\seq{a}]\end{tikzpicture}",
    r"\begin{tikzpicture}\foreach \x in {1,2} {\draw (\x,\seq{a}) -- (0,0);}\end{tikzpicture}", r"\begin{tikzpicture}\node at (\seq{a},0) {x};\end{tikzpicture}",
]  # fmt: skip


@pytest.mark.parametrize("body", EXPANDED)
def test_a_citation_that_tex_would_expand_is_reported(decks: Decks, body: str) -> None:
    r"""At its place, with ``\seqvalue`` as the fix, and that is in order."""
    text = "\\begin{document}\n% seqgen: spec example\n" + body + "\n\\end{document}\n"
    with pytest.raises(SeqgenError, match="can't stand where TeX expands") as caught:
        decks.weave(text, "slides/b.tex")
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == (3, body.index(r"\seq{") + 1)
    decks.weave(text.replace(r"\seq{", r"\seqvalue{"), "slides/b.tex")


@pytest.mark.parametrize(
    "body",
    [
        r"\begin{tikzpicture}\node at (0,0) {$\seq{a}$};\end{tikzpicture}", r"\begin{tikzpicture}\node[label={\seq{a}}] (x) {};\end{tikzpicture}",
        r"\begin{axis}[title={At \seq{a}}]\end{axis}", r"\begin{tikzpicture}\draw (0,0) -- (1,1) node[above] {\seq{a}};\end{tikzpicture}",
        r"\begin{tikzpicture}\matrix[matrix of nodes] {\seq{a} & x \\};\end{tikzpicture}", r"\hspace{1cm} \seq{a}", r"\newcommand{\x}{\seq{a}}",
        r"\tikz \node {\seq{a}}; (\seq{a})", r"\resizebox{2cm}{!}{\seq{a}}", r"\setlength{\x}{1cm}{\seq{a}}", r"\foreach \x in {1,2} {\seq{a}}",
    ],
)  # fmt: skip
def test_a_citation_that_is_typeset_is_in_order(decks: Decks, body: str) -> None:
    """The text of nodes, labels, titles and macros."""
    decks.weave("\\begin{document}\n% seqgen: spec example\n" + body + "\n\\end{document}\n", "slides/b.tex")
