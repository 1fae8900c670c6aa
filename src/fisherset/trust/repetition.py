"""A whole selection procedure as a function of the targets, for a permutation test to repeat."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Generator, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from fisherset._threads import one_thread
from fisherset._types import Floats
from fisherset.analysis.certificate import fisher_criterion
from fisherset.selection.constraints import PosedProblem
from fisherset.selection.gamma import resolve_gamma
from fisherset.selection.request import pose_problem
from fisherset.selectors.generalized import GeneralizedFisherScore
from fisherset.selectors.joint import JointSelector
from fisherset.selectors.regression import JointRegressionScore
from fisherset.solver import Domain, Problem, Status, solve
from fisherset.statistics import TableProblem
from fisherset.statistics.candidates import CandidateProblem
from fisherset.statistics.measured import FitArguments, MeasuredTable
from fisherset.statistics.permuted import SharedRows
from fisherset.statistics.sums.coding import Classes
from fisherset.trust.resampling import check_selector, support_of
from fisherset.trust.schemes import Rows, share_left
from fisherset.validation.parameters import shown
from fisherset.validation.table import check_table, dask_as_rows, is_out_of_core
from fisherset.validation.targets import CLASSIFICATION, REGRESSION

# Features that are searched, the best one by one: so many for each selected one, and at least and at most
# so many in all; beyond, or where that is most of them, all are.
CANDIDATES, LEAST_CANDIDATES, MOST_CANDIDATES = 4, 200, 1000


class Repetition:
    """A selection that can be repeated: the rows as a scheme permutes them, and F for any targets."""

    rows: Rows
    sizes: tuple[int, ...] = ()

    def of(self, targets: Iterable[Any]) -> Generator[Floats, None, None]:
        """F of the selector's own size, and of the other sizes, for each of the targets."""
        raise NotImplementedError


def repeat(selector: Any, X: Any, y: Any, given: FitArguments, ks: Any) -> Repetition:
    """Check the table, and choose how the selection is repeated."""
    check_selector(selector)
    if is_out_of_core(X) or is_out_of_core(dask_as_rows(X)):
        raise TypeError(
            f"X must be rows in memory, which are read for each permutation; got an object of type "
            f"{type(X).__name__}. Read a part of the rows into an array or a data frame."
        )
    _check_takes(selector, given)
    own = isinstance(selector, GeneralizedFisherScore | JointRegressionScore)
    if own and selector.class_weight is None and selector.solver != "exact":
        return SharedStatistics(clone(selector), X, y, given, ks)
    if ks is not None:
        raise ValueError(
            "ks must be None for this selector, which is refitted for each permutation. Leave ks out, or use "
            'GeneralizedFisherScore or JointRegressionScore with solver="joint".'
        )
    return Refits(selector, X, y, given)


def _check_takes(selector: Any, given: FitArguments) -> None:
    """Refuse data that the selector cannot be fitted with."""
    known = inspect.signature(selector.fit).parameters
    for name in given.repeated:
        if name not in known:
            raise ValueError(
                f"{name} must be None for this selector, whose fit does not take it; got "
                f"{shown(getattr(given, name))}. Leave it out, or use a selector that does."
            )


class SharedStatistics(Repetition):
    """Our joint selectors: the table is measured once, and nothing is proven."""

    def __init__(self, selector: JointSelector, X: Any, y: Any, given: FitArguments, ks: Any) -> None:
        options = selector._check_parameters()._replace(tol=None, loose_tol=0.0)
        request = selector._request(check_table(selector, X), given)
        constraints = request.constraints
        k = constraints.count(selector.n_features_to_select)
        self.sizes = () if ks is None else tuple(constraints.counts(ks, "ks"))
        most = max((k, *self.sizes))
        table = request.measure(y, most)
        problem = pose_problem(table, request.standardize, constraints.most_columns(most))
        self._shared = SharedRows(table, problem)
        self._posed = [constraints.pose(problem, size) for size in (k, *self.sizes)]
        self._gamma, self._options = request.gamma, options
        self._gamma_of_sizes: float | None = None  # that of the real targets, which come first
        memory: Any = table.rows
        confounders = memory.rows.confounders
        self.rows = Rows(self._shared.y, table.regression, confounders, memory.rows.weight)
        self._scaled = confounders is not None and isinstance(table.coding, Classes)
        self._ceiling: float | None = None  # of the real targets

    def of(self, targets: Iterable[Any]) -> Generator[Floats, None, None]:
        with one_thread():
            for problem in self._shared.problems(targets):
                yield self._statistics(problem)

    def _statistics(self, problem: TableProblem) -> Floats:
        own, *others = (replace(one, problem=problem) for one in self._posed)
        searched, (domain, *domains) = among_candidates([own, *others])
        gamma = resolve_gamma(self._gamma, own)
        self._gamma_of_sizes = self._gamma_of_sizes or gamma
        found = self._search(searched, [domain], gamma)
        if domains:
            found += self._search(searched, domains, self._gamma_of_sizes)
        scale = 1.0
        if self._scaled:
            self._ceiling = self._ceiling or problem.ceiling
            scale = self._ceiling / problem.ceiling
        return np.array(found) * scale

    def _search(self, problem: Problem, domains: list[Domain], gamma: float) -> list[float]:
        """F of the sets found, of rising size."""
        solver, trace = self._options.solver, self._options.trace()
        solutions = solve(solver, problem, domains, gamma, tol=None, certified=False, trace=trace)
        return [one.objective for one in solutions]


def among_candidates(posed: list[PosedProblem]) -> tuple[Problem, list[Domain]]:
    """The problem and domains of the best features one by one, where these are few.

    The real targets are searched in the same way. Swaps with other features hardly ever help: of 24 tables,
    real and permuted, none had another F with three times k features (at gamma="scale").
    """
    problem, domains = posed[0].problem, [one.domain for one in posed]
    most = max(domains, key=lambda domain: domain.m)
    size, count = most.units.size, max(CANDIDATES * most.m, LEAST_CANDIDATES)
    if most.units.groups is not None or not most.m or 2 * count > size or count > MOST_CANDIDATES:
        return problem, domains
    some = most.candidates(posed[0].shares, count)
    return CandidateProblem(problem, some), [one.subdomain(some) for one in domains]


class Refits(Repetition):
    """Any selector, refitted for each targets."""

    def __init__(self, selector: Any, X: Any, y: Any, given: FitArguments) -> None:
        data = {"sample_weight": given.sample_weight, "confounders": given.confounders}
        self._data = {name: value for name, value in data.items() if value is not None}
        self._selector, self._X = selector, X
        self._fitted = self._fit(y)  # refuses what is wrong with the table, the targets or a parameter
        if y is None:
            raise ValueError("y must hold the targets that are permuted; got None. Pass y.")
        self._y = y.tocsr() if sparse.issparse(y) else np.asarray(y)
        regression = getattr(selector, "_task", None) == REGRESSION
        self.rows = Rows(self._y.astype(np.float64) if regression else self._y, regression)
        self._of_code: Any = None  # label of each class code, where these are permuted
        table = self._adjusted(given)
        if table is not None:
            memory: Any = table.rows
            self.rows = self.rows._replace(confounders=memory.rows.confounders, weight=memory.rows.weight)
            if table.one_class_each:
                self.rows = self.rows._replace(y=table.codes)
                self._of_code = self._y[np.unique(table.codes, return_index=True)[1]]
        self._share = share_left(self.rows, self.rows.y)
        # F at another gamma or without one cannot be compared
        self._own_objective = hasattr(self._fitted, "objective_") and not hasattr(self._fitted, "gammas")

    def of(self, targets: Iterable[Any]) -> Generator[Floats, None, None]:
        real = True
        for permuted in targets:
            y = permuted if self._of_code is None else self._of_code[permuted]
            with warnings.catch_warnings():
                if not real:  # the real fit has given them
                    warnings.simplefilter("ignore")
                F = self._criterion(self._fitted if real else self._fit(y), y)
            real = False
            yield np.array([F * self._share / share_left(self.rows, permuted)])

    def _fit(self, y: Any) -> Any:
        fitted = clone(self._selector).fit(self._X, y, **self._data)
        if getattr(fitted, "status_", None) is Status.INTERRUPTED:  # exact search answers Ctrl-C with a set
            raise KeyboardInterrupt
        return fitted

    def _criterion(self, fitted: Any, y: Any) -> float:
        if self._own_objective:
            return float(fitted.objective_)
        known = {name: getattr(self._selector, name, None) for name in ("adjust_for", "missing")}
        options: dict[str, Any] = {name: value for name, value in known.items() if value is not None}
        options["task"] = REGRESSION if self.rows.numbers else CLASSIFICATION
        gamma = float(self.rows.y.shape[0])
        return fisher_criterion(self._X, y, self._support(fitted), gamma=gamma, **self._data, **options)

    def _support(self, fitted: Any) -> Any:
        return support_of(fitted, int(getattr(fitted, "n_features_in_", None) or np.shape(self._X)[1]))

    def _adjusted(self, given: FitArguments) -> MeasuredTable | None:
        """The table with its confounders, if there are any."""
        columns = getattr(self._selector, "adjust_for", None)
        if given.confounders is None and columns is None:
            return None
        kind = JointRegressionScore if self.rows.numbers else GeneralizedFisherScore
        missing = getattr(self._selector, "missing", "error")
        plain = kind(1, adjust_for=columns, missing=missing)
        return plain._request(check_table(plain, self._X), given).measure(self._y, 1)
