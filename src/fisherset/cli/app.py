"""The commands, and what a person sees when one fails."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Annotated

import typer

from fisherset.cli import notes
from fisherset.cli.commands.alternatives import alternatives
from fisherset.cli.commands.apply import apply
from fisherset.cli.commands.certify import certify
from fisherset.cli.commands.compare import compare, demo
from fisherset.cli.commands.reproduce import reproduce
from fisherset.cli.commands.select import select
from fisherset.cli.commands.summaries import merge, summarize
from fisherset.cli.notes import printable
from fisherset.cli.terminal import UNEXPECTED, UNUSABLE, outlets

app = typer.Typer(
    name="fisherset",
    help="Choose the best set of features jointly, with a proof of how good it is.\n\n"
    "Exit codes: 0 done; 2 the table or the request cannot be used, one sentence says why; "
    "130 interrupted; 141 the reader of the output left; 1 a fault of fisherset itself.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (select, apply, compare, certify, alternatives, summarize, merge, demo, reproduce):
    app.command()(command)


SMALLER = "Use fewer rows, or leave columns out with --drop."


def _show_version(wanted: bool) -> None:
    if wanted:
        from fisherset import __version__

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
    with outlets():
        return _run()


def _run() -> int:
    warnings.showwarning = notes.show
    notes.begin()
    try:
        app()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(bool(end.code))
    except MemoryError as error:
        reason = f" ({printable(str(error))})" if str(error) else ""
        print(f"fisherset: there is not enough memory for this{reason}. {SMALLER}", file=sys.stderr)
        return UNUSABLE
    except (ValueError, ImportError, OSError) as error:
        print(f"fisherset: {printable(str(error)) or type(error).__name__}", file=sys.stderr)
        return UNUSABLE
    except Exception as error:
        if os.environ.get("FISHERSET_DEBUG"):
            raise
        what = printable(f"{type(error).__name__}: {error}")
        print(
            f"fisherset: a fault of fisherset itself ({what}); FISHERSET_DEBUG=1 shows where.",
            file=sys.stderr,
        )
        return UNEXPECTED
    return 0
