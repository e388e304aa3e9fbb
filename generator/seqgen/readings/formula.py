"""The formula reading: a node as LaTeX, or as the spec language's own text.

Writing stops at names: a node that has one is written by it. With ``numbers``, a name is written
as its printed value instead, which is how "numbers put in" and the result come from the same nodes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from seqgen.graph.node import Node
from seqgen.graph.notation import ATOM, COMPARISON, Phrase

LOWER = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi omega"
UPPER = "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
GREEK = frozenset(LOWER.split()) | frozenset(UPPER.split())
ACCENTS = {"tilde": r"\tilde", "hat": r"\hat", "bar": r"\bar"}


@dataclass(frozen=True, kw_only=True)
class Formulas:
    """Writes formulas; ``names`` are the entries' keys, ``tex`` the spellings that a spec overrides.

    ``numbers`` gives a named node's printed value, where numbers are to be put in.
    """

    names: Mapping[Node, str]
    tex: Mapping[str, str] = field(default_factory=dict)
    latex: bool = True
    numbers: Callable[[Node], Phrase] | None = None

    def definition(self, node: Node) -> str:
        """Return how ``node`` is made: its own operation over names."""
        return self._made(node).text

    def _made(self, node: Node) -> Phrase:
        rule = node.operation.notation.latex if self.latex else node.operation.notation.text
        return rule(self, node)

    def write(self, node: Node, at_least: int = COMPARISON) -> str:
        """Return the writing of ``node``, in parentheses where it binds less tightly than ``at_least``."""
        phrase = self._phrase(node)
        return phrase.text if phrase.binding >= at_least else self._enclosed(node, phrase)

    def argument(self, node: Node) -> str:
        """Return ``node`` as a function's argument, in one pair of parentheses."""
        phrase = self._phrase(node)
        return phrase.text if phrase.enclosed else self._enclosed(node, phrase)

    def _enclosed(self, node: Node, phrase: Phrase) -> str:
        if self.latex and self._is_tall(node):
            return rf"\left({phrase.text}\right)"
        return f"({phrase.text})"

    def _is_tall(self, node: Node) -> bool:
        """Whether parentheses around ``node`` must grow: something in it is higher than a line."""
        stack = [node]
        while stack:
            top = stack.pop()
            if top in self.names:
                if (self.numbers is not None and len(top.shape) > 1) or self.names[top].startswith("grad("):
                    return True
            elif top.operation.notation.tall:
                return True
            else:
                stack.extend(top.inputs)
        return False

    def _phrase(self, node: Node) -> Phrase:
        if node not in self.names:
            return self._made(node)
        if self.numbers is not None:
            return self.numbers(node)
        key = self.names[node]
        return Phrase(tex_name(key, self.tex) if self.latex else key)

    def label(self, node: Node) -> Phrase:
        """Return the writing of a constant that has a name: a dim, a position, an array maker's call."""
        if self.numbers is not None:
            return self.numbers(node)
        text = node.parameters["label"]
        if not self.latex:
            return Phrase(text)
        return Phrase(tex_name(text, self.tex) if text.isidentifier() else rf"\mathrm{{{escape_math(text)}}}")

    def is_scalar(self, node: Node) -> bool:
        """Whether ``node`` is a scalar."""
        return node.shape == ()

    def index(self, node: Node) -> Phrase:
        """Return an index into a value; a name takes it into its subscript."""
        if self.numbers is not None:
            return self.numbers(node)
        (base,) = node.inputs
        parts = [_index_text(part) for part in node.parameters["key"]]
        if not self.latex:
            return Phrase(f"{self.write(base, ATOM)}[{', '.join(parts)}]")
        if base in self.names:
            return Phrase(tex_name(self.names[base] + "".join(f"[{p}]" for p in parts), self.tex))
        return Phrase(f"{self.write(base, ATOM)}_{{{','.join(parts)}}}")


def _index_text(part: object) -> str:
    if isinstance(part, slice):
        return ":" if part.start in (None, 0) and part.stop is None else f"{part.start or 0}:{part.stop or ''}"
    return str(part)


KEY = re.compile(r"(?P<scope>(?:[^.\[\]]+(?:\[[^\]]*\])*\.)*)(?P<name>[^.\[\]]+)(?P<index>(?:\[[^\]]*\])*)\Z")
GRADIENT = re.compile(r"grad\((?P<of>[^,]+), (?P<to>.+?)(?:, via=(?P<via>.+?)(?:, use=(?P<use>\d+))?)?\)\Z")


def tex_name(key: str, tex: Mapping[str, str]) -> str:
    """Return the LaTeX of an entry's key: ``W_x`` is W with subscript x, ``h[1]`` is h with subscript 1."""
    if key in tex:
        return tex[key]
    gradient = GRADIENT.match(key)
    if gradient:
        return _gradient_name(gradient, tex)
    match = KEY.match(key)
    if not match:
        return rf"\text{{{escape_text(key)}}}"
    index = [part for part in re.findall(r"\[([^\]]*)\]", match["index"]) if part]
    symbol, subscripts = _symbol(match["name"], tex)
    scope = match["scope"].rstrip(".")
    script = f"_{{{','.join(subscripts + index)}}}" if subscripts or index else ""
    above = rf"^{{({escape_math(scope)})}}" if scope else ""
    return symbol + script + above


def _gradient_name(match: re.Match[str], tex: Mapping[str, str]) -> str:
    fraction = rf"\frac{{\partial {tex_name(match['of'], tex)}}}{{\partial {tex_name(match['to'], tex)}}}"
    if not match["via"]:
        return fraction
    use = rf",\,{match['use']}" if match["use"] else ""
    return rf"\left.{fraction}\right\rvert_{{{tex_name(match['via'], tex)}{use}}}"


def _symbol(name: str, tex: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return the symbol and the subscripts of a name: ``h_tilde`` is h with a tilde."""
    if name in tex:
        return tex[name], []
    head, *rest = [part for part in name.split("_") if part] or [name]
    symbol = _letters(head)
    while rest and rest[0] in ACCENTS:
        symbol = f"{ACCENTS[rest.pop(0)]}{{{symbol}}}"
    return symbol, [_letters(part, subscript=True) for part in rest]


def _letters(word: str, *, subscript: bool = False) -> str:
    if word in GREEK:
        return f"\\{word}"
    match = re.fullmatch(r"([^\W\d]+)(\d+)", word)
    if match and not subscript:
        return f"{_letters(match[1])}_{{{match[2]}}}"
    if len(word) == 1 or word.isdigit():
        return word
    return rf"\mathrm{{{escape_math(word)}}}"


def escape_math(text: str) -> str:
    """Return ``text`` with the characters that TeX reserves escaped, for use inside ``\\mathrm``."""
    return re.sub(r"([#$%&_{}])", r"\\\1", text.replace("\\", ""))


def escape_text(text: str) -> str:
    """Return ``text`` as words inside math: what KaTeX's ``\\text`` can't hold becomes a space."""
    return re.sub(r"[\\#$%&_{}^~]", " ", text)
