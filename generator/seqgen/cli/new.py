"""``seqgen new``."""

from __future__ import annotations

import click

from seqgen.cli.command import command, project


@command("seqgen new week02/attention", "seqgen new week02/attention-masked --extends week02/attention")
@click.argument("name")
@click.option("--extends", "parent", default="", metavar="SPEC", help="Begin from this spec.")
def new(name: str, parent: str) -> None:
    """Write a spec to begin with, specs/NAME.yaml."""
    from seqgen.spec.scaffold import spec

    click.echo(f"{spec(project(), name, parent)}: written")
