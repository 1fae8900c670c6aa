"""What functions beside the selectors are asked: the table, what may be chosen of it, a subset of it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fisherset._types import Indices
from fisherset.selection.constraints import Choice, Posed, check_choice
from fisherset.selection.gamma import resolve_gamma
from fisherset.selection.problem import pose_problem
from fisherset.solver.trace import THRIFT, USUAL
from fisherset.statistics import TableProblem
from fisherset.statistics.measure import measure_table
from fisherset.statistics.measured import FitArguments, MeasuredTable
from fisherset.validation import features as check
from fisherset.validation import parameters as parameter
from fisherset.validation.targets import MISSING, TASKS


class AskedSubset(NamedTuple):
    """A subset that is asked about, in a table that has been measured."""

    table: MeasuredTable
    problem: TableProblem
    choice: Choice
    posed: Posed
    chosen: Indices  # its units, as the table has them
    members: Indices  # those of them that vary, as the problem has them
    gamma: float

    @property
    def columns(self) -> Indices:
        """The columns of the members, as the problem has them."""
        return self.posed.domain.units.columns(self.members)


class Asked(NamedTuple):
    """A table that has been looked at, not yet read, and what may be chosen of it."""

    X: Any
    names: Any
    width: int
    choice: Choice


def check_asked(
    X: Any,
    gamma: float | str,
    standardize: bool,
    missing: str,
    task: str,
    *,
    groups: Any = None,
    keep: Any = None,
    exclude: Any = None,
    adjust_for: Any = None,
) -> Asked:
    """Check what can be checked before the table is read."""
    parameter.check_gamma(gamma)
    parameter.check_flag("standardize", standardize)
    parameter.check_choice("missing", missing, MISSING)
    parameter.check_choice("task", task, TASKS)
    X, names = check.check_bare_table(X, out_of_core=True)
    width = check.width_of(X)
    return Asked(X, names, width, check_choice(groups, keep, exclude, width, names, adjust_for))


def pose_subset(
    X: Any,
    y: Any,
    features: Any,
    gamma: float | str,
    standardize: bool,
    beside: FitArguments,
    task: str,
    **sets: Any,
) -> AskedSubset:
    """Check all there is to check, read the table, and find the subset in it."""
    X, names, width, choice = check_asked(X, gamma, standardize, beside.missing, task, **sets)
    chosen = choice.units_of(check.check_features(features, width, names))
    table = measure_table(X, y, names, beside._replace(adjust_for=choice.adjusted), task)
    problem = pose_problem(table, standardize, choice.most_columns(chosen.size))
    posed = choice.posed(problem, chosen.size)
    members = np.flatnonzero(np.isin(posed.units, chosen))
    number = resolve_gamma(gamma, problem, posed.domain)
    return AskedSubset(table, problem, choice, posed, chosen, members, number)


def check_tol(value: Any, solver: str) -> float | None:
    """`tol` of a solver: "auto", a positive number, or None for no certificate."""
    if value is None and solver == "exact":
        raise ValueError(
            'tol must not be None with solver="exact", which proves what it finds. Leave tol out, or use '
            'solver="joint".'
        )
    return None if value is None else check_accuracy(value, exact=solver == "exact")


def check_accuracy(value: Any, *, exact: bool) -> float:
    """`tol` of a certificate: a positive number, or "auto", for exact search nothing but rounding."""
    if not isinstance(value, str):
        return parameter.check_number("tol", value, above=0.0)
    if value != "auto":
        raise ValueError(f'tol must be a positive number or "auto"; got {parameter.shown(value)}.')
    return 0.0 if exact else USUAL


def thrift_of(tol: Any, solver: str) -> float:
    """What a bound that is loose anyway may be off by: nothing where somebody says how sharp it is to be."""
    return THRIFT if isinstance(tol, str) and solver != "exact" else 0.0
