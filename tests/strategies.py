"""Hypothesis strategies that several test files share."""

from __future__ import annotations

import re
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from seqgen.language.expressions import public_functions
from seqgen.spec.model import Display

WIDE = Context(prec=400)


def decimals(*, low: int, high: int, digits: int = 6) -> st.SearchStrategy[str]:
    """Return texts of decimal numbers between two integers, with up to ``digits`` decimals."""
    scale = 10**digits

    def write(scaled: int) -> str:
        sign, magnitude = "-" if scaled < 0 else "", abs(scaled)
        return f"{sign}{magnitude // scale}.{magnitude % scale:0{digits}d}"

    return st.integers(low * scale, high * scale).map(write)


def finite_decimals() -> st.SearchStrategy[Decimal]:
    """Return decimals of up to 40 digits and exponents that slides may see, ties and near ties among them."""
    scaled = st.integers(-(10**40), 10**40), st.integers(-50, 10)
    ties = st.integers(-(10**6), 10**6).map(lambda x: Fraction(10 * x + 5)), st.integers(-41, 0)
    nudges = st.sampled_from([Fraction(0), Fraction(1, 10**80), Fraction(-1, 10**80)])
    return st.one_of(
        st.builds(lambda x, e: WIDE.create_decimal(x).scaleb(e, WIDE), *scaled),
        st.builds(lambda x, e, nudge: _decimal(x * Fraction(10) ** e + nudge), *ties, nudges),
    )


def _decimal(x: Fraction) -> Decimal:
    return WIDE.divide(Decimal(x.numerator), Decimal(x.denominator))


def fractions() -> st.SearchStrategy[Fraction]:
    """Return rationals of all sizes, small and large, whole and not."""
    size = st.integers(-30, 30).map(lambda e: Fraction(10) ** e)
    return st.one_of(
        st.builds(lambda x, s: x * s, st.fractions(max_denominator=10**6, min_value=-100, max_value=100), size),
        finite_decimals().map(Fraction),
        st.just(Fraction(0)),
    )


def forms() -> st.SearchStrategy[Display]:
    """Return ways of printing a number in digits."""
    return st.one_of(
        st.builds(Display, digits=st.integers(0, 12)),
        st.builds(Display, form=st.sampled_from(["significant", "scientific"]), digits=st.integers(1, 12)),
    )


@st.composite
def enclosures(draw: st.DrawFn) -> tuple[Fraction, Fraction, Fraction]:
    """Return the low end of an enclosure, a number in it, and its high end."""
    low = draw(fractions())
    width = draw(st.one_of(st.just(Fraction(0)), st.integers(1, 9).map(Fraction)))
    width *= Fraction(10) ** draw(st.integers(-60, 2))
    share = draw(st.fractions(min_value=0, max_value=1))
    return low, low + share * width, low + width


def ledgers() -> st.SearchStrategy[dict[str, Any]]:
    """Return contents of ledgers: their version, and any JSON beside it."""
    words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
    numbers = st.one_of(st.integers(-(10**30), 10**30), st.floats(allow_nan=False, allow_infinity=False))
    leaves = st.one_of(st.none(), st.booleans(), numbers, words)
    trees = st.recursive(
        leaves,
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(words, inner, max_size=4)),
        max_leaves=20,
    )
    return st.dictionaries(words.filter(lambda w: w != "seqgen"), trees, max_size=5).map(lambda d: {"seqgen": 1, **d})


# Words that YAML 1.2 reads as something else than a text, or that PyYAML writes by the rules of YAML 1.1.
_NOT_WORDS = re.compile(r"[-+.]?[0-9_].*|~|[.].*|(?i:null|true|false|yes|no|on|off|y|n)?\Z|=|<<")


def words() -> st.SearchStrategy[str]:
    """Return texts of a line that every YAML reads as texts."""
    characters = st.characters(
        categories=["L", "N", "P", "S", "Zs"], max_codepoint=0xD7FF, exclude_characters="\u2028\u2029"
    )
    return st.text(characters, max_size=12).filter(lambda word: not _NOT_WORDS.match(word.strip()))


def trees() -> st.SearchStrategy[Any]:
    """Return mappings of words to trees of words, numbers, truth values and nothing."""
    numbers = st.one_of(st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False))
    inner = st.recursive(
        st.one_of(st.none(), st.booleans(), numbers, words()),
        lambda inside: st.one_of(st.lists(inside, max_size=4), st.dictionaries(words(), inside, max_size=4)),
        max_leaves=12,
    )
    return st.dictionaries(words(), inner, min_size=1, max_size=4)


def number_like() -> st.SearchStrategy[str]:
    """Return texts of the characters that numbers are written with."""
    pieces = st.sampled_from(["0", "1", "9", "17", "0x", "0o", "f", ".", "-", "+", "e", "E", "_", ":", " "])
    return st.lists(pieces, min_size=1, max_size=6).map("".join)


def yaml_like() -> st.SearchStrategy[str]:
    """Return texts that are nearly YAML."""
    pieces = [
        *("a", "b: ", "key:", "- ", "[", "]", "{", "}", ", ", ": ", "? ", "~", "0", "1e5", "ü", "\ufeff"),
        *("\n", "\n  ", "\n    ", "\t", "\r\n", "#", " # x", "---\n", "...\n", "%", "@", "`"),
        *("&a ", "*a", "<<: ", "!", "!!int ", "|", ">", "|2", "'", '"', "\\"),
    ]
    return st.lists(st.sampled_from(pieces), max_size=16).map("".join)


# The arrays that expressions use. Dims are T = 2 and D = 3.
EXPRESSION_ARRAYS = {
    "s": 0.7,
    "r": -1.3,
    "p": [0.4, -1.1],
    "u": [0.3, -0.8, 1.9],
    "v": [1.2, 0.5, -0.6],
    "A": [[0.3, -1.2, 2.1], [-0.7, 0.9, 1.6]],
    "C": [[1.3, 0.4, -0.6], [0.8, -1.1, 0.25]],
    "B": [[1.1, -0.3], [0.45, 2.2], [-1.7, 0.6]],
    "G": [[0.9, 0.2], [-0.4, 1.5]],
}
Shape = tuple[int, ...]
Template = tuple[str, tuple[Shape, ...]]
LEAVES: dict[Shape, list[str]] = {
    (): ["s", "r", "0.3", "2", "1e-1", "T", "D", "pi", "1/3"],
    (2,): ["p", "ones(T)", "arange(2)"],
    (3,): ["u", "v", "zeros(3)", "arange(D)"],
    (2, 3): ["A", "C", "ones(T, D)", "zeros(2, 3)"],
    (3, 2): ["B", "A.T", "ones(D, T)"],
    (2, 2): ["G", "eye(T)", "G.T"],
    (3, 3): ["eye(3)", "outer(u, v)"],
}
ONE = [
    *("tanh({})", "sigmoid({})", "relu({})", "sin({})", "cos({})", "abs({})", "erf({})", "gelu({})", "silu({})"),
    *("softplus({})", "exp(tanh({}))", "log(1 + ({})**2)", "sqrt(abs({}))", "stop_gradient({})", "sign({})"),
    *("-({})", "+({})", "({})**2", "({}) / 4", "2 * ({})", "1 - ({})", "(({}) if T == 2 else s)", "(2 + tanh({}))**-2"),
]  # fmt: skip
TWO = [
    *("({}) + ({})", "({}) - ({})", "({}) * ({})", "({0}) / (1 + ({1})**2)", "maximum({}, {})", "minimum({}, {})"),
    *("where(({0}) > ({1}), {0}, {1})", "where(({0}) <= 0, {1}, {0})", "1 * (({}) >= ({}))", "(1 + abs({}))**tanh({})"),
]  # fmt: skip


def templates(shape: Shape) -> list[Template]:
    """Return texts that make an array of ``shape`` of arrays of other shapes."""
    match shape:
        case ():
            reductions = ("sum({})", "mean({})", "max({})", "min({})", "var({})", "norm({})")
            return [
                *((reduction, (some,)) for reduction in reductions for some in ((2,), (3,), (2, 3), (3, 2), (2, 2))),
                ("({}) @ ({})", ((3,), (3,))),
                ("logsumexp({})", ((3,),)),
                ("argmax({})", ((3,),)),
                ("({})[1, 2]", ((2, 3),)),
                ("({})[T - 1][D - 2]", ((2, 3),)),
                ("sum(v[t] * ({}) for t in range(1, D))", ((),)),
                ("max(u[t] + ({}) for t in reversed(range(3)))", ((),)),
            ]
        case (n,):
            rows, columns, other = (n, 5 - n), (5 - n, n), (5 - n,)
            along = ("softmax({})", "log_softmax({})", "cumsum({})", "flip({})", f"({{}})[{list(range(n))[::-1]}]")
            across = (
                "sum({}, axis=1)",
                "max({}, axis=-1)",
                "var({}, axis=1, ddof=1)",
                "argmax({}, axis=1)",
                "({})[:, 1]",
            )
            return [
                *((text, (shape,)) for text in (*along, f"reshape({{}}, ({n},))")),
                *((text, (rows,)) for text in across),
                *((text, (columns,)) for text in ("mean({}, axis=0)", "logsumexp({}, axis=-2)", "({})[1]")),
                ("({}) @ ({})", (rows, other)),
                ("({}) @ ({})", (other, columns)),
                (f"[({{}}) * t for t in range({n})]", ((),)),
                ("concat(({})[1:], ({})[0:1])", (shape, shape)),
            ]
        case (m, n):
            along = ("softmax({})", "softmax({}, axis=0)", "cumsum({}, axis=0)", "flip({}, axis=-2)")
            turned = ("({}).T", "permute({}, (1, 0))", f"reshape({{}}, ({m}, {n}))")
            row, several = (n,), ", ".join(["{}"] * m)
            return [
                *((text, (shape,)) for text in along),
                *((text, ((n, m),)) for text in turned),
                ("({}) @ ({})", ((m, 3), (3, n))),
                ("outer({}, {})", ((m,), row)),
                ("({}) - mean({}, axis=1, keepdims=1)", (shape, shape)),
                (f"stack({several})", (row,) * m),
                (f"[{several}]", (row,) * m),
                (f"[({{}}) * t for t in range({m})]", (row,)),
                (f"({{}})[{[*[0] * (m - 1), 1]}]", ((2, n),)),
                ("concat(({})[0:1], ({})[1:], axis=0)", (shape, shape)),
            ]
    raise AssertionError(shape)


@st.composite
def expressions(draw: st.DrawFn) -> str:
    """Return a well-formed expression of the language over `EXPRESSION_ARRAYS`, of any shape up to 3 by 3."""

    def write(shape: Shape, depth: int) -> str:
        kind = draw(st.sampled_from(["leaf", "one", "two", "shaped", "shaped"])) if depth else "leaf"
        match kind:
            case "leaf":
                return draw(st.sampled_from(LEAVES[shape]))
            case "one":
                text, shapes = draw(st.sampled_from(ONE)), (shape,)
            case "two":
                broadcast = draw(st.sampled_from([shape, (), shape[-1:]]))
                text, shapes = draw(st.sampled_from(TWO)), (shape, broadcast)
            case _:
                text, shapes = draw(st.sampled_from(templates(shape)))
        return text.format(*(write(inner, depth - 1) for inner in shapes))

    return write(draw(st.sampled_from(sorted(LEAVES))), 3)


def loose_expressions() -> st.SearchStrategy[str]:
    """Return texts of Python's grammar, most of which the language has to refuse."""
    leaves = st.sampled_from(
        [
            *(*EXPRESSION_ARRAYS, "T", "D", "n", "w", "h", "h[-1]", "h[0]", "h[1]", "L", "f", "λ", "grad", "pi", "inf"),
            *("0", "1", "2", "-1", "7", "64", "0.5", "1e-400", "1e400", "10**9", "0x10", "1_0", "1j", "'a'", "None"),
            *("True", "...", "()", "[]"),
        ]
    )
    names = st.sampled_from([*public_functions(), "range", "f", "reversed", "nothing"])
    options = st.sampled_from(["", "", "", ", axis=0", ", axis=-1", ", axis=2", ", keepdims=1", ", size=2", ", size=0"])
    options |= st.sampled_from(
        [", size=-1", ", shape=(3, 2)", ", shape=(-3, -2)", ", shape=()", ", axes=(1, 0)", ", ddof=1"]
    )
    options |= st.sampled_from([", ddof=-9", ", via=h[0]", ", use=2", ", **s", ", axis=s", ", axis=1/2", ", n"])
    operators = st.sampled_from(
        [
            "+",
            "-",
            "*",
            "/",
            "@",
            "**",
            "//",
            "%",
            ">",
            "<",
            ">=",
            "<=",
            "==",
            "!=",
            "&",
            "|",
            "^",
            "<<",
            "and",
            "or",
            "in",
            "is",
        ]
    )

    def extend(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.builds("({} {} {})".format, inner, operators, inner),
            st.builds("{}({}{})".format, names, inner, options),
            st.builds("{}({}, {}{})".format, names, inner, inner, options),
            st.builds("{}[{}]".format, inner, inner),
            st.builds("{}[{}:{}]".format, inner, inner, inner),
            st.builds("{}[[{}, {}]]".format, inner, inner, inner),
            st.builds("[{}, {}]".format, inner, inner),
            st.builds("-{}".format, inner),
            st.builds("{}.T".format, inner),
            st.builds("{}.x".format, inner),
            st.builds("{}({} for t in {})".format, names, inner, inner),
            st.builds("[{} + t for t in range({})]".format, inner, inner),
            st.builds("({} if {} else {})".format, inner, inner, inner),
            st.builds("{}\n{}".format, inner, inner),
        )

    return st.recursive(leaves, extend, max_leaves=8)


def loose_steps() -> st.SearchStrategy[list[str]]:
    """Return lines that are nearly steps."""
    targets = st.sampled_from(
        ["y", "y[0]", "y[t]", "y[t][0]", "a, b", "y.x", "T", "s", "h[1]", "h", "pi", "f(s)", "[a]", "y[s]"]
    )
    functions = ["f = 1", "def f(x):\n    y = x * 2\n    return y", "def f(x):\n    y = f(x)\n    return y", "y = f(s)"]
    others = [
        "import os",
        "y += 1",
        "while 1: pass",
        "  y = 1",
        "y = (",
        "del y",
        "y: int = 1",
        "y = z = 1",
        "return 1",
    ]
    line = st.one_of(
        st.builds("{} = {}".format, targets, loose_expressions()),
        st.builds("{}".format, loose_expressions()),
        st.builds("for {} in {}:\n    {} = {}".format, targets, loose_expressions(), targets, loose_expressions()),
        st.builds("def {}({}):\n    return {}".format, targets, targets, loose_expressions()),
        st.sampled_from(functions),
        st.sampled_from(others),
    )
    return st.lists(line, min_size=1, max_size=3).map(lambda lines: "\n".join(lines).split("\n"))
