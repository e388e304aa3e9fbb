"""Errors as a notebook shows them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from seqgen.errors import SeqgenError

P = ParamSpec("P")
R = TypeVar("R")


def reporting(function: Callable[P, R]) -> Callable[P, R]:
    """Let errors carry the report that the command line prints: place, excerpt and hint show below a traceback."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except SeqgenError as problem:
            if not getattr(problem, "__notes__", None):
                problem.add_note(problem.render())
            raise

    return call
