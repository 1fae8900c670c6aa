"""Files read whole: named columns in memory, or a matrix with annotations of its rows."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._format import near, shown
from fisherset._kinds import MATRICES, SHEETS
from fisherset._sparse import sparse
from fisherset.tables.columns.encoding import ColumnContent, Encoder, features_from, numbers_of
from fisherset.tables.columns.features import Feature
from fisherset.tables.columns.identifiers import (
    Identifiers,
    identifiers_of,
    kept_ids,
    keys_of,
    matched_rows,
    no_such_column,
    without_index,
)
from fisherset.tables.columns.types import (
    check_names,
    check_string_memory,
    is_string,
    kind_of,
    plain_column,
)
from fisherset.tables.columns.units import Unit
from fisherset.tables.layout import PLAIN, Layout
from fisherset.tables.matrices.files import AnnotatedMatrix, read_matrix
from fisherset.tables.memory import check_shape
from fisherset.tables.streams.readers import Reader, check_layout, readable, reader_of
from fisherset.tables.streams.sources import TableFile, check_local, table_file
from fisherset.tables.text.reader import TextReader
from fisherset.tables.text.recognition import Finding
from fisherset.tables.text.transposed import transposed


@dataclass(frozen=True)
class ColumnTable:
    """A file of named columns, collected in memory as an Arrow table."""

    path: Path
    table: Any
    ids: Identifiers | None = None  # names of the rows, where they have any
    text: TextReader | None = None  # of a file of text, finds lines
    untyped: bool = False  # whether cells have no types, as in CSV: only then strings may be numbers
    decimal: str = "."  # the decimal point of such cells

    @cached_property
    def names(self) -> list[str]:
        """Names of the columns that may become features."""
        return self.table.column_names

    @property
    def label_names(self) -> list[str]:
        """Names of the columns that may hold labels."""
        return self.names

    @property
    def n_rows(self) -> int:
        return int(self.table.num_rows)

    def values(self, name: str) -> list[Any] | None:
        """Return the values of a column; None where there is no such column."""
        return list(self.table.column(name).to_pylist()) if name in self.names else None

    def strings(self, name: str) -> list[str | None]:
        """Return the values of a column as strings, None where one is missing."""
        import pyarrow as pa

        column = self.table.column(name)
        check_string_memory(column)
        return plain_column(column).cast(pa.string()).to_pylist()

    def where(self, name: str, value: str) -> Finding:
        """Return the file, and its line, row or identifier, that first has a string in a column."""
        file = f" of {self.path.name}"
        if self.text is not None:
            return Finding(file, self.text.where(name, value), True)
        values = self.values(name) or []
        if value not in values:
            return Finding(file, "")
        row = values.index(value)
        return Finding(file, f" in row {row + 1}" if self.ids is None else f" for {self.ids.values[row]!r}")

    def without(self, name: str) -> tuple[ColumnTable, Identifiers]:
        """Return the table without a column, and this as identifiers."""
        table = self.table.select([other for other in self.names if other != name])
        return replace(self, table=table), identifiers_of(name, self.values(name) or [])

    def labels_of_rows(self, target: str, rows: list[int | None]) -> ColumnTable:
        """Return one column of some rows, missing where the row is None."""
        import pyarrow as pa

        some = self.table.select([target]).take(pa.array(rows, pa.int64()))
        return ColumnTable(self.path, some, untyped=self.untyped, decimal=self.decimal)

    def kept_rows(self, kept: NDArray[np.bool_]) -> ColumnTable:
        """Return some of the rows."""
        import pyarrow as pa

        return replace(self, table=self.table.filter(pa.array(kept)), ids=kept_ids(self.ids, kept))

    def find_target(self, target: str | None) -> str:
        """Return the name of the target, which has to be a column."""
        if target is None:
            raise ValueError("--target is missing: name the target column, as in -t label.")
        if target not in self.names:
            raise ValueError(f"{self.path.name} has no column {target!r}.{near(target, self.names)}")
        return target

    def features(self, names: Sequence[str], impute: str | None, split: bool) -> list[Feature]:
        """Return the features of some columns, of which every one is counted."""
        columns = dict(zip(self.names, self.table.columns, strict=True))
        units: dict[str, Unit | None] = {}

        def content(name: str) -> ColumnContent:
            check_string_memory(columns[name])
            held = ColumnContent(kind_of(columns[name].type))
            held.add(columns[name])
            held.settle(self.decimal)
            units[name] = held.unit
            return held

        def median(name: str) -> float:
            return float(np.nanmedian(numbers_of(columns[name], units[name])))

        return features_from(names, content, median, impute, split, where=self.where)

    def numbers(self, features: Sequence[Feature]) -> Any:
        """Return the numbers of features, which may have been made for another table."""
        encode = Encoder(features)
        if encode.sparse:
            return encode([self.table])
        check_shape("The table", self.n_rows, len(features))
        return encode(self.table.to_batches() or [self.table])  # chunks as they are, without a copy

    def lacking(self, names: Sequence[str]) -> list[str]:
        """Return the names that are no columns."""
        known = set(self.names)
        return [name for name in names if name not in known]


Content = ColumnTable | AnnotatedMatrix
Names = Collection[str]


def read_content(
    path: Path, *, strings: Names = (), columns: Names | None = None, layout: Layout = PLAIN
) -> Content:
    """Read a whole file by its suffix; an empty, damaged or unsupported one is refused with a reason.

    Columns of text that are in `strings` are strings, even if these look like numbers. Of other columns only
    those in `columns` and identifiers are read, None for all; any that do not exist are ignored. A file of
    labels is left to :func:`join_labels`.
    """
    return content_of(*opened_file(path, layout), strings, columns, layout)


def opened_file(path: Path, layout: Layout) -> tuple[TableFile, Reader | None]:
    """Return a file and its reader; None for the reader of a matrix."""
    check_local(path)
    if not path.exists():
        raise FileNotFoundError(f"File not found: {str(path)!r}.")
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; name a file in it.")
    file = table_file(path)
    check_layout(file, layout)
    return file, None if file.kind in MATRICES else reader_of(file, layout)


def content_of(
    file: TableFile, reader: Reader | None, strings: Names, columns: Names | None, layout: Layout
) -> Content:
    """Read all rows of an open file; see :func:`read_content`."""
    named = {*strings, *(name for name in (layout.identifier, layout.on) if name is not None)}
    wanted = None if columns is None else {*columns, *named}
    content: Content
    if reader is None:
        content = read_matrix(file.path, file.kind, wanted)
        if layout.transpose:
            raise ValueError(
                f"--transpose does not apply to {file.name}, a matrix whose rows are samples. Omit it."
            )
    else:
        content = _collected(file, reader, strings if layout.transpose else named, wanted, layout)
    if content.n_rows == 0:
        raise ValueError(f"{file.name} has no rows.")
    check_names(file.path, content.names)
    return content if layout.transpose else _identified(content, layout)


def _collected(
    file: TableFile, reader: Reader, strings: Names, wanted: Names | None, layout: Layout
) -> ColumnTable:
    """Collect the rows of a file of columns; those that name its rows are kept apart."""
    text = reader if isinstance(reader, TextReader) else None
    if text is not None and (remark := text.remark()) is not None:
        warnings.warn(remark, stacklevel=2)

    def read(strings: Names, wanted: Names | None = None) -> Any:
        with readable(file):
            table = reader.table(strings, wanted)
        check_names(file.path, table.column_names)
        return table

    decimal = "." if text is None else text.dialect.decimal
    if layout.transpose:
        table, ids = transposed(file.path, read, strings, wanted, layout, text)
        return ColumnTable(file.path, table, ids, untyped=True, decimal=decimal)
    # a column without a name holds identifiers: 007 is not 7
    table, names = without_index(read({*strings, ""}, wanted), strings, file.name)
    return ColumnTable(file.path, table, names, text, untyped=text is not None, decimal=decimal)


def _identified(content: Content, layout: Layout) -> Content:
    """Return a table whose rows are named by a column, if the layout names one."""
    name = layout.identifier
    if name is None or (content.ids is not None and content.ids.name == name):
        return content
    if name not in content.label_names:
        known = [*content.label_names, *([content.ids.name] if content.ids else [])]
        raise no_such_column(content.path.name, name, known)
    content, identifiers = content.without(name)
    return replace(content, ids=identifiers)


def reduce_content(content: Content, features: Sequence[Feature]) -> Any:
    """Return the numbers of some features of a table, which has to have their columns, as an ndarray."""
    lacking = content.lacking(list(dict.fromkeys(feature.column for feature in features)))
    if lacking:
        raise ValueError(
            f"{content.path.name} lacks {len(lacking)} of the selected columns: {shown(lacking)}."
        )
    X = content.numbers(features)
    if not sparse.issparse(X):
        return X
    check_shape(content.path.name, *X.shape)
    return X.toarray()


class Joined(NamedTuple):
    """A table without the column by which its rows were found, and its target."""

    table: Content
    labels: Content  # the table itself, or the labels of its rows from the other file
    target: str | None


def join_labels(
    content: Content, target: str | None, layout: Layout, *, strings: Sequence[str] = ()
) -> Joined:
    """Find the label of each row of a table in another file, if the layout names one.

    Without a target the other file has to have a single column besides the one that identifies rows;
    `strings` are columns of it that are read as strings, such as one of labels.
    """
    if layout.labels is None:
        if layout.on is not None:
            raise ValueError("--on needs --labels, the file with the target.")
        return Joined(content, content, target)
    content, keys, on = _own_keys(content, layout)
    held, column = _labels_of(layout.labels, content, layout, strings, target)
    known = [name for name in held.label_names if name != column]
    target = known[0] if target is None and len(known) == 1 else target
    if target is None:
        raise ValueError("--target is missing: name the target column, as in -t label.")
    if target not in known:
        raise ValueError(f"{layout.labels.name} has no column {target!r}.{near(target, known)}")
    if isinstance(content, ColumnTable) and target in content.names:
        raise ValueError(
            f"{content.path.name} and {layout.labels.name} both have a column {target!r}. Omit --labels, or "
            f"rename one of them."
        )
    if column is None:
        other, values = (held.ids.name, held.ids.values) if held.ids else ("", [])
    else:
        other, values = column, held.values(column) or []
    both = (content.path.name, on, keys), (layout.labels.name, other, keys_of(values))
    order = matched_rows(*both, drop=layout.drop_unlabelled)
    return Joined(content, held.labels_of_rows(target, order), target)


def _own_keys(content: Content, layout: Layout) -> tuple[Content, list[str | None], str]:
    """Return the table without the column that identifies its rows, the keys in it, and its name."""
    on, ids = layout.on, content.ids
    if on is not None and on in content.label_names:
        content, found = content.without(on)
        return replace(content, ids=ids or found), keys_of(found.values), on
    if ids is not None:
        return content, keys_of(ids.values), ids.name
    if on is None:
        raise ValueError(
            f"{content.path.name} has no sample names to match with {Path(layout.labels or '').name}. Name "
            f"a column of both with --on, or the sample names with --id."
        )
    raise ValueError(
        f"{content.path.name} has no column {on!r} to match rows by.{near(on, content.label_names)}"
    )


def _labels_of(
    path: Path, content: Content, layout: Layout, strings: Sequence[str], target: str | None
) -> tuple[Content, str | None]:
    """Return the other file, and its column that identifies rows, None for its own row names."""
    sheet = None if content.path.suffix.lower() in SHEETS else layout.sheet
    apart = replace(layout, transpose=False, identifier=None, labels=None, sheet=sheet)
    opened = opened_file(path, apart)
    held = content_of(*opened, strings, None, apart)
    names = held.label_names
    called = layout.on if layout.on is not None else (content.ids.name if content.ids else None)
    if called is not None and called in names:
        column: str | None = called
    elif layout.on is not None and (held.ids is None or held.ids.name != layout.on):
        raise ValueError(f"{path.name} has no column {layout.on!r} to match rows by.{near(layout.on, names)}")
    elif held.ids is not None:
        column = None
    else:
        column = next((name for name in names if name != target), None)
        if column is None:
            raise ValueError(f"{path.name} has only the labels, and no column to match rows by.")
    if column is None or not isinstance(held, ColumnTable) or not held.untyped:
        return held, column
    if not is_string(held.table.schema.field(column).type):  # in a text 007 differs from 7
        held = content_of(*opened, [*strings, column], None, apart)
    return held, column
