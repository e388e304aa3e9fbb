"""Growth: many specs, long sequences, wide attention."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.builds import NUMPY, ROOT
from benchmarks.figures import Family, Figure
from benchmarks.measure import Pairs, memory, paired, python, run, seqgen

MANY = 1000
TRACE = "specs/week06/rnn-trace.yaml"
ATTENTION = """title: attention over {T} tokens
seed: 1
dims: {{T: {T}, D: 8}}
given:
  Q: {{role: input, shape: [T, D], draw: {{normal: {{mean: 0, deviation: 1}}}}}}
  K: {{role: input, shape: [T, D], draw: {{normal: {{mean: 0, deviation: 1}}}}}}
  V: {{role: input, shape: [T, D], draw: {{normal: {{mean: 0, deviation: 1}}}}}}
steps: |
  S = Q @ K.T / sqrt(D)
  A = softmax(S)
  O = A @ V
"""
RECURRENT = """title: a recurrent net of {T} steps
seed: 1
dims: {{T: {T}, H: 2}}
given:
  W: {{role: parameter, shape: [H, H], value: [[0.5, 0.1], [-0.2, 0.3]]}}
  b: {{role: parameter, shape: [H], value: [0.05, -0.1]}}
  h[-1]: {{role: initial, shape: [H], value: [0, 0]}}
steps: |
  for t in range(T):
      h[t] = tanh(h[t-1] @ W.T + b)
  L = sum(h[T-1]**2)
gradients: {{L: [W, b]}}
"""
# Sizes, and how much more work the larger is
LARGE_ONES = ((ATTENTION, "attention", 256, 512, 4.0), (RECURRENT, "a recurrent net", 2500, 5000, 2.0))


def _many(folder: Path, runs: int) -> Iterator[Figure]:
    text = (ROOT / TRACE).read_text(encoding="utf-8")
    taken = {}
    for count in (MANY // 2, MANY):
        here = folder / str(count)
        (here / "specs").mkdir(parents=True)
        for k in range(count):
            own = text.replace("0.05, -0.10", f"0.{k + 1000}, -0.10")  # no two have closed forms in common
            (here / "specs" / f"trace-{k}.yaml").write_text(own, encoding="utf-8")
        taken[count] = run(seqgen("build"), here)
    pairs = Pairs([taken[MANY]], [taken[MANY // 2]])
    yield Figure(what=f"{MANY:,} specs from nothing", against=f"{MANY // 2} specs", pairs=pairs, bar=2.2)
    idle = paired(partial(run, seqgen("build"), folder / str(MANY)), partial(run, python(NUMPY), folder), runs)
    yield Figure(what=f"`seqgen build` with nothing to do, {MANY:,} specs", against=f"`{NUMPY}`", pairs=idle, bar=2)


def _large(folder: Path, runs: int) -> Iterator[Figure]:
    for text, name, small, large, work in LARGE_ONES:
        seconds, held = {}, {}
        for size in (small, large):
            here = folder / f"{name}-{size}".replace(" ", "-")
            (here / "specs").mkdir(parents=True)
            (here / "specs" / "example.yaml").write_text(text.format(T=size), encoding="utf-8")
            (here / "pyproject.toml").write_text("[tool.seqgen]\nsize_limit = 100_000_000\n", encoding="utf-8")
            seconds[size] = run(seqgen("build"), here)
            held[size] = memory(seqgen("build", "--force"), here)
        what, against = f"{name}, T = {large}", f"T = {small}, of 1/{work:.0f} of the work"
        yield Figure(what=what, against=against, pairs=Pairs([seconds[large]], [seconds[small]]), bar=1.1 * work)
        pairs = Pairs([held[large]], [held[small]])
        yield Figure(what=f"{what}, memory", against=against, pairs=pairs, bar=1.1 * work, unit="MiB")


SPECS = Family(name="many", measure=_many, runs=9)
SIZES = Family(name="large", measure=_large, runs=1)
