"""Decks of our own words, with one fault of each kind, in every format that an audit reads."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from seqgen.auditing.formats import READERS
from seqgen.auditing.verdicts import Audit, Auditor, Finding
from seqgen.cli import main
from seqgen.ledger.disk import ledgers
from seqgen.project import Project

# Made by hand: h = tanh(z) for z = (0.4, -0.45), p = softmax(1, 0, -1), W a given matrix.
Z = [0.4, -0.45]
H = [math.tanh(v) for v in Z]
P = [math.exp(v) / sum(map(math.exp, (1, 0, -1))) for v in (1, 0, -1)]
W = [[0.3, -0.2], [0.1, 0.4]]
G = [[-0.062437, 0.029216], [0.005955, -0.002787]]


def entry(value: Any, *, role: str = "computed", formula: str = "", about: str = "", **more: Any) -> dict[str, Any]:
    """Return an entry of a ledger; what an audit does not read is empty."""
    return {"role": role, "formula": formula, "about": about, **values(value), **more}


def values(value: Any) -> dict[str, Any]:
    """Return a value with its shape, and texts that stand for its digits."""
    digits = np.full(np.shape(value), "", dtype=object)
    return {"shape": list(np.shape(value)), "value": value, "shown": digits.tolist(), "proven": True}


LEDGER: dict[str, Any] = {
    "seqgen": 1,
    "spec": "demo/cell",
    "title": "A cell",
    "source": {"spec": "", "extends": []},
    "dims": {"H": 2},
    "parameters": {"W": 4, "total": 4},
    "notation": {},
    "entries": {
        "x": entry([0.5, -1.25], role="input"),
        "W": entry(W, role="parameter"),
        "z": entry(Z, formula="x @ W.T", about="preactivation"),
        "h": entry(H, formula="tanh(z)", about="state"),
        "p": entry(P, formula="softmax(a)", about="probabilities"),
        "L": entry(0.039853, about="loss"),
        "grad(L, W)": entry(G, role="gradient", via={"z": G}),
    },
    "derived": {"1 - h**2": values([1 - v * v for v in H])},
    "cited": [],
    "checks": [],
}

# ⟦digits|verdict⟧ marks a number; what is not marked must not be reported.
LINES = [
    "The state is $h=(⟦0.3799|backed⟧,⟦-0.4219|backed⟧)$ after $z=(⟦0.4000|backed⟧,⟦−0.4500|backed⟧)$.",
    "From $x=(⟦0.5|given⟧,⟦-1.25|given⟧)$ the loss is $L≈⟦0.039853|backed⟧$.",
    "A slip: $h=(⟦0.3798|near miss⟧,⟦-0.4219|backed⟧)$; truncated, $p=(⟦0.6652|backed⟧,⟦0.2447|backed⟧,⟦0.0900|backed⟧)$.",
    "A sign: $h=(⟦0.3799|backed⟧,⟦0.4219|near miss⟧)$, and an order: $p=(⟦0.2447|near miss⟧,⟦0.6652|near miss⟧,⟦0.0900|backed⟧)$.",
    "The loss is $L=⟦0.039852|near miss⟧$, and truncated $L=⟦0.03985|backed⟧$.",
    "Cut off, $h_1=⟦-0.4218|backed⟧…$ or $p_0 = ⟦0.6652|backed⟧\\ldots$; not so $L=⟦0.039851|near miss⟧...$.",
    "Nobody computed ⟦0.7316|unbacked⟧ here.",
    "In 2017, chapter 3.2 of version 2.1.0 shows 16 slides with Python 3.11.",
]
MARK = re.compile(r"⟦([^|⟧]*)\|([^⟧]*)⟧")


def marked(text: str) -> tuple[str, list[tuple[int, int, str, str]]]:
    """Return a text without its marks, and what they say: line, column, digits, verdict."""
    plain, said = "", []
    place = 0
    for match in MARK.finditer(text):
        plain += text[place : match.start()]
        line = plain.count("\n") + 1
        said.append((line, len(plain) - plain.rfind("\n"), match[1], match[2]))
        plain += match[1]
        place = match.end()
    return plain + text[place:], said


def audit(text: str, suffix: str = ".md", **options: Any) -> Audit:
    """Return the audit of a deck that is written here."""
    content = READERS[suffix](text).replace("\v", "\n")
    return Auditor([LEDGER], **options).audit_text(text, content, f"deck{suffix}")


def told(result: Audit) -> list[tuple[int, int, str, str]]:
    """Return what an audit says of each number."""
    return [(f.line, f.column, f.text, f.verdict) for f in result.findings]


def only(result: Audit) -> Finding:
    """Return the one finding of an audit."""
    (finding,) = result.findings
    return finding


FORMATS = {
    ".md": "# Title\n\n![figure](f_0.25.png){width=0.75}\n\n<!-- 0.1234 -->\n\n%s\n",
    ".txt": "Title\n\n%s\n",
    ".tex": "\\documentclass[12pt]{beamer} %% 0.1234\n\\begin{frame}\\includegraphics[width=0.75\\textwidth]{f}\n%s\n\\end{frame}\n",
    ".html": '<html><head><style>p {line-height: 1.55}</style></head><body><img width="0.75"><p>%s</p></body></html>\n',
}


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("line", LINES)
def test_each_number_gets_its_verdict_at_its_place(suffix: str, line: str) -> None:
    """Line, column, digits and verdict are those that were marked, and nothing else is reported."""
    text, expected = marked((FORMATS[suffix] % f"First words.\n\n{line}").replace("%%", "%"))
    assert told(audit(text, suffix)) == expected


@pytest.mark.parametrize("line", LINES)
def test_a_notebook_is_read_in_its_own_lines(line: str) -> None:
    """Places are those of the file, with its JSON escapes; settings and images are left out."""
    template = (
        '{"cells": [{"cell_type": "markdown", "metadata": {"width": 0.75},\n "source": ["First words.\\n",\n'
        '  "\\n",\n  "%s\\n"]},\n {"outputs": [{"data": {"image/png": "0.1234"}}]}], "nbformat": 4.5}\n'
    )
    text, expected = marked(template % line)
    assert told(audit(text, ".ipynb")) == expected


def test_what_a_notebook_printed_is_read() -> None:
    """An array as numpy prints it is a vector."""
    text, expected = marked('{"outputs": [{"text": ["h = [⟦0.3799|backed⟧ ⟦-0.4219|backed⟧]\\n"]}]}\n')
    assert told(audit(text, ".ipynb")) == expected


@pytest.mark.parametrize(
    "typed",
    [
        r"$W=\begin{bmatrix}0.3&-0.2\\0.1&0.4\end{bmatrix}$",
        r"$$W = \begin{pmatrix} 0.3 & {-}0.2 \\ 0.1 & 0.4 \end{pmatrix}$$",
        r"W = [[0.3, −0.2], [0.1, 0.4]]",
        r"$W=\left[\begin{array}{rr}\num{0.3}&\num{-0.2}\\\num{0.1}&\num{0.4}\end{array}\right]$",
    ],
)
def test_a_matrix_is_read_in_every_spelling(typed: str) -> None:
    """Rows of bmatrix, pmatrix, array and nested lists are one matrix, each number with its own element."""
    assert [f.reference for f in audit(typed).findings] == ["W[0][0]", "W[0][1]", "W[1][0]", "W[1][1]"]


@pytest.mark.parametrize(
    ("typed", "digits"),
    [
        (r"$L=3.9853\times10^{-2}$", r"3.9853\times10^{-2}"),
        ("L = 3.9853e-2", "3.9853e-2"),
        ("L = 3.9853·10⁻²", "3.9853·10⁻²"),
        (r"$L=\num{3.9853e-2}$", "3.9853e-2"),
        (r"the loss $L$ is $L=3.9853\%$", r"3.9853\%"),
        ("L ≈ 0{,}039853", "0{,}039853"),
    ],
)
def test_a_number_is_read_in_every_spelling(typed: str, digits: str) -> None:
    """Powers of ten, exponents, per cent and braces around a comma spell the loss, 0.039853."""
    finding = only(audit(typed))
    assert (finding.text, finding.verdict, finding.reference) == (digits, "backed", "L")


def test_a_decimal_comma_is_read_where_it_is_asked_for() -> None:
    """0,3799 is one number with the setting, and two without."""
    text = "h = (0,3799; -0,4219)"
    assert [f.text for f in audit(text, decimal_comma=True).findings] == ["0,3799", "-0,4219"]
    assert all(f.verdict == "unbacked" for f in audit(text).findings)


def test_a_fraction_stands_for_its_exact_value() -> None:
    """1/2 is the first input, and 2/5 the first preactivation."""
    assert [f.verdict for f in audit(r"$x=(1/2,-5/4)$ and $z=(\frac{2}{5},-\frac{9}{20})$").findings] == [
        "given",
        "given",
        "backed",
        "backed",
    ]


def test_every_digit_counts_for_half_a_unit_in_the_last_place() -> None:
    """tanh(0.4) = 0.379949: 0.380 and 0.38 are right, 0.379 is truncated."""
    verdicts = {
        digits: audit(f"$h=({digits},-0.4219)$").findings[0] for digits in ("0.380", "0.38", "0.379", "0.37995")
    }
    assert [verdicts[d].verdict for d in ("0.380", "0.38", "0.37995")] == ["backed"] * 3
    assert verdicts["0.379"].reason == "truncated instead of rounded"


def test_an_integer_beside_decimals_is_rounded_as_they_are() -> None:
    """Where z = (-1.5, 2, -1.1), its last may be typed as -1; where a cure is given, it is not what is typed."""
    z = [-1.5, 2.0, -1.1]
    p = [math.exp(v) / sum(map(math.exp, z)) for v in z]
    entries = {"z": entry(z), "p": entry(p, formula="softmax(z)"), "L": entry(-math.log(p[1]))}
    ledger = LEDGER | {"entries": entries, "derived": {}}
    for typed, verdict, right in (("-1", "backed", ""), ("-1.2", "near miss", "-1.1")):
        text = f"Loss $L=0.0726$, $p=(0.0281,0.93,0.042)$, $z=(-1.5, 2.0, {typed})$"
        last = Auditor([ledger]).audit_text(text, text, "deck.md").findings[-1]
        assert (last.text, last.verdict, last.right) == (typed, verdict, right)


def test_a_table_gives_its_headings_to_its_cells() -> None:
    """A column headed h holds elements of h; the same digits under z are a near miss of z or unbacked."""
    text, expected = marked(
        "| unit | $z$ | $h$ |\n| --- | ---: | ---: |\n| 0 | $⟦0.4000|backed⟧$ | $⟦0.3799|backed⟧$ |\n"
        "| 1 | $⟦-0.4500|backed⟧$ | $⟦-0.4218|near miss⟧$ |\n"
    )
    assert told(audit(text)) == expected


def test_a_table_of_a_page_is_read_by_its_cells() -> None:
    """Td and th part the cells of a row."""
    text, expected = marked(
        "<table>\n<tr><th>unit</th><th>h</th></tr>\n<tr><td>0</td><td>⟦0.3799|backed⟧</td></tr>\n"
        "<tr><td>1</td><td>⟦&minus;0.4219|backed⟧</td></tr>\n</table>"
    )
    result = audit(text, ".html")
    assert [f.verdict for f in result.findings] == [verdict for *_, verdict in expected]


def test_a_use_of_a_shared_weight_is_backed() -> None:
    """Contributions under `via` are values of the ledger, too."""
    (first, *_) = audit(r"Use: $\begin{bmatrix}-0.0624&0.0292\\0.0060&-0.0028\end{bmatrix}$").findings
    assert (first.verdict, first.reference) in (
        ("backed", "grad(L, W)[0][0]"),
        ("backed", "grad(L, W, via=z)[0][0]"),
    )


def test_an_expression_that_pages_print_is_backed() -> None:
    """1 - h**2 is no entry, but the ledger keeps its value."""
    assert [f.reference for f in audit("$1-h^2=(0.8556,0.8220)$").findings] == ["(1 - h**2)[0]", "(1 - h**2)[1]"]


def test_the_number_of_parameters_is_backed_and_its_slip_is_seen() -> None:
    """Four parameters are in the ledger; five are not."""
    deck = "From $x=(0.5,-1.25)$ the state is $h=(0.3799,-0.4219)$. The cell has {} parameters."
    assert audit(deck.format(4)).findings[-1].verdict == "backed"
    assert audit(deck.format(5)).findings[-1].verdict in ("near miss", "unbacked")


def test_a_cited_number_is_not_audited() -> None:
    """What seqgen writes itself needs no audit."""
    assert not audit(r"The loss is \seq[digits=7]{demo/cell: L} and $\seq{demo/cell: 1 - 0.5*h}$.").findings


def test_places_and_lengths_are_no_results() -> None:
    """Years, versions, sections, figures, addresses, dates and sizes are left out."""
    text = (
        "Vaswani et al. (2017), §3.4–3.5, Fig. 2.3, arXiv 1706.03762, https://example.org/v1.25/a.html\n\n"
        "## 4.2 Attention\n\nSet with TeX 3.14, see Section 5.12, Python 3.11, 0.5em, 2024-05-01 and image 6 by 6.\n"
    )
    assert [f.text for f in audit(text).findings] == ["3.14"]


def test_printed_arithmetic_tells_what_a_number_stands_for() -> None:
    """0.3 + 0.1 comes to 0.4; 0.5 there is a slip of that, though x[0] is 0.5."""
    deck = "$W=[[0.3,-0.2],[0.1,0.4]]$ and $x=(0.5,-1.25)$ give $z=(0.4000,-0.4500)$. Add 0.3+0.1={}."
    assert audit(deck.format("0.4")).findings[-1].verdict in ("given", "backed")
    assert audit(deck.format("0.5")).findings[-1].verdict in ("near miss", "unbacked")


@pytest.mark.parametrize("typed", ["1e400", "10^{9999}", r"2.5\times10^{-999}", "0" * 100 + ".5", "1/0", "-", "[[[["])
def test_what_is_no_float_is_no_number(typed: str) -> None:
    """Powers beyond float64, a quotient by zero and torn brackets are passed over."""
    assert all(f.text == "0.17" for f in audit(f"x = {typed} and (0.17, {typed})").findings)


def test_an_unknown_deck_is_not_accused() -> None:
    """Numbers that are near an entry by chance, without a label and among strangers, are unbacked."""
    deck = "Accuracy rose from 91.37 to 93.81 in 12 runs; the pair (0.3712, -0.4220) and 0.4001 are of another course."
    result = audit(deck)
    assert [f.text for f in result.findings] == ["91.37", "93.81", "0.3712", "-0.4220", "0.4001"]
    assert result.count("unbacked") == 5


def test_a_phantom_sign_is_no_sign() -> None:
    """What LaTeX leaves blank for alignment is not read."""
    assert {f.verdict for f in audit(r"$h=(\phantom{-}0.3799,-0.4219)$").findings} == {"backed"}


def test_an_empty_deck_has_no_numbers() -> None:
    """Nothing typed, nothing found."""
    assert audit("").findings == ()


# The command


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a course with one ledger, as the working folder."""
    (tmp_path / "specs/demo").mkdir(parents=True)
    (tmp_path / "specs/demo/cell.yaml").touch()
    ledger = tmp_path / "ledgers" / "demo" / "cell.json"
    ledger.parent.mkdir(parents=True)
    ledger.write_text(json.dumps(LEDGER))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Any:
    """Run ``seqgen audit``."""
    return CliRunner().invoke(main, ["audit", *arguments])


def test_the_command_lists_what_is_to_be_looked_at(course: Path) -> None:
    """A near miss is named with place, entry, value and reason, and the status is 1."""
    (course / "deck.md").write_text("At last $h=(0.3798,-0.4219)$.\n")
    result = run("deck.md")
    assert result.exit_code == 1
    assert result.output.splitlines() == [
        "deck.md:1:13  0.3798  near miss  demo/cell: h[0]  0.3799489623  off by one in the last digit",
        "deck.md: 2 numbers: 0 contradictions, 1 near miss, 0 unbacked, 1 backed, 0 given",
    ]


def test_a_ledger_that_no_spec_makes_backs_nothing(course: Path) -> None:
    """As in `check`: it is left over from a spec that is gone."""
    (course / "ledgers/demo/cell.json").rename(course / "ledgers/gone.json")
    (course / "deck.md").write_text("At last $h=(0.3798,-0.4219)$.\n")
    result = run("deck.md")
    assert (result.exit_code, result.stderr.splitlines()[0]) == (
        2,
        "error[no-ledgers]: there are no ledgers to compare with",
    )


@pytest.mark.parametrize(
    ("name", "line", "is_left_out"),
    [
        ("a.md", "$h=(0.3798,-0.4219)$ <!-- theirs: seqgen-ignore -->", True),
        ("a.md", "$h=(0.3798,-0.4219)$ `seqgen-ignore`", False),
        ("a.md", "<!-- begins\nseqgen-ignore --> $h=(0.3798,-0.4219)$", True),
        ("a.html", "h=(0.3798,-0.4219) <a href='seqgen-ignore'>seqgen-ignore</a>", False),
        ("a.tex", "$h=(0.3798,-0.4219)$ % seqgen-ignore", True),
        ("a.tex", "seqgen-ignore \\% $h=(0.3798,-0.4219)$", False),
        ("a.tex", "seqgen-ignore: $h=(0.3798,-0.4219)$ % theirs", False),
        ("a.tex", "$h=(0.3798,-0.4219)$ <!-- seqgen-ignore -->", False),
    ],
)
def test_a_comment_and_nothing_else_lets_a_line_be(course: Path, name: str, line: str, is_left_out: bool) -> None:
    """The audit leaves out what `check` does: the line with the mark, and no other."""
    (course / "slides").mkdir()
    (course / "slides" / name).write_text(f"{line}\n\nWe, $h=(0.3799,-0.4219)$.\n")
    result = run()
    assert result.exit_code == (0 if is_left_out else 1), result.output
    assert f"{2 if is_left_out else 4} numbers: " in result.output


def test_unbacked_numbers_fail_only_when_asked(course: Path) -> None:
    """An unbacked number is listed with status 0, and with --strict gives status 1."""
    (course / "deck.md").write_text("Nobody computed 0.7316.\n")
    assert run("deck.md").exit_code == 0
    assert "0.7316  unbacked" in run("deck.md").output
    assert run("deck.md", "--strict").exit_code == 1


def test_json_holds_every_number(course: Path) -> None:
    """Backed and given numbers are in it, too, with entry and value."""
    (course / "deck.md").write_text("At last $h=(0.3799,-0.4219)$.\n")
    (deck,) = json.loads(run("deck.md", "--format", "json").output)["decks"]
    assert deck["counts"] == {"stale": 0, "contradiction": 0, "near miss": 0, "unbacked": 0, "backed": 2, "given": 0}
    assert (deck["numbers"][0]["reference"], deck["numbers"][0]["value"]) == ("h[0]", H[0])


def test_the_page_is_escaped_and_stands_alone(course: Path) -> None:
    """Words of the deck are escaped, numbers carry verdict and value, and nothing is fetched or run."""
    (course / "deck.md").write_text("<script>alert(1)</script> $h=(0.3799,-0.4219)$ & 0.7316\n")
    assert run("deck.md", "--html", "out/audit.html").exit_code == 0
    page = (course / "out" / "audit.html").read_text()
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert '<mark class="backed" title="backed; demo/cell: h[0] = 0.3799489623">0.3799</mark>' in page
    assert '<mark class="unbacked" title="unbacked">0.7316</mark>' in page
    assert "http" not in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("deck.pdf",), "error[format]"),
        (("deck.md", "--spec", "demo/cel"), "did you mean demo/cell?"),
        (("none.md",), "none.md"),
    ],
)
def test_wrong_usage_is_a_message_with_status_2(course: Path, arguments: tuple[str, ...], message: str) -> None:
    """A format that is not read, an unknown spec and a missing file are told, without a traceback."""
    (course / "deck.pdf").write_text("")
    (course / "deck.md").write_text("")
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.output


def test_without_ledgers_there_is_nothing_to_compare_with(course: Path) -> None:
    """The command says so, with status 2, instead of calling all numbers unbacked."""
    (course / "ledgers" / "demo" / "cell.json").unlink()
    (course / "deck.md").write_text("0.5\n")
    result = run("deck.md")
    assert (result.exit_code, "seqgen build" in result.output) == (2, True)


def test_a_ledger_that_is_none_is_told(course: Path) -> None:
    """A torn ledger is a message that names it."""
    (course / "ledgers" / "demo" / "cell.json").write_text("{")
    (course / "deck.md").write_text("0.5\n")
    assert "cell.json" in run("deck.md").output


def test_an_audit_imports_nothing_heavy(course: Path) -> None:
    """Neither numpy nor sympy nor yaml is imported."""
    import subprocess
    import sys

    import seqgen

    (course / "deck.md").write_text("$h=(0.3799,-0.4219)$\n")
    code = (
        f"import sys; sys.path.insert(0, {str(Path(seqgen.__file__).parent.parent)!r}); "
        "from click.testing import CliRunner; from seqgen.cli import main; "
        "assert CliRunner().invoke(main, ['audit', 'deck.md']).exit_code == 0; "
        "print(sorted({'yaml', 'numpy', 'sympy', 'jinja2', 'flint'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=course, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


ROOT = Path(__file__).parent.parent
PROSE = """
Version 3.11.7 of 2024-05-01 needs numpy 1.26, sympy 1.13 and 2.2 GB; see section 4.2, figure 3.1 and arXiv:1706.03762v5.
It costs 12.50 a month, was 1.5 times faster in 0.65 s, and 2.675 rounds to 2.67 or 2.68, 1.005 to 1.00 or 1.01.
The temperature rose by 1.2 to 14.9 degrees; 99.9 % of 8,192 requests took less than 0.25 s. Set alpha=.7 and width=1.3.
"""


def test_texts_that_print_no_results_are_accused_of_nothing() -> None:
    """The documentation, the changelog and a page of prices, versions and dates, with all shipped ledgers loaded."""
    auditor = Auditor(ledgers(Project(ROOT)))
    pages = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    texts = {page.name: page.read_text() for page in pages if page.name != "audit.md"}  # that one shows near misses
    for name, text in {**texts, "prose": PROSE}.items():
        found = auditor.audit_text(text, READERS[".md"](text), name).findings
        assert [(name, f.line, f.text, f.reference) for f in found if f.verdict == "near miss"] == []


HOSTILE = (
    "<!--", "<!-- seqgen:", "\\begin{bmatrix}", "\\begin{tabular}", "\\begin{tikzpicture}node{", "\\seq[", "\\seq{", "![",
    "[a](", "{#a ", "{ width", "<a ", "<script>", "\\includegraphics[", "\\\\[", "\\phantom{", "_{", "^{", "% seqgen:\n", "\n\n",
    "    ", "`", '"source": ["', "\\text{", "- ", "| - ",
)  # fmt: skip


@pytest.mark.parametrize("suffix", READERS)
def test_what_is_opened_again_and_again_is_read_in_linear_time(suffix: str, at_most: Any) -> None:
    """A hundred thousand characters of each take a fraction of a second; in quadratic time one of them takes minutes."""
    with at_most(15):
        for fragment in HOSTILE:
            READERS[suffix](fragment * (100_000 // len(fragment)))


def test_lines_of_blanks_and_unclosed_matrices_are_audited_in_linear_time(at_most: Any) -> None:
    """As comments leave them."""
    with at_most(20):
        for fragment in ("\n", " ", "\\begin{bmatrix} ", "\\begin{tabular} ", "x\n", "_{a "):
            text = fragment * (100_000 // len(fragment))
            assert audit(text, ".txt").findings == ()


@pytest.mark.parametrize("wrong", ["\\uZZZZ", "\\u12", "\\u"])
def test_a_notebook_with_a_wrong_escape_is_read_all_the_same(tmp_path: Path, wrong: str) -> None:
    """What JSON does not know is a blank; the numbers around it have their places."""
    path = tmp_path / "a.ipynb"
    path.write_text('{"cells": [{"source": ["1.25 ' + wrong + ' 3.75"]}], "text": "' + wrong + '"}')
    from seqgen.auditing.formats import read

    text, content = read(path)
    assert len(text) == len(content)
    assert [text.index(number) == content.index(number) for number in ("1.25", "3.75")] == [True, True]
