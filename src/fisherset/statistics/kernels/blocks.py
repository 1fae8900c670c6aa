"""Blocks of rows: which kernel computes on them, their weights, and what is taken out of their columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse as scipy_sparse

from fisherset._types import Floats
from fisherset.data import Block, Matrix
from fisherset.statistics.kernels import dense, sparse


def kernel_of(X: Matrix) -> Any:
    """The module that computes on blocks of this kind; `dense` and `sparse` have the same functions."""
    return dense if isinstance(X, np.ndarray) else sparse


def nuisance(block: Block) -> Floats:
    """N = [1, confounders], what is taken out of every column: b x z."""
    ones = np.ones((block.X.shape[0], 1))
    return ones if block.confounders is None else np.hstack([ones, block.confounders])


def weighted(A: Matrix, weight: Floats | None) -> Matrix:
    """The rows of a matrix times their weights; itself where they have none."""
    if weight is None:
        return A
    return A * weight[:, None] if isinstance(A, np.ndarray) else scipy_sparse.diags_array(weight) @ A
