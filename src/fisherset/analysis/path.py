"""Selections for a range of sizes, and of gammas, from statistics that are computed once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Indices
from fisherset.selection.constraints import Choice, Posed
from fisherset.selection.gamma import resolve_gamma
from fisherset.selection.noise import Noise, measure_noise
from fisherset.selection.outcome import solutions_along
from fisherset.selection.problem import measure_table, pose_problem
from fisherset.selection.request import check_asked
from fisherset.solver import SOLVERS, Solution, Status, relative_gap
from fisherset.statistics import TableProblem
from fisherset.statistics.measured import Beside
from fisherset.validation import parameters as parameter
from fisherset.validation.targets import CLASSIFICATION


class Step(NamedTuple):
    """The selection for one k.

    Attributes
    ----------
    k : int
        Number of features, or of groups.
    features : ndarray
        Their column numbers, rising; with groups those of all their columns.
    objective : float
        F of the selection, at the gamma of the path.
    upper_bound : float
        No selection of k features has a larger F at that gamma.
    status : Status
        How the search ended.
    noise : Noise or None
        How the selection compares with chance.
    """

    k: int
    features: Indices
    objective: float
    upper_bound: float
    status: Status = Status.CONVERGED
    noise: Noise | None = None

    @property
    def gap(self) -> float:
        """How far below the best selection of k features this one can be at most, as a share."""
        return relative_gap(self.objective, self.upper_bound)


@dataclass(frozen=True)
class SelectionPath:
    """Selections of rising size, a sequence of steps, all at one gamma: their F can be compared.

    Attributes
    ----------
    steps : tuple of Step
        One for each k.
    gamma : float
        The regulariser of all of them.
    feature_names : ndarray or None
        Names of the columns, where the table had names.
    task : {"classification", "regression"}
        What was asked for.
    what : {"features", "groups"}
        What the sizes count.
    """

    steps: tuple[Step, ...]
    gamma: float
    feature_names: NDArray[Any] | None = None
    task: str = CLASSIFICATION
    what: str = "features"

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, place: int) -> Step:
        return self.steps[place]

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)


def selection_path(
    X: Any,
    y: Any,
    ks: Sequence[int | float],
    *,
    gamma: float | str = "scale",
    solver: str = "joint",
    standardize: bool = True,
    tol: float | str | None = "auto",
    max_iter: int = 1000,
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
) -> SelectionPath:
    """Select features for a range of sizes, each search starting from the last.

    Parameters
    ----------
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features), or a table
        The samples, or a table from `scan`, or a :class:`Summary`.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Their class labels, sets of labels, or numbers; None for a table, which brings its own.
    ks : sequence of int or float
        The numbers of features, in any order; a float in (0, 1) is a share.
    gamma : float or "scale", default="scale"
        The regulariser, the same for all sizes, as F is comparable at one gamma only; "scale" is
        that of the largest.
    solver : {"joint", "cutting-plane", "exact"}, default="joint"
        As in :class:`GeneralizedFisherScore`; with "exact" the set of each size is proven.
    standardize : bool, default=True
        Scale the features to standard deviation 1.
    tol : float, "auto" or None, default="auto"
        As in :class:`GeneralizedFisherScore`; None for no bound.
    max_iter : int, default=1000
        Most iterations of each search.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.
    groups, keep, exclude, class_weight, adjust_for, confounders, missing
        As in :class:`GeneralizedFisherScore`; with `groups` the `ks` count groups.
    task : {"classification", "regression"}, default="classification"
        Whether y holds classes, or numbers as in :class:`JointRegressionScore`.
    max_memory : int or str, default=None
        As in :class:`GeneralizedFisherScore`.

    Returns
    -------
    path : SelectionPath
        A sequence of steps with `k`, `features`, `objective`, `upper_bound` and `gap`, and the
        `gamma` of them all.

    See Also
    --------
    GeneralizedFisherScore : Select for one size.
    GeneralizedFisherScoreCV : Choose the size by cross-validation.
    SelectionPathDisplay : Plot a path.

    Notes
    -----
    A step is as good as a fit of its own at the same gamma, but need not be the same set where
    several are as good: the search starts elsewhere. A fit with gamma="scale" has a gamma of its own
    size, and another F.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fisherset import selection_path
    >>> X, y = load_digits(return_X_y=True)
    >>> path = selection_path(X, y, [5, 10, 20])
    >>> print(f"all at gamma = {path.gamma:g}")
    all at gamma = 1797
    >>> for step in path:
    ...     print(f"{step.k:2} features: F = {step.objective:.3f}, gap {step.gap:.1%}")
     5 features: F = 1.294, gap 16.9%
    10 features: F = 2.134, gap 7.2%
    20 features: F = 3.039, gap 2.1%
    """
    parameter.check_choice("solver", solver, tuple(SOLVERS))
    accuracy = parameter.check_tol(tol, solver)
    max_iter = parameter.check_integer("max_iter", max_iter, least=1)
    limit = parameter.check_memory(max_memory)
    sets = {"groups": groups, "keep": keep, "exclude": exclude, "adjust_for": adjust_for}
    X, names, _, choice = check_asked(X, gamma, standardize, missing, task, **sets)
    counts = parameter.check_sizes(ks, len(choice.labels), what=choice.what)
    for count in (counts[0], counts[-1]):
        choice.check(count)
    beside = Beside(sample_weight, class_weight, confounders, choice.adjusted, missing, limit)
    table = measure_table(X, y, names, beside, task)
    problem = pose_problem(table, standardize, choice.most_columns(counts[-1]))
    posed = [choice.posed(problem, count) for count in counts]
    number = resolve_gamma(gamma, problem, posed[-1].domain)
    domains = [one.domain for one in posed]
    search: dict[str, Any] = {"solver": solver, "tol": accuracy, "max_iter": max_iter}
    loose_tol = parameter.loose_tol_of(tol, solver)
    (solutions,) = solutions_along(problem, domains, [number], loose_tol=loose_tol, **search)
    found = zip(posed, counts, solutions, strict=True)
    steps = (as_step(problem, choice, *one) for one in found)
    named = None if names is None else np.array(names, dtype=object)
    return SelectionPath(tuple(steps), number, named, task, choice.what)


def as_step(problem: TableProblem, choice: Choice, posed: Posed, k: int, found: Solution) -> Step:
    """A solution in columns of the table; constant ones fill up what lacks."""
    columns, units = choice.columns(choice.ranked(posed, found.order)[:k]), posed.domain.units
    noise = measure_noise(problem, units.columns(found.units), units.columns(posed.domain.excluded))
    return Step(k, np.flatnonzero(columns), found.objective, found.upper_bound, found.status, noise)
