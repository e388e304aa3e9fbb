"""Files written whole or not at all, and the hashes that tell whether one has changed."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

ABSENT = "absent"


def digest(path: Path) -> str:
    """Return the SHA-256 of a file's content, or ``absent``."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT


def write(path: Path, text: str) -> bool:
    """Put ``text`` into ``path`` and return whether that changed it; a reader sees the old file or the new one."""
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
