"""The Generalized Fisher Score: features selected together, with a certificate."""

from __future__ import annotations

from typing import Any

from fisherset._docs import documented
from fisherset.selectors.incremental import IncrementalSelector


@documented
class GeneralizedFisherScore(IncrementalSelector):
    """Select the features that separate the classes best *together*.

    Of all subsets A of k features it looks for the one with the largest regularised
    Fisher criterion of Gu, Li and Han (2011)::

        F(A) = tr{ S_b (S_t + gamma I)^-1 }        on the features A

    so that features that only help in company are found and redundant ones left out.
    A convex relaxation bounds F over *all* subsets of that size; `gap_` therefore says
    how far the answer can be from the best one at most.

    Parameters
    ----------
    %(n_features_to_select, gamma, solver, standardize, tol, max_iter, time_limit, max_nodes, verbose)
    %(groups, keep, exclude, class_weight, adjust_for, missing, max_memory)

    Attributes
    ----------
    %(support_, ranking_, scores_, n_missing_, groups_, objective_, upper_bound_, gap_, optimal_, n_nodes_)
    %(upper_bound_with_, upper_bound_without_, proven_, status_, noise_)
    %(row_numbers_, leaking_, gamma_, trace_, n_iter_, n_passes_)
    %(classes_, n_features_in_, feature_names_in_)

    See Also
    --------
    certify : Grade a subset that came from elsewhere.
    fisher_criterion : F of any subset.
    FisherScore : Score the features one by one.
    JointRegressionScore : The same for targets that are numbers.

    Notes
    -----
    Constant features are selected only when nothing else is left, with a warning.
    Ties go to the earlier column, and nothing is random: the same input gives the same
    answer. Neither the n_features x n_features Gram matrix nor a standardised copy of
    X is formed, and sparse data stays sparse.

    F is comparable at one gamma only, and "scale" depends on the number of features and on
    what may be selected: to compare, pass `gamma_` of one fit to the other.

    References
    ----------
    Q. Gu, Z. Li, J. Han: Generalized Fisher Score for Feature Selection. UAI 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fisherset import GeneralizedFisherScore
    >>> X, y = load_digits(return_X_y=True)
    >>> selector = GeneralizedFisherScore(10).fit(X, y)
    >>> selector.transform(X).shape
    (1797, 10)
    >>> print(f"F = {selector.objective_:.3f}, at most {selector.gap_:.0%} below the best")
    F = 3.532, at most 15% below the best

    Exact search closes the gap. The larger gamma, the sooner: here in a second.

    >>> selector = GeneralizedFisherScore(10, gamma=len(y), solver="exact").fit(X, y)
    >>> selector.optimal_, f"{selector.gap_:.1%}"
    (True, '0.0%')

    Where the bound is sharp, it decides about single features, too:

    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = GeneralizedFisherScore(3).fit(X, y)
    >>> print(selector.proven_)
    Proof: 3 features are essential, 27 are ruled out, 0 undecided.
    Essential: worst radius, worst texture, worst concave points.
    """

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
        class_weight: Any = None,
        adjust_for: Any = None,
        missing: str = "error",
        max_memory: int | float | str | None = None,
    ) -> None:
        self._store_parameters(locals())
