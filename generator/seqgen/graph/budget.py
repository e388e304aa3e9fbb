"""How much a spec may ask for, so that one that nobody has read yet can't occupy a machine.

A number costs one unit and a node a few, whatever makes them: a step, a loop, a gradient, a table's cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from seqgen.errors import SeqgenError, Span, SpecError

# Beside its numbers, a node costs about as much as so many of them.
NODE_COST = 4


@dataclass(kw_only=True)
class Budget:
    """What is left of ``limit`` units; once it is spent, every further use raises the one error."""

    limit: int
    spent: int = 0
    _error: SeqgenError | None = field(default=None)

    @contextmanager
    def in_force(self) -> Iterator[None]:
        """Charge this budget with what is made meanwhile."""
        before = _current.set(self)
        try:
            yield
        finally:
            _current.reset(before)

    def charge(self, amount: int, place: Span | None) -> None:
        """Take ``amount`` units.

        Raises:
            SpecError: where there are not as many left.
        """
        if self._error is None and self.spent + amount > self.limit:
            self._error = SpecError(
                "this spec is too large from here on",
                code="too-large",
                span=place,
                expected=f"at most {self.limit:,} numbers in all steps, gradients and tables together",
                hint="use smaller arrays and shorter loops, or raise size_limit in [tool.seqgen]",
            )
        if self._error is not None:
            raise self._error
        self.spent += amount


_current: ContextVar[Budget | None] = ContextVar("budget", default=None)


def charge(amount: int, place: Span | None = None) -> None:
    """Take ``amount`` units from the budget in force, if there is one.

    Raises:
        SpecError: where there are not as many left.
    """
    budget = _current.get()
    if budget is not None:
        budget.charge(amount, place)
