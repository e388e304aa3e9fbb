"""Files written whole or not at all, and the hashes that tell whether one has changed."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

ABSENT = "absent"

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


def write(path: Path, text: str, *, durable: bool = True) -> bool:
    """Put ``text`` into ``path`` and return whether that changed it; a reader sees the old file or the new one.

    What is not ``durable`` may be lost where the power fails, as it can be made again.
    """
    import tempfile

    content = text.encode("utf-8")
    try:
        if path.read_bytes() == content:
            return False
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
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
    return True


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
