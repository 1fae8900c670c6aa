"""The trace ratio criterion: the set with the largest ratio of summed scatters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fisherset._docs import documented
from fisherset._types import Floats, Indices
from fisherset.selectors.univariate.laplacian import GraphSelector
from fisherset.solver import mask_of
from fisherset.statistics import within_scatter
from fisherset.statistics.measure import measure_table
from fisherset.validation import parameters as parameter
from fisherset.validation.numbers import check_comparable


@documented
class TraceRatio(GraphSelector):
    """Select the set of features with the largest ratio of sums.

    Nie, Xiang, Jia, Zhang and Yan (2008): not the features with the largest ratios
    b_j / w_j, but the set with the largest ::

        sum of b_j over the set / sum of w_j over the set

    found exactly by Dinkelbach's iteration: select the largest b_j - lambda w_j, take
    the ratio of that set as the next lambda, until it stays.

    Parameters
    ----------
    %(n_features_to_select)
    criterion : {"fisher", "laplacian"}, default="fisher"
        "fisher": b_j and w_j are the scatter of a feature between and within classes.
        On standardised data that selects as :class:`FisherScore` does. "laplacian":
        f'Df and f'Lf of :class:`LaplacianScore`; y is not needed unless `supervised`.
    %(n_neighbors, kernel, bandwidth, supervised)

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        b_j - `trace_ratio_` w_j (with "laplacian" up to a positive factor); larger is
        better, and the best set has the largest. -inf for a constant feature. Where the
        ratio is infinite, b_j for features with w_j = 0 and -w_j for the others.
    trace_ratio_ : float
        The ratio of the selected set: no set of as many features that vary has a larger
        one. Infinite when the set has no scatter within classes.
    %(ranking_.single, support_)
    %(n_iter_)
    classes_ : ndarray of shape (n_classes,)
        The class labels, with `criterion="fisher"`.
    %(n_passes_, n_features_in_, feature_names_in_)

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
        self._store_parameters(locals())

    @documented
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the set.

        Parameters
        ----------
        %(X)
        y : array-like of shape (n_samples,), default=None
            Class labels; with `criterion="laplacian"` ignored unless `supervised`.

        Returns
        -------
        self : TraceRatio
            The fitted selector.
        """
        parameter.check_choice("criterion", self.criterion, ("fisher", "laplacian"))
        self._check_graph_parameters()
        X, k = self._check_table(X, out_of_core=self.criterion == "fisher")
        classes: NDArray[Any] | None = None
        if self.criterion == "fisher":
            table = measure_table(X, y, self._names)
            scatter: Any = table.scatter
            gain, cost, classes = scatter.between, within_scatter(scatter, table.rows), table.classes
            self.n_passes_ = table.n_passes
        else:
            scatter, self.n_passes_ = self._measure_graph(X, y)
            gain, cost = scatter.nodes, scatter.edges
        varying, units = ~scatter.constant, scatter.guard.unit
        # one unit for all columns: the largest, so that nothing can overflow
        unit = float(units.max(initial=0.0, where=varying)) or 1.0
        ratio = np.where(varying, units / unit, 1.0) ** 2
        check_comparable((gain + cost) * ratio, varying, self._names)
        m = min(k, int(np.count_nonzero(varying)))
        found = best_ratio((gain * ratio)[varying], (cost * ratio)[varying], m)
        scores = np.full(self.n_features_in_, -np.inf)
        scores[varying] = found.scores
        chosen = mask_of(scores.size, np.flatnonzero(varying)[found.chosen])
        self._select(scores, scatter.constant, k, unit=unit, chosen=chosen)
        self.trace_ratio_, self.n_iter_ = found.ratio, found.n_iter
        self._keep_optional("classes_", classes)
        return self


GIANT = 10.0  # times the others: terms within it of the largest are left out together
SAME_TERM = 1e-12  # share by which two terms may differ and be one and the same


class Ratio(NamedTuple):
    """The best set and its ratio, the value a - ratio * b of every term, and the iterations."""

    chosen: Indices
    ratio: float
    scores: Floats
    n_iter: int


def best_ratio(a: Floats, b: Floats, m: int) -> Ratio:
    """Maximise sum a / sum b over the m-subsets, for a and b not negative.

    The best set for a given ratio has the m largest a - ratio * b; its own ratio is the
    next one. It rises until it stays, and is then the largest of all sets. Where m terms
    with b = 0 make it infinite, their a and the others' -b stand for a - ratio * b. Of terms
    that only rounding tells apart the first are taken.
    """
    a, b = _as_first_of_alike(a, b)
    free = b == 0
    if m and np.count_nonzero(free) >= m and np.any(a[free] > 0):
        scores = np.where(free, a, -b)
        return Ratio(_top(scores, m), np.inf, scores, 1)
    best, n_iter = _top(a, m), 0
    ratio = _ratio(a, b, best)
    while True:
        # exact, not up to ties: terms of very different size must not be taken for equal
        values = a - ratio * b
        n_iter += 1
        sets = [_top(values, m), *_without_giants(values, b, m, ratio)]
        ratios = [_ratio(a, b, chosen) for chosen in sets]
        first = int(np.argmax(ratios))
        if not ratios[first] > ratio * (1 + 1e-15):
            as_good = ratios[0] >= ratio * (1 - 1e-12)  # but for rounding it is
            return Ratio(sets[0] if as_good else best, ratio, values, n_iter)
        ratio, best = ratios[first], sets[first]


def _as_first_of_alike(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The terms, those of copies of a column being exactly what they are for the first of them."""
    levels = np.empty(a.size, dtype=np.complex128)
    with np.errstate(divide="ignore"):
        levels.real, levels.imag = np.round(np.log(a) / SAME_TERM), np.round(np.log(b) / SAME_TERM)
    _, first, place = np.unique(levels, return_index=True, return_inverse=True)
    return a[first[place]], b[first[place]]


def _without_giants(values: Floats, b: Floats, m: int, ratio: float) -> Iterator[Indices]:
    """The best sets without the largest terms of this ratio, then without the next largest.

    Of a term whose own ratio it is, a - ratio * b is rounding; in units of 1e9, that drowns the others.
    """
    drowning = np.flatnonzero((np.abs(values) <= 1e-12 * ratio * b) & (b > 0))
    left = np.ones(b.size, dtype=bool)
    while drowning.size:
        large = b[drowning] * GIANT > b[drowning].max()
        left[drowning[large]], drowning = False, drowning[~large]
        if np.count_nonzero(left) < m:
            return
        yield np.flatnonzero(left)[_top(values[left], m)]


def _ratio(a: Floats, b: Floats, chosen: Indices) -> float:
    """The ratio of the sums over a set; 0 where both are."""
    gain, cost = float(a[chosen].sum()), float(b[chosen].sum())
    return gain / cost if cost > 0 else 0.0


def _top(values: Floats, m: int) -> Indices:
    return np.argsort(-values, kind="stable")[:m]
