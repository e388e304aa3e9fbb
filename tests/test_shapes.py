"""Shapes, axes and positions that do not fit are refused, at either side of what still fits."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from seqgen.errors import SpecError
from seqgen.graph.node import Node, Shape, ShapeClash, apply
from seqgen.graph.shapes import Size

ALL = slice(None)


def of(shape: Shape) -> Node:
    """Return a given array of ones."""
    count = 1
    for size in shape:
        count *= size
    return apply("given", texts=("1",) * count, shape=shape)


REFUSED: list[tuple[str, list[Shape], dict[str, Any], str]] = [
    ("add", [(2,), (3,)], {}, "do not fit together"),
    ("add", [(2, 3), (2, 1, 2)], {}, "do not fit together"),
    ("matmul", [(), (2,)], {}, "@ multiplies vectors and matrices"),
    ("matmul", [(2,), ()], {}, "@ multiplies vectors and matrices"),
    ("matmul", [(2,), (1, 2, 3)], {}, "a vector goes with a vector or a matrix only"),
    ("matmul", [(1, 2, 3), (3,)], {}, "a vector goes with a vector or a matrix only"),
    ("matmul", [(2, 3), (2, 3)], {}, "sums over 3 and 2"),
    ("matmul", [(2,), (3, 2)], {}, "sums over 2 and 3"),
    ("matmul", [(2, 2, 3), (3, 3, 1)], {}, "do not fit together"),
    ("outer", [(2,), (2, 1)], {}, "outer takes two vectors"),
    ("outer", [(), (2,)], {}, "outer takes two vectors"),
    ("transpose", [(3,)], {}, "has no transpose"),
    ("permute", [(2, 3)], {"axes": (0, 0)}, "must be a rearrangement"),
    ("permute", [(2, 3)], {"axes": (0,)}, "must be a rearrangement"),
    ("reshape", [(2, 3)], {"shape": (5,)}, "[2, 3] has 6 elements"),
    ("broadcast", [(2,)], {"shape": (3,)}, "can't be broadcast"),
    ("broadcast", [(2, 1)], {"shape": (2,)}, "can't be broadcast"),
    ("sum", [(2, 3)], {"axis": 2}, "there is no axis 2"),
    ("sum", [(2, 3)], {"axis": -3}, "there is no axis -3"),
    ("sum", [(2, 3)], {"axis": (0, -2)}, "names an axis twice"),
    ("softmax", [(2, 3)], {"axis": (0, 1)}, "one axis is needed"),
    ("softmax", [()], {}, "there is no axis -1"),
    ("cumsum", [(2,)], {"axis": 1}, "there is no axis 1"),
    ("var", [(2,)], {"ddof": 2}, "needs more than 2 values"),
    ("var", [(2, 3)], {"axis": 0, "ddof": 3}, "needs more than 2 values"),
    ("concat", [], {}, "at least one array"),
    ("concat", [(2,), ()], {}, "joins arrays, not numbers"),
    ("concat", [(2, 3), (3, 3)], {}, "do not fit"),
    ("concat", [(2, 3), (2, 3, 1)], {}, "do not fit"),
    ("concat", [(2, 3), (2, 2)], {"axis": 0}, "do not fit"),
    ("concat", [(2, 3, 1), (2, 3, 2)], {"axis": 1}, "do not fit"),
    ("concat", [(2, 3, 1), (1, 3, 1)], {"axis": 1}, "do not fit"),
    ("stack", [], {}, "an empty list has no shape"),
    ("stack", [(2,), (3,)], {}, "stack needs equal shapes"),
    ("index", [(2,)], {"key": (2,)}, "index 2 is out of range: axis 0 has length 2, so 0 to 1"),
    ("index", [(2,)], {"key": (-1,)}, "index -1 is out of range: axis 0 has length 2, so 0 to 1"),
    ("index", [(2,)], {"key": (0, 0)}, "[2] has 1 axis, not 2"),
    ("index", [(2, 3)], {"key": (0, 3)}, "index 3 is out of range: axis 1 has length 3, so 0 to 2"),
    ("index", [(3,)], {"key": (slice(1, 4),)}, "the slice 1:4 leaves axis 0"),
    ("index", [(3,)], {"key": (slice(1, 1),)}, "the slice 1:1 leaves axis 0"),
    ("index", [(3,)], {"key": (slice(-1, 2),)}, "leaves axis 0"),
    ("index", [(3,)], {"key": (slice(3, None),)}, "the slice 3:3 leaves axis 0"),
    ("gather", [(2, 3)], {"indices": ()}, "chooses nothing"),
    ("gather", [(2, 3)], {"indices": (0, 2)}, "index 2 is out of range for axis 0"),
    ("gather", [(2, 3)], {"indices": (-1,)}, "index -1 is out of range for axis 0"),
    ("gather", [()], {"indices": (0,)}, "index 0 is out of range for axis 0"),
    ("broadcast", [()], {"shape": (1000, 1001)}, "1,001,000 elements; at most 1,000,000"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "shapes", "options", "message"), REFUSED)
def test_what_does_not_fit_is_refused(name: str, shapes: list[Shape], options: dict[str, Any], message: str) -> None:
    """The message says which sizes, axes or positions they are."""
    inputs = [of(shape) for shape in shapes]
    with pytest.raises(ShapeClash) as caught:
        apply(name, *inputs, **options)
    assert message in str(caught.value)


FITS: list[tuple[str, list[Shape], dict[str, Any], Shape]] = [
    ("add", [(2, 1), (3,)], {}, (2, 3)),
    ("add", [(), ()], {}, ()),
    ("add", [(1,), (1, 1)], {}, (1, 1)),
    ("matmul", [(3,), (3,)], {}, ()),
    ("matmul", [(3,), (3, 2)], {}, (2,)),
    ("matmul", [(2, 3), (3,)], {}, (2,)),
    ("matmul", [(1, 2, 3), (4, 3, 5)], {}, (4, 2, 5)),
    ("matmul", [(2, 3), (4, 3, 5)], {}, (4, 2, 5)),
    ("broadcast", [(2, 1)], {"shape": (4, 2, 3)}, (4, 2, 3)),
    ("broadcast", [()], {"shape": (1000, 1000)}, (1000, 1000)),
    ("sum", [(2, 3)], {"axis": -2}, (3,)),
    ("sum", [(2, 3)], {"axis": 1}, (2,)),
    ("sum", [(2, 3, 4)], {"axis": (0, 2), "keepdims": True}, (1, 3, 1)),
    ("var", [(3,)], {"ddof": 2}, ()),
    ("concat", [(2, 3), (2, 1)], {}, (2, 4)),
    ("concat", [(2, 3, 1), (2, 1, 1)], {"axis": 1}, (2, 4, 1)),
    ("concat", [(2, 3), (1, 3)], {"axis": -2}, (3, 3)),
    ("stack", [(2,)], {}, (1, 2)),
    ("index", [(3, 2)], {"key": (2, 1)}, ()),
    ("index", [(3, 2)], {"key": (slice(1, 3),)}, (2, 2)),
    ("index", [(3, 2)], {"key": (ALL, 0)}, (3,)),
    ("index", [(3,)], {"key": (slice(2, None),)}, (1,)),
    ("gather", [(2, 3)], {"indices": (1, 1, 0)}, (3, 3)),
]


@pytest.mark.parametrize(("name", "shapes", "options", "shape"), FITS)
def test_what_just_fits_has_its_shape(name: str, shapes: list[Shape], options: dict[str, Any], shape: Shape) -> None:
    """The last axis, the last position and the largest size are allowed."""
    assert apply(name, *(of(one) for one in shapes), **options).shape == shape


@pytest.mark.parametrize(
    ("shape", "expression"),
    [("[2]", "A / b"), ("[D]", "A / b"), ("[K]", "A / reshape(b, [K, 1])"), ("[K]", "A.T / b"), ("[K]", "b @ A"),
     ("[D]", "[A[:, 0], b] @ A"), ("[K]", "A[0] + [b[k] for k in range(K)]"), ("[K]", "sum(A, axis=1) * b")],
)  # fmt: skip
def test_a_size_aligns_with_its_own_dim_and_with_unnamed_ones(steps: Any, shape: str, expression: str) -> None:
    """With K = D, the names of the axes and nothing else tell what may be aligned."""
    given = {"A": "[[1, 2], [3, 4]], shape: [K, D]", "b": f"[1, 2], shape: {shape}"}
    steps(f"z = {expression}", given=given)


def test_a_row_and_a_column_are_no_sum(steps: Any) -> None:
    """What an index or a reduction leaves keeps its name."""
    given = {"A": "[[1, 2], [3, 4]], shape: [K, D]"}
    for expression in ("A[0] + A[:, 0]", "sum(A, axis=0) + sum(A, axis=1)", "A + A.T", "A @ A", "where(A > 0, A, A.T)"):
        with pytest.raises(SpecError, match=r"[DK] and [DK] are different sizes"):
            steps(f"z = {expression}", given=given)


def test_a_named_length_is_the_plain_length() -> None:
    """In every comparison and in text; workers can send it to each other."""
    size = pickle.loads(pickle.dumps(Size(3, "T")))
    assert (size, hash(size), f"{size}", size.dim) == (3, hash(3), "3", "T")
