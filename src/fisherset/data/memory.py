"""Rows in memory: a numpy array or a SciPy sparse matrix, never copied whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from copy import copy
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._sparse import sparse
from fisherset._threads import all_threads, allowed_threads, map_in_order, one_thread
from fisherset.data.rows import Block, Coded, Kernel, Matrix, Sparse, T

# Size of a block once its numbers are float64: bounds what a kernel may copy.
BLOCK_BYTES = 8 * 2**20
# Bytes of rows that may be copied to columns: half a gigabyte, as much as a few blocks of many threads.
COLUMN_COPY_BYTES = 2**29
COLUMN_COPY_SHARE = 0.02  # of stored entries above which that is faster than gathering columns from rows
LARGE_TABLE = 2**24  # numbers of a table whose blocks are worth threads: tens of milliseconds of work
LARGE_PRODUCT = 2**25  # multiplications that are, where the results of blocks are too large for that


class MemoryRows:
    """Blocks of rows as views of the caller's arrays.

    A CSC matrix has no cheap rows, so it is one block; its kernels work by columns.

    Parameters
    ----------
    X : ndarray or sparse matrix
        The table.
    y : ndarray, Coded or sparse matrix, optional
        Target of each row.
    weight : ndarray, optional
        Weight of each row; one without.
    confounders : ndarray, optional
        Columns that are removed from those of X besides the mean, n x z.
    names, targets : list of str, optional
        Names of the columns, and of several targets.
    block_bytes : int
        Size of a block.
    copied : int
        Bytes of rows that may be copied to columns, for a search that needs columns again and again; zero
        where no columns are needed, or memory is limited.
    """

    def __init__(
        self,
        X: Any,
        y: Any = None,
        weight: NDArray[np.float64] | None = None,
        confounders: NDArray[np.float64] | None = None,
        *,
        names: list[str] | None = None,
        targets: list[str] | None = None,
        block_bytes: int = BLOCK_BYTES,
        copied: int = 0,
    ) -> None:
        self.X: Matrix = canonical(X, copied) if sparse.issparse(X) else X
        self.y, self.weight, self.confounders = y, weight, confounders
        self.names, self.targets = names, targets
        self._block_bytes, self._limited = block_bytes, not copied

    @property
    def n_rows(self) -> int:
        return int(self.X.shape[0])

    @property
    def n_columns(self) -> int:
        return int(self.X.shape[1])

    def labels(self, found: list[Any]) -> list[Any]:
        return found

    def head(self) -> Block:
        return next(self._blocks())

    def take(self, rows: NDArray[np.intp], out: NDArray[Any] | None = None) -> MemoryRows:
        """Some of the rows, copied; those of an array into `out`, which has as many or more, if given."""
        X = self.X[rows] if out is None else np.take(self.X, rows, axis=0, out=out[: rows.size], mode="clip")
        return MemoryRows(X, *self._arguments(rows), names=self.names, block_bytes=self._block_bytes)

    def runs(self, sizes: Sequence[int]) -> list[MemoryRows]:
        """The rows divided into runs, as views; X is dense or CSR."""
        ends = np.cumsum([0, *sizes]).tolist()
        places = [slice(*pair) for pair in pairwise(ends)]
        parts = [self.X[some] if isinstance(self.X, np.ndarray) else rows_of(self.X, some) for some in places]
        return [
            MemoryRows(X, *self._arguments(some), names=self.names, block_bytes=self._block_bytes)
            for X, some in zip(parts, places, strict=True)
        ]

    def with_targets(self, y: Any) -> MemoryRows:
        """The same rows with other targets."""
        other = copy(self)
        other.y = y
        return other

    def reduce(self, kernel: Kernel[T], *, columns: bool = True) -> T:
        n_numbers = getattr(kernel, "n_numbers", 0)
        n_threads = self._threads(n_numbers)
        large = n_threads == 1 and self.n_rows * n_numbers >= LARGE_PRODUCT
        with one_thread(), all_threads() if large else nullcontext():
            parts = map_in_order(kernel, self._blocks(n_numbers, columns), n_threads)
            total = next(parts)
            for part in parts:
                total += part  # in place, where it can be
        return total

    def _threads(self, n_numbers: int) -> int:
        """Threads that blocks are worth: all there may be, unless a pass is short or its results large."""
        X = self.X
        stored = X.size if isinstance(X, np.ndarray) else 2 * X.nnz
        if stored < LARGE_TABLE:
            return 1
        return max(1, min(allowed_threads(), stored // (8 * max(n_numbers, 1))))

    def _blocks(self, n_results: int = 0, columns: bool = True) -> Iterator[Block]:
        """The rows in order, in blocks no smaller than the `n_results` numbers that are made of each."""
        for rows in self._slices(n_results):
            X = self.X[rows] if isinstance(self.X, np.ndarray) else rows_of(self.X, rows)
            yield Block(X if columns else X[:, :0], *self._arguments(rows))

    def _arguments(self, rows: Any) -> tuple[Any, ...]:
        """Targets, weights and confounders of some rows."""
        y = self.y._replace(codes=self.y.codes[rows]) if isinstance(self.y, Coded) else _at(self.y, rows)
        return y, _at(self.weight, rows), _at(self.confounders, rows)

    def _slices(self, n_results: int) -> Iterator[slice]:
        """As many rows as the bytes allow, but not to make more of them than they are."""
        X, n_rows = self.X, self.n_rows
        if isinstance(X, np.ndarray):
            step = max(1, max(self._block_bytes // 8, n_results) // self.n_columns)
            yield from (slice(start, min(start + step, n_rows)) for start in range(0, max(n_rows, 1), step))
        elif X.format == "csc":
            yield slice(0, n_rows)
        else:
            # kernels see float64 as it is, so that blocks that are not copied may be 8 times as large
            uncopied = X.dtype == np.float64 and not self._limited
            n_bytes = self._block_bytes * (8 if uncopied else 1)  # of which an entry takes 16
            yield from row_slices(X, max(n_bytes // 16, n_results))


class JoinedRows:
    """Tables in memory, one below the other, as one; none is copied."""

    def __init__(self, parts: Sequence[MemoryRows]) -> None:
        self.parts = parts
        first = parts[0]
        self.n_rows, self.n_columns = sum(part.n_rows for part in parts), first.n_columns
        self.names, self.targets = first.names, first.targets

    def labels(self, found: list[Any]) -> list[Any]:
        return found

    def head(self) -> Block:
        return self.parts[0].head()

    def reduce(self, kernel: Kernel[T], *, columns: bool = True) -> T:
        total = self.parts[0].reduce(kernel, columns=columns)
        for part in self.parts[1:]:
            total += part.reduce(kernel, columns=columns)
        return total


def _at(values: Any, rows: Any) -> Any:
    return None if values is None else values[rows]


def canonical(X: Any, copied: int = 0) -> Sparse:
    """A CSR or CSC matrix with each entry once: a square is not the sum of squares of its parts.

    Rows are copied to columns where so many bytes may be copied, and a copy is needed anyway or worth it.
    """
    array = sparse.csc_array if X.format == "csc" else sparse.csr_array
    X = array(X, copy=False)
    canonical, dense = X.has_canonical_format, X.nnz > COLUMN_COPY_SHARE * X.shape[0] * X.shape[1]
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
