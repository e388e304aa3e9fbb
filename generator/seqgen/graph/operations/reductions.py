"""Sums, means, extremes and normalisations along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from seqgen.graph.domain import Domain
from seqgen.graph.node import (
    Node,
    Notation,
    Operation,
    Parameters,
    Shape,
    ShapeClash,
    Signature,
    Writer,
    apply,
    constant,
    element_count,
    register,
)
from seqgen.graph.notation import axes_text, call, operator
from seqgen.graph.phrase import POWER, SUM, Phrase
from seqgen.graph.shapes import along_axis, axis_of, reduced, reduction_axes

OVER_ALL = Signature(arrays=("x",), options={"axis": None, "keepdims": False})
OVER_LAST = Signature(arrays=("x",), options={"axis": -1})


def _axes(node: Node) -> tuple[int, ...]:
    return reduction_axes(node.inputs[0].shape, node.parameters.get("axis"))


def _keepdims(node: Node) -> bool:
    return bool(node.parameters.get("keepdims", False))


def _count(node: Node) -> int:
    shape = node.inputs[0].shape
    return element_count(tuple(shape[axis] for axis in _axes(node)))


def _sum(node: Node, x: Any) -> Any:
    return x.sum(axis=_axes(node), keepdims=_keepdims(node))


def spread(node: Node, value: Node) -> Node:
    """Return ``value``, of the shape of the reduction ``node``, broadcast to the shape of its input."""
    shape = node.inputs[0].shape
    if not _keepdims(node) and value.shape:
        kept = tuple(1 if axis - len(shape) in _axes(node) else size for axis, size in enumerate(shape))
        value = apply("reshape", value, shape=kept)
    return apply("broadcast", value, shape=shape) if value.shape != shape else value


def _sum_latex(writer: Writer, node: Node) -> Phrase:
    axes = axes_text(node)
    under = f"_{{{axes}}}" if axes else ""
    return Phrase(rf"\sum{under} {writer.write(node.inputs[0], POWER)}", SUM)


register(
    Operation(
        name="sum",
        about="Sum over an axis, or over everything.",
        signature=OVER_ALL,
        shape=reduced,
        value=lambda domain, node, x: _sum(node, x),
        derivative=lambda node, g: (spread(node, g),),
        notation=Notation(latex=_sum_latex, text=call("sum", "axis", "keepdims"), tall=True),
    )
)

register(
    Operation(
        name="mean",
        about="Mean over an axis, or over everything.",
        signature=OVER_ALL,
        shape=reduced,
        value=lambda domain, node, x: domain.divide(_sum(node, x), _count(node)),
        derivative=lambda node, g: (spread(node, g / _count(node)),),
        notation=operator("mean", "axis", "keepdims"),
    )
)


def _var_shape(shapes: Sequence[Shape], parameters: Parameters) -> Shape:
    shape = reduced(shapes, parameters)
    count = element_count(tuple(shapes[0][axis] for axis in reduction_axes(shapes[0], parameters.get("axis"))))
    if count <= parameters["ddof"]:
        raise ShapeClash(f"var with ddof={parameters['ddof']} needs more than {count} values")
    return shape


def _var_value(domain: Domain, node: Node, x: Any) -> Any:
    axes, count = _axes(node), _count(node)
    centred = x - domain.divide(x.sum(axis=axes, keepdims=True), count)
    squares = domain.finish(centred * centred).sum(axis=axes, keepdims=_keepdims(node))
    return domain.divide(squares, count - node.parameters["ddof"])


def _var_derivative(node: Node, g: Node) -> tuple[Node]:
    (x,) = node.inputs
    centred = x - apply("mean", x, axis=node.parameters.get("axis"), keepdims=True)
    return (spread(node, g) * (constant(2) / (_count(node) - node.parameters["ddof"]) * centred),)


register(
    Operation(
        name="var",
        about="Variance over an axis; it divides by n - ddof, and ddof is 0 (population) unless given.",
        signature=Signature(arrays=("x",), options={"axis": None, "keepdims": False, "ddof": 0}),
        shape=_var_shape,
        value=_var_value,
        derivative=_var_derivative,
        notation=operator("var", "axis", "keepdims", "ddof"),
    )
)


def _norm_latex(writer: Writer, node: Node) -> Phrase:
    axes = axes_text(node)
    # Of a matrix, the norm with index 2 is the spectral one.
    kind = f"{{2,{axes}}}" if axes else "F" if len(node.inputs[0].shape) > 1 else "2"
    return Phrase(rf"\left\lVert {writer.write(node.inputs[0])} \right\rVert_{kind}")


register(
    Operation(
        name="norm",
        about="Euclidean norm over an axis, or over everything.",
        signature=OVER_ALL,
        shape=reduced,
        value=lambda domain, node, x: domain.sqrt(domain.finish(x * x).sum(axis=_axes(node), keepdims=_keepdims(node))),
        derivative=lambda node, g: (spread(node, g) * node.inputs[0] / spread(node, node),),
        notation=Notation(latex=_norm_latex, text=call("norm", "axis", "keepdims")),
    )
)


def _extreme(name: str) -> None:
    def value(domain: Domain, node: Node, x: Any) -> Any:
        return getattr(domain, name)(x, _axes(node), keepdims=_keepdims(node))

    def derivative(node: Node, g: Node) -> tuple[Node]:
        (x,) = node.inputs
        chosen = apply("equal", x, spread(node, node))
        ties = apply("sum", chosen, axis=node.parameters.get("axis"), keepdims=_keepdims(node))
        return (spread(node, g / ties) * chosen,)

    word, other = ("Largest", "larger") if name == "max" else ("Smallest", "smaller")
    register(
        Operation(
            name=name,
            about=f"{word} value over an axis, or over everything; ties share the gradient equally.",
            signature=replace(OVER_ALL, by_name=f"the {other} of two is {name}imum({{}})"),
            shape=reduced,
            value=value,
            derivative=derivative,
            notation=operator(name, "axis", "keepdims"),
        )
    )


_extreme("max")
_extreme("min")

register(
    Operation(
        name="argmax",
        about="Position of the largest value along an axis, the first where several are equal.",
        signature=OVER_LAST,
        shape=lambda shapes, parameters: reduced(shapes, {"axis": parameters["axis"]}),
        value=lambda domain, node, x: domain.argmax(x, axis_of(node.inputs[0].shape, node.parameters["axis"])),
        derivative=lambda node, g: (None,),
        notation=operator("argmax", "axis", spoken=True),
    )
)


def _softmax_value(domain: Domain, node: Node, x: Any) -> Any:
    axis = axis_of(node.inputs[0].shape, node.parameters["axis"])
    # Any shift leaves the result unchanged; the domain chooses one that keeps exp in range.
    powers = domain.exp(domain.centre(x, axis)[0])
    return domain.divide(powers, powers.sum(axis=axis, keepdims=True))


def _softmax_derivative(node: Node, g: Node) -> tuple[Node]:
    along = apply("sum", g * node, axis=node.parameters["axis"], keepdims=True)
    return (node * (g - along),)


register(
    Operation(
        name="softmax",
        about="exp(x) over its sum along an axis; -inf is a forbidden place.",
        signature=OVER_LAST,
        shape=along_axis,
        value=_softmax_value,
        derivative=_softmax_derivative,
        limits=(0, 1),
        notation=operator("softmax", "axis"),
    )
)


def _log_softmax_value(domain: Domain, node: Node, x: Any) -> Any:
    axis = axis_of(node.inputs[0].shape, node.parameters["axis"])
    shifted, _ = domain.centre(x, axis)
    return shifted - domain.log(domain.exp(shifted).sum(axis=axis, keepdims=True))


def _log_softmax_derivative(node: Node, g: Node) -> tuple[Node]:
    axis = node.parameters["axis"]
    weights = apply("softmax", node.inputs[0], axis=axis)
    return (g - weights * apply("sum", g, axis=axis, keepdims=True),)


register(
    Operation(
        name="log_softmax",
        about="The logarithm of softmax along an axis.",
        signature=OVER_LAST,
        shape=along_axis,
        value=_log_softmax_value,
        derivative=_log_softmax_derivative,
        notation=operator("log_softmax", "axis"),
    )
)


def _logsumexp_value(domain: Domain, node: Node, x: Any) -> Any:
    axis = axis_of(node.inputs[0].shape, node.parameters["axis"])
    shifted, shift = domain.centre(x, axis)
    # The shift has one element along the axis, so that its sum only drops the axis.
    return domain.log(domain.exp(shifted).sum(axis=axis)) + shift.sum(axis=axis)


def _logsumexp_derivative(node: Node, g: Node) -> tuple[Node]:
    weights = apply("softmax", node.inputs[0], axis=node.parameters["axis"])
    return (spread(node, g) * weights,)


register(
    Operation(
        name="logsumexp",
        about="log(sum(exp(x))) along an axis.",
        signature=OVER_LAST,
        shape=lambda shapes, parameters: reduced(shapes, {"axis": parameters["axis"]}),
        value=_logsumexp_value,
        derivative=_logsumexp_derivative,
        notation=operator("logsumexp", "axis", spoken=True),
    )
)


def _cumsum_derivative(node: Node, g: Node) -> tuple[Node]:
    axis = node.parameters["axis"]
    return (apply("flip", apply("cumsum", apply("flip", g, axis=axis), axis=axis), axis=axis),)


register(
    Operation(
        name="cumsum",
        about="Running sum along an axis.",
        signature=OVER_LAST,
        shape=along_axis,
        value=lambda domain, node, x: x.cumsum(axis_of(node.inputs[0].shape, node.parameters["axis"])),
        derivative=_cumsum_derivative,
        notation=operator("cumsum", "axis", spoken=True),
    )
)
