"""Fixtures that several test files share; session-wide ones, so that Hypothesis may use them too."""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
from hypothesis import Phase, settings

from seqgen.microscope import Microscope, open_microscope
from seqgen.project import Project

# The examples are the same in every run; HYPOTHESIS_PROFILE=explore looks at others, and at more of them.
settings.register_profile(
    "steady",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=100,
    report_multiple_bugs=False,
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let a skipped test fail in CI, where everything that tests need is installed."""
    report = yield
    if report.skipped and os.environ.get("CI") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
    return report


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Project]:
    """Return a maker of projects: the text or bytes of its spec ``example``, other specs by name, its settings."""
    numbers = itertools.count()

    def make(text: str | bytes, *, configuration: str = "", others: dict[str, str] | None = None) -> Project:
        root = tmp_path_factory.getbasetemp() / f"project-{next(numbers)}"
        (root / "specs").mkdir(parents=True)
        (root / "pyproject.toml").write_text(f"[tool.seqgen]\n{configuration}\n", encoding="utf-8")
        for name, content in {"example": text, **(others or {})}.items():
            raw = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
            path = root / "specs" / f"{name}.yaml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(raw)
        return Project(root)

    return make


@pytest.fixture(scope="session")
def microscope(project: Callable[..., Project]) -> Callable[..., Microscope]:
    """Return a maker of microscopes from a spec's YAML text."""

    def make(text: str | bytes, **more: Any) -> Microscope:
        return open_microscope(project(text, **more), "example")

    return make


@pytest.fixture(scope="session")
def steps(microscope: Callable[..., Microscope]) -> Callable[..., Microscope]:
    """Return a maker of microscopes from lines of steps and given values, each a YAML text."""

    def make(*lines: str, given: dict[str, str] | None = None, **more: Any) -> Microscope:
        text = "title: example\n"
        if given:
            text += "given:\n" + "".join(f"  {name}: {{value: {value}}}\n" for name, value in given.items())
        if lines:
            text += "steps: |\n" + "".join(f"  {line}\n" for line in lines)
        return microscope(text, **more)

    return make


class TooSlow(Exception):
    """Something that must end soon is still running."""


@pytest.fixture(scope="session")
def at_most() -> Callable[[float], AbstractContextManager[None]]:
    """Return a limit in seconds of computing, so that an endless one fails instead of hanging the run.

    It counts this process's own time: a machine that is busy with something else makes nothing slow.
    """

    @contextmanager
    def limit(seconds: float) -> Iterator[None]:
        def stop(*_: object) -> None:
            raise TooSlow(f"this still computes after {seconds} s")

        before = signal.signal(signal.SIGVTALRM, stop)
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, before)

    return limit
