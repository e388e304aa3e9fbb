"""``seqgen check``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from seqgen.cli.command import command, project

FORMATS = ("text", "github", "json", "sarif", "junit")


@command(
    "seqgen check",
    "seqgen check week06/rnn-trace",
    "seqgen check slides/week06.md",
    "seqgen check --warnings --diff",
    "seqgen check --select printed-sum --ignore missing-page",
    "seqgen check --xlsx homework/rnn-trace.xlsx",
    "seqgen check --output-format junit --output-file build/seqgen.xml",
)
@click.argument("wanted", nargs=-1, metavar="[SPEC|DECK]...")
@click.option("--warnings", is_flag=True, help="List the warnings too, not only how many there are.")
@click.option("--select", multiple=True, metavar="RULE", help="Let this warning fail the check; may be repeated.")
@click.option("--ignore", multiple=True, metavar="RULE", help="Leave this rule out; may be repeated.")
@click.option("--diff", is_flag=True, help="Show what a build would change, as a unified diff.")
@click.option(
    "--xlsx",
    multiple=True,
    metavar="FILE",
    type=click.Path(dir_okay=False, exists=True, path_type=Path),
    help="Compare an exported spreadsheet that was edited, and nothing else; may be repeated.",
)
@click.option(
    "--output-format", type=click.Choice(FORMATS), default="text", show_default=True, help="The report's form."
)
@click.option(
    "--output-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the report there; the text is printed all the same.",
)
def check(
    wanted: tuple[str, ...],
    warnings: bool,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    diff: bool,
    xlsx: tuple[Path, ...],
    output_format: str,
    output_file: Path | None,
) -> None:
    """Recompute specs and weave decks in memory, all where none is named, and compare them with the files on disk.

    Writes nothing but the report asked for. Each finding names its rule, its place, what differs, and the command
    that cures it; docs/rules.md lists the rules. Warnings are counted and fail nothing, unless their rule is
    selected, here or under 'select' in [tool.seqgen]. On GitHub Actions, annotations follow the text. With --xlsx,
    each cell of a spreadsheet is compared with the spec that it was exported from; its formulas are not run.
    """
    from seqgen import files
    from seqgen.reports import text
    from seqgen.reports.formats import FORMATS as REPORTS
    from seqgen.rules.review import review

    here = project()
    if xlsx:
        from seqgen.rules.spreadsheets import review_spreadsheets

        result = review_spreadsheets(here, xlsx, wanted, select=select, ignore=ignore)
    else:
        result = review(here, wanted, select=select, ignore=ignore)
    if output_format == "text" or output_file:
        for problem in result.errors:
            click.echo(problem.render() + "\n", err=True)
        click.echo(text.report(result, warnings=warnings), nl=False)
        if diff:
            click.echo(text.diff(here, result), nl=False)
        if os.environ.get("GITHUB_ACTIONS") == "true":
            click.echo(REPORTS["github"](result), nl=False)
    if output_file:
        files.write(output_file.absolute(), REPORTS[output_format](result))
    elif output_format != "text":
        click.echo(REPORTS[output_format](result), nl=False)
    if not result.looked:
        click.echo("nothing was checked: there are no specs", err=True)
    sys.exit(result.status)
