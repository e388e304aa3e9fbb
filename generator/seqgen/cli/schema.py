"""``seqgen schema``."""

from __future__ import annotations

import click

from seqgen.cli.command import command


@command("seqgen schema > specs/seqgen.schema.json", "seqgen schema ledger")
@click.argument("kind", type=click.Choice(["spec", "ledger"]), default="spec")
def schema(kind: str) -> None:
    """Print the JSON Schema of a spec, for editors, or of a ledger, for programs that read it.

    Begin a spec such as specs/week06/attention.yaml with '# yaml-language-server: $schema=../seqgen.schema.json'.
    """
    if kind == "ledger":
        from seqgen.ledger.contract import schema_text
    else:
        from seqgen.spec.schema import schema_text
    click.echo(schema_text(), nl=False)
