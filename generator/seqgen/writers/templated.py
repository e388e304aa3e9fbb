"""Media that are made of templates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from seqgen.files import header
from seqgen.pages.comparisons import NAME as CHECKS
from seqgen.pages.environment import Templates
from seqgen.project import Project
from seqgen.readings.names import tex_name
from seqgen.writers.medium import Content, Page


@dataclass(frozen=True, kw_only=True)
class Templated:
    """A medium of one text file a page, each filled into the template of its kind in ``templates/NAME/``.

    ``comment`` has what stands before and after a comment, ``escape`` makes any text plain, ``code`` sets it as code,
    ``delimiters`` are those of the templates, where they are not Jinja's own, ``kinds`` the kinds of pages.
    """

    name: str
    suffix: str
    comment: tuple[str, str]
    escape: Callable[[str], str]
    code: Callable[[str], str]
    delimiters: Mapping[str, str] = field(default_factory=dict)
    kinds: tuple[str, ...] = ("table", "worked", "checks", "conventions", "values", "ledger")

    @property
    def patterns(self) -> tuple[str, ...]:
        """Every file with the medium's ending."""
        return (f"*.{self.suffix}",)

    def templates(self, project: Project) -> Templates:
        """Return the medium's templates, a course's own first."""
        filters = {"escape": self.escape, "code": self.code}
        return Templates(project, self.name, self.suffix, **filters, delimiters=self.delimiters)

    def pages(self, content: Content) -> Iterator[Page]:
        """Yield the pages of a spec.

        Raises:
            SpecError: where a template is missing or wrong.
        """
        templates = self.templates(content.microscope.project)
        name = content.microscope.spec.name
        for page, template, given in self._filled(content):
            text = self.stamped(f"specs/{name}.yaml", f"seqgen build {name}", templates.render(template, **given))
            yield Page(path=f"build/{self.name}/{name}/{page}.{self.suffix}", content=text)
        content.used.update(templates.used)

    def _filled(self, content: Content) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Yield each page's name, its template, and what that is given."""
        spec, tables, values = content.spec, content.tables, content.values
        if "table" in self.kinds:
            yield from ((f"table-{table.name}", "table", {"table": table}) for table in tables)
        if "worked" in self.kinds:
            yield from ((f"worked-{worked.name}", "worked", {"worked": worked}) for worked in content.worked)
        if "checks" in self.kinds and content.checks:
            yield CHECKS, "table", {"table": content.checks}
        if "conventions" in self.kinds:
            yield from ((table.name, "table", {"table": table}) for table in content.conventions)
        if "values" in self.kinds:
            yield "values", "values", {"spec": spec, "values": values}
        if "ledger" in self.kinds:
            sizes = sorted(content.microscope.graph.dims.items())
            dims = {tex_name(name, content.microscope.spec.tex).text: size for name, size in sizes}
            yield "ledger", "ledger", {"spec": spec, "values": values, "tables": tables, "dims": dims}

    def stamped(self, source: str, command: str, body: str) -> str:
        """Return ``body`` below a header that names its source, and holds a digest of it."""
        start, end = self.comment
        return f"{start}{header(source, command, body)}{end}\n{body}"
