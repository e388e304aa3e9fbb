"""Functions of one variable, element by element."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from seqgen.graph.domain import Domain
from seqgen.graph.node import Node, Notation, Operation, Signature, Writer, apply, constant, register
from seqgen.graph.notation import call, function, operator
from seqgen.graph.phrase import POWER, Phrase
from seqgen.graph.shapes import same

UNARY = Signature(arrays=("x",))


def elementwise(
    name: str,
    about: str,
    *,
    value: Callable[[Any, Any], Any],
    slope: Callable[[Node, Node], Node],
    notation: Notation | None = None,
    undefined: str = "",
    limits: tuple[int, ...] = (),
) -> None:
    """Enter a function of one variable: ``value(domain, x)``, and ``slope(x, y)``, its derivative at ``x``."""

    def derivative(node: Node, g: Node) -> tuple[Node]:
        return (g * slope(node.inputs[0], node),)

    register(
        Operation(
            name=name,
            about=about,
            signature=UNARY,
            shape=same,
            value=lambda domain, node, x: value(domain, x),
            derivative=derivative,
            notation=notation or operator(name),
            undefined=undefined,
            limits=limits,
        )
    )


def _sqrt_latex(writer: Writer, node: Node) -> Phrase:
    return Phrase(rf"\sqrt{{{writer.write(node.inputs[0])}}}")


def _abs_latex(writer: Writer, node: Node) -> Phrase:
    return Phrase(rf"\left\lvert {writer.write(node.inputs[0])} \right\rvert")


def _exp_latex(writer: Writer, node: Node) -> Phrase:
    if writer.is_scalar(node.inputs[0]):
        return Phrase(rf"\mathrm{{e}}^{{{writer.write(node.inputs[0])}}}", POWER)
    return Phrase(rf"\exp{writer.argument(node.inputs[0])}", POWER)


def _sigmoid_latex(writer: Writer, node: Node) -> Phrase:
    return Phrase(rf"\sigma{writer.argument(node.inputs[0])}", POWER)


def _logistic(domain: Domain, x: Any) -> Any:
    return domain.divide(1, 1 + domain.exp(-x))


def _relu(domain: Domain, x: Any) -> Any:
    return domain.where(domain.compare("greater", x, 0), x, domain.zero)


def _positive(x: Node) -> Node:
    return apply("greater", x, constant(0))


def _bell(x: Node) -> Node:
    """Return the standard normal density, the slope of its distribution function."""
    pi = apply("constant", texts=("pi",), shape=())
    return apply("exp", constant(Fraction(-1, 2)) * x**2) / apply("sqrt", constant(2) * pi)


def _half_erf(domain: Domain, x: Any) -> Any:
    """Return the standard normal distribution function."""
    return domain.divide(1 + domain.erf(domain.divide(x, domain.sqrt(domain.scalar("2")))), 2)


elementwise(
    "exp",
    "The exponential function.",
    value=lambda domain, x: domain.exp(x),
    slope=lambda x, y: y,
    notation=Notation(latex=_exp_latex, text=call("exp")),
)
elementwise(
    "log",
    "The natural logarithm; the logarithm of zero or less is an error.",
    value=lambda domain, x: domain.log(x),
    slope=lambda x, y: constant(1) / x,
    notation=function(r"\log", "log"),
    undefined="the logarithm of a number that is not positive",
)
elementwise(
    "log10",
    "The logarithm to base 10.",
    value=lambda domain, x: domain.divide(domain.log(x), domain.log(domain.scalar("10"))),
    slope=lambda x, y: constant(1) / (x * apply("log", constant(10))),
    undefined="the logarithm of a number that is not positive",
    notation=function(r"\log_{10}", "log10"),
)
elementwise(
    "sqrt",
    "The square root.",
    value=lambda domain, x: domain.sqrt(x),
    slope=lambda x, y: constant(1) / (constant(2) * y),
    notation=Notation(latex=_sqrt_latex, text=call("sqrt")),
    undefined="the square root of a negative number",
)
elementwise(
    "tanh",
    "The hyperbolic tangent.",
    value=lambda domain, x: domain.tanh(x),
    slope=lambda x, y: 1 - y**2,
    limits=(-1, 1),
    notation=function(r"\tanh", "tanh"),
)
elementwise(
    "sigmoid",
    "The logistic function 1/(1 + exp(-x)).",
    value=_logistic,
    slope=lambda x, y: y * (1 - y),
    limits=(0, 1),
    notation=Notation(latex=_sigmoid_latex, text=call("sigmoid")),
)
elementwise(
    "relu",
    "max(0, x); its derivative at 0 is taken as 0.",
    value=_relu,
    slope=lambda x, y: _positive(x),
)
elementwise(
    "erf",
    "The error function.",
    value=lambda domain, x: domain.erf(x),
    slope=lambda x, y: (
        constant(2) * (apply("exp", -(x**2)) / apply("sqrt", apply("constant", texts=("pi",), shape=())))
    ),
)
elementwise(
    "gelu",
    "x times the normal distribution function, by erf (Hendrycks & Gimpel 2016).",
    value=lambda domain, x: x * _half_erf(domain, x),
    slope=lambda x, y: (1 + apply("erf", x / apply("sqrt", constant(2)))) / 2 + x * _bell(x),
)
elementwise(
    "silu",
    "x times its logistic function, also called swish.",
    value=lambda domain, x: x * _logistic(domain, x),
    slope=lambda x, y: apply("sigmoid", x) + y * (1 - apply("sigmoid", x)),
)
elementwise(
    "softplus",
    "log(1 + exp(x)).",
    value=lambda domain, x: domain.log(1 + domain.exp(x)),
    slope=lambda x, y: apply("sigmoid", x),
)
elementwise(
    "sin",
    "The sine of an angle in radians.",
    value=lambda domain, x: domain.sin(x),
    slope=lambda x, y: apply("cos", x),
    notation=function(r"\sin", "sin"),
)
elementwise(
    "cos",
    "The cosine of an angle in radians.",
    value=lambda domain, x: domain.cos(x),
    slope=lambda x, y: -apply("sin", x),
    notation=function(r"\cos", "cos"),
)
elementwise(
    "abs",
    "The absolute value; its derivative at 0 is taken as 0.",
    value=lambda domain, x: domain.absolute(x),
    slope=lambda x, y: apply("sign", x),
    notation=Notation(latex=_abs_latex, text=call("abs")),
)

register(
    Operation(
        name="sign",
        about="-1, 0 or 1; its derivative is taken as 0.",
        signature=UNARY,
        shape=same,
        value=lambda domain, node, x: domain.compare("greater", x, 0) - domain.compare("less", x, 0),
        derivative=lambda node, g: (None,),
        notation=operator("sign"),
    )
)

register(
    Operation(
        name="stop_gradient",
        about="The value itself, through which no gradient flows (detach).",
        signature=UNARY,
        shape=same,
        value=lambda domain, node, x: domain.detach(x),
        derivative=lambda node, g: (None,),
        notation=operator("stop_gradient"),
    )
)
