"""Comparisons (1 where true, 0 where false), choices, and the larger and smaller of two."""

from __future__ import annotations

from typing import Any

from seqgen.graph.domain import Domain
from seqgen.graph.node import Node, Notation, Operation, Rule, Signature, Writer, apply, constant, register
from seqgen.graph.notation import call, compared, operands, operator
from seqgen.graph.operations.arithmetic import BINARY, sum_to
from seqgen.graph.phrase import SUM, Phrase
from seqgen.graph.shapes import broadcast

SIGNS = {
    "greater": (">", ">"),
    "less": ("<", "<"),
    "greater_equal": (r"\ge", ">="),
    "less_equal": (r"\le", "<="),
    "equal": ("=", "=="),
    "not_equal": (r"\ne", "!="),
}


def _indicator(sign: str) -> Rule:
    """Return the rule of a comparison's value, 1 or 0; bare, its sign would join the relations of the line."""

    def write(writer: Writer, node: Node) -> Phrase:
        left, right = (writer.write(i, SUM) for i in operands(writer, node))
        return Phrase(rf"\mathbf{{1}}\left[{left} {sign} {right}\right]")

    return write


def _comparison(name: str) -> None:
    latex, text = SIGNS[name]
    register(
        Operation(
            name=name,
            public=False,
            about=f"1 where x {text} y, else 0.",
            signature=BINARY,
            shape=broadcast,
            value=lambda domain, node, x, y: domain.compare(name, x, y),
            derivative=lambda node, g: (None, None),
            notation=Notation(latex=_indicator(latex), text=compared(text)),
            elementwise=True,
        )
    )


for _name in SIGNS:
    _comparison(_name)


def _where_derivative(node: Node, g: Node) -> tuple[None, Node, Node]:
    condition, x, y = node.inputs
    nothing = constant(0)
    return (
        None,
        sum_to(apply("where", condition, g, nothing), x.shape),
        sum_to(apply("where", condition, nothing, g), y.shape),
    )


register(
    Operation(
        name="where",
        about="x where the condition holds (is not 0), else y.",
        signature=Signature(arrays=("condition", "x", "y")),
        shape=broadcast,
        value=lambda domain, node, c, x, y: domain.where(c, x, y),
        derivative=_where_derivative,
        notation=operator("where"),
        elementwise=True,
    )
)


def _extreme(name: str, side: str, about: str) -> None:
    def value(domain: Domain, node: Node, x: Any, y: Any) -> Any:
        return getattr(domain, name)(x, y)

    def derivative(node: Node, g: Node) -> tuple[Node, Node]:
        x, y = node.inputs
        # At a tie each of the two takes half, as PyTorch has it.
        first = apply(side, x, y) + apply("equal", x, y) / 2
        return sum_to(g * first, x.shape), sum_to(g * (1 - first), y.shape)

    register(
        Operation(
            name=name,
            about=about,
            signature=BINARY,
            shape=broadcast,
            value=value,
            derivative=derivative,
            notation=Notation(latex=operator("max" if name == "maximum" else "min").latex, text=call(name)),
            elementwise=True,
        )
    )


_extreme("maximum", "greater", "The larger of two, element by element; a tie shares the gradient equally.")
_extreme("minimum", "less", "The smaller of two, element by element; a tie shares the gradient equally.")
