"""``seqgen nice``."""

from __future__ import annotations

import sys

import click

from seqgen.cli.command import command, project


@command(
    "seqgen nice week01/new-example",
    "seqgen nice week01/new-example --vary W --decimals 2 --seed 7 --write",
    "seqgen nice dda3020/mha-shapes --fix --distinguish 'transposed(W_O)'",
)
@click.argument("spec")
@click.option("--fix", is_flag=True, help="Change one number, so that every convention is seen.")
@click.option("--vary", multiple=True, metavar="NAME", help="Find numbers for this array, too; repeatable.")
@click.option("--distinguish", multiple=True, metavar="NAME", help="Tell this convention apart, too; repeatable.")
@click.option("--decimals", type=click.IntRange(0, 4), default=1, show_default=True, help="Decimals of the numbers.")
@click.option("--within", type=float, default=3, show_default=True, help="Largest result.")
@click.option("--seed", type=int, default=0, show_default=True, help="Where the search begins.")
@click.option("--seconds", type=click.IntRange(1), default=60, show_default=True, help="When the search ends.")
@click.option("--write", is_flag=True, help="Write the spec's file; without it the spec is printed.")
def nice(
    spec: str,
    fix: bool,
    vary: tuple[str, ...],
    distinguish: tuple[str, ...],
    decimals: int,
    within: float,
    seed: int,
    seconds: int,
    write: bool,
) -> None:
    """Find short numbers for what SPEC draws, by which it is easy to follow.

    All results are within --within, no unit is saturated, no printed digit is next to a tie, printed steps add up, the
    spec's checks hold, and every convention under 'distinguishes' is seen. The same seed finds the same numbers. With
    --fix, one number of the spec itself is changed. Exit status 1 where a wish stays unmet.
    """
    from seqgen import files
    from seqgen.search.fix import fix as fixed
    from seqgen.search.nice import nice as filled
    from seqgen.search.task import Task

    here = project()
    names = here.select((spec,))
    if len(names) != 1:
        raise click.UsageError(f"'{spec}' stands for {len(names)} specs; name one: {', '.join(names)}")
    task = Task(
        project=here,
        name=names[0],
        conventions=distinguish,
        decimals=decimals,
        within=within,
        seed=seed,
        seconds=seconds,
        progress=_progress,
    )
    found = fixed(task) if fix else filled(task, vary)
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", nl=False, err=True)
    if found is None:
        click.echo("no change of one number makes every convention visible", err=True)
        sys.exit(1)
    if fix and not found.edits:
        click.echo("every convention is seen already")
    for edit in found.edits:
        click.echo(f"{edit.reference}: {edit.text}")
    for said in found.unmet:
        click.echo(f"unmet: {said}", err=True)
    if write:
        files.write(here.spec_path(names[0]), found.text)
    elif not fix:
        click.echo(found.text, nl=False)
    sys.exit(1 if found.unmet else 0)


def _progress(said: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{said}", nl=False, err=True)
