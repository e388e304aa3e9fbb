"""One error tree: where it is, what was met, what was expected, and how to mend it.

Library code raises these; only the command line prints them. A build with nothing to do imports this, and no
dataclasses, which take longer to make than all else that it needs of seqgen.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, NamedTuple

# So much of a line, and of a text that a spec holds, is shown.
WIDEST = 160
# Names are compared letter by letter, so that very long and very many ones would take minutes.
LONGEST_NAME, MOST_NAMES = 80, 1000
MOST_ERRORS = 100


class Source:
    """A text that a user wrote: ``name`` as messages show it, and its lines."""

    def __init__(self, *, name: str, text: str) -> None:
        self.name = name
        self.text = text

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.split("\n")

    def line(self, number: int) -> str:
        """Return line ``number``, counted from one; empty past the end."""
        return self._lines[number - 1] if 0 < number <= len(self._lines) else ""


class Span(NamedTuple):
    """A stretch of one line of a source; line and column count from one."""

    source: Source
    line: int
    column: int
    width: int = 1

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"

    def excerpt(self) -> str:
        """Return the line, or the part of a long one, with a caret under the stretch."""
        text = self.source.line(self.line).rstrip("\r")
        start = self.column - 1
        width = max(1, min(self.width, len(text) - start, WIDEST // 2))
        if len(text) > WIDEST:
            cut = max(0, min(start - WIDEST // 4, len(text) - WIDEST))
            text = f"{'…' * bool(cut)}{text[cut : cut + WIDEST]}{'…' * (cut + WIDEST < len(text))}"
            start += bool(cut) - cut
        # A tab stays a tab under it, so that the caret lines up in any terminal.
        lead = "".join("\t" if c == "\t" else " " for c in text[:start])
        return f"{self.line:5d} | {visible(text)}\n      | {lead}{'^' * width}"


def visible(text: str) -> str:
    """Return ``text`` with what steers a terminal, a log or the direction of writing replaced by a sign for it."""
    if text.isprintable():
        return text
    import unicodedata

    steering = ("Cc", "Cf", "Cs", "Zl", "Zp")
    return "".join("\ufffd" if c != "\t" and unicodedata.category(c) in steering else c for c in text)


def _short(text: str) -> str:
    shown = visible(text)
    return shown if len(shown) <= 2 * WIDEST else shown[: 2 * WIDEST] + "…"


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
        lines = [f"{head}error[{self.code}]: {_short(self.message)}"]
        if self.span:
            lines.append(self.span.excerpt())
        if self.expected:
            lines.append(f"  expected: {visible(self.expected)}")
        if self.got:
            lines.append(f"  got: {_short(self.got)}")
        for span, text in self.related:
            label = _short(text)
            lines.append(f"  {span}: {label}" if span else f"  {label}")
            if span:
                lines.append(span.excerpt())
        if self.hint:
            lines.append(f"  hint: {_short(self.hint)}")
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
        told = [error.render() for error in self.errors]
        if len(told) >= MOST_ERRORS:
            told.append("there may be more: mend these first")
        return "\n\n".join(told)


class Collector:
    """Gathers mistakes so that a user sees all of them at once."""

    def __init__(self) -> None:
        self._errors: dict[tuple[str, str], SeqgenError] = {}

    def add(self, error: SeqgenError) -> None:
        """Keep ``error``, once: the same message at the same place is one mistake.

        Raises:
            SpecErrors: where there are as many as anyone reads.
        """
        for one in error.errors if isinstance(error, SpecErrors) else (error,):
            self._errors.setdefault((str(one.span), one.message), one)
        if len(self._errors) >= MOST_ERRORS:
            self.raise_any()

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
            self._errors.values(),
            key=lambda e: (e.span.source.name, e.span.line, e.span.column) if e.span else ("", 0, 0),
        )
        raise ordered[0] if len(ordered) == 1 else SpecErrors(ordered)


@contextmanager
def placed(span: Span | None) -> Iterator[None]:
    """Give a mistake that has no place of its own the place ``span``, which asked for what it came of."""
    try:
        yield
    except SeqgenError as problem:
        problem.span = problem.span or span
        raise


def nearest(name: str, known: Iterable[str]) -> str:
    """Return ``did you mean …?`` with the known names nearest to ``name``, or nothing."""
    import difflib

    if len(name) > LONGEST_NAME:
        return ""
    names = [n for n in itertools.islice(known, MOST_NAMES) if len(n) <= LONGEST_NAME]
    matches = difflib.get_close_matches(name, names, n=2, cutoff=0.6)
    if not matches:
        folded = {n.lower(): n for n in names}
        matches = [folded[name.lower()]] if name.lower() in folded else []
    return f"did you mean {' or '.join(matches)}?" if matches else ""


def count(number: int, what: str) -> str:
    """Return a number with its noun in the right form: ``2 entries``."""
    plural = what if number == 1 else f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{number} {plural}"
