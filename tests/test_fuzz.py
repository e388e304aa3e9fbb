"""Nothing that a user, or somebody else's pull request, can feed breaks seqgen: changed specs, references, decks, ledgers.

`fuzz/run.py` looks at many more, guided by the code that they reach.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent / "fuzz"))

from run import TOKENS, seeds
from targets import TARGETS


@st.composite
def changed(draw: st.DrawFn, target: str) -> bytes:
    """Return an input to begin with, in which a few stretches are replaced by others, by tokens or by any bytes."""
    known = [seed for seed in seeds(target) if len(seed) < 4000]
    data = draw(st.sampled_from(known))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(data)))
        stop = start + draw(st.sampled_from([0, 0, 1, 3, 20]))
        other = draw(st.sampled_from(known))
        place = draw(st.integers(0, len(other)))
        piece = st.one_of(
            st.sampled_from(TOKENS).map(
                lambda token: token.encode().decode("unicode_escape").encode("latin-1", "replace")
            ),
            st.binary(max_size=4),
            st.just(other[place : place + 20]),
        )
        data = data[:start] + draw(piece) + data[stop:]
    return data


@pytest.mark.parametrize("target", TARGETS)
def test_a_changed_input_breaks_nothing(target: str) -> None:
    """Each is computed, or told as a mistake, within its time."""
    check(target, TARGETS[target])


def check(target: str, feed: Callable[[bytes], None]) -> None:
    """Feed a target with changed inputs."""

    @settings(max_examples=40)
    @given(changed(target))
    def every(data: bytes) -> None:
        feed(data)

    every()
