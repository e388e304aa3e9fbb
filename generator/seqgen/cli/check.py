"""``seqgen check``."""

from __future__ import annotations

import sys

import click

from seqgen.cli.command import command, count, project


@command("seqgen check", "seqgen check week06/rnn-trace", "seqgen check slides/week06.md")
@click.argument("wanted", nargs=-1, metavar="[SPEC|DECK]...")
def check(wanted: tuple[str, ...]) -> None:
    """Recompute specs and weave decks in memory, all of them where none is named, and compare with the files on disk.

    Writes nothing. Each finding names its rule, its place, what differs, and the command that cures it.
    """
    from seqgen.checks.findings import review

    result = review(project(), wanted)
    for problem in result.errors:
        click.echo(problem.render() + "\n", err=True)
    for line in result.said:
        click.echo(line)
    for finding in result.findings:
        click.echo(f"{finding.place}: {finding.rule}: {finding.message}")
        for detail in finding.details:
            click.echo(f"    {detail}")
        click.echo(f"  cure: {finding.cure}")
    counts = ", ".join(count(number, what) for what, number in result.counts.items())
    verdict = (
        "in order"
        if not (result.findings or result.errors)
        else count(len(result.findings) + len(result.errors), "finding")
    )
    click.echo(f"{counts}: {verdict}")
    if not (result.counts.get("spec") or result.counts.get("deck")):
        click.echo("nothing was checked: there are no specs", err=True)
        sys.exit(2)
    sys.exit(2 if result.errors else 1 if result.findings else 0)
