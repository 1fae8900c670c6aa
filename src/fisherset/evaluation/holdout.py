"""Accuracy on rows that were held out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from fisherset._types import Indices


def holdout_accuracy(
    classifier: Any, X: Any, y: NDArray[Any], features: Indices, train: Indices, test: Indices
) -> float:
    """Accuracy on the test rows of a classifier that saw the features of the training rows."""
    model = clone(classifier).fit(_taken(X, train, features), y[train])
    return float(np.mean(model.predict(_taken(X, test, features)) == y[test]))


def _taken(X: Any, rows: Indices, columns: Indices) -> Any:
    return X[rows][:, columns].toarray() if sparse.issparse(X) else X[np.ix_(rows, columns)]
