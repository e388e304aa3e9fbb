"""A file is a ledger only where all of it is of the kinds that docs/ledger.md states."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from seqgen.ledger.contract import read_ledger

LEDGERS = Path(__file__).parent.parent / "ledgers"
ENTRY = {
    "role": "gradient", "formula": "", "about": "", "shape": [2], "value": [1.0, "-inf"], "exact": ["1", None],
    "shown": ["1", "-inf"], "proven": True, "via": {"y": [1, 0.5]},
}  # fmt: skip
LEDGER: dict[str, Any] = {
    "seqgen": 1,
    "spec": "a",
    "title": "A",
    "source": {"spec": "sha256:0", "extends": [{"spec": "b", "sha256": "0"}], "uses": []},
    "dims": {"T": 2},
    "parameters": {"total": 0},
    "notation": {},
    "entries": {"g": ENTRY},
    "derived": {"1 - g": {"shape": [], "value": 0.0, "shown": "0", "proven": True}},
    "cited": [{"reference": "g", "heading": "$g$", "t": 0}],
    "checks": [],
}


@pytest.mark.parametrize("path", sorted(LEDGERS.rglob("*.json")), ids=lambda p: p.relative_to(LEDGERS).as_posix())
def test_a_shipped_ledger_is_one(path: Path) -> None:
    """What a build writes is of the contract."""
    assert read_ledger(path.read_text(encoding="utf-8"))["spec"] == path.relative_to(LEDGERS).with_suffix("").as_posix()


def test_an_example_is_a_ledger() -> None:
    """So that each change below is what makes it none."""
    assert read_ledger(json.dumps(LEDGER)) == LEDGER


WRONG = [
    (("title",), 7, "'title' of the ledger must be a text"),
    (("source",), [], "'source' of the ledger must be an object"),
    (("source", "extends", 0, "sha256"), None, "'sha256' of an item of 'extends' of 'source' of the ledger must be a text"),
    (("dims", "T"), -1, "'T' of 'dims' of the ledger must be a whole number"),
    (("dims", "T"), True, "'T' of 'dims' of the ledger must be a whole number"),
    (("entries",), [], "'entries' of the ledger must be an object"),
    (("entries", "g"), 5, "'g' of 'entries' of the ledger must be an object"),
    (("entries", "g", "shape"), [2, 2], "'value' of 'g' of 'entries' of the ledger must be a list"),
    (("entries", "g", "shape"), [3], "'value' of 'g' of 'entries' of the ledger does not have the shape that stands beside it"),
    (("entries", "g", "value"), 1.0, "must be a list"),
    (("entries", "g", "value", 0), "1", "must be a number"),
    (("entries", "g", "shown", 0), 1, "must be a text"),
    (("entries", "g", "exact", 0), 1, "must be a text, or null"),
    (("entries", "g", "proven"), 1, "must be true or false"),
    (("entries", "g", "via", "y"), [1], "'y' of 'g' of 'entries' of the ledger does not have the shape"),
    (("derived", "1 - g", "value"), None, "must be a number"),
    (("cited", 0, "t"), 0.5, "must be a text or a whole number"),
    (("cited", 0, "reference"), 1, "must be a text"),
    (("checks",), {}, "must be a list"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("place", "value", "message"), WRONG, ids=lambda x: ".".join(map(str, x)) if isinstance(x, tuple) else ""
)
def test_a_value_of_another_kind_is_refused(place: tuple[str | int, ...], value: Any, message: str) -> None:
    """The message says where it is and what it must be."""
    ledger: Any = deepcopy(LEDGER)
    part = ledger
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    with pytest.raises(ValueError, match=r".") as caught:
        read_ledger(json.dumps(ledger))
    assert message in str(caught.value)


@pytest.mark.parametrize("key", [key for key in LEDGER if key not in ("seqgen", "notation", "derived", "cited")])
def test_a_ledger_without_a_key_of_the_contract_is_refused(key: str) -> None:
    """Keys that were added since may be absent."""
    ledger = {name: value for name, value in LEDGER.items() if name != key}
    with pytest.raises(ValueError, match=f"the ledger has no '{key}'"):
        read_ledger(json.dumps(ledger))
