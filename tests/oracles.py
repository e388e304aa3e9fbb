"""Numbers to compare with: true ones by mpmath, and ones that bound their own rounding error.

A formula takes a namespace first. In `TRUE` it gives 60 digits of the value; in `ROUNDED` it also gives how far
float64 may be from it, by a running error analysis (Higham, Accuracy and Stability, 2002, section 3.3).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

DIGITS = 60
MP = mpmath.MPContext()
MP.dps = DIGITS

# mpmath rounds correctly or nearly so. A sample makes fewer than 100 roundings of numbers below 100.
TRUE_ERROR = Fraction(1, 10 ** (DIGITS - 5))

UNIT = Fraction(1, 2**53)
# numpy's functions are within 4 units in the last place (numpy issue 22904), a unit being at most 2**-52 of the value.
FUNCTION_ERROR = 8 * UNIT

FUNCTIONS = ("exp", "log", "sqrt", "tanh", "erf", "sin", "cos")


def fraction(x: Any) -> Fraction:
    """Return the rational that a finite mpmath number is."""
    sign, mantissa, exponent, _ = x._mpf_
    magnitude = Fraction(int(mantissa)) * Fraction(2) ** exponent
    return -magnitude if sign else magnitude


def number(text: str) -> Any:
    """Return the mpmath number that a decimal, a quotient or an infinity writes."""
    if text.endswith("inf"):
        return MP.mpf(text)
    exact = Fraction(text)
    return MP.mpf(exact.numerator) / exact.denominator


def nearest(x: Any) -> float:
    """Return the float64 nearest to an mpmath number; Python rounds a quotient of integers correctly."""
    return float(fraction(x))


class TrueNumbers:
    """Formulas in mpmath's numbers."""

    pi = +MP.pi
    exp, log, sqrt, tanh, erf, sin, cos, power = (staticmethod(getattr(MP, name)) for name in (*FUNCTIONS, "power"))

    @staticmethod
    def number(text: str) -> Any:
        """Return the number that ``text`` writes."""
        return number(text)


@dataclass(frozen=True)
class Rounded:
    """A number, and a bound of the distance at which float64 may compute it."""

    value: Any
    error: Any

    @staticmethod
    def of(other: Any) -> Rounded:
        """Return ``other`` itself, or an integer without error."""
        return other if isinstance(other, Rounded) else Rounded(MP.mpf(other), MP.mpf(0))

    def __add__(self, other: Any) -> Rounded:
        other = Rounded.of(other)
        return _rounded(self.value + other.value, self.error + other.error)

    __radd__ = __add__

    def __neg__(self) -> Rounded:
        return Rounded(-self.value, self.error)

    def __sub__(self, other: Any) -> Rounded:
        return self + -Rounded.of(other)

    def __rsub__(self, other: Any) -> Rounded:
        return -self + other

    def __mul__(self, other: Any) -> Rounded:
        other = Rounded.of(other)
        error = abs(self.value) * other.error + abs(other.value) * self.error + self.error * other.error
        return _rounded(self.value * other.value, error)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Rounded:
        other = Rounded.of(other)
        value = self.value / other.value
        return _rounded(value, (self.error + abs(value) * other.error) / (abs(other.value) - other.error))

    def __rtruediv__(self, other: Any) -> Rounded:
        return Rounded.of(other) / self

    def __lt__(self, other: Any) -> bool:
        return bool(self.value < Rounded.of(other).value)

    def __gt__(self, other: Any) -> bool:
        return bool(self.value > Rounded.of(other).value)

    def __le__(self, other: Any) -> bool:
        return not self > other

    def __ge__(self, other: Any) -> bool:
        return not self < other

    def __eq__(self, other: object) -> bool:
        return bool(self.value == Rounded.of(other).value)

    __hash__ = None  # type: ignore[assignment]


def _rounded(value: Any, error: Any, unit: Fraction = UNIT) -> Rounded:
    if MP.isinf(value):
        return Rounded(value, MP.mpf(0))
    return Rounded(value, error + abs(value) * unit.numerator / unit.denominator)


def _rounded_function(name: str) -> Callable[[Rounded], Rounded]:
    function = getattr(MP, name)

    def apply(x: Rounded) -> Rounded:
        value = function(x.value)
        if name in ("sin", "cos"):  # their slope is at most 1
            spread = x.error
        else:  # monotone: the ends are the furthest
            spread = max(abs(function(x.value + move) - value) for move in (x.error, -x.error)) if x.error else x.error
        return _rounded(value, spread, FUNCTION_ERROR)

    return apply


class RoundedNumbers:
    """Formulas in `Rounded` numbers."""

    pi = _rounded(TrueNumbers.pi, MP.mpf(0))
    exp, log, sqrt, tanh, erf, sin, cos = (staticmethod(_rounded_function(name)) for name in FUNCTIONS)

    @staticmethod
    def number(text: str) -> Rounded:
        """Return the number that ``text`` writes, as float64 holds it."""
        return _rounded(number(text), MP.mpf(0))

    @staticmethod
    def power(x: Rounded, y: Any) -> Rounded:
        """Return the power: the four corners are the furthest, as it is monotone in each argument."""
        y = Rounded.of(y)
        value = MP.power(x.value, y.value)
        corners = [MP.power(x.value + a, y.value + b) for a in (x.error, -x.error) for b in (y.error, -y.error)]
        return _rounded(value, max(abs(corner - value) for corner in corners), FUNCTION_ERROR)


TRUE, ROUNDED = TrueNumbers(), RoundedNumbers()


def array(texts: Any, namespace: Any = TRUE) -> np.ndarray[Any, Any]:
    """Return nested lists of texts as an object array of the namespace's numbers."""
    strings = np.array(texts, dtype=str)
    result = np.empty(strings.shape, dtype=object)
    for place in np.ndindex(*strings.shape):
        result[place] = namespace.number(str(strings[place]))
    return result


def table(shape: tuple[int, ...], element: Callable[..., Any]) -> np.ndarray[Any, Any]:
    """Return the object array of ``shape`` whose element at each place is ``element(*place)``."""
    result = np.empty(shape, dtype=object)
    for place in np.ndindex(*shape):
        result[place] = element(*place)
    return result
