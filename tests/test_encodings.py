"""Names and contents that are not UTF-8, in every command: a message, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from seqgen.cli import main

SPEC = b"title: t\nsteps: |\n  a = 1/3\n"
DECK = b"A number \\seq{week01/a: a} is 0.3333.\n"
TEX = b"\\documentclass{article}\n\\begin{document}%s\\end{document}\n"
# What is put into a course, and what `build` says of it; nothing where it is not read.
FILES = {
    "a spec's name": (b"specs/\xff.yaml", SPEC, "is not a spec's name"),
    "a spec's folder": (b"specs/\xff/a.yaml", SPEC, "is not a spec's name"),
    "a deck's name": (b"slides/\xff.md", DECK, "is not UTF-8"),
    "a deck's folder": (b"slides/\xff/d.md", DECK, "is not UTF-8"),
    "a LaTeX deck's name": (b"slides/\xff.tex", TEX % b"x", "is not UTF-8"),
    "a template's name": (b"templates/markdown/\xff.md.j2", b"x", ""),
    "a template's folder": (b"templates/\xff/values.md.j2", b"x", ""),
    "a spec": (b"specs/week01/b.yaml", SPEC + b"# \xff\n", "specs/week01/b.yaml:4:3: error[encoding]: this file is not UTF-8"),
    "a deck": (b"slides/e.md", b"ab\n\xc3\xa9\xff\n", "slides/e.md:2:2: error[encoding]: this file is not UTF-8"),
    "a LaTeX deck": (b"slides/e.tex", TEX % b"\xff", "slides/e.tex:2:17: error[encoding]: this file is not UTF-8"),
    "a template": (b"templates/markdown/values.md.j2", b"x\n\xff", "templates/markdown/values.md.j2:2:1: error[encoding]"),
    "a page": (b"build/markdown/week01/a/values.md", b"\xff", ""),
    "a page's name": (b"build/markdown/week01/a/\xff.md", b"x", ""),
    "a ledger": (b"ledgers/week01/a.json", b"\xff", ""),
    "a ledger's name": (b"ledgers/week01/\xff.json", b"{}", ""),
}  # fmt: skip
COMMANDS = [
    ["build"], ["check"], ["show", "week01/a", "a"], ["audit", "slides/d.md"], ["diff", "HEAD"], ["new", "week01/c"],
]  # fmt: skip
ARGUMENTS: list[list[str | bytes]] = [
    ["build", b"\xff"], ["check", b"slides/\xff.md"], ["show", b"week01/\xff", "a"], ["show", "week01/a", b"\xff"],
    ["audit", b"\xff"], ["new", b"w/\xff"], ["diff", b"\xff"], ["explain", b"\xff"], [b"\xff"], ["build", b"--\xff"],
    ["init", b"\xff"],
]  # fmt: skip


def put(root: bytes, path: bytes, content: bytes) -> None:
    """Write a file below a root; skip where the file system takes no such name."""
    place = Path(os.fsdecode(root + b"/" + path))
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    except OSError:
        pytest.skip("this file system takes only names in UTF-8")


@pytest.fixture
def course(tmp_path: Path) -> Callable[[bytes], bytes]:
    """Return what makes a course in a folder of a name."""

    def make(name: bytes) -> bytes:
        root = bytes(tmp_path) + b"/" + name
        put(root, b"specs/week01/a.yaml", SPEC)
        put(root, b"slides/d.md", DECK)
        return root

    return make


def run(root: bytes, command: Sequence[str | bytes], **environment: str) -> str:
    """Return what a command prints, which is no traceback."""
    line = [sys.executable, "-m", "seqgen", *command]
    done = subprocess.run(line, cwd=root, env=os.environ | environment, capture_output=True, check=False)
    said = (done.stdout + done.stderr).decode("utf-8", "replace")
    assert "Traceback" not in said, said
    assert done.returncode in (0, 1, 2)
    return said


@pytest.mark.parametrize("title", FILES)
def test_a_file_that_is_not_utf8_is_reported(
    course: Callable[[bytes], bytes], title: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By each command, and by ``build`` with its place or its name."""
    path, content, message = FILES[title]
    root = course(b"course")
    put(root, path, content)
    assert message in run(root, COMMANDS[0])
    monkeypatch.chdir(os.fsdecode(root))
    for command in COMMANDS[1:]:  # in this process, which has imported seqgen already
        done = CliRunner().invoke(main, command)
        assert isinstance(done.exception, SystemExit | None), done.exc_info
        assert done.exit_code in (0, 1, 2)


@pytest.mark.parametrize("command", [*COMMANDS, *ARGUMENTS])
def test_a_root_and_arguments_that_are_not_utf8_are_taken(
    course: Callable[[bytes], bytes], command: Sequence[str | bytes]
) -> None:
    """A course in a folder of any name works; an argument of any bytes is one that matches nothing."""
    run(course(b"\xff"), command)


@pytest.mark.parametrize("encoding", ["utf-8:strict", "latin-1:strict"])
def test_what_a_terminal_can_not_print_is_escaped(course: Callable[[bytes], bytes], encoding: str) -> None:
    """The name of a file in other bytes, and the sign ``≈`` where the locale has none."""
    root = course(b"course")
    put(root, b"build/markdown/week01/a/\xff.md", b"x")
    for command in (["build"], ["check"], ["show", "week01/a", "a"]):
        run(root, command, PYTHONIOENCODING=encoding)
