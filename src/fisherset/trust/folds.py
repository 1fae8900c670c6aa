"""A selection repeated in folds, and the scores of linear models on the rows that are left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from fisherset._threads import one_thread
from fisherset._types import Indices
from fisherset.data import MemoryRows
from fisherset.selection.constraints import SetArguments, check_constraints
from fisherset.selection.gamma import resolve_gamma
from fisherset.selectors import GeneralizedFisherScore, JointRegressionScore
from fisherset.selectors.cv.folds import FoldScorer, OwnModel, accuracy, explained_share
from fisherset.selectors.cv.models import Discriminant, LabelFit, LinearFit
from fisherset.selectors.joint import JointSelector
from fisherset.solver import largest
from fisherset.statistics import PartitionedTable, TableProblem, problem_of_rows
from fisherset.statistics.measure import measure
from fisherset.statistics.measured import FitArguments, MeasuredTable, reject_data_arguments
from fisherset.trust.all_columns import sample_space_score
from fisherset.validation.numbers import check_magnitude
from fisherset.validation.parameters import shown
from fisherset.validation.table import check_bare_table, dask_as_rows, is_out_of_core

Mask: TypeAlias = NDArray[np.bool_]
Split: TypeAlias = tuple[Indices, Indices]  # row numbers to train and to test on


class Fold(NamedTuple):
    """The problem of the rows to train on, and the numbers of the rows."""

    problem: TableProblem
    train: Indices
    test: Indices


class HeldOutTable(NamedTuple):
    """A table in memory: as selectors are fitted on it, and as its folds are measured."""

    rows: Any  # as given, with the names of columns
    y: Any
    confounders: Any
    measured: MeasuredTable
    source: MemoryRows  # every row counts once
    missing: str

    @property
    def labelled(self) -> bool:
        """Whether each row has one class."""
        return self.measured.one_class_each

    @property
    def targets(self) -> NDArray[Any]:
        """Targets of a prediction: labels, indicators of label sets, or numbers, flat where there is one."""
        if self.labelled:
            return self.measured.classes[self.measured.codes]
        y: Any = self.source.y
        y = y.toarray() if sparse.issparse(y) else y
        return y[:, 0] if y.shape[1] == 1 else y

    @property
    def scorer(self) -> FoldScorer:
        """Accuracy of the discriminant, or R^2 of the regression, that the statistics give."""
        classes = self.measured.classes
        model: OwnModel = LabelFit if classes.size else LinearFit
        if self.labelled:
            model = partial(Discriminant, classes=classes)
        score = accuracy if self.labelled else explained_share
        confounders = self.source.confounders
        return FoldScorer(self.source.X, self.targets, confounders, model, None, score, None, None)

    def folds(self, splits: Sequence[Split], standardize: bool) -> Iterator[Fold]:
        """Measure the folds: together where each row is left out once, otherwise one by one."""
        if self.missing == "error" and _is_partition(splits, self.source.n_rows):
            given = (
                self.source,
                self.measured.coding,
                self.measured.scatter.guard,
                [test for _, test in splits],
            )
            whole = PartitionedTable(*given, standardize=standardize)
            yield from (Fold(whole.without(place), *split) for place, split in enumerate(splits))
            return
        for train, test in splits:
            rest = self.source.take(train)
            coding = self.measured.coding
            yield Fold(problem_of_rows(rest, coding, self.missing, standardize=standardize), train, test)


def table_for(selector: Any, X: Any, y: Any, confounders: Any, task: str) -> HeldOutTable:
    """Check a table in memory with its targets, or take one that was measured before."""
    missing = getattr(selector, "missing", "error")
    if isinstance(X, MeasuredTable):
        reject_data_arguments(y, FitArguments(confounders=confounders))
        memory = _memory_of(X)
        table = HeldOutTable(memory.X, None, memory.confounders, X, _unweighted(memory), missing)
        return table._replace(rows=table.source.X, y=table.targets)
    if is_out_of_core(X) or is_out_of_core(dask_as_rows(X)):
        raise TypeError(
            f"X must be rows in memory, some of which are left out in turns; got an object of type "
            f"{type(X).__name__}. Read a part of the rows into an array or a data frame."
        )
    adjust_for = getattr(selector, "adjust_for", None)
    given = {"confounders": confounders, "adjust_for": adjust_for, "missing": missing, "task": task}
    measured = measure(X, y, **given)
    rows = X if hasattr(X, "columns") else check_bare_table(X)[0]  # a data frame keeps its names
    rows = rows.tocsr() if sparse.issparse(rows) else rows
    table = HeldOutTable(rows, y, confounders, measured, _unweighted(_memory_of(measured)), missing)
    return table._replace(y=table.targets) if table.labelled else table


def _memory_of(table: MeasuredTable) -> MemoryRows:
    memory = getattr(table.rows, "rows", None)
    weighted = isinstance(memory, MemoryRows) and memory.weight is not None
    if not isinstance(memory, MemoryRows) or (weighted and table.arguments.class_weight is None):
        which = "without sample weights" if weighted else "in memory"
        raise ValueError(
            f"X must be measured from rows {which}, some of which are left out in turns; got {table!r}."
        )
    return memory


def _unweighted(memory: MemoryRows) -> MemoryRows:
    X: Any = memory.X
    X = X.tocsr() if sparse.issparse(X) else X
    return MemoryRows(X, memory.y, None, memory.confounders, names=memory.names)


def _is_partition(splits: Sequence[Split], n_rows: int) -> bool:
    """Whether each row is left out once, and trained on in all other folds."""
    left_out = np.bincount(np.concatenate([test for _, test in splits]), minlength=n_rows)
    return bool(np.all(left_out == 1)) and all(
        np.all(np.bincount(np.concatenate(split), minlength=n_rows) == 1) for split in splits
    )


class Procedure(NamedTuple):
    """A selection on the rows of a fold, and the scores of linear models on the rows left out."""

    table: HeldOutTable
    select: Callable[[Fold], Mask]
    allowed: Mask  # columns that may be selected

    def scores(self, fold: Fold, most: int) -> tuple[int, float, float | None, float, float]:
        """Number of columns; scores of these, of all, of as many by rank, and of the most frequent class.

        That of all is None where its system has an order above `most`.
        """
        problem, scorer = fold.problem, self.table.scorer
        on_fold, majority = scorer.on(fold.train, fold.test), self._majority(fold)

        def score(problem: TableProblem, members: Indices) -> float:
            return on_fold(problem, members) if members.size else majority  # all may be constant

        support = self.select(fold)
        members = np.flatnonzero(support[problem.columns])
        candidates = np.flatnonzero(self.allowed[problem.columns])
        every = None
        if min(candidates.size, fold.train.size) <= most:
            wide = candidates.size > fold.train.size
            every = sample_space_score(scorer, *fold, candidates) if wide else score(problem, candidates)
        ranking = score(problem, _ranked(problem, candidates, members.size))
        return int(support.sum()), score(problem, members), every, ranking, majority

    def _majority(self, fold: Fold) -> float:
        """Accuracy of the most frequent class of the training rows, of equals the first; 0 for numbers."""
        if not self.table.labelled:
            return 0.0
        codes = self.table.measured.codes
        return float(np.mean(codes[fold.test] == np.bincount(codes[fold.train]).argmax()))


def _ranked(problem: TableProblem, candidates: Indices, k: int) -> Indices:
    """The k candidates that explain most of the targets one by one: the order of the F statistic."""
    scores = np.einsum("jk,jk->j", problem.C, problem.C)[candidates] / problem.diagonal[candidates]
    return candidates[largest(scores, k)]


def procedure_of(selector: Any, table: HeldOutTable) -> Procedure:
    """The selection of a selector: on statistics where it is ours and plain, otherwise by refitting."""
    width = table.measured.n_columns
    plain = type(selector) in (GeneralizedFisherScore, JointRegressionScore)
    if not isinstance(selector, JointSelector):
        return Procedure(table, Refits(selector, table).select, np.ones(width, dtype=bool))
    sets = SetArguments(selector.groups, selector.keep, selector.exclude, selector.adjust_for)
    constraints = check_constraints(sets, width, table.measured.names)
    allowed = ~np.isin(constraints.codes, constraints.excluded)
    if not plain or selector.class_weight is not None or selector.missing != "error":
        return Procedure(table, Refits(selector, table).select, allowed)
    options = uncertified(selector)._check_parameters()._replace(loose_tol=0.0)
    k = constraints.count(selector.n_features_to_select)

    def select(fold: Fold) -> Mask:
        check_magnitude(fold.problem.diagonal)
        posed = constraints.pose(fold.problem, k)
        gamma = resolve_gamma(selector.gamma, posed)
        with one_thread():
            (solution,) = options.solutions([posed], gamma, options.trace())
        return posed.support(posed.ranked(solution.order))

    return Procedure(table, select, allowed)


def uncertified(selector: JointSelector) -> JointSelector:
    """A clone that proves nothing."""
    solver = "joint" if selector.solver == "exact" else selector.solver
    changed = {"solver": solver, "tol": None, "time_limit": None, "max_nodes": None, "verbose": 0}
    known = selector.get_params()
    found: JointSelector = clone(selector).set_params(
        **{name: value for name, value in changed.items() if name in known}
    )
    return found


class Refits(NamedTuple):
    """A selector fitted on the rows of each fold."""

    selector: Any
    table: HeldOutTable

    def select(self, fold: Fold) -> Mask:
        """Columns that a clone selects on the training rows."""
        selector, table = self.selector, self.table
        selector = uncertified(selector) if isinstance(selector, JointSelector) else clone(selector)
        X, y = _safe_indexing(table.rows, fold.train), _safe_indexing(table.y, fold.train)
        beside = {}
        if table.confounders is not None:
            beside["confounders"] = _safe_indexing(table.confounders, fold.train)
        support = np.asarray(selector.fit(X, y, **beside).get_support())
        if support.shape != self._width:
            raise ValueError(
                f"selector must select among the {self._width[0]} columns of X; it selects among "
                f"{shown(support.shape[0])}. Leave out the steps before it that make new columns."
            )
        return support

    @property
    def _width(self) -> tuple[int]:
        return (self.table.measured.n_columns,)
