"""Citations in decks: every option and form, where they stand, mistakes at their places, and blocks."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import seqgen.decks.weave
from components import KATEX, need_katex
from seqgen.build import build
from seqgen.cli import main
from seqgen.decks import latex, markdown
from seqgen.decks.marks import DeckText
from seqgen.decks.slides import slides
from seqgen.errors import SeqgenError, Source, SpecError, SpecErrors
from seqgen.project import Project
from seqgen.rules.review import review

SPEC = r"""
title: Numbers of every kind
given:
  v: {value: [0.5, -1.25, 12]}
  M: {value: [[-0.5, 2], [10, 0.25]]}
  W: {role: parameter, value: [[1, 2], [3, 4]]}
  words: {role: label, value: [the, cat_s]}
steps: |
  third = 1/3
  loss = -2/3
  root = sqrt(2)
  tiny = 1/3 * 10**(-9)
  thirds = v / 3
  quarters = M / 4
  blocks = reshape(concat(M, W, axis=0), [2, 2, 2])
  wide = reshape(eye(11)[0], [1, 11])
  y = W @ [1, 2]
  L = sum(y**2)
gradients: {L: [W]}
digits: {root: 2}
"""


@pytest.fixture
def course(tmp_path: Path) -> Callable[..., Project]:
    """Return a maker of projects with the spec ``example`` and decks by name."""

    def make(spec: str = SPEC, **decks: str) -> Project:
        (tmp_path / "specs").mkdir(exist_ok=True)
        (tmp_path / "specs/example.yaml").write_text(spec)
        for name, text in decks.items():
            path = tmp_path / "slides" / name.replace("__", "/").replace("_tex", ".tex").replace("_md", ".md")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        return Project(tmp_path)

    return make


@pytest.fixture
def woven(course: Callable[..., Project]) -> Callable[[str], str]:
    """Return what a Markdown deck is woven into, without the line that says where it comes from."""

    def weave(text: str) -> str:
        project = course(deck_md=text)
        report = build(project, ("slides/deck.md",))
        assert not report.errors, report.errors[0].render()
        made = (project.root / "build/slides/deck.md").read_bytes().decode()
        return re.sub(r"(?m)^(# |<!-- )made by seqgen.*\n", "", made, count=1)

    return weave


def mistakes(project: Project) -> list[SeqgenError]:
    """Return the single mistakes of a build."""
    return [e for error in build(project).errors for e in (error.errors if isinstance(error, SpecErrors) else [error])]


@pytest.mark.parametrize(
    ("options", "reference", "math"),
    [
        ("", "third", "0.3333"),
        ("", "root", "1.41"),
        ("digits=7", "root", "1.4142136"),
        ("digits=0", "root", "1"),
        ("significant=3", "12 / 7", "1.71"),
        ("scientific=3", "tiny", r"3.33\times10^{-10}"),
        ("form=exact", "root", r"\sqrt{2}"),
        ("form=exact", "loss", r"- \frac{2}{3}"),
        ("form=as-written", "v", "(0.5, -1.25, 12)"),
        ("", "v", "(0.5, -1.25, 12)"),
        ("form=tuple, digits=2", "v", "(0.50, -1.25, 12.00)"),
        ("form=plain, digits=2", "v", "0.50, -1.25, 12.00"),
        ("form=plain, digits=1", "W", "1.0, 2.0; 3.0, 4.0"),
        ("form=tuple, digits=0", "W", "((1, 2), (3, 4))"),
        ("form=bmatrix, digits=0", "W[0]", r"\begin{bmatrix}1 & 2\end{bmatrix}"),
        ("form=pmatrix, digits=0", "W", r"\begin{pmatrix}1 & 2\cr 3 & 4\end{pmatrix}"),
        ("form=column, digits=0", "W[0]", r"\begin{bmatrix}1\cr 2\end{bmatrix}"),
        ("form=bmatrix, form=exact", "thirds[0:2]", r"\begin{bmatrix}\frac{1}{6} & - \frac{5}{12}\end{bmatrix}"),
        ("digits=0", "blocks", r"\left(\begin{bmatrix}\phantom{0}0 & 2\cr 10 & 0\end{bmatrix}, \begin{bmatrix}1 & 2\cr 3 & 4\end{bmatrix}\right)"),
        ("digits=0", "wide", r"\left[\begin{array}{rrrrrrrrrrr}1 & 0 & 0 & 0 & 0 & 0 & 0 & 0 & 0 & 0 & 0\end{array}\right]"),
        ("relation", "third", r"\approx 0.3333"),
        ("relation", "v[0]", "= 0.5"),
        ("relation=yes, form=exact", "third", r"= \frac{1}{3}"),
        ("relation=no", "third", "0.3333"),
        ("relation, digits=1", "thirds", r"\approx (0.2, -0.4, 4.0)"),
        ("decimal=comma", "third", "0{,}3333"),
        ("decimal={,}, digits=2", "v", "(0{,}50; -1{,}25; 12{,}00)"),
        ("decimal=comma, scientific=2", "tiny", r"3{,}3\times10^{-10}"),
        ("decimal=point", "third", "0.3333"),
        ("digits=1", "grad(L, W)", r"\begin{bmatrix}10.0 & 20.0\cr 22.0 & 44.0\end{bmatrix}"),
        ("", "1 - third**2", "0.8889"),
        ("", "parameters", "4"),
        ("", "words[0]", r"\text{the}"),
    ],
)  # fmt: skip
def test_each_option_and_form_is_printed_as_said(
    woven: Callable[[str], str], options: str, reference: str, math: str
) -> None:
    """Inside math stands the bare math, for any reference or expression of the language."""
    written = f"[{options}]" if options else ""
    assert woven(rf"$x = \seq{written}{{example: {reference}}}$") == f"$x = {math}$"


def test_decimals_of_a_matrix_stand_below_each_other(woven: Callable[[str], str]) -> None:
    """Missing signs and digits are filled up with invisible ones, so that centred columns align."""
    assert woven(r"$\seq[form=as-written]{example: M}$") == (
        r"$\begin{bmatrix}\phantom{0}-0.5 & 2\phantom{.00}\cr \phantom{-}10\phantom{.0} & 0.25\end{bmatrix}$"
    )


@pytest.mark.parametrize(
    ("options", "reference", "text"),
    [
        ("", "third", "0.3333"),
        ("", "loss", "−0.6667"),
        ("relation", "loss", "≈ −0.6667"),
        ("decimal=comma", "loss", "−0,6667"),
        ("form=plain, digits=1", "v", "0.5, −1.2, 12.0"),
        ("form=plain, scientific=3", "tiny", "3.33 × 10⁻¹⁰"),
        ("scientific=3", "tiny", r"$3.33\times10^{-10}$"),
        ("form=exact", "root", r"$\sqrt{2}$"),
        ("digits=1", "v", "$(0.5, -1.2, 12.0)$"),
        ("relation, digits=1", "v", r"$\approx (0.5, -1.2, 12.0)$"),
        ("", "words[1]", r"cat\_s"),
    ],
)
def test_in_text_stands_plain_text_or_inline_math(
    woven: Callable[[str], str], options: str, reference: str, text: str
) -> None:
    """A word or a decimal is text; what needs math to be read is math."""
    written = f"[{options}]" if options else ""
    assert woven(rf"it is \seq{written}{{example: {reference}}}.") == f"it is {text}."


@pytest.mark.parametrize(
    ("around", "expected"),
    [
        ("$${citation}$$", "$$(1, 2)$$"),
        ("$$\nx = {citation}\n$$", "$$\nx = (1, 2)\n$$"),
        (r"\({citation}\)", r"\((1, 2)\)"),
        (r"\\[{citation}\\]", r"\\[(1, 2)\\]"),
        (r"\begin{align}{citation}\end{align}", r"\begin{align}(1, 2)\end{align}"),
        ("$a\nb {citation}$", "$a\nb (1, 2)$"),
        ("costs $5, {citation}, and $6", "costs $5, $(1, 2)$, and $6"),
        (r"\$5 {citation} \$", r"\$5 $(1, 2)$ \$"),
        ("| {citation} | b |", "| $(1, 2)$ | b |"),
        ("- item\n\n    {citation}", "- item\n\n    $(1, 2)$"),
        ("<!-- say {citation} -->", "<!-- say (1, 2) -->"),
        ('<img alt="{citation}">', '<img alt="(1, 2)">'),
        ("---\ntitle: '{citation}'\n---\n", "---\ntitle: '(1, 2)'\n---\n"),
        ("---\n\n{citation}\n\n---\n", "---\n\n$(1, 2)$\n\n---\n"),
    ],
)
def test_what_surrounds_a_citation_decides_how_it_stands(
    woven: Callable[[str], str], around: str, expected: str
) -> None:
    """Bare inside math of every kind, in dollars in text, plain where no math is set."""
    written = around.replace("{citation}", r"\seq[digits=0]{example: W[0]}")
    assert woven(written) == expected


@pytest.mark.parametrize(
    "code",
    [
        "`{}`",
        "``a ` {}``",
        "```\n{}\n```",
        "````md\n```\n{}\n```\n````",
        "~~~ tex\n{}\n~~~",
        "- item\n  ```\n  {}\n  ```",
        "> ```\n> {}\n> ```",
        "```\n{}",
        "<pre>{}</pre>",
        "<script>\nlet s = '{}'\n</script>",
        "<PRE>{}</pre>",
        r"\SEQ{none}",
        r"a \\seq{none} b",
        r"\sequence{none}",
    ],
)
def test_code_is_left_alone(woven: Callable[[str], str], code: str) -> None:
    """Fences, inline code and HTML code keep their letters, whatever they say."""
    text = code.replace("{}", r"\seq{no: such}")
    assert woven(text) == text


@pytest.mark.parametrize("medium", [latex, markdown], ids=["tex", "md"])
@pytest.mark.parametrize(
    "opening",
    ["` a ", "$ x $", "$$ x ", "$x ", "<pre> ", "<!-- ", "\\begin{align} ", "\\( ", "\\[ ", "``` x\n", "\\seq[", "\\seq{", "% seqgen: a\n", "<a "],
)  # fmt: skip
def test_a_text_of_many_openings_is_read_in_a_moment(medium: Any, opening: str, at_most: Any) -> None:
    """What never ends is looked for once, not once an opening."""
    with at_most(5):
        medium.scan(DeckText(Source(name="deck", text=opening * 20_000)))


@pytest.mark.real
def test_all_that_is_woven_into_math_parses_in_katex(woven: Callable[[str], str]) -> None:
    """KaTeX with ``strict: "error"`` refuses none of the forms."""
    need_katex()
    forms = [
        "", "[digits=7]", "[significant=3]", "[scientific=3]", "[form=tuple]", "[form=plain]", "[form=exact]",
        "[form=as-written]", "[relation]", "[decimal=comma]", "[form=exact, relation, decimal=comma]",
    ]  # fmt: skip
    cited = [
        (o, r)
        for o in forms
        for r in ("third", "root", "tiny", "v", "M", "thirds", "quarters", "wide", "blocks")
        if not (r == "blocks" and "plain" in o) and (r in ("v", "M") or "as-written" not in o)
    ]
    cited += [(f"[form={f}]", r) for f in ("bmatrix", "pmatrix") for r in ("v", "M")] + [
        ("[form=column]", "v"),
        ("", "words[1]"),
    ]
    text = woven("\n\n".join(rf"$x \seq{o}{{example: {r}}}$" for o, r in cited))
    pieces = [{"math": m, "display": False} for m in re.findall(r"\$([^$]+)\$", text)]
    assert len(pieces) == len(cited)
    run = subprocess.run(
        ["node", KATEX / "check.mjs"], input=json.dumps(pieces), capture_output=True, text=True, check=True, cwd=KATEX
    )
    assert json.loads(run.stdout) == []


@pytest.mark.parametrize(
    ("written", "place", "code", "message", "hint"),
    [
        (r"\seq{example: rooot}", "1:15", "unknown-name", "unknown name 'rooot'", "did you mean root?"),
        (r"\seq{example: 1 + rooot}", "1:19", "unknown-name", "unknown name 'rooot'", "did you mean root?"),
        (r"\seq{exampel: root}", "1:6", "no-such-spec", "there is no spec 'exampel'", "did you mean example?"),
        (r"\seq{../example: root}", "1:6", "path", "'../example' is not a spec's name", ""),
        (r"\seq{example: v[3]}", "1:15", "shape", "", ""),
        (r"\seq[digit=3]{example: root}", "1:6", "option", "unknown option 'digit'", "did you mean digits?"),
        (r"\seq[bmatrix]{example: M}", "1:6", "option", "unknown option 'bmatrix'", "write form=bmatrix"),
        (r"\seq[form=bmatrx]{example: M}", "1:11", "option", "'form' has no value 'bmatrx'", "did you mean bmatrix or pmatrix?"),
        (r"\seq[digits=41]{example: root}", "1:13", "option", "'digits' takes a number of digits", ""),
        (r"\seq[significant=0]{example: root}", "1:18", "option", "'significant' takes a number of digits", ""),
        (r"\seq[digits]{example: root}", "1:6", "option", "'digits' takes a number of digits", ""),
        (r"\seq[digits=2, form=exact]{example: root}", "1:16", "option", "'form=exact' and 'digits=2' set the same", "leave one of them out"),
        (r"\seq[form=bmatrix]{example: root}", "1:29", "option", "form=bmatrix does not go with a single number", "leave the form out"),
        (r"\seq[form=column]{example: M}", "1:28", "option", "form=column does not go with shape [2, 2]", ""),
        (r"\seq[form=as-written]{example: root}", "1:32", "option", "form=as-written does not go with a computed value", "leave the form out"),
        (r"\seq[digits=2]{example: words[0]}", "1:25", "option", "a word takes no options", ""),
        (r"\seq{example root}", "1:6", "citation", "a citation needs a spec and a reference", ""),
        (r"\seq{example: W\_h}", "1:16", "citation", r"'\' can't stand in a citation", "write names as the spec does: W_h, not W\\_h"),
        (r"\seq{example: v[#1]}", "1:17", "citation", "'#' can't stand in a citation", ""),
        ("a\n\n  \\seq{example: root", "3:7", "citation", "'{' is never closed", ""),
        ("a\n\\seq", "2:1", "citation", r"\seq stands without a reference", ""),
        ("$x$ é $ \\seq{example: rooot} $", "1:23", "unknown-name", "unknown name 'rooot'", "did you mean root?"),
        (r"\seq{example: 1 / (third - third)}", "1:15", "division-by-zero", "a division by zero", ""),
    ],
)  # fmt: skip
@pytest.mark.parametrize("medium", ["md", "tex"])
def test_a_mistake_is_told_at_its_place(
    course: Callable[..., Project], medium: str, written: str, place: str, code: str, message: str, hint: str
) -> None:
    """File, line and column, in Markdown and in LaTeX alike; nothing is written for the deck."""
    text = written if medium == "md" else f"{written}\n\n\\begin{{document}}\\end{{document}}"
    project = course(**{f"deck_{medium}": text})
    (problem,) = mistakes(project)
    assert str(problem.span) == f"slides/deck.{medium}:{place}"
    assert problem.code == code
    assert message in problem.message
    assert hint in problem.hint
    assert not (project.root / "build/slides").exists()


def test_all_mistakes_of_all_decks_come_at_once(course: Callable[..., Project]) -> None:
    """Two decks with two mistakes each give four, and the right deck is woven all the same."""
    wrong = "\\seq{example: a1}\n\\seq[b=1]{example: root}\n"
    project = course(one_md=wrong, two_md=wrong, right_md=r"\seq{example: root}")
    assert [str(e.span) for e in mistakes(project)] == [
        "slides/one.md:1:15", "slides/one.md:2:6", "slides/two.md:1:15", "slides/two.md:2:6"
    ]  # fmt: skip
    assert "1.41" in (project.root / "build/slides/right.md").read_text()


def test_a_spec_with_mistakes_is_told_once_and_named_where_it_is_cited(course: Callable[..., Project]) -> None:
    """The deck says which citation can't be met, and leaves the spec's mistakes to the spec."""
    problems = mistakes(course(spec="title: t\nsteps: |\n  a = b\n  c = d\n", deck_md=r"\seq{example: a}"))
    assert [str(p.span) for p in problems] == [
        "specs/example.yaml:3:7", "specs/example.yaml:4:7", "slides/deck.md:1:6"
    ]  # fmt: skip


def test_a_citation_may_run_over_a_line_end(woven: Callable[[str], str]) -> None:
    """An editor that fills paragraphs breaks nothing."""
    assert woven("a \\seq[digits=1,\n  form=plain]{example:\n  v\n  - 1} b") == "a −0.5, −2.2, 11.0 b"


# Builds


def test_an_idle_build_leaves_decks_alone(course: Callable[..., Project]) -> None:
    """The same content is not woven again."""
    project = course(deck_md=r"\seq{example: root}", deck_tex="\\begin{document}\\seq{example: root}\\end{document}")
    assert set(build(project).decks) == {"slides/deck.md", "slides/deck.tex"}
    report = build(project)
    assert report.unchanged_decks == ["slides/deck.md", "slides/deck.tex"]
    assert report.written == []


@pytest.mark.parametrize("path", ["slides/deck.md", "specs/example.yaml", "specs/parent.yaml", "build/slides/deck.md"])
def test_a_change_of_what_a_deck_is_made_from_weaves_it_again(course: Callable[..., Project], path: str) -> None:
    """The deck, the cited spec, its parent, and the woven file itself."""
    project = course(
        spec="title: c\nextends: parent\nsteps: |\n  a = b + 1\n", deck_md=r"\seq{example: a}", other_md="no"
    )
    (project.root / "specs/parent.yaml").write_text("title: p\nsteps: |\n  b = 1/3\n")
    build(project)
    file = project.root / path
    file.write_text(file.read_text() + "\n")
    report = build(project)
    assert list(report.decks) == ["slides/deck.md"]
    assert path in report.decks["slides/deck.md"]


def test_an_idle_build_with_decks_imports_nothing_heavy(course: Callable[..., Project]) -> None:
    """Whether a deck is stale is told from content hashes alone."""
    project = course(deck_md=r"\seq{example: root}", deck_tex="\\begin{document}\\seq{example: root}\\end{document}")
    build(project)
    code = (
        "import sys; from click.testing import CliRunner; from seqgen.cli import main; "
        "result = CliRunner().invoke(main, ['build']); assert result.exit_code == 0, result.output; "
        "print(result.output, sorted({'yaml', 'numpy', 'sympy', 'jinja2', 'flint', 'jsonschema'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=project.root, capture_output=True, text=True, check=True)
    assert run.stdout == "0 specs built, 1 unchanged, 0 decks woven, 2 unchanged, 0 files written\n []\n"


def test_an_edit_while_a_deck_is_woven_is_not_lost(
    course: Callable[..., Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A deck whose blocks are renewed is left alone where it is no longer what was read."""
    project = course(deck_md="<!-- seqgen: example: root --><!-- /seqgen -->")
    weave = seqgen.decks.weave.weave

    def slow(*arguments: Any) -> Any:
        made = weave(*arguments)
        (project.root / "slides/deck.md").write_text("edited")
        return made

    monkeypatch.setattr(seqgen.decks.weave, "weave", slow)
    (problem,) = mistakes(project)
    assert problem.code == "changed"
    assert (project.root / "slides/deck.md").read_text() == "edited"
    assert not (project.root / "build/slides").exists()


def test_a_quarto_deck_is_woven_and_checked(course: Callable[..., Project]) -> None:
    """A .qmd is Markdown."""
    project = course(deck_md="")
    (project.root / "slides/talk.qmd").write_text("---\ntitle: T\n---\n\nIt is $\\seq{example: root}$.\n")
    assert [f.rule for f in review(project, ("slides/talk.qmd",)).findings] == ["missing-deck"]
    assert not build(project, ("slides/talk.qmd",)).errors
    assert (project.root / "build/slides/talk.qmd").read_text().endswith("---\n\nIt is $1.41$.\n")
    assert not review(project, ("slides/talk.qmd",)).findings


@pytest.mark.parametrize("text", ["# A\r\n\\seq{example: root}", "---\ntitle: T\n---\n\\seq{example: root}"])
def test_the_mark_of_utf8_does_not_stand_within_a_woven_deck(course: Callable[..., Project], text: str) -> None:
    """It would be shown before the heading."""
    project = course(deck_md=f"\ufeff{text}")
    assert not build(project).errors
    made = (project.root / "build/slides/deck.md").read_bytes().decode()
    assert "\ufeff" not in made
    assert made.endswith("1.41")


def test_a_part_named_as_a_deck_is_told(course: Callable[..., Project]) -> None:
    """It is there, but is read with the deck that inputs it."""
    project = course(part_tex="\\seq{example: root}")
    with pytest.raises(SpecError) as caught:
        build(project, ("slides/part.tex",))
    assert caught.value.message == "'slides/part.tex' is no deck of its own"


def test_frames_are_counted_however_they_begin() -> None:
    r"""As an environment, or by the command \frame."""
    text = (
        "\\frame{\\titlepage}\n\\frame[<+->]{\\frametitle{A} a}\n%\\frame{no}\n"
        "\\begin{frame}{B}\\framesubtitle{b}\\end{frame}\n"
    )
    assert slides("deck.tex", text).names == ("frame 1", "frame 2: A", "frame 3: B")


def test_what_is_named_alone_is_built(course: Callable[..., Project]) -> None:
    """A deck's file names the deck, and its specs are left to another build."""
    project = course(one_md=r"\seq{example: root}", two_md="no")
    report = build(project, ("slides/one.md",))
    assert (list(report.built), list(report.decks)) == ([], ["slides/one.md"])


def test_a_deck_that_is_gone_takes_its_woven_file_along(course: Callable[..., Project]) -> None:
    """The style file stays while another LaTeX deck reads it."""
    tex = "\\begin{document}\\seq{example: root}\\end{document}"
    project = course(one_tex=tex, two_tex=tex, three_md="x")
    build(project)
    (project.root / "slides/one.tex").unlink()
    (project.root / "slides/three.md").unlink()
    assert build(project).removed == ["build/slides/one.seq.tex", "build/slides/three.md"]
    assert (project.root / "build/slides/seqgen.sty").is_file()


def test_parts_of_a_latex_deck_are_read_with_it(course: Callable[..., Project]) -> None:
    """What \\input names is searched as TeX would, and a new part is noticed."""
    project = course(
        deck_tex="\\begin{document}\\input{parts/a}\\include{b}\\end{document}", parts__a_tex=r"\seq{example: root}"
    )
    build(project)
    numbers = project.root / "build/slides/deck.seq.tex"
    assert numbers.read_text().splitlines()[1:] == [r"\seqnumber{|example:root}{1.41}{1.41}"]
    (project.root / "slides/b.tex").write_text("% \\seq{no: such}\n\\verb|\\seq{no}| \\seq{example: third}")
    assert list(build(project).decks) == ["slides/deck.tex"]
    assert numbers.read_text().splitlines()[2:] == [r"\seqnumber{|example:third}{0.3333}{0.3333}"]


def test_the_command_says_what_was_woven(course: Callable[..., Project], monkeypatch: pytest.MonkeyPatch) -> None:
    """Decks are counted apart from specs."""
    monkeypatch.chdir(course(deck_md=r"\seq{example: root}").root)
    assert CliRunner().invoke(main, ["build"]).output.splitlines()[1:] == [
        "slides/deck.md: woven",
        "1 spec built, 0 unchanged, 1 deck woven, 0 unchanged, 6 files written",
    ]
    result = CliRunner().invoke(main, ["build", "slides/dek.md"])
    assert result.exit_code == 2
    assert "did you mean slides/deck.md?" in result.output


# Blocks


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("deck_md", "a <!-- seqgen: example: root -->1.40<!-- /seqgen --> b", "a <!-- seqgen: example: root -->1.41<!-- /seqgen --> b"),
        ("deck_md", "<!-- seqgen: example: W, form=pmatrix, digits=0 --><!-- /seqgen -->",
         r"<!-- seqgen: example: W, form=pmatrix, digits=0 -->$\begin{pmatrix}1 & 2\cr 3 & 4\end{pmatrix}$<!-- /seqgen -->"),
        ("deck_md", "> <!-- seqgen: example: grad(L, W)[0], digits=0 -->\n> $$\n> (10,\n> 21)\n> $$\n> <!-- /seqgen -->\nend",
         "> <!-- seqgen: example: grad(L, W)[0], digits=0 -->\n> $$\n> (10, 20)\n> $$\n> <!-- /seqgen -->\nend"),
        ("deck_md", "<!-- seqgen: example: root -->\r\n<!-- /seqgen -->\r\nend", "<!-- seqgen: example: root -->\r\n1.41\r\n<!-- /seqgen -->\r\nend"),
        ("deck_tex", "\\begin{document}\n  % seqgen: example: root, digits=3\n  % /seqgen\n\\end{document}",
         "\\begin{document}\n  % seqgen: example: root, digits=3\n  \\ensuremath{1.414}\n  % /seqgen\n\\end{document}"),
        ("deck_tex", "\\begin{document}\n%seqgen:example:root\n1.40 \\seq{n: s}\n%/seqgen\nend\\end{document}",
         "\\begin{document}\n%seqgen:example:root\n\\ensuremath{1.41}\n%/seqgen\nend\\end{document}"),
    ],
)  # fmt: skip
def test_a_block_is_brought_up_to_date_in_place(course: Callable[..., Project], name: str, old: str, new: str) -> None:
    """Only what stands between its marks changes, and a second build changes nothing."""
    project = course(**{name: old})
    assert not build(project).errors
    path = project.root / "slides" / name.replace("_", ".")
    assert path.read_bytes().decode() == new
    report = build(project)
    assert report.decks == {}
    assert path.read_bytes().decode() == new


def test_a_woven_deck_has_a_blocks_inside_without_its_marks(woven: Callable[[str], str]) -> None:
    """Marp would show a mark's comment among the speaker's notes."""
    assert woven("a <!-- seqgen: example: root -->?<!-- /seqgen --> b") == "a 1.41 b"


@pytest.mark.parametrize(
    ("name", "text", "place", "message"),
    [
        ("deck_md", "a\n<!-- seqgen: example: root -->", "2:1", "the block is never closed"),
        ("deck_md", "<!-- seqgen: example: root --> <!-- seqgen: example: root -->1<!-- /seqgen -->", "1:1", "the block is never closed"),
        ("deck_md", "a <!-- /seqgen -->", "1:3", "a block ends that has not begun"),
        ("deck_md", "<!-- seqgen: example: rooot --><!-- /seqgen -->", "1:23", "unknown name 'rooot'"),
        ("deck_md", "<!-- seqgen: example: root, digit=3 --><!-- /seqgen -->", "1:29", "unknown option 'digit'"),
        ("deck_tex", "\\begin{document}\n% seqgen: example: root\n\\end{document}", "2:1", "the block is never closed"),
        ("deck_md", "$x = <!-- seqgen: example: root -->1.40<!-- /seqgen -->$", "1:6", "a block can't stand in math"),
        ("deck_md", "$$\n<!-- seqgen: example: root -->\n1.40\n<!-- /seqgen -->\n$$", "2:1", "a block can't stand in math"),
        ("deck_md", "a <!-- SEQGEN: example: root -->1.40<!-- /seqgen -->", "1:3", "a block's mark is spelled otherwise"),
        ("deck_md", "a <!-- seqgen : example: root -->1.40<!-- /seqgen -->", "1:3", "a block's mark is spelled otherwise"),
        ("deck_md", "a <!-- seqgen: example: root -->1.40<!-- / Seqgen -->", "1:37", "a block's mark is spelled otherwise"),
        ("deck_tex", "\\begin{document}\n% Seqgen: example: root\n% /seqgen\n\\end{document}", "2:1", "a block's mark is spelled otherwise"),
        ("deck_tex", "\\begin{document}\n% seqgen: example: root\n% / seqgen\n\\end{document}", "3:1", "a block's mark is spelled otherwise"),
        ("deck_tex", "\\begin{document}\nx % seqgen: example: root\n% /seqgen\\end{document}", "2:3", "a block's mark must stand on a line of its own"),
    ],
)  # fmt: skip
def test_a_blocks_mistakes_leave_the_deck_as_it_is(
    course: Callable[..., Project], name: str, text: str, place: str, message: str
) -> None:
    """They are told at their places."""
    project = course(**{name: text})
    path = project.root / "slides" / name.replace("_", ".")
    problems = {str(p.span): p.message for p in mistakes(project)}
    assert problems[f"slides/{path.name}:{place}"] == message
    assert path.read_text() == text


TOO_MUCH = [
    "1.40\n\n# Next slide\n\nThree paragraphs of mine.\n", "1.40\n---\n", "# 5\n", "1.40\nMine.\n", "1.40\n1.41\n", "1.40 is it\n",
    "$$\n1.40\n$$\n\n$$\n1.41\n$$\n", "$$\n1.40\n$$\n- mine\n", "ü so\n", "![](pictures/root.png)\n",
]  # fmt: skip
NO_MORE = [
    "", "\n", "?\n", "1.40\n", "−1,40\n", "$\\sqrt{3}$\n", "$$\n\\begin{bmatrix}1\\cr \\phantom{-}\\infty\\end{bmatrix}\n$$\n",
    "$$\n\\approx 3.1\\times10^{-9}\n$$\n", "(1.40; 2)\n", "2*sqrt(3)\n", "\\[\n\\left(\\frac{1}{e}, \\text{word}\\right)\n\\]\n", "1e-9\n",
]  # fmt: skip


@pytest.mark.parametrize("inside", TOO_MUCH)
def test_a_block_that_holds_prose_is_left_alone(course: Callable[..., Project], inside: str) -> None:
    """Its end mark may be too low: the build would delete what is below the number."""
    text = f"a\n\n<!-- seqgen: example: root -->\n{inside}<!-- /seqgen -->\n"
    project = course(deck_md=text)
    (problem,) = mistakes(project)
    assert str(problem.span) == "slides/deck.md:3:1"
    assert problem.message == "what stands in this block is more than one number or array"
    assert (project.root / "slides/deck.md").read_text() == text
    assert [f.rule for f in review(project).findings if f.rule == "faulty-citation"] == ["faulty-citation"]


@pytest.mark.parametrize("inside", NO_MORE)
def test_a_block_that_holds_a_number_is_renewed(course: Callable[..., Project], inside: str) -> None:
    """Whatever its spelling."""
    project = course(deck_md=f"<!-- seqgen: example: root -->\n{inside}<!-- /seqgen -->\n")
    assert not mistakes(project)
    assert "\n1.41\n" in (project.root / "slides/deck.md").read_text()


def test_a_word_in_a_block_may_have_been_another(course: Callable[..., Project]) -> None:
    """A label's word is read from the spec as a number is."""
    project = course(deck_md="<!-- seqgen: example: words[0] -->another word<!-- /seqgen -->")
    assert not mistakes(project)
    assert ">the<" in (project.root / "slides/deck.md").read_text()


# What check finds


@pytest.mark.parametrize(
    ("disturb", "rule", "place"),
    [
        (lambda root: (root / "build/slides/deck.md").unlink(), "missing-deck", "build/slides/deck.md"),
        (lambda root: (root / "build/slides/deck.seq.tex").unlink(), "missing-numbers", "build/slides/deck.seq.tex"),
        (lambda root: _edit(root / "build/slides/deck.md", "1.41", "1.40"), "edited-deck", "build/slides/deck.md:2:6"),
        (lambda root: _edit(root / "build/slides/deck.seq.tex", "1.41", "1.40"), "edited-deck", "build/slides/deck.seq.tex"),
        (lambda root: _edit(root / "slides/deck.md", "a ", "b "), "stale-deck", "build/slides/deck.md:2:1"),
        (lambda root: _edit(root / "slides/deck.tex", "[digits=3]", "[digits=4]"), "stale-numbers", "slides/deck.tex:2:19"),
        (lambda root: _edit(root / "slides/deck.md", ">0.33<", ">0.34<"), "stale-block", "slides/deck.md:2:16"),
        (lambda root: _edit(root / "slides/deck.tex", "example: root", "example: rooot"), "absent-citation", "slides/deck.tex:2:28"),
        (lambda root: _edit(root / "slides/deck.tex", "digits", "digit"), "faulty-citation", "slides/deck.tex:2:9"),
        (lambda root: _edit(root / "templates/latex/seqgen.sty", "own", "new"), "stale-numbers", "build/slides/seqgen.sty"),
        (lambda root: (root / "build/slides/more.md").write_text(""), "orphan", "build/slides/more.md"),
    ],
)  # fmt: skip
def test_check_finds_what_disagrees(course: Callable[..., Project], disturb: Any, rule: str, place: str) -> None:
    """Each finding has its rule, its place and a cure; before, all is in order."""
    project = course(
        deck_md="a \\seq{example: root}\nb <!-- seqgen: example: third, digits=2 -->0.33<!-- /seqgen -->\n",
        deck_tex="\\begin{document}\nis \\seq[digits=3]{example: root}\n\\end{document}",
    )
    (project.root / "templates/latex").mkdir(parents=True)
    (project.root / "templates/latex/seqgen.sty").write_text("own")
    build(project)
    assert review(project).failures == []
    disturb(project.root)
    (finding,) = review(project).failures
    assert (finding.rule, finding.place) == (rule, place)
    assert finding.cure


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_check_tells_the_number_that_has_changed(course: Callable[..., Project]) -> None:
    """A changed spec shows at each citation, old beside new."""
    project = course(deck_tex="\\begin{document}\n\\seq{example: root}\n\\end{document}")
    build(project)
    _edit(project.root / "specs/example.yaml", "sqrt(2)", "sqrt(3)")
    (finding,) = review(project, ("slides/deck.tex",)).failures
    assert (finding.place, finding.details) == ("slides/deck.tex:2:6", ("- {1.41}{1.41}", "+ {1.73}{1.73}"))


def test_check_tells_a_number_that_prints_as_zero(course: Callable[..., Project]) -> None:
    """A value other than zero should not look like nothing."""
    project = course(deck_md=r"\seq[digits=4]{example: tiny}")
    build(project)
    found = [f for f in review(project).warnings if f.file.startswith("slides/")]
    assert [(f.rule, f.place) for f in found] == [("vanishing", "slides/deck.md:1:25")]
