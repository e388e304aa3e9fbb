"""The rows of a table: a position and its range, ``t = 0..T-1``, upwards or downwards."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from seqgen.errors import SpecError
from seqgen.language.bindings import Graph
from seqgen.language.scope import WORDS, Scope
from seqgen.language.syntax import parse_expression
from seqgen.spec.document import Scalar
from seqgen.spec.names import checked_name

ROWS = re.compile(r"\s*(?P<name>[^\s=]+)\s*=\s*(?P<first>.+?)\s*\.\.\s*(?P<last>.+?)\s*\Z")
MAX_ROWS = 10_000
LONGEST = 200


def row_positions(rows: Scalar | None, graph: Graph) -> list[Mapping[str, Fraction]]:
    """Return the position of each row; one row without a position where ``rows`` is not given.

    Raises:
        SpecError: where the range can't be read, or its bounds are not known.
    """
    if rows is None:
        return [{}]
    match = ROWS.match(rows.text) if len(rows.text) <= LONGEST else None
    if not match:
        raise SpecError(
            "rows can't be read",
            code="rows",
            span=rows.span,
            expected="a position and its range, both ends included, such as t = 0..T-1 or t = T-1..0",
            got=rows.text,
            hint=_as_range(rows.text),
        )
    name = checked_name(match["name"], rows.span)
    if name in graph.bindings or name in graph.dims or name in WORDS:
        raise SpecError(
            f"'{name}' is already a name",
            code="set-twice",
            span=rows.locate(1, match.start("name"), len(match["name"])),
            hint="use another name for the position",
        )
    first, last = (_bound(rows, match, side, graph) for side in ("first", "last"))
    if abs(last - first) >= MAX_ROWS:
        raise SpecError(
            "a table of so many rows", code="too-large", span=rows.span, expected=f"at most {MAX_ROWS:,} rows"
        )
    values = range(first, last + 1) if first <= last else range(first, last - 1, -1)
    return [{name: Fraction(value)} for value in values]


def _as_range(text: str) -> str:
    """Return how ``t in range(2)`` is written here."""
    if len(text) > LONGEST:
        return ""
    match = re.fullmatch(r"\s*(?:for\s+)?(\w+)\s+in\s+range\(\s*(?:(\w+)\s*,)?\s*(\w+)\s*\)\s*", text)
    if not match:
        return ""
    last = str(int(match[3]) - 1) if match[3].isdecimal() else f"{match[3]}-1"
    return f"write {match[1]} = {match[2] or 0}..{last}"


def _bound(rows: Scalar, match: re.Match[str], side: str, graph: Graph) -> int:
    span = rows.locate(1, match.start(side), match.end(side) - match.start(side))
    text = parse_expression(Scalar(text=match[side], span=span))
    return Scope(graph=graph, text=text, names=graph.bindings).integer(text.expression, "a bound of rows")
