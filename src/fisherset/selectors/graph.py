"""The graph of nearest neighbours behind the Laplacian score."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from fisherset._types import Floats, Indices
from fisherset.statistics import nearest

FEW = 15  # features up to which scikit-learn would take a tree


def neighbour_graph(
    X: Any, codes: Indices | None, *, n_neighbors: int, kernel: str, bandwidth: float | str
) -> sparse.csr_array:
    """Symmetric weights: an edge where either sample is among the nearest neighbours of the other.

    With `codes`, the class of each sample, neighbours are looked for inside the class.
    """
    n_samples = X.shape[0]
    groups = [np.arange(n_samples)]
    if codes is not None:
        groups = [np.flatnonzero(codes == k) for k in range(int(codes.max()) + 1)]
    rows, columns, squared = [], [], []
    for members in groups:
        count = min(n_neighbors, members.size - 1)
        if count < 1:
            continue
        found, indices = _neighbours(X if members.size == n_samples else X[members], count)
        rows.append(np.repeat(members, count))
        columns.append(members[indices.ravel()])
        squared.append(found.ravel())
    row, column, distance = (np.concatenate(parts) for parts in (rows, columns, squared))
    weights = _weights(distance, kernel, bandwidth)
    S = sparse.csr_array((weights, (row, column)), shape=(n_samples, n_samples))
    return S.maximum(S.T).tocsr()


def _neighbours(X: Any, count: int) -> tuple[Floats, Indices]:
    """Squared distances and indices of the nearest others: trees in few dimensions, else by products."""
    if sparse.issparse(X) or X.shape[1] <= FEW:
        distances, indices = NearestNeighbors(n_neighbors=count).fit(X).kneighbors()
        return distances**2, indices
    return nearest(X, count)


def _weights(squared: Floats, kernel: str, bandwidth: float | str) -> Floats:
    """One for each edge, or the heat kernel exp(-||x_i - x_j||^2 / t)."""
    if kernel == "binary":
        return np.ones_like(squared)
    t = float(np.median(squared)) if bandwidth == "median" else float(bandwidth)
    if t == 0.0:  # more than half of the samples are copies of each other
        t = float(squared.mean()) or 1.0
    weights: Floats = np.exp(-squared / t)
    return weights
