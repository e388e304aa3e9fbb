"""``seqgen show``."""

from __future__ import annotations

import click

from seqgen.cli.command import command, project


@command(
    "seqgen show week06/rnn-trace 'h[1]'",
    "seqgen show week06/final-state-loss 'grad(L, W_h)'",
    "seqgen show week06/final-state-loss '1 - h[2]**2'",
    "seqgen show week06/gru-cell@reset-before h_new",
    "seqgen show --printed week06/attention 'A[1] @ V'",
)
@click.argument("spec")
@click.argument("reference", metavar="REF")
@click.option("--printed", is_flag=True, help="Recompute it from its printed operands, with 1 to 12 digits.")
def show(spec: str, reference: str, printed: bool) -> None:
    """Show what is known of one value of SPEC.

    REF is an entry (h[1]), a part of one (A[1][0]), a gradient (grad(L, W_h, via=R[1])), 'parameters', or any
    expression over these. Shown are its value, closed form, proven digits, formula, operands, contributions, and
    the slides that cite it. SPEC@CONVENTION is the spec by another convention.
    """
    from seqgen.reports.show import describe, describe_printed

    here = project()
    spec, at, conventions = spec.partition("@")
    names = here.select((spec,))
    if len(names) != 1:
        raise click.UsageError(f"'{spec}' stands for {len(names)} specs; name one: {', '.join(names)}")
    for line in (describe_printed if printed else describe)(here, names[0] + at + conventions, reference):
        click.echo(line)
