"""The joint selection for targets that are numbers."""

from __future__ import annotations

from typing import Any

from fisherset._docs import documented
from fisherset.selectors.incremental import IncrementalSelector
from fisherset.validation.targets import REGRESSION


@documented
class JointRegressionScore(IncrementalSelector):
    """Select the features that explain one or several numbers best *together*.

    The criterion of :class:`GeneralizedFisherScore` with standardised targets H in place of the
    classes: of all subsets A of k features it looks for the one with the largest ::

        F(A) = tr{ H'X_A (X_A'X_A + gamma I)^-1 X_A'H } / n

    the share of variance that a ridge regression on A explains, regularised, summed over the
    targets. The relaxation, the swaps and the certificate are the same.

    Parameters
    ----------
    %(n_features_to_select, gamma, solver, standardize, tol, max_iter, time_limit, max_nodes, verbose)
    %(groups, keep, exclude, adjust_for, missing, max_memory)

    Attributes
    ----------
    %(support_, ranking_, scores_, n_missing_, groups_, objective_, upper_bound_, gap_, optimal_, n_nodes_)
    %(upper_bound_with_, upper_bound_without_, proven_, status_, noise_)
    %(row_numbers_, leaking_, gamma_, trace_, n_iter_, n_passes_)
    %(n_features_in_, feature_names_in_)

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
    F = 0.468, at most 0.0% below the best
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
        self._store_parameters(locals())
