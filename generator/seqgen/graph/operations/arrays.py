"""Rearranging, choosing, joining and making arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from seqgen.graph.arranged import (
    gathered_latex,
    joined_latex,
    key_below,
    places_below,
    put_below,
    repeated_latex,
    rows_below,
    stacked_latex,
)
from seqgen.graph.domain import Domain
from seqgen.graph.node import (
    REQUIRED,
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
from seqgen.graph.notation import brackets, call, operator, size_text
from seqgen.graph.operations.arithmetic import sum_to, transposed
from seqgen.graph.phrase import ATOM, POWER, RAISED, Phrase
from seqgen.graph.shapes import along_axis, axis_of, common, show


def _transpose_shape(shapes: Sequence[Shape], parameters: Parameters) -> Shape:
    (shape,) = shapes
    if len(shape) < 2:
        raise ShapeClash(f"{show(shape)} has no transpose; outer(a, b) makes a matrix of two vectors")
    return (*shape[:-2], shape[-1], shape[-2])


def _transpose_derivative(node: Node, g: Node) -> tuple[Node]:
    if g.operation.name == "outer":  # (a b^T)^T = b a^T, as one writes the gradient of a weight
        return (apply("outer", g.inputs[1], g.inputs[0]),)
    if g.operation.name == "matmul" and all(len(i.shape) == 2 for i in g.inputs):  # (A B)^T = B^T A^T
        return (apply("matmul", *(transposed(i) for i in reversed(g.inputs))),)
    return (apply("transpose", g),)


register(
    Operation(
        name="transpose",
        about="The last two axes exchanged; written `x.T`.",
        signature=Signature(arrays=("x",)),
        shape=_transpose_shape,
        value=lambda domain, node, x: x.swapaxes(-1, -2),
        derivative=_transpose_derivative,
        notation=Notation(
            latex=lambda writer, node: Phrase(rf"{writer.write(node.inputs[0], RAISED)}^\top", POWER),
            text=lambda writer, node: Phrase(f"{writer.write(node.inputs[0], ATOM)}.T"),
        ),
    )
)


def _permute_shape(shapes: Sequence[Shape], parameters: Parameters) -> Shape:
    (shape,) = shapes
    axes = parameters["axes"]
    if sorted(axes) != list(range(len(shape))):
        raise ShapeClash(
            f"axes of {show(shape)} must be a rearrangement of {list(range(len(shape)))}, not {list(axes)}"
        )
    return tuple(shape[axis] for axis in axes)


def _permute_derivative(node: Node, g: Node) -> tuple[Node]:
    axes = node.parameters["axes"]
    return (apply("permute", g, axes=tuple(sorted(range(len(axes)), key=axes.__getitem__))),)


register(
    Operation(
        name="permute",
        about="The axes in another order.",
        signature=Signature(arrays=("x",), options={"axes": REQUIRED}),
        shape=_permute_shape,
        value=lambda domain, node, x: domain.permute(x, node.parameters["axes"]),
        derivative=_permute_derivative,
        notation=Notation(
            latex=operator("permute", below=lambda node: places_below(node.parameters["axes"])).latex,
            text=call("permute", "axes"),
        ),
    )
)


def _reshape_shape(shapes: Sequence[Shape], parameters: Parameters) -> Shape:
    shape: Shape = parameters["shape"]
    if element_count(shapes[0]) != element_count(shape):
        have, want = element_count(shapes[0]), element_count(shape)
        raise ShapeClash(f"{show(shapes[0])} has {have} elements, {show(shape)} has {want}")
    return shape


register(
    Operation(
        name="reshape",
        about="The same elements, row by row, in another shape.",
        signature=Signature(arrays=("x",), options={"shape": REQUIRED}),
        shape=_reshape_shape,
        value=lambda domain, node, x: x.reshape(x.shape[: x.ndim - len(node.inputs[0].shape)] + node.shape),
        derivative=lambda node, g: (apply("reshape", g, shape=node.inputs[0].shape),),
        notation=Notation(
            latex=operator("reshape", below=lambda node: f"_{{{size_text(node.shape)}}}").latex,
            text=call("reshape", "shape"),
        ),
    )
)


def _broadcast_shape(shapes: Sequence[Shape], parameters: Parameters) -> Shape:
    shape: Shape = parameters["shape"]
    (source,) = shapes
    fits = len(source) <= len(shape) and all(
        size in (1, wanted) for size, wanted in zip(reversed(source), reversed(shape), strict=False)
    )
    if not fits:
        raise ShapeClash(f"{show(source)} can't be broadcast to {show(shape)}")
    return shape


def _broadcast_value(domain: Domain, node: Node, x: Any) -> Any:
    rank = len(node.inputs[0].shape)
    lead = x.shape[: x.ndim - rank]
    aligned = x.reshape(lead + (1,) * (len(node.shape) - rank) + node.inputs[0].shape)
    return domain.broadcast_to(aligned, lead + node.shape)


register(
    Operation(
        name="broadcast",
        about="The value repeated to a larger shape.",
        signature=Signature(arrays=("x",), options={"shape": REQUIRED}),
        shape=_broadcast_shape,
        value=_broadcast_value,
        derivative=lambda node, g: (sum_to(g, node.inputs[0].shape),),
        notation=Notation(latex=repeated_latex, text=call("broadcast", "shape")),
    )
)


def _concat_shape(shapes: Sequence[Shape], parameters: Parameters) -> Shape:
    if not shapes:
        raise ShapeClash("concat needs at least one array")
    first = shapes[0]
    if not all(shapes):
        raise ShapeClash("concat joins arrays, not numbers; numbers are listed as [x, y]")
    place = axis_of(first, parameters["axis"]) + len(first)
    for shape in shapes[1:]:
        if len(shape) != len(first) or shape[:place] + shape[place + 1 :] != first[:place] + first[place + 1 :]:
            raise ShapeClash(f"concat along axis {parameters['axis']}: {show(first)} and {show(shape)} do not fit")
    sizes = common(shapes)
    return (*sizes[:place], sum(shape[place] for shape in shapes), *sizes[place + 1 :])


def _concat_derivative(node: Node, g: Node) -> list[Node]:
    rank = len(node.shape)
    place = axis_of(node.shape, node.parameters["axis"]) + rank
    parts, start = [], 0
    for item in node.inputs:
        stop = start + item.shape[place]
        parts.append(apply("index", g, key=(slice(None),) * place + (slice(start, stop),)))
        start = stop
    return parts


register(
    Operation(
        name="concat",
        about="Arrays joined along an axis that they have (the last unless given).",
        signature=Signature(arrays=("x",), variadic=True, options={"axis": -1}),
        shape=_concat_shape,
        value=lambda domain, node, *arrays: domain.concatenate(arrays, axis_of(node.shape, node.parameters["axis"])),
        derivative=_concat_derivative,
        notation=Notation(latex=joined_latex, text=call("concat", "axis")),
    )
)


def _stack_shape(shapes: Sequence[Shape], parameters: Parameters) -> Shape:
    if not shapes:
        raise ShapeClash("an empty list has no shape")
    for shape in shapes[1:]:
        if shape != shapes[0]:
            raise ShapeClash(f"stack needs equal shapes: {show(shapes[0])} and {show(shape)}")
    return (len(shapes), *common(shapes))


def _stack_text(writer: Writer, node: Node) -> Phrase:
    return Phrase(f"[{', '.join(writer.write(i) for i in node.inputs)}]")


register(
    Operation(
        name="stack",
        about="Equal shapes joined along a new first axis; written `[x, y]`.",
        signature=Signature(arrays=("x",), variadic=True),
        shape=_stack_shape,
        value=lambda domain, node, *arrays: domain.stack(arrays, -len(node.shape)),
        derivative=lambda node, g: [apply("index", g, key=(i,)) for i in range(len(node.inputs))],
        notation=Notation(latex=stacked_latex, text=_stack_text, tall=True),
    )
)


def _index_shape(shapes: Sequence[Shape], parameters: Parameters) -> Shape:
    (shape,) = shapes
    key = parameters["key"]
    if not shape:
        raise ShapeClash("a scalar has no index")
    if len(key) > len(shape):
        raise ShapeClash(f"{show(shape)} has {len(shape)} {'axes' if shape[1:] else 'axis'}, not {len(key)}")
    result = []
    for place, size in enumerate(shape):
        part = key[place] if place < len(key) else slice(None)
        if isinstance(part, slice):
            start, stop = part.start or 0, size if part.stop is None else part.stop
            if not 0 <= start < stop <= size:
                raise ShapeClash(
                    f"the slice {start}:{stop} leaves axis {place} of {show(shape)}, with indices 0 to {size - 1}"
                )
            result.append(size if stop - start == size else stop - start)  # the whole axis keeps its name
        elif not 0 <= part < size:
            raise ShapeClash(f"index {part} is out of range: axis {place} has length {size}, so 0 to {size - 1}")
    return tuple(result)


def _whole_key(node: Node, rank: int) -> tuple[Any, ...]:
    key = node.parameters["key"]
    return (Ellipsis, *key, *(slice(None),) * (rank - len(key)))


def _index_value(domain: Domain, node: Node, x: Any) -> Any:
    return x[_whole_key(node, len(node.inputs[0].shape))]


register(
    Operation(
        name="index",
        public=False,
        about="An element, a row or a slice: `x[0]`, `x[:, 1]`, `x[0:2]`; positions count from 0.",
        signature=Signature(arrays=("x",), options={"key": REQUIRED}),
        shape=_index_shape,
        value=_index_value,
        derivative=lambda node, g: (apply("scatter", g, key=node.parameters["key"], shape=node.inputs[0].shape),),
        notation=Notation(
            latex=lambda writer, node: writer.index(node),
            text=lambda writer, node: writer.index(node),
        ),
    )
)


def _scatter_shape(shapes: Sequence[Shape], parameters: Parameters) -> Shape:
    shape: Shape = parameters["shape"]
    place = _index_shape([shape], parameters)
    if shapes[0] != place:
        raise ShapeClash(f"{show(shapes[0])} does not fit into a place of shape {show(place)}")
    return shape


def _scatter_text(writer: Writer, node: Node) -> Phrase:
    zeros = f"zeros({', '.join(map(str, node.shape))})"
    return Phrase(f"scatter({writer.write(node.inputs[0])}, {zeros}{brackets(node.parameters['key'])})")


def _scatter_value(domain: Domain, node: Node, x: Any) -> Any:
    rank = len(node.inputs[0].shape)
    result = domain.zeros(tuple(x.shape[: x.ndim - rank]) + node.shape)
    result[_whole_key(node, len(node.shape))] = x
    return result


register(
    Operation(
        name="scatter",
        public=False,
        about="Zeros with x put in at an index: the adjoint of an index.",
        signature=Signature(arrays=("x",), options={"key": REQUIRED, "shape": REQUIRED}),
        shape=_scatter_shape,
        value=_scatter_value,
        derivative=lambda node, g: (apply("index", g, key=node.parameters["key"]),),
        notation=Notation(
            latex=operator("scatter", below=lambda node: put_below(key_below(node), node.shape)).latex,
            text=_scatter_text,
        ),
    )
)


def _gather_shape(shapes: Sequence[Shape], parameters: Parameters) -> Shape:
    (shape,) = shapes
    if not parameters["indices"]:
        raise ShapeClash("an empty list of positions chooses nothing")
    for position in parameters["indices"]:
        if not shape or not 0 <= position < shape[0]:
            raise ShapeClash(f"index {position} is out of range for axis 0 of {show(shape)}")
    return (len(parameters["indices"]), *shape[1:])


def _gather_text(writer: Writer, node: Node) -> Phrase:
    return Phrase(f"{writer.write(node.inputs[0], ATOM)}[{list(node.parameters['indices'])}]")


register(
    Operation(
        name="gather",
        public=False,
        about="Rows chosen by a list of positions: `E[ids]`.",
        signature=Signature(arrays=("x",), options={"indices": REQUIRED}),
        shape=_gather_shape,
        value=lambda domain, node, x: domain.stack(
            [x[(Ellipsis, i, *(slice(None),) * (len(node.shape) - 1))] for i in node.parameters["indices"]],
            -len(node.shape),
        ),
        derivative=lambda node, g: (
            apply("scatter_rows", g, indices=node.parameters["indices"], size=node.inputs[0].shape[0]),
        ),
        notation=Notation(latex=gathered_latex, text=_gather_text),
    )
)


def _scatter_rows_shape(shapes: Sequence[Shape], parameters: Parameters) -> Shape:
    (shape,), indices, size = shapes, parameters["indices"], parameters["size"]
    if not shape or shape[0] != len(indices):
        raise ShapeClash(f"{len(indices)} positions for {show(shape)}: one is needed for each row")
    for position in indices:
        if not 0 <= position < size:
            raise ShapeClash(f"position {position} is out of range for {size} rows")
    return (size, *shape[1:])


def _scatter_rows_value(domain: Domain, node: Node, x: Any) -> Any:
    rank = len(node.shape)
    rest = (slice(None),) * (rank - 1)
    result = domain.zeros(tuple(x.shape[: x.ndim - rank]) + node.shape)
    for place, position in enumerate(node.parameters["indices"]):
        result[(Ellipsis, position, *rest)] += x[(Ellipsis, place, *rest)]
    return result


register(
    Operation(
        name="scatter_rows",
        about="Rows added into zeros at a list of positions, `size` rows in all: the adjoint of `gather`.",
        signature=Signature(arrays=("x",), options={"indices": REQUIRED, "size": REQUIRED}),
        shape=_scatter_rows_shape,
        value=_scatter_rows_value,
        derivative=lambda node, g: (apply("gather", g, indices=node.parameters["indices"]),),
        notation=operator("scatter_rows", "indices", "size", below=rows_below),
    )
)

register(
    Operation(
        name="flip",
        about="The elements along an axis in reverse order.",
        signature=Signature(arrays=("x",), options={"axis": -1}),
        shape=along_axis,
        value=lambda domain, node, x: domain.flip(x, axis_of(node.inputs[0].shape, node.parameters["axis"])),
        derivative=lambda node, g: (apply("flip", g, axis=node.parameters["axis"]),),
        notation=operator("flip", "axis", spoken=True),
    )
)


def _one_hot_value(domain: Domain, node: Node, x: Any) -> Any:
    size = node.shape[-1]
    positions = domain.array(tuple(map(str, range(size))), (size,))
    return domain.compare("equal", domain.position(x, size)[..., None], positions)


register(
    Operation(
        name="one_hot",
        about="A row of `size` zeros with a 1 at the position that x gives; a position outside is an error.",
        signature=Signature(arrays=("x",), options={"size": REQUIRED}),
        shape=lambda shapes, parameters: (*shapes[0], parameters["size"]),
        value=_one_hot_value,
        derivative=lambda node, g: (None,),
        notation=Notation(
            latex=operator("one_hot", below=lambda node: f"_{{{node.shape[-1]}}}").latex,
            text=call("one_hot", "size"),
        ),
    )
)


def filled(shape: Shape, value: int) -> Node:
    """Return an array of ``shape`` with ``value`` everywhere."""
    return apply("broadcast", constant(value), shape=shape)
