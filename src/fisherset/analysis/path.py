"""Selections for a range of sizes, from statistics that are computed once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._docs import documented
from fisherset._format import listed
from fisherset._records import Printed, Records, Tabular, name_of
from fisherset._types import Indices
from fisherset.analysis.fitted import accepts_selector
from fisherset.selection.constraints import PosedProblem, SetArguments
from fisherset.selection.noise import Noise
from fisherset.selection.outcome import solutions_along
from fisherset.selection.request import check_request, check_search
from fisherset.solver import Solution, Status, relative_gap
from fisherset.statistics.measured import FitArguments
from fisherset.validation.targets import CLASSIFICATION


@documented
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
    %(status)
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

    def __repr__(self) -> str:
        return f"Step(k={self.k}, F = {self.objective:.6g}, gap {100 * self.gap:.1f} %)"


@documented
@dataclass(frozen=True)
class SelectionPath(Tabular):
    """Selections of rising size, a sequence of steps, all at one gamma: their F can be compared.

    Attributes
    ----------
    steps : tuple of Step
        One for each k.
    %(gamma.used)
    feature_names : ndarray or None
        Names of the columns, where the table had names.
    %(task.used, what)
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

    def table(self) -> Records:
        """Rows of the printed table, as dictionaries.

        Returns
        -------
        rows : list of dict
            One for each size: k, F, its upper bound, the gap between them as a share, and the names of
            the features that were added to and removed from the set before.
        """
        rows, before = [], np.empty(0, dtype=np.intp)
        for step in self.steps:
            rows.append(
                {
                    "k": step.k,
                    "F": step.objective,
                    "upper bound": step.upper_bound,
                    "gap": step.gap,
                    "added": self._names(np.setdiff1d(step.features, before)),
                    "removed": self._names(np.setdiff1d(before, step.features)),
                }
            )
            before = step.features
        return rows

    def _names(self, columns: Indices) -> list[str]:
        known = range(columns.max(initial=0) + 1) if self.feature_names is None else self.feature_names
        return [name_of(known[j]) for j in columns.tolist()]

    def __repr__(self) -> str:
        sizes = listed([str(step.k) for step in self.steps], 10)
        return f"SelectionPath(k = {sizes}; gamma = {self.gamma:g})"

    def _printed(self) -> Printed:
        formats = {"k": "d", "F": "#.6g", "upper bound": "#.6g", "gap": ".1%"}
        return Printed([], self.table(), formats, [f"All at gamma = {self.gamma:g}."])


@accepts_selector
@documented
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
    %(X, y)
    ks : sequence of int or float
        The numbers of features, or groups, in any order; a float in (0, 1) is a share.
    gamma : float or "scale", default="scale"
        The regulariser, as in :class:`GeneralizedFisherScore` but the same for all sizes, as F is
        comparable at one gamma only; "scale" is that of the largest.
    %(solver, standardize, tol, max_iter, sample_weight, groups, keep, exclude, class_weight, adjust_for)
    %(confounders, missing, task, max_memory)

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
    >>> from sklearn.datasets import load_breast_cancer
    >>> from fisherset import selection_path
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> path = selection_path(X, y, [2, 3, 5])
    >>> print(path)
    k         F  upper bound   gap  added
    2  0.629653     0.629653  0.0%  x20, x27
    3  0.656967     0.656967  0.0%  x21
    5  0.683139     0.683139  0.0%  x7, x28
    All at gamma = 97.3902.
    >>> path[0].features, f"{path[0].gap:.1%}"
    (array([20, 27]), '0.0%')
    """
    options = check_search(solver, tol, max_iter)
    arguments = FitArguments(sample_weight, class_weight, confounders, missing=missing)
    sets = SetArguments(groups, keep, exclude, adjust_for)
    request = check_request(X, sets, arguments, gamma, standardize, task, max_memory)
    counts = request.constraints.counts(ks, "ks")
    posed, number = request.pose(request.measure(y, counts[-1]), counts)
    (solutions,) = solutions_along(posed, [number], options)
    steps = tuple(as_step(*found) for found in zip(posed, solutions, strict=True))
    names = None if request.names is None else np.array(request.names, dtype=object)
    return SelectionPath(steps, number, names, task, request.constraints.what)


def as_step(posed: PosedProblem, found: Solution) -> Step:
    """A solution in columns of the table; constant ones fill up where too few vary."""
    features = np.flatnonzero(posed.support(posed.ranked(found.order)))
    noise = posed.noise(found.units)
    return Step(posed.k, features, found.objective, found.upper_bound, found.status, noise)
