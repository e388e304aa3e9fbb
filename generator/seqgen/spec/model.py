"""What a spec says, as data; every part keeps the place where it was written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from seqgen.errors import Span
from seqgen.spec.document import Node, Scalar, Sequence
from seqgen.spec.numerals import numeral
from seqgen.spec.schema import check_kinds, is_reference

# A derivation's line with a formula of its own; ``=`` with spaces around it stands in no reference.
FORMULA = re.compile(r"\s*(?P<reference>grad\([^()]*\)(?:\[[^]]*\])*|[^=(]+?) = ")


@dataclass(frozen=True, kw_only=True)
class Draw:
    """Random numbers: ``distribution`` is normal (mean, deviation) or uniform (low, high)."""

    distribution: str
    parameters: tuple[float, float]
    span: Span


@dataclass(frozen=True, kw_only=True)
class Given:
    """An array that the spec gives or draws; ``shape`` holds sizes by name or number, or nothing."""

    name: str
    index: tuple[int, ...]
    role: str
    shape: tuple[Scalar, ...] | None
    value: Node | Draw
    about: str
    span: Span


@dataclass(frozen=True, kw_only=True)
class Train:
    """Gradient steps on the scalar ``of``: ``numbers`` holds the rule's rate and constants, as written."""

    of: Scalar
    by: tuple[Scalar, ...]
    steps: int
    every: int
    rule: str
    numbers: Mapping[str, str]
    span: Span


@dataclass(frozen=True, kw_only=True)
class Display:
    """How a number is printed: ``form`` decimals, short, percent, significant, scientific, as-written or exact.

    ``short`` prints decimals too, and leaves out the zeros at the end of a number that is exact.
    """

    form: str = "decimals"
    digits: int = 4


@dataclass(frozen=True, kw_only=True)
class Column:
    """A table's column."""

    heading: str
    cell: Scalar
    display: Display | None = None


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table: one row a value of the position ``rows`` declares; ``footnote`` is ``rounding`` or nothing."""

    name: str
    rows: Scalar | None
    columns: tuple[Column, ...]
    caption: str
    display: Display | None
    span: Span
    footnote: str = ""


@dataclass(frozen=True, kw_only=True)
class WorkedLine:
    """A value to derive; ``formula`` where the author writes its symbols, which must then be equal to it.

    An alternative is written alike: the step that it replaces, and what comes in its place.
    """

    reference: Scalar
    formula: Scalar | None = None

    @property
    def shown(self) -> Scalar:
        """What is shown as symbols, numbers and result."""
        return self.formula or self.reference


@dataclass(frozen=True, kw_only=True)
class Worked:
    """A derivation: values, each shown as symbols, numbers and result."""

    name: str
    lines: tuple[WorkedLine, ...]
    footnote: str = ""


@dataclass(frozen=True, kw_only=True)
class Check:
    """A condition that must hold: its kind, and its arguments with their places."""

    kind: str
    arguments: Mapping[str, Node]
    keys: Mapping[str, Scalar]
    span: Span

    def references(self) -> Iterator[Scalar]:
        """Yield the references and expressions among the arguments, as the schema marks them; ``by`` apart."""
        kind = check_kinds()[self.kind]
        for name, node in self.arguments.items():
            if is_reference(kind.get("propertyNames", {})):
                yield self.keys[name]
            schema = kind.get("properties", {}).get(name, kind.get("additionalProperties") or {})
            if isinstance(node, Scalar) and is_reference(schema):
                yield node
            elif isinstance(node, Sequence) and is_reference(schema.get("items", {})) and name != "by":
                yield from (item for item in node.items if isinstance(item, Scalar))

    @property
    def by(self) -> tuple[Scalar, ...]:
        """What a gradient check moves, where it says so: values, or families as a whole."""
        names = self.arguments.get("by")
        items = names.items if isinstance(names, Sequence) else ()
        return tuple(item for item in items if isinstance(item, Scalar))

    def number(self, name: str, default: str = "0") -> Fraction:
        """Return a numeric argument, exactly."""
        number = numeral(self.text(name, default))
        assert number is not None, "the schema asks for a number"
        return number

    def text(self, name: str, default: str = "") -> str:
        """Return a plain argument's text."""
        node = self.arguments.get(name)
        return node.text if isinstance(node, Scalar) else default


@dataclass(frozen=True, kw_only=True)
class Spec:
    """A spec with all that it takes over from its parents.

    ``faulty`` are names that were left out for a mistake of their own; where a whole part was, the spec is
    ``incomplete``. ``functions`` are the texts
    of the libraries that it uses, whose names ``libraries`` holds. ``alternatives`` are its own conventions by name,
    and ``distinguishes`` names those that its printed numbers must tell apart. ``mentions`` are the names under
    ``digits`` and ``tex``. ``digests`` are the content hashes of its own file, its parents and its libraries, by name;
    ``files`` those of their files, byte for byte, by path.
    """

    name: str
    title: str
    about: str = ""
    source: str = ""
    parents: tuple[str, ...] = ()
    libraries: tuple[Scalar, ...] = ()
    dims: Mapping[str, tuple[int, Span]] = field(default_factory=dict)
    given: Mapping[str, Given] = field(default_factory=dict)
    faulty: frozenset[str] = frozenset()
    incomplete: bool = False
    seed: int | None = None
    steps: tuple[Scalar | Train, ...] = ()
    functions: tuple[Scalar, ...] = ()
    gradients: tuple[tuple[Scalar, tuple[Scalar, ...]], ...] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    worked: Mapping[str, Worked] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    alternatives: Mapping[str, WorkedLine] = field(default_factory=dict)
    distinguishes: tuple[Scalar, ...] = ()
    mentions: tuple[Scalar, ...] = ()
    displays: Mapping[str, Display] = field(default_factory=dict)
    tex: Mapping[str, str] = field(default_factory=dict)
    exact_limit: int | None = None
    digests: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    span: Span | None = None

    def conditions(self) -> Iterator[Check]:
        """Yield the declared checks, then an equality for each formula that a derivation writes itself."""
        yield from self.checks
        for line in (line for worked in self.worked.values() for line in worked.lines):
            if line.formula:
                sides = {"left": line.reference, "right": line.formula}
                yield Check(kind="equal", arguments=sides, keys={}, span=line.reference.span)


def display_of(value: Any) -> Display:
    """Return the display that ``digits:`` writes: a count, a form with its count, or a form's name."""
    if isinstance(value, int):
        return Display(digits=value)
    if isinstance(value, str):
        return Display(form=value)
    ((form, digits),) = value.items()
    return Display(form=form, digits=digits)


def worked_line(line: Scalar) -> WorkedLine:
    """Return a line of a derivation: ``REFERENCE``, or ``REFERENCE = FORMULA``."""
    match = FORMULA.match(line.text)
    if not match:
        return WorkedLine(reference=line)
    reference, formula = match["reference"], line.text[match.end() :].rstrip()
    return WorkedLine(
        reference=Scalar(text=reference, span=line.locate(1, match.start("reference"), len(reference))),
        formula=Scalar(text=formula, span=line.locate(1, match.end(), len(formula))),
    )
