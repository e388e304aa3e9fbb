"""Central differences by every parameter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.figures import Family, Figure
from benchmarks.measure import calls, paired
from benchmarks.recurrent import PARAMETERS, Net, net
from seqgen.assertions.differences import MAX_ENCLOSED, central_differences, work

STEP = 1e-6
# T, H, D, C with 19 and with 1,000 parameters
SIZES = ((3, 2, 2, 3), (3, 20, 20, 9))


def loop(net: Net) -> Callable[[], list[float]]:
    """Return the loop that one writes with numpy: two forward passes a parameter."""
    x, y = net.values["x"], net.targets
    ps = [net.values[name].copy() for name in PARAMETERS]

    def loss() -> float:
        W_x, W_h, b_h, W_o, b_o = ps
        h, L = np.zeros(len(b_h)), 0.0
        for t in range(len(x)):
            h = np.tanh(x[t] @ W_x.T + h @ W_h.T + b_h)
            a = h @ W_o.T + b_o
            e = np.exp(a - a.max())
            L -= np.log((e / e.sum())[y[t]]) / len(x)
        return L

    def slopes() -> list[float]:
        found = []
        for p in ps:
            flat = p.reshape(-1)
            for i in range(flat.size):
                before = flat[i]
                flat[i] = before + STEP
                up = loss()
                flat[i] = before - STEP
                found.append((up - loss()) / (2 * STEP))
                flat[i] = before
        return found

    return slopes


def _batches(folder: Path, runs: int) -> Iterator[Figure]:
    for T, H, D, C in SIZES:
        found = net(folder, T, H, D, C)
        graph = found.microscope.graph
        root = graph.entries["L"].node
        by = [graph.entries[name].node for name in PARAMETERS]
        gradients = [gradient.entry.node for gradient in found.microscope.gradients]
        count = sum(node.size for node in by)
        reference = calls(loop(found))
        what = f"central differences of {count:,} parameters"
        ways = {"in float64": (0, 0.1), "as shipped, in enclosures": (MAX_ENCLOSED, None)}
        if work(root, by) > MAX_ENCLOSED:  # shipped in float64, too
            del ways["as shipped, in enclosures"]
        for how, (most, bar) in ways.items():
            ours = calls(partial(central_differences, root, by, gradients, Fraction(1, 10**6), most_enclosed=most))
            yield Figure(
                what=f"{what}, {how}",
                against="numpy's loop over 2P forward passes",
                pairs=paired(ours, reference, runs),
                bar=bar,
            )


BATCHES = Family(name="differences", measure=_batches, runs=9)
