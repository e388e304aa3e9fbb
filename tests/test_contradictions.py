"""Numbers beside labels: a label that names an entry binds more than digits do."""

from __future__ import annotations

from typing import Any

import pytest

from seqgen.build import build
from seqgen.rules.review import review

# By hand: a = (-0.1, 0.95), h = sigmoid(a) = (0.475021, 0.721115), s = 0.7*h0 - 0.6*h1 = -0.100155,
# p = sigmoid(s) = 0.474982, L = -log(p) = 0.744478, dL/ds = p - 1, so that dL/du0 = -0.525018*0.475021 = -0.249394.
NET = """\
title: A small net
given:
  x: {role: input, shape: [D], value: [1, 2]}
  W: {role: parameter, shape: [H, D], value: [[0.3, -0.2], [0.15, 0.4]]}
  u: {role: parameter, shape: [H], value: [0.7, -0.6]}
steps: |
  a = W @ x
  h = sigmoid(a)
  s = u @ h
  p = sigmoid(s)
  L = -log(p)
gradients: {L: [u, W]}
"""
# By hand: z = (0.4, -0.45), h = tanh(z) = (0.379949, -0.421899), L = 1/2 (0.144361 + 0.177999) = 0.161180.
GATE = """\
title: One gated unit
given:
  x: {role: input,     shape: [D],    value: [0.5, -1.25]}
  W: {role: parameter, shape: [H, D], value: [[0.3, -0.2], [0.1, 0.4]]}
steps: |
  z = x @ W.T            # preactivation
  h = tanh(z)            # state
  L = 1/2 * sum(h**2)    # loss
gradients: {L: [z, W]}
tables:
  units:
    rows: i = 0..H-1
    columns: {"$i$": i, "$z_i$": "z[i]", "$h_i$": "h[i]", "$g^z_i$": "grad(L, z)[i]"}
"""
# sin(1) + 0.1 = 0.941471 and so on: y = x + w, with w[t][j] = 0.1 t + sin(t / 10^j).
WAVE = """\
title: Inputs plus a wave
given:
  x: {role: input, shape: [T, D], value: [[0.2, 0.7, 0.5], [0.9, 0.1, 0.3], [0.6, 0.8, 0.4]]}
steps: |
  w = [[0.1*t + sin(t/10**j) for j in range(D)] for t in range(T)]
  y = x + w
digits: {default: 3}
"""
TARGET = """\
title: One target
given:
  x: {role: input, value: 0.4}
  y: {role: target, value: 1}
steps: |
  p = sigmoid(x)
  L = 1/2 * (y - p)**2
"""


@pytest.fixture
def found(project: Any) -> Any:
    """Return a function that checks a deck against a spec: rule, digits and what should stand there."""

    def check(spec: str, text: str, name: str = "slides/a.md") -> list[tuple[str, str, str]]:
        made = project(spec)
        path = made.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        assert not build(made).failed
        rules = ("contradiction", "near-miss", "possible-contradiction")
        return [(f.rule, f.old, f.new) for f in review(made).findings if f.rule in rules]

    return check


def test_values_of_an_older_version_contradict_their_labels(found: Any) -> None:
    """In text, in a gradient and in a table; the one number that is right is left alone."""
    text = (
        "# A net\n\nThe state is $h = (0.5250, 0.7211)$, the score $s = 0.0471$ and the output $p = 0.5312$.\n\n"
        "The loss is $L = 0.6330$, and $\\frac{\\partial L}{\\partial u_0} = -0.2461$.\n\n"
        "| | $h_0$ | $h_1$ | $s$ |\n| --- | ---: | ---: | ---: |\n| value | 0.5250 | 0.7211 | 0.0471 |\n"
    )
    typed = ["0.5250", "0.0471", "0.5312", "0.6330", "-0.2461", "0.5250", "0.0471"]
    right = ["0.4750", "-0.1002", "0.4750", "0.7445", "-0.2494", "0.4750", "-0.1002"]
    assert found(NET, text) == [("contradiction", a, b) for a, b in zip(typed, right, strict=True)]


@pytest.mark.parametrize(
    "label", [r"\partial L/\partial u_0", r"\frac{dL}{du_0}", r"\nabla_u L_{0}", r"\frac{\partial L}{\partial u}_0"]
)
def test_a_gradient_is_named_in_its_usual_spellings(found: Any, label: str) -> None:
    """Each is dL/du, at the first element."""
    text = f"The state is $h = (0.4750, 0.7211)$, and ${label} = -0.1461$.\n"
    assert found(NET, text) == [("contradiction", "-0.1461", "-0.2494")]


def test_the_digits_of_another_entry_do_not_back_a_labelled_number(found: Any) -> None:
    """The columns of z and h in each other's place, a state as a loss, a multiple of the loss."""
    text = (
        "From $x=(0.5,-1.25)$ the preactivation is $z=(0.4,-0.45)$. States: $h_0 = -0.4219$ and $h_1 = 0.3799$.\n\n"
        "| unit | $z_i$ | $h_i$ |\n| --- | ---: | ---: |\n| 0 | 0.3799 | 0.4000 |\n| 1 | -0.4219 | -0.4500 |\n\n"
        "| unit | $h_i$ |\n| --- | ---: |\n| 0 | -0.4219 |\n| 1 | 0.3799 |\n\n"
        "The loss is $L = 0.3799$, its double $2L = 0.1612$; $h_0 = 0.3979$.\n"
    )
    assert [old for _, old, _ in found(GATE, text)] == [
        "-0.4219", "0.3799", "0.3799", "0.4000", "-0.4219", "-0.4500", "-0.4219", "0.3799", "0.3799", "0.1612", "0.3979",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ("1.709 & 1.199 & 0.62", []),
        ("1.709 & 1.199 & 0.895", ["0.895"]),
        ("1.709 & 1.655 & 0.895", ["1.655", "0.895"]),
        ("2.41 & 1.655 & 0.895", ["2.41", "1.655", "0.895"]),
    ],
)
def test_each_wrong_entry_of_a_matrix_is_found(found: Any, row: str, wrong: list[str]) -> None:
    """One, two and three, and none in a matrix that is right."""
    text = rf"$$y = \begin{{bmatrix}} 0.2 & 0.7 & 0.5 \\ 1.841 & 0.30 & 0.41 \\ {row} \end{{bmatrix}}$$"
    assert [old for _, old, _ in found(WAVE, text)] == wrong


def test_eight_wrong_entries_of_nine_are_found(found: Any) -> None:
    """Where the deck is known to be about the spec by another number."""
    text = r"Here $x_1 = (0.9, 0.1, 0.3)$ and $y_1 = (1.841, 0.300, 0.410)$, so that" "\n\n" + (
        r"$$y = \begin{bmatrix} 0.2 & 0.6 & 0.4 \\ 1.5 & 0.2 & 0.7 \\ 1.1 & 1.9 & 0.8 \end{bmatrix}$$"
    )
    assert len(found(WAVE, text)) == 8


@pytest.mark.parametrize(
    "true",
    [
        "$h_1 < 0.7212$", r"$h_1 \le 0.7212$", r"$h_1 > 0.7210$ and $h_1 \geq 0.7210$", r"$h_1 \neq 0.7212$",
        r"$h_1 \in [0.7211, 0.7212]$, $h_1 \in (0.7210, 0.7212)$", "$0.7210 < h_1 < 0.7213$",
        "$|h_1 - 0.7212| < 0.0001$", "rounded down, $h_1$ is 0.7211, not 0.7212",
        "$h_1$ is at most 0.7212; $h_1$ lies below 0.7212", r"$h_1 \approx 0.721$, $h_1 \approx 0.7$",
        r"$\lfloor 100 h_1 \rfloor = 72$, $\lceil h_1 \rceil = 1$", "$h_1$ lies between 0.7210 and 0.7212",
    ],
)  # fmt: skip
def test_a_true_bound_is_in_order(found: Any, true: str) -> None:
    """An inequality, an interval and words such as "at most" state no value."""
    assert found(NET, f"The state is $h = (0.4750, 0.7211)$.\n\n{true}\n") == []


@pytest.mark.parametrize(("false", "digits"), [("$h_1 < 0.7210$", "0.7210"), (r"$h_0 \geq 0.4812$", "0.4812")])
def test_a_false_bound_is_a_contradiction(found: Any, false: str, digits: str) -> None:
    """H is (0.4750, 0.7211)."""
    assert found(NET, f"The state is $h = (0.4750, 0.7211)$.\n\n{false}\n") == [("contradiction", digits, "")]


def test_an_exact_given_does_not_contradict_another_lecture(found: Any) -> None:
    """Its y is 1; a lecture of images has its own."""
    text = (
        "$$\\hat{\\mathbf{y}}^{(i)} = \\begin{pmatrix} 0.98 \\\\ 0.01 \\\\ 0.01 \\end{pmatrix} \\qquad y = 0.98, \\quad "
        "\\hat y = 0.99$$\n\n| image | y |\n| --- | ---: |\n| a | 0.98 |\n| b | 1.02 |\n"
    )
    assert found(TARGET, text) == []


@pytest.mark.parametrize(
    "spelled",
    [
        r"-\num{0.1002}", r"-\mathbf{0.1002}", r"-\textcolor{red}{0.1002}", r"-\alert<2>{0.1002}", "{}-0.1002",
        r"-\boxed{0.1002}", r"{-}0.1002", r"-\,0.1002", r"-\color{blue}{0.1002}", r"-{0.1002}",
    ],
)  # fmt: skip
def test_a_sign_may_stand_apart_from_its_digits(found: Any, spelled: str) -> None:
    """S is -0.1002: right with the sign, and of the other sign without."""
    text = "\\begin{document}\nHere $h = (0.4750, 0.7211)$ and $s = %s$.\n\\end{document}\n"
    assert found(NET, text % spelled, "slides/a.tex") == []


@pytest.mark.parametrize("cell", ["$-$0.1002", r"\textminus 0.1002", r"$-\,$0.1002"])
def test_a_sign_may_stand_apart_in_a_cell(found: Any, cell: str) -> None:
    """Text mode needs mathematics for a minus sign."""
    text = "\\begin{document}\n$h = (0.4750, 0.7211)$ \\begin{tabular}{r} $s$ \\\\ %s \\end{tabular}\n\\end{document}\n"
    assert found(NET, text % cell, "slides/a.tex") == []


@pytest.mark.parametrize(
    "spelled",
    [
        r"%s\%%", r"%s\,\%%", r"%s~\%%", r"\SI{%s}{\percent}", r"\qty{%s}{\percent}", r"%s \%%", r"%s\;\%%", r"\qty{%s}{\%%}",
        r"\num{%s}\,\%%",
    ],
)  # fmt: skip
@pytest.mark.parametrize(("digits", "is_right"), [("72.11", True), ("72.12", False)])
def test_a_percentage_is_read_in_every_spelling(found: Any, spelled: str, digits: str, is_right: bool) -> None:
    """h_1 is 72.11 %."""
    text = "\\begin{document}\nHere $h = (0.4750, 0.7211)$ and $h_1 = %s$.\n\\end{document}\n" % (spelled % digits)
    assert [rule for rule, *_ in found(NET, text, "slides/a.tex")] == ([] if is_right else ["near-miss"])


@pytest.mark.parametrize(
    ("spelled", "is_right"),
    [
        (r"0.72\,112", True), (r"0.72\,118", False), (r"\num{0,7211}", True), (r"\num{0,7213}", False),
        (r"\num[round-mode=places,round-precision=2]{0.7249}", True),
        (r"\num[round-mode=places,round-precision=2]{0.7311}", False),
    ],
)  # fmt: skip
def test_what_is_shown_is_judged(found: Any, spelled: str, is_right: bool) -> None:
    """Groups of decimals, a decimal comma, and numbers that siunitx rounds: h_1 is 0.721115."""
    text = f"\\begin{{document}}\nHere $h = (0.4750, 0.7211)$ and $h_1 = {spelled}$.\n\\end{{document}}\n"
    assert (found(NET, text, "slides/a.tex") == []) == is_right


@pytest.mark.parametrize(
    "head",
    [
        "<!-- seqgen: spec example -->\n", "---\nseqgen: {spec: example}\n---\n", "---\ntitle: A\nseqgen:\n  spec: example\n---\n",
        "<!-- seqgen: spec net = example -->\n",
    ],
)  # fmt: skip
def test_a_pragma_says_which_spec_is_meant(found: Any, head: str) -> None:
    """Then a lone label contradicts; without it, nothing says that the deck is about the spec."""
    text = "The score is $s = 0.0471$.\n"
    assert found(NET, text) == []
    assert found(NET, head + text) == [("contradiction", "0.0471", "-0.1002")]


def test_a_pragma_of_latex_says_which_spec_is_meant(found: Any) -> None:
    """In a comment, from there on."""
    text = "\\begin{document}\n$s = 0.0472$\n% seqgen: spec example\n$s = 0.0471$\n\\end{document}\n"
    assert found(NET, text, "slides/a.tex") == [("contradiction", "0.0471", "-0.1002")]


def test_a_citation_nearby_says_which_spec_is_meant(found: Any) -> None:
    """A deck that cites a spec is about it."""
    assert found(NET, "Output \\seq{example: p}, score $s = 0.0471$.\n") == [("contradiction", "0.0471", "-0.1002")]


@pytest.mark.parametrize(
    "code",
    [
        "```{python}\nfig.text(x=0.41, y=0.98)\nplt.subplots_adjust(left=0.1, top=0.98)\n```",
        "```python\nx = 0.41\nax.set(s=0.3)\n```", "![s](a.png){s=0.31}", "<!-- s = 0.31 -->",
    ],
)  # fmt: skip
def test_code_is_no_result_of_the_page(found: Any, code: str) -> None:
    """Cells, programs and their keywords, attributes and comments."""
    assert found(NET, f"<!-- seqgen: spec example -->\n\n{code}\n") == []


def test_a_typed_zero_is_held_against_its_entry(found: Any) -> None:
    """A zero that is one, as a number and in a vector, and one that stands for another value."""
    spec = NET.replace("steps: |\n", "steps: |\n  r = relu(-x)\n  o = r[0]\n")
    text = "<!-- seqgen: spec example -->\n\n$r = (0.00, 0.00)$, $o = 0.0$, $r_0 = 0$, %s.\n"
    assert found(spec, text % "$s = -0.1002$") == []
    assert [old for _, old, _ in found(spec, text % "$s = 0.0000$, $h = (0.0000, 0.7211)$")] == ["0.0000", "0.0000"]
    assert [old for _, old, _ in found(spec, text % "$o = 0.3$, $r = (0.00, 0.02)$")] == ["0.3", "0.02"]
