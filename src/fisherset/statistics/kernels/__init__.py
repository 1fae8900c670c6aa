"""Kernels on one block of rows. `dense` and `sparse` have the same functions, so that no caller branches."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse as scipy_sparse

from fisherset._types import Floats
from fisherset.data import Block, Matrix
from fisherset.statistics.kernels import dense, sparse


def kernel_of(X: Matrix) -> Any:
    """The module that computes on blocks of this storage."""
    return dense if isinstance(X, np.ndarray) else sparse


def nuisance(block: Block) -> Floats:
    """N = [1, confounders], which every column is residualised on: b x z."""
    ones = np.ones((block.X.shape[0], 1))
    return ones if block.confounders is None else np.hstack([ones, block.confounders])


def weighted(A: Matrix, weight: Floats | None) -> Matrix:
    """The rows of a matrix times their weights; the matrix itself without weights."""
    if weight is None:
        return A
    return A * weight[:, None] if isinstance(A, np.ndarray) else scipy_sparse.diags_array(weight) @ A


def join_columns(parts: list[Matrix]) -> Matrix:
    """Columns of the same rows; sparse where the first part is."""
    parts = [parts[0], *(part for part in parts[1:] if part.shape[1])]
    if len(parts) == 1:
        return parts[0]
    return scipy_sparse.hstack(parts, format="csr") if scipy_sparse.issparse(parts[0]) else np.hstack(parts)


def join_rows(blocks: list[Block]) -> Block:
    """Blocks of rows as one block."""
    if len(blocks) == 1:
        return blocks[0]
    names = ("X", "y", "weight", "confounders")
    return Block(*(_vstack([getattr(block, name) for block in blocks]) for name in names))


def _vstack(parts: list[Any]) -> Any:
    if parts[0] is None:
        return None
    if scipy_sparse.issparse(parts[0]):
        return scipy_sparse.vstack(parts, format=parts[0].format)
    return np.concatenate(parts)
