"""Files written whole or not at all, by one build at a time, and the hashes that show whether one has changed.

What a build writes, moves or removes goes through `Tree`, which touches nothing outside the project.
"""

from __future__ import annotations

import errno
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from seqgen.errors import Source, Span, SpecError

ABSENT = "absent"

# Below a project's root: what a build holds while it is at work, and where a file is until it is whole.
BUILT = "build"
LOCK, SCRATCH = f"{BUILT}/.lock", f"{BUILT}/.scratch"

# File systems tell times in steps: 2 s on FAT, a clock tick elsewhere. Within a step a second change leaves no trace.
STEP = 3_000_000_000

# In the header of a written file: a digest of the rest, so that an edit by hand shows
SUM = re.compile(r" \(sum ([0-9a-f]{16})\)")

# What a file holds: a text, which is written in UTF-8, or bytes
Content = str | bytes

# size, modification time, inode, change time; the last can't be set by a program
Stamp = list[int]


def sha256(content: bytes) -> str:
    """Return the SHA-256 of ``content``."""
    import hashlib

    return hashlib.sha256(content).hexdigest()


def encoded(content: Content) -> bytes:
    """Return the bytes of a file."""
    return content.encode() if isinstance(content, str) else content


def header(source: str, command: str, body: str) -> str:
    """Return the text of the comment above ``body``: where it comes from, and a digest of it."""
    return f"made by seqgen from {source}: edit that, then run {command} (sum {_sum(body)})"


def was_edited(content: Content) -> bool:
    """Whether the rest of a file no longer has the digest of its header, which is line one or two; or has no header."""
    text = content if isinstance(content, str) else content.decode(errors="replace")
    lines = text.splitlines(keepends=True)
    for i, line in enumerate(lines[:2]):
        found = SUM.search(line)
        if found:
            return found[1] != _sum("".join(lines[:i] + lines[i + 1 :]))
    return True


def _sum(body: str) -> str:
    return sha256(body.encode())[:16]


def decoded(content: bytes, name: str) -> str:
    """Return the text of a file that a user wrote; ``name`` as messages show it.

    Raises:
        SpecError: at the first byte that is not UTF-8, or where the name is not.
    """
    if not name.isascii() and name.encode("utf-8", "replace").decode() != name:
        raise SpecError(f"the name '{name}' is not UTF-8", code="encoding", hint="rename the file or its folder")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as problem:
        source = Source(name=name, text=content.decode("utf-8", errors="replace"))
        before = content[: problem.start].decode("utf-8")
        span = Span(source=source, line=before.count("\n") + 1, column=len(before) - before.rfind("\n"))
        hint = "save it as UTF-8 in your editor"
        raise SpecError("this file is not UTF-8", code="encoding", span=span, hint=hint) from None


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
        """Return the SHA-256 of a file's content, or ``absent`` where none can be read; it is looked at once a run."""
        if path not in self._now:
            self._now[path] = self._look(path)
        return self._now[path]

    def put(self, path: str, digest: str) -> None:
        """Note the hash of a file that was just written."""
        self._now[path] = digest
        self.found.pop(path, None)

    def _look(self, path: str) -> str:
        # A Path each, or os.path.join, would take longer than the look itself.
        file = path if os.path.isabs(path) else f"{self._root}/{path}"  # noqa: PTH117
        try:
            stamp = _stamp(file)
            known = self._known.get(path)
            if known is not None and known[1] == stamp:
                self.found[path] = known
                return known[0]
            digest = sha256(Path(file).read_bytes())
        except (OSError, ValueError):  # a path may come from notes that were tampered with
            return ABSENT
        if os.name != "nt" and max(stamp[1], stamp[3]) + STEP < time.time_ns() and _stamp(file) == stamp:
            self.found[path] = (digest, stamp)
            self.learned = True
        return digest


def _stamp(file: str) -> Stamp:
    found = os.stat(file)  # noqa: PTH116
    return [found.st_size, found.st_mtime_ns, found.st_ino, found.st_ctime_ns]


def refused(problem: OSError) -> SpecError:
    """Return the mistake that tells what the system refused."""
    what = f"{problem.filename}: {problem.strerror}" if problem.filename else str(problem)
    return SpecError(what, code="files")


@contextmanager
def refusals() -> Iterator[None]:
    """Raise what the system refuses as a mistake.

    Raises:
        SpecError: in the place of an OSError.
    """
    try:
        yield
    except OSError as problem:
        raise refused(problem) from None


class Tree:
    """The files below ``root``: what is written, moved or removed through it lies inside, wherever links lead.

    Paths are relative to the root.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._real: dict[str, Path] = {}
        self._scratch: Path | None = None

    def locate(self, path: str, folder: str = "") -> Path:
        """Return where ``path`` leads, for certain in ``folder`` of the root.

        Raises:
            SpecError: where it leads outside.
        """
        try:
            place = (self.root / path).resolve()
        except (OSError, RuntimeError, ValueError):  # links in a circle, or no path at all
            place = Path()
        if not all(place.is_relative_to(self._real_folder(home)) for home in {folder, ""}):
            hint = "replace the link by a file or a folder"
            raise SpecError(f"'{path}' leads outside {folder or 'the project'}", code="path", hint=hint)
        return place

    def _real_folder(self, folder: str) -> Path:
        """Return where a folder of the root leads; one that is made a link later has left that place."""
        if folder not in self._real:
            self._real[folder] = (self.root / folder).resolve()
        return self._real[folder]

    def find(self, path: str, folder: str) -> Path | None:
        """Return where ``path`` leads, if it is a file and for certain in ``folder``."""
        try:
            place = self.locate(path, folder)
            return place if place.is_file() else None
        except SpecError:
            return None

    def write(self, path: str, content: Content, *, durable: bool = True) -> bool:
        """Put ``content`` into ``path``, as `write` does.

        Raises:
            SpecError: where it leads outside.
        """
        if self._scratch is None and (self.root / BUILT).is_dir():
            self._scratch = self.locate(SCRATCH, BUILT)
        return _put(self.locate(path), encoded(content), scratch=self._scratch, durable=durable)

    def remove(self, path: str) -> None:
        """Remove a file below ``build/``, if it is there.

        Raises:
            SpecError: where it leads outside.
        """
        self.locate(path, BUILT)
        (self.root / path).unlink(missing_ok=True)

    def move(self, path: str, aside: str) -> None:
        """Give a file below ``build/`` another name.

        Raises:
            SpecError: where one of the two leads outside.
        """
        self.locate(path, BUILT).replace(self.locate(aside, BUILT))


@contextmanager
def alone(tree: Tree, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Let one build at a time write into ``tree``, and remove what a killed one had not finished.

    ``waiting`` is told where another is at work. The system frees the lock when its holder ends, however it ends.
    Without locks (on Windows, on some network drives, where nothing can be written) builds go on side by side: every
    file is whole even so, and nothing is removed.

    Raises:
        SpecError: where a link leads outside the project, or what is unfinished can't be removed.
    """
    scratch = tree.locate(SCRATCH, BUILT)
    lock = _lock(tree.locate(LOCK, BUILT), waiting)
    try:
        if lock is not None:
            with refusals():
                for unfinished in scratch.glob(".*.tmp"):
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

    A link stays one: the file that it leads to is written, and keeps the rights that it has. The new file is made in
    ``scratch``, by default beside the old one. What is not ``durable`` may be lost where the power fails, as it can be
    made again.

    Raises:
        OSError: where that fails; the old file is there then.
    """
    return _put(path.resolve(), encoded(text), scratch=scratch, durable=durable)


def _put(path: Path, content: bytes, *, scratch: Path | None, durable: bool) -> bool:
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
        Path(name).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
