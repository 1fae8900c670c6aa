"""The choice of gamma by cross-validation, for many sizes at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from fisherset._types import Floats, Indices
from fisherset.selectors.path import selection_paths

Scaling = Callable[[Any, Indices], Any]  # a table and the rows its scales may be learned from


class Tuned(NamedTuple):
    """The best gamma for each k, and the mean held-out accuracies behind the choice."""

    gamma: Floats  # len(ks)
    accuracy: Floats  # len(gammas) x len(ks)


def tune_gamma(
    X: Any,
    y: NDArray[np.integer],
    ks: Sequence[int],
    gammas: Sequence[float],
    *,
    classifier: Any,
    folds: int = 5,
    seed: int = 0,
    scaling: Scaling | None = None,
    **options: Any,
) -> Tuned:
    """For each k the gamma whose selections serve the classifier best on the folds left out.

    Parameters
    ----------
    X, y : ndarray
        Samples and class numbers.
    ks, gammas : sequence
        The sizes, rising, and the gammas to choose from; of equals the first is taken.
    classifier : estimator
        Is fitted on the selected features of each training part.
    folds, seed : int
        Stratified where the classes allow it.
    scaling : callable, default=None
        (X, rows) -> X scaled by what the rows say; X as it is when None.
    **options
        Of `selection_paths`.

    Returns
    -------
    tuned : Tuned
        The choice.
    """
    accuracy = np.zeros((folds, len(gammas), len(ks)))
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        parts = list(splitter.split(np.zeros(y.size), y))
    for fold, (train, test) in enumerate(parts):
        Z = X if scaling is None else scaling(X, train)
        paths = selection_paths(Z[train], y[train], ks, gammas, certified=False, **options)
        for at_gamma, path in enumerate(paths):
            accuracy[fold, at_gamma] = [
                holdout_accuracy(classifier, Z, y, step.features, train, test) for step in path
            ]
    mean: Floats = accuracy.mean(axis=0)
    best = np.argmax(np.round(mean, 12), axis=0)
    return Tuned(np.asarray(gammas, dtype=np.float64)[best], mean)


def holdout_accuracy(
    classifier: Any, X: Any, y: NDArray[Any], features: Indices, train: Indices, test: Indices
) -> float:
    """Accuracy on the test rows of a classifier that saw the features of the training rows."""
    model = clone(classifier).fit(X[np.ix_(train, features)], y[train])
    return float(np.mean(model.predict(X[np.ix_(test, features)]) == y[test]))
