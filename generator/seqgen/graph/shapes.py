"""Shape rules that several operations share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from seqgen.graph.node import Parameters, Shape, ShapeClash


class Size(int):
    """The length of an axis that a spec states by a dim: equal to the plain length, and known by the dim's name."""

    dim: str

    def __new__(cls, length: int, dim: str) -> Size:
        """Return ``length`` as that of ``dim``."""
        size = super().__new__(cls, length)
        size.dim = dim
        return size

    def __reduce__(self) -> tuple[type[Size], tuple[int, str]]:
        return Size, (int(self), self.dim)


def show(shape: Shape) -> str:
    """Return a shape as messages write it: ``[2, 3]``, or ``a scalar``."""
    return f"[{', '.join(map(str, shape))}]" if shape else "a scalar"


def show_dims(shape: Shape) -> str:
    """Return a shape with the names of its dims: ``[K, 2]``."""
    return f"[{', '.join(size.dim if isinstance(size, Size) else str(size) for size in shape)}]"


def agree(lengths: Iterable[int], shapes: Sequence[Shape], hint: str = "") -> None:
    """Make sure that equal lengths, which are taken as one axis, are not stated by different dims.

    Raises:
        ShapeClash: where they are, so that they are equal by chance.
    """
    dims = list(dict.fromkeys(size.dim for size in lengths if isinstance(size, Size)))
    if len(dims) > 1:
        first, second, *_ = dims
        reason = f"{first} and {second} are different sizes that are equal here: "
        reason += f"{' and '.join(map(show_dims, shapes))} do not fit together"
        hint = hint or "reshape one side so that its axes line up, as in reshape(x, [N, 1])"
        raise ShapeClash(reason, f"{hint}; if {first} and {second} are one size, state it by one name")


def common(shapes: Sequence[Shape]) -> Shape:
    """Return the first of several shapes, with the names of those lengths that all state by one dim."""
    dims = zip(*shapes, strict=True) if len(shapes) > 1 else ((size,) for size in shapes[0])
    return tuple(
        sizes[0] if len({getattr(size, "dim", "") for size in sizes}) == 1 else int(sizes[0]) for sizes in dims
    )


def broadcast(shapes: Sequence[Shape], parameters: Parameters | None = None) -> Shape:
    """Return the common shape by numpy's rule: axes are matched from the last one."""
    rank = max(map(len, shapes))
    result = []
    for axis in range(1, rank + 1):
        sizes = [shape[-axis] for shape in shapes if len(shape) >= axis and shape[-axis] != 1]
        if len(set(sizes)) > 1:
            raise ShapeClash(f"shapes {' and '.join(map(show, shapes))} do not fit together")
        agree(sizes, shapes)
        result.append(next((size for size in sizes if isinstance(size, Size)), sizes[0]) if sizes else 1)
    return tuple(reversed(result))


def same(shapes: Sequence[Shape], parameters: Parameters) -> Shape:
    """Return the shape of the one input."""
    return shapes[0]


def axis_of(shape: Shape, axis: int) -> int:
    """Return ``axis`` counted from the end (-1 is the last).

    Raises:
        ShapeClash: where there is no such axis.
    """
    if not isinstance(axis, int):
        raise ShapeClash(f"one axis is needed here, not {list(axis)}")
    if not -len(shape) <= axis < len(shape):
        raise ShapeClash(f"there is no axis {axis} in shape {show(shape)}")
    return axis if axis < 0 else axis - len(shape)


def reduced(shapes: Sequence[Shape], parameters: Parameters) -> Shape:
    """Return the shape that is left after a reduction over ``axis`` (one, several, or all where it is ``None``)."""
    (shape,) = shapes
    axes = reduction_axes(shape, parameters.get("axis"))
    if any(shape[axis] == 0 for axis in axes):
        raise ShapeClash(f"{show(shape)} has an empty axis to reduce")
    kept = parameters.get("keepdims", False)
    sizes = (1 if axis - len(shape) in axes else size for axis, size in enumerate(shape))
    return tuple(size for axis, size in enumerate(sizes) if kept or axis - len(shape) not in axes)


def along_axis(shapes: Sequence[Shape], parameters: Parameters) -> Shape:
    """Return the shape of the one input, once it is known to have the axis."""
    axis_of(shapes[0], parameters["axis"])
    return shapes[0]


def reduction_axes(shape: Shape, axis: int | tuple[int, ...] | None) -> tuple[int, ...]:
    """Return the axes that a reduction runs over, counted from the end."""
    if axis is None:
        return tuple(range(-len(shape), 0))
    axes = tuple(sorted(axis_of(shape, one) for one in ((axis,) if isinstance(axis, int) else axis)))
    if len(set(axes)) < len(axes):
        raise ShapeClash(f"axis {list(axes)} names an axis twice")
    return axes
