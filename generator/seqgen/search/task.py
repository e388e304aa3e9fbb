"""What a search is given, and what it returns."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from seqgen.conventions.compare import Conventions
from seqgen.project import Project
from seqgen.search.edits import Edit


@dataclass(frozen=True, kw_only=True)
class Found:
    """A spec's text, the edits that lead to it, and the wishes that it does not meet."""

    text: str
    unmet: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()


@dataclass(kw_only=True)
class Task:
    """A spec, and what its numbers should be: ``decimals``, results ``within``, ``conventions`` that are seen.

    The search is the same for the same ``seed``, and ends after ``seconds`` at the latest. ``progress`` is told how far
    it is.
    """

    project: Project
    name: str
    conventions: tuple[str, ...] = ()
    decimals: int = 1
    within: float = 3
    seed: int = 0
    seconds: float = 60
    progress: Callable[[str], None] = lambda said: None
    text: str = field(init=False)
    opened: Conventions = field(init=False)
    _end: float = field(init=False)

    def __post_init__(self) -> None:
        self._end = time.monotonic() + self.seconds
        self.text = self.project.spec_path(self.name).read_bytes().decode()  # line ends stay as they are
        self.opened = Conventions(project=self.project, name=self.name)
        declared = (one.text for one in self.opened.base.spec.distinguishes)
        self.conventions = tuple(dict.fromkeys((*declared, *self.conventions)))

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() > self._end
