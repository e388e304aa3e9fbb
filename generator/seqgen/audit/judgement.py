"""What each typed number stands for, by its digits, by what is written beside it, and by which spec is spoken of.

Each candidate is weighed as P(digits | candidate) * P(label | candidate) * P(candidate | place), against a number of no
ledger at all. The place tells which specs are spoken of: numbers nearby that only one spec knows. So a digit that slips
is a near miss of what its label and its neighbours say, even where another entry happens to have just those digits.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from seqgen.audit.agreement import Match, background, compare
from seqgen.audit.candidates import Ledgers
from seqgen.audit.labels import Labels
from seqgen.audit.numerals import Numeral
from seqgen.audit.wholes import Whole

BARE_VOTE = 0.3  # a single integer tells little of which spec is spoken of
SURE = 0.9  # what is asked of a number that is taken out of its tuple
FADES = 0.85  # how much a neighbour's word counts from one number to the next
PEERS = 5.0  # specs that are likelier or less likely by no more than this are as likely
ROUNDS = 3  # how often the share of each spec in a deck is reckoned anew
STRANGER = 0.03  # how often a deck speaks of a spec that nothing nearby speaks of


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
            judged = _decide(self.ledgers, whole, support, specs)
            if judged.match or not whole.shape:
                result.append(judged)
                continue
            for part in whole.parts():
                alone = _decide(self.ledgers, part, self._support(part), specs)
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
            reach = 2.5 * number.step if number.unit else 2.0 if number.is_whole else 1e-9
            for i in set(self.ledgers.near(shape, number.size, reach)):
                hits[i] = hits.get(i, 0) + 1
        distinct = len(dict.fromkeys(telling))
        found = []
        for i, count in hits.items():
            if count >= distinct - (1 if distinct > 2 else 0):
                match = compare(self.ledgers.by_shape[shape][i], numbers)
                if match:
                    found.append(match)
        return found


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
        compared = (compare(candidate, whole.numbers) for candidate in labels.bare())
        matches = [match for match in compared if match]
    found: dict[str, Support] = {}
    for match in matches:
        candidate = match.candidate
        spec = candidate.entry.spec
        weight = labels.weight(candidate, ledgers.totals[spec, whole.shape])
        found.setdefault(spec, Support()).add(match, match.likelihood * weight)
    return found


def _spoken_of(ledgers: Ledgers, found: Sequence[Whole], weighed: Sequence[Weighed]) -> list[Specs]:
    """Return for each whole how probable each spec is, by what stands around it."""
    if not found:
        return []
    votes: list[Specs] = []
    for whole, specs in zip(found, weighed, strict=True):
        by_chance = background(whole)
        strength = BARE_VOTE if whole.is_bare else 1.0
        votes.append(
            {spec: strength * min(14.0, math.log1p((s.exact + s.near) / by_chance)) for spec, s in specs.items()}
        )
    steps = [1.0] + [FADES ** (1 + min(4.0, _distance(a, b))) for a, b in itertools.pairwise(found)]
    forward = _faded(votes, steps)
    backward = _faded(votes[::-1], [1.0, *steps[:0:-1]])[::-1]
    usual: Specs = dict.fromkeys(ledgers.specs, 1.0)
    heard: list[Specs] = []
    for _ in range(ROUNDS):
        heard = [_probable(ledgers.specs, f, b, usual) for f, b in zip(forward, backward, strict=True)]
        usual = _shares(ledgers.specs, heard)
    return [{spec: (1 - STRANGER) * p + STRANGER * usual[spec] for spec, p in specs.items()} for specs in heard]


def _shares(specs: Sequence[str], heard: Sequence[Specs]) -> Specs:
    """Return how much of a deck speaks of each spec, or at least of its folder: a lecture's specs lie together."""
    own = {spec: sum(probabilities[spec] for probabilities in heard) / max(1, len(heard)) for spec in specs}
    folder = {spec: spec.rpartition("/")[0] for spec in specs}
    sizes = Counter(folder.values())
    shares = dict.fromkeys(sizes, 0.0)
    for spec, share in own.items():
        shares[folder[spec]] += share
    return {
        spec: 0.5 * share + (0.48 * shares[folder[spec]] + 0.02 / len(sizes)) / sizes[folder[spec]]
        for spec, share in own.items()
    }


def _distance(a: Whole, b: Whole) -> float:
    return (b.start - a.numbers[-1].end) / 150


def _faded(votes: Sequence[Specs], steps: Sequence[float]) -> list[dict[str, float]]:
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


def _probable(specs: Sequence[str], before: Specs, after: Specs, usual: Specs) -> Specs:
    scores = {spec: before.get(spec, 0.0) + after.get(spec, 0.0) + math.log(usual[spec]) for spec in specs}
    top = max(scores.values(), default=0.0)
    weights = {spec: math.exp(score - top) for spec, score in scores.items()}
    total = sum(weights.values())
    return {spec: weight / total for spec, weight in weights.items()}


def _decide(ledgers: Ledgers, whole: Whole, weighed: Weighed, specs: Specs) -> Judged:
    by_chance = background(whole)
    exact = sum(s.exact * specs[spec] for spec, s in weighed.items())
    near = sum(s.near * specs[spec] for spec, s in weighed.items())
    total = exact + near + by_chance
    if by_chance >= max(exact, near):
        return Judged(whole=whole, match=None, certainty=by_chance / total)
    options = [
        (best[0] * specs[spec], best[1])
        for spec, s in weighed.items()
        if (best := s.best_exact if exact >= near else s.best_near)
    ]
    match = _simplest(ledgers, options)
    return Judged(whole=whole, match=match, certainty=max(exact, near) / total)


def _simplest(ledgers: Ledgers, options: Sequence[tuple[float, Match]]) -> Match:
    """Return the likeliest match; of specs that hold the same value about as likely, that of the smallest."""
    most, likeliest = max(options, key=lambda option: option[0])
    peers = [m for w, m in options if w * PEERS >= most and m.candidate.values == likeliest.candidate.values]
    return min(peers, key=lambda m: ledgers.size(m.candidate.entry.spec))
