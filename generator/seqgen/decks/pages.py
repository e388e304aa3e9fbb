r"""A whole table or derivation in a deck: ``\seq{week06/rnn-trace: table trace}``."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from seqgen.decks.citation import Citation
from seqgen.decks.marks import DeckText, Mark, Setting
from seqgen.decks.pageoptions import PageOptions
from seqgen.decks.printout import Printout
from seqgen.errors import SpecError, nearest
from seqgen.ledger.display import Printed
from seqgen.microscope import Microscope
from seqgen.pages.environment import outside_math
from seqgen.pages.views import Cell, Line, TableView, Views, WorkedView
from seqgen.shown import model
from seqgen.shown.model import Shown
from seqgen.shown.sheet import element_places
from seqgen.typeset.numbers import number
from seqgen.writers.latex import MEDIUM as LATEX
from seqgen.writers.latex import escape_tex
from seqgen.writers.markdown import MEDIUM as MARKDOWN
from seqgen.writers.markdown import escape_markdown

ROW_END = " \\\\\n& "
# What a Markdown parser would take for an escape, before an engine for math reads it, and its spelling in letters.
ESCAPES = {
    r"\\": r"\cr ", r"\,": r"\thinspace ", r"\;": r"\thickspace ", r"\:": r"\medspace ", r"\!": r"\negthinspace ",
    r"\{": r"\lbrace ", r"\}": r"\rbrace ", r"\|": r"\Vert ", r"\_": r"\text{\textunderscore}",
}  # fmt: skip


def print_page(microscope: Microscope, citation: Citation) -> Printout:
    """Return the printout of a cited page, for LaTeX and for Markdown.

    Raises:
        SpecError: where there is no such page, or its options do not go with it.
    """
    options = citation.page
    assert options is not None
    kind, name = citation.reference.text.split()
    views = Views(microscope=microscope, digits=options.digits)
    chosen = _Chosen(microscope, citation, options)
    if kind == "table":
        table = chosen.table(views.model.table(chosen.declared(microscope.spec.tables, kind, name)))
        shown: list[Shown] = table.values
        latex: Any = _latex_table(views.table(table), options)
        markdown: Any = _fitting_table(views.table(table), options)
    else:
        derivation = chosen.derivation(views.model.derivation(chosen.declared(microscope.spec.worked, kind, name)))
        shown = [line.result for line in derivation.lines]
        view = views.derivation(derivation)
        latex, markdown = _latex_worked(view, options), _markdown_worked(view, options)
    used: dict[str, str] = {}
    tex = _rendered(LATEX, microscope, kind, latex, used)
    if kind == "table" and options.caption:
        tex = rf"{{\small {outside_math(escape_tex)(table.table.caption or name)}\par\smallskip}}" + tex
    text = markdown if isinstance(markdown, str) else _rendered(MARKDOWN, microscope, kind, markdown, used)
    if kind == "table" and options.caption:
        text = f"*{outside_math(escape_markdown)(table.table.caption or name)}*\n\n{text}"
    proven = all(one.proven for one in shown)
    return Printout(math=tex, plain=text.strip("\n"), simple=False, page=True, proven=proven, used=used)


def own_line(deck: DeckText, mark: Mark) -> bool:
    """Whether a citation stands alone between blank lines, where Markdown begins a table or displayed math."""
    if mark.setting is Setting.TEX:
        return True
    before, after = deck.text[: mark.start], deck.text[mark.end :]
    lines = [before.rpartition("\n")[2], after.partition("\n")[0]]
    lines += [before.rpartition("\n")[0].rpartition("\n")[2], after.partition("\n")[2].partition("\n")[0]]
    return mark.setting is Setting.TEXT and not any(line.strip() for line in lines)


def page_in_line(deck: DeckText, mark: Mark) -> SpecError:
    """Return the error of a page that does not stand alone between blank lines."""
    return SpecError(
        "a table or a derivation must stand alone between blank lines",
        code="citation",
        span=deck.span(mark.start, mark.end - mark.start),
        hint="Markdown begins a table, and displayed math, with a paragraph of its own",
    )


class _Chosen:
    """The parts of a page that a citation asks for, with the value that it points out."""

    def __init__(self, microscope: Microscope, citation: Citation, options: PageOptions) -> None:
        self.microscope, self.citation, self.options = microscope, citation, options
        self.highlighted: tuple[Any, set[int]] | None = None
        if options.highlight:
            base, places = element_places(microscope, microscope.node(options.highlight))
            self.highlighted = base, set(places.flat)

    def declared(self, known: Any, kind: str, name: str) -> Any:
        """Return a declared table or derivation.

        Raises:
            SpecError: where there is none.
        """
        if name in known:
            return known[name]
        what = "table" if kind == "table" else "derivation"
        raise SpecError(
            f"'{self.microscope.spec.name}' has no {what} '{name}'",
            code="unknown-name",
            span=self.citation.reference.span,
            expected=", ".join(known) or f"a spec with a {what}",
            hint=nearest(name, known),
        )

    def table(self, whole: model.TableModel) -> model.TableModel:
        """Return the rows and columns that are asked for."""
        columns = self._of(whole.table.columns, self.options.columns, "column")
        rows = self._of(whole.rows, self.options.rows, "row")
        cells = [
            (positions, tuple(self._pointed_out(cell) for cell in self._of(line, self.options.columns, "column")))
            for positions, line in rows
        ]
        return model.TableModel(table=replace(whole.table, columns=tuple(columns)), rows=tuple(cells))

    def derivation(self, whole: model.Derivation) -> model.Derivation:
        """Return the lines that are asked for."""
        if self.options.columns or self.options.empty or self.options.booktabs or self.options.caption:
            raise SpecError(
                "columns, booktabs and caption are options of a table", code="option", span=self.citation.span
            )
        lines = self._of(whole.lines, self.options.rows, "line")
        pointed = (replace(line, result=self._pointed_out(line.result)) for line in lines)
        return replace(whole, lines=tuple(pointed))

    def _of(self, parts: Sequence[Any], places: tuple[int, ...], what: str) -> list[Any]:
        if any(place > len(parts) for place in places):
            raise SpecError(
                f"there is no {what} {max(places)}",
                code="option",
                span=self.citation.span,
                expected=f"1 to {len(parts)}",
            )
        return [parts[place - 1] for place in places] if places else list(parts)

    def _pointed_out(self, cell: model.Cell) -> model.Cell:
        if self.highlighted is None or isinstance(cell, str):
            return cell
        base, places = element_places(self.microscope, cell.node)
        if base is not self.highlighted[0] or base is None:
            return cell
        printed = cell.printed.copy()
        for place in np.ndindex(*printed.shape):
            if int(places[place]) in self.highlighted[1]:
                one: Printed = printed.item(*place)
                printed[place] = replace(one, latex=rf"\seqhighlight{{{number(one).text}}}")
        return replace(cell, printed=printed)


def _rendered(medium: Any, microscope: Microscope, kind: str, view: Any, used: dict[str, str]) -> str:
    templates = medium.templates(microscope.project)
    text: str = templates.render(kind, **{kind: view})
    used.update(templates.used)
    return text


def _is_blank(cell: Cell, column: int, options: PageOptions, computed: bool) -> bool:
    return column in options.empty or (options.blank and computed)


def _latex_table(view: TableView, options: PageOptions) -> TableView:
    """Return a table with its blanks and its steps in the spelling of LaTeX."""

    def cell(one: Cell, row: int, column: int) -> Cell:
        math = one.math or rf"\text{{{escape_tex(one.text)}}}"
        blank = _is_blank(one, column, options, column > 1)
        if not blank and not options.steps:
            return one
        math = rf"\phantom{{{math}}}" if blank else math
        return replace(one, math=rf"\seqstep{{{options.steps + row}}}{{{math}}}" if options.steps else math)

    rows = [tuple(cell(one, r, c) for c, one in enumerate(line, 1)) for r, line in enumerate(view.rows)]
    return replace(view, rows=tuple(rows), booktabs=options.booktabs)


def _fitting_table(view: TableView, options: PageOptions) -> TableView | str:
    """Return a table for Markdown; one that is revealed is written in HTML, whose rows can be fragments."""

    def cell(one: Cell, column: int) -> Cell:
        math = in_markdown(one.math)
        if _is_blank(one, column, options, column > 1):
            words = rf"\text{{{one.text}}}"
            math = rf"\phantom{{{math or words}}}"
        return replace(one, math=math)

    view = replace(view, rows=tuple(tuple(cell(one, c) for c, one in enumerate(line, 1)) for line in view.rows))
    if not options.steps:
        return view
    plain = outside_math(html.escape)
    lines = ["<table>", f"<tr>{''.join(f'<th>{plain(heading)}</th>' for heading in view.headings)}</tr>"]
    for line in view.rows:
        cells = (f"<td>{f'${one.math}$' if one.math else html.escape(one.text)}</td>" for one in line)
        lines.append(f'<tr class="fragment" v-click>{"".join(cells)}</tr>')
    return "\n".join([*lines, "</table>"])


def _latex_worked(view: WorkedView, options: PageOptions) -> WorkedView:
    """Return a derivation with its blanks and its steps in the spelling of LaTeX."""

    def line(one: Line, index: int) -> Line:
        steps = list(one.steps)
        if options.blank:
            relation, result = steps[-1]
            steps[-1] = relation, ROW_END.join(rf"\phantom{{{part}}}" for part in result.split(ROW_END))
        if not options.steps:
            return replace(one, steps=tuple(steps))
        begin = rf"\seqstep{{{options.steps + index}}}"
        revealed = [
            (rf"\mathrel{{{begin}{{{relation}}}}}", ROW_END.join(f"{begin}{{{part}}}" for part in math.split(ROW_END)))
            for relation, math in steps
        ]
        return replace(one, left=f"{begin}{{{one.left}}}", steps=tuple(revealed))

    return replace(view, lines=tuple(line(one, index) for index, one in enumerate(view.lines)))


def _markdown_worked(view: WorkedView, options: PageOptions) -> WorkedView | str:
    """Return a derivation as displayed math; one that is revealed is a fragment a line."""
    parts = []
    for line in view.lines:
        steps = list(line.steps)
        if options.blank:
            steps[-1] = steps[-1][0], rf"\phantom{{{steps[-1][1].replace(ROW_END, '')}}}"
        between = ROW_END if line.broken else " "
        parts.append(f"{line.left} &" + between.join(f"{relation} {math}" for relation, math in steps))
    texts = parts if options.steps else [" \\\\\n".join(parts)]
    aligned = ("\\begin{aligned}\n" + text + "\n\\end{aligned}" for text in texts)
    blocks = [f"$$\n{in_markdown(math)}\n$$" for math in aligned]
    if options.steps:
        blocks = [f'<div class="fragment" v-click>\n\n{block}\n\n</div>' for block in blocks]
    notes = [outside_math(escape_markdown)(view.footnote)] if view.footnote else []
    return "\n\n".join([*blocks, *notes])


def in_markdown(math: str) -> str:
    """Return math as every Markdown parser leaves it: without a backslash before a sign, and with KaTeX's own box."""
    found, at = [], 0
    math = math.replace(r"\seqhighlight", r"\boxed")
    while at < len(math):
        pair = math[at : at + 2]
        found.append(ESCAPES.get(pair, pair if pair[0] == "\\" else pair[0]))
        at += 2 if pair[0] == "\\" else 1
    return re.sub(r" +(\n|$)", r"\1", re.sub(" {2,}", " ", "".join(found)))
