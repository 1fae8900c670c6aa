"""Every option that more than one command has, declared once, and the values that options stand for."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from fisherset._files import ARROW, TEXT
from fisherset.cli import terminal

# Values of options.
Task = StrEnum("Task", ["classification", "regression"])
Impute = StrEnum("Impute", ["median", "indicator"])
ClassWeight = StrEnum("ClassWeight", ["balanced", "sqrt"])
Format = StrEnum("Format", ["table", "names", "csv", "tsv", "json"])
PREFIX = "prefix"  # for --groups, in place of a file

SEPARATORS = {"tab": "\t", r"\t": "\t", "space": " "}  # separators by the names a shell lets people type
FIRST_LINE = 2**22  # bytes within which the header of a text file must end to be read in advance


def flatten_options(command: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command: each parameter that is a dataclass becomes options, one for each field."""
    hints = get_type_hints(command, include_extras=True)
    records: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    parameters: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        if name in records:
            types, own = get_type_hints(records[name], include_extras=True), signature(records[name])
            parameters += [
                Parameter(field, Parameter.KEYWORD_ONLY, default=given.default, annotation=types[field])
                for field, given in own.parameters.items()
            ]
        else:
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[name]))
    flat = Signature(parameters)

    @wraps(command)
    def called(**given: Any) -> None:
        bound = flat.bind(**given)
        bound.apply_defaults()
        values = bound.arguments
        for name, kind in records.items():
            values[name] = kind(**{field.name: values.pop(field.name) for field in fields(kind)})
        command(**values)

    called.__signature__ = flat  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return called


def headers_of(path: Path, separator: str | None = None) -> list[list[str]]:
    """Return the column names of a file, in each way its header can be split; none where that is unknown.

    Only the first line, or the schema, is read, and nothing that computes is loaded: the names are for
    whoever is typing one, or has mistyped it.
    """
    try:
        return [names for names in _headers(path, separator) if names is not None]
    except Exception:  # of any kind: reading the table will say what is wrong with the file
        return []


def _headers(path: Path, separator: str | None) -> list[list[str] | None]:
    suffix = path.suffix.lower()
    if suffix in TEXT:
        with path.open("rb") as file:
            line = file.readline(FIRST_LINE)
        return [_split_header(line, character) for character in ([separator] if separator else ",;\t|")]
    if suffix == ".parquet":
        from pyarrow import parquet

        return [[str(name) for name in parquet.read_schema(str(path)).names]]
    if suffix in ARROW:
        import pyarrow as pa

        with pa.memory_map(str(path)) as source:
            return [[str(name) for name in pa.ipc.open_file(source).schema.names]]
    return []


def _split_header(line: bytes, separator: str) -> list[str] | None:
    """Split the first line of a text file; None unless it is a whole header of several columns."""
    if not line.endswith((b"\n", b"\r")) or line.count(b'"') % 2:
        return None
    try:
        text = line.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError:
        return None
    if text.startswith(("#", "!", "sep=")) or "\0" in text:  # a comment, GEO or a hint for spreadsheets
        return None
    character = SEPARATORS.get(separator, separator)
    cells = next(csv.reader(io.StringIO(text), delimiter=character), []) if len(character) == 1 else []
    return cells if len(cells) > 1 else None


def complete(ctx: Any, incomplete: str) -> list[str]:
    """Complete the name of a column of the file that precedes it on the command line."""
    named = [ctx.params.get("file"), *ctx.args]  # after an option without its value nothing is told apart
    file = next((Path(name) for name in named if name is not None and Path(name).is_file()), None)
    readings = [] if file is None else headers_of(file, ctx.params.get("sep"))
    names = max(readings, key=len, default=[])
    return [name for name in names if name.startswith(incomplete) and name.isprintable()]


def layout_option(flag: str, text: str, **more: Any) -> Any:
    """Declare an option on the layout of a file; what is not given is recognised."""
    return typer.Option(flag, rich_help_panel="How the file is laid out", help=text, **more)


def column_option(*flags: str, text: str) -> Any:
    """Declare an option that names columns, which a shell can complete."""
    return typer.Option(*flags, autocompletion=complete, help=text)


FORMATS = (
    "CSV, TSV or other text, Parquet, Feather/Arrow, .npz, .svmlight, .h5ad, a GEO series matrix; packed by "
    "gzip, zstd, bzip2 or xz or not; - for the standard input."
)
IN_BATCHES = " A folder or pattern of such files is read by batches. Or a summary."
Table = Annotated[Path, typer.Argument(metavar="FILE", help=FORMATS)]
AnyTable = Annotated[Path, typer.Argument(metavar="FILE", help=FORMATS + IN_BATCHES)]
TaskOption = Annotated[Task, typer.Option("--task", help="Tell classes apart, or explain a number.")]
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
        callback=terminal.silence_notes,
        help="Print nothing but errors, and what --format or --json asks for.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]


@dataclass(frozen=True)
class Restrictions:
    """Options on the sets that may be selected, and on the criterion."""

    task: TaskOption = Task.classification
    keep: Annotated[
        list[str] | None,
        column_option("--keep", text="Columns, or groups, that must be chosen: a,b or again and again."),
    ] = None
    exclude: Annotated[
        list[str] | None,
        column_option("--exclude", text="Columns, or groups, that must not be chosen, as --keep."),
    ] = None
    adjust_for: Annotated[
        list[str] | None,
        column_option(
            "--adjust-for",
            text="Columns, or groups, for whose linear effect the others and the target are adjusted.",
        ),
    ] = None
    groups: Annotated[
        str | None,
        typer.Option(
            "--groups",
            metavar="FILE|prefix",
            help="Columns to choose together: JSON, groups with lists of columns, or CSV rows column,group; "
            "or prefix, for names such as group_rest.",
        ),
    ] = None
    split_texts: Annotated[
        bool,
        typer.Option(
            "--split-texts", help="Choose the values of a column of texts one by one, as column=value."
        ),
    ] = False
    class_weight: Annotated[
        ClassWeight | None,
        typer.Option("--class-weight", help="Let all classes count alike, or by the root of their size."),
    ] = None
    max_memory: MaxMemory = None

    @property
    def inputs(self) -> list[Path]:
        """The file of groups, which must not be written."""
        return [] if self.groups in (None, PREFIX) else [Path(str(self.groups))]


def parse_limits(
    time_limit: float | None, max_nodes: int | None = None, *, lacking: str | None = None
) -> dict[str, Any]:
    """Return --time-limit and --max-nodes as parameters; the latter is refused where an option is lacking."""
    if time_limit is not None and not time_limit > 0:
        raise ValueError(f"--time-limit must be greater than 0; got {time_limit:g}.")
    if max_nodes is not None and max_nodes < 1:
        raise ValueError(f"--max-nodes must be at least 1; got {max_nodes}.")
    if max_nodes is not None and lacking is not None:
        raise ValueError(f"--max-nodes must go with {lacking}; nothing else has nodes.")
    given = {"time_limit": time_limit, "max_nodes": max_nodes}
    return {name: value for name, value in given.items() if value is not None}


def parse_sizes(text: str) -> list[int]:
    """Parse several sizes of -k, with commas; they are returned in rising order."""
    try:
        sizes = sorted({int(part) for part in text.split(",")})
    except ValueError:
        raise ValueError(f"-k must be whole numbers with commas, such as 5,10,20; got {text!r}.") from None
    if sizes[0] < 1:
        raise ValueError(f"-k must be whole numbers of at least 1; got {text!r}.")
    return sizes


def parse_size(text: str, other: str = "") -> int:
    """Parse one size of -k; an error names the `other` values it may have."""
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"-k must be a whole number, at least 1{other}; got {text!r}.")
    return int(text)


def parse_gamma(text: str, *, fixed: bool = False) -> float | str:
    """Parse --gamma; where it is `fixed` it cannot be cross-validated."""
    if fixed and text == "auto":
        raise ValueError("--gamma must be \"scale\" or a positive number here; got 'auto'.")
    if text in ("scale", "auto"):
        return text
    try:
        return float(text)
    except ValueError:
        raise ValueError(f'--gamma must be "scale", "auto" or a positive number; got {text!r}.') from None
