"""F of a given subset, and how far from the best it can be: for subsets from anywhere."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fisherset._format import certificate_figures, certificate_sentence
from fisherset.selection.noise import Noise, measure_noise
from fisherset.selection.outcome import warn_status
from fisherset.selection.request import check_accuracy, pose_subset
from fisherset.solver import Status, Trace, grade, grade_exactly, prove_value
from fisherset.solver.solution import is_optimal
from fisherset.statistics.measured import FitArguments
from fisherset.validation import parameters as parameter
from fisherset.validation.targets import CLASSIFICATION

MAX_ITER = 1000


class Certificate(NamedTuple):
    """What `certify` found: objective <= F of the best subset of that size <= upper_bound.

    Attributes
    ----------
    objective : float
        F of the given subset.
    upper_bound : float
        No subset of as many features has a larger F.
    gap : float
        `(upper_bound - objective) / upper_bound`.
    gamma : float
        The regulariser used.
    n_features : int
        Size of the subset; with groups their number.
    status : Status
        How the computation ended; `status.value` is a sentence with what to do.
    noise : Noise or None
        How many columns look unrelated to the classes, what the luckiest of them would reach,
        and whether the subset is any better; `str(noise)` is a sentence.
    task : {"classification", "regression"}
        What y held.
    what : {"features", "groups"}
        What the size counts.
    limited, adjusted : bool
        Whether some features had to be in the subset or must not be, and whether something was
        taken out of all of them: the bound is over what that leaves.
    exact : bool
        Whether a subset is known that reaches the upper bound, but for rounding: the gap is then how far
        this one is from the best, not only how far it can be.
    best : float or None
        F of the best subset that exact search found, where it was asked for.
    n_nodes : int
        Nodes that it looked at.
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
            sentence = f"{sentence} But {self.status.value}."
        return f"{sentence} {self.noise}" if self.noise is not None and self.noise.chance else sentence


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
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features), or a table
        The samples, or a table from `scan`, or a :class:`Summary`.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Their class labels, sets of labels, or numbers; None for a table, which brings its own.
    features : array-like
        The subset: column numbers, column names, or a boolean mask.
    gamma : float or "scale", default="scale"
        The regulariser, as in :class:`GeneralizedFisherScore`.
    standardize : bool, default=True
        Scale the features to standard deviation 1.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.
    class_weight, adjust_for, confounders, missing
        As in :class:`GeneralizedFisherScore`.
    task : {"classification", "regression"}, default="classification"
        Whether y holds classes, or numbers as in :class:`JointRegressionScore`.
    max_memory : int or str, default=None
        As in :class:`GeneralizedFisherScore`.

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
    limit = parameter.check_memory(max_memory)
    beside = FitArguments(sample_weight, class_weight, confounders, missing=missing, max_memory=limit)
    asked = pose_subset(X, y, features, gamma, standardize, beside, task, adjust_for=adjust_for)
    if not asked.members.size:
        return 0.0
    found = prove_value(asked.problem, asked.columns, asked.gamma)
    warn_status(Status.INEXACT if found.wrong else Status.CONVERGED)
    return float(np.clip(found.stated, 0.0, asked.problem.ceiling))


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
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features), or a table
        The samples, or a table from `scan`, or a :class:`Summary`.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Their class labels, sets of labels, or numbers; None for a table, which brings its own.
    features : array-like
        The subset: column numbers, column names, or a boolean mask.
    gamma : float or "scale", default="scale"
        The regulariser, as in :class:`GeneralizedFisherScore`.
    standardize : bool, default=True
        Scale the features to standard deviation 1.
    tol : float or "auto", default="auto"
        The bound is at most this share above the value of the convex relaxation; "auto" is 1e-3. With
        `exact`, the gap of the best subset at which the search stops; "auto" is none but for rounding.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.
    groups, keep, exclude, class_weight, adjust_for, confounders, missing
        As in :class:`GeneralizedFisherScore`: the bound is over the subsets they allow, to which
        the given one has to belong. With `groups`, sizes count groups.
    task : {"classification", "regression"}, default="classification"
        Whether y holds classes, or numbers as in :class:`JointRegressionScore`.
    max_memory : int or str, default=None
        As in :class:`GeneralizedFisherScore`.
    exact : bool, default=False
        Look for the best subset itself, by exact search, and hold the given one against it.
    time_limit : float, default=None
        Seconds after which the computation stops; the bound stays valid. None for no limit.
    max_nodes : int, default=None
        Most nodes of the exact search, after which it stops likewise. None for no limit.

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
    >>> print(certify(X, y, ranking.get_support()))
    These 10 features reach at least 81.8 % of the best Fisher criterion any 10 columns of this
    table could reach (F = 1.88112, upper bound 2.29926, gamma = 1797).
    >>> print(certify(X, y, ranking.get_support(), exact=True))
    These 10 features reach 88.1 % of the best Fisher criterion any 10 columns of this table can
    reach (F = 1.88112, the best 2.13397, gamma = 1797).
    """
    parameter.check_flag("exact", exact)
    accuracy = check_accuracy(tol, exact=bool(exact))
    seconds = parameter.check_limit("time_limit", time_limit)
    trace = Trace(max_iter=MAX_ITER, time_limit=seconds, max_nodes=parameter.check_nodes(max_nodes))
    limit = parameter.check_memory(max_memory)
    beside = FitArguments(sample_weight, class_weight, confounders, missing=missing, max_memory=limit)
    sets = {"groups": groups, "keep": keep, "exclude": exclude, "adjust_for": adjust_for}
    asked = pose_subset(X, y, features, gamma, standardize, beside, task, **sets)
    problem, domain = asked.problem, asked.posed.domain
    given, best = (problem, domain, asked.members, asked.gamma), None
    if exact:
        found, best = grade_exactly(*given, tol=accuracy, trace=trace)
    else:
        found = grade(*given, tol=accuracy, trace=trace)
    warn_status(found.status)
    noise = measure_noise(problem, asked.columns, domain.units.columns(domain.excluded))
    choice = asked.choice
    return Certificate(
        found.objective,
        found.upper_bound,
        found.gap,
        asked.gamma,
        asked.chosen.size,
        status=found.status,
        noise=noise,
        task=task,
        what=choice.what,
        limited=bool(choice.required.size + choice.excluded.size),
        adjusted=bool(choice.adjusted.size) or confounders is not None,
        exact=found.optimal or (best is not None and best.optimal),
        best=None if best is None else max(best.objective, found.objective),
        n_nodes=found.n_nodes,
        slack=found.slack,
    )
