"""What the commands share: their outputs, how they speak, and what numbers in options stand for.

This and the modules of the commands are loaded for `--help`, which shall not take seconds: what reads
tables and computes is imported by a command when it runs, once nothing of what was asked can be refused
any longer, and before it is asked to account for its files (`Outputs`).
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import typer
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from fisherset._files import write_whole
from fisherset.cli import interrupt
from fisherset.cli.outputs import Kind, check_outputs

# Exit codes, besides that of interrupt.py; 0 is success, as everywhere.
UNEXPECTED = 1  # a fault of fisherset itself
UNUSABLE = 2  # the command, or its data, cannot be used; one sentence says why
UNWRAPPED = 100_000  # signs in a line that another program reads


class Outputs:
    """The files a command writes: checked before the work, written whole, accounted for when stopped."""

    def __init__(
        self, *wanted: tuple[Path | None, Kind], inputs: Sequence[Path] = (), force: bool = False
    ) -> None:
        self.written: list[Path] = []
        self._force = force
        check_outputs([(path, kind) for path, kind in wanted if path is not None], inputs, force)

    def write(self, path: Path | None, content: Callable[[], str | bytes]) -> None:
        """Write the content to a file, if there is one to write."""
        if path is not None:
            write_whole(path, content(), force=self._force)
            self.written.append(path)

    def __enter__(self) -> Self:
        interrupt.raise_it()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, KeyboardInterrupt):
            kept = ", ".join(map(str, self.written))
            said = f"{kept} had been written and is whole" if kept else "nothing was written"
            typer.echo(f"fisherset: interrupted; {said}.", err=True)
            raise typer.Exit(interrupt.INTERRUPTED) from None


def console_of(quiet: bool) -> Console:
    """Where a command speaks: as wide as the terminal, or COLUMNS; where neither is, nothing is wrapped."""
    piped = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    return Console(quiet=quiet, width=UNWRAPPED if piped else None)


def grid(*headings: str, title: str | None = None, left: int = 1) -> RichTable:
    """A table for the terminal, the first columns to the left."""
    table = RichTable(title=None if title is None else Text(title), title_justify="left")
    for place, heading in enumerate(headings):
        table.add_column(Text(heading), justify="left" if place < left else "right", overflow="fold")
    return table


def limits_of(
    time_limit: float | None, max_nodes: int | None = None, *, lacking: str | None = None
) -> dict[str, Any]:
    """What --time-limit and --max-nodes stand for; the latter is lost where an option is lacking."""
    if time_limit is not None and not time_limit > 0:
        raise ValueError(f"--time-limit must be greater than 0; got {time_limit:g}.")
    if max_nodes is not None and max_nodes < 1:
        raise ValueError(f"--max-nodes must be at least 1; got {max_nodes}.")
    if max_nodes is not None and lacking is not None:
        raise ValueError(f"--max-nodes must go with {lacking}; nothing else has nodes.")
    given = {"time_limit": time_limit, "max_nodes": max_nodes}
    return {name: value for name, value in given.items() if value is not None}


def counts_of(text: str) -> list[int]:
    """The numbers that -k names with commas, rising."""
    try:
        sizes = sorted({int(part) for part in text.split(",")})
    except ValueError:
        raise ValueError(f"-k must be whole numbers with commas, such as 5,10,20; got {text!r}.") from None
    if sizes[0] < 1:
        raise ValueError(f"-k must be whole numbers of at least 1; got {text!r}.")
    return sizes


def count_of(text: str, other: str = "") -> int:
    """What -k stands for, where it is a number; an error names what `other` it may be."""
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"-k must be a whole number, at least 1{other}; got {text!r}.")
    return int(text)


def gamma_of(text: str, *, fixed: bool = False) -> float | str:
    """What --gamma stands for; where it is `fixed` it is not cross-validated."""
    if fixed and text == "auto":
        raise ValueError("--gamma must be \"scale\" or a positive number here; got 'auto'.")
    if text in ("scale", "auto"):
        return text
    try:
        return float(text)
    except ValueError:
        raise ValueError(f'--gamma must be "scale", "auto" or a positive number; got {text!r}.') from None


class Outlet(io.TextIOWrapper):
    """A stream of text that goes on into nothing when nobody reads it any longer."""

    def __init__(self, stream: io.TextIOWrapper) -> None:
        # a terminal without a sign shows another
        encoding, lines = stream.encoding, stream.line_buffering
        super().__init__(stream.buffer, encoding, errors="replace", line_buffering=lines)

    def write(self, text: str) -> int:
        """Write, or not."""
        try:
            return super().write(text)
        except BrokenPipeError:
            self._give_up()
            return len(text)

    def flush(self) -> None:
        """Flush, or not."""
        try:
            super().flush()
        except BrokenPipeError:
            self._give_up()

    def _give_up(self) -> None:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, self.fileno())
        os.close(nothing)


@contextmanager
def outlets() -> Iterator[None]:
    """Let both streams of this process be outlets, and leave nothing for its end, which would complain."""
    kept = sys.stdout, sys.stderr
    opened = [Outlet(stream) if isinstance(stream, io.TextIOWrapper) else stream for stream in kept]
    sys.stdout, sys.stderr = opened
    try:
        yield
    finally:
        sys.stdout, sys.stderr = kept
        for stream in opened:
            if isinstance(stream, Outlet):
                stream.flush()
                stream.detach()  # which would close what others use
