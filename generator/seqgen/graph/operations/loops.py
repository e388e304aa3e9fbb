"""A computation repeated many times, such as training: its state goes round, a scalar is watched."""

from __future__ import annotations

from collections.abc import Sequence

from seqgen.graph.node import (
    REQUIRED,
    Node,
    NoDerivative,
    Operation,
    Parameters,
    Shape,
    Signature,
    ancestors,
    element_count,
    register,
)
from seqgen.graph.notation import operator


def _no_derivative(node: Node, g: Node) -> Sequence[Node | None]:
    loop = node.parameters["loop"]
    raise NoDerivative("a loop has no derivative rule", ancestors([*node.inputs, loop.watched, *loop.results]))


def _repeat_shape(shapes: Sequence[Shape], parameters: Parameters) -> Shape:
    return (len(parameters["loop"].kept), 1 + sum(map(element_count, shapes)))


def _repeat_products(inputs: Sequence[Node], parameters: Parameters, shape: Shape) -> int:
    loop = parameters["loop"]
    return int(loop.kept[-1]) * sum(node.size for node in ancestors([loop.watched, *loop.results]))


register(
    Operation(
        name="repeat",
        about="A loop over a state: one row a kept round, with the watched scalar first and the state after it.",
        signature=Signature(arrays=("state",), variadic=True, options={"loop": REQUIRED}),
        shape=_repeat_shape,
        value=lambda domain, node, *state: domain.iterate(node.parameters["loop"], state),
        derivative=_no_derivative,
        products=_repeat_products,
        notation=operator("repeat"),
        public=False,
    )
)
