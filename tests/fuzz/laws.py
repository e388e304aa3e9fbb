"""Computes random specs twice: by seqgen, and by `interpreter` with mpmath's numbers; and compares all that is said of them.

    python tests/fuzz/laws.py --count 2000 --seed 1

The specs have comparisons, masks, ties, loops, calls, several uses of a value, and gradients of gradients. Compared are
values and printed digits, gradients, what each use contributes, formulas in both writings, and lines of derivations.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from arraywise import MP, Array, Unclear, boxed
from interpreter import ARRAYS, Expressions, Spec
from latexreader import Reader, Unreadable
from seqgen.errors import SeqgenError
from seqgen.language.bindings import Entry
from seqgen.microscope import Microscope, open_microscope
from seqgen.pages.views import Views
from seqgen.project import Project
from seqgen.readings.formula import Formulas
from seqgen.readings.names import tex_name
from statements import faults
from strategies import LEAVES, ONE, TWO, templates
from traced import Number, close, point

Shape = tuple[int, ...]
SHAPES: list[Shape] = [(), (2,), (3,), (2, 3), (3, 2), (2, 2)]
GIVEN: dict[str, Shape] = {
    **dict.fromkeys("sr", ()),
    "p": (2,),
    **dict.fromkeys("uv", (3,)),
    **dict.fromkeys("AC", (2, 3)),
    "B": (3, 2),
    "G": (2, 2),
}
GRID = ["-1", "-0.5", "0", "0.5", "1", "1", "2"]
# What meets ties, masks and kinks most often.
MEETING = [
    *("where({0} == {1}, {0}, 2 * {1})", "where({0} != 0, {1} / 2, {0})", "({0} > {1}) + ({0} >= {1})", "abs({0} - {1})"),
    *("maximum({0}, {1}) * {0}", "minimum({0}, 0) - {1}", "relu({0} - {1})", "sign({0}) * {1}", "{0} * ({1} <= 1/2)"),
    *("({0} < {1}) * {0} - ({0} == {1})", "where({0} > 0 , {1}, -{0})**2"),
]  # fmt: skip
MASKED = {
    (2, 3): ["softmax({0} + M)", "softmax({0} + M) * {1}", "where(M == 0, {0}, 0)", "({0} - max({0}, axis=1, keepdims=1))"],
    (3,): ["softmax({0} + m)", "max({0}) - {1}", "{0} * ({0} == max({0}))", "one_hot(argmax({0}), size=3) * {1}"],
    (2,): ["sum(softmax(A + M) * C, axis=1) + {0}", "{0} / (1 + max({0})**2)", "{0} * ({1} != min({1}))"],
    (2, 2): ["softmax({0} + causal_mask(2))", "softmax({0} + causal_mask(2)) @ {1}"],
    (): ["max(A)", "min(A * C)", "sum(A == C)", "max({0} * u)"],
    (3, 2): ["max({0}, axis=1, keepdims=1) * {0}", "one_hot(argmax({0}, axis=1), size=2)"],
}  # fmt: skip


@dataclass
class Writer:
    """Writes a random spec."""

    draw: random.Random
    names: dict[Shape, list[str]] = field(default_factory=dict)

    def spec(self) -> tuple[dict[str, Any], list[str]]:
        """Return given values, as texts, and steps."""
        draw = self.draw
        ties = draw.random() < 0.6
        given = {name: self._values(shape, ties) for name, shape in GIVEN.items()}
        given["M"] = [["0", *draw.choices(["0", "-inf"], k=2)], [*draw.choices(["0", "-inf"], k=2), "0"]]
        given["m"] = ["0", "-inf", draw.choice(["0", "-inf"])]
        given["h[-1]"] = self._values((2,), ties)
        for name, shape in GIVEN.items():
            self.names.setdefault(shape, []).append(name)
        steps = []
        if draw.random() < 0.4:
            steps += ["def f(a, b):", f"    c = {self._local()}", f"    return {self._local('c')}"]
        calls = bool(steps)
        if draw.random() < 0.4:
            body = draw.choice(
                ["x_t + h[t-1]", "h[t-1] @ G + x_t", "(h[t-1] * x_t - p)", "where(x_t > h[t-1], x_t, h[t-1])"]
            )
            outer = draw.choice(["tanh({})", "relu({})", "{}", "({}) / 2"])
            steps += [
                "for t in range(T + 1):",
                "    h[t] = " + outer.format(body.replace("x_t", draw.choice(["B[t]", "p", "s"]))),
            ]
            self.names[2,] += ["h[0]", "h[2]"]
        results = []
        for number in range(draw.randint(2, 4)):
            shape, name = draw.choice(SHAPES), f"y_{number}"
            if calls and draw.random() < 0.3:
                one, two = (draw.choice([*self.names[shape]]) for _ in "ab")
                two = two if draw.random() < 0.7 else self._write(shape, 1)
                steps.append(f"{name} = f({one}, {two})")
                self.names[shape].append(f"{name}.c")
            else:
                steps.append(f"{name} = {self._write(shape, 3)}")
            self.names[shape] += [name, name, name]
            results.append((name, shape))
        return given, [*steps, *self._ends(results)]

    def _ends(self, results: list[tuple[str, Shape]]) -> Iterator[str]:
        draw = self.draw
        of = ["sum({} * {})", "sum({})", "mean({})", "max({})", "norm({} + 3)", "sum(tanh({}) * {})"]
        terms = [draw.choice(of).replace("{}", name) for name, _ in results]
        yield "L = " + " + ".join([*terms, *draw.sample(["s * r", "sum(u * v)", "sum(A * C)", "s"], k=1)])
        if draw.random() < 0.3:
            name = draw.choice([*GIVEN, results[0][0]])
            yield f"g = grad(L, {name})"
            yield "Q = sum(g * g) + sum(g)"

    def _values(self, shape: Shape, ties: bool) -> Any:
        if shape:
            return [self._values(shape[1:], ties) for _ in range(shape[0])]
        return self.draw.choice(GRID) if ties else f"{self.draw.randint(-250, 250) / 100:.2f}"

    def _local(self, *more: str) -> str:
        one, two = self.draw.choices(["a", "b", *more, *more], k=2)
        return self.draw.choice([*(t for t in ONE if "({} " not in t), *TWO, *MEETING]).format(f"{one}", f"{two}")

    def _write(self, shape: Shape, depth: int) -> str:
        kind = self.draw.choice(["leaf", "one", "two", "shaped", "shaped", "meeting", "masked"]) if depth else "leaf"
        shapes: tuple[Shape, ...]
        match kind:
            case "leaf":
                own = self.names.get(shape, [])
                return self.draw.choice([*own, *own, *LEAVES[shape]])
            case "one":
                text, shapes = self.draw.choice(ONE), (shape,)
            case "two":
                text, shapes = self.draw.choice(TWO), (shape, self.draw.choice([shape, (), shape[-1:]]))
            case "shaped":
                text, shapes = self.draw.choice(templates(shape))
            case _:
                text, shapes = (
                    self.draw.choice(MEETING if kind == "meeting" or shape not in MASKED else MASKED[shape]),
                    (shape, shape),
                )
                parts = [self._write(inner, depth - 1) for inner in shapes]
                return "(" + text.format(*(f"({part})" for part in parts)) + ")"
        return text.format(*(self._write(inner, depth - 1) for inner in shapes))


@dataclass
class Found:
    """What a comparison counts, and what is false."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def text_of(given: dict[str, Any], steps: list[str], wanted: dict[str, list[str]], lines: list[str]) -> str:
    """Return the text of a spec."""
    values = "".join(f"  {name}: {{value: {str(value).replace(chr(39), '')}}}\n" for name, value in given.items())
    body = "".join(f"  {line}\n" for line in steps)
    asked = "".join(f"  {of}: [{', '.join(names)}]\n" for of, names in wanted.items())
    asked = f"gradients:\n{asked}" if asked else ""
    worked = "".join(f"    - '{line}'\n" for line in lines)
    return f"title: t\ndims: {{T: 2, D: 3}}\ngiven:\n{values}steps: |\n{body}{asked}worked:\n  all:\n{worked}"


def compare(draw: random.Random, folder: Path) -> Found:
    """Compare what seqgen and the interpreter make of a random spec."""
    given, steps = Writer(draw).spec()
    found = Found()
    true: Spec | None = None
    refused = ""
    wanted: dict[str, list[str]] = {}
    lines = ["L"]
    try:
        true = Spec(given, {"T": 2, "D": 3}, "\n".join(steps))
        wanted = {root: _reached(true, root) for root in ("L", "Q") if root in true.entries}
        wanted = {root: names for root, names in wanted.items() if names}
        lines = [key for key in true.entries if key not in given]
        lines += [f"grad({of}, {to})" for of in wanted for to in wanted[of] if to in true.entries]
        for root in wanted:
            for key in wanted[root]:
                for name in true.entries:
                    if name == key or name.startswith(f"{key}["):
                        true.adjoints(root).by(true.entries[name])
    except ZeroDivisionError as problem:
        true, refused = None, str(problem)
    text = text_of(given, steps, wanted, lines)
    (folder / "specs/example.yaml").write_text(text, encoding="utf-8")
    try:
        microscope = open_microscope(Project(folder), "example")
        if true is None:
            for views in (Views(microscope=microscope).worked(), Views(microscope=microscope).values()):
                list(views)
            found.faults.append(f"computed, though there is {refused}")
        else:
            _Comparison(microscope, true, found).all()
    except SeqgenError as problem:
        codes = sorted({p.code for p in getattr(problem, "errors", (problem,))})
        # An element that is a constant takes its row into a gradient that does not exist, though nobody needs its own.
        beside = codes == ["division-by-zero"] and true is not None and "in the gradient of" in problem.render()
        found.counts[f"refused: {', '.join(codes)}{', of a constant beside' if beside else ''}"] += 1
        if true is not None and not beside:
            found.faults.append(f"refused: {problem.render()}")
    if found.faults:
        found.faults.append(text)
    return found


def _reached(true: Spec, root: str) -> list[str]:
    adjoints = true.adjoints(root)
    keys = [key for key in true.entries if key != root and "[" not in key and "." not in key and key not in ("M", "m")]
    families = {key.partition("[")[0] for key in true.entries if "[" in key and "." not in key}
    for name in families:
        if any(adjoints.reach(values) for key, values in true.entries.items() if key.startswith(f"{name}[")):
            keys.append(name)
    if root == "Q":  # how a gradient depends on computed values is a matter of how its formula is written
        keys = [key for key in keys if key in GIVEN]
    return [key for key in keys if key in families or adjoints.reach(true.entries[key])]


class _Comparison:
    def __init__(self, microscope: Microscope, true: Spec, found: Found) -> None:
        self.microscope, self.true, self.found = microscope, true, found
        self.values = dict(true.entries)

    def all(self) -> None:
        """Compare everything."""
        for entry in self.microscope.graph.entries.values():
            self._same(entry.key, entry.node, self.true.entries[entry.key])
        for gradient in self.microscope.gradients:
            key = gradient.entry.key
            if key not in self.values:
                of, to = key[5:-1].split(", ", 1)
                self.values[key] = self.true.adjoints(of).by(self.true.entries[to])
            self._same(key, gradient.entry.node, self.values[key])
            self._uses(key, gradient.contributions)
        self._named_gradients()
        self._formulas()
        self._latex()
        lines = faults(self.microscope)
        self.found.counts.update({f"lines, {what}": n for what, n in lines.counts.items()})
        self.found.faults += lines.faults

    def _same(self, where: str, node: Any, true: Array) -> None:
        reals = self.microscope.prover.reals(node)
        shown = self.microscope.prover.printed(node, self.microscope.display(""))
        if reals.values.shape != true.shape:
            self.found.faults.append(f"{where}: shape {reals.values.shape}, not {true.shape}")
            return
        for place in np.ndindex(*true.shape):
            value, has = point(true[place].value), reals.values[place]
            wrong = not (
                value == has or abs(value - MP.mpf(float(has))) <= abs(value) * MP.mpf(2) ** -53 + _noise(value)
            )
            printed = shown[place]
            if printed.proven and np.isfinite(has):
                half = Fraction(1, 2 * 10 ** len(printed.text.partition(".")[2]))
                wrong |= abs(point(Fraction(printed.text)) - value) > point(half) * (1 + MP.mpf(10) ** -30)
            if wrong and reals.proven:
                self.found.faults.append(
                    f"{where}{list(place)} = {has}, shown {printed.text}, not {MP.nstr(value, 30)}"
                )
            self.found.counts["numbers" if reals.proven else "numbers, unproven"] += 1

    def _uses(self, key: str, contributions: Any) -> None:
        """Compare what each use contributes, in order; what contributes nothing may be left out."""
        of, to = key[5:-1].split(", ", 1)
        true = [(via, values) for via, values, _ in self.true.contributions(of, to)]
        has = [(via.partition(",")[0], self._contributed(node)) for via, node in contributions]
        if any("grad(" in line for line in self.true.text.split("\n") if line.startswith("g =")) and of == "Q":
            return
        left = [(via, values) for via, values in true if not _is_zero(values)]
        right = [(via, values) for via, values in has if values.astype(float).any()]
        # The order of statements is that of evaluation in both.
        if len(left) != len(right) or any(
            one[0] != other[0] or not _near(one[1], other[1]) for one, other in zip(left, right, strict=True)
        ):
            said = [
                [(via, [float(point(getattr(n, "value", n))) for n in x.flat]) for via, x in side]
                for side in (left, right)
            ]
            self.found.faults.append(f"{key}: uses {said[1]}, not {said[0]}")
        self.found.counts["contributions"] += len(right)
        zeros = ARRAYS.full(self.values[key].shape, 0)
        rest = iter(left)
        for (via, _), (_, values) in zip(contributions, has, strict=True):
            worth = next(rest, ("", zeros))[1] if values.astype(float).any() else zeros
            self.values[f"grad({of}, {to}, via={via})"] = worth

    def _contributed(self, node: Any) -> Array:
        """Return a contribution; one that is not proven is a zero that no precision decides."""
        reals = self.microscope.prover.reals(node)
        tiny = not reals.proven and (abs(reals.values) < 1e-12).all()
        return boxed(0 * reals.values if tiny else reals.values)

    def _named_gradients(self) -> None:
        """Take further gradients that formulas refer to by the name that they have.

        That of a scalar which depends on gradients, by a computed value, is a matter of how these are written: it is taken
        from seqgen.
        """
        for node, name in list(self.microscope.graph.names.items()):
            if name.startswith("grad(") and name not in self.values and "via=" not in name:
                of, to = name[5:-1].split(", ", 1)
                if of == "Q" and to not in GIVEN:
                    floats = self.microscope.prover.reals(node).values
                    self.values[name] = ARRAYS.each(lambda x: Number(MP.mpf(float(x))), boxed(floats.astype(object)))
                else:
                    with suppress(ZeroDivisionError):  # it has a name, and no value that anybody asks for
                        self.values[name] = self.true.adjoints(of).by(self.true.entries[to])

    def _entries(self) -> Iterator[Entry]:
        yield from (e for e in self.microscope.graph.entries.values() if e.role == "computed")
        yield from (gradient.entry for gradient in self.microscope.gradients)

    def _formulas(self) -> None:
        write = Formulas(names=self.microscope.graph.names, latex=False)
        for entry in self._entries():
            text = write.definition(entry.node)
            try:
                value = Expressions(self.values, {"T": 2, "D": 3}).read(text)
            except (KeyError, AssertionError, ValueError, IndexError) as problem:
                if "via=" not in text:
                    self.found.faults.append(f"{entry.key} = {text}: {type(problem).__name__} {problem}")
                self.found.counts["formulas with uses left out"] += 1
                continue
            except ZeroDivisionError:
                self.found.counts["formulas that divide by zero"] += 1
                continue
            self._holds(f"{entry.key} = {text}", value, self.values[entry.key])

    def _latex(self) -> None:
        names: dict[str, Array | None] = {}
        for key, value in self.values.items():
            name = tex_name(key, {}).text
            names[name] = None if name in names and not _near(names[name], value) else value
        names |= {"T": ARRAYS.constant(2), "D": ARRAYS.constant(3)}
        reader = Reader(ARRAYS, names, calls=lambda text: Expressions({}, {"T": 2, "D": 3}).read(text))
        write = Formulas(names=self.microscope.graph.names)
        for entry in self._entries():
            text = write.definition(entry.node)
            try:
                self._holds(f"{entry.key} = {text}", reader.read(text), self.values[entry.key])
            except (Unreadable, ValueError, IndexError) as problem:
                if r"\right\rvert_" not in text:
                    self.found.faults.append(f"{entry.key} = {text}: {problem}")
            except (Unclear, ZeroDivisionError) as problem:
                self.found.counts[f"LaTeX left out: {problem}"] += 1

    def _holds(self, where: str, value: Array, true: Array) -> None:
        if value.size == true.size:
            value = boxed(value.reshape(true.shape))
        digits = 12 if any(f"grad(Q, {key})" in self.values for key in self.true.entries if key not in GIVEN) else 40
        if value.shape != true.shape or not _near(value, true, digits):
            self.found.faults.append(
                f"{where} is {[float(point(n.value)) for n in value.flat]}, not {[float(point(n.value)) for n in true.flat]}"
            )
        self.found.counts["formulas"] += 1


def _noise(value: Any) -> Any:
    return MP.mpf(10) ** -45 * (1 + abs(value))


def _is_zero(values: Array) -> bool:
    return all(close(n.value, Fraction(0)) for n in values.flat)


def _near(one: Any, other: Any, digits: int = 40) -> bool:
    def value(x: Any) -> Any:
        return point(x.value) if isinstance(x, Number) else MP.mpf(float(x))

    exact = all(isinstance(n, Number) for n in (*one.flat, *other.flat))
    if one.shape != other.shape:
        return False
    unit = MP.mpf(10) ** (-digits if exact else -14)
    pairs = ((value(x), value(y)) for x, y in zip(one.flat, other.flat, strict=True))
    return all(x == y or abs(x - y) <= unit * (1 + abs(y)) for x, y in pairs)


def laws(numbers: Iterable[int], seed: int, folder: Path, *, said: bool = False) -> Found:
    """Compare specs; each has a seed of its own, by which it can be made again."""
    total = Found()
    for number in numbers:
        found = compare(random.Random(f"{seed} {number}"), folder)
        total.counts.update(found.counts)
        total.counts["specs"] += 1
        total.faults += [f"{seed} {number}: {fault}" for fault in found.faults]
        if said and found.faults:
            print("\n".join(total.faults[-len(found.faults) :]), flush=True)
    return total


def main() -> None:
    """Compare specs, and print what was counted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="the spec of this number alone")
    asked = parser.parse_args()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "specs").mkdir()
        (Path(folder) / "pyproject.toml").write_text("[tool.seqgen]\n")
        numbers = range(asked.count) if asked.only is None else [asked.only]
        found = laws(numbers, asked.seed, Path(folder), said=True)
    for what, times in sorted(found.counts.items()):
        print(f"{times:8} {what}")
    print(f"{len(found.faults)} faults in {time.monotonic() - start:.0f} s")
    sys.exit(bool(found.faults))


if __name__ == "__main__":
    main()
