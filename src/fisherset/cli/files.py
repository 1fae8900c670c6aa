"""The files of a command: options that describe the table it reads, and checks of what it writes."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import typer

from fisherset._files import WRITTEN, is_protected, write_whole
from fisherset._kinds import address_of, check_installed, kind_of
from fisherset.cli import INTERRUPTED, is_interrupt, raise_on_interrupt
from fisherset.cli.options import (
    FORMATS,
    SEPARATORS,
    Impute,
    Restrictions,
    Task,
    argument,
    columns_option,
    complete,
    files_in,
    layout_option,
    option,
)
from fisherset.cli.terminal import ProgressBars, Screen, note_about

if TYPE_CHECKING:
    from fisherset.tables import LabelledTable, Layout

STANDARD_INPUT = STANDARD_OUTPUT = Path("-")
FOLDERS = "Also a folder or pattern ('rows/*.csv') of text, Parquet or Arrow files, read in batches."
WITHOUT_ARROW = (".npz", ".h5ad", ".svmlight")  # files that other libraries read


@dataclass(frozen=True)
class TableFile:
    """Options of a table in a file, and of its layout."""

    file: Path = argument("FILE", FORMATS)
    sep: str | None = layout_option(None, "Column separator: a character, tab or space.", "--sep")
    decimal: str | None = layout_option(None, "Decimal separator: . or ,", "--decimal")
    encoding: str | None = layout_option(None, "Character encoding, such as latin-1.", "--encoding")
    na: list[str] | None = layout_option(
        None, "A string that means a missing value, such as ?; repeatable.", "--na", metavar="TEXT"
    )
    transpose: bool = layout_option(False, "Rows are features and columns are samples.", "--transpose")
    identifier: str | None = layout_option(
        None,
        "Column of sample names: not a feature, copied to written tables.",
        "--id",
        autocompletion=complete,
        metavar="COLUMN",
    )
    labels: Path | None = layout_option(None, "A second table that holds the target.", "--labels")
    on: str | None = layout_option(
        None,
        "Column that matches the rows of both tables. Default: the sample names.",
        "--on",
        autocompletion=complete,
        metavar="COLUMN",
    )
    sheet: str | None = layout_option(
        None, "The sheet of an Excel or OpenDocument file. Default: the first.", "--sheet", metavar="NAME"
    )
    no_header: bool = layout_option(
        False,
        "The first line is data: columns are called column1, column2, ...; -t 5 is column5, -t -1 the last.",
        "--no-header",
    )

    drop_unlabelled: bool = layout_option(False, "Ignore rows whose target is missing.", "--drop-unlabelled")

    @property
    def inputs(self) -> list[Path]:
        """The files that are read, which must not be written."""
        return [path for path in (self.file, self.labels) if path is not None and path != STANDARD_INPUT]

    def check(self) -> None:
        """Refuse what can be refused before anything that computes is loaded."""
        if self.sep is not None and len(self.sep) != 1 and self.sep not in SEPARATORS:
            raise ValueError(f"--sep must be one character, tab or space; got {self.sep!r}.")
        if self.decimal not in (None, ".", ","):
            raise ValueError(f"--decimal must be . or ,; got {self.decimal!r}.")
        if self.on is not None and self.labels is None:
            raise ValueError("--on needs --labels, the file with the target.")
        for path in self.inputs:
            if (address := address_of(path)) is not None:
                raise ValueError(_download(address, path == self.file))
            if not path.exists() and not any(character in str(path) for character in "*?["):
                raise FileNotFoundError(f"File not found: {str(path)!r}.")
            if path.is_file() and path.stat().st_size:
                check_installed(kind_of(path))

    @property
    def piped(self) -> bool:
        """Whether the table comes through a pipe: the standard input, a FIFO, or <(command)."""
        return self.file == STANDARD_INPUT or self.file.is_fifo() or self.file.is_socket()

    @contextmanager
    def opened(self) -> Iterator[Path]:
        """The file, or a copy of what comes through a pipe, for as long as the table is used."""
        if not self.piped:
            yield self.file
            return
        from fisherset.tables import spooled

        with spooled(None if self.file == STANDARD_INPUT else self.file) as path:
            yield path

    @property
    def layout(self) -> Layout:
        """The layout of the table, as far as it was given."""
        from fisherset.tables import Layout

        how = self.sep, self.decimal, self.encoding, tuple(self.na or ()), self.transpose
        where = self.identifier, self.labels, self.on, self.sheet
        return Layout(*how, *where, header=not self.no_header, drop_unlabelled=self.drop_unlabelled)


@dataclass(frozen=True)
class LabelledFile(TableFile):
    """Options of a table with its target."""

    in_memory: ClassVar[bool] = False  # whether it is read whole, however large
    file: Path = argument("FILE", f"{FORMATS} {FOLDERS} Or a summary (`summarize`).")
    target: str | None = columns_option(
        "Target column: class labels or numbers. Not needed for .npz, .svmlight and summaries.",
        "--target",
        "-t",
        metavar="COLUMN",
    )
    drop: list[str] | None = columns_option(
        "Columns to ignore, comma-separated: names, patterns such as 'MT-*', or @FILE with a name per line; "
        "repeatable.",
        "--drop",
    )
    impute: Impute | None = option(
        None,
        "Fill missing values: median (text: the most frequent value); or indicator, which also adds a "
        "column that marks them.",
        metavar="METHOD",
    )

    @property
    def inputs(self) -> list[Path]:
        """The files that are read, which must not be written."""
        return [*super().inputs, *files_in(self.drop)]

    def read_options(self, restrictions: Restrictions) -> dict[str, Any]:
        """Return the arguments of `read_table` and `open_table` for the same table."""
        task = restrictions.task
        given = {"drop": self.drop, "impute": self.impute, "split": restrictions.split_texts, "task": task}
        return {**given, "layout": self.layout}

    def table(
        self,
        path: Path,
        quiet: bool,
        task: Task | None = None,
        split_texts: bool = True,
        digest: bool = False,
        named: Sequence[str] = (),
    ) -> LabelledTable:
        """Open the table at the path that `opened` gave, with the digest of the file if a page shows it.

        Columns that only number the rows are left out, unless they are `named`.
        """
        _load_arrow(path)
        from fisherset.tables import open_table, read_table
        from fisherset.tables.columns.labels import are_continuous
        from fisherset.tables.row_numbers import without_row_numbers

        given = {"task": task, "split": split_texts, "impute": self.impute, "layout": self.layout}
        given |= {} if self.in_memory else {"digest": digest}
        with ProgressBars(quiet, f"reading {path.name}"):
            function: Any = read_table if self.in_memory else open_table

            def opened(drop: Sequence[str]) -> LabelledTable:
                return function(path, self._target_of(path), drop=drop, **given)

            table = without_row_numbers(opened(self.drop or ()), named, opened)
        note_about(path.name)
        if table.task == "classification" and table.y is not None and are_continuous(table.y):
            raise ValueError(
                f"The target {table.target!r} holds continuous values, or a number for each row: no "
                f"classes. Add --task regression, or bin them."
            )
        return table

    def _target_of(self, path: Path) -> str | None:
        """Return the name of the target; a number is a place where columns have no names of their own."""
        target = self.target
        if target is None or not self.no_header or not re.fullmatch(r"-?[1-9]\d{0,8}", target):
            return target
        if int(target) > 0:
            return f"column{target}"
        from fisherset.tables import columns_in

        names = columns_in(str(path), replace(self.layout, labels=None, transpose=False))
        if -int(target) > len(names):
            raise ValueError(f"{path.name} has {len(names)} columns; got --target {target}.")
        return names[int(target)]


def _download(address: str, is_table: bool) -> str:
    """Return a sentence with the command that works for a table on the web."""
    scheme, quoted = address.partition(":")[0].lower(), shlex.quote(address)
    place = "-" if is_table else "."
    copy = {"s3": f"aws s3 cp {quoted} {place}", "gs": f"gcloud storage cp {quoted} {place}"}.get(
        scheme, f"curl -L{'' if is_table else 'O'} {quoted}"
    )
    rest = ["-" if address_of(argument) == address else argument for argument in sys.argv[1:]]
    command = f"{copy} | fisherset {shlex.join(rest)}" if is_table else copy
    return f"Tables are read from files, not from the web. Run: {command}"


@dataclass(frozen=True)
class RowsFile(LabelledFile):
    """Options of a table with its target whose rows are needed."""

    file: Path = argument("FILE", f"{FORMATS} {FOLDERS}")


@dataclass(frozen=True)
class WholeFile(LabelledFile):
    """Options of a table with its target that is read into memory."""

    file: Path = argument("FILE", FORMATS)
    in_memory: ClassVar[bool] = True


class _NoPandas:
    """A finder of modules to which pandas is not installed."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        """Refuse pandas, and leave all else to the other finders."""
        if name == "pandas":
            raise ImportError(name)


def _load_arrow(path: Path) -> None:
    """Load pyarrow without pandas, which it would load where it can: 0.3 s, and no table here is pandas'."""
    if path.suffix.lower() in WITHOUT_ARROW or "pandas" in sys.modules:
        return
    sys.meta_path.insert(0, _NoPandas)
    try:
        import pyarrow as pa

        pa.array([])  # where it looks for pandas, once
    except Exception:  # of any kind: reading the table says what is wrong
        pass
    finally:
        sys.meta_path.remove(_NoPandas)


class Kind(NamedTuple):
    """A kind of output: its name, its suffixes, and the beginning by which files of ours are recognised."""

    name: str
    suffixes: tuple[str, ...]
    mark: re.Pattern[bytes] | None = None


SELECTION = Kind("a selection", (".json",), re.compile(rb'\s*\{\s*"format": "fisherset '))
PAGE = Kind("a page", (".html", ".htm"), re.compile(rb'[^\0]*<meta name="generator" content="fisherset'))
TABLE = Kind("a table", WRITTEN)
SUMMARY = Kind("a summary", (".npz",))


class Outputs:
    """The files a command writes: checked before the work, written whole, accounted for when interrupted."""

    def __init__(
        self, *wanted: tuple[Path | None, Kind], inputs: Sequence[Path] = (), force: bool = False
    ) -> None:
        self.written: list[Path] = []
        self._force = force
        self._wanted = [path for path, _ in wanted if path is not None]
        given = [(path, kind) for path, kind in wanted if path is not None]
        for place, (path, kind) in enumerate(given):
            others = [other for other, _ in given[:place]]
            _check_distinct(path, kind, inputs, others)
            _check_folder(path)
            if not force:
                _check_replaceable(path, kind)

    def write(self, path: Path | None, content: Callable[[], str | bytes]) -> None:
        """Write the content to a file, if there is one to write."""
        if path is not None:
            data = content()
            try:
                write_whole(path, data, force=self._force)
            except OSError as error:
                why = (error.strerror or str(error)).rstrip(".").lower()
                raise OSError(f"{path} could not be written: {why}. {self._state(path)}") from error
            self.written.append(path)

    def _state(self, failed: Path) -> str:
        """Return what was written, and what else was not."""
        rest = [path for path in self._wanted if path != failed and path not in self.written]
        states = ("Written", self.written), ("Not written", rest)
        return " ".join(f"{what}: {', '.join(map(str, some))}." for what, some in states if some) or (
            "Nothing was written."
        )

    def show(self, screen: Screen) -> None:
        """Print the names of the files that were written."""
        screen.lines(*(f"Written: {path}" for path in self.written))

    def __enter__(self) -> Self:
        raise_on_interrupt()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if is_interrupt(error):
            kept = ", ".join(map(str, self.written))
            state = f"written: {kept}" if kept else "nothing was written"
            typer.echo(f"fisherset: interrupted; {state}.", err=True)
            raise typer.Exit(INTERRUPTED) from None


def _check_distinct(path: Path, kind: Kind, inputs: Sequence[Path], others: Sequence[Path]) -> None:
    """Check the suffix, and that neither an input nor another output is the same file."""
    if not path.suffix or not path.name.lower().endswith(kind.suffixes):
        raise ValueError(f"{str(path)!r} must end in {_either(kind.suffixes)} ({kind.name}).")
    for source in inputs:
        if _is_same(path, source):
            raise ValueError(f"{str(path)!r} is the input file; write to another file.")
    for other in others:
        if _is_same(path, other):
            raise ValueError(f"{str(path)!r} and {str(other)!r} are the same file.")


def _either(suffixes: Sequence[str]) -> str:
    """Join suffixes, the first of many: ".csv, .tsv, .tab, .parquet, ..."."""
    return " or ".join(suffixes) if len(suffixes) < 5 else ", ".join([*suffixes[:6], "..."])


def _is_same(path: Path, other: Path) -> bool:
    """Whether two paths lead to one file, by whatever links."""
    if path.exists() and other.exists():
        return path.samefile(other)
    return path.resolve() == other.resolve()


def _check_folder(path: Path) -> None:
    folder = path.resolve().parent  # of the file a link leads to
    if not folder.is_dir():
        named = str(folder if path.is_symlink() else path.parent)  # as the command named it, if it did
        raise ValueError(f"{str(path)!r} cannot be written: folder not found: {named!r}.")
    if path.is_dir():
        raise ValueError(f"{str(path)!r} cannot be written: it is a folder.")
    if path.exists() and not path.is_file():
        raise ValueError(f"{str(path)!r} cannot be written: it is not a regular file.")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"{str(path)!r} cannot be written: permission denied.")


def _check_replaceable(path: Path, kind: Kind) -> None:
    """Refuse to replace a file that is protected or that fisherset did not write."""
    if not path.exists():
        return
    if is_protected(path):
        raise ValueError(f"{str(path)!r} is write-protected; add --force to replace it.")
    with path.open("rb") as file:
        head = file.read(2000)  # bytes: the marks are within the first few hundred
    if head and not (kind.mark and kind.mark.match(head)):
        foreign = " and was not written by fisherset" if kind.mark else ""
        raise ValueError(f"{str(path)!r} exists{foreign}; add --force to replace it.")
