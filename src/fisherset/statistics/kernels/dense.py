"""What is computed of a dense block of rows (b x d, float64)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats, Indices
from fisherset.data import Matrix

LARGE_BLOCK = 2**18  # numbers of which a copy is worth avoiding
FEW_TARGETS = 32  # whose indicator costs little when it is filled in


def sums(X: Floats, T: Matrix) -> Floats:
    """T'X, p x d."""
    copied = X.size > LARGE_BLOCK and not X.flags.c_contiguous  # by SciPy, before it begins
    if copied and not isinstance(T, np.ndarray) and T.shape[1] <= FEW_TARGETS:
        T = T.toarray()
    product: Floats = T.T @ X
    return product


def squares(X: Floats, weights: Floats | None) -> Floats:
    """Weighted sum of squares of each column."""
    with_weights = () if weights is None else (weights,)
    total: Floats = np.einsum("ij,ij,i->j" if with_weights else "ij,ij->j", X, X, *with_weights)
    return total


def anything(X: Floats, columns: Indices, rows: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    """Whether some rows, or all, hold anything but nought, of each of these columns."""
    some = X[:, columns] if rows is None else X[np.ix_(rows, columns)]
    found: NDArray[np.bool_] = np.any(some, axis=0)
    return found


def whole(X: Floats) -> NDArray[np.bool_]:
    """Whether each column has whole numbers only."""
    with np.errstate(invalid="ignore"):
        found: NDArray[np.bool_] = np.all(np.rint(X) == X, axis=0)
    return found


def few(n_columns: int, of: int) -> bool:
    """Whether so many columns are so few that taking them out of rows, which are read anyway, is worth it."""
    return 16 * n_columns < of


def take(X: Floats, columns: Indices) -> Floats:
    """The given columns of the block."""
    return X[:, columns]


def combine(X: Floats, columns: Indices, W: Floats) -> Floats:
    """X[:, columns] @ W, b x p."""
    mixed: Floats = X[:, columns] @ W
    return mixed


def transposed(X: Floats, V: Floats, out: Floats | None = None) -> Floats:
    """X' V, d x p; into `out` where that is given."""
    product: Floats = (V.T @ X).T  # faster than X.T @ V
    if out is None:
        return product
    out[:] = product
    return out


def cross(left: Floats, right: Floats, weights: Floats | None, most: int = 0) -> Floats:
    """Weighted products of the columns of two blocks of the same rows; `most` is for sparse ones."""
    if left is right:
        return square(left, weights)
    product: Floats = (left if weights is None else left * weights[:, None]).T @ right
    return product


def square(X: Floats, weights: Floats | None) -> Floats:
    """Weighted products of all columns, d x d."""
    W = X if weights is None else X * np.sqrt(weights)[:, None]
    product: Floats = W.T @ W  # of a matrix with itself numpy computes one half only
    return product


def blocks(X: Floats, size: int, weights: Floats | None) -> Floats:
    """Weighted products of the columns of each group among themselves, groups x size x size."""
    columns = X.T.reshape(-1, size, X.shape[0])
    product: Floats = (columns if weights is None else columns * weights) @ np.swapaxes(columns, 1, 2)
    return product


def outer(X: Floats, N: Floats, beta: Floats, weights: Floats) -> Floats:
    """Sum of weights[j] x_j x_j' over the columns x_j of X - N beta: b x b."""
    centred = (X - N @ beta) * np.sqrt(weights)
    kernel: Floats = centred @ centred.T
    return kernel


def stack(parts: list[Floats]) -> Floats:
    """Blocks of rows put back together."""
    return parts[0] if len(parts) == 1 else np.vstack(parts)


def row_squares(X: Floats) -> Floats:
    """Sum of squares of each row."""
    total: Floats = np.einsum("ij,ij->i", X, X)
    return total
