"""References: the one grammar of entry keys, table cells, citations and `seqgen show`.

    h[1]    A[1][0]    A[:, 0]    O1.S    grad(L, W_h)[0]    grad(L, W_h, via=R[1])    1 - h[1]**2

A reference is a base and a path of brackets into it. The base is a name (with the scope of the call that it lies in),
a gradient, or any other expression of the language. This module needs nothing but Python's own parser.
"""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

MAX_DEPTH = 50
_BRACKETS = re.compile(r"\[[^\]]*\]")
# Positions in one bracket behind a value; a list of rows, as in x[[2, 0]], stands in a bracket of its own.
_POSITIONS = re.compile(r"(?<=[\w)\]])\[(-?\d+(?:, -?\d+)+)\]")
MAX_LENGTH = 10_000
# Expressions that a bracket can follow without parentheses
_TIGHT = (ast.Call, ast.List, ast.ListComp, ast.Attribute, ast.Subscript, ast.Name)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A slice ``start:stop``; ``None`` where it runs from the first or to the last position."""

    start: int | None = None
    stop: int | None = None

    def __str__(self) -> str:
        if self.start is None and self.stop is None:
            return ":"
        return f"{self.start or 0}:{'' if self.stop is None else self.stop}"


# One part of a bracket: a position, a slice, a list of positions, or the text of a position such as ``t - 1``.
Part = int | Stretch | tuple[int, ...] | str
Bracket = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Name:
    """A name; ``scope`` is the name of the call that it lies in, such as ``O1`` or ``h[1].X``."""

    name: str
    scope: str = ""

    def __str__(self) -> str:
        return f"{self.scope}.{self.name}" if self.scope else self.name


@dataclass(frozen=True, slots=True)
class Gradient:
    """The gradient of ``of`` with respect to ``to``, or what use number ``use`` in ``via`` contributes to it."""

    of: Reference
    to: Reference
    via: Reference | None = None
    use: int = 1

    def __str__(self) -> str:
        via = f", via={self.via}" if self.via else ""
        return f"grad({self.of}, {self.to}{via}{f', use={self.use}' if self.use != 1 else ''})"


@dataclass(frozen=True, slots=True)
class Expression:
    """Any other expression; ``tight`` where a bracket can follow it without parentheses."""

    text: str
    tight: bool = False

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Reference:
    """What a reference refers to: a base, and brackets that lead into it."""

    base: Name | Gradient | Expression
    path: tuple[Bracket, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Reference:
        """Return the reference that ``text`` writes; what is neither a name nor a gradient is an expression."""
        return _parse(text)

    def write(self) -> str:
        """Return the canonical text: `parse` gives this reference for it."""
        loose = self.path and isinstance(self.base, Expression) and not self.base.tight
        return (f"({self.base})" if loose else str(self.base)) + "".join(map(write_bracket, self.path))

    def __str__(self) -> str:
        return self.write()

    def at(self, *positions: int) -> Reference:
        """Return the reference to a part of this: ``A`` at 1, 0 is ``A[1][0]``."""
        return replace(self, path=(*self.path, *((position,) for position in positions)))

    @property
    def gradient(self) -> Gradient | None:
        """The gradient that it is, as a whole; ``None`` for anything else, and for a part of one."""
        return self.base if isinstance(self.base, Gradient) and not self.path else None

    @property
    def name(self) -> str:
        """The name of the family or value that it is a member or a part of; empty for anything else."""
        return str(self.base) if isinstance(self.base, Name) else ""

    def words(self) -> list[str]:
        """Return the names that its own is made of, without positions: h, X and mu of ``h[1].X.mu``."""
        return _BRACKETS.sub("", self.name).split(".")

    def splits(self) -> Sequence[tuple[str, tuple[Bracket, ...]]]:
        """Return its text as keys with the path that is left, the longest key first: (A[1], [0]), (A, [1][0])."""
        count = len(self.path)
        return [(replace(self, path=self.path[:n]).write(), self.path[n:]) for n in range(count, -1, -1)]


def one_by_one(text: str) -> str:
    """Return an expression with ``A[1, 0]`` written as ``A[1][0]``, as references do."""
    return _POSITIONS.sub(lambda match: f"[{match[1].replace(', ', '][')}]", text)


def write_bracket(bracket: Bracket) -> str:
    """Return ``[1]``, ``[:, 0]``, ``[0:2]``, ``[[0, 2]]`` or ``[t - 1]``."""
    return f"[{', '.join(str(list(part)) if isinstance(part, tuple) else str(part) for part in bracket)}]"


@lru_cache(maxsize=16384)
def _parse(text: str) -> Reference:
    text = " ".join(text.split())
    if text.isidentifier():
        return Reference(Name(unicodedata.normalize("NFKC", text)))
    try:
        tree = ast.parse(text, mode="eval").body if len(text) <= MAX_LENGTH else None
        return _reference(tree, text, 0) if tree else Reference(Expression(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Reference(Expression(text))


def _reference(node: ast.expr, text: str, depth: int) -> Reference:
    brackets: list[Bracket] = []
    base = node
    while isinstance(base, ast.Subscript) and (bracket := _bracket(base.slice, text)) is not None:
        brackets.append(bracket)
        base = base.value
    found = _base(base, text, depth)
    if found is None:
        return Reference(_expression(node, text))
    return Reference(found, tuple(part for bracket in reversed(brackets) for part in _one_by_one(bracket)))


def _one_by_one(bracket: Bracket) -> Sequence[Bracket]:
    """Return ``[1, 0]`` as ``[1][0]``: positions alone may stand one after the other."""
    return [(part,) for part in bracket] if all(isinstance(part, int) for part in bracket) else [bracket]


def _base(node: ast.expr, text: str, depth: int) -> Name | Gradient | Expression | None:
    match node:
        case ast.Name(id=name):
            return Name(name)
        case ast.Attribute(value=value, attr=attribute) if attribute != "T" and (scope := _scope(value)):
            return Name(attribute, scope)
        case ast.Call(func=ast.Name(id="grad"), args=[of, to], keywords=keywords) if depth < MAX_DEPTH:
            return _gradient(of, to, {k.arg: k.value for k in keywords}, text, depth) or _expression(node, text)
        case _:
            return _expression(node, text)


def _expression(node: ast.expr, text: str) -> Expression:
    return Expression(_segment(node, text), isinstance(node, _TIGHT))


def _scope(node: ast.expr) -> str:
    """Return the scope that ``O1`` or ``h[1].X`` writes, empty where ``node`` is none."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attribute) if attribute != "T" and (scope := _scope(value)):
            return f"{scope}.{attribute}"
        case ast.Subscript(value=value, slice=place) if scope := _scope(value):
            bracket = _bracket(place, "")
            if bracket and all(isinstance(part, int) for part in bracket):
                return scope + "".join(map(write_bracket, _one_by_one(bracket)))
    return ""


def _gradient(
    of: ast.expr, to: ast.expr, keywords: dict[str | None, ast.expr], text: str, depth: int
) -> Gradient | None:
    via, use = keywords.get("via"), keywords.get("use")
    number = 1 if use is None else _integer(use)
    if keywords.keys() - {"via", "use"} or number is None or (use is not None and via is None):
        return None
    parts = [None if part is None else _reference(part, text, depth + 1) for part in (of, to, via)]
    assert parts[0] is not None
    assert parts[1] is not None
    return Gradient(parts[0], parts[1], parts[2], number)


def _bracket(node: ast.expr, text: str) -> Bracket | None:
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    found = [_part(part, text) for part in parts]
    return tuple(part for part in found if part is not None) if found and None not in found else None


def _part(node: ast.expr, text: str) -> Part | None:
    """Return a part of a bracket, ``None`` where only the language can read it."""
    number = _integer(node)
    if number is not None:
        return number
    if isinstance(node, ast.Slice):
        ends = [None if end is None else _integer(end) for end in (node.lower, node.upper)]
        if node.step is None and not any(
            end is None and part for end, part in zip(ends, (node.lower, node.upper), strict=True)
        ):
            return Stretch(ends[0] or None, ends[1])
        return None
    if isinstance(node, ast.List):
        rows = [_integer(item) for item in node.elts]
        return tuple(row for row in rows if row is not None) if rows and None not in rows else None
    is_place = isinstance(node, (ast.Name, ast.BinOp, ast.UnaryOp))
    return _segment(node, text) or None if is_place and text else None


def _segment(node: ast.expr, text: str) -> str:
    """Return the text of ``node``, written in the normal form of names that Python reads."""
    return ((text if text.isascii() else "") and ast.get_source_segment(text, node)) or ast.unparse(node)


def _integer(node: ast.expr) -> int | None:
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        sign, node = -1, node.operand
    return sign * node.value if isinstance(node, ast.Constant) and type(node.value) is int else None
