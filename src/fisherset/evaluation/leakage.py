"""Target leakage: columns that are copies of the labels or made from them, the commonest mistake."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from fisherset._types import Indices
from fisherset.statistics.leakage import leaking_columns
from fisherset.statistics.measure import measure


def giveaways(
    X: Any,
    y: Any,
    texts: Sequence[str | None] | None = None,
    *,
    task: str = "classification",
) -> Indices:
    """Columns that are a function of the class, or of which the class is one.

    With a target of numbers, columns that are a linear function of it.

    Parameters
    ----------
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features), or a table
        The samples; or a table that brings its own targets, as for a selector.
    y : array-like of shape (n_samples,)
        Their class labels, or numbers; None for a table that brings its own.
    texts : sequence of str or None, default=None
        For each column that indicates a value of a string column the name of that, for others None.
    task : {"classification", "regression"}, default="classification"
        Whether y holds labels or numbers.

    Returns
    -------
    columns : ndarray
        Their numbers, rising.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from fisherset.evaluation import giveaways
    >>> X, y = load_wine(return_X_y=True)
    >>> giveaways(np.column_stack([X, 3 - y]), y)
    array([13])
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is not asked here
        return leaking_columns(measure(X, y, task=task), texts)
