"""What is written beside a number: what it is said to be, arithmetic that comes to it, words nearby."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from seqgen.auditing.arithmetic import Interval, evaluate
from seqgen.auditing.bounds import bound
from seqgen.auditing.marks import GAP, HEAD, NUMBER, RELATION, ROW, mask
from seqgen.auditing.notation import stem
from seqgen.auditing.numerals import SETTINGS, Numeral
from seqgen.auditing.spelling import COMMANDS
from seqgen.auditing.tables import Tables

# Where an expression begins, looking back: the border of mathematics, a cell or a line, or a break in the words.
BORDER = re.compile(
    r"\$|->|→|\\\[|\\\(|\\\)|\\\]|\n\s*\n|[\t|]|\\q?quad(?![A-Za-z])|\\begin\{[a-z*]+\}|\\end\{[a-z*]+\}|```|`|[;:]\s|"
    r"\.\s|,\s+|\\text\{[^{}]*\}|\\item|\\frametitle|\\section|\*\*"
)
# "h1=0.76 h2=": after a value, words or another name.
RESTART = re.compile(rf"\s*(?:{ROW}|{NUMBER})(?:\s*(?:[,;]|\\\\)\s*|\s+)([^\W\d][^{HEAD}]*)", re.DOTALL)


# What may stand between a sign of equality and its number.
LAYOUT = re.compile(
    rf"\\(?:left|[bB]igg?l?|SI|qty|{COMMANDS})(?![A-Za-z])|\\[,;!: ]|[-+−]$|[-−]\s*(?=\\)|[~$&{{}}(\s]|\[\s*\]"
)
# A name with a factor, as in 2L.
FACTOR = re.compile(
    rf"(?:^|[\s$])(?P<factor>[-−]?{NUMBER})(?:\\[,;]|\\cdot|\*)?\s*(?:[^\W\d_]|\\[a-z])[^{HEAD}+=\s-]*\s*\Z"
)
# What makes a number a part of a formula where it follows: an operator, a letter, or a command that is a factor.
OPERATOR = re.compile(
    r"\s*[-+*/^×·]|[A-Za-z(\[]|\s*\\\||\s*\\(?!quad|qquad|right|end|text|approx|simeq|equiv|le|ge|lt|gt|ne|in|hspace|hfill|dots|ldots|cdots"
    r"|to|label|tag|item|par|newline|percent|Rightarrow|implies|rightarrow|big|Big|hline|cr|pm|phantom|mid|cite|footnote)[A-Za-z]"
)


@dataclass(frozen=True, kw_only=True)
class Beside:
    """What is written beside a number or a tuple.

    ``label`` is what it is said to be (``h_1``), ``also`` further names and formulas in the same chain of equations.
    ``is_defined`` where a sign of equality says so, ``is_operand`` where it is a part of the formula instead of its
    value. ``implied`` is the interval that the arithmetic before it comes to. ``position`` is the row of a table,
    ``part`` the place below a heading that spans columns. ``bound`` says how it bounds ``bounded``.
    ``claims`` where a sign of equality or a heading says that it is the label's value.
    ``words`` are those nearby, ``following`` those right after it.
    """

    label: str = ""
    also: tuple[str, ...] = ()
    is_defined: bool = False
    is_operand: bool = False
    implied: Interval | None = None
    position: int | None = None
    part: int | None = None
    in_table: bool = False
    bound: str = ""
    bounded: str = ""
    claims: bool = False
    words: frozenset[str] = field(default_factory=frozenset)
    following: frozenset[str] = field(default_factory=frozenset)


class Surroundings:
    """A text with its numbers, which tells what stands beside a place."""

    def __init__(self, text: str, found: Sequence[Numeral]) -> None:
        text = SETTINGS.sub(lambda m: m[0][: m.start(1) - m.start()] + " " * len(m[1]) if m[1] else m[0], text)
        self._text = text
        self.masked = mask(text, found)
        self._tables = Tables(self.masked, text)
        self._numbers = {number.start: number for number in found}

    def beside(self, start: int, end: int, *, is_bare: bool, is_scalar: bool) -> Beside:
        """Return what is written beside a number or a tuple from ``start`` to ``end``."""
        text = self._text
        cell = self._tables.at(start)
        limit = bound(self.masked, start, end)
        heading, row = cell.heading, cell.first
        label, also, is_operand = _label(text, self.masked, start, end)
        is_defined = claims = bool(label)
        position = cell.position
        if heading or row:
            is_defined = is_defined or "$" in heading
            claims = claims or bool(heading or row)
            also = also if label else tuple(filter(None, (row,)))
            label = label or heading
            position = cell.across if position is None and cell.position is None else position
        elif not label and not is_operand:
            apart = "" if is_bare else r"\s?"  # "section 3" names nothing, "norm5" may
            word = re.search(rf"(?:^|[\s$*(])([^\W\d]\w*){apart}$", text[max(0, start - 40) : start])
            label = word[1] if word else ""
            is_defined = word is not None and word.end(1) == min(40, start)
        return Beside(
            label=label,
            also=also,
            is_defined=is_defined,
            is_operand=is_operand,
            implied=self._implied(start) if is_scalar and not is_operand else None,
            position=position,
            part=cell.part,
            in_table=cell.table >= 0,
            bound=limit.kind if limit else "",
            bounded=text[slice(*limit.name)] if limit else "",
            claims=claims and not is_operand,
            words=frozenset(map(stem, re.findall(r"[^\W\d_]{3,}", f"{_before(text, start)} {heading} {row}"))),
            following=_following(text[end : end + 40]),
        )

    def _implied(self, start: int) -> Interval | None:
        """Return what the arithmetic left of a sign of equality comes to: the longest run that is only numbers."""
        lead = self.masked[max(0, start - 200) : start]
        relations = list(re.finditer(RELATION, lead))
        if not relations or lead[relations[-1].end() :].strip(" $&~\\,;({"):
            return None
        offset = start - len(lead)
        first = relations[-2].end() if len(relations) > 1 else 0
        last = relations[-1].start()
        breaks = [first, *(first + m.end() for m in re.finditer(r"[\s$:,;]|is\b", lead[first:last]))]
        for begin in breaks:
            value = evaluate(self._text[offset + begin : offset + last], offset + begin, self._numbers)
            if value is not None:
                return value
        return None


def _following(text: str) -> frozenset[str]:
    """Return the two words right after a number, on its line."""
    match = re.match(r"[$\s]{0,2}(?<=[\s$])([^\W\d_]+)(?: ([^\W\d_]+))?", text.split("\n", maxsplit=1)[0])
    return frozenset(word.lower() for word in match.groups() if word) if match else frozenset()


def _before(text: str, start: int, reach: int = 90) -> str:
    """Return what stands before a place, from the last break in the text on."""
    lead = text[max(0, start - reach) : start]
    lines = [line for line in lead.split("\n") if line.strip(" $")]
    return " ".join(lines[-2:])


def _label(text: str, masked: str, start: int, end: int) -> tuple[str, tuple[str, ...], bool]:
    """Return what a number is said to be, further names in its chain of equations, and whether it is but an operand."""
    lead = masked[max(0, start - 400) : start]
    offset = start - len(lead)
    borders = [m.end() for m in BORDER.finditer(lead) if _is_border(lead, m)]
    begin = borders[-1] if borders else 0
    chain = lead[begin:]
    pieces = list(re.finditer(RELATION, chain))
    if not pieces:
        follows = re.match(rf"{GAP}{RELATION}", masked[end : end + 40])
        return ("", (), False) if not follows else ("", (), True)
    edges = [0, *[p.end() for p in pieces]]
    stops = [*[p.start() for p in pieces], len(chain)]
    segments = [(text[offset + begin + a : offset + begin + b], chain[a:b]) for a, b in zip(edges, stops, strict=True)]
    for i in range(len(segments) - 2, 0, -1):
        restart = RESTART.fullmatch(segments[i][1])
        if restart:  # "h1=0.76 h2=": another name after a value
            segments = [(segments[i][0][restart.start(1) :], restart[1]), *segments[i + 1 :]]
            break
    names, own_lead = segments[:-1], segments[-1][1]
    if RESTART.fullmatch(own_lead):  # words after a value: the equations have ended
        return "", (), False
    head = _last_words(*names[0])
    rest = tuple(s.strip(" &~") for s, m in names[1:] if HEAD not in m)
    line = text.rfind("\n", 0, start) + 1
    in_math = text.count("$", line, start) % 2 == 1
    return head, rest, _has_operator(own_lead, masked[end : end + 30], in_math=in_math)


def _has_operator(lead: str, after: str, *, in_math: bool) -> bool:
    """Whether a number is but a part of the formula on its side of the sign of equality."""
    if re.sub(LAYOUT, "", lead):
        return True
    if in_math and re.match(r"\s*[^\W\d_]", after):
        return True
    return OPERATOR.match(after) is not None


def _is_border(lead: str, match: re.Match[str]) -> bool:
    """Whether a break in the words is one: not inside brackets, and not the comma of a tuple."""
    if not match[0].startswith(","):
        return not (match[0] == "$" and re.match(r"\$?\s*\$*\s*(?:=|\\approx)", lead[match.start() :]))
    inside = lead[: match.start()]
    return inside.count("(") <= inside.count(")") or "$" in lead[match.end() :]


def _last_words(segment: str, marks: str) -> str:
    """Return the end of a segment that names something: after the last number in it, or its last word in a sentence."""
    words = re.fullmatch(r".*[^\W\d_]{2,}\W*\s([^\W\d][\w\[\]{},^]*)\s*", segment, re.DOTALL)
    if words and "\\" not in segment and HEAD not in marks:
        return words[1]
    last = marks.rfind(HEAD)
    if (factor := FACTOR.search(marks)) and factor.start("factor") >= last - 1:
        return segment[factor.start("factor") :].strip(" &~\n")
    if last >= 0:
        rest = re.match(rf"{NUMBER}[)\]}}\s,]*", marks[last:])
        cut = last + (rest.end() if rest else 1)
        if re.match(r"[-+*/^]|\\", segment[cut:].strip()[:1]) and segment[cut:].strip():
            return segment.strip()
        segment = segment[cut:] or segment
    return segment.strip(" &~\n")
