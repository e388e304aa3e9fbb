"""``seqgen cite``: typed numbers turned into citations."""

from __future__ import annotations

import click

from seqgen.cli.command import command, project


@command("seqgen cite slides/week06.md", "seqgen cite slides --write", "seqgen cite slides/week06.tex | git apply")
@click.argument("decks", nargs=-1, required=True, metavar="DECK...")
@click.option("--write", is_flag=True, help="Change the decks, instead of printing what would change.")
def cite(decks: tuple[str, ...], write: bool) -> None:
    r"""Replace typed numbers by citations that show the same digits and signs.

    Prints a diff; with --write, applies it. A number whose entry is not certain stays, and so does one that no citation
    shows as it is typed: these are listed. A folder stands for the decks in it. Nothing else in a deck changes, but
    that a LaTeX deck loads the style.
    """
    from difflib import unified_diff

    from seqgen import files
    from seqgen.auditing.cite import cite as rewrite
    from seqgen.auditing.decks import select
    from seqgen.decks.sources import ENDINGS
    from seqgen.decks.weave import Shelf
    from seqgen.errors import SpecError, count
    from seqgen.rules.typed import auditor, memory

    here = project()
    _, _, chosen = select(here, decks)
    names = [name for name in chosen if name.startswith("slides/") and name.endswith(ENDINGS)]
    if not names:
        raise SpecError(
            "no deck of these has citations",
            code="no-such-deck",
            expected=f"files under slides/ that end in {', '.join(ENDINGS)}",
        )
    against, shelf = auditor(here, {}), Shelf(project=here)
    for name in names:
        found = rewrite(against.audit(here.root / name, name, memory(here, name)), shelf)
        if write:
            newline = "\r\n" if b"\r\n" in (here.root / name).read_bytes() else "\n"
            files.write(here.root / name, found.new.replace("\n", newline))
        else:
            before, after = (text.splitlines(keepends=True) for text in (found.old, found.new))
            for line in unified_diff(before, after, f"a/{name}", f"b/{name}"):
                click.echo(line, nl=not line.endswith("\n"))
        for one in found.left:
            click.echo(f"{name}:{one.number.line}:{one.number.column}: {one.number.text} is left: {one.why}", err=True)
        total = found.count + len(found.left)
        click.echo(
            f"{name}: {found.count} of {count(total, 'typed number')} cited{'' if write else ' if written'}", err=True
        )
