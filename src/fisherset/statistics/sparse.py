"""What is computed of a sparse block of rows (b x d, CSR or CSC, float64), without filling it in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset._types import Floats, Indices
from fisherset.sources import Matrix, Sparse

ENTRIES = 2**20  # stored entries squared at a time
TOGETHER = 512  # columns whose products are formed together


def sums(X: Sparse, T: Matrix) -> Floats:
    """T'X, p x d."""
    if isinstance(T, np.ndarray):
        return np.asarray((X.T @ T).T)
    by_row = X.format == "csr"  # each format the way that needs no conversion
    product: Floats = (T.T.tocsr() @ X).toarray() if by_row else (X.T @ T).toarray().T
    return product


def squares(X: Sparse, weights: Floats | None) -> Floats:
    """Weighted sum of squares of each column."""
    total = np.zeros(X.shape[1])
    by_row = X.format == "csr"
    for start in range(0, X.nnz, ENTRIES):
        part = slice(start, start + ENTRIES)
        squared, minor = X.data[part] ** 2, X.indices[part]
        if by_row and weights is None:
            column = minor
        else:
            major = np.searchsorted(X.indptr, np.arange(start, start + squared.size), "right") - 1
            row, column = (major, minor) if by_row else (minor, major)
            squared *= 1.0 if weights is None else weights[row]
        total += np.bincount(column, squared, minlength=total.size)
    return total


def anything(X: Sparse, columns: Indices, rows: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    """Whether some rows, or all, hold anything but nought, of each of these columns."""
    kept = slice(None) if rows is None else np.flatnonzero(rows)
    return np.asarray(abs(X[:, columns][kept]).max(axis=0).toarray()).ravel() > 0


def take(X: Sparse, columns: Indices) -> Sparse:
    """The given columns of the block."""
    some: Sparse = X[:, columns]
    return some


def combine(X: Sparse, columns: Indices, W: Floats) -> Floats:
    """X[:, columns] @ W, b x p."""
    if X.format == "csc":  # its columns are at hand
        product: Floats = X[:, columns] @ W
        return product
    spread = np.zeros((X.shape[1], W.shape[1]))
    spread[columns] = W
    mixed: Floats = X @ spread
    return mixed


def transposed(X: Sparse, V: Floats) -> Floats:
    """X' V, d x p."""
    product: Floats = X.T @ V
    return product


def cross(X: Sparse, columns: Indices, rows: Indices | None, weights: Floats | None) -> Floats:
    """Weighted cross products of some columns with others (all when None), len(columns) x d."""
    left = X[:, columns]
    if weights is not None:
        left = sparse.diags_array(weights) @ left
    product: Floats = ((X if rows is None else X[:, rows]).T @ left).toarray().T
    return product


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
