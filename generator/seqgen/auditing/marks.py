"""A text in which numbers are marks, so that what stands around them can be matched by patterns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from seqgen.auditing.numerals import Numeral

# In the masked text a number is a HEAD and as many TAILs as it has further characters.
HEAD, TAIL = "\x02", "\x01"
NUMBER = rf"{HEAD}{TAIL}*"
GAP = r"(?:[\s~$]|\\[,;:!> ]|\\q?quad(?![A-Za-z]))*+"
COMMA = rf"{GAP}[,;]{GAP}"
OPEN = r"(?:\\left|\\[bB]igg?l?)?(?:[(\[]|\\\{|\\langle|\\lbrack)"
CLOSE = r"(?:\\right|\\[bB]igg?r?)?(?:[)\]]|\\\}|\\rangle|\\rbrack)"
ROW = rf"{OPEN}{GAP}{NUMBER}(?:(?:{COMMA}|\s+){NUMBER})*{GAP},?{GAP}{CLOSE}"
TUPLE = re.compile(
    rf"{OPEN}{GAP}{NUMBER}(?:{COMMA}{NUMBER})+{GAP},?{GAP}{CLOSE}|\[{GAP}{NUMBER}(?:\s+{NUMBER})+{GAP}\]"
)
NESTED = re.compile(rf"\[{GAP}{ROW}(?:(?:{COMMA}|\s+){ROW})*{GAP}\]")
MATRIX = re.compile(r"\\begin\{(?P<name>[bpvBV]?matrix\*?|[bp]?smallmatrix|array)\}(?:\[[^\]\n]*\])?(?:\{[^{}\n]*\})?")
TABULAR = re.compile(r"\\begin\{(?P<name>tabular\*?|tabularx|longtable)\}")
VALUE = re.compile(rf"[\s$*`]*(?:{ROW}|{NUMBER})[\s$*`\\]*")
RELATION = r"(?:=|≈|≃|≅|:=|\\approx(?:eq)?|\\simeq|\\doteq|\\equiv)(?![A-Za-z])"


def end_of_environment(opening: re.Match[str]) -> str:
    """Return the pattern that ends an environment which ``opening`` begins and names."""
    return rf"\\end\{{{re.escape(opening['name'])}\}}"


def stretches(
    text: str, opening: re.Pattern[str], closing: Callable[[re.Match[str]], str] | str
) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """Yield the stretches from each match of ``opening`` to the next of ``closing``, none inside another.

    What is not closed is left out. It is looked for once, so that time grows with the text and not with its square.
    """
    place, missing = 0, set[str]()
    for begin in opening.finditer(text):
        pattern = closing if isinstance(closing, str) else closing(begin)
        if begin.start() < place or pattern in missing:
            continue
        end = re.compile(pattern, re.IGNORECASE | re.MULTILINE).search(text, begin.end())
        if end is None:
            missing.add(pattern)
        else:
            yield begin, end
            place = end.end()


def mask(text: str, found: Sequence[Numeral]) -> str:
    """Return ``text`` with its numbers replaced by marks of the same length."""
    parts, place = [], 0
    for number in found:
        parts += [text[place : number.start], HEAD, TAIL * (number.end - number.start - 1)]
        place = number.end
    return "".join(parts) + text[place:]
