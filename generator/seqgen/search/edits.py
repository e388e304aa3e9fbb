"""A spec's text with other given numbers; all else stays as it was written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import yaml


@dataclass(frozen=True, kw_only=True)
class Edit:
    """One number of a given array: its key, its place, and what stands there instead."""

    key: str
    place: tuple[int, ...]
    text: str

    @property
    def reference(self) -> str:
        """The number in the reference grammar."""
        return self.key + "".join(f"[{i}]" for i in self.place)


def short(number: Fraction) -> str:
    """Return a short decimal as one writes it: 2, 0.3, -1.25."""
    return format(float(number), "g")


def edited(text: str, edits: Sequence[Edit]) -> str:
    """Return a spec's text with single numbers replaced."""
    replacements = {}
    for edit in edits:
        node = _part(_given(text, edit.key), "value")[1]
        for i in edit.place:
            node = node.value[i]
        replacements[node.start_mark.index, node.end_mark.index] = edit.text
    return _replaced(text, replacements)


def filled(text: str, arrays: Mapping[str, Any]) -> str:
    """Return a spec's text with whole arrays of `Fraction` as values, in the place of their values or draws."""
    replacements = {}
    for key, array in arrays.items():
        body = _given(text, key)
        first, last = next(pair for pair in body.value if pair[0].value in ("value", "draw"))
        replacements[first.start_mark.index, last.end_mark.index] = f"value: {_written(array.tolist())}"
    return _replaced(text, replacements)


def keys(text: str, kind: str) -> list[str]:
    """Return the given arrays that a spec's own text gives by ``kind``: value or draw."""
    found = []
    for label, body in _part(yaml.compose(text, Loader=yaml.SafeLoader), "given", [])[1]:
        if isinstance(body, yaml.MappingNode) and any(key.value == kind for key, _ in body.value):
            found.append(str(label.value))
    return found


def _given(text: str, wanted: str) -> Any:
    rows = _part(yaml.compose(text, Loader=yaml.SafeLoader), "given")[1].value
    return next(body for label, body in rows if label.value == wanted)


def _part(mapping: Any, name: str, otherwise: Any = None) -> tuple[Any, Any]:
    for key, value in mapping.value:
        if key.value == name:
            return key, value.value if otherwise is not None else value
    return None, otherwise


def _written(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    return short(value)


def _replaced(text: str, replacements: Mapping[tuple[int, int], str]) -> str:
    for (start, end), new in sorted(replacements.items(), reverse=True):
        text = text[:start] + new + text[end:]
    return text
