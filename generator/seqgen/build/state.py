"""What earlier builds made, and whether it is still up to date; imports nothing heavy.

A content is a path with the hash of what was there. In the notes each stands once, and targets name it by its number.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

from seqgen import files
from seqgen.build.installation import own_files, versions
from seqgen.project import SETTINGS, Project

if TYPE_CHECKING:
    from seqgen.build.workers import Output

STATE = "build/.seqgen.json"
FORMAT = 6
PARTS = ("inputs", "outputs")  # of a target: lists of contents
FAILED = "failed"  # in the place of the hash of what a target depends on

Targets = dict[str, dict[str, Any]]


class State:
    """What earlier builds made, by spec or deck: the hashes of what went in and of what came out."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.targets: Targets = {}
        self._surroundings: dict[str, Any] = {"parts": {}, "digest": ""}
        known: dict[str, tuple[str, files.Stamp]] = {}
        # Where it is lost, torn or tampered with, that only means that more is rebuilt.
        with suppress(OSError, ValueError, TypeError, LookupError, RecursionError):
            self.targets, self._surroundings, known = _read((project.root / STATE).read_bytes())
        self.digests = files.Digests(project.root, known)

    @cached_property
    def surroundings(self) -> str:
        """A hash of what every target depends on: the configuration, seqgen's own files and its libraries."""
        parts = {path: self.digests.of(path) for path in [SETTINGS, *own_files()]} | versions()
        if self._surroundings.get("parts") != parts:
            settings = json.dumps(vars(self.project.configuration), sort_keys=True)
            own = json.dumps({path: digest for path, digest in parts.items() if path != SETTINGS})
            self._surroundings = {"parts": parts, "digest": files.sha256((settings + own).encode())}
        digest: str = self._surroundings["digest"]
        return digest

    def reason(self, name: str) -> str:
        """Return why ``name`` must be built, or an empty text where it need not."""
        before = self.targets.get(name)
        if before is None:
            return "it has not been built"
        if before["surroundings"] == FAILED:
            return "its last build failed"
        if before["surroundings"] != self.surroundings:
            return "seqgen, its configuration or a library that it computes with has changed"
        for path, digest in before["inputs"]:
            if self.digests.of(path) != digest:
                return f"{path} has changed"
        for path, digest in before["outputs"]:
            if self.digests.of(path) != digest:
                return f"{path} is not as it was written"
        return ""

    def failed_checks(self, name: str) -> list[str]:
        """Return the checks of ``name`` that did not hold when it was built."""
        lines: list[str] = self.targets.get(name, {}).get("failed", [])
        return lines

    def inputs(self, name: str) -> dict[str, str]:
        """Return the hashes of what ``name`` was made from, by path."""
        return dict(self.targets.get(name, {}).get("inputs", []))

    def outputs(self, name: str) -> dict[str, str]:
        """Return the hashes of what was made of ``name``, by path."""
        return dict(self.targets.get(name, {}).get("outputs", []))

    def record(self, name: str, made: Output) -> None:
        """Note what ``name`` was made from, as it was read, and what was written.

        A deck with blocks is both.
        """
        written = _hashes(made)
        for path, digest in written.items():
            self.digests.put(path, digest)
        for path in made.inputs:
            self.digests.of(path)  # so that its stamp is known
        self.targets[name] = {
            "surroundings": self.surroundings,
            "inputs": [(path, written.get(path, made.inputs[path])) for path in sorted(made.inputs)],
            "outputs": sorted(written.items()),
            "failed": made.failed_checks,
        }

    def fail(self, name: str, made: Output | None = None) -> None:
        """Note that ``name`` is to be built again, and what is there of it: of what is ``made``, a part perhaps."""
        before = self.targets.get(name, {"inputs": []})
        outputs = (_hashes(made) if made else {}) | self.outputs(name)
        self.targets[name] = {**before, "surroundings": FAILED, "outputs": list(outputs.items()), "failed": []}

    def save(self) -> None:
        """Write the state.

        Raises:
            SpecError: where a link leads outside the project.
            OSError: where it can't be written.
        """
        numbers: dict[tuple[str, str], int] = {}

        def numbered(contents: Iterable[Sequence[str]]) -> list[int]:
            return [numbers.setdefault((path, digest), len(numbers)) for path, digest in contents]

        targets = {
            name: {**target, **{part: numbered(target[part]) for part in PARTS}}
            for name, target in sorted(self.targets.items())
        }
        stamps = {(path, digest): stamp for path, (digest, stamp) in sorted(self.digests.found.items())}
        numbered(stamps)
        notes = {
            "format": FORMAT,
            "surroundings": self._surroundings,
            "targets": targets,
            "contents": list(numbers),
            "stamps": [stamps.get(content, []) for content in numbers],
        }
        self.project.tree.write(STATE, json.dumps(notes, separators=(",\n", ":")) + "\n")


def _read(text: bytes) -> tuple[Targets, dict[str, Any], dict[str, tuple[str, files.Stamp]]]:
    """Return the targets, the surroundings, and the hashes with their stamps, that `State.save` wrote.

    Raises:
        LookupError, TypeError, ValueError: where it did not write this.
    """
    notes = json.loads(text)
    contents = notes["contents"]
    targets = {
        name: {**target, **{part: [contents[i] for i in target[part]] for part in PARTS}}
        for name, target in dict(notes["targets"]).items()
    }
    texts = [notes["surroundings"]["digest"], *(text for path, digest in contents for text in (path, digest))]
    for target in targets.values():
        texts += [target["surroundings"], *target["failed"]]
    if notes["format"] != FORMAT or not all(isinstance(text, str) for text in texts):
        raise ValueError("these are not the notes of this version")
    stamps = zip(contents, notes["stamps"], strict=True)
    return targets, notes["surroundings"], {path: (digest, stamp) for (path, digest), stamp in stamps if stamp}


def _hashes(made: Output) -> dict[str, str]:
    return {path: files.sha256(files.encoded(content)) for path, content in made.contents.items()}
