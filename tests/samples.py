"""One sample or more of each operation, with what it must give: a formula for one element, and PyTorch's own word.

An element's formula takes a namespace of `oracles` (``m``), the inputs as arrays, and the element's place. Nothing here
is taken from seqgen: the formulas are those of a textbook.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from oracles import TRUE, array, table
from seqgen.graph.node import apply
from seqgen.readings.evaluate import Loop

ALL = slice(None)

# No two elements of a row or column are equal, and none is zero: derivatives exist everywhere. POSITIVE is for
# logarithms and bases. What stands here is below 4 in magnitude, and above 1/5.
MATRIX = [["0.3", "-1.2", "2.1"], ["-0.7", "0.9", "1.6"]]
OTHER = [["1.3", "0.4", "-0.6"], ["0.8", "-1.1", "0.25"]]
POSITIVE = [["0.3", "1.2", "2.1"], ["0.7", "0.9", "1.6"]]
TALL = [["1.1", "-0.3"], ["0.45", "2.2"], ["-1.7", "0.6"]]
ROW = ["0.7", "-0.4", "1.9"]
PAIR = ["0.35", "-1.45"]
COLUMN = [["-0.55"], ["1.15"]]
SCALAR = "0.85"
CUBE = [[["0.2", "-1.3"], ["2.4", "0.6"], ["-0.8", "1.7"]], [["1.9", "0.5"], ["-2.3", "1.4"], ["0.9", "-0.25"]]]
SQUARES = [[["1.2", "-0.4"], ["0.3", "0.7"]], [["-0.6", "1.5"], ["2.1", "-0.9"]]]
BESIDE = [[["1.2", "-0.4"], ["0.3", "0.7"]]]
MASKED = [["0.3", "-inf", "2.1"], ["-inf", "-inf", "1.6"]]
TIED = [["0.5", "-1.2", "2.1"], ["-0.7", "0.9", "0.9"]]
FLAGS = [["1", "0", "2"], ["0", "0", "-1"]]
PLACES = ["2", "0"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Sample:
    """An operation on inputs: its shape, the formula of one element, and the same by PyTorch.

    ``smooth`` lists the inputs by which the formula has derivatives; by the others they are zero by definition.
    """

    operation: str
    title: str
    inputs: tuple[Any, ...]
    shape: tuple[int, ...]
    element: Callable[..., Any]
    torch: Callable[..., Any]
    smooth: tuple[int, ...]
    parameters: dict[str, Any] = field(default_factory=dict)

    def values(self, namespace: Any = TRUE, inputs: Any = None) -> np.ndarray[Any, Any]:
        """Return all elements, at the sample's inputs or at others."""
        arrays = [array(texts, namespace) for texts in self.inputs] if inputs is None else inputs
        return table(self.shape, lambda *place: self.element(namespace, *arrays, *place))


SAMPLES: list[Sample] = []


def _sample(
    operation: str, title: str, inputs: list[Any], sizes: tuple[int, ...], element: Any, torch: Any, **parameters: Any
) -> None:
    smooth = parameters.pop("smooth", tuple(range(len(inputs))))
    SAMPLES.append(
        Sample(
            operation=operation,
            title=title,
            inputs=tuple(inputs),
            shape=sizes,
            element=element,
            torch=torch,
            smooth=smooth,
            parameters=parameters,
        )
    )


def over(x: Any, place: tuple[int, ...], axis: int) -> list[Any]:
    """Return the elements of ``x`` along ``axis`` that a reduction to ``place`` takes together."""
    return [x[(*place[:axis], k, *place[axis:])] for k in range(x.shape[axis])]


def softmax(m: Any, among: list[Any], chosen: Any) -> Any:
    """Return the weight of one score among several."""
    return m.exp(chosen) / sum(m.exp(x) for x in among)


def logistic(m: Any, x: Any) -> Any:
    """Return 1/(1 + exp(-x))."""
    return 1 / (1 + m.exp(-x))


def mean(among: list[Any]) -> Any:
    """Return the mean."""
    return sum(among) / len(among)


def variance(m: Any, among: list[Any], ddof: int = 0) -> Any:
    """Return the variance with ``ddof`` degrees of freedom taken off."""
    centre = mean(among)
    return sum(m.power(x - centre, 2) for x in among) / (len(among) - ddof)


def put(t: Any, x: Any, key: Any) -> Any:
    """Return zeros with ``x`` put in at ``key``, by PyTorch."""
    zeros = t.zeros(2, 3, dtype=t.float64)
    zeros[key] = x
    return zeros


# Leaves

_sample("constant", "pi", [], (), lambda m: m.pi, lambda t: t.tensor(t.pi, dtype=t.float64), texts=("pi",), shape=())
_sample(
    "constant",
    "a quotient",
    [],
    (),
    lambda m: m.number("-1/3"),
    lambda t: t.tensor(-1 / 3, dtype=t.float64),
    texts=("-1/3",),
    shape=(),
)
_sample(
    "given",
    "decimals, a quotient and an infinity",
    [],
    (2, 2),
    lambda m, i, j: m.number([["0.1", "-1e-3"], ["2/7", "-inf"]][i][j]),
    lambda t: t.tensor([[0.1, -1e-3], [2 / 7, -t.inf]], dtype=t.float64),
    texts=("0.1", "-1e-3", "2/7", "-inf"),
    shape=(2, 2),
)

# Two arrays, element by element

for _name, _of_two, _torch in (
    ("add", lambda m, x, y: x + y, lambda t, x, y: x + y),
    ("subtract", lambda m, x, y: x - y, lambda t, x, y: x - y),
    ("multiply", lambda m, x, y: x * y, lambda t, x, y: x * y),
    ("divide", lambda m, x, y: x / y, lambda t, x, y: x / y),
    ("maximum", lambda m, x, y: x if x > y else y, lambda t, x, y: t.maximum(x, y)),
    ("minimum", lambda m, x, y: x if x < y else y, lambda t, x, y: t.minimum(x, y)),
):
    for _title, _left, _right, _pick in (
        ("equal shapes", MATRIX, OTHER, lambda x, y, i, j: (x[i, j], y[i, j])),
        ("a row to each row", MATRIX, ROW, lambda x, y, i, j: (x[i, j], y[j])),
        ("a column and a row", COLUMN, ROW, lambda x, y, i, j: (x[i, 0], y[j])),
        ("a scalar and a matrix", SCALAR, OTHER, lambda x, y, i, j: (x[()], y[i, j])),
    ):
        _sample(
            _name,
            _title,
            [_left, _right],
            (2, 3),
            lambda m, x, y, i, j, of_two=_of_two, pick=_pick: of_two(m, *pick(x, y, i, j)),
            _torch,
        )

_sample(
    "power",
    "two arrays",
    [POSITIVE, OTHER],
    (2, 3),
    lambda m, x, y, i, j: m.power(x[i, j], y[i, j]),
    lambda t, x, y: x**y,
)
_sample(
    "power",
    "a row as exponents",
    [POSITIVE, ROW],
    (2, 3),
    lambda m, x, y, i, j: m.power(x[i, j], y[j]),
    lambda t, x, y: x**y,
)
_sample(
    "power",
    "a row as bases",
    [POSITIVE[0], OTHER],
    (2, 3),
    lambda m, x, y, i, j: m.power(x[j], y[i, j]),
    lambda t, x, y: x**y,
)

for _name, _holds, _torch in (
    ("greater", lambda x, y: x > y, lambda t, x, y: (x > y).double()),
    ("less", lambda x, y: x < y, lambda t, x, y: (x < y).double()),
    ("greater_equal", lambda x, y: x >= y, lambda t, x, y: (x >= y).double()),
    ("less_equal", lambda x, y: x <= y, lambda t, x, y: (x <= y).double()),
    ("equal", lambda x, y: x == y, lambda t, x, y: (x == y).double()),
    ("not_equal", lambda x, y: x != y, lambda t, x, y: (x != y).double()),
):
    _sample(
        _name,
        "with equal elements",
        [MATRIX, TIED],
        (2, 3),
        lambda m, x, y, i, j, holds=_holds: m.number(str(int(holds(x[i, j], y[i, j])))),
        _torch,
        smooth=(),
    )
    _sample(
        _name,
        "a column and a row",
        [COLUMN, ROW],
        (2, 3),
        lambda m, x, y, i, j, holds=_holds: m.number(str(int(holds(x[i, 0], y[j])))),
        _torch,
        smooth=(),
    )

_sample(
    "where",
    "a matrix, a row and a scalar",
    [FLAGS, ROW, SCALAR],
    (2, 3),
    lambda m, c, x, y, i, j: x[j] if c[i, j] != 0 else y[()],
    lambda t, c, x, y: t.where(c != 0, x, y),
    smooth=(1, 2),
)
_sample(
    "where",
    "a row chooses between a column and a matrix",
    [["0", "1", "0"], COLUMN, MATRIX],
    (2, 3),
    lambda m, c, x, y, i, j: x[i, 0] if c[j] != 0 else y[i, j],
    lambda t, c, x, y: t.where(c != 0, x, y),
    smooth=(1, 2),
)

# One variable

for _name, _of_one, _torch, _input in (
    ("identity", lambda m, x: x, lambda t, x: x * 1, MATRIX),
    ("negative", lambda m, x: -x, lambda t, x: -x, MATRIX),
    ("exp", lambda m, x: m.exp(x), lambda t, x: t.exp(x), MATRIX),
    ("log", lambda m, x: m.log(x), lambda t, x: t.log(x), POSITIVE),
    ("log10", lambda m, x: m.log(x) / m.log(m.number("10")), lambda t, x: t.log10(x), POSITIVE),
    ("sqrt", lambda m, x: m.sqrt(x), lambda t, x: t.sqrt(x), POSITIVE),
    ("tanh", lambda m, x: m.tanh(x), lambda t, x: t.tanh(x), MATRIX),
    ("sigmoid", logistic, lambda t, x: t.sigmoid(x), MATRIX),
    ("relu", lambda m, x: x if x > 0 else m.number("0"), lambda t, x: t.relu(x), MATRIX),
    ("erf", lambda m, x: m.erf(x), lambda t, x: t.erf(x), MATRIX),
    (
        "gelu",
        lambda m, x: x * (1 + m.erf(x / m.sqrt(m.number("2")))) / 2,
        lambda t, x: t.nn.functional.gelu(x),
        MATRIX,
    ),
    ("silu", lambda m, x: x * logistic(m, x), lambda t, x: t.nn.functional.silu(x), MATRIX),
    ("softplus", lambda m, x: m.log(1 + m.exp(x)), lambda t, x: t.nn.functional.softplus(x), MATRIX),
    ("sin", lambda m, x: m.sin(x), lambda t, x: t.sin(x), MATRIX),
    ("cos", lambda m, x: m.cos(x), lambda t, x: t.cos(x), MATRIX),
    ("abs", lambda m, x: x if x > 0 else -x, lambda t, x: t.abs(x), MATRIX),
):
    _sample(_name, "a matrix", [_input], (2, 3), lambda m, x, i, j, of_one=_of_one: of_one(m, x[i, j]), _torch)
    _sample(_name, "a scalar", [SCALAR], (), lambda m, x, of_one=_of_one: of_one(m, x[()]), _torch)

_sample(
    "sign",
    "with zeros",
    [FLAGS],
    (2, 3),
    lambda m, x, i, j: m.number("1" if x[i, j] > 0 else "-1" if x[i, j] < 0 else "0"),
    lambda t, x: t.sign(x),
    smooth=(),
)
_sample(
    "stop_gradient",
    "a matrix",
    [MATRIX],
    (2, 3),
    lambda m, x, i, j: x[i, j],
    lambda t, x: x.detach(),
    smooth=(),
)

# Products

_sample(
    "matmul",
    "a vector and a vector",
    [ROW, ["1.3", "0.4", "-0.6"]],
    (),
    lambda m, x, y: sum(x[k] * y[k] for k in range(3)),
    lambda t, x, y: x @ y,
)
_sample(
    "matmul",
    "a vector and a matrix",
    [ROW, TALL],
    (2,),
    lambda m, x, y, j: sum(x[k] * y[k, j] for k in range(3)),
    lambda t, x, y: x @ y,
)
_sample(
    "matmul",
    "a matrix and a vector",
    [MATRIX, ROW],
    (2,),
    lambda m, x, y, i: sum(x[i, k] * y[k] for k in range(3)),
    lambda t, x, y: x @ y,
)
_sample(
    "matmul",
    "two matrices",
    [MATRIX, TALL],
    (2, 2),
    lambda m, x, y, i, j: sum(x[i, k] * y[k, j] for k in range(3)),
    lambda t, x, y: x @ y,
)
_sample(
    "matmul",
    "two stacks of matrices",
    [CUBE, SQUARES],
    (2, 3, 2),
    lambda m, x, y, n, i, j: sum(x[n, i, k] * y[n, k, j] for k in range(2)),
    lambda t, x, y: x @ y,
)
_sample(
    "matmul",
    "a stack of matrices and one matrix",
    [CUBE, SQUARES[0]],
    (2, 3, 2),
    lambda m, x, y, n, i, j: sum(x[n, i, k] * y[k, j] for k in range(2)),
    lambda t, x, y: x @ y,
)
_sample(
    "matmul",
    "one matrix and a stack of matrices",
    [MATRIX, CUBE],
    (2, 2, 2),
    lambda m, x, y, n, i, j: sum(x[i, k] * y[n, k, j] for k in range(3)),
    lambda t, x, y: x @ y,
)
_sample(
    "matmul",
    "a stack of one and a stack of two",
    [BESIDE, SQUARES],
    (2, 2, 2),
    lambda m, x, y, n, i, j: sum(x[0, i, k] * y[n, k, j] for k in range(2)),
    lambda t, x, y: x @ y,
)
_sample(
    "matmul",
    "one matrix and stacks in a stack",
    [SQUARES[0], [[SQUARES[1]], [SQUARES[0]]]],
    (2, 1, 2, 2),
    lambda m, x, y, a, b, i, j: sum(x[i, k] * y[a, b, k, j] for k in range(2)),
    lambda t, x, y: x @ y,
)
_sample("outer", "two vectors", [ROW, PAIR], (3, 2), lambda m, x, y, i, j: x[i] * y[j], lambda t, x, y: t.outer(x, y))

# Reductions

for _name, _of_many, _torch in (
    ("sum", lambda m, among: sum(among), lambda t, x, **axis: t.sum(x, **axis)),
    ("mean", lambda m, among: mean(among), lambda t, x, **axis: t.mean(x, **axis)),
    ("var", variance, lambda t, x, **axis: t.var(x, correction=0, **axis)),
    (
        "norm",
        lambda m, among: m.sqrt(sum(m.power(x, 2) for x in among)),
        lambda t, x, **axis: t.linalg.vector_norm(x, **axis),
    ),
    ("max", lambda m, among: max(among), lambda t, x, **axis: t.amax(x, **axis)),
    ("min", lambda m, among: min(among), lambda t, x, **axis: t.amin(x, **axis)),
):
    _sample(
        _name,
        "over everything",
        [MATRIX],
        (),
        lambda m, x, of_many=_of_many: of_many(m, list(x.flat)),
        lambda t, x, torch=_torch: torch(t, x, dim=(0, 1)),
    )
    _sample(
        _name,
        "of a scalar",
        [SCALAR],
        (),
        lambda m, x, of_many=_of_many: of_many(m, [x[()]]),
        lambda t, x, torch=_torch: torch(t, x.reshape(1), dim=0),
    )
    _sample(
        _name,
        "over everything, axes kept",
        [CUBE],
        (1, 1, 1),
        lambda m, x, i, j, k, of_many=_of_many: of_many(m, list(x.flat)),
        lambda t, x, torch=_torch: torch(t, x, dim=(0, 1, 2), keepdim=True),
        keepdims=True,
    )
    _sample(
        _name,
        "over the first axis",
        [MATRIX],
        (3,),
        lambda m, x, j, of_many=_of_many: of_many(m, over(x, (j,), 0)),
        lambda t, x, torch=_torch: torch(t, x, dim=0),
        axis=0,
    )
    _sample(
        _name,
        "over the middle axis",
        [CUBE],
        (2, 2),
        lambda m, x, i, k, of_many=_of_many: of_many(m, over(x, (i, k), 1)),
        lambda t, x, torch=_torch: torch(t, x, dim=1),
        axis=1,
    )
    _sample(
        _name,
        "over the last axis, kept",
        [MATRIX],
        (2, 1),
        lambda m, x, i, _, of_many=_of_many: of_many(m, over(x, (i,), 1)),
        lambda t, x, torch=_torch: torch(t, x, dim=-1, keepdim=True),
        axis=-1,
        keepdims=True,
    )

_sample(
    "var",
    "of a sample (ddof 1)",
    [MATRIX],
    (2,),
    lambda m, x, i: variance(m, over(x, (i,), 1), 1),
    lambda t, x: t.var(x, dim=-1, correction=1),
    axis=-1,
    ddof=1,
)
_sample(
    "argmax",
    "along the last axis, with a tie",
    [TIED],
    (2,),
    lambda m, x, i: m.number(str(max(range(3), key=lambda k: (x[i, k], -k)))),
    lambda t, x: t.argmax(x, dim=-1).double(),
    smooth=(),
)
_sample(
    "argmax",
    "along the first axis",
    [CUBE],
    (3, 2),
    lambda m, x, j, k: m.number("1" if x[1, j, k] > x[0, j, k] else "0"),
    lambda t, x: t.argmax(x, dim=0).double(),
    axis=0,
    smooth=(),
)
_sample(
    "softmax",
    "along the last axis",
    [MATRIX],
    (2, 3),
    lambda m, x, i, j: softmax(m, over(x, (i,), 1), x[i, j]),
    lambda t, x: t.softmax(x, dim=-1),
)
_sample(
    "softmax",
    "along the first axis",
    [CUBE],
    (2, 3, 2),
    lambda m, x, i, j, k: softmax(m, over(x, (j, k), 0), x[i, j, k]),
    lambda t, x: t.softmax(x, dim=0),
    axis=0,
)
_sample(
    "softmax",
    "with forbidden places",
    [MASKED],
    (2, 3),
    lambda m, x, i, j: softmax(m, over(x, (i,), 1), x[i, j]),
    lambda t, x: t.softmax(x, dim=-1),
)
_sample(
    "log_softmax",
    "along the last axis",
    [MATRIX],
    (2, 3),
    lambda m, x, i, j: m.log(softmax(m, over(x, (i,), 1), x[i, j])),
    lambda t, x: t.log_softmax(x, dim=-1),
)
_sample(
    "log_softmax",
    "along the middle axis",
    [CUBE],
    (2, 3, 2),
    lambda m, x, i, j, k: m.log(softmax(m, over(x, (i, k), 1), x[i, j, k])),
    lambda t, x: t.log_softmax(x, dim=1),
    axis=1,
)
_sample(
    "logsumexp",
    "along the last axis",
    [MATRIX],
    (2,),
    lambda m, x, i: m.log(sum(m.exp(k) for k in over(x, (i,), 1))),
    lambda t, x: t.logsumexp(x, dim=-1),
)
_sample(
    "logsumexp",
    "along the first axis",
    [CUBE],
    (3, 2),
    lambda m, x, j, k: m.log(sum(m.exp(i) for i in over(x, (j, k), 0))),
    lambda t, x: t.logsumexp(x, dim=0),
    axis=0,
)
_sample(
    "logsumexp",
    "with forbidden places",
    [MASKED],
    (2,),
    lambda m, x, i: m.log(sum(m.exp(k) for k in over(x, (i,), 1))),
    lambda t, x: t.logsumexp(x, dim=-1),
)
_sample(
    "cumsum",
    "along the last axis",
    [MATRIX],
    (2, 3),
    lambda m, x, i, j: sum(x[i, k] for k in range(j + 1)),
    lambda t, x: t.cumsum(x, dim=-1),
)
_sample(
    "cumsum",
    "along the middle axis",
    [CUBE],
    (2, 3, 2),
    lambda m, x, i, j, k: sum(x[i, n, k] for n in range(j + 1)),
    lambda t, x: t.cumsum(x, dim=1),
    axis=1,
)

# Loops

_state = apply("given", texts=("0", "0"), shape=(2,))
_halved = apply("divide", _state, apply("constant", texts=("2",), shape=()))
_sample(
    "repeat",
    "a vector is halved, its sum watched",
    [PAIR],
    (4, 3),
    lambda m, x, row, j: (x[0] + x[1] if j == 0 else x[j - 1]) / m.number(("1", "2", "8", "16")[row]),
    lambda t, x: t.stack([t.stack([x.sum(), x[0], x[1]]) / divisor for divisor in (1, 2, 8, 16)]),
    loop=Loop(state=(_state,), results=(_halved,), watched=apply("sum", _state), kept=(0, 1, 3, 4)),
    smooth=(),
)

# Rearranging

_sample("transpose", "a matrix", [MATRIX], (3, 2), lambda m, x, i, j: x[j, i], lambda t, x: x.mT)
_sample("transpose", "a stack", [CUBE], (2, 2, 3), lambda m, x, n, i, j: x[n, j, i], lambda t, x: x.mT)
_sample(
    "permute",
    "three axes in a circle",
    [CUBE],
    (2, 2, 3),
    lambda m, x, a, b, c: x[b, c, a],
    lambda t, x: x.permute(2, 0, 1),
    axes=(2, 0, 1),
)
_sample(
    "reshape",
    "a matrix to a stack",
    [MATRIX],
    (3, 1, 2),
    lambda m, x, i, _, k: x[divmod(2 * i + k, 3)],
    lambda t, x: x.reshape(3, 1, 2),
    shape=(3, 1, 2),
)
_sample(
    "reshape",
    "a vector of one to a scalar",
    [["1.3"]],
    (),
    lambda m, x: x[0],
    lambda t, x: x.reshape(()),
    shape=(),
)
_sample(
    "broadcast",
    "a scalar to a matrix",
    [SCALAR],
    (2, 3),
    lambda m, x, i, j: x[()],
    lambda t, x: x.expand(2, 3),
    shape=(2, 3),
)
_sample(
    "broadcast",
    "a row to each row of a stack",
    [PAIR],
    (2, 3, 2),
    lambda m, x, n, i, j: x[j],
    lambda t, x: x.expand(2, 3, 2),
    shape=(2, 3, 2),
)
_sample(
    "broadcast",
    "a column to a matrix",
    [COLUMN],
    (2, 3),
    lambda m, x, i, j: x[i, 0],
    lambda t, x: x.expand(2, 3),
    shape=(2, 3),
)
_sample(
    "concat",
    "three vectors of different lengths",
    [ROW, PAIR, ["0.9"]],
    (6,),
    lambda m, x, y, z, i: [*x, *y, *z][i],
    lambda t, *parts: t.cat(parts),
)
_sample(
    "concat",
    "along the first axis",
    [MATRIX, OTHER],
    (4, 3),
    lambda m, x, y, i, j: x[i, j] if i < 2 else y[i - 2, j],
    lambda t, *parts: t.cat(parts, dim=0),
    axis=0,
)
_sample(
    "concat",
    "along the middle axis",
    [CUBE, SQUARES],
    (2, 5, 2),
    lambda m, x, y, i, j, k: x[i, j, k] if j < 3 else y[i, j - 3, k],
    lambda t, *parts: t.cat(parts, dim=1),
    axis=1,
)
_sample(
    "stack",
    "two matrices",
    [MATRIX, OTHER],
    (2, 2, 3),
    lambda m, x, y, n, i, j: [x, y][n][i, j],
    lambda t, *p: t.stack(p),
)
_sample(
    "stack", "scalars", [SCALAR, "1.4", "-2.6"], (3,), lambda m, x, y, z, i: [x, y, z][i][()], lambda t, *p: t.stack(p)
)
_sample("flip", "the last axis", [MATRIX], (2, 3), lambda m, x, i, j: x[i, 2 - j], lambda t, x: t.flip(x, (-1,)))
_sample(
    "flip",
    "the first axis",
    [CUBE],
    (2, 3, 2),
    lambda m, x, i, j, k: x[1 - i, j, k],
    lambda t, x: t.flip(x, (0,)),
    axis=0,
)

# Choosing, and its adjoints

for _title, _input, _shape, _key, _from in (
    ("an element", MATRIX, (), (1, 2), lambda: (1, 2)),
    ("a row", MATRIX, (3,), (1,), lambda j: (1, j)),
    ("a column", MATRIX, (2,), (ALL, 1), lambda i: (i, 1)),
    ("a block", MATRIX, (2, 2), (slice(0, 2), slice(1, None)), lambda i, j: (i, 1 + j)),
    ("a slice, a position and a slice", CUBE, (1, 2), (slice(1, 2), 0, ALL), lambda i, j: (1 + i, 0, j)),
):
    _sample(
        "index",
        _title,
        [_input],
        _shape,
        lambda m, x, *place, source=_from: x[source(*place)],
        lambda t, x, key=_key: x[key],
        key=_key,
    )
for _title, _input, _key, _source in (
    ("an element", SCALAR, (1, 2), lambda x, i, j: x[()] if (i, j) == (1, 2) else None),
    ("a column", PAIR, (ALL, 1), lambda x, i, j: x[i] if j == 1 else None),
    ("a block", SQUARES[0], (slice(0, 2), slice(1, 3)), lambda x, i, j: x[i, j - 1] if j else None),
):
    _sample(
        "scatter",
        _title,
        [_input],
        (2, 3),
        lambda m, x, i, j, source=_source: m.number("0") if source(x, i, j) is None else source(x, i, j),
        lambda t, x, key=_key: put(t, x, key),
        key=_key,
        shape=(2, 3),
    )
_sample(
    "gather",
    "rows, one of them twice",
    [TALL],
    (4, 2),
    lambda m, x, i, j: x[(2, 0, 2, 1)[i], j],
    lambda t, x: x[[2, 0, 2, 1]],
    indices=(2, 0, 2, 1),
)
_sample("gather", "elements", [ROW], (2,), lambda m, x, i: x[(1, 1)[i]], lambda t, x: x[[1, 1]], indices=(1, 1))
_sample(
    "scatter_rows",
    "two rows into one",
    [TALL],
    (4, 2),
    lambda m, x, i, j: m.number("0") + sum(x[k, j] for k, to in enumerate((3, 0, 3)) if to == i),
    lambda t, x: t.zeros(4, 2, dtype=t.float64).index_add(0, t.tensor([3, 0, 3]), x),
    indices=(3, 0, 3),
    size=4,
)
_sample(
    "one_hot",
    "two positions",
    [PLACES],
    (2, 3),
    lambda m, x, i, j: m.number(str(int(x[i] == j))),
    lambda t, x: t.nn.functional.one_hot(x.long(), 3).double(),
    size=3,
    smooth=(),
)
