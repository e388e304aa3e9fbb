"""Polynomials over the rationals in numbers of which only an enclosure is known, to prove that numbers are equal.

A number such as exp(x), the square root of two or what a function makes of another polynomial is an *atom*. Products
of powers of atoms are reduced by what is true of any such number: a**p * a**q is a**(p + q), exp(x + y) is
exp(x) * exp(y), sin(x)**2 is 1 - cos(x)**2. What reduces to a rational, over one denominator, *is* that rational. The
converse does not hold: atoms are not shown to be independent.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from flint import fmpq

# A product of powers of atoms: pairs of an atom's number and an exponent, in the order of the numbers.
Monomial = tuple[tuple[int, Fraction | int], ...]
Polynomial = Mapping[Monomial, fmpq]

ONE: Monomial = ()
MAX_EXPONENT = 64
MAX_BITS = 4096
MAX_DEPTH = 64
# Integers are divided by the primes up to here; what is left of one is an atom like a prime.
PRIMES = tuple(n for n in range(2, 1000) if all(n % m for m in range(2, math.isqrt(n) + 1)))


class Spent(Exception):
    """The work that is allowed is done."""


@dataclass(kw_only=True)
class Atom:
    """A number that is not reduced any further.

    positive: whether it is shown to be positive.
    integer: the integer that it is, for roots; 0 for any other number.
    terms: the polynomial that it is, which takes its place under a whole power; empty where it has none.
    argument: what it is the logarithm of; empty where it is none.
    inner: what it is the exponential of; empty where it is none.
    square: what its square is replaced by; empty where that is kept.
    """

    positive: bool = False
    integer: int = 0
    terms: Polynomial = field(default_factory=dict)
    argument: Polynomial = field(default_factory=dict)
    inner: Polynomial = field(default_factory=dict)
    square: Polynomial = field(default_factory=dict)


def constant(value: Any) -> Polynomial:
    """Return the polynomial that is a rational."""
    return {ONE: fmpq(value)} if value else {}


def constant_of(polynomial: Polynomial) -> Any:
    """Return the rational that a polynomial is as it stands, or None."""
    if not polynomial:
        return fmpq(0)
    return polynomial.get(ONE) if len(polynomial) == 1 else None


def key(polynomial: Polynomial) -> Hashable:
    """Return what equal polynomials have in common, and no others."""
    return frozenset(polynomial.items())


class Ring:
    """The atoms of a graph, and the arithmetic of polynomials in them; ``left`` is the work that may still be done."""

    def __init__(self) -> None:
        self.left = 0
        self._depth = 0
        self._atoms: list[Atom] = []
        self._numbers: dict[Hashable, int] = {}

    def _charge(self, amount: int) -> None:
        self.left -= amount
        if self.left < 0:
            raise Spent

    def atom(self, name: Hashable, *, exponent: Fraction | int = 1, **known: Any) -> Polynomial:
        """Return the power of the atom with a name, which is made once, as ``known`` describes it."""
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self._atoms)
            self._atoms.append(Atom(**known))
        self._atoms[number].positive |= known.get("positive", False)
        return {((number, exponent),): fmpq(1)}

    def add(self, p: Polynomial, q: Polynomial) -> Polynomial:
        """Return the sum."""
        if len(p) < len(q):
            p, q = q, p
        self._charge(len(q) + len(p) // 16)
        result = dict(p)
        for monomial, coefficient in q.items():
            total = result.get(monomial, 0) + coefficient
            if total:
                result[monomial] = total
            else:
                del result[monomial]
        return result

    def scale(self, number: Any, p: Polynomial) -> Polynomial:
        """Return a rational times a polynomial."""
        self._charge(len(p))
        return {monomial: number * coefficient for monomial, coefficient in p.items()} if number else {}

    def subtract(self, p: Polynomial, q: Polynomial) -> Polynomial:
        """Return the difference."""
        return self.add(p, self.scale(fmpq(-1), q))

    def multiply(self, p: Polynomial, q: Polynomial) -> Polynomial:
        """Return the product."""
        for one, other in ((p, q), (q, p)):
            if (number := constant_of(one)) is not None:
                return self.scale(number, other)
        result: Polynomial = {}
        for monomial, coefficient in q.items():
            result = self.add(result, self._shifted(p, monomial, coefficient))
        return result

    def _shifted(self, p: Polynomial, powers: Monomial, factor: Any) -> Polynomial:
        """Return the product with a rational and with powers of atoms, which may be reduced only in the product."""
        result: Polynomial = {}
        for monomial, coefficient in p.items():
            exponents = dict(monomial)
            for atom, exponent in powers:
                exponents[atom] = exponents.get(atom, 0) + exponent
            result = self.add(result, self._reduced(factor * coefficient, exponents))
        return result

    def _reduced(self, coefficient: Any, exponents: dict[int, Any]) -> Polynomial:
        """Return a product of powers of atoms as a polynomial in which no more can be replaced."""
        self._charge(1)
        if coefficient.height_bits() > MAX_BITS:
            raise Spent
        for number, exponent in sorted(exponents.items()):
            atom, whole = self._atoms[number], math.floor(exponent)
            if not exponent:
                del exponents[number]
            elif atom.integer and whole:
                coefficient *= _power_of(fmpq(atom.integer), whole)
                exponents[number] -= whole
                return self._reduced(coefficient, exponents)
            elif atom.terms and whole >= 1:
                return self._expanded(coefficient, exponents, number, atom.terms, 1)
            elif atom.square and whole == exponent and whole >= 2:
                return self._expanded(coefficient, exponents, number, atom.square, 2)
        return {tuple(sorted(exponents.items())): coefficient}

    def _expanded(
        self, coefficient: Any, exponents: dict[int, Any], number: int, terms: Polynomial, drawn: int
    ) -> Polynomial:
        """Return the product with ``terms`` in the place of a power of an atom."""
        with self._deeper():
            return self.multiply(self._reduced(coefficient, {**exponents, number: exponents[number] - drawn}), terms)

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        """Count one replacement inside another, of which there are not more than Python's stack allows."""
        if self._depth == MAX_DEPTH:
            raise Spent
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def rational(self, p: Polynomial) -> Any:
        """Return the rational that a polynomial is once it is over one denominator, or None where it is not seen to be.

        Raises:
            Spent: where that is more work than is allowed.
        """
        lowest: dict[int, int] = {}
        for monomial in p:
            for number, exponent in monomial:
                if exponent < 0 and self._atoms[number].terms:
                    lowest[number] = min(lowest.get(number, 0), math.floor(exponent))
        below = constant(1)
        for number, exponent in lowest.items():
            power = ((number, -exponent),)
            p, below = self._shifted(p, power, fmpq(1)), self._shifted(below, power, fmpq(1))
        if not p or below.keys() != p.keys():
            return None if p else fmpq(0)
        ratio = p[max(p)] / below[max(p)]
        return ratio if all(c == ratio * below[monomial] for monomial, c in p.items()) else None

    def _split(self, p: Polynomial) -> tuple[Any, dict[int, Any], Polynomial]:
        """Return a rational, exponents, and a sum without a common factor, whose product ``p`` is; it is not zero."""
        atoms = {atom for monomial in p for atom, _ in monomial}
        common = {atom: min(dict(monomial).get(atom, 0) for monomial in p) for atom in sorted(atoms)}
        rest = {}
        for monomial, coefficient in p.items():
            exponents = {atom: exponent - common[atom] for atom, exponent in monomial}
            for atom in atoms - exponents.keys():
                exponents[atom] = -common[atom]
            rest[tuple(sorted((atom, e) for atom, e in exponents.items() if e))] = coefficient
        self._charge(len(p) * (1 + len(atoms)))
        factor = rest[max(rest)]
        return factor, common, {monomial: coefficient / factor for monomial, coefficient in rest.items()}

    def _sum(self, p: Polynomial, exponent: Any, *, positive: bool) -> Polynomial:
        """Return a power, not a whole one above zero, of a sum."""
        return self.atom(("sum", key(p)), exponent=exponent, terms=p, positive=positive)

    def power(self, p: Polynomial, exponent: Fraction, *, positive: bool) -> Polynomial:
        """Return a power; ``positive`` tells whether the base is shown to be so. It is not zero under a negative one.

        Raises:
            Spent: where that is more work than is allowed, or the power of what may be negative is not a whole one.
        """
        is_whole = exponent.denominator == 1
        if not exponent:
            return constant(1)
        if max(abs(exponent.numerator), exponent.denominator) > MAX_EXPONENT or not (is_whole or positive):
            raise Spent
        if not p and exponent > 0:
            return p
        factor, common, rest = self._split(p)
        is_positive = positive and factor > 0 and self._are_positive(common)
        if not (is_whole or is_positive):
            return self._sum(p, exponent, positive=positive)
        result = self.multiply(self._root(factor, exponent), self._reduced(fmpq(1), _times(exponent, common)))
        if len(rest) == 1:
            return result
        whole = max(0, math.floor(exponent))
        for _ in range(whole):
            result = self.multiply(result, rest)
        left = exponent - whole
        return self.multiply(result, self._sum(rest, _plain(left), positive=is_positive)) if left else result

    def _are_positive(self, exponents: Mapping[int, Any]) -> bool:
        return all(self._atoms[atom].positive for atom, exponent in exponents.items() if exponent)

    def _root(self, number: Any, exponent: Fraction) -> Polynomial:
        """Return a power of a rational, in powers of primes below one."""
        if exponent.denominator == 1:
            return constant(_power_of(number, exponent.numerator))
        result = constant(1)
        for prime, count in self._factors(number):
            (((atom, _),),) = self.atom(("integer", prime), integer=prime, positive=True)
            result = self.multiply(result, self._reduced(fmpq(1), {atom: count * exponent}))
        return result

    def _factors(self, number: Any) -> Iterator[tuple[int, int]]:
        """Yield integers and exponents whose product a positive rational is."""
        for part, sign in ((int(number.p), 1), (int(number.q), -1)):
            rest = part
            self._charge(1 + part.bit_length() // 4)
            for prime in PRIMES:
                count = 0
                while rest % prime == 0:
                    rest, count = rest // prime, count + 1
                if count:
                    yield prime, sign * count
                if rest == 1:
                    break
            if rest > 1:
                yield rest, sign

    def exp(self, p: Polynomial) -> Polynomial:
        """Return the exponential: a product of one for each term."""
        result = constant(1)
        for monomial, coefficient in p.items():
            exponent = Fraction(int(coefficient.p), int(coefficient.q))
            (number, degree), *others = monomial or ((-1, 0),)
            argument = self._atoms[number].argument if degree == 1 and not others else None
            if argument:
                factor = self.power(argument, exponent, positive=True)
            else:
                factor = self.atom(
                    ("exp", monomial), exponent=_plain(exponent), inner={monomial: fmpq(1)}, positive=True
                )
            result = self.multiply(result, factor)
        return result

    def log(self, p: Polynomial) -> Polynomial:
        """Return the logarithm of a number that is shown to be positive: a sum of one for each factor."""
        factor, common, rest = self._split(p)
        if factor < 0 or not self._are_positive(common):
            return self._log(p)
        result = self._log(rest) if len(rest) > 1 else {}
        for prime, count in self._factors(factor):
            result = self.add(result, self.scale(fmpq(count), self._log(constant(prime))))
        for number, exponent in common.items():
            atom, ratio = self._atoms[number], Fraction(exponent)
            one = atom.inner or self._log(constant(atom.integer) or atom.terms or {((number, 1),): fmpq(1)})
            result = self.add(result, self.scale(fmpq(ratio.numerator, ratio.denominator), one))
        return result

    def _log(self, p: Polynomial) -> Polynomial:
        return self.atom(("log", key(p)), argument=p)

    def odd(self, name: str, p: Polynomial) -> Polynomial:
        """Return an odd function, with a minus sign drawn out of it."""
        if p and p[max(p)] < 0:
            return self.scale(fmpq(-1), self.odd(name, self.scale(fmpq(-1), p)))
        return self.atom((name, key(p)))

    def cos(self, p: Polynomial) -> Polynomial:
        """Return the cosine; at multiples of pi / 2 it is -1, 0 or 1."""
        quarters = self._quarters(p)
        if quarters is not None:
            return constant((1, 0, -1, 0)[quarters % 4])
        if p and p[max(p)] < 0:
            p = self.scale(fmpq(-1), p)
        return self.atom(("cos", key(p)))

    def sin(self, p: Polynomial) -> Polynomial:
        """Return the sine, whose square is one less the cosine's."""
        quarters = self._quarters(p)
        if quarters is not None:
            return constant((0, 1, 0, -1)[quarters % 4])
        if p and p[max(p)] < 0:
            return self.scale(fmpq(-1), self.sin(self.scale(fmpq(-1), p)))
        cosine = self.cos(p)
        return self.atom(("sin", key(p)), square=self.subtract(constant(1), self.multiply(cosine, cosine)))

    def pi(self) -> Polynomial:
        """Return the ratio of a circle's circumference to its diameter."""
        return self.atom("pi", positive=True)

    def _quarters(self, p: Polynomial) -> int | None:
        """Return how often pi / 2 goes into a whole multiple of it, else None."""
        (monomial,) = self.pi()
        times = 2 * p.get(monomial, fmpq(0)) if p.keys() <= {monomial} else fmpq(1, 2)
        return int(times.p) if times.q == 1 else None


def _plain(exponent: Fraction) -> Fraction | int:
    return exponent.numerator if exponent.denominator == 1 else exponent


def _power_of(number: Any, exponent: int) -> Any:
    """Return a whole power of a rational.

    Raises:
        Spent: where that is too long.
    """
    if abs(exponent) * number.height_bits() > MAX_BITS:
        raise Spent
    return number**exponent


def _times(number: Fraction, exponents: Mapping[int, Any]) -> dict[int, Any]:
    return {atom: _plain(number * exponent) for atom, exponent in exponents.items()}
