"""Some columns of a table, asked for by their numbers, their names or a mask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from fisherset._types import Floats, Indices
from fisherset.validation.samples import check_bare_table, check_features, check_finite

SAFE = 200  # power of two up to which, either way, squares are within the range of float64


class Columns(NamedTuple):
    """Columns in the order they were asked for, so that best first stays best first.

    Attributes
    ----------
    numbers : ndarray of int
        Where they stand in the table.
    names : list of str
        What they are called.
    values : ndarray of shape (n_samples, len(numbers))
        What they hold.
    """

    numbers: Indices
    names: list[str]
    values: Floats


def columns_of(X: Any, features: Any = None, names: Sequence[str] | None = None) -> Columns:
    """Some columns of a table, or all of them.

    Parameters
    ----------
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
        The samples.
    features : array-like, default=None
        Column numbers, column names, or a boolean mask; None for all.
    names : sequence of str, default=None
        Names of all columns; None for those of X, or their numbers.

    Returns
    -------
    columns : Columns
        Numbers, names and values of them.
    """
    table, known = check_bare_table(X)
    if names is not None:
        known = [str(name) for name in names]
    if known is not None and len(known) != table.shape[1]:
        raise ValueError(f"names must name each of the {table.shape[1]} columns of X; got {len(known)}.")
    numbers = np.arange(table.shape[1])
    if features is not None:
        numbers = check_features(features, table.shape[1], known, rising=False)
    labels = [f"x{j}" if known is None else known[j] for j in numbers]
    chosen = table[:, numbers]
    check_finite(chosen, labels)
    return Columns(numbers, labels, dense(chosen))


def dense(X: Any) -> Floats:
    """An array of float64, whatever the storage."""
    return np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)


def in_safe_units(table: Any) -> Any:
    """The table with columns whose squares float64 cannot hold in units of their own: for scikit-learn."""
    least, most = table.min(axis=0), table.max(axis=0)
    if sparse.issparse(table):
        least, most = least.toarray().ravel(), most.toarray().ravel()
    largest = np.maximum(-np.asarray(least, dtype=np.float64), np.asarray(most, dtype=np.float64))
    exponent = np.frexp(largest)[1]
    unit = np.ldexp(1.0, np.where(np.abs(exponent) > SAFE, np.clip(exponent, -1000, 1000), 0))
    if (unit == 1.0).all():
        return table
    return table @ sparse.diags_array(1 / unit) if sparse.issparse(table) else table / unit
