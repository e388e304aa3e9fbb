"""What each typed number stands for, weighed: how its digits agree, what is written beside it, and which spec is spoken of.

Each candidate is weighed as P(digits | candidate) * P(label | candidate) * P(candidate | place), against a number of no
ledger at all. The place tells which specs are spoken of: numbers nearby that only one spec knows. So a digit that slips
is a near miss of what its label and its neighbours say, even where another entry happens to have just those digits.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from seqgen.audit.candidates import Candidate, Ledgers, Place
from seqgen.audit.notation import at_position, stem, symbol
from seqgen.audit.numerals import Numeral
from seqgen.audit.wholes import Whole

NONE = 0.1  # how often a number that looks like a result is of no ledger
SLIP = {
    "last digit": 0.005,
    "truncated": 0.005,
    "two last digits": 0.002,
    "sign": 0.004,
    "order": 0.003,
    "other": 0.001,
}
# How much likelier a label makes a candidate: one that it names, shared by all that it names; of one that it does not
# name, where it names others of the spec; and by how it may speak of it otherwise.
NAMED, UNNAMED = 8.0, 0.05
OPERAND, WITHIN, SIMILAR, WORD = 15.0, 8.0, 4.0, 20.0
IMPLIED, UNIMPLIED = 30.0, 1 / 30  # arithmetic beside a number comes to a candidate's value, or does not
INDEX = re.compile(r"\[(-?\d+)\]")
COUNTED = frozenset({"parameters", "parameter"})
TELLING_CHANCE = 1e-7  # digits less likely than this tell more than words
BARE_VOTE = 0.3  # a single integer tells little of which spec is spoken of
TELLING = 100  # an integer so large is seldom met by chance
SURE = 0.9  # what is asked of a number that is taken out of its tuple
FADES = 0.85  # how much a neighbour's word counts from one number to the next
STRANGER = 0.03  # how often a deck speaks of a spec that nothing nearby speaks of


@dataclass(frozen=True, kw_only=True)
class Match:
    """A candidate for a whole, and how each of its numbers agrees: empty where it does, else how it differs."""

    candidate: Candidate
    differs: tuple[str, ...]
    likelihood: float

    @property
    def is_exact(self) -> bool:
        """Whether every number agrees."""
        return not any(self.differs)


def agreement(number: Numeral, value: float) -> str:
    """Return how a typed number differs from a value: empty where the value lies in the interval of its digits."""
    typed, unit = float(number.value), float(number.unit)
    if not math.isfinite(value):
        return "other"
    slack = 1e-12 * max(1.0, abs(value)) if not unit else unit / 2 * (1 + 1e-9) + 1e-15 * abs(value)
    distance = abs(value - typed)
    if distance <= slack or (number.loose and abs(value + typed) <= slack):
        return ""
    step = unit or (1.0 if number.is_whole else 0.0)
    if abs(value + typed) <= slack:
        return "sign"
    if not step or (not unit and value != round(value)):
        return "other"
    if unit and distance < unit and abs(typed) <= abs(value):
        return "truncated"
    return "last digit" if distance <= 1.5 * step else "two last digits" if distance <= 2.5 * step else "other"


def chance(number: Numeral) -> float:
    """Return how likely a number of no ledger has just these digits."""
    size = abs(float(number.value))
    if not number.unit:
        return 0.15 / (1 + size) if number.is_whole else 0.01
    digits = number.value / number.unit
    zeros = 0
    while zeros < 8 and digits % 10 == 0:
        digits, zeros = digits / 10, zeros + 1
        if digits == 0:
            return 0.1
    shown = float(number.unit) * 10**zeros
    return min(0.1, 0.5 * shown / (shown + max(size, min(1.0, size * 10)))) * (0.5 if zeros else 1.0)


class Judge:
    """Weighs the wholes of decks against the ledgers."""

    def __init__(self, ledgers: Ledgers) -> None:
        self.ledgers = ledgers
        self._matches = lru_cache(maxsize=50_000)(self._find)
        self._supports: dict[Whole, Weighed] = {}

    def judge(self, found: Sequence[Whole]) -> list[Judged]:
        """Return what each whole of a deck stands for; a tuple of which nothing is known is judged number by number."""
        weighed = [self._support(whole) for whole in found]
        spoken = _spoken_of(self.ledgers, found, weighed)
        result = []
        for whole, support, specs in zip(found, weighed, spoken, strict=True):
            judged = _decide(whole, support, specs)
            if judged.match or not whole.shape:
                result.append(judged)
                continue
            for part in whole.parts():
                alone = _decide(part, self._support(part), specs)
                sure = alone.match is not None and alone.certainty >= SURE
                result.append(alone if sure else Judged(whole=part, match=None, certainty=1 - alone.certainty))
        return result

    def _support(self, whole: Whole) -> Weighed:
        key = whole.anywhere()
        if key not in self._supports:
            self._supports[key] = _support(self.ledgers, whole, () if whole.is_bare else self.matches(whole))
        return self._supports[key]

    def matches(self, whole: Whole) -> Sequence[Match]:
        """Return the candidates whose digits agree with a whole, or nearly do."""
        key = tuple((n.value, n.unit, n.loose) for n in whole.numbers)
        return self._matches(whole.shape, key)

    def _find(self, shape: tuple[int, ...], key: tuple[tuple[object, ...], ...]) -> Sequence[Match]:
        numbers = [Numeral(text="", start=0, end=0, value=v, unit=u, loose=bool(b)) for v, u, b in key]  # type: ignore[arg-type]
        hits: dict[int, int] = {}
        telling = [n for n in numbers if n.value != 0] or numbers
        for number in dict.fromkeys(telling):
            reach = 2.5 * float(number.unit) if number.unit else 2.0 if number.is_whole else 1e-9
            for i in set(self.ledgers.near(shape, float(number.value), reach)):
                hits[i] = hits.get(i, 0) + 1
        distinct = len(dict.fromkeys(telling))
        found = []
        for i, count in hits.items():
            if count >= distinct - (1 if distinct > 2 else 0):
                match = _compare(self.ledgers.by_shape[shape][i], numbers)
                if match:
                    found.append(match)
        return found


def _compare(candidate: Candidate, numbers: Sequence[Numeral]) -> Match | None:
    differs = tuple(agreement(n, v) for n, v in zip(numbers, candidate.values, strict=True))
    wrong = [d for d in differs if d]
    if len(numbers) == 1 and wrong == ["other"]:
        return None
    if len(wrong) > max(1, len(numbers) // 3) or ("other" in wrong and len(numbers) < 3):
        return _reordered(candidate, numbers)
    likelihood = math.prod(
        SLIP[d] if d else _plausible(n, v) for d, n, v in zip(differs, numbers, candidate.values, strict=True)
    )
    return Match(candidate=candidate, differs=differs, likelihood=likelihood)


def _plausible(number: Numeral, value: float) -> float:
    """Return how likely a value is printed with so few digits."""
    if not number.unit or abs(value - float(number.value)) <= 1e-12 * max(1.0, abs(value)):
        return 1.0
    digits = abs(number.value / number.unit)
    return 0.15 if digits < 10 else 0.4 if digits < 100 else 1.0


def _reordered(candidate: Candidate, numbers: Sequence[Numeral]) -> Match | None:
    """Return a match of the same numbers in another order, or all of the other sign."""
    if all(agreement(n, v) in ("", "sign") for n, v in zip(numbers, candidate.values, strict=True)):
        return Match(candidate=candidate, differs=("sign",) * len(numbers), likelihood=SLIP["sign"] * 0.01)
    left = list(candidate.values)
    for number in numbers:
        same = next((v for v in left if not agreement(number, v)), None)
        if same is None:
            return None
        left.remove(same)
    differs = tuple("order" if agreement(n, v) else "" for n, v in zip(numbers, candidate.values, strict=True))
    if len({n.value for n in numbers}) < 2 or all(n.is_whole for n in numbers):
        return None
    return Match(candidate=candidate, differs=differs, likelihood=SLIP["order"])


class Labels:
    """What is written beside a whole, and how well it names a candidate."""

    def __init__(self, whole: Whole, ledgers: Ledgers) -> None:
        self._whole, self._ledgers = whole, ledgers
        texts = [t for t in (whole.label, *whole.also) if t]
        texts += [whole.label.lower()] if _is_word(whole.label) else []
        if whole.position is not None:
            texts = [at_position(t, whole.position) for t in texts] + texts
        self.symbols = tuple(dict.fromkeys(symbol(t) for t in texts if len(t) < 120))
        self._alike = frozenset[tuple[str, str, tuple[int, ...]]]().union(*(ledgers.alike_to(s) for s in self.symbols))
        self._named: dict[str, frozenset[Place]] = {}
        self._operands: dict[str, frozenset[str]] = {}
        self._word = stem(whole.label) if _is_word(whole.label) and len(whole.label) > 3 else ""
        self._chance = _background(whole)
        self._word_specs: dict[str, bool] = {}

    def places(self, spec: str) -> frozenset[Place]:
        """Return what the label names in a spec."""
        if spec not in self._named:
            found = (self._ledgers.places(spec, s) for s in self.symbols)
            self._named[spec] = next((f for f in found if f), frozenset())
        return self._named[spec]

    def bare(self) -> list[Candidate]:
        """Return what a single integer or fraction may be: only what it is called, as such numbers stand everywhere."""
        whole, ledgers = self._whole, self._ledgers
        found = []
        for spec in ledgers.specs:
            for key, path in self.places(spec):
                candidate = ledgers.by_place.get((spec, key, path))
                if candidate and candidate.shape == ():
                    found.append(candidate)
            count = ledgers.by_place.get((spec, "parameters", ()))
            if count and COUNTED & (whole.following | set(whole.label.lower().split())):
                found.append(count)
        value = whole.numbers[0].value
        if not found and (_is_word(whole.label) or whole.implied or (whole.is_defined and value >= TELLING)):
            reach = 2 if whole.implied or value >= TELLING else 0
            found = [c for c in ledgers.printed_scalars if abs(c.values[0] - value) <= reach and not c.is_given]
        return found

    def weight(self, candidate: Candidate, total: float) -> float:
        """Return P(candidate, label | spec), where ``total`` is the weight of all candidates of that shape."""
        whole, entry = self._whole, candidate.entry
        share = candidate.weight / (total + 3) * self._nearby(candidate)
        places = self.places(entry.spec)
        if candidate.entry.key == "parameters" and whole.is_bare:
            return NAMED / 4
        if not places:
            return share * self._hinted(candidate)
        here = (entry.key, candidate.path)
        if whole.is_operand:
            return share * (OPERAND if self._is_operand(candidate) else 1.0 if here in places else UNNAMED)
        if here in places:
            return NAMED / len(places) * self._nearby(candidate) if whole.is_defined else share * WITHIN
        if any(key == entry.key and _begins(candidate.path, path) for key, path in places):
            return share * WITHIN
        return share * (UNNAMED if whole.is_defined else 1.0)

    def _nearby(self, candidate: Candidate) -> float:
        """Return what words, the row of a table and arithmetic tell."""
        factor: float = 3.0 ** min(2, len(self._whole.words & candidate.entry.words)) * self._row(candidate)
        implied = self._whole.implied
        if implied is not None:
            value, slack = candidate.values[0], 1e-9 * abs(candidate.values[0])
            factor *= IMPLIED if implied[0] - slack <= value <= implied[1] + slack else UNIMPLIED
        return factor

    def _hinted(self, candidate: Candidate) -> float:
        """Return what a label tells that names nothing: by its letter, or by a word that the spec uses, too."""
        entry = candidate.entry
        if (entry.spec, entry.key, candidate.path) in self._alike:
            return SIMILAR
        if self._word and entry.spec not in self._word_specs:
            words = (e.words for (spec, _), e in self._ledgers.entries.items() if spec == entry.spec)
            self._word_specs[entry.spec] = any(self._word in w for w in words)
        if (
            not self._word
            or not self._word_specs[entry.spec]
            or (self._whole.is_bare and self._word not in entry.words)
        ):
            return 1.0
        strength = WORD if self._chance > TELLING_CHANCE else WORD**0.3
        return strength if self._word in entry.words else 1 / strength

    def _row(self, candidate: Candidate) -> float:
        """Return what the row of a table tells: a part of that number is likelier than another."""
        if self._whole.position is None:
            return 1.0
        places = [int(i) for i in INDEX.findall(candidate.reference)]
        return 3.0 if self._whole.position in places[-2:] else 0.5 if places else 1.0

    def _is_operand(self, candidate: Candidate) -> bool:
        spec, reference = candidate.entry.spec, candidate.reference
        if spec not in self._operands:
            named = [self._ledgers.entries.get((spec, key)) for key, _ in self.places(spec)]
            self._operands[spec] = frozenset[str]().union(*(entry.operands for entry in named if entry))
        return any(
            reference == o or reference.startswith(f"{o}[") or o.startswith(f"{reference}[")
            for o in self._operands[spec]
        )


def _is_word(label: str) -> bool:
    return re.fullmatch(r"[^\W\d_]{3,}", label) is not None


def _begins(path: tuple[int, ...], start: tuple[int, ...]) -> bool:
    if path[: len(start)] == start:
        return True
    # Coordinates are often counted from one.
    return len(path) == len(start) and path[:-1] == start[:-1] and path[-1:] == (start[-1] - 1,)


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A whole with what it stands for: the best candidate, or none; ``certainty`` is how probable that is."""

    whole: Whole
    match: Match | None
    certainty: float


@dataclass(kw_only=True)
class Support:
    """What one spec has for a whole: the weight of all matches, and the best, of exact ones and of near ones."""

    exact: float = 0.0
    near: float = 0.0
    best_exact: tuple[float, Match] | None = None
    best_near: tuple[float, Match] | None = None

    def add(self, match: Match, weight: float) -> None:
        """Count a match in."""
        if match.is_exact:
            self.exact += weight
            if self.best_exact is None or weight > self.best_exact[0]:
                self.best_exact = (weight, match)
        else:
            self.near += weight
            if self.best_near is None or weight > self.best_near[0]:
                self.best_near = (weight, match)


Weighed = Mapping[str, Support]
Specs = Mapping[str, float]


def _support(ledgers: Ledgers, whole: Whole, matches: Sequence[Match]) -> Weighed:
    """Return what each spec has for a whole: P(digits, label | spec)."""
    labels = Labels(whole, ledgers)
    if whole.is_bare:
        compared = (_compare(candidate, whole.numbers) for candidate in labels.bare())
        matches = [match for match in compared if match]
    found: dict[str, Support] = {}
    for match in matches:
        candidate = match.candidate
        spec = candidate.entry.spec
        weight = labels.weight(candidate, ledgers.totals[spec, whole.shape])
        found.setdefault(spec, Support()).add(match, match.likelihood * weight)
    return found


def _background(whole: Whole) -> float:
    return NONE * math.prod(chance(n) for n in whole.numbers)


def _spoken_of(ledgers: Ledgers, found: Sequence[Whole], weighed: Sequence[Weighed]) -> list[Specs]:
    """Return for each whole how probable each spec is, by what stands around it."""
    votes = []
    for whole, specs in zip(found, weighed, strict=True):
        background = _background(whole)
        strength = BARE_VOTE if whole.is_bare else 1.0
        votes.append(
            {spec: strength * min(14.0, math.log1p((s.exact + s.near) / background)) for spec, s in specs.items()}
        )
    steps = [1.0] + [FADES ** (1 + min(4.0, _distance(a, b))) for a, b in zip(found, found[1:], strict=False)]
    forward = _faded(votes, steps)
    backward = _faded(votes[::-1], [1.0, *steps[:0:-1]])[::-1]
    heard = [_softmax(ledgers.specs, f, b, {}) for f, b in zip(forward, backward, strict=True)]
    folders = _folders(ledgers.specs, heard)
    usual = {spec: math.log(folders[_folder(spec)]) for spec in ledgers.specs}
    sizes = Counter(map(_folder, ledgers.specs))
    strangers = {spec: STRANGER * folders[_folder(spec)] / sizes[_folder(spec)] for spec in ledgers.specs}
    return [
        {spec: (1 - STRANGER) * p + strangers[spec] for spec, p in _softmax(ledgers.specs, f, b, usual).items()}
        for f, b in zip(forward, backward, strict=True)
    ]


def _folder(spec: str) -> str:
    return spec.rpartition("/")[0]


def _folders(specs: Sequence[str], heard: Sequence[Specs]) -> Specs:
    """Return how much of a deck speaks of each folder of specs: a lecture's specs lie together."""
    shares = dict.fromkeys(map(_folder, specs), 0.02 * max(1, len(heard)))
    for probabilities in heard:
        for spec, p in probabilities.items():
            shares[_folder(spec)] += p
    total = sum(shares.values())
    return {folder: share / total for folder, share in shares.items()}


def _distance(a: Whole, b: Whole) -> float:
    return (b.start - a.numbers[-1].end) / 150


def _faded(votes: Sequence[Mapping[str, float]], steps: Sequence[float]) -> list[dict[str, float]]:
    """Return for each place the votes before it, each fading with the steps since."""
    heard: dict[str, float] = {}
    result = []
    for i, step in enumerate(steps):
        if i:
            for spec, vote in votes[i - 1].items():
                heard[spec] = heard.get(spec, 0.0) + vote
        heard = {spec: value * step for spec, value in heard.items() if value > 0.01}
        result.append(heard)
    return result


def _softmax(specs: Sequence[str], before: Specs, after: Specs, usual: Specs) -> Specs:
    scores = {spec: before.get(spec, 0.0) + after.get(spec, 0.0) + usual.get(spec, 0.0) for spec in specs}
    top = max(scores.values(), default=0.0)
    weights = {spec: math.exp(score - top) for spec, score in scores.items()}
    total = sum(weights.values())
    return {spec: weight / total for spec, weight in weights.items()}


def _decide(whole: Whole, weighed: Weighed, specs: Specs) -> Judged:
    background = _background(whole)
    exact = sum(s.exact * specs[spec] for spec, s in weighed.items())
    near = sum(s.near * specs[spec] for spec, s in weighed.items())
    total = exact + near + background
    if background >= max(exact, near):
        return Judged(whole=whole, match=None, certainty=background / total)
    options = [
        (best[0] * specs[spec], best[1])
        for spec, s in weighed.items()
        if (best := s.best_exact if exact >= near else s.best_near)
    ]
    _, match = max(options, key=lambda option: option[0])
    return Judged(whole=whole, match=match, certainty=max(exact, near) / total)
