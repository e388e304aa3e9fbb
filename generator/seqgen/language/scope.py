"""The names in force at a place, and numbers that are known without computing: dims and positions."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NoReturn

from seqgen.errors import SpecError, nearest
from seqgen.graph.node import CONSTANTS, Node, ShapeClash
from seqgen.graph.shapes import show
from seqgen.language.bindings import Binding, Graph, Poisoned, Silenced, key_of
from seqgen.language.idioms import FUNCTIONS, PREFIXES
from seqgen.language.syntax import Text
from seqgen.spec.numerals import LIMITS, TooLong, numeral

WORDS = (*CONSTANTS, "parameters")
MAX_STATIC = 10**9
# So many names are listed where none is near an unknown one.
SHOWN = 8
MAX_STATIC_BITS = 4096

ARITHMETIC: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: lambda x, y: Fraction(x // y),
    ast.Mod: operator.mod,
}
COMPARISONS: dict[type[ast.cmpop], Callable[[Fraction, Fraction], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


@dataclass(frozen=True, kw_only=True)
class Scope:
    """Where an expression stands: its text, the names it sees, and the positions in force.

    ``prefix`` is the call's name (``O1.``); ``names`` are the call's own names, or the graph's.
    """

    graph: Graph
    text: Text
    names: dict[str, Binding]
    indices: Mapping[str, Fraction] = field(default_factory=dict)
    prefix: str = ""
    depth: int = 0

    def at(self, **indices: Fraction) -> Scope:
        """Return this scope with further positions set."""
        return replace(self, indices={**self.indices, **indices})

    def fail(
        self, node: ast.AST, message: str, code: str, *, hint: str = "", expected: str = "", got: str = ""
    ) -> NoReturn:
        """Raise the one error of the language, at ``node``."""
        raise SpecError(message, code=code, span=self.text.span(node), hint=hint, expected=expected, got=got)

    def clash(self, node: ast.AST, problem: ShapeClash, *parts: tuple[str, Node]) -> NoReturn:
        """Raise what does not fit at ``node``, naming each side and the place where it comes from."""
        related = []
        for written, value in parts:
            size = f"has shape {show(value.shape)}" if value.shape else "is a scalar"
            key = self.graph.names.get(value)
            entry = self.graph.entries.get(key) if key else None
            related.append((entry.span if entry else None, f"{written} {size}"))
        raise SpecError(str(problem), code="shape", span=self.text.span(node), related=related, hint=problem.hint)

    def number(self, node: ast.AST) -> Fraction | None:
        """Return the number that ``node`` is known to be, or nothing where it is a computed value."""
        match node:
            case ast.Constant():
                return self._literal(node)
            case ast.Name(id="parameters"):
                sizes = (e.node.size for e in self.graph.entries.values() if e.role == "parameter")
                return Fraction(sum(sizes))
            case ast.Name(id=name):
                if name in self.indices:
                    return self.indices[name]
                if name in self.names:
                    return self._integer(self.names[name])
                dim = self.graph.dims.get(name)
                return None if dim is None else Fraction(dim)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
                value = self.number(operand)
                return None if value is None else -value if isinstance(sign, ast.USub) else value
            case ast.BinOp():
                return self._chain(node)
            case ast.Subscript():
                return self._given_position(node)
            case ast.Call(func=ast.Name(id="size"), args=[_, _] as arguments):
                return self._size(arguments)
        return None

    def _literal(self, node: ast.Constant) -> Fraction:
        if isinstance(node.value, int):
            if node.value.bit_length() <= MAX_STATIC_BITS:
                return Fraction(node.value)
            self.fail(node, "this number is too long", "too-large", expected=LIMITS)
        try:
            number = numeral(self.text.segment(node).replace("_", ""))
        except TooLong:
            self.fail(node, "this number is too long", "too-large", expected=LIMITS)
        # On a line that ends oddly, the text is not where the parser says.
        return Fraction(repr(node.value)) if number is None else number

    def _chain(self, node: ast.BinOp) -> Fraction | None:
        """Return the number that a chain of operators is, from its left end on: a long sum is not deep."""
        chain: list[ast.BinOp] = []
        first: ast.expr = node
        while isinstance(first, ast.BinOp):
            chain.append(first)
            first = first.left
        value = self.number(first)
        for part in reversed(chain):
            right = self.number(part.right)
            value = None if value is None or right is None else self._arithmetic(part, value, part.op, right)
        return value

    def _arithmetic(self, node: ast.AST, x: Fraction, op: ast.operator, y: Fraction) -> Fraction | None:
        if isinstance(op, ast.Pow):
            return (
                x ** int(y) if y.denominator == 1 and abs(y) <= 64 and (x or y >= 0) and abs(x) < MAX_STATIC else None
            )
        if type(op) not in ARITHMETIC:
            return None
        if isinstance(op, (ast.Div, ast.FloorDiv, ast.Mod)) and y == 0:
            self.fail(node, "a division by zero", "division-by-zero")
        result = ARITHMETIC[type(op)](x, y)
        if max(result.numerator.bit_length(), result.denominator.bit_length()) > MAX_STATIC_BITS:
            self.fail(node, "this number is too long", "too-large", expected=LIMITS)
        return result

    def _given_position(self, node: ast.Subscript) -> Fraction | None:
        """Return an integer that a given holds, such as a class label ``y[t]``."""
        index: list[Fraction | None] = []
        base: ast.expr = node
        while isinstance(base, ast.Subscript):
            parts = base.slice.elts if isinstance(base.slice, ast.Tuple) else [base.slice]
            index[:0] = [self.number(part) for part in parts]
            base = base.value
        binding = self.names.get(base.id) if isinstance(base, ast.Name) else None
        if not isinstance(binding, Node) or binding.operation.name != "given" or len(index) != len(binding.shape):
            return None
        flat = 0
        for place, size in zip(index, binding.shape, strict=True):
            if place is None or place.denominator != 1 or not 0 <= place < size:
                return None
            flat = flat * size + int(place)
        return self._whole(binding, flat)

    def _integer(self, binding: Binding) -> Fraction | None:
        """Return the integer that a given scalar holds."""
        if isinstance(binding, Node) and binding.operation.name == "given" and binding.shape == ():
            return self._whole(binding, 0)
        return None

    def _whole(self, given: Node, flat: int) -> Fraction | None:
        """Return a number of a given array, where it is an integer."""
        is_whole = given.parameters["texts"][flat].lstrip("-").isdigit()
        return Fraction(self.graph.read(given, flat)) if is_whole else None

    def _size(self, arguments: list[ast.expr]) -> Fraction | None:
        """Return the size of a named array along an axis."""
        binding = self.names.get(arguments[0].id) if isinstance(arguments[0], ast.Name) else None
        axis = self.number(arguments[1])
        if not isinstance(binding, Node) or axis is None or not 0 <= axis < len(binding.shape):
            return None
        return Fraction(binding.shape[int(axis)])

    def condition(self, node: ast.expr) -> bool:
        """Return whether a comparison of positions holds."""
        if isinstance(node, ast.Compare):
            x, y = self.number(node.left), self.number(node.comparators[0])
            if x is not None and y is not None:
                return COMPARISONS[type(node.ops[0])](x, y)
        self.fail(
            node,
            "this condition must compare positions",
            "condition",
            hint="for computed values use where(condition, x, y)",
        )

    def integer(self, node: ast.AST, what: str) -> int:
        """Return the integer that ``node`` is known to be.

        Raises:
            SpecError: where it is a computed value, or no integer.
        """
        value = self.number(node)
        if value is None:
            self._explain_unknown(node)
            self.fail(
                node,
                f"{what} must be known without computing",
                "not-static",
                expected="an integer made of positions, dims and given integers",
                hint="a row at a computed position k is one_hot(k, size=n) @ x" if what == "a position" else "",
            )
        if value.denominator != 1 or abs(value) > MAX_STATIC:
            self.fail(node, f"{what} must be an integer", "not-static", got=str(value))
        return int(value)

    def _explain_unknown(self, node: ast.AST) -> None:
        """Raise where it is an unknown name, or a habit, that stands in the way of a known number."""
        called = [part.func for part in ast.walk(node) if isinstance(part, ast.Call)]
        for part in ast.walk(node):
            if not isinstance(part, ast.Name):
                continue
            if isinstance(self.names.get(part.id), Poisoned):
                raise Silenced
            if part in called:
                if part.id in FUNCTIONS:
                    self.fail(part, f"unknown function '{part.id}'", "unknown-name", hint=FUNCTIONS[part.id])
            elif part.id not in self.visible():
                self.unknown(part, part.id, number=True)

    def unknown(self, node: ast.AST, name: str, *, number: bool = False) -> NoReturn:
        """Raise that ``name`` is not known here, where a ``number`` such as a size or a position may be meant.

        Raises:
            SpecError: where that is so.
            Silenced: where its own definition has a mistake, which is told already.
        """
        self.silence(name)
        if name in self.text.sets and not self._is_outside(name):
            self._not_set_yet(node, name)
        self.fail(node, f"unknown name '{name}'", "unknown-name", hint=self._instead_of(name, number))

    def _instead_of(self, name: str, number: bool) -> str:
        """Return what an unknown name may stand for."""
        if self._is_outside(name):
            return f"a function sees its arguments only: pass {name} as one"
        if name in FUNCTIONS or name in PREFIXES:
            return FUNCTIONS.get(name, "functions have no prefix: write exp(x)")
        if number and name.islower() and len(name) == 1:
            return (
                f"a position comes from 'for {name} in range(…)', or in a table from rows: {name} = 0..{name.upper()}-1"
            )
        known = [one for one in (*self.names, *self.indices, *self.graph.dims) if "." not in one]
        listed = f"known here: {', '.join(known[:SHOWN])}{', …' * (len(known) > SHOWN)}" if known else ""
        size = f"a size that no array shows is given as dims: {{{name}: 3}}" if number else ""
        return nearest(name, self.visible()) or size or listed

    def _is_outside(self, name: str) -> bool:
        """Whether ``name`` is used within a function, and set outside of it."""
        return bool(self.prefix) and name in self.graph.bindings

    def silence(self, name: str) -> None:
        """Say nothing of ``name`` where its own definition, or a part that may hold it, has a mistake.

        Raises:
            Silenced: where that is so.
        """
        first = name.partition(".")[0].partition("[")[0]
        if self.graph.incomplete or first in self.graph.faulty or isinstance(self.names.get(first), Poisoned):
            raise Silenced

    def _not_set_yet(self, node: ast.AST, name: str) -> NoReturn:
        place, key = self.text.scalar.locate(self.text.sets[name], 0), self.dotted(node) or name
        if place.line <= self.text.span(node).line:
            hint = (
                f"give the state before the first under 'given': {key if '[' in key else f'{name}[-1]'}: {{value: 0}}"
            )
        else:
            hint = f"line {place.line} sets it; a name is used after it is set"
        self.fail(node, f"'{key}' is not set here yet", "never-set", hint=hint)

    def visible(self) -> list[str]:
        """Return the names that may be written here."""
        return [*self.names, *self.indices, *self.graph.dims, *WORDS]

    def dotted(self, node: ast.AST) -> str | None:
        """Return the name that ``O1.S`` or ``O[1].S`` spells, or nothing where ``node`` is no name."""
        match node:
            case ast.Name(id=name):
                return name
            case ast.Attribute(value=value, attr=attr) if attr != "T":
                base = self.dotted(value)
                return None if base is None else f"{base}.{attr}"
            case ast.Subscript(value=value, slice=place):
                base = self.dotted(value)
                parts = place.elts if isinstance(place, ast.Tuple) else [place]
                index = tuple(self.number(part) for part in parts)
                if base is None or any(i is None or i.denominator != 1 for i in index):
                    return None
                return key_of(base, tuple(int(i) for i in index if i is not None))
        return None
