"""A text in which numbers are marks, so that what stands around them can be matched by patterns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from seqgen.audit.numerals import Numeral

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
MATRIX = re.compile(
    r"\\begin\{(?P<kind>[bpvBV]?matrix\*?|[bp]?smallmatrix|array)\}(?:\[[^\]]*\])?(?:\{[^{}]*\})?"
    r"(?P<body>.*?)\\end\{(?P=kind)\}",
    re.DOTALL,
)
VALUE = re.compile(rf"[\s$*`]*(?:{ROW}|{NUMBER})[\s$*`\\]*")
RELATION = r"(?:=|≈|≃|≅|:=|\\approx(?:eq)?|\\simeq|\\doteq|\\equiv)(?![A-Za-z])"


def mask(text: str, found: Sequence[Numeral]) -> str:
    """Return ``text`` with its numbers replaced by marks of the same length."""
    parts, place = [], 0
    for number in found:
        parts += [text[place : number.start], HEAD, TAIL * (number.end - number.start - 1)]
        place = number.end
    return "".join(parts) + text[place:]
