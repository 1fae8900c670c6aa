"""What features say twice: pairs that go together, and an order that puts such features side by side."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage

from fisherset._types import Floats, Indices

CLOSE = 0.95  # correlation, in absolute value, from which two features are named as a pair


class Pair(NamedTuple):
    """Two features that go together.

    Attributes
    ----------
    first, second : int
        Their places, the first the smaller.
    correlation : float
        Between -1 and 1.
    """

    first: int
    second: int
    correlation: float


def cluster_order(correlations: Floats) -> Indices:
    """An order of features in which those that go together are neighbours.

    That of the leaves of a tree: average linkage of the distances 1 - |r|, turned so that neighbours
    are as near as they can be. It depends on the correlations alone.

    Parameters
    ----------
    correlations : ndarray of shape (k, k)
        From :func:`correlation_matrix`.

    Returns
    -------
    order : ndarray of shape (k,)
        Places of the features.

    Examples
    --------
    >>> import numpy as np
    >>> from fisherset.evaluation import cluster_order
    >>> cluster_order(np.array([[1.0, 0.1, -0.9], [0.1, 1.0, 0.2], [-0.9, 0.2, 1.0]]))
    array([0, 2, 1])
    """
    matrix = _checked(correlations)
    if len(matrix) < 3:
        return np.arange(len(matrix))
    apart = 1.0 - np.abs(matrix[np.triu_indices(len(matrix), 1)])
    tree = linkage(np.maximum(apart, 0.0), method="average", optimal_ordering=True)
    order: Indices = leaves_list(tree).astype(np.intp)
    return order if order[0] < order[-1] else order[::-1]  # either way round is as good


def close_pairs(correlations: Floats, above: float = CLOSE) -> list[Pair]:
    """Pairs of features whose correlation is above a limit in absolute value, the closest first.

    Parameters
    ----------
    correlations : ndarray of shape (k, k)
        From :func:`correlation_matrix`.
    above : float, default=0.95
        The limit.

    Returns
    -------
    pairs : list of Pair
        Each pair once.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from fisherset.evaluation import close_pairs, correlation_matrix
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> close_pairs(correlation_matrix(X))[0]._replace(correlation=0)
    Pair(first=0, second=2, correlation=0)
    """
    matrix = _checked(correlations)
    first, second = np.nonzero(np.triu(np.abs(matrix) > above, 1))
    values = matrix[first, second]
    order = np.lexsort([second, first, -np.abs(values)])
    return [Pair(int(first[at]), int(second[at]), float(values[at])) for at in order]


def _checked(correlations: Floats) -> Floats:
    matrix = np.asarray(correlations, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"correlations must be a square matrix; got the shape {matrix.shape}.")
    return matrix
