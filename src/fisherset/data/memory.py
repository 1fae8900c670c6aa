"""Rows already in memory: a numpy array or a SciPy sparse matrix, never copied whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset._threads import all_threads, allowed_threads, map_in_order, one_thread
from fisherset.data.batches import BatchedRows
from fisherset.data.rows import Block, Coded, Kernel, Matrix, Sparse, T

# Size of a block once its numbers are float64: bounds what a kernel may copy.
BLOCK_BYTES = 8 * 2**20
TURNED = 2**29  # bytes of rows that may be turned to columns
THIN = 0.02  # share of the entries that is stored, up to which columns are taken out as they are asked for
UNCOPIED = 8  # times as large a block may be of a sparse matrix of float64, which kernels see as it is
LARGE_TABLE = 2**24  # numbers of a table whose blocks are worth threads
LARGE_PRODUCT = 2**25  # multiplications that are, where the results of blocks are too large for that


class MemorySource:
    """Blocks of rows as views of the caller's arrays.

    A CSC matrix has no cheap rows, so it is one block; its kernels work by columns.

    Parameters
    ----------
    X : ndarray or sparse matrix
        The table.
    y : ndarray, optional
        Target of each row.
    weight : ndarray, optional
        Weight of each row; one without.
    confounders : ndarray, optional
        What is taken out of the columns of each row besides the mean, n x z.
    names : list of str, optional
        Names of the columns.
    block_bytes : int
        Size of a block.
    copied : int
        Bytes of rows that may be turned to columns, for these to be at hand; none where columns are not asked
        for, or bytes are counted.
    """

    def __init__(
        self,
        X: Any,
        y: NDArray[Any] | None = None,
        weight: NDArray[np.float64] | None = None,
        confounders: NDArray[np.float64] | None = None,
        *,
        names: list[str] | None = None,
        block_bytes: int = BLOCK_BYTES,
        copied: int = 0,
    ) -> None:
        self.X: Matrix = _canonical(X, copied) if sparse.issparse(X) else X
        self.y, self.weight, self.confounders, self.names = y, weight, confounders, names
        self._block_bytes, self._counted = block_bytes, not copied

    @property
    def shape(self) -> tuple[int, int]:
        n_rows, n_columns = self.X.shape
        return n_rows, n_columns

    def take(self, rows: NDArray[np.intp]) -> MemorySource:
        """A source of some of the rows, copied."""
        return MemorySource(
            self.X[rows], *self._beside(rows), names=self.names, block_bytes=self._block_bytes
        )

    def with_targets(self, y: NDArray[Any]) -> MemorySource:
        """The same rows with other targets."""
        other = copy(self)
        other.y = y
        return other

    def reduce(self, kernel: Kernel[T]) -> T:
        n_numbers = getattr(kernel, "n_numbers", 0)
        n_threads = self._threads(n_numbers)
        large = n_threads == 1 and self.shape[0] * n_numbers >= LARGE_PRODUCT
        with one_thread(), all_threads() if large else nullcontext():
            parts = map_in_order(kernel, self.blocks(n_numbers), n_threads)
            total = next(parts)
            for part in parts:
                total += part  # in place, where it can be
        return total

    def _threads(self, n_numbers: int) -> int:
        """Threads that blocks are worth: all there may be, unless a pass is short or what they make large."""
        X = self.X
        stored = X.size if isinstance(X, np.ndarray) else 2 * X.nnz
        if stored < LARGE_TABLE:
            return 1
        return max(1, min(allowed_threads(), stored // (8 * max(n_numbers, 1))))

    def blocks(self, n_results: int = 0) -> Iterator[Block]:
        """The rows in order, in blocks of which no more than `n_results` numbers each are made."""
        return (self._block(rows) for rows in self._slices(n_results))

    def _block(self, rows: slice) -> Block:
        X = self.X[rows] if isinstance(self.X, np.ndarray) else rows_of(self.X, rows)
        return Block(X, *self._beside(rows))

    def _beside(self, rows: Any) -> tuple[Any, ...]:
        """Targets, weights and confounders of some rows."""
        beside = (self.y, self.weight, self.confounders)
        return tuple(None if of_all is None else of_all[rows] for of_all in beside)

    def _slices(self, n_results: int) -> Iterator[slice]:
        """As many rows as the bytes allow, but not to make more of them than they are."""
        X = self.X
        n_rows, n_columns = self.shape
        if isinstance(X, np.ndarray):
            step = max(1, max(self._block_bytes // 8, n_results) // n_columns)
            yield from (slice(start, min(start + step, n_rows)) for start in range(0, max(n_rows, 1), step))
        elif X.format == "csc":
            yield slice(0, n_rows)
        else:
            uncopied = X.dtype == np.float64 and not self._counted
            n_bytes = self._block_bytes * (UNCOPIED if uncopied else 1)  # of which an entry takes 16
            yield from row_slices(X, max(n_bytes // 16, n_results))


class MemoryRows(BatchedRows):
    """Rows in memory as those of a table that stays where it is.

    `labels` are what their targets number, `targets` what several of them are called.
    """

    def __init__(
        self,
        source: MemorySource,
        labels: tuple[Any, ...] | None = None,
        targets: list[str] | None = None,
    ) -> None:
        self.targets = targets
        self._source, self._labels, self.names = source, labels, source.names
        self.n_rows, self.n_columns = source.shape

    def blocks(self, columns: bool = True) -> Iterator[Block]:
        for block in self._source.blocks():
            y = block.y if self._labels is None else Coded(self._labels, block.y)
            yield replace(block, X=block.X if columns else block.X[:, :0], y=y)


def _canonical(X: Any, copied: int) -> Sparse:
    """A CSR or CSC matrix with each entry once: a square is not the sum of squares of its parts.

    Rows are turned to columns where a copy of so many bytes is allowed, and needed anyway or worth it.
    """
    array = sparse.csc_array if X.format == "csc" else sparse.csr_array
    X = array(X, copy=False)
    canonical, dense = X.has_canonical_format, X.nnz > THIN * X.shape[0] * X.shape[1]
    if X.format == "csr" and X.data.nbytes + X.indices.nbytes <= copied and (dense or not canonical):
        X = X.tocsc()
        X.sum_duplicates()
    elif not canonical:
        X = X.copy()
        X.sum_duplicates()
    return X


def row_slices(X: Sparse, entries: int) -> Iterator[slice]:
    """The rows in order, as many at a time as store so many entries, or one that stores more."""
    start, n_rows = 0, X.shape[0]
    while start < max(n_rows, 1):
        stop = int(np.searchsorted(X.indptr, X.indptr[start] + entries, side="right")) - 1
        stop = max(stop, start + 1)
        yield slice(start, min(stop, n_rows))
        start = stop


def rows_of(X: Sparse, rows: slice) -> Sparse:
    """Some rows; the matrix itself where they are all."""
    if rows.stop - rows.start == X.shape[0]:
        return X
    first, last = X.indptr[rows.start], X.indptr[rows.stop]
    part = sparse.csr_array((rows.stop - rows.start, X.shape[1]), dtype=X.dtype)
    part.data, part.indices = X.data[first:last], X.indices[first:last]
    part.indptr = X.indptr[rows.start : rows.stop + 1] - first
    part.has_canonical_format = True
    return part
