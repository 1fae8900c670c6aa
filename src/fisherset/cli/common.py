"""What the commands share: their options, their outputs and how they speak.

This and the modules of the commands are loaded for `--help`, which shall not take seconds: what reads
tables and computes is imported by a command when it runs, once nothing of what was asked can be refused
any longer, and before it is asked to account for its files (`Outputs`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer
from rich.table import Table as RichTable
from rich.text import Text

from fisherset._files import write_whole
from fisherset.cli import interrupt
from fisherset.cli.outputs import Kind, check_outputs
from fisherset.cli.progress import ProgressBars

if TYPE_CHECKING:
    from fisherset.tables import LabelledTable

# Exit codes, besides that of interrupt.py; 0 is success, as everywhere.
UNEXPECTED = 1  # a fault of fisherset itself
UNUSABLE = 2  # the command, or its data, cannot be used; one sentence says why


class Impute(StrEnum):
    """What to do about missing values."""

    median = "median"
    indicator = "indicator"


class Task(StrEnum):
    """What the target holds."""

    classification = "classification"
    regression = "regression"


class ClassWeight(StrEnum):
    """How classes are weighed."""

    balanced = "balanced"
    sqrt = "sqrt"


PREFIX = "prefix"  # for --groups, in place of a file
FORMATS = "CSV, TSV, Parquet, Feather/Arrow, .npz, .svmlight or .h5ad"
File = Annotated[Path, typer.Argument(metavar="FILE", help=f"{FORMATS}.")]
Data = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help=f"{FORMATS}; a folder or pattern of such files, which are read by batches; or a summary.",
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target", "-t", help="The column of class labels, or numbers. Not needed for .npz, .svmlight."
    ),
]
Drop = Annotated[list[str] | None, typer.Option("--drop", help="A column to leave out; may be given again.")]
Imputed = Annotated[
    Impute | None,
    typer.Option(
        help="Missing values: the median (of texts the commonest), or besides a column marking them."
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option("--keep", help="Columns, or groups, that must be chosen: a,b or again and again."),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option("--exclude", help="Columns, or groups, that must not be chosen, as --keep."),
]
AdjustFor = Annotated[
    list[str] | None,
    typer.Option(
        "--adjust-for",
        help="Columns, or groups, whose linear effect is taken out of the others and the target.",
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(
        "--groups",
        metavar="FILE|prefix",
        help="Columns to choose together: JSON, groups with lists of columns, or CSV rows column,group; "
        "or prefix, for names such as group_rest.",
    ),
]
SplitTexts = Annotated[
    bool,
    typer.Option("--split-texts", help="Choose the values of a column of texts one by one, as column=value."),
]
Weighed = Annotated[
    ClassWeight | None,
    typer.Option("--class-weight", help="Let all classes count alike, or by the root of their size."),
]
Asked = Annotated[Task, typer.Option("--task", help="Tell classes apart, or explain a number.")]
Gamma = Annotated[
    str, typer.Option(help='The regulariser: "scale" (from the data), "auto" (cross-validated) or a number.')
]
ReportFile = Annotated[Path | None, typer.Option("--report", help="Write a page, report.html, about it.")]
Force = Annotated[
    bool, typer.Option("--force", help="Replace files that fisherset did not write, or that are protected.")
]
MaxMemory = Annotated[
    str | None,
    typer.Option(
        "--max-memory", metavar="SIZE", help="Memory that may be used besides the table, such as 2GB."
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option("--time-limit", help="Seconds after which the search stops with what it has."),
]
MaxNodes = Annotated[
    int | None,
    typer.Option("--max-nodes", help="Nodes after which exact search stops with what it has."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]


class Outputs:
    """The files a command writes: checked before the work, written whole, accounted for when stopped."""

    def __init__(
        self, *wanted: tuple[Path | None, Kind], inputs: Sequence[Path] = (), force: bool = False
    ) -> None:
        self._written: list[Path] = []
        self._force = force
        check_outputs([(path, kind) for path, kind in wanted if path is not None], inputs, force)

    def write(self, path: Path | None, content: Callable[[], str | bytes]) -> None:
        """Write the content to a file, if there is one to write."""
        if path is not None:
            write_whole(path, content(), force=self._force)
            self._written.append(path)

    def __enter__(self) -> Self:
        interrupt.raise_it()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, KeyboardInterrupt):
            kept = ", ".join(map(str, self._written))
            said = f"{kept} had been written and is whole" if kept else "nothing was written"
            typer.echo(f"fisherset: interrupted; {said}.", err=True)
            raise typer.Exit(interrupt.INTERRUPTED) from None


def files_read(file: Path, groups: str | None) -> list[Path]:
    """The files a command reads, which it must not write: the table, and the groups where a file has them."""
    return [file] if groups in (None, PREFIX) else [file, Path(str(groups))]


def table_in(
    file: Path,
    target: str | None,
    drop: list[str] | None,
    impute: Impute | None,
    quiet: bool,
    task: Task = Task.classification,
    split_texts: bool = True,
    *,
    elsewhere: bool = False,
) -> LabelledTable:
    """The labelled table the options of a command name; it may stay `elsewhere` if it is large."""
    from fisherset.tables import open_table, read_table
    from fisherset.tables.labels import are_continuous

    filled = None if impute is None else impute.value
    read = open_table if elsewhere else read_table
    with ProgressBars(quiet, f"reading {file.name}"):
        table = read(file, target, drop=drop or (), impute=filled, task=task.value, split=split_texts)
    if task is Task.classification and table.y is not None and are_continuous(table.y):
        raise ValueError(
            f"The target {table.target!r} of {file.name} holds continuous values, or a number for each row, "
            f"no class labels. `select` and `certify` explain numbers with --task regression; else bin them."
        )
    return table


def printable(name: str) -> str:
    """A name from a file as a terminal may show it: no control characters."""
    return "".join(sign if sign.isprintable() else "�" for sign in name)


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
