"""What a YAML parser's complaints mean to an author: the place that is wrong, and how to write it."""

from __future__ import annotations

import re
from typing import Any

from seqgen.errors import Source, Span, SpecError

QUOTE = "quote a text that contains ': ', '#', '[', '{' or a backslash: 'like this'"
PLAIN_VALUE = re.compile(r"\s*(?:- )?(?P<key>[^\s:'\"{\[][^:]*):\s+(?P<text>[^'\"|>&*{\[\s].*)")
INDEXED_KEY = re.compile(r"\w\[[^\]]*\]\s*:")
TIGHT = re.compile(r"\s*(?P<key>\w+):(?P<rest>[^\s/].*)")
CONFLICT = ("<<<<<<<", "=======", ">>>>>>>")


def explain(source: Source, problem: Any) -> SpecError:
    """Return what a complaint of PyYAML's means; its C and its Python parser word it differently."""
    mark = getattr(problem, "problem_mark", None) or getattr(problem, "context_mark", None)
    if mark is None:
        return _unreadable(source, problem)
    start = getattr(problem, "context_mark", None)
    at, begin = _Place(source, mark), _Place(source, start or mark)
    said = f"{problem.context or ''} {problem.problem or ''}"
    for pattern, meaning in MEANINGS:
        if re.search(pattern, said):
            found = meaning(at, begin)
            if found is not None:
                return found
    return at.error(f"this is not YAML: {problem.problem or problem.context}", QUOTE)


def _unreadable(source: Source, problem: Any) -> SpecError:
    position, character = getattr(problem, "position", None), getattr(problem, "character", None)
    if not isinstance(position, int) or not isinstance(character, int):
        return SpecError(f"{source.name} is not YAML: {str(problem).splitlines()[0]}", code="yaml-syntax")
    place = source.text.find(chr(character))
    line = source.text.count("\n", 0, place) + 1
    span = Span(source=source, line=line, column=place - source.text.rfind("\n", 0, place))
    return SpecError(
        f"a control character (U+{character:04X}) stands here", code="yaml-syntax", span=span, hint="delete it"
    )


class _Place:
    """A place in the text, and the lines around it."""

    def __init__(self, source: Source, mark: Any) -> None:
        self.source, self.line, self.column = source, mark.line + 1, mark.column + 1
        self.text = source.line(self.line)

    @property
    def rest(self) -> str:
        """What the line holds from here on."""
        return self.text[self.column - 1 :]

    @property
    def begins_line(self) -> bool:
        """Whether only blanks stand before this."""
        return not self.text[: self.column - 1].strip()

    def above(self) -> tuple[int, str]:
        """Return the last line above that is not blank, with its number; nothing at the top."""
        for number in range(self.line - 1, 0, -1):
            text = self.source.line(number)
            if text.strip() and not text.lstrip().startswith("#"):
                return number, text
        return 0, ""

    def in_steps(self) -> bool:
        """Whether this stands among the lines of 'steps' or 'after'."""
        for number in range(self.line, 0, -1):
            key = re.match(r"(\w+):", self.source.line(number))
            if key:
                return key[1] in ("steps", "after")
        return False

    def error(self, message: str, hint: str = "", *, width: int = 1, begin: _Place | None = None) -> SpecError:
        """Return the mistake at this place; ``begin`` is where the collection begins that it stands in."""
        span = Span(source=self.source, line=self.line, column=self.column, width=width)
        related = []
        if begin is not None:
            opened = Span(source=self.source, line=begin.line, column=begin.column)
            related = [(opened, f"'{begin.rest[:1]}' opens here")]
        return SpecError(message, code="yaml-syntax", span=span, hint=hint, related=related)

    def moved(self, line: int, column: int) -> _Place:
        """Return another place of the same text."""
        other = _Place.__new__(_Place)
        other.source, other.line, other.column = self.source, line, column
        other.text = self.source.line(line)
        return other


def _odd_line(at: _Place, begin: _Place) -> SpecError | None:
    for number, text in ((at.line, at.text), at.above()):
        if text.startswith(CONFLICT):
            return at.moved(number, 1).error("this is a merge conflict's marker", "resolve the conflict first", width=7)
    lead = at.text[: len(at.text) - len(at.text.lstrip())]
    if "\t" in lead:
        return at.moved(at.line, lead.index("\t") + 1).error(
            "a tab stands where spaces belong", "indent with spaces; YAML does not allow tabs"
        )
    return None


def _second_colon(at: _Place, begin: _Place) -> SpecError | None:
    plain = PLAIN_VALUE.match(at.text)
    if plain and at.column > plain.start("text"):
        text = plain["text"].rstrip().replace("'", "''")
        return at.error(
            "a text holds ': ', which begins a value in YAML", f"quote it: {plain['key'].strip()}: '{text}'"
        )
    number, above = at.above()
    if TIGHT.match(above):
        return _tight(at.moved(number, 1))
    if PLAIN_VALUE.match(above):
        column = len(at.text) - len(at.text.lstrip()) + 1
        return at.moved(at.line, column).error(
            "this line is indented below a key that has a value already", "begin it in the column of the key above"
        )
    return None


def _tight(at: _Place) -> SpecError | None:
    found = TIGHT.match(at.text)
    if found is None:
        return None
    hint = f"write {found['key']}: {found['rest'].strip()}"
    return at.moved(at.line, found.end("key") + 1).error("a ':' needs a space after it", hint)


def _not_closed(at: _Place, begin: _Place) -> SpecError | None:
    opening, closing = begin.rest[:1], {"[": "]", "{": "}"}.get(begin.rest[:1], "")
    if opening == "{" and INDEXED_KEY.search(at.text):
        return at.error("inside { }, '[' begins a list", 'write an indexed name in quotes: {"h[0]": …}', begin=begin)
    if at.line > begin.line:
        return begin.error(f"'{opening}' is never closed", f"end it with '{closing}'")
    if at.rest[:1] in ("]", "}"):
        return at.error(f"'{at.rest[:1]}' stands where '{closing}' belongs", begin=begin)
    return at.error(f"a ',' or a '{closing}' is missing here", begin=begin)


def _open_quote(at: _Place, begin: _Place) -> SpecError | None:
    return begin.error("this quote is never closed", "a quote inside quotes is written twice: 'it''s'")


def _escape(at: _Place, begin: _Place) -> SpecError | None:
    place = begin.text.find("\\", begin.column - 1)
    here = begin.moved(begin.line, place + 1) if place >= 0 else at
    return here.error(
        f"'{here.rest[:2]}' means nothing in double quotes",
        "in 'single quotes' a backslash is itself",
        width=2,
    )


def _no_key(at: _Place, begin: _Place) -> SpecError | None:
    if not at.begins_line and at.text[at.column - 2] == "'":
        return at.moved(at.line, at.column - 1).error(
            "the quote ends here", "a quote inside quotes is written twice: 'it''s'"
        )
    if not at.begins_line:
        return at.error("something follows a value that has ended", "quote the whole text, or begin a new line")
    if at.in_steps():
        return at.error("this line belongs to no key", "write 'steps: |', and indent all lines below it alike")
    if at.rest.startswith("- "):
        return at.error("a list item stands among keys", "put it below the key that it belongs to")
    return at.error("this line is indented unlike its neighbours", "keys of one mapping begin in the same column")


def _no_colon(at: _Place, begin: _Place) -> SpecError | None:
    tight = _tight(begin)
    if tight is not None:
        return tight
    width = len(begin.rest.rstrip())
    if begin.in_steps():
        return begin.error("this line belongs to no key", "indent all lines of 'steps: |' by two spaces", width=width)
    word = begin.rest.strip()
    hint = f"write '{word}:'" if word.isidentifier() else "a line is 'key: value'"
    return begin.error("this line has no ':'", hint, width=width)


def _bad_start(at: _Place, begin: _Place) -> SpecError | None:
    return at.error(f"a text can't begin with '{at.rest[:1]}' in YAML", "quote it: 'like this'")


def _anchor(at: _Place, begin: _Place) -> SpecError | None:
    return begin.error(f"'{begin.rest[:1]}' begins an alias or an anchor in YAML", "quote a text: 'like this'")


def _item(at: _Place, begin: _Place) -> SpecError | None:
    return at.error("a list item can't begin here", "begin it on a line of its own, or write [x, y]")


def _no_value(at: _Place, begin: _Place) -> SpecError | None:
    return at.error(f"'{at.rest[:1]}' stands where a value belongs", "quote a text: 'like this'")


def _after_bar(at: _Place, begin: _Place) -> SpecError | None:
    return at.error("a text after '|' begins on the next line", "put it below, indented")


MEANINGS = (
    ("", _odd_line),
    ("mapping values are not allowed", _second_colon),
    (r"expected ',' or '[\]}]'", _not_closed),
    ("unexpected end of stream", _open_quote),
    ("unknown escape", _escape),
    ("did not find expected key|expected <block end>", _no_key),
    ("could not find expected ':'", _no_colon),
    ("scanning an a", _anchor),
    ("cannot start any token", _bad_start),
    ("entries are not allowed", _item),
    ("expected (the )?node content", _no_value),
    ("comment or (a )?line break", _after_bar),
)
