"""The request of a user: checked once before the table is read, then measured and posed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from fisherset._types import Indices
from fisherset.selection.constraints import Constraints, PosedProblem, SetArguments, check_constraints
from fisherset.selection.gamma import resolve_gamma
from fisherset.solver import SOLVERS, Iteration, Solution, Trace, solve
from fisherset.solver.trace import DEFAULT_LOOSE_TOL, DEFAULT_TOL
from fisherset.statistics import RowProducts, TableProblem, check_least_memory, least_memory
from fisherset.statistics.budget import LARGEST_ARRAY
from fisherset.statistics.measure import measure_table
from fisherset.statistics.measured import FitArguments, MeasuredTable
from fisherset.statistics.products.products import StoredProducts
from fisherset.validation import parameters as parameter
from fisherset.validation.features import check_features, width_of
from fisherset.validation.numbers import check_magnitude
from fisherset.validation.table import check_bare_table
from fisherset.validation.targets import MISSING, TASKS

MAX_ITER = 1000  # of functions without this parameter: the default of those with it


class Request(NamedTuple):
    """A table that was checked but not yet read, with the constraints on sets and the criterion."""

    X: Any
    names: Any
    constraints: Constraints
    arguments: FitArguments
    gamma: float | str
    standardize: bool
    task: str

    def measure(self, y: Any, k: int) -> MeasuredTable:
        """Read the table, unless sets of k units would take more memory than allowed."""
        # before the first pass, which may take long: with two rows and targets, as their number is not known
        width, n_chosen = self.constraints.codes.size, self.constraints.most_columns(k)
        least = least_memory(width, 2, n_chosen, n_rows=2)
        check_least_memory(self.arguments.max_memory, least, f"{n_chosen} features of {width} columns")
        return measure_table(self.X, y, self.names, self.arguments, self.task)

    def pose(self, table: MeasuredTable, ks: Sequence[int]) -> tuple[list[PosedProblem], float]:
        """Problems of rising size k, and the gamma of them all, which is that of the largest."""
        # one problem for all sizes, so that they share Gram columns
        problem = pose_problem(table, self.standardize, self.constraints.most_columns(ks[-1]))
        posed = [self.constraints.pose(problem, k) for k in ks]
        return posed, resolve_gamma(self.gamma, posed[-1])


class PosedSubset(NamedTuple):
    """A given subset of a table that has been measured."""

    table: MeasuredTable
    posed: PosedProblem
    chosen: Indices  # its units, as the table has them
    members: Indices  # those of them that vary, as the problem has them
    gamma: float

    @property
    def columns(self) -> Indices:
        """Columns of the members, as the problem has them."""
        return self.posed.domain.units.columns(self.members)


def check_request(
    X: Any,
    sets: SetArguments,
    arguments: FitArguments,
    gamma: float | str,
    standardize: bool,
    task: str,
    max_memory: Any,
    estimator: Any = None,
) -> Request:
    """Check all that can be checked before the table is read.

    An `estimator` has checked its other parameters and X already, and noted the names of the columns.
    """
    if estimator is None:
        check_criterion(gamma, standardize, arguments.missing)
        parameter.check_choice("task", task, TASKS)
        X, names = check_bare_table(X, out_of_core=True)
    else:
        names = estimator._names
    limit = parameter.check_memory(max_memory)
    constraints = check_constraints(sets, width_of(X), names)
    arguments = arguments._replace(adjust_for=constraints.adjusted, max_memory=limit)
    return Request(X, names, constraints, arguments, gamma, standardize, task)


def check_criterion(gamma: Any, standardize: Any, missing: Any) -> None:
    """Check the parameters that F itself depends on."""
    parameter.check_gamma(gamma)
    parameter.check_flag("standardize", standardize)
    parameter.check_choice("missing", missing, MISSING)


def pose_subset(request: Request, y: Any, features: Any) -> PosedSubset:
    """Find a subset of features in the table of a request, and pose the problem for sets of its size."""
    numbers = check_features(features, request.constraints.codes.size, request.names)
    chosen = request.constraints.units_of(numbers)
    table = request.measure(y, chosen.size)
    (posed,), gamma = request.pose(table, [chosen.size])
    return PosedSubset(table, posed, chosen, np.flatnonzero(np.isin(posed.units, chosen)), gamma)


def pose_problem(table: MeasuredTable, standardize: bool, n_chosen: int = 0) -> TableProblem:
    """The problem the solver is given, for sets of at most `n_chosen` columns.

    Refused where they would take more memory than allowed, or leave the range of float64.
    """
    n_columns = table.scatter.constant.size
    least = _least_memory(table, n_chosen, table.products.n_rows)
    check_least_memory(table.max_memory, least, f"{n_chosen} features of {n_columns} columns")
    given = table.products, table.scatter, table.coding
    problem = TableProblem(*given, standardize=standardize, budget=table.max_memory)
    check_magnitude(problem.diagonal)
    return problem


def memory_for(table: MeasuredTable, n_candidates: int) -> int | None:
    """The `max_memory` that exact search among so many columns needs; None where none is enough."""
    if n_candidates**2 > LARGEST_ARRAY:
        return None
    order = -(-n_candidates // 3) if _by_passes(table) else n_candidates  # `least_memory` counts thrice
    needed = _least_memory(table, order, None)
    if isinstance(table.products, StoredProducts):
        needed += table.products.XX.nbytes
    unit = int(10 ** max(len(str(needed)) - 2, 0))
    return (needed // unit + 1) * unit  # two digits of it


def _least_memory(table: MeasuredTable, n_chosen: int, n_rows: int | None) -> int:
    sizes = table.scatter.constant.size, len(table.scatter.moments.TX), n_chosen
    return least_memory(*sizes, n_rows=n_rows, by_passes=_by_passes(table))


def _by_passes(table: MeasuredTable) -> bool:
    """Whether the rows are out of core, so that every product is a pass over them."""
    return table.products.n_rows is None and isinstance(table.products, RowProducts)


class SearchOptions(NamedTuple):
    """Parameters of the search that have been checked."""

    solver: str
    tol: float | None
    loose_tol: float  # share of the gap that a loose bound may be off by: 0 where a user sets tol
    max_iter: int
    time_limit: float | None
    max_nodes: int | None

    def trace(self, report: Callable[[Iteration], None] | None = None) -> Trace:
        """A new record of a run, whose time starts now."""
        return Trace(
            max_iter=self.max_iter,
            time_limit=self.time_limit,
            max_nodes=self.max_nodes,
            loose_tol=self.loose_tol,
            report=report,
        )

    def solutions(
        self, posed: Sequence[PosedProblem], gamma: float, trace: Trace, **more: Any
    ) -> list[Solution]:
        """Solutions of problems of rising size."""
        domains = [one.domain for one in posed]
        return list(solve(self.solver, posed[0].problem, domains, gamma, tol=self.tol, trace=trace, **more))


def check_search(
    solver: str = "joint",
    tol: Any = "auto",
    max_iter: Any = MAX_ITER,
    time_limit: Any = None,
    max_nodes: Any = None,
    *,
    grading: bool = False,
) -> SearchOptions:
    """Check the parameters of a search, or of the `grading` of a given set, whose bound is always to tol."""
    parameter.check_choice("solver", solver, tuple(SOLVERS))
    exact = solver == "exact"
    if tol is None and exact and not grading:
        raise ValueError(
            'tol must not be None with solver="exact", which proves what it finds. Leave tol out, or use '
            'solver="joint".'
        )
    loose_tol = DEFAULT_LOOSE_TOL if isinstance(tol, str) and not exact and not grading else 0.0
    number = None if tol is None and not grading else _check_accuracy(tol, exact)
    max_iter = parameter.check_integer("max_iter", max_iter, least=1)
    seconds = parameter.check_limit("time_limit", time_limit)
    return SearchOptions(solver, number, loose_tol, max_iter, seconds, parameter.check_nodes(max_nodes))


def _check_accuracy(tol: Any, exact: bool) -> float:
    """A positive number, or "auto", which stops exact search at rounding error."""
    if not isinstance(tol, str):
        return parameter.check_number("tol", tol, above=0.0)
    if tol != "auto":
        raise ValueError(f'tol must be a positive number or "auto"; got {parameter.shown(tol)}.')
    return 0.0 if exact else DEFAULT_TOL
