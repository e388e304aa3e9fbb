"""Immutable nodes, and the operations that they apply.

A node is an operation applied to nodes; it has a shape and no value. Values are what readings
make of it. Nodes compare by identity, and ``serial`` orders them: a node's inputs come before it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

from seqgen.errors import Span
from seqgen.graph.budget import NODE_COST, charge
from seqgen.graph.phrase import COMPARISON, Phrase

Shape = tuple[int, ...]
Parameters = Mapping[str, Any]

# So many products inside a matrix product, or nodes inside a loop, cost as much as one number that is shown.
PRODUCTS_A_UNIT = 16
MAX_ELEMENTS = 1_000_000
# numpy's functions of Python objects take arrays of at most 32 axes; a batch and a derivative add some.
MAX_AXES = 16


# The numbers that are known by name.
CONSTANTS = ("pi", "inf")


class ShapeClash(Exception):
    """Shapes, axes or indices that do not fit; the message says which, and the hint what would fit."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class NoDerivative(Exception):
    """A derivative that an operation has but does not give; ``sources`` are all that it depends on."""

    def __init__(self, message: str, sources: Iterable[Node] = ()) -> None:
        super().__init__(message)
        self.sources = tuple(sources)


@dataclass(frozen=True, kw_only=True)
class Signature:
    """How a spec calls an operation.

    ``arrays`` names the array arguments; ``variadic`` lets the last of them repeat. ``options``
    gives each keyword its default; an option without a default holds ``REQUIRED``. ``by_name`` tells, where options
    are given by name alone, what one that is given by its position most likely means; ``{}`` stands for the arguments.
    """

    arrays: tuple[str, ...]
    variadic: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    by_name: str = ""


REQUIRED = object()


class Writer(Protocol):
    """Writes the inputs of the node at hand."""

    @property
    def latex(self) -> bool:
        """Whether LaTeX is written, or the language's own text."""

    def write(self, node: Node, at_least: int = COMPARISON) -> str:
        """Return the writing of ``node``, in parentheses where it binds less tightly than ``at_least``."""

    def phrase(self, node: Node) -> Phrase:
        """Return the writing of ``node`` with how tightly it binds."""

    def is_named(self, node: Node) -> bool:
        """Whether ``node`` is written by a name."""

    def argument(self, node: Node) -> str:
        """Return ``node`` as a function's argument, in one pair of parentheses."""

    def is_scalar(self, node: Node) -> bool:
        """Whether ``node`` is a scalar."""

    def label(self, node: Node) -> Phrase:
        """Return the writing of a constant that has a name: a dim, a position, an array maker's call."""

    def index(self, node: Node) -> Phrase:
        """Return the writing of an index into a value; a name takes it into its subscript."""


Rule = Callable[[Writer, "Node"], Phrase]


@dataclass(frozen=True, kw_only=True)
class Notation:
    """The two writings of an operation; ``tall`` where the LaTeX is higher than a line."""

    latex: Rule
    text: Rule
    tall: bool = False


@dataclass(frozen=True, kw_only=True)
class Operation:
    """Everything that seqgen knows of one operation; a reading looks nowhere else.

    shape: shapes and parameters of the inputs to the shape of the result; raises `ShapeClash`.
    value: ``(domain, node, *arrays)`` to an array, in the functions of a `seqgen.graph.domain.Domain`. Works on the
    trailing axes; axes before them are a batch.
    derivative: ``(node, cotangent)`` to one cotangent an input, ``None`` where there is none; raises `NoDerivative`.
    notation: how it is typeset.
    products: how many products of scalars it takes, where these are more than the elements of its result.
    elementwise: whether inputs broadcast to the shape of the result.
    public: whether a spec calls it by name; the others have a sign, or come from derivatives.
    undefined: what is said where it has no value.
    limits: the values that it levels off at, where a unit is saturated.
    """

    name: str
    about: str
    signature: Signature
    shape: Callable[[Sequence[Shape], Parameters], Shape]
    value: Callable[..., Any]
    derivative: Callable[[Node, Node], Sequence[Node | None]]
    notation: Notation
    products: Callable[[Sequence[Node], Parameters, Shape], int] | None = None
    elementwise: bool = False
    public: bool = True
    undefined: str = ""
    limits: tuple[int, ...] = ()


OPERATIONS: dict[str, Operation] = {}


def register(operation: Operation) -> Operation:
    """Enter ``operation`` into the one table."""
    if operation.name in OPERATIONS:
        raise ValueError(f"operation {operation.name} is defined twice")
    OPERATIONS[operation.name] = operation
    return operation


_serials = itertools.count()


@dataclass(frozen=True, eq=False, slots=True)
class Node:
    """An operation applied to ``inputs``; ``origin`` is the place in the spec that it came from."""

    operation: Operation
    inputs: tuple[Node, ...]
    parameters: Parameters
    shape: Shape
    origin: Span | None = None
    serial: int = field(default_factory=_serials.__next__)

    @property
    def size(self) -> int:
        """The number of elements."""
        return element_count(self.shape)

    @property
    def number(self) -> Fraction | None:
        """The exact number where this node is a rational constant or a quotient of two, else nothing."""
        if self.operation.name == "divide" and all(i.operation.name == "constant" for i in self.inputs):
            above, below = (i.number for i in self.inputs)
            return None if above is None or not below else above / below
        if self.operation.name != "constant" or self.shape != ():
            return None
        text = self.parameters["texts"][0]
        return None if text.removeprefix("-") in CONSTANTS else Fraction(text)

    def __repr__(self) -> str:
        return f"<{self.operation.name} {list(self.shape)} #{self.serial}>"

    # Operators build the derivative rules' nodes. They fold units and constants, so that a gradient
    # reads as one would write it; what a spec writes is built by `apply` and stays as written.

    def __add__(self, other: Node | int) -> Node:
        return apply("add", self, as_node(other))

    def __sub__(self, other: Node | int) -> Node:
        return apply("subtract", self, as_node(other))

    def __rsub__(self, other: int) -> Node:
        return apply("subtract", as_node(other), self)

    def __neg__(self) -> Node:
        if self.operation.name == "negative":
            return self.inputs[0]
        return _product(constant(-1), self)

    def __mul__(self, other: Node | int) -> Node:
        return _product(self, as_node(other))

    __radd__ = __add__
    __rmul__ = __mul__

    def __truediv__(self, other: Node | int) -> Node:
        node = as_node(other)
        if node.number is not None and node.number != 0:
            return _product(constant(1 / node.number), self)
        return apply("divide", self, node)

    def __pow__(self, exponent: Node | int) -> Node:
        node = as_node(exponent)
        return self if node.number == 1 else apply("power", self, node)


def _product(a: Node, b: Node) -> Node:
    """Multiply, with constants gathered in front and units left out."""
    if b.number is not None and a.number is None:
        a, b = b, a
    for this, other in ((a, b), (b, a)):
        if this.operation.name == "broadcast" and this.shape == other.shape and this.inputs[0].shape == ():
            return _product(this.inputs[0], other)
    if a.number is not None:
        if b.number is not None:
            return constant(a.number * b.number)
        if a.number == 1:
            return b
        if b.operation.name == "multiply" and b.inputs[0].number is not None:
            return _product(constant(a.number * b.inputs[0].number), b.inputs[1])
        if b.operation.name == "negative":
            return _product(constant(-a.number), b.inputs[0])
        if a.number == -1:
            return apply("negative", b)
    elif b.operation.name == "multiply" and b.inputs[0].number is not None:
        return _product(b.inputs[0], _product(a, b.inputs[1]))
    elif a.operation.name == "multiply" and a.inputs[0].number is not None:
        return _product(a.inputs[0], _product(a.inputs[1], b))
    return apply("multiply", a, b)


def element_count(shape: Shape) -> int:
    """Return the number of elements of ``shape``."""
    count = 1
    for size in shape:
        count *= size
    return count


def apply(name: str, *inputs: Node, origin: Span | None = None, **parameters: Any) -> Node:
    """Return operation ``name`` applied to ``inputs``.

    Raises:
        ShapeClash: where the shapes do not fit, or the result would be too large.
        SpecError: where the spec asks for more than its budget.
    """
    operation = OPERATIONS[name]
    parameters = {**operation.signature.options, **parameters}
    shape = operation.shape([node.shape for node in inputs], parameters)
    charge(_units(operation, inputs, parameters, shape), origin)
    if element_count(shape) > MAX_ELEMENTS:
        raise ShapeClash(
            f"the result would have {element_count(shape):,} elements; at most {MAX_ELEMENTS:,} are allowed"
        )
    if len(shape) > MAX_AXES:
        raise ShapeClash(f"the result would have {len(shape)} axes; at most {MAX_AXES} are allowed")
    return Node(operation, inputs, parameters, shape, origin)


def _units(operation: Operation, inputs: Sequence[Node], parameters: Parameters, shape: Shape) -> int:
    products = operation.products(inputs, parameters, shape) if operation.products else 0
    return NODE_COST + element_count(shape) + products // PRODUCTS_A_UNIT


def units(node: Node) -> int:
    """Return what ``node`` costs of the budget of its spec, which bounds what readings may spend on it."""
    return _units(node.operation, node.inputs, node.parameters, node.shape)


def constant(value: Fraction | int, *, label: str = "", origin: Span | None = None) -> Node:
    """Return a scalar constant; ``label`` is the name that it is typeset by, such as ``T``."""
    return apply("constant", texts=(str(value),), shape=(), label=label, origin=origin)


def as_node(value: Node | int) -> Node:
    """Return ``value`` itself, or the constant."""
    return value if isinstance(value, Node) else constant(value)


def ancestors(roots: Iterable[Node], known: Container[Node] = ()) -> list[Node]:
    """Return all nodes that ``roots`` depend on, and the roots, inputs first; none in ``known`` or only behind it."""
    seen: set[Node] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node not in seen and node not in known:
            seen.add(node)
            stack.extend(node.inputs)
    return sorted(seen, key=lambda node: node.serial)
