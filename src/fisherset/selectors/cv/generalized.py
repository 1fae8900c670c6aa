"""The Generalized Fisher Score with gamma and the number of features chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from fisherset.selectors.cv.base import CrossValidatedSelector
from fisherset.statistics.measured import FitArguments


class GeneralizedFisherScoreCV(CrossValidatedSelector):
    """Select features jointly, with gamma and their number chosen by cross-validation.

    On each training part the features are selected for all gammas and sizes, and scored on
    the part left out. The statistics of a training part are those of the table less those
    of the fold, and Gram columns are shared between gammas and sizes.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or sequence, default=None
        How many features to select; a float in (0, 1) is a share of them, None half. Of a
        sequence the best is chosen, of equals the smallest. "auto" takes the smallest of
        1, 2, 3, 5, 8, ..., 200 that is within one standard error of the best.
    gammas : sequence of float or "scale", default=None
        The regularisers to choose from; of equals the largest is taken. None for "scale" and
        nine multiples of `n_samples` between 0.5 and 200; "scale" then stays unless another
        is better by more than one standard error of the difference.
    cv : int, splitter or iterable, default=5
        As in scikit-learn: a number of stratified folds, a splitter, or pairs of rows.
    scoring : str or callable, default=None
        A scorer of scikit-learn; None for the accuracy, with sets of labels for the R^2 of their
        indicators.
    estimator : estimator, default=None
        Is fitted on the selected features of each training part. None for a regularised
        linear discriminant, or with sets of labels a linear regression of their indicators, which
        need the statistics only.
    n_jobs : int, default=None
        Folds in parallel threads.
    solver, standardize, tol, max_iter, groups, keep, exclude, class_weight, adjust_for, missing
        As in :class:`GeneralizedFisherScore`; the search itself goes without certificates,
        and with "exact" as "joint" does: only the final fit is proven. In
        every fold a missing value counts as the mean over all samples, and classes have the weights
        that their sizes in the whole table give them.

    Attributes
    ----------
    gamma_ : float
        The chosen regulariser.
    n_features_ : int
        The chosen number of features.
    cv_results_ : dict of ndarray
        `param_gamma`, `param_n_features_to_select`, `mean_test_score`, `std_test_score`,
        `rank_test_score` and a `split*_test_score` for each fold; one entry for each pair.
        The gammas are those of the whole table.
    best_score_ : float
        Mean score of the choice.
    n_passes_ : int
        How many times the whole table was read, for the search and the final fit.
    support_, ranking_, scores_, objective_, upper_bound_, upper_bound_with_, upper_bound_without_, proven_, \
gap_, optimal_, n_nodes_, status_, noise_, trace_, n_iter_, classes_, groups_, n_missing_, n_features_in_, \
feature_names_in_
        Of the fit on all samples, as in :class:`GeneralizedFisherScore`.

    See Also
    --------
    GeneralizedFisherScore : With gamma and the number of features given.
    selection_path : Selections for a range of sizes.

    Notes
    -----
    The discriminant scores a set by what it tells linearly. Where another classifier is
    going to be used, name it: the choice of gamma can differ.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fisherset import GeneralizedFisherScoreCV
    >>> X, y = load_digits(return_X_y=True)
    >>> selector = GeneralizedFisherScoreCV("auto").fit(X, y)
    >>> print(f"{selector.n_features_} features, accuracy {selector.best_score_:.1%}")
    50 features, accuracy 91.4%
    """

    def __init__(
        self,
        n_features_to_select: int | float | str | Sequence[int] | None = None,
        *,
        gammas: Sequence[float | str] | None = None,
        cv: Any = 5,
        scoring: Any = None,
        estimator: Any = None,
        n_jobs: int | None = None,
        solver: str = "joint",
        standardize: bool = True,
        tol: float | str | None = "auto",
        max_iter: int = 1000,
        groups: Any = None,
        keep: Any = None,
        exclude: Any = None,
        class_weight: Any = None,
        adjust_for: Any = None,
        missing: str = "error",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.gammas = gammas
        self.cv = cv
        self.scoring = scoring
        self.estimator = estimator
        self.n_jobs = n_jobs
        self.solver = solver
        self.standardize = standardize
        self.tol = tol
        self.max_iter = max_iter
        self.groups = groups
        self.keep = keep
        self.exclude = exclude
        self.class_weight = class_weight
        self.adjust_for = adjust_for
        self.missing = missing

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, confounders: Any = None, groups: Any = None
    ) -> Self:
        """Choose gamma and the number of features, then select on all samples.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Their class labels, or sets of labels, as in :class:`GeneralizedFisherScore`.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, in the selections and in the scores.
        confounders : array-like of shape (n_samples, n_confounders), default=None
            What is taken out of features and classes, as in :class:`GeneralizedFisherScore`; models
            are fitted and scored on what is then left of the selected features.
        groups : array-like of shape (n_samples,), default=None
            Groups of samples for a splitter that keeps them together, such as `GroupKFold`; not to
            be confused with the groups of features.

        Returns
        -------
        self : GeneralizedFisherScoreCV
            The fitted selector.
        """
        return self._search(X, y, FitArguments(sample_weight, self.class_weight, confounders), groups)
