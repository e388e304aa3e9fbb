"""The options of a citation of a whole page: which of its parts, and how they are laid out and revealed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from seqgen.decks.marks import DeckText, Piece
from seqgen.decks.options import MOST_DIGITS, split
from seqgen.errors import Collector, Span, SpecError, nearest
from seqgen.spec.document import Scalar

PAGE = re.compile(r"(?:^|:)\s*(?:table|worked)\s+[\w-]+\s*\Z")
RANGES = re.compile(r"\{?\s*[0-9]{1,4}(?:\s*-\s*[0-9]{1,4})?(?:\s*,\s*[0-9]{1,4}(?:\s*-\s*[0-9]{1,4})?)*\s*\}?")


@dataclass(frozen=True, kw_only=True)
class PageOptions:
    r"""How a cited table or derivation is laid out.

    digits: of every number without a display of its own. columns, rows: the places, from 1, that are shown, in their
    order; rows are a derivation's lines too. caption: whether it stands above. booktabs: whether the rules are those of
    that package. highlight: the value that is pointed out. steps: the slide on which the first row appears, each
    further one a slide later; 0 shows all at once. blank: whether results are left empty. empty: columns that are.
    """

    digits: int | None = None
    columns: tuple[int, ...] = ()
    rows: tuple[int, ...] = ()
    caption: bool = False
    booktabs: bool = False
    highlight: Scalar | None = None
    steps: int = 0
    blank: bool = False
    empty: tuple[int, ...] = ()


def names_a_page(body: str) -> bool:
    """Whether a citation refers to a whole page, such as ``table trace``."""
    return PAGE.search(body) is not None


def read_page_options(deck: DeckText, piece: Piece, errors: Collector) -> PageOptions:
    """Return the options of a page that ``piece`` writes; what is wrong goes to ``errors``."""
    values: dict[str, Any] = {}
    for part in split(piece):
        name, equals, value = (text.strip() for text in part.text.partition("="))
        span = deck.span(part.start, len(name))
        place = deck.span(part.start + len(part.text) - len(value), len(value)) if value else span
        if name not in READERS:
            hint = nearest(name, READERS)
            errors.add(_wrong(f"a page has no option '{name}'", span, expected=", ".join(READERS), hint=hint))
        elif name in values:
            errors.add(_wrong(f"'{name}' is set twice", span, hint="leave one of them out"))
        elif (found := READERS[name](value if equals else None, place)) is None:
            errors.add(_wrong(f"'{name}' can't be read", place, expected=EXPECTED[name], got=value))
        else:
            values[name] = found
    empty = values.pop("blank", ())
    return PageOptions(**values, blank=empty is True, empty=() if empty is True else empty)


def _wrong(message: str, span: Span, *, expected: str = "", got: str = "", hint: str = "") -> SpecError:
    return SpecError(message, code="option", span=span, expected=expected, got=got, hint=hint)


def _flag(text: str | None, place: Span) -> bool | None:
    return True if text in (None, "yes") else None


def _count(text: str | None, place: Span) -> int | None:
    return int(text) if text and re.fullmatch("[0-9]{1,2}", text) and int(text) <= MOST_DIGITS else None


def _steps(text: str | None, place: Span) -> int | None:
    return 1 if text is None else _count(text, place) or None


def _places(text: str | None, place: Span) -> tuple[int, ...] | None:
    if text is None or not RANGES.fullmatch(text):
        return None
    found: list[int] = []
    for part in text.strip("{} ").split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return tuple(found) if found and min(found) > 0 else None


def _blank(text: str | None, place: Span) -> bool | tuple[int, ...] | None:
    return True if text is None else _places(text, place)


def _reference(text: str | None, place: Span) -> Scalar | None:
    text = (text or "").strip('{}" ')
    return Scalar(text=text, span=place) if text else None


READERS: dict[str, Callable[[str | None, Span], Any]] = {
    "digits": _count,
    "columns": _places,
    "rows": _places,
    "caption": _flag,
    "booktabs": _flag,
    "highlight": _reference,
    "steps": _steps,
    "blank": _blank,
}
PLACES = "places from 1, such as 2, 1-3 or {1, 3}"
EXPECTED = {
    "digits": f"a number of decimals up to {MOST_DIGITS}",
    "columns": PLACES,
    "rows": PLACES,
    "caption": "nothing after its name",
    "booktabs": "nothing after its name",
    "highlight": "a reference in braces, such as {A[1][0]}",
    "steps": "nothing after its name, or the slide of the first row",
    "blank": f"nothing after its name, or {PLACES}",
}
