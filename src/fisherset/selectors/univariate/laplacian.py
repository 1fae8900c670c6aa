"""The Laplacian score, and the graph of nearest neighbours behind it."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from fisherset._docs import documented
from fisherset._types import Floats, Indices
from fisherset.data import CountedRows, MemoryRows
from fisherset.selectors.base import BaseSelector
from fisherset.statistics import (
    Classes,
    GraphScatter,
    graph_scatter,
    nearest_neighbours,
    pair_distances,
    sum_moments,
)
from fisherset.validation import parameters as parameter
from fisherset.validation.numbers import reject_nonfinite
from fisherset.validation.targets import check_labels

FEW_DIMENSIONS = 15  # features up to which scikit-learn would take a tree
SPARE = 5  # neighbours beyond the wanted ones whose distance may prove smaller than it seemed
DIGITS = 1e-5  # share of |x|^2 below which |x|^2 + |y|^2 - 2xy has lost ten digits of |x - y|^2
EQUAL = 1e-12  # relative difference of distances up to which they are equal
DISTANCES = 2**20  # distances held at a time: 8 MB
DEEP = 50.0  # exponent of the heat kernel from which its weights come near underflow


class GraphSelector(BaseSelector):
    """A selector with the parameters of a graph of nearest neighbours."""

    criterion: str = "laplacian"
    n_neighbors: int
    kernel: str
    bandwidth: float | str
    supervised: bool

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.criterion == "fisher" or bool(self.supervised)
        return tags

    def _check_graph_parameters(self) -> None:
        parameter.check_integer("n_neighbors", self.n_neighbors, least=1)
        parameter.check_choice("kernel", self.kernel, ("heat", "binary"))
        parameter.check_bandwidth(self.bandwidth, "median")
        parameter.check_flag("supervised", self.supervised)

    def _measure_graph(self, X: Any, y: Any) -> tuple[GraphScatter, int]:
        """Scatter of the columns along the graph, and the passes that took."""
        codes = check_labels(y, X.shape[0])[1] if self.supervised else None
        rows = MemoryRows(X.tocsr() if sparse.issparse(X) else X)
        source = CountedRows(rows)
        moments = sum_moments(source, Classes(1))
        reject_nonfinite(moments.finite, self._names)
        # one unit for all columns, so that the squares of distances stay in range
        unit = float(moments.guard.unit.max())
        squared, edges = neighbours(moments.guard.shifted(rows.X, unit), codes, self.n_neighbors)
        weights = edge_weights(squared, self.kernel, self.bandwidth, unit)
        S = sparse.csr_array((weights, edges), shape=(X.shape[0],) * 2)
        scatter = graph_scatter(rows.X, S.maximum(S.T).tocsr())
        return scatter, source.n_passes + 2  # and one of the nodes, one along the edges


@documented
class LaplacianScore(GraphSelector):
    """Select the features that vary least between neighbours for how much they vary at all.

    He, Cai and Niyogi (2005): with S the weights of a graph of nearest neighbours, D
    its degrees and L = D - S, the Laplacian score of a feature f, centred with the
    weights D, is f'Lf / f'Df. In the original a *smaller* score is better. In this
    package larger is better everywhere: `scores_` is the Laplacian score *times -1*.

    The graph is sparse: the cost is one search for neighbours and then the number of
    edges times the number of features. Class labels are not needed.

    Parameters
    ----------
    %(n_features_to_select)
    %(n_neighbors, kernel, bandwidth, supervised)

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The Laplacian scores times -1: between -2 and 0, larger is better. A constant
        feature has -inf.
    %(ranking_.single, support_)
    n_passes_ : int
        Number of times the data was read, besides the search for neighbours.
    %(n_features_in_, feature_names_in_)

    See Also
    --------
    TraceRatio : The same two quantities, as a ratio of sums over the chosen set.
    FisherScore : The supervised counterpart.

    Notes
    -----
    Distances depend on the scale of the features: standardise them first where their
    units differ.

    References
    ----------
    X. He, D. Cai, P. Niyogi: Laplacian Score for Feature Selection. NIPS 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fisherset import LaplacianScore
    >>> X, _ = load_iris(return_X_y=True)
    >>> selector = LaplacianScore(2).fit(X)
    >>> selector.get_support(indices=True)
    array([2, 3])
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        n_neighbors: int = 5,
        kernel: str = "heat",
        bandwidth: float | str = "median",
        supervised: bool = False,
    ) -> None:
        self._store_parameters(locals())

    @documented
    def fit(self, X: Any, y: Any = None) -> Self:
        """Score the features.

        Parameters
        ----------
        %(X.rows)
        y : array-like of shape (n_samples,), default=None
            Class labels; ignored unless `supervised`.

        Returns
        -------
        self : LaplacianScore
            The fitted selector.
        """
        self._check_graph_parameters()
        X, k = self._check_table(X)
        scatter, self.n_passes_ = self._measure_graph(X, y)
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = np.where(scatter.constant, -np.inf, -scatter.edges / scatter.nodes)
        self._select(scores, scatter.constant, k)
        return self


def neighbours(X: Any, codes: Indices | None, n_neighbors: int) -> tuple[Floats, tuple[Indices, Indices]]:
    """Squared distances of the samples from their nearest neighbours, and both ends of these edges.

    With `codes`, the class of each sample, neighbours are searched within the class.
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
    """Neighbours by trees in few dimensions, else by products; inexact distances are computed anew."""
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
    """The nearest neighbours; of those as near as the last the first of the table, in any storage."""
    n, wide = indices.shape
    last = squared[:, count - 1]
    equal = np.abs(squared - last[:, None]) <= EQUAL * last[:, None]
    order = np.lexsort([indices, np.where(equal, last[:, None], squared)], axis=1)[:, :count]
    squared = np.take_along_axis(squared, order, axis=1)
    indices = np.take_along_axis(indices, order, axis=1)
    more = np.flatnonzero(equal[:, -1]) if wide < n - 1 else np.empty(0, dtype=np.intp)
    step = max(1, DISTANCES // n)
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
