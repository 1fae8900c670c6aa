"""The trace ratio criterion: the set with the largest ratio of summed scatters."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats
from fisherset.selectors import _parameters as parameter
from fisherset.selectors import _validation as check
from fisherset.selectors.base import BaseSelector, measure_table
from fisherset.selectors.graph import check_graph_parameters, measure_graph
from fisherset.solver import best_ratio, mask_of
from fisherset.statistics import within_scatter


class _Weights(NamedTuple):
    """Numerator and denominator of every feature in one common unit."""

    numerator: Floats
    denominator: Floats
    unit: float
    constant: NDArray[np.bool_]
    n_passes: int
    classes: NDArray[Any] | None


class TraceRatio(BaseSelector):
    """Select the set of features with the largest ratio of sums.

    Nie, Xiang, Jia, Zhang and Yan (2008): not the features with the largest ratios
    b_j / w_j, but the set with the largest ::

        sum of b_j over the set / sum of w_j over the set

    found exactly by Dinkelbach's iteration: select the largest b_j - lambda w_j, take
    the ratio of that set as the next lambda, until it stays.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        How many features to select; a float in (0, 1) is a share of them, None half.
    criterion : {"fisher", "laplacian"}, default="fisher"
        "fisher": b_j and w_j are the scatter of a feature between and within classes.
        On standardised data that selects as :class:`FisherScore` does. "laplacian":
        f'Df and f'Lf of :class:`LaplacianScore`; y is not needed unless `supervised`.
    n_neighbors, kernel, bandwidth, supervised
        The graph of "laplacian", as for :class:`LaplacianScore`.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        b_j - `trace_ratio_` w_j (with "laplacian" up to a positive factor); larger is
        better, and the best set has the largest. -inf for a constant feature. Where the
        ratio is infinite, b_j for features with w_j = 0 and -w_j for the others.
    trace_ratio_ : float
        The ratio of the selected set: no set of as many features that vary has a larger
        one. Infinite when the set has no scatter within classes.
    ranking_ : ndarray of shape (n_features,)
        1 for the best feature, without ties; constant features last.
    support_ : ndarray of shape (n_features,)
        Mask of the selected features.
    n_iter_ : int
        Number of iterations.
    classes_ : ndarray of shape (n_classes,)
        The class labels, with `criterion="fisher"`.
    n_passes_ : int
        How many times the data was read.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names that are all strings.

    See Also
    --------
    FisherScore : Ratios of the features one by one.
    LaplacianScore : Likewise for the graph of neighbours.
    GeneralizedFisherScore : Takes correlations between features into account.

    Notes
    -----
    Unlike the ratios of single features, the ratio of sums depends on the scale of the
    features: standardise them first where their units differ; beyond 140 decades between
    two of them it is refused. Constant features, which
    would not change the ratio, are selected only when nothing else is left.

    References
    ----------
    F. Nie, S. Xiang, Y. Jia, C. Zhang, S. Yan: Trace Ratio Criterion for Feature
    Selection. AAAI 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fisherset import TraceRatio
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = TraceRatio(2).fit(X, y)
    >>> selector.get_support(indices=True)
    array([2, 3])
    >>> round(selector.trace_ratio_, 1)
    15.5
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        criterion: str = "fisher",
        n_neighbors: int = 5,
        kernel: str = "heat",
        bandwidth: float | str = "median",
        supervised: bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.criterion = criterion
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.supervised = supervised

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.criterion == "fisher" or bool(self.supervised)
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the set.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,), default=None
            Their class labels; with `criterion="laplacian"` ignored unless `supervised`.

        Returns
        -------
        self : TraceRatio
            The fitted selector.
        """
        parameter.check_choice("criterion", self.criterion, ("fisher", "laplacian"))
        check_graph_parameters(self)
        X = check.check_table(self, X, elsewhere=self.criterion == "fisher")
        k = parameter.check_count(self.n_features_to_select, self.n_features_in_)
        weights = self._weights(X, y)
        varying = np.flatnonzero(~weights.constant)
        found = best_ratio(weights.numerator[varying], weights.denominator[varying], min(k, varying.size))
        scores = np.full(self.n_features_in_, -np.inf)
        scores[varying] = found.scores
        chosen = mask_of(scores.size, varying[found.chosen])
        self._select(scores, weights.constant, k, unit=weights.unit, chosen=chosen)
        check.warn_constant(weights.constant, self.support_)
        self.trace_ratio_, self.n_iter_ = found.ratio, found.n_iter
        self.n_passes_ = weights.n_passes
        if weights.classes is not None:
            self.classes_ = weights.classes
        elif hasattr(self, "classes_"):  # of an earlier fit by the other criterion
            del self.classes_
        return self

    def _weights(self, X: Any, y: Any) -> _Weights:
        if self.criterion == "fisher":
            table = measure_table(X, y, self._names)
            numerator = table.scatter.between
            denominator = within_scatter(table.scatter, table.source)
            constant, guard, n_passes = table.scatter.constant, table.scatter.guard, table.n_passes
            classes: NDArray[Any] | None = table.classes
        else:
            scatter, n_passes = measure_graph(self, X, y)
            numerator, denominator = scatter.nodes, scatter.edges
            constant, guard = scatter.constant, scatter.guard
            classes = None
        # one unit for all columns: the largest, so that nothing can overflow
        unit = float(guard.unit.max(initial=0.0, where=~constant)) or 1.0
        ratio = np.where(constant, 1.0, guard.unit / unit) ** 2
        check.check_comparable((numerator + denominator) * ratio, ~constant, self._names)
        return _Weights(numerator * ratio, denominator * ratio, unit, constant, n_passes, classes)
