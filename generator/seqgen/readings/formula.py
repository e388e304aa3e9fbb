"""The formula reading: a node as LaTeX, or as the spec language's own text.

Writing stops at names: a node that has one is written by it. With ``numbers``, a name is written
as its printed value instead, which is how "numbers put in" and the result come from the same nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from seqgen.graph.node import Node
from seqgen.graph.notation import bracketed, brackets
from seqgen.graph.phrase import ATOM, COMPARISON, RAISED, Phrase
from seqgen.readings.names import escape_math, tex_name


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
        phrase = self.phrase(node)
        return phrase.text if phrase.binding >= at_least else self._enclosed(node, phrase)

    def argument(self, node: Node) -> str:
        """Return ``node`` as a function's argument, in one pair of parentheses."""
        phrase = self.phrase(node)
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

    def phrase(self, node: Node) -> Phrase:
        """Return the writing of ``node`` with how tightly it binds: its name, or how it is made."""
        if node not in self.names:
            return self._made(node)
        if self.numbers is not None:
            return self.numbers(node)
        key = self.names[node]
        return tex_name(key, self.tex) if self.latex else Phrase(key)

    def label(self, node: Node) -> Phrase:
        """Return the writing of a constant that has a name: a dim, a position, an array maker's call."""
        if self.numbers is not None:
            return self.numbers(node)
        text = node.parameters["label"]
        if not self.latex:
            return Phrase(text)
        return tex_name(text, self.tex) if text.isidentifier() else Phrase(rf"\mathrm{{{escape_math(text)}}}")

    def is_named(self, node: Node) -> bool:
        """Whether ``node`` is written by a name."""
        return node in self.names

    def is_scalar(self, node: Node) -> bool:
        """Whether ``node`` is a scalar."""
        return node.shape == ()

    def index(self, node: Node) -> Phrase:
        """Return an index into a value; a name takes it into its subscript."""
        if self.numbers is not None:
            return self.numbers(node)
        base = node
        keys: list[tuple[int | slice, ...]] = []
        while base.operation.name == "index" and (base is node or base not in self.names):
            keys.insert(0, base.parameters["key"])
            (base,) = base.inputs
        if not self.latex:
            return Phrase(self.write(base, ATOM) + "".join(map(brackets, keys)))
        key = self.names.get(base, "")
        if len(keys) == 1 and key and not key.startswith("grad("):
            return tex_name(key + "".join(f"[{bracketed(part)}]" for part in keys[0]), self.tex)
        # Each bracket is an index into what the one before it gives: A[1:3][0] is not A[1:3, 0].
        written = self.write(base, RAISED)
        for parts in keys:
            written = f"{{{written}}}_{{{','.join(map(bracketed, parts))}}}"
        return Phrase(written)
