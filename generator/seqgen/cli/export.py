"""``seqgen export``."""

from __future__ import annotations

import sys

import click

from seqgen.cli.command import command, project

FORMATS = ("xlsx", "csv", "npz", "json")


@command(
    "seqgen export xlsx week06/rnn-trace",
    "seqgen export xlsx week06/attention --arrays",
    "seqgen export xlsx week06/attention --blank",
    "seqgen export xlsx published/adam --rounds 3",
    "seqgen export csv week06/rnn-trace",
    "seqgen export csv week06/rnn-trace --of 'h[1]'",
    "seqgen export csv week06/rnn-trace --of 'table trace' --printed",
    "seqgen export npz week06/attention",
    "seqgen export json",
)
@click.argument("kind", type=click.Choice(FORMATS), metavar="xlsx|csv|npz|json")
@click.argument("specs", nargs=-1)
@click.option("--arrays", is_flag=True, help="xlsx: formulas of whole arrays, such as MMULT, in place of one a cell.")
@click.option("--blank", is_flag=True, help="xlsx: computed cells are empty, and turn green at the right number.")
@click.option("--rounds", type=click.IntRange(0, 100), default=0, help="xlsx: so many rounds of training as formulas.")
@click.option(
    "--of", default="", metavar="REF", help="csv: print one value, or 'table NAME', instead of writing files."
)
@click.option("--printed", is_flag=True, help="csv: the printed digits, not the nearest float64.")
def export(kind: str, specs: tuple[str, ...], arrays: bool, blank: bool, rounds: int, of: str, printed: bool) -> None:
    """Write SPECS, or all specs, for other programs.

    xlsx is a spreadsheet with live formulas: build/xlsx/SPEC.xlsx, or SPEC-arrays.xlsx and SPEC-blank.xlsx. csv is one
    file a table and entry in build/csv/SPEC/; npz holds all entries as numpy arrays, json entries and tables.
    """
    from seqgen.errors import SeqgenError, count
    from seqgen.export import export_spec, one_csv

    here, told, written = project(), list[str](), 0
    names = here.select(specs)
    if of:
        if kind != "csv" or len(names) != 1:
            raise click.UsageError("--of prints one value or table of one spec as csv")
        click.echo(one_csv(here, names[0], of, printed=printed), nl=False)
        return
    for name in names:
        try:
            for path in export_spec(here, name, kind, arrays=arrays, blank=blank, rounds=rounds, printed=printed):
                click.echo(path)
                written += 1
        except SeqgenError as problem:
            told.append(problem.render())
    for text in dict.fromkeys(told):
        click.echo(text + "\n", err=True)
    click.echo(f"{count(len(names), 'spec')}, {count(written, 'file')}")
    sys.exit(2 if told or not names else 0)
