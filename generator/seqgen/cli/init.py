"""``seqgen init``."""

from __future__ import annotations

from pathlib import Path

import click

from seqgen.cli.command import command


@command("seqgen init", "seqgen init lectures")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=".")
def init(folder: Path) -> None:
    """Begin a course in FOLDER, this one where none is named.

    A first spec, a deck that cites it, the schema for editors, and what git should ignore. Nothing that is there
    already is touched; a folder with specs gets no example.
    """
    from seqgen.spec.scaffold import course

    for path, is_written in course(folder):
        click.echo(f"{path}: {'written' if is_written else 'kept as it is'}")
    inside = "" if folder == Path() else f"cd {folder} && "
    click.echo(f"Next: {inside}seqgen build")
