"""Target leakage: columns that are copies of the labels or made from them, the commonest mistake."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from fisherset import FisherScore
from fisherset._types import Floats, Indices
from fisherset.evaluation.description import dense, in_unit_length
from fisherset.validation.samples import check_samples, check_target
from fisherset.validation.table import check_bare_table

LEAK_SCORE = 1e4  # Fisher score from which a column is as good as a function of the class
LEAST_ROWS = 5  # of a value, from which it is no accident that they are of one class


def giveaways(
    X: Any,
    y: Any,
    texts: Sequence[str | None] | None = None,
    *,
    task: str = "classification",
    scores: Floats | None = None,
) -> Indices:
    """Columns that are a function of the class, or of which the class is one.

    With a target of numbers, columns that are a linear function of it.

    Parameters
    ----------
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
        The samples.
    y : array-like of shape (n_samples,)
        Their class labels, or numbers.
    texts : sequence of str or None, default=None
        For each column that indicates a value of a string column the name of that, for others None.
    task : {"classification", "regression"}, default="classification"
        Whether y holds labels or numbers.
    scores : ndarray of shape (n_features,), default=None
        Scatter of each column that y explains over that which it does not, if it was measured before:
        the Fisher score, or r^2 / (1 - r^2) with the numbers of y.

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
        return _multiples(X, y) if scores is None else np.flatnonzero(scores > LEAK_SCORE)
    table, classes, codes = check_samples(X, y)
    if scores is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of constant columns
            scores = FisherScore(1).fit(table, codes).scores_
    leaking = scores > LEAK_SCORE
    for place in np.flatnonzero(leaking):
        leaking[place] = _varies(dense(table[:, [place]]).ravel())
    groups: dict[str, list[int]] = defaultdict(list)
    for j, name in enumerate(texts or ()):
        if name is not None:
            groups[name].append(j)
    for members in groups.values():
        if leaking[members].any() or _determine_class(table[:, members], codes, classes.size):
            leaking[members] = True
    return np.flatnonzero(leaking)


def _multiples(X: Any, y: Any) -> Indices:
    """Columns with r^2 / (1 - r^2) above the limit, the counterpart of the Fisher score."""
    table = check_bare_table(X)[0]
    table = table.tocsc() if sparse.issparse(table) else table
    target = in_unit_length(check_target(y, table.shape[0])[:, None])
    found, step = [], 64  # columns that are dense at a time
    for start in range(0, table.shape[1], step):
        r2 = (in_unit_length(dense(table[:, start : start + step])).T @ target).ravel() ** 2
        found.append(start + np.flatnonzero(r2 > LEAK_SCORE * (1 - r2)))
    return np.concatenate(found)


def _varies(values: Floats) -> bool:
    """Whether enough rows differ from the commonest value: that a few rows share another may be chance."""
    others = values.size - np.unique(values, return_counts=True)[1].max()
    return bool(others >= min(LEAST_ROWS, values.size / 4))


def _determine_class(indicators: Any, codes: Indices, n_classes: int) -> bool:
    """Whether each value is found in one class only, and often enough for that to mean something."""
    n_rows, n_values = indicators.shape
    if n_values < 2 or n_rows < LEAST_ROWS * n_values:
        return False
    one = sparse.csr_array((np.ones(n_rows), (np.arange(n_rows), codes)), shape=(n_rows, n_classes))
    in_class = sparse.csr_array(indicators).T @ one
    return bool(np.all(np.diff(sparse.csr_array(in_class).indptr) == 1))
