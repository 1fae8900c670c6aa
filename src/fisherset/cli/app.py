"""The commands, and what a person sees when one fails."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from fisherset import __version__
from fisherset.cli.codes import UNUSABLE
from fisherset.cli.reproduce import reproduce
from fisherset.datasets import DatasetNotFoundError

app = typer.Typer(
    name="fisherset",
    help="Choose the best set of features jointly, with a proof of how good it is.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(reproduce)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fisherset {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


def run() -> int:
    """Run the command line; errors a person can mend become one sentence and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without a sign shows another
    try:
        app()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(bool(end.code))
    except (ValueError, DatasetNotFoundError, ImportError, OSError) as error:
        print(f"fisherset: {error}", file=sys.stderr)
        return UNUSABLE
    return 0
