"""The command line. Commands import the rest of seqgen inside, so that help and an idle build stay fast."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from seqgen import __version__
from seqgen.errors import SeqgenError

if TYPE_CHECKING:
    from seqgen.project import Project


class Examples(click.Command):
    """A command whose help ends with examples, kept as written."""

    examples: tuple[str, ...] = ()

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the examples."""
        with formatter.section("Examples"):
            for line in self.examples:
                formatter.write(f"  {line}\n")


def command(*examples: str) -> Callable[[Callable[..., Any]], click.Command]:
    """Declare a command with ``examples``; its mistakes become messages, never tracebacks."""

    def declare(function: Callable[..., Any]) -> click.Command:
        @wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except SeqgenError as problem:
                fail(problem)
            except BrokenPipeError:
                raise  # click ends quietly where nobody reads on
            except OSError as problem:
                what = f"{problem.filename}: {problem.strerror}" if problem.filename else str(problem)
                click.echo(f"error[files]: {what}", err=True)
                sys.exit(2)

        made = main.command(cls=Examples, name=function.__name__.strip("_"))(run)
        assert isinstance(made, Examples)
        made.examples = examples
        return made

    return declare


def fail(problem: SeqgenError) -> NoReturn:
    """Report a mistake and end with its status."""
    click.echo(problem.render(), err=True)
    sys.exit(problem.exit_status)


def _project() -> Project:
    from seqgen.project import find_project

    return find_project(Path.cwd())


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="seqgen %(version)s")
def main() -> None:
    """Compute the worked examples of a lecture, and keep the slides true to them.

    Specs in specs/ declare each microscope; ledgers/ and build/ follow from them. Exit status: 0 in order, 1 something
    disagrees, 2 wrong usage or a mistake in a spec.
    """


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

    report = run(_project(), specs, force=force, said=said)
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
        f"{_count(done, 'spec')} built, {len(report.unchanged)} unchanged, "
        f"{_count(len(report.written), 'file')} written"
    )
    sys.exit(2 if report.errors else 1 if report.failed_checks else 0)


@command("seqgen check", "seqgen check week06/rnn-trace")
@click.argument("specs", nargs=-1)
def check(specs: tuple[str, ...]) -> None:
    """Recompute SPECS, or all specs, in memory and compare them with the files on disk.

    Writes nothing. Each finding names its rule, its place, what differs, and the command that cures it.
    """
    from seqgen.checks.findings import review

    result = review(_project(), specs)
    for problem in result.errors:
        click.echo(problem.render() + "\n", err=True)
    for line in result.said:
        click.echo(line)
    for finding in result.findings:
        click.echo(f"{finding.place}: {finding.rule}: {finding.message}")
        for detail in finding.details:
            click.echo(f"    {detail}")
        click.echo(f"  cure: {finding.cure}")
    counts = ", ".join(_count(number, what) for what, number in result.counts.items())
    verdict = (
        "in order"
        if not (result.findings or result.errors)
        else _count(len(result.findings) + len(result.errors), "finding")
    )
    click.echo(f"{counts}: {verdict}")
    if not result.counts.get("spec"):
        click.echo("nothing was checked: there are no specs", err=True)
        sys.exit(2)
    sys.exit(2 if result.errors else 1 if result.findings else 0)


@command(
    "seqgen show week06/rnn-trace 'h[1]'",
    "seqgen show week06/final-state-loss 'grad(L, W_h)'",
    "seqgen show week06/final-state-loss '1 - h[2]**2'",
)
@click.argument("spec")
@click.argument("reference", metavar="REF")
def show(spec: str, reference: str) -> None:
    """Show what is known of one value of SPEC.

    REF is an entry (h[1]), a part of one (A[1][0]), a gradient (grad(L, W_h, via=R[1])), 'parameters', or any
    expression over these. Shown are its value, closed form, proven digits, formula, operands and contributions.
    """
    from seqgen.show import describe

    project = _project()
    names = project.select((spec,))
    if len(names) != 1:
        raise click.UsageError(f"'{spec}' stands for {len(names)} specs; name one: {', '.join(names)}")
    for line in describe(project, names[0], reference):
        click.echo(line)


@command("seqgen schema > specs/seqgen.schema.json")
def schema() -> None:
    """Print the JSON Schema of a spec, for editors.

    Put '# yaml-language-server: $schema=./seqgen.schema.json' on a spec's first line.
    """
    from seqgen.spec.schema import schema_text

    click.echo(schema_text(), nl=False)


def _count(number: int, what: str) -> str:
    plural = what if number == 1 else f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{number} {plural}"
