"""Feeds the targets with bytes that reach new code, by atheris (libFuzzer).

    pip install -e '.[fuzz]'
    python tests/fuzz/run.py 10             all targets, ten minutes together
    python tests/fuzz/run.py 10 spec deck   only these

What breaks seqgen is written to tests/fuzz/found/, and is to become a test. Python 3.11 to 3.13, on Linux.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MEMORY = 3 << 30


def seeds(target: str) -> Iterator[bytes]:
    """Yield inputs to begin with: what the repository holds of a target's kind."""
    match target:
        case "spec":
            texts = [path.read_bytes() for path in sorted((ROOT / "specs").rglob("*.yaml"))]
            yield from (text for text in texts if len(text) < 1500 and b"train:" not in text)
        case "steps":
            for path in sorted((ROOT / "specs").rglob("*.yaml")):
                _, _, rest = path.read_text(encoding="utf-8").partition("steps: |\n")
                yield "\n".join(line[2:] for line in rest.split("\n") if line.startswith("  ")).encode()
            yield b"y = sum(softmax(x)**2)\nfor t in range(2):\n    z[t] = grad(y, x)[t]"
        case "reference":
            yield from (
                b"h[1]",
                b"W[1][0]",
                b"grad(L, W, via=h[0])",
                b"1 - h[1]**2",
                b"parameters",
                b"O.b",
                b"sum(x @ W.T, axis=0)",
            )
            yield from (
                b"L",
                b"y[0:1]",
                b"double(x)",
                b"where(x > 0, x, 1/3)",
                b"softmax(x / sqrt(T))",
                b"[x[0], 2]",
                b"W[[1, 0]]",
            )
        case "deck":
            yield from (
                bytes([kind]) + path.read_bytes()[:4000]
                for kind, path in enumerate(sorted((ROOT / "slides").glob("*.*")))
            )
            yield b"\x00The loss is \\seq[digits=2, relation]{cell: L}, or <!-- seqgen: cell: L -->0.5<!-- /seqgen -->."
            yield b"\x01$h_1 = \\begin{bmatrix}0.4621 & -0.9993\\end{bmatrix}$ \\seq{cell: h[1]} 1.5\\times10^{-3}, 3{,}14"
            yield b"\x02<p>0.4621 <b>&minus;0.9993</b></p><script>x</script>"
            yield b'\x04{"cells": [{"cell_type": "markdown", "source": ["L is 0.51"]}]}'
        case "ledger":
            sys.path.insert(0, str(HERE))
            from targets import course

            yield (course().root / "ledgers/cell.json").read_bytes()
            yield b'{"seqgen": 1, "spec": "cell", "entries": {"L": {"shape": [], "value": 1.0, "shown": "1.0000"}}}'


TOKENS = (
    *("given:", "value:", "shape:", "role:", "steps: |", "extends:", "use:", "tables:", "rows:", "columns:", "checks:"),
    *("train:", "draw:", "digits:", "gradients:", "worked:", "for t in range(", "def f(x):", "return ", "grad(", "via="),
    *("axis=", "softmax(", "tanh(", "where(", "@", "**", "[-1]", ".T", "1/3", "1e999", "inf", "nan", "-inf", "&a", "*a"),
    *("<<:", "!!python/object", "\\\\seq{cell: ", "\\\\seq[digits=", "<!-- seqgen: cell: L -->", "<!-- /seqgen -->", "$$"),
    *("\\\\begin{bmatrix}", "\\\\times10^{", "{,}", "\\xe2\\x88\\x92", "0.4621", "\\\"value\\\":", "\\\"entries\\\":", "1e400"),
)  # fmt: skip


def feed(target: str, seconds: int) -> None:
    """Feed one target in this process; it ends by itself."""
    import atheris

    sys.path[:0] = [str(HERE), str(ROOT / "generator")]
    with atheris.instrument_imports(include=["seqgen"]):
        from targets import TARGETS
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    found = HERE / "found"
    found.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as corpus:
        for number, seed in enumerate(seeds(target)):
            (Path(corpus) / f"seed-{number}").write_bytes(seed)
        tokens = Path(corpus) / "tokens"
        tokens.write_text("".join(f'"{token}"\n' for token in TOKENS), encoding="utf-8")
        options = [
            f"-max_total_time={seconds}",
            "-max_len=6000",
            "-timeout=60",
            f"-artifact_prefix={found}/{target}-",
            "-print_final_stats=1",
        ]
        atheris.Setup([sys.argv[0], *options, f"-dict={tokens}", corpus], TARGETS[target])
        atheris.Fuzz()


def main() -> None:
    """Feed each target in a process of its own, and say how many inputs it took."""
    minutes = float(sys.argv[1])
    targets = sys.argv[2:] or ["spec", "steps", "reference", "deck", "ledger"]
    failed = False
    for target in targets:
        start = time.monotonic()
        command = [sys.executable, __file__, "--feed", target, str(int(60 * minutes / len(targets)))]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        )
        units = [line.split()[-1] for line in done.stderr.splitlines() if "number_of_executed_units" in line]
        print(
            f"{target}: {units[0] if units else '?'} inputs in {time.monotonic() - start:.0f} s, {'broken' if done.returncode else 'no fault'}",
            flush=True,
        )
        if done.returncode:
            failed = True
            print(done.stdout[-3000:], done.stderr[-6000:])
    sys.exit(failed)


if __name__ == "__main__":
    if sys.argv[1] == "--feed":
        feed(sys.argv[2], int(sys.argv[3]))
    else:
        main()
