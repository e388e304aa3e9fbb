"""As printed, it adds up, or `seqgen check` says what does not: hand-made numbers that can be checked in the head."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from components import need_pdflatex
from seqgen.build import build
from seqgen.cli import main
from seqgen.findings import Finding
from seqgen.microscope import open_microscope
from seqgen.rules.review import review
from seqgen.shown.consistency import steps


def found(made: Any, rule: str) -> list[Finding]:
    """Return what a rule finds in a project that is built."""
    build(made)
    result = review(made)
    assert not result.errors
    assert not result.failures
    return [finding for finding in result.findings if finding.rule == rule]


def test_a_sum_of_printed_columns_is_told_with_its_distance_and_the_digits_that_hold(project: Any) -> None:
    """0.14 + 0.14 is 0.28, and 0.288 is printed as 0.29; with three decimals all is exact."""
    text = (
        "title: t\ndigits: {a: 2, b: 2, c: 2}\ngiven: {a: {value: 0.144}, b: {value: 0.144}}\nsteps: |\n  c = a + b\n"
        "tables:\n  t:\n    columns:\n      a: a\n      b: b\n      c: c\n"
    )
    (finding,) = found(project(text), "printed-sum")
    assert finding.message == (
        "in table t, c is printed as 0.29; its printed operands give 0.28, 1 unit of the last digit less; "
        "it adds up with 3 digits"
    )
    assert (finding.file, finding.line, finding.old, finding.new) == ("specs/example.yaml", 11, "0.29", "0.28")
    assert finding.warning


def test_a_sum_that_adds_up_as_printed_is_not_told(project: Any) -> None:
    """0.14 + 0.14 is 0.28, and 0.284 is printed so."""
    text = (
        "title: t\ndigits: 2\ngiven: {a: {value: 0.142}, b: {value: 0.142}}\nsteps: |\n  c = a + b\n"
        "tables: {t: {columns: {a: a, b: b, c: c}}}\n"
    )
    assert found(project(text), "printed-sum") == []


def test_a_result_whose_operands_are_not_all_shown_is_not_told(project: Any) -> None:
    """The value u is computed and not in the table, so that nobody can add it up."""
    text = (
        "title: t\ndigits: 2\ngiven: {a: {value: 0.144}}\nsteps: |\n  u = 1 * a\n  v = 1 * a\n  c = u + v\n"
        "tables: {t: {columns: {v: v, c: c}}}\n"
    )
    assert found(project(text), "printed-sum") == []


def test_a_tie_counts_as_either_rounding(project: Any) -> None:
    """Half of the printed 0.25 is 0.125, which 0.12 and 0.13 both round; 0.126 is printed as 0.13."""
    text = (
        "title: t\ndigits: 2\ngiven: {a: {value: 0.252}}\nsteps: |\n  u = 1 * a\n  c = u / 2\n"
        "tables: {t: {columns: {u: u, c: c}}}\n"
    )
    assert found(project(text), "printed-sum") == []


def test_a_row_of_weights_that_does_not_add_up_to_one_is_told(project: Any) -> None:
    """Three thirds are 0.99 as printed, and 0.999… with any number of digits."""
    text = "title: t\ndigits: 2\ngiven: {s: {value: [5, 5, 5]}}\nsteps: |\n  A = softmax(s)\nworked: {w: [A]}\n"
    (finding,) = found(project(text), "printed-sum")
    assert finding.message == (
        "in derivation w, A adds up to 0.99 as printed, 1 unit of the last digit less than 1; "
        "it adds up with no number of digits up to 12"
    )


def test_weights_in_single_columns_of_a_table_are_added_up(project: Any) -> None:
    """Two sixths and two thirds: 0.17 + 0.17 + 0.67 = 1.01."""
    text = (
        "title: t\ndigits: 2\ngiven: {s: {value: [[0, 0, 'log(4)'], [0, 0, 0]]}}\nsteps: |\n  A = softmax(s)\n"
        "tables: {t: {columns: {a: 'A[0][0]', b: 'A[0][1]', c: 'A[0][2]'}}}\n"
    )
    (finding,) = found(project(text), "printed-sum")
    assert finding.message.startswith("in table t, A[0] adds up to 1.01 as printed, 1 unit of the last digit more")


def test_a_dot_product_of_printed_factors_is_recomputed(project: Any) -> None:
    """1/3 · 1 + 2/3 · 100 = 67.00; with the printed factors, 0.33 + 67 = 67.33."""
    text = (
        "title: t\ndigits: 2\ngiven: {n: {value: [1, 2]}, v: {value: [1, 100]}}\nsteps: |\n  p = n / 3\n  y = p @ v\n"
        "worked: {w: [y]}\n"
    )
    (finding,) = found(project(text), "printed-sum")
    assert "y is printed as 67; its printed operands give 67.33, 33 units of the last digit more" in finding.message


def test_an_expression_of_a_column_is_an_operand_of_the_next(project: Any) -> None:
    """1.34 · 0.34 = 0.4556 is printed as 0.5; from the columns u + 1 and v, 1.3 · 0.3 = 0.39 is 0.4."""
    text = (
        "title: t\ndigits: {default: 1}\ngiven: {a: {value: 0.34}, b: {value: 0.34}}\nsteps: |\n"
        "  u = 1 * a\n  v = 1 * b\n  w = (u + 1) * v\n"
        "tables: {t: {columns: {u1: u + 1, v: v, w: w}}}\n"
    )
    (finding,) = found(project(text), "printed-sum")
    assert "w is printed as 0.5; its printed operands give 0.4" in finding.message


def test_selected_it_fails_the_check(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A warning ends with status 0; under 'select' it is an error with status 1; under 'ignore' it is not told."""
    text = "title: t\ndigits: 2\ngiven: {s: {value: [5, 5, 5]}}\nsteps: |\n  A = softmax(s)\nworked: {w: [A]}\n"
    for configuration, status, words in [
        ("", 0, "warnings: 1 printed-sum"),
        ('select = ["printed-sum"]', 1, "printed-sum: in derivation w, A adds up to 0.99"),
        ('ignore = ["printed-sum"]', 0, "in order"),
    ]:
        made = project(text, configuration=configuration)
        build(made)
        monkeypatch.chdir(made.root)
        result = CliRunner().invoke(main, ["check"])
        assert result.exit_code == status
        assert words in result.output
        assert ("printed-sum" in result.output) == ("ignore" not in configuration)


@pytest.mark.parametrize("part", ["tables: {t: {columns: {A: A}, %s}}", "worked: {t: {lines: [A], %s}}"])
def test_a_footnote_says_so_where_it_is_needed_and_settles_the_finding(project: Any, part: str) -> None:
    """In both media, and not where the numbers add up: halves do, thirds do not."""
    note = "Rounded after computing: last digits need not add up."
    spec = "title: t\ndigits: 2\ngiven: {s: {value: [5, 5, 5]}}\nsteps: |\n  A = softmax(s)\n"
    made = project(spec + part % "footnote: rounding")
    assert found(made, "printed-sum") == []
    pages = [p for p in Path(made.root / "build").rglob("*-t.*") if p.suffix in (".tex", ".md")]
    assert [note in page.read_text() for page in sorted(pages)] == [True, True]
    made = project((spec + part % "footnote: rounding").replace("[5, 5, 5]", "[5, 5]"))
    build(made)
    assert not any(note in page.read_text() for page in Path(made.root / "build").rglob("*-t.*"))


def test_a_value_that_vanishes_is_told(project: Any) -> None:
    """0.00004 is printed as 0.0000 and is not zero; zero itself is."""
    text = "title: t\ndigits: {b: 4}\ngiven: {a: {value: [0.00002, 0]}}\nsteps: |\n  b = 2 * a\n"
    (finding,) = found(project(text), "vanishing")
    assert (finding.place, finding.old, finding.new) == ("specs/example.yaml:5:3", "0.0000", "4e-05")
    assert finding.message == "b[0] is 4e-05 and is printed as 0.0000"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("0.123451", "b lies within 1.0% of a unit of the middle between 0.1235 and 0.1234"),
        ("0.12345", "b lies exactly between 0.1234 and 0.1235"),
        ("0.123449", "b lies within 1.0% of a unit of the middle between 0.1234 and 0.1235"),
        ("0.123453", ""),
        ("-0.123451", "b lies within 1.0% of a unit of the middle between -0.1235 and -0.1234"),
        ("0.1234", ""),
    ],
)
def test_a_value_next_to_a_rounding_boundary_is_told(project: Any, value: str, told: str) -> None:
    """Within 2 % of a unit of the last digit, on both sides; ties go to the even digit."""
    text = f"title: t\ngiven: {{a: {{value: {value}}}}}\nsteps: |\n  b = 1 * a\n"
    assert [finding.message for finding in found(project(text), "near-tie")] == ([told] if told else [])


@pytest.mark.real
def test_a_page_with_a_footnote_compiles_in_an_article_and_on_a_slide(project: Any, tmp_path: Path) -> None:
    """Read by pdflatex without an error, table and derivation."""
    need_pdflatex()
    made = project(
        "title: t\ndigits: 2\ngiven: {s: {value: [5, 5, 5]}}\nsteps: |\n  A = softmax(s)\n"
        "tables: {t: {columns: {a: 'A[0]', b: 'A[1]', c: 'A[2]'}, footnote: rounding}}\n"
        "worked: {w: {lines: [A], footnote: rounding}}\n"
    )
    build(made)
    folder = made.root / "build/latex/example"
    body = f"\\input{{{folder}/table-t}} \\input{{{folder}/worked-w}}"
    heads = {
        "article": rf"\documentclass{{article}}\usepackage{{amsmath}}\begin{{document}}{body}\end{{document}}",
        "beamer": rf"\documentclass{{beamer}}\begin{{document}}\begin{{frame}}{body}\end{{frame}}\end{{document}}",
    }
    for name, text in heads.items():
        (tmp_path / f"{name}.tex").write_text(text)
        run = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"{name}.tex"],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert run.returncode == 0, run.stdout[-2000:]


def test_a_number_of_an_expression_is_named_as_a_reference_would(project: Any) -> None:
    """An index follows parentheses, or the name that a derivation's own formula has; else it would be another value."""
    made = project("""
title: t
digits: {A: 4}
given: {A: {value: [[1/3, 2/3], [1/6, 1/9]]}, v: {value: [3, 7]}}
steps: |
  B = A @ v
tables:
  thirds: {rows: t = 0..1, columns: {a: "A[t]", b: "A[t] * 3"}}
worked:
  own: ["B[0:2] = A @ v"]
""")
    microscope = open_microscope(made, "example")
    names = [mismatch.name for _, _, step in steps(microscope) for mismatch in step.mismatches]
    assert [name for name in names if name.startswith("A[")] == []
    assert "(A[0] * 3)[0]" in names
