"""The joint selection for numbers, with gamma and the number of features chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from fisherset.selectors.cv.base import CrossValidatedSelector
from fisherset.statistics.measured import FitArguments
from fisherset.validation.targets import REGRESSION


class JointRegressionScoreCV(CrossValidatedSelector):
    """Select features for numbers jointly, with gamma and their number chosen by cross-validation.

    What :class:`GeneralizedFisherScoreCV` is to :class:`GeneralizedFisherScore`: on each training part
    the features are selected for all gammas and sizes, and scored on the part left out.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or sequence, default=None
        How many features to select, as in :class:`GeneralizedFisherScoreCV`.
    gammas : sequence of float or "scale", default=None
        The regularisers to choose from, as in :class:`GeneralizedFisherScoreCV`; None for "scale"
        and nine multiples of `n_samples` between 0.01 and 16.
    cv : int, splitter or iterable, default=5
        As in scikit-learn: a number of folds, a splitter, or pairs of rows.
    scoring : str or callable, default=None
        A scorer of scikit-learn; None for R^2, the mean over the targets.
    estimator : estimator, default=None
        Is fitted on the selected features of each training part. None for a linear regression with
        a little ridge, which needs the statistics only.
    n_jobs : int, default=None
        Folds in parallel threads.
    solver, standardize, tol, max_iter, groups, keep, exclude, adjust_for, missing
        As in :class:`GeneralizedFisherScoreCV`.

    Attributes
    ----------
    gamma_, n_features_, cv_results_, best_score_, n_passes_
        As in :class:`GeneralizedFisherScoreCV`.
    support_, ranking_, scores_, objective_, upper_bound_, upper_bound_with_, upper_bound_without_, proven_, \
gap_, optimal_, n_nodes_, status_, noise_, trace_, n_iter_, groups_, n_missing_, n_features_in_, \
feature_names_in_
        Of the fit on all samples, as in :class:`JointRegressionScore`.

    See Also
    --------
    JointRegressionScore : With gamma and the number of features given.

    Notes
    -----
    With confounders models are fitted and scored on what is left of features and targets.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from fisherset import JointRegressionScoreCV
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> selector = JointRegressionScoreCV("auto").fit(X, y)
    >>> list(selector.get_feature_names_out()), round(selector.best_score_, 2)
    (['sex', 'bmi', 'bp', 's3', 's5'], 0.49)
    """

    _task = REGRESSION

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
        self.adjust_for = adjust_for
        self.missing = missing

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, confounders: Any = None, groups: Any = None
    ) -> Self:
        """Choose gamma and the number of features, then select on all samples.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            The numbers to explain.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, in the selections and in the scores.
        confounders : array-like of shape (n_samples, n_confounders), default=None
            What is taken out of features and targets.
        groups : array-like of shape (n_samples,), default=None
            Groups of samples for a splitter that keeps them together, such as `GroupKFold`.

        Returns
        -------
        self : JointRegressionScoreCV
            The fitted selector.
        """
        return self._search(X, y, FitArguments(sample_weight, None, confounders), groups)
