"""A spec, computed: values of any expression, tables and derivations that a notebook shows, and what check finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

from seqgen.api.reporting import reporting
from seqgen.build.artifacts import Artifacts, make
from seqgen.errors import Source, Span, SpecError, nearest
from seqgen.findings import Finding
from seqgen.ledger.record import nested, numbers
from seqgen.ledger.values import Ledger, Numbers
from seqgen.microscope import Microscope
from seqgen.pages.views import TableView, Views, WorkedView
from seqgen.project import Project
from seqgen.readings.formula import Formulas
from seqgen.rules.review import Review, review_spec
from seqgen.rules.table import ROWS, severities
from seqgen.shown.model import Model, Shown, is_exact
from seqgen.spec.model import Display
from seqgen.typeset.numbers import array, plain
from seqgen.writers import latex, markdown


class Example:
    """A spec, computed in memory.

    ``example["h[1]"]`` is the value of any reference or expression of the language, ``example.ledger`` its ledger.
    """

    def __init__(self, project: Project, name: str, artifacts: Artifacts, *, on_disk: bool) -> None:
        self.name = name
        self._project, self._artifacts, self._on_disk = project, artifacts, on_disk
        self._microscope: Microscope = artifacts.microscope

    @classmethod
    def of(cls, project: Project, name: str, *, on_disk: bool = True) -> Example:
        """Return spec ``name`` of ``project``, computed.

        Raises:
            SeqgenError: with all errors of the spec.
        """
        return cls(project, name, make(project, name), on_disk=on_disk)

    def __repr__(self) -> str:
        return f"<{self.name}, computed: {len(self.ledger)} entries>"

    @cached_property
    def ledger(self) -> Ledger:
        """The ledger that a build would write."""
        return Ledger(self._artifacts.ledger)

    @reporting
    def __getitem__(self, expression: str) -> Computed:
        """Return the value of a reference or of any expression of the language over the spec's names.

        Raises:
            SpecError: where the expression is wrong, at its column.
        """
        node = self._microscope.node_of(expression)
        return Computed(expression, Model(microscope=self._microscope).shown(node))

    @reporting
    def grad(self, of: str, to: str) -> Computed:
        """Return the gradient of ``of`` with respect to ``to``, whether the spec declares it or not.

        Raises:
            SpecError: where ``of`` is no scalar, or does not depend on ``to``.
        """
        return self[f"grad({of}, {to})"]

    @reporting
    def table(self, name: str) -> Rendered:
        """Return a declared table, as a notebook shows it.

        Raises:
            SpecError: where the spec declares no such table.
        """
        found = {view.name: view for view in Views(microscope=self._microscope).tables()}
        return Rendered(self._project, "table", self._pick(name, found, "table"))

    @reporting
    def worked(self, name: str) -> Rendered:
        """Return a declared derivation, as a notebook shows it.

        Raises:
            SpecError: where the spec declares no such derivation.
        """
        found = {view.name: view for view in Views(microscope=self._microscope).worked()}
        return Rendered(self._project, "worked", self._pick(name, found, "derivation"))

    @reporting
    def check(self) -> Sequence[Finding]:
        """Return what `seqgen check` finds in this spec; of a spec that is on no disk, nothing about files.

        Raises:
            SeqgenError: where a check can't be run.
        """
        force, result = severities(self._project), Review()
        rows = [row for row in ROWS if row.name in force and (self._on_disk or not row.of_files)]
        review_spec(self._project, self.name, result, rows, force)
        return result.findings

    def _pick(self, name: str, found: Mapping[str, Any], what: str) -> Any:
        if name not in found:
            span = Span(source=Source(name="reference", text=name), line=1, column=1, width=len(name))
            message = f"{self.name} declares no {what} '{name}'"
            raise SpecError(message, code="unknown-name", span=span, hint=nearest(name, found))
        return found[name]


@dataclass(frozen=True)
class Computed:
    """The value of an expression: its numbers, digits, closed forms and formula."""

    reference: str
    _shown: Shown

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of its axes, none for a number."""
        return self._shown.node.shape

    @property
    def value(self) -> Numbers:
        """The float64 nearest to the true value, or nested lists of them in ``shape``."""
        return self._shown.values.tolist()

    @property
    def shown(self) -> Any:
        """The digits as pages print them, in ``shape``."""
        return nested(self._shown.printed, lambda number: number.text)

    @property
    def relation(self) -> str:
        """``=`` where all printed numbers are the value itself, else ``≈``."""
        return "=" if self._shown.exact else "≈"

    @property
    def proven(self) -> bool:
        """Whether the value and its printed digits are proven."""
        return self._shown.proven and self._microscope.prover.reals(self._shown.node).proven

    @property
    def exact(self) -> Any:
        """The closed forms as text, in ``shape``; ``None`` where there is none that is short."""
        return nested(self._microscope.prover.short_forms(self._shown.node), lambda form: form)

    @property
    def formula(self) -> str:
        """How it is made of named values, in the language of specs."""
        return Formulas(names=self._microscope.graph.names, latex=False).definition(self._shown.node)

    @property
    def contributions(self) -> Mapping[str, Numbers]:
        """Of a gradient that the spec declares, what each use adds to it, by the name of what uses it."""
        for gradient in self._microscope.gradients:
            if gradient.entry.node is self._shown.node:
                reals = {via: self._microscope.prover.reals(node) for via, node in gradient.contributions}
                return {via: numbers(found) for via, found in reals.items()}
        return {}

    @property
    def _microscope(self) -> Microscope:
        return self._shown.microscope

    def printed(self, *, digits: int = 4, form: str = "decimals") -> Any:
        """Return its proven digits, a text or nested lists in ``shape``.

        ``form`` is ``decimals``, ``significant``, ``scientific``, ``as-written`` or ``exact``; ``digits`` how many.
        """
        printed = self._microscope.prover.printed(self._shown.node, Display(form=form, digits=digits))
        return nested(printed, lambda number: number.text)

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        return f"{self.reference} {self.relation} {plain(self._shown.printed)}"

    def _repr_latex_(self) -> str:
        sign = "=" if is_exact(self._shown.printed) else r"\approx"
        names, tex = self._microscope.graph.names, self._microscope.spec.tex
        name = Formulas(names=names, tex=tex).write(self._shown.node)
        return rf"$\displaystyle {name} {sign} {array(self._shown.printed).text}$"


@dataclass(frozen=True)
class Rendered:
    """A table or a derivation, in the forms that a notebook shows: HTML, Markdown, LaTeX, or plain text."""

    _project: Project
    kind: str
    view: TableView | WorkedView

    def __str__(self) -> str:
        return self._repr_markdown_()

    def _repr_latex_(self) -> str:
        return latex.MEDIUM.templates(self._project).render(self.kind, **{self.kind: self.view})

    def _repr_markdown_(self) -> str:
        return markdown.MEDIUM.templates(self._project).render(self.kind, **{self.kind: self.view})

    def _repr_html_(self) -> str | None:
        """Return a table in HTML, its math for MathJax; ``None`` for a derivation, whose Markdown a notebook shows."""
        if not isinstance(self.view, TableView):
            return None
        rows = [[f"${cell.math}$" if cell.math else cell.text for cell in row] for row in self.view.rows]
        aligned = ["right" if letter == "r" else "left" for letter in self.view.alignments]
        head = _row(self.view.headings, aligned, "th")
        body = "".join(_row(row, aligned, "td") for row in rows)
        caption = f"<caption>{escape(self.view.caption)}</caption>" if self.view.caption else ""
        return f"<table>{caption}<thead>{head}</thead><tbody>{body}</tbody></table>"


def _row(cells: Sequence[str], aligned: Sequence[str], tag: str) -> str:
    made = (
        f'<{tag} style="text-align: {side}">{escape(cell)}</{tag}>' for cell, side in zip(cells, aligned, strict=True)
    )
    return f"<tr>{''.join(made)}</tr>"
