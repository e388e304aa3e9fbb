"""Measures the audit on a lecture whose numbers are known: what backs each, and whether each slip is seen.

    python benchmarks/audit.py LECTURE EXPECTED [--ledgers FOLDER] [--spec PREFIX] [--list]

EXPECTED is YAML: a list of ``{spec, entry, digits, shown}``, where ``shown`` holds the printed digits of an entry, in
nested lists. Each is looked for in the lecture, as a whole. Then each of its numbers is changed by one in its last
digit, one at a time, and the deck is audited anew: a change is seen where the number is a near miss or unbacked.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from seqgen.auditing.formats import READERS
from seqgen.auditing.verdicts import Auditor, Finding
from seqgen.ledger.contract import read_ledger

BETWEEN = r"(?:[\s,;&]|\\\\)+"
SEEN = ("near miss", "unbacked")


@dataclass(frozen=True)
class Place:
    """A printed number of a record: its stretch of the lecture, and the reference that it should have."""

    start: int
    end: int
    spec: str
    reference: str
    is_decimal: bool


Wanted = dict[tuple[int, int], list[Place]]


def numbers(shown: Any, reference: str) -> Iterator[tuple[str, str]]:
    """Yield the digits of a record with their references."""
    if isinstance(shown, list):
        base = reference if re.fullmatch(r"[\w.]+(\[\d+\])*|(grad)?\(.*\)(\[\d+\])*", reference) else f"({reference})"
        for i, part in enumerate(shown):
            yield from numbers(part, f"{base}[{i}]")
    else:
        yield shown, reference


def located(text: str, record: dict[str, Any]) -> Iterator[list[Place]]:
    """Yield the occurrences of a record's digits, side by side, in a lecture."""
    parts = list(numbers(record["shown"], record["entry"]))
    patterns = [re.escape(digits).replace("\\-", "[-−]") for digits, _ in parts]
    patterns = [re.sub(r"^((?:\[-−\])?)0\\\.", r"\g<1>0?\\.", p) for p in patterns]
    if len(parts) == 1 and record["digits"] == 0:  # an integer stands everywhere
        named = rf"(?:(?<==)|(?<== )|(?<=[A-Za-z]{{4}}))({patterns[0]})(?![\w.]|\s*[-+*×])"
        whole = rf"{named}|(?<![\w.])({patterns[0]})(?= parameters)"
    else:
        alone = len(parts) == 1 and record["digits"] <= 4
        lone = r"(?<![\d.\-−])(?<![,&(\[])(?<![,&(\[]\s)(?<!matrix\})(?<!\\\\)"
        before = lone if alone else r"(?<![\d.\-−])" if len(parts) == 1 else r"(?<![\d.\-−])(?<![,&])(?<![,&]\s)"
        after = (
            r"(?!\d|\.\d|\s*&|\s*,\s*[-−]?[\d.])"
            if alone
            else r"(?!\d|\.\d)"
            if len(parts) == 1
            else r"(?!\d|\.\d|\s*[,&])"
        )
        whole = before + BETWEEN.join(f"({p})" for p in patterns) + after
    for match in re.finditer(whole, text):
        stretches = [match.span(i) for i in range(1, match.re.groups + 1) if match.span(i) != (-1, -1)]
        pairs = zip(stretches, parts, strict=True)
        yield [Place(*stretch, record["spec"], reference, record["digits"] > 0) for stretch, (_, reference) in pairs]


def changed(digits: str) -> Iterator[str]:
    """Yield a number with its last digit one higher, and one lower, where that is a digit."""
    for step in (1, -1):
        last = int(digits[-1]) + step
        if 0 <= last <= 9:
            yield digits[:-1] + str(last)


def bare(reference: str) -> str:
    """Return a reference in one spelling."""
    return reference.replace(" ", "")


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lecture", type=Path)
    parser.add_argument("expected", type=Path)
    parser.add_argument("--ledgers", type=Path, default=Path("ledgers"))
    parser.add_argument("--spec", default="", help="only ledgers below this folder")
    parser.add_argument("--list", action="store_true", help="name each number that is not as it should be")
    options = parser.parse_args()
    started = time.perf_counter()
    ledgers = [read_ledger(path.read_text()) for path in sorted((options.ledgers / options.spec).rglob("*.json"))]
    auditor = Auditor(ledgers)
    loaded = time.perf_counter()
    text = options.lecture.read_text(encoding="utf-8")

    def audit(deck: str) -> dict[int, Finding]:
        content = READERS[options.lecture.suffix](deck)
        return {f.end: f for f in auditor.audit_text(deck, content, options.lecture.name).findings}

    found = audit(text)
    audited = time.perf_counter()
    verdicts = dict(Counter(f.verdict for f in found.values()))
    print(
        f"{options.lecture.name}: loaded in {loaded - started:.2f} s, audited in {audited - loaded:.2f} s; {verdicts}"
    )
    wanted = wanted_in(text, yaml.safe_load(options.expected.read_text(encoding="utf-8")))
    parents = {ledger["spec"]: {p["spec"] for p in ledger["source"]["extends"]} for ledger in ledgers}
    attribute(text, wanted, found, parents, listed=options.list)
    mutate(text, wanted, found, audit, listed=options.list)


def wanted_in(text: str, records: list[dict[str, Any]]) -> Wanted:
    """Return the places of all records; several records may print the same digits."""
    wanted: Wanted = {}
    lost = []
    for record in records:
        places = [place for occurrence in located(text, record) for place in occurrence]
        lost += [] if places else [f"{record['spec']}: {record['entry']}"]
        for place in places:
            wanted.setdefault((place.start, place.end), []).append(place)
    print(f"  {len(records)} records; not printed with just these digits: {'; '.join(lost) or 'none'}")
    return wanted


def attribute(
    text: str, wanted: Wanted, found: dict[int, Finding], parents: dict[str, set[str]], *, listed: bool
) -> None:
    """Print whether each number is backed, and by the right entry, and which near misses the lecture itself has."""
    outcomes: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for (start, end), places in sorted(wanted.items()):
        finding = found.get(end)
        outcome = verdict_of(finding, places, parents)
        outcomes[any(p.is_decimal for p in places)][outcome] += 1
        if listed and outcome != "right entry":
            got = f"{finding.verdict} {finding.spec}: {finding.reference}" if finding else "not seen"
            line = text.count("\n", 0, start) + 1
            print(f"  {line}: {text[start:end]}: {outcome}: not {places[0].spec}: {places[0].reference} but {got}")
    print(f"  decimals: {dict(outcomes[True])}; integers, of a record or else: {dict(outcomes[False])}")
    misses = [f for f in found.values() if f.verdict == "near miss"]
    print(f"  near misses in the lecture as it is: {len(misses)}")
    for f in misses if listed else ():
        print(f"  {f.line}: {f.text}: {f.spec}: {f.reference} ({f.reason})")


def verdict_of(finding: Finding | None, places: list[Place], parents: dict[str, set[str]]) -> str:
    """Return whether a finding is what a number should be."""
    if finding is None:
        return "not seen"
    if finding.verdict not in ("backed", "given"):
        return finding.verdict
    for place in places:
        family = {place.spec, *parents.get(place.spec, ())}
        if bare(finding.reference) == bare(place.reference) and (
            finding.spec in family or place.spec in parents.get(finding.spec, ())
        ):
            return "right entry"
    return (
        "another entry of the spec"
        if any(finding.spec in {p.spec, *parents.get(p.spec, ())} for p in places)
        else "another spec"
    )


def mutate(
    text: str, wanted: dict[tuple[int, int], list[Place]], found: dict[int, Finding], audit: Any, *, listed: bool
) -> None:
    """Change each number in turn and print how many changes are seen; integers where the audit knows them."""
    started = time.perf_counter()
    verdicts: dict[str, Counter[str]] = {"decimals": Counter(), "integers": Counter()}
    for (start, end), places in sorted(wanted.items()):
        kind = "decimals" if any(p.is_decimal for p in places) else "integers"
        known = found.get(end)
        if kind == "integers" and (known is None or all(bare(known.reference) != bare(p.reference) for p in places)):
            continue
        for digits in changed(text[start:end]):
            finding = audit(text[:start] + digits + text[end:]).get(end)
            verdict = finding.verdict if finding else "not seen"
            verdicts[kind][verdict] += 1
            if listed and verdict not in SEEN:
                line = text.count("\n", 0, start) + 1
                what = f"{finding.spec}: {finding.reference}" if finding else ""
                print(f"  unseen: {line}: {text[start:end]} -> {digits}: {verdict} {what}")
    for kind, counts in verdicts.items():
        total, seen = sum(counts.values()), sum(counts[v] for v in SEEN)
        print(f"  {kind}: {total} changes, {seen} seen: {100 * seen / max(1, total):.2f} %; {dict(counts)}")
    print(f"  {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
