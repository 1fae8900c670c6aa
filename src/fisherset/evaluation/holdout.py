"""Accuracy on rows that were held out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import check_cv, cross_val_score
from sklearn.pipeline import make_pipeline

from fisherset import GeneralizedFisherScore, JointRegressionScore
from fisherset._types import Floats, Indices
from fisherset.validation.samples import (
    CLASSIFICATION,
    REGRESSION,
    check_bare_table,
    check_finite,
    check_labels,
    check_targets,
)


def holdout_accuracy(
    classifier: Any, X: Any, y: NDArray[Any], features: Indices, train: Indices, test: Indices
) -> float:
    """Accuracy on the test rows of a classifier that saw the features of the training rows.

    Parameters
    ----------
    classifier : scikit-learn classifier
        A copy of it is trained.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The table.
    y : ndarray of shape (n_samples,)
        The class labels.
    features, train, test : ndarray of int
        The columns, and the rows of either part.

    Returns
    -------
    accuracy : float
        The share of test rows it gets right.
    """
    if np.shape(y) != (X.shape[0],):  # a column would be held against a row, each with each
        raise ValueError(f"y must be an array of {X.shape[0]} labels; got the shape {np.shape(y)}.")
    model = clone(classifier).fit(_taken(X, train, features), y[train])
    return float(np.mean(model.predict(_taken(X, test, features)) == y[test]))


def path_accuracy(
    X: Any, y: Any, ks: Sequence[int], *, estimator: Any, cv: Any = 5, **options: Any
) -> Floats:
    """Accuracy of a classifier on k jointly selected features, by cross-validation; R^2 for numbers.

    Parameters
    ----------
    X, y : array-like
        Samples and class labels, or numbers.
    ks : sequence of int
        The numbers of features.
    estimator : classifier or regressor
        It is trained on the features that are selected anew on each training part.
    cv : int, splitter or iterable, default=5
        The splits.
    **options
        Of :func:`selection_path`.

    Returns
    -------
    accuracy : ndarray of shape (n_sizes, n_splits)
        On the held-out rows.
    """
    regression = options.pop("task", CLASSIFICATION) == REGRESSION
    kind: Any = JointRegressionScore if regression else GeneralizedFisherScore
    of_rows = {
        f"{kind.__name__.lower()}__{name}": options.pop(name)
        for name in ("sample_weight", "confounders")
        if options.get(name) is not None
    }
    table, names = check_bare_table(X)
    if regression:
        y = check_targets(y, table.shape[0])
        y = y[:, 0] if y.shape[1] == 1 else y
    else:
        _, y = check_labels(y, table.shape[0])  # which a splitter would cut short, or take for numbers
    if options.get("missing") != "mean":
        check_finite(table, names)
    X = X if hasattr(X, "iloc") else table  # whose columns may be named
    splits = list(check_cv(cv, y, classifier=not regression).split(X, y))
    models = [make_pipeline(kind(k, **options), estimator) for k in ks]
    run = partial(cross_val_score, X=X, y=y, cv=splits, params=of_rows, error_score="raise")
    return np.array([run(model) for model in models])


def _taken(X: Any, rows: Indices, columns: Indices) -> Any:
    return X[rows][:, columns].toarray() if sparse.issparse(X) else X[np.ix_(rows, columns)]
