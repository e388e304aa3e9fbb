"""Validation against the schema of specs: jsonschema, which knows all of JSON Schema, finds the same."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqgen.errors import Source
from seqgen.spec.document import parse, plain
from seqgen.spec.schema import schema_text
from seqgen.spec.validation import KINDS, Validator

ROOT = Path(__file__).parent.parent
SCHEMA = json.loads(schema_text())
SPECS = [
    plain(parse(Source(name=path.stem, text=path.read_text()))) for path in sorted((ROOT / "specs").rglob("*.yaml"))
]
# Keywords for those who read or edit; they ask nothing of a value.
DESCRIPTIONS = {"$schema", "$id", "$ref", "title", "description", "examples", "definitions"}
KEYWORDS = {
    *("type", "enum", "anyOf", "required", "properties", "additionalProperties", "propertyNames", "items", "minItems"),
    *("minProperties", "maxProperties", "minimum", "maximum", "exclusiveMinimum"),
}
WHOLE = jsonschema.Draft7Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
ORACLE = jsonschema.validators.extend(jsonschema.Draft7Validator, type_checker=WHOLE)

keys = st.sampled_from(
    [*SCHEMA["properties"], "value", "shape", "role", "cell", "decimals", "equal", "of", "by", "new"]
)
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 1001), st.floats(-1, 2), st.sampled_from(["", "x", "exact", "adam"])
)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3))


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return all places below a value: what holds each, and its key or position there."""
    steps = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [place for step in steps for place in ((value, step), *places(value[step]))]


@st.composite
def edited(draw: st.DrawFn) -> Any:
    """Draw a spec with a few places changed, emptied, or given one more key."""
    spec = copy.deepcopy(draw(st.sampled_from(SPECS)))
    for _ in range(draw(st.integers(1, 3))):
        holder, step = draw(st.sampled_from(places(spec) or [({}, "")]))
        how = draw(st.sampled_from(["set", "drop", "add"]))
        if how == "drop" and step in holder:
            del holder[step]
        elif how == "add" and isinstance(holder, dict):
            holder[draw(keys)] = draw(values)
        else:
            holder[step] = draw(values)
    return spec


def told(problem: Any) -> tuple[Any, ...]:
    """Return what a violation says, in plain values: ours, or an error of jsonschema's."""
    if isinstance(problem, jsonschema.ValidationError):
        path, keyword, schema = tuple(problem.absolute_path), problem.validator, problem.schema
    else:
        path, keyword, schema = problem.path, problem.keyword, problem.schema
    return path, keyword, json.dumps(schema), all_told(problem.context)


def all_told(problems: Iterable[Any]) -> list[Any]:
    """Return what violations say, each once: jsonschema tells of keys in any order, of missing ones one by one."""
    return sorted({repr(told(one)) for one in problems})


@given(spec=st.one_of(edited(), values))
def test_what_is_found_is_what_jsonschema_finds(spec: Any) -> None:
    """The same keywords at the same places, with the same alternatives."""
    assert all_told(Validator(SCHEMA).violations(spec)) == all_told(ORACLE(SCHEMA).iter_errors(spec))


@pytest.mark.parametrize(
    "schema",
    [
        *({"type": kind} for kind in KINDS),
        {"type": ["string", "integer"]},
        {"enum": ["a", "exact"]},
        *({keyword: bound} for keyword in ("minimum", "maximum", "exclusiveMinimum") for bound in (0, 1, 40)),
        *({keyword: size} for keyword in ("minItems", "minProperties", "maxProperties") for size in (1, 2)),
        {"required": ["a", "b"]},
        {"properties": {"a": {"type": "null"}}, "additionalProperties": False},
        {"properties": {"a": {"type": "null"}}, "additionalProperties": {"type": "integer"}},
        {"propertyNames": {"enum": ["a"]}},
        {"items": {"minimum": 1}},
        {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "array"}]},
    ],
    ids=json.dumps,
)
def test_each_keyword_means_what_it_means_to_jsonschema(schema: dict[str, Any]) -> None:
    """At every bound, and for values that it does not concern."""
    scalars = [None, True, False, -1, 0, 1, 2, 39, 40, 41, 0.0, 1.0, 40.5, "", "a", "exact"]
    arrays = [[], [0], [1, 2], [None, "a", 3]]
    for value in [*scalars, *arrays, {}, {"a": None}, {"a": 1, "b": 2}, {"b": "x"}, {"a": 1, "b": 2, "c": 3}]:
        assert all_told(Validator(schema).violations(value)) == all_told(ORACLE(schema).iter_errors(value)), value


def test_the_shipped_specs_are_valid() -> None:
    """So that what the edits above are told of comes from the edits."""
    assert [problem for spec in SPECS for problem in Validator(SCHEMA).violations(spec)] == []


def schemas(part: Any) -> list[dict[str, Any]]:
    """Return the schemas within one."""
    inner = [*part.get("properties", {}).values(), *part.get("definitions", {}).values(), *part.get("anyOf", [])]
    inner += [
        part[key] for key in ("items", "additionalProperties", "propertyNames") if isinstance(part.get(key), dict)
    ]
    return [part, *(schema for one in inner for schema in schemas(one))]


def test_the_schema_is_written_in_the_part_that_is_understood() -> None:
    """A keyword that validation passes over, or a kind that it does not know, would let mistakes through."""
    for schema in schemas(SCHEMA):
        assert schema.keys() <= KEYWORDS | DESCRIPTIONS
        kinds = schema.get("type", [])
        assert set([kinds] if isinstance(kinds, str) else kinds) <= KINDS.keys()
        assert schema.get("additionalProperties", {}) is not True
        assert "$ref" not in schema or len(schema) == 1


@pytest.mark.parametrize("value", [True, 3.0, "3"])
def test_a_whole_number_is_written_as_one(value: Any) -> None:
    """3.0 is a whole number to JSON Schema; a size or a count is written 3."""
    found = [p.keyword for p in Validator(SCHEMA).violations({"title": "t", "dims": {"T": value}})]
    assert found == ["type"]
