"""What `import seqgen` offers: ledgers and computed examples, light to read, with errors that say where."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import mpmath
import pytest

import seqgen
from seqgen.api.example import Example
from seqgen.ledger.values import Ledger

ROOT = Path(__file__).parent.parent
SMALL = """\
title: t
given: {a: {shape: [2, 2], value: [[1, 2], [3, 1/3]]}, words: {role: label, value: [x < y, z]}}
steps: |
  s = sum(a)
  t = exp(s)
tables: {all: {caption: "a < b", rows: i = 0..1, columns: {word: "words[i]", "$a$": "a[i]"}}}
worked: {sum: [s]}
"""


@pytest.fixture(scope="module")
def ledger() -> Ledger:
    """Return the ledger of the shipped RNN with its loss."""
    return seqgen.load("week06/final-state-loss", course=ROOT)


@pytest.fixture(scope="module")
def example() -> Example:
    """Return a small spec, computed."""
    return seqgen.compute(text=SMALL)


def test_a_value_of_a_ledger_is_found_by_its_reference(ledger: Ledger) -> None:
    """The lecture's first state is tanh of W_x x + b: tanh(0.45) and tanh(-0.2)."""
    assert ledger["h[0]"].value == [
        pytest.approx(math.tanh(0.45), abs=1e-15),
        pytest.approx(-math.tanh(0.2), abs=1e-15),
    ]
    assert ledger["h[0]"].formula == "tanh(z[0])"


def test_a_part_of_an_entry_is_a_value_of_its_own(ledger: Ledger) -> None:
    """A position, a row and a column of W_x = [[0.3, -0.2], [0.1, 0.4]]."""
    assert float(ledger["W_x[0][1]"]) == -0.2
    assert ledger["W_x[1]"].value == [0.1, 0.4]
    assert ledger["W_x[:, 0]"].value == [0.3, 0.1]


def test_a_part_has_the_digits_of_its_own(ledger: Ledger) -> None:
    """Those that stand at its place in the whole."""
    whole, part = ledger["W_h"], ledger["W_h[1][0]"]
    assert (part.shown, part.shape) == (whole.shown[1][0], ())


def test_contributions_of_the_uses_sum_to_the_gradient(ledger: Ledger) -> None:
    """W_h is used once a step; the gradient is the sum over the steps."""
    gradient = ledger.grad("L", "W_h")
    assert list(gradient.contributions) == ["R[0]", "R[1]", "R[2]"]
    for i in range(2):
        for j in range(2):
            parts = [part[i][j] for part in gradient.contributions.values()]
            assert math.fsum(parts) == pytest.approx(gradient.value[i][j], abs=1e-16)


def test_one_contribution_is_a_value(ledger: Ledger) -> None:
    """By the reference of a use, or by its names."""
    expected = ledger.grad("L", "W_h").contributions["R[1]"]
    assert ledger["grad(L, W_h, via=R[1])"].value == expected
    assert ledger.grad("L", "W_h", via="R[1]").value == expected


@pytest.mark.parametrize(("reference", "hint"), [("W_q", "W_x"), ("h[1][9]", "h[1]"), ("grad(L, W)", "grad(L, W_")])
def test_a_reference_that_a_ledger_does_not_have_is_an_error_with_a_hint(
    ledger: Ledger, reference: str, hint: str
) -> None:
    """It is of the error tree, and names what is near."""
    with pytest.raises(seqgen.SeqgenError) as caught:
        ledger[reference]
    assert caught.value.code == "unknown-name"
    assert hint in caught.value.render()


def test_a_ledger_that_is_not_there_is_an_error_with_a_hint() -> None:
    """With the nearest spec."""
    with pytest.raises(seqgen.SeqgenError, match="no ledger") as caught:
        seqgen.load("week06/rnn-trce", course=ROOT)
    assert "week06/rnn-trace" in caught.value.hint


def test_minus_infinity_is_a_float() -> None:
    """JSON has none, and a ledger writes a text; Python reads a number."""
    found = seqgen.compute(text="title: t\nsteps: a = -inf\n").ledger["a"]
    assert found.value == -math.inf


def modules(program: str) -> set[str]:
    """Return the top-level modules that a program has imported at its end."""
    code = (
        f"import sys\n{program}\nimport json; print(json.dumps(sorted({{m.partition('.')[0] for m in sys.modules}})))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(json.loads(done.stdout))


def test_reading_a_ledger_is_light() -> None:
    """It imports neither what computes nor what renders."""
    found = modules("import seqgen; seqgen.load('week06/attention')['A[1][0]'].value")
    assert not found & {"sympy", "flint", "numpy", "jinja2", "yaml", "click"}


def test_importing_seqgen_imports_nothing_else() -> None:
    """All else comes when it is asked for."""
    code = "import sys, typing, __future__; before = set(sys.modules); import seqgen; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "['seqgen']"


def test_any_expression_of_a_computed_spec_has_proven_digits(example: Example) -> None:
    """exp(6 + 1/3) - 1, by mpmath with 30 digits."""
    with mpmath.workdps(30):
        expected = mpmath.exp(mpmath.mpf(19) / 3) - 1
        assert example["t - 1"].printed(digits=12) == mpmath.nstr(expected, 15)
        assert example["t - 1"].value == float(expected)


def test_a_computed_value_has_its_closed_form(example: Example) -> None:
    """1 + 2 + 3 + 1/3."""
    assert (example["s"].exact, example["s"].relation) == ("19/3", "≈")
    assert example["s"].printed(form="exact") == "19/3"


def test_a_gradient_need_not_be_declared(example: Example) -> None:
    """T = exp(s) has the derivative t in each element of a."""
    assert example.grad("t", "a").value == [[pytest.approx(math.exp(19 / 3), rel=1e-14)] * 2] * 2


def test_an_error_shows_its_place_below_the_traceback(example: Example) -> None:
    """A notebook prints notes: the line, a caret at the column, a hint."""
    with pytest.raises(seqgen.SeqgenError) as caught:
        example["a + q"]
    assert "reference:1:5: error[unknown-name]" in caught.value.__notes__[0]
    assert "\n      |     ^" in caught.value.__notes__[0]


def test_all_errors_of_a_text_come_at_once() -> None:
    """Each with its place in the text."""
    with pytest.raises(seqgen.SeqgenError) as caught:
        seqgen.compute(text="title: t\nsteps: |\n  a = q\n  b = r\n")
    note = caught.value.__notes__[0]
    assert "specs/example.yaml:3:7" in note
    assert "specs/example.yaml:4:7" in note


def test_a_text_may_extend_a_spec_of_the_course() -> None:
    """By its name; the first state of the RNN doubles."""
    found = seqgen.compute("mine", text="title: t\nextends: week06/rnn-trace\nsteps: d = 2 * h[0]\n", course=ROOT)
    assert found["d[0]"].value == pytest.approx(2 * math.tanh(0.45), abs=1e-15)


class Cells(HTMLParser):
    """Collects the texts of cells, row by row."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        """Open a tag."""
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        """Close the tag that was opened last."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Add to the cell."""
        if self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def test_a_table_is_html_in_a_notebook(example: Example) -> None:
    """Balanced, escaped, and with a cell for each."""
    cells = Cells(example.table("all")._repr_html_() or "")
    assert cells.open == []
    assert [row[0] for row in cells.rows] == ["word", "x < y", "z"]
    assert [len(row) for row in cells.rows] == [2, 2, 2]


def test_a_table_is_latex_and_markdown_too(example: Example) -> None:
    """As pages have it."""
    table = example.table("all")
    assert table._repr_latex_().startswith("\\begin{tabular}{ll}")
    assert table._repr_markdown_().startswith("| word | $a$ |")


def test_a_derivation_is_shown(example: Example) -> None:
    """In symbols, with its result."""
    assert "\\begin{aligned}" in example.worked("sum")._repr_markdown_()


@pytest.mark.parametrize("what", ["table", "worked"])
def test_what_is_not_declared_is_an_error(example: Example, what: str) -> None:
    """Of the error tree."""
    with pytest.raises(seqgen.SeqgenError, match="declares no"):
        getattr(example, what)("al")


def test_what_check_finds_comes_as_findings() -> None:
    """A check that does not hold is one; of a text nothing is said about files."""
    text = "title: t\nsteps: a = 1\nchecks: [equal: {left: a, right: 2}]\n"
    assert [finding.rule for finding in seqgen.compute(text=text).check()] == ["failed-check"]


def test_a_deck_is_audited(tmp_path: Path) -> None:
    """tanh(0.45) is 0.4219 to four decimals: 0.4219 is backed, 0.4218 is not; a deck may lie outside the course."""
    deck = tmp_path / "talk.tex"
    deck.write_text("% seqgen: spec week06/rnn-trace\n$h_0 = (0.4219, -0.1974)$, then $h_0 = (0.4218, -0.1974)$\n")
    found = {one.text: one.verdict for one in seqgen.audit(deck, course=ROOT).findings}
    assert found["0.4219"] == "backed"
    assert found["0.4218"] != "backed"


def test_the_notebook_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each cell of docs/seqgen.ipynb, in order, as a kernel would run it."""
    monkeypatch.chdir(ROOT / "docs")
    notebook = json.loads((ROOT / "docs" / "seqgen.ipynb").read_text())
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names: dict[str, Any] = {}
    for cell in cells:
        exec(compile(cell, "docs/seqgen.ipynb", "exec"), names)
    assert len(cells) >= 5
