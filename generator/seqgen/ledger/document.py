"""The ledger's JSON: canonical, one row of a matrix a line, the same bytes everywhere."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

VERSION = 1
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def dump(value: Mapping[str, Any]) -> str:
    """Return canonical JSON with a final newline: one space a level, keys in the order given."""
    return "".join([*_lines(value, 0), "\n"])


def _lines(value: Any, depth: int) -> Iterator[str]:
    inner, outer = "\n" + " " * (depth + 1), "\n" + " " * depth
    if isinstance(value, list):
        kinds = _kinds(value)
        if kinds == {float}:
            yield _floats(value)
        elif _are_plain(kinds):
            yield _encode(value)
        else:
            for i, item in enumerate(value):
                yield ("[" if i == 0 else ",") + inner
                yield from _lines(item, depth + 1)
            yield outer + "]"
    elif isinstance(value, Mapping) and value and not _is_small(value):
        for i, (key, item) in enumerate(value.items()):
            yield ("{" if i == 0 else ",") + inner + _encode(key) + ": "
            yield from _lines(item, depth + 1)
        yield outer + "}"
    else:
        yield _encode(value)


def _kinds(items: Iterable[Any]) -> set[type]:
    """Return the types of ``items``; a ledger has a great many numbers, which are looked at together."""
    return set(map(type, items))


def _are_plain(kinds: Iterable[type]) -> bool:
    """Whether neither lists nor mappings are among the types."""
    return not any(issubclass(kind, (list, Mapping)) for kind in kinds)


def _is_small(value: Mapping[str, Any]) -> bool:
    """Whether a mapping stands on one line: it holds plain values only, and few."""
    return _are_plain(_kinds(value.values())) and len(_encode(value)) <= 110


def _floats(numbers: list[float]) -> str:
    """Return finite numbers as `_encode` writes them, by orjson, which finds the same digits many times as fast.

    It writes exponents in another way, and decimals where Python writes an exponent: those numbers are Python's.
    """
    text = orjson.dumps(numbers).decode()
    if "n" in text:  # null stands for what is not finite, which `_encode` refuses
        return _encode(numbers)
    if _may_differ(text):
        spelled = zip(numbers, text[1:-1].split(","), strict=True)
        return f"[{', '.join([repr(number) if _may_differ(its) else its for number, its in spelled])}]"
    return text.replace(",", ", ")


def _may_differ(text: str) -> bool:
    return "e" in text or "0.0000" in text


def parse(text: str) -> dict[str, Any]:
    """Return the ledger that ``text`` holds, read strictly.

    Raises:
        ValueError: where it is not JSON, has a key twice, or a number that is not finite.
    """

    def refuse(name: str) -> Any:
        raise ValueError(f"{name} is not JSON")

    def number(text: str) -> float:
        value = float(text)
        if not math.isfinite(value):
            raise ValueError(f"{text} is too large for a float64")
        return value

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(items)
        if len(result) != len(items):
            raise ValueError("a key is given twice")
        return result

    try:
        value: Any = json.loads(text, parse_constant=refuse, parse_float=number, object_pairs_hook=pairs)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    ledger: dict[str, Any] = value if isinstance(value, dict) else {}
    version = ledger.get("seqgen")
    if type(version) is not int or version != VERSION:
        raise ValueError(f"this is not a ledger of version {VERSION}")
    return ledger
