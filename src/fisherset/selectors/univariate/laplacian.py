"""The Laplacian score: features that keep near samples near."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from fisherset.selectors.base import BaseSelector
from fisherset.selectors.univariate.graph import check_graph_parameters, measure_graph
from fisherset.validation import features as check
from fisherset.validation import parameters as parameter


class LaplacianScore(BaseSelector):
    """Select the features that vary least between neighbours for how much they vary at all.

    He, Cai and Niyogi (2005): with S the weights of a graph of nearest neighbours, D
    its degrees and L = D - S, the Laplacian score of a feature f, centred with the
    weights D, is f'Lf / f'Df. In the original a *smaller* score is better. In this
    package larger is better everywhere: `scores_` is the Laplacian score *times -1*.

    The graph is sparse: the cost is one search for neighbours and then the number of
    edges times the number of features. Class labels are not needed.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        How many features to select; a float in (0, 1) is a share of them, None half.
    n_neighbors : int, default=5
        Neighbours of each sample, Euclidean; all others where there are not as many.
        An edge stands where either sample is a neighbour of the other.
    kernel : {"heat", "binary"}, default="heat"
        Weight of an edge: exp(-||x_i - x_j||^2 / bandwidth), or 1.
    bandwidth : float or "median", default="median"
        Of the heat kernel; "median" is the median squared distance of neighbours (their
        mean where most are copies of each other).
    supervised : bool, default=False
        Look for neighbours inside the class of a sample only; needs y, with two or
        more classes.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The Laplacian scores times -1: between -2 and 0, larger is better. A constant
        feature has -inf.
    ranking_ : ndarray of shape (n_features,)
        1 for the best feature, without ties; constant features last.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    n_passes_ : int
        How many times the data was read, besides the search for neighbours.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names that are all strings.

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
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.supervised = supervised

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = bool(self.supervised)
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Score the features.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,), default=None
            Their class labels; ignored unless `supervised`.

        Returns
        -------
        self : LaplacianScore
            The fitted selector.
        """
        check_graph_parameters(self)
        X = check.check_table(self, X)
        k = parameter.check_count(self.n_features_to_select, self.n_features_in_)
        scatter, self.n_passes_ = measure_graph(self, X, y)
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = np.where(scatter.constant, -np.inf, -scatter.edges / scatter.nodes)
        self._select(scores, scatter.constant, k)
        check.warn_constant(scatter.constant, self.support_)
        return self
