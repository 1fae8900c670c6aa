"""Tables whose rows are features and whose columns are samples, as genes often are: transposed."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from fisherset._format import shown
from fisherset.tables.columns.identifiers import (
    Identifiers,
    are_row_numbers,
    free_name,
    identifiers_of,
    index_columns,
    no_such_column,
)
from fisherset.tables.columns.types import (
    EXACT_BITS,
    RefusedColumnError,
    is_string,
    kind_of,
    numbers_in_column,
    plain_column,
)
from fisherset.tables.layout import Layout
from fisherset.tables.memory import check_shape
from fisherset.tables.text.dialect import Dialect
from fisherset.tables.text.reader import TextReader

Read = Callable[[Collection[str]], Any]  # the file as an Arrow table, some columns as strings
CELLS = 2**20  # cells that are written as text at a time


def transposed(
    path: Path,
    read: Read,
    strings: Collection[str],
    wanted: Collection[str] | None,
    layout: Layout,
    text: TextReader | None,
) -> tuple[Any, Identifiers]:
    """Return an Arrow table with a column for each row of a file, and the names of the file's columns.

    Numbers are transposed as an array. Where there are strings among them, such as a row of labels, the
    cells are written as text the other way round, some features at a time, and parsed again: so a column
    gets the type that it would have had the table been written so.
    """
    table = read([""])
    column, samples = _parts(path, table, layout)
    if not is_string(table.schema.field(column).type):
        table = read([column])
    names = _feature_names(path, table.column(column))
    if not samples:
        raise ValueError(f"{path.name} has no samples, only the column {column!r} of feature names.")
    check_shape(path.name, len(samples), len(names))
    kept = None
    if wanted is not None:  # one feature at least
        kept = [j for j, name in enumerate(names) if name in wanted] or [0]
        names = [names[j] for j in kept]
    cells = _rows(table, samples, kept)
    ids = identifiers_of(free_name(names), samples)
    if not any(name in strings for name in names) and all(map(_is_exact, cells.columns)):
        return _placed(names, cells.columns), ids
    if not all(is_string(kind) for kind in cells.schema.types):
        cells = _rows(read([column, *samples]), samples, kept)
    del table
    decimal = "." if text is None else text.dialect.decimal
    return _parsed(path, names, cells, strings, Dialect(decimal=decimal, missing=layout.missing)), ids


def _parts(path: Path, table: Any, layout: Layout) -> tuple[str, list[str]]:
    """Return the column that names the features, and those of the samples."""
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
        if numbers and is_string(table.schema.field(rest[0]).type):
            column = rest[0]
    return column, [name for name in names if name != column and name not in index]


def _feature_names(path: Path, column: Any) -> list[str]:
    """Return the names of the rows, which have to differ."""
    names = column.to_pylist()
    if None in names:
        raise ValueError(
            f"With --transpose every row of {path.name} must have a feature name; row "
            f"{names.index(None) + 1} has none."
        )
    found = [str(name) for name in names]
    twice = [name for name, count in Counter(found).items() if count > 1]
    if twice:
        raise ValueError(
            f"With --transpose rows are features, and {path.name} has rows of the same name: {shown(twice)}. "
            f"Rename them."
        )
    return found


def _rows(table: Any, columns: list[str], rows: list[int] | None) -> Any:
    table = table.select(columns)
    return table if rows is None else table.take(rows)


def _is_exact(column: Any) -> bool:
    """Whether a column holds numbers that float64 does not change, and no booleans."""
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


def _parsed(path: Path, names: list[str], cells: Any, strings: Collection[str], dialect: Dialect) -> Any:
    """Parse the cells as columns of text: strings where these are given, else of the type that fits all."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    types = {name: pa.string() for name in strings}
    columns: dict[str, Any] = {}
    step = max(1, CELLS // max(1, cells.num_columns))
    for start in range(0, len(names), step):
        some = names[start : start + step]
        content = _as_text(some, _as_strings(path, cells.slice(start, step)))
        part = arrow_csv.read_csv(
            pa.BufferReader(content),
            dialect.reading(block_size=len(content) + 1, use_threads=False),
            dialect.parsing(),
            dialect.converting(column_types=types),
        )
        columns.update(zip(some, part.columns, strict=True))
    return pa.table(columns)


def _as_strings(path: Path, cells: Any) -> Iterator[list[str | None]]:
    """Yield the cells of each column as they would be in a file of text."""
    import pyarrow as pa

    for sample, column in zip(cells.column_names, map(plain_column, cells.columns), strict=True):
        try:
            yield column.cast(pa.large_string()).to_pylist()
        except pa.ArrowException:
            raise ValueError(
                f"--transpose takes columns of numbers or strings; {sample!r} of {path.name} holds "
                f"{str(column.type)[:40]}. Convert it."
            ) from None


def _as_text(names: list[str], rows: Iterator[list[str | None]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return text.getvalue().encode()
