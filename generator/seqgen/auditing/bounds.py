"""Numbers that bound a value instead of stating it: ``h < 0.73``, ``h in [0.72, 0.73]``, "at most 0.73", "not 0.73"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from seqgen.auditing.marks import CLOSE, GAP, NUMBER, OPEN, RELATION

LESS = r"<=|≤|⩽|\\l(?:e|eq|eqslant|t|l|esssim)(?![A-Za-z])|(?<![-=<\\])<(?![-!/<])"
MORE = r">=|≥|⩾|\\g(?:e|eq|eqslant|t|g|trsim)(?![A-Za-z])|(?<![-=>\\])>(?!>)"
OTHER = r"!=|≠|\\neq?(?![A-Za-z])|\\not\s*=|∈|∉|\\(?:not)?in(?![A-Za-z])"
INEQUALITY = re.compile(f"(?P<less>{LESS})|(?P<more>{MORE})|(?P<other>{OTHER})")
FLOORS = re.compile(
    r"\\[lr](?:floor|ceil)(?![A-Za-z])|[⌊⌈⌋⌉]|\\(?:operatorname\{)?(?:round|floor|ceil)|\b(?:round|floor|ceil)\("
)
WORDS = re.compile(
    r"(?:\bat\s+(?:most|least)|\b(?:below|above|not|never|under|over|beyond|between|within|exceeds?|exceeding|than|"
    r"instead\s+of|up\s+to|rather\s+than|tolerance(?:\s+of)?|bound(?:ed)?\s+by|threshold(?:\s+of)?|and\s+not))"
    r"[\s$(]*(?:about|roughly)?[\s$({]*\Z",
    re.IGNORECASE,
)
BETWEEN = re.compile(rf"\bbetween[\s$(]*{NUMBER}[\s$)]*and[\s$(]*\Z", re.IGNORECASE)
AFTER = re.compile(r"[\s$]*or\s+(?:less|more|fewer|above|below|so)\b|[\s$]*at\s+(?:most|least)\b", re.IGNORECASE)
EDGE = re.compile(r"\$\$?|\\[()\[\]]|\n|`|[;]|\.\s|\\\\|\\(?:begin|end)\{[^{}]*\}")
EQUALITY = re.compile(rf"{RELATION}{GAP}(?:{OPEN}{GAP}|[-+]\s*)*\Z")
REACH = 120


@dataclass(frozen=True, kw_only=True)
class Bound:
    """How a number bounds what a name stands for: ``kind`` is ``<``, ``>``, or ``?`` where it can't be decided.

    The name is at ``name`` in the text.
    """

    kind: str
    name: tuple[int, int] = (0, 0)


UNDECIDED = Bound(kind="?")


def bound(masked: str, start: int, end: int) -> Bound | None:
    """Return how a number from ``start`` to ``end`` bounds what stands left of it, or None where it does not."""
    lead, rest = masked[max(0, start - REACH) : start], masked[end : end + REACH]
    if WORDS.search(lead[-40:]) or BETWEEN.search(lead) or AFTER.match(rest):
        return UNDECIDED
    edges = list(EDGE.finditer(lead))
    before = lead[edges[-1].end() :] if edges else lead
    closing = EDGE.search(rest)
    after = rest[: closing.start()] if closing else rest
    before = re.sub(r"\A\s*>", "", before)  # a quotation's mark
    relations = [*INEQUALITY.finditer(before)]
    if EQUALITY.search(before):
        last = list(re.finditer(RELATION, before))
        named = before[relations[-1].end() if relations else 0 : last[-1].start()]
        return UNDECIDED if FLOORS.search(named) else None
    if relations:
        last_one = relations[-1]
        between = before[last_one.end() :]
        if not re.fullmatch(rf"{GAP}(?:{OPEN}{GAP})?(?:{NUMBER}{GAP}[,;]{GAP})*[-+]?{GAP}", between):
            return UNDECIDED if not re.search(RELATION, between) and len(between) < REACH // 2 else None
        kind = "<" if last_one["less"] else ">" if last_one["more"] else "?"
        is_plain = len(relations) == 1 and not re.search(OPEN, between) and "|" not in before
        if not is_plain or kind == "?":
            return UNDECIDED
        return Bound(kind=kind, name=(start - len(before), start - len(before) + last_one.start()))
    follows = INEQUALITY.match(re.sub(rf"\A{GAP}(?:{CLOSE}|\|)?{GAP}", "", after))
    return UNDECIDED if follows else None
