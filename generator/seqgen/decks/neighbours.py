r"""What stands beside a citation, and whether its number needs parentheses there: ``(-0.1)^2``, ``0.5 - (-0.1)``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from seqgen.graph.phrase import ATOM, SUM

REACH = 80
CITED = r"\\seq(?![A-Za-z@_:])\s*(?:\[[^\[\]]*\])?\s*\{(?:[^{}]|\{[^{}]*\})*\}"
SPACE = r"(?:[\s~]|\\[,;:!> ]|\{\})*"
ARGUMENT = r"\s*\{(?:[^{}]|\{[^{}]*\})*\}"
# A command or a brace around a number that is seen as nothing but a colour or a weight.
AROUND = re.compile(
    r"(?:\\(?:mathbf|mathrm|mathit|mathsf|boldsymbol|bm|ensuremath|alert|color(?:box)?|textcolor|underline|boxed|only|onslide|"
    rf"uncover|visible)(?:<[^<>]*>|\[[^\[\]]*\]|{ARGUMENT})*)?\s*\{{{SPACE}\Z"
)
OPERATOR = re.compile(
    r"(?:[-−+*/·×⋅÷∓±]|\\(?:cdot|times|div|pm|mp|odot|ast|circ|star|minus|textminus|otimes)(?![A-Za-z]))\Z"
)
# What a number that follows at once is multiplied with.
FACTOR = re.compile(
    rf"(?:[0-9A-Za-z)\]!'₀-₉²³]|[_^]{ARGUMENT}|\\[dt]?frac{ARGUMENT}{ARGUMENT}|\\[dt]?frac\s*\d\d|\\sqrt{ARGUMENT}"
    rf"|\\(?:math(?:bf|rm|it|cal|bb|sf)|bm|boldsymbol|hat|tilde|bar|vec|operatorname){ARGUMENT}|{CITED}"
    r"|\\(?:alpha|beta|gamma|delta|epsilon|varepsilon|zeta|eta|theta|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau|phi|varphi|"
    r"chi|psi|omega|Delta|Gamma|Sigma|Omega|partial|nabla|ell|log|ln|exp|sin|cos|tanh|max|min|right\)|right\]|rangle))\Z"
)
COMMAND = re.compile(r"\\[A-Za-z]+\*?\Z")
DIGITS = re.compile(rf"(?:[0-9.]|{CITED})\Z")
POWER = re.compile(r"\^|[²³⁰¹⁴-⁹⁻]")
TIMES = re.compile(rf"\\(?:cdot|times|odot|otimes|ast)(?![A-Za-z])|[·×⋅*!]|(?:\\left|\\[bB]igg?l?)?\((?!\s*\))|{CITED}")
MARKUP = re.compile(r"[\d)\]}²³]\s*(?:[-−+·×⋅/]|\s\*\s)\s*\Z")


@dataclass(frozen=True, kw_only=True)
class Neighbours:
    """What stands right beside a number: an operator or a factor before it, digits, a power or a factor after it.

    ``wrapped`` where the number stands in braces, outside of which these are.
    """

    operator: bool = False
    factor: bool = False
    digits: bool = False
    power: bool = False
    times: bool = False
    wrapped: bool = False

    def part(self, binding: int) -> bool:
        """Whether a number that binds so would be read as something else, or badly, between these."""
        if binding <= SUM:  # it is negative, or a sum
            return self.operator or self.factor or self.digits or self.power or self.times
        return self.digits or (self.power and binding < ATOM)


def neighbours(text: str, start: int, end: int, *, in_math: bool) -> Neighbours:
    """Return what stands beside a citation from ``start`` to ``end`` of a text."""
    before, after = text[max(0, start - REACH) : start], text[end : end + REACH]
    if not in_math:
        line = before.rpartition("\n")[2]
        return Neighbours(operator=MARKUP.search(line) is not None, power=re.match(r"\^\S|[²³]", after) is not None)
    wrapped = False
    while (around := AROUND.search(before)) and (closing := re.match(rf"{SPACE}\}}", after)):
        before, after, wrapped = before[: around.start()], after[closing.end() :], True
    before = re.sub(rf"{SPACE}\Z", "", before)
    after = re.sub(rf"\A{SPACE}", "", after)
    is_command = COMMAND.search(before) is not None
    factor = FACTOR.search(before)
    return Neighbours(
        operator=OPERATOR.search(before) is not None,
        factor=factor is not None and (not is_command or factor[0].startswith("\\")),
        digits=DIGITS.search(before) is not None or re.match(rf"\d|\.\d|{CITED}", after) is not None,
        power=POWER.match(after) is not None,
        times=TIMES.match(after) is not None,
        wrapped=wrapped,
    )
