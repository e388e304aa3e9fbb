"""A medium declares its files: nothing else knows which media there are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seqgen import writers
from seqgen.build import build
from seqgen.project import Project
from seqgen.rules.review import review
from seqgen.writers.medium import media

SPEC = """\
title: Two numbers
given: {a: {shape: [2], value: [1, 2.5]}}
steps: "b = a / 3"
tables: {t: {rows: i = 0..1, columns: {"$i$": i, "$b_i$": "b[i]"}}}
"""
TEXT = """
from seqgen.writers.templated import Templated

MEDIUM = Templated(name="text", suffix="txt", comment=("# ", ""), escape=str, code=str, kinds=("table",))
"""
TEMPLATE = """\
{% for row in table.rows %}
{% for cell in row %}{{ cell.plain }}{% if not loop.last %}\t{% endif %}{% endfor %}

{% endfor %}
"""
BINARY = """
from seqgen.writers.medium import Page


class Raw:
    name, patterns = "raw", ("*.bin",)

    def pages(self, content):
        yield Page(path=f"build/raw/{content.microscope.spec.name}.bin", content=bytes([0, 255, len(content.values)]))


MEDIUM = Raw()
"""


@pytest.fixture
def course(tmp_path: Path, project: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """Return a built project, beside two media that are a module each, one with a template."""
    made: Project = project(SPEC)
    for name, text in (("toy_text", TEXT), ("toy_raw", BINARY)):
        (tmp_path / f"{name}.py").write_text(text)
    template = made.root / "templates/text/table.txt.j2"
    template.parent.mkdir(parents=True)
    template.write_text(TEMPLATE)
    monkeypatch.setattr(writers, "__path__", [*writers.__path__, str(tmp_path)])
    media.cache_clear()
    assert not build(made).errors
    yield made
    media.cache_clear()


def found(project: Project) -> list[tuple[str, str]]:
    """Return rule and file of each finding that is not a warning."""
    return [(finding.rule, finding.file) for finding in review(project).failures]


def test_a_medium_of_plain_text_is_a_module_and_its_templates(course: Project) -> None:
    """Its pages are built: numbers without markup, 1/3 and 2.5/3 to four decimals, below a header."""
    text = (course.root / "build/text/example/table-t.txt").read_text()
    header, *rows = text.splitlines()
    assert header.startswith("# made by seqgen from specs/example.yaml")
    assert rows == ["0\t0.3333", "1\t0.8333"]


def test_a_medium_may_write_bytes(course: Project) -> None:
    """They are written as they are."""
    assert (course.root / "build/raw/example.bin").read_bytes() == bytes([0, 255, 2])


def test_pages_of_any_medium_are_compared(course: Project) -> None:
    """As they were written they are in order; changed ones are found, texts and bytes alike."""
    assert found(course) == []
    (course.root / "build/text/example/table-t.txt").write_text("# nothing\n")
    (course.root / "build/raw/example.bin").write_bytes(b"\0")
    assert found(course) == [
        ("edited-page", "build/raw/example.bin"),
        ("edited-page", "build/text/example/table-t.txt"),
    ]


def test_an_orphan_of_any_medium_is_found(course: Project) -> None:
    """A file that a medium declares as its own and no spec makes; other files in its folder are not seqgen's."""
    for name in ("text/old.txt", "text/notes.md", "raw/old.bin"):
        (course.root / "build" / name).write_text("")
    assert found(course) == [("orphan", "build/raw/old.bin"), ("orphan", "build/text/old.txt")]


def test_a_page_goes_with_its_spec(course: Project) -> None:
    """A build removes what was made from a spec that is gone, in every medium."""
    (course.root / "specs/example.yaml").unlink()
    build(course)
    assert not list((course.root / "build/raw").rglob("*.bin")) + list((course.root / "build/text").rglob("*.txt"))
