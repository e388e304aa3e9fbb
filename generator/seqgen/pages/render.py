"""All pages of a microscope, in every medium."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from seqgen.assertions.outcome import Outcome
from seqgen.files import header
from seqgen.microscope import Microscope
from seqgen.pages.comparisons import NAME, comparisons
from seqgen.pages.environment import MEDIA, Templates
from seqgen.pages.views import SpecView, Views
from seqgen.readings.names import tex_name


@dataclass(frozen=True, kw_only=True)
class Page:
    """A file below ``build/``: its path from the project's root, and its whole text."""

    path: str
    text: str


def pages(microscope: Microscope, templates: dict[str, Templates], outcomes: Sequence[Outcome] = ()) -> Iterator[Page]:
    """Yield the pages of ``microscope`` in the order LaTeX, Markdown; ``outcomes`` are those of its checks.

    Raises:
        SeqgenError: where a table, a derivation or a template is wrong.
    """
    views = Views(microscope=microscope)
    tables, worked, values = list(views.tables()), list(views.worked()), list(views.values())
    spec = SpecView(title=microscope.spec.title, about=microscope.spec.about, source=microscope.spec.source)
    checks = comparisons(outcomes, views.formulas)
    for medium, engine in templates.items():
        for table in tables:
            yield _page(microscope, medium, f"table-{table.name}", engine.render("table", table=table))
        for derivation in worked:
            yield _page(microscope, medium, f"worked-{derivation.name}", engine.render("worked", worked=derivation))
        if checks:
            yield _page(microscope, medium, NAME, engine.render("table", table=checks))
        yield _page(microscope, medium, "values", engine.render("values", spec=spec, values=values))
        listing = engine.render(
            "ledger",
            spec=spec,
            values=values,
            tables=tables,
            dims={tex_name(n, microscope.spec.tex).text: size for n, size in sorted(microscope.graph.dims.items())},
        )
        yield _page(microscope, medium, "ledger", listing)


def all_templates(microscope: Microscope) -> dict[str, Templates]:
    """Return a fresh set of templates, one engine a medium."""
    return {medium: Templates(microscope.project, medium) for medium in MEDIA}


def _page(microscope: Microscope, medium: str, name: str, body: str) -> Page:
    spec = microscope.spec.name
    text = stamp(medium, f"specs/{spec}.yaml", f"seqgen build {spec}", body)
    return Page(path=f"build/{medium}/{spec}/{name}.{MEDIA[medium]['suffix']}", text=text)


def stamp(medium: str, source: str, command: str, body: str) -> str:
    """Return ``body`` under a line that says where it comes from, and holds a digest of it."""
    start, end = MEDIA[medium]["comment"]
    return f"{start}{header(source, command, body)}{end}\n{body}"
