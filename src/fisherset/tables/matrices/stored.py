"""Matrices as AnnData stores them, dense or sparse, checked as they are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset.data import Sparse
from fisherset.tables.matrices.h5ad import UnreadableError, kind_of, values_of
from fisherset.tables.memory import check_room

CSR_KIND, CSC_KIND, DENSE_KIND = "csr_matrix", "csc_matrix", "array"
BLOCK_ENTRIES = 2**20  # that are read at a time where some columns are wanted
CACHED = 2**20  # bytes of chunks that HDF5 keeps, so that those of two blocks are not unpacked twice


class StoredMatrix(NamedTuple):
    """Where the numbers of a matrix are: in one array, or in the three of a sparse matrix."""

    kind: str
    shape: tuple[int, int]
    data: Any
    indices: Any = None
    indptr: Any = None


def matrix_of(store: Any, key: str, file: str) -> StoredMatrix:
    """Where the numbers of X, or of a layer, are; nothing of them is read."""
    stored = store.get(key)
    if stored is None or (kind := kind_of(stored)) == "null":
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
    """Where each row, or column, of a sparse matrix begins and ends."""
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
    """Whether part of an array is not there: it would be read as noughts."""
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
    """A CSR matrix of arrays as they came: sorted, each entry once, and within its columns."""
    wide = np.float32 if data.dtype == np.float16 else data.dtype.newbyteorder("=")  # which scipy can do
    width = np.int32 if indices.dtype == np.int32 and data.size < 2**31 else np.int64
    X = sparse.csr_array((indptr.size - 1, n_columns), dtype=wide)  # given arrays it would copy them
    X.data, X.indices = data.astype(wide, copy=False), indices.astype(width, copy=False)
    X.indptr = indptr.astype(width)
    entries = X.indices
    if not X.has_canonical_format:
        X = X.copy()
    elif entries.size:  # the first and the last of each row are the least and the largest
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
    indptr, turned = pointers_of(matrix, file), matrix.kind == CSC_KIND
    n_columns = matrix.shape[0 if turned else 1]
    X = csr_of(matrix.data[...], matrix.indices[...], indptr, n_columns, file)
    return sparse.csr_matrix(X.T if turned else X)


def loaded_columns(matrix: StoredMatrix, places: Sequence[int], file: str) -> Any:
    """Some columns of a matrix, of which no more is held than a block of rows at a time."""
    n_rows, n_columns = matrix.shape
    if matrix.kind == CSC_KIND:
        return _by_columns(matrix, places, file)
    if matrix.kind == DENSE_KIND:
        check_room(file, matrix.data.dtype.itemsize * n_rows * len(places), f"{len(places)} of its columns")
        reader, step = ForwardReader(matrix.data, file), max(1, BLOCK_ENTRIES // max(1, n_columns))
        blocks = [reader.take(min(step, n_rows - row))[:, places] for row in range(0, n_rows, step)]
        return np.concatenate(blocks) if blocks else np.empty((0, len(places)))
    indptr = pointers_of(matrix, file)
    data, indices = ForwardReader(matrix.data, file), ForwardReader(matrix.indices, file)
    found, row = [], 0
    while row < n_rows:
        stop = int(np.searchsorted(indptr, indptr[row] + BLOCK_ENTRIES, side="right")) - 1
        stop = min(max(stop, row + 1), n_rows)
        ends = indptr[row : stop + 1] - indptr[row]
        n = int(ends[-1])
        found.append(csr_of(data.take(n), indices.take(n), ends, n_columns, file)[:, places])
        row = stop
    return sparse.csr_matrix(sparse.vstack(found) if found else (0, len(places)))


def _by_columns(matrix: StoredMatrix, places: Sequence[int], file: str) -> Any:
    """Some columns of a matrix that is stored by columns, as CSR."""
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
    """Rows of an array from the first to the last, each chunk unpacked once however they are asked for."""

    def __init__(self, array: Any, file: str) -> None:
        chunks = getattr(array, "chunks", None)
        row = array.dtype.itemsize * int(np.prod(array.shape[1:], dtype=np.int64))
        cached = hasattr(array, "id") and chunks is not None and chunks[0] * row <= CACHED
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
