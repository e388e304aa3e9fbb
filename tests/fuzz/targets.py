"""What a fuzzer feeds with bytes: each target takes any, and raises only where seqgen has a mistake.

A mistake is a traceback, the code ``internal``, more than `SECONDS` of computing, or memory past the caller's limit.
"""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from unittest.mock import patch

from seqgen.auditing.page import page
from seqgen.auditing.report import as_json, table
from seqgen.auditing.verdicts import Auditor
from seqgen.build.artifacts import make
from seqgen.decks.weave import Shelf, weave
from seqgen.errors import SeqgenError, SpecErrors
from seqgen.ledger.disk import ledgers
from seqgen.ledger.document import dump, parse
from seqgen.microscope import Microscope, open_microscope
from seqgen.project import Project
from seqgen.readings import forms
from seqgen.reports import show
from seqgen.reports.edit import edit, told
from seqgen.rules.table import ROWS, Subject

SECONDS = 10.0
# Small limits, so that what reaches one does so soon; the defaults differ in nothing else.
SETTINGS = "[tool.seqgen]\nsize_limit = 3000\nprecision_limit = 512\n"
SPEC = """
title: A cell
given:
  x: {role: input, shape: [T], value: [0.5, -2]}
  W: {role: parameter, shape: [H, T], value: [[1, 0.25], [-1/3, 2]]}
  h[-1]: {role: initial, value: [0, 0]}
steps: |
  def double(a):
      b = 2 * a
      return b
  for t in range(T):
      h[t] = tanh(x @ W.T + h[t-1])
  y = double(h[1])
  L = sum(softmax(y)**2)
gradients: {L: [x, W]}
tables: {h: {rows: t = 0..T-1, columns: {"$t$": t, "$h_t$": "h[t]", g: "grad(L, x)"}}}
worked: {all: ["h[0]", y, L]}
"""
DECK_KINDS = ("md", "tex", "html", "txt", "ipynb", "qmd")


class TooSlow(Exception):
    """An input that is still being worked on after its time."""


@contextmanager
def limited(seconds: float = SECONDS) -> Iterator[None]:
    """Raise `TooSlow` where what is inside computes for more than ``seconds``."""

    def stop(*_: object) -> None:
        raise TooSlow(f"this still computes after {seconds} s")

    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


@contextmanager
def mistakes_told() -> Iterator[None]:
    """Let a user's mistake pass once it is written out, and raise where it is one of seqgen's own."""
    try:
        yield
    except SeqgenError as problem:
        several = problem.errors if isinstance(problem, SpecErrors) else (problem,)
        for one in several:
            if one.code in ("internal", "readings-differ"):
                raise (one.__cause__ or one) from None
        text = problem.render()
        if len(text) > 1_000_000 or "Traceback" in text:
            raise AssertionError("this is no message") from None


@cache
def course() -> Project:
    """Return a built project in a temporary folder that lasts as long as the process."""
    folder = tempfile.TemporaryDirectory()
    root = Path(folder.name)
    course.folder = folder  # type: ignore[attr-defined]
    for name in ("specs", "slides", "ledgers"):
        (root / name).mkdir()
    (root / "pyproject.toml").write_text(SETTINGS)
    (root / "specs/cell.yaml").write_text(SPEC)
    artifacts = make(Project(root), "cell")
    (root / "ledgers/cell.json").write_text(dump(artifacts.ledger))
    course.artifacts = artifacts  # type: ignore[attr-defined]
    return Project(root)


def spec(data: bytes) -> None:
    """Take bytes as a spec, and compute all that a build would write."""
    root = course().root
    (root / "specs/example.yaml").write_bytes(data)
    forms._known.clear()
    with limited(), mistakes_told():
        make(Project(root), "example")


def steps(data: bytes) -> None:
    """Take text as the steps of a spec whose given values are there already."""
    text = data.decode("utf-8", "replace")
    lines = "".join(f"  {line}\n" for line in text.split("\n"))
    given = "title: t\ngiven: {x: {value: [0.5, -2]}, W: {value: [[1, 0.25], [-1/3, 2]]}, n: {value: 3}}\n"
    spec(f"{given}steps: |\n  s = 1\n{lines}".encode())


_opened: list[Microscope] = []


def _open_once(project: Project, name: str) -> Microscope:
    """Return a microscope that was opened before, as long as it has room for more."""
    if not _opened or _opened[0].budget.spent > 1500:
        _opened[:] = [open_microscope(project, name)]
    return _opened[0]


def reference(data: bytes) -> None:
    """Take text as what a user asks `show` for; the spec is read once for many questions."""
    text = data.decode("utf-8", "replace")
    with patch.object(show, "open_microscope", _open_once):
        for ask in (show.describe, show.describe_printed):
            with limited(), mistakes_told():
                list(ask(course(), "cell", text))


@cache
def auditor() -> Auditor:
    """Return an auditor with the course's ledger."""
    return Auditor(ledgers(course()), decimal_comma=False, ties="half-even")


class Tags(HTMLParser):
    """Notes the elements of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        """Note an element and the names of its attributes."""
        self.found |= {tag, *(f"{tag} {name}" for name, _ in attrs)}


OWN_TAGS = {
    *("html", "html lang", "head", "meta", "meta charset", "title", "style", "body", "h1", "h2", "p", "pre"),
    *("span", "span class", "mark", "mark class", "mark title"),
}


def deck(data: bytes) -> None:
    """Take bytes as a deck: weave it, audit it, and put it on a page; the first byte chooses its kind."""
    project, kind = course(), DECK_KINDS[(data[0] if data else 0) % len(DECK_KINDS)]
    path = project.root / f"slides/deck.{kind}"
    path.write_bytes(data[1:])
    if kind in ("md", "tex"):
        with limited(), mistakes_told():
            weave(project, f"slides/deck.{kind}", Shelf(project=project))
    with limited(), mistakes_told():
        found = [auditor().audit(path, f"deck.{kind}")]
        list(table(found, everything=True))
        as_json(found)
        tags = Tags()
        tags.feed(page(found))
        assert tags.found <= OWN_TAGS, tags.found - OWN_TAGS
    path.unlink()


def ledger(data: bytes) -> None:
    """Take bytes as the ledger on disk: read it, compare it with the spec, and audit a deck by it."""
    project = course()
    path = project.root / "ledgers/cell.json"
    before = path.read_bytes()
    path.write_bytes(data)
    example = project.root / "slides/deck.md"
    example.write_text("The loss is $L = 0.5001$, and $h_1 = (0.4621, -0.9993)$.")
    try:
        with suppress(ValueError), limited():
            dump(parse(data.decode("utf-8")))
        with limited(), mistakes_told():
            page([Auditor(ledgers(project), decimal_comma=False, ties="half-even").audit(example, "deck.md")])
        subject = Subject(project, "cell", course.artifacts)  # type: ignore[attr-defined]
        for row in ROWS:
            with limited(), mistakes_told():
                list(row.found(subject))
        with limited(), mistakes_told():
            list(told(edit(project, "cell")))
    finally:
        path.write_bytes(before)
        example.unlink()


TARGETS: dict[str, Callable[[bytes], None]] = {
    "spec": spec,
    "steps": steps,
    "reference": reference,
    "deck": deck,
    "ledger": ledger,
}
