"""Alternatives of losses and of the updates of parameters."""

from __future__ import annotations

from fractions import Fraction

from seqgen.graph.alternatives.alternative import Alternative
from seqgen.graph.alternatives.pattern import number_of
from seqgen.graph.node import Node


def _not_divided(node: Node) -> Node | None:
    """Return a written-out sum that is divided by the number of its terms, without that."""
    if node.operation.name not in ("multiply", "divide"):
        return None
    left, right = node.inputs
    pairs = ((left, right), (right, left)) if node.operation.name == "multiply" else ((left, right),)
    for total, factor in pairs:
        number, terms, rest = number_of(factor), 1, total
        while rest.operation.name == "add":
            terms, rest = terms + 1, rest.inputs[0]
        if terms > 1 and number == (terms if node.operation.name == "divide" else Fraction(1, terms)):
            return total
    return None


LOSSES = (
    Alternative(
        name="sum-not-mean",
        what="Losses are added, and not divided by their number.",
        used="reduction='sum' in PyTorch (pytorch#635, advertorch#56)",
        rules=(
            ("mean((x - t)**2)", "sum((x - t)**2)"),
            ("1 / count(x) * sum(x)", "sum(x)"),
            ("sum(x) * (1 / count(x))", "sum(x)"),
            ("sum(x) / count(x)", "sum(x)"),
            _not_divided,
        ),
    ),
    Alternative(
        name="mean-not-sum",
        what="A sum of losses is divided by their number.",
        used="reduction='mean', PyTorch's default",
        rules=(("sum((x - t)**2)", "mean((x - t)**2)"), ("sum(l)", "mean(l)")),
    ),
    Alternative(
        name="half-left-out",
        what="A squared error has no factor 1/2.",
        used="MSELoss; textbooks differ",
        rules=(("1/2 * sum(x**2)", "sum(x**2)"), ("1/2 * x**2", "x**2"), ("1/2 * mean(x**2)", "mean(x**2)")),
    ),
    Alternative(
        name="half-of-mean",
        what="A mean squared error is halved.",
        used="Bishop 2006 and Ng's lectures, for the sake of the derivative",
        rules=(("mean((x - t)**2)", "1/2 * mean((x - t)**2)"),),
    ),
    Alternative(
        name="log-base-2",
        what="Logarithms are to base 2.",
        used="bits in information theory; perplexity by hand",
        rules=(("log(x)", "log(x) / log(2)"), ("log_softmax(x, axis=a)", "log_softmax(x, axis=a) / log(2)")),
    ),
    Alternative(
        name="log-base-10",
        what="Logarithms are to base 10.",
        used="LOG in spreadsheets, and calculators (AI by Hand's Mamba sheet; the first figure of CS231n's softmax)",
        rules=(
            ("log(x)", "log10(x)"),
            ("log_softmax(x, axis=a)", "log_softmax(x, axis=a) / log(10)"),
            ("softplus(x)", "log10(1 + exp(x))"),
        ),
    ),
    Alternative(
        name="smoothing-others",
        what="Label smoothing shares epsilon among the other classes only.",
        used="fairseq; PyTorch's label_smoothing shares it among all",
        rules=(("(1 - n) * x + n / na", "(1 - n) * x + n / (na - 1) * (1 - x)"),),
    ),
)
UPDATES = (
    Alternative(
        name="adam-uncorrected",
        what="Adam's moments are not divided by 1 - beta**t.",
        used="BERT's AdamWeightDecayOptimizer",
        rules=(("x / (1 - n**k)", "x"),),
    ),
    Alternative(
        name="momentum-averaged",
        what="A velocity is a running mean: the gradient has the factor 1 - momentum.",
        used="PyTorch with dampening=momentum; Ng's course",
        rules=(("n * v + y", "n * v + (1 - n) * y"),),
        training=True,
    ),
    Alternative(
        name="momentum-not-averaged",
        what="A running mean is a sum: the new value has no factor 1 - beta.",
        used="heavy-ball momentum (Polyak 1964), PyTorch's SGD by default",
        rules=(("n * v + (1 - n) * y", "n * v + y"),),
        training=True,
    ),
    Alternative(
        name="nesterov",
        what="The step looks ahead along the velocity.",
        used="PyTorch with nesterov=True; Sutskever et al. 2013",
        rules=(("x - n * (na * v + y)", "x - n * (na * (na * v + y) + y)"),),
        training=True,
    ),
    Alternative(
        name="clip-epsilon",
        what="A norm has 1e-6 added before gradients are clipped by it.",
        used="torch.nn.utils.clip_grad_norm_",
        rules=(
            ("n / maximum(x, n)", "minimum(1, n / (x + 0.000001))"),
            ("minimum(1, n / x)", "minimum(1, n / (x + 0.000001))"),
        ),
        unless="they differ in about the sixth digit of what is clipped",
    ),
    Alternative(
        name="clip-by-value",
        what="Each element of a gradient is clipped by itself.",
        used="torch.nn.utils.clip_grad_value_; Mikolov 2012",
        rules=(
            ("n / maximum(norm(x), n) * x", "maximum(minimum(x, n), -n)"),
            ("minimum(1, n / norm(x)) * x", "maximum(minimum(x, n), -n)"),
        ),
    ),
    Alternative(
        name="decay-decoupled",
        what="Weight decay is taken from the parameter beside the gradient's step.",
        used="AdamW (Loshchilov & Hutter 2019); for plain SGD it is the same",
        rules=(("x - n * (y + na * x)", "x - n * y - n * na * x"),),
        unless="they differ where the gradient is changed before the step, as by momentum or Adam",
    ),
)
