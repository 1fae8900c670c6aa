"""What all selectors share: the way from (X, y) to statistics, and the scikit-learn selector face."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from fisherset._types import Floats, Indices
from fisherset.selectors import _validation as check
from fisherset.selectors._label_sets import check_label_sets, label_sets
from fisherset.selectors._targets import check_targets, check_vary
from fisherset.selectors.class_weight import weigh_classes
from fisherset.selectors.confounders import confounders_of, warn_explained
from fisherset.solver import TIE
from fisherset.sources import CountedSource, MemorySource
from fisherset.statistics import (
    Classes,
    Coding,
    Labels,
    Numbers,
    Scatter,
    SourceProducts,
    TableProblem,
    basis_of,
    measure,
    observed,
)

# What y holds: classes or sets of labels, numbers, or one class for each sample and nothing else.
CLASSIFICATION, REGRESSION, ONE_CLASS_EACH = "classification", "regression", "one class each"
TASKS = (CLASSIFICATION, REGRESSION)  # that can be asked for
MISSING = ("error", "mean")


class Measured(NamedTuple):
    """One pass worth of a table with its targets."""

    source: CountedSource
    coding: Coding
    scatter: Scatter
    classes: NDArray[Any]  # none where the targets are numbers
    codes: NDArray[np.intp]  # class of each row
    missing: Indices | None = None  # values that each column lacks, where that is allowed

    @property
    def products(self) -> SourceProducts:
        return SourceProducts(self.source, self.scatter.guard)


class Beside(NamedTuple):
    """What may be given beside X and y."""

    sample_weight: Any = None
    class_weight: Any = None
    confounders: Any = None
    adjusted: Indices | None = None  # columns of X that are taken out of the others
    missing: str = "error"  # or "mean": missing values of X count as the mean of their column


ALONE = Beside()


def measure_table(X: Any, y: Any, names: Any, beside: Beside = ALONE, task: str = ONE_CLASS_EACH) -> Measured:
    """Check the targets and weights, read the table once, refuse what is not finite.

    X has been checked already, so that parameters that depend on its width could be.
    """
    classes, codes = np.empty(0), np.empty(0, dtype=np.intp)
    sets = label_sets(y, X.shape[0]) if task == CLASSIFICATION else None
    if beside.class_weight is not None and (sets is not None or task == REGRESSION):
        raise ValueError("class_weight is for one class each; use sample_weight for other targets.")
    if sets is None and task != REGRESSION:
        classes, codes = check.check_labels(y, X.shape[0])
        weights = check.check_weights(beside.sample_weight, codes, classes.size)
        if beside.class_weight is not None:
            weights = weigh_classes(beside.class_weight, classes, codes, weights)
        coding: Coding = Classes(classes.size)
        targets: Any = codes
    else:
        targets = check_targets(y, X.shape[0]) if sets is None else sets.indicator
        weights = weights_of_samples(beside.sample_weight, X.shape[0])
        if sets is None:
            check_vary(targets, weights)
            if weights is not None:  # a target without weight has no say, however large it is
                targets = np.where(weights[:, None] > 0, targets, targets[np.argmax(weights)])
            coding = Numbers.of(targets, weights)
        else:
            check_label_sets(sets, weights)
            coding, classes = Labels.of_sets(targets, weights), sets.labels
    Z = confounders_of(X, beside.confounders, beside.adjusted)
    basis = None if Z is None else basis_of(Z, weights)
    source = CountedSource(MemorySource(X, targets, weights, basis, names=names))
    gaps = observed(source) if beside.missing == "mean" else None
    moments = measure(source, coding, None if gaps is None or not gaps.missing.any() else gaps.fill)
    check.reject_nonfinite(moments.finite, names)
    scatter = Scatter(moments, coding)
    if basis is not None:
        warn_explained(scatter, classes, names, beside.adjusted)
    return Measured(source, coding, scatter, classes, codes, None if gaps is None else gaps.missing)


def weights_of_samples(sample_weight: Any, n: int) -> Floats | None:
    """Weights of the samples as they were given, checked."""
    return check.check_weights(sample_weight, np.arange(n), n, "samples")


def pose_problem(table: Measured, standardize: bool) -> TableProblem:
    """The problem the solver is given, refused where its numbers would leave the range of float64."""
    problem = TableProblem(table.products, table.scatter, table.coding, standardize=standardize)
    check.check_magnitude(problem.diagonal)
    return problem


class BaseSelector(SelectorMixin, BaseEstimator):
    """A selector that is fitted once it has a `support_`."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags

    @property
    def _names(self) -> Any:
        """Names of the columns for messages, None where X had none."""
        return getattr(self, "feature_names_in_", None)

    def _select(
        self,
        scores: Floats,
        constant: NDArray[np.bool_],
        k: int,
        *,
        unit: Floats | float = 1.0,
        chosen: NDArray[np.bool_] | None = None,
    ) -> None:
        """Keep the scores, rank by them and select the k best.

        Scores within a share `TIE` of each other rank in column order, constant features
        last. A `unit` stands for a factor unit^2 that might overflow the scores; features
        already `chosen` come first.
        """
        first = np.zeros(scores.size, dtype=bool) if chosen is None else chosen
        with np.errstate(divide="ignore"):
            level = np.round((np.log(np.abs(scores)) + 2 * np.log(unit)) / TIE)
        sign = np.sign(scores)
        order = np.lexsort([-sign * np.where(sign == 0, 0.0, level), -sign, ~first, constant])
        with np.errstate(over="ignore"):
            self.scores_ = scores * unit * unit
        self.ranking_ = ranking_from(order)
        self.support_ = self.ranking_ <= k

    def transform(self, X: Any) -> Any:
        """Reduce X to the selected features.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        X_r : array of shape (n_samples, n_selected_features)
            The samples with only the selected features.
        """
        return super().transform(check.check_container(X))

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "support_")
        support: NDArray[np.bool_] = self.support_
        return support


def ranking_from(order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Rank of each feature, 1 for the best, from the features in order."""
    ranking = np.empty(order.size, dtype=np.intp)
    ranking[order] = np.arange(1, order.size + 1)
    return ranking
