"""Sums and products of a sparse block of rows (b x d, CSR or CSC, float64), which is never filled in whole.

Most functions choose between two orders of work: along the stored entries, each of which costs several
times a multiplication of the BLAS, or with some columns filled in, where these are hardly sparse.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset._types import Floats, Indices
from fisherset.data import Matrix, Sparse, row_slices, rows_of
from fisherset.statistics.kernels.dense import FEW_TARGETS

EXTRACTION_COST = 2  # of a column copied out of the block, in columns multiplied where they are
ENTRIES_AT_A_TIME = 2**18  # of which copies are made: 2 MB stay in the cache of a core
STORED_ENTRY_COST = 8  # of a multiplication by a stored entry, in multiplications of dense rows
FILLED_AT_A_TIME = 2**21  # numbers of a product, or of columns filled in: 16 MB


def sums(X: Sparse, T: Matrix) -> Floats:
    """T'X, p x d."""
    if isinstance(T, np.ndarray):
        return np.asarray((X.T @ T).T)
    if X.format == "csc":  # each format the way that needs no conversion
        product = X.T @ (T.toarray() if T.shape[1] <= FEW_TARGETS else T)
        return np.ascontiguousarray((product if isinstance(product, np.ndarray) else product.toarray()).T)
    if T.shape[1] <= 8:  # up to which a product with the dense indicator is faster than counting
        return np.ascontiguousarray((X.T @ T.toarray()).T)
    one_each = T.nnz == T.shape[0] and (np.diff(T.indptr) == 1).all()
    if one_each and T.shape[1] * X.shape[1] <= X.nnz:
        return _sums_by_class(X, T.indices, T.data, T.shape[1])
    return np.asarray((T.T.tocsr() @ X).toarray())


def _sums_by_class(X: Sparse, codes: Indices, weights: Floats, size: int) -> Floats:
    """T'X where each row is of one class: entries counted, in half the time of a product."""
    d, has_weights = X.shape[1], bool((weights != 1.0).any())
    total = np.zeros(size * d)
    for part, major, stored in _entries(X):
        place = np.repeat(codes[major] * d, stored)
        place += X.indices[part]
        data = X.data[part] * np.repeat(weights[major], stored) if has_weights else X.data[part]
        total += np.bincount(place, data, minlength=total.size)
    return total.reshape(size, d)


def squares(X: Sparse, weights: Floats | None) -> Floats:
    """Weighted sum of squares of each column."""
    total = np.zeros(X.shape[1])
    if X.format == "csr":
        for rows in row_slices(X, ENTRIES_AT_A_TIME):
            part = copy(rows_of(X, rows))
            part.data = part.data**2
            total += part.T @ (np.ones(part.shape[0]) if weights is None else weights[rows])
        return total
    for part, major, stored in _entries(X):
        squared, minor = X.data[part] ** 2, X.indices[part]
        if weights is not None:
            squared *= weights[minor]
        some = np.flatnonzero(stored)  # reduceat has no sum of nothing
        first = np.cumsum(stored)[some] - stored[some]
        total[major.start + some] += np.add.reduceat(squared, first)
    return total


def row_squares(X: Sparse) -> Floats:
    """Sum of squares of each row."""
    return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()


def _entries(X: Sparse) -> Iterator[tuple[slice, slice, Indices]]:
    """Stored entries in parts: which entries, of which rows (columns for CSC), and how many of each."""
    for start in range(0, X.nnz, ENTRIES_AT_A_TIME):
        stop = min(start + ENTRIES_AT_A_TIME, X.nnz)
        first = int(np.searchsorted(X.indptr, start, "right")) - 1
        last = int(np.searchsorted(X.indptr, stop, "left"))
        stored = np.diff(np.clip(X.indptr[first : last + 1], start, stop))
        yield slice(start, stop), slice(first, last), stored


def entry_columns(X: Sparse) -> Indices:
    """Column of each stored entry."""
    return X.indices if X.format == "csr" else np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))


def any_nonzero(X: Sparse, columns: Indices, rows: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    """Whether each of these columns has a nonzero value in some rows, or in any."""
    kept = slice(None) if rows is None else np.flatnonzero(rows)
    return np.asarray(abs(X[:, columns][kept]).max(axis=0).toarray()).ravel() > 0


def all_whole(X: Sparse) -> NDArray[np.bool_]:
    """Whether each column has whole numbers only."""
    with np.errstate(invalid="ignore"):
        broken = np.flatnonzero(X.data != np.rint(X.data))
    found: NDArray[np.bool_] = np.ones(X.shape[1], dtype=bool)
    found[entry_columns(X)[broken]] = False
    return found


def combine(X: Sparse, columns: Indices, W: Floats) -> Floats:
    """X[:, columns] @ W, b x p."""
    # columns of CSC are cheap to extract; of CSR it is cheaper to scatter W, unless that is larger than X
    if X.format == "csc" or X.shape[1] * W.shape[1] > X.nnz:
        return X[:, columns] @ W
    scattered = np.zeros((X.shape[1], W.shape[1]))
    scattered[columns] = W
    return X @ scattered


def transposed(X: Sparse, V: Floats, out: Floats | None = None) -> Floats:
    """X' V, d x p; into `out` where that is given, some columns at a time."""
    if out is None:
        return X.T @ V
    step = max(1, FILLED_AT_A_TIME // max(X.shape[1], 1))
    for start in range(0, V.shape[1], step):
        part = slice(start, start + step)
        out[:, part] = X.T @ V[:, part]
    return out


def cross(
    left: Sparse, right: Sparse, weights: Floats | None, max_filled: int = FILLED_AT_A_TIME
) -> SparseAccumulator:
    """Weighted products of the columns of two blocks of the same rows.

    Columns that are hardly sparse are filled in, as that is faster, `max_filled` numbers at a time.
    """
    if weights is not None:
        left = sparse.diags_array(weights) @ left
    shape = left.shape[1], right.shape[1]
    by_entries = _by_entries(left)
    # the number of multiplications of a sparse product, which is sparse itself where they are few
    if by_entries and STORED_ENTRY_COST * float(_row_counts(left) @ _row_counts(right)) < shape[0] * shape[1]:
        return SparseAccumulator((right.T @ left).T.tocsr())
    product = np.empty(shape)
    # to fill in `right`, once for each part of `left`, pays for 8 columns and more
    filled = not by_entries and not _by_entries(right) and shape[0] >= 8
    height = left.shape[0] if filled else shape[1]
    step = max(1, min(FILLED_AT_A_TIME, max_filled if filled else FILLED_AT_A_TIME) // max(height, 1))
    for start in range(0, shape[0], step):
        part, place = left[:, start : start + step], product[start : start + step]
        if by_entries:
            (right.T @ part).T.toarray(out=place)
        elif filled:
            _multiply_filled(part.toarray(), right, max(1, step // 4), place)
        else:
            place[:] = (right.T @ part.toarray()).T
    return SparseAccumulator(product)


def _by_entries(X: Sparse) -> bool:
    """Whether products are faster along the stored entries than with all filled in."""
    return bool(STORED_ENTRY_COST * X.nnz < X.shape[0] * X.shape[1])


def _multiply_filled(left: Floats, right: Sparse, step: int, out: Floats) -> None:
    """Products with columns that are filled in, some at a time."""
    for start in range(0, right.shape[1], step):
        part = slice(start, start + step)
        np.matmul(left.T, right[:, part].toarray(), out=out[:, part])


def _row_counts(X: Sparse) -> Floats:
    """Number of entries that each row stores."""
    stored = np.diff(X.indptr) if X.format == "csr" else np.bincount(X.indices, minlength=X.shape[0])
    return stored.astype(np.float64)


class SparseAccumulator:
    """Products that are sparse for one block, and become a dense array, in place, as blocks add up."""

    __array_ufunc__ = None  # so that array + accumulator is left to __radd__

    def __init__(self, values: Matrix) -> None:
        self._values = values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        values = self._values
        return np.asarray(values if isinstance(values, np.ndarray) else values.toarray(), dtype=dtype)

    def __iadd__(self, other: SparseAccumulator | Floats) -> SparseAccumulator:
        added = other._values if isinstance(other, SparseAccumulator) else other
        if not isinstance(self._values, np.ndarray):
            self._values = self._values.toarray()
        if isinstance(added, np.ndarray):
            self._values += added
        else:
            for row, (first, last) in enumerate(pairwise(added.indptr)):
                self._values[row, added.indices[first:last]] += added.data[first:last]
        return self

    def __add__(self, other: SparseAccumulator | Floats) -> SparseAccumulator:
        total = SparseAccumulator(self._values.copy())
        total += other
        return total

    __radd__ = __add__


def square(X: Sparse, weights: Floats | None) -> Floats:
    """Weighted products of all columns, d x d."""
    left = X if weights is None else sparse.diags_array(weights) @ X
    return (left.T @ X).toarray()


def blocks(X: Sparse, size: int, weights: Floats | None) -> Floats:
    """Weighted products of the columns of each group among themselves, groups x size x size."""
    product = np.empty((X.shape[1] // size, size, size))
    step = max(1, 512 // size)  # groups at a time: their products with each other are computed, too
    for start in range(0, len(product), step):
        among = square(X[:, start * size : (start + step) * size], weights)
        at = np.arange(len(among)).reshape(-1, size)
        product[start : start + step] = among[at[:, :, None], at[:, None, :]]
    return product


def outer(X: Sparse, N: Floats, beta: Floats, weights: Floats) -> Floats:
    """Sum of weights[j] x_j x_j' over the columns x_j of X - N beta: b x b.

    X - N beta would be dense: (X - N beta) w (X - N beta)' is expanded instead.
    """
    kernel: Floats = ((X * weights) @ X.T).toarray()
    shift = (X @ (weights * beta).T) @ N.T
    kernel -= shift
    kernel -= shift.T
    kernel += N @ ((weights * beta) @ beta.T) @ N.T
    return kernel
