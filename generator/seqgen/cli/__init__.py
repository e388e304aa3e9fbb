"""The command line. Commands import the rest of seqgen inside, so that help and an idle build stay fast."""

from seqgen.cli import audit, build, check, diff, explain, init, schema, show
from seqgen.cli.command import main

__all__ = ["audit", "build", "check", "diff", "explain", "init", "main", "schema", "show"]
