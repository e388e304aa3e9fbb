"""What all commands share: the group, examples in help, and mistakes as messages."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from seqgen import __version__
from seqgen.errors import SeqgenError
from seqgen.files import refused

if TYPE_CHECKING:
    from seqgen.project import Project

NAMES = (
    "audit", "build", "check", "cite", "conventions", "diff", "explain", "export", "init", "new", "nice", "schema",
    "show",
)  # fmt: skip


class Commands(click.Group):
    """The commands by name; each lies in a module of its name, which is imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of all commands."""
        return list(NAMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return a command by its name, or nothing."""
        if cmd_name not in NAMES:
            return None
        found: click.Command = getattr(import_module(f"seqgen.cli.{cmd_name}"), cmd_name)
        return found


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
                fail(refused(problem))

        made = click.command(cls=Examples, name=function.__name__)(run)
        made.examples = examples
        return made

    return declare


def fail(problem: SeqgenError) -> NoReturn:
    """Report a mistake and end with its status."""
    click.echo(problem.render(), err=True)
    sys.exit(problem.exit_status)


def project() -> Project:
    """Return the project that the working folder lies in."""
    from seqgen.project import find_project

    return find_project(Path.cwd())


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="seqgen %(version)s")
def main() -> None:
    """Compute the worked examples of a lecture, and keep the slides true to them.

    Specs in specs/ declare each microscope; ledgers/ and build/ follow from them. Exit status: 0 in order, 1 something
    disagrees, 2 wrong usage or a mistake in a spec.
    """
    for stream in (sys.stdout, sys.stderr):  # a name of any bytes can be printed, and any character in any locale
        if isinstance(stream, TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")
