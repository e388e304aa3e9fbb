"""What a ledger of version 1 holds, key by key: a file that does not is none, whoever wrote it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from seqgen.ledger.document import parse

# Raises ValueError where a value, at a place that messages name, is not of its kind
Kind = Callable[[Any, str], None]


def read_ledger(text: str) -> dict[str, Any]:
    """Return the ledger that ``text`` holds, once all of it is of the kind that the contract says.

    Raises:
        ValueError: where it is not JSON, or not a ledger.
    """
    ledger = parse(text)
    LEDGER(ledger, "the ledger")
    return ledger


def _of(what: str, holds: Callable[[Any], bool]) -> Kind:
    def kind(value: Any, place: str) -> None:
        if not holds(value):
            raise ValueError(f"{place} must be {what}")

    return kind


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) or value in ("inf", "-inf")


TEXT = _of("a text", lambda value: type(value) is str)
FORM = _of("a text, or null", lambda value: value is None or type(value) is str)
COUNT = _of("a whole number", lambda value: type(value) is int and value >= 0)
TRUTH = _of("true or false", lambda value: type(value) is bool)
NUMBER = _of("a number", _is_number)
PLACE = _of("a text or a whole number", lambda value: type(value) in (str, int))
MAPPING = _of("an object", lambda value: type(value) is dict)
LIST = _of("a list", lambda value: type(value) is list)


def _each(kind: Kind) -> Kind:
    """Return the kind of objects whose values are of ``kind``, whatever their keys."""

    def check(value: Any, place: str) -> None:
        MAPPING(value, place)
        for key, item in value.items():
            kind(item, f"'{key}' of {place}")

    return check


def _all(kind: Kind) -> Kind:
    """Return the kind of lists whose items are of ``kind``."""

    def check(value: Any, place: str) -> None:
        LIST(value, place)
        for item in value:
            kind(item, f"an item of {place}")

    return check


def _record(required: Mapping[str, Kind], optional: Mapping[str, Kind] | None = None) -> Kind:
    """Return the kind of objects with these keys; others may be added in this version."""

    def check(value: Any, place: str) -> None:
        MAPPING(value, place)
        for key, kind in required.items():
            if key not in value:
                raise ValueError(f"{place} has no '{key}'")
            kind(value[key], f"'{key}' of {place}")
        for key, kind in (optional or {}).items():
            if key in value:
                kind(value[key], f"'{key}' of {place}")

    return check


def _array(value: Any, shape: list[int], kind: Kind, place: str) -> None:
    """Make sure that nested lists have a shape, and elements of ``kind``."""
    if not shape:
        kind(value, place)
        return
    LIST(value, place)
    if len(value) != shape[0]:
        raise ValueError(f"{place} does not have the shape that stands beside it")
    for item in value:
        _array(item, shape[1:], kind, place)


def _entry(record: Kind) -> Kind:
    def check(value: Any, place: str) -> None:
        record(value, place)
        for key, kind in (("value", NUMBER), ("shown", TEXT), ("exact", FORM)):
            if key in value:
                _array(value[key], value["shape"], kind, f"'{key}' of {place}")
        for via, part in value.get("via", {}).items():
            _array(part, value["shape"], NUMBER, f"'{via}' of {place}")

    return check


def _anything(value: Any, place: str) -> None:
    """Leave to `_entry` what depends on the shape."""


def _citation(value: Any, place: str) -> None:
    _each(PLACE)(value, place)
    _record({"reference": TEXT}, {"heading": TEXT})(value, place)


VALUES = {"shape": _all(COUNT), "value": _anything, "shown": _anything, "proven": TRUTH}
SOURCE = _record({"spec": TEXT, "sha256": TEXT})
LEDGER = _record(
    {
        "spec": TEXT,
        "title": TEXT,
        "source": _record({"spec": TEXT}, {"extends": _all(SOURCE), "uses": _all(SOURCE)}),
        "dims": _each(COUNT),
        "parameters": _each(COUNT),
        "entries": _each(
            _entry(_record({"role": TEXT, "formula": TEXT, "about": TEXT, **VALUES}, {"via": _each(_anything)}))
        ),
        "checks": _all(MAPPING),
    },
    {
        "notation": _each(TEXT),
        "derived": _each(_entry(_record(VALUES))),
        "cited": _all(_citation),
    },
)
