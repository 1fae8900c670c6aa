"""Sums and products of a dense block of rows (b x d, float64)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats, Indices
from fisherset.data import Matrix

LARGE_BLOCK = 2**18  # numbers (2 MB) from which SciPy's copy of a strided block is worth avoiding
EXTRACTION_COST = 16  # of a column copied out of rows, in columns multiplied where they are
FEW_TARGETS = 32  # up to which a dense indicator, b x p, costs less than a sparse product


def sums(X: Floats, T: Matrix) -> Floats:
    """T'X, p x d."""
    # a product with a sparse T is SciPy's, which copies X unless its rows are contiguous
    copied = X.size > LARGE_BLOCK and not X.flags.c_contiguous
    if copied and not isinstance(T, np.ndarray) and T.shape[1] <= FEW_TARGETS:
        T = T.toarray()
    return T.T @ X


def squares(X: Floats, weights: Floats | None) -> Floats:
    """Weighted sum of squares of each column; einsum makes no array of squares."""
    with_weights = () if weights is None else (weights,)
    return np.einsum("ij,ij,i->j" if with_weights else "ij,ij->j", X, X, *with_weights)


def row_squares(X: Floats) -> Floats:
    """Sum of squares of each row."""
    return np.einsum("ij,ij->i", X, X)


def any_nonzero(X: Floats, columns: Indices, rows: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    """Whether each of these columns has a nonzero value in some rows, or in any."""
    some = X[:, columns] if rows is None else X[np.ix_(rows, columns)]
    return np.any(some, axis=0)


def all_whole(X: Floats) -> NDArray[np.bool_]:
    """Whether each column has whole numbers only."""
    with np.errstate(invalid="ignore"):
        found: NDArray[np.bool_] = np.all(np.rint(X) == X, axis=0)
    return found


def combine(X: Floats, columns: Indices, W: Floats) -> Floats:
    """X[:, columns] @ W, b x p."""
    return X[:, columns] @ W


def transposed(X: Floats, V: Floats, out: Floats | None = None) -> Floats:
    """X' V, d x p; into `out` where that is given."""
    product: Floats = (V.T @ X).T  # faster than X.T @ V: rows of X are read as they are stored
    if out is None:
        return product
    out[:] = product
    return out


def cross(left: Floats, right: Floats, weights: Floats | None, max_filled: int = 0) -> Floats:
    """Weighted products of the columns of two blocks of the same rows; `max_filled` is for sparse ones."""
    if left is right:
        return square(left, weights)
    return (left if weights is None else left * weights[:, None]).T @ right


def square(X: Floats, weights: Floats | None) -> Floats:
    """Weighted products of all columns, d x d."""
    W = X if weights is None else X * np.sqrt(weights)[:, None]
    return W.T @ W  # numpy sees one matrix twice and computes one half only (syrk)


def blocks(X: Floats, size: int, weights: Floats | None) -> Floats:
    """Weighted products of the columns of each group among themselves, groups x size x size."""
    columns = X.T.reshape(-1, size, X.shape[0])
    return (columns if weights is None else columns * weights) @ np.swapaxes(columns, 1, 2)


def outer(X: Floats, N: Floats, beta: Floats, weights: Floats) -> Floats:
    """Sum of weights[j] x_j x_j' over the columns x_j of X - N beta: b x b."""
    centred = (X - N @ beta) * np.sqrt(weights)
    return centred @ centred.T
