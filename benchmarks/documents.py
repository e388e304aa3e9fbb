"""Large documents: a ledger written, a spec read."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import yaml

from benchmarks.figures import Family, Figure
from benchmarks.measure import Pairs, calls, paired
from seqgen.errors import Source
from seqgen.ledger.document import dump
from seqgen.spec.document import parse

MANY, SOME = 1_000_000, 10_000
MIB = 2**20


def ledger(numbers: int) -> dict[str, Any]:
    """Return a ledger of square matrices with so many random numbers in all."""
    side = 100
    draw = random.Random(1).random
    return {
        "seqgen": 1,
        "entries": {
            f"W[{k}]": {
                "role": "computed",
                "shape": [side, side],
                "value": [[draw() for _ in range(side)] for _ in range(side)],
            }
            for k in range(numbers // side**2)
        },
    }


def spec(numbers: int) -> str:
    """Return a spec of one matrix with so many numbers, a row a line."""
    draw = random.Random(1).random
    rows = [", ".join(f"{draw():.3f}" for _ in range(100)) for _ in range(numbers // 100)]
    return "title: large\ngiven:\n  W:\n    value:\n" + "".join(f"      - [{row}]\n" for row in rows)


def _ledgers(folder: Path, runs: int) -> Iterator[Figure]:
    content = ledger(MANY)
    assert orjson.loads(dump(content)) == content
    what = f"a ledger of {MANY:,} numbers"
    pairs = paired(calls(lambda: dump(content)), calls(lambda: orjson.dumps(content, option=orjson.OPT_INDENT_2)), runs)
    yield Figure(what=what, against="orjson, indented", pairs=pairs, bar=4)
    tracemalloc.start()
    size = len(dump(content))
    held = tracemalloc.get_traced_memory()[1] / MIB
    tracemalloc.stop()
    yield Figure(what=f"{what}, memory", against="the file", pairs=Pairs([held], [size / MIB]), bar=4, unit="MiB")


def _specs(folder: Path, runs: int) -> Iterator[Figure]:
    source = Source(name="large.yaml", text=spec(SOME))
    reference = calls(lambda: yaml.load(source.text, Loader=yaml.CSafeLoader))
    pairs = paired(calls(lambda: parse(source)), reference, runs)
    yield Figure(what=f"a spec of {SOME:,} numbers, with positions", against="PyYAML's CSafeLoader", pairs=pairs, bar=3)


LEDGERS = Family(name="ledger", measure=_ledgers, runs=5)
SPECS = Family(name="yaml", measure=_specs, runs=9)
