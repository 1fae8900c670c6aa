"""F of a given subset, and how far from the best it can be: for subsets from anywhere."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fisherset._docs import documented
from fisherset._format import certificate_figures, certificate_sentence, counted, proven_share
from fisherset._html import figures_html
from fisherset.analysis.fitted import accepts_selector
from fisherset.selection.constraints import SetArguments
from fisherset.selection.noise import Noise
from fisherset.selection.outcome import warn_status
from fisherset.selection.request import (
    PosedSubset,
    SearchOptions,
    check_request,
    check_search,
    pose_subset,
)
from fisherset.solver import Solution, Status, Trace, grade, grade_exactly, prove_value
from fisherset.solver.solution import is_optimal
from fisherset.statistics.measured import FitArguments
from fisherset.validation.parameters import check_flag
from fisherset.validation.targets import CLASSIFICATION


@documented
class Certificate(NamedTuple):
    """Certificate of a subset: objective <= F of the best subset of that size <= upper_bound.

    Attributes
    ----------
    objective : float
        F of the given subset.
    upper_bound : float
        No subset of as many features has a larger F.
    gap : float
        `(upper_bound - objective) / upper_bound`.
    %(gamma.used)
    n_features : int
        Size of the subset; with groups their number.
    %(status)
    noise : Noise or None
        How many columns look unrelated to the classes, what the best of them would reach by chance,
        and whether the subset is any better; `str(noise)` is a sentence.
    %(task.used, what, limited, adjusted)
    exact : bool
        Whether a subset is known that reaches the upper bound, but for rounding: the gap is then how far
        this one is from the best, not only how far it can be.
    best : float or None
        F of the best subset that exact search found, where `exact` was set.
    n_nodes : int
        Number of nodes that it visited.
    slack : float
        Share of the objective that rounding alone may put between it and the upper bound.
    """

    objective: float
    upper_bound: float
    gap: float
    gamma: float
    n_features: int
    status: Status = Status.CONVERGED
    noise: Noise | None = None
    task: str = CLASSIFICATION
    what: str = "features"
    limited: bool = False
    adjusted: bool = False
    exact: bool = False
    best: float | None = None
    n_nodes: int = 0
    slack: float = 0.0

    @property
    def optimal(self) -> bool:
        """Whether it is proven that no subset of as many features is better, but for rounding."""
        return is_optimal(self.gap, self.slack, self.status)

    @property
    def figures(self) -> str:
        """The numbers, for the end of a sentence."""
        known = self.exact and not self.optimal
        return certificate_figures(self.objective, self.upper_bound, self.gamma, self.best if known else None)

    def __repr__(self) -> str:
        share = f"{'' if self.exact else 'at least '}{proven_share(self.gap)} of the best"
        verdict = "proven optimal" if self.optimal else share
        return f"Certificate({counted(self.n_features, self.what)}: {verdict}, {self.figures})"

    def __str__(self) -> str:
        sentence = certificate_sentence(
            self.n_features,
            self.gap,
            self.upper_bound,
            figures=self.figures,
            noun=self.what,
            task=self.task,
            limited=self.limited,
            adjusted=self.adjusted,
            optimal=self.optimal,
            exact=self.exact,
        )
        if self.status is Status.INEXACT:
            sentence = f"{sentence} {self.status.value}."
        return f"{sentence} {self.noise}" if self.noise is not None and self.noise.chance else sentence

    def _repr_html_(self) -> str:
        """Return the certificate for a notebook."""
        figures = {"F": f"{self.objective:#.6g}", "upper bound": f"{self.upper_bound:#.6g}"}
        more = {"gap": f"{100 * self.gap:.2g} %", "gamma": f"{self.gamma:g}"}
        return figures_html([str(self)], figures | more)


@accepts_selector
@documented
def fisher_criterion(
    X: Any,
    y: Any,
    features: Any,
    *,
    gamma: float | str = "scale",
    standardize: bool = True,
    sample_weight: Any = None,
    class_weight: Any = None,
    adjust_for: Any = None,
    confounders: Any = None,
    missing: str = "error",
    task: str = CLASSIFICATION,
    max_memory: int | float | str | None = None,
) -> float:
    """F(A) = tr{S_b (S_t + gamma I)^-1} of any subset of features.

    Parameters
    ----------
    %(X, y, features, gamma, standardize, sample_weight, class_weight, adjust_for, confounders, missing)
    %(task, max_memory)

    Returns
    -------
    value : float
        Between 0 and the number of classes less one, or the number of targets.

    See Also
    --------
    certify : The same with an upper bound over all subsets of that size.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fisherset import fisher_criterion
    >>> X, y = load_iris(return_X_y=True)
    >>> round(fisher_criterion(X, y, [0, 3], gamma=1.0), 4)
    0.9236
    """
    arguments = FitArguments(sample_weight, class_weight, confounders, missing=missing)
    sets = SetArguments(adjust_for=adjust_for)
    request = check_request(X, sets, arguments, gamma, standardize, task, max_memory)
    subset = pose_subset(request, y, features)
    if not subset.members.size:
        return 0.0
    found = prove_value(subset.posed.problem, subset.columns, subset.gamma)
    warn_status(Status.INEXACT if found.wrong else Status.CONVERGED)
    return float(np.clip(found.stated, 0.0, subset.posed.problem.ceiling))


@accepts_selector
@documented
def certify(
    X: Any,
    y: Any,
    features: Any,
    *,
    gamma: float | str = "scale",
    standardize: bool = True,
    tol: float | str = "auto",
    sample_weight: Any = None,
    groups: Any = None,
    keep: Any = None,
    exclude: Any = None,
    class_weight: Any = None,
    adjust_for: Any = None,
    confounders: Any = None,
    missing: str = "error",
    task: str = CLASSIFICATION,
    max_memory: int | float | str | None = None,
    exact: bool = False,
    time_limit: float | None = None,
    max_nodes: int | None = None,
) -> Certificate:
    """Grade a subset of features, whichever tool or person it came from.

    Parameters
    ----------
    %(X, y, features, gamma, standardize)
    tol : float or "auto", default="auto"
        The bound is at most this share above the value of the convex relaxation; "auto" is 1e-3. With
        `exact`, the gap of the best subset at which the search stops; "auto" stops at rounding error.
    %(sample_weight, groups, keep, exclude, class_weight, adjust_for, confounders, missing, task, max_memory)
    exact : bool, default=False
        Look for the best subset itself, by exact search, and compare the given one with it.
    %(time_limit, max_nodes)

    Returns
    -------
    certificate : Certificate
        With `objective`, `upper_bound` and `gap`; printed, it is a sentence.

    See Also
    --------
    GeneralizedFisherScore : Look for the best subset.
    fisher_criterion : The objective alone.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fisherset import FisherScore, certify
    >>> X, y = load_digits(return_X_y=True)
    >>> ranking = FisherScore(10).fit(X, y)
    >>> certificate = certify(X, y, ranking.get_support())
    >>> print(f"at least {1 - certificate.gap:.0%} of the best")
    at least 74% of the best
    >>> print(certify(X, y, ranking.get_support(), gamma=len(y), exact=True))
    Not optimal: 88.1 % of what the best 10 columns reach (F = 1.88112, best 2.13397, gamma = 1797).
    """
    check_flag("exact", exact)
    solver = "exact" if exact else "joint"
    options = check_search(solver, tol, time_limit=time_limit, max_nodes=max_nodes, grading=True)
    trace = options.trace()
    arguments = FitArguments(sample_weight, class_weight, confounders, missing=missing)
    sets = SetArguments(groups, keep, exclude, adjust_for)
    request = check_request(X, sets, arguments, gamma, standardize, task, max_memory)
    subset = pose_subset(request, y, features)
    return _graded(subset, options, trace, task)


def _graded(subset: PosedSubset, options: SearchOptions, trace: Trace, task: str) -> Certificate:
    """Certificate of a subset: from the relaxation, or from exact search."""
    posed, constraints = subset.posed, subset.posed.constraints
    given = posed.problem, posed.domain, subset.members, subset.gamma
    assert options.tol is not None
    best: Solution | None = None
    if options.solver == "exact":
        found, best = grade_exactly(*given, tol=options.tol, trace=trace)
    else:
        found = grade(*given, tol=options.tol, trace=trace)
    warn_status(found.status)
    return Certificate(
        found.objective,
        found.upper_bound,
        found.gap,
        subset.gamma,
        posed.k,
        status=found.status,
        noise=posed.noise(subset.members),
        task=task,
        what=constraints.what,
        limited=constraints.limited,
        adjusted=posed.adjusted,
        exact=found.optimal or (best is not None and best.optimal),
        # the given set may be better than the one a stopped search found
        best=None if best is None else max(best.objective, found.objective),
        n_nodes=found.n_nodes,
        slack=found.slack,
    )
