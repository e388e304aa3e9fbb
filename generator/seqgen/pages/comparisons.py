r"""The table of a spec's comparisons: what is compared with what, how far apart the two are, and how far they may be.

Only what is the same on every machine stands in it. Central differences in balls are such figures; what PyTorch
computes is not, so that its rows print the tolerance as a bound, which ``seqgen check`` holds it to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from seqgen.assertions.outcome import Outcome
from seqgen.pages.views import Cell, TableView, fitting_size
from seqgen.readings.formula import Formulas
from seqgen.readings.names import escape_text
from seqgen.typeset.numbers import scientific

NAME = "checks"
HEADINGS = ("Value", "Numbers", "Compared with", "Largest difference", "Tolerance")
KINKS = "At a kink the derivative lies between the slopes on either side:"


def comparisons(outcomes: Iterable[Outcome], formulas: Formulas) -> TableView | None:
    """Return the table of comparisons, or ``None`` where a spec declares none."""
    rows = [_row(outcome, formulas) for outcome in outcomes if outcome.compared is not None]
    if not rows:
        return None
    kinks = [kink["of"] for outcome in outcomes for kink in outcome.row.get("kinks", ())]
    return TableView(
        name=NAME,
        caption="Independent checks",
        headings=HEADINGS,
        alignments="lrlrr",
        rows=tuple(rows),
        size=fitting_size(HEADINGS, [list(cells) for cells in zip(*rows, strict=True)]),
        footnote=f"{KINKS} {', '.join(dict.fromkeys(kinks))}." if kinks else "",
    )


def _row(outcome: Outcome, formulas: Formulas) -> tuple[Cell, ...]:
    row = outcome.row
    assert outcome.compared is not None
    tolerance = _tolerance(row)
    largest = scientific(row["measured"]) if "measured" in row else rf"\le {tolerance}"
    return (
        Cell(math=formulas.write(outcome.compared)),
        Cell(math=str(row["count"]), is_number=True),
        Cell(math=_other(row)),
        Cell(math=largest) if outcome.passed else Cell(text="the check fails"),
        Cell(math=tolerance),
    )


def _other(row: Mapping[str, Any]) -> str:
    if row["check"] == "finite_difference":
        return rf"\text{{central differences}},\ \epsilon={scientific(row['step'])}"
    release = f" {row['release']}" if "release" in row else ""
    return rf"\text{{PyTorch{escape_text(release)} {escape_text(row.get('torch', 'autograd'))}}}"


def _tolerance(row: Mapping[str, Any]) -> str:
    parts = [scientific(row["tolerance"])] if row["tolerance"] else []
    parts += [rf"{scientific(row['relative'])}\,\lvert x\rvert"] if "relative" in row else []
    return parts[0] if len(parts) == 1 else rf"\max({', '.join(parts)})"
