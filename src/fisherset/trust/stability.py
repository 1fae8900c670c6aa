"""Stability of a selection: how often features are selected on halves of the rows, and what that proves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from fisherset._records import Printed, Records, Tabular, name_of
from fisherset._types import Floats, Indices
from fisherset.trust.agreement import cluster_features, cluster_supports, index_interval, stability_index
from fisherset.trust.resampling import LEAST_PAIRS, check_selector, resample, seeds_of
from fisherset.trust.selection_bounds import ASSUMPTIONS, count_at, expected_low
from fisherset.validation import parameters as parameter

THRESHOLD = 0.75  # in the middle of the 0.6 to 0.9 that Meinshausen and Buehlmann found to differ little
PRINTED = 0.5  # frequency from which features are printed
FEW = 10  # features that are printed where none is selected so often


@dataclass(frozen=True, eq=False)
class Stability(Tabular):
    """Selections on complementary pairs of half-samples; printed, the features selected most often.

    Attributes
    ----------
    frequencies : ndarray of shape (n_features,)
        Share of the halves in which each feature is selected.
    supports : ndarray of shape (2 * n_pairs, n_features)
        Masks of the selected features; rows 2i and 2i + 1 are those of the halves of pair i.
    n_pairs : int
        Number of pairs that were fitted: fewer than asked for after Ctrl-C.
    n_selected : float
        Mean number of features selected on a half, q.
    clusters : ndarray of shape (n_features,)
        Cluster of interchangeable features that each belongs to. Of the features selected in 2 % of the
        halves or more, all pairs in a cluster have an absolute correlation of at least 0.9 over all rows
        (complete linkage), or are of one of the selector's `groups`; each other feature is a cluster by
        itself.
    cluster_frequencies : ndarray of shape (n_clusters,)
        Share of the halves in which any feature of each cluster is selected.
    index : float
        Stability index of Nogueira, Sechidis and Brown: 1 where all halves have the same selection, 0 on
        average where they are drawn at random. NaN where all features are selected, or none.
    index_of_clusters : float
        The same for clusters in place of features: features that replace one another do not lower it.
    feature_names : ndarray or None
        Names of the columns, where the table had names.
    complete : bool
        Whether all pairs that were asked for were fitted.
    """

    frequencies: Floats
    supports: NDArray[np.bool_]
    n_pairs: int
    n_selected: float
    clusters: Indices
    cluster_frequencies: Floats
    index: float
    index_of_clusters: float
    feature_names: NDArray[Any] | None = None
    complete: bool = True

    def stable(self, threshold: float = THRESHOLD) -> NDArray[np.bool_]:
        """Mask of the features that are selected often enough.

        Parameters
        ----------
        threshold : float, default=0.75
            Least share of the halves, in (0, 1].

        Returns
        -------
        mask : ndarray of shape (n_features,)
            Whether the frequency of each feature is the threshold or more.
        """
        return self._counts >= self._count_at(threshold)

    def expected_false_selections(self, threshold: float = THRESHOLD, *, assume: str = "unimodal") -> float:
        """Upper bound on the expected number of stable features whose selection probability is low.

        The selection probability of a feature is that of being selected on half of the rows, drawn at
        random; it is low if it is q / d at most, as high as that of a feature drawn at random, q being
        `n_selected` and d the number of features. Bounded is the expectation, over samples and halves,
        of the number of features with a low selection probability in `stable(threshold)`: Theorem 1,
        Theorem 2 and Equation (8) of Shah and Samworth (2013). It is neither the number of features
        unrelated to the target nor a false discovery rate: a feature that is unrelated in truth but
        correlated with related ones may well have a high selection probability.

        Parameters
        ----------
        threshold : float, default=0.75
            Least share of the halves, in (0, 1].
        assume : {"unimodal", "none", "r-concave"}, default="unimodal"
            Assumption on features with a low selection probability. "none" is Theorem 1,
            q^2 / ((2 threshold - 1) d), which Meinshausen and Buehlmann have for exchangeable noise.
            "unimodal" is Theorem 2, for a share of pairs that select a feature on both halves with a
            unimodal distribution. "r-concave" is Equation (8), for one that is -1/2-concave, and a
            frequency that is -1/4-concave. The authors recommend it, but it does not hold for all data:
            with independent normal features and 50 pairs, two to three times as many are expected as it
            says. "unimodal" holds there. Each bound is no larger than the one before in the order "none",
            "unimodal", "r-concave", nor than q / threshold.

        Returns
        -------
        bound : float
            The bound; q is taken as it was observed, which is exact for selectors of a fixed number.
        """
        parameter.check_choice("assume", assume, ASSUMPTIONS)
        return self._bound(self._count_at(threshold), assume)

    def threshold_for(self, bound: float, *, assume: str = "unimodal") -> float:
        """Least threshold above 1/2 for which no more than `bound` false selections are expected.

        Parameters
        ----------
        bound : float
            Most false selections, as `expected_false_selections` counts them; positive.
        assume : {"unimodal", "none", "r-concave"}, default="unimodal"
            Assumption of `expected_false_selections`.

        Returns
        -------
        threshold : float
            A multiple of 1 / (2 n_pairs), for `stable`.
        """
        most = parameter.check_number("bound", bound, above=0.0)
        parameter.check_choice("assume", assume, ASSUMPTIONS)
        low, high = self.n_pairs + 1, 2 * self.n_pairs  # the bound falls as the threshold rises
        least = self._bound(high, assume)
        if least > most:
            raise ValueError(
                f"bound must be {least:.3g} or more, that of features selected on all halves; got {most:g}. "
                f"Use more pairs, or select fewer features."
            )
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self._bound(middle, assume) <= most else (middle + 1, high)
        return low / (2 * self.n_pairs)

    def index_interval(self, level: float = 0.95, *, clusters: bool = False) -> tuple[float, float]:
        """Confidence interval of the stability index, by the asymptotic normality of its estimate.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level, in (0, 1).
        clusters : bool, default=False
            Whether of `index_of_clusters`.

        Returns
        -------
        interval : tuple of float
            Its ends. They are those of Nogueira, Sechidis and Brown, who take selections as independent;
            halves of the same rows are not quite, so that it holds for further halves of these rows.
        """
        if not (parameter.is_number(level) and 0 < parameter.as_float(level) < 1):
            raise ValueError(f"level must be a number in (0, 1); got {parameter.shown(level)}.")
        parameter.check_flag("clusters", clusters)
        supports = cluster_supports(self.supports, self.clusters) if clusters else self.supports
        return index_interval(supports, float(level))

    @property
    def _counts(self) -> Indices:
        return np.count_nonzero(self.supports, axis=0)

    def _count_at(self, threshold: Any) -> int:
        if not (parameter.is_number(threshold) and 0 < parameter.as_float(threshold) <= 1):
            raise ValueError(f"threshold must be a number in (0, 1]; got {parameter.shown(threshold)}.")
        return count_at(float(threshold), 2 * self.n_pairs)

    def _bound(self, count: int, assume: str) -> float:
        return expected_low(count, self.n_pairs, self.n_selected, self.frequencies.size, assume)

    def table(self) -> Records:
        """Features that are ever selected, the most frequent first, as dictionaries.

        Returns
        -------
        rows : list of dict
            One for each feature: its name, its frequency, that of its cluster, and the names of the
            features that it is interchangeable with.
        """
        order = np.argsort(-self.frequencies, kind="stable")
        return [self._record(j) for j in order[self.frequencies[order] > 0].tolist()]

    def _record(self, j: int) -> dict[str, Any]:
        others = np.flatnonzero(self.clusters == self.clusters[j])
        return {
            "feature": self._name(j),
            "frequency": float(self.frequencies[j]),
            "of cluster": float(self.cluster_frequencies[self.clusters[j]]),
            "interchangeable with": [self._name(i) for i in others.tolist() if i != j],
        }

    def _name(self, j: int) -> str:
        return name_of(j if self.feature_names is None else self.feature_names[j])

    def __repr__(self) -> str:
        d, n_stable = self.frequencies.size, np.count_nonzero(self.stable())
        return (
            f"Stability({self.n_pairs} pairs, {self.n_selected:g} of {d} features selected on a half, "
            f"{n_stable} in {THRESHOLD:.0%} of the halves, index {self.index:.2f})"
        )

    def _printed(self) -> Printed:
        low, high = self.index_interval()
        n_often = int(np.count_nonzero(self.frequencies >= PRINTED)) or FEW
        rows = self.table()[:n_often]
        stopped = "" if self.complete else " (stopped before all pairs were fitted)"
        lines = [
            f"{self.n_pairs} pairs of halves{stopped}, {self.n_selected:g} of {self.frequencies.size} "
            f"features selected on each.",
            f"Stability index {self.index:.2f} ({low:.2f} to {high:.2f}), "
            f"{self.index_of_clusters:.2f} for clusters of interchangeable features.",
            f"In {THRESHOLD:.0%} of the halves: {np.count_nonzero(self.stable())} features, of which "
            f"{self.expected_false_selections():.2g} at most are expected to have a low selection "
            f"probability.",
        ]
        return Printed(lines, rows, {"frequency": ".0%", "of cluster": ".0%"})


def stability(
    selector: Any,
    X: Any,
    y: Any,
    *,
    n_pairs: int = 50,
    sample_weight: Any = None,
    confounders: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Stability:
    """Select features on complementary pairs of half-samples, to see which selections can be relied on.

    The rows of each class are divided at random into two halves, `n_pairs` times; of a class with an odd
    number of rows, one drawn at random is in neither. Without classes all rows are. A clone of the
    selector is fitted on each half. This is the resampling of Shah and Samworth (2013), which bounds the
    expected number of features with a low selection probability among those selected often:
    :meth:`Stability.expected_false_selections`.

    Parameters
    ----------
    selector : selector
        A selector with `fit` and `get_support`, of fisherset or scikit-learn, or a pipeline that ends in
        one. It is not changed; what is random in it is drawn from `random_state`.
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
        The samples, in memory.
    y : array-like of shape (n_samples,) or (n_samples, n_targets), or None
        The targets as the selector takes them. Integers of which some occur only once count as numbers,
        not classes, unless the selector is for classes.
    n_pairs : int, default=50
        Number of pairs, two or more.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples, for selectors whose `fit` takes them. Rows are halved, whatever they weigh;
        those of weight zero are in neither half.
    confounders : array-like of shape (n_samples, n_confounders), default=None
        Variables that features and targets are adjusted for on each half, for selectors whose `fit` takes
        them.
    random_state : int, RandomState instance or None, default=None
        Seed of the halves. The same seed has the same answer, whatever `n_jobs` is.
    n_jobs : int or None, default=None
        Number of threads that fit pairs at the same time; None is 1 unless in a `joblib.parallel_config`,
        -1 all processors.

    Returns
    -------
    result : Stability
        Frequencies, clusters of interchangeable features, the stability index, and bounds.

    See Also
    --------
    near_best : All sets that are nearly as good on the same rows.
    certify : How far a set is from the best one.

    Notes
    -----
    The table of :class:`GeneralizedFisherScore` and :class:`JointRegressionScore` with `solver="joint"` is
    measured once: sums over a half are those of all rows less those of the other. Halves are fitted
    without a certificate, as `tol=None` does. Other selectors, and these with `class_weight`, `adjust_for`,
    `missing`, `max_memory` or sets of labels, are fitted on the rows of each half, and once on all
    rows before, to check the table. Warnings of fits on halves are not shown.

    After Ctrl-C the result is that of the pairs that were finished, if they are two or more. Progress is
    logged on the logger "fisherset.progress".

    References
    ----------
    R. D. Shah and R. J. Samworth, Variable selection with error control: another look at stability
    selection, Journal of the Royal Statistical Society B 75 (2013), 55-80.

    S. Nogueira, K. Sechidis and G. Brown, On the stability of feature selection algorithms, Journal of
    Machine Learning Research 18 (2018), 1-54.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from fisherset import GeneralizedFisherScore, stability
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> found = stability(GeneralizedFisherScore(3), X, y, random_state=0)
    >>> print(found)
    50 pairs of halves, 3 of 13 features selected on each.
    Stability index 0.88 (0.82 to 0.94), 0.88 for clusters of interchangeable features.
    In 75% of the halves: 3 features, of which 0.71 at most are expected to have a low selection probability.
    feature          frequency  of cluster
    flavanoids             98%         98%
    color_intensity        97%         97%
    proline                90%         90%
    >>> X.columns[found.stable(0.9)].tolist()
    ['flavanoids', 'color_intensity', 'proline']
    """
    check_selector(selector)
    wanted = parameter.check_integer("n_pairs", n_pairs, least=LEAST_PAIRS)
    parameter.check_jobs(n_jobs)
    random = _random_state(random_state)
    resampled = resample(selector, X, y, sample_weight, confounders)
    supports = resampled.supports(wanted, seeds_of(random, wanted), n_jobs)
    frequencies = supports.mean(axis=0)
    clusters = cluster_features(resampled.X, frequencies, resampled.groups)
    of_clusters = cluster_supports(supports, clusters)
    return Stability(
        frequencies=frequencies,
        supports=supports,
        n_pairs=len(supports) // 2,
        n_selected=float(supports.sum() / len(supports)),
        clusters=clusters,
        cluster_frequencies=of_clusters.mean(axis=0),
        index=stability_index(supports),
        index_of_clusters=stability_index(of_clusters),
        feature_names=resampled.names,
        complete=len(supports) == 2 * wanted,
    )


def _random_state(random_state: Any) -> np.random.RandomState:
    try:
        return check_random_state(random_state)
    except ValueError as error:
        raise ValueError(
            f"random_state must be an integer from 0 to 4294967295, a RandomState or None; "
            f"got {parameter.shown(random_state)}."
        ) from error
