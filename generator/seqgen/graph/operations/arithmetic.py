"""Leaves, the four operations, powers and products of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from seqgen.graph.domain import Domain
from seqgen.graph.node import (
    Node,
    Notation,
    Operation,
    Parameters,
    Shape,
    ShapeClash,
    Signature,
    Writer,
    apply,
    constant,
    element_count,
    register,
)
from seqgen.graph.notation import call, infix, operands, prefix
from seqgen.graph.phrase import ATOM, MATRIX_PRODUCT, POWER, PRODUCT, RAISED, SUM, UNARY, Phrase
from seqgen.graph.shapes import Size, agree, broadcast, same, show

BINARY = Signature(arrays=("x", "y"))


def sum_to(cotangent: Node, shape: Shape) -> Node:
    """Return ``cotangent`` summed over the axes along which an input of ``shape`` was broadcast."""
    while len(cotangent.shape) > len(shape):
        cotangent = apply("sum", cotangent, axis=0)
    for axis, size in enumerate(shape):
        if size == 1 and cotangent.shape[axis] != 1:
            cotangent = apply("sum", cotangent, axis=axis, keepdims=True)
    return cotangent


def _leaf_shape(shapes: Sequence[Shape], parameters: Parameters) -> Shape:
    shape: Shape = parameters["shape"]
    return shape


def _leaf_value(domain: Domain, node: Node) -> Any:
    return domain.array(node.parameters["texts"], node.shape)


def _leaf_notation(writer: Writer, node: Node) -> Phrase:
    texts: tuple[str, ...] = node.parameters["texts"]
    if node.parameters.get("label"):
        return writer.label(node)
    if len(texts) != 1:
        return Phrase("given")
    if not writer.latex:
        return Phrase(texts[0], PRODUCT if "/" in texts[0] else SUM if texts[0].startswith("-") else ATOM)
    named = {"pi": r"\pi", "inf": r"\infty", "-inf": r"-\infty"}
    if texts[0] in named:
        return Phrase(named[texts[0]], SUM if texts[0].startswith("-") else ATOM)
    numerator, slash, denominator = texts[0].lstrip("-").partition("/")
    sign = "-" if texts[0].startswith("-") else ""
    text = rf"{sign}\frac{{{numerator}}}{{{denominator}}}" if slash else texts[0]
    return Phrase(text, SUM if sign else UNARY if slash else ATOM)


LEAF = Notation(latex=_leaf_notation, text=_leaf_notation)

for _name, _about in (("constant", "A number in a formula."), ("given", "An array that the spec gives.")):
    register(
        Operation(
            name=_name,
            public=False,
            about=_about,
            signature=Signature(arrays=(), options={"label": "", "drawn": False}),
            shape=_leaf_shape,
            value=_leaf_value,
            derivative=lambda node, g: (),
            notation=LEAF,
        )
    )


register(
    Operation(
        name="identity",
        public=False,
        about="A second name for a value.",
        signature=Signature(arrays=("x",)),
        shape=same,
        value=lambda domain, node, x: x,
        derivative=lambda node, g: (g,),
        notation=Notation(
            latex=lambda writer, node: writer.phrase(node.inputs[0]),
            text=lambda writer, node: writer.phrase(node.inputs[0]),
        ),
    )
)

register(
    Operation(
        name="add",
        public=False,
        about="Sum, element by element.",
        signature=BINARY,
        shape=broadcast,
        value=lambda domain, node, x, y: x + y,
        derivative=lambda node, g: tuple(sum_to(g, i.shape) for i in node.inputs),
        notation=infix("+", "+", SUM),
        elementwise=True,
    )
)

register(
    Operation(
        name="subtract",
        public=False,
        about="Difference, element by element.",
        signature=BINARY,
        shape=broadcast,
        value=lambda domain, node, x, y: x - y,
        derivative=lambda node, g: (sum_to(g, node.inputs[0].shape), sum_to(-g, node.inputs[1].shape)),
        notation=infix("-", "-", SUM),
        elementwise=True,
    )
)


def _multiply_latex(writer: Writer, node: Node) -> Phrase:
    left, right = operands(writer, node)
    # A scalar in front scales (dot); two arrays are multiplied element by element (Hadamard).
    sign = r"\cdot" if writer.is_scalar(left) or writer.is_scalar(right) else r"\odot"
    return Phrase(f"{writer.write(left, PRODUCT)} {sign} {writer.write(right, UNARY)}", PRODUCT)


register(
    Operation(
        name="multiply",
        public=False,
        about="Product, element by element.",
        signature=BINARY,
        shape=broadcast,
        value=lambda domain, node, x, y: x * y,
        derivative=lambda node, g: (
            sum_to(g * node.inputs[1], node.inputs[0].shape),
            sum_to(g * node.inputs[0], node.inputs[1].shape),
        ),
        notation=Notation(latex=_multiply_latex, text=infix("*", "*", PRODUCT).text),
        elementwise=True,
    )
)


def _fraction(writer: Writer, node: Node) -> Phrase:
    above, below = operands(writer, node)
    return Phrase(rf"\frac{{{writer.write(above)}}}{{{writer.write(below)}}}", UNARY)


register(
    Operation(
        name="divide",
        public=False,
        about="Quotient, element by element; dividing by zero is an error.",
        signature=BINARY,
        shape=broadcast,
        value=lambda domain, node, x, y: domain.divide(x, y),
        derivative=lambda node, g: (
            sum_to(g / node.inputs[1], node.inputs[0].shape),
            sum_to(-(g * node / node.inputs[1]), node.inputs[1].shape),
        ),
        notation=Notation(latex=_fraction, text=infix("/", "/", PRODUCT).text, tall=True),
        elementwise=True,
        undefined="a division by zero",
    )
)

register(
    Operation(
        name="negative",
        public=False,
        about="The value with the other sign.",
        signature=Signature(arrays=("x",)),
        shape=same,
        value=lambda domain, node, x: -x,
        derivative=lambda node, g: (-g,),
        notation=prefix("-", "-"),
    )
)


def _power_latex(writer: Writer, node: Node) -> Phrase:
    base, exponent = operands(writer, node)
    # A power of a matrix would be read as a matrix product: the ring says element by element.
    ring = r"\circ " if len(base.shape) > 1 else ""
    return Phrase(f"{writer.write(base, ATOM)}^{{{ring}{writer.write(exponent)}}}", POWER)


def _power_text(writer: Writer, node: Node) -> Phrase:
    base, exponent = node.inputs
    return Phrase(f"{writer.write(base, ATOM)}**{writer.write(exponent, POWER)}", POWER)


def _power_derivative(node: Node, g: Node) -> tuple[Node, Node]:
    base, exponent = node.inputs
    lowered = exponent - 1 if exponent.number is None else constant(exponent.number - 1)
    by_base = g * (exponent * base**lowered)
    return sum_to(by_base, base.shape), sum_to(g * node * apply("log", base), exponent.shape)


register(
    Operation(
        name="power",
        public=False,
        about="Power, element by element; a root of a negative number is an error.",
        signature=BINARY,
        shape=broadcast,
        value=lambda domain, node, x, y: domain.power(x, y),
        derivative=_power_derivative,
        notation=Notation(latex=_power_latex, text=_power_text),
        elementwise=True,
        undefined="a negative power of zero, or a broken one of a negative number",
    )
)


def _matmul_shape(shapes: Sequence[Shape], parameters: Parameters) -> Shape:
    a, b = shapes
    if not a or not b:
        raise ShapeClash(f"@ multiplies vectors and matrices, not {show(a)} with {show(b)}; scale with *")
    if 1 in (len(a), len(b)) and max(len(a), len(b)) > 2:
        raise ShapeClash(f"@ of {show(a)} and {show(b)}: a vector goes with a vector or a matrix only")
    inner = b[-2] if len(b) > 1 else b[0]
    if a[-1] != inner:
        hint = "the right side's transpose would fit: x @ W.T" if len(b) > 1 and b[-1] == a[-1] else ""
        raise ShapeClash(f"@ needs equal inner sizes: {show(a)} @ {show(b)} sums over {a[-1]} and {inner}", hint)
    turned = len(b) > 1 and isinstance(b[-1], Size) and isinstance(a[-1], Size) and b[-1].dim == a[-1].dim
    agree((a[-1], inner), shapes, "the right side's transpose fits: x @ W.T" if turned else "")
    lead = broadcast([a[:-2], b[:-2]]) if len(a) > 2 or len(b) > 2 else ()
    return lead + (a[-2:-1] if len(a) > 1 else ()) + (b[-1:] if len(b) > 1 else ())


def _matmul_value(domain: Domain, node: Node, a: Any, b: Any) -> Any:
    left, right = (len(i.shape) for i in node.inputs)
    if min(left, right) > 1:  # a batch stands before the axes of both
        a, b = (_lead(x, rank, max(left, right)) for x, rank in ((a, left), (b, right)))
    a = a[..., None, :] if left == 1 else a
    b = b[..., :, None] if right == 1 else b
    product = domain.matmul(a, b)
    if right == 1:
        product = product[..., 0]
    return product[..., 0] if left == 1 and right == 1 else product[..., 0, :] if left == 1 else product


def _lead(x: Any, rank: int, wanted: int) -> Any:
    """Return ``x`` with axes of length one between a batch and its ``rank`` axes, so that these become ``wanted``."""
    lead = x.ndim - rank
    return x.reshape(x.shape[:lead] + (1,) * (wanted - rank) + x.shape[lead:]) if lead and rank < wanted else x


def transposed(matrix: Node) -> Node:
    """Return the transpose, without transposing twice."""
    return matrix.inputs[0] if matrix.operation.name == "transpose" else apply("transpose", matrix)


def _matmul_derivative(node: Node, g: Node) -> tuple[Node, Node]:
    a, b = node.inputs
    match len(a.shape), len(b.shape):
        case 1, 1:
            return g * b, g * a
        case 1, _:
            return apply("matmul", g, transposed(b)), apply("outer", a, g)
        case _, 1:
            return apply("outer", g, b), apply("matmul", g, a)
        case _:
            by_a = apply("matmul", g, transposed(b))
            by_b = apply("matmul", transposed(a), g)
            return sum_to(by_a, a.shape), sum_to(by_b, b.shape)


def _matmul_latex(writer: Writer, node: Node) -> Phrase:
    a, b = node.inputs
    sign = r" \cdot " if len(a.shape) == len(b.shape) == 1 else r" \, "
    # It binds more tightly than a product of elements: (r * h) @ W keeps its parentheses.
    # A b C with a column b: (A b) C is not A (b C), where b is a row.
    ends_in_column = a.operation.name == "matmul" and len(a.shape) < len(a.inputs[0].shape)
    left = writer.write(a, UNARY if ends_in_column else MATRIX_PRODUCT)
    return Phrase(f"{left}{sign}{writer.write(b, UNARY)}", MATRIX_PRODUCT)


register(
    Operation(
        name="matmul",
        public=False,
        about="Matrix product `x @ y`; a vector is a row on the left and a column on the right.",
        signature=BINARY,
        shape=_matmul_shape,
        value=_matmul_value,
        derivative=_matmul_derivative,
        products=lambda inputs, parameters, shape: element_count(shape) * inputs[0].shape[-1],
        notation=Notation(latex=_matmul_latex, text=infix("@", "@", PRODUCT).text),
    )
)


def _outer_shape(shapes: Sequence[Shape], parameters: Parameters) -> Shape:
    if any(len(shape) != 1 for shape in shapes):
        raise ShapeClash(f"outer takes two vectors, not {' and '.join(map(show, shapes))}")
    return shapes[0] + shapes[1]


def _outer_latex(writer: Writer, node: Node) -> Phrase:
    a, b = node.inputs
    return Phrase(rf"{writer.write(a, RAISED)}^\top \, {writer.write(b, UNARY)}", MATRIX_PRODUCT)


register(
    Operation(
        name="outer",
        about="Outer product of two vectors: a column times a row.",
        signature=BINARY,
        shape=_outer_shape,
        value=lambda domain, node, x, y: x[..., :, None] * y[..., None, :],
        derivative=lambda node, g: (
            apply("matmul", g, node.inputs[1]),
            apply("matmul", node.inputs[0], g),
        ),
        notation=Notation(latex=_outer_latex, text=call("outer")),
    )
)
