"""A deck's numbers with their verdicts: backed, near miss, given or unbacked, each with its place and its reason."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seqgen.auditing.agreement import agreement
from seqgen.auditing.candidates import gather
from seqgen.auditing.context import Context
from seqgen.auditing.correction import corrected
from seqgen.auditing.formats import context, read
from seqgen.auditing.judgement import NO_CONTEXT, Judge, Judged
from seqgen.auditing.labels import COUNTED, TELLING
from seqgen.auditing.memory import Record, recall, replaced, typed
from seqgen.auditing.numerals import Numeral, numerals
from seqgen.auditing.wholes import wholes

BACKED, NEAR_MISS, GIVEN, UNBACKED = "backed", "near miss", "given", "unbacked"
CONTRADICTION, STALE = "contradiction", "stale"
SURE = 0.8  # how probable a label's spec must be for a contradiction to be an error
REASONS = {
    "last digit": "off by one in the last digit",
    "two last digits": "off by two in the last digit",
    "truncated": "truncated instead of rounded",
    "sign": "of the other sign",
    "order": "in another place of it",
    "other": "another number",
    "stale": "the value was another when this was typed",
    "gone": "the entry is gone",
    "bound": "a bound that does not hold",
}


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A typed number: its place, its verdict, and where it has one, the reference that it stands for and its value.

    ``certainty`` is how probable the verdict is; ``reason`` tells how a near miss differs, and ``right`` what should
    stand in its place, where its spelling has room for it.
    """

    text: str
    start: int
    end: int
    line: int
    column: int
    verdict: str
    spec: str = ""
    reference: str = ""
    value: float | None = None
    reason: str = ""
    right: str = ""
    factor: float = 1.0
    certainty: float = 1.0

    @property
    def is_bound(self) -> bool:
        """Whether it bounds the entry instead of stating its value."""
        return self.reason == REASONS["bound"]

    @property
    def is_doubtful(self) -> bool:
        """Whether it contradicts a spec that is only likely to be meant."""
        return self.verdict == CONTRADICTION and self.certainty < SURE


@dataclass(frozen=True, kw_only=True)
class Audit:
    """A deck that was audited: its name, its text and its findings in order."""

    deck: str
    text: str
    findings: tuple[Finding, ...]

    def count(self, verdict: str) -> int:
        """Return how many numbers have a verdict."""
        return sum(finding.verdict == verdict for finding in self.findings)


class Auditor:
    """Audits decks against a set of ledgers."""

    def __init__(
        self, ledgers: Iterable[Mapping[str, Any]], *, decimal_comma: bool = False, ties: str = "half-even"
    ) -> None:
        self._judge = Judge(gather(ledgers))
        self._decimal_comma, self._ties = decimal_comma, ties

    def audit(self, path: Path, name: str, records: Sequence[Record] = ()) -> Audit:
        """Return the audit of the deck at ``path``, under the ``name`` that messages use.

        Raises:
            SpecError: where the deck can't be read.
        """
        text, content = read(path)
        return self.audit_text(text, content, name, context(text, path.suffix.lower()), records)

    def audit_text(
        self, text: str, content: str, name: str, about: Context = NO_CONTEXT, records: Sequence[Record] = ()
    ) -> Audit:
        """Return the audit of a deck's ``text``; ``content`` is as long, with blanks for what is not content."""
        numbers = list(numerals(content, decimal_comma=self._decimal_comma))
        found = wholes(content, numbers)
        lines = Lines(text)
        findings = {
            f.start: f for judged in self._judge.judge(found, about) for f in self._findings(judged, content, lines)
        }
        if records:
            findings |= {f.start: f for f in self._remembered(records, numbers, findings, text, content, lines)}
        return Audit(deck=name, text=text, findings=tuple(findings[start] for start in sorted(findings)))

    def _remembered(
        self,
        records: Sequence[Record],
        numbers: Sequence[Numeral],
        findings: Mapping[int, Finding],
        text: str,
        content: str,
        lines: Lines,
    ) -> Iterator[Finding]:
        """Yield the numbers that are remembered, each with its entry: stale where it no longer has their digits."""
        typed_now = [typed(text, number.start, number.end) for number in numbers]
        found = recall(records, typed_now)
        for number, options in zip(numbers, found, strict=True):
            if options:
                yield self._of_record(number, self._likeliest(number, options), content, lines)
        for i, record in replaced(records, typed_now, found):
            known = findings.get(numbers[i].start)
            value = self._value(record)
            if (known and known.verdict in (BACKED, GIVEN)) or value is None:
                continue
            yield self._of_record(numbers[i], record, content, lines, wrong=CONTRADICTION)

    def _likeliest(self, number: Numeral, options: Sequence[Record]) -> Record:
        values = ((record, self._value(record)) for record in options)
        agreeing = (record for record, value in values if value is not None and not agreement(number, value))
        return next(agreeing, options[0])

    def _value(self, record: Record) -> float | None:
        value = self._judge.ledgers.scalars.get((record.spec, record.reference))
        return None if value is None else value * record.factor

    def _of_record(self, number: Numeral, record: Record, content: str, lines: Lines, wrong: str = STALE) -> Finding:
        value = self._value(record)
        differs = agreement(number, value) if value is not None else "gone"
        right = corrected(number, value, self._ties) if differs and value is not None else ""
        verdict, reason = BACKED, ""
        if differs:
            reason = REASONS["gone"] if value is None else REASONS["stale"] if wrong == STALE else REASONS["other"]
            verdict = wrong
        return _finding(
            number,
            content,
            lines,
            verdict,
            spec=record.spec,
            reference=record.reference,
            value=value,
            reason=reason,
            right=right,
            factor=record.factor,
        )

    def _findings(self, judged: Judged, content: str, lines: Lines) -> Iterator[Finding]:
        if judged.match is None:
            if judged.whole.beside.bound or not _is_listed(judged):
                return
            for number in judged.whole.numbers:
                yield _finding(number, content, lines, UNBACKED, certainty=judged.certainty)
            return
        candidate = judged.match.candidate
        spec = self._judge.ledgers.origin(candidate)
        for i, number in enumerate(judged.whole.numbers):
            differs = judged.match.differs[i]
            value = candidate.values[i] * judged.match.factor
            right = corrected(number, value, self._ties) if differs not in ("", "bound") else ""
            if right == number.text:  # an integer beside decimals, rounded as they are
                differs = right = ""
            verdict = _wrong(judged, differs) if differs else GIVEN if candidate.is_given else BACKED
            yield _finding(
                number,
                content,
                lines,
                verdict,
                spec=spec,
                reference=candidate.element(i),
                value=value,
                reason=REASONS.get(differs, ""),
                right=right,
                factor=judged.match.factor,
                certainty=judged.certainty,
            )


def _wrong(judged: Judged, differs: str) -> str:
    return CONTRADICTION if judged.is_claimed and differs in ("other", "bound") else NEAR_MISS


def remembered(audit: Audit) -> list[Record]:
    """Return what is to be remembered of a deck: its numbers that an entry backs, and those that have become stale."""
    found = []
    for number in audit.findings:
        is_sure = number.verdict in (BACKED, GIVEN) and not number.is_bound
        if is_sure or (number.verdict == STALE and number.value is not None):
            now = typed(audit.text, number.start, number.end)
            found.append(
                Record(
                    before=now.before,
                    text=now.text,
                    after=now.after,
                    spec=number.spec,
                    reference=number.reference,
                    factor=number.factor,
                )
            )
    return found


def _is_listed(judged: Judged) -> bool:
    """Whether an unbacked whole looks like a result: it has decimals, or it is said what the integer is."""
    whole = judged.whole
    if any(n.unit for n in whole.numbers):
        return True
    if not whole.is_bare or whole.beside.is_operand:
        return False
    named = re.fullmatch(r"[^\W\d_]{3,}", whole.beside.label) is not None
    return bool(whole.beside.following & COUNTED) or (
        whole.beside.is_defined and (named or whole.numbers[0].value >= TELLING)
    )


def _finding(number: Numeral, content: str, lines: Lines, verdict: str, **more: Any) -> Finding:
    line, column = lines.at(number.start)
    text = content[number.start : number.end]
    return Finding(text=text, start=number.start, end=number.end, line=line, column=column, verdict=verdict, **more)


class Lines:
    """Lines and columns of places in a text, both counted from one."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def at(self, place: int) -> tuple[int, int]:
        """Return the line and the column of a place."""
        line = bisect_right(self._starts, place)
        return line, place - self._starts[line - 1] + 1
