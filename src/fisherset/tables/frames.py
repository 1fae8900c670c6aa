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
from fisherset.tables.dialect import Dialect, dialect_of
from fisherset.tables.encoding import is_text
from fisherset.tables.feature import shown
from fisherset.tables.h5ad import column_names, column_of, index_of, opened, size_of, table_of
from fisherset.tables.layout import PLAIN, Layout
from fisherset.tables.lines import line_of
from fisherset.tables.matrices import loaded, matrix_of
from fisherset.tables.memory import TooLargeError, check_room, check_shape
from fisherset.tables.npz import read_npz
from fisherset.tables.odd_texts import Finding
from fisherset.tables.text_files import check_cells, check_end, read_text

STREAM = b"\xff\xff\xff\xff"  # how a stream of Arrow's starts
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
    dialect : Dialect or None
        How the file is written, where it is a text.
    """

    path: Path
    names: list[str]
    arrow: Any = None  # pyarrow.Table
    X: Any = None
    labels: dict[str, NDArray[Any]] | None = None
    dialect: Dialect | None = None

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
        return Finding(file, f" in row {values.index(value) + 1}" if value in values else "")

    @property
    def n_rows(self) -> int:
        rows: int = self.arrow.num_rows if self.arrow is not None else self.X.shape[0]
        return rows


def read_frame(path: Path, *, texts: Collection[str] = (), layout: Layout = PLAIN) -> Frame:
    """Read a file by its suffix; what is empty, damaged or unknown is refused with a reason.

    Parameters
    ----------
    path : Path
        CSV, TSV or other text, which may be packed, Parquet, Feather/Arrow, .npz, svmlight or .h5ad.
    texts : collection of str, default=()
        Columns of files of text that are read as they stand, not as the numbers they look like.
    layout : Layout, default=PLAIN
        How the table stands in the file; what is not said of a text is recognised.

    Returns
    -------
    frame : Frame
        What it holds.
    """
    if not path.exists():
        raise FileNotFoundError(f"There is no file {str(path)!r}.")
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; name a file in it.")
    suffix = suffix_of(path)
    if path.stat().st_size == 0:
        raise ValueError(f"{path.name} is empty.")
    if suffix in TEXT or suffix == ".parquet" or suffix in ARROW:
        frame = _arrow_frame(path, suffix, texts, layout)
    elif suffix == ".npz":
        frame = _npz_frame(path)
    elif suffix in SVMLIGHT:
        frame = _svmlight_frame(path)
    elif suffix == ".h5ad":
        frame = _h5ad_frame(path)
    else:
        raise ValueError(f"{path.name} is of no known kind; a table is {KNOWN}.")
    if frame.n_rows == 0:
        raise ValueError(f"{path.name} has no rows.")
    _check_names(path, frame.names)
    return frame


def _check_names(path: Path, names: list[str]) -> None:
    values, counts = np.unique(np.array(names, dtype=object).astype(str), return_counts=True)
    twice = values[counts > 1].tolist()
    if twice:
        raise ValueError(f"{path.name} has columns of the same name: {shown(twice)}. Rename them.")


def _arrow_frame(path: Path, suffix: str, texts: Collection[str], layout: Layout) -> Frame:
    try:
        import pyarrow
    except ModuleNotFoundError as error:
        raise ImportError(
            f"Reading {path.name} needs pyarrow; pip install 'fisherset[cli]' brings it."
        ) from error
    dialect = None
    try:
        if suffix in TEXT:
            dialect, table = _text_table(path, texts, layout)
        else:
            with pyarrow.OSFile(str(path)) as file:  # whatever its name looks like, a file
                table = _parquet_table(path, file) if suffix == ".parquet" else _ipc_table(path, file)
        names = [str(name) for name in table.column_names]
    except (TooLargeError, MemoryError):  # of Arrow's own exceptions one is a MemoryError
        raise
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ValueError(f"{path.name} cannot be read; is it damaged or cut off? ({reason[:160]})") from error
    return _without_index(Frame(path, names, arrow=table, dialect=dialect), texts)


def _text_table(path: Path, texts: Collection[str], layout: Layout) -> tuple[Dialect, Any]:
    """A text and how it is written; what was guessed of that is said."""
    dialect = dialect_of(path, layout)
    if (remark := dialect.remark(path, layout)) is not None:
        warnings.warn(remark, stacklevel=2)
    check_end(path, dialect)
    check_cells(path, dialect)
    return dialect, read_text(path, dialect, texts)


def _parquet_table(path: Path, file: Any) -> Any:
    """A Parquet file; texts stay a list of different ones and numbers into it, as the file may have them.

    Such a list can stand for any number of long texts: what it stands for is taken apart later, and
    counted before.
    """
    from pyarrow import parquet

    content = parquet.ParquetFile(file)
    _check_names(path, content.schema_arrow.names)  # of two of one name Arrow reads neither
    held = content.metadata
    check_shape(path.name, held.num_rows, held.num_columns)
    size = sum(held.row_group(i).total_byte_size for i in range(held.num_row_groups))
    check_room(path.name, size, "its columns")
    texts = [field.name for field in content.schema_arrow if is_text(field.type)]
    # not `parquet.read_table`, which reads the footer anew, and files ahead of what takes them apart
    return parquet.ParquetFile(file, metadata=held, read_dictionary=texts).read()


def _ipc_table(path: Path, file: Any) -> Any:
    """A Feather or Arrow file or stream, read a batch at a time: what one takes is known when it is there."""
    import pyarrow as pa
    from pyarrow import feather

    start = file.read(4)
    file.seek(0)
    if start == b"FEA1":  # the first version of Feather, which has no batches
        return feather.read_table(file)
    if start == STREAM:
        coming = content = pa.ipc.open_stream(file)
    else:
        content = pa.ipc.open_file(file)
        coming = map(content.get_batch, range(content.num_record_batches))
    batches, size, n_rows = [], 0, 0
    for batch in coming:
        batches.append(batch)
        size, n_rows = size + batch.nbytes, n_rows + batch.num_rows
        check_room(path.name, size, "its columns")
        check_shape(path.name, n_rows, len(content.schema))  # a batch may say of a value how often it comes
    return pa.Table.from_batches(batches, content.schema)


def _without_index(frame: Frame, wanted: Collection[str]) -> Frame:
    """A frame without the row numbers that pandas wrote into the file: they are no feature."""
    described = (frame.arrow.schema.pandas_metadata or {}).get("index_columns", [])
    index = {name for name in described if isinstance(name, str)} | {""}
    index = {name for name in index if name in frame.names and name not in wanted}
    if not index or len(set(frame.names)) < len(frame.names):
        return frame
    if "" in index:
        warnings.warn(
            f"The column without a name in {frame.path.name} is taken for row numbers and left out.",
            stacklevel=2,
        )
    kept = [name for name in frame.names if name not in index]
    return frame._replace(names=kept, arrow=frame.arrow.select(kept))


def _npz_frame(path: Path) -> Frame:
    dataset = read_npz(path)
    labels = {"y": np.asarray(dataset.classes)[dataset.y]}
    return Frame(path, _names_of(dataset.feature_names, dataset.X), X=dataset.X, labels=labels)


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


def _h5ad_frame(path: Path) -> Frame:
    with opened(path) as store:
        matrix = matrix_of(store, "X", path.name)
        # an array that nobody has written to has its size all the same
        size = sum(size_of(store[key]) for key in ("X", "obs", "var") if key in store)
        check_room(path.name, size, "its arrays")
        obs, var = (table_of(store, key, path.name) for key in ("obs", "var"))
        n_rows, n_columns = matrix.shape
        names = index_of(var, n_columns, path.name)
        columns = {name: column_of(obs, name, n_rows, path.name) for name in column_names(obs)}
        X = loaded(matrix, path.name)
    labels = {name: column.objects() for name, column in columns.items() if column is not None}
    return Frame(path, names, X=X, labels=labels)


def _names_of(names: Any, X: Any) -> list[str]:
    return [f"x{j}" for j in range(X.shape[1])] if names is None else [str(name) for name in names]
