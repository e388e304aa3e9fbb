"""References: each function of PyTorch that a spec may name agrees where it should, and refuses another convention."""

from __future__ import annotations

from typing import Any

import pytest

from components import need_torch
from seqgen.assertions.references import TORCH
from seqgen.build.artifacts import make

GATES = """\
given:
  x: {value: [0.5, -1]}
  h: {value: [0.3, -0.2]}
  c: {value: [0.1, 0.4]}
  W: {value: [[0.2, -0.1], [0.4, 0.3], [-0.3, 0.5], [0.1, 0.2], [0.6, -0.4], [-0.2, 0.1]]}
  U: {value: [[0.1, 0.3], [-0.2, 0.4], [0.5, -0.1], [0.2, 0.6], [-0.3, 0.2], [0.4, -0.5]]}
  a: {value: [0.1, -0.1, 0.2, 0.05, -0.2, 0.3]}
  b: {value: [-0.05, 0.1, 0.15, -0.1, 0.25, 0.2]}
"""
GRU = """\
steps: |
  I = x @ W.T + a
  R = h @ U.T + b
  r = sigmoid(I[0:2] + R[0:2])
  z = sigmoid(I[2:4] + R[2:4])
  after = tanh(I[4:6] + r * R[4:6])
  before = tanh(I[4:6] + (r * h) @ U[4:6].T + b[4:6])
  right = z * h + (1 - z) * after
  wrong = z * h + (1 - z) * before
"""
RNN = """\
steps: |
  right = tanh(x @ W[0:2].T + a[0:2] + h @ U[0:2].T + b[0:2])
  wrong = tanh(x @ W[0:2] + a[0:2] + h @ U[0:2].T + b[0:2])
"""
LSTM = """\
given:
  x: {value: [0.5]}
  h: {value: [0.3]}
  c: {value: [0.1]}
  W: {value: [[0.2], [0.4], [-0.3], [0.1]]}
  U: {value: [[0.1], [-0.2], [0.5], [0.2]]}
  b: {value: [0.1, -0.1, 0.2, 0.05]}
steps: |
  s = x @ W.T + h @ U.T + b + b
  c_right = sigmoid(s[1:2]) * c + sigmoid(s[0:1]) * tanh(s[2:3])
  c_wrong = sigmoid(s[0:1]) * c + sigmoid(s[1:2]) * tanh(s[2:3])
  right = [sigmoid(s[3:4]) * tanh(c_right), c_right]
  wrong = [sigmoid(s[3:4]) * tanh(c_wrong), c_wrong]
"""
ROWS = """\
dims: {d: 2}
given:
  X: {value: [[1, 0.5], [-0.3, 2], [0.7, 0.1]]}
  g: {value: [1, 2]}
  k: {value: [0.5, -1]}
  P: {value: [[0.1, 0.2], [0.3, -0.4], [0.5, 0.1], [-0.2, 0.3], [0.4, 0.6], [0.2, -0.1]]}
  y: {value: [1, 0, 1]}
  m: {value: [[1, 2, 0], [0, 1, 3], [2, 0, 1]]}
  f: {value: [[1, 0], [2, -1]]}
steps: |
"""
ATTENTION = "softmax(X @ X.T / sqrt(d) {mask}) @ X"

CASES: dict[str, tuple[str, str, str, str]] = {
    "GRUCell": (GATES + GRU, "[x, h, W, U, a, b]", "{}", "reset before the recurrent product"),
    "RNNCell": (GATES + RNN, "[x, h, 'W[0:2]', 'U[0:2]', 'a[0:2]', 'b[0:2]']", "{}", "the weight not transposed"),
    "LSTMCell": (LSTM, "[x, h, c, W, U, b, b]", "{}", "input and forget gates exchanged"),
    "scaled_dot_product_attention": (
        f"{ROWS}  right = {ATTENTION.format(mask='+ causal_mask(3)')}\n  wrong = {ATTENTION.format(mask='')}\n",
        "[X, X, X]",
        "{is_causal: true}",
        "no mask",
    ),
    "layer_norm": (
        f"{ROWS}  m0 = mean(X, axis=1, keepdims=1)\n"
        "  right = g * (X - m0) / sqrt(var(X, axis=1, keepdims=1) + 1e-5) + k\n"
        "  wrong = g * (X - m0) / sqrt(var(X, axis=1, keepdims=1, ddof=1) + 1e-5) + k\n",
        "[X, g, k]",
        "{eps: 1e-5}",
        "the variance of a sample",
    ),
    "multi_head_attention": (
        f"{ROWS}  Q = X @ P[0:2].T\n  K = X @ P[2:4].T\n  V = X @ P[4:6].T\n"
        "  O1 = softmax(outer(Q[:, 0], K[:, 0])) @ V[:, 0:1]\n  O2 = softmax(outer(Q[:, 1], K[:, 1])) @ V[:, 1:2]\n"
        "  right = concat(O1, O2) @ f.T + k\n  wrong = concat(O2, O1) @ f.T + k\n",
        "[X, P, 'zeros(6)', f, k]",
        "{heads: 2}",
        "heads exchanged",
    ),
    "transformer_encoder_layer": (
        f"{ROWS}  A = {ATTENTION.format(mask='')}\n"
        "  N1 = (X + A @ f.T - mean(X + A @ f.T, axis=1, keepdims=1)) / sqrt(var(X + A @ f.T, axis=1, keepdims=1) + 1e-5)\n"
        "  J = gelu(N1 @ P.T) @ P\n"
        "  right = (N1 + J - mean(N1 + J, axis=1, keepdims=1)) / sqrt(var(N1 + J, axis=1, keepdims=1) + 1e-5)\n"
        "  N2 = (X - mean(X, axis=1, keepdims=1)) / sqrt(var(X, axis=1, keepdims=1) + 1e-5)\n"
        "  U = X + softmax(N2 @ N2.T / sqrt(d)) @ N2 @ f.T\n"
        "  N3 = (U - mean(U, axis=1, keepdims=1)) / sqrt(var(U, axis=1, keepdims=1) + 1e-5)\n"
        "  wrong = U + gelu(N3 @ P.T) @ P\n",
        "[X, 'concat(eye(2), eye(2), eye(2), axis=0)', 'zeros(6)', f, 'zeros(2)', 'ones(2)', 'zeros(2)', P, 'zeros(6)', P.T,"
        " 'zeros(2)', 'ones(2)', 'zeros(2)']",
        "{heads: 1, activation: gelu}",
        "LayerNorm inside the branches",
    ),
    "conv2d": (
        f"{ROWS}  right = [[sum(m[i:i+2, j:j+2] * f) for j in range(2)] for i in range(2)]\n"
        "  wrong = [[sum(m[i:i+2, j:j+2] * flip(flip(f, axis=0), axis=1)) for j in range(2)] for i in range(2)]\n",
        "[m, f]",
        "{}",
        "the filter turned round",
    ),
    "cross_entropy": (
        f"{ROWS}  right = -mean(log_softmax(X[t])[y[t]] for t in range(3))\n"
        "  wrong = -sum(log_softmax(X[t])[y[t]] for t in range(3))\n",
        "[X, y]",
        "{}",
        "summed instead of averaged",
    ),
    "linear": (f"{ROWS}  right = X @ f.T + k\n  wrong = X @ f + k\n", "[X, f, k]", "{}", "the weight not transposed"),
    "gelu": (
        f"{ROWS}  right = gelu(X)\n  wrong = X / 2 * (1 + tanh(sqrt(2 / pi) * (X + 0.044715 * X**3)))\n",
        "[X]",
        "{}",
        "the approximation by tanh",
    ),
}


def test_every_reference_has_a_case() -> None:
    """A function that is added is also shown to fail."""
    assert set(CASES) == set(TORCH)


@pytest.mark.real
@pytest.mark.parametrize("name", sorted(CASES))
def test_a_reference_agrees_and_refuses_another_convention(project: Any, name: str) -> None:
    """The right convention is within 1e-12 of PyTorch, the wrong one is not."""
    need_torch()
    body, arguments, options, _ = CASES[name]
    checks = "".join(
        f"  - reference: {{torch: {name}, arguments: {arguments}, options: {options}, equals: {side}, tolerance: 1e-12}}\n"
        for side in ("right", "wrong")
    )
    right, wrong = make(project(f"title: t\n{body}checks:\n{checks}"), "example", replay=True).outcomes
    assert right.passed, right.said
    assert not wrong.passed, wrong.said
