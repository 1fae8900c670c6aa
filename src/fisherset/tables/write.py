"""Tables written to files: whole or not at all, and such that they read back unchanged."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._extras import need
from fisherset._files import PACKERS, TEXT, WRITTEN, safe_cell, suffix_of, write_whole
from fisherset.tables.columns.identifiers import Identifiers
from fisherset.tables.matrices.npz import npz_content


def write_table(
    path: Path,
    X: NDArray[Any],
    names: Sequence[str],
    *,
    target: str = "",
    y: NDArray[Any] | None = None,
    task: str = "classification",
    ids: Identifiers | None = None,
    spreadsheet_safe: bool = False,
) -> None:
    """Write columns of numbers, identifiers of the rows before and the labels after them.

    Parameters
    ----------
    path : Path
        Its suffix says in which format.
    X : ndarray of shape (n_rows, n_columns)
        The numbers.
    names : sequence of str
        The names of the columns.
    target : str, default=""
        The name of the column of labels.
    y : ndarray of shape (n_rows,), default=None
        The labels, or numbers.
    task : {"classification", "regression"}, default="classification"
        Which of them; .npz files have classes for labels only.
    ids : Identifiers, default=None
        Names of the rows.
    spreadsheet_safe : bool, default=False
        Whether names and labels in text that a spreadsheet would run as formulas, such as "=1+1" or
        "-a", get an apostrophe in front. They do not read back unchanged then.
    """
    about: dict[str, Any] = {"target": target, "y": y, "task": task, "ids": ids}
    write_whole(path, table_content(path, X, names, **about, spreadsheet_safe=spreadsheet_safe))


def table_content(
    path: Path,
    X: NDArray[Any],
    names: Sequence[str],
    *,
    target: str = "",
    y: NDArray[Any] | None = None,
    task: str = "classification",
    ids: Identifiers | None = None,
    spreadsheet_safe: bool = False,
) -> bytes:
    """Content of the file that :func:`write_table` writes."""
    suffix = suffix_of(path)
    if not path.name.lower().endswith(WRITTEN):
        raise ValueError(
            f"{path.name} has an unsupported file type; a table is written as {', '.join(WRITTEN)}."
        )
    if y is not None and target in set(names):
        raise ValueError(f"A selected feature has the name of the target, {target!r}; rename one of them.")
    if suffix == ".npz":
        return npz_content(X, names, y, task, ids=ids)
    _check_ids(ids, names, target if y is not None else None)
    pa = need("pyarrow", f"Writing {path.name}")
    from pyarrow import csv, feather, parquet

    text = suffix in TEXT
    cell = safe_cell if spreadsheet_safe and text else str
    columns = [pa.array(np.asarray(X[:, j], dtype=np.float64)) for j in range(X.shape[1])]
    labels = list(names)
    if ids is not None:
        columns, labels = [_values(ids.values, text, cell), *columns], [ids.name, *labels]
    if y is not None:
        columns, labels = [*columns, _values(y.tolist(), text, cell)], [*labels, target]
    table = pa.Table.from_arrays(columns, names=[cell(name) for name in labels])
    buffer = io.BytesIO()
    if text:
        csv.write_csv(table, buffer, csv.WriteOptions(delimiter=TEXT[suffix]))
    elif suffix == ".parquet":
        parquet.write_table(table, buffer)
    else:
        feather.write_feather(table, buffer, compression="uncompressed")
    content, packer = buffer.getvalue(), PACKERS.get(path.suffix.lower())
    return bytes(content if packer is None else pa.compress(content, packer, asbytes=True))


def _check_ids(ids: Identifiers | None, names: Sequence[str], target: str | None) -> None:
    """Refuse identifiers with the name of another column."""
    if ids is not None and (ids.name in set(names) or ids.name == target):
        what = "the target" if ids.name == target else "a selected feature"
        raise ValueError(
            f"The identifier of the rows has the name of {what}, {ids.name!r}; rename one of them."
        )


def _values(values: list[Any], text: bool, cell: Callable[[str], str]) -> Any:
    """Values as a column of Arrow, which takes whole numbers for signed ones unless told otherwise."""
    import pyarrow as pa

    if text:
        values = [_cell(value, cell) for value in values]
        _warn_missing(values)
    try:
        return pa.array(values)
    except OverflowError:
        return pa.array(values, pa.uint64())


def _cell(value: Any, cell: Callable[[str], str]) -> Any:
    """A value for a text file: a list or a record as Python writes it."""
    value = str(value) if isinstance(value, list | dict | bytes) else value
    return cell(value) if isinstance(value, str) else value


def _warn_missing(values: list[Any]) -> None:
    """Warn of strings that a text file cannot hold: read again, they are missing values."""
    from pyarrow import csv

    markers = set(csv.ConvertOptions().null_values)
    found = sorted({value for value in values if isinstance(value, str) and value in markers})
    if found:
        warnings.warn(
            f"The value {found[0]!r} is read as missing from a text file. Write .parquet to keep it.",
            stacklevel=4,
        )
