"""What the templates are given: tables, derivations, values and the listing, as ready pieces of math."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from seqgen.graph.node import Node
from seqgen.graph.phrase import Phrase
from seqgen.language.bindings import Entry
from seqgen.microscope import Microscope
from seqgen.readings.formula import Formulas
from seqgen.readings.names import escape_text, tex_name
from seqgen.shown.consistency import adds_up
from seqgen.shown.model import Cell as ShownCell
from seqgen.shown.model import Derivation, Model, Shown, TableModel
from seqgen.shown.model import Line as ShownLine
from seqgen.shown.sheet import Sheet, table_sheet, worked_sheet
from seqgen.spec.model import Display
from seqgen.typeset.numbers import array, plain
from seqgen.typeset.width import COLUMN_GAP, RELATION, SLIDE, broken, text_width, width

# LaTeX's sizes of type as parts of the text's own width; what is smaller can't be read from the last row.
SIZES = {"": 1.0, "small": 0.92, "footnotesize": 0.85, "scriptsize": 0.78}
SMALLEST = "scriptsize"
EXACT = Display(form="exact")
# So many digits wide a closed form may be, without a long integer, which is no shorter than the decimals.
LONGEST_FORM = 40
LONG_INTEGER = re.compile(r"[0-9]{4}")
ROUNDING = "Rounded after computing: last digits need not add up."
UNPROVEN = "Digits with a question mark are not proven; a question mark alone stands for a number that is not known."


@dataclass(frozen=True, kw_only=True)
class SpecView:
    """What a page says of its spec."""

    title: str
    about: str
    source: str


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A piece of math, or of text; ``is_number`` where it is a single number, ``plain`` without any markup."""

    math: str = ""
    text: str = ""
    plain: str = ""
    is_number: bool = False


@dataclass(frozen=True, kw_only=True)
class TableView:
    """A table: headings as the spec writes them, cells, and each column's alignment (``r`` or ``l``).

    ``size`` is the size of type at which a table too wide for a slide fits on one, as LaTeX names it. ``footnote``
    stands below where the spec asks for one and the printed numbers do not add up. ``booktabs`` asks for the rules of
    that package.
    """

    name: str
    caption: str
    headings: tuple[str, ...]
    alignments: str
    rows: tuple[tuple[Cell, ...], ...]
    size: str = ""
    footnote: str = ""
    booktabs: bool = False


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of a derivation: a left side, then relations with what they lead to.

    ``broken`` where it is too wide for one line of a slide, so that each relation begins a line of its own; what is
    still too wide then has line breaks within.
    """

    left: str
    steps: tuple[tuple[str, str], ...]
    broken: bool = False


@dataclass(frozen=True, kw_only=True)
class WorkedView:
    """A derivation."""

    name: str
    lines: tuple[Line, ...]
    footnote: str = ""


@dataclass(frozen=True, kw_only=True)
class ValueView:
    """An entry: its name and value as math, how the two are related, its formula, and what is known of it.

    ``plain`` is the value without any markup.
    """

    key: str
    role: str
    about: str
    name: str
    relation: str
    value: str
    plain: str
    formula: str
    shape: str
    exact: str
    proven: bool


@dataclass(kw_only=True)
class Views:
    """Makes the views of one microscope; ``digits`` replaces the number of digits of each display that has one."""

    microscope: Microscope
    digits: int | None = None
    model: Model = field(init=False)
    formulas: Formulas = field(init=False)

    def __post_init__(self) -> None:
        self.model = Model(microscope=self.microscope, digits=self.digits)
        self.formulas = Formulas(names=self.microscope.graph.names, tex=self.microscope.spec.tex)

    def tables(self) -> Iterator[TableView]:
        """Yield the declared tables.

        Raises:
            SeqgenError: where a value does not exist.
        """
        yield from (self.table(self.model.table(table)) for table in self.microscope.spec.tables.values())

    def worked(self) -> Iterator[WorkedView]:
        """Yield the declared derivations.

        Raises:
            SeqgenError: where a value does not exist.
        """
        yield from (self.derivation(self.model.derivation(worked)) for worked in self.microscope.spec.worked.values())

    def values(self) -> Iterator[ValueView]:
        """Yield all entries and gradients, in the ledger's order."""
        for value in self.model.values():
            entry, shown = value.entry, value.shown
            computed = entry.role in ("computed", "gradient")
            yield ValueView(
                key=entry.key,
                role=entry.role,
                about=entry.about,
                name=tex_name(entry.key, self.microscope.spec.tex).text,
                relation=_relation(shown),
                value=array(shown.printed).text,
                plain=plain(shown.printed),
                formula=self._formula(entry) if computed else "",
                shape=" × ".join(map(str, entry.node.shape)) or "scalar",
                exact="" if shown.exact else self._short_form(entry.node),
                proven=shown.proven,
            )

    def _short_form(self, node: Node) -> str:
        """Return a value's closed form as math, where every element has one and all are short."""
        prover = self.microscope.prover
        forms = [str(form or "") for form in prover.believed(node).flat]
        if not all(0 < len(form) <= LONGEST_FORM and not LONG_INTEGER.search(form) for form in forms):
            return ""
        text = array(prover.printed(node, EXACT)).text
        return text if width(text) <= LONGEST_FORM else ""

    def _formula(self, entry: Entry) -> str:
        return rf"\text{{{escape_text(entry.formula)}}}" if entry.formula else self.formulas.definition(entry.node)

    def table(self, shown: TableModel) -> TableView:
        """Return the view of a table, of all its rows and columns or of some."""
        table = shown.table
        columns = [[_cell(cell) for cell in cells] for cells in shown.columns]
        headings = [column.heading for column in table.columns]
        return TableView(
            name=table.name,
            caption=table.caption,
            headings=tuple(headings),
            alignments="".join("r" if all(cell.is_number for cell in cells) else "l" for cells in columns),
            rows=tuple(zip(*columns, strict=True)),
            size=fitting_size(headings, columns),
            footnote=_footnote(table.footnote, table_sheet(self.model, table)),
        )

    def derivation(self, shown: Derivation) -> WorkedView:
        """Return the view of a derivation, of all its lines or of some."""
        worked = shown.worked
        lines = [self._line(line) for line in shown.lines]
        room = SLIDE - max(width(line.left) for line in lines)
        footnote = _footnote(worked.footnote, worked_sheet(self.model, worked))
        return WorkedView(name=worked.name, lines=tuple(_fitted(line, room) for line in lines), footnote=footnote)

    def _line(self, line: ShownLine) -> Line:
        value = line.result.node
        left = formula = self.formulas.definition(line.formula)
        steps = []
        if line.source.formula or value in self.microscope.graph.names:
            left = self.formulas.write(value)
            if not line.is_given:
                steps.append(("=", formula))
        with_numbers, exact = self._numbers_put_in(line)
        relation, result = _relation(line.result), array(line.result.printed).text
        if not line.is_given and with_numbers not in (formula, result):
            steps.append(("=" if exact else r"\approx", with_numbers))
            if not exact:  # what follows from rounded numbers is not said to be equal to them
                relation = r"\approx"
        steps.append((relation, result))
        return Line(left=left, steps=tuple(steps))

    def _numbers_put_in(self, line: ShownLine) -> tuple[str, bool]:
        """Return a line's formula with its operands' printed numbers, and whether all of these are exact."""
        exact: list[bool] = []

        def numbers(operand: Node) -> Phrase:
            shown = line.operand(operand)
            exact.append(shown.exact)
            return array(shown.printed)

        formulas = Formulas(names=self.microscope.graph.names, tex=self.microscope.spec.tex, numbers=numbers)
        return formulas.definition(line.formula), all(exact)


def _cell(cell: ShownCell) -> Cell:
    if isinstance(cell, str):
        return Cell(text=cell, plain=cell)
    return Cell(math=array(cell.printed).text, plain=plain(cell.printed), is_number=cell.node.shape == ())


def _fitted(line: Line, room: float) -> Line:
    """Return a line that fits beside the widest left side, broken where it must be."""
    if sum(RELATION + width(math) for _, math in line.steps) <= room:
        return line
    steps = tuple((relation, broken(math, room - RELATION)) for relation, math in line.steps)
    return replace(line, steps=steps, broken=True)


def _cell_width(cell: Cell) -> float:
    return width(cell.math) if cell.math else text_width(cell.text)


def fitting_size(headings: Sequence[str], columns: Sequence[Sequence[Cell]]) -> str:
    """Return the largest size of type at which a table fits on a slide; the smallest, where none does."""
    wide = sum(
        COLUMN_GAP + max(text_width(h), *(_cell_width(c) for c in cells))
        for h, cells in zip(headings, columns, strict=True)
    )
    return next((name for name, part in SIZES.items() if wide * part <= SLIDE), SMALLEST)


def _footnote(asked: str, sheet: Sheet) -> str:
    """Return what stands below a page: what is not proven, and, where the spec asks for it, that sums are rounded."""
    notes = [] if all(shown.proven for shown in sheet.shown) else [UNPROVEN]
    if asked and not adds_up(sheet):
        notes.insert(0, ROUNDING)
    return " ".join(notes)


def _relation(shown: Shown) -> str:
    """Return ``=`` where every printed number is the value itself, else the sign of a rounded value."""
    return "=" if shown.exact else r"\approx"
