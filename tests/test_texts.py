"""Texts of specs: what reaches a page is of the allowed commands, or plain characters."""

from __future__ import annotations

import html.parser
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components import KATEX, need_katex, need_pdflatex
from seqgen.build import build
from seqgen.errors import SeqgenError, SpecErrors
from seqgen.pages.environment import outside_math
from seqgen.spec import tex
from seqgen.writers.latex import escape_tex
from seqgen.writers.markdown import escape_markdown

ROOT = Path(__file__).resolve().parent.parent
# Each allowed command in a use that it is made for.
USES = [
    *(rf"a {c} b" for c in sorted(tex.SYMBOLS | tex.OPERATORS)),
    *(rf"{c}{{ab}} x^{{{c}{{a}}}}" for c in sorted(tex.FONTS)),
    *(rf"{c}{{ab}} {c} x" for c in sorted(tex.ACCENTS)),
    *(rf"{c}{{a}}{{b}} {c} 1 2" for c in sorted(tex.PAIRS)),
    *(rf"{c}{{a word, 5\%}} x_{{{c}{{a}}}}" for c in sorted(tex.TEXTS)),
    *(rf"{c}( x" for c in sorted(tex.SIZES)),
    *(rf"\left{d} x \right." for d in sorted(tex.DELIMITERS)),
    *(rf"\begin{{{e}}} a & b \\ c & d \end{{{e}}}" for e in sorted(tex.ENVIRONMENTS)),
    r"\begin{array}{rcl} a & = & b \\ c & = & d \end{array}",
    r"\begin{bmatrix}1&2&3&4&5&6&7&8&9&10\end{bmatrix}",
    r"\sqrt{x} \sqrt[3]{x} \sqrt 2",
    r"f''^2_1 + {a^b}^c + x_a^b + x'",
    r"x_\alpha \hat\theta \frac\alpha\beta \sqrt\pi",
    r"a<b, a|b, a\|b, \lt, |x|, \left|x\right|, h^\mathrm{prev}",
]  # fmt: skip
HARMFUL = [
    r"$\input{x}$", r"$\InputIfFileExists{x}{}{}$", "$^^5cinput{x}$", r"$\renewcommand{\a}{b}$", r"$\csname input\endcsname$",
    r"$\catcode`\|=0 $", r"$\begin{filecontents}{x}\end{filecontents}$", r"$\begin{verbatim}\end{verbatim}$",
    r"$\begin{tabular}{c}\end{tabular}$", r"$\href{javascript:alert(1)}{x}$", r"$\url{x}$", r"$\htmlClass{a}{b}$",
    r"$\write18{ls}$", r"$\immediate$", r"$\def\a{b}$", r"$\let\a\b$", r"$\includegraphics{x}$", r"$\unicode{1}$",
    r"$\require{html}$", r"$\class{a}{b}$", r"$\style{a}{b}$", r"$\mathchoice{a}{b}{c}{d}$", r"$\verb|a|$", r"$\char`\a$",
    r"$\text{$\input{x}$}$", r"$\text{\input{x}}$", "$a%$", "$a#1$", "$a{b$", "$a}b$", "$}\\input{x}{$", "$a", "a$", "$$",
    "$$x$$", "$a~$b$", r"$\left( a$", r"$\right)$", r"$\frac{a}$", r"$a^b^c$", r"$a_b_c$", r"$a^b'$", r"$a^$", "$&$",
    r"$\\$", r"$\begin{cases}a&b&c\end{cases}$", r"$\begin{matrix}a\\[0]\end{matrix}$", r"$\begin{matrix}a\end{cases}$",
    r"$\begin{matrix}a", r"$\end{matrix}$", r"$\begin$", "$\\", "$α$", "$a\u202eb$", "a\u202eb", "a\u200bb", "a\x07b",
    "<b>x</b>", "a <script>", "<!-- x", "</span>", "<https://example.org>", r"\input{x}", r"\(x\)", r"\[x\]", r"\alpha",
    r"$\text{<b>}$", r"$\text a$", r"$\big x$", r"$\operatorname$", "$\ud800$", "${" * 60, "$" + "{" * 60 + "}" * 60 + "$",
]  # fmt: skip


@pytest.mark.parametrize("text", HARMFUL)
def test_what_is_not_of_the_allowed_commands_is_refused(text: str) -> None:
    """Commands that read, write, define or link, what is incomplete, tags, and what nobody sees."""
    with pytest.raises(tex.Fault) as caught:
        tex.parts(text)
    assert 0 <= caught.value.start < max(1, len(text))
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "place"),
    [(r"$\begin{matrix}a\end{cases}$", (16, 4)), (r"$\begin{cases}a\\b&c&d\end{cases}$", (20, 1)), ("a <b", (2, 2)), ("ab $x", (3, 1)), (r"a \(", (2, 1)), (r"a \alpha", (2, 6)), ("ab $$", (3, 2)), ("$ \\tag$", (2, 4)), (r"ab $x + \input{y}$", (8, 6)), ("a $x", (2, 1)), ("ab\u200bc", (2, 1)), (r"$a \text{b^c}$", (10, 1)), (r"$a^b^c$", (4, 1))],
)  # fmt: skip
def test_a_fault_is_at_its_place(text: str, place: tuple[int, int]) -> None:
    """Counted by hand, from zero."""
    with pytest.raises(tex.Fault) as caught:
        tex.parts(text)
    assert (caught.value.start, caught.value.width) == place


@pytest.mark.parametrize(("letter", "command"), [("α", r"\alpha"), ("Σ", r"\Sigma"), ("ϵ", r"\theta"), ("≤", r"\le")])
def test_a_letter_that_is_not_ascii_has_a_command(letter: str, command: str) -> None:
    """The hint names it where Unicode's own name does, and an example elsewhere."""
    with pytest.raises(tex.Fault) as caught:
        tex.parts(f"${letter}$")
    assert command in caught.value.hint


@pytest.mark.parametrize(("spelling", "start"), [(r"a\input", 1), ("  _1", 2), (" ", 0), ("ab\u200b", 2)])
def test_a_fault_of_a_spelling_is_at_its_place(spelling: str, start: int) -> None:
    """Counted by hand, from zero."""
    with pytest.raises(tex.Fault) as caught:
        tex.symbol(spelling)
    assert caught.value.start == start


def test_math_may_be_nested_thirty_levels_deep() -> None:
    """And no deeper, so that no text ends in a recursion."""
    assert tex.math("{" * 29 + "a" + "}" * 29)
    assert tex.math("{a}" * 40)
    with pytest.raises(tex.Fault, match="too deeply"):
        tex.math("{" * 30 + "a" + "}" * 30)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("R$^2$", [("R", False), ("^2", True), ("", False)]),
        (r"5\$ and $x$", [("5$ and ", False), ("x", True), ("", False)]),
        ("a & b_c # %", [("a & b_c # %", False)]),
        ("$a<b$", [("", False), ("a< b", True), ("", False)]),
        (r"$a\lt b$", [("", False), ("a< b", True), ("", False)]),
        ("$|a|$", [("", False), (r"\vert a\vert ", True), ("", False)]),
        (r"$\left\|a\right\|$", [("", False), (r"\left\Vert a\right\Vert ", True), ("", False)]),
    ],
)
def test_a_text_has_words_and_math(text: str, parts: list[tuple[str, bool]]) -> None:
    """A dollar is written with a backslash; bars and signs take the form that tables and HTML need."""
    assert list(tex.parts(text)) == parts


@given(
    st.lists(
        st.sampled_from(
            [
                *r"ab1{}[]^_&$%#~<>|\'",
                r"\left(",
                r"\right)",
                r"\frac",
                r"\text{",
                r"\begin{cases}",
                r"\end{cases}",
                "\\\\",
            ]
        ),
        max_size=25,
    ).map("".join)
)
def test_no_text_is_too_odd_to_be_read(text: str) -> None:
    """It has parts, or a fault within the text."""
    start = 0
    try:
        tex.parts(text)
    except tex.Fault as fault:
        start = fault.start
    assert 0 <= start <= max(0, len(text) - 1)


@pytest.mark.real
def test_katex_reads_every_allowed_command() -> None:
    """With ``strict: "error"``, each in a use that it is made for."""
    need_katex()
    pieces = [{"math": tex.math(use), "display": False} for use in USES]
    run = subprocess.run(
        ["node", KATEX / "check.mjs"], input=json.dumps(pieces), capture_output=True, text=True, check=True, cwd=KATEX
    )
    assert json.loads(run.stdout) == []


def typeset(folder: Path, body: str) -> subprocess.CompletedProcess[bytes]:
    """Run pdflatex with amsmath, without programs or files outside, on a body."""
    lines = [r"\documentclass{article}", r"\usepackage{amsmath}", r"\begin{document}", body, r"\end{document}"]
    (folder / "t.tex").write_text("\n".join(lines))
    command = ["pdflatex", "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False)


@pytest.mark.real
def test_latex_reads_every_allowed_command(tmp_path: Path) -> None:
    """Pdflatex with amsmath alone, each in a use that it is made for."""
    need_pdflatex()
    run = typeset(tmp_path, "\n\n".join(f"${tex.math(use)}$" for use in USES))
    assert run.returncode == 0, run.stdout.decode(errors="replace")[-2000:]


@pytest.mark.real
def test_what_the_grammar_takes_katex_and_latex_take(tmp_path: Path) -> None:
    """Rows of marks drawn by a seed: those that are allowed are math to both."""
    import random

    need_katex()
    need_pdflatex()
    draw = random.Random(7)
    marks = ["a", "1", " ", "{", "}", "^", "_", "'", "&", r"\\", "(", "|", "<", r"\alpha ", r"\frac", r"\hat", r"\sqrt", "[",
             r"\mathrm", r"\left", r"\right", ")", r"\text{a b}", r"\begin{matrix}", r"\end{matrix}", r"\big", "]", r"\sum ", "~"]  # fmt: skip
    taken = set()
    for _ in range(30_000):
        try:
            taken.add(tex.math("".join(draw.choices(marks, k=draw.randint(1, 7)))))
        except tex.Fault:
            continue
    assert len(taken) > 1000
    pieces = [{"math": math, "display": False} for math in sorted(taken)]
    katex = subprocess.run(
        ["node", KATEX / "check.mjs"], input=json.dumps(pieces), capture_output=True, text=True, check=True, cwd=KATEX
    )
    assert json.loads(katex.stdout) == []
    run = typeset(tmp_path, "\n\n".join(f"${math}$" for math in sorted(taken)))
    assert run.returncode == 0, run.stdout.decode(errors="replace")[-2000:]


class Tags(html.parser.HTMLParser):
    """Keeps the tags that a reader of HTML finds."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        """Keep a tag."""
        self.found.append(tag)

    handle_endtag = handle_decl = handle_pi = unknown_decl = handle_comment = handle_starttag  # type: ignore[assignment]


@given(st.text(alphabet=st.sampled_from("ab<>/!?&;#$|`[]()\\\" '=:-"), max_size=25))
def test_no_text_is_a_tag_of_html(text: str) -> None:
    """Python's own reader of HTML finds none in what a Markdown page shows of it."""
    try:
        shown = outside_math(escape_markdown)(text)
    except Exception:  # refused, as other tests ask
        return
    reader = Tags()
    reader.feed(shown)
    reader.close()
    assert reader.found == []


def test_line_breaks_and_odd_signs_are_escaped() -> None:
    """A line break would end a table's row; OT1 fonts have other signs in the places of < > and |."""
    assert escape_markdown("a\n b|") == r"a b\|"
    assert escape_tex("a\n\nb<|>") == r"a b\textless{}\textbar{}\textgreater{}"


SURFACES = {
    "title": "title: 'TEXT'\nsteps: |\n  a = 1\n",
    "about": "title: t\nabout: 'TEXT'\nsteps: |\n  a = 1\n",
    "source": "title: t\nsource: 'TEXT'\nsteps: |\n  a = 1\n",
    "about of a given": "title: t\ngiven: {a: {value: 1, about: 'TEXT'}}\n",
    "caption": "title: t\nsteps: |\n  a = 1\ntables: {x: {caption: 'TEXT', columns: {a: a}}}\n",
    "heading": "title: t\nsteps: |\n  a = 1\ntables: {x: {columns: {'TEXT': a}}}\n",
    "comment": "title: t\nsteps: |\n  a = 1  # TEXT\n",
    "comment after training": "title: t\ngiven: {w: {role: parameter, value: 1}}\nsteps: |\n  L = w**2\n"
    "train: {of: L, by: [w], steps: 1, rate: 0.1}\nafter: |\n  a = w * 2  # TEXT\n",
    "comment in a function": "title: t\nsteps: |\n  def f(x):\n      y = x + 1  # TEXT\n      return y\n  a = f(1)\n",
    "cause": "title: t\nsteps: |\n  a = 1/3\nchecks:\n  - erratum: {of: a, printed: '0.34', right: '0.33', cause: 'TEXT'}\n",
}


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("text", [r"$\InputIfFileExists{x}{}{}$", "<script>alert(8)</script>", "$a", "a\u202eb"])
def test_every_text_of_a_spec_passes_the_filter(project: Any, surface: str, text: str) -> None:
    """Wherever a text stands, it is refused at its place."""
    (problem,) = _errors(project(SURFACES[surface].replace("TEXT", text)))
    assert problem.code == "unsafe-text"
    written = problem.span.source.line(problem.span.line)
    assert written[problem.span.column - 1] in "$\\<\u202e"


@pytest.mark.parametrize("text", [r"\\input{x}", "", "_1", "<b>", "}{", r"\\text{", "α"])
@pytest.mark.parametrize("form", ["tex: {{a: '{}'}}\n", "given: {{b: {{value: 1, tex: '{}'}}}}\n"])
def test_every_spelling_passes_the_filter(project: Any, form: str, text: str) -> None:
    """Under ``tex`` and in a given array; none is math between dollars, so none holds a dollar."""
    text = text.replace("\\\\", "\\")
    if text == "<b>":
        text = "<b>$"
    problems = _errors(project("title: t\nsteps: |\n  a = 1\n" + form.format(text)))
    assert {problem.code for problem in problems} == {"unsafe-text"}


def test_a_librarys_comment_passes_the_filter(project: Any) -> None:
    """A function that is used brings its comments."""
    made = project("title: t\nuse: [library/f]\nsteps: |\n  a = f(1)\n")
    (made.root / "specs/library").mkdir(parents=True, exist_ok=True)
    (made.root / "specs/library/f.yaml").write_text(
        "title: f\nsteps: |\n  def f(x):\n      y = x + 1  # $\\input{x}$\n      return y\n"
    )
    (problem,) = _errors(made)
    assert str(problem.span) == "specs/library/f.yaml:4:21"


def _errors(made: Any) -> list[SeqgenError]:
    found: list[SeqgenError] = []
    for problem in build(made).errors:
        found += problem.errors if isinstance(problem, SpecErrors) else [problem]
    return found


def test_the_docs_list_the_allowed_commands() -> None:
    """All of them, and no others, in docs/pages.md."""
    listed = re.search(r"```text\n(\\.*?)```", (ROOT / "docs/pages.md").read_text(), re.DOTALL)
    assert listed is not None
    assert set(listed[1].split()) | {"\\ "} == tex.ALLOWED
