"""Tables whose rows are features and whose columns are samples, as genes often are: turned over."""

from __future__ import annotations

import csv
import tempfile
from collections import Counter
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import numpy as np

from fisherset._format import shown
from fisherset.tables.columns.columns import (
    EXACT_BITS,
    RefusedColumnError,
    is_text,
    kind_of,
    numbers_in_column,
)
from fisherset.tables.columns.identifiers import (
    Identifiers,
    are_row_numbers,
    free_name,
    identifiers_of,
    index_columns,
    no_such_column,
)
from fisherset.tables.layout import Layout
from fisherset.tables.memory import check_shape

Read = Callable[[Path, Collection[str]], Any]  # a file as an Arrow table, some columns as they stand


def turned(
    path: Path, read: Read, texts: Collection[str], wanted: Collection[str] | None, layout: Layout
) -> tuple[Any, Identifiers]:
    """An Arrow table with a column for each row of a file, and what the file calls its columns.

    Numbers are put in their places. Where there are texts among them, such as a row of labels, the
    cells are written the other way round and read again as any other file: then a column is what it
    would be had the table been written so.
    """
    table = read(path, ())
    column, samples = _parts(path, table, layout)
    if not _texts(table.column(column)):
        table = read(path, [column])
    names = _feature_names(path, table.column(column))
    if not samples:
        raise ValueError(
            f"{path.name} has no columns of samples beside {column!r}, which names the features."
        )
    check_shape(path.name, len(samples), len(names))
    kept = _kept(names, wanted)
    names = names if kept is None else [names[j] for j in kept]
    cells = _some(table, samples, kept)
    ids = identifiers_of(free_name(names), samples)
    if not any(name in texts for name in names) and all(map(_plain, cells.columns)):
        return _placed(names, cells.columns), ids
    if not all(map(_texts, cells.columns)):
        cells = _some(read(path, [column, *samples]), samples, kept)
    del table
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder) / f"{path.stem}.csv"  # called alike in what may be said of it
        _write(other, path, names, cells)
        del cells  # which take more room than what is made of them
        return read(other, texts), ids


def _parts(path: Path, table: Any, layout: Layout) -> tuple[str, list[str]]:
    """The column that names the features, and those of the samples."""
    names = table.column_names
    index = index_columns(table.schema)
    if layout.identifier is not None:
        if layout.identifier not in names:
            raise no_such_column(path.name, layout.identifier, names)
        column = layout.identifier
    else:
        column = index[0] if index else names[0]
        rest = [name for name in names if name not in index]
        # row numbers, and the names after them
        numbers = index and rest and are_row_numbers(table.column(column).to_pylist())
        if numbers and _texts(table.column(rest[0])):
            column = rest[0]
    return column, [name for name in names if name != column and name not in index]


def _texts(column: Any) -> bool:
    import pyarrow as pa

    return is_text(column.type.value_type if pa.types.is_dictionary(column.type) else column.type)


def _feature_names(path: Path, column: Any) -> list[str]:
    """What the rows are called, each by another name."""
    names = [None if name is None else str(name) for name in column.to_pylist()]
    if None in names:
        raise ValueError(
            f"Every row of {path.name} must have the name of a feature, as rows are features with "
            f"--transpose; row {names.index(None) + 1} has none."
        )
    found = [str(name) for name in names]
    twice = [name for name, count in Counter(found).items() if count > 1]
    if twice:
        raise ValueError(
            f"{path.name} has rows of the same name, which are features with --transpose: {shown(twice)}. "
            f"Rename them, or leave all but one out."
        )
    return found


def _kept(names: list[str], wanted: Collection[str] | None) -> list[int] | None:
    """The rows that are wanted, one at the least; None for all."""
    return None if wanted is None else [j for j, name in enumerate(names) if name in wanted] or [0]


def _some(table: Any, columns: list[str], rows: list[int] | None) -> Any:
    table = table.select(columns)
    return table if rows is None else table.take(rows)


def _plain(column: Any) -> bool:
    """Whether a column holds numbers that are the same as float64, whole or not."""
    import pyarrow as pa

    try:
        if pa.types.is_boolean(column.type) or kind_of(column.type) == "text":
            return False
    except RefusedColumnError:
        return False
    numbers = np.abs(numbers_in_column(column).astype(np.float64))
    return not np.any(numbers[np.isfinite(numbers)] >= 2.0**EXACT_BITS)


def _placed(names: list[str], columns: list[Any]) -> Any:
    import pyarrow as pa

    X = np.empty((len(names), len(columns)))
    for j, column in enumerate(columns):
        X[:, j] = numbers_in_column(column)
    return pa.Table.from_arrays([pa.array(row) for row in X], names=names)


def _write(other: Path, path: Path, names: list[str], cells: Any) -> None:
    """Write a row for each column of a file."""
    with other.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        for sample, column in zip(cells.column_names, cells.columns, strict=True):
            writer.writerow(_as_texts(path, sample, column))


def _as_texts(path: Path, sample: str, column: Any) -> list[str | None]:
    """The cells of a column as they would stand in a file of text."""
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    try:
        texts: list[str | None] = column.cast(kind).cast(pa.large_string()).to_pylist()
    except pa.ArrowException:
        raise ValueError(
            f"{path.name} must hold numbers or texts to be turned over; {sample!r} holds {str(kind)[:40]}. "
            f"Convert it."
        ) from None
    return texts
