"""Symbols as decks write them, in one normal form: ``$h_{1}$``, ``h_1``, ``h1`` and ``h[1]`` are the same."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from seqgen.readings.names import GREEK, tex_name

FONTS = re.compile(
    r"\\(?:mathrm|text|textrm|textnormal|operatorname\*?|mathbf|boldsymbol|bm|mathit|mathsf|mathcal|mathbb|textbf|textit"
    r"|mbox|vec|underline|boxed|htmlClass)\s*(?:\{([^{}]*)\}|([A-Za-z](?![A-Za-z])))"
)
NOISE = re.compile(
    r"\\(?:left|right|[bB]igg?[lr]?|displaystyle|textstyle|quad|qquad|limits|nonumber|rm|bf|it|cal)(?![A-Za-z])"
    r"|\\[,;:! ]|[$~\s]|&"
)
UNICODE = str.maketrans({"−": "-", "·": "", "×": "", "⊤": "T", "ᵀ": "T", "∂": "partial", "′": "'", "∥": "|", "⋅": ""})
GREEK_LETTERS = dict(
    zip(
        "αβγδεζηθικλμνξπρστφχψω",
        [
            "alpha",
            "beta",
            "gamma",
            "delta",
            "epsilon",
            "zeta",
            "eta",
            "theta",
            "iota",
            "kappa",
            "lambda",
            "mu",
            "nu",
            "xi",
            "pi",
            "rho",
            "sigma",
            "tau",
            "phi",
            "chi",
            "psi",
            "omega",
        ],
        strict=True,
    )
)
SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉ₜₓₕ", "0123456789txh")
COMMANDS = {
    "widetilde": "tilde",
    "widehat": "hat",
    "overline": "bar",
    "top": "T",
    "intercal": "T",
    "prime": "'",
    "cdot": "",
    "times": "",
    "odot": "",
    "lVert": "|",
    "rVert": "|",
    "Vert": "|",
    "mid": "|",
    "lvert": "|",
    "rvert": "|",
    "varepsilon": "epsilon",
}
GROUP = r"\{(?:[^{}]|\{[^{}]*\})*\}"
D = r"(?:\\partial(?![A-Za-z])|∂|\\(?:mathrm|rm)\s*\{?\s*d\s*\}?|d(?=[A-Za-z\\]|\s))\s*"
INNER = rf"[^{{}}]*(?:{GROUP}[^{{}}]*)*"
GRADIENT = re.compile(
    rf"\\[dt]?frac\s*\{{\s*{D}(?P<of1>{INNER})\}}\s*\{{\s*{D}(?P<by1>{INNER})\}}(?P<script>(?:_\s*(?:{GROUP}|\w))?)"
    rf"|{D}(?P<of2>[^/]+?)\s*/\s*{D}(?P<by2>.+)"
    rf"|(?:\\nabla|∇)\s*_\s*(?P<by3>{GROUP}|\\?[A-Za-z]+)\s*(?P<of3>.+)"
    r"|grad\((?P<of4>[^,()]+),\s*(?P<by4>[^,()]+)\)",
    re.DOTALL,
)
ATOM = re.compile(r"[^\W\d_]+\d*'*|\d+(?:\.\d+)?|\S")
KEY = re.compile(r"[^\W\d]\w*(?:\[-?\d+(?:, ?-?\d+)*\]|\.(?!T\b)[^\W\d]\w*)*")


@dataclass(frozen=True)
class Symbol:
    """A symbol or a formula in normal form: its ``base``, and the indices at the end of a lone symbol."""

    base: str
    index: tuple[int, ...] = ()

    @cached_property
    def letter(self) -> str:
        """The symbol without case and decorations, empty for a formula."""
        match = re.match(r"[^\W\d_]+", self.base)
        return match[0].lower() if match and not self.is_formula else ""

    @cached_property
    def is_formula(self) -> bool:
        """Whether it is more than one symbol."""
        return re.search(r"[-+=()|/]|\d[^\W\d]|\^T[^\W\d]|[^\W\d_](?:_[\w,]+)[^\W_,]", self.base) is not None

    @cached_property
    def skeleton(self) -> Symbol:
        """A formula without case and without words under its symbols: ``q_1K_att^T`` is ``q_1k^t``."""
        return Symbol(re.sub(r"_[^\W\d_]{2,}", "", self.base).lower(), self.index) if self.is_formula else self


@lru_cache(maxsize=20_000)
def symbol(text: str) -> Symbol:
    """Return the normal form of LaTeX, of plain mathematics or of a reference."""
    if slope := GRADIENT.fullmatch(text.strip(" \n~$&")):
        names = [symbol(slope[f"of{i}"]) for i in "1234" if slope[f"of{i}"]]
        names += [symbol(slope[f"by{i}"]) for i in "1234" if slope[f"by{i}"]]
        script = _indices((slope["script"] or "")[1:])[1]
        return Symbol(f"d({names[0].base})/d({names[1].base})", names[0].index + names[1].index + script)
    atoms = _atoms(_cleaned(text))
    if len(atoms) == 1:
        name, words, numbers, above = atoms[0]
        return Symbol(name + "".join(f"_{w}" for w in words) + (f"^{above}" if above else ""), numbers)
    last = atoms[-1] if atoms else ("", (), (), "")
    head = "".join(map(_spelled, atoms[:-1]))
    if head.count("[") + head.count("(") == 1 and last[0] in ("]", ")") and last[2] and re.match(r"[\w]*[(\[]", head):
        return Symbol(head + last[0] + "".join(f"_{w}" for w in last[1]), last[2])
    return Symbol("".join(map(_spelled, atoms)))


def formula(text: str) -> Symbol:
    """Return the normal form of an expression of the language, so that ``x[0] @ W_x.T`` is ``x_0 W_x^\\top``."""
    tex = KEY.sub(lambda m: tex_name(m[0], {}).text if "grad(" not in text else m[0], text)
    return symbol(re.sub(r"\s*@\s*|(?<!\*)\s*\*\s*(?!\*)", " ", tex.replace(".T", "^T").replace("**", "^")))


Parts = tuple[str, tuple[str, ...], tuple[int, ...], str]


def _spelled(parts: Parts) -> str:
    name, words, numbers, above = parts
    below = [*words, *map(str, numbers)]
    return name + (f"_{','.join(below)}" if below else "") + (f"^{above}" if above else "")


def _cleaned(text: str) -> str:
    text = text.translate(UNICODE).translate(SUBSCRIPTS)
    text = "".join(GREEK_LETTERS.get(c, c) for c in text)
    previous = ""
    while previous != text:
        previous, text = text, FONTS.sub(lambda m: (m[1] if m[1] is not None else m[2]) or "", text)
    text = re.sub(r"\\([A-Za-z]+)", lambda m: _command(m[1]), text)
    return NOISE.sub("", text.replace("{}", ""))


def _command(name: str) -> str:
    if f"\\{name}" and NOISE.fullmatch(f"\\{name}"):
        return " "
    return COMMANDS.get(name, f"{name} " if name in GREEK else name)


def _atoms(text: str) -> list[Parts]:
    """Return the atoms of a cleaned text, each with its subscripts (words, numbers) and what is raised."""
    atoms: list[Parts] = []
    place = 0
    while place < len(text):
        if text[place] in "_^" and atoms:
            content, place_after = _script(text, place + 1)
            name, words, numbers, above = atoms[-1]
            if text[place] == "^":
                above += "".join(map(_spelled, _atoms(content)))
            else:
                more_words, more_numbers = _indices(content)
                words, numbers = words + more_words, numbers + more_numbers
            atoms[-1] = (name, words, numbers, above)
            place = place_after
            continue
        indexed = re.compile(r"\[(-?\d+(?:,-?\d+)*)\]").match(text, place)
        if indexed and atoms and re.match(r"[^\W\d]|[)\]]", atoms[-1][0][-1:]):
            name, words, numbers, above = atoms[-1]
            atoms[-1] = (name, words, numbers + tuple(map(int, indexed[1].split(","))), above)
            place = indexed.end()
            continue
        if text[place] in "{} ":
            place += 1
            continue
        match = ATOM.match(text, place)
        assert match is not None
        numbered = re.fullmatch(r"([^\W\d_]+)(\d+)('*)", match[0])
        atoms.append((numbered[1] + numbered[3], (), (int(numbered[2]),), "") if numbered else (match[0], (), (), ""))
        place = match.end()
    return atoms


def _script(text: str, place: int) -> tuple[str, int]:
    """Return what a subscript or superscript holds, and where it ends."""
    pairs = {"{": "}", "(": ")"}
    if place < len(text) and text[place] in pairs:
        depth = 0
        for end in range(place, len(text)):
            depth += (text[end] == text[place]) - (text[end] == pairs[text[place]])
            if depth == 0:
                return text[place + 1 : end], end + 1
        return text[place + 1 :], len(text)
    match = re.compile(r"-?\d+(?:,\d+)*|[^\W\d_]+\d*|\S|\Z").match(text, place)
    assert match is not None
    return match[0], max(match.end(), place + 1)


def _indices(content: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the words and the numbers of a subscript; ``:`` is all of an axis and ``t=1`` is 1."""
    words, numbers = [], []
    for part in re.split(r"[, ]", content.replace("{", "").replace("}", "")):
        value = part.rpartition("=")[2].strip("[]()")
        if re.fullmatch(r"-?\d+", value):
            numbers.append(int(value))
        elif value not in ("", ":"):
            numbered = re.fullmatch(r"([^\W\d]+)(\d+)", value)
            words.append(numbered[1] if numbered else value)
            numbers += [int(numbered[2])] if numbered else []
    return tuple(words), tuple(numbers)


def at_position(text: str, position: int, name: str = "") -> str:
    """Return a heading at a row: ``h_t`` at 2 is ``h_2``; ``name`` is the row's letter where it is known."""
    letters = re.escape(name) if name else "[tijknsl]"
    text = re.sub(rf"_\s*{letters}(?![A-Za-z])", f"_{{{position}}}", text)
    return re.sub(
        rf"_\s*\{{([^{{}}]*?)(?<![A-Za-z\\]){letters}(?![A-Za-z])([^{{}}]*)\}}", rf"_{{\g<1>{position}\g<2>}}", text
    )


def stem(word: str) -> str:
    """Return a word as words are compared: small, in the singular."""
    return word.lower().removesuffix("s") if len(word) > 3 else word.lower()
