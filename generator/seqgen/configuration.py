"""The settings of a project: ``[tool.seqgen]`` of its ``pyproject.toml``."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, fields

from seqgen.errors import Collector, Source, Span, SpecError, nearest

TIES = ("half-even", "half-away")
KINDS: dict[type, str] = {int: "a whole number", str: "a text", bool: "true or false", tuple: "a list of texts"}
RANGES = {"digits": (0, 40), "exact_limit": (0, 1000), "precision_limit": (64, 65_536), "size_limit": (1, 100_000_000)}


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """``[tool.seqgen]`` of ``pyproject.toml``.

    digits: decimals of a printed number where a spec does not say.
    ties: how a value exactly between two printed ones is rounded.
    exact_limit: operations up to which a closed form is kept.
    precision_limit: bits up to which a proof is tried.
    size_limit: numbers that a spec's steps, gradients and tables may make in all.
    select: rules of ``seqgen check`` that fail it although they only warn by default.
    ignore: rules of ``seqgen check`` that are left out.
    decimal_comma: whether decks write 3,14 for 3.14.
    audit: decks whose typed numbers ``seqgen check`` compares with the ledgers: files, folders, patterns.
    """

    digits: int = 4
    ties: str = "half-even"
    exact_limit: int = 60
    precision_limit: int = 4096
    size_limit: int = 250_000
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    decimal_comma: bool = False
    audit: tuple[str, ...] = ("slides",)


def read(source: Source) -> Configuration:
    """Return the configuration that ``source``, the text of ``pyproject.toml``, sets.

    Raises:
        SpecError: where ``[tool.seqgen]`` has an unknown key or a value of a wrong kind.
    """
    try:
        found = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as problem:
        raise _not_toml(source, str(problem)) from None
    for part in ("tool", "seqgen"):
        found = found.get(part, {})
        if not isinstance(found, dict):
            raise SpecError(f"'{part}' must be a table", code="configuration", hint="write [tool.seqgen]")
    return _configure(found, source)


def place(source: Source, key: str) -> Span | None:
    """Return the place of ``key`` in the configuration that ``source`` sets."""
    for number, line in enumerate(source.text.split("\n"), start=1):
        if re.match(rf"\s*{re.escape(key)}\s*=", line):
            return Span(source=source, line=number, column=len(line) - len(line.lstrip()) + 1, width=len(key))
    return None


def _configure(table: dict[str, object], source: Source) -> Configuration:
    errors = Collector()
    for key, value in table.items():
        problem = _setting_problem(key, value, source)
        if problem is not None:
            errors.add(problem)
    errors.raise_any()
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    return Configuration(**values)  # type: ignore[arg-type]


def _setting_problem(key: str, value: object, source: Source) -> SpecError | None:
    """Return what is wrong with one setting, or nothing."""
    kinds = {field.name: type(field.default) for field in fields(Configuration)}
    code, span = "configuration", place(source, key)
    if key not in kinds:
        hint = nearest(key, kinds)
        known = ", ".join(kinds)
        return SpecError(f"[tool.seqgen] has no key '{key}'", code=code, span=span, expected=known, hint=hint)
    fits = _is_texts(value) if kinds[key] is tuple else type(value) is kinds[key]
    if not fits:
        kind = KINDS[kinds[key]]
        return SpecError(f"'{key}' must be {kind}", code=code, span=span, got=str(value))
    if key in RANGES and isinstance(value, int):
        low, high = RANGES[key]
        if not low <= value <= high:
            expected = f"from {low:,} to {high:,}"
            return SpecError(f"'{key}' is out of range", code=code, span=span, expected=expected, got=str(value))
    if key == "ties" and value not in TIES:
        hint = nearest(str(value), TIES)
        return SpecError("'ties' must name a rule", code=code, span=span, expected=" or ".join(TIES), hint=hint)
    return None


def _not_toml(source: Source, problem: str) -> SpecError:
    found = re.search(r" \(at line (\d+), column (\d+)\)", problem)
    span = Span(source=source, line=int(found[1]), column=int(found[2])) if found else None
    said = problem.partition(" (at ")[0]
    return SpecError(f"pyproject.toml is not TOML: {said[:1].lower()}{said[1:]}", code="configuration", span=span)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
