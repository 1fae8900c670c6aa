"""Columns that give the classes away, being copies of the labels or made from them: the commonest mistake."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from fisherset import FisherScore
from fisherset._types import Floats, Indices
from fisherset.evaluation.columns import dense
from fisherset.evaluation.description import in_unit_length
from fisherset.validation.samples import check_bare_table, check_samples, check_target

COPY = 1e4  # Fisher score from which a column is as good as a function of the class
STEP = 64  # columns that are held against numbers at a time
OFTEN = 5  # rows of a value from which it is no accident that they are of one class


def giveaways(
    X: Any, y: Any, texts: Sequence[str | None] | None = None, *, task: str = "classification"
) -> Indices:
    """Columns that are a function of the class, or of which the class is one.

    Of a target of numbers, columns that are a multiple of it but for a constant.

    Parameters
    ----------
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
        The samples.
    y : array-like of shape (n_samples,)
        Their class labels, or numbers.
    texts : sequence of str or None, default=None
        For each column that marks one value of a column of texts the name of that, for others None.
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
    if task == "regression":
        return _multiples(X, y)
    table, classes, codes = check_samples(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # constant columns are not our concern
        guilty = FisherScore(1).fit(table, codes).scores_ > COPY
    for place in np.flatnonzero(guilty):
        guilty[place] = _varies(dense(table[:, [place]]).ravel())
    groups: dict[str, list[int]] = defaultdict(list)
    for j, name in enumerate(texts or ()):
        if name is not None:
            groups[name].append(j)
    for members in groups.values():
        if guilty[members].any() or _tell_all(table[:, members], codes, classes.size):
            guilty[members] = True
    return np.flatnonzero(guilty)


def _multiples(X: Any, y: Any) -> Indices:
    """Columns of which y explains as much as the classes explain of a copy: r^2 / (1 - r^2) above COPY."""
    table = check_bare_table(X)[0]
    table = table.tocsc() if sparse.issparse(table) else table
    target = in_unit_length(check_target(y, table.shape[0])[:, None])
    found = []
    for start in range(0, table.shape[1], STEP):
        r2 = (in_unit_length(dense(table[:, start : start + STEP])).T @ target).ravel() ** 2
        found.append(start + np.flatnonzero(r2 > COPY * (1 - r2)))
    return np.concatenate(found)


def _varies(values: Floats) -> bool:
    """Whether enough rows differ from most: that the rows of a small class share a value may be chance."""
    others = values.size - np.unique(values, return_counts=True)[1].max()
    return bool(others >= min(OFTEN, values.size / 4))


def _tell_all(indicators: Any, codes: Indices, n_classes: int) -> bool:
    """Whether each value is found in one class only, and each often enough for that to mean something."""
    n_rows, n_values = indicators.shape
    if n_values < 2 or n_rows < OFTEN * n_values:
        return False
    one = sparse.csr_array((np.ones(n_rows), (np.arange(n_rows), codes)), shape=(n_rows, n_classes))
    in_class = sparse.csr_array(indicators).T @ one
    return bool(np.all(np.diff(sparse.csr_array(in_class).indptr) == 1))
