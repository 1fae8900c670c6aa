"""Every option that more than one command has, declared once, and the values that options stand for."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, cleandoc, signature
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

import typer

from fisherset._files import ARROW, TEXT
from fisherset._memory import LEAST_MEMORY, parse_bytes
from fisherset._names import FILE
from fisherset.cli import terminal
from fisherset.cli.values import converted, described, plain_kind

# Values of options.
Task = Literal["classification", "regression"]
Solver = Literal["joint", "exact", "cutting-plane"]
Impute = Literal["median", "indicator"]
ClassWeight = Literal["balanced", "sqrt"]
Format = Literal["table", "names", "csv", "tsv", "json"]
PREFIX = "prefix"  # for --groups, in place of a file
SEPARATORS = {"tab": "\t", r"\t": "\t", "space": " "}  # separators by the names a shell lets people type


REQUIRED = MISSING  # in place of a default


def option(default: Any, text: str, *flags: str, least: int | None = None, **more: Any) -> Any:
    """Declare an option, as the default of a parameter of a command or of a field of a record of options."""
    declared = typer.Option(*flags, help=text, **more)
    return field(default=default, metadata={"declared": declared, "flags": flags, "least": least})


def argument(metavar: str, text: str) -> Any:
    """Declare an argument of a command."""
    return field(metadata={"declared": typer.Argument(metavar=metavar, help=text)})


def layout_option(default: Any, text: str, flag: str, **more: Any) -> Any:
    """Declare an option on the layout of a file; a layout that is not given is recognised."""
    return option(default, text, flag, rich_help_panel="Layout of the file", **more)


def columns_option(text: str, *flags: str, metavar: str = "COLUMNS") -> Any:
    """Declare an option that names columns, which a shell can complete."""
    return option(None, text, *flags, autocompletion=complete, metavar=metavar)


def files_in(*options: list[str] | None) -> list[Path]:
    """Return the files of names, as @names.txt, among the values of options that name columns."""
    values = [value for some in options for value in some or () if value.startswith(FILE)]
    return [path for path in map(Path, (value[1:] for value in values)) if path.is_file()]


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Make a command: a parameter is an option, or a record (a dataclass) with an option for each field."""
    hints = get_type_hints(function)
    records: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    declared: dict[str, tuple[Any, Any]] = {}  # the type of each option, and its declaration
    for name, parameter in signature(function).parameters.items():
        if name in records:
            types = get_type_hints(records[name])
            declared |= {own.name: (types[own.name], own) for own in fields(records[name])}
        else:
            declared[name] = hints[name], parameter.default
    parameters = [_parameter(name, *own) for name, own in declared.items()]
    flat = Signature(parameters)

    @wraps(function)
    def called(**given: Any) -> None:
        bound = flat.bind(**given)
        bound.apply_defaults()
        values = {name: _value(name, value, *declared[name]) for name, value in bound.arguments.items()}
        for name, kind in records.items():
            values[name] = kind(**{own.name: values.pop(own.name) for own in fields(kind)})
        function(**values)

    called.__doc__ = _help_text(function.__doc__ or "")
    called.__signature__ = flat  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return called


def _help_text(doc: str) -> str:
    """Return the docstring of a command for a terminal of any width: a line for each paragraph."""
    paragraphs = cleandoc(doc).replace("Examples\n--------\n", "Examples:\n\n").split("\n\n")
    return "\n\n".join(one if one.startswith(" ") else " ".join(one.splitlines()) for one in paragraphs)


def _parameter(name: str, kind: Any, declared: Any) -> Parameter:
    """Return a parameter as typer reads it."""
    default = Parameter.empty if declared.default is MISSING else declared.default
    plain: Any = plain_kind(kind)
    annotation = Annotated[plain, described(declared.metadata["declared"], kind)]
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _value(name: str, value: Any, kind: Any, declared: Any) -> Any:
    """Return the value of an option in its type."""
    return converted(value, kind, _flag(name, declared), declared.metadata.get("least"))


def _flag(name: str, declared: Any) -> str:
    """Return an option as it is given on the command line."""
    flags = declared.metadata.get("flags") or [f"--{name.replace('_', '-')}"]
    return str(flags[0])


def as_arguments(record: Any, *left_out: str) -> list[str]:
    """Return the options of a record as they are given on the command line, without the defaults."""
    words: list[str] = []
    for own in fields(record):
        value = getattr(record, own.name)
        if own.name in left_out or "flags" not in own.metadata or value in (own.default, None, []):
            continue
        flag = _flag(own.name, own)
        if isinstance(value, bool):  # of "--a/--b" the second is for False
            words.append(flag.split("/")[0 if value else -1])
        else:
            words += [f"{flag}={one}" for one in (value if isinstance(value, list) else [value])]
    return words


def complete(ctx: Any, incomplete: str) -> list[str]:
    """Complete the name of a column of the file that precedes it on the command line."""
    named = [ctx.params.get("file"), *ctx.args]  # after an option without its value nothing is told apart
    file = next((Path(name) for name in named if name is not None and Path(name).is_file()), None)
    try:
        names = [] if file is None else _header(file, ctx.params.get("sep"))
    except Exception:  # of any kind: reading the table will say what is wrong with the file
        names = []
    return [name for name in names if name.startswith(incomplete) and name.isprintable()]


def _header(path: Path, separator: str | None) -> list[str]:
    """Return the column names of a file, from its schema or first line alone."""
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        from pyarrow import parquet

        return [str(name) for name in parquet.read_schema(str(path)).names]
    if suffix in ARROW:
        import pyarrow as pa

        with pa.memory_map(str(path)) as source:
            return [str(name) for name in pa.ipc.open_file(source).schema.names]
    if suffix not in TEXT:
        return []
    with path.open("rb") as file:
        line = file.readline(2**22).decode("utf-8-sig").rstrip("\r\n")  # bytes: no header is as long
    separators = ",;\t|" if separator is None else [SEPARATORS.get(separator, separator)]
    return max((next(csv.reader([line], delimiter=one)) for one in separators), key=len)


FORMATS = (
    "A table: CSV, TSV or other text, Excel (.xlsx, .xls, .ods), JSON, Parquet, Feather/Arrow, .npz, "
    ".svmlight, .h5ad, GEO series matrix; compressed text, or one table in a .zip. - reads standard input."
)
TASK = option(
    None, "classification or regression. Default: by the values of the target.", "--task", metavar="TASK"
)
GAMMA = option(
    "scale",
    "Ridge term: scale (from the data), auto (cross-validated) or a number.",
    "--gamma",
    metavar="VALUE",
)
REPORT = option(None, "Write an HTML report.", "--report", metavar="FILE")
FORCE = option(False, "Overwrite any file; else only reports and selections of fisherset.", "--force")
SAFE = option(
    False, "In .csv and .tsv, quote cells that a spreadsheet would run as formulas.", "--spreadsheet-safe"
)


def check_memory(text: str | None) -> str | None:
    """Return the value of --max-memory, refused where it is no size."""
    size = None if text is None else parse_bytes(text)
    if text is not None and (size is None or size < LEAST_MEMORY):
        raise ValueError(f"--max-memory takes 1 MB or more, such as 2GB, 500MB or 1e9 bytes; got {text!r}.")
    return text


MAX_MEMORY = option(
    None,
    "Memory limit for the computation, without the table: 2GB, 500MB, 2GiB or 1e9.",
    "--max-memory",
    metavar="SIZE",
    callback=check_memory,
)
USE_ROW_NUMBERS = columns_option("Columns to use although they only number the rows.", "--keep")
TIME_LIMIT = option(None, "Stop the search after this many seconds.", "--time-limit", metavar="SECONDS")
MAX_NODES = option(None, "Stop exact search after this many nodes.", "--max-nodes")
SILENT = "Print only errors, and the output of --format or --json."
QUIET = option(False, SILENT, "--quiet", "-q", is_eager=True, callback=terminal.silence_notes)
AS_JSON = option(False, "Print JSON.", "--json")
SEED = option(0, "Random seed of the splits.", "--seed", least=0)


@dataclass(frozen=True)
class Restrictions:
    """Options on the sets that may be selected, and on the criterion."""

    task: Task | None = TASK
    keep: list[str] | None = columns_option(
        "Columns or groups that must be selected, given as for --drop.", "--keep"
    )
    exclude: list[str] | None = columns_option(
        "Columns or groups that must not be selected, given as for --drop.", "--exclude"
    )
    adjust_for: list[str] | None = columns_option(
        "Confounders: columns or groups whose linear effect is removed from all others and the target.",
        "--adjust-for",
    )
    groups: str | None = option(
        None,
        'Columns to select together: a JSON file {"group": ["column", ...]}, a CSV file of rows '
        "column,group, or prefix for names such as group_rest.",
        "--groups",
        metavar="FILE",
    )
    split_texts: bool = option(
        False, "Select the values of a text column one by one, as column=value.", "--split-texts"
    )
    class_weight: ClassWeight | None = option(
        None,
        "balanced: all classes count the same; sqrt: by the root of their size.",
        "--class-weight",
        metavar="METHOD",
    )
    max_memory: str | None = MAX_MEMORY

    @property
    def inputs(self) -> list[Path]:
        """The files of groups and names, which must not be written."""
        groups = [] if self.groups in (None, PREFIX) else [Path(str(self.groups))]
        return [*groups, *files_in(self.keep, self.exclude, self.adjust_for)]

    @property
    def named(self) -> list[str]:
        """Names of columns, as they were given."""
        return [*(self.keep or ()), *(self.exclude or ()), *(self.adjust_for or ())]


def parse_limits(
    time_limit: float | None, max_nodes: int | None = None, *, lacking: str | None = None
) -> dict[str, Any]:
    """Return --time-limit and --max-nodes as parameters; the latter is refused where an option is lacking."""
    if time_limit is not None and not time_limit > 0:
        raise ValueError(f"--time-limit must be greater than 0; got {time_limit:g}.")
    if max_nodes is not None and max_nodes < 1:
        raise ValueError(f"--max-nodes must be at least 1; got {max_nodes}.")
    if max_nodes is not None and lacking is not None:
        raise ValueError(f"--max-nodes needs {lacking}.")
    given = {"time_limit": time_limit, "max_nodes": max_nodes}
    return {name: value for name, value in given.items() if value is not None}


def parse_sizes(text: str) -> list[int]:
    """Parse several sizes of -k, with commas; they are returned in rising order."""
    try:
        sizes = sorted({int(part) for part in text.split(",")})
    except ValueError:
        raise ValueError(f"-k takes numbers, comma-separated (5,10,20); got {text!r}.") from None
    if sizes[0] < 1:
        raise ValueError(f"-k must be at least 1; got {text!r}.")
    return sizes


def parse_size(text: str, other: str = "") -> int:
    """Parse one size of -k; an error names the `other` values it may have."""
    if text.removeprefix("-").isdecimal() and int(text) < 1:
        raise ValueError(f"-k must be at least 1; got {text}.")
    if not text.isdecimal():
        raise ValueError(f"-k takes a number (10){other}; got {text!r}.")
    return int(text)


def parse_gamma(text: str, *, fixed: bool = False) -> float | str:
    """Parse --gamma; where it is `fixed` it cannot be cross-validated."""
    if fixed and text == "auto":
        raise ValueError("--gamma takes scale or a positive number here; got 'auto'.")
    if text in ("scale", "auto"):
        return text
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        words = "scale" if fixed else "scale, auto"
        raise ValueError(f"--gamma takes {words} or a positive number; got {text!r}.")
    return value
