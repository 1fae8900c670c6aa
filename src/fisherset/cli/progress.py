"""What a command is doing, for whoever waits for it."""

from __future__ import annotations

from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn


class ProgressBars:
    """A bar for each thing that is told of, on the standard error stream; nothing where there is no terminal.

    Is called with a name and how much of how many is done; without numbers the bar only moves.
    """

    def __init__(self, quiet: bool, name: str | None = None) -> None:
        console = Console(stderr=True, quiet=quiet)
        self._shown = console.is_terminal and not quiet
        self._bars = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),  # names of files are no markup
            BarColumn(),
            TextColumn("{task.fields[count]}"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
        )
        self._tasks: dict[str, TaskID] = {}
        self.done: dict[str, int] = {}
        if name is not None:
            self(name)

    def __call__(self, name: str, done: int = 0, total: int | None = None) -> None:
        count = "" if total is None else f"{done}/{total}"
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(name, total=total, count=count)
        self._bars.update(self._tasks[name], completed=done, total=total, count=count)
        self.done[name] = done

    def __enter__(self) -> Self:
        if self._shown:
            self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            self._bars.stop()
