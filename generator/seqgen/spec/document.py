"""YAML text to a tree that knows where every key and value stands.

The parser is PyYAML's; scalars are read by the rules of YAML 1.2's core schema (section 10.3 of
the specification) instead of PyYAML's 1.1 rules, so that ``1e-5`` is a number, ``no`` is a word, and
a key given twice is an error. Numbers keep their text: a reading makes a value of it later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import yaml

from seqgen.errors import Collector, Source, Span, SpecError
from seqgen.spec.hints import explain
from seqgen.spec.numerals import LIMITS, MAX_DIGITS, TooLong, numeral

MAX_CHARACTERS = 5_000_000
MAX_DEPTH = 64
MAX_NODES = 500_000

INTEGER = re.compile(r"[-+]?[0-9]+\Z")
OCTAL = re.compile(r"0o[0-7]+\Z")
HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+\Z")
FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]{1,6})?\Z")


@dataclass(frozen=True, kw_only=True)
class Scalar:
    """A word, a number or a text.

    ``plain`` tells an unquoted scalar, the only kind that can be a number; ``block`` one that ``|``
    introduced, whose lines are written as they read.
    """

    text: str
    span: Span
    plain: bool = True
    block: bool = False

    @property
    def is_number(self) -> bool:
        """Whether YAML 1.2 reads this as a finite number."""
        return self.plain and bool(
            INTEGER.match(self.text) or FLOAT.match(self.text) or OCTAL.match(self.text) or HEXADECIMAL.match(self.text)
        )

    def value(self) -> Any:
        """Return the plain Python value that YAML 1.2's core schema gives."""
        text = self.text
        if not self.plain:
            return text
        if text in ("", "~", "null", "Null", "NULL"):
            return None
        if text in ("true", "True", "TRUE", "false", "False", "FALSE"):
            return text.lower() == "true"
        if INTEGER.match(text):
            return int(text)
        if OCTAL.match(text):
            return int(text[2:], 8)
        if HEXADECIMAL.match(text):
            return int(text[2:], 16)
        if FLOAT.match(text):
            return float(text)
        return text

    def locate(self, line: int, column: int, width: int = 1) -> Span:
        """Return the file's span of a place inside this text; ``line`` from one, ``column`` from zero."""
        if self.block:
            return self._in_block(line, column, width)
        span = self.span
        if self.is_rewritten:
            return span
        return Span(source=span.source, line=span.line, column=self._start + column + 1, width=width)

    @property
    def _start(self) -> int:
        return self.span.column - 1 + (0 if self.plain else 1)

    @cached_property
    def is_rewritten(self) -> bool:
        """Whether this is not written as it reads: folded, escaped, or over several lines without ``|``."""
        line = self.span.source.line(self.span.line)
        return not self.block and line[self._start : self._start + len(self.text)] != self.text

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return self.text.split("\n")

    def column(self, line: int, offset: int) -> int:
        """Return the column, from zero, of a byte of the text's UTF-8; ``line`` from one."""
        written = self.lines[line - 1] if line <= len(self.lines) else ""
        if written.isascii():
            return min(offset, len(written))
        if line not in self._columns:
            widths = (len(character.encode("utf-8", "surrogatepass")) for character in written)
            self._columns[line] = [i for i, width in enumerate(widths) for _ in range(width)] + [len(written)]
        return self._columns[line][min(offset, len(self._columns[line]) - 1)]

    @cached_property
    def _columns(self) -> dict[int, list[int]]:
        return {}

    def _in_block(self, line: int, column: int, width: int) -> Span:
        source, header = self.span.source, self.span.line
        while "|" not in source.line(header) and header < self.span.line + 2:  # an anchor may stand on a line before
            header += 1
        sample = next((i for i, text in enumerate(self.lines) if text.strip()), 0)
        written = source.line(header + 1 + sample)
        lead = len(self.lines[sample]) - len(self.lines[sample].lstrip())
        indent = len(written) - len(written.lstrip()) - lead
        return Span(source=source, line=header + line, column=indent + column + 1, width=width)


@dataclass(frozen=True, kw_only=True)
class Sequence:
    """A list of nodes."""

    items: tuple[Node, ...]
    span: Span


@dataclass(frozen=True, kw_only=True)
class Mapping:
    """Keys to nodes, in the order written."""

    items: dict[str, Node]
    keys: dict[str, Scalar]
    span: Span

    def __getitem__(self, key: str) -> Node:
        return self.items[key]

    def get(self, key: str) -> Node | None:
        """Return the node under ``key``, or nothing."""
        return self.items.get(key)

    def entries(self, key: str) -> list[tuple[Scalar, Node]]:
        """Return the keys and the values of the mapping under ``key``; none where there is no mapping."""
        part = self.items.get(key)
        return [(part.keys[k], v) for k, v in part.items.items()] if isinstance(part, Mapping) else []


Node = Scalar | Sequence | Mapping


def plain(node: Node) -> Any:
    """Return ``node`` as plain Python values."""
    if isinstance(node, Scalar):
        return node.value()
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    return {key: plain(value) for key, value in node.items.items()}


def parse(source: Source) -> Node:
    """Return the tree of the one document that ``source`` holds.

    Raises:
        SpecError: where the text is not YAML, or is larger or deeper than a spec may be.
        SpecErrors: where keys are given twice.
    """
    if len(source.text) > MAX_CHARACTERS:
        raise SpecError(
            f"{source.name} is too long", code="too-large", expected=f"at most {MAX_CHARACTERS:,} characters"
        )
    try:
        return _Composer(source).compose()
    except yaml.YAMLError as problem:
        raise explain(source, problem) from None


@dataclass
class _Frame:
    """A collection that is still open."""

    event: Any
    anchor: str | None
    items: list[Node] = field(default_factory=list)


class _Composer:
    """Builds the tree from parser events with an explicit stack, within bounds."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.anchors: dict[str, Node] = {}
        self.sizes: dict[int, int] = {}
        self.errors = Collector()

    def compose(self) -> Node:
        root: Node | None = None
        stack: list[_Frame] = []
        for event in self._events():
            node: Node | None = None
            if isinstance(event, yaml.ScalarEvent):
                node = self._scalar(event)
            elif isinstance(event, yaml.AliasEvent):
                node = self._alias(event)
            elif isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
                self._refuse_tag(event)
                if len(stack) >= MAX_DEPTH:
                    raise SpecError(
                        "this is nested too deeply",
                        code="too-large",
                        span=self._span(event),
                        expected=f"at most {MAX_DEPTH} levels",
                    )
                stack.append(_Frame(event, event.anchor))
            elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
                frame = stack.pop()
                node = self._close(frame)
                self._remember(frame.anchor, node)
            elif isinstance(event, yaml.DocumentStartEvent) and root is not None:
                raise SpecError(
                    "a second document begins here",
                    code="yaml-syntax",
                    span=self._span(event),
                    expected="one document a file",
                )
            if node is not None:
                if stack:
                    stack[-1].items.append(node)
                else:
                    root = node
        self.errors.raise_any()
        if root is None:
            raise SpecError(f"{self.source.name} is empty", code="empty-spec", expected="a mapping such as 'title: …'")
        return root

    def _events(self) -> Iterator[Any]:
        loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
        events: Iterator[Any] = yaml.parse(self.source.text.removeprefix("\ufeff"), Loader=loader)
        return events

    def _span(self, event: Any) -> Span:
        start, end = event.start_mark, event.end_mark
        width = end.column - start.column if end.line == start.line else 1
        return Span(source=self.source, line=start.line + 1, column=start.column + 1, width=max(1, width))

    def _scalar(self, event: Any) -> Scalar:
        self._refuse_tag(event)
        scalar = Scalar(
            text=event.value,
            span=self._span(event),
            plain=event.implicit[0],
            block=event.style == "|",
        )
        # Only such a number can be too long; to make every one would take as long as all the rest.
        if (len(scalar.text) > MAX_DIGITS or "e" in scalar.text.lower()) and scalar.is_number:
            try:
                numeral(scalar.text)
            except TooLong:
                self.errors.add(
                    SpecError("this number is too long", code="too-large", span=scalar.span, expected=LIMITS)
                )
        self._remember(event.anchor, scalar)
        return scalar

    def _refuse_tag(self, event: Any) -> None:
        if event.tag not in (None, "!"):
            written = event.tag.replace("tag:yaml.org,2002:", "!!")
            raise SpecError(
                f"a tag ({written}) is not allowed here",
                code="yaml-tag",
                span=self._span(event),
                hint="write the value without a tag",
            )

    def _alias(self, event: Any) -> Node:
        try:
            return self.anchors[event.anchor]
        except KeyError:
            raise SpecError(
                f"nothing is anchored as &{event.anchor} before this",
                code="yaml-syntax",
                span=self._span(event),
                hint=f"anchor a value before, such as value: &{event.anchor} 1; "
                f"quote a text that begins with *: '*{event.anchor}'",
            ) from None

    def _remember(self, anchor: str | None, node: Node) -> None:
        if anchor:
            self.anchors[anchor] = node

    def _close(self, frame: _Frame) -> Node:
        size = 1 + sum(self.sizes.get(id(item), 1) for item in frame.items)
        if size > MAX_NODES:
            raise SpecError(
                "aliases make this too large",
                code="too-large",
                span=self._span(frame.event),
                expected=f"at most {MAX_NODES:,} values",
            )
        node: Node
        if isinstance(frame.event, yaml.SequenceStartEvent):
            node = Sequence(items=tuple(frame.items), span=self._span(frame.event))
        else:
            node = self._mapping(frame)
        self.sizes[id(node)] = size
        return node

    def _mapping(self, frame: _Frame) -> Mapping:
        items: dict[str, Node] = {}
        keys: dict[str, Scalar] = {}
        merged: list[Mapping] = []
        for key, value in zip(frame.items[::2], frame.items[1::2], strict=True):
            if not isinstance(key, Scalar):
                self.errors.add(
                    SpecError(
                        "a list or a mapping can't be a key", code="yaml-key", span=key.span, hint="quote it: '[0]': …"
                    )
                )
            elif key.text == "<<" and key.plain:
                merged.extend(self._merged(value))
            elif key.text in items:
                self.errors.add(
                    SpecError(
                        f"the key '{key.text}' is given twice",
                        code="duplicate-key",
                        span=key.span,
                        related=[(keys[key.text].span, "it is given here first")],
                        hint="keep one of the two",
                    )
                )
            else:
                items[key.text], keys[key.text] = value, key
        for mapping in merged:
            for name, value in mapping.items.items():
                if name not in items:
                    items[name], keys[name] = value, mapping.keys[name]
        return Mapping(items=items, keys=keys, span=self._span(frame.event))

    def _merged(self, value: Node) -> list[Mapping]:
        parts = value.items if isinstance(value, Sequence) else (value,)
        for part in parts:
            if not isinstance(part, Mapping):
                self.errors.add(
                    SpecError(
                        "'<<' takes over mappings only",
                        code="yaml-merge",
                        span=part.span,
                        hint="anchor a mapping, x: &x {…}, and write <<: *x",
                    )
                )
        return [part for part in parts if isinstance(part, Mapping)]
