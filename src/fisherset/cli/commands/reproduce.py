"""`fisherset reproduce`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from fisherset.cli import INTERRUPTED, options, raise_on_interrupt
from fisherset.cli.options import option
from fisherset.cli.terminal import ProgressBars, Screen, cell, grid

if TYPE_CHECKING:
    from fisherset.paper import Reproduction


@options.command
def reproduce(
    data_dir: Path | None = option(
        None,
        "Folder of .npz data sets. Default: $FISHERSET_DATA, else they are downloaded.",
        metavar="FOLDER",
    ),
    only: str | None = option(
        None, "Comma-separated parts: table1 to table4, figure1 to figure3.", metavar="PARTS"
    ),
    repeats: int = option(20, "Number of random splits.", least=1),
    out: Path = option(Path("reproduction"), "Output folder.", metavar="FOLDER"),
    standardize: Literal["all", "train"] = option(
        "all", "all: before the split, as in the paper; train: on the training half only.", metavar="ROWS"
    ),
    seed: int = options.SEED,
    skip_missing: bool = option(False, "Skip data sets that are not available.", "--skip-missing"),
    jobs: int = option(-1, "Number of parallel processes; -1 for all cores."),
    force: bool = options.FORCE,
    quiet: bool = options.QUIET,
    as_json: bool = options.AS_JSON,
) -> None:
    """Repeat the experiments of Gu, Li and Han (2011), next to the printed numbers.

    Run the same command again to resume an interrupted run.

    Examples
    --------
      fisherset reproduce --data-dir data

      fisherset reproduce --only table3,figure1 --repeats 5 --out trial

      fisherset reproduce --standardize train --out leak-free
    """
    if not force:
        _check_folder(out)
    from fisherset.paper import reproduce as run

    bars = ProgressBars(quiet or as_json)
    with _resumable(bars, out):
        found = run(
            data_dir=data_dir,
            only=only,
            repeats=repeats,
            out=out,
            standardize=standardize,
            seed=seed,
            skip_missing=skip_missing,
            n_jobs=jobs,
            progress=bars,
        )
    if as_json:
        typer.echo(json.dumps(_content(found), indent=1))
    else:
        _show(Screen(quiet), found)


@contextmanager
def _resumable(bars: ProgressBars, out: Path) -> Iterator[None]:
    """Show progress; when interrupted, say what is kept."""
    from fisherset.datasets import DatasetNotFoundError

    raise_on_interrupt()
    try:
        with bars:
            yield
    except DatasetNotFoundError as error:
        raise ValueError(str(error)) from error
    except KeyboardInterrupt:
        done = sum(bars.done.values())
        kept = f"{done} repeats are saved in {out / 'results.json'}" if done else "nothing was saved"
        typer.echo(f"fisherset: interrupted; {kept}. Run the same command to resume.", err=True)
        raise typer.Exit(INTERRUPTED) from None


def _check_folder(folder: Path) -> None:
    """Refuse a folder with files of the names that will be written, unless results of ours are there, too."""
    if not (folder / "results.json").exists():
        for name in ("index.html", "tables.md", *(f"figure{number}.svg" for number in (1, 2, 3))):
            if (folder / name).exists():
                raise ValueError(
                    f"{str(folder / name)!r} exists and was not written by fisherset; use another --out, or "
                    f"add --force."
                )


def _content(found: Reproduction) -> list[dict[str, Any]]:
    """Return the tables for JSON."""
    return [
        {
            "title": table.title,
            "columns": table.columns,
            "rows": [[entry.text for entry in row] for row in table.rows],
        }
        for table in found.tables
    ]


def _show(screen: Screen, found: Reproduction) -> None:
    """Print the tables."""
    for table in found.tables:
        shown = grid(*table.columns, title=table.title)
        shown.caption = cell(table.note) if table.note else None
        for row in table.rows:
            shown.add_row(*(cell(entry.text, bold=entry.strong) for entry in row))
        screen.table(shown)
        screen.lines("")
    screen.lines(f"Written: {found.files[-1]}")
