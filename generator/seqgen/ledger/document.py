"""The ledger's JSON: canonical, one row of a matrix a line, the same bytes everywhere."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

VERSION = 1
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def dump(value: Mapping[str, Any]) -> str:
    """Return canonical JSON with a final newline: one space a level, keys in the order given."""
    return "".join(_lines(value, 0)) + "\n"


def _lines(value: Any, depth: int) -> Iterator[str]:
    inner, outer = "\n" + " " * (depth + 1), "\n" + " " * depth
    if isinstance(value, Mapping) and value and not _is_small(value):
        for i, (key, item) in enumerate(value.items()):
            yield ("{" if i == 0 else ",") + inner + _encode(key) + ": "
            yield from _lines(item, depth + 1)
        yield outer + "}"
    elif isinstance(value, list) and not _is_plain(value):
        for i, item in enumerate(value):
            yield ("[" if i == 0 else ",") + inner
            yield from _lines(item, depth + 1)
        yield outer + "]"
    else:
        yield _encode(value)


def _is_plain(items: Iterable[Any]) -> bool:
    """Whether ``items`` hold neither lists nor mappings; asked by type, as a ledger has a great many numbers."""
    return not any(issubclass(kind, (list, Mapping)) for kind in set(map(type, items)))


def _is_small(value: Mapping[str, Any]) -> bool:
    """Whether a mapping stands on one line: it holds plain values only, and few."""
    return _is_plain(value.values()) and len(_encode(value)) <= 110


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
