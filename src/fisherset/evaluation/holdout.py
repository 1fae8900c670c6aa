"""Accuracy on rows that were held out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import check_cv, cross_val_score
from sklearn.pipeline import make_pipeline

from fisherset import GeneralizedFisherScore
from fisherset._types import Floats, Indices
from fisherset.selectors.checks import check_samples


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
    """Accuracy of a classifier on k jointly selected features, by cross-validation.

    Parameters
    ----------
    X, y : array-like
        Samples and class labels.
    ks : sequence of int
        The numbers of features.
    estimator : classifier
        It is trained on the features that are selected anew on each training part.
    cv : int, splitter or iterable, default=5
        The splits.
    **options
        Of :class:`GeneralizedFisherScore`.

    Returns
    -------
    accuracy : ndarray of shape (n_sizes, n_splits)
        On the held-out rows.
    """
    X, _, y = check_samples(X, y)  # which a splitter would cut short, or take for numbers
    splits = list(check_cv(cv, y, classifier=True).split(X, y))
    models = [make_pipeline(GeneralizedFisherScore(k, **options), estimator) for k in ks]
    return np.array([cross_val_score(model, X, y, cv=splits, error_score="raise") for model in models])


def _taken(X: Any, rows: Indices, columns: Indices) -> Any:
    return X[rows][:, columns].toarray() if sparse.issparse(X) else X[np.ix_(rows, columns)]
