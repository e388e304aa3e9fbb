"""The rules by which operations are typeset, in LaTeX and in the spec language's own text.

A rule writes a node from its inputs' writings. Each writing carries how tightly it binds, and
`Writer` puts parentheses where an input binds more loosely than its place asks. There is no
second pass over emitted text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from seqgen.graph.node import Node, Notation, Rule, Writer
from seqgen.graph.phrase import POWER, PRODUCT, SUM, Phrase
from seqgen.graph.shapes import broadcast


def infix(latex: str, text: str, binding: int) -> Notation:
    """Return the notation of a left-associative binary operator."""

    def rule(sign: str) -> Rule:
        def write(writer: Writer, node: Node) -> Phrase:
            # A long sum leans to the left: it is walked, not recursed into.
            parts, top = [], node
            while True:
                left, right = operands(writer, top)
                parts.append(writer.write(right, binding + 1))
                if left.operation is not node.operation or writer.is_named(left):
                    break
                top = left
            parts.append(writer.write(left, binding))
            return Phrase(f" {sign} ".join(reversed(parts)), binding)

        return write

    return Notation(latex=rule(latex), text=rule(text))


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
    """Return the notation of a sign in front."""

    def rule(sign: str) -> Rule:
        return lambda writer, node: Phrase(sign + writer.write(node.inputs[0], PRODUCT), SUM)

    return Notation(latex=rule(latex), text=rule(text))


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
