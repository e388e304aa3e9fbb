"""``seqgen conventions``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from seqgen.cli.command import command, project

if TYPE_CHECKING:
    from seqgen.project import Project


@command(
    "seqgen conventions week06/gru-cell",
    "seqgen conventions --silent",
    "seqgen conventions week06/multi-head --output-format json",
    "seqgen conventions week06/gru-cell --values output.json",
)
@click.argument("specs", nargs=-1, metavar="[SPEC]...")
@click.option("--silent", is_flag=True, help="List only what the printed numbers do not tell apart.")
@click.option(
    "--output-format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print the report."
)
@click.option(
    "--values",
    "file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Find the convention by which the numbers of this JSON or CSV file were computed.",
)
def conventions(specs: tuple[str, ...], silent: bool, form: str, file: Path | None) -> None:
    """Report which conventions the printed numbers of SPECs tell apart.

    Each convention that applies to a spec, such as a GRU's reset before or after the matrix, is computed too. Reported
    are the first printed number that changes, and how many do; where none does, the first stored number that changes,
    or that all are equal, by proof or as stored, and why. With --values, the conventions that reproduce the numbers
    of somebody's code, one alone or two together; exit status 1 where there is none.
    """
    from seqgen.conventions.compare import Conventions
    from seqgen.conventions.report import as_json, lines

    here = project()
    if file is not None:
        _diagnose(here, here.select(specs), file, form)
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


def _diagnose(here: Project, names: list[str], file: Path, form: str) -> NoReturn:
    """Tell by which conventions of a spec the numbers of a file were computed."""
    from dataclasses import asdict

    from seqgen.conventions.compare import Conventions
    from seqgen.conventions.diagnosis import diagnose, lines, read_values

    if len(names) != 1:
        raise click.UsageError(f"--values is about one spec, not {len(names)}: name it")
    one = Conventions(project=here, name=names[0])
    found = diagnose(one, read_values(file))
    if form == "json":
        click.echo(json.dumps({"version": 1, "spec": names[0], **asdict(found)}, ensure_ascii=False, indent=1))
    else:
        for line in lines(one, found):
            click.echo(line)
    sys.exit(0 if found.matches else 1)
