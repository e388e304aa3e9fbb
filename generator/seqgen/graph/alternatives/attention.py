"""Alternatives of attention, of linear maps and of positions."""

from __future__ import annotations

from seqgen.graph.alternatives.alternative import Alternative
from seqgen.graph.node import Node, apply


def _interleaved(node: Node) -> Node | None:
    """Return heads side by side as features in turn: 1, 2, 1, 2 for 1, 1, 2, 2."""
    shapes = {i.shape for i in node.inputs}
    if node.operation.name != "concat" or len(node.inputs) < 2 or len(shapes) > 1 or len(node.shape) != 2:
        return None
    if node.parameters["axis"] not in (-1, 1) or any(i.operation.name == "given" for i in node.inputs):
        return None
    turned = apply("permute", apply("stack", *node.inputs, origin=node.origin), axes=(1, 2, 0), origin=node.origin)
    return apply("reshape", turned, shape=node.shape, origin=node.origin)


def _halved(node: Node) -> Node | None:
    """Return pairs side by side as all their first parts, then all their second ones."""
    pairs = [i for i in node.inputs if i.operation.name == "stack" and i.shape == (2,) and len(i.inputs) == 2]
    if node.operation.name != "concat" or len(pairs) < 2 or len(pairs) != len(node.inputs):
        return None
    halves = (apply("stack", *(pair.inputs[k] for pair in pairs), origin=node.origin) for k in (0, 1))
    return apply("concat", *halves, origin=node.origin)


ATTENTION = (
    Alternative(
        name="scale-left-out",
        what="Scores are not divided.",
        used="Luong et al. 2015; code that scales elsewhere, such as T5's",
        rules=(("(q @ k) / sqrt(n)", "q @ k"),),
    ),
    Alternative(
        name="scale-by-d",
        what="Scores are divided by the width, not by its root.",
        used="muP (Yang et al. 2022); a frequent misreading of Vaswani et al. 2017, section 3.2.1",
        rules=(("(q @ k) / sqrt(n)", "(q @ k) / n"),),
    ),
    Alternative(
        name="scale-model-width",
        what="Scores are divided by the root of the model's width, not of the head's.",
        used="implementations that scale before the heads are split",
        rules=(("((x @ y) @ (z @ u).T) / sqrt(n)", "((x @ y) @ (z @ u).T) / sqrt(columns(x))"),),
    ),
    Alternative(
        name="softmax-over-queries",
        what="Softmax runs down the columns of the scores, over the queries.",
        used="softmax with the wrong axis; on purpose in Slot Attention (Locatello et al. 2020)",
        rules=(("softmax(x)", "softmax(x, axis=-2)"),),
    ),
    Alternative(
        name="scores-transposed",
        what="Rows of the scores are keys.",
        used="column conventions, where the scores are K^T Q",
        rules=(("(q @ k.T) / sqrt(n)", "(k @ q.T) / sqrt(n)"),),
    ),
    Alternative(
        name="keys-not-transposed",
        what="The queries are multiplied by the keys as they are.",
        used="keys that are stored as columns",
        rules=(("(q @ k.T) / sqrt(n)", "(q @ k) / sqrt(n)"),),
    ),
    Alternative(
        name="mask-after-softmax",
        what="Hidden weights are set to zero after the softmax, and the row is not divided again.",
        used="a frequent error in causal attention by hand",
        rules=(("softmax(s + M, axis=a)", "softmax(s, axis=a) * where(M == -inf, 0, 1)"),),
    ),
    Alternative(
        name="mask-minus-1e9",
        what="A hidden score is lowered by 1e9, not by infinity.",
        used="the Annotated Transformer and the TensorFlow tutorial (pytorch#41508)",
        rules=(("s + M", "s + maximum(M, -1000000000)"),),
        unless="they differ where every source of a row is hidden, or scores are very large",
    ),
    Alternative(
        name="mask-before-scale",
        what="The mask is added before the scores are divided.",
        used="the two orders are both common; they differ where a mask is finite",
        rules=(("(q @ k) / sqrt(n) + M", "(q @ k + M) / sqrt(n)"),),
        unless="they differ where a mask is neither 0 nor infinite",
    ),
    Alternative(
        name="mask-inverted",
        what="The mask hides what it should permit.",
        used="True is hidden in PyTorch's MultiheadAttention, and permitted in scaled_dot_product_attention",
        rules=(("s + M", "s + where(M == -inf, 0, -inf)"),),
    ),
    Alternative(
        name="heads-interleaved",
        what="The features of the heads take turns in a row, where they stood one head after the other.",
        used="reshape to (width, heads) in place of (heads, width); packed weights of GPT-NeoX",
        rules=(_interleaved,),
    ),
)
LINEAR = (
    Alternative(
        name="transposed",
        what="A square matrix is used without its transpose, or with it.",
        used="x W^T in PyTorch, x W in Keras, JAX and most papers with row vectors",
        rules=(("x @ W.T", "x @ W"), ("x @ W", "x @ W.T"), ("W @ x", "W.T @ x")),
        each="W",
    ),
    Alternative(
        name="bias-left-out",
        what="A bias is not added.",
        used="layers with bias=False; the most frequent omission by hand (CS231n's first ship score)",
        rules=(("x + b", "x"),),
        each="b",
    ),
    Alternative(
        name="bias-twice",
        what="A bias is added twice.",
        used="one bias copied into PyTorch's and cuDNN's two, b_ih and b_hh",
        rules=(("x + b", "x + b + b"),),
        each="b",
    ),
    Alternative(
        name="concat-reversed",
        what="Two arrays are joined in the other order.",
        used="[h, x] in Olah 2015 and TensorFlow's older cells, [x, h] in others",
        rules=(("concat(x, y)", "concat(y, x)"),),
    ),
    Alternative(
        name="embedding-scaled",
        what="Embeddings are multiplied by the root of their width before positions are added.",
        used="Vaswani et al. 2017, section 3.4; left out in BERT and GPT-2",
        rules=(("gather(x, indices=k) + y", "gather(x, indices=k) * sqrt(columns(x)) + y"),),
    ),
    Alternative(
        name="outer-transposed",
        what="An outer product is a row times a column the other way round.",
        used="gradients of a weight in the other layout (numerator or denominator layout)",
        rules=(("outer(x, y)", "outer(y, x)"),),
        unless="they differ where the two vectors do",
    ),
    Alternative(
        name="kernel-flipped",
        what="A kernel is turned by 180 degrees, as a convolution has it in mathematics.",
        used="scipy.signal.convolve2d; deep-learning libraries correlate",
        rules=(("sum(i * W)", "sum(i * flip(flip(W, axis=-1), axis=-2))"),),
        each="W",
    ),
    Alternative(
        name="argmax-last",
        what="Of equal values the last one wins.",
        used="argmax was unspecified there in PyTorch before 1.7; max pooling of some libraries",
        rules=(("argmax(x)", "columns(x) - 1 - argmax(flip(x))"),),
        unless="they differ where the largest value stands twice",
    ),
)
POSITIONS = (
    Alternative(
        name="positions-halved",
        what="All sines come first, then all cosines.",
        used="Tensor2Tensor and fairseq (tensor2tensor#391, tensorflow/text#1122)",
        rules=(_halved,),
    ),
    Alternative(
        name="cosine-first",
        what="Each pair has its cosine first.",
        used="DML-OpenProblem#595",
        rules=(("stack(sin(x), cos(x))", "stack(cos(x), sin(x))"),),
    ),
    Alternative(
        name="positions-from-one",
        what="The first position is 1.",
        used="fairseq counts from padding_idx + 1; one-based books and languages (fairseq#4648)",
        rules=(("sin(n / x)", "sin((n + 1) / x)"), ("cos(n / x)", "cos((n + 1) / x)")),
    ),
)
