"""What people write from the habit of numpy, PyTorch or Python, and how it is written here."""

from __future__ import annotations

import ast

# Modules whose functions the language has without a prefix.
PREFIXES = ("np", "numpy", "jnp", "torch", "math", "F", "sympy", "sp", "tf", "nn", "scipy", "special")

FUNCTIONS = {
    "arccos": "the language has no inverse trigonometric functions",
    "arcsin": "the language has no inverse trigonometric functions",
    "arctan": "the language has no inverse trigonometric functions",
    "array": "write the list itself: [x, y]",
    "average": "write mean(x)",
    "cat": "write concat(x, y, axis=0)",
    "concatenate": "write concat(x, y, axis=0)",
    "diag": "multiply by eye(n)",
    "divide": "write x / y",
    "dot": "write x @ y",
    "einsum": "write a sum of products: sum(f(t) for t in range(T))",
    "exp2": "write 2**x",
    "float": "numbers are exact here: leave it out",
    "full": "write c * ones(T, D)",
    "hstack": "write concat(x, y, axis=-1)",
    "identity": "write eye(n)",
    "int": "positions are whole numbers already: leave it out",
    "len": "write size(x, 0), or the dim's name",
    "log2": "write log(x) / log(2)",
    "logaddexp": "write logsumexp([x, y])",
    "matmul": "write x @ y",
    "mm": "write x @ y",
    "mul": "write x * y",
    "multiply": "write x * y",
    "ones_like": "write ones(T, D), or x * 0 + 1",
    "permute_dims": "write permute(x, [1, 0])",
    "pow": "write x ** y",
    "power": "write x ** y",
    "prod": "write exp(sum(log(x))), or a product of its elements",
    "shape": "write size(x, 0), or the dim's name",
    "square": "write x ** 2",
    "std": "write sqrt(var(x))",
    "subtract": "write x - y",
    "swapaxes": "write x.T, or permute(x, [1, 0])",
    "swish": "write silu(x)",
    "tan": "write sin(x) / cos(x)",
    "tensor": "write the list itself: [x, y]",
    "transpose": "write x.T, or permute(x, [1, 0])",
    "tril": "causal_mask(T) forbids the places right of the diagonal",
    "triu": "causal_mask(T) forbids the places right of the diagonal",
    "vstack": "write concat(x, y, axis=0)",
    "zeros_like": "write zeros(T, D), or x * 0",
    "zip": "loop over positions: for t in range(T)",
    "enumerate": "loop over positions: for t in range(T)",
    "print": "every name is in the ledger; seqgen show SPEC NAME prints one",
}
ATTRIBUTES = {
    "shape": "write size(x, 0) for the length of the first axis, or the dim's name",
    "size": "write size(x, 0) for the length of the first axis, or the dim's name",
    "ndim": "the number of axes is known from the spec: write it",
    "t": "a transpose is written x.T",
    "mT": "a transpose is written x.T",
    "grad": "a gradient is written grad(L, x)",
}
# Options of other libraries, by the name that they have here.
OPTIONS = {"dim": "axis", "keepdim": "keepdims", "num_classes": "size", "correction": "ddof", "unbiased": "ddof"}


def instead_of_call(function: ast.expr, known: list[str]) -> str:
    """Return how a call with a dot, ``np.f(x)`` or ``x.f()``, is written here."""
    if not isinstance(function, ast.Attribute):
        return "a function has a name of its own, such as sum(x)"
    name, owner = function.attr, ast.unparse(function.value)
    prefixed = owner.split(".")[0] in PREFIXES
    if name in known:
        return f"write {name}(…): functions have no prefix" if prefixed else f"write {name}({owner})"
    return FUNCTIONS.get(name) or ATTRIBUTES.get(name) or "write mean(x), not x.mean()"
