"""Checks of samples and targets by the rules of `fit`, for functions that do not measure a table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset._types import Floats, Indices
from fisherset.validation.numbers import reject_nonfinite
from fisherset.validation.table import check_bare_table
from fisherset.validation.targets import check_labels, check_targets


def check_samples(X: Any, y: Any) -> tuple[Any, NDArray[Any], Indices]:
    """The table as an array or a CSR/CSC matrix, its classes, and the class number of each row."""
    table, names = check_bare_table(X)
    classes, codes = check_labels(y, table.shape[0])
    check_finite(table, names)
    return table, classes, codes


def check_target(y: Any, n_samples: int) -> Floats:
    """One number for each sample."""
    targets = check_targets(y, n_samples)
    if targets.shape[1] != 1:
        raise ValueError(f"y must be one number for each sample; got {targets.shape[1]} of them.")
    return targets[:, 0]


def check_finite(table: Any, names: Any) -> None:
    """Refuse NaN and infinity, which a selector's class sums would find, where there are no such sums."""
    finite = np.ones(table.shape[1], dtype=bool)
    if sparse.issparse(table):
        finite[table.tocoo().col[~np.isfinite(table.data)]] = False
    elif table.dtype.kind == "f":
        finite = np.isfinite(table).all(axis=0)
    reject_nonfinite(finite, names)
