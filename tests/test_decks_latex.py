r"""Decks in real TeX: ``\seq`` wherever a slide can hold it, a citation without its number, and the sample decks."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from components import KATEX, need_beamer, need_katex
from seqgen.build import build
from seqgen.project import Project

pytestmark = pytest.mark.real

ROOT = Path(__file__).parent.parent
SPEC = r"""
title: Numbers
given:
  v: {value: [0.5, -1.25]}
  W: {value: [[1, 2], [3, 4]]}
  words: {role: label, value: [the, cat]}
steps: |
  root = sqrt(2)
"""
# TeX's log shows each glyph of a page with its font. In math italics, a point has the code of a colon.
GLYPH = re.compile(r"^\.+\\(\w+)/\S+ (?:\^\^@|(\S))$", re.MULTILINE)
SHOW = r"\tracingoutput1 \showboxbreadth9999 \showboxdepth9999 "


def typeset(root: Path, deck: str, *, interaction: str = "nonstopmode", inside: str = "") -> tuple[int, str]:
    """Run pdflatex on a deck, from the root or from a folder; return its exit status and its log."""
    place = Path(root, inside)
    command = ["pdflatex", f"-interaction={interaction}"]
    command += ["-output-directory", str(root / "build/slides")] if not inside else []
    run = subprocess.run([*command, deck], cwd=place, capture_output=True, check=False, input=b"")
    log = (place if inside else root / "build/slides") / f"{Path(deck).stem}.log"
    # The log is broken into lines of 79 bytes.
    text = re.sub(r"(?<=.{79})\n", "", log.read_text(encoding="latin-1"))
    return run.returncode, text


def shown(log: str) -> str:
    """Return the glyphs that TeX put on its pages, minus signs and math's points as themselves."""
    codes = {":": ".", ";": ","}
    return "".join("-" if not c else codes.get(c, c) if font == "OML" else c for font, c in GLYPH.findall(log))


@pytest.fixture
def deck(tmp_path: Path) -> Callable[..., Project]:
    """Return a maker of projects with one LaTeX deck that is built."""
    need_beamer()

    def make(body: str, *, preamble: str = "", style: str = "", name: str = "deck") -> Project:
        (tmp_path / "specs").mkdir()
        (tmp_path / "specs/example.yaml").write_text(SPEC)
        path = tmp_path / f"slides/{name}.tex"
        path.parent.mkdir(parents=True)
        path.write_text(
            rf"\documentclass{{beamer}}\usepackage{style}{{seqgen}}{preamble}"
            rf"\begin{{document}}{SHOW}{body}\end{{document}}"
        )
        project = Project(tmp_path)
        report = build(project)
        assert not report.errors, report.errors[0].render()
        return project

    return make


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (r"\begin{frame}a \seq{example: root} b\end{frame}", "a1.4142b"),
        (r"\begin{frame}a $x = \seq[digits=2]{example: root}$ b\end{frame}", "ax=1.41b"),
        (r"\begin{frame}\[x \seq[relation]{example: v}\]\end{frame}", "x=(0.5,-1.25)"),
        ("\\begin{frame}\\begin{align*}x &= \\seq[digits=0]{example:\n W} \\\\ y &\\seq[ relation,digits = 1 ]{example:root}\\end{align*}\\end{frame}", "1234"),
        (r"\begin{frame}\begin{tabular}{rr}\seq{example: v[0]} & \seq{example: v[1]} \\ \seq{example: root} & x\end{tabular}\end{frame}", "0.5-1.251.4142x"),
        (r"\begin{frame}\begin{figure}\caption{It is \seq{example: root}.}\end{figure}\end{frame}", "Itis1.4142."),
        (r"\begin{frame}\only<2>{\seq{example: root}}\alert<1>{\seq{example: v[1]}}\end{frame}", "1.4142-1.25"),
        (r"\section{Root \seq{example: root}}\begin{frame}{Of \seq[digits=3]{example: root}}x\footnote{\seq{example: v[0]}}\end{frame}", "Of1.414"),
        (r"\begin{frame}\emph{\seq{example: words[1]}} \text{\seq{example: words[0]}}\end{frame}", "catthe"),
        ("\\begin{frame}[fragile]\\verb|\\seq{no: x}| \\seq{example: root}\n\\end{frame}\n", "1.4142"),
        (r"\begin{frame}\seq[decimal=comma]{example: root}\end{frame}", "1,4142"),
        (r"\begin{frame}\newcommand{\both}{\seq{example: root}, \seq{example: v[0]}}\both\end{frame}", "1.4142,0.5"),
    ],
)  # fmt: skip
def test_seq_prints_its_number_wherever_a_slide_can_hold_it(
    deck: Callable[..., Project], body: str, expected: str
) -> None:
    """In text, math, align, tables, captions, overlays, titles and macros, without a warning."""
    project = deck(body)
    status, log = typeset(project.root, "slides/deck.tex")
    assert status == 0
    assert expected in shown(log)
    assert "Warning: Token not allowed" not in log


def test_other_languages_active_characters_do_no_harm(deck: Callable[..., Project]) -> None:
    """Where a colon is a command, a citation still finds its number."""
    active = r"\catcode`\:=\active\def:{\string:}\catcode`\==\active\def={\string=}"
    project = deck(rf"{active}\begin{{frame}}\seq[digits=2]{{example: root}}\end{{frame}}")
    assert "1.41" in shown(typeset(project.root, "slides/deck.tex")[1])


def test_a_bookmark_has_the_plain_number(deck: Callable[..., Project]) -> None:
    """A section's bookmark and the document's title hold digits, not a command."""
    project = deck(
        r"\section{Root \seq{example: v}}\begin{frame}x\end{frame}", preamble=r"\title{T \seq[digits=2]{example: root}}"
    )
    for _ in range(2):
        assert typeset(project.root, "slides/deck.tex")[0] == 0
    outline = (project.root / "build/slides/deck.out").read_text()
    assert "(0.5, -1.25)" in re.sub(r"\\0(\d\d)", lambda m: chr(int(m[1], 8)), outline.replace(r"\000", ""))


def test_a_citation_without_its_number_stops_tex(deck: Callable[..., Project]) -> None:
    """There is an error that names it, and no PDF, although nobody is asked."""
    project = deck(r"\begin{frame}\seq{example: root}\end{frame}")
    path = project.root / "slides/deck.tex"
    path.write_text(path.read_text().replace("root", "root + 1"))
    status, log = typeset(project.root, "slides/deck.tex")
    assert status != 0
    assert "! Package seqgen Error: There is no number for []{example: root + 1}." in log
    assert not (project.root / "build/slides/deck.pdf").exists()


def test_without_its_file_of_numbers_a_deck_does_not_compile(deck: Callable[..., Project]) -> None:
    """TeX says what to run."""
    project = deck(r"\begin{frame}\seq{example: root}\end{frame}")
    (project.root / "build/slides/deck.seq.tex").unlink()
    status, log = typeset(project.root, "slides/deck.tex")
    assert status != 0
    assert "run `seqgen build'" in log


def test_a_deck_in_a_folder_is_told_how_its_numbers_are_found(deck: Callable[..., Project]) -> None:
    """The error names the file that was looked for, and the option that names the right one."""
    project = deck(r"\begin{frame}\seq{example: root}\end{frame}", name="part/one")
    status, log = typeset(project.root, "slides/part/one.tex")
    assert status != 0
    assert "as there is no file one.seq.tex" in log
    assert r"write \usepackage[deck=FOLDER/NAME]{seqgen}" in log
    path = project.root / "slides/part/one.tex"
    path.write_text(path.read_text().replace(r"\usepackage{", r"\usepackage[deck=part/one]{"))
    status, log = typeset(project.root, "slides/part/one.tex")
    assert status == 0
    assert "1.4142" in shown(log)


def test_a_draft_shows_what_is_missing(deck: Callable[..., Project]) -> None:
    """The option draft turns the error into a warning and a mark that can't be overlooked."""
    project = deck(r"\begin{frame}\seq{example: root}\end{frame}", style="[draft]")
    path = project.root / "slides/deck.tex"
    path.write_text(path.read_text().replace("{example: root}", "{example:W_a}"))
    status, log = typeset(project.root, "slides/deck.tex")
    assert status == 0
    assert "Package seqgen Warning: There is no number for []{example:W_a}" in log
    assert "example:W_a?" in shown(log).replace(" ", "")


def test_an_unknown_option_of_the_style_is_an_error(deck: Callable[..., Project]) -> None:
    """Nothing is ignored."""
    project = deck(r"\begin{frame}x\end{frame}", style="[drafft]")
    assert "seqgen Error: unknown option `drafft'" in typeset(project.root, "slides/deck.tex")[1]


@pytest.mark.parametrize(("name", "style"), [("deck", ""), ("part/one", ""), ("part/one", "[deck=part/one]")])
def test_a_deck_compiles_in_its_own_folder_too(deck: Callable[..., Project], name: str, style: str) -> None:
    """One line of the preamble finds what the build writes, from wherever TeX runs."""
    up = "../" * (name.count("/") + 1)
    project = deck(r"\begin{frame}\seq{example: root}\end{frame}", style=style, name=name)
    path = project.root / f"slides/{name}.tex"
    folder = f"{up}build/slides/"
    more = f"{{{folder}{Path(name).parent.as_posix()}/}}" if "/" in name else ""
    path.write_text(rf"\makeatletter\def\input@path{{{{{folder}}}{more}}}\makeatother" + path.read_text())
    status, log = typeset(project.root, path.name, inside=str(path.parent.relative_to(project.root)))
    assert status == 0
    assert "1.4142" in shown(log)


def test_a_block_compiles_without_the_style(tmp_path: Path) -> None:
    """What a block holds needs amsmath alone, in text and in math."""
    need_beamer()
    (tmp_path / "specs").mkdir()
    (tmp_path / "slides").mkdir()
    (tmp_path / "build/slides").mkdir(parents=True)
    (tmp_path / "specs/example.yaml").write_text(SPEC)
    block = "\n% seqgen: example: W, digits=0\n% /seqgen\n"
    path = tmp_path / "slides/deck.tex"
    path.write_text(
        rf"\documentclass{{article}}\usepackage{{amsmath}}\begin{{document}}{SHOW}a{block}b \[x ={block}\]\end{{document}}"
    )
    build(Project(tmp_path))
    status, log = typeset(tmp_path, "slides/deck.tex")
    assert status == 0
    assert shown(log).count("1234") == 2


# The decks that are shipped


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the project with its sample decks built."""
    root = tmp_path_factory.mktemp("samples")
    for folder in ("specs", "templates", "slides"):
        shutil.copytree(ROOT / folder, root / folder)
    report = build(Project(root), ("slides",))
    assert not report.errors
    assert set(report.decks) == {"slides/week06.md", "slides/week06.tex"}
    return root


def test_building_the_sample_decks_changes_none_of_their_blocks(samples: Path) -> None:
    """They are committed as the build leaves them."""
    for path in (ROOT / "slides").iterdir():
        assert (samples / "slides" / path.name).read_bytes() == path.read_bytes()


def test_the_sample_beamer_deck_compiles_twice_without_a_bad_box(samples: Path) -> None:
    """No warning, no overfull box, and the numbers that the lecture prints."""
    need_beamer()
    path = samples / "slides/week06.tex"
    path.write_text(path.read_text().replace(r"\begin{document}", rf"\begin{{document}}{SHOW}"))
    for _ in range(2):
        status, log = typeset(samples, "slides/week06.tex")
        assert status == 0
    assert not re.findall(r"^(?:Over|Under)full.*|.*Warning.*", log, re.MULTILINE)
    glyphs = shown(log)
    for printed in (
        "(0.1403,0.0961)",
        "0.039853",
        "(0.2483,0.5035,0.2483)",
        "(0.3302,0.6698,0.0000)",
        "-0.0974",
        "2.360",
    ):
        assert printed in glyphs


def test_all_math_of_the_sample_markdown_deck_parses_in_katex(samples: Path) -> None:
    """Twelve slides without a citation left, and no formula that KaTeX refuses."""
    need_katex()
    text = (samples / "build/slides/week06.md").read_text()
    assert r"\seq" not in text
    assert len(re.findall(r"^---$", text, re.MULTILINE)) == 2 + 11
    math = [
        {"math": m[1] or m[2], "display": m[1] is not None}
        for m in re.finditer(r"\$\$(.*?)\$\$|\$([^$\n]+)\$", text, re.DOTALL)
    ]
    assert len(math) > 40
    run = subprocess.run(
        ["node", KATEX / "check.mjs"], input=json.dumps(math), capture_output=True, text=True, check=True, cwd=KATEX
    )
    assert json.loads(run.stdout) == []
    for printed in ("(0.1403, 0.0961)", "0.039853", "(0.2483, 0.5035, 0.2483)", "(0.3302, 0.6698, 0.0000)"):
        assert printed in text
