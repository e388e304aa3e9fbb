"""What is written beside a number, and how well it names a candidate."""

from __future__ import annotations

import re

from seqgen.auditing.agreement import background
from seqgen.auditing.candidates import Candidate, Ledgers, Place
from seqgen.auditing.notation import at_position, stem, symbol
from seqgen.auditing.wholes import Whole

# How much likelier a label makes a candidate: one that it names, shared by all that it names; of one that it does not
# name, where it names others of the spec; and by how it may speak of it otherwise.
NAMED, UNNAMED = 8.0, 0.05
OPERAND, WITHIN, SIMILAR, WORD = 15.0, 8.0, 4.0, 20.0
IMPLIED, UNIMPLIED = 30.0, 1 / 30  # arithmetic beside a number comes to a candidate's value, or does not
TELLING_CHANCE = 1e-7  # digits less likely than this tell more than words
TELLING = 100  # an integer so large is seldom met by chance
INDEX = re.compile(r"\[(-?\d+)\]")
COUNTED = frozenset({"parameters", "parameter"})


class Labels:
    """What is written beside a whole, and how well it names a candidate."""

    def __init__(self, whole: Whole, ledgers: Ledgers) -> None:
        self._whole, self._ledgers = whole, ledgers
        texts = [t for t in (whole.beside.label, *whole.beside.also) if t]
        texts += [whole.beside.label.lower()] if is_word(whole.beside.label) else []
        if whole.beside.position is not None:
            position = whole.beside.position
            texts = [at_position(t, position) for t in texts] + texts + [f"{t}[{position}]" for t in texts]
        self.symbols = tuple(dict.fromkeys(symbol(t) for t in texts if len(t) < 120))
        self._alike = frozenset[tuple[str, str, tuple[int, ...]]]().union(*(ledgers.alike_to(s) for s in self.symbols))
        self._named: dict[str, frozenset[Place]] = {}
        self._operands: dict[str, frozenset[str]] = {}
        self._word = stem(whole.beside.label) if is_word(whole.beside.label) and len(whole.beside.label) > 3 else ""
        self._chance = background(whole)

    def places(self, spec: str) -> frozenset[Place]:
        """Return what the label names in a spec."""
        if spec not in self._named:
            found = (self._ledgers.places(spec, s) for s in self.symbols)
            self._named[spec] = next((f for f in found if f), frozenset())
        return self._named[spec]

    def specs(self) -> frozenset[str]:
        """Return the specs in which the label names something."""
        return frozenset[str]().union(*(self._ledgers.calling(s) for s in self.symbols))

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
            if count and COUNTED & (whole.beside.following | set(whole.beside.label.lower().split())):
                found.append(count)
        value = whole.numbers[0].value
        if not found and (
            is_word(whole.beside.label) or whole.beside.implied or (whole.beside.is_defined and value >= TELLING)
        ):
            reach = 2 if whole.beside.implied or value >= TELLING else 0
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
        if whole.beside.is_operand:
            return share * (OPERAND if self._is_operand(candidate) else 1.0 if here in places else UNNAMED)
        if here in places:
            return NAMED / len(places) * self._nearby(candidate) if whole.beside.is_defined else share * WITHIN
        if any(key == entry.key and _begins(candidate.path, path) for key, path in places):
            return share * WITHIN
        return share * (UNNAMED if whole.beside.is_defined else 1.0)

    def names(self, candidate: Candidate) -> bool:
        """Whether what is written beside a number speaks of this candidate."""
        whole, entry = self._whole, candidate.entry
        if whole.is_bare or whole.beside.implied is not None or (self._word and self._word in entry.words):
            return True
        places = self.places(entry.spec)
        if whole.beside.is_operand and places:
            return self._is_operand(candidate)
        named = any(key == entry.key and _begins(candidate.path, path) for key, path in places)
        return named or (entry.spec, entry.key, candidate.path) in self._alike

    def _nearby(self, candidate: Candidate) -> float:
        """Return what words, the row of a table and arithmetic tell."""
        factor: float = 3.0 ** min(2, len(self._whole.beside.words & candidate.entry.words)) * self._row(candidate)
        implied = self._whole.beside.implied
        if implied is not None:
            value, slack = candidate.values[0], 1e-9 * abs(candidate.values[0])
            factor *= IMPLIED if implied[0] - slack <= value <= implied[1] + slack else UNIMPLIED
        return factor

    def _hinted(self, candidate: Candidate) -> float:
        """Return what a label tells that names nothing: by its letter, or by a word that the spec uses, too."""
        entry = candidate.entry
        if (entry.spec, entry.key, candidate.path) in self._alike:
            return SIMILAR
        is_known = self._word in self._ledgers.words.get(entry.spec, ())
        if not self._word or not is_known or (self._whole.is_bare and self._word not in entry.words):
            return 1.0
        strength = WORD if self._chance > TELLING_CHANCE else WORD**0.3
        return strength if self._word in entry.words else 1 / strength

    def _row(self, candidate: Candidate) -> float:
        """Return what the row of a table tells: a part of that number is likelier than another."""
        if self._whole.beside.position is None:
            return 1.0
        places = [int(i) for i in INDEX.findall(candidate.reference)]
        return 3.0 if self._whole.beside.position in places[-2:] else 0.5 if places else 1.0

    def _is_operand(self, candidate: Candidate) -> bool:
        """Whether a candidate is a part of what the formula beside a number is made of, or an expression of those."""
        entry = candidate.entry
        if entry.spec not in self._operands:
            named = [self._ledgers.entries.get((entry.spec, key)) for key, _ in self.places(entry.spec)]
            self._operands[entry.spec] = frozenset[str]().union(*(entry.operands for entry in named if entry))
        operands = self._operands[entry.spec]
        if entry.role == "derived":
            return bool(entry.operands) and all(_is_part_of(o, operands) for o in entry.operands)
        return _is_part_of(candidate.reference, operands)


def _is_part_of(reference: str, operands: frozenset[str]) -> bool:
    return any(reference == o or reference.startswith(f"{o}[") or o.startswith(f"{reference}[") for o in operands)


def is_word(label: str) -> bool:
    """Whether a label is a plain word instead of a symbol."""
    return re.fullmatch(r"[^\W\d_]{3,}", label) is not None


def _begins(path: tuple[int, ...], start: tuple[int, ...]) -> bool:
    if path[: len(start)] == start:
        return True
    # Coordinates are often counted from one.
    return len(path) == len(start) and path[:-1] == start[:-1] and path[-1:] == (start[-1] - 1,)
