"""Output of the commands on the terminal: tables, notes, warnings, progress bars and streams.

This module and those of the commands are loaded for `--help`, which must not take seconds: a command
imports what reads tables and computes when it runs, after its options have been checked.
"""

from __future__ import annotations

import io
import logging
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self, TextIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from fisherset._format import printable
from fisherset._progress import LOGGER
from fisherset.cli.usage import in_options

if TYPE_CHECKING:
    from fisherset.report import Remark

UNWRAPPED = 100_000  # width of the lines that another program reads

_noted: set[str] = set()
_notes = {"silent": False, "table": ""}


def reset_notes() -> None:
    """Forget the notes of an earlier command."""
    _noted.clear()
    _notes.update(silent=False, table="")


def silence_notes(silent: bool) -> bool:
    """Print no notes from now on, if that is given."""
    _notes["silent"] = bool(_notes["silent"] or silent)
    return silent


def note_about(table: str) -> None:
    """Set the name of the table that notes are about from now on."""
    _notes["table"] = table


def show_note(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning as one line on the standard error stream, once, with the table it is about."""
    text, table = in_options(str(message)), str(_notes["table"])
    line = printable(f"fisherset: note: {text if not table or table in text else f'{table}: {text}'}")
    if line not in _noted and not _notes["silent"]:
        _noted.add(line)
        print(line, file=sys.stderr)


@contextmanager
def status_shown_later() -> Iterator[None]:
    """Ignore warnings of misleading columns, and on how a search ended: they are shown with the answer."""
    from sklearn.exceptions import ConvergenceWarning

    from fisherset import LeakageWarning

    with warnings.catch_warnings():
        for kind in (ConvergenceWarning, LeakageWarning):
            warnings.simplefilter("ignore", kind)
        yield


class Screen:
    """The standard output: as wide as the terminal or COLUMNS, and unwrapped where there is neither."""

    def __init__(self, quiet: bool = False) -> None:
        piped = not sys.stdout.isatty() and "COLUMNS" not in os.environ
        self._unwrapped = Console(quiet=quiet, width=UNWRAPPED)
        self._console = self._unwrapped if piped else Console(quiet=quiet)

    @property
    def width(self) -> int:
        """The number of characters in a line."""
        return self._console.width

    @property
    def unwrapped(self) -> int:
        """The number of characters in a line that may be of any length."""
        return UNWRAPPED

    def lines(self, *texts: str) -> None:
        """Print lines, as they are but for control characters."""
        for text in texts:
            self._console.print(Text(printable(text)))

    def values(self, named: Iterable[tuple[str, str]]) -> None:
        """Print headings and values, a line each."""
        self.lines(*(f"{heading}: {value}" for heading, value in named))

    def warnings(self, remarks: Iterable[Remark]) -> None:
        """Print what is said with a certificate, warnings in bold."""
        for remark in remarks:
            self._console.print(Text(printable(remark.text), style="bold" if remark.warns else ""))

    def table(self, table: Table, *, wide: bool = False) -> None:
        """Print a table; a wide one in lines of any length."""
        (self._unwrapped if wide else self._console).print(table)


def grid(*headings: str, title: str | None = None, left: int = 1) -> Table:
    """Return an empty table for the terminal, its first columns aligned to the left."""
    table = Table(title=None if title is None else Text(title), title_justify="left")
    for place, heading in enumerate(headings):
        table.add_column(Text(heading), justify="left" if place < left else "right", overflow="fold")
    return table


def cell(text: str, *, bold: bool = False) -> Text:
    """Return a cell of a table, without control characters and markup."""
    return Text(printable(text), style="bold" if bold else "")


class ProgressBars(logging.Handler):
    """Progress bars on the standard error stream; none where that is no terminal.

    Called with a name and how much of how many is done; without numbers the bar only moves. The library
    reports its own progress on a logger, which gets a bar, too.
    """

    def __init__(self, quiet: bool, name: str | None = None) -> None:
        super().__init__(logging.INFO)
        console = Console(stderr=True, quiet=quiet)
        self._shown = console.is_terminal and not quiet
        name_column = TextColumn("{task.description}", markup=False)  # names of files are no markup
        count, left = (TextColumn(f"{{task.fields[{field}]}}") for field in ("count", "left"))
        remaining = TimeRemainingColumn(elapsed_when_finished=False)
        columns = SpinnerColumn(), name_column, BarColumn(), count, TimeElapsedColumn(), left, remaining
        self._bars = Progress(*columns, console=console, transient=True)
        self._tasks: dict[str, TaskID] = {}
        self.done: dict[str, int] = {}
        if name is not None:
            self(name)

    def __call__(self, name: str, done: int = 0, total: int | None = None) -> None:
        count, left = ("", "") if total is None else (f"{done}/{total}", "left")
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(name, total=total, count=count, left=left)
        elif done < self.done[name]:  # the next pass starts from the beginning
            self._bars.reset(self._tasks[name], total=total)
        self._bars.update(self._tasks[name], completed=done, total=total, count=count, left=left)
        self.done[name] = done

    def emit(self, record: logging.LogRecord) -> None:
        """Show the progress that the library reports."""
        self(*(getattr(record, name) for name in ("what", "done", "total")))

    def __enter__(self) -> Self:
        if self._shown:
            self._bars.start()
            LOGGER.addHandler(self)
            LOGGER.setLevel(logging.INFO)
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            LOGGER.removeHandler(self)
            LOGGER.setLevel(logging.NOTSET)
            self._bars.stop()


class Stream(io.TextIOWrapper):
    """A text stream that discards what is written once its reader has left, or the disk is full."""

    failure: OSError | None = None  # the reason

    def __init__(self, stream: io.TextIOWrapper) -> None:
        # a terminal that lacks a character shows another
        encoding, lines = stream.encoding, stream.line_buffering
        super().__init__(stream.buffer, encoding, errors="replace", line_buffering=lines)

    def write(self, text: str) -> int:
        """Write, or discard."""
        try:
            return super().write(text)
        except OSError as error:
            self._discard(error)
            return len(text)

    def flush(self) -> None:
        """Flush, or discard."""
        try:
            super().flush()
        except OSError as error:
            self._discard(error)

    def _discard(self, error: OSError) -> None:
        self.failure = self.failure or error
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, self.fileno())
        os.close(nothing)


@contextmanager
def tolerant_streams() -> Iterator[list[TextIO]]:
    """Let both streams of this process survive their readers, also when they are flushed at its end."""
    kept = sys.stdout, sys.stderr
    opened: list[TextIO] = [
        Stream(stream) if isinstance(stream, io.TextIOWrapper) else stream for stream in kept
    ]
    sys.stdout, sys.stderr = opened
    try:
        yield opened
    finally:
        sys.stdout, sys.stderr = kept
        for stream in opened:
            if isinstance(stream, Stream):
                stream.flush()
                stream.detach()  # closing it would close what others use
