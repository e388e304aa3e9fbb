"""The rules by which operations are typeset, in LaTeX and in the spec language's own text.

A rule writes a node from its inputs' writings. Each writing carries how tightly it binds, and
`Writer` puts parentheses where an input binds more loosely than its place asks. There is no
second pass over emitted text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from seqgen.graph.node import Node, Notation, Rule, Writer
from seqgen.graph.phrase import COMPARISON, POWER, PRODUCT, SUM, UNARY, Phrase
from seqgen.graph.shapes import broadcast


@dataclass(frozen=True)
class Infix:
    """The rule of a left-associative binary operator."""

    sign: str
    binding: int

    def __call__(self, writer: Writer, node: Node) -> Phrase:
        """Write a chain of operators that bind alike; it leans to the left, and is walked, not recursed into."""
        parts: list[str] = []
        rule: Rule = self
        while isinstance(rule, Infix) and rule.binding == self.binding:
            left, right = operands(writer, node)
            parts += (writer.write(right, self.binding + 1), f" {rule.sign} ")
            if writer.is_named(left):
                break
            rule = left.operation.notation.latex if writer.latex else left.operation.notation.text
            node = left
        parts.append(writer.write(left, self.binding))
        return Phrase("".join(reversed(parts)), self.binding)


def infix(latex: str, text: str, binding: int) -> Notation:
    """Return the notation of a left-associative binary operator."""
    return Notation(latex=Infix(latex, binding), text=Infix(text, binding))


def compared(sign: str) -> Rule:
    """Return the text rule of a comparison, which binds most loosely of all and does not chain."""

    def write(writer: Writer, node: Node) -> Phrase:
        left, right = (writer.write(i, SUM) for i in node.inputs)
        return Phrase(f"{left} {sign} {right}", COMPARISON)

    return write


def operands(writer: Writer, node: Node) -> list[Node]:
    """Return the inputs of an operation as they are written.

    In LaTeX an operation element by element lines its inputs up by itself: what only repeats one of them is left out.
    """
    result = list(node.inputs)
    for place, item in enumerate(result):
        repeats = node.operation.elementwise and item.operation.name == "broadcast" and not writer.is_named(item)
        if writer.latex and repeats:
            result[place] = item.inputs[0]
            if broadcast([part.shape for part in result]) != node.shape:
                result[place] = item
    return result


def prefix(latex: str, text: str) -> Notation:
    """Return the notation of a sign in front.

    The language reads ``-x * y`` as the product of ``-x`` and ``y``, so its text encloses the product ``-(x * y)``;
    mathematics writes it without parentheses.
    """

    def rule(sign: str, at_least: int) -> Rule:
        return lambda writer, node: Phrase(sign + writer.write(node.inputs[0], at_least), SUM)

    return Notation(latex=rule(latex, PRODUCT), text=rule(text, UNARY))


def function(latex: str, text: str, *options: str) -> Notation:
    """Return the notation ``f(x, …)``; ``options`` are the parameters that the text form names."""

    def write_latex(writer: Writer, node: Node) -> Phrase:
        if len(node.inputs) == 1:
            return Phrase(f"{latex}{writer.argument(node.inputs[0])}", POWER)
        parts = [writer.write(i) for i in operands(writer, node)]
        return Phrase(rf"{latex}\left({', '.join(parts)}\right)", POWER)

    return Notation(latex=write_latex, text=call(text, *options))


def call(name: str, *options: str) -> Rule:
    """Return the text rule ``name(x, option=…)``; an option that has its default is left out."""

    def write(writer: Writer, node: Node) -> Phrase:
        parts = [writer.write(i) for i in node.inputs]
        if node.operation.signature.variadic and len(parts) == 1:
            # A list that is the only argument is read as the arguments themselves.
            parts = [f"[{parts[0]}]"]
        for option, value in stated(node, options).items():
            parts.append(f"{option}={list(value) if isinstance(value, tuple) else int(value)}")
        return Phrase(f"{name}({', '.join(parts)})")

    return write


def stated(node: Node, options: tuple[str, ...]) -> dict[str, Any]:
    """Return the options of a node that have another value than their default."""
    defaults = node.operation.signature.options
    values = {option: node.parameters.get(option) for option in options}
    return {option: value for option, value in values.items() if value is not None and value != defaults.get(option)}


def operator(name: str, *options: str, spoken: bool = False, below: Callable[[Node], str] | None = None) -> Notation:
    """Return the notation of a function that LaTeX sets upright; ``axis`` and ``ddof`` stand below it.

    ``spoken`` where a default axis is stated too; ``below`` gives what else stands there.
    """
    upright = rf"\operatorname{{{name.replace('_', chr(92) + '_')}}}"
    plain = function(upright, name, *options)

    def write_latex(writer: Writer, node: Node) -> Phrase:
        if below is not None:
            return Phrase(f"{upright}{below(node)}{writer.argument(node.inputs[0])}", POWER)
        given = stated(node, options)
        parts = [axes_text(node)] if "axis" in given or spoken else []
        if "ddof" in given:
            parts.append(rf"\text{{ddof {given['ddof']}}}")
        if not any(parts):
            return plain.latex(writer, node)
        return Phrase(f"{upright}_{{{','.join(filter(None, parts))}}}{writer.argument(node.inputs[0])}", POWER)

    return Notation(latex=write_latex, text=plain.text)


def axes_text(node: Node) -> str:
    r"""Return the axes along which an operation works, as ``\text{axis 1, kept}``; nothing for all of them.

    An axis of length one that stays is told where the result would line up otherwise without it.
    """
    rank, axis = len(node.inputs[0].shape), node.parameters.get("axis")
    if axis is None or rank < 2:
        return ""
    axes = sorted(place % rank for place in ((axis,) if isinstance(axis, int) else axis))
    kept = ", kept" if node.parameters.get("keepdims") and axes != list(range(len(axes))) else ""
    return rf"\text{{{'axis' if len(axes) == 1 else 'axes'} {', '.join(map(str, axes))}{kept}}}"


def size_text(shape: tuple[int, ...]) -> str:
    r"""Return a shape as ``2 \times 3``."""
    return r" \times ".join(map(str, shape)) or "()"


def brackets(key: Sequence[int | slice]) -> str:
    """Return an index as the language writes it: ``[0, 1:3]``."""
    return f"[{', '.join(map(bracketed, key))}]"


def bracketed(part: int | slice) -> str:
    """Return one part of an index: a position, or a slice."""
    if not isinstance(part, slice):
        return str(part)
    return ":" if part.start in (None, 0) and part.stop is None else f"{part.start or 0}:{part.stop or ''}"
