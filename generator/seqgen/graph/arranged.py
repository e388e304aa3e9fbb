"""How the rules for rearranged, joined and chosen arrays are typeset in LaTeX."""

from __future__ import annotations

from collections.abc import Sequence

from seqgen.graph.node import Node, Shape, Writer
from seqgen.graph.notation import size_text
from seqgen.graph.phrase import POWER, PRODUCT, RAISED, Phrase
from seqgen.graph.shapes import axis_of


def places_below(places: Sequence[int]) -> str:
    """Return positions as they stand below a value."""
    return f"_{{({', '.join(map(str, places))})}}"


def key_below(node: Node) -> str:
    """Return an index as it stands below a value."""
    parts = []
    for part in node.parameters["key"]:
        whole = isinstance(part, slice)
        stop = "" if whole and part.stop is None else part.stop if whole else ""
        parts.append(f"{part.start or ''}:{stop}" if whole else str(part))
    return f"_{{{','.join(parts)}}}"


def put_below(places: str, shape: Shape) -> str:
    """Return where a value is put, and above it the shape of the zeros around it."""
    return rf"{places}^{{{size_text(shape)}}}"


def rows_below(node: Node) -> str:
    """Return to which rows the rows of a value are added, and above it the shape of the zeros around them."""
    return put_below(places_below(node.parameters["indices"]), node.shape)


def repeated_latex(writer: Writer, node: Node) -> Phrase:
    """Return a value times ones of the whole shape; `operands` leaves them out where a shape lines up by itself."""
    (item,) = node.inputs
    if item.shape == node.shape:
        return writer.phrase(item)
    number = None if writer.is_named(item) else item.number
    if number is not None and number in (0, 1):
        return Phrase(rf"\mathbf{{{number}}}_{{{size_text(node.shape)}}}")
    sign = r"\cdot" if writer.is_scalar(item) else r"\odot"
    return Phrase(rf"{writer.write(item, PRODUCT)} {sign} \mathbf{{1}}_{{{size_text(node.shape)}}}", PRODUCT)


def joined_latex(writer: Writer, node: Node) -> Phrase:
    """Return arrays side by side, or one above the other."""
    axis = axis_of(node.shape, node.parameters["axis"])
    if axis < -2:
        parts = ", ".join(writer.write(i) for i in node.inputs)
        return Phrase(rf"\operatorname{{concat}}_{{\text{{axis {axis + len(node.shape)}}}}}({parts})", POWER)
    if axis == -2:
        rows = r" \\ ".join(writer.write(i) for i in node.inputs)
        return Phrase(rf"\begin{{bmatrix}}{rows}\end{{bmatrix}}")
    parts = r" \mid ".join(writer.write(i) for i in node.inputs)
    return Phrase(rf"\left[{parts}\right]")


def stacked_latex(writer: Writer, node: Node) -> Phrase:
    """Return a list, a matrix of rows, or arrays one after the other."""
    if all(i.shape == () for i in node.inputs):
        return Phrase(f"({', '.join(writer.write(i) for i in node.inputs)})", enclosed=True)
    if len(node.shape) > 2:  # matrices one after the other, as their numbers are; in brackets they would be one matrix
        return Phrase(rf"\left({', '.join(writer.write(i) for i in node.inputs)}\right)")
    rows = r" \\ ".join(_row(writer, i) for i in node.inputs)
    return Phrase(rf"\begin{{bmatrix}}{rows}\end{{bmatrix}}")


def _row(writer: Writer, node: Node) -> str:
    """Return a row of a matrix: the parts of a list side by side, anything else as it is."""
    if node.operation.name == "stack" and not writer.is_named(node) and all(i.shape == () for i in node.inputs):
        return " & ".join(writer.write(i) for i in node.inputs)
    return writer.write(node)


def gathered_latex(writer: Writer, node: Node) -> Phrase:
    """Return a value with the chosen positions below."""
    places = ", ".join(map(str, node.parameters["indices"]))
    return Phrase(rf"{writer.write(node.inputs[0], RAISED)}_{{({places})}}", POWER)
