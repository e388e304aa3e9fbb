"""Random specs, computed twice: by seqgen, and by mpmath from the language's documentation. `fuzz/laws.py` takes more."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent / "fuzz"))

from laws import laws

from interpreter import Spec
from seqgen.project import Project
from traced import point


@pytest.mark.parametrize("seed", range(4))
def test_all_that_is_said_of_a_random_spec_is_true(project: Callable[..., Project], seed: int) -> None:
    """Values, printed digits, gradients, contributions, formulas in both writings, and lines of derivations."""
    found = laws(range(3), seed, project("title: t").root)
    assert found.faults == []
    assert found.counts["numbers"] > 30
    assert found.counts["formulas"] > 10
    assert found.counts["lines, holds"] > 30


def numbers(spec: Spec, root: str, key: str) -> list[float]:
    """Return the derivative of a scalar by a value."""
    return [float(point(n.value)) for n in spec.adjoints(root).by(spec.entries[key]).flat]


@pytest.mark.parametrize(
    ("steps", "slope"),
    [
        ("L = sum(relu(x))", [0, 1, 1]),
        ("L = sum(abs(x))", [0, 1, 1]),
        ("L = max(x)", [0, 0.5, 0.5]),
        ("L = min(-x)", [0, -0.5, -0.5]),
        ("L = sum(maximum(x, 2))", [0, 0.5, 0.5]),
        ("L = sum(where(x == 2, x * x, 3 * x))", [3, 4, 4]),
        ("L = sum(stop_gradient(x) * x)", [0, 2, 2]),
        ("L = sum((x > 1) * x + sign(x))", [0, 1, 1]),
    ],
)
def test_the_interpreter_has_the_documented_derivatives_at_kinks(steps: str, slope: list[float]) -> None:
    """docs/language.md: relu and abs have 0 at 0, ties share equally; comparisons have none."""
    assert numbers(Spec({"x": ["0", "2", "2"]}, {}, steps), "L", "x") == slope


def test_the_interpreter_differentiates_as_pytorch_does() -> None:
    """A recurrence with softmax, norm and a power, and the gradient of a gradient."""
    torch = pytest.importorskip("torch")
    values = {"x": [[0.5, -0.25], [1.5, 2.0]], "W": [[0.3, -1.2], [0.8, 0.1]]}
    steps = (
        "h[0] = tanh(x @ W.T)\nh[1] = softmax(h[0] * x) @ W\nL = norm(h[1]) + sum(x**3)\ng = grad(L, W)\nQ = sum(g * g)"
    )
    given = {name: [[str(v) for v in row] for row in rows] for name, rows in values.items()}
    spec = Spec(given, {}, steps)
    x, w = (torch.tensor(values[name], dtype=torch.float64, requires_grad=True) for name in "xW")
    loss = torch.linalg.norm(torch.softmax(torch.tanh(x @ w.T) * x, -1) @ w) + (x**3).sum()
    (g,) = torch.autograd.grad(loss, w, create_graph=True)
    assert numbers(spec, "L", "W") == pytest.approx(g.flatten().tolist(), rel=1e-12)
    expected = np.concatenate([t.flatten().numpy() for t in torch.autograd.grad((g * g).sum(), (x, w))])
    assert [*numbers(spec, "Q", "x"), *numbers(spec, "Q", "W")] == pytest.approx(expected, rel=1e-12)
