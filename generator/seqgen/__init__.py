"""seqgen computes the worked examples of a lecture and keeps the slides true to them.

`load` reads a ledger, `compute` a spec, `audit` a deck; errors are `SeqgenError`, with code, place and hint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seqgen.api.course import audit as audit
    from seqgen.api.course import compute as compute
    from seqgen.api.course import load as load
    from seqgen.errors import SeqgenError as SeqgenError

__version__ = "0.1.0"
__all__ = ["SeqgenError", "__version__", "audit", "compute", "load"]


def __getattr__(name: str) -> Any:
    """Import what is asked for, so that `import seqgen` alone costs nothing."""
    if name == "SeqgenError":
        from seqgen.errors import SeqgenError

        return SeqgenError
    if name in __all__:
        from seqgen.api import course

        return getattr(course, name)
    raise AttributeError(f"module 'seqgen' has no attribute '{name}'")
