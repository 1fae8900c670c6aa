"""The table a command reads: which file, how it stands there, and what of it is used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fisherset._format import near
from fisherset.cli import notes, options
from fisherset.cli.bundles import Restrictions
from fisherset.cli.columns import SAID_SIGNS, headers_of
from fisherset.cli.options import Task
from fisherset.cli.progress import ProgressBars

if TYPE_CHECKING:
    from fisherset.tables import LabelledTable
    from fisherset.tables.layout import Layout

STANDARD_INPUT = Path("-")
MAGIC = "*?["


@dataclass(frozen=True)
class Source:
    """A table in a file, and how it stands there."""

    file: options.Data
    sep: options.Separator = None
    decimal: options.Decimal = None
    encoding: options.Encoding = None
    na: options.Missing = None
    transpose: options.Transpose = False
    identifier: options.Identifier = None
    labels: options.LabelFile = None
    on: options.On = None

    @property
    def inputs(self) -> list[Path]:
        """The files that are read, which must not be written."""
        return [path for path in (self.file, self.labels) if path is not None and path != STANDARD_INPUT]

    def check(self) -> None:
        """Refuse what can be refused before anything that computes is loaded."""
        if self.sep is not None and len(self.sep) != 1 and self.sep not in SAID_SIGNS:
            raise ValueError(f"--sep must be one sign, tab or space; got {self.sep!r}.")
        if self.decimal not in (None, ".", ","):
            raise ValueError(f"--decimal must be . or ,; got {self.decimal!r}.")
        if self.on is not None and self.labels is None:
            raise ValueError("--on must go with --labels, the file that has the target.")
        for path in self.inputs:
            pattern = any(sign in str(path) for sign in MAGIC) or "://" in str(path)
            if not path.exists() and not pattern:
                raise FileNotFoundError(f"There is no file {str(path)!r}.")

    @contextmanager
    def opened(self) -> Iterator[Path]:
        """The file, or what comes from the standard input as one, for as long as the table is used."""
        if self.file != STANDARD_INPUT:
            yield self.file
            return
        from fisherset.tables.text.decoding import spooled

        with spooled() as path:
            yield path

    @property
    def layout(self) -> Layout:
        """How the table stands in the file, as far as it was said."""
        from fisherset.tables.layout import Layout

        return Layout(
            self.sep,
            self.decimal,
            self.encoding,
            tuple(self.na or ()),
            self.transpose,
            self.identifier,
            self.labels,
            self.on,
        )


@dataclass(frozen=True)
class LabelledSource(Source):
    """A table with its target."""

    target: options.Target = None
    drop: options.Drop = None
    impute: options.Imputed = None

    def check(self) -> None:
        """Refuse, too, a target that the first line of a file does not have."""
        super().check()
        if self.target is None or not self.layout_is_plain or self.file == STANDARD_INPUT:
            return
        readings = headers_of(self.file, self.sep)
        if readings and not any(self.target in names or "" in names for names in readings):
            longest = max(readings, key=len)
            raise ValueError(f"{self.file.name} has no column {self.target!r}.{near(self.target, longest)}")

    def as_read(self, restrictions: Restrictions) -> dict[str, Any] | None:
        """What `read_table` was given, where Python lines can say it in a line."""
        from fisherset.tables.layout import PLAIN

        if self.file == STANDARD_INPUT or self.layout != PLAIN:
            return None
        filled = None if self.impute is None else self.impute.value
        task = {} if restrictions.task is Task.classification else {"task": restrictions.task.value}
        return {"drop": self.drop, "impute": filled, "split": restrictions.split_texts, **task}

    @property
    def layout_is_plain(self) -> bool:
        """Whether the first line of a text has the names of columns, the target's among them."""
        return not (self.transpose or self.labels or self.encoding)

    def table(
        self,
        path: Path,
        quiet: bool,
        task: Task = Task.classification,
        split_texts: bool = True,
        *,
        elsewhere: bool = False,
    ) -> LabelledTable:
        """The labelled table that `opened` gave the path of; it may stay `elsewhere` if it is large."""
        from fisherset.tables import open_table, read_table
        from fisherset.tables.columns.labels import are_continuous

        filled = None if self.impute is None else self.impute.value
        read = open_table if elsewhere else read_table
        with ProgressBars(quiet, f"reading {path.name}"):
            more: dict[str, Any] = {
                "impute": filled,
                "task": task.value,
                "split": split_texts,
                "layout": self.layout,
            }
            table = read(path, self.target, drop=self.drop or (), **more)
        notes.about(path.name)
        if task is Task.classification and table.y is not None and are_continuous(table.y):
            raise ValueError(
                f"The target {table.target!r} of {path.name} holds continuous values, or a number for each "
                f"row, no class labels. `select` and `certify` explain numbers with --task regression; else "
                f"bin them."
            )
        return table


@dataclass(frozen=True)
class WholeSource(LabelledSource):
    """A table with its target that has to find room in memory."""

    file: options.File
