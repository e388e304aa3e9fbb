"""What a deck says that it is about: the default spec of its citations, and aliases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from seqgen.decks.weave import Shelf, weave
from seqgen.errors import SeqgenError

ONE = "title: One\ngiven:\n  x: {role: input, shape: [D], value: [1, 2]}\nsteps: |\n  y = 2 * x\n"
TWO = "title: Two\ngiven:\n  x: {role: input, shape: [D], value: [3, 4]}\nsteps: |\n  y = 2 * x\n"


@pytest.fixture
def woven(project: Any) -> Any:
    """Return a function that weaves a deck of a course with the specs ``w/one`` and ``w/two``, without its stamp."""
    made = project(ONE, others={"w/one": ONE, "w/two": TWO})
    root: Path = made.root
    (root / "slides").mkdir()

    def run(text: str, name: str = "slides/a.md") -> str:
        (root / name).write_text(text)
        return next(iter(weave(made, name, Shelf(project=made)).files.values()))

    return run


@pytest.mark.parametrize(
    ("head", "citation"),
    [
        ("<!-- seqgen: spec w/one -->", r"\seq{y[1]}"),
        ("<!--seqgen: spec one = w/one-->", r"\seq{one: y[1]}"),
        ("<!-- seqgen: spec one = w/one -->", r"\seq{y[1]}"),
        ("<!-- seqgen: spec w/two, one = w/one -->", r"\seq{one: y[1]}"),
        ("<!-- seqgen: spec two = w/two -->\n<!-- seqgen: spec one = w/one -->", r"\seq{one: y[1]}"),
        ("<!-- seqgen: spec one = w/one -->\n<!-- seqgen: spec two = w/two -->", r"\seq{one: y[1]}"),
        ("<!-- seqgen: spec one = w/one -->\n\nText.\n\n<!-- seqgen: spec w/two -->", r"\seq{one: y[1]}"),
        ("<!-- seqgen: spec w/two -->\n\nText.\n\n<!-- seqgen: spec w/one -->", r"\seq{y[1]}"),
        ("<!-- seqgen: spec w/two -->", r"\seq{w/one: y[1]}"),
    ],
)
def test_a_pragma_gives_citations_their_spec(woven: Any, head: str, citation: str) -> None:
    """By default or by alias; an alias stays when another pragma follows. y is 2 times (1, 2)."""
    assert woven(f"{head}\n\nIt is {citation}.\n").endswith("It is 4.\n")


@pytest.mark.parametrize(
    "front",
    ["seqgen: {spec: w/one}", 'seqgen: {spec: "w/one"}', "seqgen:\n  spec: w/one", "seqgen: {spec: one = w/one}"],
)
def test_front_matter_is_a_pragma(woven: Any, front: str) -> None:
    """In flow or block style, with or without an alias."""
    assert woven(f"---\ntitle: A\n{front}\n---\n\nIt is \\seq{{y[1]}}.\n").endswith("It is 4.\n")


def test_a_pragma_of_latex_gives_citations_their_spec(woven: Any) -> None:
    """Its numbers are found by what is written in the citation."""
    text = "\\begin{document}\n% seqgen: spec w/one, two = w/two\n\\seq{y[1]} \\seq{two: y[1]}\n\\end{document}\n"
    lines = woven(text, "slides/a.tex")
    assert r"\seqnumber{|y[1]}{4}" in lines
    assert r"\seqnumber{|two:y[1]}{8}" in lines


def test_one_citation_of_latex_for_two_specs_is_reported(woven: Any) -> None:
    """TeX would print the first number for both."""
    text = "\\begin{document}\n%s\\seq{y[1]}\n%s\\seq{y[1]}\n\\end{document}\n"
    with pytest.raises(SeqgenError, match="stands for a number of w/one"):
        woven(text % ("% seqgen: spec w/one\n", "% seqgen: spec w/two\n"), "slides/a.tex")


@pytest.mark.parametrize("wrong", ["spec", "spec w/one w/two", "specs w/one", "spec one: w/one"])
def test_a_pragma_that_cannot_be_read_is_an_error(woven: Any, wrong: str) -> None:
    """At its place, with what was expected."""
    with pytest.raises(SeqgenError, match="a pragma that can't be read"):
        woven(f"# A\n\n<!-- seqgen: {wrong} -->\n")


def test_a_pragma_of_no_spec_is_an_error(woven: Any) -> None:
    """With the name that is nearest."""
    with pytest.raises(SeqgenError, match="w/onne"):
        woven("<!-- seqgen: spec w/onne -->\n")
