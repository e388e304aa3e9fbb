"""The ledger's JSON: what is written is read again, the bytes are canonical, and reading is strict."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqgen.ledger.document import dump, parse
from strategies import ledgers


@given(ledger=ledgers())
def test_a_ledger_is_read_as_it_was_written(ledger: dict[str, Any]) -> None:
    """Writing and reading changes nothing."""
    assert parse(dump(ledger)) == ledger


@given(ledger=ledgers())
def test_keys_keep_their_order(ledger: dict[str, Any]) -> None:
    """Entries stand in the order of the steps; equality of mappings does not see it, their text does."""
    assert str(parse(dump(ledger))) == str(ledger)


@given(ledger=ledgers())
def test_a_ledger_is_plain_json(ledger: dict[str, Any]) -> None:
    """Any reader of JSON reads a ledger."""
    assert json.loads(dump(ledger)) == ledger


@given(ledger=ledgers())
def test_writing_what_was_read_gives_the_same_bytes(ledger: dict[str, Any]) -> None:
    """There is one text for a content: reading and writing it ends where it began."""
    text = dump(ledger)
    assert dump(parse(text)) == text


@given(ledger=ledgers())
def test_a_ledger_ends_with_one_newline(ledger: dict[str, Any]) -> None:
    """Editors and git expect a last line that ends."""
    text = dump(ledger)
    assert text.endswith("}\n")


@given(ledger=ledgers())
def test_no_line_has_a_trailing_space_or_a_carriage_return(ledger: dict[str, Any]) -> None:
    """The bytes are the same on every system, whatever an editor trims."""
    assert all(line == line.rstrip(" \r") for line in dump(ledger).split("\n"))


def test_a_matrix_has_a_row_a_line() -> None:
    """A change of one row is a change of one line."""
    text = dump({"seqgen": 1, "value": [[1.0, -0.5], [0.25, 1e-12]]})
    assert text == '{\n "seqgen": 1,\n "value": [\n  [1.0, -0.5],\n  [0.25, 1e-12]\n ]\n}\n'


def test_a_stack_of_matrices_has_a_row_a_line() -> None:
    """Deeper arrays are indented by a space a level."""
    text = dump({"seqgen": 1, "value": [[[1, 2]], [[3, 4]]]})
    assert text == '{\n "seqgen": 1,\n "value": [\n  [\n   [1, 2]\n  ],\n  [\n   [3, 4]\n  ]\n ]\n}\n'


def plainly(value: Any, depth: int = 0) -> str:
    """Return the text of a value by the rules of the ledger, with Python's json for what stands in one line."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    items = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    nested = any(isinstance(item, (list, dict)) for item in items)
    if not items or (not nested and (isinstance(value, list) or len(text) <= 110)):
        return text
    keys = (
        [f"{json.dumps(key, ensure_ascii=False)}: " for key in value] if isinstance(value, dict) else [""] * len(items)
    )
    lines = [f"{' ' * (depth + 1)}{key}{plainly(item, depth + 1)}" for key, item in zip(keys, items, strict=True)]
    start, end = "{}" if isinstance(value, dict) else "[]"
    return "\n".join([start, ",\n".join(lines), " " * depth + end])


@given(ledger=ledgers())
def test_a_ledger_is_written_as_by_the_standard_library(ledger: dict[str, Any]) -> None:
    """Whoever writes the numbers, the bytes are those of Python's json."""
    assert dump(ledger) == plainly(ledger) + "\n"


FINITE = st.floats(allow_nan=False, allow_infinity=False)
SCALED = st.builds(lambda x, e: x * 10.0**e, st.floats(-10, 10), st.integers(-12, 18))
FLOATS = st.one_of(FINITE, SCALED)
MIXED = st.one_of(FLOATS, FINITE.map(np.float64), st.integers())


@given(numbers=st.one_of(st.lists(FLOATS, min_size=1), st.lists(MIXED, min_size=1)))
def test_numbers_are_spelled_as_by_python(numbers: list[float]) -> None:
    """Every float has one spelling, that of repr, whatever stands beside it."""
    assert json.dumps(numbers) in dump({"seqgen": 1, "value": numbers, "nested": [[]]})


@pytest.mark.parametrize("exponent", range(-324, 309))
def test_every_power_of_ten_is_spelled_as_by_python(exponent: int) -> None:
    """Where an exponent begins, and how it is written, is Python's."""
    power = float(f"1e{exponent}")
    for number in (power, -power, 1.25 * power, math.nextafter(power, 0), math.nextafter(power, 1e308)):
        assert f"[{number!r}, 0.5]" in dump({"seqgen": 1, "value": [number, 0.5], "nested": [[]]})


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_row_with_a_number_that_is_not_finite_is_not_written(number: float) -> None:
    """One such number is enough."""
    with pytest.raises(ValueError, match="JSON"):
        dump({"seqgen": 1, "value": [[0.5, 1e-7], [0.5, number]]})


def test_letters_are_written_as_they_are() -> None:
    """A diff shows words, not escapes."""
    assert '"über → ≈"' in dump({"seqgen": 1, "entries": {"x": {"about": "über → ≈", "value": [[1]]}}})


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_not_written(number: float) -> None:
    """JSON has no NaN and no infinity."""
    with pytest.raises(ValueError, match="JSON"):
        dump({"seqgen": 1, "value": number})


REFUSED = {
    "NaN": '{"seqgen": 1, "x": NaN}',
    "Infinity": '{"seqgen": 1, "x": Infinity}',
    "minus Infinity": '{"seqgen": 1, "x": [-Infinity]}',
    "a number past the largest float": '{"seqgen": 1, "x": 1e999}',
    "a number past the smallest float": '{"seqgen": 1, "x": [[-1e999]]}',
    "a key given twice": '{"seqgen": 1, "x": 1, "x": 1}',
    "a key given twice further in": '{"seqgen": 1, "entries": {"h": {"role": "a", "role": "b"}}}',
    "the version given twice": '{"seqgen": 1, "seqgen": 1}',
    "a later version": '{"seqgen": 2}',
    "a version as a text": '{"seqgen": "1"}',
    "a version as a truth value": '{"seqgen": true}',
    "a version as a decimal": '{"seqgen": 1.0}',
    "no version": '{"entries": {}}',
    "a list": '[{"seqgen": 1}]',
    "a number": "1",
    "null": "null",
    "nothing": "",
    "spaces": " \n",
    "two ledgers": '{"seqgen": 1}{"seqgen": 1}',
    "text after it": '{"seqgen": 1} x',
    "a comma too many": '{"seqgen": 1,}',
    "a comment": '{"seqgen": 1 // one\n}',
    "a cut": '{"seqgen": 1, "entries": {"h[0]": {"val',
    "single quotes": "{'seqgen': 1}",
    "a control character": '{"seqgen": 1, "x": "a\nb"}',
    "a conflict": '{\n<<<<<<< ours\n "seqgen": 1\n=======\n "seqgen": 1\n>>>>>>> theirs\n}',
    "brackets without end": '{"seqgen": 1, "x": ' + "[" * 100_000,
    "mappings without end": '{"seqgen": 1, "x": ' + '{"x":' * 100_000,
    "a very long integer": '{"seqgen": 1, "x": ' + "9" * 5000 + "}",
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
def test_reading_refuses(text: str) -> None:
    """What is not a ledger of this version is said not to be one, and is never half read."""
    with pytest.raises(ValueError, match=r"\w"):
        parse(text)


@given(text=st.one_of(st.text(max_size=20), st.text('{}[]:,"\\eu1-. \n', max_size=30).map('{{"seqgen": 1, {}'.format)))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Whatever stands in a ledger's place, reading gives a ledger or says why not."""
    with suppress(ValueError):
        assert parse(text)["seqgen"] == 1
