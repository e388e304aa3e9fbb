"""Independent numpy code of several small models by random conventions, for the diagnosis to find.

``python tests/diagnosis.py 200`` counts in how many of so many random models it finds the convention alone.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from seqgen.conventions.compare import Conventions
from seqgen.conventions.diagnosis import diagnose, read_values
from seqgen.project import Project

Given = Mapping[str, Any]


def sigmoid(x: Any) -> Any:
    """Return the logistic function."""
    return 1 / (1 + np.exp(-x))


def softmax(x: Any, axis: int = -1) -> Any:
    """Return softmax along an axis."""
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def gru(g: Given, how: str) -> dict[str, Any]:
    """Return the state of a GRU after a step."""
    w = g["W"].T if how == "transposed(W)" else g["W"]
    r, z = sigmoid(g["x"] @ g["U_r"].T + g["b_r"]), sigmoid(g["x"] @ g["U_z"].T)
    if how == "hard-sigmoid":
        r, z = (np.clip(0.2 * a + 0.5, 0, 1) for a in (g["x"] @ g["U_r"].T + g["b_r"], g["x"] @ g["U_z"].T))
    if how == "bias-twice(b_r)":
        r = sigmoid(g["x"] @ g["U_r"].T + 2 * g["b_r"])
    inner = r * (g["h"] @ w.T) if how == "reset-after" else (r * g["h"]) @ w.T
    n = np.tanh(g["x"] @ g["U"].T + inner)
    return {"y": z * n + (1 - z) * g["h"] if how == "gate-polarity" else (1 - z) * n + z * g["h"]}


GRU = """
  r = sigmoid(x @ U_r.T + b_r)
  z = sigmoid(x @ U_z.T)
  n = tanh(x @ U.T + (r * h) @ W.T)
  y = (1 - z) * n + z * h
"""


def layer_norm(g: Given, how: str) -> dict[str, Any]:
    """Return rows that are normalised and scaled."""
    x, epsilon = g["x"], 1e-3 if how == "epsilon-0.001" else 1e-2
    variance = x.var(axis=1, keepdims=True, ddof=1 if how == "variance-n-1" else 0)
    root = np.sqrt(variance) + epsilon if how == "epsilon-outside" else np.sqrt(variance + epsilon)
    root = np.sqrt(variance) if how == "epsilon-left-out" else root
    scale = g["b_g"] + 1 if how == "gamma-plus-one" else g["b_g"]
    return {"y": scale * (x - x.mean(1, keepdims=True)) / root}


NORM = """
  y = b_g * ((x - mean(x, axis=1, keepdims=1)) / sqrt(var(x, axis=1, keepdims=1) + 0.01))
"""


def attention(g: Given, how: str) -> dict[str, Any]:
    """Return what causal attention mixes."""
    q, k, v = (g["x"] @ g[name].T for name in ("U_q", "U_k", "U_v"))
    d = {"scale-left-out": 1, "scale-by-d": 2, "scale-model-width": np.sqrt(3)}.get(how, np.sqrt(2))
    s = (k @ q.T if how == "scores-transposed" else q @ k.T) / d
    if how == "mask-after-softmax":
        return {"y": np.tril(softmax(s)) @ v}
    hidden = np.where(np.tril(np.ones(s.shape)) > 0, s, -np.inf)
    return {"y": softmax(hidden, axis=0 if how == "softmax-over-queries" else 1) @ v}


ATTENTION = """
  q = x @ U_q.T
  k = x @ U_k.T
  v = x @ U_v.T
  y = softmax(q @ k.T / sqrt(2) + causal_mask(3)) @ v
"""


def lstm(g: Given, how: str) -> dict[str, Any]:
    """Return the state and the cell of an LSTM after a step."""
    i, f, o, c = (g["x"] @ g[name].T for name in ("U_i", "U_f", "U_o", "U_c"))
    i, f, o, c = sigmoid(i), sigmoid(f + (how == "forget-bias-one")), sigmoid(o), np.tanh(c)
    if how == "gates-swapped":
        i, f = f, i
    cell = f * g["c"] + i * c
    return {"cell": cell, "y": o * (cell if how == "cell-not-squashed" else np.tanh(cell))}


LSTM = """
  i = sigmoid(x @ U_i.T)
  f = sigmoid(x @ U_f.T)
  o = sigmoid(x @ U_o.T)
  cell = f * c + i * tanh(x @ U_c.T)
  y = o * tanh(cell)
"""


def loss(g: Given, how: str) -> dict[str, Any]:
    """Return the cross-entropies of two rows, and their mean."""
    p = softmax(g["x"] @ g["U"].T + (0 if how == "bias-left-out(b)" else g["b"]))
    each = -np.log(p[[0, 1], [1, 0]]) / {"log-base-2": np.log(2), "log-base-10": np.log(10)}.get(how, 1)
    return {"y": each, "L": each.sum() if how == "sum-not-mean" else each.mean()}


LOSS = """
  p = softmax(x @ U.T + b)
  y = [-log(p[0][1]), -log(p[1][0])]
  L = 1/2 * sum(y)
"""

# By name: the steps, the shapes of what is given, the conventions, and the independent code.
MODELS: dict[str, tuple[str, dict[str, tuple[int, ...]], tuple[str, ...], Callable[[Given, str], dict[str, Any]]]] = {
    "gru": (
        GRU,
        {"x": (3,), "h": (2,), "U_r": (2, 3), "b_r": (2,), "U_z": (2, 3), "U": (2, 3), "W": (2, 2)},
        ("", "reset-after", "gate-polarity", "transposed(W)", "hard-sigmoid", "bias-twice(b_r)"),
        gru,
    ),
    "norm": (
        NORM,
        {"x": (2, 4), "b_g": (4,)},
        ("", "variance-n-1", "epsilon-outside", "epsilon-0.001", "epsilon-left-out", "gamma-plus-one"),
        layer_norm,
    ),
    "attention": (
        ATTENTION,
        {"x": (3, 3), "U_q": (2, 3), "U_k": (2, 3), "U_v": (2, 3)},
        (
            "",
            "scale-left-out",
            "scale-by-d",
            "scale-model-width",
            "scores-transposed",
            "mask-after-softmax",
            "softmax-over-queries",
        ),
        attention,
    ),
    "lstm": (
        LSTM,
        {"x": (3,), "c": (2,), "U_i": (2, 3), "U_f": (2, 3), "U_o": (2, 3), "U_c": (2, 3)},
        ("", "forget-bias-one", "gates-swapped", "cell-not-squashed"),
        lstm,
    ),
    "loss": (
        LOSS,
        {"x": (2, 3), "U": (2, 3), "b": (2,)},
        ("", "log-base-2", "log-base-10", "sum-not-mean", "bias-left-out(b)"),
        loss,
    ),
}


def drawn(name: str, seed: int) -> tuple[str, dict[str, Any], str]:
    """Return a spec of a model with random numbers, the numbers of the independent code, and its convention."""
    steps, shapes, conventions, code = MODELS[name]
    rng = np.random.default_rng(seed)
    given = {key: np.round(rng.uniform(-1.5, 1.5, shape), 1) for key, shape in shapes.items()}
    how = conventions[int(rng.integers(len(conventions)))]
    rows = (
        f"  {key}: {{role: {'parameter' if key[0] in 'UWb' else 'input'}, value: {value.tolist()}}}\n"
        for key, value in given.items()
    )
    digits = int(rng.integers(4, 9))
    printed = {key: np.round(value, digits).tolist() for key, value in code(given, how).items()}
    return f"title: t\ngiven:\n{''.join(rows)}steps: |{steps}", printed, how


def diagnosed(root: Path, values: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    """Return the conventions by which the spec ``example`` of a project gives ``values``."""
    file = root / "values.json"
    file.write_text(json.dumps(values), encoding="utf-8")
    return diagnose(Conventions(project=Project(root), name="example"), read_values(file)).matches


def rightly_found(root: Path, numbers: range) -> int:
    """Return for how many random models the convention of the independent code, and no other, is found."""
    (root / "specs").mkdir()
    right = 0
    for number in numbers:
        spec, values, convention = drawn(list(MODELS)[number % len(MODELS)], number)
        (root / "specs" / "example.yaml").write_text(spec, encoding="utf-8")
        right += diagnosed(root, values) == ((convention,) if convention else (),)
    return right


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(rightly_found(Path(folder), range(int(sys.argv[1]))))
