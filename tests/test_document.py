"""YAML texts to trees: the scalars of YAML 1.2, positions, and texts that mean harm."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from seqgen.errors import SeqgenError, Source, Span, SpecErrors
from seqgen.microscope import Microscope
from seqgen.spec.document import MAX_DEPTH, Mapping, Node, Scalar, Sequence, parse, plain
from strategies import number_like, trees, words, yaml_like

TimeLimit = Callable[[float], AbstractContextManager[None]]


def tree(text: str) -> Node:
    """Return the tree of a text."""
    return parse(Source(name="example.yaml", text=text))


def value_of(text: str) -> Any:
    """Return the value that stands after a key."""
    found = plain(tree(f"key: {text}\n"))
    return found["key"]


def problem(text: str) -> SeqgenError:
    """Return the error that a text raises."""
    with pytest.raises(SeqgenError) as caught:
        tree(text)
    return caught.value


def refusal(action: Callable[[], object]) -> SeqgenError | None:
    """Return the error that an action ends with, if it does; any other exception goes on."""
    try:
        action()
    except SeqgenError as found:
        return found
    return None


def scalars(node: Node) -> Iterator[Scalar]:
    """Return all scalars of a tree, keys too."""
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from scalars(item)
    else:
        yield from node.keys.values()
        for item in node.items.values():
            yield from scalars(item)


def pointed_at(span: Span, width: int = 1) -> str:
    """Return what stands in the source where a span points."""
    return span.source.line(span.line)[span.column - 1 :][:width]


# Scalars: sections 10.2 and 10.3 of the YAML 1.2 specification

SCALARS: list[tuple[str, Any]] = [
    ("1e-5", 1e-5),
    ("1E5", 1e5),
    ("1e+3", 1000.0),
    (".5", 0.5),
    ("-.5", -0.5),
    ("+.5e1", 5.0),
    ("5.", 5.0),
    ("0.10", 0.1),
    ("-0.0", -0.0),
    ("0", 0),
    ("-0", 0),
    ("+12", 12),
    ("017", 17),
    ("0o17", 15),
    ("0x1F", 31),
    ("1_000", "1_000"),
    ("0b101", "0b101"),
    ("0x", "0x"),
    ("0o8", "0o8"),
    ("-0x10", "-0x10"),
    ("1:30", "1:30"),
    ("190:20:30", "190:20:30"),
    ("1/3", "1/3"),
    ("1e", "1e"),
    ("e5", "e5"),
    (".", "."),
    ("-", None),
    ("--1", "--1"),
    ("1.2.3", "1.2.3"),
    ("2024-01-31", "2024-01-31"),
    ("no", "no"),
    ("yes", "yes"),
    ("on", "on"),
    ("Off", "Off"),
    ("y", "y"),
    ("true", True),
    ("True", True),
    ("FALSE", False),
    ("tRUE", "tRUE"),
    ("null", None),
    ("Null", None),
    ("NULL", None),
    ("~", None),
    ("", None),
    ("nUll", "nUll"),
    ("None", "None"),
    ("'1'", "1"),
    ('"true"', "true"),
    ("''", ""),
    ("'null'", "null"),
    ("sqrt(2)/2", "sqrt(2)/2"),
    ("h[0]", "h[0]"),
    ("=", "="),
]


@pytest.mark.parametrize(("text", "value"), [pair for pair in SCALARS if pair[0] != "-"])
def test_scalar_has_its_yaml_1_2_value(text: str, value: Any) -> None:
    """A word is a number, a truth value, nothing or a text by the core schema, not by YAML 1.1."""
    found = value_of(text)
    assert (type(found), found) == (type(value), value)


@given(text=number_like())
def test_number_is_what_the_core_schema_calls_one(text: str) -> None:
    """The regular expressions are those of the specification; exponents here have up to six digits."""
    integer = re.fullmatch(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", text)
    decimal = re.fullmatch(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", text)
    assert Scalar(text=text, span=SPAN).is_number == bool(integer or decimal)


SPAN = Span(source=Source(name="example.yaml", text=""), line=1, column=1)


@given(number=st.one_of(st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False)))
def test_number_has_the_value_that_python_writes(number: float) -> None:
    """Whatever Python writes of a number is read as that number."""
    found = value_of(repr(number))
    assert found == number
    assert math.copysign(1, found) == math.copysign(1, number) or isinstance(number, int)


@pytest.mark.parametrize("text", ["'1'", '"1"', "|\n  1", ">-\n  1"])
def test_number_in_quotes_or_in_a_block_is_a_text(text: str) -> None:
    """Only a plain scalar can be a number."""
    scalar = tree(f"key: {text}\n")
    assert isinstance(scalar, Mapping)
    assert not next(s for s in scalars(scalar["key"])).is_number


def test_number_keeps_its_text() -> None:
    """A number is made from the text later, so that 0.10 is not yet a float."""
    assert [s.text for s in scalars(tree("[0.10, 1e-5, 0x1F]"))] == ["0.10", "1e-5", "0x1F"]


@given(content=trees())
def test_what_json_writes_is_read_as_it_was(content: Any) -> None:
    """JSON is YAML."""
    assert plain(tree(json.dumps(content, ensure_ascii=False))) == content


@given(content=trees(), indent=st.integers(2, 6), flow=st.booleans())
def test_what_yaml_writes_is_read_as_it_was(content: Any, indent: int, flow: bool) -> None:
    """PyYAML's own text is read back, in blocks and in brackets."""
    text = yaml.safe_dump(content, indent=indent, default_flow_style=flow, sort_keys=False, allow_unicode=True)
    assert plain(tree(text)) == content


@given(content=trees())
def test_keys_keep_their_order(content: Any) -> None:
    """Given arrays, tables and columns stand in the order in which they are written."""
    assert str(plain(tree(json.dumps(content, ensure_ascii=False)))) == str(content)


# Positions


@given(content=trees(), indent=st.integers(2, 6), flow=st.booleans())
def test_every_scalar_knows_where_it_stands(content: Any, indent: int, flow: bool) -> None:
    """At a plain scalar's place stands its text, at another's its quote."""
    text = yaml.safe_dump(
        content, indent=indent, default_flow_style=flow, sort_keys=False, allow_unicode=True, width=10**6
    )
    wrong = [
        scalar
        for scalar in scalars(tree(text))
        if not (
            pointed_at(scalar.span, len(scalar.text)) == scalar.text
            if scalar.plain
            else pointed_at(scalar.span) in "'\""
        )
    ]
    assert wrong == []


def test_collection_stands_where_it_begins() -> None:
    """A list stands at its bracket or its first dash, a mapping at its first key or its brace."""
    node = tree("a: [1]\nb:\n  - 2\nc: {x: 3}\nd:\n  y: 4\n")
    assert isinstance(node, Mapping)
    assert [(node[key].span.line, node[key].span.column) for key in "abcd"] == [(1, 4), (3, 3), (4, 4), (6, 3)]


@pytest.mark.parametrize(
    "text", ["ü: [x]", "'𝔥': [x]", "key: {ß: x}", "# ≈\n\n  \nkey:\n\n- x", "a: 1\r\nb: 2\r\nc: [x]\r\n"]
)
def test_position_counts_characters(text: str) -> None:
    """Columns count characters, not bytes; blank lines, comments and either line break count as a line."""
    (scalar,) = (s for s in scalars(tree(text)) if s.text == "x")
    assert pointed_at(scalar.span) == "x"


BLOCKS = {
    "simple": "key: |\n  x = 1\n  y = 2\n",
    "header on its own line": "key:\n  |\n  x = 1\n",
    "further in": "a:\n  b:\n    key: |\n      x = 1\n      y = 2\nc: 3\n",
    "in a list": "- - |\n    x = 1\n    y = 2\n",
    "blank lines first": "key: |\n\n\n  x = 1\n\n  y = 2\n",
    "an indentation of its own": "key: |1\n   x = 1\n  y = 2\n",
    "first line further in": "key: |2\n      x = 1\n  y = 2\n",
    "later lines further in": "key: |\n  for t in range(T):\n      x = 1\n\n      y = 2\n  z = 3\n",
    "stripped": "key: |-\n  x = 1\n  y = 2\n\n\n",
    "kept": "key: |+\n  x = 1\n  y = 2\n\n\n",
    "stripped, an indentation of its own": "key: |-3\n    x = 1\n   y = 2\n",
    "a comment after the header": "key: |  # steps\n  x = 1\n",
    "an anchor": "key: &a |\n  x = 1\nb: *a\n",
    "an anchor on the line before": "key: &a\n  |\n  x = 1\n",
    "a tab in a line": "key: |\n  x\t= 1\n  y = 2\n",
    "letters of several bytes": "ü: |\n  x = 1  # ≈ 𝔥\n  y = 2\n",
    "CRLF": "key: |\r\n  x = 1\r\n  y = 2\r\n",
    "no last newline": "key: |\n  x = 1\n  y = 2",
}


@pytest.mark.parametrize("text", BLOCKS.values(), ids=BLOCKS.keys())
def test_every_character_of_a_block_knows_where_it_stands(text: str) -> None:
    """A mistake in the steps is shown in the file, at its very column."""
    (block,) = {id(s): s for s in scalars(tree(text)) if s.block}.values()
    wrong = [
        (line, column)
        for line, written in enumerate(block.text.split("\n"), start=1)
        for column, character in enumerate(written)
        if pointed_at(block.locate(line, column)) != character
    ]
    assert wrong == []


FOLDED = {
    "quoted": "key: 'h[0] + x'",
    "double quotes": 'key: "h[0] + x"',
    "a quote in quotes": "key: 'it''s h[0]'",
    "an escape": 'key: "\\u0068[0] + x"',
    "plain, over two lines": "key: h[0] +\n  x\n",
    "quoted, over two lines": "key: 'h[0] +\n  x'\n",
    "folded": "key: >\n  h[0] +\n  x\n",
    "folded and stripped": "key: >-\n  h[0] +\n  x\n",
    "folded with a paragraph": "key: >\n  h[0]\n\n  x\n",
}


@pytest.mark.parametrize("text", FOLDED.values(), ids=FOLDED.keys())
def test_no_character_of_a_folded_text_points_at_another(text: str) -> None:
    """Where a text is not written as it reads, a mistake is shown at its own place or at the text's beginning."""
    (scalar,) = (s for s in scalars(tree(text)) if s.text != "key")
    start = (scalar.span.line, scalar.span.column)
    places = [(scalar.locate(1, column), c) for column, c in enumerate(scalar.text.split("\n")[0])]
    assert [c for span, c in places if (span.line, span.column) != start and pointed_at(span) != c] == []


# Keys


def test_key_given_twice_is_an_error_at_the_second() -> None:
    """The later of two equal keys is the mistake."""
    found = problem("a: 1\nb: 2\na: 3\n")
    assert (found.code, found.span and found.span.line) == ("duplicate-key", 3)


def test_key_given_twice_names_the_first_place() -> None:
    """The message leads to both places."""
    ((span, _),) = problem("b: 0\n'a': 1\na: 3\n").related
    assert span is not None
    assert (span.line, span.column) == (2, 1)


def test_all_keys_given_twice_are_reported_together() -> None:
    """One run shows every duplicate, at any depth."""
    found = problem("a: {x: 1, x: 2}\nb:\n  - y: 1\n    y: 2\na: 3\n")
    assert isinstance(found, SpecErrors)
    assert [e.span and e.span.line for e in found.errors] == [1, 4, 5]


@pytest.mark.parametrize("text", ["[1]: 2", "{a: 1}: 2", "? [a, b]\n: 1"])
def test_key_is_a_word(text: str) -> None:
    """A list or a mapping as a key is refused."""
    assert problem(text).code == "yaml-key"


MERGES = {
    "one": ("a: &a {x: 1}\nb:\n  <<: *a\n  y: 2\n", {"x": 1, "y": 2}),
    "own keys win": ("a: &a {x: 1}\nb:\n  x: 3\n  <<: *a\n", {"x": 3}),
    "own keys win from below": ("a: &a {x: 1}\nb:\n  <<: *a\n  x: 3\n", {"x": 3}),
    "several, the first wins": ("a: [&a {x: 1}, &c {x: 2, y: 2}]\nb:\n  <<: [*a, *c]\n", {"x": 1, "y": 2}),
    "written in place": ("b:\n  <<: {x: 1}\n  y: 2\n", {"x": 1, "y": 2}),
    "a merge of a merge": ("a: &a {x: 1}\nc: &c {<<: *a, y: 2}\nb: {<<: *c}\n", {"x": 1, "y": 2}),
    "a quoted key is a key": ("b:\n  '<<': 1\n", {"<<": 1}),
}


@pytest.mark.parametrize(("text", "merged"), MERGES.values(), ids=MERGES.keys())
def test_merge_key_takes_over_what_is_not_given(text: str, merged: dict[str, Any]) -> None:
    """A merge fills in keys and never overrides one."""
    assert plain(tree(text))["b"] == merged


@pytest.mark.parametrize("text", ["b:\n  <<: 1\n", "b:\n  <<: [x]\n", "a: &a [1]\nb: {<<: *a}\n"])
def test_merge_of_something_else_is_an_error(text: str) -> None:
    """Only mappings can be merged."""
    assert problem(text).code == "yaml-merge"


def test_alias_stands_for_what_is_anchored() -> None:
    """An alias is the anchored value, with the place where that was written."""
    node = tree("a: &a [0.10]\nb: *a\n")
    assert isinstance(node, Mapping)
    assert node["b"] is node["a"]


def test_anchor_can_be_set_anew() -> None:
    """An alias means the last anchor before it (section 3.2.2.2 of the specification)."""
    assert plain(tree("[&a 1, *a, &a 2, *a]")) == [1, 1, 2, 2]


# Texts that are wrong, or mean harm

REFUSED = {
    "an alias of nothing": ("a: *a", "yaml-syntax"),
    "an alias of itself": ("a: &a [*a]", "yaml-syntax"),
    "a mapping that holds itself": ("a: &a {b: *a}", "yaml-syntax"),
    "a second document": ("a: 1\n---\nb: 2\n", "yaml-syntax"),
    "a tab as indentation": ("a:\n\tb: 1\n", "yaml-syntax"),
    "a bracket that stays open": ("a: [1, 2\n", "yaml-syntax"),
    "a quote that stays open": ("a: 'x\n", "yaml-syntax"),
    "two colons": ("a: b: 1\n", "yaml-syntax"),
    "a tag": ("a: !!python/object/apply:os.system [ls]\n", "yaml-tag"),
    "a tag of a type": ("a: !!int '1'\n", "yaml-tag"),
    "a tag on a mapping": ("a: !!set {x}\n", "yaml-tag"),
    "a tag of one's own": ("a: !mine {x: 1}\n", "yaml-tag"),
    "a null character": ("a: '\0'\n", "yaml-syntax"),
    "an unknown escape": ('a: "\\quad"\n', "yaml-syntax"),
    "a conflict": ("<<<<<<< ours\na: 1\n=======\na: 2\n>>>>>>> theirs\n", "yaml-syntax"),
    "nothing": ("", "empty-spec"),
    "a comment only": ("# nothing\n", "empty-spec"),
}


@pytest.mark.parametrize(("text", "code"), REFUSED.values(), ids=REFUSED.keys())
def test_text_is_refused(text: str, code: str) -> None:
    """A text that is not one plain document is refused by name."""
    assert problem(text).code == code


def test_tab_as_indentation_has_a_hint() -> None:
    """The message says to use spaces."""
    assert "spaces" in problem("a:\n\tb: 1\n").hint


def test_tab_between_a_key_and_its_value_is_a_space() -> None:
    """Tabs separate as spaces do (section 6.2 of the specification)."""
    assert plain(tree("a:\t1\nb: [1,\t2]\t# note\n")) == {"a": 1, "b": [1, 2]}


def nested(depth: int, *, flow: bool) -> str:
    """Return lists in lists."""
    return "[" * depth + "]" * depth if flow else "- " * depth + "x"


@pytest.mark.parametrize("flow", [True, False])
def test_depth_is_allowed_up_to_the_limit(flow: bool) -> None:
    """The deepest tree that is allowed is read."""
    node = tree(nested(MAX_DEPTH, flow=flow))
    assert isinstance(node, Sequence)


@pytest.mark.parametrize("flow", [True, False])
@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 100_000])
def test_depth_past_the_limit_is_refused(at_most: TimeLimit, depth: int, flow: bool) -> None:
    """A tower of brackets ends at the limit, not in a crash."""
    with at_most(5):
        assert problem(nested(depth, flow=flow)).code in ("too-large", "yaml-syntax")


def test_laughing_aliases_are_refused(at_most: TimeLimit) -> None:
    """Ten lists of ten aliases each, nine times over, are a billion values in a few lines."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 10)]
    with at_most(5):
        assert problem("\n".join(lines)).code == "too-large"


def test_laughing_merges_are_refused(at_most: TimeLimit) -> None:
    """The same by mappings that merge mappings."""
    lines = ["a0: &a0 {x0: 1}"]
    lines += [f"a{i}: &a{i} {{b: *a{i - 1}, c: *a{i - 1}, d: *a{i - 1}}}" for i in range(1, 40)]
    with at_most(5):
        assert problem("\n".join(lines)).code == "too-large"


def test_many_aliases_are_read_quickly(at_most: TimeLimit) -> None:
    """A long text that is no bomb is read in a time that grows with its length only."""
    with at_most(5):
        found = plain(tree("a: &a 1\nb: [" + ", ".join(["*a"] * 20_000) + "]\n"))
    assert sum(found["b"]) == 20_000


@given(text=st.one_of(st.text(max_size=60), yaml_like()))
@example("? ? ? ?")
@example("%YAML 9.9\n---\na: 1")
@example("a: &a\nb: *a")
@example("{? a, ? }")
@example("a: |9\n x")
@example("\x85")
@example("key: 'x\u2028y'\nb: [")
def test_any_text_is_read_or_refused_with_an_error(text: str) -> None:
    """No text raises anything but an error that can be shown."""
    found = refusal(lambda: plain(tree(text)))
    assert found is None or found.render()


@given(text=yaml_like())
def test_every_position_of_any_text_lies_in_it(text: str) -> None:
    """Whatever was read, its places are lines of the text; an empty value at the end stands after the last."""
    with suppress(SeqgenError):
        spans = [s.span for s in scalars(tree(text))]
        assert all(1 <= span.line <= text.count("\n") + 2 for span in spans)


# Files

EXAMPLE = "title: Ä\ngiven:\n  x: {value: [1, 2]}\nsteps: |\n  y = x + 1\n\n  z = y + 1\n"
MISTAKEN = EXAMPLE.replace("z = y + 1", "z = y + w")
EDITORS: dict[str, Callable[[str], bytes]] = {
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "no last newline": lambda text: text.removesuffix("\n").encode(),
}
editors = pytest.mark.parametrize("saved", EDITORS.values(), ids=EDITORS.keys())


@editors
def test_file_has_its_content_whatever_the_editor_was(
    microscope: Callable[..., Microscope], saved: Callable[[str], bytes]
) -> None:
    """Line breaks of Windows, a byte order mark and a missing last newline change nothing of what is read."""
    spec = microscope(saved(EXAMPLE)).spec
    assert [spec.title, *(text.text.rstrip("\n") for text in spec.steps)] == ["Ä", "y = x + 1\n\nz = y + 1"]


def test_line_breaks_do_not_change_the_digest(microscope: Callable[..., Microscope]) -> None:
    """A checkout on Windows has the same content, hence the same ledger."""
    digests = [microscope(raw).spec.digests for raw in (EXAMPLE.encode(), EDITORS["CRLF"](EXAMPLE))]
    assert digests[0] == digests[1]


@editors
def test_mistake_is_shown_in_its_column_whatever_the_editor_was(
    microscope: Callable[..., Microscope], saved: Callable[[str], bytes]
) -> None:
    """The caret stands under the mistake in a file of Windows too."""
    found = refusal(lambda: microscope(saved(MISTAKEN)))
    assert found is not None
    assert "7 |   z = y + w\n      |           ^" in found.render()


@pytest.mark.parametrize("raw", ["title: Ä".encode("latin-1"), EXAMPLE.encode("utf-16"), b"title: \xed\xa0\x80"])
def test_file_of_another_encoding_is_refused(microscope: Callable[..., Microscope], raw: bytes) -> None:
    """A spec is UTF-8."""
    found = refusal(lambda: microscope(raw))
    assert found is not None
    assert found.code == "encoding"


@given(raw=st.one_of(st.binary(max_size=40), yaml_like().map(str.encode), trees().map(json.dumps).map(str.encode)))
def test_any_file_is_read_or_refused_with_an_error(microscope: Callable[..., Microscope], raw: bytes) -> None:
    """No bytes in a spec's place raise anything but an error that can be shown."""
    found = refusal(lambda: microscope(raw))
    assert found is None or found.render()


KEYS = ["title", "about", "dims", "given", "steps", "gradients", "tables", "worked", "checks", "digits", "tex", "use"]
KEYS += ["seed", "train", "after", "extends", "exact_limit", "source"]


@given(content=st.dictionaries(st.sampled_from(KEYS), st.one_of(st.integers(-2, 2), trees(), words()), max_size=3))
def test_any_section_is_read_or_refused_with_an_error(microscope: Callable[..., Microscope], content: Any) -> None:
    """No content of a spec's own keys raises anything but an error that can be shown."""
    found = refusal(lambda: microscope(json.dumps({"title": "x", **content}, ensure_ascii=False)))
    assert found is None or found.render()
