"""The contract of a domain: the scalars in which a reading computes, and the functions that operations are written in.

A new reading gives these functions and knows no operation. `seqgen.readings.arrays.NumpyDomain` has those on arrays for
any scalar type that numpy can hold; what is left then is ``scalar``, ``zero``, ``compare``, ``where``, ``power``,
``exp``, ``log``, ``sqrt``, ``tanh``, ``sin``, ``cos``, ``erf``, ``centre``, ``max``, ``min`` and ``argmax``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from seqgen.graph.node import Shape


class Domain(Protocol):
    """Arrays of scalars. An axis is counted from the end; axes before those of a node are a batch of variants."""

    zero: Any

    # What a spec writes

    def scalar(self, text: str, /) -> Any:
        """Return the scalar that ``text`` writes: a decimal, a quotient, ``pi``, ``inf`` or ``-inf``."""

    def array(self, texts: Sequence[str], shape: Shape, /) -> Any:
        """Return the array of ``shape`` whose elements ``texts`` write, the last axis fastest."""

    def zeros(self, shape: Shape, /) -> Any:
        """Return zeros of ``shape``."""

    # Element by element, with numpy's broadcasting

    def exp(self, x: Any, /) -> Any:
        """Return the exponential; 0 at ``-inf``."""

    def log(self, x: Any, /) -> Any:
        """Return the natural logarithm."""

    def sqrt(self, x: Any, /) -> Any:
        """Return the square root."""

    def tanh(self, x: Any, /) -> Any:
        """Return the hyperbolic tangent."""

    def sin(self, x: Any, /) -> Any:
        """Return the sine."""

    def cos(self, x: Any, /) -> Any:
        """Return the cosine."""

    def erf(self, x: Any, /) -> Any:
        """Return the error function."""

    def absolute(self, x: Any, /) -> Any:
        """Return the absolute value."""

    def power(self, x: Any, y: Any, /) -> Any:
        """Return ``x`` to the power ``y``."""

    def divide(self, x: Any, y: Any, /) -> Any:
        """Return the quotient."""

    def maximum(self, x: Any, y: Any, /) -> Any:
        """Return the larger of two."""

    def minimum(self, x: Any, y: Any, /) -> Any:
        """Return the smaller of two."""

    def compare(self, name: str, x: Any, y: Any, /) -> Any:
        """Return 1 where the comparison holds, else 0: ``greater``, ``less_equal``, ``not_equal`` and their like."""

    def where(self, condition: Any, x: Any, y: Any, /) -> Any:
        """Return ``x`` where ``condition`` is not zero, else ``y``."""

    # Along axes

    def max(self, x: Any, axes: tuple[int, ...], /, *, keepdims: bool) -> Any:
        """Return the maximum over ``axes``."""

    def min(self, x: Any, axes: tuple[int, ...], /, *, keepdims: bool) -> Any:
        """Return the minimum over ``axes``."""

    def argmax(self, x: Any, axis: int, /) -> Any:
        """Return the first position of the maximum along ``axis``."""

    def centre(self, x: Any, axis: int, /) -> tuple[Any, Any]:
        """Return ``x`` less its maximum along ``axis``, and the maximum, kept as an axis of length one."""

    def matmul(self, a: Any, b: Any, /) -> Any:
        """Return the matrix product [..., m, k] × [..., k, n] → [..., m, n]."""

    def position(self, x: Any, size: int, /) -> Any:
        """Return ``x``, once its elements are known to be positions among ``size``, where the domain can decide it."""

    # Shapes

    def broadcast_to(self, x: Any, shape: Shape, /) -> Any:
        """Return ``x`` repeated to ``shape``."""

    def concatenate(self, arrays: Sequence[Any], axis: int, /) -> Any:
        """Return the arrays joined along ``axis``."""

    def stack(self, arrays: Sequence[Any], axis: int, /) -> Any:
        """Return the arrays joined along a new ``axis``."""

    def permute(self, x: Any, axes: Sequence[int], /) -> Any:
        """Return ``x`` with its trailing axes in the order ``axes``."""

    def flip(self, x: Any, axis: int, /) -> Any:
        """Return ``x`` reversed along ``axis``."""

    # The walk

    def finish(self, value: Any, /) -> Any:
        """Return ``value`` as an array of the domain again, where numpy has unpacked it to a scalar."""

    def detach(self, x: Any, /) -> Any:
        """Return the value, through which no gradient flows."""

    def iterate(self, loop: Any, values: Sequence[Any], /) -> Any:
        """Return what a loop keeps, one row a kept round."""

    def is_lost(self, x: Any, /) -> bool:
        """Whether nothing is known of ``x`` any more, so that going on is in vain."""

    def lost(self, shape: Shape, /) -> Any:
        """Return an array of which nothing is known."""
