r"""What authors write in texts: words, and math between dollars in a subset of TeX.

The subset is an allow-list: what LaTeX with amsmath, KaTeX and MathJax all read as mathematics, and nothing that
defines, reads, writes or links. A text is read by a grammar, so that braces, scripts, `\left` with its `\right` and the
cells of environments are complete, too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple


def _set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


SYMBOLS = _set(
    r"""
    \alpha \beta \gamma \delta \epsilon \varepsilon \zeta \eta \theta \vartheta \iota \kappa \lambda \mu \nu \xi \pi
    \varpi \rho \varrho \sigma \varsigma \tau \upsilon \phi \varphi \chi \psi \omega \Gamma \Delta \Theta \Lambda \Xi
    \Pi \Sigma \Upsilon \Phi \Psi \Omega \ell \hbar \imath \jmath \Re \Im \wp \aleph \partial \nabla \infty \emptyset
    \prime \top \bot \angle \forall \exists \neg \lnot \pm \mp \times \div \cdot \ast \star \circ \bullet \odot \oplus
    \ominus \otimes \oslash \cap \cup \sqcap \sqcup \setminus \wedge \land \vee \lor \dagger \ddagger \le \leq \ge \geq
    \lt \gt \ll \gg \ne \neq \equiv \sim \simeq \approx \cong \propto \mid \parallel \perp \in \ni \notin \subset
    \subseteq \supset \supseteq \prec \succ \preceq \succeq \vdash \models \asymp \doteq \to \gets \mapsto \leftarrow
    \rightarrow \leftrightarrow \Leftarrow \Rightarrow \Leftrightarrow \iff \implies \uparrow \downarrow \longrightarrow
    \longleftarrow \hookrightarrow \nearrow \searrow \ldots \cdots \vdots \ddots \dots \dotsc
    \lvert \rvert \vert \lVert \rVert \Vert \langle \rangle \lfloor \rfloor \lceil \rceil
    \, \; \: \! \{ \} \% \# \& \_ \|
    """
) | {"\\ "}
# Not to be the argument of a command or a script without braces.
OPERATORS = _set(
    r"""
    \sum \prod \coprod
    \int \iint \iiint \oint \bigcup \bigcap \bigoplus \bigotimes \bigvee \bigwedge \arccos \arcsin \arctan \arg \cos
    \cosh \cot \coth \csc \deg \det \dim \exp \gcd \hom \inf \ker \lg \lim \liminf \limsup \ln \log \max \min \Pr \sec
    \sin \sinh \sup \tan \tanh
    """
) | _set(r"\colon \displaystyle \textstyle \scriptstyle \quad \qquad")
SPACED = frozenset(rf"\{c}" for c in r",;:! {}%#&_|")
FONTS = _set(r"\mathrm \mathbf \mathit \mathsf \mathtt \mathcal \operatorname")
ACCENTS = _set(
    r"\hat \widehat \tilde \widetilde \bar \vec \dot \ddot \acute \grave \breve \check \overline \underline"
    r" \overrightarrow \overleftarrow \overbrace \underbrace \boldsymbol \phantom \boxed"
)
PAIRS = _set(r"\frac \tfrac \dfrac \binom \overset \underset \stackrel")
TEXTS = _set(r"\text \textrm \textbf \textit \textsf \texttt")
SIZES = frozenset(rf"\{size}{side}" for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r", "m"))
DELIMITERS = frozenset("()[]|/.") | _set(
    r"\{ \} \| \lvert \rvert \vert \lVert \rVert \Vert \langle \rangle \lfloor \rfloor \lceil \rceil"
)
# Environments, with the most columns that amsmath gives them.
ENVIRONMENTS = {
    **dict.fromkeys(["matrix", "pmatrix", "bmatrix", "Bmatrix", "vmatrix", "Vmatrix", "smallmatrix"], 10),
    "cases": 2, "aligned": 20,
}  # fmt: skip
ALLOWED = (
    SYMBOLS | OPERATORS | FONTS | ACCENTS | PAIRS | TEXTS | SIZES | {r"\sqrt", r"\left", r"\right", r"\begin", r"\end"}
)
DEEPEST = 30

TOKEN = re.compile(r"\\(?:[A-Za-z]+|.|\Z)|\s+|.", re.DOTALL)
STEERING = ("Cc", "Cf", "Cs", "Zl", "Zp")
TAG = re.compile(r"<[/!?a-zA-Z]")
OUTSIDE = re.compile(r"\\\$|\$|\\[A-Za-z]*|<(?=[/!?a-zA-Z])")


class Fault(Exception):
    """What a text may not hold: where it begins, how long it is, what is wrong, and a way out."""

    def __init__(self, start: int, width: int, message: str, hint: str) -> None:
        super().__init__(message)
        self.start, self.width, self.message, self.hint = start, max(1, width), message, hint


class Part(NamedTuple):
    """A stretch of a text: words, or the math between two dollars in the form that every medium takes."""

    text: str
    math: bool


@lru_cache(maxsize=4096)
def parts(text: str) -> tuple[Part, ...]:
    r"""Return the parts of a text; `\$` is a dollar.

    Raises:
        Fault: at what is not allowed.
    """
    refuse_steering(text)
    return tuple(_parts(text))


def _parts(text: str) -> Iterator[Part]:
    words, at = "", 0
    while match := OUTSIDE.search(text, at):
        words += text[at : match.start()]
        mark, at = match[0], match.end()
        if mark == r"\$":
            words += "$"
        elif mark == "$":
            end = text.find("$", at)
            if end < 0:
                raise Fault(match.start(), 1, "the math that begins here has no end", r"close it with $, or write \$")
            yield Part(words, math=False)
            yield Part(math(text[at:end], at), math=True)
            words, at = "", end + 1
        elif mark == "<":
            raise Fault(match.start(), 2, "a tag of HTML is not allowed", "write < with a space after it")
        else:
            hint = r"math stands between dollars, as in $\alpha$; outside, \$ is the one command"
            raise Fault(match.start(), len(mark), f"'{mark}' stands outside math", hint)
    yield Part(words + text[at:], math=False)


def refuse_steering(text: str) -> None:
    """Refuse characters that nobody sees: controls, and what changes the direction of writing.

    Raises:
        Fault: at the first.
    """
    if text.isprintable():
        return
    for i, character in enumerate(text):
        if character not in "\n\t" and unicodedata.category(character) in STEERING:
            name = unicodedata.name(character, "a control character").lower()
            raise Fault(i, 1, f"an invisible character (U+{ord(character):04X}, {name}) is not allowed", "remove it")


def symbol(text: str) -> str:
    """Return the math that spells a name, in the form that every medium takes.

    Raises:
        Fault: at what is not allowed.
    """
    refuse_steering(text)
    stripped = text.lstrip()
    if not stripped:
        raise Fault(0, 1, "a spelling is empty", "write the symbol, such as '\\theta'")
    if stripped[0] in "^_":
        raise Fault(len(text) - len(stripped), 1, "a spelling begins with a script", f"write '{{}}{stripped[0]}…'")
    return math(text, 0)


def math(text: str, offset: int = 0) -> str:
    """Return math in the form that every medium takes; ``offset`` is where it begins in its text.

    Raises:
        Fault: at what is not allowed.
    """
    reader = _Reader(text, offset)
    if not text.strip():
        raise Fault(max(0, offset - 1), 2, "the math is empty", r"write $x$, or \$ for a dollar")
    reader.row()
    return "".join(reader.written)


class _Reader:
    """Reads math mark by mark; ``written`` is what is read, with bars and signs as every medium takes them."""

    def __init__(self, text: str, offset: int) -> None:
        self.tokens = [(match[0], offset + match.start()) for match in TOKEN.finditer(text)]
        self.end = offset + len(text)
        self.at = 0
        self.depth = 0
        self.written: list[str] = []

    def peek(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def take(self, written: str | None = None) -> str:
        mark = self.peek()
        self.at += 1
        self.written.append(mark if written is None else written)
        return mark

    def spaces(self) -> None:
        while self.peek().isspace():
            self.take()

    def fault(self, message: str, hint: str) -> Fault:
        """Return a fault at the next mark."""
        start = self.tokens[self.at][1] if self.at < len(self.tokens) else max(0, self.end - 1)
        return Fault(start, len(self.peek()), message, hint)

    def row(self, until: str = "", columns: int = 0) -> None:
        r"""Read items up to ``until``, which is read too; with ``columns``, cells and rows between `&` and `\\`."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.fault("this math is nested too deeply", f"at most {DEEPEST} levels")
        above = below = False
        column = 1
        while mark := self.peek():
            if mark == until:
                self.take()
                self.depth -= 1
                return
            if mark in ("^", "_", "'"):
                self.script(mark, above=above, below=below)
                above, below = above or mark != "_", below or mark == "_"
                continue
            if mark in ("&", r"\\"):
                column = self.cell(mark, column, columns)
            else:
                self.item()
            if not mark.isspace():
                above = below = False
        if until:
            raise self.fault(f"'{until}' is missing", f"close it with {until}")
        self.depth -= 1

    def cell(self, mark: str, column: int, columns: int) -> int:
        """Read what ends a cell or a row, and return the number of the column that begins."""
        if not columns:
            raise self.fault(f"'{mark}' stands outside a matrix", r"put it between \begin{matrix} and \end{matrix}")
        if mark == "&" and column >= columns:
            raise self.fault("this row has too many columns", f"at most {columns}")
        self.take()
        if mark == r"\\":
            self.spaces()
            if self.peek() in ("[", "*"):
                raise self.fault(rf"'{self.peek()}' after \\ is read as an option", f"write {{{self.peek()}}}")
        return column + 1 if mark == "&" else 1

    def script(self, mark: str, *, above: bool, below: bool) -> None:
        """Read a superscript, a subscript or a prime."""
        if (mark in ("^", "'") and above) or (mark == "_" and below):
            raise self.fault(f"a second '{mark}' on one symbol", "put braces around the first: {a^b}^c")
        while self.take() == self.peek() == "'":  # primes stand together, with a superscript right after them
            continue
        if mark == "'" and self.peek() == "^":
            mark += self.take()
        if mark != "'":
            self.argument(mark)

    def argument(self, of: str) -> None:
        """Read what a command or a script applies to: a group, or one symbol."""
        self.spaces()
        mark = self.peek()
        command = mark in SYMBOLS - SPACED or (of in "^_" and mark in FONTS | TEXTS)
        if not command and (len(mark) != 1 or mark in "}^_'&~\\"):
            raise self.fault(f"'{of}' needs something after it", f"write {of}{{…}}")
        self.item()

    def item(self) -> None:
        """Read one symbol or command with its arguments."""
        mark = self.peek()
        if mark == "{":
            self.take()
            self.row("}")
        elif mark in ("<", r"\lt", ">", r"\gt"):
            self.take(mark.replace(r"\lt", "<").replace(r"\gt", ">"))
            if not self.peek().isspace():  # a tag of HTML otherwise
                self.written.append(" ")
        elif mark in ("|", r"\|"):
            self.take(r"\vert " if mark == "|" else r"\Vert ")  # a bar ends a cell of a Markdown table
        elif mark.startswith("\\"):
            self.command(mark)
        elif mark in ("}", "%", "#", "$", '"', "`"):
            raise self.fault(f"'{mark}' is not allowed in math", "remove it, or put a backslash before it")
        elif not mark.isascii():
            raise self.fault(f"'{mark}' is not allowed in math", _instead_of(mark))
        else:
            self.take()

    def command(self, mark: str) -> None:
        """Read a command with its arguments."""
        if mark in SYMBOLS or mark in OPERATORS:
            self.take()
        elif mark in FONTS or mark in ACCENTS:
            self.take()
            self.argument(mark)
        elif mark in PAIRS:
            self.take()
            self.argument(mark)
            self.argument(mark)
        elif mark in TEXTS:
            self.take()
            self.words(mark)
        elif mark == r"\sqrt":
            self.take()
            self.spaces()
            if self.peek() == "[":
                self.take()
                self.row("]")
            self.argument(mark)
        elif mark in SIZES or mark == r"\left":
            self.take()
            self.delimiter(mark)
            if mark == r"\left":
                self.row(r"\right")
                self.delimiter(r"\right")
        elif mark == r"\begin":
            self.environment()
        else:
            raise self.fault(f"'{mark}' is not allowed in a spec's math", "docs/pages.md lists the commands that are")

    def delimiter(self, of: str) -> None:
        self.spaces()
        if self.peek() not in DELIMITERS:
            raise self.fault(f"'{of}' needs a bracket after it", f"write {of}( or {of}.")
        self.item()

    def words(self, of: str) -> None:
        r"""Read the argument of `\text`: words without math."""
        if self.peek() != "{":
            raise self.fault(f"'{of}' needs braces", f"write {of}{{…}}")
        start, depth = self.at, 0
        while mark := self.peek():
            if mark in ("$", "%", "#", "&", "^", "_", "~", "<", ">", "|", '"', "`") or (
                mark.startswith("\\") and mark not in SPACED - {r"\!", r"\:", r"\;", r"\|"}
            ):
                raise self.fault(f"'{mark}' is not allowed in {of}", f"end {of} before it")
            depth += (mark == "{") - (mark == "}")
            self.take()
            if not depth:
                return
        self.at = start
        raise self.fault("'}' is missing", "close it with }")

    def environment(self) -> None:
        r"""Read `\begin{NAME}` up to its `\end{NAME}`."""
        start = self.at
        self.take()
        name = self.name()
        columns = ENVIRONMENTS.get(name, 0)
        if name == "array":
            preamble = self.name()
            columns = len(preamble) if re.fullmatch("[lcr]{1,20}", preamble) else 0
        if not columns:
            self.at = start
            raise self.fault(
                f"the environment '{name}' is not allowed", f"there are array{{rcl}}, {', '.join(ENVIRONMENTS)}"
            )
        self.row(r"\end", columns)
        last = self.at - 1
        if self.name() != name:
            self.at = last
            raise self.fault(rf"this does not end '{name}'", rf"write \end{{{name}}}")

    def name(self) -> str:
        """Read a name in braces."""
        if self.peek() != "{":
            raise self.fault("a name in braces is missing", r"write \begin{bmatrix} … \end{bmatrix}")
        self.take()
        name = ""
        while self.peek() not in ("}", ""):
            name += self.take()
        self.take()
        return name


def _instead_of(character: str) -> str:
    """Return what to write for a character that is not ASCII."""
    name = unicodedata.name(character, "").split()
    if name[:1] == ["GREEK"] and len(name) == 4 and name[2] == "LETTER":
        command = f"\\{name[3].lower() if name[1] == 'SMALL' else name[3].capitalize()}"
        if command in SYMBOLS:
            return f"write {command}"
    return r"write its command, such as \le or \theta; words stand in \text{…}"
