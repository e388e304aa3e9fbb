"""``seqgen build``."""

from __future__ import annotations

import sys

import click

from seqgen.cli.command import command, project
from seqgen.errors import count


@command("seqgen build", "seqgen build week06/attention", "seqgen build week06 --explain")
@click.argument("specs", nargs=-1)
@click.option("--force", is_flag=True, help="Build even what has not changed.")
@click.option("--explain", is_flag=True, help="Say why each spec is built.")
def build(specs: tuple[str, ...], force: bool, explain: bool) -> None:
    """Write the ledgers and pages of SPECS, or of all specs.

    A spec is named as week06/attention, by its file, or by its folder. What has not changed is left alone.
    """
    from seqgen.build import build as run

    def said(name: str, reason: str) -> None:
        if explain:
            click.echo(f"{name}: {reason}")

    report = run(project(), specs, force=force, said=said)
    for problem in report.errors:
        click.echo(problem.render() + "\n", err=True)
    for name in report.built:
        ledgers = [p for p in report.written if p == f"ledgers/{name}.json"]
        pages = [p for p in report.written if p.startswith("build/") and p.split("/", 2)[2].rpartition("/")[0] == name]
        if ledgers or pages:
            click.echo(f"{name}: wrote {' and '.join([*ledgers, *([f'{len(pages)} pages'] if pages else [])])}")
    for path in report.removed:
        click.echo(f"removed {path}")
    for line in report.failed_checks:
        click.echo(f"{line}\n  does not hold; seqgen check tells more", err=True)
    done = len(report.built) - len(report.errors)
    click.echo(
        f"{count(done, 'spec')} built, {len(report.unchanged)} unchanged, {count(len(report.written), 'file')} written"
    )
    sys.exit(2 if report.errors else 1 if report.failed_checks else 0)
