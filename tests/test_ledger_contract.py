"""A file is a ledger only where all of it is of the kinds that docs/ledger.md states."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from seqgen.build.artifacts import make
from seqgen.ledger.contract import read_ledger, schema_text

LEDGERS = Path(__file__).parent.parent / "ledgers"
ENTRY = {
    "role": "gradient", "formula": "", "about": "", "shape": [2], "value": [1.0, "-inf"], "exact": ["1", None],
    "shown": ["1", "-inf"], "relation": "=", "proven": True, "via": {"y": [1, 0.5]},
}  # fmt: skip
LEDGER: dict[str, Any] = {
    "seqgen": 1,
    "spec": "a",
    "title": "A",
    "source": {"spec": "sha256:0", "extends": [{"spec": "b", "sha256": "0"}], "uses": []},
    "dims": {"T": 2},
    "parameters": {"total": 0},
    "notation": {},
    "labels": {"tokens": ["the", "cat"]},
    "entries": {"g": ENTRY},
    "derived": {"1 - g": {"shape": [], "value": 0.0, "shown": "0", "proven": True}},
    "cited": [{"reference": "g", "heading": "$g$", "t": 0, "tables": ["a"]}],
    "checks": [],
}


@pytest.mark.parametrize("path", sorted(LEDGERS.rglob("*.json")), ids=lambda p: p.relative_to(LEDGERS).as_posix())
def test_a_shipped_ledger_is_one(path: Path) -> None:
    """What a build writes is of the contract."""
    assert read_ledger(path.read_text(encoding="utf-8"))["spec"] == path.relative_to(LEDGERS).with_suffix("").as_posix()


def test_an_example_is_a_ledger() -> None:
    """So that each change below is what makes it none."""
    assert read_ledger(json.dumps(LEDGER)) == LEDGER


WRONG = [
    (("title",), 7, "'title' of the ledger must be a text"),
    (("source",), [], "'source' of the ledger must be an object"),
    (("source", "extends", 0, "sha256"), None, "'sha256' of an item of 'extends' of 'source' of the ledger must be a text"),
    (("dims", "T"), -1, "'T' of 'dims' of the ledger must be a whole number"),
    (("dims", "T"), True, "'T' of 'dims' of the ledger must be a whole number"),
    (("entries",), [], "'entries' of the ledger must be an object"),
    (("entries", "g"), 5, "'g' of 'entries' of the ledger must be an object"),
    (("entries", "g", "shape"), [2, 2], "'value' of 'g' of 'entries' of the ledger must be a list"),
    (("entries", "g", "shape"), [3], "'value' of 'g' of 'entries' of the ledger does not have the shape that stands beside it"),
    (("entries", "g", "value"), 1.0, "must be a list"),
    (("entries", "g", "value", 0), "1", "must be a number"),
    (("entries", "g", "shown", 0), 1, "must be a text"),
    (("entries", "g", "exact", 0), 1, "must be a text, or null"),
    (("entries", "g", "proven"), 1, "must be true or false"),
    (("entries", "g", "via", "y"), [1], "'y' of 'g' of 'entries' of the ledger does not have the shape"),
    (("derived", "1 - g", "value"), None, "must be a number"),
    (("labels",), {"words": [1]}, "an item of 'words' of 'labels' of the ledger must be a text"),
    (("entries", "g", "relation"), ["="], "'relation' of 'g' of 'entries' of the ledger does not have the shape"),
    (("entries", "g", "relation"), "<", "'relation' of 'g' of 'entries' of the ledger must be a list"),
    (("cited", 0, "tables"), "t", "'tables' of an item of 'cited' of the ledger must be a list"),
    (("cited", 0, "t"), 0.5, "must be a text or a whole number"),
    (("cited", 0, "reference"), 1, "must be a text"),
    (("checks",), {}, "must be a list"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("place", "value", "message"), WRONG, ids=lambda x: ".".join(map(str, x)) if isinstance(x, tuple) else ""
)
def test_a_value_of_another_kind_is_refused(place: tuple[str | int, ...], value: Any, message: str) -> None:
    """The message says where it is and what it must be."""
    ledger: Any = deepcopy(LEDGER)
    part = ledger
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    with pytest.raises(ValueError, match=r".") as caught:
        read_ledger(json.dumps(ledger))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "key", [key for key in LEDGER if key not in ("seqgen", "notation", "labels", "derived", "cited")]
)
def test_a_ledger_without_a_key_of_the_contract_is_refused(key: str) -> None:
    """Keys that were added since may be absent."""
    ledger = {name: value for name, value in LEDGER.items() if name != key}
    with pytest.raises(ValueError, match=f"the ledger has no '{key}'"):
        read_ledger(json.dumps(ledger))


# The keys that say how values are printed, and where

SPEC = """\
title: t
given:
  words: {role: label, value: [the, cat]}
  a: {shape: [2], value: [0.5, 1/3]}
  b: {shape: [2], value: [1, 2]}
  c: {shape: [2], value: [1/3, 2/3]}
steps: "s = a + b"
tables:
  first: {rows: i = 0..1, columns: {$a$: "a[i]"}}
  second: {rows: i = 0..1, columns: {$a$: "a[i]", $e$: "1 - a[i]"}}
worked: {w: ["s"]}
"""


@pytest.fixture(scope="module")
def ledger(project: Any) -> dict[str, Any]:
    """Return the ledger of a spec with words, tables, and values that four decimals hold and do not hold."""
    made = project(SPEC)
    return read_ledger(make(made, "example").files["ledgers/example.json"])


@pytest.mark.parametrize(("key", "relation"), [("a", ["=", "≈"]), ("b", "="), ("c", "≈"), ("s", ["=", "≈"])])
def test_a_value_has_the_relation_to_its_digits(ledger: dict[str, Any], key: str, relation: Any) -> None:
    """One half is 0.5000, one third is not 0.3333; one sign stands for all elements where they agree."""
    assert ledger["entries"][key]["relation"] == relation


def test_a_derived_value_has_a_relation_too(ledger: dict[str, Any]) -> None:
    """1 - 1/2 is 0.5000, 1 - 1/3 is not 0.6667."""
    assert [entry["relation"] for entry in ledger["derived"].values()] == ["=", "≈"]


def test_words_are_in_the_ledger(ledger: dict[str, Any]) -> None:
    """By the name of their list."""
    assert ledger["labels"] == {"words": ["the", "cat"]}


def test_a_cited_row_names_the_tables_that_print_it(ledger: dict[str, Any]) -> None:
    """All that do, in the spec's order."""
    tables = {(row["reference"], row.get("i")): row["tables"] for row in ledger["cited"]}
    assert tables[("a[0]", 0)] == ["first", "second"]
    assert tables[("1 - a[1]", 1)] == ["second"]


@pytest.mark.parametrize("name", ["week06/attention", "week06/final-state-loss"])
def test_a_shipped_ledger_is_valid_by_the_schema_alone(name: str) -> None:
    """Any validator accepts it, arrays included."""
    schema = json.loads(schema_text())
    Draft7Validator.check_schema(schema)
    Draft7Validator(schema).validate(json.loads((LEDGERS / f"{name}.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("key", "value"),
    [("value", ["x", 1]), ("shown", [1, "2"]), ("exact", [1, None]), ("relation", "<"), ("via", {"y": ["z"]})],
)
def test_the_schema_alone_refuses_elements_of_another_kind(key: str, value: Any) -> None:
    """A program that reads ledgers needs no more than the schema for this."""
    ledger = deepcopy(LEDGER)
    ledger["entries"]["g"][key] = value
    assert not Draft7Validator(json.loads(schema_text())).is_valid(ledger)
