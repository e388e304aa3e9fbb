"""``seqgen diff``."""

from __future__ import annotations

import sys

import click

from seqgen.cli.command import command, project


@command("seqgen diff", "seqgen diff week06/rnn-trace", "seqgen diff --moved")
@click.argument("specs", nargs=-1)
@click.option("--moved", is_flag=True, help="Only numbers whose printed form changes.")
def diff(specs: tuple[str, ...], moved: bool) -> None:
    """Show what an edit of SPECS, or of any spec, changes: number by number, before it is built.

    Each number is shown as the ledger has it and as a build would write it, and whether its printed form moves.
    Exit status: 0 nothing changes, 1 something does, 2 a mistake.
    """
    from seqgen.errors import SeqgenError, count
    from seqgen.reports.edit import differences, told

    here, changed, failed = project(), 0, False
    names = here.select(specs)
    for name in names:
        try:
            found = differences(here, name)
        except SeqgenError as problem:
            click.echo(problem.render() + "\n", err=True)
            failed = True
            continue
        if found is None or found:
            changed += 1
            for line in told(name, found, moved_only=moved):
                click.echo(line)
    click.echo(f"{count(len(names), 'spec')}, {changed} of them changed")
    sys.exit(2 if failed or not names else 1 if changed else 0)
