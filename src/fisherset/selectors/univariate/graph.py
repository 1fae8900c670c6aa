"""The graph of nearest neighbours behind the Laplacian score."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from fisherset._types import Floats, Indices
from fisherset.data import CountedRows, MemoryRows
from fisherset.statistics import (
    Classes,
    GraphScatter,
    graph_scatter,
    nearest_neighbours,
    pair_distances,
    sum_moments,
)
from fisherset.validation import features as check
from fisherset.validation import parameters as parameter

FEW_DIMENSIONS = 15  # features up to which scikit-learn would take a tree
SPARE = 5  # neighbours beyond the wanted ones whose distance may prove smaller than it seemed
DIGITS = 1e-5  # share of |x|^2 below which |x|^2 + |y|^2 - 2xy has lost ten digits of |x - y|^2
EQUAL = 1e-12  # relative difference of distances up to which they are equal
NUMBERS = 2**20  # distances held at a time
DEEP = 50.0  # exponent of the heat kernel from which its weights come near underflow


def check_graph_parameters(selector: Any) -> None:
    """The parameters that say which graph to build."""
    parameter.check_integer("n_neighbors", selector.n_neighbors, least=1)
    parameter.check_choice("kernel", selector.kernel, ("heat", "binary"))
    if isinstance(selector.bandwidth, str):
        parameter.check_choice("bandwidth", selector.bandwidth, ("median",))
    else:
        parameter.check_number("bandwidth", selector.bandwidth, above=0.0)
    parameter.check_flag("supervised", selector.supervised)


def measure_graph(selector: Any, X: Any, y: Any) -> tuple[GraphScatter, int]:
    """Build the graph a selector asks for and measure the columns along it; also the passes that took."""
    codes = check.check_labels(y, X.shape[0])[1] if selector.supervised else None
    rows = MemoryRows(X.tocsr() if sparse.issparse(X) else X)
    source = CountedRows(rows)
    moments = sum_moments(source, Classes(1))
    check.reject_nonfinite(moments.finite, selector._names)
    # one unit for all columns, so that the squares of distances stay in range
    unit = float(moments.guard.unit.max())
    squared, edges = neighbours(moments.guard.shifted(rows.X, unit), codes, selector.n_neighbors)
    weights = edge_weights(squared, selector.kernel, selector.bandwidth, unit)
    S = sparse.csr_array((weights, edges), shape=(X.shape[0],) * 2)
    scatter = graph_scatter(rows.X, S.maximum(S.T).tocsr())
    return scatter, source.n_passes + 2  # and one of the nodes, one along the edges


def neighbours(X: Any, codes: Indices | None, n_neighbors: int) -> tuple[Floats, tuple[Indices, Indices]]:
    """Squared distances of the samples from their nearest neighbours, and both ends of these edges.

    With `codes`, the class of each sample, neighbours are looked for inside the class.
    """
    groups = [np.arange(X.shape[0])]
    if codes is not None:
        groups = [np.flatnonzero(codes == k) for k in range(int(codes.max()) + 1)]
    squared, rows, columns = [], [], []
    for members in groups:
        count = min(n_neighbors, members.size - 1)
        if count < 1:
            continue
        found, indices = _neighbours(X if len(groups) == 1 else X[members], count)
        squared.append(found.ravel())
        rows.append(np.repeat(members, count))
        columns.append(members[indices.ravel()])
    return np.concatenate(squared), (np.concatenate(rows), np.concatenate(columns))


def _neighbours(X: Any, count: int) -> tuple[Floats, Indices]:
    """Trees in few dimensions, else products; distances that these cannot tell are taken anew."""
    wide = min(count + SPARE, X.shape[0] - 1)
    if sparse.issparse(X) or X.shape[1] <= FEW_DIMENSIONS:
        distances, indices = NearestNeighbors(n_neighbors=wide).fit(X).kneighbors()
        squared = distances**2
    else:
        squared, indices = nearest_neighbours(X, wide)
    lengths = pair_distances(X, np.arange(X.shape[0]), None)
    doubtful = np.flatnonzero((squared < DIGITS * lengths[:, None]).any(axis=1))
    if doubtful.size:
        ends = indices[doubtful].ravel()
        exact = pair_distances(X, np.repeat(doubtful, wide), ends).reshape(-1, wide)
        order = np.lexsort([indices[doubtful], exact], axis=1)
        squared[doubtful] = np.take_along_axis(exact, order, axis=1)
        indices[doubtful] = np.take_along_axis(indices[doubtful], order, axis=1)
    return _first_of_ties(X, squared, indices, lengths, count)


def _first_of_ties(
    X: Any, squared: Floats, indices: Indices, lengths: Floats, count: int
) -> tuple[Floats, Indices]:
    """The nearest, of those that are as near as the last the first in the table: whatever the storage."""
    n, wide = indices.shape
    last = squared[:, count - 1]
    equal = np.abs(squared - last[:, None]) <= EQUAL * last[:, None]
    order = np.lexsort([indices, np.where(equal, last[:, None], squared)], axis=1)[:, :count]
    squared = np.take_along_axis(squared, order, axis=1)
    indices = np.take_along_axis(indices, order, axis=1)
    more = np.flatnonzero(equal[:, -1]) if wide < n - 1 else np.empty(0, dtype=np.intp)
    step = max(1, NUMBERS // n)
    for start in range(0, more.size, step):
        rows = more[start : start + step]
        products = X[rows].astype(np.float64) @ X.T
        products = products.toarray() if sparse.issparse(X) else products
        beyond = lengths[rows, None] + lengths - 2 * products - last[rows, None]
        slack = EQUAL * (lengths[rows, None] + lengths)
        key = np.select([beyond < -slack, beyond <= slack], [-1.0, 0.0], np.inf)
        key[np.arange(rows.size), rows] = np.inf  # a row is not its own neighbour
        indices[rows] = np.argsort(key, axis=1, kind="stable")[:, :count]
        exact = pair_distances(X, np.repeat(rows, count), indices[rows].ravel())
        squared[rows] = exact.reshape(-1, count)
    return squared, indices


def edge_weights(squared: Floats, kernel: str, bandwidth: float | str, unit: float) -> Floats:
    """One for each edge, or the heat kernel exp(-||x_i - x_j||^2 / t), up to a common factor.

    The factor, which neither score depends on, keeps a narrow kernel from underflowing.
    """
    if kernel == "binary":
        return np.ones_like(squared)
    with np.errstate(over="ignore", under="ignore"):
        t = float(np.median(squared)) if isinstance(bandwidth, str) else float(bandwidth) / unit / unit
        if t == 0.0:  # most neighbours are copies of each other
            t = float(squared.mean()) or 1.0
        least = squared.min()
        weights: Floats = np.exp(-(squared - (least if least > DEEP * t else 0.0)) / t)
    return weights
