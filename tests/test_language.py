"""Steps and expressions: the same numbers as numpy gives for the same text, and an error at its place for any other."""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from fractions import Fraction
from types import CodeType, GeneratorType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqgen.errors import Collector, SeqgenError, Source, Span
from seqgen.graph.gradient import Adjoints
from seqgen.graph.node import ancestors, apply
from seqgen.language.syntax import parse_expression, parse_steps
from seqgen.microscope import Microscope
from seqgen.readings import ball, intervals, torch
from seqgen.readings.ball import Balls
from seqgen.readings.evaluate import Undefined, evaluate
from seqgen.readings.formula import Formulas
from seqgen.spec.document import Scalar
from strategies import EXPRESSION_ARRAYS, LEAVES, ONE, TWO, expressions, loose_expressions, loose_steps, templates

TimeLimit = Callable[[float], AbstractContextManager[None]]
Arrays = Callable[[], Microscope]
ROLES = {"A": "shape: [T, D], "}


@pytest.fixture(scope="session")
def arrays(microscope: Callable[..., Microscope]) -> Arrays:
    """Return, by a call that Hypothesis need not print, a microscope that gives the arrays of expressions, a list of positions, a family, and a scalar of it."""
    given_ = "".join(f"  {k}: {{{ROLES.get(k, '')}value: {v}}}\n" for k, v in EXPRESSION_ARRAYS.items())
    given_ += "  n: {value: [1, 0, 1]}\n  w: {role: label, value: [the, cat]}\n  h[-1]: {value: [0.5, 0.25]}\n"
    steps = "  for t in range(T):\n      h[t] = tanh(h[t-1] + p[t])\n  L = sum(h[T-1] * p)\n"
    opened = microscope(f"title: arrays\ngiven:\n{given_}steps: |\n{steps}")
    return lambda: opened


# The same text by numpy


def _sum(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    return builtins.sum(x) if isinstance(x, GeneratorType) else np.sum(x, axis=axis, keepdims=bool(keepdims))


def _reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    def reduce(x: Any, axis: int | None = None, keepdims: bool = False, **options: Any) -> Any:
        values = np.array(list(x)) if isinstance(x, GeneratorType) else np.asarray(x)
        return function(values, axis=axis, keepdims=bool(keepdims), **options)

    return reduce


def _softmax(x: Any, axis: int = -1) -> Any:
    powers = np.exp(np.asarray(x))
    return powers / powers.sum(axis=axis, keepdims=True)


def _norm(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))


_erf = np.vectorize(math.erf, otypes=[float])

NUMPY: dict[str, Any] = {
    **{name: np.array(value, dtype=float) for name, value in EXPRESSION_ARRAYS.items()},
    **{name: getattr(np, name) for name in ("tanh", "sin", "cos", "abs", "exp", "log", "sqrt", "sign", "maximum", "minimum")},
    **{name: getattr(np, name) for name in ("where", "outer", "cumsum", "flip", "reshape", "eye")},
    **{name: _reduction(getattr(np, name)) for name in ("mean", "max", "min", "var")},
    "T": 2,
    "D": 3,
    "pi": math.pi,
    "__builtins__": {"range": range, "reversed": reversed},
    "ones": lambda *shape: np.ones(shape),
    "zeros": lambda *shape: np.zeros(shape),
    "arange": lambda n: np.arange(n, dtype=float),
    "sum": _sum,
    "norm": _norm,
    "softmax": _softmax,
    "log_softmax": lambda x, axis=-1: np.log(_softmax(x, axis)),
    "logsumexp": lambda x, axis=-1: np.log(np.exp(x).sum(axis=axis)),
    "argmax": lambda x, axis=-1: np.argmax(x, axis=axis).astype(float),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "relu": lambda x: np.maximum(x, 0.0),
    "erf": _erf,
    "gelu": lambda x: x * (1 + _erf(x / math.sqrt(2))) / 2,
    "silu": lambda x: x / (1 + np.exp(-x)),
    "softplus": lambda x: np.log1p(np.exp(x)),
    "stop_gradient": lambda x: x,
    "permute": np.transpose,
    "stack": lambda *parts: np.stack([np.asarray(part, dtype=float) for part in parts]),
    "concat": lambda *parts, axis=-1: np.concatenate(parts, axis=axis),
    "number": lambda holds: np.asarray(holds, dtype=float),
}  # fmt: skip


class _AsNumpy(ast.NodeTransformer):
    """Lists become arrays, comparisons numbers; everything else is Python's own."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        node.value = self.visit(node.value)
        return node

    def visit_List(self, node: ast.List) -> ast.AST:
        parts = [self.visit(item) for item in node.elts]
        return ast.Call(ast.Name("stack", ast.Load()), parts, [])

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        self.generic_visit(node)
        return ast.Call(ast.Name("stack", ast.Load()), [ast.Starred(node, ast.Load())], [])

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        return ast.Call(ast.Name("number", ast.Load()), [node], [])


def by_numpy(text: str) -> np.ndarray[Any, Any]:
    """Return the value of an expression as numpy computes it."""
    tree = ast.fix_missing_locations(_AsNumpy().visit(ast.parse(text, mode="eval")))
    code: CodeType = compile(tree, "expression", "eval")
    with np.errstate(all="ignore"):
        return np.asarray(eval(code, NUMPY), dtype=float)


# A ball of 45 bits grows by 2**-45 of the value where a step of numpy's errs by at most 4 * 2**-52 of it: there is room
# for 32 steps of numpy's to each of ours.
ROUGH = 45


def differs(found: np.ndarray[Any, Any], enclosures: np.ndarray[Any, Any]) -> list[tuple[int, ...]]:
    """Return the places at which finite float64 values lie outside finite rough enclosures."""
    bounds = {place: intervals.bounds(enclosures[place]) for place in np.ndindex(*found.shape)}
    slack = Fraction(1, 2**ROUGH)
    return [
        place
        for place, ends in bounds.items()
        if ends is not None
        and math.isfinite(found[place])
        and not ends[0] - slack <= Fraction(float(found[place])) <= ends[1] + slack
    ]


def enclosed(node: Any) -> np.ndarray[Any, Any]:
    """Return the enclosures of a node at a low precision."""
    with ball.precision(ROUGH):
        value: np.ndarray[Any, Any] = evaluate([node], Balls(exactly=False))[node]
    return value


@given(text=expressions())
def test_expression_has_the_shape_that_numpy_gives_it(arrays: Arrays, text: str) -> None:
    """Shape rules are numpy's."""
    assert arrays().node_of(text).shape == by_numpy(text).shape


@given(text=expressions())
def test_expression_has_the_value_that_numpy_gives_it(arrays: Arrays, text: str) -> None:
    """A text means in a spec what it means in Python."""
    assert differs(by_numpy(text), enclosed(arrays().node_of(text))) == []


PRECEDENCE = [
    *("-s**2", "(-s)**2", "2**-1", "2**3**2", "(2**3)**2", "s - r - 2", "s - (r - 2)", "s / r / 2", "s / (r * 2)"),
    *("-(s + r)", "1 - -s", "+s", "--s", "-s * r", "(s - r)**(s + 2)", "7 % 4 + 7 // 2", "-A @ B", "-(A @ B)"),
    *("A @ B @ A", "A @ (B @ A)", "s * (A @ B)", "s * A @ B", "(A + C).T @ C", "A + C.T.T", "A.T[1]", "(A * C)[1]"),
    *("-A[0][1]", "(-A)[0]", "1 * (s > r) + 1", "(s > r) * (s < 2)", "s + r if T == 2 else s", "[s, r][0] + 1"),
]  # fmt: skip


@pytest.mark.parametrize("text", PRECEDENCE)
def test_operators_bind_as_in_python(arrays: Arrays, text: str) -> None:
    """Precedence and grouping are Python's."""
    assert differs(by_numpy(text), enclosed(arrays().node_of(text))) == []


@pytest.mark.real
@pytest.mark.skipif(not torch.is_installed(), reason="PyTorch is not installed")
@given(text=expressions())
def test_gradient_of_an_expression_is_that_of_autograd(arrays: Arrays, text: str) -> None:
    """Derivative rules compose: the gradient of any expression is PyTorch's, wherever it is finite."""
    root = apply("sum", arrays().node_of(text))
    by = [node for node in ancestors([root]) if node.operation.name == "given"]
    for node in by:  # so that there is something to differentiate where the expression stops all gradients
        root = apply("add", root, apply("sum", node))
    adjoints = Adjoints(root)
    replayed = torch.autograd(root, by) if by else []
    for node, found in zip(by, replayed, strict=True):
        with suppress(Undefined):
            assert differs(found, enclosed(adjoints.gradient(node))) == []


def fillings() -> list[str]:
    """Return every template of an expression, filled with names, with negatives and with sums."""
    wholes = [(text, ("A", "C")) for text in (*ONE, *TWO)]
    wholes += [(text, tuple(LEAVES[s][0] for s in shapes)) for shape in LEAVES for text, shapes in templates(shape)]
    parts = ("{}", "-{}", "{} + 1")
    texts = [text.format(*(part.format(name) for name in names)) for text, names in wholes for part in parts]
    return list(dict.fromkeys([*PRECEDENCE, *texts]))


@pytest.mark.parametrize("text", fillings())
def test_formula_means_what_the_expression_does(arrays: Arrays, text: str) -> None:
    """The formula that a ledger records is a text of the language, with the options and the grouping that it needs."""
    whole = f"2 * ({text})"  # a given name alone has no formula
    formula = Formulas(names=arrays().graph.names, latex=False).definition(arrays().node_of(whole))
    node, expected = arrays().node_of(formula), by_numpy(whole)
    assert node.shape == expected.shape
    assert differs(expected, enclosed(node)) == []


@pytest.mark.parametrize("text", ["concat([s], p)", "concat(p, [r])", "concat(p[0:1], [s, r])", "stack([s, r], p)"])
def test_list_among_other_arguments_is_an_array(arrays: Arrays, text: str) -> None:
    """A list that stands alone holds the arguments; beside others it is one of them."""
    assert differs(by_numpy(text), enclosed(arrays().node_of(text))) == []


def test_decimal_is_exactly_what_is_written(steps: Callable[..., Microscope]) -> None:
    """0.1 is a tenth, not the float64 next to it."""
    node = steps("y = 0.1 + 0.2").node_of("y")
    assert intervals.bounds(evaluate([node], Balls())[node][()]) == (Fraction(3, 10), Fraction(3, 10))


LITERALS = {
    "0x10": 16,
    "0b101": 5,
    "0o17": 15,
    "1_000": 1000,
    "1_0.5_0": Fraction("10.5"),
    "1.": 1,
    ".5": Fraction(1, 2),
}
LITERALS |= {"1E2": 100, "1e-3": Fraction(1, 1000), "0.1e1": 1}


@pytest.mark.parametrize(("text", "value"), LITERALS.items())
def test_literal_is_pythons(arrays: Arrays, text: str, value: Fraction) -> None:
    """Every way in which Python writes a real number is read as that number."""
    node = arrays().node_of(text)
    assert intervals.bounds(evaluate([node], Balls())[node][()]) == (value, value)


# Shapes that do not fit


def read_steps(scalar: Scalar) -> None:
    """Read steps, and raise what is wrong with them."""
    errors = Collector()
    parse_steps(scalar, errors)
    errors.raise_any()


def refusal(action: Callable[[], object]) -> SeqgenError | None:
    """Return the error that an action ends with, if it does; any other exception goes on."""
    try:
        action()
    except SeqgenError as found:
        return found
    return None


CLASHES = {
    "A + B": ("A has shape [2, 3]", "B has shape [3, 2]"),
    "A * p": ("A has shape [2, 3]", "p has shape [2]"),
    "A @ C": ("A has shape [2, 3]", "C has shape [2, 3]"),
    "A @ p": ("A has shape [2, 3]", "p has shape [2]"),
    "u @ A": ("u has shape [3]", "A has shape [2, 3]"),
    "A @ s": ("A has shape [2, 3]", "s is a scalar"),
    "outer(A, u)": ("A has shape [2, 3]", "u has shape [3]"),
    "concat(A, B)": ("A has shape [2, 3]", "B has shape [3, 2]"),
    "concat(A, u, axis=0)": ("A has shape [2, 3]", "u has shape [3]"),
    "[u, p]": ("u has shape [3]", "p has shape [2]"),
    "stack(A, B)": ("A has shape [2, 3]", "B has shape [3, 2]"),
    "where(A > 0, A, B)": ("A has shape [2, 3]", "B has shape [3, 2]"),
    "maximum(u, p)": ("u has shape [3]", "p has shape [2]"),
    "A > B": ("A has shape [2, 3]", "B has shape [3, 2]"),
    "u**p": ("u has shape [3]", "p has shape [2]"),
    "(A + 1) * (2 * B)": ("A + 1 has shape [2, 3]", "2 * B has shape [3, 2]"),
}


@pytest.mark.parametrize(("text", "sides"), CLASHES.items())
def test_shape_clash_names_both_sides(arrays: Arrays, text: str, sides: tuple[str, str]) -> None:
    """The message says what each side is, as written, and its shape."""
    found = refusal(lambda: arrays().node_of(text))
    assert found is not None
    labels = [label for _, label in found.related]
    assert [side for side in sides if side not in labels] == []


def test_shape_clash_leads_to_where_both_sides_are_given(arrays: Arrays) -> None:
    """Each side's place is that of its given array."""
    found = refusal(lambda: arrays().node_of("A + B"))
    assert found is not None
    assert [span and span.source.line(span.line).strip()[:2] for span, _ in found.related] == ["A:", "B:"]


def test_dim_clash_names_both_places(microscope: Callable[..., Microscope]) -> None:
    """A dim of two sizes is shown where it has the one and where it has the other."""
    text = "title: x\ngiven:\n  a: {shape: [T], value: [1, 2]}\n  b: {shape: [T], value: [1, 2, 3]}\n"
    found = refusal(lambda: microscope(text))
    assert found is not None
    assert [found.span and found.span.line, *(span and span.line for span, _ in found.related)] == [4, 3]


# Texts that are wrong, or mean harm


def expression(text: str) -> Scalar:
    """Return a text as an expression in a file."""
    source = Source(name="example", text=text)
    return Scalar(text=text, span=Span(source=source, line=1, column=1))


@given(text=st.text(max_size=40))
def test_any_text_is_an_expression_or_an_error(text: str) -> None:
    """No text makes the parser of expressions raise anything but an error that can be shown."""
    found = refusal(lambda: parse_expression(expression(text)))
    assert found is None or found.render()


@given(text=st.text(max_size=60))
def test_any_text_is_steps_or_an_error(text: str) -> None:
    """No text makes the parser of steps raise anything but an error that can be shown."""
    found = refusal(lambda: read_steps(expression(text)))
    assert found is None or found.render()


@given(lines=loose_steps())
def test_any_lines_are_steps_or_an_error(lines: list[str]) -> None:
    """Neither does Python that is not of the language."""
    found = refusal(lambda: read_steps(expression("\n".join(lines))))
    assert found is None or found.render()


def computed(microscope: Microscope, text: str) -> None:
    """Compute an expression as a table's cell is computed."""
    node = microscope.node_of(text)
    microscope.prover.reals(node)
    microscope.prover.printed(node, microscope.display("default"))


@given(text=loose_expressions())
def test_any_reference_is_computed_or_refused(arrays: Arrays, at_most: TimeLimit, text: str) -> None:
    """What stands in a cell or on the command line ends in a number or in an error, soon."""
    with at_most(10):
        found = refusal(lambda: computed(arrays(), text))
    assert found is None or found.render()


@given(lines=loose_steps())
def test_any_steps_are_lowered_or_refused(
    steps: Callable[..., Microscope], at_most: TimeLimit, lines: list[str]
) -> None:
    """Steps of any kind end in a graph or in errors, soon."""
    given_ = {"s": "0.5", "u": "[1, 2, 3]", "A": "[[1, 2], [3, 4]]", "h[-1]": "0", "n": "[1, 0]"}
    with at_most(10):
        found = refusal(lambda: steps(*lines, given=given_))
    assert found is None or found.render()


HARMFUL = {
    "a huge exponent": "1e5000",
    "a huge negative exponent": "1e-5000",
    "an exponent past all memory": "1e9999999",
    "an integer of 5000 digits": "9" * 5000,
    "a tower of powers": "9**9**9**9",
    "a tower of positions": "u[9**9**9]",
    "a power past float64": "2**1000000",
    "a power past the proof": "2**10000000",
    "a fraction to a huge power": "0.3**100000000",
    "a shift by itself": "1 << 99999999",
    "a root of a negative number": "(-8)**(1/3)",
    "exp past float64": "exp(1000)",
    "exp past all memory": "exp(exp(exp(10)))",
    "a sum of sums of sums": "sum(sum(sum(1 for a in range(1000)) for b in range(1000)) for c in range(1000))",
    "a loop past the limit": "sum(1 for t in range(10**9))",
    "an array past all memory": "zeros(10**9)",
    "a matrix past all memory": "ones(100000, 100000)",
    "a stack past all memory": "outer(arange(10**5), arange(10**5))",
    "a hot place in a huge row": "one_hot(1, size=10**9)",
    "the largest of a scalar": "max(s)",
    "the norm of a scalar": "norm(s)",
    "the largest of infinity": "max(inf)",
    "several axes": "sum(A, axis=(0, 1))",
    "an axis as a list": "softmax(u, axis=[0])",
    "several sizes": "one_hot(1, size=(2, 3))",
    "an attribute of a product": "(A @ B).x",
    "an attribute of a call": "sum(A).x[0]",
    "a negative shape": "reshape(A, (-3, -2))",
    "a shape of minus one": "reshape(A, (-1, 3))",
    "no rows": "A[[]]",
    "a negative row": "A[[-1]]",
    "a row too far": "A[[2]]",
    "a negative place": "A[-1]",
    "a place too far": "A[2]",
    "an empty slice": "A[1:1]",
    "a backward slice": "A[1:0]",
    "a slice with a step": "A[0:2:2]",
    "a negative size": "one_hot(n, size=-3)",
    "no size": "one_hot(n, size=0)",
    "no terms": "sum(t for t in range(0))",
    "no rows in a list": "[t for t in range(0)]",
    "a thousand parentheses": "(" * 1000 + "s" + ")" * 1000,
    "a thousand minus signs": "-" * 1000 + "s",
    "a thousand brackets": "s" + "[0]" * 1000,
    "ten thousand terms": "s" + " + s" * 10_000,
    "ten thousand arguments": f"concat({', '.join(['u'] * 10_000)})",
    "a null character": "s\0",
    "half a surrogate": "\ud800",
    "a line separator": "s\u2028+ r",
    "a form feed": "s\f+ r",
    "a comment only": "# s",
    "nothing": "",
    "an attribute of Python": "s.__class__.__mro__",
    "a call of Python": "__import__('os')",
    "a starred call": "sum(*A)",
    "keywords unpacked": "sum(**A)",
    "the same keyword twice": "sum(A, axis=0, axis=1)",
    "an option twice": "sum(A, 0, axis=1)",
    "too many arguments": "sum(A, 0, 1, 2, 3)",
    "no arguments": "sum()",
    "a family": "h",
    "words": "w",
    "a word of words": "w[0]",
    "a function": "sum",
    "a gradient of an array": "grad(A, s)",
    "a gradient of a number": "grad(1, s)",
    "a gradient by a number": "grad(L, 1)",
    "a gradient through nothing": "grad(L, p, via=s)",
    "a zero to a negative power": "(s - s)**-1",
    "a logarithm of zero": "log(s - s)",
    "a quotient by zero": "1 / (s - s)",
    "a quotient by an irrational zero": "1 / (sqrt(2)**2 - 2)",
    "infinity less infinity": "inf - inf",
    "zero times infinity": "0 * inf",
    "a row of minus infinity": "softmax([-inf, -inf])",
    "the sine of infinity": "sin(inf)",
    "a modulus of zero": "7 % 0",
    "a step of zero": "sum(t for t in range(0, 3, 0))",
    "a huge number to a power of ten": "(10**300)**64",
}  # fmt: skip


@pytest.mark.parametrize("text", HARMFUL.values(), ids=HARMFUL.keys())
def test_harmful_expression_is_computed_or_refused_soon(arrays: Arrays, at_most: TimeLimit, text: str) -> None:
    """No expression ends in an exception of Python's, or takes more than a few seconds."""
    with at_most(4):
        found = refusal(lambda: computed(arrays(), text))
    assert found is None or found.render()


AFTER = """title: t
given: {w: {role: parameter, value: [1, -1]}, x: {value: [1, 2]}, c: {value: [3, 4]}}
steps: |
  L = sum((w - x)**2)
train: {of: L, steps: 3, rate: 0.1}
after: |
  d = sum(trained.w * c) + sum(x)
"""


def test_a_gradient_after_training_is_by_what_training_does_not_use(microscope: Callable[..., Microscope]) -> None:
    """The derivative of sum(w * c) by c is w, whatever w came from, and by the trained w it is c."""
    opened = microscope(AFTER + "  g = grad(d, c) - trained.w\n  f = grad(d, trained.w) - c\n")
    for key in ("g", "f"):
        assert opened.prover.reals(opened.node_of(key)).values.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("source", ["w", "x", "L"])
def test_a_gradient_by_what_training_uses_is_refused(microscope: Callable[..., Microscope], source: str) -> None:
    """Data that enter training are used by it, even where they are also used after it."""
    for text in (AFTER + f"  g = grad(d, {source})\n", AFTER + f"gradients: {{d: [{source}]}}\n"):
        with pytest.raises(SeqgenError, match="does not pass through training") as caught:
            microscope(text)
        assert caught.value.span is not None
    text = AFTER.replace("trained.w *", "stop_gradient(trained.w) *") + "  g = grad(d, x)\n"
    opened = microscope(text)
    assert opened.prover.reals(opened.node_of("g")).values.tolist() == [1.0, 1.0]
