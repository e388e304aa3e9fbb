"""Paired runs: ours and the reference in turns, so that a machine that is busy for a while slows both."""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

# Where the middle half of the reference's runs is spread by more than this part of their median, nothing is judged.
NOISY = 0.15
# A short call is repeated until it takes so many seconds, so that the clock's own time does not count.
LONG_ENOUGH = 0.005
# Runs a program in a small process of its own, as a child begins with the memory of its parent.
WITH_MEMORY = """
import os, sys
null = os.open(os.devnull, os.O_WRONLY)
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
_, status, used = os.wait4(child, 0)
assert status == 0
print(used.ru_maxrss)
"""


@dataclass(frozen=True)
class Pairs:
    """Seconds (or another unit) of ours and of the reference, run by run."""

    ours: Sequence[float]
    reference: Sequence[float]

    @property
    def ratio(self) -> float:
        """The median of the runs' quotients."""
        return statistics.median(a / b for a, b in zip(self.ours, self.reference, strict=True))

    @property
    def spread(self) -> float:
        """How far the middle half of the reference's runs is spread, as a part of their median."""
        if len(self.reference) < 3:
            return 0.0
        low, middle, high = statistics.quantiles(self.reference, n=4)
        return (high - low) / middle


def paired(ours: Callable[[], float], reference: Callable[[], float], runs: int) -> Pairs:
    """Call both, which return what they took, in turns; the first turn warms up and does not count."""
    found = [(ours(), reference()) for _ in range(runs + 1)][1:]
    return Pairs([a for a, _ in found], [b for _, b in found])


def calls(function: Callable[[], object]) -> Callable[[], float]:
    """Return a function that gives the seconds of computing of one call of ``function``, of many where it is short."""
    times = 1
    while _seconds(function, times) < LONG_ENOUGH:
        times *= 2
    return partial(_each, function, times)


def _each(function: Callable[[], object], times: int) -> float:
    return _seconds(function, times) / times


def _seconds(function: Callable[[], object], times: int) -> float:
    gc.collect()
    gc.freeze()  # what all that was measured before has left is not to be looked through in between
    # Both sides compute on one thread, so that the seconds of computing are those of the wall, less what others take.
    start = time.process_time()
    for _ in range(times):
        function()
    return time.process_time() - start


def surroundings() -> dict[str, str]:
    """Return the environment of child processes: as it is, but with compiled imports kept, as for everyone."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def seqgen(*words: str) -> list[str]:
    """Return the command line of ``seqgen`` with these words."""
    return [str(Path(sys.executable).with_name("seqgen")), *words]


def python(code: str) -> list[str]:
    """Return the command line that runs ``code``."""
    return [sys.executable, "-c", code]


def run(command: Sequence[str], folder: Path) -> float:
    """Return the wall seconds of a program; status 1 (a check does not hold) is no failure.

    Raises:
        RuntimeError: where it fails; the error has what it said.
    """
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=surroundings(), capture_output=True, text=True, check=False)
    taken = time.perf_counter() - start
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(command)} fails:\n{done.stdout}{done.stderr}")
    return taken


def memory(command: Sequence[str], folder: Path) -> float:
    """Return the most MiB of memory that a program held."""
    parent = [sys.executable, "-S", "-E", "-c", WITH_MEMORY, *command]
    done = subprocess.run(parent, cwd=folder, env=surroundings(), capture_output=True, text=True, check=True)
    return int(done.stdout) / 1024
