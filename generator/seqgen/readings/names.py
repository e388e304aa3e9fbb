"""Names as LaTeX: ``W_x`` is W with subscript x, ``h[1]`` is h with subscript 1, ``gamma`` is the Greek letter."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping

from seqgen.graph.phrase import ATOM, COMPARISON, RAISED, SUM, UNARY, Phrase
from seqgen.reference import Gradient, Name, Reference, write_bracket

LOWER = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi omega"
UPPER = "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
GREEK = frozenset(LOWER.split()) | frozenset(UPPER.split())
_GROUP = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
SYMBOL = re.compile(
    rf"(?:\\(?:hat|tilde|bar|vec|dot|ddot|math[a-z]+|boldsymbol|bm)\s*(?:{_GROUP}|\\?[A-Za-z]+)"
    rf"|\\[A-Za-z]+(?:{_GROUP})+|\\[A-Za-z]+|{_GROUP}|\([^()]*\)|\w)"
    rf"(?:\s*'+|\s*[_^]\s*(?:{_GROUP}|\\[A-Za-z]+|\w))*\Z"
)
MARKS = {"(": 1, "[": 1, ")": -1, "]": -1}
ACCENTS = {"tilde": r"\tilde", "hat": r"\hat", "bar": r"\bar"}


def tex_name(key: str, tex: Mapping[str, str]) -> Phrase:
    """Return the LaTeX of an entry's key; ``tex`` holds the spellings that a spec gives itself.

    The values inside a call carry the call's name above: ``O1.S`` is S with superscript (O1).
    """
    if key in tex:
        return _braced(tex[key], _binding(tex[key]))
    reference = Reference.parse(key)
    if reference.gradient:
        return Phrase(_gradient_name(reference.gradient, tex), UNARY)
    if not isinstance(reference.base, Name):
        return Phrase(rf"\text{{{escape_text(key)}}}")
    index = [write_bracket(bracket)[1:-1] for bracket in reference.path]
    symbol, subscripts = _symbol(reference.base.name, tex)
    scope = reference.base.scope
    script = f"_{{{','.join(subscripts + index)}}}" if subscripts or index else ""
    above = rf"^{{({tex_name(scope, tex).text})}}" if scope else ""
    if reference.base.name in tex and not (script or above):
        return _braced(symbol, _binding(tex[reference.base.name]))
    if reference.base.name in tex and _binding(tex[reference.base.name]) < ATOM:
        symbol = f"({_braced(symbol).text})"
    return _braced((f"{{{symbol}}}" if above and _is_raised(symbol) else symbol) + script + above)


def _binding(spelled: str) -> int:
    """Return how tightly a spelling holds together: one symbol or bracket, with scripts or without, is an atom."""
    outside = re.sub(_GROUP, "", spelled)
    if SYMBOL.match(spelled.strip()) or _is_bracket(outside):
        return ATOM
    return (
        COMPARISON
        if re.search(r"[=<>,]|\\(?:[lg]eq?|ne|approx|sim)\b", outside)
        else (SUM if re.search(r"[-+]|\\(?:pm|mp)\b", outside) else UNARY)
    )


def _is_bracket(outside: str) -> bool:
    """Whether one pair of brackets encloses a spelling; ``outside`` is what stands in no braces."""
    marks = [MARKS[mark] for mark in re.findall(r"[()\[\]]", outside)]
    ends = re.fullmatch(r"\s*(?:\\left)?\s*[(\[].*[)\]](?:\s*(?:'+|[_^]\s*\w?))*\s*", outside, re.DOTALL)
    return ends is not None and all(itertools.accumulate(marks[:-1])) and not sum(marks)


def _braced(name: str, binding: int = ATOM) -> Phrase:
    """Return a name that can take a script: one with a superscript of its own is put in braces."""
    return Phrase(f"{{{name}}}", min(binding, RAISED)) if _is_raised(name) else Phrase(name, binding)


def _is_raised(name: str) -> bool:
    return "^" in name or "'" in name


def _gradient_name(gradient: Gradient, tex: Mapping[str, str]) -> str:
    of, to = tex_name(str(gradient.of), tex).text, tex_name(str(gradient.to), tex).text
    fraction = rf"\frac{{\partial {of}}}{{\partial {to}}}"
    if gradient.via is None:
        return fraction
    use = rf",\,{gradient.use}" if gradient.use > 1 else ""
    return rf"\left.{fraction}\right\rvert_{{{tex_name(str(gradient.via), tex).text}{use}}}"


def _symbol(name: str, tex: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return the symbol and the subscripts of a name: ``h_tilde`` is h with a tilde, ``W1`` is W with subscript 1."""
    if name in tex:
        spelled = tex[name]
        return (f"{{{spelled}}}" if "_" in spelled else spelled), []
    head, *rest = [part for part in name.split("_") if part] or [name]
    numbered = re.fullmatch(r"([^\W\d]+)(\d+)", head)
    symbol, numbers = (numbered[1], [numbered[2]]) if numbered else (head, [])
    symbol = _letters(symbol)
    while rest and rest[0] in ACCENTS:
        symbol = f"{ACCENTS[rest.pop(0)]}{{{symbol}}}"
    return symbol, [*numbers, *map(_letters, rest)]


def _letters(word: str) -> str:
    if word in GREEK:
        return f"\\{word}"
    return word if len(word) == 1 or word.isdigit() else rf"\mathrm{{{escape_math(word)}}}"


def escape_math(text: str) -> str:
    """Return ``text`` with the characters that TeX reserves escaped, for use inside ``\\mathrm``."""
    return re.sub(r"([#$%&_{}])", r"\\\1", text.replace("\\", ""))


def escape_text(text: str) -> str:
    """Return ``text`` as words inside math: what KaTeX's ``\\text`` can't hold becomes a space."""
    return re.sub(r"[\\#$%&_{}^~]", " ", text)
