"""What selectors share that end in one joint solution: from the table to the fitted attributes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from fisherset.selection.constraints import Choice, Posed, check_choice
from fisherset.selection.gamma import resolve_gamma
from fisherset.selection.noise import measure_noise
from fisherset.selection.outcome import warn_status
from fisherset.selection.problem import check_room, measure_table, pose_problem
from fisherset.selection.proven import prove_units, table_bounds
from fisherset.selectors.base import BaseSelector, ranking_from
from fisherset.selectors.progress import Progress
from fisherset.solver import SOLVERS, UNCERTIFIED_TOL, Solution, Trace, mask_of, solve
from fisherset.statistics import TableProblem
from fisherset.statistics.measured import Beside, Measured
from fisherset.validation import features as check
from fisherset.validation import parameters as parameter
from fisherset.validation.targets import CLASSIFICATION, MISSING


class JointSelector(BaseSelector):
    """What selectors share that end in one joint solution."""

    n_features_to_select: Any
    gamma: float | str = "scale"
    solver: str
    standardize: bool
    tol: float | str | None
    max_iter: int
    groups: Any
    keep: Any
    exclude: Any
    adjust_for: Any = None
    missing: str = "error"
    max_memory: int | float | str | None = None
    time_limit: float | None = None
    max_nodes: int | None = None
    verbose: int = 0
    _task = CLASSIFICATION

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "mean"
        return tags

    def _fit(self, X: Any, y: Any, beside: Beside) -> Self:
        """Select, from whatever y holds and is given beside it."""
        self._check_parameters()
        X = check.check_table(self, X, elsewhere=True)
        choice = check_choice(
            self.groups, self.keep, self.exclude, self.n_features_in_, self._names, self.adjust_for
        )
        k = choice.count(self.n_features_to_select)
        limit = parameter.check_memory(self.max_memory)
        beside = beside._replace(adjusted=choice.adjusted, missing=self.missing, max_memory=limit)
        check_room(limit, self.n_features_in_, choice.most_columns(k))
        table = measure_table(X, y, self._names, beside, self._task)
        problem = pose_problem(table, self.standardize, choice.most_columns(k))
        posed = choice.posed(problem, k)
        self._solve(table, problem, choice, posed, k, resolve_gamma(self.gamma, problem, posed.domain))
        return self

    def _check_parameters(self) -> None:
        parameter.check_gamma(self.gamma)
        parameter.check_choice("solver", self.solver, tuple(SOLVERS))
        parameter.check_choice("missing", self.missing, MISSING)
        parameter.check_tol(self.tol, self.solver)
        parameter.check_integer("max_iter", self.max_iter, least=1)
        parameter.check_limit("time_limit", self.time_limit)
        parameter.check_nodes(self.max_nodes)
        parameter.check_memory(self.max_memory)
        parameter.check_flag("standardize", self.standardize)
        if not isinstance(self.verbose, bool):
            parameter.check_integer("verbose", self.verbose, least=0)

    def _solve(
        self, table: Measured, problem: TableProblem, choice: Choice, posed: Posed, k: int, gamma: float
    ) -> None:
        """Select k features, or groups of them, and keep everything about them."""
        tol = parameter.check_tol(self.tol, self.solver)
        progress = Progress(UNCERTIFIED_TOL if tol is None else tol) if self.verbose else None
        trace = Trace(
            max_iter=int(self.max_iter),
            time_limit=parameter.check_limit("time_limit", self.time_limit),
            max_nodes=parameter.check_nodes(self.max_nodes),
            loose_tol=parameter.loose_tol_of(self.tol, self.solver),
            report=progress,
        )
        try:
            (solution,) = solve(self.solver, problem, [posed.domain], gamma, tol=tol, trace=trace)
        finally:
            if progress is not None:
                progress.close()
        units = posed.domain.units
        self.noise_ = measure_noise(
            problem, units.columns(solution.units), units.columns(posed.domain.excluded)
        )
        self.gamma_ = gamma
        order = choice.ranked(posed, solution.order)
        self.ranking_ = ranking_from(order)
        self.support_ = choice.columns(order[:k])
        self.scores_ = np.zeros(order.size)
        self.scores_[posed.units] = solution.q
        if choice.grouped:
            self.groups_ = choice.labels
        elif hasattr(self, "groups_"):  # of an earlier fit
            del self.groups_
        self._certify(choice, posed, k, solution)
        self.trace_, self.n_iter_ = solution.trace, len(solution.trace)
        self.n_passes_ = table.n_passes
        if table.missing is not None:
            self.n_missing_ = table.missing
        elif hasattr(self, "n_missing_"):  # of an earlier fit
            del self.n_missing_
        if table.classes.size:
            self.classes_ = table.classes
        constant = ~mask_of(order.size, posed.units)
        unasked = np.setdiff1d(order[:k], choice.required)
        check.warn_constant(constant, mask_of(order.size, unasked), choice.what)
        warn_status(solution.status)

    def _certify(self, choice: Choice, posed: Posed, k: int, solution: Solution) -> None:
        """Keep what is proven of the selection, and of single features."""
        self.objective_, self.upper_bound_ = solution.objective, solution.upper_bound
        self.gap_, self.status_ = solution.gap, solution.status
        self.optimal_, self.n_nodes_ = solution.optimal, solution.n_nodes
        bounds = table_bounds(choice, posed, solution, k)
        self.upper_bound_with_, self.upper_bound_without_ = bounds
        self.proven_ = prove_units(*bounds, solution.objective, solution.status, choice.what)
