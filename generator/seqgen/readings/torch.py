"""The torch reading: the same graph in PyTorch float64, for an independent derivative by its autograd.

PyTorch is optional; only the checks that replay by it import this module's domain.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Sequence
from typing import Any

from seqgen.graph.node import Node, Shape
from seqgen.readings.evaluate import Loop, evaluate, iterate, walk
from seqgen.readings.float64 import COMPARE, Float64


def is_installed() -> bool:
    """Whether PyTorch can be imported."""
    return importlib.util.find_spec("torch") is not None


def missing(release: str = "") -> str:
    """Return why PyTorch, in ``release`` where one is stated, can't be asked; empty where it can."""
    if not is_installed():
        return "PyTorch is not installed"
    installed = importlib.metadata.version("torch").partition("+")[0]
    return f"PyTorch {installed} is installed, not {release}" if release not in ("", installed) else ""


class Torch:
    """Tensors of float64 on the CPU."""

    exp: Any
    log: Any
    sqrt: Any
    tanh: Any
    sin: Any
    cos: Any
    erf: Any

    def __init__(self) -> None:
        import torch

        self._torch: Any = torch
        self.zero = self.scalar("0")
        for name in ("exp", "log", "sqrt", "tanh", "sin", "cos", "erf"):
            setattr(self, name, getattr(torch, name))

    def scalar(self, text: str) -> Any:
        """Return the nearest double as a tensor."""
        return self._torch.tensor(Float64().scalar(text), dtype=self._torch.float64)

    def array(self, texts: Sequence[str], shape: Shape) -> Any:
        """Return the tensor of ``shape`` whose elements ``texts`` write."""
        values = [Float64().scalar(text) for text in texts]
        return self._torch.tensor(values, dtype=self._torch.float64).reshape(shape)

    def finish(self, value: Any) -> Any:
        """Return the value."""
        return value

    def zeros(self, shape: Shape) -> Any:
        """Return zeros."""
        return self._torch.zeros(shape, dtype=self._torch.float64)

    def matmul(self, a: Any, b: Any) -> Any:
        """Return the matrix product."""
        return a @ b

    def divide(self, x: Any, y: Any) -> Any:
        """Return the quotient."""
        return x / y

    def power(self, x: Any, y: Any) -> Any:
        """Return the power."""
        return self._torch.pow(x, y)

    def position(self, x: Any, size: int) -> Any:  # noqa: ARG002
        """Return ``x``; whether it is a position is seen by the proof."""
        return x

    def absolute(self, x: Any) -> Any:
        """Return the absolute value; its derivative at 0 is 0."""
        return self._torch.abs(x)

    def maximum(self, x: Any, y: Any) -> Any:
        """Return the larger of two; a tie shares the derivative."""
        return self._torch.maximum(*self._torch.broadcast_tensors(x, y))

    def minimum(self, x: Any, y: Any) -> Any:
        """Return the smaller of two; a tie shares the derivative."""
        return self._torch.minimum(*self._torch.broadcast_tensors(x, y))

    def iterate(self, loop: Loop, values: Sequence[Any]) -> Any:
        """Return what a loop keeps, one row a kept round."""
        return iterate(loop, values, self, walk)

    def is_lost(self, x: Any) -> bool:  # noqa: ARG002
        """Return that nothing is ever lost."""
        return False

    def lost(self, shape: Shape) -> Any:
        """Return numbers that are none."""
        return self._torch.full(shape, float("nan"), dtype=self._torch.float64)

    def detach(self, x: Any) -> Any:
        """Return the value, through which no gradient flows."""
        return x.detach()

    def compare(self, name: str, x: Any, y: Any) -> Any:
        """Return 1.0 where the comparison ``name`` holds, else 0.0."""
        return COMPARE[name](x, y).to(self._torch.float64)

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        """Return ``x`` where ``condition`` is not zero, else ``y``."""
        return self._torch.where(condition != 0, x, y)

    def centre(self, x: Any, axis: int) -> tuple[Any, Any]:
        """Return ``x`` less its maximum along ``axis``, and the maximum, through which no gradient flows."""
        shift = x.detach().amax(axis, keepdim=True)
        return x - shift, shift

    def max(self, x: Any, axes: tuple[int, ...], *, keepdims: bool) -> Any:
        """Return the maximum over ``axes``; ties share the gradient."""
        return self._torch.amax(x, dim=axes, keepdim=keepdims)

    def min(self, x: Any, axes: tuple[int, ...], *, keepdims: bool) -> Any:
        """Return the minimum over ``axes``; ties share the gradient."""
        return self._torch.amin(x, dim=axes, keepdim=keepdims)

    def argmax(self, x: Any, axis: int) -> Any:
        """Return the first position of the maximum along ``axis``."""
        return self._torch.argmax(x, dim=axis).to(self._torch.float64)

    def concatenate(self, arrays: Sequence[Any], axis: int) -> Any:
        """Return the tensors joined along ``axis``."""
        return self._torch.cat(tuple(arrays), dim=axis)

    def stack(self, arrays: Sequence[Any], axis: int) -> Any:
        """Return the tensors joined along a new ``axis``."""
        return self._torch.stack(tuple(arrays), dim=axis)

    def broadcast_to(self, x: Any, shape: Shape) -> Any:
        """Return ``x`` repeated to ``shape``."""
        return self._torch.broadcast_to(x, shape)

    def permute(self, x: Any, axes: Sequence[int]) -> Any:
        """Return ``x`` with its trailing axes in the order ``axes``."""
        lead = x.ndim - len(axes)
        return x.permute(*range(lead), *(lead + axis for axis in axes))

    def flip(self, x: Any, axis: int) -> Any:
        """Return ``x`` reversed along ``axis``."""
        return self._torch.flip(x, (axis,))


def autograd(root: Node, by: Sequence[Node]) -> list[Any]:
    """Return the gradients of ``root`` with respect to the nodes ``by``, as numpy arrays, by PyTorch's autograd."""
    domain = Torch()
    values = evaluate(by, domain)
    leaves = {node: values[node].detach().clone().requires_grad_(True) for node in by}
    result = evaluate([root], domain, replaced=leaves)[root]
    if not result.requires_grad:  # the scalar does not depend on them, or only where no gradient flows
        return [domain.zeros(node.shape).numpy() for node in by]
    gradients = domain._torch.autograd.grad(result, list(leaves.values()), allow_unused=True)
    zeros = (g if g is not None else domain.zeros(node.shape) for g, node in zip(gradients, by, strict=True))
    return [g.detach().numpy() for g in zeros]
