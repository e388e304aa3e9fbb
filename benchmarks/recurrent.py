"""Forward and backward pass of a recurrent net with a cross-entropy at every position."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.figures import Family, Figure
from benchmarks.measure import calls, paired
from seqgen.microscope import Microscope, open_microscope
from seqgen.project import Project
from seqgen.readings.evaluate import evaluate
from seqgen.readings.float64 import Float64
from seqgen.readings.plan import Plan

Array = np.ndarray[Any, Any]
PARAMETERS = ("W_x", "W_h", "b_h", "W_o", "b_o")
NAMES = ("x", *PARAMETERS)
# T, H, D, C
SIZES = ((3, 2, 2, 3), (100, 16, 16, 16), (1000, 64, 64, 64))
NORMAL = "draw: {normal: {mean: 0, deviation: 0.1}}"
SPEC = """title: a recurrent net of {T} steps with {H} state coordinates
seed: 1
dims: {{T: {T}, H: {H}, D: {D}, C: {C}}}
given:
{inputs}
  W_x:   {{role: parameter, shape: [H, D], {draw}}}
  W_h:   {{role: parameter, shape: [H, H], {draw}}}
  b_h:   {{role: parameter, shape: [H], {draw}}}
  W_o:   {{role: parameter, shape: [C, H], {draw}}}
  b_o:   {{role: parameter, shape: [C], {draw}}}
  h[-1]: {{role: initial, shape: [H], value: {zeros}}}
  y:     {{role: target, shape: [T], value: {targets}}}
steps: |
  U = W_x.T
  V = W_h.T
  W = W_o.T
  for t in range(T):
      z[t] = x[t] @ U + h[t-1] @ V + b_h
      h[t] = tanh(z[t])
      a[t] = h[t] @ W + b_o
      p[t] = softmax(a[t])
      ell[t] = -log(p[t][y[t]])
  L = 1/T * sum(ell[t] for t in range(T))
gradients: {{L: [W_x, W_h, b_h, W_o, b_o]}}
"""


def project(folder: Path, text: str) -> Project:
    """Return a project with one spec, ``example``, and room for large ones."""
    (folder / "specs").mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").write_text("[tool.seqgen]\nsize_limit = 100_000_000\n", encoding="utf-8")
    (folder / "specs" / "example.yaml").write_text(text, encoding="utf-8")
    return Project(folder)


@dataclass(frozen=True)
class Net:
    """The sizes, the microscope, and the values of what is given."""

    microscope: Microscope
    values: dict[str, Array]
    targets: list[int]

    def plan(self) -> Plan:
        """Return the compiled loss and gradients."""
        graph = self.microscope.graph
        x = self.values["x"]
        places = {graph.entries[name].node: row.copy() for name, row in zip(inputs(len(x)), x, strict=True)}
        places |= {graph.entries[name].node: self.values[name].copy() for name in PARAMETERS}
        gradients = [gradient.entry.node for gradient in self.microscope.gradients]
        return Plan([graph.entries["L"].node, *gradients], Float64(), places)


def net(folder: Path, T: int, H: int, D: int, C: int) -> Net:
    """Return the net with seeded parameters."""
    microscope = open_microscope(project(folder, spec(T, H, D, C)), "example")
    nodes = {name: microscope.graph.entries[name].node for name in (*PARAMETERS, *inputs(T))}
    found = evaluate(nodes.values(), Float64())
    values = {name: found[nodes[name]] for name in PARAMETERS}
    return Net(microscope, values | {"x": np.stack([found[nodes[name]] for name in inputs(T)])}, targets(T, C))


def targets(T: int, C: int) -> list[int]:
    """Return the class of each step."""
    return [(2 * t) % C for t in range(T)]


def inputs(T: int) -> list[str]:
    """Return the names of the inputs, one a step."""
    return [f"x[{t}]" for t in range(T)]


def spec(T: int, H: int, D: int, C: int) -> str:
    """Return the net's spec."""
    given = "\n".join(f"  {name}: {{role: input, shape: [D], {NORMAL}}}" for name in inputs(T))
    return SPEC.format(T=T, H=H, D=D, C=C, draw=NORMAL, inputs=given, zeros=[0] * H, targets=targets(T, C))


def by_hand(net: Net) -> Callable[[], list[Any]]:
    """Return the loss and the gradients as one writes them with numpy, step by step."""
    x, *parameters = (net.values[name] for name in NAMES)
    return partial(loss_and_gradients, x, net.targets, *parameters)


def loss_and_gradients(x: Any, y: Sequence[int], W_x: Any, W_h: Any, b_h: Any, W_o: Any, b_o: Any) -> list[Any]:
    """Return the mean cross-entropy of a recurrent net and its gradients, in the order of the parameters."""
    T, H = len(x), len(b_h)
    h, p = np.zeros((T + 1, H)), np.empty((T, len(b_o)))
    L = 0.0
    for t in range(T):
        h[t + 1] = np.tanh(x[t] @ W_x.T + h[t] @ W_h.T + b_h)
        a = h[t + 1] @ W_o.T + b_o
        e = np.exp(a - a.max())
        p[t] = e / e.sum()
        L -= np.log(p[t, y[t]]) / T
    gW_x, gW_h, gb_h, gW_o, gb_o = (np.zeros_like(v) for v in (W_x, W_h, b_h, W_o, b_o))
    future = np.zeros(H)
    for t in reversed(range(T)):
        ga = p[t].copy()
        ga[y[t]] -= 1.0
        ga /= T
        gW_o += np.outer(ga, h[t + 1])
        gb_o += ga
        gz = (ga @ W_o + future) * (1 - h[t + 1] ** 2)
        gW_x += np.outer(gz, x[t])
        gW_h += np.outer(gz, h[t])
        gb_h += gz
        future = gz @ W_h
    return [L, gW_x, gW_h, gb_h, gW_o, gb_o]


def in_torch(net: Net) -> Callable[[], list[Any]]:
    """Return the same in PyTorch, eagerly."""
    import torch

    torch.set_num_threads(1)  # arrays as small as these gain nothing by more
    x = torch.tensor(net.values["x"])
    parameters = [torch.tensor(net.values[name], requires_grad=True) for name in PARAMETERS]
    y = torch.tensor(net.targets)

    def compute() -> list[Any]:
        W_x, W_h, b_h, W_o, b_o = parameters
        h, rows = torch.zeros(len(b_h), dtype=torch.float64), []
        for row in x:
            h = torch.tanh(row @ W_x.T + h @ W_h.T + b_h)
            rows.append(h @ W_o.T + b_o)
        L = torch.nn.functional.cross_entropy(torch.stack(rows), y)
        return [L.item(), *(g.numpy() for g in torch.autograd.grad(L, parameters))]

    return compute


def in_autograd(net: Net) -> Callable[[], list[Any]]:
    """Return the same with HIPS autograd."""
    import autograd
    import autograd.numpy as anp

    x, *parameters = (net.values[name] for name in NAMES)
    y = net.targets

    def loss(parameters: list[Any]) -> Any:
        W_x, W_h, b_h, W_o, b_o = parameters
        h, total = anp.zeros(len(b_h)), 0.0
        for t in range(len(x)):
            h = anp.tanh(anp.dot(x[t], W_x.T) + anp.dot(h, W_h.T) + b_h)
            a = anp.dot(h, W_o.T) + b_o
            total = total + anp.log(anp.sum(anp.exp(a - anp.max(a)))) + anp.max(a) - a[y[t]]
        return total / len(x)

    both = autograd.value_and_grad(loss)

    def compute() -> list[Any]:
        L, gradients = both(parameters)
        return [L, *gradients]

    return compute


REFERENCES = (
    ("numpy by hand", by_hand, 1.2),
    ("PyTorch, eager", in_torch, 1.0),
    ("HIPS autograd", in_autograd, None),
)


def _gradients(folder: Path, runs: int) -> Iterator[Figure]:
    for T, H, D, C in SIZES:
        found = net(folder, T, H, D, C)
        plan = found.plan()
        what = f"loss and gradients, T = {T}, H = {H}"
        ours = calls(plan.run)
        for against, make, bar in REFERENCES:
            reference = make(found)
            for mine, other in zip(plan.values.values(), reference(), strict=True):
                np.testing.assert_allclose(mine, other, rtol=1e-9, atol=1e-14)
            yield Figure(what=what, against=against, pairs=paired(ours, calls(reference), runs), bar=bar)


GRADIENTS = Family(name="gradients", measure=_gradients, runs=15)
