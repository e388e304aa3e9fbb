"""``seqgen explain``."""

from __future__ import annotations

import click

from seqgen.cli.command import command


@command("seqgen explain shape", "seqgen explain yaml-syntax")
@click.argument("code")
def explain(code: str) -> None:
    """Say what the CODE of a mistake means, why it is one, and how to mend it.

    The code stands in brackets after 'error'. docs/errors.md has all of them on one page.
    """
    from seqgen.reports import catalogue

    click.echo(catalogue.explain(code))
