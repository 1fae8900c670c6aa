"""Rows already in memory: a numpy array or a SciPy sparse matrix, never copied whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset.sources.base import Block, Matrix, Sparse, T

# Size of a block once its numbers are float64: bounds what a kernel may copy.
BLOCK_BYTES = 8 * 2**20


class MemorySource:
    """Blocks of rows as views of the caller's array.

    A CSC matrix has no cheap rows, so it is one block; its kernels work by columns.

    Attributes
    ----------
    X : ndarray, csr_array or csc_array
        The table itself.
    """

    def __init__(self, X: Any, *, block_bytes: int = BLOCK_BYTES) -> None:
        if sparse.issparse(X):
            array = sparse.csc_array if X.format == "csc" else sparse.csr_array
            self.X: Matrix = array(X, copy=False)
            if not self.X.has_canonical_format:  # a square is not the sum of squares of the parts
                self.X = self.X.copy()
                self.X.sum_duplicates()
        else:
            self.X = X
        self._block_bytes = block_bytes
        self.n_passes = 0

    @property
    def shape(self) -> tuple[int, int]:
        n_rows, n_columns = self.X.shape
        return n_rows, n_columns

    def head(self, n_rows: int) -> Matrix:
        if isinstance(self.X, np.ndarray):
            return self.X[:n_rows]
        head: Matrix = self.X[:n_rows].tocsr()
        return head

    def stored(self, rows: NDArray[np.bool_]) -> NDArray[np.intp] | None:
        if isinstance(self.X, np.ndarray):
            return None
        by_row = self.X.format == "csr"
        major, minor = np.diff(self.X.indptr), self.X.indices
        if rows.all():
            counts = np.bincount(minor, minlength=self.shape[1]) if by_row else major
        elif by_row:
            counts = np.bincount(minor[np.repeat(rows, major)], minlength=self.shape[1])
        else:
            counts = np.bincount(np.repeat(np.arange(major.size), major)[rows[minor]], minlength=major.size)
        return np.asarray(counts, dtype=np.intp)

    def reduce(self, kernel: Callable[[Block], T]) -> T:
        blocks = self._blocks()
        total = kernel(next(blocks))
        for block in blocks:
            total = total + kernel(block)
        self.n_passes += 1
        return total

    def _blocks(self) -> Iterator[Block]:
        X = self.X
        n_rows, n_columns = self.shape
        if isinstance(X, np.ndarray):
            step = max(1, self._block_bytes // (8 * n_columns))
            for start in range(0, n_rows, step):
                yield Block(X[start : start + step], slice(start, min(start + step, n_rows)))
        elif X.format == "csc":
            yield Block(X, slice(0, n_rows))
        else:
            start = 0
            while start < n_rows:
                # at least one row, else as many as the bytes allow (16 a stored entry)
                limit = X.indptr[start] + self._block_bytes // 16
                stop = int(np.searchsorted(X.indptr, limit, side="right")) - 1
                stop = min(max(stop, start + 1), n_rows)
                yield Block(_csr_rows(X, start, stop), slice(start, stop))
                start = stop


def _csr_rows(X: Sparse, start: int, stop: int) -> Sparse:
    """Rows of a CSR matrix as views of its arrays: scipy's slicing copies, and so does its constructor."""
    if start == 0 and stop == X.shape[0]:
        return X
    first, last = X.indptr[start], X.indptr[stop]
    rows = sparse.csr_array((stop - start, X.shape[1]), dtype=X.dtype)
    rows.data, rows.indices = X.data[first:last], X.indices[first:last]
    rows.indptr = X.indptr[start : stop + 1] - first
    rows.has_canonical_format = True
    return rows
