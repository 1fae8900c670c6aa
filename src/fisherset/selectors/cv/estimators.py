"""Joint selection for classes and for numbers, with gamma and size chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fisherset._docs import documented
from fisherset.selectors.cv.base import CrossValidatedSelector
from fisherset.validation.targets import REGRESSION


@documented
class GeneralizedFisherScoreCV(CrossValidatedSelector):
    """Select features jointly, with gamma and their number chosen by cross-validation.

    On each training part the features are selected for all gammas and sizes, and scored on
    the part left out. The statistics of a training part are those of the table less those
    of the fold, and Gram columns are shared between gammas and sizes.

    Parameters
    ----------
    %(n_features_to_select.cv, gammas, cv, scoring, estimator, n_jobs, solver, standardize, tol, max_iter)
    %(groups, keep, exclude, class_weight, adjust_for, missing)

    Attributes
    ----------
    %(gamma_, n_features_, cv_results_, best_score_, n_passes_, support_, ranking_, scores_, objective_)
    %(upper_bound_, upper_bound_with_, upper_bound_without_, proven_, gap_, optimal_, n_nodes_, status_)
    %(noise_, row_numbers_, leaking_, trace_, n_iter_, classes_, groups_, n_missing_, n_features_in_)
    %(feature_names_in_)

    See Also
    --------
    GeneralizedFisherScore : With gamma and the number of features given.
    selection_path : Selections for a range of sizes.

    Notes
    -----
    The search itself goes without certificates, and with "exact" as "joint" does: only the final fit on
    all samples, which the other attributes are of, is proven. In every fold a missing value counts as the
    mean over all samples, and classes have the weights that their sizes in the whole table give them.

    The default score is the mean accuracy of two classifiers: the discriminant knows what a set tells
    linearly, the nearest neighbour, of at most some hundreds of rows a fold, what it tells besides. Where
    another is going to be used, name it: the choice of gamma can differ.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fisherset import GeneralizedFisherScoreCV
    >>> X, y = load_digits(return_X_y=True)
    >>> selector = GeneralizedFisherScoreCV("auto").fit(X, y)
    >>> print(f"{selector.n_features_} features, accuracy {selector.best_score_:.1%}")
    32 features, accuracy 92.1%
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
        self._store_parameters(locals())


@documented
class JointRegressionScoreCV(CrossValidatedSelector):
    """Select features for numbers jointly, with gamma and their number chosen by cross-validation.

    What :class:`GeneralizedFisherScoreCV` is to :class:`GeneralizedFisherScore`: on each training part
    the features are selected for all gammas and sizes, and scored on the part left out.

    Parameters
    ----------
    %(n_features_to_select.cv, gammas, cv, scoring, estimator, n_jobs, solver, standardize, tol, max_iter)
    %(groups, keep, exclude, adjust_for, missing)

    Attributes
    ----------
    %(gamma_, n_features_, cv_results_, best_score_, n_passes_, support_, ranking_, scores_, objective_)
    %(upper_bound_, upper_bound_with_, upper_bound_without_, proven_, gap_, optimal_, n_nodes_, status_)
    %(noise_, row_numbers_, leaking_, trace_, n_iter_, groups_, n_missing_, n_features_in_)
    %(feature_names_in_)

    See Also
    --------
    JointRegressionScore : With gamma and the number of features given.

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
        self._store_parameters(locals())
