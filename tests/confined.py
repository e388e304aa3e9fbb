"""Builds specs in a process of little memory and time; reads a list of them from standard input, and writes verdicts."""

from __future__ import annotations

import json
import resource
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

from seqgen.build.artifacts import make
from seqgen.errors import SeqgenError, SpecErrors
from seqgen.project import Project

MEMORY = 2 << 30


class TooSlow(BaseException):
    """A spec that is still being built after its time."""


def _stop(*_: object) -> None:
    raise TooSlow


def verdict(spec: str, configuration: str, seconds: float, replay: bool) -> dict[str, Any]:
    """Return the codes of a spec's mistakes, the report, and what it took; code ``traceback`` for a crash."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "specs").mkdir()
        (root / "specs/example.yaml").write_bytes(spec.encode("utf-8", "surrogatepass"))
        (root / "pyproject.toml").write_text(f"[tool.seqgen]\n{configuration}\n", encoding="utf-8")
        signal.setitimer(signal.ITIMER_REAL, seconds)
        start = time.monotonic()
        try:
            make(Project(root), "example", replay=replay)
            codes, report = [], ""
        except SeqgenError as problem:
            several = problem.errors if isinstance(problem, SpecErrors) else (problem,)
            codes, report = sorted({one.code for one in several}), problem.render()
        except TooSlow:
            codes, report = ["too-slow"], traceback.format_exc()
        except BaseException:
            codes, report = ["traceback"], traceback.format_exc()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    return {"codes": codes, "report": report, "seconds": time.monotonic() - start}


def main() -> None:
    """Judge the specs that standard input lists."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, _stop)
    task = json.load(sys.stdin)
    for spec in task["specs"]:
        found = verdict(spec, task["configuration"], task["seconds"], task.get("replay", False))
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
