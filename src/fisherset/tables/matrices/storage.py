"""AnnData's storage, read without it: named columns and matrices in .h5ad files and .zarr folders."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._extras import need
from fisherset._sparse import sparse
from fisherset._types import Indices
from fisherset.data import Coded, Matrix, Sparse
from fisherset.tables.memory import TooLargeError, check_room

CSR_KIND, CSC_KIND, DENSE_KIND = "csr_matrix", "csc_matrix", "array"  # as AnnData writes them
BLOCK_ENTRIES = 2**20  # of a block of rows: 16 MB of numbers with their column indices


class UnreadableError(ValueError):
    """File that cannot be read; the message says why."""


class Column(NamedTuple):
    """Values of one column, strings as codes, and where they are missing (code -1)."""

    values: NDArray[Any] | Coded
    missing: NDArray[np.bool_]

    def objects(self) -> NDArray[Any]:
        """One value a row, None where it is missing."""
        if isinstance(self.values, Coded):
            return np.array([*self.values.labels, None], dtype=object)[self.values.codes]
        if not self.missing.any():
            return self.values
        objects = self.values.astype(object)
        objects[self.missing] = None
        return objects


class StoredMatrix(NamedTuple):
    """Arrays of a matrix, in a file or in memory: one array, or the three of a sparse matrix."""

    kind: str
    shape: tuple[int, int]
    data: Any
    indices: Any = None
    indptr: Any = None


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """Open the root group of a file or folder; errors of h5py and zarr become one sentence."""
    library = "zarr" if path.is_dir() else "h5py"
    try:
        if library == "zarr":
            zarr = need("zarr", f"Reading {path.name}")
            if (path / "zarr.json").exists() and zarr.__version__.startswith("2."):
                raise UnreadableError(f'Reading {path.name} needs zarr 3; pip install "zarr>=3" brings it.')
            yield zarr.open_group(str(path), mode="r")
        else:
            h5py = need("h5py", f"Reading {path.name}")
            with h5py.File(path, "r") as file:
                yield file
    except (ImportError, UnreadableError, TooLargeError, MemoryError):
        raise
    except Exception as error:  # h5py and zarr raise many kinds
        reason = str(error).splitlines()[0][:160] if str(error) else type(error).__name__
        raise UnreadableError(
            f"{path.name} cannot be read; is it damaged or truncated? ({reason})"
        ) from error


def stamp_of(path: Path) -> tuple[int, ...]:
    """Number, size and times of the files at a path, to see whether they change; empty without any."""
    folders = os.walk(path) if path.is_dir() else [("", [], [str(path)])]
    try:
        found = [os.stat(os.path.join(folder, name)) for folder, _, names in folders for name in names]
    except FileNotFoundError:
        return ()
    return len(found), sum(file.st_size for file in found), sum(file.st_mtime_ns for file in found)


def size_of(item: Any) -> int:
    """Bytes of an array, or of all arrays of a group, as declared; chunks may not have been written."""
    return int(item.nbytes) if hasattr(item, "shape") else sum(size_of(item[name]) for name in item)


class StoredTable:
    """Named columns of the rows (obs) or of the variables (var), in a file that is open."""

    def __init__(self, store: Any, key: str, size: int, file: str) -> None:
        self._table, self._size, self._file = store.get(key), size, file
        if self._table is None or "_index" not in self._table.attrs:
            raise UnreadableError(
                f"{file} holds no table {key!r} as AnnData writes it since version 0.7. Read it with "
                f"anndata, and write it again."
            )
        self.names = [_string(name) for name in self._table.attrs.get("column-order", ())]
        self._index = _string(self._table.attrs["_index"])
        # AnnData makes up a name for an index without one
        self.index_name = None if self._index in ("", "_index", "index") else self._index

    def index(self) -> list[str]:
        """The names of the rows of the table."""
        return [str(name) for name in self._values(self._table[self._index]).tolist()]

    def column(self, name: str) -> Column | None:
        """One column; None where its encoding holds neither labels nor numbers."""
        stored = self._table[name]
        kind = _kind_of(stored)
        if kind == "categorical":
            return self._categorical(stored["codes"], stored["categories"])
        if "categories" in stored.attrs:  # before anndata 0.8: where the categories are
            return self._categorical(stored, self._table[stored.attrs["categories"]])
        if kind.startswith("nullable-"):
            return column(self._values(stored["values"]), self._values(stored["mask"]).astype(bool))
        if kind in ("array", "string-array") and hasattr(stored, "shape"):
            return column(self._values(stored))
        return None

    def _values(self, array: Any) -> NDArray[Any]:
        return values_of(array, self._size, self._file)

    def _categorical(self, codes: Any, categories: Any) -> Column:
        labels, numbers = values_of(categories, None, self._file).tolist(), self._values(codes)
        if numbers.dtype.kind not in "iu" or len(set(labels)) < len(labels):
            raise UnreadableError(
                f"{self._file} is damaged: a column of categories has no numbers, or a category twice."
            )
        if numbers.size and not -1 <= numbers.min() <= numbers.max() < len(labels):
            raise UnreadableError(
                f"{self._file} is damaged: a row is of a category beyond the {len(labels)} there are."
            )
        return coded(labels, numbers.astype(np.intp))


def _kind_of(stored: Any) -> str:
    return _string(stored.attrs.get("encoding-type", "array"))


def _string(value: Any) -> str:
    """An attribute as a string: those not written by h5py may be bytes."""
    return value.decode() if isinstance(value, bytes) else str(value)


def column(values: NDArray[Any], missing: NDArray[np.bool_] | None = None) -> Column:
    """A column of numbers, or of other values as codes."""
    if missing is None:
        missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.size, dtype=bool)
    if values.dtype != object:
        return Column(values, missing)
    places: dict[Any, int] = {}
    codes = np.fromiter((places.setdefault(value, len(places)) for value in values), np.intp, values.size)
    return coded(list(places), np.where(missing, -1, codes))


def coded(labels: list[Any], codes: NDArray[Any]) -> Column:
    """A column of labels by their codes; labels without rows are left out."""
    used = np.unique(codes[codes >= 0])
    places = np.full(len(labels) + 1, -1, dtype=np.intp)
    places[used] = np.arange(used.size)
    return Column(Coded(tuple(labels[j] for j in used), places[codes]), codes < 0)


def values_of(array: Any, size: int | None, file: str) -> NDArray[Any]:
    """A whole array of one dimension, strings as objects."""
    if len(array.shape) != 1 or (size is not None and array.shape[0] != size):
        raise UnreadableError(f"{file} is damaged: a column has the shape {array.shape}, for {size} rows.")
    check_room(file, array.nbytes, "its arrays")
    strings = array.dtype.kind in "OS" and hasattr(array, "asstr")  # h5py's would be bytes
    values = np.asarray(array.asstr()[...] if strings else array[...])
    if values.dtype.kind == "S":
        values = np.char.decode(values, "utf-8")
    return values if values.dtype.kind in "biufcmM" else values.astype(object)


def matrix_of(store: Any, key: str, file: str) -> StoredMatrix:
    """Arrays of X, or of a layer, not read yet."""
    stored = store.get(key)
    if stored is None or (kind := _kind_of(stored)) == "null":
        raise UnreadableError(f"{file} holds no matrix {key}.")
    if hasattr(stored, "shape"):
        matrix = StoredMatrix(DENSE_KIND, stored.shape, stored)
    elif kind in (CSR_KIND, CSC_KIND):
        n_rows, n_columns = (int(size) for size in stored.attrs["shape"])
        matrix = StoredMatrix(
            kind, (n_rows, n_columns), *(stored[part] for part in ("data", "indices", "indptr"))
        )
    else:
        raise UnreadableError(f"{file} holds {key} in a form that is not known. Write it again with anndata.")
    if len(matrix.shape) != 2 or min(matrix.shape) < 0:
        raise UnreadableError(f"{file} must hold a table as {key}; it has the shape {matrix.shape}.")
    if matrix.data.dtype.kind not in "biuf":
        raise UnreadableError(f"{file} must hold numbers as {key}; it holds {matrix.data.dtype}.")
    return matrix


def pointers_of(matrix: StoredMatrix, file: str) -> NDArray[np.int64]:
    """Checked row (CSR) or column (CSC) pointers of a sparse matrix."""
    data, indices = matrix.data, matrix.indices
    n = matrix.shape[0 if matrix.kind == CSR_KIND else 1]
    indptr = values_of(matrix.indptr, n + 1, file)
    lengths = {data.shape, indices.shape, (int(indptr[-1]),)}
    if indptr.dtype.kind not in "iu" or indices.dtype.kind not in "iu" or indptr[0] or len(lengths) > 1:
        raise UnreadableError(f"{file} holds no valid sparse matrix: its arrays do not fit each other.")
    indptr = indptr.astype(np.int64)
    if (np.diff(indptr) < 0).any():
        row = int(np.flatnonzero(np.diff(indptr) < 0)[0]) + 1
        raise UnreadableError(f"{file} holds no valid sparse matrix: row {row} ends before it begins.")
    if _lacks_chunks(data) or _lacks_chunks(indices):
        raise UnreadableError(
            f"{file} lacks some of the entries of its sparse matrix; it was not written to its end, or is "
            f"damaged."
        )
    return indptr


def _lacks_chunks(array: Any) -> bool:
    """Whether chunks of an array were never written: they would be read as zeros."""
    if hasattr(array, "nchunks_initialized"):
        return bool(array.nchunks_initialized < array.nchunks)
    if not hasattr(array, "id") or not array.size or array.is_virtual:
        return False
    if array.chunks is None:
        return bool(array.id.get_storage_size() == 0)
    return bool(array.id.get_num_chunks() < -(-array.shape[0] // array.chunks[0]))


def csr_of(
    data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[np.int64], n_columns: int, file: str
) -> Sparse:
    """A CSR matrix of arrays as stored: sorted, each entry once, column indices checked."""
    wide = np.float32 if data.dtype == np.float16 else data.dtype.newbyteorder("=")  # scipy has these types
    width = np.int32 if indices.dtype == np.int32 and data.size < 2**31 else np.int64
    X = sparse.csr_array((indptr.size - 1, n_columns), dtype=wide)  # the constructor would copy arrays
    X.data, X.indices = data.astype(wide, copy=False), indices.astype(width, copy=False)
    X.indptr = indptr.astype(width)
    entries = X.indices
    if not X.has_canonical_format:
        X = X.copy()
    elif entries.size:  # sorted: the first and last of each row are its extremes
        full = np.diff(indptr) > 0
        entries = entries[np.concatenate([indptr[:-1][full], indptr[1:][full] - 1])]
    if entries.size and not 0 <= entries.min() <= entries.max() < n_columns:
        far = entries.min() if entries.min() < 0 else entries.max()
        raise UnreadableError(
            f"{file} holds no valid sparse matrix: it has an entry in column {far}, of columns 0 to "
            f"{n_columns - 1}."
        )
    X.sum_duplicates()
    return X


def loaded(matrix: StoredMatrix, file: str) -> Any:
    """The whole matrix; a sparse one as CSR."""
    if matrix.kind == DENSE_KIND:
        return np.asarray(matrix.data[...])
    indptr, transposed = pointers_of(matrix, file), matrix.kind == CSC_KIND
    n_columns = matrix.shape[0 if transposed else 1]
    X = csr_of(matrix.data[...], matrix.indices[...], indptr, n_columns, file)
    return sparse.csr_matrix(X.T if transposed else X)


def loaded_columns(matrix: StoredMatrix, columns: Sequence[int], file: str) -> Any:
    """Some columns of a matrix, a sparse one as CSR; of the others no more is held than a block of rows."""
    if matrix.kind == CSC_KIND:
        return _by_columns(matrix, columns, file)
    indptr = None
    if matrix.kind == CSR_KIND:
        indptr = pointers_of(matrix, file)
    else:
        size = matrix.data.dtype.itemsize * matrix.shape[0] * len(columns)
        check_room(file, size, f"{len(columns)} of its columns")
    places = np.array(columns, dtype=np.intp)
    blocks = list(blocks_of(matrix, row_slices(matrix.shape, indptr), indptr, places, file))
    if indptr is None:
        return np.concatenate(blocks) if blocks else np.empty((0, len(columns)))
    return sparse.csr_matrix(sparse.vstack(blocks) if blocks else (0, len(columns)))


def row_slices(
    shape: tuple[int, int], indptr: NDArray[np.int64] | None, batch_rows: int | None = None
) -> Iterator[slice]:
    """Rows of one block after the other: `batch_rows`, or as many as have about a million entries."""
    (n_rows, n_columns), start = shape, 0
    while start < n_rows:
        if batch_rows is not None:
            stop = start + int(batch_rows)
        elif indptr is None:  # dense entries have no column index with them
            stop = start + 2 * BLOCK_ENTRIES // max(1, n_columns)
        else:
            stop = int(np.searchsorted(indptr, indptr[start] + BLOCK_ENTRIES, side="right")) - 1
        stop = min(max(stop, start + 1), n_rows)
        yield slice(start, stop)
        start = stop


def blocks_of(
    matrix: StoredMatrix,
    slices: Iterable[slice],
    indptr: NDArray[np.int64] | None,
    columns: Indices | None,
    file: str,
) -> Iterator[Matrix]:
    """Consecutive blocks of rows of a dense or CSR matrix, all columns or some of them."""
    data = ForwardReader(matrix.data, file)
    indices = None if indptr is None else ForwardReader(matrix.indices, file)
    for rows in slices:
        if indptr is None or indices is None:
            X = data.take(rows.stop - rows.start)
            yield X if columns is None else X[:, columns]
            continue
        ends = indptr[rows.start : rows.stop + 1] - indptr[rows.start]
        n_entries = int(ends[-1])
        S = csr_of(data.take(n_entries), indices.take(n_entries), ends, matrix.shape[1], file)
        if columns is not None:
            S = S[:, columns]
            S.sum_duplicates()  # sorts the indices of each row
        yield S


def _by_columns(matrix: StoredMatrix, places: Sequence[int], file: str) -> Any:
    """Some columns of a CSC matrix, as CSR."""
    indptr = pointers_of(matrix, file)
    parts = [slice(int(indptr[j]), int(indptr[j + 1])) for j in places]
    ends = np.cumsum([0, *(part.stop - part.start for part in parts)], dtype=np.int64)
    size = matrix.data.dtype.itemsize + matrix.indices.dtype.itemsize
    check_room(file, int(ends[-1]) * size, f"{len(places)} of its columns")
    data, indices = (
        np.concatenate([array[:0], *(array[part] for part in parts)])
        for array in (matrix.data, matrix.indices)
    )
    return sparse.csr_matrix(csr_of(data, indices, ends, matrix.shape[0], file).T)


class ForwardReader:
    """Rows of an array from the first to the last; each chunk is decompressed once, for any block size."""

    def __init__(self, array: Any, file: str) -> None:
        chunks = getattr(array, "chunks", None)
        row = array.dtype.itemsize * int(np.prod(array.shape[1:], dtype=np.int64))
        # HDF5 itself caches chunks of up to 1 MB, zarr none
        cached = hasattr(array, "id") and chunks is not None and chunks[0] * row <= 2**20
        self._step = 1 if chunks is None or cached else chunks[0]
        check_room(file, self._step * row, "the numbers that it keeps together")
        self._array, self._next = array, 0
        self._rest: NDArray[Any] = np.empty((0, *array.shape[1:]), dtype=array.dtype)

    def take(self, n: int) -> NDArray[Any]:
        """The next n rows."""
        lacking = n - len(self._rest)
        if lacking > 0:
            stop = min(self._next + -(-lacking // self._step) * self._step, self._array.shape[0])
            new = np.asarray(self._array[self._next : stop])
            self._rest = np.concatenate([self._rest, new]) if len(self._rest) else new
            self._next = stop
        taken, self._rest = self._rest[:n], self._rest[n:]
        return taken
