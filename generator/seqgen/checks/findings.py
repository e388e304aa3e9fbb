"""What `seqgen check` finds: files that are not as the specs say, and conditions that do not hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seqgen.errors import SeqgenError
from seqgen.ledger.document import parse
from seqgen.pages.render import was_edited
from seqgen.product import Product, ledger_path, make
from seqgen.project import Project

MOST_CHANGES = 8


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something that disagrees: the rule, the place, what differs, and the command that cures it."""

    rule: str
    place: str
    message: str
    cure: str
    details: tuple[str, ...] = ()
    warning: bool = False


@dataclass(kw_only=True)
class Review:
    """All findings, the errors of specs, and how much was looked at."""

    findings: list[Finding] = field(default_factory=list)
    errors: list[SeqgenError] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def count(self, what: str, number: int = 1) -> None:
        """Add to a count."""
        self.counts[what] = self.counts.get(what, 0) + number


def review(project: Project, wanted: tuple[str, ...] = ()) -> Review:
    """Recompute ``wanted`` specs and decks (all for nothing) in memory, compare them with the files; writes nothing."""
    from seqgen.decks.review import review_decks
    from seqgen.decks.sources import select

    result = Review()
    expected: set[str] = set()
    names, decks = select(project, wanted)
    for name in names:
        result.count("spec")
        try:
            product = make(project, name, replay=True)
        except SeqgenError as problem:
            result.errors.append(problem)
            continue
        expected |= set(product.files)
        result.findings += _of_product(project, name, product, result)
    if not wanted and not result.errors:
        result.findings += _orphans(project, expected)
    if decks:
        result.count("deck", len(decks))
    result.findings += review_decks(project, decks, everything=not wanted)
    return result


def _of_product(project: Project, name: str, product: Product, result: Review) -> Iterator[Finding]:
    result.count("entry", len(product.ledger["entries"]))
    result.count("check", len(product.outcomes))
    result.count("page", len(product.files) - 1)
    for outcome in product.outcomes:
        line = f"{outcome.span}: {outcome.said}"
        if (outcome.skipped or outcome.known) and line not in result.said:  # a child repeats its parent's checks
            result.said.append(line)
    for outcome in product.outcomes:
        if not outcome.passed:
            yield Finding(
                rule="failed-check",
                place=str(outcome.span),
                message=outcome.said,
                cure="correct the spec, or what the check expects",
            )
    yield from _unproven(name, product)
    yield from _ledger(project, name, product)
    yield from _pages(project, name, product)


def _unproven(name: str, product: Product) -> Iterator[Finding]:
    for key, entry in product.ledger["entries"].items():
        if not entry["proven"]:
            place = product.microscope.graph.entries.get(key)
            yield Finding(
                rule="unproven",
                place=str(place.span) if place and place.span else f"specs/{name}.yaml",
                message=f"the digits of {key} can't be proven",
                cure="raise precision_limit in [tool.seqgen], or print fewer digits",
            )


def _ledger(project: Project, name: str, product: Product) -> Iterator[Finding]:
    path = ledger_path(name)
    cure = f"seqgen build {name}"
    file = project.root / path
    if not file.is_file():
        yield Finding(rule="missing-ledger", place=path, message="the ledger is missing", cure=cure)
        return
    text = file.read_bytes().decode("utf-8", errors="replace")
    if text == product.files[path]:
        return
    if any(line.startswith(("<<<<<<< ", ">>>>>>> ")) for line in text.splitlines()):
        yield Finding(
            rule="conflict",
            place=path,
            message="the ledger holds a merge conflict",
            cure=f"resolve the spec, then {cure}",
        )
        return
    try:
        changes = list(_changes(parse(text), product.ledger))
    except ValueError as problem:
        yield Finding(rule="stale-ledger", place=path, message=f"this is not a ledger: {problem}", cure=cure)
        return
    shown = changes[:MOST_CHANGES]
    if len(changes) > len(shown):
        shown.append(f"and {len(changes) - len(shown)} more")
    yield Finding(
        rule="stale-ledger",
        place=path,
        message="the ledger is not what the spec computes",
        cure=cure,
        details=tuple(shown),
    )


def _changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    """Yield what differs, entry by entry: old to new, and whether the printed form changes."""
    before, after = old.get("entries", {}), new["entries"]
    for key in [*after, *(k for k in before if k not in after)]:
        if key not in before:
            yield f"{key}: new"
        elif key not in after:
            yield f"{key}: no longer there"
        elif before[key] != after[key]:
            yield from _entry_changes(key, before[key], after[key])
    for key, value in new.items():
        if key != "entries" and old.get(key) != value:
            yield f"{key} differs"


def _entry_changes(key: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    if old.get("shown") != new["shown"]:
        yield f"{key}: {_flat(old.get('shown'))} → {_flat(new['shown'])} (the printed form changes)"
    elif old.get("value") != new["value"]:
        yield f"{key}: {_flat(old.get('value'))} → {_flat(new['value'])} (the printed form stays)"
    else:
        parts = [part for part in {**old, **new} if old.get(part) != new.get(part)]
        yield f"{key}: {', '.join(parts)} (the printed form stays)"


def _flat(value: Any) -> str:
    text = str(value).replace("'", "")
    return text if len(text) <= 60 else text[:57] + "…"


def _pages(project: Project, name: str, product: Product) -> Iterator[Finding]:
    cure = f"seqgen build {name}"
    missing = []
    for path, text in product.files.items():
        if path.startswith("ledgers/"):
            continue
        file = project.root / path
        if not file.is_file():
            missing.append(path)
            continue
        found = file.read_bytes().decode("utf-8", errors="replace")
        if found == text:
            continue
        if was_edited(found):
            yield Finding(
                rule="edited-page",
                place=_place(path, found, text),
                message="the page was edited by hand",
                cure=f"move the edit to the spec or the template, then {cure}",
                details=_line(found, text),
            )
        else:
            yield Finding(
                rule="stale-page",
                place=_place(path, found, text),
                message="the page is not what the spec gives",
                cure=cure,
                details=_line(found, text),
            )
    if len(missing) > 3:
        yield Finding(
            rule="missing-page", place=f"build/*/{name}", message=f"{len(missing)} pages are missing", cure=cure
        )
    else:
        for path in missing:
            yield Finding(rule="missing-page", place=path, message="the page is missing", cure=cure)


def _difference(found: str, expected: str) -> tuple[int, str, str]:
    """Return the first line, past the digest's, in which two pages differ."""
    old, new = found.splitlines(), expected.splitlines()
    for number in range(1, max(len(old), len(new))):
        a = old[number] if number < len(old) else ""
        b = new[number] if number < len(new) else ""
        if a != b:
            return number + 1, a, b
    return 1, "", ""


def _place(path: str, found: str, expected: str) -> str:
    return f"{path}:{_difference(found, expected)[0]}"


def _line(found: str, expected: str) -> tuple[str, ...]:
    _, old, new = _difference(found, expected)
    return (f"- {old}", f"+ {new}") if old != new else ()


def _orphans(project: Project, expected: set[str]) -> Iterator[Finding]:
    for folder, pattern in (
        (project.ledgers, "*.json"),
        (project.pages / "latex", "*.tex"),
        (project.pages / "markdown", "*.md"),
    ):
        for path in sorted(folder.rglob(pattern)) if folder.is_dir() else ():
            relative = project.relative(path)
            if relative not in expected and not _is_hidden(path):
                yield Finding(rule="orphan", place=relative, message="no spec makes this file", cure=f"rm {relative}")


def _is_hidden(path: Path) -> bool:
    return path.name.startswith(".")
