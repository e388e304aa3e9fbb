"""``seqgen schema``."""

from __future__ import annotations

import click

from seqgen.cli.command import command


@command("seqgen schema > specs/seqgen.schema.json")
def schema() -> None:
    """Print the JSON Schema of a spec, for editors.

    Begin a spec such as specs/week06/attention.yaml with '# yaml-language-server: $schema=../seqgen.schema.json'.
    """
    from seqgen.spec.schema import schema_text

    click.echo(schema_text(), nl=False)
