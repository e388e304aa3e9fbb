"""What a node is, told by its content: equal computations have equal digests, in every run and on every machine."""

from __future__ import annotations

import dataclasses
import hashlib
from fractions import Fraction
from typing import Any

from seqgen.graph.node import Node, ancestors


class Fingerprints:
    """Digests of nodes; a node's covers its operation, its parameters and all that it depends on."""

    def __init__(self) -> None:
        self._digests: dict[Node, str] = {}

    def digest(self, node: Node) -> str:
        """Return the digest of ``node``."""
        for step in ancestors([node], self._digests):
            self._digests[step] = self._of(step)
        return self._digests[node]

    def _of(self, node: Node) -> str:
        parts = [node.operation.name, str(node.shape), *(self._digests[i] for i in node.inputs)]
        parts += [f"{key}={self.told(value)}" for key, value in sorted(node.parameters.items())]
        return hashlib.blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()

    def told(self, value: Any) -> str:
        """Return a parameter as text that tells it from any other.

        Raises:
            TypeError: where that is not known, so that two different ones never seem equal.
        """
        if isinstance(value, Node):
            return self.digest(value)
        if isinstance(value, (tuple, list)):
            return f"[{', '.join(map(self.told, value))}]"
        if value is None or isinstance(value, (str, bool, int, Fraction, slice)):
            return repr(value)
        if dataclasses.is_dataclass(value):
            return ", ".join(self.told(getattr(value, field.name)) for field in dataclasses.fields(value))
        raise TypeError(f"a parameter of a kind that has no digest: {value!r}")
