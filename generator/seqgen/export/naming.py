"""Names of cell ranges: an entry's key in the letters that a spreadsheet takes."""

from __future__ import annotations

import re
from collections.abc import Iterable

# A1 to XFD1048576, and the other style of references, R1C1
REFERENCE = re.compile(r"(?:[A-Za-z]{1,3}[0-9]+|[Rr][0-9]*(?:[Cc][0-9]*)?|[Cc][0-9]*)\Z")
LONGEST = 200


def range_names(keys: Iterable[str]) -> dict[str, str]:
    """Return a name for each key: ``h_1`` for ``h[1]``, ``W_h_`` for a second ``W_H``, as capitals do not differ there.

    >>> list(range_names(["h[1]", "h[-1]", "W_h", "W_H", "x1", "grad(L, W_h)"]).values())
    ['h_1', 'h_m1', 'W_h', 'W_H_', 'x1_', 'grad_L_W_h']
    """
    taken: set[str] = set()
    names = {}
    for key in keys:
        name = re.sub(r"\[-([0-9]+)\]", r"_m\1", key).replace("[", "_").replace("]", "")
        name = re.sub(r"\W+", "_", name).strip("_")[:LONGEST] or "value"
        if REFERENCE.match(name) or name[0].isdigit() or name.lower() in ("true", "false"):
            name += "_"
        while name.lower() in taken:
            name += "_"
        taken.add(name.lower())
        names[key] = f"_{name}" if name[0].isdigit() else name
    return names
