"""The array primitives that the numpy-backed domains share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from seqgen.graph.node import Shape
from seqgen.readings.evaluate import Loop, iterate
from seqgen.readings.plan import replay

Array = np.ndarray[Any, Any]


class NumpyDomain:
    """Arrays of some scalar type; a subclass supplies the scalars and their functions."""

    dtype: Any = object
    zero: Any
    compare: Any
    where: Any
    power: Any
    exp: Any
    log: Any
    sqrt: Any
    tanh: Any
    sin: Any
    cos: Any
    erf: Any
    centre: Any
    max: Any
    min: Any
    argmax: Any
    # Functions made of ufuncs and views alone, so that a plan can look inside; it calls the others as a whole.
    recorded = frozenset({"divide", "compare"})

    def trim(self, array: Array) -> Callable[[Array], None] | None:  # noqa: ARG002
        """Return what a plan does to a value like ``array`` in place, as `finish` does on a walk, or nothing."""
        return None

    def scalar(self, text: str) -> Any:
        """Return the scalar that ``text`` writes: a decimal, a quotient, ``pi`` or ``-inf``."""
        raise NotImplementedError

    def array(self, texts: Sequence[str], shape: Shape) -> Array:
        """Return the array of ``shape`` whose elements ``texts`` write."""
        return np.fromiter(map(self.scalar, texts), dtype=self.dtype, count=len(texts)).reshape(shape)

    def finish(self, value: Any) -> Array:
        """Return ``value`` as an array again, where numpy has unpacked it to a scalar."""
        if isinstance(value, np.ndarray):
            return value
        result = np.empty((), dtype=self.dtype)
        result[()] = value
        return result

    def zeros(self, shape: Shape) -> Array:
        """Return zeros."""
        return np.full(shape, self.zero, dtype=self.dtype)

    def matmul(self, a: Array, b: Array) -> Array:
        """Return the matrix product."""
        product: Array = a @ b
        return product

    def divide(self, x: Any, y: Any) -> Any:
        """Return the quotient."""
        return x / y

    def position(self, x: Array, size: int) -> Array:  # noqa: ARG002
        """Return ``x``, once its elements are known to be positions among ``size``, by a domain that can tell."""
        return x

    def absolute(self, x: Any) -> Any:
        """Return the absolute value."""
        return self.where(self.compare("less", x, 0), -x, x)

    def maximum(self, x: Any, y: Any) -> Any:
        """Return the larger of two, element by element."""
        return self.where(self.compare("greater", x, y), x, y)

    def minimum(self, x: Any, y: Any) -> Any:
        """Return the smaller of two, element by element."""
        return self.where(self.compare("less", x, y), x, y)

    def iterate(self, loop: Loop, values: Sequence[Array]) -> Array:
        """Return what a loop keeps, one row a kept round."""
        rows: Array = iterate(loop, values, self, replay)
        return rows

    def is_lost(self, x: Array) -> bool:  # noqa: ARG002
        """Whether nothing is known of ``x`` any more, so that going on is in vain."""
        return False

    def lost(self, shape: Shape) -> Array:
        """Return an array of which nothing is known."""
        raise NotImplementedError

    def detach(self, x: Array) -> Array:
        """Return the value itself."""
        return x

    def concatenate(self, arrays: Sequence[Array], axis: int) -> Array:
        """Return the arrays joined along ``axis``."""
        return np.concatenate(arrays, axis=axis)

    def stack(self, arrays: Sequence[Array], axis: int) -> Array:
        """Return the arrays joined along a new ``axis``, counted from the end of the result."""
        return np.stack([np.asarray(a, dtype=self.dtype) for a in arrays], axis=axis)

    def broadcast_to(self, x: Array, shape: Shape) -> Array:
        """Return ``x`` repeated to ``shape``."""
        return np.broadcast_to(x, shape)

    def permute(self, x: Array, axes: Sequence[int]) -> Array:
        """Return ``x`` with its trailing axes in the order ``axes``."""
        lead = x.ndim - len(axes)
        return np.transpose(x, (*range(lead), *(lead + axis for axis in axes)))

    def flip(self, x: Array, axis: int) -> Array:
        """Return ``x`` reversed along ``axis``."""
        return np.flip(x, axis)


def reduce(choose: np.ufunc, x: Array, axes: tuple[int, ...], *, keepdims: bool) -> Array:
    """Return ``x`` reduced by a choice between two, over one axis after the other."""
    for axis in axes:
        x = choose.reduce(x, axis=axis, keepdims=True)
    return x if keepdims else x.reshape(tuple(x.shape[i] for i in range(x.ndim) if i - x.ndim not in axes))
