"""What a ledger writes as a formula is what the language reads: for each operation in each place of each other."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from arraywise import Array, array
from interpreter import ARRAYS, Expressions
from latexreader import Reader
from sameness import is_definition, read, same, written
from samples import SAMPLES, Sample
from seqgen.graph.node import OPERATIONS, Node, ShapeClash, apply
from seqgen.language.bindings import Entry, Graph
from seqgen.microscope import Microscope, open_microscope
from seqgen.project import Project
from seqgen.readings.formula import Formulas
from seqgen.readings.names import tex_name
from strategies import EXPRESSION_ARRAYS, expressions
from traced import Traced, close

Shape = tuple[int, ...]
ROOT = Path(__file__).parent.parent
# A loop is told in words: it has no formula.
WORDED = {"repeat"}
PARAMETERS: dict[str, list[dict[str, Any]]] = {}
for _sample in SAMPLES:
    PARAMETERS.setdefault(_sample.operation, []).append(_sample.parameters)
COUNTS = {name: max(len(s.inputs) for s in SAMPLES if s.operation == name) for name in PARAMETERS}
SHAPES = [shape for rank in range(4) for shape in itertools.product((2, 3), repeat=rank)] + [(1, 2), (2, 1), (4,), (6,)]
LITERALS = ["0", "2", "-2", "1/2", "-1/3", "pi"]


class Names:
    """Named arrays, as many of each shape as one asks for."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.values: dict[str, Array] = {}

    def new(self, shape: Shape) -> Node:
        """Return a further given array."""
        key = f"a{len(self.graph.entries)}"
        size = 1
        for length in shape:
            size *= length
        texts = [f"{(7 * len(self.graph.entries) + 5 * i) % 11 / 5 + 0.3:.1f}" for i in range(size)]
        node = apply("given", texts=tuple(texts), shape=shape)
        self.values[key] = array(texts, Traced.number).reshape(shape)
        self.graph.bindings[key] = node
        self.graph.add(Entry(key=key, node=node, role="constant"))
        return node


def made(name: str, shape: Shape, names: Names) -> Node | None:
    """Return operation ``name`` on names, with a result of ``shape``; nothing where it has no such result."""
    if name == "given":
        return names.new(shape)
    if name == "constant":
        return apply("constant", texts=("-1/3",), shape=()) if shape == () else None
    operation = OPERATIONS[name]
    for parameters in PARAMETERS[name]:
        fixed = {**operation.signature.options, **parameters}
        fixed |= {"shape": shape} if "shape" in fixed else {}
        if "size" in fixed:
            fixed |= {"size": shape[-1 if name == "one_hot" else 0] if shape else 1}
            fixed |= {"indices": (0, fixed["size"] - 1)} if "indices" in fixed else {}
        for inputs in itertools.product(SHAPES, repeat=COUNTS[name]):
            if operation.elementwise and set(inputs) != {shape}:
                continue
            if COUNTS[name] > 2 and len(set(inputs)) > 1:
                continue
            try:
                if operation.shape(inputs, fixed) == shape:
                    return apply(name, *(names.new(s) for s in inputs), **fixed)
            except ShapeClash:
                continue
    return None


def sizes(texts: Any) -> Shape:
    """Return the shape of nested lists."""
    return (len(texts), *sizes(texts[0])) if isinstance(texts, list) else ()


def outers() -> Iterator[tuple[Sample, int]]:
    """Yield each sample of the table with each of its operands."""
    for sample in SAMPLES:
        if sample.operation not in WORDED:
            yield from ((sample, place) for place in range(len(sample.inputs)))


def in_place(sample: Sample, place: int, inner: Node, names: Names) -> Node:
    """Return a sample's operation on names, and on ``inner`` in one place."""
    inputs = [inner if i == place else names.new(sizes(texts)) for i, texts in enumerate(sample.inputs)]
    return apply(sample.operation, *inputs, **sample.parameters)


@cache
def fillings(inner: str) -> list[tuple[Names, Node]]:
    """Return each operation with operation ``inner`` in each of its operands."""
    filled = []
    for sample, place in outers():
        names = Names()
        node = made(inner, sizes(sample.inputs[place]), names)
        if node is not None:
            filled.append((names, in_place(sample, place, node, names)))
    return filled


def reads_back(graph: Graph, node: Node) -> bool:
    """Whether a node's formula, read by the language, is how it is made."""
    return is_definition(graph, node, read(graph, written(graph, node)))


@pytest.mark.parametrize("inner", sorted(set(OPERATIONS) - WORDED))
def test_each_operation_reads_back_in_each_operand_of_each_operation(inner: str) -> None:
    """No pair of operations needs parentheses that the formula does not have."""
    for names, whole in fillings(inner):
        assert reads_back(names.graph, whole), written(names.graph, whole)
    assert len({whole.operation.name for _, whole in fillings(inner)}) > 10


def read_twice(names: Names, node: Node) -> tuple[Array, Array]:
    """Return what a node's two writings are worth, each by a reader of its own that shares nothing with seqgen."""
    text, latex = written(names.graph, node), Formulas(names=names.graph.names).definition(node)
    typeset = {tex_name(key, {}).text: value for key, value in names.values.items()}
    return Expressions(names.values, {}).read(text), Reader(ARRAYS, typeset).read(latex)


def equal(one: Array, other: Array) -> bool:
    """Whether two arrays have the same numbers; a vector is a row."""
    if one.size != other.size or one.shape != other.reshape(one.shape).shape:
        return False
    return all(close(x.value, y.value) for x, y in zip(one.flat, other.flat, strict=True))


@pytest.mark.parametrize("inner", sorted(set(OPERATIONS) - WORDED))
def test_each_operation_is_typeset_as_it_is_written_in_each_operand_of_each_operation(inner: str) -> None:
    """The LaTeX, read as mathematics, has the value of the text, read as the language is documented."""
    told = 0
    for names, whole in fillings(inner):
        with suppress(ZeroDivisionError):
            text, latex = read_twice(names, whole)
            assert equal(text, latex), Formulas(names=names.graph.names).definition(whole)
            told += 1
    assert told > 25


@pytest.mark.parametrize("text", LITERALS)
def test_each_number_reads_back_in_each_operand(text: str) -> None:
    """A negative number and a fraction are enclosed where a sign or a power would split them."""
    for sample, place in outers():
        if sizes(sample.inputs[place]) == ():
            names = Names()
            number = apply("constant", texts=(text,), shape=())
            for inner in (number, apply("negative", number), apply("power", names.new(()), number)):
                whole = in_place(sample, place, inner, names)
                assert reads_back(names.graph, whole), written(names.graph, whole)


@pytest.mark.parametrize("outer", sorted(set(OPERATIONS) - WORDED))
def test_a_part_of_each_operation_reads_back(outer: str) -> None:
    """Brackets after an operation take the whole of it."""
    for shape in SHAPES[1:]:
        names = Names()
        node = made(outer, shape, names)
        if node is not None:
            for key in [(1 % shape[0],), (slice(None),), (slice(0, 1),), (slice(1, None),)][: 3 + (shape[0] > 1)]:
                part = apply("index", node, key=key)
                assert reads_back(names.graph, part), written(names.graph, part)
            rows = apply("gather", node, indices=(0, 0))
            assert reads_back(names.graph, rows), written(names.graph, rows)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("(a > b) + (a > c)", "a > b + (a > c)"),
        ("a - (b - c)", "a - b - c"),
        ("a / (b * c)", "a / b * c"),
        ("-(a * b)", "-a * b"),
        ("(a**b)**c", "a**b**c"),
        ("(-a)**2", "-a**2"),
        ("(1 / 2)**a", "1 / 2**a"),
    ],
)
def test_sameness_tells_graphs_apart_that_differ_in_parentheses(text: str, wrong: str) -> None:
    """The law's own measure sees the grouping of Python's grammar."""
    graph = Graph()
    for name in "abc":
        graph.bindings[name] = apply("given", texts=("2",), shape=())
        graph.add(Entry(key=name, node=graph.bindings[name], role="constant"))
    assert same(graph, read(graph, text), read(graph, text))
    assert not same(graph, read(graph, text), read(graph, wrong))


def entries(microscope: Microscope) -> Iterator[Entry]:
    """Yield the computed entries and the gradients, but for those that are told in words."""
    yield from (e for e in microscope.graph.entries.values() if e.role == "computed" and not e.formula)
    yield from (gradient.entry for gradient in microscope.gradients)


def unreadable(microscope: Microscope) -> list[str]:
    """Return the formulas of a microscope that do not read back."""
    with microscope.budget.in_force():
        return [
            f"{entry.key} = {written(microscope.graph, entry.node)}"
            for entry in entries(microscope)
            if not reads_back(microscope.graph, entry.node)
        ]


@pytest.mark.parametrize("name", Project(ROOT).spec_names())
def test_each_formula_of_a_shipped_ledger_reads_back(name: str) -> None:
    """Computed entries, gradients and the expressions that pages refer to."""
    microscope = open_microscope(Project(ROOT), name)
    assert unreadable(microscope) == []
    formulas = Formulas(names=microscope.graph.names, latex=False)
    for cited in microscope.cited():
        if cited.node.operation.name != "constant":
            text = formulas.write(cited.node)
            assert same(microscope.graph, cited.node, read(microscope.graph, text)), text


@given(one=expressions(), two=expressions())
def test_formulas_and_gradients_of_random_specs_read_back(
    microscope: Callable[..., Microscope], one: str, two: str
) -> None:
    """Whatever expression a step has, and whatever its derivative by reverse mode is."""
    opened = microscope(
        "title: t\ndims: {T: 2, D: 3}\ngiven:\n"
        + "".join(f"  {name}: {{value: {value}}}\n" for name, value in EXPRESSION_ARRAYS.items())
        + f"steps: |\n  y = {one}\n  z = {two}\n  L = sum(y * y) + sum(z) * sum(tanh(y))\n"
    )
    graph = opened.graph
    with opened.budget.in_force():
        graph.adjoints(graph.entries["L"].node)
        for node, key in list(graph.names.items()):
            if node.operation.name not in ("given", "constant"):
                assert reads_back(graph, node), f"{key} = {written(graph, node)}"


def test_a_size_is_a_number_where_its_name_is_a_position(steps: Callable[..., Microscope]) -> None:
    """A ledger knows neither the positions of a loop nor the arguments of a 'def'; a dim keeps its name."""
    opened = steps(
        "def f(x, T):",
        "    y = x * T + sum(zeros(T, 2))",
        "    return y",
        "r = f(a, 5)",
        "for t in range(1, 3):",
        "    m[t] = sum(eye(t))",
        "n = sum(ones(3))",
        given={"a": "2", "b": "[1, 2, 3]"},
    )
    formulas = {key: written(opened.graph, e.node) for key, e in opened.graph.entries.items()}
    assert formulas["r.y"] == "a * 5 + sum(zeros(5, 2))"
    assert formulas["m[2]"] == "sum(eye(2))"
    assert unreadable(opened) == []


def test_a_sum_of_many_terms_reads_back(steps: Callable[..., Microscope]) -> None:
    """A sum over the positions of a long sequence is long, not nested too deeply; signs may change in it."""
    terms = "".join(f" {'+-'[t % 2]} a[{t}]" for t in range(1, 400))
    values = f"[{', '.join(['1'] * 400)}]"
    opened = steps("y = sum(a[t] * t for t in range(400))", f"z = a[0]{terms}", given={"a": values})
    assert written(opened.graph, opened.graph.entries["z"].node) == f"a[0]{terms}"
    assert unreadable(opened) == []


@given(one=expressions(), two=expressions())
def test_asking_for_gradients_changes_no_forward_formula(
    microscope: Callable[..., Microscope], one: str, two: str
) -> None:
    """What reverse mode passes back may be a forward value; it keeps its own writing there."""
    opened = microscope(
        "title: t\ndims: {T: 2, D: 3}\ngiven:\n"
        + "".join(f"  {name}: {{value: {value}}}\n" for name, value in EXPRESSION_ARRAYS.items())
        + f"steps: |\n  y = {one}\n  z = {two}\n  L = sum(y * y) + sum(z) * sum(tanh(y))\n"
    )
    graph = opened.graph
    before = {entry.key: written(graph, entry.node) for entry in entries(opened)}
    with opened.budget.in_force():
        graph.adjoints(graph.entries["L"].node)
    assert {entry.key: written(graph, entry.node) for entry in entries(opened)} == before


@pytest.mark.parametrize(
    "statement",
    [
        "(1 - x**2) * w",
        "-(w * log(x) + (1 - w) * log(1 - x))",
        "x * exp(w) + x * sin(w)",
        "pi * w + x",
        "sum(eye(2) * w) + x",
        "1 / w + (-(-x))",
    ],
)
def test_a_formula_does_not_refer_to_its_own_gradients(steps: Callable[..., Microscope], statement: str) -> None:
    """A factor is the gradient by the other one, but is not written as that."""
    opened = steps(f"y = {statement}", "L = y + w", "g = grad(L, w)", "d = grad(y, x)", given={"x": "0.5", "w": "0.3"})
    with opened.budget.in_force():
        opened.graph.adjoints(opened.graph.entries["L"].node)
    assert written(opened.graph, opened.graph.entries["y"].node) == statement


@pytest.mark.parametrize("name", Project(ROOT).spec_names())
def test_a_shipped_formula_refers_to_a_gradient_where_its_statement_does(name: str) -> None:
    """Gradients are written in terms of forward values, and forward values are not written in terms of gradients."""
    opened = open_microscope(Project(ROOT), name)
    for entry in opened.graph.entries.values():
        if entry.role == "computed" and "grad(" in written(opened.graph, entry.node):
            assert entry.span is not None
            assert "grad(" in entry.span.source.text.split("\n")[entry.span.line - 1], entry.key


@pytest.mark.parametrize(
    "statement",
    [
        "x + 3 * tanh(x) + x**2",
        "x**2 + tanh(x) - 1 / x",
        "sigmoid(w * x) + w / (x + tanh(w) * x)",
        "where(x > w, x * w, x) + x",
        "maximum(x * 2, x) - minimum(x, sin(x) + x)",
        "sum([x, w, tanh(x), [x, x * w][1]])",
        "sum(softmax([x * w, tanh(x)]) * [x, w])",
        "-x * (w - x) / x",
    ],
)
@pytest.mark.parametrize("inside", [False, True])
def test_uses_are_numbered_as_the_statement_is_read(
    steps: Callable[..., Microscope], statement: str, inside: bool
) -> None:
    """The n-th use contributes what the gradient is by a name of its own, put where the n-th occurrence stands."""
    values = {"x": "0.7", "w": "0.4"}
    count = len(re.findall(r"\bx\b", statement))
    numbers = itertools.count(1)
    apart = re.sub(r"\bx\b", lambda _: f"x{next(numbers)}", statement)
    body = ["def f(w, x):", f"    y = {statement}", "    return y", "r = f(x=x, w=w)"]
    lines = body if inside else [f"y = {statement}"]
    opened = steps(*lines, f"q = {apart}", given={**values, **{f"x{n}": "0.7" for n in range(1, count + 1)}})
    via = "r.y" if inside else "y"
    root = "r" if inside else "y"
    uses = opened.graph.contributions(opened.graph.entries[root].node, opened.graph.entries["x"].node)
    through = dict(uses)
    assert next(iter(through)) == via
    place = 0
    for n in range(1, count + 1):
        expected = opened.node_of(f"grad(q, x{n})")
        if opened.graph.contributions(opened.graph.entries["q"].node, opened.graph.entries[f"x{n}"].node):
            place += 1
            key = via if place == 1 else f"{via}, use={place}"
            found = opened.prover.reals(through[key]).values
            assert found == pytest.approx(opened.prover.reals(expected).values, rel=1e-12), key
    assert place == len(uses)


def test_uses_of_a_matrix_are_numbered_as_the_statement_is_read(steps: Callable[..., Microscope]) -> None:
    """In ``W @ W.T @ W`` the first use is the left one, and the transposed one is the second."""
    matrix = "[[1, 2], [3, 4]]"
    opened = steps(
        "M = W @ W.T @ W", "L = sum(M)", "Q = sum(A @ B.T @ C)", given=dict.fromkeys(("W", "A", "B", "C"), matrix)
    )
    for use, name in enumerate("ABC", start=1):
        found, expected = opened.node_of(f"grad(L, W, via=M, use={use})"), opened.node_of(f"grad(Q, {name})")
        assert opened.prover.reals(found).values.tolist() == opened.prover.reals(expected).values.tolist()


@pytest.mark.parametrize(
    ("spelled", "squared"),
    [
        ("a+b", "(a+b)^{2}"),
        (r"\\Delta x", r"(\Delta x)^{2}"),
        (r"\\hat{s}", r"\hat{s}^{2}"),
        (r"s_{ab}", "s_{ab}^{2}"),
        (r"\\mathrm{loss}", r"\mathrm{loss}^{2}"),
        (r"\\sigma", r"\sigma^{2}"),
        (r"[a \\mid b]", r"[a \mid b]^{2}"),
        (r"\\left(a_{1}, b\\right)", r"\left(a_{1}, b\right)^{2}"),
        ("(a)+(b)", "((a)+(b))^{2}"),
        ("f(a)", "(f(a))^{2}"),
        ("s'", "({s'})^{2}"),
        (r"\\sigma^2", r"({\sigma^2})^{2}"),
        (r"s^{[1]}_{2}", "({s^{[1]}_{2}})^{2}"),
    ],
)
def test_a_spelling_of_several_symbols_is_enclosed_under_a_power(
    microscope: Callable[..., Microscope], spelled: str, squared: str
) -> None:
    """One symbol takes a power as it is; of a sum or a product only the last part would."""
    opened = microscope(f'title: t\ngiven: {{s: {{value: 2}}}}\nsteps: |\n  y = s**2\ntex: {{s: "{spelled}"}}\n')
    formulas = Formulas(names=opened.graph.names, tex=opened.spec.tex)
    assert formulas.definition(opened.graph.entries["y"].node) == squared


def test_a_value_inside_a_call_is_enclosed_under_a_power_and_not_under_a_transpose(
    steps: Callable[..., Microscope],
) -> None:
    """The call stands above its name, where the power would stand."""
    opened = steps(
        "def f(a):",
        "    b = 2 * a",
        "    return b + (b**2) @ b.T",
        "y = f(x)",
        given={"x": "[[1, 2], [3, 4]]"},
    )
    formulas = Formulas(names=opened.graph.names)
    assert formulas.definition(opened.graph.entries["y"].node) == (
        r"{b^{(y)}} + ({b^{(y)}})^{\circ 2} \, {b^{(y)}}^\top"
    )
