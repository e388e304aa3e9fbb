"""The contract of a medium, such as LaTeX or Markdown: which files are its own, and the pages of a spec.

A new medium is one module in this package that defines ``MEDIUM``, an object as `Medium` describes it; there is no
list to extend. One that is made of templates is a `seqgen.writers.templated.Templated` with its templates in
``templates/NAME/``; any other yields pages, texts or bytes, from the `Content` that it is given.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Protocol

from seqgen import writers
from seqgen.assertions.outcome import Outcome
from seqgen.files import Content as FileContent
from seqgen.microscope import Microscope
from seqgen.pages.comparisons import comparisons
from seqgen.pages.conventions import side_by_side
from seqgen.pages.views import SpecView, TableView, ValueView, Views, WorkedView


@dataclass(frozen=True, kw_only=True)
class Page:
    """A file below ``build/``: its path from the project's root, and all that it holds."""

    path: str
    content: FileContent


@dataclass(frozen=True, kw_only=True)
class Content:
    """What a medium is given of one spec: its views, ready to be filled in, and what they are made from.

    ``checks`` is the table of its comparisons, if it declares some; ``conventions`` are tables of
    those that it must tell apart. ``used`` collects the hashes of the files that
    pages depend on besides the spec, such as templates, by path.
    """

    microscope: Microscope
    outcomes: Sequence[Outcome]
    spec: SpecView
    tables: Sequence[TableView]
    worked: Sequence[WorkedView]
    values: Sequence[ValueView]
    checks: TableView | None
    conventions: Sequence[TableView] = ()
    used: dict[str, str] = field(default_factory=dict)


class Medium(Protocol):
    """A form in which pages are written."""

    @property
    def name(self) -> str:
        """The name of its folder below ``build/``."""

    @property
    def patterns(self) -> Sequence[str]:
        """Which files in that folder are its own, such as ``*.tex``: what no spec makes among them is an orphan."""

    def pages(self, content: Content) -> Iterator[Page]:
        """Yield the pages of a spec.

        Raises:
            SeqgenError: where a page can't be made.
        """


@cache
def media() -> Mapping[str, Medium]:
    """Return all media by name."""
    modules = [import_module(f"{writers.__name__}.{module.name}") for module in pkgutil.iter_modules(writers.__path__)]
    found: list[Medium] = [module.MEDIUM for module in modules if hasattr(module, "MEDIUM")]
    return {medium.name: medium for medium in found}


def content_of(microscope: Microscope, outcomes: Sequence[Outcome] = ()) -> Content:
    """Return what media are given of ``microscope``; ``outcomes`` are those of its checks.

    Raises:
        SeqgenError: where a table or a derivation is wrong.
    """
    views, spec = Views(microscope=microscope), microscope.spec
    return Content(
        microscope=microscope,
        outcomes=outcomes,
        spec=SpecView(title=spec.title, about=spec.about, source=spec.source),
        tables=list(views.tables()),
        worked=list(views.worked()),
        values=list(views.values()),
        checks=comparisons(outcomes, views.formulas),
        conventions=list(side_by_side(microscope)),
    )
