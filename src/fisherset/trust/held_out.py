"""The whole selection repeated in folds: what a linear model on the selected columns gets right elsewhere."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold, check_cv
from sklearn.utils import _safe_indexing

from fisherset._records import Records, Tabular, aligned
from fisherset._types import Floats, Indices
from fisherset.selection.constraints import SetArguments, check_constraints
from fisherset.selection.request import pose_problem
from fisherset.selectors.cv.folds import accuracy, explained_share
from fisherset.selectors.cv.models import Discriminant, LinearFit
from fisherset.selectors.incremental import IncrementalSelector
from fisherset.selectors.joint import JointSelector
from fisherset.statistics import TableProblem
from fisherset.statistics.measure import measure
from fisherset.trust.all_columns import Rows, all_columns_score
from fisherset.validation.parameters import check_choice, is_number, reason, shown
from fisherset.validation.table import check_bare_table
from fisherset.validation.targets import CLASSIFICATION, REGRESSION, TASKS, check_labels, check_targets

# The model solves a system of the smaller of rows and columns: above this order, 128 MB, it is left out.
LARGEST_ORDER = 4096
FORMATS = dict.fromkeys(("n_features", "score", "all_columns", "ranking", "majority"), ".3f") | {"fold": "d"}


@dataclass(frozen=True, repr=False)
class HeldOut(Tabular):
    """Scores on held-out rows of a selection that was repeated in every fold.

    Attributes
    ----------
    metric : str
        "accuracy", or "R²".
    scores : ndarray of shape (n_folds,)
        Of the closed-form linear model on the selected columns.
    all_columns_scores : ndarray of shape (n_folds,) or None
        Of the same model on all columns that may be selected; None where that is too large.
    ranking_scores : ndarray of shape (n_folds,)
        Of the same model on as many columns, ranked one by one.
    majority_scores : ndarray of shape (n_folds,)
        Of the most frequent class of the training rows; zeros, the mean's R², for numbers.
    n_features : ndarray of shape (n_folds,)
        Number of selected columns.
    reason : str
        Why there is no score of all columns.
    """

    metric: str
    scores: Floats
    all_columns_scores: Floats | None
    ranking_scores: Floats
    majority_scores: Floats
    n_features: Indices = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    reason: str = ""

    @property
    def score(self) -> float:
        """Mean score of the selected columns."""
        return float(self.scores.mean())

    @property
    def error(self) -> float:
        """Standard error of the mean score, by the folds; 0 of a single one."""
        n = self.scores.size
        return float(self.scores.std(ddof=1) / np.sqrt(n)) if n > 1 else 0.0

    @property
    def all_columns(self) -> float | None:
        """Mean score of all columns."""
        return None if self.all_columns_scores is None else float(self.all_columns_scores.mean())

    @property
    def ranking(self) -> float:
        """Mean score of as many columns, ranked one by one."""
        return float(self.ranking_scores.mean())

    @property
    def majority(self) -> float:
        """Mean score of the most frequent class, or of the mean."""
        return float(self.majority_scores.mean())

    @property
    def sentence(self) -> str:
        """The score next to those it is compared with."""
        baseline = "majority class" if self.metric == "accuracy" else "mean of the target"
        every = "" if self.all_columns is None else f"all columns {self.shown(self.all_columns)}, "
        return (
            f"{self.metric} {self.shown(self.score)} on rows it was not selected on ({every}one-by-one "
            f"ranking {self.shown(self.ranking)}, {baseline} {self.shown(self.majority)})."
        )

    def shown(self, score: float) -> str:
        """Return a score as it is written: "95.3 %", "0.482".

        Parameters
        ----------
        score : float
            The score.

        Returns
        -------
        text : str
            In per cent, or as a number.
        """
        return f"{100 * score:.1f} %" if self.metric == "accuracy" else f"{score:.3f}"

    def table(self) -> Records:
        """Scores of each fold, as dictionaries.

        Returns
        -------
        rows : list of dict
            One for each fold: its number, the number of selected columns, and the scores.
        """
        every = self.all_columns_scores
        everything: list[Any] = [None] * self.scores.size if every is None else every.tolist()
        return [
            {
                "fold": fold,
                "n_features": int(self.n_features[fold]),
                "score": float(self.scores[fold]),
                "all_columns": everything[fold],
                "ranking": float(self.ranking_scores[fold]),
                "majority": float(self.majority_scores[fold]),
            }
            for fold in range(self.scores.size)
        ]

    def __repr__(self) -> str:
        return f"HeldOut({self.metric} {self.score:.3f}, {self.scores.size} folds)"

    def __str__(self) -> str:
        several = "" if self.all_columns is None else f"all columns {self.all_columns:.3f}, "
        baseline = "majority class" if self.metric == "accuracy" else "mean"
        return (
            f"{self.metric} on held-out rows {self.score:.3f} ({several}one-by-one ranking "
            f"{self.ranking:.3f}, {baseline} {self.majority:.3f})\n"
            f"{aligned(self.table(), FORMATS | {'n_features': 'd'})}"
        )


def held_out(selector: Any, X: Any, y: Any, *, cv: Any = 5, task: str | None = None) -> HeldOut:
    """Repeat a selection in folds, and score a linear model of its columns on the rows left out.

    In every fold a clone of the selector is fitted on the training rows, with the choice of gamma and size
    where it makes one. On its columns follows the model that the statistics give in closed form:
    regularised linear discriminant analysis, or ridge regression. Rows that are scored are seen by neither.

    Parameters
    ----------
    selector : selector
        Of fisherset or scikit-learn, fitted or not. Joint selectors are fitted without a certificate,
        "exact" ones as "joint".
    X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
        The samples, in memory.
    y : array-like of shape (n_samples,)
        Class labels, or numbers.
    cv : int, splitter or iterable, default=5
        Number of folds, shuffled in a fixed way and with every class in all of them: fewer folds where
        a class has fewer samples. Or a splitter of scikit-learn, or pairs of row numbers.
    task : {"classification", "regression"}, default=None
        Whether y holds labels or numbers; None for that of the selector, else "classification".

    Returns
    -------
    result : HeldOut
        Scores next to those of all columns, of a one-by-one ranking and of the most frequent class.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from fisherset import GeneralizedFisherScore
    >>> from fisherset.evaluation import held_out
    >>> found = held_out(GeneralizedFisherScore(5), *load_wine(return_X_y=True))
    >>> print(f"{found.score:.0%}, all columns {found.all_columns:.0%}, majority {found.majority:.0%}")
    98%, all columns 98%, majority 40%
    """
    _check_selector(selector)
    task = getattr(selector, "_task", CLASSIFICATION) if task is None else task
    check_choice("task", task, TASKS)
    table, names = check_bare_table(X)
    if sparse.issparse(table):
        table = table.tocsr()
    rows = X if hasattr(X, "columns") else table  # keeps the names of columns
    classes: Any = None
    targets: Any = None
    if task == REGRESSION:
        numbers = check_targets(y, table.shape[0])
        targets = numbers[:, 0] if numbers.shape[1] == 1 else numbers
    else:
        classes, codes = check_labels(y, table.shape[0])
        targets = codes
    folds = _splits(cv, targets, classes)
    allowed = _allowed(selector, table.shape[1], names)
    procedure = _Procedure(selector, rows, table, targets, classes, allowed, task)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on the whole table they are the fit's own
        found = [procedure.scores(train, test) for train, test in folds]
    n_features, *columns = zip(*found, strict=True)
    everything = None if columns[1][0] is None else np.array(columns[1])
    metric = "R²" if task == REGRESSION else "accuracy"
    scores, ranking, majority = (np.array(columns[place]) for place in (0, 2, 3))
    left_out = "" if everything is not None else _too_large(table.shape)
    return HeldOut(metric, scores, everything, ranking, majority, np.array(n_features), left_out)


def _too_large(shape: tuple[int, int]) -> str:
    return (
        f"A model of all {shape[1]} columns was left out: it needs at most {LARGEST_ORDER} rows or columns."
    )


def _check_selector(selector: Any) -> None:
    known = all(hasattr(selector, name) for name in ("fit", "get_support", "get_params"))
    if isinstance(selector, type) or not known:
        raise TypeError(
            f"selector must be a selector such as GeneralizedFisherScore(10); got {shown(selector)}."
        )
    if isinstance(selector, JointSelector) and selector.adjust_for is not None:
        raise ValueError(
            f"selector must have adjust_for=None here; got {shown(selector.adjust_for)}. Adjust the columns "
            f"of X first."
        )


def _allowed(selector: Any, width: int, names: Any) -> NDArray[np.bool_]:
    """Columns that the selector may select."""
    if not isinstance(selector, JointSelector):
        return np.ones(width, dtype=bool)
    sets = SetArguments(selector.groups, selector.keep, selector.exclude)
    constraints = check_constraints(sets, width, names)
    return ~np.isin(constraints.codes, constraints.excluded)


def _splits(cv: Any, targets: Any, classes: Any) -> list[tuple[Indices, Indices]]:
    """Row numbers to train and to test on, of each fold."""
    rows = np.arange(len(targets))
    if is_number(cv):
        most = len(rows) if classes is None else int(np.bincount(targets).min())
        if not isinstance(cv, int | np.integer) or isinstance(cv, bool) or cv < 2:
            raise ValueError(f"cv must be a number of folds, 2 or more; got {shown(cv)}.")
        if most < 2:
            rare = (
                "" if classes is None else f" of class {shown(classes[int(np.bincount(targets).argmin())])}"
            )
            raise ValueError(
                f"cv needs two samples or more of every class; there is 1{rare}. Drop that class, or merge "
                f"it with another."
            )
        kind = KFold if classes is None else StratifiedKFold
        cv = kind(min(int(cv), most), shuffle=True, random_state=0)  # files are often sorted
    try:
        pairs = check_cv(cv, targets, classifier=classes is not None).split(rows, targets)
        splits = [(rows[train], rows[test]) for train, test in pairs]
    except (TypeError, ValueError, IndexError) as error:
        raise ValueError(
            f"cv must be a number of folds, a splitter, or pairs of row numbers to train and to test on; got "
            f"{shown(cv)}: {reason(error)}."
        ) from error
    if not splits or any(not train.size or not test.size for train, test in splits):
        raise ValueError("cv must give a split or more, each with rows to train and to test on.")
    return splits


@dataclass(frozen=True)
class _Procedure:
    """A selection on some rows of a table, and the scores of linear models on others."""

    selector: Any
    rows: Any  # the table as it was given, with the names of its columns
    X: Any  # as an array or CSR matrix
    targets: Any
    classes: Any  # None for numbers
    allowed: NDArray[np.bool_]
    task: str

    def scores(self, train: Indices, test: Indices) -> tuple[Any, ...]:
        """Number of columns; scores of these, of all, of as many by rank, and of the most frequent class."""
        known, y = _safe_indexing(self.rows, train), self._labels(train)
        missing = getattr(self.selector, "missing", "error")
        table = measure(known, y, missing=missing, task=self.task)
        standardize = getattr(self.selector, "standardize", True)
        problem = pose_problem(table, standardize)
        support = self._selected(table if missing == "error" else known, known, y)
        members = np.flatnonzero(support[problem.columns])
        candidates = np.flatnonzero(self.allowed[problem.columns])
        parts = Rows(problem, self.X, train, test)
        return (
            int(support.sum()),
            self._score(problem, parts, members, table.classes, y, test),
            self._all_columns(parts, candidates, y, test),
            self._score(problem, parts, _ranked(problem, candidates, members.size), table.classes, y, test),
            self._majority(train, test),
        )

    def _labels(self, rows: Indices) -> Any:
        return self.targets[rows] if self.classes is None else self.classes[self.targets[rows]]

    def _selected(self, measured: Any, known: Any, y: Any) -> NDArray[np.bool_]:
        """Columns that a clone selects on the training rows."""
        selector = clone(self.selector)
        if isinstance(selector, JointSelector):
            solver = "joint" if selector.solver == "exact" else selector.solver
            selector.set_params(solver=solver, tol=None)
        # what was measured once need not be measured again
        shared = isinstance(selector, IncrementalSelector) and selector.class_weight is None
        if shared and measured is not known:
            return np.asarray(selector.fit(measured).support_)
        return np.asarray(selector.fit(known, y).get_support())

    def _score(
        self, problem: TableProblem, parts: Rows, members: Indices, classes: Any, y: Any, test: Indices
    ) -> float:
        if not members.size:  # all constant
            return 0.0 if self.classes is None else float(np.mean(self._labels(test) == _most_frequent(y)))
        values = parts.values(test, members)
        if self.classes is None:
            return explained_share(LinearFit(problem, members), values, self.targets[test])
        return accuracy(Discriminant(problem, members, classes), values, self._labels(test))

    def _all_columns(self, parts: Rows, members: Indices, y: Any, test: Indices) -> float | None:
        if min(members.size, parts.train.size) > LARGEST_ORDER:
            return None
        if members.size <= parts.train.size:
            classes = None if self.classes is None else check_labels(y, len(y))[0]
            return self._score(parts.problem, parts, members, classes, y, test)
        return all_columns_score(parts, members, self.targets, self.classes is not None)

    def _majority(self, train: Indices, test: Indices) -> float:
        if self.classes is None:
            return 0.0
        return float(np.mean(self.targets[test] == _most_frequent(self.targets[train])))


def _most_frequent(y: Any) -> Any:
    """The most frequent label, of equals the first."""
    labels, counts = np.unique(y, return_counts=True)
    return labels[counts.argmax()]


def _ranked(problem: TableProblem, candidates: Indices, k: int) -> Indices:
    """The k candidates that explain most of the targets one by one: the order of the F statistic."""
    scores = np.einsum("jk,jk->j", problem.C, problem.C)[candidates] / problem.diagonal[candidates]
    return np.sort(candidates[np.argsort(-scores, kind="stable")[:k]])
