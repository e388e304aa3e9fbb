"""Files written whole or not at all, by one build at a time, and the hashes that tell whether one has changed."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

ABSENT = "absent"

# Below a project's root: what a build holds while it is at work, and where a file is until it is whole.
LOCK, SCRATCH = "build/.lock", "build/.scratch"

# File systems tell times in steps: 2 s on FAT, a clock tick elsewhere. Within a step a second change leaves no trace.
STEP = 3_000_000_000

# size, modification time, inode, change time; the last can't be set by a program
Stamp = list[int]


def sha256(content: bytes) -> str:
    """Return the SHA-256 of ``content``."""
    import hashlib

    return hashlib.sha256(content).hexdigest()


class Digests:
    """Hashes of files below ``root``, each remembered with a stamp, so that a file left alone is not read again.

    A hash is remembered only where the file's last change was more than a step of the clock ago when it was read: any
    later change then changes the stamp. Where change times can be set (Windows), nothing is remembered.
    """

    def __init__(self, root: Path, known: Mapping[str, tuple[str, Stamp]] | None = None) -> None:
        self._root = str(root)
        self._known = known or {}
        self.found: dict[str, tuple[str, Stamp]] = {}
        self._now: dict[str, str] = {}
        self.learned = False

    def of(self, path: str) -> str:
        """Return the SHA-256 of a file's content, or ``absent``; in one run a file is looked at once."""
        if path not in self._now:
            self._now[path] = self._look(path)
        return self._now[path]

    def put(self, path: str, digest: str) -> None:
        """Note the hash of a file that was just written."""
        self._now[path] = digest
        self.found.pop(path, None)

    def _look(self, path: str) -> str:
        file = os.path.join(self._root, path)  # noqa: PTH118 - a Path each would double the time
        try:
            stamp = _stamp(file)
            known = self._known.get(path)
            if known is not None and known[1] == stamp:
                self.found[path] = known
                return known[0]
            digest = sha256(Path(file).read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            return ABSENT
        if os.name != "nt" and max(stamp[1], stamp[3]) + STEP < time.time_ns() and _stamp(file) == stamp:
            self.found[path] = (digest, stamp)
            self.learned = True
        return digest


def _stamp(file: str) -> Stamp:
    found = os.stat(file)  # noqa: PTH116
    return [found.st_size, found.st_mtime_ns, found.st_ino, found.st_ctime_ns]


@contextmanager
def alone(root: Path, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Let one build at a time write below ``root``, and remove what a killed one had not finished.

    ``waiting`` is told where another is at work. The system frees the lock when its holder ends, however it ends.
    Without locks (on Windows, on some network drives, where nothing can be written) builds go on side by side: every
    file is whole even so, and nothing is removed.
    """
    lock = _lock(root / LOCK, waiting)
    try:
        if lock is not None and (root / SCRATCH).is_dir():
            for unfinished in (root / SCRATCH).iterdir():
                unfinished.unlink()
        yield
    finally:
        if lock is not None:
            lock.close()


def _lock(path: Path, waiting: Callable[[], None]) -> BinaryIO | None:
    try:
        import fcntl

        path.parent.mkdir(exist_ok=True)
        file = path.open("ab")
    except (ImportError, OSError):
        return None
    try:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.lockf(file, fcntl.LOCK_EX)
    except OSError:
        file.close()
        return None
    return file


def write(path: Path, text: str, *, scratch: Path | None = None, durable: bool = True) -> bool:
    """Put ``text`` into ``path`` and return whether that changed it; a reader sees the old file or the new one.

    The new file is made in ``scratch``, by default beside the old one. What is not ``durable`` may be lost where the
    power fails, as it can be made again.

    Raises:
        OSError: where that fails; the old file is there then.
    """
    content = text.encode("utf-8")
    try:
        if path.read_bytes() == content:
            return False
    except FileNotFoundError:
        pass
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            _replace(path, content, scratch or path.parent, durable=durable)
        except OSError as problem:
            if scratch is None or problem.errno != errno.EXDEV:
                raise
            _replace(path, content, path.parent, durable=durable)  # a drive of its own
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror, str(path)) from None
    return True


def _replace(path: Path, content: bytes, folder: Path, *, durable: bool) -> None:
    import tempfile

    folder.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=folder, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
