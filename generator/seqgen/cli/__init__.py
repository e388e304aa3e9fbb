"""The command line. Commands import the rest of seqgen inside, so that help and an idle build stay fast."""

from seqgen.cli import build, check, diff, schema, show
from seqgen.cli.command import main

__all__ = ["build", "check", "diff", "main", "schema", "show"]
