"""The joint selection for targets that are numbers."""

from __future__ import annotations

from typing import Any, Self

from fisherset.selectors.incremental import IncrementalSelector
from fisherset.statistics.measured import FitArguments
from fisherset.validation.targets import REGRESSION


class JointRegressionScore(IncrementalSelector):
    """Select the features that explain one or several numbers best *together*.

    The criterion of :class:`GeneralizedFisherScore` with standardised targets H in place of the
    classes: of all subsets A of k features it looks for the one with the largest ::

        F(A) = tr{ H'X_A (X_A'X_A + gamma I)^-1 X_A'H } / n

    the share of variance that a ridge regression on A explains, regularised, summed over the
    targets. The relaxation, the exchange and the certificate are the same.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        How many features to select; a float in (0, 1) is a share of them, None half.
    gamma : float or "scale", default="scale"
        The regulariser, as in :class:`GeneralizedFisherScore`; "scale" goes by how much of a target
        unrelated features would explain by chance, and is at least `n_samples / 4`.
    solver, standardize, tol, max_iter, time_limit, max_nodes, verbose, groups, keep, exclude, adjust_for, \
missing, max_memory
        As in :class:`GeneralizedFisherScore`.

    Attributes
    ----------
    objective_ : float
        F of the selected subset, at most the number of targets.
    support_, ranking_, scores_, upper_bound_, upper_bound_with_, upper_bound_without_, proven_, gap_, \
optimal_, n_nodes_, status_, noise_, gamma_, trace_, n_iter_, n_passes_, n_missing_, groups_, \
n_features_in_, feature_names_in_
        As in :class:`GeneralizedFisherScore`.

    See Also
    --------
    GeneralizedFisherScore : For classes.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from fisherset import JointRegressionScore
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> selector = JointRegressionScore(4).fit(X, y)
    >>> list(selector.get_feature_names_out())
    ['bmi', 'bp', 's3', 's5']
    >>> print(f"F = {selector.objective_:.3f}, at most {selector.gap_:.1%} below the best")
    F = 0.437, at most 0.0% below the best
    """

    _task = REGRESSION

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        gamma: float | str = "scale",
        solver: str = "joint",
        standardize: bool = True,
        tol: float | str | None = "auto",
        max_iter: int = 1000,
        time_limit: float | None = None,
        max_nodes: int | None = None,
        verbose: int = 0,
        groups: Any = None,
        keep: Any = None,
        exclude: Any = None,
        adjust_for: Any = None,
        missing: str = "error",
        max_memory: int | float | str | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.gamma = gamma
        self.solver = solver
        self.standardize = standardize
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.max_nodes = max_nodes
        self.verbose = verbose
        self.groups = groups
        self.keep = keep
        self.exclude = exclude
        self.adjust_for = adjust_for
        self.missing = missing
        self.max_memory = max_memory

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, confounders: Any = None) -> Self:
        """Select the features.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features), or a table
            The samples, or a table from `scan`, or a :class:`Summary`.
        y : array-like of shape (n_samples,) or (n_samples, n_targets), default=None
            The numbers to explain; None for a table, which brings its own.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples; a weight of 2 counts as a sample given twice.
        confounders : array-like of shape (n_samples, n_confounders), default=None
            What is taken out of features and targets, as in :class:`GeneralizedFisherScore`.

        Returns
        -------
        self : JointRegressionScore
            The fitted selector.
        """
        return self._fit_anew(X, y, FitArguments(sample_weight, None, confounders))
