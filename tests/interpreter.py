"""Computes a spec's steps as docs/language.md says, by Python's own parser and numbers that can be differentiated.

Nothing here is taken from seqgen. Each reading of a name is a use of its own, numbered as the statement is read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from arraywise import Array, array, boxed
from traced import Adjoints, Traced, TracedArrays, copied

ARRAYS = TracedArrays()
SIGNS = {ast.Gt: ">", ast.Lt: "<", ast.GtE: ">=", ast.LtE: "<=", ast.Eq: "==", ast.NotEq: "!="}
REDUCTIONS = ("sum", "mean", "var", "norm", "max", "min")
POSITIONAL = {"reshape": "shape", "broadcast": "shape", "permute": "axes", "one_hot": "size"}
ALONG = ("softmax", "log_softmax", "logsumexp", "cumsum", "flip", "argmax")


@dataclass(eq=False)
class Use:
    """A reading of the value ``key`` in the statement that sets ``via``."""

    key: str
    via: str
    values: Array


@dataclass
class Argument:
    """An expression that a call hands over: its uses are met where its name is first read."""

    values: Array
    uses: list[Use]
    is_met: bool = False


@dataclass
class Values:
    """The values of names: ``entries`` by key, ``static`` positions and sizes, ``local`` names of a call."""

    entries: dict[str, Array] = field(default_factory=dict)
    static: dict[str, int] = field(default_factory=dict)
    local: dict[str, str | Argument] = field(default_factory=dict)
    prefix: str = ""


class Expressions:
    """Evaluates expressions over named values."""

    def __init__(self, entries: dict[str, Array], dims: Mapping[str, int]) -> None:
        self.scope = Values(entries=entries, static=dict(dims))
        self.text = ""

    def read(self, text: str) -> Array:
        """Return the value of an expression."""
        self.text = text
        return self.value(ast.parse(text, mode="eval").body)

    def use(self, key: str) -> Array:
        """Return the value of a name."""
        return self.scope.entries[key]

    def gradient(self, node: ast.Call) -> Array:
        """Return a gradient: that which is known by this name."""
        return self.scope.entries[re.sub(r", use=1\)", ")", ast.unparse(node))]

    def value(self, node: ast.expr) -> Array:
        """Return the value of an expression's tree."""
        match node:
            case ast.Constant():
                return ARRAYS.constant(ast.get_source_segment(self.text, node) or "")
            case ast.UnaryOp(op=op, operand=operand):
                return boxed(-self.value(operand)) if isinstance(op, ast.USub) else self.value(operand)
            case ast.BinOp(left=left, op=op, right=right):
                return self._binary(op, self.value(left), self.value(right))
            case ast.Compare(left=left, ops=[sign], comparators=[right]):
                return ARRAYS.compare(SIGNS[type(sign)], self.value(left), self.value(right))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.value(body if self.static(test) else orelse)
            case ast.Attribute(attr="T", value=inner):
                return np.swapaxes(self.value(inner), -1, -2)
            case ast.List(elts=items):
                return np.stack([self.value(item) for item in items])
            case ast.ListComp():
                return np.stack(self._terms(node))
            case ast.Call(func=ast.Name(id=name)):
                return self.gradient(node) if name == "grad" else self._call(name, node)
            case ast.Name() | ast.Subscript() | ast.Attribute():
                return self._named(node)
        raise AssertionError(ast.dump(node))

    @staticmethod
    def _binary(op: ast.operator, x: Array, y: Array) -> Array:
        match op:
            case ast.Add():
                return boxed(x + y)
            case ast.Sub():
                return boxed(x - y)
            case ast.Mult():
                return boxed(x * y)
            case ast.Div():
                return boxed(x / y)
            case ast.Pow():
                return ARRAYS.each(Traced.power, x, y)
            case ast.MatMult():
                return boxed(np.matmul(x, y))
        raise AssertionError(op)

    def static(self, node: ast.expr) -> Any:
        """Return a position, a size or a condition on these."""
        known = {"__builtins__": {}, "range": range, "reversed": reversed}
        return eval(compile(ast.Expression(node), "", "eval"), known, {**self.scope.static})

    def _rounds(self, target: ast.expr, positions: ast.expr) -> Iterator[None]:
        assert isinstance(target, ast.Name)
        before = dict(self.scope.static)
        for position in self.static(positions):
            self.scope.static[target.id] = position
            yield
        self.scope.static = before

    def _terms(self, node: ast.ListComp | ast.GeneratorExp) -> list[Array]:
        (loop,) = node.generators
        return [self.value(node.elt) for _ in self._rounds(loop.target, loop.iter)]

    # Names

    def _key(self, node: ast.expr) -> str | None:
        """Return how a name with its positions is written as a key."""
        match node:
            case ast.Name(id=name):
                return name
            case ast.Attribute(value=value, attr=attr) if attr != "T":
                return f"{self._key(value)}.{attr}"
            case ast.Subscript(value=value, slice=place):
                inner = self._key(value)
                parts = place.elts if isinstance(place, ast.Tuple) else [place]
                if inner is None or any(isinstance(part, (ast.Slice, ast.List)) for part in parts):
                    return None
                return inner + "".join(f"[{self.static(part)}]" for part in parts)
        return None

    def _named(self, node: ast.expr) -> Array:
        scope = self.scope
        if isinstance(node, ast.Name) and node.id in ("pi", "inf"):
            return boxed(Traced.pi if node.id == "pi" else Traced.infinity)
        if isinstance(node, ast.Name) and node.id in scope.local:
            return self._local(scope.local[node.id])
        if isinstance(node, ast.Name) and node.id in scope.static:
            return ARRAYS.constant(scope.static[node.id])
        key = self._key(node)
        for place in dict.fromkeys((scope.prefix + key, key) if key else ()):
            if place in scope.entries:
                return self.use(place)
        assert isinstance(node, ast.Subscript), ast.unparse(node)
        value = self._named(node.value) if isinstance(node.value, (ast.Name, ast.Subscript)) else self.value(node.value)
        return boxed(value[self._place(node.slice)])

    def _local(self, binding: str | Argument) -> Array:
        assert isinstance(binding, str)
        return self.use(binding)

    def _place(self, node: ast.expr) -> Any:
        if isinstance(node, ast.List):
            return [self.static(item) for item in node.elts]
        parts = node.elts if isinstance(node, ast.Tuple) else [node]

        def part(piece: ast.expr) -> Any:
            if not isinstance(piece, ast.Slice):
                return self.static(piece)
            return slice(*(None if end is None else self.static(end) for end in (piece.lower, piece.upper)))

        return tuple(map(part, parts))

    # Calls

    def _call(self, name: str, node: ast.Call) -> Array:
        options = {k.arg: self.static(k.value) for k in node.keywords}
        if name in POSITIONAL and len(node.args) == 2:
            options[POSITIONAL[name]] = self.static(node.args[1])
            node = ast.Call(node.func, node.args[:1], node.keywords)
        if name in ("zeros", "ones"):
            return ARRAYS.full([self.static(size) for size in node.args], int(name == "ones"))
        if name in ("eye", "arange", "causal_mask"):
            return self._made(name, self.static(node.args[0]))
        if len(node.args) == 1 and isinstance(node.args[0], (ast.GeneratorExp, ast.List, ast.ListComp)):
            listed = node.args[0]
            parts = [self.value(i) for i in listed.elts] if isinstance(listed, ast.List) else self._terms(listed)
            if name in REDUCTIONS and isinstance(listed, ast.GeneratorExp):
                return ARRAYS.reduce(name, np.stack(parts), **{"axis": 0, **options})
            parts = parts if name in ("concat", "stack") else [np.stack(parts)]
        elif name == "scatter":
            parts = [self.value(node.args[0])]
            place = node.args[1]
            assert isinstance(place, ast.Subscript)
            result = self.value(place.value)
            result[self._place(place.slice)] = parts[0] if parts[0].shape else parts[0].item()
            return result
        else:
            parts = [self.value(argument) for argument in node.args]
        return self._applied(name, parts, options)

    @staticmethod
    def _made(name: str, size: int) -> Array:
        rows = {"arange": np.arange(size), "eye": np.eye(size, dtype=int)}
        mask = [["0" if j <= i else "-inf" for j in range(size)] for i in range(size)]
        return array(mask if name == "causal_mask" else rows[name].tolist(), Traced.number)

    @staticmethod
    def _applied(name: str, parts: list[Array], options: dict[str, Any]) -> Array:
        first = parts[0]
        if ARRAYS.is_function(name):
            return ARRAYS.apply(name, first)
        if name in REDUCTIONS:
            return ARRAYS.reduce(name, first, **options)
        if name in ALONG:
            return ARRAYS.along(name, first, options.get("axis", -1))
        match name:
            case "where":
                return ARRAYS.each(Traced.either, *parts)
            case "maximum":
                return ARRAYS.each(Traced.larger, *parts)
            case "minimum":
                return boxed(-ARRAYS.each(Traced.larger, *(boxed(-part) for part in parts)))
            case "outer":
                return boxed(first[:, None] * parts[1][None, :])
            case "transpose":
                return np.swapaxes(first, -1, -2)
            case "permute":
                return np.transpose(first, options["axes"])
            case "reshape":
                return boxed(first.reshape(options["shape"]))
            case "broadcast":
                return np.broadcast_to(first, options["shape"])
            case "concat":
                return np.concatenate(parts, axis=options.get("axis", -1))
            case "stack":
                return np.stack(parts)
            case "one_hot":
                return ARRAYS.one_hot(first, options["size"])
            case "scatter_rows":
                result = ARRAYS.full((options["size"], *first.shape[1:]), 0)
                for row, place in zip(first, options["indices"], strict=True):
                    result[place] = result[place] + row
                return result
        raise AssertionError(name)


class Spec(Expressions):
    """A spec's values, by key, and its uses; ``given`` are nested lists of texts."""

    def __init__(self, given: Mapping[str, Any], dims: Mapping[str, int], steps: str) -> None:
        super().__init__({key: array(texts, Traced.number) for key, texts in given.items()}, dims)
        self.uses: list[Use] = []
        self.steps: list[str] = []
        self._dims = dims
        self._functions: dict[str, ast.FunctionDef] = {}
        self._sink, self._via = self.uses, ""
        self._adjoints: dict[str, Adjoints] = {}
        self.text = steps
        self._run(ast.parse(steps).body)

    @property
    def entries(self) -> dict[str, Array]:
        """The values by key."""
        return self.scope.entries

    def adjoints(self, key: str) -> Adjoints:
        """Return the derivatives of a scalar."""
        if key not in self._adjoints:
            self._adjoints[key] = Adjoints(self.entries[key].item())
        return self._adjoints[key]

    def contributions(self, root: str, key: str) -> list[tuple[str, Array, bool]]:
        """Return what each use contributes, by the statement that it stands in, and whether the root depends on it."""
        adjoints = self.adjoints(root)
        return [(u.via, adjoints.by(u.values), adjoints.reach(u.values)) for u in self.uses if u.key == key]

    def use(self, key: str) -> Array:
        """Return the value of a name, and keep the use."""
        values = copied(self.entries[key])
        self._sink.append(Use(key, self._via, values))
        return values

    def gradient(self, node: ast.Call) -> Array:
        """Return a gradient of what is computed so far."""
        of, to = (self._key(argument) for argument in node.args)
        assert of is not None
        assert to is not None
        return self.adjoints(of).by(self.entries[to])

    def _local(self, binding: str | Argument) -> Array:
        if isinstance(binding, str):
            return self.use(binding)
        if not binding.is_met:
            binding.is_met = True
            for use in binding.uses:
                use.via = self._via
                self._sink.append(use)
        return binding.values

    def _run(self, body: list[ast.stmt]) -> list[ast.expr]:
        for statement in body:
            match statement:
                case ast.FunctionDef(name=name):
                    self._functions[name] = statement
                case ast.For(target=target, iter=positions, body=inner):
                    for _ in self._rounds(target, positions):
                        self._run(inner)
                case ast.Return(value=value):
                    assert value is not None
                    return list(value.elts) if isinstance(value, ast.Tuple) else [value]
                case ast.Assign(targets=[target], value=value):
                    self._assign(target, value)
                case _:
                    raise AssertionError(ast.unparse(statement))
        return []

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        targets = target.elts if isinstance(target, ast.Tuple) else [target]
        keys = [self.scope.prefix + str(self._key(t)) for t in targets]
        match value:
            case ast.Call(func=ast.Name(id=name)) if name in self._functions:
                self._enter(self._functions[name], value, keys)
            case _:
                self._set(keys[0], value)

    def _set(self, key: str, value: ast.expr, scope: Values | None = None) -> None:
        self._via = key
        values = copied(self.value(value))
        (scope or self.scope).entries[key] = values
        if not self.scope.prefix or scope is not None:
            return
        short = key.removeprefix(self.scope.prefix)
        self.scope.local[short] = key

    def _enter(self, function: ast.FunctionDef, call: ast.Call, keys: list[str]) -> None:
        names = [argument.arg for argument in function.args.args]
        written = {**dict(zip(names, call.args, strict=False)), **{str(k.arg): k.value for k in call.keywords}}
        local: dict[str, str | Argument] = {}
        static = dict(self._dims)
        for name, argument in written.items():
            node = argument
            while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd):
                node = node.operand
            key = self._key(node)
            outside = self.scope.local.get(key or "", key)
            if isinstance(node, ast.Constant):
                static[name] = node.value
            elif isinstance(outside, Argument) or outside in self.entries:
                local[name] = outside
            else:
                self._sink, before = [], self._sink
                values = self.value(node)
                local[name] = Argument(values, self._sink)
                self._sink = before
        outer = self.scope
        prefix = "_".join(keys) + "."
        self.scope = Values(outer.entries, static, local, prefix)
        results = self._run(function.body)
        inner = self.scope
        for key, result in zip(keys, results, strict=True):
            self.scope = inner
            self._set(key, result, outer)
        self.scope = outer
