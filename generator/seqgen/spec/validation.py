"""Values against a schema: the part of JSON Schema (draft 7) that the schema of specs is written in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

Schema = dict[str, Any]
Keys = tuple[str | int, ...]

KINDS: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: type(value) is int,  # JSON Schema takes 3.0 for one; a size or a count is written 3
    "number": lambda value: type(value) in (int, float),
    "null": lambda value: value is None,
}


@dataclass(frozen=True, kw_only=True)
class Violation:
    """A keyword of ``schema`` that ``value``, which stands at ``path``, is at odds with.

    ``context`` has the violations of all alternatives, where the keyword gives some.
    """

    keyword: str
    schema: Schema
    value: Any
    path: Keys
    context: tuple[Violation, ...] = ()

    @property
    def wanted(self) -> Any:
        """What the keyword asks for."""
        return self.schema[self.keyword]


class Validator:
    """Tells what in a value is not as ``root`` says; a reference leads to a definition there."""

    def __init__(self, root: Schema) -> None:
        self._root = root

    def resolved(self, schema: Schema) -> Schema:
        """Return the schema that ``schema`` stands for: itself, or the definition that it refers to."""
        definitions: dict[str, Schema] = self._root.get("definitions", {})
        return definitions[schema["$ref"].removeprefix("#/definitions/")] if "$ref" in schema else schema

    def violations(self, value: Any, schema: Schema | None = None, path: Keys = ()) -> Iterator[Violation]:
        """Yield what in ``value`` is not as ``schema``, by default the root, says."""
        schema = self._root if schema is None else self.resolved(schema)
        for keyword, wanted in schema.items():
            tried = [tuple(self.violations(value, one, path)) for one in wanted] if keyword == "anyOf" else []
            if not _holds(keyword, value, schema) or (tried and all(tried)):
                yield Violation(keyword=keyword, schema=schema, value=value, path=path, context=tuple(chain(*tried)))
            for keys, part, its_schema in _parts(keyword, value, schema):
                yield from self.violations(part, its_schema, (*path, *keys))


def _holds(keyword: str, value: Any, schema: Schema) -> bool:
    """Whether ``value`` as a whole is as a keyword asks; what a keyword does not concern, is."""
    wanted, is_number, holds = schema[keyword], KINDS["number"](value), True
    match keyword, value:
        case "type", _:
            holds = any(KINDS[kind](value) for kind in ([wanted] if isinstance(wanted, str) else wanted))
        case "enum", _:
            holds = value in wanted
        case "required", dict():
            holds = value.keys() >= set(wanted)
        case "additionalProperties", dict() if wanted is False:
            holds = value.keys() <= schema.get("properties", {}).keys()
        case ("minProperties", dict()) | ("minItems", list()):
            holds = len(value) >= wanted
        case "maxProperties", dict():
            holds = len(value) <= wanted
        case "minimum", _ if is_number:
            holds = value >= wanted
        case "maximum", _ if is_number:
            holds = value <= wanted
        case "exclusiveMinimum", _ if is_number:
            holds = value > wanted
    return holds


def _parts(keyword: str, value: Any, schema: Schema) -> Iterator[tuple[Keys, Any, Schema]]:
    """Yield the parts of ``value`` that a keyword has a schema for: the way to each, the part, and that schema."""
    wanted = schema[keyword]
    match keyword, value:
        case "properties", dict():
            yield from (((key,), value[key], its_schema) for key, its_schema in wanted.items() if key in value)
        case "additionalProperties", dict() if wanted is not False:
            others = value.keys() - schema.get("properties", {}).keys()
            yield from (((key,), part, wanted) for key, part in value.items() if key in others)
        case "propertyNames", dict():
            yield from (((), key, wanted) for key in value)
        case "items", list():
            yield from (((i,), part, wanted) for i, part in enumerate(value))
