"""Whether a spec tells apart the conventions that it says it does."""

from __future__ import annotations

from collections.abc import Iterator

from seqgen.build.artifacts import Artifacts
from seqgen.conventions.compare import Conventions
from seqgen.conventions.report import describe
from seqgen.errors import SpecError
from seqgen.findings import Finding, at


def indistinct(artifacts: Artifacts) -> Iterator[Finding]:
    """Yield the conventions under ``distinguishes`` that change no printed number, or that apply nowhere."""
    spec = artifacts.microscope.spec
    conventions = Conventions(project=artifacts.microscope.project, name=spec.name, opened=artifacts.microscope)
    otherwise = f"specs/{spec.name}.yaml"
    for name in dict.fromkeys(scalar.text for scalar in spec.distinguishes):
        span = next(scalar.span for scalar in spec.distinguishes if scalar.text == name)
        try:
            found = conventions.compare(name)
        except SpecError as problem:
            cure = f"name one that applies: seqgen conventions {spec.name}"
            yield at(span, problem.message, otherwise=otherwise, cure=cure)
            continue
        if not found.visible:
            message = f"'{name}' changes no printed number: {describe(found)}"
            yield at(span, message, otherwise=otherwise)
