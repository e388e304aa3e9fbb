"""The character model's 600 training steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.builds import ROOT
from benchmarks.figures import Family, Figure
from benchmarks.measure import calls, paired
from benchmarks.recurrent import loss_and_gradients
from seqgen.microscope import Microscope, open_microscope
from seqgen.project import Project
from seqgen.readings.evaluate import evaluate
from seqgen.readings.float64 import Float64

NAMES = ("W_x", "W_h", "b_h", "W_y", "b_y")
INPUTS, TARGETS = (0, 1, 2, 2), (1, 2, 2, 3)
STEPS, RATE = 600, 0.5


def start(microscope: Microscope) -> list[Any]:
    """Return the parameters before training."""
    nodes = [microscope.graph.entries[name].node for name in NAMES]
    found = evaluate(nodes, Float64())
    return [found[node] for node in nodes]


def by_hand(parameters: list[Any]) -> Callable[[], float]:
    """Return training as one writes it with numpy, which gives the last loss."""
    x = np.eye(4)[list(INPUTS)]

    def train() -> float:
        ps = parameters
        for _ in range(STEPS):
            _, *gradients = loss_and_gradients(x, TARGETS, *ps)
            ps = [p - RATE * g for p, g in zip(ps, gradients, strict=True)]
        loss: float = loss_and_gradients(x, TARGETS, *ps)[0]
        return loss

    return train


def in_torch(parameters: list[Any]) -> Callable[[], float]:
    """Return the same in PyTorch, eagerly."""
    import torch

    torch.set_num_threads(1)
    x, goal = torch.eye(4, dtype=torch.float64)[list(INPUTS)], torch.tensor(TARGETS)

    def loss(ps: list[Any]) -> Any:
        h, rows = torch.zeros(4, dtype=torch.float64), []
        for row in x:
            h = torch.tanh(row @ ps[0].T + h @ ps[1].T + ps[2])
            rows.append(h @ ps[3].T + ps[4])
        return torch.nn.functional.cross_entropy(torch.stack(rows), goal)

    def train() -> float:
        ps = [torch.tensor(p, requires_grad=True) for p in parameters]
        for _ in range(STEPS):
            for p, g in zip(ps, torch.autograd.grad(loss(ps), ps), strict=True):
                p.data -= RATE * g
        return float(loss(ps).detach())

    return train


def _steps(folder: Path, runs: int) -> Iterator[Figure]:
    microscope = open_microscope(Project(ROOT), "dda3020/hello")
    last = microscope.graph.entries[f"loss[{STEPS}]"].node
    parameters = start(microscope)

    def train() -> float:
        return float(evaluate([last], Float64())[last])

    for against, make, bar in (("numpy by hand", by_hand, 1.2), ("PyTorch, eager", in_torch, None)):
        reference = make(parameters)
        np.testing.assert_allclose(train(), reference(), rtol=1e-6)
        pairs = paired(calls(train), calls(reference), runs)
        yield Figure(what=f"{STEPS} training steps of hello", against=against, pairs=pairs, bar=bar)


STEPS_OF_HELLO = Family(name="training", measure=_steps, runs=5)
