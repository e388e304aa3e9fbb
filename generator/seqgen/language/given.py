"""Given arrays to leaves: values exactly as written, shapes checked, dims inferred."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from seqgen.errors import Collector, SeqgenError, Span, SpecError, count
from seqgen.graph.node import MAX_AXES, MAX_ELEMENTS, Node, Shape, apply, element_count
from seqgen.graph.shapes import Size
from seqgen.language.bindings import Binding, Entry, Family, Graph, Labels, Poisoned, Silenced, key_of
from seqgen.language.expressions import RESERVED, lower
from seqgen.language.scope import Scope
from seqgen.language.syntax import parse_expression
from seqgen.reference import Reference
from seqgen.spec import document
from seqgen.spec.document import HEXADECIMAL, OCTAL, Scalar, Sequence
from seqgen.spec.model import Draw, Given, Spec
from seqgen.spec.names import checked_name, normal

# The ledger's word for the number of all parameters.
TOTAL = "total"
_TRUE, _FALSE, _NONE = "write 1", "write 0", "every value is a number; a place that a mask forbids is -inf"
WORDS_OF_YAML = {
    **dict.fromkeys(("yes", "on", "true"), _TRUE),
    **dict.fromkeys(("no", "off", "false"), _FALSE),
    **dict.fromkeys(("null", "~", "none", "nan", ".nan"), _NONE),
}
INFINITE = {"inf": "inf", "-inf": "-inf", ".inf": "inf", "-.inf": "-inf"}


def bind_given(spec: Spec, graph: Graph, errors: Collector) -> None:
    """Enter dims and given arrays into ``graph``; mistakes go to ``errors``."""
    sizes: dict[str, tuple[int, Span]] = dict(spec.dims)
    graph.dims.update({name: size for name, (size, _) in sizes.items()})
    later: list[tuple[Given, Scalar, int]] = []
    random = _Random(spec)
    graph.faulty |= spec.faulty
    graph.incomplete = spec.incomplete
    for given in spec.given.values():
        try:
            later += _bind(given, graph, sizes, random)
        except (SeqgenError, Silenced) as problem:
            _leave_out(given, graph)
            if isinstance(problem, SeqgenError):
                errors.add(problem)
    for given, size, actual in later:
        try:
            _check_size(given, size, actual, graph)
        except SeqgenError as problem:
            errors.add(problem)
        except Silenced:
            continue
    for name, (_, span) in sizes.items():
        if name in RESERVED:
            errors.add(_reserved(name, span))
        if name in graph.bindings and not _holds(graph.bindings[name], graph.dims[name]):
            errors.add(_both(name, span, spec))


def _leave_out(given: Given, graph: Graph) -> None:
    """Note that an array, and the dims that it would show, have a mistake of their own."""
    graph.bindings.setdefault(given.name, Poisoned())
    graph.faulty |= {size.text for size in given.shape or () if size.text.isidentifier()} | {given.name}


def _holds(binding: Binding, size: int) -> bool:
    """Whether a given scalar is the whole number ``size``, so that it may share a dim's name."""
    return isinstance(binding, Poisoned) or (
        isinstance(binding, Node) and binding.shape == () and binding.parameters.get("texts") == (str(size),)
    )


def _reserved(name: str, span: Span) -> SpecError:
    return SpecError(f"'{name}' is a word of the language", code="set-twice", span=span, hint="use another name")


def _both(name: str, span: Span, spec: Spec) -> SpecError:
    place = next(given.span for given in spec.given.values() if given.name == name)
    return SpecError(
        f"'{name}' is a given array and a dim",
        code="set-twice",
        span=place,
        related=[(span, "it is a dim here")],
        hint="give one of the two another name",
    )


class _Random:
    """Draws one array after the other from numpy's default generator (PCG64) with the spec's seed."""

    def __init__(self, spec: Spec) -> None:
        self._seed = spec.seed
        self._generator: Any = None

    def draw(self, draw: Draw, shape: Shape) -> tuple[str, ...]:
        """Return the drawn doubles, exactly."""
        if self._seed is None:
            raise SpecError(
                "what is drawn needs a seed", code="missing-key", span=draw.span, hint="write 'seed: 7' at the top"
            )
        if self._generator is None:
            import numpy as np

            self._generator = np.random.default_rng(self._seed)
        try:
            drawn = getattr(self._generator, draw.distribution)(*draw.parameters, size=shape)
            return tuple(str(Fraction(float(value))) for value in drawn.reshape(-1))
        except (ValueError, OverflowError):
            raise SpecError(
                "such numbers can't be drawn",
                code="out-of-range",
                span=draw.span,
                expected="low below high, and everything within a float64's range",
            ) from None


def _bind(
    given: Given, graph: Graph, sizes: dict[str, tuple[int, Span]], random: _Random
) -> list[tuple[Given, Scalar, int]]:
    """Enter one array; return the sizes that are expressions, to check once all dims are known."""
    if given.name in RESERVED:
        raise _reserved(given.name, given.span)
    if given.name == TOTAL and given.role == "parameter":
        raise SpecError(
            f"a parameter can't be named '{TOTAL}'",
            code="set-twice",
            span=given.span,
            hint="the ledger counts all parameters under that name: use another one",
        )
    key = key_of(given.name, given.index)
    if given.role == "label":
        graph.bindings[key] = Labels(words=tuple(_words(given)))
        return []
    if isinstance(given.value, Draw):
        shape = _stated_shape(given, graph)
        texts = random.draw(given.value, shape)
        stated, later = _named(given, shape, graph), []
        node = apply("given", texts=texts, shape=stated, drawn=True, origin=given.span)
    else:
        node, shape = _leaf(given, given.value, graph)
        later = _bind_sizes(given, given.value.span, shape, graph, sizes)
    _keep(given, key, node, graph)
    return later


def _keep(given: Given, key: str, node: Node, graph: Graph) -> None:
    """Bind an array to its name, or to its place in its family."""
    before, rank = graph.bindings.get(given.name), len(given.index)
    if before is None or (isinstance(before, Family) and before.rank == rank):
        graph.add(Entry(key=key, node=node, role=given.role, about=given.about, span=given.span))
        binding = graph.bindings.setdefault(given.name, Family() if rank else node)
        if isinstance(binding, Family):
            binding.members[given.index] = node
        return
    if isinstance(before, Poisoned):
        raise Silenced
    entry = next((e for e in graph.entries.values() if Reference.parse(e.key).name == given.name), None)
    other = entry.key if entry else given.name
    message = f"'{other}' and '{key}' can't both be given: a name is one array, or a family of arrays"
    if rank and isinstance(before, Family):
        indices = "1 index" if rank == 1 else f"{rank} indices"
        message = f"'{key}' has {indices}, '{given.name}' has {before.rank} elsewhere"
    raise SpecError(
        message,
        code="set-twice",
        span=given.span,
        related=[(entry.span, "it is given here first")] if entry else [],
        hint="give one of the two another name",
    )


def _words(given: Given) -> Iterator[str]:
    assert not isinstance(given.value, Draw)
    items = given.value.items if isinstance(given.value, Sequence) else (given.value,)
    for item in items:
        if not isinstance(item, Scalar):
            raise SpecError(
                "labels are a list of words", code="wrong-kind", span=given.span, expected="[the, cat, sleeps]"
            )
        yield item.text


def _stated_shape(given: Given, graph: Graph) -> Shape:
    """Return the shape of an array that is drawn; its sizes are numbers or known dims."""
    sizes = []
    for size in given.shape or ():
        text = parse_expression(Scalar(text=size.text, span=size.span, plain=size.plain))
        sizes.append(Scope(graph=graph, text=text, names={}).integer(text.expression, "a size"))
    if any(size < 1 for size in sizes):
        raise SpecError("a size must be at least 1", code="shape", span=given.span, got=str(sizes))
    if element_count(tuple(sizes)) > MAX_ELEMENTS or len(sizes) > MAX_AXES:
        expected = f"at most {MAX_ELEMENTS:,}, along at most {MAX_AXES} axes"
        raise SpecError("this draws too many numbers", code="too-large", span=given.span, expected=expected)
    return tuple(sizes)


def _named(given: Given, shape: Shape, graph: Graph) -> Shape:
    """Return ``shape`` with the dims by which a given array states it."""
    if given.shape is None or len(given.shape) != len(shape) or graph.by_length:
        return shape
    stated = (size.text for size in given.shape)
    return tuple(
        Size(length, normal(text)) if text.isidentifier() else length
        for length, text in zip(shape, stated, strict=True)
    )


def _leaf(given: Given, value: document.Node, graph: Graph) -> tuple[Node, Shape]:
    """Return the node of a given array: a leaf where every element is a number, else built of expressions."""
    span, shape = given.span, _named(given, _shape(value), graph)
    if len(shape) > MAX_AXES:
        raise SpecError(
            f"this has {len(shape)} axes", code="too-large", span=value.span, expected=f"at most {MAX_AXES}"
        )
    elements = list(_elements(value))
    errors = Collector()
    values: list[str | Node] = []
    for element in elements:
        try:
            values.append(_element(element, graph))
        except SeqgenError as problem:
            errors.add(problem)
    errors.raise_any()
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) == len(values):
        return apply("given", texts=tuple(texts), shape=shape, origin=span), shape
    nodes = [apply("given", texts=(v,), shape=()) if isinstance(v, str) else v for v in values]
    if not shape:
        return (apply("identity", nodes[0], origin=span), shape)
    return apply("reshape", apply("stack", *nodes), shape=shape, origin=span), shape


def _shape(value: document.Node) -> Shape:
    if isinstance(value, Scalar):
        return ()
    if not isinstance(value, Sequence):
        raise SpecError("a value is a number, a text or nested lists", code="wrong-kind", span=value.span)
    if not value.items:
        raise SpecError("an empty list has no shape", code="ragged", span=value.span)
    shapes = [_shape(item) for item in value.items]
    for row, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise SpecError(
                f"row {row} has {_entries(shape)}, row 0 has {_entries(shapes[0])}",
                code="ragged",
                span=value.items[row].span,
                related=[(value.items[0].span, "row 0")],
            )
    return (len(shapes), *shapes[0])


def _entries(shape: Shape) -> str:
    return "no list" if not shape else count(shape[0], "entry") if len(shape) == 1 else f"shape {list(shape)}"


def _elements(value: document.Node) -> Iterator[Scalar]:
    if isinstance(value, Scalar):
        yield value
    elif isinstance(value, Sequence):
        for item in value.items:
            yield from _elements(item)


def _element(scalar: Scalar, graph: Graph) -> str | Node:
    """Return a number's text as written, or the node of an expression."""
    text = scalar.text.strip()
    if text in INFINITE:
        return INFINITE[text]
    if scalar.is_number:
        return str(int(text, 0)) if OCTAL.match(text) or HEXADECIMAL.match(text) else text.removeprefix("+")
    if not text or text.lower() in WORDS_OF_YAML or ":" in text or text.replace("_", "").isdigit():
        raise _not_a_number(scalar)
    if any(c.isspace() for c in text) and not any(c in "+-*/()" for c in text):
        raise _not_a_number(scalar)
    parsed = parse_expression(scalar)
    scope = Scope(graph=graph, text=parsed, names=graph.bindings)
    number = scope.number(parsed.expression)
    if isinstance(number, Fraction):
        return str(number)
    try:
        return lower(parsed.tree, scope)
    except SpecError as problem:
        if problem.code == "unknown-name" and text.isidentifier():
            raise _not_a_number(scalar) from None
        raise


def _not_a_number(scalar: Scalar) -> SpecError:
    text = scalar.text.strip()
    hint = WORDS_OF_YAML.get(text.lower(), "")
    if text.replace("_", "").isdigit():
        hint = f"write {text.replace('_', '')}"
    elif ":" in text:
        hint = "a time is written as one number; a ratio as 1/30"
    return SpecError(
        "text stands where a number belongs" if text else "nothing stands where a number belongs",
        code="not-a-number",
        span=scalar.span,
        expected="a number such as -0.5 or 1e-5, or an expression such as 1/3 or sqrt(2)/2",
        got=text,
        hint=hint,
    )


def _bind_sizes(
    given: Given, place: Span, shape: Shape, graph: Graph, sizes: dict[str, tuple[int, Span]]
) -> list[tuple[Given, Scalar, int]]:
    """Compare the stated shape with the value's, and learn the sizes of new dims."""
    if given.shape is None:
        return []
    if len(given.shape) != len(shape):
        stated = f"[{', '.join(size.text for size in given.shape)}]"
        raise SpecError(
            f"'{key_of(given.name, given.index)}' is stated with {len(given.shape)} axes, its value has {len(shape)}",
            code="shape",
            span=place,
            expected=f"shape {stated}",
            got=f"shape {list(shape)}",
        )
    later = []
    for size, actual in zip(given.shape, shape, strict=True):
        if not size.text.isidentifier():
            later.append((given, size, actual))
        elif (name := checked_name(size.text, size.span)) not in sizes:
            sizes[name] = (actual, size.span)
            graph.dims[name] = actual
        elif sizes[name][0] != actual:
            raise SpecError(
                f"'{name}' is {actual} here and {sizes[name][0]} elsewhere",
                code="dim-clash",
                span=size.span,
                related=[(sizes[name][1], f"{name} = {sizes[name][0]} comes from here")],
                hint=f"'{key_of(given.name, given.index)}' has shape {list(shape)}",
            )
    return later


def _check_size(given: Given, size: Scalar, actual: int, graph: Graph) -> None:
    text = parse_expression(Scalar(text=size.text, span=size.span, plain=size.plain))
    wanted = Scope(graph=graph, text=text, names={}).integer(text.expression, "a size")
    if wanted != actual:
        raise SpecError(
            f"'{key_of(given.name, given.index)}' has {actual} along this axis, not {wanted}",
            code="shape",
            span=size.span,
            related=[(given.value.span, "its value")],
        )
