"""Every option that more than one command has, once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from fisherset.cli import notes
from fisherset.cli.columns import complete


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


class Format(StrEnum):
    """How an answer is printed."""

    table = "table"
    names = "names"
    csv = "csv"
    tsv = "tsv"
    json = "json"


PREFIX = "prefix"  # for --groups, in place of a file
FORMATS = "CSV, TSV or other text, Parquet, Feather/Arrow, .npz, .svmlight, .h5ad, a GEO series matrix"
ANY_WAY = "packed by gzip, zstd, bzip2 or xz or not; - for the standard input"
File = Annotated[Path, typer.Argument(metavar="FILE", help=f"{FORMATS}; {ANY_WAY}.")]
Data = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help=f"{FORMATS}; {ANY_WAY}. A folder or pattern of such files is read by batches. Or a summary.",
    ),
]
LAYOUT = "How the file is laid out"  # what nobody says of it is recognised
Separator = Annotated[
    str | None,
    typer.Option(
        "--sep", rich_help_panel=LAYOUT, help="What stands between cells of a text: a sign, tab or space."
    ),
]
Decimal = Annotated[
    str | None, typer.Option("--decimal", rich_help_panel=LAYOUT, help="What stands before decimals: . or ,")
]
Encoding = Annotated[
    str | None, typer.Option("--encoding", rich_help_panel=LAYOUT, help="Of a text, such as latin-1.")
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--na",
        rich_help_panel=LAYOUT,
        help="A cell that stands for a missing value, such as ?; may be given again.",
    ),
]
Transpose = Annotated[
    bool, typer.Option("--transpose", rich_help_panel=LAYOUT, help="Features are rows, samples columns.")
]
Identifier = Annotated[
    str | None,
    typer.Option(
        "--id",
        rich_help_panel=LAYOUT,
        autocompletion=complete,
        help="The column that names the rows: no feature, and kept in what is written.",
    ),
]
LabelFile = Annotated[
    Path | None,
    typer.Option("--labels", rich_help_panel=LAYOUT, help="Another table, in which the target is."),
]
On = Annotated[
    str | None,
    typer.Option(
        "--on",
        rich_help_panel=LAYOUT,
        autocompletion=complete,
        help="The column of both tables that says which rows belong together. Default: what names the rows.",
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        autocompletion=complete,
        help="The column of class labels, or numbers. Not needed for .npz, .svmlight.",
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option("--drop", autocompletion=complete, help="Columns to leave out: a,b or again and again."),
]
Imputed = Annotated[
    Impute | None,
    typer.Option(
        help="Missing values: the median (of texts the commonest), or besides a column marking them."
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        autocompletion=complete,
        help="Columns, or groups, that must be chosen: a,b or again and again.",
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude", autocompletion=complete, help="Columns, or groups, that must not be chosen, as --keep."
    ),
]
AdjustFor = Annotated[
    list[str] | None,
    typer.Option(
        "--adjust-for",
        autocompletion=complete,
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
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        is_eager=True,
        callback=notes.hush,
        help="Print nothing but errors, and what --format or --json asks for.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
Printed = Annotated[
    Format,
    typer.Option(
        "--format", help="What is printed: a table to read, names a line each, csv, tsv or json (--json)."
    ),
]
