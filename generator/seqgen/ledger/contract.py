"""What a ledger of version 1 holds: its structure by the shipped JSON Schema, the shapes of its arrays here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from seqgen.ledger.document import parse

KINDS = {
    "string": "a text",
    "integer": "a whole number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
}
# The arrays of an entry, with what their elements are; the schema is given an element in their place, for speed.
ELEMENTS: Mapping[str, tuple[str, Any]] = {
    "value": ("a number", 0),
    "shown": ("a text", ""),
    "exact": ("a text, or null", None),
    "relation": ("= or ≈", "="),
}


def schema_text() -> str:
    """Return the schema as it ships."""
    return Path(__file__).with_name("schema.json").read_text(encoding="utf-8")


def read_ledger(text: str) -> dict[str, Any]:
    """Return the ledger that ``text`` holds, once all of it is as the contract says.

    Raises:
        ValueError: where it is not JSON, or not a ledger.
    """
    ledger = parse(text)
    for problem in _validator().iter_errors(_structure(ledger)):
        raise ValueError(_message(problem))
    for part in ("entries", "derived"):
        for key, entry in ledger.get(part, {}).items():
            _check_arrays(entry, f"'{key}' of '{part}' of the ledger")
    return ledger


@cache
def _validator() -> Any:
    from jsonschema import Draft7Validator
    from jsonschema.validators import extend

    # JSON Schema takes 3.0 for an integer; a size or a count is written 3.
    whole = Draft7Validator.TYPE_CHECKER.redefine("integer", lambda _, x: type(x) is int)
    return extend(Draft7Validator, type_checker=whole)(json.loads(schema_text()))  # type: ignore[no-untyped-call]


def _structure(ledger: Mapping[str, Any]) -> dict[str, Any]:
    """Return a ledger with single elements in the place of arrays, and one item of each form: the schema is slow."""
    bare: dict[str, Any] = dict(ledger)
    for part in ("entries", "derived"):
        if isinstance(bare.get(part), dict):
            found = {key: _bare(entry) for key, entry in bare[part].items()}
            bare[part] = {key: found[key] for key in {_form(entry): key for key, entry in found.items()}.values()}
    if isinstance(bare.get("cited"), list):
        bare["cited"] = list({_form(row): row for row in bare["cited"]}.values())
    return bare


def _bare(entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    found = {key: ELEMENTS[key][1] if key in ELEMENTS else value for key, value in entry.items()}
    if isinstance(entry.get("via"), dict):
        found["via"] = {}
    return found


def _form(item: Any) -> Any:
    """Return what two items have in common that the schema can't tell apart: keys, and types or whole values."""
    if not isinstance(item, dict):
        return repr(item)
    return tuple((key, repr(value) if isinstance(value, (list, dict)) else type(value)) for key, value in item.items())


def _message(problem: Any) -> str:
    """Return what is wrong and where, the innermost part first."""
    names = [f"'{part}'" if isinstance(part, str) else "an item" for part in reversed(problem.absolute_path)]
    place = " of ".join([*names, "the ledger"])
    if problem.validator == "required":
        missing = next(key for key in problem.validator_value if key not in problem.instance)
        return f"{place} has no '{missing}'"
    wanted = problem.schema.get("type", ())
    kinds = [KINDS[kind] for kind in ([wanted] if isinstance(wanted, str) else wanted)]
    return f"{place} must be {' or '.join(kinds)}"


def _check_arrays(entry: Mapping[str, Any], place: str) -> None:
    shape = entry["shape"]
    for key in ELEMENTS:
        # One relation may stand for all elements.
        if key in entry and not (key == "relation" and entry[key] in ("=", "≈")):
            _check_array(entry[key], shape, key, f"'{key}' of {place}")
    for via, part in entry.get("via", {}).items():
        _check_array(part, shape, "value", f"'{via}' of {place}")


def _check_array(value: Any, shape: list[int], key: str, place: str) -> None:
    """Make sure that nested lists have a shape, and elements as those of ``key``.

    Raises:
        ValueError: where they do not.
    """
    for item in _elements(value, shape, place):
        if not _is_element(item, key):
            raise ValueError(f"{place} must be {ELEMENTS[key][0]}")


def _elements(value: Any, shape: list[int], place: str) -> Iterator[Any]:
    if not shape:
        yield value
        return
    if type(value) is not list:
        raise ValueError(f"{place} must be a list")
    if len(value) != shape[0]:
        raise ValueError(f"{place} does not have the shape that stands beside it")
    for item in value:
        yield from _elements(item, shape[1:], place)


def _is_element(item: Any, key: str) -> bool:
    match key:
        case "value":
            return type(item) in (int, float) or item in ("inf", "-inf")
        case "relation":
            return item in ("=", "≈")
        case _:
            return type(item) is str or (item is None and key == "exact")
