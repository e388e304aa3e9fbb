"""Builds that are stopped, or meet another build, a full disk or a closed folder, lose and tear nothing.

The suite stops a few builds; `.ci/run` stops 200 at random moments and one at each step (see `interruptions`).
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, NoReturn

import pytest

import interruptions
from interruptions import BEFORE, EDIT, Course, made, put
from seqgen import files
from seqgen.build import build
from seqgen.project import Project

BUILD = [sys.executable, "-m", "seqgen", "build"]
# A superuser writes where modes forbid it, unless this ability is taken away.
PLAIN = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> list[Course]:
    """Return the course before its edit, built and never built."""
    return interruptions.courses(tmp_path_factory.mktemp("courses"))


@pytest.fixture
def edited(both: list[Course], tmp_path: Path) -> Iterator[Path]:
    """Return a course whose edit is still to be built; all can be removed from it afterwards."""
    root = tmp_path / "course"
    both[0].edited(root)
    yield root
    for folder in (path for path in (root, *root.rglob("*")) if path.is_dir()):
        folder.chmod(0o755)


def run(root: Path, *options: str, before: list[str] | None = None, **more: Any) -> subprocess.CompletedProcess[str]:
    """Return what the command says and how it ends."""
    command = [*(before or []), *BUILD, *options]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, timeout=60, **more)


KILLS, EVERY = 8, 30


@pytest.fixture(scope="module")
def stopped() -> dict[str, str]:
    """Return what is said of builds that were stopped, by the way in which they were."""
    program = [sys.executable, str(Path(interruptions.__file__)), str(KILLS), str(EVERY)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(program, capture_output=True, text=True, check=False, timeout=300, env=environment)
    assert done.stderr == ""
    return dict(line.split(": ", 1) for line in done.stdout.splitlines() if not line.startswith(" "))


@pytest.mark.parametrize("way", interruptions.STOPPED)
def test_a_build_that_is_stopped_tears_nothing(stopped: dict[str, str], way: str) -> None:
    """Every file is the old one or the new one, and the next build gives what an undisturbed one gives."""
    count = int(stopped[way].split()[0])
    assert stopped[way] == f"{count} builds, 0 with faults"
    assert count == KILLS // 2 if "moment" in way else count >= 5


def test_a_file_that_can_not_be_written_is_named(edited: Path, both: list[Course]) -> None:
    """The system's limit on a file's size stands for a full disk: the command ends with status 2 and the path."""
    done = run(edited, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500)))
    assert done.returncode == 2
    assert done.stderr.startswith(f"error[files]: {edited / 'build'}/")
    assert "File too large" in done.stderr
    assert both[0].damage(edited) == []
    assert list((edited / files.SCRATCH).iterdir()) == []


@pytest.mark.parametrize("folder", ["ledgers", "build/latex/cell"])
def test_a_folder_that_is_closed_to_writing_is_told(edited: Path, both: list[Course], folder: str) -> None:
    """The message names the file; once the folder is open, the next build puts all in order."""
    (edited / folder).chmod(0o555)
    done = run(edited, before=PLAIN)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error[files]: {edited / folder}/")
    assert "Permission denied" in done.stderr
    assert both[0].damage(edited) == []
    (edited / folder).chmod(0o755)
    assert run(edited).returncode == 0
    assert made(edited) == both[0].new


def test_a_closed_project_in_which_nothing_is_to_be_done_is_in_order(edited: Path) -> None:
    """A build that writes nothing needs no right to write."""
    assert run(edited).returncode == 0
    for path in (edited, *edited.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    done = run(edited, before=PLAIN)
    assert (done.returncode, done.stderr) == (0, "")


def test_two_builds_at_once_give_what_one_gives(edited: Path, both: list[Course]) -> None:
    """Both end well, and no file of either is torn or left over."""
    builds = [subprocess.Popen([*BUILD, "--force"], cwd=edited, stdout=subprocess.DEVNULL) for _ in range(3)]
    assert [one.wait(timeout=60) for one in builds] == [0, 0, 0]
    assert made(edited) == both[0].new


def test_a_build_waits_for_another(edited: Path) -> None:
    """It says so, and goes on when the other ends."""
    with files.alone(files.Tree(edited)):
        second = subprocess.Popen(BUILD, cwd=edited, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        assert second.stderr is not None
        assert second.stderr.readline() == "another build is at work here; waiting for its end\n"
        assert second.poll() is None
    assert second.communicate(timeout=60)[1] == ""
    assert second.returncode == 0


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="only Linux tells a process's children")
def test_the_workers_of_a_killed_build_end(edited: Path, both: list[Course]) -> None:
    """No process is left that nobody waits for."""
    parent = subprocess.Popen([*BUILD, "--force", "-j", "2"], cwd=edited, stdout=subprocess.DEVNULL)
    children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
    workers: list[str] = []
    while not workers and parent.poll() is None:
        workers = children.read_text().split()
    parent.send_signal(signal.SIGKILL)
    assert parent.wait() == -signal.SIGKILL, "it ended before"
    assert workers
    late = time.monotonic() + 30
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < late, "they live on"
        time.sleep(0.02)
    assert run(edited).returncode == 0
    assert made(edited) == both[0].new


def test_a_build_whose_worker_is_killed_says_so(tmp_path: Path) -> None:
    """As the system does where memory is short; what the others made is kept, and the next build goes on."""
    slow = "title: slow\nsteps: |\n  s[0] = 1/3\n  for t in range(1, 400):\n      s[t] = 39/10*s[t-1]*(1-s[t-1])\n"
    root = put(tmp_path, {**BEFORE, **EDIT, "specs/slow.yaml": slow, "specs/slower.yaml": slow}).root
    parent = subprocess.Popen([*BUILD, "-j", "2"], cwd=root, stderr=subprocess.PIPE, text=True)
    children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
    workers: list[str] = []
    while not workers and parent.poll() is None:
        workers = children.read_text().split()
    assert workers, "the build ended before it had a worker"
    os.kill(int(workers[0]), signal.SIGKILL)
    said = parent.communicate(timeout=60)[1]
    assert parent.returncode == 2
    assert said.count("error[worker]: a process of this build was ended from outside") == 1
    assert "Traceback" not in said
    told = build(Project(root))
    assert told.errors == []
    assert {*told.built, *told.unchanged} == {"cell", "child", "slow", "slower"}


def test_a_worker_that_is_killed_at_once_is_told_too(edited: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before all specs are handed out, it is the handing out that fails."""

    def refused(*arguments: object, **options: object) -> NoReturn:
        raise BrokenProcessPool

    monkeypatch.setattr(ProcessPoolExecutor, "map", refused)
    assert [problem.code for problem in build(Project(edited), force=True, jobs=2).errors] == ["worker"]


def test_what_was_made_before_a_worker_is_killed_is_kept(edited: Path, both: list[Course]) -> None:
    """All other specs are there and noted, the decks are woven, and the next build makes the one that is missing."""
    (edited / "specs/zz.yaml").write_text("title: One whose process is ended\nsteps: |\n  a = 1\n")
    code = (
        "import os, signal, seqgen.build.artifacts as artifacts; from pathlib import Path; from seqgen.build import build\n"
        "from seqgen.project import Project\n"
        "make = artifacts.make\n"
        "def dying(project, name, **more):\n"
        "    while name == 'zz' and not Path('ledgers/zz-may-end').exists(): pass\n"
        "    if name == 'zz': os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return make(project, name, **more)\n"
        "def said(name, reason):\n"
        "    if name == 'zz': Path('ledgers/zz-may-end').touch()\n"
        "artifacts.make = dying\n"
        "report = build(Project(Path.cwd()), jobs=2, said=said); print(report.failed, [e.code for e in report.errors])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=edited, capture_output=True, text=True, check=True)
    assert done.stdout == "['zz'] ['worker']\n"
    (edited / "ledgers/zz-may-end").unlink()
    assert made(edited) == both[0].new
    again = build(Project(edited))
    assert (set(again.built), again.decks, again.errors) == ({"zz"}, {}, [])
