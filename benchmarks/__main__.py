"""Measures the families of the table and writes benchmarks/results.md: ``python -m benchmarks [FAMILY…]``."""

from __future__ import annotations

import argparse
import datetime
import tempfile
from pathlib import Path

from benchmarks import builds, differences, documents, notebook, proofs, recurrent, scaling, texts, training
from benchmarks.figures import HEADINGS, Family, Table

FAMILIES: tuple[Family, ...] = (
    builds.IDLE,
    builds.EDITS_OF_ONE,
    notebook.WATCH,
    notebook.ALL,
    recurrent.GRADIENTS,
    training.STEPS_OF_HELLO,
    proofs.DIGITS,
    differences.BATCHES,
    documents.LEDGERS,
    documents.SPECS,
    texts.TEXTS,
    scaling.SPECS,
    scaling.SIZES,
)
RESULTS = Path(__file__).with_name("results.md")


def main() -> None:
    """Measure what is asked for, and write the results where that is everything."""
    names = [family.name for family in FAMILIES]
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure seqgen beside its references.")
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=f"of {', '.join(names)}; all for nothing")
    parser.add_argument("--runs", type=int, help="paired runs a figure, instead of the family's own number")
    asked = parser.parse_args()
    unknown = set(asked.families) - set(names)
    if unknown:
        parser.error(f"no family {', '.join(sorted(unknown))}")
    table = Table()
    print(" | ".join(HEADINGS))
    for family in FAMILIES:
        if asked.families and family.name not in asked.families:
            continue
        with tempfile.TemporaryDirectory() as folder:
            for figure in family.measure(Path(folder).resolve(), asked.runs or family.runs):
                table.figures.append(figure)
                print(" | ".join(figure.cells()), flush=True)
    if not asked.families:
        text = table.text().replace("\n- ", f"\n- {datetime.date.today()}\n- ", 1)
        RESULTS.write_text(text, encoding="utf-8")
        print(f"written to {RESULTS}")


if __name__ == "__main__":
    main()
