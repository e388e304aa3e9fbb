"""The shipped JSON Schema: the one place that knows a spec's keys; editors use it, and so do we."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

from seqgen.errors import SeqgenError, Span, SpecError, nearest
from seqgen.spec.document import Mapping, Node, Scalar, Sequence, plain

KINDS = {
    "object": "a mapping (key: value)",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "null": "nothing",
}


def schema_text() -> str:
    """Return the schema as it ships."""
    return resources.files("seqgen.spec").joinpath("schema.json").read_text(encoding="utf-8")


@cache
def _validator() -> Any:
    from jsonschema import Draft7Validator

    return Draft7Validator(json.loads(schema_text()))


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
    where = ".".join(map(str, best.absolute_path)) or "the spec"
    if best.validator == "additionalProperties" and isinstance(node, Mapping):
        known = list(best.schema.get("properties", {}))
        for key in node.items:
            if key not in known:
                yield SpecError(
                    f"unknown key '{key}'",
                    code="unknown-key",
                    span=node.keys[key].span,
                    expected=f"one of {', '.join(known)}",
                    hint="quote a text that has a comma" if " " in key else nearest(key, known),
                )
        return
    yield SpecError(*_message(best, where), **_details(best, node))


def _message(problem: Any, where: str) -> tuple[str]:
    match problem.validator:
        case "required":
            missing = next(key for key in problem.validator_value if key not in problem.instance)
            return (f"{where} lacks the key '{missing}'",)
        case "type" | "anyOf" | "enum":
            return (f"'{where}' can't be this",)
        case "minProperties" | "minItems":
            return (f"'{where}' is empty",)
        case "maxProperties":
            return (f"'{where}' has several keys where one belongs",)
    return (f"'{where}' is out of range",)


def _details(problem: Any, node: Node) -> dict[str, Any]:
    span: Span = node.span
    got = node.text if isinstance(node, Scalar) else "a list" if isinstance(node, Sequence) else "a mapping"
    code = {"required": "missing-key", "type": "wrong-kind", "anyOf": "wrong-kind", "enum": "wrong-kind"}
    details: dict[str, Any] = {"code": code.get(problem.validator, "out-of-range"), "span": span}
    match problem.validator:
        case "type":
            kinds = problem.validator_value
            details["expected"] = " or ".join(KINDS[k] for k in ([kinds] if isinstance(kinds, str) else kinds))
            details["got"] = got
        case "enum":
            details["expected"] = f"one of {', '.join(problem.validator_value)}"
            details["got"] = got
            details["hint"] = nearest(got, problem.validator_value)
        case "anyOf":
            details["expected"] = "a number of decimals, {significant: n}, {scientific: n}, as-written or exact"
            details["got"] = got
        case "minimum" | "maximum" | "exclusiveMinimum":
            bound = {"minimum": "at least", "maximum": "at most", "exclusiveMinimum": "more than"}
            details["expected"] = f"{bound[problem.validator]} {problem.validator_value}"
            details["got"] = got
    return details


def _find(document: Node, path: Any) -> Node:
    node = document
    for part in path:
        assert not isinstance(node, Scalar)
        node = node.items[part]
    return node
