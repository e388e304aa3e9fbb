"""Conventions: what an example tells apart, and why not; the truth is PyTorch's, numpy's, or an identity."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

from components import need_torch
from diagnosis import MODELS, diagnosed, drawn, rightly_found
from seqgen.cli import main
from seqgen.conventions.compare import Conventions
from seqgen.conventions.diagnosis import read_values
from seqgen.conventions.report import as_json
from seqgen.decks.weave import Shelf, attempt
from seqgen.errors import SpecError
from seqgen.graph.alternatives.catalogue import CATALOGUE
from seqgen.microscope import Microscope, open_microscope
from seqgen.project import Project
from seqgen.rules.review import review

Made = Callable[..., Project]
EXAMPLES: Mapping[str, dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("conventions.yaml").read_text())
SHIPPED = Project(Path(__file__).parent.parent)
# An identity holds between the two in every example.
SAME_EVERYWHERE = {"decay-decoupled"}
PARAMETERS = ("W", "K", "b", "w")  # first letters


def text(example: Mapping[str, Any], **other: Any) -> str:
    """Return a spec of an example of the table, with ``other`` given values."""
    rows, parts = [], {**example, **other}
    for name, value in parts.items():
        if name not in ("steps", "silent", "gradients", "train"):
            role = "parameter" if name[0] in PARAMETERS else "input"
            rows.append(f"  {name}: {{role: {role}, value: {value}}}\n")
    steps = "".join(f"  {line}\n" for line in example["steps"].split("\n"))
    more = "".join(f"{key}: {parts[key]}\n" for key in ("gradients", "train") if key in parts)
    return f"title: example\ngiven:\n{''.join(rows)}steps: |\n{steps}{more}"


def compared(project: Project, name: str) -> Any:
    """Return what a convention changes in the spec ``example``."""
    return Conventions(project=project, name="example").compare(name)


def test_each_alternative_has_an_example() -> None:
    """The table of examples and the catalogue have the same names."""
    assert list(EXAMPLES) == list(CATALOGUE)


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in SAME_EVERYWHERE])
def test_an_example_shows_each_alternative(project: Made, name: str) -> None:
    """By values that tell the two conventions apart, a printed number changes."""
    assert compared(project(text(EXAMPLES[name])), name).visible


@pytest.mark.parametrize("name", [name for name, example in EXAMPLES.items() if example["silent"] is not None])
def test_an_example_hides_each_alternative(project: Made, name: str) -> None:
    """By values that do not, no printed number does."""
    example = EXAMPLES[name]
    assert not compared(project(text(example, **example["silent"])), name).visible


# Against PyTorch, where it implements the other convention


def _torch() -> Any:
    need_torch()
    import torch

    return torch


def by_gru(values: Mapping[str, Any]) -> Any:
    """Return what PyTorch's GRUCell makes of the given values of dda3020/gru-cell."""
    torch = _torch()
    v = {name: torch.tensor(value, dtype=torch.float64) for name, value in values.items()}
    cell = torch.nn.GRUCell(2, 2, dtype=torch.float64)
    with torch.no_grad():
        cell.weight_ih.copy_(torch.cat([v["W_xr"], v["W_xz"], v["W_x"]]))
        cell.weight_hh.copy_(torch.cat([v["W_hr"], v["W_hz"], v["W_h"]]))
        cell.bias_ih.copy_(torch.cat([v["b_r"], v["b_z"], v["b"]]))
        cell.bias_hh.zero_()
        return cell(v["x"][None], v["h_prev"][None])[0].numpy()


@pytest.mark.real
def test_reset_after_is_pytorchs_gru() -> None:
    """The notes' GRU, which resets before, becomes PyTorch's."""
    other = open_microscope(SHIPPED, "dda3020/gru-cell@reset-after")
    given = {
        e.key: numbers(other, e.key)
        for e in other.graph.entries.values()
        if e.role in ("input", "initial", "parameter")
    }
    assert numbers(other, "h") == pytest.approx(by_gru(given), rel=1e-14)
    base = open_microscope(SHIPPED, "dda3020/gru-cell")
    assert numbers(base, "h") != pytest.approx(by_gru(given), rel=1e-3)


def numbers(microscope: Microscope, key: str) -> Any:
    """Return the float64s of an entry."""
    return microscope.prover.reals(microscope.node_of(key)).values


def tensor(*values: Any) -> Any:
    """Return a float64 tensor."""
    return _torch().tensor(*values, dtype=_torch().float64)


def running_variance() -> Any:
    """Return the running variance of PyTorch's BatchNorm after one batch of 1, 2, 3, 4."""
    layer = _torch().nn.BatchNorm1d(1, dtype=_torch().float64)
    layer(tensor([[1], [2], [3], [4]]))
    return layer.running_var[0].item()


def batch_norm() -> Any:
    """Return what PyTorch's BatchNorm makes of 1, 2, 3, 4."""
    layer = _torch().nn.BatchNorm1d(1, dtype=_torch().float64)
    return layer(tensor([[1], [2], [3], [4]]))[:, 0].detach().numpy()


def trained(optimizer: str, **options: Any) -> Any:
    """Return (1, 2) after two steps of an optimizer of PyTorch's on the sum of squares."""
    torch = _torch()
    w = tensor([1.0, 2.0]).requires_grad_()
    made = getattr(torch.optim, optimizer)([w], **options)
    for _ in range(2):
        made.zero_grad()
        (w**2).sum().backward()
        made.step()
    return w.detach().numpy()


def clipped(**options: Any) -> Any:
    """Return (3, 4) clipped as a gradient by PyTorch."""
    torch = _torch()
    w = tensor([0.0, 0.0]).requires_grad_()
    w.grad = tensor([3.0, 4.0])
    (torch.nn.utils.clip_grad_norm_ if "max_norm" in options else torch.nn.utils.clip_grad_value_)([w], **options)
    return w.grad.numpy()


def slope_of_maximum() -> Any:
    """Return the gradient of max(x, 0) at 1 and 0."""
    x = tensor([1.0, 0.0]).requires_grad_()
    _torch().maximum(x, tensor(0.0)).sum().backward()
    return x.grad.numpy()


def one_step_of_adam(**options: Any) -> Any:
    """Return (1, 2) after one step of PyTorch's Adam on the sum of squares."""
    torch = _torch()
    w = tensor([1.0, 2.0]).requires_grad_()
    made = torch.optim.Adam([w], lr=0.1, **options)
    (w**2).sum().backward()
    made.step()
    return w.detach().numpy()


def dampened() -> Any:
    """Return (1, 2) after two steps with dampening; PyTorch's first velocity is the gradient itself, so it is damped here."""
    w, v = np.array([1.0, 2.0]), np.zeros(2)
    for _ in range(2):
        v = 0.9 * v + 0.1 * 2 * w
        w = w - 0.1 * v
    return w


LAYER = "title: t\ngiven: {x: {value: [1, 2, 3, 4]}, epsilon: {value: 1e-5}}\nsteps: |\n  y = (x - mean(x)) / sqrt(var(x) + epsilon)\n"
TRAINED = "title: t\ngiven: {{w: {{role: parameter, value: [1, 2]}}}}\nsteps: |\n  L = sum(w**2)\ntrain: {{of: L, steps: 2, rate: 0.1, {}}}\n"
ENTROPY = "title: t\ngiven: {a: {value: [[1, 2], [3, 1]]}, y: {value: [0, 1]}}\nsteps: |\n  L = 1/2 * sum(-log_softmax(a[t])[y[t]] for t in range(2))\n"
TRUTHS: dict[str, tuple[str, str, str, Callable[[], Any]]] = {
    "GELU with tanh": (
        "title: t\ngiven: {x: {value: [-1, 0.5, 2]}}\nsteps: |\n  y = gelu(x)\n",
        "gelu-tanh",
        "y",
        lambda: _torch().nn.functional.gelu(tensor([-1, 0.5, 2]), approximate="tanh").numpy(),
    ),
    "layer_norm with another epsilon": (
        LAYER,
        "epsilon-0.001",
        "y",
        lambda: _torch().nn.functional.layer_norm(tensor([1, 2, 3, 4]), (4,), eps=1e-3).numpy(),
    ),
    "the variance that BatchNorm normalises by": (
        LAYER.replace("var(x)", "var(x, ddof=1)"),
        "variance-n",
        "y",
        batch_norm,
    ),
    "the variance that BatchNorm stores": (
        "title: t\ngiven: {x: {value: [1, 2, 3, 4]}}\nsteps: |\n  w = 0.9 * 1 + 0.1 * var(x)\n",
        "variance-n-1",
        "w",
        running_variance,
    ),
    "cross_entropy with reduction sum": (
        ENTROPY,
        "sum-not-mean",
        "L",
        lambda: (
            _torch()
            .nn.functional.cross_entropy(tensor([[1, 2], [3, 1]]), _torch().tensor([0, 1]), reduction="sum")
            .item()
        ),
    ),
    "cross_entropy with reduction mean": (
        ENTROPY.replace("1/2 * ", "").replace("sum(", "sum([").replace("range(2))", "range(2)])"),
        "mean-not-sum",
        "L",
        lambda: _torch().nn.functional.cross_entropy(tensor([[1, 2], [3, 1]]), _torch().tensor([0, 1])).item(),
    ),
    "Adam with epsilon beside the root": (
        "title: t\ngiven: {w: {value: [1, 2]}, epsilon: {value: 0.01}}\nsteps: |\n  g = 2 * w\n"
        "  y = w - 0.1 * (g / sqrt(g**2 + epsilon))\n  z = y - 0\n",
        "epsilon-outside",
        "y",
        lambda: one_step_of_adam(eps=0.01),
    ),
    "SGD with dampening": (
        TRAINED.format("rule: momentum"),
        "momentum-averaged",
        "trained.w",
        dampened,
    ),
    "SGD with Nesterov's momentum": (
        TRAINED.format("rule: momentum"),
        "nesterov",
        "trained.w",
        lambda: trained("SGD", lr=0.1, momentum=0.9, nesterov=True),
    ),
    "the slope of a maximum at a tie": (
        "title: t\ngiven: {x: {value: [1, 0]}}\nsteps: |\n  L = sum(relu(x))\ngradients: {L: [x]}\n",
        "relu-slope-half",
        "grad(L, x)",
        slope_of_maximum,
    ),
    "clip_grad_norm_": (
        "title: t\ngiven: {x: {value: [3, 4]}}\nsteps: |\n  y = minimum(1, 2 / norm(x)) * x\n",
        "clip-epsilon",
        "y",
        lambda: clipped(max_norm=2),
    ),
    "clip_grad_value_": (
        "title: t\ngiven: {x: {value: [3, 4]}, c: {value: 3.5}}\nsteps: |\n  y = minimum(1, c / norm(x)) * x\n",
        "clip-by-value",
        "y",
        lambda: clipped(clip_value=3.5),
    ),
}


@pytest.mark.real
@pytest.mark.parametrize("case", TRUTHS)
def test_the_other_convention_is_pytorchs(project: Made, case: str) -> None:
    """Under the alternative the numbers are those of PyTorch, and as the spec stands they are not."""
    spec, name, key, truth = TRUTHS[case]
    here = project(spec)
    found = [numbers(open_microscope(here, full), key) for full in (f"example@{name}", "example")]
    assert found[0] == pytest.approx(truth(), rel=1e-12, abs=1e-15)
    assert found[1] != pytest.approx(truth(), rel=1e-9, abs=1e-15)


# Proofs, reasons, and a spec's own alternatives

GATED = """
title: example
given:
  h: {role: initial, value: [0.5, -0.4]}
  a: {value: [0, 2]}
  W: {role: parameter, value: [[1, 2], [2, 5]]}
  b: {role: parameter, value: [0, 0]}
steps: |
  g = sigmoid(a)
  y = tanh(g * h + h @ W.T + b)
"""


def test_a_symmetric_matrix_is_named_as_the_reason(project: Made) -> None:
    """With a symmetric W, x W^T = x W, W is symmetric however long the closed form is."""
    found = compared(project(f"{GATED}exact_limit: 0\n"), "transposed(W)")
    assert (found.verdict, found.proof, found.why) == ("equal", "exact", ("W is symmetric",))


def test_a_zero_bias_is_named_as_the_reason(project: Made) -> None:
    """Where b is zero, x + b + b = x + b = x."""
    here = project(f"{GATED}exact_limit: 0\n")
    for name in ("bias-twice(b)", "bias-left-out(b)"):
        found = compared(here, name)
        assert (found.verdict, found.proof, found.why) == ("equal", "exact", ("b is zero",))


def test_one_unit_without_a_bias_can_not_tell_where_the_reset_acts(project: Made) -> None:
    """With one unit r (h w) = (r h) w, at every step (burn#2701)."""
    spec = "title: t\ngiven: {h: {value: [0.5]}, a: {value: [1]}, W: {value: [[0.7]]}}\nsteps: |\n  g = sigmoid(a)\n  y = tanh((g * h) @ W.T)\n"
    assert compared(project(spec), "reset-after").proof == "exact"


def test_a_change_that_no_printed_digit_shows_is_told_with_the_stored_number(project: Made) -> None:
    """1 / sqrt(1 + 1e-12) differs from 1 by half of 1e-12."""
    spec = (
        "title: t\ngiven: {x: {value: [1, 3]}, epsilon: {value: 1e-12}}\nsteps: |\n  y = 1 / sqrt(var(x) + epsilon)\n"
    )
    found = compared(project(spec), "epsilon-left-out")
    assert found.verdict == "hidden"
    assert found.first.by == pytest.approx(5e-13, rel=1e-3)


def test_a_number_of_a_gradient_alone_is_told_as_such(project: Made) -> None:
    """With a symmetric W only the gradient by W itself is another."""
    spec = GATED.replace("y =", "L = sum(h * a) + sum(a * (h @ W.T))\n  y =") + "gradients: {L: [W]}\n"
    found = compared(project(spec), "transposed(W)")
    assert found.verdict == "seen"
    assert found.in_gradients


OWN = (
    GATED
    + "alternatives:\n  written: 'y = tanh(g * h)'\n  part: '(g + 1) * h'\n  same: 'y = tanh(b + h @ W.T + h * g)'\n"
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("written", np.tanh([0.25, -0.4 / (1 + np.exp(-2))])), ("part", np.tanh([0.45, -0.4 / (1 + np.exp(-2)) - 1.4]))],
)
def test_a_specs_own_alternative_replaces_a_step_or_a_part_of_one(project: Made, name: str, expected: Any) -> None:
    """`NAME = …` stands for the step that sets NAME, an expression for the part that is made of the same values."""
    found = numbers(open_microscope(project(OWN), f"example@{name}"), "y")
    assert found == pytest.approx(expected, rel=1e-12)


def test_several_conventions_follow_each_other(project: Made) -> None:
    """An own alternative and one of the catalogue hold together."""
    found = numbers(open_microscope(project(OWN), "example@written@hard-sigmoid"), "y")
    assert found == pytest.approx(np.tanh([0.25, -0.36]), rel=1e-12)


def findings(project: Project) -> list[str]:
    """Return what the rule `indistinct` says."""
    return [f.message for f in review(project, ("example",), select=["indistinct"]).findings if f.rule == "indistinct"]


def test_what_a_spec_must_tell_apart_is_checked(project: Made) -> None:
    """An alternative that changes a printed number is in order, one that does not is a finding, with the reason."""
    spec = f"{OWN}distinguishes: [written, same, transposed(W), scale-by-d]\n"
    assert findings(project(spec)) == [
        "'same' changes no printed number: proven",
        "'transposed(W)' changes no printed number: proven: W is symmetric",
        "the convention 'scale-by-d' applies nowhere in this spec",
    ]


def test_a_citation_names_a_convention(project: Made) -> None:
    """A deck cites a value by another convention with SPEC@CONVENTION."""
    here = project(OWN)
    deck = here.root / "slides" / "one.md"
    deck.parent.mkdir()
    deck.write_text(r"\seq{example: y[0]} or \seq{example@written: y[0]}" + "\n", encoding="utf-8")
    woven, errors = attempt(here, "slides/one.md", Shelf(project=here))
    assert not errors
    assert woven.files["build/slides/one.md"].splitlines()[-1] == "−0.0500 or 0.2449"


def test_the_report_is_json(project: Made) -> None:
    """Each comparison is a row with its verdict; the object has a version."""
    here = project(OWN)
    one = Conventions(project=here, name="example")
    found = json.loads(as_json([("example", [one.compare(name) for name in one.applicable])]))
    rows = {row["name"]: row for row in found["specs"]["example"]}
    assert found["version"] == 1
    assert rows["written"]["visible"]
    assert rows["transposed(W)"]["why"] == ["W is symmetric"]


# Whose convention is it?


def found_in(project: Made, spec: str, values: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    """Return the conventions that reproduce numbers."""
    return diagnosed(project(spec).root, values)


def test_the_convention_of_independent_code_is_found(tmp_path: Path) -> None:
    """Of 40 random models at least 95 %; in the others two conventions agree in all numbers that are given."""
    assert rightly_found(tmp_path, range(40)) >= 38


@pytest.mark.parametrize("number", range(10))
def test_noise_is_of_no_convention(project: Made, number: int) -> None:
    """Numbers that are off by about a tenth are reproduced by none."""
    spec, values, _ = drawn(list(MODELS)[number % len(MODELS)], number)
    rng = np.random.default_rng(number)
    noise = {key: np.round(np.array(v) + rng.normal(0, 0.1, np.shape(v)), 4).tolist() for key, v in values.items()}
    assert found_in(project, spec, noise) == ()


def test_two_conventions_together_are_found(project: Made) -> None:
    """A reset after the matrix, with a bias that is added twice."""
    spec = GATED.replace("g * h + h @ W.T + b", "(g * h) @ W.T + b").replace("[0, 0]", "[0.1, 0.3]")
    spec = spec.replace("[[1, 2], [2, 5]]", "[[0.1, 0.2], [-0.2, 0.5]]")
    h, w, gate = np.array([0.5, -0.4]), np.array([[0.1, 0.2], [-0.2, 0.5]]), 1 / (1 + np.exp(-np.array([0.0, 2.0])))
    y = np.tanh(gate * (h @ w.T) + 2 * np.array([0.1, 0.3]))
    assert found_in(project, spec, {"y": y.tolist()}) == (("reset-after", "bias-twice(b)"),)


def test_values_in_csv_are_rows_of_a_reference_and_numbers(project: Made, tmp_path: Path) -> None:
    """A line of headings is no row, and the number of decimals is how exact they are."""
    file = tmp_path / "values.csv"
    file.write_text("reference,values\ny[0],0.12\ny,0.125,-1\n", encoding="utf-8")
    found = read_values(file)
    assert found.numbers == {"y[0]": [0.12], "y": [0.125, -1]}
    assert found.slack["y[0]"] == pytest.approx(0.0005, rel=1e-3)


@pytest.mark.parametrize("text", ["", "[1, 2]", '{"y": "x"}', '{"y": [1, null]}', '{"y": NaN}', "{"])
def test_values_that_can_not_be_read_are_an_error(tmp_path: Path, text: str) -> None:
    """Neither a list nor a word is a number of a reference."""
    file = tmp_path / "values.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SpecError) as caught:
        read_values(file)
    assert caught.value.code == "values"


def test_the_command_tells_whose_numbers_they_are(
    project: Made, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Exit status 0 with the convention, 1 where there is none."""
    monkeypatch.chdir(project(OWN).root)
    for number, (text, status, said) in enumerate(
        (
            ("y,0.2449,-0.3384", 0, "written reproduces all 2 numbers: y = tanh(g * h)\n"),
            ("y,0.2449,0.3384", 1, "none: no convention that applies reproduces all 2 numbers\n"),
        )
    ):
        file = tmp_path / f"{number}.csv"
        file.write_text(text, encoding="utf-8")
        result = CliRunner().invoke(main, ["conventions", "example", "--values", str(file)])
        assert (result.exit_code, result.output[: len(said)]) == (status, said)
