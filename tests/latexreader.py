r"""Reads the LaTeX of our pages as a reader of mathematics does, and evaluates it.

It shares nothing with the code that writes. Its conventions:

* Products (``\cdot``, ``\odot``) come before sums; a product without a sign is a matrix product and comes before both.
* ``\cdot`` of two vectors is their dot product; ``\odot`` and sums of unequal shapes follow numpy's rule, with vectors as rows.
* ``-x^2`` is ``-(x^2)``; ``^\top`` transposes; a power of a matrix needs the ring ``^{\circ 2}``.
* A function takes the parentheses that follow, and no power may follow those: ``\tanh(x)^2`` is refused as ambiguous.
* ``\sum`` reaches over the product that follows it. ``\mathbf{1}[a > b]`` is 1 where that holds, else 0.
* A relation outside of ``\mathbf{1}[...]`` and ``\operatorname{where}`` is refused: it would join the line's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from arraywise import Array, Arrays, Unclear, boxed

NUMBER = re.compile(r"(\d+(?:\.\d+)?)(?:\\times10\^\{(-?\d+)\})?")
MARKED = re.compile(rf"\{{?{NUMBER.pattern}\}}?\^\{{\?\}}")  # digits that are not proven
PHANTOM = re.compile(r"\\phantom\{[-.0]*\}")  # takes room and shows nothing
BREAK = re.compile(r"(?:\s*\\right\.)*\s*\\\\\n& \\quad (?:\\left\.)*(?:\{\})?")
RELATIONS = {
    ">": ">", "<": "<", r"\ge": ">=", r"\le": "<=", r"\geq": ">=", r"\leq": "<=", "=": "==", r"\ne": "!=", r"\neq": "!=",
}  # fmt: skip
FUNCTIONS = {r"\tanh": "tanh", r"\sin": "sin", r"\cos": "cos", r"\log": "log", r"\exp": "exp", r"\sigma": "sigmoid"}
REDUCTIONS = ("mean", "var", "max", "min")
ALONG = ("softmax", "log_softmax", "logsumexp", "cumsum", "flip", "argmax")
INDEX = r"(?:-?\d+|\d*:\d*)(?:,\s*(?:-?\d+|\d*:\d*))*"


class Unreadable(Exception):
    """What a reader can't make sense of, and where."""


class Reader:
    """Evaluates formulas with the values of ``names``, which are the names as they are typeset.

    A name with the value ``None`` stands for two values. ``literal`` gives a number in the formula its value;
    the text ends in a question mark where the digits are not proven, and is nothing else where none is known. ``calls`` gives that of a maker's call such as ``eye(3)``.
    """

    def __init__(
        self,
        arrays: Arrays,
        names: Mapping[str, Array | None],
        *,
        literal: Callable[[str], Array] | None = None,
        calls: Callable[[str], Array] | None = None,
    ) -> None:
        self.arrays = arrays
        self.literal = literal or arrays.constant
        self.calls = calls
        # An index stands within the outer braces of a name with a superscript: {{z^f}_{0}}.
        inner = {n[1:-1]: v for n, v in names.items() if n.startswith("{{") and n.endswith("}}") and _balanced(n[1:-1])}
        ordered = sorted({**inner, **names}.items(), key=lambda item: -len(item[0]))
        self._names = [(_exact(n), v) for n, v in ordered] + [(_indexed(n), v) for n, v in ordered]
        self._text, self._at = "", 0

    def read(self, text: str) -> Array:
        """Return the value of a formula.

        Raises:
            Unreadable: where it is no formula, or an ambiguous one.
            Unclear: where its value is not decided by what is known.
        """
        self._text, self._at = PHANTOM.sub("", BREAK.sub(" ", text)), 0
        value = self._sum()
        if self._skip() < len(self._text):
            raise self._no("an end")
        return value

    # Characters

    def _skip(self) -> int:
        while self._at < len(self._text) and self._text[self._at].isspace():
            self._at += 1
        return self._at

    def _no(self, expected: str) -> Unreadable:
        return Unreadable(f"expected {expected} before: {self._text[self._at : self._at + 60]!r} in {self._text!r}")

    def _sees(self, mark: str) -> bool:
        at = self._skip()
        if not self._text.startswith(mark, at):
            return False
        end = at + len(mark)
        return not (mark[-1].isalpha() and mark[0] == "\\" and self._text[end : end + 1].isalpha())

    def _takes(self, mark: str) -> bool:
        if not self._sees(mark):
            return False
        self._at += len(mark)
        return True

    def _need(self, mark: str) -> None:
        if not self._takes(mark):
            raise self._no(mark)

    def _matches(self, pattern: str) -> re.Match[str] | None:
        found = re.compile(pattern).match(self._text, self._skip())
        if found:
            self._at = found.end()
        return found

    # Sums and products

    def _sum(self) -> Array:
        negative = self._takes("-")
        total = self._product()
        if negative:
            total = boxed(-total)
        while self._sees("+") or self._sees("-"):
            plus = self._takes("+") or not self._takes("-")
            if self._sees("-") or self._sees("+"):
                raise self._no("one sign, not two")
            term = self._product()
            total = boxed(total + term if plus else total - term)
        return total

    def _product(self) -> Array:
        value = self._matrix_product()
        while self._sees(r"\cdot") or self._sees(r"\odot"):
            dot = self._takes(r"\cdot") or not self._takes(r"\odot")
            other = self._matrix_product()
            if not dot or () in (value.shape, other.shape):
                value = boxed(value * other)
            else:  # a matrix product that a line break divides has the dot too
                value = self._multiplied(value, other)
        return value

    def _multiplied(self, value: Array, other: Array) -> Array:
        """Return a matrix product; a column times a vector is a column times a row."""
        if value.ndim == 2 and value.shape[1] == 1 and other.ndim == 1:
            return boxed(value * other)
        return self._shaped(lambda: self.arrays.product(value, other))

    def _matrix_product(self) -> Array:
        if self._takes(r"\sum"):
            options = self._options()
            return self.arrays.reduce("sum", self._product(), **options)
        value, middle = self._power(), False
        while self._takes(r"\,"):
            if middle:
                raise self._no("parentheses around a column vector's product")
            other = self._power()
            middle = value.ndim > 1 and value.shape[1] > 1 and other.ndim == 1
            value = self._multiplied(value, other)
        return value

    def _shaped(self, make: Callable[[], Array]) -> Array:
        try:
            return make()
        except ValueError as problem:
            raise self._no(f"fitting shapes ({problem})") from problem

    def _power(self) -> Array:
        value, function = self._atom()
        while True:
            if self._takes(r"^\top"):
                value = np.swapaxes(np.atleast_2d(value), -1, -2)
            elif self._sees("^"):
                if function:
                    raise self._no("no power of a function's parentheses")
                self._need("^")
                self._need("{")
                ring = self._takes(r"\circ")
                if value.ndim > 1 and not ring:
                    raise self._no("the ring of a matrix's power element by element")
                exponent = self._sum()
                self._need("}")
                value = self.arrays.each(self.arrays.numbers.power, value, exponent)
            elif found := self._matches(r"_\{\((\d+(?:, \d+)*)\)\}"):
                value = boxed(np.stack([boxed(value[int(i)]) for i in found[1].split(", ")]))
            elif found := self._matches(rf"_\{{({INDEX})\}}"):
                value = boxed(value[_key(found[1])])
            else:
                return value
            function = False

    # Atoms

    def _atom(self) -> tuple[Array, bool]:
        """Return a value, and whether it is a function with its parentheses."""
        for pattern, value in self._names:
            if found := self._matches(pattern.pattern):
                if value is None:
                    raise Unclear("two values with one name")
                index = next((part for part in found.groups() if part), "")
                return (boxed(value[_key(index)]) if index else value), False
        if self._takes(r"\text{?}"):
            return self.literal("?"), False
        if found := self._matches(MARKED.pattern):
            return self.literal(f"{spelled(found)}?"), False
        if found := self._matches(NUMBER.pattern):
            return self.literal(spelled(found)), False
        for read in (self._enclosed, self._indicator, self._call, self._function, self._operator):
            if (value := read()) is not None:
                return value, read in (self._function, self._operator)
        raise self._no("a value")

    def _enclosed(self) -> Array | None:
        if self._takes(r"\left("):
            return self._tuple(r"\right)")
        if self._takes("("):
            return self._tuple(")")
        if self._takes(r"\left[\begin{array}"):
            self._matches(r"\{r+\}")
            value = self._rows("array")
            self._need(r"\right]")
            return value
        if self._takes(r"\left["):
            parts = [self._sum()]
            while self._takes(r"\mid"):
                parts.append(self._sum())
            self._need(r"\right]")
            return self._shaped(lambda: np.concatenate([np.atleast_1d(part) for part in parts], axis=-1))
        if self._takes(r"\begin{bmatrix}"):
            return self._rows("bmatrix")
        if self._takes(r"\left\lvert"):
            value = self._sum()
            self._need(r"\right\rvert")
            return self.arrays.apply("abs", value)
        if self._takes(r"\left\lVert"):
            return self._norm()
        if self._takes(r"\frac"):
            above, below = self._group(), self._group()
            return boxed(above / below)
        if self._takes(r"\sqrt"):
            return self.arrays.apply("sqrt", self._group())
        if self._takes(r"\pi"):
            return boxed(self.arrays.numbers.pi)
        if self._takes(r"\infty"):
            return boxed(self.arrays.numbers.infinity)
        return self._group() if self._sees("{") else None

    def _group(self) -> Array:
        self._need("{")
        value = self._sum()
        self._need("}")
        return value

    def _tuple(self, end: str) -> Array:
        parts = [self._sum()]
        while self._takes(","):
            parts.append(self._sum())
        self._need(end)
        return parts[0] if len(parts) == 1 else self._shaped(lambda: np.stack(parts))

    def _rows(self, name: str) -> Array:
        rows = []
        while True:
            parts = [self._sum()]
            while self._takes("&"):
                parts.append(self._sum())
            cells = [_matrix(part) for part in parts]
            rows.append(self._shaped(lambda cells=cells: np.concatenate(cells, axis=-1)))
            if not self._takes(r"\\"):
                break
        self._need(rf"\end{{{name}}}")
        return self._shaped(lambda: np.concatenate(rows, axis=-2))

    def _norm(self) -> Array:
        value = self._sum()
        self._need(r"\right\rVert")
        if self._takes("_F"):
            if value.ndim < 2:
                raise self._no("a matrix in a Frobenius norm")
            return self.arrays.reduce("norm", value)
        if self._takes("_2"):
            if value.ndim > 1:
                raise self._no("a vector: the 2-norm of a matrix is its largest singular value")
            return self.arrays.reduce("norm", value)
        found = self._matches(r"_\{2,(?=\\text)")
        if not found:
            raise self._no("which norm it is")
        self._at -= len("_{2,")
        self._text = self._text[: self._at] + "_{" + self._text[self._at + 4 :]
        return self.arrays.reduce("norm", value, **self._options())

    def _indicator(self) -> Array | None:
        found = self._matches(r"\\mathbf\{([01])\}_\{(\d+(?: \\times \d+)*)\}")
        if found:
            return self.arrays.full([int(n) for n in found[2].split(r" \times ")], int(found[1]))
        if not (self._takes(r"\mathbf{1}\left[") or self._takes(r"\mathbf{1}[")):
            return None
        value = self._condition()
        if not (self._takes(r"\right]") or self._takes("]")):
            raise self._no("a closing bracket")
        return value

    def _condition(self) -> Array:
        left = self._sum()
        sign = next((s for s in sorted(RELATIONS, key=len, reverse=True) if self._takes(s)), None)
        return left if sign is None else self.arrays.compare(RELATIONS[sign], left, self._sum())

    # Functions

    def _arguments(self) -> list[Array]:
        end = r"\right)" if self._takes(r"\left(") else ")"
        if end == ")":
            self._need("(")
        parts = [self._condition()]
        while self._takes(","):
            parts.append(self._sum())
        self._need(end)
        return parts

    def _argument(self) -> Array:
        parts = self._arguments()
        return parts[0] if len(parts) == 1 else self._shaped(lambda: np.stack(parts))

    def _function(self) -> Array | None:
        if self._takes(r"\mathrm{e}^"):
            return self.arrays.apply("exp", self._group())
        if self._takes(r"\log_{10}"):
            return self.arrays.apply("log10", self._argument())
        name = next((f for f in FUNCTIONS if self._takes(f)), None)
        return None if name is None else self.arrays.apply(FUNCTIONS[name], self._argument())

    def _options(self) -> dict[str, Any]:
        r"""Return what stands below an operator: ``_{\text{axis 1, kept},\text{ddof 1}}``."""
        found = self._matches(r"_\{((?:\\text\{[^}]*\},?)+)\}")
        options: dict[str, Any] = {}
        for text in re.findall(r"\\text\{([^}]*)\}", found[1] if found else ""):
            places = re.fullmatch(r"(?:axis|axes) (\d+(?:, \d+)*)(, kept)?", text)
            if places:
                options["axis"] = tuple(int(n) for n in places[1].split(", "))
                options["keepdims"] = bool(places[2])
            elif ddof := re.fullmatch(r"ddof (-?\d+)", text):
                options["ddof"] = int(ddof[1])
            else:
                raise self._no(f"an option, not {text!r}")
        return options

    def _call(self) -> Array | None:
        if call := self._matches(r"\\mathrm\{([a-z_\\]+\([^{}]*\))\}"):
            if self.calls is None:
                raise self._no("numbers, not a call")
            return self.calls(call[1].replace("\\", ""))
        return None

    def _operator(self) -> Array | None:
        found = self._matches(r"\\operatorname\{([a-z\\_]+)\}")
        if not found:
            return None
        name = found[1].replace("\\_", "_")
        if name == "repeat":
            raise Unclear("a loop")
        if name in ALONG:
            return self._along(name)
        if name in REDUCTIONS:
            options = self._options()
            parts = self._arguments()
            if len(parts) == 1 or name in ("mean", "var") or all(part.shape == () for part in parts):
                return self.arrays.reduce(name, parts[0] if len(parts) == 1 else np.stack(parts), **options)
            sign = 1 if name == "max" else -1
            return boxed(
                sign * self.arrays.each(self.arrays.numbers.larger, boxed(sign * parts[0]), boxed(sign * parts[1]))
            )
        if self.arrays.is_function(name):
            return self.arrays.apply(name, self._argument())
        return self._placed(name)

    def _along(self, name: str) -> Array:
        options = self._options()
        value = self._argument()
        if value.ndim > 1 and "axis" not in options and not name.endswith("softmax"):
            raise self._no(f"the axis of {name}")
        (axis,) = options.get("axis", (-1,))
        return self.arrays.along(name, np.atleast_1d(value), axis)

    def _placed(self, name: str) -> Array:
        """Return what carries a shape or places below it, and above it the shape of the result."""
        if name == "where":
            return self.arrays.each(self.arrays.numbers.either, *self._arguments())
        if name == "concat":
            (axis,) = self._options()["axis"]
            return self._shaped(lambda: np.concatenate(self._arguments(), axis=axis))
        below = self._matches(r"_\{(\(?)([^{}()]*)\)?\}")
        above = self._matches(r"\^\{([\d \\times]+)\}") if name.startswith("scatter") else None
        if not below:
            raise self._no(f"places below {name}")
        value = self._argument()
        parts = below[2].replace(r" \times ", ",")
        numbers = [int(n) for n in re.findall(r"-?\d+", parts)]
        if name == "reshape":
            return value.reshape(numbers)
        if name == "permute":
            return np.transpose(value, numbers)
        if name == "one_hot":
            return self.arrays.one_hot(value, numbers[0])
        if name.startswith("scatter") and above:
            result = self.arrays.full([int(n) for n in above[1].split(r" \times ")], 0)
            if name == "scatter":
                result[_key(parts)] = value if value.shape else value.item()
            else:
                for row, place in zip(value, numbers, strict=True):
                    result[place] = result[place] + row
            return result
        raise self._no(f"a known operator, not {name}")


def spelled(found: re.Match[str]) -> str:
    """Return a match of `NUMBER` as Python writes it."""
    return found[1] + (f"e{found[2]}" if found[2] else "")


def _matrix(part: Array) -> Array:
    return np.atleast_2d(part)


def _key(text: str) -> tuple[Any, ...]:
    def part(piece: str) -> Any:
        if ":" not in piece:
            return int(piece)
        start, stop = (int(n) if n else None for n in piece.split(":"))
        return slice(start, stop)

    return (*(part(p.strip()) for p in text.split(",")),)


def _exact(name: str) -> re.Pattern[str]:
    """Return the pattern of a name that stands alone: what has a subscript after it may be another name."""
    edge = r"(?![A-Za-z])" if re.search(r"\\[A-Za-z]+\Z", name) else ""
    return re.compile(re.escape(name) + edge + ("" if name.startswith("{") else r"(?!_\{(?!\()|\^\{\()"))


def _indexed(name: str) -> re.Pattern[str]:
    """Return the pattern of a name that takes an index into its subscript."""
    inner = name
    while inner.startswith("{") and inner.endswith("}") and _balanced(inner[1:-1]):
        inner = inner[1:-1]
    opened = (len(name) - len(inner)) // 2
    found = re.fullmatch(r"(?P<symbol>.*?)(?:_\{(?P<below>(?:[^{}]|\{[^{}]*\})*)\})?(?P<above>\^\{\(.*\)\})?", inner)
    if not found or name.startswith((r"\frac", r"\left")):
        return re.compile(r"(?!)")
    below = re.escape(found["below"]) + "," if found["below"] else ""
    symbol, above = re.escape(found["symbol"]), re.escape(found["above"] or "")
    return re.compile(r"\{" * opened + symbol + r"_\{" + below + f"({INDEX})" + r"\}" + above + r"\}" * opened)


def _balanced(text: str) -> bool:
    depth = 0
    for mark in text:
        depth += {"{": 1, "}": -1}.get(mark, 0)
        if depth < 0:
            return False
    return depth == 0
