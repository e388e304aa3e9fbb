"""The rules by which operations are typeset, in LaTeX and in the spec language's own text.

A rule writes a node from its inputs' writings. Each writing carries how tightly it binds, and
`Writer` puts parentheses where an input binds more loosely than its place asks. There is no
second pass over emitted text.
"""

from __future__ import annotations

from typing import Any

from seqgen.graph.node import Node, Notation, Rule, Writer
from seqgen.graph.phrase import PRODUCT, SUM, Phrase


def infix(latex: str, text: str, binding: int) -> Notation:
    """Return the notation of a left-associative binary operator."""

    def rule(sign: str) -> Rule:
        def write(writer: Writer, node: Node) -> Phrase:
            # A long sum leans to the left: it is walked, not recursed into.
            parts, top = [], node
            while True:
                left, right = top.inputs
                parts.append(writer.write(right, binding + 1))
                if left.operation is not node.operation or writer.is_named(left):
                    break
                top = left
            parts.append(writer.write(left, binding))
            return Phrase(f" {sign} ".join(reversed(parts)), binding)

        return write

    return Notation(latex=rule(latex), text=rule(text))


def prefix(latex: str, text: str) -> Notation:
    """Return the notation of a sign in front."""

    def rule(sign: str) -> Rule:
        return lambda writer, node: Phrase(sign + writer.write(node.inputs[0], PRODUCT), SUM)

    return Notation(latex=rule(latex), text=rule(text))


def function(latex: str, text: str, *options: str) -> Notation:
    """Return the notation ``f(x, …)``; ``options`` are the parameters that the text form names."""

    def write_latex(writer: Writer, node: Node) -> Phrase:
        if len(node.inputs) == 1:
            return Phrase(f"{latex}{writer.argument(node.inputs[0])}")
        return Phrase(rf"{latex}\left({', '.join(writer.write(i) for i in node.inputs)}\right)")

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


def operator(name: str, *options: str) -> Notation:
    """Return the notation of a function that LaTeX sets upright; ``axis`` and ``ddof`` stand below it."""
    upright = rf"\operatorname{{{name.replace('_', chr(92) + '_')}}}"
    plain = function(upright, name, *options)

    def write_latex(writer: Writer, node: Node) -> Phrase:
        given = stated(node, options)
        below = []
        if "axis" in given and len(node.inputs[0].shape) > 1:
            below.append(rf"\text{{axis {axis_text(given['axis'])}}}")
        if "ddof" in given:
            below.append(rf"\text{{ddof {given['ddof']}}}")
        if not below:
            return plain.latex(writer, node)
        return Phrase(f"{upright}_{{{','.join(below)}}}{writer.argument(node.inputs[0])}")

    return Notation(latex=write_latex, text=plain.text)


def axis_text(axis: int | tuple[int, ...]) -> str:
    """Return an axis, or several, in words."""
    return str(axis) if isinstance(axis, int) else ", ".join(map(str, axis))
