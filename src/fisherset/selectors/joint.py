"""The base of selectors that end in one joint solution: from the table to the fitted attributes."""

from __future__ import annotations

import math
import shutil
import sys
import time
from typing import Any, Self, TextIO

import numpy as np

from fisherset._format import certificate_figures, certificate_sentence
from fisherset.selection.constraints import PosedProblem, SetArguments
from fisherset.selection.outcome import prove_units, table_bounds, warn_status
from fisherset.selection.request import Request, SearchOptions, check_criterion, check_request, check_search
from fisherset.selectors.base import BaseSelector, ranking_from
from fisherset.solver import UNCERTIFIED_TOL, Iteration, Solution, Status, mask_of
from fisherset.solver.solution import LARGEST_ROUNDED_GAP
from fisherset.statistics.measured import FitArguments, MeasuredTable
from fisherset.validation import parameters as parameter
from fisherset.validation.features import warn_constant
from fisherset.validation.table import check_table
from fisherset.validation.targets import CLASSIFICATION, REGRESSION


class JointSelector(BaseSelector):
    """A selector whose fitted attributes come from one joint solution."""

    gamma: float | str = "scale"
    solver: str
    standardize: bool
    tol: float | str | None
    max_iter: int
    groups: Any
    keep: Any
    exclude: Any
    class_weight: Any = None
    adjust_for: Any = None
    missing: str = "error"
    max_memory: int | float | str | None = None
    time_limit: float | None = None
    max_nodes: int | None = None
    verbose: int = 0
    _task = CLASSIFICATION
    _fitted_with: tuple[str, ...] = ()
    _about: dict[str, Any]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "mean"
        tags.target_tags.multi_output = self._task == REGRESSION
        return tags

    def _fit(self, X: Any, y: Any, arguments: FitArguments) -> Self:
        """Measure the table once, pose the problem and select."""
        options = self._check_parameters()
        request = self._request(check_table(self, X, out_of_core=True), arguments)
        k = request.constraints.count(self.n_features_to_select)
        table = request.measure(y, k)
        (posed,), gamma = request.pose(table, [k])
        self._solve(table, posed, gamma, options)
        return self

    def _check_parameters(self) -> SearchOptions:
        """Check the parameters that do not depend on the table."""
        check_criterion(self.gamma, self.standardize, self.missing)
        if not isinstance(self.verbose, bool):
            parameter.check_integer("verbose", self.verbose, least=0)
        return check_search(self.solver, self.tol, self.max_iter, self.time_limit, self.max_nodes)

    def _request(self, X: Any, arguments: FitArguments) -> Request:
        """The request for a table that `check_table` has passed."""
        sets = SetArguments(self.groups, self.keep, self.exclude, self.adjust_for)
        self._fitted_with = (*arguments.repeated, *(getattr(X, "fit_arguments", None) or ()))
        arguments = arguments._replace(class_weight=self.class_weight, missing=self.missing)
        criterion = self.gamma, self.standardize, self._task
        return check_request(X, sets, arguments, *criterion, self.max_memory, estimator=self)

    def _solve(self, table: MeasuredTable, posed: PosedProblem, gamma: float, options: SearchOptions) -> None:
        """Select k features, or groups of them, and keep the fitted attributes."""
        progress = Progress(UNCERTIFIED_TOL if options.tol is None else options.tol) if self.verbose else None
        trace = options.trace(progress)
        try:
            (solution,) = options.solutions([posed], gamma, trace)
        finally:
            if progress is not None:
                progress.close()
        constraints, order = posed.constraints, posed.ranked(solution.order)
        self.gamma_, self.noise_ = gamma, posed.noise(solution.units)
        self.ranking_, self.support_ = ranking_from(order), posed.support(order)
        self.scores_ = np.zeros(order.size)
        self.scores_[posed.units] = solution.q
        self._keep_optional("groups_", constraints.labels if constraints.grouped else None)
        if posed.adjusted and not constraints.adjusted.size:  # those of a table that has its own
            self._fitted_with = tuple(dict.fromkeys([*self._fitted_with, "confounders"]))
        self._certify(posed, solution)
        self.trace_, self.n_iter_ = solution.trace, len(solution.trace)
        self.n_passes_ = table.n_passes
        self._keep_optional("n_missing_", table.missing)
        if table.classes.size:
            self.classes_ = table.classes
        named = constraints.mask(np.union1d(constraints.required, constraints.excluded))
        self._note_leakage(table, named[constraints.codes])
        unforced = mask_of(order.size, np.setdiff1d(order[: posed.k], constraints.required))
        warn_constant(mask_of(order.size, posed.constant), unforced, constraints.what)
        warn_status(solution.status)

    def _verdicts(self) -> list[str]:
        """Return the certificate, how the search ended, and a comparison with noise."""
        told = []
        if self.upper_bound_ < np.inf:
            figures = certificate_figures(self.objective_, self.upper_bound_, self.gamma_)
            known: dict[str, Any] = {"figures": figures, "task": self._task, "optimal": self.optimal_}
            told.append(
                certificate_sentence(gap=self.gap_, upper_bound=self.upper_bound_, **known, **self._about)
            )
        ended = [] if self.status_ is Status.CONVERGED else [f"{self.status_.value}."]
        return [*told, *ended, *([] if self.noise_ is None else [str(self.noise_)])]

    def _certify(self, posed: PosedProblem, solution: Solution) -> None:
        """Keep what is proven of the selection, and of single features."""
        self.objective_, self.upper_bound_ = solution.objective, solution.upper_bound
        self.gap_, self.status_ = solution.gap, solution.status
        self.optimal_, self.n_nodes_ = solution.optimal, solution.n_nodes
        constraints = posed.constraints
        self._about = {"k": posed.k, "noun": constraints.what, "limited": constraints.limited}
        self._about["adjusted"] = posed.adjusted
        bounds = table_bounds(posed, solution)
        self.upper_bound_with_, self.upper_bound_without_ = bounds
        units = posed.constraints.what, posed.constraints.labels
        self.proven_ = prove_units(*bounds, solution.objective, solution.status, *units)


class Progress:
    """Prints each iteration to the standard error stream: a bar on a terminal, else a line.

    The bar fills on a logarithmic scale, from a gap of 100 % to the wanted `tol`.
    """

    WIDTH = 24  # of the bar, where the line has space for it

    def __init__(self, tol: float, stream: TextIO | None = None) -> None:
        self._tol, self._stream = max(tol, LARGEST_ROUNDED_GAP), sys.stderr if stream is None else stream
        self._live = self._stream.isatty()
        self._count, self._start = 0, time.monotonic()

    def __call__(self, iteration: Iteration) -> None:
        self._count += 1
        bound = iteration.upper_bound
        gap = (bound - iteration.objective) / bound if bound > 0 else 0.0
        text = (
            f"{iteration.phase:<14} {self._count:>4}  F = {iteration.objective:.6g}  "
            f"UB = {bound:.6g}  gap = {gap:.2%}  {self._extent(iteration)}"
        )
        if self._live:
            share = math.log(max(gap, self._tol)) / math.log(self._tol) if self._tol < 1 else 1.0
            columns = shutil.get_terminal_size().columns
            width = min(max(columns - len(text) - 4, 0), self.WIDTH)
            filled = round(width * min(max(share, 0.0), 1.0))
            line = f"[{'#' * filled}{'.' * (width - filled)}] {text}" if width else text
            self._stream.write(f"\r\x1b[2K{line[: columns - 1]}")  # a longer line would wrap, and stay
        else:
            self._stream.write(f"{text}\n")
        self._stream.flush()

    def _extent(self, iteration: Iteration) -> str:
        """Size of an iteration: active features, or nodes of exact search."""
        if iteration.phase != "exact":
            return f"active = {iteration.n_active}"
        seconds = time.monotonic() - self._start
        return f"nodes = {iteration.n_nodes}  open = {iteration.n_active}  {seconds:.1f} s"

    def close(self) -> None:
        """End the line of the bar."""
        if self._live and self._count:
            self._stream.write("\n")
