"""The report on a spec's conventions, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict

from seqgen.conventions.compare import Comparison

VERSION = 1
WORDS = {
    "seen": "printed",
    "hidden": "stored only",
    "equal": "equal",
    "undecided": "equal as stored",
    "fails": "no numbers",
}


def lines(name: str, comparisons: Sequence[Comparison], *, silent: bool = False) -> Iterator[str]:
    """Yield the report on one spec; with ``silent`` only what its printed numbers do not tell apart."""
    told = [one for one in comparisons if not (silent and one.visible)]
    apart = sum(one.visible for one in comparisons)
    yield f"{name}: {apart} of {len(comparisons)} conventions change a printed number"
    wide = max((len(one.name) for one in told), default=0)
    for one in told:
        yield f"  {WORDS[one.verdict]:15} {one.name:{wide}}  {describe(one)}"


def describe(one: Comparison) -> str:
    """Return what a convention changes, or why it changes nothing, in one line."""
    why = "; ".join(one.why)
    if one.first is not None:
        more = f", {one.first.count} in all" if one.first.count > 1 else ""
        where = ", in gradients alone" if one.in_gradients else ""
        by = f", by {one.first.by:.1e}" if one.first.by else ""
        change = f"{one.first.reference}: {one.first.before} becomes {one.first.after}{by}{more}{where}"
        return f"{change}; {why}" if why else change
    if one.verdict == "equal":
        how = "proven" if one.proof == "exact" else "proven to lie within 1e-60"
        return f"{how}: {why}" if why else how
    if one.verdict == "undecided":
        return f"not proven: {why}" if why else "not proven"
    return why


def as_json(found: Iterable[tuple[str, Sequence[Comparison]]]) -> str:
    """Return the comparisons of all specs as one object."""
    specs: Mapping[str, object] = {name: [_row(one) for one in comparisons] for name, comparisons in found}
    return json.dumps({"version": VERSION, "specs": specs}, ensure_ascii=False, indent=1) + "\n"


def _row(one: Comparison) -> dict[str, object]:
    return {**asdict(one), "visible": one.visible, "gradients_only": one.in_gradients}
