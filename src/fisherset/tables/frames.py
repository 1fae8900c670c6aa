"""Files as frames: named columns, before anything is made of them."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset._files import ARROW, TEXT, suffix_of
from fisherset.tables.columns.arrow_tables import ipc_table, parquet_table
from fisherset.tables.columns.encoding import is_text
from fisherset.tables.columns.identifiers import (
    Identifiers,
    are_row_numbers,
    free_name,
    identifiers_of,
    no_such_column,
    taken_out,
    without_index,
)
from fisherset.tables.columns.names import check_names
from fisherset.tables.columns.transposed import turned
from fisherset.tables.layout import PLAIN, Layout
from fisherset.tables.matrices.geo import is_series, read_series
from fisherset.tables.matrices.npz import arrays_in
from fisherset.tables.matrices.storage import (
    StoredMatrix,
    column_names,
    column_of,
    index_name,
    index_of,
    loaded,
    loaded_columns,
    matrix_of,
    opened,
    size_of,
    table_of,
)
from fisherset.tables.memory import TooLargeError, check_room, check_shape
from fisherset.tables.text.dialect import Dialect, dialect_of, line_of
from fisherset.tables.text.recognition import Finding
from fisherset.tables.text.whole import check_cells, check_end, read_text

SVMLIGHT = (".svmlight", ".libsvm", ".svm")
KNOWN = (
    "text (.csv, .tsv, .txt, also packed as .csv.gz), Parquet (.parquet), Feather or Arrow (.feather, "
    ".arrow, .arrows), .npz, .svmlight or .h5ad"
)


class Frame(NamedTuple):
    """What a file holds: an Arrow table, or a matrix with names and columns of labels beside it.

    Attributes
    ----------
    path : Path
        The file.
    names : list of str
        The names of its columns.
    arrow : pyarrow.Table or None
        The columns, of a file of such.
    X : ndarray, sparse matrix or None
        The matrix, of any other file.
    labels : dict of str to ndarray, or None
        The columns of labels beside the matrix.
    ids : Identifiers or None
        What the rows are called, where they are called anything.
    dialect : Dialect or None
        How the file is written, where it is a text.
    untyped : bool
        Whether its cells are text without types, as in CSV: only then may strings be read as numbers.
    """

    path: Path
    names: list[str]
    arrow: Any = None  # pyarrow.Table
    X: Any = None
    labels: dict[str, NDArray[Any]] | None = None
    ids: Identifiers | None = None
    dialect: Dialect | None = None
    untyped: bool = False

    def values(self, name: str) -> list[Any] | None:
        """The values of one column that may be labels.

        Parameters
        ----------
        name : str
            The name of the column.

        Returns
        -------
        values : list or None
            None where there is no such column.
        """
        if self.arrow is not None:
            return list(self.arrow.column(name).to_pylist()) if name in self.names else None
        labels = (self.labels or {}).get(name)
        return None if labels is None else list(labels.tolist())

    def where(self, name: str, value: str) -> Finding:
        """The file, and its line, or row, that first has a value in a column.

        Parameters
        ----------
        name : str
            The name of the column.
        value : str
            A text in it.

        Returns
        -------
        finding : Finding
            Such as " of people.csv" and " in line 17", for a sentence.
        """
        file = f" of {self.path.name}"
        if self.dialect is not None:
            line = line_of(self.path, self.dialect, name, value)
            return Finding(file, "" if line is None else f" in line {line}", True)
        values = self.values(name) or []
        if value not in values:
            return Finding(file, "")
        row = values.index(value)
        return Finding(file, f" in row {row + 1}" if self.ids is None else f" for {self.ids.values[row]!r}")

    @property
    def n_rows(self) -> int:
        rows: int = self.arrow.num_rows if self.arrow is not None else self.X.shape[0]
        return rows


def read_frame(
    path: Path,
    *,
    texts: Collection[str] = (),
    columns: Collection[str] | None = None,
    layout: Layout = PLAIN,
) -> Frame:
    """Read a file by its suffix; what is empty, damaged or unknown is refused with a reason.

    Parameters
    ----------
    path : Path
        CSV, TSV or other text, which may be packed, Parquet, Feather/Arrow, .npz, svmlight or .h5ad; or a
        series matrix of GEO.
    texts : collection of str, default=()
        Columns of files of text that are read as they stand, not as the numbers they look like.
    columns : collection of str, default=None
        The columns that are wanted, besides those in `texts` and what the rows are called; those
        that are not there are passed over. None for all.
    layout : Layout, default=PLAIN
        How the table stands in its file; what is not said of a text is recognised. Labels in another
        file are for :func:`join_labels`.

    Returns
    -------
    frame : Frame
        What it holds.
    """
    if not path.exists():
        raise FileNotFoundError(f"There is no file {str(path)!r}.")
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; name a file in it.")
    if path.stat().st_size == 0:
        raise ValueError(f"{path.name} is empty.")
    wanted = None if columns is None else {*columns, *texts, *_beside(layout)}
    frame = _frame(path, texts, wanted, layout)
    if frame.n_rows == 0:
        raise ValueError(f"{path.name} has no rows.")
    check_names(path, frame.names)
    return frame


def _frame(path: Path, texts: Collection[str], wanted: Collection[str] | None, layout: Layout) -> Frame:
    suffix = suffix_of(path)
    if is_series(path):
        frame = _series_frame(path)
    elif suffix in TEXT or suffix == ".parquet" or suffix in ARROW:
        return (_turned_frame if layout.transpose else _column_frame)(path, texts, wanted, layout)
    elif suffix == ".npz":
        frame = _npz_frame(path)
    elif suffix in SVMLIGHT:
        frame = _svmlight_frame(path)
    elif suffix == ".h5ad":
        frame = _h5ad_frame(path, wanted)
    else:
        raise ValueError(f"{path.name} is of no known kind; a table is {KNOWN}.")
    if layout.transpose:
        raise ValueError(
            f"{path.name} must be a file of columns to be turned over; it holds a matrix, whose rows are "
            f"samples. Leave --transpose out."
        )
    return _identified(frame, layout)


def _beside(layout: Layout) -> list[str]:
    """The columns that say which row is which."""
    return [name for name in (layout.identifier, layout.on) if name is not None]


def _identified(frame: Frame, layout: Layout) -> Frame:
    """A frame whose rows are called by what a column holds, if somebody says so."""
    name = layout.identifier
    if name is None or (frame.ids is not None and frame.ids.name == name):
        return frame
    if frame.arrow is not None and name in frame.names:
        table, ids = taken_out(frame.arrow, name)
        return frame._replace(names=[other for other in frame.names if other != name], arrow=table, ids=ids)
    labels = dict(frame.labels or {})
    if name not in labels:
        known = [
            *(frame.names if frame.arrow is not None else labels),
            *([frame.ids.name] if frame.ids else []),
        ]
        raise no_such_column(frame.path.name, name, known)
    return frame._replace(ids=identifiers_of(name, labels.pop(name).tolist()), labels=labels)


def _column_frame(
    path: Path, texts: Collection[str], wanted: Collection[str] | None, layout: Layout
) -> Frame:
    """A file of columns; what its rows are called is taken apart from them."""
    whole, suffix = {*texts, *_beside(layout)}, suffix_of(path)
    frame = _arrow_frame(path, suffix, whole, layout, wanted)
    if suffix in TEXT and frame.names.count("") == 1:
        column = frame.arrow.column("")
        if not is_text(column.type) and not are_row_numbers(column.to_pylist()):  # 007 is no number
            frame = _arrow_frame(path, suffix, {*whole, ""}, layout, wanted)
    table, ids = without_index(frame.arrow, whole, path.name)
    return _identified(frame._replace(names=table.column_names, arrow=table, ids=ids), layout)


def _turned_frame(
    path: Path, texts: Collection[str], wanted: Collection[str] | None, layout: Layout
) -> Frame:
    """A file of columns whose rows are features."""
    dialects: list[Dialect | None] = []

    def read(source: Path, whole: Collection[str]) -> Any:
        own = layout
        if source != path:  # the same cells written the other way round, as plain text
            decimal = "." if dialects[0] is None else dialects[0].decimal
            own = Layout(",", decimal, "utf-8", layout.missing)
        frame = _arrow_frame(source, suffix_of(source), whole, own)
        dialects.append(frame.dialect)
        check_names(source, frame.names)
        return frame.arrow

    table, ids = turned(path, read, texts, wanted, layout)
    return Frame(path, table.column_names, arrow=table, ids=ids, untyped=True)


def _arrow_frame(
    path: Path, suffix: str, texts: Collection[str], layout: Layout, wanted: Collection[str] | None = None
) -> Frame:
    try:
        import pyarrow
    except ModuleNotFoundError as error:
        raise ImportError(
            f"Reading {path.name} needs pyarrow; pip install 'fisherset[cli]' brings it."
        ) from error
    dialect = None
    try:
        if suffix in TEXT:
            dialect, table = _text_table(path, texts, layout, None if wanted is None else {*wanted, ""})
        else:
            with pyarrow.OSFile(str(path)) as file:  # whatever its name looks like, a file
                read = parquet_table if suffix == ".parquet" else ipc_table
                table = read(path, file, wanted)
        names = [str(name) for name in table.column_names]
    except (TooLargeError, MemoryError):  # of Arrow's own exceptions one is a MemoryError
        raise
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ValueError(f"{path.name} cannot be read; is it damaged or cut off? ({reason[:160]})") from error
    return Frame(path, names, arrow=table, dialect=dialect, untyped=dialect is not None)


def _text_table(
    path: Path, texts: Collection[str], layout: Layout, wanted: Collection[str] | None
) -> tuple[Dialect, Any]:
    """A text and how it is written; what was guessed of that is said."""
    dialect = dialect_of(path, layout)
    if (remark := dialect.remark(path, layout)) is not None:
        warnings.warn(remark, stacklevel=2)
    check_end(path, dialect)
    check_cells(path, dialect)
    return dialect, read_text(path, dialect, texts, wanted)


def _series_frame(path: Path) -> Frame:
    series = read_series(path)
    ids = Identifiers(free_name(series.probes), series.samples)
    return Frame(path, series.probes, X=series.X, labels=series.labels, ids=ids, untyped=True)


def _npz_frame(path: Path) -> Frame:
    held = arrays_in(path)
    names = _names_of(held.feature_names, held.X)
    labels = {} if held.y is None else {held.target: held.y}
    ids = None if held.sample_names is None else identifiers_of(free_name(names), held.sample_names.tolist())
    return Frame(path, names, X=held.X, labels=labels, ids=ids)


def _svmlight_frame(path: Path) -> Frame:
    from sklearn.datasets import load_svmlight_file

    check_room(path.name, 4 * path.stat().st_size, "its numbers")
    try:
        # columns are called by their numbers in the file, whichever number is the first
        X, y = load_svmlight_file(str(path), zero_based=True)
    except (ValueError, OverflowError, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0][:160]
        raise ValueError(f"{path.name} is no svmlight file, or is damaged: {reason}") from error
    check_shape(path.name, *X.shape, dense=False)  # one odd number makes as many columns as it says
    whole = y.astype(np.int64) if np.all(y == np.round(y)) and np.all(abs(y) < 2**53) else y
    return Frame(path, _names_of(None, X), X=sparse.csr_matrix(X), labels={"label": whole})


def _h5ad_frame(path: Path, wanted: Collection[str] | None) -> Frame:
    with opened(path) as store:
        matrix = matrix_of(store, "X", path.name)
        # an array that nobody has written to has its size all the same
        keys = ("X", "obs", "var") if wanted is None else ("obs", "var")
        size = sum(size_of(store[key]) for key in keys if key in store)
        check_room(path.name, size, "its arrays")
        obs, var = (table_of(store, key, path.name) for key in ("obs", "var"))
        n_rows, n_columns = matrix.shape
        names = index_of(var, n_columns, path.name)
        columns = {name: column_of(obs, name, n_rows, path.name) for name in column_names(obs)}
        cells = index_of(obs, n_rows, path.name)
        names, X = _variables(matrix, names, wanted, path.name)
        called = index_name(obs)
    labels = {name: column.objects() for name, column in columns.items() if column is not None}
    ids = None if are_row_numbers(cells) else Identifiers(called or free_name([*names, *labels]), cells)
    return Frame(path, names, X=X, labels=labels, ids=ids)


def _variables(
    matrix: StoredMatrix, names: list[str], wanted: Collection[str] | None, file: str
) -> tuple[list[str], Any]:
    """The columns of a matrix that are wanted, and what they are called."""
    if wanted is None:
        return names, loaded(matrix, file)
    places = [j for j, name in enumerate(names) if name in wanted]
    return [names[j] for j in places], loaded_columns(matrix, places, file)


def _names_of(names: Any, X: Any) -> list[str]:
    return [f"x{j}" for j in range(X.shape[1])] if names is None else [str(name) for name in names]
