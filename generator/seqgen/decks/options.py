"""The options of a citation, as one table: what each is called, what it takes, and what it sets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from seqgen.decks.marks import DeckText, Piece
from seqgen.errors import Collector, SpecError, nearest
from seqgen.spec.model import Display

MOST_DIGITS = 40  # as in a spec

# How many digits, and the least that make sense.
COUNTS = {
    "digits": ("decimals", 0),
    "short": ("short", 0),
    "percent": ("percent", 0),
    "significant": ("significant", 1),
    "scientific": ("scientific", 1),
}
LAYOUTS = ("tuple", "bmatrix", "pmatrix", "column", "plain")
SPELLINGS = ("exact", "as-written")
CHOICES = {
    "form": (*LAYOUTS, *SPELLINGS),
    "decimal": ("point", "comma"),
    "relation": ("yes", "no"),
    "paren": ("yes", "no"),
    "minus": ("sign", "hyphen"),
}
NAMES = (*COUNTS, *CHOICES)
# Braces protect a comma, as in TeX: decimal={,}.
MARKS = {"{,}": "comma", ",": "comma", ".": "point", "{.}": "point"}


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a citation is printed; what is not set is as the spec and the value suggest.

    display: digits and notation. layout: tuple, bmatrix, pmatrix, column or plain. relation: whether = or ≈ comes
    first. comma: whether the decimal mark is a comma. paren: whether a number is in parentheses; None where its
    neighbours say so. hyphen: whether the minus sign of plain text is a hyphen.
    """

    display: Display | None = None
    layout: str = ""
    relation: bool = False
    comma: bool = False
    paren: bool | None = None
    hyphen: bool = False


def read_options(deck: DeckText, piece: Piece, errors: Collector) -> Options:
    """Return the options that ``piece`` writes as ``name=value, name=value``; mistakes go to ``errors``."""
    chosen: dict[str, tuple[str, Piece]] = {}
    for part in split(piece):
        try:
            slot, value = _option(deck, part)
            if slot in chosen:
                raise SpecError(
                    f"'{part.text}' and '{chosen[slot][1].text}' set the same",
                    code="option",
                    span=deck.span(part.start, len(part.text)),
                    hint="leave one of them out",
                )
            chosen[slot] = (value, part)
        except SpecError as problem:
            errors.add(problem)
    values = {slot: value for slot, (value, _) in chosen.items()}
    return Options(
        display=_display(values["display"]) if "display" in values else None,
        layout=values.get("layout", ""),
        relation=values.get("relation") == "yes",
        comma=values.get("decimal") == "comma",
        paren={"yes": True, "no": False}.get(values.get("paren", "")),
        hyphen=values.get("minus") == "hyphen",
    )


def split(piece: Piece) -> Iterator[Piece]:
    """Yield the parts of ``piece`` between commas outside brackets, without the space around them."""
    depth, start = 0, 0
    for i, c in enumerate(f"{piece.text},"):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and (depth == 0 or i == len(piece.text)):
            part = piece.text[start:i]
            lead = len(part) - len(part.lstrip())
            if part.strip():
                yield Piece(text=part.strip(), start=piece.start + start + lead)
            start = i + 1


def _option(deck: DeckText, part: Piece) -> tuple[str, str]:
    """Return what an option sets and to what; a display is written ``form count``."""
    name, equals, value = (text.strip() for text in part.text.partition("="))
    span = deck.span(part.start, len(name))
    if name not in NAMES:
        known = nearest(name, NAMES) or (f"write form={name}" if name in CHOICES["form"] else "")
        raise SpecError(f"unknown option '{name}'", code="option", span=span, expected=", ".join(NAMES), hint=known)
    place = deck.span(part.start + len(part.text) - len(value), len(value)) if value else span
    if name in COUNTS:
        form, least = COUNTS[name]
        if not re.fullmatch(r"[0-9]{1,3}", value) or not least <= int(value) <= MOST_DIGITS:
            raise SpecError(
                f"'{name}' takes a number of digits",
                code="option",
                span=place,
                expected=f"{name}={least} to {name}={MOST_DIGITS}",
                got=value,
            )
        return "display", f"{form} {int(value)}"
    if name in ("relation", "paren") and not equals:
        value = "yes"
    value = MARKS.get(value, value)
    if value not in CHOICES[name]:
        raise SpecError(
            f"'{name}' has no value '{value}'",
            code="option",
            span=place,
            expected=", ".join(CHOICES[name]),
            hint=nearest(value, CHOICES[name]),
        )
    if name == "form":
        return ("layout", value) if value in LAYOUTS else ("display", f"{value} 0")
    return name, value


def _display(text: str) -> Display:
    form, digits = text.split()
    return Display(form=form) if form in SPELLINGS else Display(form=form, digits=int(digits))
