"""Redundancy among features: their correlations, close pairs and groups."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.cluster.hierarchy import fcluster, leaves_list, linkage

from fisherset._docs import documented
from fisherset._types import Floats, Indices
from fisherset.evaluation.description import columns_of, in_unit_length

CORRELATED = 0.95  # in absolute value, above which two features are named as a pair


@documented
def correlation_matrix(X: Any, features: Any = None) -> Floats:
    """Correlations among some columns, or all; a constant column correlates with nothing.

    Parameters
    ----------
    %(X.rows, features.optional)

    Returns
    -------
    correlations : ndarray of shape (k, k)
        Between -1 and 1.
    """
    scaled = in_unit_length(columns_of(X, features).values)
    return np.clip(scaled.T @ scaled, -1.0, 1.0)


class Pair(NamedTuple):
    """Two correlated features.

    Attributes
    ----------
    first, second : int
        Their indices, the first the smaller.
    correlation : float
        Between -1 and 1.
    """

    first: int
    second: int
    correlation: float


def cluster_order(correlations: Floats) -> Indices:
    """Order of features in which correlated ones are neighbours.

    That of the leaves of a tree: average linkage of the distances `1 - |r|`, with the optimal ordering
    of neighbours. It depends on the correlations alone.

    Parameters
    ----------
    correlations : ndarray of shape (k, k)
        From :func:`correlation_matrix`.

    Returns
    -------
    order : ndarray of shape (k,)
        Indices of the features.

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
    return order if order[0] < order[-1] else order[::-1]  # the reverse is as good


def correlated_groups(correlations: Floats, above: float = 0.7) -> list[list[int]]:
    """Groups of features whose correlations are above a limit on average, in absolute value.

    Parameters
    ----------
    correlations : ndarray of shape (k, k)
        From :func:`correlation_matrix`.
    above : float, default=0.7
        The limit.

    Returns
    -------
    groups : list of list of int
        Indices of the features of each group of two or more, the largest group first.

    Examples
    --------
    >>> import numpy as np
    >>> from fisherset.evaluation import correlated_groups
    >>> correlated_groups(np.array([[1.0, 0.1, -0.9], [0.1, 1.0, 0.2], [-0.9, 0.2, 1.0]]))
    [[0, 2]]
    """
    matrix = _checked(correlations)
    if len(matrix) < 2:
        return []
    apart = np.maximum(1.0 - np.abs(matrix[np.triu_indices(len(matrix), 1)]), 0.0)
    codes = fcluster(linkage(apart, method="average"), 1.0 - above, criterion="distance")
    groups = [np.flatnonzero(codes == code).tolist() for code in np.unique(codes)]
    return sorted((group for group in groups if len(group) > 1), key=lambda group: (-len(group), group))


def close_pairs(correlations: Floats, above: float = CORRELATED) -> list[Pair]:
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
