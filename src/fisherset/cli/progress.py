"""What a command is doing, for whoever waits for it."""

from __future__ import annotations

import logging
from typing import Self

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

from fisherset._progress import LOGGER


class ProgressBars(logging.Handler):
    """A bar for each thing that is told of, on the standard error stream; nothing where there is no terminal.

    Is called with a name and how much of how many is done; without numbers the bar only moves. What the
    library tells of itself on its logger gets a bar, too, below the others.
    """

    def __init__(self, quiet: bool, name: str | None = None) -> None:
        super().__init__(logging.INFO)
        console = Console(stderr=True, quiet=quiet)
        self._shown = console.is_terminal and not quiet
        self._bars = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),  # names of files are no markup
            BarColumn(),
            TextColumn("{task.fields[count]}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            TimeRemainingColumn(elapsed_when_finished=False),
            console=console,
            transient=True,
        )
        self._tasks: dict[str, TaskID] = {}
        self.done: dict[str, int] = {}
        if name is not None:
            self(name)

    def __call__(self, name: str, done: int = 0, total: int | None = None) -> None:
        count, left = ("", "") if total is None else (f"{done}/{total}", "left")
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(name, total=total, count=count, left=left)
        elif done < self.done[name]:  # from the beginning, as the next pass is
            self._bars.reset(self._tasks[name], total=total)
        self._bars.update(self._tasks[name], completed=done, total=total, count=count, left=left)
        self.done[name] = done

    def emit(self, record: logging.LogRecord) -> None:
        """Show what the library tells."""
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
