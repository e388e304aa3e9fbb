"""``seqgen audit``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from seqgen.cli.command import command, project
from seqgen.errors import SpecError, nearest

if TYPE_CHECKING:
    from seqgen.project import Project


@command(
    "seqgen audit",
    "seqgen audit slides/week06.md",
    "seqgen audit slides/week06.tex --spec week06 --strict",
    "seqgen audit slides/*.md --html build/audit.html",
    "seqgen audit notes.ipynb --format json",
    "seqgen audit --accept slides/week06.md",
)
@click.argument("decks", nargs=-1, type=click.Path(path_type=Path), metavar="[DECK]...")
@click.option(
    "--spec", "specs", multiple=True, metavar="SPEC", help="Only the ledgers of this spec or folder; repeatable."
)
@click.option(
    "--format", "form", type=click.Choice(["table", "json"]), default="table", help="How to print the numbers."
)
@click.option(
    "--html",
    "page",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write the coloured decks to this file.",
)
@click.option("--all", "everything", is_flag=True, help="List backed and given numbers, too.")
@click.option("--accept", is_flag=True, help="Record what each backed number stands for, in ledgers/decks/.")
@click.option("--strict", is_flag=True, help="Fail for unbacked numbers, too.")
@click.option("--decimal-comma", is_flag=True, help="Read 3,14 as one number; also a setting of pyproject.toml.")
def audit(
    decks: tuple[Path, ...],
    specs: tuple[str, ...],
    form: str,
    page: Path | None,
    everything: bool,
    accept: bool,
    strict: bool,
    decimal_comma: bool,
) -> None:
    """Compare the numbers that are typed in DECKs with the ledgers; without a DECK, in those that `check` audits.

    Reads .md, .qmd, .tex, .html, .txt and .ipynb. Each decimal stands for the interval of its digits. A number is
    backed by an entry, contradicts the one that its label names, is a near miss of one, given by a spec, or unbacked.
    With --accept, each number that is backed is recorded with the text around it; `check` then fails with stale-number
    when the entry's printed digits change. Exit status: 1 where there is a contradiction or a near miss.
    """
    from seqgen import files
    from seqgen.auditing.decks import audited
    from seqgen.auditing.memory import memory_path, write_memory
    from seqgen.auditing.page import page as render
    from seqgen.auditing.report import as_json, table
    from seqgen.auditing.verdicts import CONTRADICTION, NEAR_MISS, STALE, UNBACKED, Auditor, remembered
    from seqgen.ledger.disk import ledger_on_disk
    from seqgen.rules.typed import memory

    here = project()
    settings = here.configuration
    paths = decks or [here.root / deck for deck in audited(here)]
    if not paths:
        raise SpecError("there are no decks to audit", code="no-such-deck", hint="name one, or put it into slides/")
    comma = decimal_comma or settings.decimal_comma
    against = (ledger_on_disk(here, name) for name in _ledgers(here, specs))
    auditor = Auditor(filter(None, against), decimal_comma=comma, ties=settings.ties)
    names = [here.relative(path.resolve()) for path in paths]
    audits = [auditor.audit(path, name, memory(here, name)) for path, name in zip(paths, names, strict=True)]
    if form == "json":
        click.echo(as_json(audits))
    else:
        for line in table(audits, everything=everything):
            click.echo(line)
    for one in audits if accept else ():
        records = remembered(one)
        files.write(here.root / memory_path(one.deck), write_memory(one.deck, records))
        click.echo(
            f"{memory_path(one.deck)}: {len(records)} of {len(one.findings)} numbers recorded", err=form == "json"
        )
    if page is not None:
        files.write(page, render(audits))
    fails = (STALE, CONTRADICTION, NEAR_MISS, *((UNBACKED,) if strict else ()))
    sys.exit(1 if any(one.count(verdict) for one in audits for verdict in fails) else 0)


def _ledgers(here: Project, specs: tuple[str, ...]) -> list[str]:
    """Return the specs with a ledger that the command line names, all for nothing.

    Raises:
        SpecError: where a name matches none, or there are none.
    """
    from seqgen.ledger.disk import ledger_path
    from seqgen.project import bare_name

    names = [name for name in here.spec_names() if (here.root / ledger_path(name)).is_file()]
    if not names:
        raise SpecError("there are no ledgers to compare with", code="no-ledgers", hint="run seqgen build first")
    chosen: list[str] = []
    for word in specs:
        name = bare_name(word)
        found = [n for n in names if n == name or n.startswith(f"{name}/")]
        if not found:
            raise SpecError(f"there is no ledger of '{word}'", code="no-such-spec", hint=nearest(name, names))
        chosen += [n for n in found if n not in chosen]
    return chosen or names
