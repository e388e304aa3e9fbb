"""The one table of operations: importing this package fills `seqgen.graph.node.OPERATIONS`.

Easiest first: `arithmetic`, `functions`, `comparisons`, `reductions`, `arrays`, `loops`. Each entry states
every meaning of its operation: shape, value, derivative, notation, and how a spec calls it.
"""

from seqgen.graph.node import OPERATIONS
from seqgen.graph.operations import arithmetic, arrays, comparisons, functions, loops, reductions

__all__ = ["OPERATIONS", "arithmetic", "arrays", "comparisons", "functions", "loops", "reductions"]
