"""The shipped JSON Schema: the one place that knows a spec's keys; editors use it, and so do we."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from seqgen.errors import SeqgenError, SpecError, nearest
from seqgen.spec.document import Mapping, Node, Scalar, Sequence, plain
from seqgen.spec.numerals import numeral

KINDS = {
    "object": "a mapping (key: value)",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "null": "nothing",
}
NUMBER = re.compile(r"[-+]?[0-9]{1,9}\.?0*\Z")
DISPLAYS = "a number of decimals, {short: n}, {percent: n}, {significant: n}, {scientific: n}, as-written or exact"


def schema_text() -> str:
    """Return the schema as it ships."""
    return Path(__file__).with_name("schema.json").read_text(encoding="utf-8")


@cache
def _validator() -> Any:
    from jsonschema import Draft7Validator
    from jsonschema.validators import extend

    # JSON Schema takes 3.0 for an integer; a size or a count is written 3.
    whole = Draft7Validator.TYPE_CHECKER.redefine("integer", lambda _, x: type(x) is int)
    return extend(Draft7Validator, type_checker=whole)(_schema())  # type: ignore[no-untyped-call]


@cache
def _schema() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(schema_text())
    return schema


Keys = tuple[str | int, ...]


def violations(document: Node) -> Iterator[tuple[Keys, SeqgenError]]:
    """Yield what in ``document`` is not as the schema says, each with its path and at its place."""
    for problem in _validator().iter_errors(_without_values(document)):
        for error in _explain(problem, document):
            yield tuple(problem.absolute_path), error


def _without_values(document: Node) -> Any:
    """Return a document as plain values, but for the values of given arrays: the language reads those."""
    if not isinstance(document, Mapping):
        return plain(document)
    content = {key: plain(part) for key, part in document.items.items() if key != "given"}
    given = document.get("given")
    if isinstance(given, Mapping):
        content["given"] = {
            name: {k: None if k == "value" else plain(v) for k, v in body.items.items()}
            if isinstance(body, Mapping)
            else plain(body)
            for name, body in given.items.items()
        }
    elif given is not None:
        content["given"] = plain(given)
    return content


def _explain(problem: Any, document: Node) -> Iterator[SeqgenError]:
    best = problem
    while best.validator == "anyOf" and best.context:  # the alternative that got furthest speaks best
        deepest = max(best.context, key=lambda p: (len(p.absolute_path), p.validator not in ("type", "enum")))
        if len(deepest.absolute_path) == len(best.absolute_path) and deepest.validator in ("type", "enum"):
            break
        best = deepest
    node = _find(document, best.absolute_path)
    if best.validator == "additionalProperties" and isinstance(node, Mapping):
        known = list(best.schema.get("properties", {}))
        for key in node.items:
            if key not in known:
                yield SpecError(
                    f"unknown key '{key}'",
                    code="unknown-key",
                    span=node.keys[key].span,
                    expected=f"one of {', '.join(known)}",
                    hint=_misplaced(key, best) or nearest(key, known),
                )
    elif best.validator == "required":
        yield _missing(best, node)
    else:
        yield _unfit(best, node)


def _misplaced(key: str, problem: Any) -> str:
    """Return what to do with a key that belongs elsewhere."""
    if " " in key:
        return "quote a text that has a comma: 'x, y'"
    inside = len(problem.absolute_path) > (problem.validator != "additionalProperties")
    if inside and key in _schema()["properties"]:
        return f"'{key}' is a key of the spec: begin it in the first column"
    return ""


def _missing(problem: Any, node: Node) -> SeqgenError:
    key = next(key for key in problem.validator_value if key not in problem.instance)
    place = _name(problem.absolute_path)
    return SpecError(
        f"{place} lacks the key '{key}'" if place else f"the spec lacks the key '{key}'",
        code="missing-key",
        span=node.span,
        hint=_example(key, _resolved(problem.schema["properties"][key])),
    )


def _unfit(problem: Any, node: Node) -> SeqgenError:
    """Return what is wrong with a value that is there."""
    wanted, place, key = problem.validator_value, _name(problem.absolute_path), _last(problem.absolute_path)
    got = _got(node)
    bounds = {"minimum": "at least", "maximum": "at most", "exclusiveMinimum": "more than"}
    match problem.validator:
        case "type":
            kinds = " or ".join(KINDS[kind] for kind in ([wanted] if isinstance(wanted, str) else wanted))
            if got == "nothing" and "columns" in problem.absolute_path:
                key = "a heading that has a comma"
            if wanted == "string" and isinstance(node, Scalar):
                return SpecError(
                    f"'{place}' must be {kinds}", code="wrong-kind", span=node.span, hint=f"quote it: '{got}'"
                )
            hint = _whole(got, wanted) or _misplaced(key, problem) or _example(key, problem.schema)
            return SpecError(f"'{place}' must be {kinds}", code="wrong-kind", span=node.span, got=got, hint=hint)
        case "enum":
            options = ", ".join(wanted)
            hint = nearest(got, wanted)
            if len(wanted) == 1:
                return SpecError(f"'{place}' must be {options}", code="wrong-kind", span=node.span, got=got)
            return SpecError(
                f"'{place}' can't be '{got}'",
                code="wrong-kind",
                span=node.span,
                expected=f"one of {options}",
                hint=hint,
            )
        case "anyOf":
            hint = _whole(got, "integer")
            return SpecError(f"'{place}' must be {DISPLAYS}", code="wrong-kind", span=node.span, got=got, hint=hint)
        case "minProperties" | "minItems":
            hint = _example(key, problem.schema)
            return SpecError(f"'{place}' is empty", code="out-of-range", span=node.span, hint=hint)
        case "maxProperties":
            hint = "begin each check with '- '" if place.startswith("checks") else ""
            return SpecError(
                f"'{place}' has several keys where one belongs", code="out-of-range", span=node.span, hint=hint
            )
    return SpecError(
        f"'{place}' is out of range",
        code="out-of-range",
        span=node.span,
        expected=f"{bounds[problem.validator]} {wanted}",
        got=got,
    )


def _got(node: Node) -> str:
    if not isinstance(node, Scalar):
        return "a list" if isinstance(node, Sequence) else "a mapping"
    first, _, more = node.text.strip().partition("\n")
    return f"{first} …" if more else first or "nothing"


def _whole(got: str, wanted: Any) -> str:
    """Return how a whole number is written that has a point."""
    number = numeral(got) if wanted == "integer" and NUMBER.match(got) else None
    return "" if number is None or number.denominator != 1 else f"write {number}"


def _resolved(schema: Any) -> Any:
    reference = schema.get("$ref", "")
    return _schema()["definitions"][reference.rpartition("/")[2]] if reference else schema


def _example(key: str, schema: Any) -> str:
    """Return how a key is written, by the schema's own example."""
    examples = schema.get("examples")
    if not examples or not key:
        return ""
    text = examples[0]
    if isinstance(text, str) and "\n" in text:
        return f"write '{key}: |', and below it, indented, lines such as {text.strip()}"
    return f"such as {key}: {_flow(text)}"


def _flow(value: Any) -> str:
    """Return a value as YAML writes it in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return f"{value:g}".replace("e-0", "e-") if isinstance(value, float) else str(value)


def _name(path: Any) -> str:
    """Return the last two parts of a path, as messages name a place: ``given.x``, ``checks[0].equal``."""
    parts: list[str] = []
    for part in path:
        if isinstance(part, int) and parts:
            parts[-1] += f"[{part}]"
        else:
            parts.append(str(part))
    return ".".join(parts[-2:])


def _last(path: Any) -> str:
    return str(path[-1]) if path and isinstance(path[-1], str) else ""


def _find(document: Node, path: Any) -> Node:
    node = document
    for part in path:
        assert not isinstance(node, Scalar)
        node = node.items[part]
    return node


@cache
def check_kinds() -> dict[str, Any]:
    """Return the schema of each kind of check."""
    kinds: dict[str, Any] = _schema()["definitions"]["check"]["properties"]
    return kinds


def is_reference(schema: Any) -> bool:
    """Whether the schema of a value says that it is a reference or an expression."""
    return bool(schema.get("$ref") == "#/definitions/reference")
