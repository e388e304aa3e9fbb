"""Waiting for what may have changed something that a build depends on; whether it has is for the build to find out."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from seqgen.build.installation import own_files
from seqgen.build.state import State
from seqgen.project import Project

# Seconds between two looks where the system tells of nothing: one look reads the times of all files that matter.
INTERVAL = 0.5
# Milliseconds: events that come this close together, as where an editor saves by renaming, are one change.
STEP, CLOSE = 2, 50
# Milliseconds after which a wait for events is taken up anew; what comes between two waits is kept.
PATIENCE = 100
# Seconds until a look is due although nothing was told.
AT_LATEST = 5


def moments(project: Project, *, poll: bool = False) -> Iterator[None]:
    """Yield when it is time to build again, until a file of seqgen itself changes.

    The system tells of changes through watchfiles, where that is installed; otherwise, or with ``poll``, it is time
    every half second.
    """
    own = _stamps(own_files())
    watched: list[str] = []
    events: Iterator[object] = iter(())
    while _stamps(own_files()) == own:
        yield
        if poll:
            time.sleep(INTERVAL)
        elif folders(project) != watched:  # once they are watched, look again, for what has happened meanwhile
            watched = folders(project)
            events = _events(watched)
            next(events)
        else:
            _wait(events)


def _events(watched: list[str]) -> Iterator[object]:
    """Yield sets of changes in folders, empty ones where nothing comes for a while; the first once all are watched."""
    with suppress(ImportError, OSError):  # it is not installed, or a folder went away meanwhile
        from watchfiles import watch

        yield from watch(
            *watched,
            recursive=False,
            watch_filter=None,
            step=STEP,
            debounce=CLOSE,
            rust_timeout=PATIENCE,
            yield_on_timeout=True,
        )
    while True:
        time.sleep(INTERVAL)
        yield {"perhaps"}


def _wait(events: Iterator[object]) -> None:
    until = time.monotonic() + AT_LATEST
    while not next(events, None) and time.monotonic() < until:
        pass


def folders(project: Project) -> list[str]:
    """Return the folders in which inputs lie or may appear: specs/, templates/, slides/, the root, others known."""
    root = str(project.root)
    found = {root, *(os.path.dirname(path) for path in own_files())}  # noqa: PTH120
    for name in ("specs", "templates", "slides"):
        found.update(folder for folder, _, _ in os.walk(project.root / name))
    state = State(project)
    for target in state.targets:
        found.update(os.path.dirname(os.path.join(root, path)) for path in state.inputs(target))  # noqa: PTH118, PTH120
    return sorted(folder for folder in found if Path(folder).is_dir())


def _stamps(paths: list[str]) -> list[tuple[str, int, int]]:
    """Return times and sizes; nothing of a file that is being replaced."""
    found = []
    for path in paths:
        with suppress(OSError):
            stat = os.stat(path)  # noqa: PTH116 - a Path each would double the time
            found.append((path, stat.st_mtime_ns, stat.st_size))
    return found
