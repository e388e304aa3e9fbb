"""What a rule finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from seqgen.errors import Span


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something that disagrees: where, what, and the command that cures it.

    ``line`` and ``column`` count from one; 0 is the whole file. ``old`` is what stands there, ``new`` what should.
    ``related`` are places that the message speaks of, each with a label. A rule's function leaves ``rule`` and
    ``warning`` to its row, and ``cure`` too where the row's serves.
    """

    file: str
    message: str
    line: int = 0
    column: int = 0
    old: str = ""
    new: str = ""
    details: tuple[str, ...] = ()
    related: tuple[tuple[str, Span], ...] = ()
    rule: str = ""
    cure: str = ""
    spec: str = ""
    warning: bool = False

    @property
    def place(self) -> str:
        """The place as an editor reads it: file, line and column as far as they are known."""
        return ":".join([self.file, *(str(number) for number in (self.line, self.column) if number)])


def at(span: Span | None, message: str, *, otherwise: str, **more: Any) -> Finding:
    """Return a finding at ``span``, or in the file ``otherwise`` where there is none."""
    if span is None:
        return Finding(file=otherwise, message=message, **more)
    return Finding(file=span.source.name, line=span.line, column=span.column, message=message, **more)
