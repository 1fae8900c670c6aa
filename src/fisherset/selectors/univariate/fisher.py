"""The Fisher score: each feature on its own, Eq. (4)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from fisherset._docs import documented
from fisherset._types import Floats
from fisherset.selectors.base import BaseSelector
from fisherset.statistics import within_scatter
from fisherset.statistics.measure import measure_table
from fisherset.statistics.measured import FitArguments, MeasuredTable


class ClassScoreSelector(BaseSelector):
    """A selector by a score of single features that the statistics of classes give."""

    def _check_parameters(self) -> bool:
        """Check the parameters; return whether the rows may be out of core."""
        return True

    def _scores(self, table: MeasuredTable) -> tuple[Floats, Floats | float]:
        """Scores of all columns, and the unit that squares of columns are in."""
        raise NotImplementedError

    @documented
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Score the features.

        Parameters
        ----------
        %(X, y.labels, sample_weight)

        Returns
        -------
        self : object
            The fitted selector.
        """
        X, k = self._check_table(X, out_of_core=self._check_parameters())
        arguments = FitArguments(sample_weight)
        table = measure_table(X, y, self._names, arguments)
        self._fitted_with = arguments.repeated
        scores, unit = self._scores(table)
        self._select(scores, table.scatter.constant, k, unit=unit)
        self.classes_, self.n_passes_ = table.classes, table.n_passes
        self._note_leakage(table)
        return self


@documented
class FisherScore(ClassScoreSelector):
    """Select the features with the largest Fisher score, one by one.

    The score of a feature is the spread of its class means over the spread inside the
    classes, Eq. (4) of Gu, Li and Han (2011)::

        sum_k n_k (mean_k - mean)^2 / sum_k n_k sigma_k^2

    It ranks as the F statistic of :func:`sklearn.feature_selection.f_classif` and, like
    it, neither sees features that only help together nor avoids redundant ones; for
    that there is :class:`GeneralizedFisherScore`. Sparse data is used as it is.

    Parameters
    ----------
    %(n_features_to_select)

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The Fisher scores, larger is better. Infinite for a feature that is constant
        inside every class but not over them, 0 for one that is constant altogether.
    %(ranking_.single, support_, row_numbers_.single, leaking_, classes_.labels, n_passes_)
    %(n_features_in_, feature_names_in_)

    See Also
    --------
    GeneralizedFisherScore : Select the features jointly.
    sklearn.feature_selection.SelectKBest : The same ranking with `f_classif`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fisherset import FisherScore
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = FisherScore(2).fit(X, y)
    >>> selector.get_feature_names_out()
    array(['petal length (cm)', 'petal width (cm)'], dtype=object)
    >>> selector.scores_.round(1)
    array([ 1.6,  0.7, 16.1, 13.1])
    """

    def __init__(self, n_features_to_select: int | float | None = None) -> None:
        self.n_features_to_select = n_features_to_select

    def _scores(self, table: MeasuredTable) -> tuple[Floats, float]:
        return fisher_scores(table), 1.0


def fisher_scores(table: MeasuredTable) -> Floats:
    """Eq. (4) of every column, adjusted for the confounders; infinite without scatter inside the classes."""
    adjusted = len(table.scatter.B) > 1  # class means are not those of the residuals
    within = within_scatter(table.scatter, None if adjusted else table.rows)
    between = table.scatter.between
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(between > 0, between / within, 0.0)
