"""A compiled plan: what a graph computes, as a flat list of numpy calls on arrays that stay where they are.

Walking a graph costs more than computing small arrays. A plan walks it once, on arrays that record what is done to
them: each call is kept with the arrays that it reads and the one that it fills. Running the plan repeats the calls.
Views of an array (parts, transposes, other shapes) stay valid, as the array stays in place, and cost nothing. No
operation is known here: what one computes is recorded while it computes, so that plan and walk can't differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import length_hint
from typing import Any, Protocol

import numpy as np

from seqgen.graph.domain import Domain
from seqgen.graph.node import Node
from seqgen.readings.evaluate import Loop, Undefined, walk

Array = np.ndarray[Any, Any]
# Rounds of a loop from which on it pays to make a plan, which takes as long as a few rounds.
WORTHWHILE = 8

Call = tuple[Callable[..., Any], tuple[Any, ...]]


class Recordable(Domain, Protocol):
    """A domain whose arrays are numpy's.

    ``recorded`` names its functions that are made of ufuncs and views alone; a plan calls the others as a whole.
    """

    dtype: Any

    @property
    def recorded(self) -> frozenset[str]:
        """The names."""

    def trim(self, array: Array, /) -> Callable[[Array], None] | None:
        """Return what a plan does to a value like ``array`` in place, as `finish` does on a walk, or ``None``."""


class Unrecorded(Exception):
    """An operation has computed something out of sight; a mistake in its value or in a domain."""


class Plan:
    """The values of ``roots``, computed again by each `run` from what then stands in ``inputs``.

    domain: its functions are recorded.
    inputs: arrays by node, used in place; a caller fills them before a run.
    known: values that stay as they are.

    After a run ``values`` holds the roots' arrays, which the next run overwrites.

    Raises:
        Undefined: where a value does not exist for the first inputs.
    """

    def __init__(
        self,
        roots: Iterable[Node],
        domain: Recordable,
        inputs: Mapping[Node, Array],
        known: Mapping[Node, Array] | None = None,
    ) -> None:
        roots = list(roots)
        tape = Tape(domain)
        made = {node: tape.keep(value) for node, value in [*(known or {}).items(), *inputs.items()]}
        order = _depth_first(roots, made)
        waiting = _uses(order, roots)
        for node in order:
            arrays = [made[i] for i in node.inputs]
            try:
                made[node] = tape.finish(node.operation.value(tape, node, *arrays))
            except Undefined as problem:
                problem.node = node
                raise
            tape.end(node, made[node])
            for i in node.inputs:
                waiting[i] -= 1
                if not waiting[i]:
                    tape.release(made[i])
        self._calls, self._nodes = tape.calls, tape.nodes
        self.values = {root: made[root].view(np.ndarray) for root in roots}

    def run(self) -> None:
        """Compute the roots' values anew.

        Raises:
            Undefined: where a value does not exist; its ``node`` tells where.
        """
        calls = iter(self._calls)
        try:
            for function, arguments in calls:
                function(*arguments)
        except Undefined as problem:
            problem.node = self._nodes[-1 - length_hint(calls)]
            raise


def replay(
    loop: Loop, state: list[Array], fixed: dict[Node, Array], domain: Recordable
) -> Iterator[Mapping[Node, Array]]:
    """Yield the rounds of ``loop`` by running a plan of one, in arrays that the next round overwrites."""
    if loop.kept[-1] < WORTHWHILE:
        yield from walk(loop, state, fixed, domain)
        return
    # The plan is made of the second round: what is to be a ball has become one in the first.
    first = next(walk(loop, state, fixed, domain))
    yield first
    places = {node: np.array(first[result]) for node, result in zip(loop.state, loop.results, strict=True)}
    plan = Plan([loop.watched, *loop.results], domain, places, fixed)
    results = [plan.values[node] for node in loop.results]
    while True:
        yield {loop.watched: plan.values[loop.watched], **places}
        for place, result in zip(places.values(), [np.array(result) for result in results], strict=True):
            place[...] = result
        plan.run()


def _depth_first(roots: Iterable[Node], made: Mapping[Node, Any]) -> list[Node]:
    """Return what is to be computed so that a value is made shortly before it is used, while it is in the cache."""
    order: list[Node] = []
    done = set(made)
    for root in roots:
        stack: list[tuple[Node, Iterator[Node]]] = [(root, iter(root.inputs))]
        while stack:
            node, rest = stack[-1]
            following = next((i for i in rest if i not in done), None)
            if node in done:
                stack.pop()
            elif following is not None:
                stack.append((following, iter(following.inputs)))
            else:
                order.append(node)
                done.add(node)
                stack.pop()
    return order


def _uses(order: Iterable[Node], roots: Iterable[Node]) -> dict[Node, int]:
    """Return how often each value is still to be used; a root's is kept for good."""
    counts: dict[Node, int] = dict.fromkeys(roots, 1)
    for node in order:
        for i in node.inputs:
            counts[i] = counts.get(i, 0) + 1
    return counts


class Recorded(np.ndarray[Any, Any]):
    """An array whose tape notes every computation with it. A view of it is recorded too."""

    tape: Tape

    def __array_finalize__(self, source: Any) -> None:
        self.tape = getattr(source, "tape", None)  # type: ignore[assignment]

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return self.tape.compute(ufunc, method, inputs, options)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        raise Unrecorded(f"numpy.{func.__name__} is not recorded")

    def __setitem__(self, key: Any, value: Any) -> None:
        self.tape.assign(self[key], value)

    def reshape(self, *shape: Any, **options: Any) -> Any:
        """Return the elements in another shape: a view, or a copy that is recorded."""
        plain = self.view(np.ndarray)
        return self.tape.rearranged(plain, plain.reshape(*shape, **options), lambda x: x.reshape(*shape, **options))


class Tape:
    """Stands for a domain while an operation computes, and notes the calls."""

    def __init__(self, domain: Recordable) -> None:
        self._domain = domain
        self.calls: list[Call] = []
        self.nodes: list[Node] = []
        self._free: dict[Any, list[Array]] = {}
        self._users: dict[int, int] = {}  # by owner of memory: how many values live in it; absent: it stays for good
        self._fresh: list[Array] = []

    # What an operation's value may ask of a domain

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._domain, name)
        if isinstance(found, np.ufunc) or name in self._domain.recorded:
            return found
        return (lambda *arguments, **options: self._opaque(found, arguments, options)) if callable(found) else found

    def array(self, *arguments: Any) -> Recorded:
        """Return a constant array."""
        return self.keep(self._domain.array(*arguments))

    def zeros(self, shape: tuple[int, ...]) -> Recorded:
        """Return zeros, which an operation may fill."""
        target = self._target(self._domain.zeros(shape))
        self._note(target.fill, (self._domain.zero,))
        return self._wrap(target)

    def matmul(self, a: Any, b: Any) -> Any:
        """Return the matrix product."""
        return a @ b

    def position(self, x: Any, size: int) -> Any:
        """Return ``x``, looked at now and in each run."""
        arguments = _plain(x), size
        self._domain.position(*arguments)
        self._note(self._domain.position, arguments)
        return x

    def finish(self, value: Any) -> Recorded:
        """Return a node's value, once it is known to be recorded."""
        if not isinstance(value, Recorded):
            raise Unrecorded(f"a value is not recorded: {value!r}")
        if any(_owner(value) is fresh for fresh in self._fresh):
            plain = value.view(np.ndarray)
            trim = self._domain.trim(plain)
            if trim is not None:
                self._note(trim, (plain,))
        return value

    # Memory: an array is used again once all values that live in it have been used

    def keep(self, value: Array) -> Recorded:
        """Return ``value`` as a recorded array whose memory is never used for anything else."""
        return self._wrap(value)

    def end(self, node: Node, value: Recorded) -> None:
        """Note that the calls so far since the last node were those of ``node``, and free what they alone needed."""
        self.nodes += [node] * (len(self.calls) - len(self.nodes))
        owner = _owner(value)
        for fresh in self._fresh:
            if fresh is owner:
                self._users[id(fresh)] = 0
            else:
                self._put_back(fresh)
        self._fresh = []
        if id(owner) in self._users:
            self._users[id(owner)] += 1

    def release(self, value: Recorded) -> None:
        """Note that a node's value is not used any more."""
        owner = _owner(value)
        if id(owner) in self._users:
            self._users[id(owner)] -= 1
            if not self._users[id(owner)]:
                del self._users[id(owner)]
                self._put_back(owner)

    def _put_back(self, array: Array) -> None:
        self._free.setdefault((array.shape, array.dtype), []).append(array)

    def _target(self, result: Any) -> Array:
        """Return an array that holds ``result``, in memory that may be used again later."""
        if not isinstance(result, np.ndarray):
            result, number = np.empty((), dtype=self._domain.dtype), result
            result[()] = number
        free = self._free.get((result.shape, result.dtype))
        target = free.pop() if free else np.array(result, order="C")
        np.copyto(target, result)
        self._fresh.append(target)
        return target

    def _wrap(self, array: Array) -> Recorded:
        wrapped = array.view(Recorded)
        wrapped.tape = self
        return wrapped

    # Calls

    def _note(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.calls.append((function, arguments))

    def compute(self, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Apply a ufunc, or its reduction, now and in each run."""
        arguments = [_plain(x) for x in inputs]
        out = options.pop("out", (None,))[0]
        target = None if out is None else _plain(out)
        function = ufunc if method == "__call__" else getattr(ufunc, method)
        if target is None:
            target = self._target(function(*arguments, **options))
        else:
            function(*arguments, out=target, **options)
        if method == "__call__":
            self._note(function, (*arguments, target))
        elif method == "reduce":
            more = options.get("axis", 0), options.get("dtype"), target, options.get("keepdims", False)
            self._note(function, (*arguments[:1], *more))
        else:
            self._note(function, (*arguments[:1], options.get("axis", 0), options.get("dtype"), target))
        return self._wrap(target) if out is None else out

    def assign(self, part: Any, value: Any) -> None:
        """Put ``value`` into a part of an array, now and in each run."""
        target, source = _plain(part), _plain(value)
        if isinstance(source, np.ndarray) and source.shape == target.shape and _same_place(source, target):
            return  # x[key] += y puts back what was changed in place
        np.copyto(target, source)
        self._note(np.copyto, (target, source))

    def rearranged(self, source: Array, result: Array, again: Callable[[Array], Array]) -> Recorded:
        """Return a view of ``source`` as it is; a copy is made anew in each run."""
        if np.may_share_memory(source, result):
            return self._wrap(result)
        target = self._target(result)
        self._note(_fill, (again, (source,), target))
        return self._wrap(target)

    def _opaque(self, function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Call a domain's function as a whole; each run calls it again and copies what it returns."""
        plain = tuple(_plain(x) for x in arguments)
        result = function(*plain, **options)
        if isinstance(result, tuple):
            targets = tuple(self._target(part) for part in result)
            self._note(_fill_all, (lambda *again: function(*again, **options), plain, targets))
            return tuple(self._wrap(target) for target in targets)
        sources = [x for x in plain if isinstance(x, np.ndarray)]
        if isinstance(result, np.ndarray) and any(np.may_share_memory(result, source) for source in sources):
            return self._wrap(result)
        target = self._target(result)
        self._note(_fill, (lambda *again: function(*again, **options), plain, target))
        return self._wrap(target)


def _fill(function: Callable[..., Any], arguments: tuple[Any, ...], target: Array) -> None:
    target[...] = function(*arguments)


def _fill_all(function: Callable[..., Any], arguments: tuple[Any, ...], targets: tuple[Array, ...]) -> None:
    for target, result in zip(targets, function(*arguments), strict=True):
        target[...] = result


def _plain(value: Any) -> Any:
    """Return recorded arrays as numpy's own; an array that no tape knows of would be a constant by mistake."""
    if isinstance(value, Recorded):
        return value.view(np.ndarray)
    if isinstance(value, np.ndarray):
        raise Unrecorded("an array is not recorded")
    if isinstance(value, (list, tuple)):
        return type(value)(_plain(part) for part in value)
    return value


def _owner(array: Array) -> Array:
    """Return the array whose memory ``array`` is a view of."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _same_place(a: Array, b: Array) -> bool:
    return bool(a.__array_interface__["data"] == b.__array_interface__["data"] and a.strides == b.strides)
