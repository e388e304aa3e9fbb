"""The law of typeset formulas: symbols = numbers put in = result, for every entry and every line of a derivation.

`faults` reads all that a spec's pages say and evaluates it with `latexreader`, on the ledger's numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx

from arraywise import Array, Arrays, Balls, Unclear, array, boxed
from latexreader import NUMBER, Reader, Unreadable, spelled
from seqgen.microscope import Microscope
from seqgen.pages.views import Line, Views
from seqgen.readings.names import tex_name

BITS = 160
ARRAYS = Arrays(Balls)
MAKERS: dict[str, Callable[..., Any]] = {
    "zeros": lambda *shape: np.zeros(shape, dtype=int),
    "ones": lambda *shape: np.ones(shape, dtype=int),
    "eye": lambda n: np.eye(n, dtype=int),
    "arange": np.arange,
    "causal_mask": lambda n: np.where(np.tri(n, dtype=bool), 0.0, -np.inf),
}


@dataclass(kw_only=True)
class Found:
    """What a spec's formulas gave: how many hold, how many are not decided, and the false ones."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def faults(microscope: Microscope) -> Found:
    """Return what the entries' formulas and the derivations' lines give."""
    found, before = Found(), ctx.prec
    ctx.prec = BITS
    try:
        law = Law(microscope, found)
        law.entries()
        law.derivations()
    finally:
        ctx.prec = before
    return found


class Law:
    """Holds what pages say of a microscope to its values."""

    def __init__(self, microscope: Microscope, found: Found) -> None:
        self.microscope, self.found = microscope, found
        self.views = Views(microscope=microscope)
        displays = microscope.spec.displays.values()
        self.rounds_to_integers = any(not d.digits or d.form in ("significant", "scientific") for d in displays)
        self.values: dict[str, Array | None] = {}
        shared: set[str] = set()
        tex = microscope.spec.tex
        for node, key in microscope.graph.names.items():
            floats = microscope.prover.nearest(node)
            value, name = array(floats, _near).reshape(node.shape), tex_name(key, tex).text
            known = self.values.setdefault(name, value)
            assert known is not None
            if known.shape != value.shape or any(
                not x.overlaps(y) for x, y in zip(known.flat, value.flat, strict=True)
            ):
                shared.add(name)
        self.values.update(dict.fromkeys(shared))
        for name, size in microscope.graph.dims.items():
            self.values.setdefault(tex_name(name, tex).text, ARRAYS.constant(str(size)))
        self.symbols = Reader(ARRAYS, self.values, calls=self._call)

    def _call(self, text: str) -> Array:
        try:
            made = eval(text, {"__builtins__": {}}, {**MAKERS, **self.microscope.graph.dims})
        except Exception as problem:
            raise Unclear(text) from problem
        return array(made, lambda x: arb(float(x)))

    def entries(self) -> None:
        """Each entry's formula has the entry's value, which is printed beside it."""
        for view in self.views.values():
            value = self.values.get(view.name)
            if value is None:
                self.found.counts["left out: two values with one name"] += 1
                continue
            self.printed(view.key, view.value, view.relation, value)
            if view.formula and not view.formula.startswith(r"\text{"):
                self._holds(view.key, view.formula, self.symbols, value)

    def derivations(self) -> None:
        """Each line has its left side's value, in symbols and with numbers put in."""
        for worked in self.views.worked():
            for line in worked.lines:
                self._line(f"{worked.name}: {line.left}", line)

    def _line(self, where: str, line: Line) -> None:
        try:
            value = self.symbols.read(line.left)
        except Unclear as problem:
            self.found.counts[f"left out: {problem}"] += 1
            return
        except Unreadable as problem:
            self.found.faults.append(f"{where}: {problem}")
            return
        relation, result = line.steps[-1]
        self.printed(where, result, relation, value)
        symbols = ""
        for sign, formula in line.steps[:-1]:
            if formula == line.steps[0][1] and sign == "=" and not symbols and self._is_symbolic(formula, line):
                symbols = formula
                self._holds(where, formula, self.symbols, value)
            else:
                self.put_in(where, sign, formula, symbols or line.left, value)

    def _is_symbolic(self, formula: str, line: Line) -> bool:
        return len(line.steps) == 3 or any(name in formula for name in self.values) or "mathrm{" in formula

    def put_in(self, where: str, sign: str, formula: str, symbols: str, value: Array) -> None:
        """Numbers put in give the value, within what the rounding of the printed ones allows.

        What stands after ``=`` is exact, and so is a number of the formula in symbols itself, such as the 2 of a square.
        An integer is rounded only where the spec prints without decimals.
        """
        kept, seen = (Counter(map(spelled, NUMBER.finditer(text))) for text in (symbols, formula))

        def rounded(text: str) -> Array:
            whole = not self.rounds_to_integers and text.isdigit()
            if "?" not in text and (sign == "=" or whole or seen[text] <= kept[text]):
                return boxed(_decimal(text))
            return boxed(_interval(text))

        self._holds(f"{where} (numbers)", formula, Reader(ARRAYS, {}, literal=rounded), value)

    def _holds(self, where: str, formula: str, reader: Reader, value: Array) -> None:
        try:
            read = reader.read(formula)
        except Unclear as problem:
            self.found.counts[f"left out: {problem}"] += 1
            return
        except (Unreadable, IndexError, ValueError) as problem:
            self.found.faults.append(f"{where}: {problem}")
            return
        wrong = self._outside(read, value)
        if wrong:
            self.found.faults.append(f"{where} = {formula}: {wrong}")
        elif any(not x.is_finite() or x.rad() > 1e-3 * (1 + abs(x.mid())) for x in read.flat):
            self.found.counts["wide"] += 1
        else:
            self.found.counts["holds"] += 1

    @staticmethod
    def _outside(read: Array, value: Array) -> str:
        if read.size == value.size and _core(read) == _core(value):
            read = read.reshape(value.shape)
        if read.shape != value.shape:
            return f"shape {read.shape}, not {value.shape}"
        pairs = zip(read.flat, value.flat, strict=True)
        wrong = [(x, y) for x, y in pairs if not x.overlaps(y) and not x.is_nan()]
        return f"{wrong[0][0]}, not {wrong[0][1]}" if wrong else ""

    def printed(self, where: str, text: str, sign: str, value: Array) -> None:
        """Check that a printed result is the value, rounded where the relation says so."""

        def rounded(number: str) -> Array:
            return boxed(_decimal(number) if sign == "=" else _interval(number))

        self._holds(f"{where} (printed)", text, Reader(ARRAYS, {}, literal=rounded), value)


def _core(x: Array) -> tuple[int, ...]:
    """Return a shape without axes of length one in front: a vector is a row."""
    shape = list(x.shape)
    while shape and shape[0] == 1:
        shape.pop(0)
    return tuple(shape)


def _near(x: float | None) -> Any:
    """Return the ball of what a ledger's number may stand for: itself where it is short, else what rounds to it."""
    if x is None:
        return arb("nan")
    if not np.isfinite(x) or float(x * 2**12).is_integer():
        return arb(x)
    return arb(x, abs(x) * 2.0**-52)


def _decimal(text: str) -> Any:
    exact = Fraction(text)
    return arb(exact.numerator) / exact.denominator


def _interval(text: str) -> Any:
    """Return the numbers that are printed as ``text``; without a proof the last digit may be one off."""
    if text == "?":
        return arb("nan")
    mantissa, _, exponent = text.rstrip("?").partition("e")
    unit = Fraction(10) ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return _decimal(text.rstrip("?")) + arb(0, float(unit if "?" in text else unit / 2) * 1.0001)


def shipped(root: Any) -> Iterator[str]:
    """Yield the names of all specs of a course."""
    folder = root / "specs"
    for path in sorted(folder.rglob("*.yaml")):
        yield path.relative_to(folder).with_suffix("").as_posix()
