"""A ledger as Python reads it: values by reference. Imports neither numpy nor sympy nor python-flint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from seqgen.errors import Source, Span, SpecError, nearest
from seqgen.reference import Bracket, Gradient, Part, Reference, Stretch

# A number, or nested lists of numbers in the value's shape
Numbers = Any
# What belongs to each element of a value, and is taken apart with it
ARRAYS = ("value", "shown", "relation", "exact")


@dataclass(frozen=True, kw_only=True)
class Value:
    """An entry of a ledger, a part of one, or an expression that pages print.

    value: the float64 nearest to the true value, or nested lists in ``shape``; infinities are floats.
    shown: the digits as printed, in the same shape.
    relation: ``=`` where the digits are the value itself, ``≈`` where they are a rounding, in the same shape.
    proven: whether value and digits are proven.
    exact: closed forms as text, in the same shape; ``None`` where one is left out.
    contributions: of a gradient, what each use adds to it [same shape], by the name of what uses it.
    """

    reference: str
    shape: tuple[int, ...]
    value: Numbers
    shown: Any
    relation: Any
    proven: bool
    exact: Any = None
    role: str = "expression"
    formula: str = ""
    about: str = ""
    contributions: Mapping[str, Numbers] = field(default_factory=dict)

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        sign = self.relation if isinstance(self.relation, str) else "≈"
        return f"{self.reference} {sign} {_text(self.shown)}"

    def part(self, path: Sequence[Bracket], reference: str) -> Value:
        """Return the part of this value that brackets lead to.

        Raises:
            IndexError: where there is no such part.
        """
        if not path:
            return self
        found = {key: _at(getattr(self, key), path) for key in ARRAYS}
        contributions = {via: _at(value, path) for via, value in self.contributions.items()}
        shape = _shape(found["value"])
        return replace(self, reference=reference, shape=shape, formula="", contributions=contributions, **found)


class Ledger:
    """The values of a spec, by reference: ``ledger["h[1]"]``, ``ledger["A[1][0]"]``, ``ledger["grad(L, W_h)"]``.

    dims: sizes by name. parameters: numbers of parameters by name, and ``total``. labels: lists of words by name.
    """

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.content = content
        self.spec: str = content["spec"]
        self.title: str = content["title"]
        self.dims: Mapping[str, int] = content["dims"]
        self.parameters: Mapping[str, int] = content["parameters"]
        self.labels: Mapping[str, list[str]] = content.get("labels", {})
        self.checks: Sequence[Mapping[str, Any]] = content["checks"]

    def __repr__(self) -> str:
        return f"<ledger of {self.spec}: {len(self)} entries>"

    def __len__(self) -> int:
        return len(self.content["entries"])

    def __iter__(self) -> Iterator[str]:
        return iter(self.content["entries"])

    def __contains__(self, reference: object) -> bool:
        try:
            return isinstance(reference, str) and bool(self[reference])
        except SpecError:
            return False

    def __getitem__(self, reference: str) -> Value:
        """Return the value of a reference: an entry, a part of one, or an expression that pages print.

        Raises:
            SpecError: where the ledger does not have it, with the nearest name.
        """
        entries, derived = self.content["entries"], self.content.get("derived", {})
        parsed = Reference.parse(reference)
        for key, path in parsed.splits():
            if key in entries or key in derived:
                try:
                    return _value(key, entries.get(key) or derived[key]).part(path, parsed.write())
                except (IndexError, TypeError):
                    raise self._error(reference, f"'{key}' has no part '{reference}'") from None
        if isinstance(parsed.base, Gradient) and parsed.base.via is not None:
            return self._contribution(parsed, parsed.base)
        raise self._error(reference, f"the ledger of {self.spec} has no '{reference}'")

    def grad(self, of: str, to: str, *, via: str = "", use: int = 1) -> Value:
        """Return the gradient of ``of`` with respect to ``to``, or what use number ``use`` in ``via`` adds to it.

        Raises:
            SpecError: where the ledger does not have it.
        """
        through = Reference.parse(via) if via else None
        return self[str(Gradient(Reference.parse(of), Reference.parse(to), through, use))]

    def _contribution(self, parsed: Reference, gradient: Gradient) -> Value:
        whole = self[str(replace(gradient, via=None, use=1))]
        label = str(gradient).removeprefix(f"{whole.reference[:-1]}, via=")[:-1]
        if label not in whole.contributions:
            raise self._error(parsed.write(), f"'{whole.reference}' has no use '{label}'", whole.contributions)
        value = whole.contributions[label]
        entry = {"shape": list(whole.shape), "value": value, "shown": None, "relation": "≈", "proven": whole.proven}
        return _value(str(gradient), {**entry, "role": "gradient"}).part(parsed.path, parsed.write())

    def _error(self, reference: str, message: str, known: Mapping[str, Any] | None = None) -> SpecError:
        span = Span(source=Source(name="reference", text=reference), line=1, column=1, width=len(reference))
        hint = nearest(reference, self if known is None else known)
        return SpecError(message, code="unknown-name", span=span, hint=hint)


def _value(key: str, entry: Mapping[str, Any]) -> Value:
    return Value(
        reference=key,
        shape=tuple(entry["shape"]),
        value=_floats(entry["value"]),
        shown=entry["shown"],
        relation=entry.get("relation", "≈"),
        proven=entry["proven"],
        exact=entry.get("exact"),
        role=entry.get("role", "expression"),
        formula=entry.get("formula", "") or ("" if "role" in entry else key),
        about=entry.get("about", ""),
        contributions={via: _floats(value) for via, value in entry.get("via", {}).items()},
    )


def _floats(value: Any) -> Numbers:
    return [_floats(item) for item in value] if isinstance(value, list) else float(value)


def _shape(value: Any) -> tuple[int, ...]:
    return (len(value), *(_shape(value[0]) if value else ())) if isinstance(value, list) else ()


def _at(value: Any, path: Sequence[Bracket]) -> Any:
    """Return the part of nested lists that brackets lead to; one text or ``None`` stands for all elements."""
    if isinstance(value, str) or value is None:
        return value
    for bracket in path:
        value = _take(value, bracket)
    return value


def _take(value: Any, parts: Sequence[Part]) -> Any:
    if not parts:
        return value
    first, *rest = parts
    if isinstance(first, int):
        if first < 0:
            raise IndexError
        return _take(value[first], rest)
    if isinstance(first, str):
        raise IndexError
    rows = value[first.start : first.stop] if isinstance(first, Stretch) else [value[row] for row in first]
    return [_take(row, rest) for row in rows]


def _text(shown: Any) -> str:
    return f"[{', '.join(map(_text, shown))}]" if isinstance(shown, list) else str(shown)
