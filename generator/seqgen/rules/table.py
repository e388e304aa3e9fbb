"""The rules of ``seqgen check``: one table, which the documentation is made from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from seqgen.build.artifacts import Artifacts
from seqgen.errors import Span, SpecError, nearest
from seqgen.findings import Finding, at
from seqgen.project import Project
from seqgen.rules import digits
from seqgen.rules.conventions import indistinct
from seqgen.rules.files import Files, orphans

ERROR, WARNING, OFF = "error", "warning", "off"


@dataclass(frozen=True)
class Subject:
    """One spec and what it is made into."""

    project: Project
    name: str
    artifacts: Artifacts

    @cached_property
    def files(self) -> Files:
        """Its files on disk."""
        return Files(self.project, self.name, self.artifacts)


@dataclass(frozen=True, kw_only=True)
class Whole:
    """All specs together: the files that they make."""

    project: Project
    expected: set[str]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A row: what is found, why it matters, the function that finds it, the cure, and how severe it is.

    ``of_spec`` looks at one spec, ``of_project`` at all together; rules ``of_files`` compare a spec's files. Rules
    ``of_decks`` have no function of their own: weaving and auditing find what is theirs. ``mistake`` stands for
    whatever keeps a spec from being computed. A rule that is ``OFF`` is in force only where it is selected. ``cure``
    may name ``{spec}`` and ``{file}``.
    """

    name: str
    what: str
    why: str
    cure: str
    severity: str = ERROR
    of_spec: Callable[[Subject], Iterator[Finding]] | None = None
    of_project: Callable[[Whole], Iterator[Finding]] | None = None
    of_files: bool = False
    of_decks: bool = False

    def found(self, subject: Subject) -> Iterator[Finding]:
        """Yield what the rule finds in one spec."""
        if self.of_spec:
            yield from self.of_spec(subject)
        if self.of_files:
            yield from subject.files.findings(self.name)


def _failed(subject: Subject) -> Iterator[Finding]:
    for outcome in subject.artifacts.outcomes:
        if not outcome.passed:
            yield at(outcome.span, outcome.said, otherwise=f"specs/{subject.name}.yaml")


BUILD = "seqgen build {spec}"
BUILD_DECK = "seqgen build"
MISTAKE = Rule(
    name="mistake",
    what="A spec, a template or the configuration has a mistake.",
    why="Nothing can be computed from it, so that nothing was checked. It can't be ignored, and the exit status is 2.",
    cure="correct it at the place named",
)
ROWS = (
    MISTAKE,
    Rule(
        name="failed-check",
        what="A check that the spec declares does not hold.",
        why="A gradient, a shape, a printed number or an identity is not what its author holds it to be.",
        cure="correct the spec, or what the check expects",
        of_spec=_failed,
    ),
    Rule(
        name="stale-ledger",
        what="The ledger on disk is not what the spec computes.",
        why="The spec was edited and not built, or the ledger was edited. Pages that follow it are told with it.",
        cure=BUILD,
        of_files=True,
    ),
    Rule(
        name="missing-ledger",
        what="A spec has no ledger.",
        why="Ledgers are committed, so that a change of a number shows in a review.",
        cure=BUILD,
        of_files=True,
    ),
    Rule(
        name="conflict",
        what="A ledger or a deck holds the marks of a merge conflict.",
        why="A ledger is never merged by hand, as it follows from the spec; a deck would show both sides.",
        cure="resolve the spec, then " + BUILD,
        of_decks=True,
        of_files=True,
    ),
    Rule(
        name="stale-page",
        what="A page is not what the ledger gives, though the ledger is in order.",
        why="The page was built from other numbers, and would be shown with them.",
        cure=BUILD,
        of_files=True,
    ),
    Rule(
        name="stale-template",
        what="A page was made before one of its templates changed; its ledger is in order.",
        why="Its numbers are right and its form is old.",
        cure=BUILD,
        of_files=True,
    ),
    Rule(
        name="edited-page",
        what="A page was edited by hand: its text no longer fits the digest in its first line.",
        why="The next build moves the edit aside, and until then the page shows what no spec says.",
        cure="move the edit to the spec or the template, then " + BUILD,
        of_files=True,
    ),
    Rule(
        name="missing-page",
        what="A page has not been built, or was removed.",
        why="A deck that takes it in can't be set.",
        cure=BUILD,
        of_files=True,
    ),
    Rule(
        name="orphan",
        what="A ledger or a page that no spec makes.",
        why="Its spec, table or derivation is gone or renamed; a deck that still takes it in shows old numbers.",
        cure="rm {file}",
        of_project=lambda whole: orphans(whole.project, whole.expected),
        of_decks=True,
    ),
    Rule(
        name="unproven",
        what="Digits that no precision and no closed form decide, of an entry or a citation.",
        why="They may be wrong in the last place.",
        cure="raise precision_limit in [tool.seqgen], or print fewer digits",
        of_spec=lambda subject: digits.unproven(subject.artifacts),
        of_decks=True,
    ),
    Rule(
        name="unproven-part",
        what="Digits that no precision and no closed form decide, of a cell, an expectation or a gradient's term.",
        why="They may be wrong in the last place. Most are zeros, such as the difference of two gradients that are the "
        "same, which enclosures can't tell from something tiny.",
        cure="raise precision_limit in [tool.seqgen], print fewer digits, or select this rule to let it fail",
        severity=WARNING,
        of_spec=lambda subject: digits.unproven_parts(subject.artifacts),
    ),
    Rule(
        name="vanishing",
        what="A value other than zero is printed as zero.",
        why="Who reads 0.0000 takes it for nothing, and may divide by it.",
        cure="give it more digits, or {{significant: n}}, under 'digits'",
        severity=WARNING,
        of_spec=lambda subject: digits.vanishing(subject.artifacts),
        of_decks=True,
    ),
    Rule(
        name="near-tie",
        what="A value lies within 2 % of a unit of the point where its last printed digit changes.",
        why="Who computes it with a rounded intermediate value, or rounds ties the other way, gets another last digit.",
        cure="print one digit more or fewer, under 'digits'",
        severity=WARNING,
        of_spec=lambda subject: digits.near_ties(subject.artifacts.microscope),
    ),
    Rule(
        name="printed-sum",
        what="A printed result that does not follow from the printed operands beside it, or a printed row of weights "
        "that does not add up to one.",
        why="Every number is rounded rightly, and who checks the slide with a pocket calculator still gets another "
        "last digit.",
        cure="print the digits named, or give the table or derivation 'footnote: rounding'",
        severity=WARNING,
        of_spec=lambda subject: digits.printed_sums(subject.artifacts.microscope),
    ),
    Rule(
        name="indistinct",
        what="A convention under 'distinguishes' that changes no printed number.",
        why="Who computes by the other convention gets the same digits, and the example can't show who is right.",
        cure="seqgen nice {spec} --fix proposes another number",
        of_spec=lambda subject: indistinct(subject.artifacts),
    ),
    Rule(
        name="stale-deck",
        what="A woven deck is not what its source gives.",
        why="The slides would show numbers that are no longer computed.",
        cure=BUILD_DECK,
        of_decks=True,
    ),
    Rule(
        name="missing-deck",
        what="A deck has not been woven.",
        why="Nothing can be shown of it.",
        cure=BUILD_DECK,
        of_decks=True,
    ),
    Rule(
        name="edited-deck",
        what="A woven deck, or its file of numbers, was edited by hand.",
        why="The next build moves the edit aside, where no slide shows it.",
        cure="move the edit to the deck, then " + BUILD_DECK,
        of_decks=True,
    ),
    Rule(
        name="stale-numbers",
        what="The numbers that a LaTeX deck cites are not those in its file of numbers.",
        why="TeX would set the old ones.",
        cure=BUILD_DECK,
        of_decks=True,
    ),
    Rule(
        name="missing-numbers",
        what="A LaTeX deck has no file of numbers.",
        why="TeX would stop at the first citation.",
        cure=BUILD_DECK,
        of_decks=True,
    ),
    Rule(
        name="stale-block",
        what="A block in a deck does not hold what its first line cites.",
        why="The block is shown as it stands.",
        cure=BUILD_DECK,
        of_decks=True,
    ),
    Rule(
        name="absent-citation",
        what="A deck cites a value, or a spec, that is not there.",
        why="The number can't be shown; build and TeX stop at it.",
        cure="cite what is there",
        of_decks=True,
    ),
    Rule(
        name="faulty-citation",
        what="A citation in a deck can't be read.",
        why="The number can't be shown; build stops at it.",
        cure="correct the citation",
        of_decks=True,
    ),
    Rule(
        name="near-miss",
        what="A number that is typed in a deck is nearly what a ledger holds: its last digit is off, it is truncated "
        "or rounded in another way, its sign is wrong, or it stands in another's place.",
        why="It was retyped, or is older than the spec, and nothing else tells the listener that it is wrong.",
        cure="write the ledger's digits, or cite the entry",
        of_decks=True,
    ),
    Rule(
        name="stale-number",
        what="A typed number that was recorded for an entry no longer has the entry's digits, or the entry is gone.",
        why="The spec was edited after the number was typed, and the slide shows the value of before.",
        cure="write the ledger's digits, or cite the entry",
        of_decks=True,
    ),
    Rule(
        name="contradiction",
        what="A number that is typed beside a label is not the value that the label names in the spec that the deck is "
        "about.",
        why="The slide states something false: the value of another entry, or of an older version of the spec.",
        cure="write the ledger's digits, or cite the entry",
        of_decks=True,
    ),
    Rule(
        name="possible-contradiction",
        what="A number beside a label is not the value that the label names in a spec that is probably meant.",
        why="Neither a pragma nor the numbers around it say for sure which spec the deck is about.",
        cure="write <!-- seqgen: spec NAME --> above it, or correct the number",
        severity=WARNING,
        of_decks=True,
    ),
    Rule(
        name="spreadsheet",
        what="A cell of a spreadsheet that was exported and edited does not hold the ledger's number.",
        why="A student or a colleague has another result, or a given number was changed. Formulas are not run: what "
        "the file holds is compared. `seqgen check --xlsx FILE` looks at spreadsheets, and nothing else does.",
        cure="write the ledger's number, or export it anew: seqgen export xlsx {spec}",
    ),
    Rule(
        name="unbacked",
        what="A number that is typed in a deck is of no ledger.",
        why="Nothing computes it, so that nothing can tell when it is wrong.",
        cure="give it a spec, or cite what it is",
        severity=OFF,
        of_decks=True,
    ),
)
RULES = {row.name: row for row in ROWS}


def severities(project: Project, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> dict[str, str]:
    """Return the severity of every rule in force: selected rules are errors, those ignored or off are left out.

    The configuration's choice holds with that of the command line; where they differ, the command line's does.

    Raises:
        SpecError: where either names what is no rule, or one of them both selects and ignores a rule.
    """
    configuration = project.configuration
    chosen = _known(select, "--select", None), _known(ignore, "--ignore", None)
    stated = (
        _known(configuration.select, "select", project.setting("select")),
        _known(configuration.ignore, "ignore", project.setting("ignore")),
    )
    for (selected, ignored), span in ((chosen, None), (stated, project.setting("ignore"))):
        for name in sorted(selected & ignored):
            raise SpecError(f"'{name}' is both selected and ignored", code="configuration", span=span)
    errors = chosen[0] | (stated[0] - chosen[1])
    left_out = chosen[1] | (stated[1] - chosen[0])
    force = {row.name: ERROR if row.name in errors else row.severity for row in ROWS if row.name not in left_out}
    return {name: severity for name, severity in force.items() if severity != OFF}


def _known(names: Iterable[str], key: str, span: Span | None) -> set[str]:
    """Return ``names`` as a set of rules that may stand under ``key``."""
    for name in names:
        if name not in RULES:
            raise SpecError(
                f"'{key}' names a rule that there is not: '{name}'",
                code="configuration",
                span=span,
                expected=f"one of {', '.join(RULES)}",
                hint=nearest(name, RULES),
            )
        if name == MISTAKE.name and key.endswith("ignore"):
            raise SpecError("a mistake can't be ignored", code="configuration", span=span)
    return set(names)
