"""The line of a written file that says where it comes from, and holds a digest of the rest: a hand edit shows."""

from __future__ import annotations

import re

from seqgen.files import sha256

SUM = re.compile(r" \(sum ([0-9a-f]{16})\)")


def line(source: str, command: str, body: str) -> str:
    """Return the words that stand in a comment above ``body``."""
    return f"made by seqgen from {source}: edit that, then run {command} (sum {_sum(body)})"


def was_edited(text: str) -> bool:
    """Whether the rest of a written file is no longer what its line was written for; it stands first or second."""
    lines = text.splitlines(keepends=True)
    for i, words in enumerate(lines[:2]):
        found = SUM.search(words)
        if found:
            return found[1] != _sum("".join(lines[:i] + lines[i + 1 :]))
    return True


def _sum(body: str) -> str:
    return sha256(body.encode())[:16]
