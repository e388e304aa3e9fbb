"""Whose convention is it? Numbers that somebody's code gave, compared with a spec by every convention."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import numpy as np

from seqgen.conventions.compare import Conventions
from seqgen.errors import SeqgenError, SpecError, count
from seqgen.files import decoded
from seqgen.microscope import Microscope
from seqgen.readings.evaluate import Undefined, evaluate
from seqgen.readings.float64 import Float64

# Numbers with so many digits were not rounded, but computed in single or in double precision, with errors as large.
SINGLE, DOUBLE = 7, 12
NOISE = {SINGLE: 3e-6, DOUBLE: 1e-9}
# Beyond half a unit of the last digit, for a tie that was rounded the other way.
HALF = 0.5001
MOST_PAIRS = 400


@dataclass(frozen=True, kw_only=True)
class Values:
    """Numbers by reference, each with how far the true one may be from it."""

    numbers: Mapping[str, Sequence[float]]
    slack: Mapping[str, float]

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(map(len, self.numbers.values()))


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """The conventions that reproduce all numbers, each a set of alternatives (none: the spec as it stands).

    ``nearest`` reproduces most of them, ``reached`` how many, where none reproduces all.
    """

    matches: tuple[tuple[str, ...], ...]
    nearest: tuple[str, ...]
    reached: int
    total: int


def read_values(path: Path) -> Values:
    """Return the numbers of a JSON file, an object of arrays by reference, or of a CSV file, a reference a row.

    Raises:
        SpecError: where it is neither.
    """
    text = decoded(path.read_bytes(), str(path))
    try:
        rows = dict(_of_csv(text) if path.suffix.lower() == ".csv" else _of_json(text))
        decimals = {key: [Decimal(number) for number in numbers] for key, numbers in rows.items()}
    except (ValueError, TypeError, InvalidOperation) as problem:
        raise _unreadable(path, str(problem) if isinstance(problem, json.JSONDecodeError) else "") from None
    if not any(decimals.values()) or not all(d.is_finite() for row in decimals.values() for d in row):
        raise _unreadable(path, "")
    places = max(-int(d.as_tuple().exponent) for row in decimals.values() for d in row)
    longest = max(len(d.as_tuple().digits) for row in decimals.values() for d in row)
    noise = next((NOISE[digits] for digits in (DOUBLE, SINGLE) if longest >= digits), 0)
    numbers = {key: [float(d) for d in row] for key, row in decimals.items()}
    slack = {key: HALF * 10.0**-places + noise * max(map(abs, row)) for key, row in numbers.items()}
    return Values(numbers=numbers, slack=slack)


def _unreadable(path: Path, said: str) -> SpecError:
    return SpecError(
        f"'{path}' has no numbers by reference{f': {said}' if said else ''}",
        code="values",
        expected='JSON such as {"h[1]": [0.14, -0.1]}, or CSV with rows such as h[1],0.14,-0.1',
    )


def _of_json(text: str) -> Iterator[tuple[str, list[str]]]:
    content = json.loads(text, parse_float=str, parse_int=str)
    for key, value in content.items() if isinstance(content, dict) else ():
        yield key, list(_flat(value))


def _flat(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _flat(item)
    elif isinstance(value, str):
        yield value
    else:
        raise ValueError


def _of_csv(text: str) -> Iterator[tuple[str, list[str]]]:
    for number, row in enumerate(csv.reader(io.StringIO(text))):
        cells = [cell.strip() for cell in row]
        numbers = [cell for cell in cells[1:] if cell]
        if number == 0 and numbers and not any(cell[-1].isdigit() for cell in numbers):
            continue  # a line of headings
        if numbers:
            yield cells[0], numbers


def diagnose(conventions: Conventions, values: Values) -> Diagnosis:
    """Return which conventions reproduce ``values``: the spec as it stands, one alternative, or two together.

    Raises:
        SeqgenError: where the spec has errors, or a reference is not its own.
    """
    base = conventions.base
    for key, numbers in values.numbers.items():
        size = base.node_of(key).size
        if size != len(numbers):
            said = f"'{key}' has {count(size, 'number')}, and {len(numbers)} are given"
            raise SpecError(said, code="values", hint="give all its elements, row by row")
    names = list(conventions.applicable)
    rows = Counter(name.partition("(")[0] for name in names)  # transposed, for several parameters, is one more choice
    groups = [row for row, number in rows.items() if number > 1]
    singles: list[tuple[str, ...]] = [(), *((name,) for name in (*names, *groups))]
    reached = {names: _reached(conventions, names, values) for names in singles}
    matches = [names for names, found in reached.items() if found == values.count]
    if not matches:
        pairs = itertools.islice(itertools.combinations(names, 2), MOST_PAIRS)
        reached |= {pair: _reached(conventions, pair, values) for pair in pairs}
        matches = [names for names, found in reached.items() if found == values.count]
    nearest = max(reached, key=lambda names: (reached[names], -len(names)))
    return Diagnosis(matches=tuple(matches), nearest=nearest, reached=reached[nearest], total=values.count)


def _reached(conventions: Conventions, names: Sequence[str], values: Values) -> int:
    """Return how many of ``values`` a spec gives by alternatives."""
    try:
        microscope = conventions.open(*names) if names else conventions.base
        return sum(_agreeing(microscope, key, values) for key in values.numbers)
    except (SeqgenError, Undefined):
        return 0


def _agreeing(microscope: Microscope, key: str, values: Values) -> int:
    node = microscope.node_of(key)
    with np.errstate(all="ignore"):
        found = evaluate([node], Float64())[node].reshape(-1)
    numbers = np.array(values.numbers[key])
    return int((abs(found - numbers) <= values.slack[key]).sum()) if found.shape == numbers.shape else 0


def lines(conventions: Conventions, diagnosis: Diagnosis) -> Iterator[str]:
    """Yield what is found."""
    total = count(diagnosis.total, "number")
    if not diagnosis.matches:
        yield f"none: no convention that applies reproduces all {total}"
        if diagnosis.reached:
            yield f"  nearest  {_called(diagnosis.nearest)}: {diagnosis.reached} of {diagnosis.total}"
        return
    for names in diagnosis.matches:
        what = " ".join(conventions.what(name) for name in names)
        yield f"{_called(names)} reproduces all {total}{f': {what}' if what else ''}"
    if len(diagnosis.matches) > 1:
        yield "  these numbers do not tell them apart"


def _called(names: Sequence[str]) -> str:
    return " with ".join(names) if names else "the spec as it stands"
