"""Alternatives of recurrent cells, of normalisation and of activations."""

from __future__ import annotations

from seqgen.graph.alternatives.alternative import Alternative

RECURRENT = (
    Alternative(
        name="reset-after",
        what="The GRU's reset gate multiplies the recurrent part of the candidate after its matrix.",
        used="PyTorch, cuDNN and Keras 2 (reset_after=True); version 1 of Cho et al. 2014 (pytorch#8153, keras#3701)",
        rules=(("(g * h) @ W.T", "g * (h @ W.T)"), ("(g * h) @ W", "g * (h @ W)")),
        unless="they differ where a reset gate has different values, and there are at least two units or a bias",
    ),
    Alternative(
        name="reset-before",
        what="The GRU's reset gate multiplies the old state before the matrix.",
        used="Cho et al. 2014 in version 3; ONNX by default (onnxscript#2852, burn#2701)",
        rules=(
            ("g * (h @ W.T + b)", "(g * h) @ W.T + b"),
            ("g * (h @ W.T)", "(g * h) @ W.T"),
            ("g * (h @ W)", "(g * h) @ W"),
        ),
        unless="they differ where a reset gate has different values, and there are at least two units or a bias",
    ),
    Alternative(
        name="gate-polarity",
        what="The update gate weighs the other of old state and candidate.",
        used="h = z h + (1 - z) n in PyTorch, h = (1 - z) h + z n in Chung et al. 2014 (Paddle#5493)",
        rules=(("(1 - g) * x + g * y", "g * x + (1 - g) * y"),),
    ),
    Alternative(
        name="gates-swapped",
        what="The LSTM's input and forget gates are exchanged.",
        used="code that reads packed gates in another order than they were stored (xlstm#98, tensorflow#29308)",
        rules=(("g * c + gi * tanh(x)", "gi * c + g * tanh(x)"),),
    ),
    Alternative(
        name="forget-bias-one",
        what="The forget gate's preactivation is raised by one.",
        used="TensorFlow's LSTMCell (forget_bias=1), Keras (unit_forget_bias); Jozefowicz et al. 2015",
        rules=(("sigmoid(x) * c + gi * tanh(y)", "sigmoid(x + 1) * c + gi * tanh(y)"),),
    ),
    Alternative(
        name="cell-not-squashed",
        what="The LSTM's output gate multiplies the cell itself, without tanh.",
        used="the variant NOAF of Greff et al. 2017; xLSTM",
        rules=(("g * tanh(gf * c + gi * x)", "g * (gf * c + gi * x)"),),
    ),
    Alternative(
        name="hard-sigmoid",
        what="Gates are pieces of a straight line, x/5 + 1/2 between 0 and 1.",
        used="Keras 1 and 2 before 2.3 (recurrent_activation='hard_sigmoid'), ONNX's HardSigmoid",
        rules=(("sigmoid(x)", "minimum(maximum(x / 5 + 1/2, 0), 1)"),),
    ),
)
NORMALISATION = (
    Alternative(
        name="variance-n-1",
        what="A variance divides by n - 1.",
        used="torch.var by default; BatchNorm's running variance (pytorch#19902, annotated-transformer#122)",
        rules=(
            ("var(x, axis=a, keepdims=k, ddof=0)", "var(x, axis=a, keepdims=k, ddof=1)"),
            (
                "mean((x - mean(x, axis=a, keepdims=q))**2, axis=a, keepdims=k)",
                "var(x, axis=a, keepdims=k, ddof=1)",
            ),
        ),
    ),
    Alternative(
        name="variance-n",
        what="A variance divides by n.",
        used="numpy.var by default; LayerNorm (Ba et al. 2016); BatchNorm's normalisation (FastNN#11)",
        rules=(("var(x, axis=a, keepdims=k, ddof=1)", "var(x, axis=a, keepdims=k, ddof=0)"),),
    ),
    Alternative(
        name="epsilon-outside",
        what="Epsilon is added to the root.",
        used="the Annotated Transformer's LayerNorm (std + eps); Adam (pytorch#2060)",
        rules=(("sqrt(x + e)", "sqrt(x) + e"),),
    ),
    Alternative(
        name="epsilon-inside",
        what="Epsilon is added below the root.",
        used="LayerNorm (Ba et al. 2016); TensorFlow's RMSprop (tensorflow#9047, optax#571)",
        rules=(("sqrt(x) + e", "sqrt(x + e)"),),
    ),
    Alternative(
        name="epsilon-left-out",
        what="There is no epsilon.",
        used="most calculations by hand",
        rules=(("sqrt(x + e)", "sqrt(x)"), ("sqrt(x) + e", "sqrt(x)")),
    ),
    Alternative(
        name="epsilon-0.001",
        what="Epsilon is 0.001.",
        used="Keras' LayerNormalization and BatchNormalization; PyTorch has 0.00001",
        rules=(("sqrt(x + e)", "sqrt(x + 0.001)"),),
    ),
    Alternative(
        name="gamma-plus-one",
        what="What is normalised is scaled by one plus the weight.",
        used="Gemma's RMSNorm; Megatron's layernorm_1p",
        rules=(("b * (x / sqrt(y + e))", "(1 + b) * (x / sqrt(y + e))"),),
    ),
)
ACTIVATIONS = (
    Alternative(
        name="gelu-tanh",
        what="GELU by its approximation with tanh.",
        used="GPT-2, BERT's first code, JAX by default; dfdx#804, oneDNN#1122",
        rules=(("gelu(x)", "x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))"),),
    ),
    Alternative(
        name="gelu-sigmoid",
        what="GELU by its approximation x sigmoid(1.702 x).",
        used="CLIP (QuickGELU); Hendrycks & Gimpel 2016, section 2",
        rules=(("gelu(x)", "x * sigmoid(1.702 * x)"),),
    ),
    Alternative(
        name="relu-slope-one",
        what="The derivative of ReLU at 0 is 1.",
        used="code that tests x >= 0 (pytorch#114234)",
        rules=(("relu(x)", "where(x >= 0, x, 0)"),),
        unless="they differ where a preactivation is exactly 0",
    ),
    Alternative(
        name="relu-slope-half",
        what="The derivative of ReLU at 0 is 1/2.",
        used="maximum(x, 0) in PyTorch and JAX, which share a tie",
        rules=(("relu(x)", "maximum(x, 0)"),),
        unless="they differ where a preactivation is exactly 0",
    ),
)
