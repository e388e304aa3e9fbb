"""Every code of a mistake, what it means and how to mend it: the one place that docs and ``seqgen explain`` read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from seqgen.errors import SpecError, nearest

SPEC = "specs/example.yaml"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A code: its title, what it says, why seqgen insists, how to mend it.

    ``files`` by their paths, and the command ``run``, show the mistake, where files can.
    """

    code: str
    title: str
    what: str
    why: str
    mend: str
    files: Mapping[str, str]
    run: str


@cache
def entries() -> Mapping[str, Entry]:
    """Return the entries by code, in the order in which a spec is read."""
    import yaml

    text = resources.files("seqgen.reports").joinpath("catalogue.yaml").read_text(encoding="utf-8")
    return {code: _entry(code, content) for code, content in yaml.safe_load(text).items()}


def _entry(code: str, content: dict[str, object]) -> Entry:
    example, files = content.get("example"), content.get("files", {})
    assert isinstance(files, dict)
    words = {key: str(content[key]).strip() for key in ("title", "what", "why", "mend")}
    run = str(content.get("run", "seqgen build"))
    return Entry(code=code, files={SPEC: str(example)} if example else files, run=run, **words)


def explain(code: str) -> str:
    """Return what a code means, as the command line tells it.

    Raises:
        SpecError: where there is no such code.
    """
    known = entries()
    if code not in known:
        raise SpecError(f"no mistake has the code '{code}'", code="no-such-code", hint=nearest(code, known))
    entry = known[code]
    parts = [f"{code}: {entry.title}", entry.what, f"Why: {entry.why}", f"What to do: {entry.mend}"]
    for path, text in entry.files.items():
        lines = "".join(f"  {line}\n" for line in text.splitlines())
        parts.append(f"An example of it, in {path}:\n\n{lines}".rstrip())
    return "\n\n".join(parts)
