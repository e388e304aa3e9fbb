"""What a template may do: a list of filters, tests, functions and methods, each charged for the work that it makes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sized
from types import BuiltinMethodType
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.filters import make_attrgetter
from jinja2.runtime import LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment

# A character, a turn of a loop, and each part of what runs cost steps. All shipped pages together take a second or two.
MOST_STEPS = 10_000_000
NODE, ITEM, FILE = 3, 10, 1000
MOST_CHARACTERS = 1_000_000
LARGEST = 2**63

ON_TEXTS = ("upper", "lower", "capitalize", "title", "trim")
ON_LISTS = ("map", "select", "reject", "selectattr", "rejectattr", "first", "last", "list", "reverse", "length")
FILTERS = (*ON_TEXTS, *ON_LISTS, "items", "default")
ON_SCALARS = ("odd", "even", "divisibleby", "eq", "ne", "lt", "le", "gt", "ge")
TESTS = (
    *ON_SCALARS, "defined", "undefined", "none", "true", "false", "boolean", "string", "number", "integer", "mapping",
    "sequence", "iterable", "in", "filter", "test",
)  # fmt: skip
RUN = (nodes.For, nodes.Macro, nodes.CallBlock, nodes.Block)
FUNCTIONS = ("range", "namespace", "joiner", "cycler")
# What compiled templates hand to each call in a loop or a block.
OF_JINJA = ("_loop_vars", "_block_vars")
METHODS: dict[type, frozenset[str]] = {
    str: frozenset(
        ["startswith", "endswith", "strip", "lstrip", "rstrip", "removeprefix", "removesuffix", *ON_TEXTS[:4]]
    ),
    dict: frozenset(["items", "keys", "values", "get"]),
    bool: frozenset(),
    int: frozenset(),
    float: frozenset(),
    list: frozenset(),
    tuple: frozenset(),
    range: frozenset(),
}


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, in which no number with decimals arises, nothing is left to chance, and all ends soon.

    A page prints proven digits: a template can neither write a decimal, nor divide, round, format or draw one. What
    it can do is listed, and costs `MOST_STEPS` a page at most: every turn, call and file by the length of what runs
    in it, every text and list by its length.
    """

    intercepted_binops = frozenset({"**", "/", "//", "%", "*", "+", "-"})

    def __init__(self, **options: Any) -> None:
        super().__init__(finalize=_printed, optimized=False, **options)
        self.left = MOST_STEPS
        self._safe: dict[tuple[type, str], bool] = {}
        self.globals = {name: self.globals[name] for name in FUNCTIONS}
        self.filters = {
            **{name: self._charged(self.filters[name], scalars=name in ON_TEXTS) for name in FILTERS},
            "join": self._join,
            "replace": self._replace,
        }
        self.filters |= {"d": self.filters["default"], "count": self.filters["length"]}
        self.tests = {name: self._charged(self.tests[name], scalars=name in ON_SCALARS) for name in TESTS}

    def add_text_filters(self, **filters: Callable[[str], str]) -> None:
        """Offer filters from text to text."""
        self.filters |= {name: self._charged(filter_, scalars=True) for name, filter_ in filters.items()}

    # Work

    def begin(self) -> None:
        """Give a page its steps."""
        self.left = MOST_STEPS

    def spend(self, steps: int) -> None:
        """Charge ``steps``.

        Raises:
            TemplateRuntimeError: where a page has used up its own.
        """
        self.left -= steps
        if self.left < 0:
            raise jinja2.TemplateRuntimeError(f"this takes more than {MOST_STEPS:,} steps of loops and characters")

    def counted(self, items: Iterable[Any]) -> Iterator[Any]:
        """Yield the items that a loop runs over."""
        for item in items:
            self.spend(NODE)
            yield item

    def scalar(self, value: Any) -> Any:
        """Return a text or a whole number, charged by its length.

        Raises:
            TemplateRuntimeError: for anything else.
        """
        if not isinstance(value, (str, int, jinja2.Undefined)) and value is not None:
            kind = type(value).__name__
            raise jinja2.TemplateRuntimeError(f"a raw {kind} can't stand here; take its texts and whole numbers")
        self.spend(len(value) if isinstance(value, str) else 1)
        return value

    def printable(self, value: Any) -> Any:
        """Return what a template prints: texts, and whole numbers such as sizes; nothing else has a form of its own."""
        if not isinstance(value, (str, int, jinja2.Undefined)):
            kind = f"raw {type(value).__name__}"
            raise jinja2.TemplateRuntimeError(f"a {kind} would reach the page; print it through its entry")
        self.spend(len(value) if isinstance(value, str) else 1)
        return value

    def weighed(self, value: Any) -> Any:
        """Charge what a filter reads or makes, and count what it will take from a generator."""
        if isinstance(value, str):
            self.spend(len(value))
        elif isinstance(value, Sized) and not isinstance(value, jinja2.Undefined):
            self.spend(ITEM * len(value))
        elif isinstance(value, Iterator):
            return self.counted(value)
        return value

    def _charged(self, function: Any, *, scalars: bool) -> Callable[..., Any]:
        weighed = self.scalar if scalars else self.weighed
        first = 1 if hasattr(function, "jinja_pass_arg") else 0

        @functools.wraps(function)
        def charged(*arguments: Any, **named: Any) -> Any:
            self.spend(NODE)
            read = (*arguments[:first], *map(weighed, arguments[first:]))
            return self.weighed(function(*read, **{name: weighed(value) for name, value in named.items()}))

        return charged

    def _join(self, items: Iterable[Any], between: str = "", attribute: str | None = None) -> str:
        """Return texts as one."""
        get = make_attrgetter(self, attribute)
        pieces = [str(self.printable(get(item))) for item in self.counted(items)]
        self.spend(len(self.scalar(between)) * len(pieces))
        return str(between).join(pieces)

    def _replace(self, text: str, old: str, new: str) -> str:
        """Return ``text`` with each ``old`` replaced."""
        text, old, new = (str(self.printable(one)) for one in (text, old, new))
        self.spend(len(new) * (text.count(old) if old else len(text) + 1))
        return text.replace(old, new)

    # What a template does

    def turn(self, steps: int) -> None:
        """Charge a turn, a call or a file."""
        self.spend(steps)

    def joined(self, *parts: Any) -> str:
        """Return parts as one text, as ``~`` does."""
        return "".join(str(self.printable(part)) for part in parts)

    def part(self, items: Any, start: int | None, stop: int | None, step: int | None) -> Any:
        """Return a slice."""
        result = items[start:stop:step]
        self.weighed(result)
        return result

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Return a sum, a difference, a product or a rest; a text is neither repeated nor a pattern for numbers."""
        whole = isinstance(left, int) and isinstance(right, int)
        if operator in ("**", "/") or (operator != "+" and not whole):
            raise jinja2.TemplateRuntimeError(f"'{operator}' is not for templates; compute in the spec")
        if not whole:
            for side in (left, right):
                self.weighed(side)
        result = super().call_binop(context, operator, left, right)
        self.spend(1)
        if whole and not -LARGEST < result < LARGEST:
            raise jinja2.TemplateRuntimeError(f"'{operator}' makes a number that is too large")
        return result

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Return an item; its key is a text or a whole number."""
        return super().getitem(obj, self.scalar(argument))

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Whether a template may read an attribute: a method that is listed, or what Jinja lets it."""
        key = type(obj), attr
        if key not in self._safe:
            listed = next((names for kind, names in METHODS.items() if isinstance(obj, kind)), None)
            self._safe[key] = (listed is None or attr in listed) and super().is_safe_attribute(obj, attr, value)
        return self._safe[key]

    def wrap_str_format(self, value: Any) -> None:
        """Leave `str.format` a method like others, which is not listed; Jinja offers a wrapped one."""

    def call(self, context: Any, function: Any, /, *arguments: Any, **named: Any) -> Any:
        """Call a macro, or a function or a method that is listed."""
        owner = getattr(function, "__self__", None)
        if owner is not self:
            self.spend(ITEM * (1 + len(arguments) + len(named)))
            method = isinstance(function, BuiltinMethodType) or isinstance(owner, LoopContext)
            if method and function != getattr(owner, "cycle", None):
                stated = [value for name, value in named.items() if name not in OF_JINJA]
                for value in (*arguments, *stated, *([owner] if isinstance(owner, str) else [])):
                    self.scalar(value)
        return super().call(context, function, *arguments, **named)

    # Templates

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        if len(source) > MOST_CHARACTERS:
            raise jinja2.TemplateSyntaxError(f"it has more than {MOST_CHARACTERS:,} characters", 1, name, filename)
        tree = super()._parse(source, name, filename)
        for node in list(tree.find_all(nodes.Node)):
            message = _refused(node)
            if message:
                raise jinja2.TemplateSyntaxError(message, node.lineno, name, filename)
        costs = {
            id(node): _cost(node) for node in tree.find_all((nodes.For, nodes.Macro, nodes.CallBlock, nodes.Block))
        }
        for node in list(tree.find_all(nodes.Node)):
            match node:
                case nodes.For():
                    node.iter = _own("counted", [node.iter], node.lineno)
                    _charge(node, costs[id(node)])
                case nodes.Macro() | nodes.CallBlock() | nodes.Block():
                    _charge(node, costs[id(node)])
                case nodes.Compare():
                    _compare(node)
                case nodes.Pair():
                    node.key = _own("scalar", [node.key], node.lineno)
            _in_children(node)
        _charge(tree, FILE + _cost(tree))
        tree.set_environment(self)
        return tree


@jinja2.pass_context  # a constant is printed, and charged, when its turn comes
def _printed(context: jinja2.runtime.Context, value: Any) -> Any:
    environment = context.environment
    assert isinstance(environment, Sandbox)
    return environment.printable(value)


def _refused(node: nodes.Node) -> str:
    """Return why a part of a template is not allowed; empty where it is."""
    match node:
        case nodes.Const(value=float() as value):
            return f"a raw float ({value!r}) would reach the page; print it through its entry"
        case nodes.Const(value=int() as value) if value >= LARGEST:
            return "this number is too large"
        case nodes.For(recursive=True):
            return "'recursive' is not for templates"
        case nodes.EvalContextModifier():
            return "'autoescape' is not for templates; use the filters text and words"
    return ""


def _cost(node: nodes.Node) -> int:
    """Return the steps of running a part once: what it holds, and the characters of its own."""
    steps = NODE
    for child in node.find_all(nodes.Node):
        steps += NODE
        if isinstance(child, nodes.TemplateData):
            steps += len(child.data)
        elif isinstance(child, nodes.Const) and isinstance(child.value, str):
            steps += len(child.value)
    return steps


def _charge(node: Any, steps: int) -> None:
    """Let what runs a part be charged first."""
    call = _own("turn", [nodes.Const(steps, lineno=1)], node.lineno or 1)
    statement = nodes.ExprStmt(call, lineno=node.lineno or 1)
    # An inherited template's body must begin with what it extends.
    at = next((i + 1 for i, one in enumerate(node.body) if isinstance(one, nodes.Extends)), 0)
    node.body.insert(at, statement)


def _compare(node: nodes.Compare) -> None:
    """Let a comparison be one of texts and whole numbers; only a list that something is in is a list."""
    node.expr = _own("scalar", [node.expr], node.lineno)
    for operand in node.ops:
        name = "weighed" if operand.op in ("in", "notin") else "scalar"
        operand.expr = _own(name, [operand.expr], node.lineno)


def _in_children(node: nodes.Node) -> None:
    """Replace joins and slices among the children of a node by calls that are charged."""
    for name, value in list(node.iter_fields()):
        if isinstance(value, nodes.Node):
            setattr(node, name, _replaced(value))
        elif isinstance(value, list):
            value[:] = [_replaced(one) if isinstance(one, nodes.Node) else one for one in value]


def _replaced(node: nodes.Node) -> nodes.Node:
    match node:
        case nodes.Concat():
            return _own("joined", node.nodes, node.lineno)
        case nodes.Getitem(arg=nodes.Slice() as cut):
            bounds = [part or nodes.Const(None, lineno=node.lineno) for part in (cut.start, cut.stop, cut.step)]
            return _own("part", [node.node, *bounds], node.lineno)
    return node


def _own(name: str, arguments: list[Any], line: int) -> nodes.Call:
    """Return a call of one of the environment's own functions."""
    function = nodes.EnvironmentAttribute(name, lineno=line)
    return nodes.Call(function, arguments, [], None, None, lineno=line)
