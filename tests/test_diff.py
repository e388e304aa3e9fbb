"""`seqgen diff` tells what an edit changes before it is built; `seqgen show --printed` explains what does not add up."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

from seqgen.build import build
from seqgen.cli import main

SPEC = """\
title: t
given:
  a: {value: [0.1, 0.25]}
steps: |
  b = 2 * a
"""


@pytest.fixture
def edited(project: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that edits the built example, as the working folder, and runs a command there."""
    made = project(SPEC)
    build(made)
    monkeypatch.chdir(made.root)

    def run(text: str, *arguments: str) -> tuple[int, str]:
        (made.root / "specs/example.yaml").write_text(text)
        before = {p: p.read_bytes() for p in made.root.rglob("*") if p.is_file()}
        result = CliRunner().invoke(main, list(arguments) or ["diff"])
        assert {p: p.read_bytes() for p in made.root.rglob("*") if p.is_file()} == before
        return result.exit_code, result.output

    return run


def test_nothing_changes_without_an_edit(edited: Any) -> None:
    """Status 0."""
    assert edited(SPEC) == (0, "1 spec, 0 of them changed\n")


def test_each_number_is_told_with_whether_its_printed_form_moves(edited: Any) -> None:
    """One moves, one does not; what stays the same is not told."""
    status, output = edited(SPEC.replace("[0.1, 0.25]", "[0.100001, 0.35]"))
    assert status == 1
    assert output == (
        "example: 4 numbers changed, 2 as printed\n"
        "  a[0]  0.1 → 0.100001  still prints 0.1000\n"
        "  a[1]  0.25 → 0.35     printed 0.2500 → 0.3500\n"
        "  b[0]  0.2 → 0.200002  still prints 0.2000\n"
        "  b[1]  0.5 → 0.7       printed 0.5000 → 0.7000\n"
        "  source: the text of the spec, of a parent or of a library has changed\n"
        "1 spec, 1 of them changed\n"
    )


def test_only_what_moves_is_told_on_demand(edited: Any) -> None:
    """With --moved."""
    _, output = edited(SPEC.replace("[0.1, 0.25]", "[0.100001, 0.35]"), "diff", "--moved", "example")
    assert "a[0]" not in output
    assert "  b[1]  0.5 → 0.7    printed 0.5000 → 0.7000\n" in output


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("b = 2 * a", "b = 2 * a\n  c = b + 1", "c: new, [1.2000, 1.5000]"),
        ("b = 2 * a", "c = 2 * a", "b: no longer there"),
        ("[0.1, 0.25]", "[0.1, 0.25, 1]", "b: [0.2000, 0.5000] → [0.2000, 0.5000, 2.0000], another shape"),
        ("b = 2 * a", "b = a + a", "b: formula changed, and no number"),
        ("b = 2 * a", "b = 2 * a  # twice", "b: about changed, and no number"),
        ("title: t", "title: u", "title: differs"),
    ],
)
def test_what_is_no_number_is_told_in_words(edited: Any, old: str, new: str, said: str) -> None:
    """New and lost entries, shapes, formulas, texts."""
    status, output = edited(SPEC.replace(old, new))
    assert status == 1
    assert f"  {said}\n" in output


def test_without_a_ledger_all_is_new(edited: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Status 1, as a build would write it."""
    from pathlib import Path

    Path("ledgers/example.json").unlink()
    assert edited(SPEC) == (1, "example: there is no ledger yet; all is new\n1 spec, 1 of them changed\n")


def test_a_conflict_in_a_ledger_is_told_with_the_way_out(edited: Any) -> None:
    """At the line of its first mark, with status 2."""
    from pathlib import Path

    ledger = Path("ledgers/example.json")
    ledger.write_text(ledger.read_text().replace(' "dims"', '<<<<<<< HEAD\n "dims"'))
    status, output = edited(SPEC)
    line = ledger.read_text().splitlines().index("<<<<<<< HEAD") + 1
    assert status == 2
    assert f"ledgers/example.json:{line}:1: error[conflict]: the ledger holds a merge conflict" in output
    assert "hint: resolve the spec, then run seqgen build example" in output


def test_what_hinders_the_search_for_typed_numbers_is_told(edited: Any) -> None:
    """A torn ledger and a deck that can't be read are left out by name, and the other decks are looked at."""
    from pathlib import Path

    Path("specs/other.yaml").write_text("title: o\n")
    Path("ledgers/other.json").write_text("<<<<<<< HEAD\n")
    Path("slides").mkdir(exist_ok=True)
    Path("slides/bad.html").write_bytes(b"\xff")
    Path("slides/good.html").write_text("h = (0.3798, -0.4219)")
    status, output = edited(SPEC.replace("2 * a", "3 * a"))
    assert status == 2
    assert "ledgers/other.json:1:1: error[conflict]" in output
    assert "error[encoding]: 'bad.html' is not UTF-8" in output


def test_a_mistake_in_the_spec_is_told(edited: Any) -> None:
    """With status 2."""
    status, output = edited(SPEC.replace("2 * a", "2 * x"))
    assert status == 2
    assert "unknown name 'x'" in output


MARKDOWN = """\
---
title: a deck
---

# First

Nothing of it here.

---

## Second, \\seq{example: b[0]}

| | |
| --- | ---: |
| \\seq{example: b[1]} | \\seq{example: 1 - b[1]**2} |

```text
---
\\seq{example: b[1]}
```

---

Typed, $b = (0.2000, 0.5000)$.

<!-- seqgen: example: b, digits=1 -->
$$
(0.2, 0.5)
$$
<!-- /seqgen -->
"""
LATEX = """\
\\documentclass{beamer}
\\usepackage{seqgen}
\\begin{document}
\\begin{frame}[fragile]{The \\emph{first}}
  None. % \\begin{frame}{not this} \\seq{example: b}
\\end{frame}
\\begin{frame}<1->
  \\frametitle{The second}
  \\seq[digits=3]{example: b[1]} \\only<2>{\\seq{example: a}}
\\end{frame}
\\end{document}
"""


def test_each_number_is_told_with_the_slides_that_show_it(edited: Any, project: Any) -> None:
    """Cited alone, as a part of a whole, in an expression, in a block, on an overlay, or typed; not in code."""
    from pathlib import Path

    Path("slides").mkdir()
    Path("slides/a.md").write_text(MARKDOWN)
    Path("slides/b.tex").write_text(LATEX)
    status, output = edited(SPEC.replace("0.25", "0.2502"))
    assert status == 1
    assert output == (
        "example: 2 numbers changed, 2 as printed\n"
        "  a[1]  0.25 → 0.2502  printed 0.2500 → 0.2502\n"
        "    on slides/b.tex:9, frame 2: The second\n"
        "  b[1]  0.5 → 0.5004   printed 0.5000 → 0.5004\n"
        "    on slides/a.md:15, slide 2: Second, \\seq{example: b[0]}\n"
        "    on slides/a.md:26, slide 3 (still prints 0.5)\n"
        "    on slides/b.tex:9, frame 2: The second (still prints 0.500)\n"
        "    on slides/a.md:24, slide 3 (typed)\n"
        "  source: the text of the spec, of a parent or of a library has changed\n"
        "1 spec, 1 of them changed\n"
    )


def test_a_number_that_moves_only_on_a_slide_is_told_as_moving(edited: Any) -> None:
    """Four decimals stay, six do not."""
    from pathlib import Path

    Path("slides").mkdir()
    Path("slides/a.md").write_text("# One\n\n\\seq[digits=6]{example: b}\n")
    _, output = edited(SPEC.replace("0.25", "0.250002"), "diff", "--moved")
    assert output == (
        "example: 2 numbers changed, 0 as printed\n"
        "  b[1]  0.5 → 0.500004  still prints 0.5000\n"
        "    on slides/a.md:3, One (printed 0.500000 → 0.500004)\n"
        "1 spec, 1 of them changed\n"
    )


def test_an_entry_that_goes_is_told_with_the_slides_that_cite_it(edited: Any) -> None:
    """They would stop the build."""
    from pathlib import Path

    Path("slides").mkdir()
    Path("slides/a.md").write_text("# One\n\n\\seq{example: b[1]}\n")
    _, output = edited(SPEC.replace("b = 2 * a", "c = 2 * a"))
    assert "  b: no longer there\n    on slides/a.md:3, One\n" in output


def test_a_result_is_explained_by_its_printed_operands(edited: Any) -> None:
    """As printed, 0.33 + 67 is 67.33; the right 67 is exact, and 0.333 and 0.667 do not give it either."""
    spec = (
        "title: t\ndigits: 2\ngiven: {n: {value: [1, 2]}, v: {value: [1, 100]}}\nsteps: |\n  p = n / 3\n  y = p @ v\n"
    )
    status, output = edited(spec, "show", "--printed", "example", "y")
    assert status == 0
    assert output.splitlines()[:6] == [
        "y",
        "formula  p @ v",
        "put in   [0.33, 0.67] @ [1, 100]",
        "printed  67",
        "differs  y is printed as 67; its printed operands give 67.33, 33 units of the last digit more",
        "holds    with no one number of digits up to 12",
    ]
    assert output.splitlines()[8] == (
        "   3 digits: 1 difference, the first: y is printed as 67; its printed operands give 67.033, "
        "33 units of the last digit more"
    )


def test_what_adds_up_is_said_to(edited: Any) -> None:
    """Twice an exact number."""
    _, output = edited(SPEC, "show", "--printed", "example", "b")
    assert output.splitlines()[-1] == "holds    its operands are printed exactly"
