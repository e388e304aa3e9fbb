"""No two names of a spec look alike on a page."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from seqgen.errors import SeqgenError
from seqgen.microscope import Microscope
from seqgen.readings.symbols import look


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x_1^2", "x^{2}_{1}"),
        ("{x_{1}}^2", "x_1^2"),
        (r"\bar h", r"\bar{h}"),
        (r"\bar h_t", r"\bar{h}_{t}"),
        (r"f^{\,\text{high}}", r"f^{\mathrm{high}}"),
        ("h'", r"h^{\prime}"),
        ("h''", r"h^{\prime\prime}"),
        ("h'^2", r"h^{\prime 2}"),
        (r"\left(a\right)", "(a)"),
        (r"a \leq b", r"a\le b"),
        (r"\lVert g \rVert", r"\|g\|"),
        (r"\widetilde g", r"\tilde{g}"),
        (r"W_\mathrm{ab}", r"W_{\text{ab}}"),
        ("{{a}b}", "ab"),
    ],
)
def test_math_that_looks_alike_is_told(one: str, other: str) -> None:
    """Braces, spaces, the order of scripts, and commands of one glyph change nothing that a reader sees."""
    assert look(one) == look(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x_1", "x^1"),
        ("x_{12}", "x_{1}2"),
        ("x_{1,2}", "x_{12}"),
        (r"\mathrm{x}", "x"),
        (r"\mathbf{x}", r"\mathrm{x}"),
        (r"\alpha b", r"\alpha_b"),
        (r"\bar{ab}", r"\bar{a}b"),
        ("h'", "h"),
        ("x_1^2", "x_2^1"),
        (r"\epsilon", r"\varepsilon"),
        ("[a]", "(a)"),
    ],
)
def test_math_that_looks_different_is_left_alone(one: str, other: str) -> None:
    """What a reader can tell apart may stand for two values."""
    assert look(one) != look(other)


def spec(names: str, steps: str = "") -> str:
    """Return a spec that gives the names of a text a number each."""
    return "title: t\ngiven: {" + ", ".join(f"'{n}': {{value: 1}}" for n in names.split()) + "}\n" + steps


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        (spec("h_0 h[0]"), ["'h_0' and 'h[0]'"]),
        (spec("W1 W_1"), ["'W_1' and 'W1'"]),
        (spec("h2_tilde h_tilde_2"), ["'h_tilde_2' and 'h2_tilde'"]),
        (spec("a b c", "tex: {a: z, b: z, c: z}\n"), ["'b' and 'a'", "'c' and 'a'"]),
        (spec("x_hat y", "tex: {y: '\\hat x'}\n"), ["'y' and 'x_hat'"]),
        (spec("x N", "tex: {x: 'D'}\ndims: {D: 2}\n"), ["'x' and 'D'"]),
        (
            spec("x", "steps: |\n  def f(a):\n      b = 2 * a\n      return b\n  y = f(x)\n  z = f(x)\ntex: {y: z}\n"),
            ["'y' and 'z'"],
        ),
    ],
)
def test_two_names_with_one_symbol_are_an_error(
    microscope: Callable[..., Microscope], text: str, pairs: list[str]
) -> None:
    """By the spec's spelling or by the rules for names; each pair once, whatever its members."""
    with pytest.raises(SeqgenError) as caught:
        microscope(text)
    errors = getattr(caught.value, "errors", (caught.value,))
    assert [e.message.removesuffix(" have the same symbol") for e in errors] == pairs
    assert {e.code for e in errors} == {"same-symbol"}
    assert all(e.span is not None for e in errors)


@pytest.mark.parametrize(
    "text",
    [
        "title: t\ngiven: {h: {value: [1, 2]}, h_0: {value: 3}}\nsteps: |\n  y = h[1] + h_0\n",
        spec("x", "steps: |\n  y = x\n  z = y\n"),
        spec("x", "steps: |\n  def f(a):\n      b = 2 * a\n      return b\n  y = f(x)\n  z = f(x)\n"),
        spec("a b", "tex: {a: z, b: Z}\n"),
    ],
)
def test_different_symbols_are_no_error(microscope: Callable[..., Microscope], text: str) -> None:
    """An element that nothing uses is not typeset; the values inside two calls carry the calls' names."""
    microscope(text)
