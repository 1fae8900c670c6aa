"""`fisherset reproduce`."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table as RichTable
from rich.text import Text

from fisherset.cli import interrupt
from fisherset.cli.codes import INTERRUPTED
from fisherset.paper.table import Table


class Standardize(StrEnum):
    """Which rows the scales come from."""

    all = "all"
    train = "train"


def reproduce(
    data_dir: Annotated[
        Path | None,
        typer.Option(help="Folder of .npz data sets. Default: FISHERSET_DATA, then scikit-learn's fetchers."),
    ] = None,
    only: Annotated[
        str | None, typer.Option(help="Parts to do: table1 to table4, figure1 to figure3, with commas.")
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Random halves.")] = 20,
    out: Annotated[Path, typer.Option(help="Folder for results.json, figures and index.html.")] = Path(
        "reproduction"
    ),
    standardize: Annotated[
        Standardize,
        typer.Option(help="all: before the split, as the paper. train: by the training half only."),
    ] = Standardize.all,
    seed: Annotated[int, typer.Option(min=0, help="Other seeds give other halves.")] = 0,
    skip_missing: Annotated[
        bool, typer.Option("--skip-missing", help="Leave out data sets that are not to be had.")
    ] = False,
    jobs: Annotated[int, typer.Option(help="Repeats in parallel; -1 for all processors.")] = -1,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the tables as JSON.")] = False,
) -> None:
    """Do the experiments of Gu, Li and Han (2011) again, beside the printed figures.

    An interrupted run goes on where it stopped when the same command is given again.

    Examples
    --------
      fisherset reproduce --data-dir data

      fisherset reproduce --only table3,figure1 --repeats 5 --out trial

      fisherset reproduce --standardize train --out leak-free
    """
    from fisherset.paper import reproduce as run

    console = Console(quiet=quiet)
    bars = Bars(Console(stderr=True, quiet=quiet or as_json))
    interrupt.raise_it()
    try:
        with bars:
            reproduction = run(
                data_dir=data_dir,
                only=only,
                repeats=repeats,
                out=out,
                standardize=standardize.value,
                seed=seed,
                skip_missing=skip_missing,
                n_jobs=jobs,
                progress=bars.show,
            )
    except KeyboardInterrupt:
        kept = f"{bars.done} repeats are kept in {out / 'results.json'}" if bars.done else "nothing was kept"
        typer.echo(f"fisherset: interrupted; {kept}; the same command goes on from there.", err=True)
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        tables = [
            {
                "title": table.title,
                "columns": table.columns,
                "rows": [[cell.text for cell in row] for row in table.rows],
            }
            for table in reproduction.tables
        ]
        typer.echo(json.dumps(tables, indent=1))
        return
    for table in reproduction.tables:
        console.print(_shown(table))
        console.print()
    console.print(Text(f"The page: {reproduction.files[-1]}"))


class Bars:
    """A progress bar for each data set; nothing where there is no terminal."""

    def __init__(self, console: Console) -> None:
        self._counts: dict[str, int] = {}
        self._tasks: dict[str, TaskID] = {}
        self._progress = Progress(
            TextColumn("{task.description:<12}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
        )

    @property
    def done(self) -> int:
        return sum(self._counts.values())

    def show(self, dataset: str, done: int, wanted: int) -> None:
        self._counts[dataset] = done
        if dataset not in self._tasks:
            self._tasks[dataset] = self._progress.add_task(dataset, total=wanted)
        self._progress.update(self._tasks[dataset], completed=done)

    def __enter__(self) -> Bars:
        if not self._progress.disable:
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if not self._progress.disable:
            self._progress.stop()


def _shown(table: Table) -> RichTable:
    """The table for a terminal."""
    shown = RichTable(
        title=Text(table.title), caption=Text(table.note) if table.note else None, title_justify="left"
    )
    for place, column in enumerate(table.columns):
        shown.add_column(Text(column), justify="right" if place else "left")
    for row in table.rows:
        shown.add_row(*(Text(cell.text, style="bold" if cell.strong else "") for cell in row))
    return shown
