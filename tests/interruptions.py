"""Stops builds of a small course: kills them at any moment, or at each step on the disk, or lets each step fail.

After each stop every file must be the whole old or the whole new one, and the next build must give what a build that
nothing stops gives. ``python tests/interruptions.py 200 1`` kills 200 builds at random moments, and stops one at every
step; the suite stops fewer. It forks, so it is a program of its own.
"""

from __future__ import annotations

import errno
import gc
import itertools
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from seqgen import files
from seqgen.build import build
from seqgen.build.state import STATE
from seqgen.errors import SeqgenError
from seqgen.project import Project

BEFORE = {
    "specs/cell.yaml": "title: A cell\ngiven:\n  x: {role: input, value: [1, 2]}\n  W: {role: parameter, value: "
    "[[0.5, 0.1], [-0.2, 0.3]]}\nsteps: |\n  h = tanh(x @ W.T)\n  L = sum(h**2)\ngradients: {L: [x, W]}\n"
    "tables: {old: {columns: {h: 'h[0]'}}, kept: {columns: {h: 'h[1]'}}}\nworked: {all: [h, L]}\n",
    "specs/child.yaml": "title: A child\nextends: cell\nsteps: |\n  M = 2 * L\n",
    "slides/woven.md": "The loss is \\seq{cell: L}.\n",
    "slides/block.md": "The loss is <!-- seqgen: cell: L -->0<!-- /seqgen -->.\n",
    "slides/deck.tex": "\\documentclass{article}\\usepackage{seqgen}\\begin{document}\\seq{child: M}\\end{document}\n",
}
# The edit that is built: another number, a table less and a table more. Other files change what is made from them.
EDIT = {"specs/cell.yaml": BEFORE["specs/cell.yaml"].replace("[1, 2]", "[1, 3]").replace("old:", "new:")}
MADE = ("ledgers", "build", "slides")
NOTES = ("build/.seqgen.json", "build/.forms", "build/.lock")

# How a build ended in which a step failed
FAILED, PASSED_OVER = 10, 11

Fingerprints = Mapping[str, bytes]


def put(root: Path, texts: Mapping[str, str]) -> Project:
    """Write the files of a course, and return it."""
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return Project(root)


def made(root: Path) -> dict[str, bytes]:
    """Return all that a build makes or changes, by path; its own notes are left out."""
    found = (path for folder in MADE for path in (root / folder).rglob("*") if path.is_file())
    contents = {path.relative_to(root).as_posix(): path.read_bytes() for path in found}
    return {path: content for path, content in contents.items() if not path.startswith(NOTES)}


@dataclass(frozen=True)
class Course:
    """A course before an edit, and after: as it lies on the disk, and what builds make of it."""

    start: Path
    old: Fingerprints
    new: Fingerprints

    def edited(self, root: Path) -> Project:
        """Return a copy in which the edit is still to be built."""
        shutil.copytree(self.start, root)
        return put(root, EDIT)

    def damage(self, root: Path) -> list[str]:
        """Return what is neither the whole old file nor the whole new one."""
        found, wrong = made(root), []
        for path in {*self.old, *self.new, *found} - {p for p in found if p.startswith(files.SCRATCH)}:
            if found.get(path) not in (self.old.get(path), self.new.get(path)):
                wrong.append(path)
        for path in (root / STATE, *(root / "build/.forms").rglob("*.json")):
            if path.is_file() and not _is_whole(path):
                wrong.append(path.relative_to(root).as_posix())
        return sorted(wrong)


def _is_whole(path: Path) -> bool:
    text = path.read_text(encoding="utf-8")
    try:
        json.loads(text if path.name == Path(STATE).name else text.partition("\n")[2])
    except ValueError:
        return False
    return True


def courses(folder: Path) -> list[Course]:
    """Return two courses: one that was built before its edit, and one that was never built."""
    built, fresh, clean = folder / "built", folder / "fresh", folder / "clean"
    _undisturbed(put(built, BEFORE))
    put(fresh, BEFORE)
    _undisturbed(put(clean, {**BEFORE, **EDIT}))
    return [Course(start, made(start), made(clean)) for start in (built, fresh)]


def _undisturbed(project: Project) -> None:
    report = build(project)
    assert report.errors == [], report.errors[0].render()


def steps(root: Path, told: Callable[[str | None], None]) -> None:
    """Call ``told`` with the path before each step that this process will make on the disk below ``root``.

    A step is what makes, moves, removes or opens a file to write, and the moment at which half of one is written; the
    system does not say then which.
    """
    inside = str(root)

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        writes = event == "open" and bool(arguments[2] & (os.O_WRONLY | os.O_RDWR))
        if (writes or event in ("os.rename", "os.remove", "os.mkdir", "os.chmod")) and inside in str(arguments[0]):
            told(str(arguments[0]))

    def sync(handle: int) -> None:
        content = os.pread(handle, os.fstat(handle).st_size, 0)
        os.ftruncate(handle, len(content) // 2)
        told(None)
        os.pwrite(handle, content, 0)

    os.fsync = sync
    sys.addaudithook(watch)


def apart(task: Callable[[], int]) -> int:
    """Run ``task`` in a child process and return the child's id; the child's status is what the task returns."""
    child = os.fork()
    if child:
        return child
    status = 99
    gc.disable()  # a collection would copy the parent's memory
    try:
        status = task()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def ended(child: int) -> int:
    """Return a child's exit status, or minus the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def nth(number: int, act: Callable[[str | None], None]) -> Callable[[str | None], None]:
    """Return what acts the ``number``-th time that it is called, counted from one."""
    counted = itertools.count(1)

    def told(path: str | None) -> None:
        if next(counted) == number:
            act(path)

    return told


def kill_self(_: str | None) -> None:
    """End this process at once: nothing is cleaned up, nothing flushed."""
    os.kill(os.getpid(), signal.SIGKILL)


def no_space(path: str | None) -> None:
    """Fail as a full disk does.

    Raises:
        OSError: always.
    """
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)


def _built(project: Project) -> int:
    return 2 if build(project).errors else 0


def recovers(course: Course, root: Path) -> list[str]:
    """Return what is wrong after a build was stopped: damage, and what the next build does not put right."""
    wrong = [f"damaged: {path}" for path in course.damage(root)]
    if ended(apart(partial(_built, Project(root)))) != 0:
        wrong.append("the next build fails")
    found = made(root)
    wrong += [f"after the next build: {p}" for p in {*found, *course.new} if found.get(p) != course.new.get(p)]
    shutil.rmtree(root)
    return wrong


def killed_at_steps(course: Course, folder: Path, every: int = 1) -> Iterator[tuple[int, list[str]]]:
    """Kill a build at its first step on the disk, its second, and so on to its end; yield the step and what is wrong."""
    for number in itertools.count(1, every):
        project = course.edited(folder / "course")

        status = ended(apart(partial(_kill_once, project, number)))
        wrong = recovers(course, project.root)
        if status != -signal.SIGKILL:
            assert status == 0, "the build fails by itself"
            return
        yield number, wrong


def _kill_once(project: Project, number: int) -> int:
    steps(project.root, nth(number, kill_self))
    return _built(project)


def killed_at_moments(course: Course, folder: Path, count: int, seed: int) -> Iterator[tuple[float, list[str]]]:
    """Kill ``count`` builds, each at a random moment; yield the share of a build's time, and what is wrong."""
    chance = random.Random(seed)
    lasts = min(_seconds(course, folder) for _ in range(3))
    while count:
        project, share = course.edited(folder / "course"), chance.random()
        child = apart(partial(_built, project))
        time.sleep(share * lasts)
        os.kill(child, signal.SIGKILL)
        status = ended(child)
        wrong = recovers(course, project.root)
        if status == -signal.SIGKILL:  # it had not ended by itself
            count -= 1
            yield share, wrong


def _seconds(course: Course, folder: Path) -> float:
    project = course.edited(folder / "course")
    start = time.perf_counter()
    assert ended(apart(partial(_built, project))) == 0
    seconds = time.perf_counter() - start
    shutil.rmtree(project.root)
    return seconds


def failing_at_steps(course: Course, folder: Path, every: int = 1) -> Iterator[tuple[int, list[str]]]:
    """Let each step of a build fail in turn, as on a full disk; yield the step and what is wrong."""
    for number in itertools.count(1, every):
        project = course.edited(folder / "course")
        status = ended(apart(partial(_fail_once, project, number)))
        wrong = [f"left over: {path}" for path in made(project.root) if path.startswith(files.SCRATCH)]
        if status == PASSED_OVER:  # such as a folder that was there already
            wrong += ["the build is not whole, and it does not say so"] * (made(project.root) != course.new)
        elif status not in (0, FAILED):
            wrong.append(f"the failure is told as {status}")
        wrong += recovers(course, project.root)
        if status == 0:
            return
        yield number, wrong


def _fail_once(project: Project, number: int) -> int:
    failed = []

    def fail(path: str | None) -> None:
        failed.append(path)
        no_space(path)

    steps(project.root, nth(number, fail))
    try:
        problems = build(project).errors
    except SeqgenError as problem:
        problems = [problem]
    if problems:
        are_told = all(p.code == "files" and p.message.startswith(str(project.root)) for p in problems)
        return FAILED if are_told else 98
    return PASSED_OVER if failed else 0


# What is stopped, and how: kills at random moments take their number, the others a stride from step to step
STOPPED: dict[str, Callable[[list[Course], Path, int, int], Iterator[tuple[float, list[str]]]]] = {
    "killed at a random moment, after an edit": lambda both, folder, kills, every: killed_at_moments(
        both[0], folder, kills - kills // 2, seed=1
    ),
    "killed at a random moment, never built": lambda both, folder, kills, every: killed_at_moments(
        both[1], folder, kills // 2, seed=2
    ),
    "killed at a step, after an edit": lambda both, folder, kills, every: killed_at_steps(both[0], folder, every),
    "killed at a step, never built": lambda both, folder, kills, every: killed_at_steps(both[1], folder, every),
    "out of space at a step, after an edit": lambda both, folder, kills, every: failing_at_steps(
        both[0], folder, every
    ),
}


def main() -> None:
    """Stop builds, and say of each way how many were stopped and what was wrong after it."""
    kills, every = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((1, 200), (2, 1)))
    faults = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        both = courses(folder)
        for title, stop in STOPPED.items():
            found = list(stop(both, folder, kills, every))
            bad = [f"at {moment}: {', '.join(wrong)}" for moment, wrong in found if wrong]
            print(f"{title}: {len(found)} builds, {len(bad)} with faults", *bad, sep="\n  ", flush=True)
            faults += len(bad)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
