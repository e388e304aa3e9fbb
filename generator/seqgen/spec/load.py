"""A spec's file, its parents and its libraries, to the model; all mistakes of form at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from seqgen.errors import Collector, SeqgenError, Source, Span, SpecError
from seqgen.files import ABSENT, decoded, sha256
from seqgen.project import Project
from seqgen.spec.document import Mapping, Node, Scalar, Sequence, parse, plain
from seqgen.spec.model import Check, Column, Display, Draw, Given, Spec, Table, Train, Worked, display_of, worked_line
from seqgen.spec.names import NAMES, checked_name, normal
from seqgen.spec.schema import Keys, violations
from seqgen.spec.texts import check_texts, spellings

INDEXED = re.compile(r"(?P<name>[^\[\]]+)(?P<index>(\[[^\[\]]*\])*)\Z")
# What a library may hold beside its functions; parts whose entries stand alone; and what defines the names of a spec.
LIBRARY_KEYS = ("title", "about", "source", "use", "steps")
BY_NAME = ("dims", "given", "gradients", "tables", "worked", "tex", "alternatives")
DEFINING = ("extends", "use", "dims", "given", "steps", "after")
FORMS = {"decimals", "significant", "scientific"}
MAX_PARENTS = 16
# Checks of printed numbers, which hold for the parent's own values only.
PRINTED = ("expect", "erratum")


def load(project: Project, name: str, errors: Collector) -> Spec:
    """Return spec ``name`` with all that it takes over.

    What is not of a spec's form goes to ``errors`` and is left out, so that the rest can be looked at too.

    Raises:
        SeqgenError: where the spec, a parent or a library is missing, or is not YAML.
    """
    return _with_libraries(project, _load(project, name, None, (), errors), errors)


def _missing(spec: Spec, problem: SeqgenError, errors: Collector) -> Spec:
    """Keep what is wrong with a parent or a library; what would come of it is not known."""
    errors.add(problem)
    return replace(spec, incomplete=True)


def _with_libraries(project: Project, spec: Spec, errors: Collector) -> Spec:
    """Return ``spec`` with the functions of its libraries, and of those that they use, first."""
    functions: dict[str, Scalar] = {}
    digests, files = dict(spec.digests), dict(spec.files)
    pending = list(spec.libraries)
    while pending:
        label = pending.pop(0)
        if label.text in digests:
            continue
        try:
            document, digests[label.text], found = read(project, label.text, label.span, errors)
        except SeqgenError as problem:
            spec = _missing(spec, problem, errors)
            continue
        files |= found
        _only_functions(label, document, errors)
        steps = document.get("steps")
        if isinstance(steps, Scalar):
            functions[label.text] = steps
        pending += _scalars(document.get("use"))
    return replace(spec, functions=tuple(functions.values()), digests=digests, files=files)


def _load(project: Project, name: str, span: Span | None, below: tuple[str, ...], errors: Collector) -> Spec:
    if name in below or len(below) > MAX_PARENTS:
        chain = " extends ".join([*below, name])
        raise SpecError(f"'extends' goes in a circle: {chain}", code="circular-extends", span=span)
    document, digest, files = read(project, name, span, errors)
    own = replace(_build(name, document, errors), digests={name: digest}, files=files)
    parent = document.get("extends")
    if isinstance(parent, Scalar):
        try:
            own = _inherit(_load(project, parent.text, parent.span, (*below, name), errors), own)
        except SeqgenError as problem:
            own = _missing(own, problem, errors)
    return own


def _only_functions(label: Scalar, document: Mapping, errors: Collector) -> None:
    """Make sure that a library holds functions and nothing that would be left out."""
    for key in document.items:
        if key not in LIBRARY_KEYS:
            errors.add(
                SpecError(
                    f"'{key}' of a library is not taken over",
                    code="library",
                    span=document.keys[key].span,
                    related=[(label.span, "'use' takes the functions of a spec, nothing else")],
                    hint=f"to take over all of it, write 'extends: {label.text}'",
                )
            )


def read(project: Project, name: str, span: Span | None, errors: Collector) -> tuple[Mapping, str, dict[str, str]]:
    """Return what of a spec's document is of a spec's form, the hash of its content, and those of files, by path.

    A shipped library makes room for one of the project's own, so that the absence of that one counts, too.
    """
    path, stored = project.read_spec(name, span=span)
    files = {f"specs/{name}.yaml": ABSENT, project.relative(path): sha256(stored)}
    raw = stored.replace(b"\r\n", b"\n")
    text = decoded(raw, project.relative(path))
    source = Source(name=project.relative(path), text=text.removeprefix("\ufeff").replace("\r", "\n"))
    document = parse(source)
    if not isinstance(document, Mapping):
        raise SpecError(
            "a spec is a mapping", code="wrong-kind", span=document.span, expected="title: …, given: …, steps: …"
        )
    for keys, violation in list(violations(document)):
        errors.add(violation)
        document = _without(document, keys)
    check_texts(document, errors)
    return document, f"sha256:{sha256(raw)}", files


def _without(document: Mapping, path: Keys) -> Mapping:
    """Return ``document`` without the part that ``path`` leads to: an item of a section, or a section."""
    if not path or path[0] not in document.items:
        return document
    key = str(path[0])
    section = document.items[key]
    items = {k: v for k, v in document.items.items() if k != key}
    if len(path) > 1 and key in BY_NAME and isinstance(section, Mapping):
        rest = {k: v for k, v in section.items.items() if k != path[1]}
        items[key] = Mapping(items=rest, keys=section.keys, span=section.span)
    return Mapping(items=items, keys=document.keys, span=document.span)


def _build(name: str, document: Mapping, errors: Collector) -> Spec:
    given: dict[str, Given] = {}
    faulty = set(_faulty(document))
    for label, body in document.entries("given"):
        try:
            assert isinstance(body, Mapping)
            array = _given(label, body)
            key = array.name + "".join(f"[{i}]" for i in array.index)
            if key in given:
                first = [(given[key].span, "it is given here first")]
                raise SpecError(f"'{key}' is given twice", code="duplicate-key", span=label.span, related=first)
            given[key] = array
        except SpecError as problem:
            errors.add(problem)
            faulty |= {normal(label.text.split("[")[0]), *_sizes(body)}
    dims = {}
    for label, size in document.entries("dims"):
        try:
            dims[checked_name(label.text, label.span)] = (plain(size), label.span)
        except SpecError as problem:
            errors.add(problem)
            faulty.add(label.text)
    return Spec(
        name=name,
        title=_text(document, "title"),
        about=_text(document, "about"),
        source=_text(document, "source"),
        libraries=tuple(_scalars(document.get("use"))),
        dims=dims,
        given=given,
        faulty=frozenset(faulty),
        incomplete=any(map(partial(_is_left_out, document), DEFINING)),
        seed=_plain(document, "seed"),
        steps=tuple(_program(document, errors)),
        gradients=tuple((k, tuple(_scalars(v))) for k, v in document.entries("gradients")),
        tables={k.text: _table(k, v) for k, v in document.entries("tables")},
        worked={k.text: _worked(k, v) for k, v in document.entries("worked")},
        checks=tuple(_check(item) for item in _sequence(document.get("checks"))),
        alternatives={k.text: worked_line(v) for k, v in document.entries("alternatives") if isinstance(v, Scalar)},
        distinguishes=tuple(_scalars(document.get("distinguishes"))),
        mentions=tuple(_mentions(document)),
        displays=_displays(document.get("digits")),
        tex=spellings(document),
        exact_limit=_plain(document, "exact_limit"),
        span=document.span,
    )


def _is_left_out(document: Mapping, key: str) -> bool:
    node = document.get(key)
    return key in document.keys and (node is None or (isinstance(node, Scalar) and node.is_rewritten))


def _faulty(document: Mapping) -> Iterator[str]:
    """Yield the names that would be known, had their definitions not been left out."""
    for key in ("given", "dims"):
        part = document.get(key)
        if isinstance(part, Mapping):
            yield from (name.split("[")[0] for name in part.keys if name not in part.items)
    if "train" in document.keys and "train" not in document.items:
        yield from ("loss", "trained")


def _sizes(body: Node) -> Iterator[str]:
    """Yield the names in the shape of a given array."""
    shape = body.get("shape") if isinstance(body, Mapping) else None
    yield from (size.text for size in _scalars(shape) if size.text.isidentifier())


def _given(label: Scalar, body: Mapping) -> Given:
    match = INDEXED.match(label.text)
    if not match:
        raise SpecError(f"'{label.text}' is not a name", code="name", span=label.span, expected=NAMES)
    name = checked_name(match["name"], label.span)
    brackets = re.findall(r"\[([^\[\]]*)\]", match["index"])
    if not all(re.fullmatch(r"-?[0-9]{1,9}", part) for part in brackets):
        raise SpecError(
            f"'{label.text}' needs a whole number in its brackets",
            code="name",
            span=label.span,
            hint=f"write {name}{''.join(f'[{i}]' for i in re.findall(r'-?[0-9]+', match['index']))}"
            if "," in match["index"]
            else f"a state before the first is {name}[-1]; members that steps compute are set in 'steps'",
        )
    shape, value, draw = body.get("shape"), body.get("value"), body.get("draw")
    if value is None and draw is None:
        raise SpecError(
            f"'{label.text}' needs a value",
            code="missing-key",
            span=label.span,
            hint="write value: [1, 2], or draw: {normal: {mean: 0}}",
        )
    if value is not None and draw is not None:
        second = max((body.keys[key].span for key in ("value", "draw")), key=lambda span: (span.line, span.column))
        raise SpecError(
            f"'{label.text}' has both 'value' and 'draw'", code="set-twice", span=second, hint="keep one of the two"
        )
    return Given(
        name=name,
        index=tuple(map(int, brackets)),
        role=_text(body, "role") or "constant",
        shape=None if shape is None else tuple(_scalars(shape)),
        value=_draw(draw) if isinstance(draw, Mapping) else body["value"],
        about=_text(body, "about"),
        span=label.span,
    )


def _draw(body: Mapping) -> Draw:
    ((distribution, numbers),) = body.items.items()
    names = {"normal": ("mean", "deviation"), "uniform": ("low", "high")}[distribution]
    stated = plain(numbers)
    low, high = (float(stated.get(name, default)) for name, default in zip(names, (0, 1), strict=True))
    return Draw(distribution=distribution, parameters=(low, high), span=body.span)


def _program(document: Mapping, errors: Collector) -> Iterator[Scalar | Train]:
    """Yield what runs, in order: the steps, the training, and the steps after it."""
    steps, train, after = (document.get(key) for key in ("steps", "train", "after"))
    for key, text in (("steps", steps), ("after", after)):
        if isinstance(text, Scalar) and text.is_rewritten:
            span = document.keys[key].span
            hint = f"write '{key}: |', and the lines below it, indented"
            errors.add(SpecError(f"the lines of '{key}' run together", code="yaml-syntax", span=span, hint=hint))
    steps, after = (text if isinstance(text, Scalar) and not text.is_rewritten else None for text in (steps, after))
    if isinstance(steps, Scalar) and steps.text.strip():
        yield steps
    if isinstance(train, Mapping):
        yield _train(train)
    if isinstance(after, Scalar) and after.text.strip():
        yield after


def _train(body: Mapping) -> Train:
    of = body["of"]
    assert isinstance(of, Scalar)
    steps = plain(body["steps"])
    constants = ("rate", "momentum", "beta_1", "beta_2", "epsilon", "clip")
    return Train(
        of=of,
        by=tuple(_scalars(body.get("by"))),
        steps=steps,
        every=min(steps, _plain(body, "every") or steps),
        rule=_text(body, "rule") or "sgd",
        numbers={key: _text(body, key) for key in constants if body.get(key) is not None},
        span=of.span,
    )


def _plain(document: Mapping, key: str) -> Any:
    node = document.get(key)
    return None if node is None else plain(node)


def _table(label: Scalar, body: Node) -> Table:
    assert isinstance(body, Mapping)
    rows, digits = body.get("rows"), body.get("digits")
    return Table(
        name=label.text,
        rows=rows if isinstance(rows, Scalar) else None,
        columns=tuple(_column(k, v) for k, v in body.entries("columns")),
        caption=_text(body, "caption"),
        display=None if digits is None else display_of(plain(digits)),
        span=label.span,
        footnote=_text(body, "footnote"),
    )


def _worked(label: Scalar, body: Node) -> Worked:
    lines = body.get("lines") if isinstance(body, Mapping) else body
    footnote = _text(body, "footnote") if isinstance(body, Mapping) else ""
    return Worked(name=label.text, lines=tuple(map(worked_line, _scalars(lines))), footnote=footnote)


def _column(label: Scalar, body: Node) -> Column:
    digits = None
    cell = body
    if isinstance(body, Mapping):
        cell, digits = body["cell"], _plain(body, "digits")
    assert isinstance(cell, Scalar)
    return Column(heading=label.text, cell=cell, display=None if digits is None else display_of(digits))


def _check(body: Node) -> Check:
    assert isinstance(body, Mapping)
    ((kind, arguments),) = body.items.items()
    assert isinstance(arguments, Mapping)
    return Check(kind=kind, arguments=arguments.items, keys=arguments.keys, span=body.keys[kind].span)


def _displays(node: Node | None) -> dict[str, Display]:
    if node is None:
        return {}
    if isinstance(node, Mapping) and not FORMS & set(node.items):
        return {normal(key): display_of(plain(value)) for key, value in node.items.items()}
    return {"default": display_of(plain(node))}


def _mentions(document: Mapping) -> Iterator[Scalar]:
    """Yield the names that stand under ``tex``, and under ``digits`` where that is a mapping of names."""
    digits = document.get("digits")
    named = isinstance(digits, Mapping) and not FORMS & set(digits.items)
    for key in ("tex", "digits") if named else ("tex",):
        yield from (label for label, _ in document.entries(key))


def _inherit(parent: Spec, own: Spec) -> Spec:
    """Return ``own`` with what it takes over; what it gives itself comes in the parent's place."""
    given = dict(parent.given)
    changed = bool(given.keys() & own.given.keys() or parent.dims.keys() & own.dims.keys())
    checks = [c for c in parent.checks if not (changed and c.kind in PRINTED)]
    for name, value in own.given.items():
        before = given.get(name, value)
        given[name] = replace(
            value,
            role=before.role if value.role == "constant" else value.role,
            shape=before.shape if value.shape is None else value.shape,
            about=value.about or before.about,
        )
    return replace(
        own,
        parents=(*parent.parents, parent.name),
        libraries=(*parent.libraries, *own.libraries),
        dims={**parent.dims, **own.dims},
        given=given,
        faulty=parent.faulty | own.faulty,
        incomplete=parent.incomplete or own.incomplete,
        steps=(*parent.steps, *own.steps),
        gradients=(*parent.gradients, *own.gradients),
        tables={**parent.tables, **own.tables},
        checks=(*checks, *own.checks),
        alternatives={**parent.alternatives, **own.alternatives},
        distinguishes=(*parent.distinguishes, *own.distinguishes),
        mentions=(*parent.mentions, *own.mentions),
        displays={**parent.displays, **own.displays},
        tex={**parent.tex, **own.tex},
        seed=parent.seed if own.seed is None else own.seed,
        exact_limit=parent.exact_limit if own.exact_limit is None else own.exact_limit,
        digests={**own.digests, **parent.digests},
        files={**own.files, **parent.files},
    )


def _sequence(node: Node | None) -> tuple[Node, ...]:
    return node.items if isinstance(node, Sequence) else ()


def _scalars(node: Node | None) -> list[Scalar]:
    return [item for item in _sequence(node) if isinstance(item, Scalar)]


def _text(document: Mapping, key: str) -> str:
    node = document.get(key)
    return node.text.strip() if isinstance(node, Scalar) else ""
