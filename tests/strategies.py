"""Hypothesis strategies that several test files share."""

from __future__ import annotations

from hypothesis import strategies as st


def decimals(*, low: int, high: int, digits: int = 6) -> st.SearchStrategy[str]:
    """Return texts of decimal numbers between two integers, with up to ``digits`` decimals."""
    scale = 10**digits

    def write(scaled: int) -> str:
        sign, magnitude = "-" if scaled < 0 else "", abs(scaled)
        return f"{sign}{magnitude // scale}.{magnitude % scale:0{digits}d}"

    return st.integers(low * scale, high * scale).map(write)
