"""Selections for a range of sizes, and of gammas, from statistics that are computed once."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fisherset._types import Indices
from fisherset.selectors import _parameters as parameter
from fisherset.selectors import _validation as check
from fisherset.selectors.base import measure_table, pose_problem
from fisherset.selectors.gamma import resolve_gamma
from fisherset.solver import Status, Trace, cutting_plane_path, joint_path, relative_gap


class Step(NamedTuple):
    """The selection for one k: its columns in table order, and its certificate."""

    k: int
    features: Indices
    objective: float
    upper_bound: float

    @property
    def gap(self) -> float:
        return relative_gap(self.objective, self.upper_bound)


def selection_paths(
    X: Any,
    y: Any,
    ks: Sequence[int],
    gammas: Sequence[float | str],
    *,
    solver: str = "joint",
    standardize: bool = True,
    tol: float = 1e-3,
    max_iter: int = 1000,
    certified: bool = True,
) -> Iterator[list[Step]]:
    """For each gamma in turn the selections of `ks` features, in rising order of k.

    The moments and the Gram columns met are shared between all of them, and every search
    starts from the one for the last k. Without `certified` the bound is only promised to
    hold, not to be tight: what a search over gammas needs costs less then.
    """
    parameter.check_choice("solver", solver, ("joint", "cutting-plane"))
    X = check.check_bare_table(X)
    counts = sorted({parameter.check_count(k, X.shape[1]) for k in ks})
    table = measure_table(X, y, None, None)
    problem = pose_problem(table, standardize)
    constant = np.flatnonzero(table.scatter.constant)
    wanted = [min(k, problem.columns.size) for k in counts]
    follow = joint_path if solver == "joint" else partial(cutting_plane_path, certified=certified)
    for gamma in gammas:
        trace = Trace(max_iter=max_iter)
        number = resolve_gamma(gamma, problem, counts[-1])
        solutions = follow(problem, wanted, number, tol=tol, trace=trace)
        yield [
            Step(
                k,
                np.sort(np.concatenate([problem.columns[found.units], constant[: k - found.units.size]])),
                found.objective,
                found.upper_bound,
            )
            for k, found in zip(counts, solutions, strict=True)
        ]
        if trace.status is not Status.CONVERGED:
            warnings.warn(f"{trace.status.value}.", ConvergenceWarning, stacklevel=2)
