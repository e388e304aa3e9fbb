"""Errors of syntax in steps: each is reported in its own words, and the statements around it are read all the same."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from keyword import iskeyword
from typing import Any

from seqgen.errors import SpecError
from seqgen.spec.document import Scalar
from seqgen.spec.numerals import LIMITS

MAX_NESTING = 60
# The words of Python that steps use.
SPOKEN = ("for", "in", "def", "return", "if", "else")
# So many errors are looked for inside one 'for' or 'def'.
MOST_SLIPS = 10

LONG_NUMBER = re.compile(r"[0-9_]{4000,}")
NAME = r"[^\W\d]\w*"
OPERATOR = re.compile(r"\*\*|//|[-+*/%@]")
# A line that begins like this is a statement of its own, whatever bracket is still open above it.
BEGINNING = re.compile(rf"\s*(?:(?:for|def|return)\b|{NAME}\s*(?:\[[^\[\]]*\]\s*)*(?:,\s*{NAME}[^=]*)?=(?!=))")
HEADER = re.compile(rf"\s*(?:for|def)\s+(?P<name>{NAME})")
TARGETS = re.compile(rf"(?:^|,)\s*({NAME})")
LACKS_BODY = re.compile(r"expected an indented block after (?:'(\w+)' statement|(\w+).*) on line (\d+)")

# What CPython says (any of the supported versions), what it means here, and what to do.
MEANINGS: tuple[tuple[str, str, str], ...] = (
    (r"'(.)' was never closed", "'{0}' is never closed", ""),
    (r"unmatched '(.)'", "'{0}' closes nothing", ""),
    (r"closing parenthesis '(.)' does not match opening parenthesis '(.)'", "'{0}' can't close '{1}'", ""),
    (r"expected ':'", "a ':' is missing here", "'for t in range(T):' and 'def f(x):' end in a colon"),
    (r"unexpected indent", "this line is indented further than the one before", "begin it in the same column"),
    (r"unindent does not match", "this line is indented unlike every line above", "begin it with its block"),
    (r"inconsistent use of tabs", "this line mixes tabs and spaces", "indent with spaces only"),
    (r"invalid (?:decimal|hexa|octal|binary).* literal", "a number runs into a name", "a product is written 2 * x"),
    (r"leading zeros", "a number begins with a zero", "write 7, not 07"),
    (r"Perhaps you forgot a comma", "a comma or an operator is missing here", "write [x, y], or x * y"),
    (r"cannot assign to|cannot delete", "this can't be set", "set a name, or a member of a family such as h[t]"),
    (r"unterminated|EOL while scanning", "a quote stands here", "steps compute with numbers only"),
    (r"positional argument follows keyword", "an argument without a name follows one with a name", ""),
    (r"keyword argument repeated: (\w+)", "the argument '{0}' is given twice", ""),
)  # fmt: skip
# What is copied from a paper or a slide, and how it is written here.
SIGNS = {
    **dict.fromkeys("\u00d7\u00b7\u22c5\u2217\u2299", "*"), **dict.fromkeys("\u2212\u2013\u2014", "-"),
    **dict.fromkeys("\u22a4\u1d40", ".T"), "\u00f7": "/", "\u2264": "<=", "\u2265": ">=", "\u2260": "!=",
    "\u00b2": "**2", "\u00b3": "**3", "\u221a": "sqrt(…)", "\u2211": "sum(…)", "\u221e": "inf",
}  # fmt: skip


@dataclass(kw_only=True)
class Program:
    """Steps that were read as far as they can be: statements, mistakes, and the names that faulty lines would set."""

    statements: list[ast.stmt] = field(default_factory=list)
    errors: list[SpecError] = field(default_factory=list)
    faulty: set[str] = field(default_factory=set)


def read_program(scalar: Scalar) -> Program:
    """Return the statements of steps; where they can't be read as a whole, block by block."""
    try:
        return Program(statements=_python(scalar.text, "exec").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        program = Program()
    for first, last in _blocks(scalar.lines):
        _read_block(scalar, first, last, program)
    return program


def read_expression(scalar: Scalar) -> ast.Expression:
    """Return the tree of an expression.

    Raises:
        SpecError: where it can't be read.
    """
    try:
        tree = _python(scalar.text, "eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        raise _slip(scalar, problem, 0, scalar.lines, wanted="parts are joined by signs, as in x * y") from None
    assert isinstance(tree, ast.Expression)
    return tree


def _python(text: str, mode: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is odd only becomes an error of its own
        return ast.parse(text, mode=mode)


def _blocks(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the first line of each outermost statement, from zero, and the one after its last."""
    starts = [i for i, column in _statements(lines) if column == 0] or [0]
    starts[0] = 0
    yield from zip(starts, [*starts[1:], len(lines)], strict=True)


def _statements(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the line at which each statement begins, and its column."""
    depth, continued = 0, False
    for i, line in enumerate(lines):
        code = line.partition("#")[0].rstrip()
        if not code.strip():
            continue
        if not continued and (depth == 0 or BEGINNING.match(code)):
            depth = 0
            yield i, len(code) - len(code.lstrip())
        depth = max(0, depth + sum(map(code.count, "([{")) - sum(map(code.count, ")]}")))
        continued = code.endswith("\\")


def _read_block(scalar: Scalar, first: int, last: int, program: Program) -> None:
    """Read one outermost statement; a slip inside its body leaves the rest of it readable."""
    lines = scalar.lines[first:last]
    for _ in range(MOST_SLIPS):
        try:
            block = _python("\n".join(lines), "exec")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
            program.errors.append(_slip(scalar, problem, first, lines))
            if not _blank_out(lines, problem, program.faulty):
                return
        else:
            for statement in block.body:
                ast.increment_lineno(statement, first)
            program.statements += block.body
            return
    program.faulty.update(_names(lines))


def _blank_out(lines: list[str], problem: Exception, faulty: set[str]) -> bool:
    """Put a placeholder in the place of the statement that can't be read; return whether anything else is left."""
    starts = dict(_statements(lines))
    at = min(_line(problem), len(lines)) - 1
    begin = max((i for i in starts if i <= at), default=0)
    column = starts.get(begin, 0)
    end = min((i for i, c in starts.items() if i > begin and c <= column), default=len(lines))
    faulty.update(_names(lines[begin:end]))
    if begin == min(starts, default=0):
        return False
    odd = isinstance(problem, IndentationError) and not LACKS_BODY.search(problem.msg)
    lines[begin:end] = ["" if odd else f"{' ' * column}pass", *[""] * (end - begin - 1)]
    return True


def _names(lines: list[str]) -> Iterator[str]:
    """Yield the names that lines set, as far as that can be told."""
    for line in lines:
        header = HEADER.match(line)
        if header:
            yield header["name"]
        else:
            yield from TARGETS.findall(line.partition("#")[0].partition("=")[0])


def _line(problem: Exception) -> int:
    """Return the line, from one, of the statement that can't be read."""
    if not isinstance(problem, SyntaxError):
        return 1
    lacking = LACKS_BODY.search(problem.msg or "")
    return int(lacking[3]) if lacking else problem.lineno or 1


def _slip(scalar: Scalar, problem: Exception, first: int, lines: list[str], wanted: str = "") -> SpecError:
    """Return what a parser's error in the lines from ``first`` on means; ``wanted`` says how such a text is written."""
    if isinstance(problem, (RecursionError, MemoryError)):
        return SpecError(
            "this is nested too deeply",
            code="too-large",
            span=scalar.locate(first + 1, 0, len(lines[0]) if lines else 1),
            expected=f"at most {MAX_NESTING} levels",
            hint="give the inner part a name of its own",
        )
    if not isinstance(problem, SyntaxError):
        return SpecError(
            "this can't be read: it holds a null character", code="syntax", span=scalar.locate(first + 1, 0)
        )
    message = problem.msg or ""
    if "integer string conversion" in message:
        return _long_number(scalar, first, lines)
    line, column = min(_line(problem), len(lines)), max(0, (problem.offset or 1) - 1)
    written = lines[line - 1]
    said, hint = _meaning(message, written, column, wanted)
    if LACKS_BODY.search(message) or isinstance(problem, IndentationError):
        column = len(written) - len(written.lstrip())
    width = len(written.partition("#")[0].strip()) if LACKS_BODY.search(message) else 1
    word = re.match(r"'(\w+)' is a word of Python", said)
    if word:
        column, width = written.index(word[1]), len(word[1])
    return SpecError(said, code="syntax", span=scalar.locate(first + line, min(column, len(written)), width), hint=hint)


def _long_number(scalar: Scalar, first: int, lines: list[str]) -> SpecError:
    place, number = max(
        ((i, found) for i, line in enumerate(lines) for found in LONG_NUMBER.finditer(line)),
        key=lambda pair: len(pair[1][0]),
    )
    span = scalar.locate(first + place + 1, number.start(), len(number[0]))
    return SpecError("this number is too long", code="too-large", span=span, expected=LIMITS)


def _meaning(message: str, line: str, column: int, wanted: str) -> tuple[str, str]:
    """Return what the parser's message means, and how to mend it."""
    lacking = LACKS_BODY.search(message)
    if lacking:
        kind = "def" if "function" in message else lacking[1] or lacking[2]
        return f"this '{kind}' has no indented lines below it", "indent the lines that belong to it by four spaces"
    sign = re.search(r"invalid (?:non-printable )?character.*U\+([0-9A-F]+)", message)
    if sign:
        character = chr(int(sign[1], 16))
        instead = SIGNS.get(character)
        return f"'{character}' is not part of the language", f"write {instead}" if instead else ""
    for pattern, said, hint in MEANINGS:
        found = re.search(pattern, message)
        if found:
            return said.format(*found.groups()), hint
    line, _, _ = line.partition("#")
    if "^" in line:
        return "this can't be read", "a power is written **"
    words = [word for word in re.findall(NAME, line) if iskeyword(word) and word not in SPOKEN]
    if words:
        return f"'{words[0]}' is a word of Python, and can't be a name", f"use another name, such as {words[0]}_"
    rest = line[column:].strip()
    if not rest:
        return "this ends too early", "something is missing after it"
    if not wanted and "=" not in line and not line.rstrip().endswith(":"):
        wanted = "a step is written 'name = expression'"
    before, found = line[:column].rstrip(), OPERATOR.match(rest)
    if found and OPERATOR.match(before[-1:]):
        return f"unexpected '{found[0]}' after '{before[-1]}'", wanted
    return f"this can't be read from '{rest[:20]}' on", wanted
