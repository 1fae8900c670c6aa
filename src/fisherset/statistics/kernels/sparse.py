"""What is computed of a sparse block of rows (b x d, CSR or CSC, float64), without filling it in."""

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

ENTRIES = 2**18  # stored entries squared at a time
INDICATORS = 8  # up to which a product with their indicator, filled in, is faster than to count entries
TOGETHER = 512  # columns whose products are formed together
DENSE = 8  # a product with a number, in a row of them, costs so many times less than one with a stored entry
NARROWER = 4  # times that what is filled in again and again is, beside what is filled in once
FILLED = 8  # columns whose products are worth filling in those they are multiplied with
FORMED = 2**21  # numbers of a product, formed at a time


def sums(X: Sparse, T: Matrix) -> Floats:
    """T'X, p x d."""
    if isinstance(T, np.ndarray):
        return np.asarray((X.T @ T).T)
    if X.format == "csc":  # each format the way that needs no conversion
        product = X.T @ (T.toarray() if T.shape[1] <= FEW_TARGETS else T)
        return np.ascontiguousarray((product if isinstance(product, np.ndarray) else product.toarray()).T)
    if T.shape[1] <= INDICATORS:
        return np.ascontiguousarray((X.T @ T.toarray()).T)
    one_each = T.nnz == T.shape[0] and (np.diff(T.indptr) == 1).all()
    if one_each and T.shape[1] * X.shape[1] <= X.nnz:
        return _sums_by_class(X, T.indices, T.data, T.shape[1])
    return np.asarray((T.T.tocsr() @ X).toarray())


def _sums_by_class(X: Sparse, codes: Indices, weights: Floats, size: int) -> Floats:
    """T'X where each row is of one class: entries counted, in half the time of a product."""
    d, weighted = X.shape[1], bool((weights != 1.0).any())
    total = np.zeros(size * d)
    for part, major, stored in _entries(X):
        place = np.repeat(codes[major] * d, stored)
        place += X.indices[part]
        data = X.data[part] * np.repeat(weights[major], stored) if weighted else X.data[part]
        total += np.bincount(place, data, minlength=total.size)
    return total.reshape(size, d)


def squares(X: Sparse, weights: Floats | None) -> Floats:
    """Weighted sum of squares of each column."""
    total = np.zeros(X.shape[1])
    if X.format == "csr":
        for rows in row_slices(X, ENTRIES):
            part = copy(rows_of(X, rows))
            part.data = part.data**2
            total += part.T @ (np.ones(part.shape[0]) if weights is None else weights[rows])
        return total
    for part, major, stored in _entries(X):
        squared, minor = X.data[part] ** 2, X.indices[part]
        if weights is not None:
            squared *= weights[minor]
        some = np.flatnonzero(stored)
        first = np.cumsum(stored)[some] - stored[some]
        total[major.start + some] += np.add.reduceat(squared, first)
    return total


def _entries(X: Sparse) -> Iterator[tuple[slice, slice, Indices]]:
    """Some stored entries after the other: which, of which rows (of CSC columns), how many of each."""
    for start in range(0, X.nnz, ENTRIES):
        stop = min(start + ENTRIES, X.nnz)
        first = int(np.searchsorted(X.indptr, start, "right")) - 1
        last = int(np.searchsorted(X.indptr, stop, "left"))
        stored = np.diff(np.clip(X.indptr[first : last + 1], start, stop))
        yield slice(start, stop), slice(first, last), stored


def anything(X: Sparse, columns: Indices, rows: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    """Whether some rows, or all, hold anything but nought, of each of these columns."""
    kept = slice(None) if rows is None else np.flatnonzero(rows)
    return np.asarray(abs(X[:, columns][kept]).max(axis=0).toarray()).ravel() > 0


def whole(X: Sparse) -> NDArray[np.bool_]:
    """Whether each column has whole numbers only."""
    with np.errstate(invalid="ignore"):
        broken = np.flatnonzero(X.data != np.rint(X.data))
    found: NDArray[np.bool_] = np.ones(X.shape[1], dtype=bool)
    columns = X.indices if X.format == "csr" else np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
    found[columns[broken]] = False
    return found


def few(n_columns: int, of: int) -> bool:
    """Whether so many columns are so few that taking them out of the block is worth it."""
    return 2 * n_columns < of


def take(X: Sparse, columns: Indices) -> Sparse:
    """The given columns of the block."""
    some: Sparse = X[:, columns]
    return some


def combine(X: Sparse, columns: Indices, W: Floats) -> Floats:
    """X[:, columns] @ W, b x p."""
    if X.format == "csc" or X.shape[1] * W.shape[1] > X.nnz:  # they are at hand, or it is dear to spread W
        product: Floats = X[:, columns] @ W
        return product
    spread = np.zeros((X.shape[1], W.shape[1]))
    spread[columns] = W
    mixed: Floats = X @ spread
    return mixed


def transposed(X: Sparse, V: Floats, out: Floats | None = None) -> Floats:
    """X' V, d x p; into `out` where that is given, some columns at a time."""
    if out is None:
        product: Floats = X.T @ V
        return product
    step = max(1, FORMED // max(X.shape[1], 1))
    for start in range(0, V.shape[1], step):
        part = slice(start, start + step)
        out[:, part] = X.T @ V[:, part]
    return out


def cross(left: Sparse, right: Sparse, weights: Floats | None, most: int = FORMED) -> Filling:
    """Weighted products of the columns of two blocks of the same rows.

    Columns that are hardly sparse are filled in, as that is faster, `most` numbers at a time; those of the
    others are not.
    """
    if weights is not None:
        left = sparse.diags_array(weights) @ left
    shape = left.shape[1], right.shape[1]
    thin = _thin(left)
    if thin and DENSE * float(_of_rows(left) @ _of_rows(right)) < shape[0] * shape[1]:
        return Filling((right.T @ left).T.tocsr())
    product = np.empty(shape)
    filled = not thin and not _thin(right) and shape[0] >= FILLED
    height = left.shape[0] if filled else shape[1]
    step = max(1, min(FORMED, most if filled else FORMED) // max(height, 1))
    for start in range(0, shape[0], step):
        part, place = left[:, start : start + step], product[start : start + step]
        if thin:
            (right.T @ part).T.toarray(out=place)
        elif filled:
            _fill(part.toarray(), right, max(1, step // NARROWER), place)
        else:
            place[:] = (right.T @ part.toarray()).T
    return Filling(product)


def _thin(X: Sparse) -> bool:
    """Whether products are faster by the stored entries than with all filled in."""
    return bool(DENSE * X.nnz < X.shape[0] * X.shape[1])


def _fill(left: Floats, right: Sparse, step: int, out: Floats) -> None:
    """Products with columns that are filled in, some at a time."""
    for start in range(0, right.shape[1], step):
        part = slice(start, start + step)
        np.matmul(left.T, right[:, part].toarray(), out=out[:, part])


def _of_rows(X: Sparse) -> Floats:
    """How many entries each row stores."""
    stored = np.diff(X.indptr) if X.format == "csr" else np.bincount(X.indices, minlength=X.shape[0])
    return stored.astype(np.float64)


class Filling:
    """Products that are sparse as long as they are of one block, and filled in, in place, as they add up."""

    __array_ufunc__ = None  # what arrays are added to these is for them to say

    def __init__(self, values: Matrix) -> None:
        self._values = values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        values = self._values
        return np.asarray(values if isinstance(values, np.ndarray) else values.toarray(), dtype=dtype)

    def __iadd__(self, other: Filling | Floats) -> Filling:
        added = other._values if isinstance(other, Filling) else other
        if not isinstance(self._values, np.ndarray):
            self._values = self._values.toarray()
        if isinstance(added, np.ndarray):
            self._values += added
        else:
            for row, (first, last) in enumerate(pairwise(added.indptr)):
                self._values[row, added.indices[first:last]] += added.data[first:last]
        return self

    def __add__(self, other: Filling | Floats) -> Filling:
        total = Filling(self._values.copy())
        total += other
        return total

    __radd__ = __add__


def square(X: Sparse, weights: Floats | None) -> Floats:
    """Weighted products of all columns, d x d."""
    left = X if weights is None else sparse.diags_array(weights) @ X
    product: Floats = (left.T @ X).toarray()
    return product


def blocks(X: Sparse, size: int, weights: Floats | None) -> Floats:
    """Weighted products of the columns of each group among themselves, groups x size x size."""
    product = np.empty((X.shape[1] // size, size, size))
    step = max(1, TOGETHER // size)
    for start in range(0, len(product), step):
        part = X[:, start * size : (start + step) * size]
        left = part if weights is None else sparse.diags_array(weights) @ part
        among, at = (left.T @ part).toarray(), np.arange(part.shape[1]).reshape(-1, size)
        product[start : start + step] = among[at[:, :, None], at[:, None, :]]
    return product


def outer(X: Sparse, N: Floats, beta: Floats, weights: Floats) -> Floats:
    """Sum of weights[j] x_j x_j' over the columns x_j of X - N beta, which is not filled in: b x b."""
    kernel: Floats = ((X * weights) @ X.T).toarray()
    shift = (X @ (weights * beta).T) @ N.T
    kernel -= shift
    kernel -= shift.T
    kernel += N @ ((weights * beta) @ beta.T) @ N.T
    return kernel


def stack(parts: list[Sparse]) -> Sparse:
    """Blocks of rows put back together."""
    return parts[0] if len(parts) == 1 else sparse.vstack(parts, format=parts[0].format)


def row_squares(X: Sparse) -> Floats:
    """Sum of squares of each row."""
    return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
