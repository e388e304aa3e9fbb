"""The conventions that clash in teaching material and in implementations, one row each.

Each rule is a pattern and what comes in its place (`seqgen.graph.alternatives.pattern`). Sources: papers, the
documentation of libraries, and the threads in which the two were confused.
"""

from __future__ import annotations

from seqgen.graph.alternatives.alternative import Alternative
from seqgen.graph.alternatives.attention import ATTENTION, LINEAR, POSITIONS
from seqgen.graph.alternatives.cells import ACTIVATIONS, NORMALISATION, RECURRENT
from seqgen.graph.alternatives.losses import LOSSES, UPDATES

GROUPS: dict[str, tuple[Alternative, ...]] = {
    "Recurrent cells": RECURRENT,
    "Normalisation": NORMALISATION,
    "Attention": ATTENTION,
    "Linear maps and arrays": LINEAR,
    "Positions": POSITIONS,
    "Activations": ACTIVATIONS,
    "Losses": LOSSES,
    "Updates": UPDATES,
}
CATALOGUE = {row.name: row for rows in GROUPS.values() for row in rows}
