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
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

from seqgen.auditing.agreement import Match, background, chance, compare
from seqgen.auditing.candidates import Ledgers
from seqgen.auditing.claims import Claims, agreeing, decide
from seqgen.auditing.context import Context
from seqgen.auditing.labels import Labels, is_word
from seqgen.auditing.numerals import Numeral
from seqgen.auditing.wholes import Whole

BARE_VOTE = 0.3  # a single integer tells little of which spec is spoken of
SURE = 0.9  # what is asked of a number that is taken out of its tuple
FADES = 0.85  # how much a neighbour's word counts from one number to the next
# In how many ways a number can be so near to a value.
WAYS = {"": 1.0, "last digit": 3.0, "truncated": 3.0, "two last digits": 5.0, "sign": 2.0}
# What it takes to accuse a number of a near miss. How probable it is that its spec is spoken of: with a symbol beside
# it that names the entry, by its neighbours, or for sure. And how unlikely it is as near by chance: at all (digits that
# are met more often, as in versions, need a symbol and neighbours), with a label, and where nothing else tells.
SPOKEN_NAMED, SPOKEN, SURELY = 0.3, 0.5, 0.9
COMMON, TELLING_NAMED, TELLING = 0.02, 1e-3, 1e-8
PEERS = 5.0  # specs that are likelier or less likely by no more than this are as likely
SILENCE = 2.0  # what neighbours must say of a spec before it is likelier that it is spoken of than that none is
ROUNDS = 3  # how often the share of each spec in a deck is reckoned anew
STRANGER = 0.03  # how often a deck speaks of a spec that nothing nearby speaks of


CITED = 8.0  # how much a citation nearby says that its spec is meant
NO_CONTEXT = Context()


class Judge:
    """Weighs the wholes of decks against the ledgers."""

    def __init__(self, ledgers: Ledgers) -> None:
        self.ledgers = ledgers
        self._matches = lru_cache(maxsize=50_000)(self._find)
        self._supports: dict[Whole, Weighed] = {}

    def judge(self, found: Sequence[Whole], context: Context = NO_CONTEXT) -> list[Judged]:
        """Return what each whole of a deck stands for; a tuple of which nothing is known is judged number by number."""
        weighed = [self._support(whole) for whole in found]
        claims = Claims(self.ledgers, found)
        spoken = _spoken_of(self.ledgers, found, weighed, claims, context)
        result = []
        for i, (whole, support, specs) in enumerate(zip(found, weighed, spoken, strict=True)):
            claim = decide(claims.of[i], specs, context.specs_at(whole.start))
            if claim:
                result.append(Judged(whole=whole, match=claim[0].best, certainty=claim[1], is_claimed=True))
                continue
            if options := agreeing(claims.of[i], specs, context.specs_at(whole.start)):
                match = _simplest(self.ledgers, options)
                result.append(Judged(whole=whole, match=match, certainty=max(options, key=lambda o: o[0])[0]))
                continue
            judged = _decide(self.ledgers, whole, support, specs)
            if judged.match or not whole.shape:
                result.append(judged)
                continue
            for part in whole.parts():
                alone = _decide(self.ledgers, part, self._support(part), specs)
                sure = alone.match is not None and alone.certainty >= SURE
                against = alone.certainty if alone.match is None else 1 - alone.certainty
                result.append(alone if sure else Judged(whole=part, match=None, certainty=against))
        return result

    def _support(self, whole: Whole) -> Weighed:
        key = whole.anywhere()
        if key not in self._supports:
            self._supports[key] = _support(self.ledgers, whole, () if whole.is_bare else self.matches(whole))
        return self._supports[key]

    def matches(self, whole: Whole) -> Sequence[Match]:
        """Return the candidates whose digits agree with a whole, or nearly do."""
        key = tuple((n.value, n.unit, n.loose, n.goes_on) for n in whole.numbers)
        return self._matches(whole.shape, key)

    def _find(self, shape: tuple[int, ...], key: tuple[tuple[Fraction, Fraction, bool, bool], ...]) -> Sequence[Match]:
        numbers = [
            Numeral(text="", start=0, end=0, value=v, unit=u, loose=loose, goes_on=goes_on)
            for v, u, loose, goes_on in key
        ]
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
    """A whole with what it stands for: the best candidate, or None; ``certainty`` is how probable that is.

    ``is_claimed`` where its label names the candidate, which it contradicts.
    """

    whole: Whole
    match: Match | None
    certainty: float
    is_claimed: bool = False


@dataclass(kw_only=True)
class Slot:
    """Matches of one kind: their weight together, and the best of them with its own."""

    total: float = 0.0
    most: float = 0.0
    best: Match | None = None

    def add(self, match: Match, weight: float) -> None:
        """Count a match in."""
        self.total += weight
        if weight > self.most:
            self.most, self.best = weight, match


@dataclass(kw_only=True)
class Support:
    """What one spec has for a whole: exact matches, near ones that the label names, and other near ones."""

    exact: Slot = field(default_factory=Slot)
    named: Slot = field(default_factory=Slot)
    other: Slot = field(default_factory=Slot)

    @property
    def telling(self) -> float:
        """The weight of what tells that the spec is spoken of: a number that is merely near does not."""
        return self.exact.total


def _by_chance(whole: Whole, match: Match) -> float:
    """Return how likely numbers of no ledger come as near to a candidate as these."""
    ways = {**WAYS, "order": len(whole.numbers)}
    pairs = zip(whole.numbers, match.differs, strict=True)
    return math.prod(min(1.0, chance(number) * ways.get(differs, math.inf)) for number, differs in pairs)


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
        support = found.setdefault(spec, Support())
        slot = support.exact if match.is_exact else support.named if labels.names(candidate) else support.other
        slot.add(match, match.likelihood * weight)
    return found


def _spoken_of(
    ledgers: Ledgers, found: Sequence[Whole], weighed: Sequence[Weighed], claims: Claims, context: Context
) -> list[Specs]:
    """Return for each whole how probable each spec is, by what stands around it."""
    if not found:
        return []
    places: list[tuple[float, float, Specs, bool]] = []
    for i, (whole, specs) in enumerate(zip(found, weighed, strict=True)):
        votes = _votes(whole, specs) | {s: v for s, v in claims.votes(i).items() if s not in specs}
        places.append((whole.start, whole.numbers[-1].end, votes, True))
    places += [(at, at, {spec: CITED}, False) for at, spec in context.cited if spec in ledgers.ancestors]
    places.sort(key=lambda place: place[:2])
    votes_in_order = [votes for _, _, votes, _ in places]
    steps = [1.0] + [FADES ** (1 + min(4.0, max(0.0, b[0] - a[1]) / 150)) for a, b in itertools.pairwise(places)]
    forward = _faded(votes_in_order, steps)
    backward = _faded(votes_in_order[::-1], [1.0, *steps[:0:-1]])[::-1]
    pairs = [(f, b) for f, b, (*_, real) in zip(forward, backward, places, strict=True) if real]
    usual: Specs = dict.fromkeys(ledgers.specs, 1.0)
    heard: list[Specs] = []
    for _ in range(ROUNDS):
        heard = [_probable(ledgers.specs, f, b, usual) for f, b in pairs]
        usual = _shares(ledgers.specs, heard)
    return [{spec: (1 - STRANGER) * p + STRANGER * usual[spec] for spec, p in specs.items()} for specs in heard]


def _votes(whole: Whole, specs: Weighed) -> dict[str, float]:
    by_chance = background(whole)
    strength = BARE_VOTE if whole.is_bare else 1.0
    return {spec: strength * min(14.0, math.log1p(s.telling / by_chance)) for spec, s in specs.items()}


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
    """Return how probable it is that each spec is spoken of; they leave room for none of them."""
    scores = {spec: before.get(spec, 0.0) + after.get(spec, 0.0) + math.log(usual[spec]) for spec in specs}
    top = max((SILENCE, *scores.values()))
    weights = {spec: math.exp(score - top) for spec, score in scores.items()}
    total = sum(weights.values()) + math.exp(SILENCE - top)
    return {spec: weight / total for spec, weight in weights.items()}


def _near(whole: Whole, weighed: Weighed, specs: Specs) -> dict[str, Slot]:
    """Return the near matches of each spec that may accuse a number.

    A number that is only near may be of no ledger at all. So its label must name the entry and the spec be spoken of,
    or the spec be spoken of for sure, or its digits and the numbers beside it tell enough. Specs that hold the same
    entry, as a family does, are spoken of together.
    """
    spoken: dict[tuple[bool, str, tuple[float, ...]], float] = {}
    for spec, support in weighed.items():
        for is_named, slot in ((True, support.named), (False, support.other)):
            if slot.best:
                key = is_named, *slot.best.candidate.identity
                spoken[key] = spoken.get(key, 0.0) + specs[spec]
    found: dict[str, Slot] = {}
    if whole.beside.bound:
        return found
    for spec, support in weighed.items():
        for is_named, slot in ((True, support.named), (False, support.other)):
            if slot.best and (is_named or any(n.unit for n in whole.numbers)):
                probability = spoken[is_named, *slot.best.candidate.identity]
                if _accuses(whole, slot.best, probability, is_named=is_named):
                    found.setdefault(spec, slot)
    return found


def _accuses(whole: Whole, match: Match, probability: float, *, is_named: bool) -> bool:
    """Whether a near match is no mere chance, where its value is spoken of with a ``probability``."""
    by_chance, has_symbol = _by_chance(whole, match), is_named and not is_word(whole.beside.label)
    if whole.is_bare:  # it is only looked at where it is said what it is
        return probability >= SPOKEN_NAMED
    if by_chance > COMMON and not whole.shape:
        return has_symbol and whole.beside.is_defined and probability >= SPOKEN
    if probability >= SURELY:
        return True
    if has_symbol:
        return probability >= SPOKEN_NAMED or by_chance <= TELLING_NAMED
    return by_chance <= (TELLING_NAMED if is_named or probability >= SPOKEN else TELLING)


def _decide(ledgers: Ledgers, whole: Whole, weighed: Weighed, specs: Specs) -> Judged:
    by_chance = background(whole)
    exact = {spec: s.exact for spec, s in weighed.items() if s.exact.best}
    near = _near(whole, weighed, specs)
    masses = [sum(slot.total * specs[spec] for spec, slot in slots.items()) for slots in (exact, near)]
    total = sum(masses) + by_chance
    if by_chance >= max(masses):
        return Judged(whole=whole, match=None, certainty=by_chance / total)
    chosen = exact if masses[0] >= masses[1] else near
    options = [(slot.most * specs[spec], slot.best) for spec, slot in chosen.items() if slot.best]
    return Judged(whole=whole, match=_simplest(ledgers, options), certainty=max(masses) / total)


def _simplest(ledgers: Ledgers, options: Sequence[tuple[float, Match]]) -> Match:
    """Return the likeliest match; of specs that hold the same value about as likely, that of the smallest."""
    most, likeliest = max(options, key=lambda option: option[0])
    peers = [m for w, m in options if w * PEERS >= most and m.candidate.values == likeliest.candidate.values]
    return min(peers, key=lambda m: ledgers.size(m.candidate.entry.spec))
