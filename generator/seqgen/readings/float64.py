"""The float64 reading: numpy, fast, and batched for finite differences."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from seqgen.readings.arrays import Array, NumpyDomain

CONSTANTS = {"pi": math.pi, "inf": math.inf, "-inf": -math.inf}
COMPARE = {
    "greater": operator.gt,
    "less": operator.lt,
    "greater_equal": operator.ge,
    "less_equal": operator.le,
    "equal": operator.eq,
    "not_equal": operator.ne,
}


class Float64(NumpyDomain):
    """IEEE double precision as numpy computes it on this machine."""

    dtype = np.float64
    zero = 0.0
    recorded = NumpyDomain.recorded | {"centre", "max"}
    exp = staticmethod(np.exp)
    log = staticmethod(np.log)
    sqrt = staticmethod(np.sqrt)
    tanh = staticmethod(np.tanh)
    sin = staticmethod(np.sin)
    cos = staticmethod(np.cos)
    power = staticmethod(np.power)
    erf = staticmethod(np.vectorize(math.erf, otypes=[np.float64]))

    def scalar(self, text: str) -> float:
        """Return the nearest double."""
        if text in CONSTANTS:
            return CONSTANTS[text]
        numerator, slash, denominator = text.partition("/")
        return int(numerator) / int(denominator) if slash else float(text)

    def compare(self, name: str, x: Any, y: Any) -> Any:
        """Return 1.0 where the comparison ``name`` holds, else 0.0."""
        return COMPARE[name](x, y) * 1.0

    def where(self, condition: Any, x: Any, y: Any) -> Array:
        """Return ``x`` where ``condition`` is not zero, else ``y``."""
        return np.asarray(np.where(condition != 0, x, y))

    def centre(self, x: Array, axis: int) -> tuple[Array, Array]:
        """Return ``x`` less its maximum along ``axis``, and the maximum, kept as an axis of length one."""
        shift = np.maximum.reduce(x, axis=axis, keepdims=True)
        return x - shift, shift

    def max(self, x: Array, axes: tuple[int, ...], *, keepdims: bool) -> Any:
        """Return the maximum over ``axes``."""
        return np.maximum.reduce(x, axis=axes, keepdims=keepdims)  # type: ignore[call-overload]

    def min(self, x: Array, axes: tuple[int, ...], *, keepdims: bool) -> Any:
        """Return the minimum over ``axes``."""
        return np.minimum.reduce(x, axis=axes, keepdims=keepdims)  # type: ignore[call-overload]

    def argmax(self, x: Array, axis: int) -> Array:
        """Return the first position of the maximum along ``axis``."""
        return np.asarray(np.argmax(x, axis=axis), dtype=np.float64)
