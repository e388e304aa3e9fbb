"""``seqgen conventions``."""

from __future__ import annotations

import sys

import click

from seqgen.cli.command import command, project


@command(
    "seqgen conventions week06/gru-cell",
    "seqgen conventions --silent",
    "seqgen conventions week06/multi-head --output-format json",
)
@click.argument("specs", nargs=-1, metavar="[SPEC]...")
@click.option("--silent", is_flag=True, help="List only what the printed numbers do not tell apart.")
@click.option(
    "--output-format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print the report."
)
def conventions(specs: tuple[str, ...], silent: bool, form: str) -> None:
    """Report which conventions the printed numbers of SPECs tell apart.

    Each convention that applies to a spec, such as a GRU's reset before or after the matrix, is computed too. Reported
    are the first printed number that changes, and how many do; where none does, the first stored number that changes,
    or that all are equal, by proof or as stored, and why.
    """
    from seqgen.conventions.compare import Conventions
    from seqgen.conventions.report import as_json, lines

    here = project()
    found = []
    for name in here.select(specs):
        one = Conventions(project=here, name=name)
        comparisons = []
        for alternative in one.applicable:
            if sys.stderr.isatty():
                click.echo(f"\r\x1b[K{name}: {alternative}", nl=False, err=True)
            comparisons.append(one.compare(alternative))
        if sys.stderr.isatty():
            click.echo("\r\x1b[K", nl=False, err=True)
        if form == "text":
            for line in lines(name, comparisons, silent=silent):
                click.echo(line)
        found.append((name, comparisons))
    if form == "json":
        click.echo(as_json(found), nl=False)
