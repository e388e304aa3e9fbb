"""Spreadsheets: formulas, names, cells for readers and students, and what LibreOffice makes of them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from click.testing import CliRunner

import calc
import spreadsheets
from components import need_calc
from seqgen import export
from seqgen.cli import main
from seqgen.export.naming import range_names
from seqgen.export.workbook import Options, workbook
from seqgen.microscope import Microscope, open_microscope
from seqgen.project import Project

PROJECT = Project(Path(__file__).parent.parent)
Made = Callable[..., Microscope]


def opened(microscope: Microscope, **options: Any) -> Any:
    """Return a microscope's workbook as openpyxl reads it."""
    return openpyxl.load_workbook(io.BytesIO(workbook(microscope, Options(**options))))


def contents(microscope: Microscope, name: str, **options: Any) -> list[Any]:
    """Return what stands in the cells of a name."""
    book = opened(microscope, **options)
    sheet, places = calc.cells(book, name)
    return [book[sheet].cell(row + 1, column + 1).value for row, column in places]


# x is in E5, y in F5 and, as an entry of its own, in E6
FORMULAS = {
    "-x**2": "=-(E5^2)",  # in a spreadsheet -2^2 is 4
    "(-x)**2": "=(-E5)^2",
    "2**(-x)": "=2^(-E5)",
    "(x**2)**3": "=(E5^2)^3",
    "x**3**2": "=E5^(3^2)",  # there 2^3^2 is 64
    "-x - -y": "=-E5+E6",
    "x - (y - 2)": "=E5-(E6-2)",
    "x / (y / 2)": "=E5/(E6/2)",
    "x * (y + 1/3)": "=E5*(E6+1/3)",
    "x + 2.5e-7": "=E5+1/4000000",
    "-x * y": "=(-E5)*E6",
    "abs(x) + erf(y)": "=ABS(E5)+ERF(E6)",
    "where(x > y, x, 0)": "=IF(E5>E6,E5,0)",
    "maximum(x, y) * 1e-5": "=MAX(E5:E6)*0.00001",
    "pi * x": "=PI()*E5",
}


@pytest.mark.parametrize(("text", "formula"), FORMULAS.items(), ids=FORMULAS)
def test_a_formula_keeps_what_the_spec_says(steps: Made, text: str, formula: str) -> None:
    """Signs, powers and quotients bind otherwise in a spreadsheet than in the language of specs."""
    assert contents(steps(f"z = {text}", given={"x": "2", "y": "3"}), "z") == [formula]


def test_a_sum_of_neighbours_is_a_sum_of_their_range(steps: Made) -> None:
    """So are extremes, and a position is found by MATCH."""
    one = steps("s = sum(x)", "m = max(x)", "k = argmax(x)", given={"x": "[1, 5, 2]"})
    assert [contents(one, key) for key in "smk"] == [["=SUM(E5:G5)"], ["=MAX(E5:G5)"], ["=MATCH(MAX(E5:G5),E5:G5,0)-1"]]


def test_what_several_formulas_share_has_a_cell(steps: Made) -> None:
    """The exponentials of a softmax stand below it, once each."""
    book = opened(steps("p = softmax(x)", given={"x": "[1, 2, 3]"}))
    rows = [[cell.value for cell in row[4:]] for row in book["Forward"].iter_rows(min_row=6, max_row=7)]
    assert rows[1][:5] == ["=MAX(E5:G5)", "=EXP(E5-E7)", "=EXP(F5-E7)", "=EXP(G5-E7)", "=SUM(F7:H7)"]
    assert rows[0][:3] == ["=F7/I7", "=G7/I7", "=H7/I7"]


def test_a_cell_that_shows_another_refers_to_it(steps: Made) -> None:
    """A second name for a value repeats no computation."""
    one = steps("y = tanh(x)", "again = y[1]", given={"x": "[1, 2]"})
    assert contents(one, "again") == ["=F6"]


def whole(microscope: Microscope, name: str) -> str:
    """Return the one formula of the cells of a name, in the layout with arrays."""
    (first, *_) = contents(microscope, name, arrays=True)
    return str(getattr(first, "text", first))


ARRAYS = {
    "A @ B.T": "=MMULT(E6:F7,TRANSPOSE(E10:F11))",
    "A @ v + v": "=MMULT(E13:F13,TRANSPOSE(E6:F7))+E13:F13",
    "v @ A": "=MMULT(E13:F13,E6:F7)",
    "outer(v, v)": "=TRANSPOSE(E13:F13)*E13:F13",
    "-A**2": "=-(E6:F7^2)",
    "where(A > 0, A, B)": "=IF(E6:F7>0,E6:F7,E10:F11)",
    "A > 0": "=IF(E6:F7>0,1,0)",
    "v @ v": "=SUMPRODUCT(E13:F13*E13:F13)",
    "1/2 * sum((A - B)**2)": "=1/2*SUMPRODUCT((E6:F7-E10:F11)^2)",
    "sum(v)": "=E13+F13",
    "A.T * B": "=TRANSPOSE(E6:F7)*E10:F11",
}


@pytest.mark.parametrize(("text", "formula"), ARRAYS.items(), ids=ARRAYS)
def test_a_block_has_one_formula_where_its_cells_are_alike(steps: Made, text: str, formula: str) -> None:
    """Products of matrices and sums of products are found in the cells; no operation is asked."""
    given = {"A": "[[1, -2], [3, 4]]", "B": "[[5, 6], [7, 8]]", "v": "[0.5, 2]"}
    assert whole(steps(f"y = {text}", given=given), "y") == formula


def test_cells_that_are_not_alike_keep_formulas_of_their_own(steps: Made) -> None:
    """Elements from several places, and what several cells share."""
    one = steps("y = [a, exp(b), a + b]", given={"a": "1", "b": "2"})
    assert contents(one, "y", arrays=True) == ["=E5", "=EXP(E6)", "=E5+E6"]


def test_an_infinity_is_a_number_that_exp_makes_zero(steps: Made) -> None:
    """Spreadsheets have none; its cell shows the sign for it."""
    book = opened(steps("p = softmax(x)", given={"x": "[1, -inf]"}))
    cell = book["Forward"]["F5"]
    assert cell.value == -1e300
    assert "−∞" in cell.number_format


def test_names_of_ranges_are_no_references_and_differ_without_capitals() -> None:
    """A1, R1C1 and what differs by capitals alone are not allowed as names."""
    keys = ["h[1]", "h[-1]", "W_h", "W_H", "x1", "r", "R1C1", "grad(L, W_h, via=R[1])", "O.A"]
    names = ["h_1", "h_m1", "W_h", "W_H_", "x1_", "r_", "R1C1_", "grad_L_W_h_via_R_1", "O_A"]
    assert list(range_names(keys).values()) == names


def test_only_given_cells_are_open(steps: Made) -> None:
    """Results are locked, without a password; so are integers that choose rows, as the graph holds for them."""
    one = steps("e = E[ids]", given={"E": "[[1, 2], [3, 4]]", "ids": "[1, 0]"})
    book = opened(one)
    sheet = book["Forward"]
    assert sheet.protection.sheet
    assert sheet.protection.password is None
    locked = {}
    for key in ("E", "ids", "e"):
        _, places = calc.cells(book, range_names(["E", "ids", "e"])[key])
        locked[key] = {sheet.cell(row + 1, column + 1).protection.locked for row, column in places}
    assert locked == {"E": {False}, "ids": {True}, "e": {True}}


def test_a_cell_shows_the_printed_digits(microscope: Made) -> None:
    """Decimals as the spec asks for them, as many as given numbers have, and all of a tie, which would round up there."""
    one = microscope("title: t\ngiven: {x: {value: 0.125}}\nsteps: |\n  y = x\n  z = x / 3\ndigits: {y: 2, z: 3}\n")
    sheet = opened(one)["Forward"]
    assert [sheet.cell(row, 5).number_format for row in (5, 6, 7)] == ["0.000", "0.000", "0.000"]


def test_a_workbook_has_the_same_bytes_twice() -> None:
    """Nothing in it is of its time."""
    first, second = (workbook(open_microscope(PROJECT, "week06/attention")) for _ in range(2))
    assert first == second


def test_what_training_keeps_is_a_value_and_the_sheet_check_says_so(microscope: Made) -> None:
    """Its rounds are formulas where they are asked for, and what is kept of them follows."""
    train = "train: {of: L, by: [w], steps: 2, rule: sgd, rate: 0.25}"
    one = microscope(f"title: a parabola\ngiven: {{w: {{value: 3}}}}\nsteps: L = w**2\n{train}\n")
    assert contents(one, "trained_w") == [0.75]
    check = {row[0].value: row[1].value for row in opened(one)["Check"].iter_rows()}
    assert check["trained.w"] == "what training keeps"
    assert contents(one, "trained_w", rounds=2) == ["=Rounds!F7"]
    assert contents(one, "round_1", rounds=2) == ["=F6^2", "=Forward!E5-0.25*(2*Forward!E5)"]


def test_a_blank_sheet_has_no_answers_in_its_cells() -> None:
    """Each computed cell is empty and open, and turns green at the number alone."""
    book = opened(open_microscope(PROJECT, "week06/rnn-trace"), blank=True)
    sheet = book["Forward"]
    assert book.sheetnames == ["Forward"]
    assert [c.value for row in sheet.iter_rows() for c in row if str(c.value).startswith("=")] == []
    (rules,) = [r for area, r in sheet.conditional_formatting._cf_rules.items() if str(area.sqref) == "E20"]
    assert rules[0].formula == ["AND(ISNUMBER(E20),ABS(E20-(0.4))<=5.1e-05)"]


def test_a_missing_library_is_named(steps: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that installs it."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(Exception, match="XlsxWriter") as found:
        export.need_xlsx()
    assert found.value.code == "not-installed"


# Other formats


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return a runner of export commands in a project with one spec."""
    (tmp_path / "specs").mkdir()
    table = "tables:\n  rows:\n    rows: t = 0..1\n    columns: {t: t, 'x': 'x[t]', y: 'y[t]'}\n"
    text = f"title: an example\ngiven: {{x: {{value: [[1, -inf], [1/3, 2]]}}}}\nsteps: y = softmax(x)[:, 0]\n{table}"
    (tmp_path / "specs" / "one.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(main, ["export", *arguments], catch_exceptions=False).output


def test_csv_holds_the_nearest_floats(run: Callable[..., str]) -> None:
    """The softmax of (1/3, 2), from Python's own exp."""
    (text,) = list(csv.reader(run("csv", "one", "--of", "y").splitlines()))
    assert [float(x) for x in text] == pytest.approx([1, 1 / (1 + np.exp(2 - 1 / 3))], rel=1e-15)


def test_csv_of_a_table_has_its_headings(run: Callable[..., str]) -> None:
    """An array in a cell takes a column for each of its numbers."""
    text = run("csv", "one", "--of", "table rows", "--printed")
    assert text == "t,x 0,x 1,y\n0,1,-inf,1.0000\n1,1/3,2,0.1589\n"


def test_all_tables_and_entries_are_written_as_csv(run: Callable[..., str]) -> None:
    """One file each, and the command lists them."""
    lines = run("csv").splitlines()
    assert lines[-1] == "1 spec, 3 files"
    assert [Path(line).name for line in lines[:-1]] == ["table-rows.csv", "x.csv", "y.csv"]


def test_npz_and_json_hold_what_csv_holds(run: Callable[..., str]) -> None:
    """Numpy reads the one without objects; the other is strict JSON."""
    run("npz"), run("json")
    with np.load("build/npz/one.npz", allow_pickle=False) as file:
        arrays = dict(file)
    content = json.loads(Path("build/json/one.json").read_text(), parse_constant=pytest.fail)
    assert arrays["y"].tolist() == content["entries"]["y"]["value"]
    assert content["entries"]["x"]["value"][0] == [1.0, "-inf"]
    assert content["tables"]["rows"]["columns"] == ["t", "x", "y"]


# LibreOffice

SAMPLE = ("week06/final-state-loss", "week06/attention-causal", "dda3020/convolution", "published/adam")
EVERY = """
title: every function
given:
  x: {role: input, value: [0.5, -1.25, 0.5]}
  k: {role: input, value: [1.5, 1.5, -2]}
steps: |
  a = exp(x) + tanh(k) * sin(x) - cos(k) / sqrt(abs(x))
  b = erf(x) + gelu(k) + silu(x) + softplus(k) + sigmoid(x) + relu(x) + sign(k)
  c = log(abs(k)) + log10(abs(x)) + x**3 + abs(k)**-1.5 + (-x**2)
  d = [argmax(x), argmax(k), argmax([x[1], k[0], x[0]]), max(x), min(k), mean(x), var(k), norm(x)]
  e = softmax(where(x >= k, x, -inf))
  f = logsumexp(k) + sum(log_softmax(x)) + sum(cumsum(k) * one_hot(argmax(x), size=3))
  L = sum(a * b + c) + f + max(k) + sum(maximum(x, k)) + relu(0.1 + 0.2 - 0.3)
gradients: {L: [x, k]}
"""


@pytest.mark.real
def test_libreoffice_shows_the_ledgers_digits(tmp_path: Path) -> None:
    """Some shipped specs with wrong cached values planted; tests/spreadsheets.py compares all."""
    need_calc()
    microscopes = {name: open_microscope(PROJECT, name) for name in SAMPLE}
    books = {name.replace("/", "--"): workbook(one) for name, one in microscopes.items()}
    books |= {
        f"{key}--arrays": workbook(one, Options(arrays=True))
        for key, one in zip(list(books), microscopes.values(), strict=True)
    }
    shown = calc.shown(books, tmp_path)
    for name, one in microscopes.items():
        key = name.replace("/", "--")
        for layout in (key, f"{key}--arrays"):
            assert spreadsheets.differences(name, one, books[layout], shown[layout]) == []


@pytest.mark.real
def test_libreoffice_computes_every_function_and_random_edits(microscope: Made, tmp_path: Path) -> None:
    """Every function of the language as spreadsheet functions, and numbers that readers put in, against enclosures."""
    need_calc()
    one = microscope(EVERY)
    (book,) = calc.recalculated({"every": workbook(one)}, tmp_path / "every").values()
    assert spreadsheets.edits_differ(one, book) == []
    parent = opened(open_microscope(PROJECT, "week06/attention"))
    assert len(spreadsheets.edits_differ(open_microscope(PROJECT, "week06/attention"), parent)) > 0  # formulas as texts
    count, found = spreadsheets.edits(["week06/final-state-loss", "dda3020/xor"], tmp_path, seed=7)
    assert (count, found) == (1, [])
