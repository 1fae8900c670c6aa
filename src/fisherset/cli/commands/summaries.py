"""`fisherset summarize` and `fisherset merge`: sums of rows in files, in place of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from fisherset._format import counted
from fisherset.cli import options
from fisherset.cli.files import SUMMARY, Outputs, RowsFile
from fisherset.cli.options import REQUIRED, Task, argument, option
from fisherset.cli.terminal import ProgressBars, Screen

if TYPE_CHECKING:
    from fisherset import Summary
    from fisherset.tables import LabelledTable

WRITTEN = option(REQUIRED, "Summary to write, a .npz file.", "--out", metavar="FILE")


@options.command
def summarize(
    source: RowsFile,
    out: Path = WRITTEN,
    task: Task | None = options.TASK,
    keep: list[str] | None = options.USE_ROW_NUMBERS,
    max_memory: str | None = options.MAX_MEMORY,
    force: bool = options.FORCE,
    quiet: bool = options.QUIET,
) -> None:
    """Write the statistics of a table that `select` and `certify` need, in place of its rows.

    `merge` adds up summaries of different rows; `select`, `certify` and `alternatives` take them.
    Text columns are one-hot encoded. A summary holds class sizes, means and correlations but no
    rows; the mean of a class of one row is that row.

    Examples
    --------
      fisherset summarize hospital-a.csv --target tumour --out a.npz

      fisherset summarize 'rows/*.parquet' -t label --out all.npz
    """
    outputs = Outputs((out, SUMMARY), inputs=source.inputs, force=force)
    source.check()
    from fisherset.cli.request import check_keep
    from fisherset.statistics.summary import Summary, summarize_table

    with outputs, source.opened() as path:
        table = source.table(path, quiet, task, named=keep or ())
        if isinstance(table.X, Summary):
            raise ValueError(f"{path.name} is a summary already; `merge` adds it to others.")
        check_keep(table, keep)
        with ProgressBars(quiet, "summarizing"):
            found = summarize_table(
                table.X,
                table.y,
                task=table.task,
                max_memory=max_memory,
                names=table.names,
                target=table.target,
            )
        from fisherset.report import row_number_remarks  # and scikit-learn, which takes a second to load

        Screen(quiet).warnings(row_number_remarks(table.row_numbers, table.dropped))
        _write(found, out, outputs, quiet, table)


@options.command
def merge(
    files: list[Path] = argument("SUMMARY", "Summaries of different rows."),
    out: Path = WRITTEN,
    without: list[Path] | None = option(
        None, "Summary of rows to subtract; repeatable.", "--without", metavar="FILE"
    ),
    no_check: bool = option(
        False, "Add summaries of different targets, or the same rows twice, all the same.", "--no-check"
    ),
    force: bool = options.FORCE,
    quiet: bool = options.QUIET,
) -> None:
    """Add up summaries of different rows, or subtract some.

    Summaries of different targets, or of the same rows, are refused: a copy, the same table in another
    format or order, or a summary that was merged before.

    Examples
    --------
      fisherset merge a.npz b.npz c.npz --out all.npz

      fisherset merge all.npz --without b.npz --out rest.npz
    """
    outputs = Outputs((out, SUMMARY), inputs=[*files, *(without or [])], force=force)
    _check_distinct(files)
    _check_distinct(without or [])
    from fisherset import Summary

    with outputs:
        found = _added(files, check=not no_check)
        for path in without or []:
            with _naming(path, files[0]):
                found = found - Summary.load(path)
        _write(found, out, outputs, quiet)


def _check_distinct(files: list[Path]) -> None:
    """Refuse a summary that is named twice, whose rows would count twice."""
    known: set[Path] = set()
    for path in files:
        if path.resolve() in known:
            raise ValueError(f"{path} is named twice.")
        known.add(path.resolve())


def _added(files: list[Path], *, check: bool) -> Summary:
    """Return the sum of summaries, none of which may have rows of another."""
    from fisherset import Summary

    total = Summary.load(files[0])
    origins = {files[0].name: total.origin}
    for path in files[1:]:
        part = Summary.load(path)
        for name, origin in (origins | {"those before it": total.origin}).items() if check else ():
            if (conflict := part.origin.conflict(origin)) is not None:
                raise ValueError(f"{path.name} and {name} {conflict}. Add --no-check to add them anyway.")
        with _naming(path, files[0]):
            total = total.merge(part, check=False)
        origins[path.name] = part.origin
    return total


@contextmanager
def _naming(path: Path, other: Path) -> Iterator[None]:
    """Name the files that an error is about."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{path.name} does not match {other.name}. {error}") from None


def _write(
    summary: Summary, out: Path, outputs: Outputs, quiet: bool, table: LabelledTable | None = None
) -> None:
    """Print the size of a summary, of a table if there is one, and write it."""
    from fisherset.statistics.summary import summary_content
    from fisherset.tables.columns.targets import class_count

    screen, n_classes = Screen(quiet), summary.classes.size
    size = f"{counted(summary.n_samples, 'rows')}, {counted(summary.n_columns, 'features')}"
    if table is None:
        screen.lines(size)
    else:
        held = table.target_range or (class_count(n_classes) if n_classes else "numbers")
        screen.lines(f"{table.path.name}: {size}; target {table.target!r}: {held}")
    if n_classes:
        listed = ", ".join(str(label) for label in summary.classes.tolist()[:10])
        screen.lines(f"{class_count(n_classes)}: {listed}{', ...' if n_classes > 10 else ''}")
    outputs.write(out, lambda: summary_content(summary))
    outputs.show(screen)
