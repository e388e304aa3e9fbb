"""A computation repeated many times, such as training: its state goes round, a scalar is watched."""

from __future__ import annotations

from collections.abc import Sequence

from seqgen.graph.node import REQUIRED, Operation, Parameters, Shape, Signature, element_count, register
from seqgen.graph.notation import operator


def _repeat_shape(shapes: Sequence[Shape], parameters: Parameters) -> Shape:
    return (len(parameters["loop"].kept), 1 + sum(map(element_count, shapes)))


register(
    Operation(
        name="repeat",
        about="A loop over a state: one row a kept round, with the watched scalar first and the state after it.",
        signature=Signature(arrays=("state",), variadic=True, options={"loop": REQUIRED}),
        shape=_repeat_shape,
        value=lambda domain, node, *state: domain.iterate(node.parameters["loop"], state),
        derivative=lambda node, g: (None,) * len(node.inputs),
        notation=operator("repeat"),
        public=False,
    )
)
