"""The commands, and the sentence and exit code with which one fails."""

from __future__ import annotations

import os
import re
import sys
import warnings
from typing import Annotated, Any

import typer

from fisherset._format import printable
from fisherset.cli.commands.alternatives import alternatives
from fisherset.cli.commands.apply import apply
from fisherset.cli.commands.certify import certify
from fisherset.cli.commands.compare import compare
from fisherset.cli.commands.demo import demo
from fisherset.cli.commands.reproduce import reproduce
from fisherset.cli.commands.select import select
from fisherset.cli.commands.summaries import merge, summarize
from fisherset.cli.commands.trust import trust
from fisherset.cli.terminal import reset_notes, show_note, tolerant_streams
from fisherset.cli.usage import in_options, usage_sentence
from fisherset.cli.values import Command, Group

# Exit codes besides INTERRUPTED; 0 is success.
UNEXPECTED = 1  # a fault of fisherset itself
UNUSABLE = 2  # the command, or its data, cannot be used; one sentence says why
READER_LEFT = 141  # 128 + SIGPIPE, as in shells: `| head -1`

app = typer.Typer(
    name="fisherset",
    cls=Group,
    help="Select the best set of features jointly, with a proof of how good it is.\n\n"
    "Exit codes: 0 success; 1 a bug in fisherset; 2 bad input or options; 130 interrupted; "
    "141 broken pipe.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (select, trust, apply, compare, certify, alternatives, summarize, merge, demo, reproduce):
    app.command(cls=Command)(command)


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
    """Run the command line; an error that a person can mend becomes one sentence and exit code 2."""
    with tolerant_streams() as (out, _):
        code = _run()
    failure = getattr(out, "failure", None)
    if code or failure is None:
        return code
    if isinstance(failure, BrokenPipeError):
        return READER_LEFT
    print(f"fisherset: the output could not be printed: {failure.strerror}.", file=sys.stderr)
    return UNUSABLE


def _run() -> int:
    warnings.showwarning = show_note
    warnings.filterwarnings("ignore", "y holds .* read as classes")  # the commands say so in their own words
    reset_notes()
    try:
        ended = app(standalone_mode=False)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(bool(end.code))
    except Exception as error:
        if hasattr(error, "format_message"):  # an error of click, which typer has a copy of
            return _show_usage(error)
        if os.environ.get("FISHERSET_DEBUG") and not isinstance(error, MENDABLE):
            raise
        print(f"fisherset: {printable(_sentence(error))}", file=sys.stderr)
        return UNUSABLE if isinstance(error, MENDABLE) else UNEXPECTED
    return ended if isinstance(ended, int) else 0


def _show_usage(error: Any) -> int:
    """Print what is wrong with the options; the help where there are none."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
    else:
        print(f"fisherset: {printable(usage_sentence(error))}", file=sys.stderr)
    return UNUSABLE


MENDABLE = (ValueError, ImportError, OSError, MemoryError)


def _sentence(error: Exception) -> str:
    """Return what a person is told of an error."""
    if isinstance(error, MemoryError):
        needed = re.search(r"(?:allocate|size) ([\d.]+ ?\w*)", str(error))
        more = f": a single array needs {needed[1].strip()}" if needed else ""
        return f"Out of memory{more}. Use fewer rows, or leave columns out with --drop."
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror.lower()}."
    if isinstance(error, MENDABLE):
        return in_options(str(error)) or type(error).__name__
    return f"a bug in fisherset ({type(error).__name__}: {error}); FISHERSET_DEBUG=1 shows where."
