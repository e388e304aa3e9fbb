"""One error tree: where it is, what was met, what was expected, and how to mend it.

Library code raises these; only the command line prints them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Source:
    """A text that a user wrote: ``name`` as messages show it, and its lines."""

    name: str
    text: str
    _lines: list[str] = field(default_factory=list, repr=False, compare=False)

    def line(self, number: int) -> str:
        """Return line ``number``, counted from one; empty past the end."""
        if not self._lines:
            self._lines.extend(self.text.split("\n"))
        return self._lines[number - 1] if 0 < number <= len(self._lines) else ""


@dataclass(frozen=True, kw_only=True)
class Span:
    """A stretch of one line of a source; line and column count from one."""

    source: Source
    line: int
    column: int
    width: int = 1

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"

    def excerpt(self) -> str:
        """Return the line with a caret under the stretch."""
        text = self.source.line(self.line).rstrip("\r")
        # A tab stays a tab under it, so that the caret lines up in any terminal.
        lead = "".join("\t" if c == "\t" else " " for c in text[: self.column - 1])
        room = max(1, min(self.width, len(text) - self.column + 1))
        return f"{self.line:5d} | {text}\n      | {lead}{'^' * room}"


class SeqgenError(Exception):
    """Something that the command line reports, with exit status 2.

    ``code`` is the mistake's stable name; ``related`` lists further places that the
    message speaks of, each with a label.
    """

    exit_status = 2

    def __init__(
        self,
        message: str,
        *,
        code: str,
        span: Span | None = None,
        expected: str = "",
        got: str = "",
        hint: str = "",
        related: Sequence[tuple[Span | None, str]] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.span = span
        self.expected = expected
        self.got = got
        self.hint = hint
        self.related = tuple(related)

    def __reduce__(self) -> tuple[Any, ...]:  # so that it travels between processes with all that it says
        return _again, (type(self), self.args, self.__dict__)

    def render(self) -> str:
        """Return the report that a user reads: position, excerpt, expected, got, hint."""
        head = f"{self.span}: " if self.span else ""
        lines = [f"{head}error[{self.code}]: {self.message}"]
        if self.span:
            lines.append(self.span.excerpt())
        if self.expected:
            lines.append(f"  expected: {self.expected}")
        if self.got:
            lines.append(f"  got: {self.got}")
        for span, label in self.related:
            lines.append(f"  {span}: {label}" if span else f"  {label}")
            if span:
                lines.append(span.excerpt())
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


def _again(kind: type[SeqgenError], arguments: tuple[Any, ...], content: dict[str, Any]) -> SeqgenError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(content)
    return error


class SpecError(SeqgenError):
    """A mistake in a spec, a template, a reference or the configuration."""


class SpecErrors(SeqgenError):
    """All mistakes of a spec together."""

    def __init__(self, errors: Sequence[SeqgenError]) -> None:
        super().__init__(f"{len(errors)} errors", code="several")
        self.errors = tuple(errors)

    def render(self) -> str:
        """Return the reports of all mistakes, in the order of their places."""
        return "\n\n".join(error.render() for error in self.errors)


class Collector:
    """Gathers mistakes so that a user sees all of them at once."""

    def __init__(self) -> None:
        self._errors: list[SeqgenError] = []

    def add(self, error: SeqgenError) -> None:
        """Keep ``error``, once: the same message at the same place is one mistake."""
        for one in error.errors if isinstance(error, SpecErrors) else (error,):
            known = {(str(e.span), e.message) for e in self._errors}
            if (str(one.span), one.message) not in known:
                self._errors.append(one)

    def __bool__(self) -> bool:
        return bool(self._errors)

    def raise_any(self) -> None:
        """Raise what was gathered, ordered by place.

        Raises:
            SeqgenError: where exactly one mistake was kept.
            SpecErrors: where several were.
        """
        if not self._errors:
            return
        ordered = sorted(
            self._errors,
            key=lambda e: (e.span.source.name, e.span.line, e.span.column) if e.span else ("", 0, 0),
        )
        raise ordered[0] if len(ordered) == 1 else SpecErrors(ordered)


def nearest(name: str, known: Iterable[str]) -> str:
    """Return ``did you mean …?`` with the known names nearest to ``name``, or nothing."""
    import difflib

    names = list(known)
    matches = difflib.get_close_matches(name, names, n=2, cutoff=0.6)
    if not matches:
        folded = {n.lower(): n for n in names}
        matches = [folded[name.lower()]] if name.lower() in folded else []
    return f"did you mean {' or '.join(matches)}?" if matches else ""


def count(number: int, what: str) -> str:
    """Return a number with its noun in the right form: ``2 entries``."""
    plural = what if number == 1 else f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{number} {plural}"
