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

    Each number is shown as the ledger has it and as a build would write it, whether its printed form moves, and on
    which slides it is cited or typed. Exit status: 0 nothing changes, 1 something does, 2 a mistake.
    """
    from seqgen.auditing.appearances import Appearances
    from seqgen.errors import SeqgenError, count
    from seqgen.reports.edit import edit, told
    from seqgen.rules.typed import audits

    here, mistakes = project(), list[str]()
    names, edits = here.select(specs), []
    for name in names:
        try:
            made = edit(here, name)
        except SeqgenError as problem:
            mistakes.append(problem.render())
            continue
        if made.changes is None or made.changes:
            edits.append(made)
    typed, problems = audits(here) if edits else ([], [])
    mistakes += [problem.render() for problem in problems]
    for mistake in dict.fromkeys(mistakes):
        click.echo(mistake + "\n", err=True)
    decks = Appearances(project=here, typed=typed)
    for made in edits:
        for line in told(made, moved_only=moved, appearances=list(decks.of(made.microscope))):
            click.echo(line)
    click.echo(f"{count(len(names), 'spec')}, {len(edits)} of them changed")
    sys.exit(2 if mistakes or not names else 1 if edits else 0)
