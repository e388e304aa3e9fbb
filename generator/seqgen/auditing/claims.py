"""What labels claim: a number beside a name that a spec knows is the value of that name, or contradicts it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from seqgen.auditing.agreement import Match, agreement, chance, reordered
from seqgen.auditing.candidates import Candidate, Ledgers
from seqgen.auditing.labels import Labels
from seqgen.auditing.numerals import Numeral
from seqgen.auditing.wholes import Whole

FACTOR = re.compile(
    r"[\s$]*(?P<sign>[-−]?)\s*(?P<factor>\d+(?:\.\d+)?)?\s*(?:\\[,;: ]|\\cdot|\*)?\s*(?P<name>[^\d\s].*)", re.DOTALL
)
LIKELY = 0.5  # how probable a spec must be before a label contradicts it
ABSENT = 0.02  # a spec so much less probable than the likeliest agrees by chance
CONTRADICTS = 0.7  # what a labelled number that disagrees takes away from a spec, in logarithms
STRONGEST = 14.0


@dataclass(frozen=True, kw_only=True)
class Claim:
    """What a label names in one spec: candidates, any of which may be meant, each with the numbers scaled to it."""

    spec: str
    numbers: tuple[Numeral, ...]
    matches: tuple[Match, ...]

    @property
    def agrees(self) -> bool:
        """Whether the numbers are those of something that the label names."""
        return any(match.is_exact for match in self.matches)

    @property
    def best(self) -> Match:
        """The candidate that most of the numbers agree with."""
        return min(self.matches, key=lambda match: sum(map(bool, match.differs)))

    @property
    def vote(self) -> float:
        """How much it speaks for its spec, in logarithms."""
        agreeing = [number for number, differs in zip(self.numbers, self.best.differs, strict=True) if not differs]
        told = sum(-math.log(chance(number)) for number in agreeing)
        return min(STRONGEST, told) if agreeing else -CONTRADICTS

    def probability(self, spoken: float) -> float:
        """Return how probable its spec is, where it is ``spoken`` of around, by those of its numbers that agree."""
        odds = spoken / max(1e-12, 1 - spoken) * math.exp(max(0.0, self.vote))
        return odds / (1 + odds)


class Claims:
    """The claims of a deck's numbers."""

    def __init__(self, ledgers: Ledgers, found: Sequence[Whole]) -> None:
        self._ledgers = ledgers
        self._labels = [Labels(whole, ledgers) for whole in found]
        self._from_zero = {s.base for labels in self._labels for s in labels.symbols if 0 in s.index}
        self.of = [self._claims(whole, labels) for whole, labels in zip(found, self._labels, strict=True)]

    def _claims(self, whole: Whole, labels: Labels) -> Mapping[str, Claim]:
        """Return by spec what the label of a whole names there."""
        if whole.beside.bounded and not whole.shape:
            labels = Labels(whole.called(whole.beside.bounded), self._ledgers)
        elif not whole.beside.claims or whole.beside.bound or whole.beside.is_operand:
            return {}
        found: dict[str, Claim] = {}
        factor, labels = self._factor(whole, labels)
        for spec in labels.specs():
            named = self._named(whole, labels, spec)
            matches = tuple(_match(candidate, whole.numbers, factor, whole.beside.bound) for candidate in named)
            if matches:
                found[spec] = Claim(spec=spec, numbers=whole.numbers, matches=matches)
        return found

    def _factor(self, whole: Whole, labels: Labels) -> tuple[Fraction, Labels]:
        """Return what a label such as ``2L`` or ``-s`` multiplies a name by, and the labels of that name."""
        match = FACTOR.fullmatch(whole.beside.label)
        if labels.specs() or not match or not (match["factor"] or match["sign"]):
            return Fraction(1), labels
        factor = Fraction(match["factor"] or 1) * (-1 if match["sign"] else 1)
        return factor, Labels(whole.called(match["name"]), self._ledgers) if factor else labels

    def _named(self, whole: Whole, labels: Labels, spec: str) -> list[Candidate]:
        """Return the candidates of the same shape that a label names in a spec."""
        found: list[Candidate] = []
        for key, path in sorted(labels.places(spec)):
            found += self._at(spec, key, path, whole)
        if found and not whole.beside.bound and self._counts_from_one(labels):
            for key, path in sorted(labels.places(spec)):
                if path and path[-1] > 0:
                    found += self._at(spec, key, (*path[:-1], path[-1] - 1), whole)
                elif key.endswith("]") and (before := _previous(key)):
                    found += self._at(spec, before, path, whole)
        elif not found:
            for key, path in sorted(labels.places(spec)):
                if path and path[-1] > 0:
                    found += self._at(spec, key, (*path[:-1], path[-1] - 1), whole)
        return found

    def _counts_from_one(self, labels: Labels) -> bool:
        return not any(symbol.base in self._from_zero for symbol in labels.symbols)

    def _at(self, spec: str, key: str, path: tuple[int, ...], whole: Whole) -> list[Candidate]:
        part, position = whole.beside.part, whole.beside.position
        places = self._ledgers.by_place
        candidate = places.get((spec, key, path))
        if candidate is None:
            return []
        if candidate.shape == whole.shape or _flat(candidate.shape) == _flat(whole.shape):
            return [candidate]
        if whole.shape or not candidate.shape:
            return []
        if part is not None:
            inner = places.get((spec, key, (*path, part)))
            return [inner] if inner and not inner.shape else []
        if position is not None and len(candidate.shape) == 1:
            inner = places.get((spec, key, (*path, position)))
            return [inner] if inner else []
        if len(candidate.shape) == 1 and whole.beside.in_table:
            elements = (places.get((spec, key, (*path, i))) for i in range(candidate.shape[0]))
            return [element for element in elements if element]
        return []

    def votes(self, i: int) -> dict[str, float]:
        """Return how much the label of a whole speaks for each spec: by its numbers that agree."""
        return {spec: claim.vote for spec, claim in self.of[i].items()}


def _previous(key: str) -> str:
    base, _, index = key[:-1].rpartition("[")
    return f"{base}[{int(index) - 1}]" if index.isdigit() and int(index) > 0 else ""


def _flat(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(size for size in shape if size != 1)


def _match(candidate: Candidate, numbers: Sequence[Numeral], factor: Fraction, kind: str) -> Match:
    values = tuple(value * float(factor) for value in candidate.values)
    differs = tuple(agreement(number, value) for number, value in zip(numbers, values, strict=True))
    if kind:
        differs = ("" if _holds(numbers[0], kind, values[0]) else "bound",)
    elif any(differs) and len(numbers) > 1:
        differs = reordered(numbers, values) or differs
    return Match(candidate=candidate, differs=differs, likelihood=0.0, factor=float(factor), is_bound=bool(kind))


def _holds(number: Numeral, kind: str, value: float) -> bool:
    """Whether a value lies where a number says that it does; one that is equal as printed is let be."""
    return not agreement(number, value) or (value < number.size if kind == "<" else value > number.size)


def decide(
    claims: Mapping[str, Claim], spoken: Mapping[str, float], pinned: Iterable[str]
) -> tuple[Claim, float] | None:
    """Return the claim that a number contradicts and how probable it is that its spec is meant; None where it has none.

    ``spoken`` says how probable each spec is at this place, ``pinned`` which ones the deck itself names there.
    """
    named = {spec: claims[spec] for spec in pinned if spec in claims}
    probability = dict.fromkeys(named, 1.0)
    if not named:
        named = dict(claims)
        probability = {spec: claim.probability(spoken.get(spec, 0.0)) for spec, claim in named.items()}
    if not named:
        return None
    most = max(probability.values())
    if any(claim.agrees and probability[spec] >= ABSENT * most for spec, claim in named.items()):
        return None
    total = min(1.0, sum(probability.values()))
    if total < LIKELY:
        return None
    spec = max(named, key=lambda s: (probability[s], -sum(map(bool, named[s].best.differs))))
    return named[spec], total


def agreeing(
    claims: Mapping[str, Claim], spoken: Mapping[str, float], pinned: Iterable[str]
) -> list[tuple[float, Match]]:
    """Return what a number agrees with that its label names, each with how probable its spec is.

    The digits of another entry count for nothing then. A multiple, as in ``2L = 0.32``, and a bound need no more than
    that the spec is about.
    """
    named = [claims[spec] for spec in pinned if spec in claims]
    found = []
    for claim in named or claims.values():
        spoken_of = spoken.get(claim.spec, 0.0)
        probability = 1.0 if named else claim.probability(spoken_of)
        exact = next((m for m in claim.matches if m.is_exact), None)
        if exact and (exact.factor != 1 or exact.is_bound) and (named or spoken_of >= ABSENT):
            found.append((1.0, exact))
        elif exact and probability >= LIKELY:
            found.append((probability, exact))
    return found
