"""Pages: the forms that the lectures print, and the real programs that read them."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2.sandbox import ImmutableSandboxedEnvironment

from components import KATEX, need_beamer, need_katex, need_pdflatex
from seqgen.build import build
from seqgen.pages.sandbox import METHODS
from seqgen.project import Project
from seqgen.typeset.width import broken, width
from seqgen.writers import latex, markdown
from seqgen.writers.latex import escape_tex
from seqgen.writers.markdown import escape_markdown

ROOT = Path(__file__).parent.parent
MATH = re.compile(r"\$\$(.*?)\$\$|\$([^$\n]+)\$", re.DOTALL)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the shipped specs in a copy of the project and return its ``build`` folder."""
    root = tmp_path_factory.mktemp("shipped")
    for folder in ("specs", "templates"):
        (root / folder).symlink_to(ROOT / folder, target_is_directory=True)
    report = build(_inside(root))
    assert not report.errors
    assert not report.failed_checks
    return root / "build"


def _inside(root: Path) -> Project:
    """Return a project whose specs are real files below ``root``."""
    import shutil

    for folder in ("specs", "templates"):
        (root / folder).unlink()
        shutil.copytree(ROOT / folder, root / folder)
    return Project(root)


@pytest.mark.parametrize(
    ("page", "line"),
    [
        ("latex/week06/rnn-trace/table-trace.tex", r"$0$ & $(1.0000, -0.5000)$ & $(0.4500, -0.2000)$ & $(0.4219, -0.1974)$ \\"),
        ("latex/week06/final-state-loss/table-backward.tex", r"$1$ & $(-0.1509, 0.0143)$ & $(0.9803, 0.9908)$ & $(-0.1480, 0.0141)$ \\"),
        ("markdown/week06/rnn-trace/worked-second-step.md", r"h_{1} &= \tanh(z_{1}) \approx \tanh(0.1412, 0.0964) \approx (0.1403, 0.0961)"),
        ("latex/week06/rnn-trace/worked-first-step.tex", r"R_{0} &= h_{-1} \, W_{h}^\top = (0, 0) \, \begin{bmatrix}\phantom{-}0.5 & 0.1\\-0.2 & 0.3\end{bmatrix}^\top = (0, 0) \\"),
        ("latex/week06/attention/values.tex", r"\[A \approx \begin{bmatrix}0.5035 & 0.2483 & 0.2483\\0.2483 & 0.5035 & 0.2483\\0.4011 & 0.4011 & 0.1978\end{bmatrix}\]"),
        ("markdown/week06/attention/table-projections.md", "| cat | $(0, 1)$ | $(0, 1)$ | $(0, 3)$ |"),
    ],
)  # fmt: skip
def test_a_page_has_the_form_that_the_lecture_prints(pages: Path, page: str, line: str) -> None:
    """Tuples, matrices, table rows and derivations, as on the lecture's slides."""
    assert line in (pages / page).read_text().splitlines()


@pytest.mark.real
def test_every_latex_page_compiles_with_amsmath_alone(pages: Path, tmp_path: Path) -> None:
    """One article that inputs all pages, read by pdflatex without an error."""
    need_pdflatex()
    body = "\n".join(rf"\input{{{page}}}\par" for page in sorted(pages.rglob("*.tex")))
    _typeset(tmp_path, "all", body, r"\documentclass{article}")


def _typeset(tmp_path: Path, name: str, body: str, preamble: str = r"\documentclass[aspectratio=169]{beamer}") -> str:
    """Return what pdflatex says of a document, which must be without an error."""
    source = [preamble, r"\usepackage{amsmath}", r"\begin{document}", body, r"\end{document}"]
    (tmp_path / f"{name}.tex").write_text("\n".join(source))
    run = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"{name}.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    said = run.stdout.decode(errors="replace")
    assert run.returncode == 0, said[-3000:]
    return said


@pytest.mark.real
def test_every_table_and_derivation_of_the_lectures_fits_a_frame(pages: Path, tmp_path: Path) -> None:
    """Each alone in a 16:9 Beamer frame: nothing sticks out, to the side or below."""
    need_beamer()
    found = [p for week in ("week06", "dda3020") for p in sorted((pages / "latex" / week).rglob("*.tex"))]
    shown = [p for p in found if p.name.startswith(("table-", "worked-", "checks."))]
    assert len(shown) > 150
    frames = (rf"\begin{{frame}}\typeout{{@@ {p.relative_to(pages)}}}\input{{{p}}}\end{{frame}}" for p in shown)
    page, overfull = "", []
    for line in _typeset(tmp_path, "frames", "\n".join(frames)).splitlines():
        page = line if line.startswith("@@") else page
        if line.startswith("Overfull"):
            overfull.append((page, line))
    assert overfull == []


@pytest.mark.real
def test_widths_are_those_of_tex(pages: Path, tmp_path: Path) -> None:
    """Every row of the shipped derivations that is not short, within a tenth of what TeX makes of it, nearly always."""
    need_pdflatex()
    rows = {
        row.partition("&")[2]
        for page in sorted(pages.rglob("worked-*.tex"))
        for row in re.split(r" ?\\\\\n", page.read_text().split("{aligned}\n")[1].removesuffix("\\end"))
    }
    measured = sorted(row for row in rows if width(row) > 20 and "\n" not in row)
    assert len(measured) > 300
    boxes = (rf"\setbox0\hbox{{$\displaystyle {row}$}}\typeout{{@@ \the\wd0}}" for row in ["0", *measured])
    said = _typeset(tmp_path, "widths", "\n".join(boxes), r"\documentclass{article}")
    digit, *real = [float(m) for m in re.findall(r"@@ ([\d.]+)pt", said)]
    ratios = [width(row) * digit / wide for row, wide in zip(measured, real, strict=True)]
    assert all(0.8 < r < 1.25 for r in ratios)
    assert sum(0.9 < r < 1.1 for r in ratios) > 0.95 * len(ratios)


@pytest.mark.real
def test_all_math_of_every_markdown_page_parses_in_katex(pages: Path) -> None:
    """KaTeX with ``strict: "error"`` refuses none of it."""
    need_katex()
    found = [m for page in sorted(pages.rglob("*.md")) for m in MATH.finditer(page.read_text())]
    pieces = [{"math": m[1] or m[2], "display": m[1] is not None} for m in found]
    assert len(pieces) > 500
    run = subprocess.run(
        ["node", KATEX / "check.mjs"], input=json.dumps(pieces), capture_output=True, text=True, check=True, cwd=KATEX
    )
    assert json.loads(run.stdout) == []


ATTENTION = """\
title: t
given:
  Q: {shape: [2, D], value: [[1, 0], [1, 1]]}
  K: {shape: [2, D], value: [[0, 1], [1, 0]]}
steps: |
  S = Q @ K.T / sqrt(D)
worked:
  score: ["S[1][0] = FORMULA"]
"""


def test_a_derivation_may_give_its_own_formula(project: Any) -> None:
    """One score of an attention: its name, the row's own formula, numbers put in, and the whole array's digits."""
    made = project(ATTENTION.replace("FORMULA", "Q[1] @ K[0] / sqrt(D)"))
    assert not build(made).failed_checks
    page = (made.root / "build/latex/example/worked-score.tex").read_text()
    formula, numbers = r"\frac{Q_{1} \cdot K_{0}}{\sqrt{D}}", r"\frac{(1, 1) \cdot (0, 1)}{\sqrt{2}}"
    assert rf"S_{{1,0}} &= {formula} = {numbers} \approx 0.7071" in page


def test_a_formula_that_is_not_equal_fails(project: Any) -> None:
    """What an author claims of a value is checked like any equality, at its place."""
    (failed,) = build(project(ATTENTION.replace("FORMULA", "Q[0] @ K[0] / sqrt(D)"))).failed_checks
    assert "example.yaml:8:12: equal: S[1][0] = Q[0] @ K[0] / sqrt(D) does not hold" in failed


@pytest.mark.parametrize(
    ("math", "room", "rows"),
    [
        (r"a + b", 20, [r"a + b"]),
        (r"1111111111 + 2222222222 - 3333333333", 25, [r"1111111111 + 2222222222", r"\quad - 3333333333"]),
        (r"f(1111111111, 2222222222) + 3333333333", 30, [r"f(1111111111, 2222222222)", r"\quad + 3333333333"]),
        (r"(1111111111, 2222222222) \, 3333333333", 30, [r"(1111111111, 2222222222)", r"\quad \cdot 3333333333"]),
        (r"(1111111111, 2222222222, 3333333333)", 25, [r"(1111111111, 2222222222,", r"\quad 3333333333)"]),
        (r"\sigma\left(1111111111 + 2222222222\right)", 20, [r"\sigma\left(1111111111\right.", r"\quad \left.{}+ 2222222222\right)"]),
        (r"1111111111 + 2222222222 + 3333333333", 5, [r"1111111111", r"\quad + 2222222222", r"\quad + 3333333333"]),
        (r"\sqrt{1111111111 + 2222222222}", 20, [r"\sqrt{1111111111 + 2222222222}"]),
    ],
)  # fmt: skip
def test_math_too_wide_for_a_slide_is_broken_where_an_author_would(math: str, room: float, rows: list[str]) -> None:
    """Before a sum's sign, else before a factor, else after a comma; never within a root or a fraction."""
    assert broken(math, room).split(" \\\\\n& ") == rows


@given(st.text("]})([{\\^_&, +-a1", max_size=12) | st.sampled_from([r"\frac", r"\begin{bmatrix}1", r"a^", r"]0,1["]))
def test_no_spelling_is_too_odd_to_be_measured(math: str) -> None:
    """What TeX will refuse is its own matter: a page is laid out all the same, and nothing of it is lost."""
    assert width(math) >= 0
    kept = (
        broken(math, 5).replace(r"\quad", "").replace(r"\left.{}", "").replace(r"\right.", "").replace(r"\cdot", r"\,")
    )
    assert [c for c in math if c.isalnum()] == [c for c in kept if c.isalnum()]


def test_a_courses_own_template_comes_before_the_shipped_one(project: Any) -> None:
    """A file of the same name in the project's ``templates`` is used instead."""
    made = project("title: t\nsteps: |\n  a = 1/3\n")
    own = made.root / "templates/markdown/values.md.j2"
    own.parent.mkdir(parents=True)
    own.write_text("{% for v in values %}{{ v.name }} is {{ v.value }}{% endfor %}\n")
    build(made)
    assert (made.root / "build/markdown/example/values.md").read_text().endswith("\na is 0.3333")


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ nothing }}", "'nothing' is undefined"),
        ("{{ 0.1 }}", "a raw float (0.1) would reach the page"),
        ("{{ 0.1 ~ '' }}", "a raw float (0.1) would reach the page"),
        ("{{ [1, 2] }}", "a raw list would reach the page"),
        ("{{ values }}", "a raw list would"),
        ("{{ range }}", "a raw function would"),
        ("{{ (1 / 3) ~ '' }}", "'/' is not for templates"),
        ("{{ '%f' % (2 ** -1) }}", "'**' is not for templates"),
        ("{{ 'x' * 999999999 }}", "'*' is not for templates"),
        (
            "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
            "more than 10,000,000 steps",
        ),
        (
            "{% set n = namespace(s='x') %}{% for i in range(60) %}{% set n.s = n.s ~ n.s %}{% endfor %}",
            "10,000,000 steps",
        ),
        (
            "{% set n = namespace(s='x') %}{% for i in range(60) %}{% set n.s = n.s + n.s %}{% endfor %}",
            "10,000,000 steps",
        ),
        (
            "{% macro m(s, n) %}{% if n %}{{ m(s ~ s, n - 1) }}{{ m(s, n - 1) }}{% endif %}{% endmacro %}{{ m('x', 60) }}",
            "10,000,000 steps",
        ),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "maximum recursion depth"),
        ("{{ '0.1' | float ~ '' }}", "No filter named 'float'"),
        ("{{ [0, 1] | random }}", "No filter named 'random'"),
        ("{{ lipsum() }}", "'lipsum' is undefined"),
        ("{{ ''.__class__ }}", "access to attribute '__class__' of 'str' object is unsafe"),
        ("{% for i in range(10000000) %}{% endfor %}", "Range too big"),
        ("{{ '%.4f' % 1 }}", "'%' is not for templates"),
        ("{{ '%.4f' | format(1) }}", "No filter named 'format'"),
        ("{% include '../../secret' %}", "there is no template"),
    ],
)
def test_a_template_can_neither_guess_nor_escape(project: Any, template: str, message: str) -> None:
    """Unknown names, raw floats and Python's internals are errors, at the template's line."""
    made = project("title: t\nsteps: |\n  a = 1/3\n")
    own = made.root / "templates/markdown/values.md.j2"
    own.parent.mkdir(parents=True)
    own.write_text(f"\n{template}\n")
    (problem,) = build(made).errors
    assert message in problem.message
    assert problem.code == "template"


def test_calls_of_macros_are_counted(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two calls in each of forty make 2**40, though nothing is printed."""
    monkeypatch.setattr("seqgen.pages.sandbox.MOST_STEPS", 10_000)
    made = project("title: t\n")
    own = made.root / "templates/markdown/values.md.j2"
    own.parent.mkdir(parents=True)
    own.write_text("{% macro f(n) %}{% if n and f(n - 1) == f(n - 1) %}{% endif %}{% endmacro %}{{ f(40) }}")
    (problem,) = build(made).errors
    assert "more than 10,000 steps" in problem.message


def test_text_is_escaped_for_its_medium() -> None:
    """What TeX, Markdown and HTML read as marks comes out as plain characters."""
    assert escape_tex(r"50% of a_b & {c}\d") == r"50\% of a\_b \& \{c\}\textbackslash{}d"
    assert escape_markdown("<b>*x*|y") == r"&lt;b&gt;\*x\*\|y"


def test_templates_ship_with_the_package(project: Any) -> None:
    """A project without templates of its own finds all four in both media."""
    for medium in (latex.MEDIUM, markdown.MEDIUM):
        engine = medium.templates(project("title: t\n"))
        with pytest.raises(Exception, match="undefined"):
            engine.render("values")


def test_what_a_template_may_read_is_what_the_sandbox_of_jinja_lets_it(project: Any) -> None:
    """Of every object each time, though the answer is kept by its kind; of texts, numbers and lists, what is listed."""
    oracle = ImmutableSandboxedEnvironment()
    ours = latex.MEDIUM.templates(project("title: t\n"))._environment
    things = ["text", 1, [1], {"a": 1}, {1}, int, print, _inside, ours.turn, (i for i in ()), Path(), _inside.__code__]
    names = {name for thing in things for name in dir(thing)} | {"gi_frame", "__wrapped__", "left"}
    for _ in range(2):
        for thing, name in itertools.product(things, names):
            listed = next((names_ for kind, names_ in METHODS.items() if isinstance(thing, kind)), names)
            allowed = name in listed and oracle.is_safe_attribute(thing, name, None)
            assert ours.is_safe_attribute(thing, name, None) == allowed, (
                thing,
                name,
            )
