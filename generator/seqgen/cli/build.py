"""``seqgen build``."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import click

from seqgen.cli.command import command, project
from seqgen.errors import SeqgenError, count
from seqgen.files import refused
from seqgen.project import Project

if TYPE_CHECKING:
    from seqgen.build import Report


@command(
    "seqgen build",
    "seqgen build week06/attention",
    "seqgen build slides/week06.md",
    "seqgen build week06 --explain",
    "seqgen build --watch",
)
@click.argument("wanted", nargs=-1, metavar="[SPEC|DECK]...")
@click.option("--force", is_flag=True, help="Build even what has not changed.")
@click.option("--explain", is_flag=True, help="Say why each spec and deck is built.")
@click.option("-j", "--jobs", type=click.IntRange(min=0), default=1, help="Processes to build in; 0 is one a core.")
@click.option("--timings", is_flag=True, help="Say where the time went.")
@click.option("--watch", is_flag=True, help="Stay, and build again on every change.")
@click.option("--poll", is_flag=True, help="Like --watch, for drives that do not tell of changes.")
def build(
    wanted: tuple[str, ...], force: bool, explain: bool, jobs: int, timings: bool, watch: bool, poll: bool
) -> None:
    """Write the ledgers and pages of specs, and weave decks; all of them where none is named.

    A spec is named as week06/attention, by its file, or by its folder; a deck by its file, such as slides/week06.md.
    What has not changed is left alone.
    """
    here = project()
    once = partial(_build, wanted=wanted, explain=explain, jobs=jobs or os.cpu_count() or 1, timings=timings)
    status = once(here, force=force)
    if watch or poll:
        status = _watch(here, once, poll=poll)
    sys.exit(status)


def _watch(here: Project, once: Callable[..., int], *, poll: bool) -> int:
    """Build whenever something has changed, until the user or a change of seqgen itself ends it."""
    import gc

    from seqgen.build.watch import moments

    gc.freeze()  # what is imported and remembered by now stays, and would be looked through on many a save
    click.echo("waiting for changes; Ctrl-C ends this", err=True)
    status = 0
    try:
        for _ in moments(here, poll=poll):
            try:
                status = once(Project(here.root), quiet=True)
            except SeqgenError as problem:  # such as a mistake in the configuration
                click.echo(problem.render(), err=True)
            except OSError as problem:
                click.echo(refused(problem).render(), err=True)
    except KeyboardInterrupt:
        return status
    click.echo("seqgen itself has changed: start it again", err=True)
    return 2


def _build(
    here: Project,
    *,
    wanted: tuple[str, ...],
    explain: bool,
    jobs: int,
    timings: bool,
    force: bool = False,
    quiet: bool = False,
) -> int:
    """Build once, say what was done (``quiet``: where anything was), and return the exit status."""
    from seqgen.build import build as run

    progress = sys.stderr.isatty() and not explain

    def said(name: str, reason: str) -> None:
        if explain:
            click.echo(f"{name}: {reason}")
        elif progress:
            click.echo(f"\r\033[K{name} …", nl=False, err=True)

    def waiting() -> None:
        click.echo("another build is at work here; waiting for its end", err=True)

    start = time.perf_counter()
    report = run(here, wanted, force=force, jobs=jobs, said=said, waiting=waiting)
    if progress and (report.built or report.decks):
        click.echo("\r\033[K", nl=False, err=True)
    for problem in report.errors:
        click.echo(problem.render() + "\n", err=True)
    for name in report.built:
        ledgers = [p for p in report.written if p == f"ledgers/{name}.json"]
        pages = [p for p in report.written if p.startswith("build/") and p.split("/", 2)[2].rpartition("/")[0] == name]
        if ledgers or pages:
            click.echo(f"{name}: wrote {' and '.join([*ledgers, *([f'{len(pages)} pages'] if pages else [])])}")
    for name in report.decks:
        if name not in report.failed:
            click.echo(f"{name}: woven")
    for path, aside in report.kept.items():
        click.echo(f"warning: {path} was edited by hand, where a build writes; the edit is now in {aside}", err=True)
        click.echo("  hint: move it to the spec, the template or the deck that the first line names", err=True)
    for path in report.removed:
        click.echo(f"removed {path}")
    if quiet and not (report.built or report.decks or report.removed):
        return 0
    for line in report.failed_checks:
        click.echo(f"{line}\n  does not hold; seqgen check tells more", err=True)
    click.echo(f"{_summary(report)}, {count(len(report.written), 'file')} written")
    if timings:
        _tell_times(report.seconds, time.perf_counter() - start)
    return 2 if report.errors else 1 if report.failed_checks else 0


def _summary(report: Report) -> str:
    """Return how many specs were built and, where there are any, how many decks were woven."""
    built = [name for name in report.built if name not in report.failed]
    said = f"{count(len(built), 'spec')} built, {len(report.unchanged)} unchanged"
    if report.decks or report.unchanged_decks:
        woven = [name for name in report.decks if name not in report.failed]
        said += f", {count(len(woven), 'deck')} woven, {len(report.unchanged_decks)} unchanged"
    return said


def _tell_times(seconds: Mapping[str, Mapping[str, float]], total: float) -> None:
    """Say how long each stage took over all specs, what is left of ``total``, and which specs took longest."""
    stages: dict[str, float] = {}
    for times in seconds.values():
        for stage, time_taken in times.items():
            stages[stage] = stages.get(stage, 0.0) + time_taken
    rest = total - sum(stages.values())  # less than nothing where several processes worked at once
    rows = [*stages.items(), *([("imports, decks, and looking for changes", rest)] if rest > 0 else []), ("all", total)]
    slowest = sorted(((sum(times.values()), name) for name, times in seconds.items()), reverse=True)[:5]
    for label, taken in [*rows, *((name, taken) for taken, name in slowest)]:
        click.echo(f"{taken:9.3f} s  {label}")
