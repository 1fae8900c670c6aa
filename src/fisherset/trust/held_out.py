"""The whole selection repeated in folds: what a linear model on the selected columns gets right elsewhere."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, check_cv

from fisherset._progress import report_progress
from fisherset._records import Printed, Records, Tabular
from fisherset._types import Floats, Indices
from fisherset.selectors.joint import JointSelector
from fisherset.trust.folds import HeldOutTable, Split, procedure_of, table_for
from fisherset.validation.parameters import check_choice, check_flag, is_number, reason, shown
from fisherset.validation.targets import CLASSIFICATION, TASKS

# The model solves a system of the smaller of rows and columns: above this order, 128 MB, it is left out.
LARGEST_ORDER = 4096
STANDARD_ERRORS = 2  # by which a score differs clearly
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
        every = (
            "all columns left out, "
            if self.all_columns is None
            else f"all columns {self.shown(self.all_columns)}, "
        )
        return (
            f"{self.metric} {self.shown(self.score)} on rows it was not selected on ({every}one-by-one "
            f"ranking {self.shown(self.ranking)}, {self._baseline} {self.shown(self.majority)})."
        )

    @property
    def useful(self) -> bool:
        """Whether the score is clearly, by two standard errors, above that of the most frequent class."""
        return self.score - STANDARD_ERRORS * self.error > self.majority

    @property
    def warning(self) -> str:
        """A sentence where the score is no better than without any column; else an empty one."""
        if self.useful:
            return ""
        return (
            f"On rows it was not selected on, a linear model of the selection is no better than the "
            f"{self._baseline}: {self.metric} {self.shown(self.score)} ± {self.shown(self.error)}, against "
            f"{self.shown(self.majority)}."
        )

    @property
    def _baseline(self) -> str:
        return "majority class" if self.metric == "accuracy" else "mean of the target"

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

    def _printed(self) -> Printed:
        several = "" if self.all_columns is None else f"all columns {self.all_columns:.3f}, "
        baseline = "majority class" if self.metric == "accuracy" else "mean"
        told = (
            f"{self.metric} on held-out rows {self.score:.3f} ({several}one-by-one ranking "
            f"{self.ranking:.3f}, {baseline} {self.majority:.3f})"
        )
        return Printed([told], self.table(), FORMATS | {"n_features": "d"})


def held_out(
    selector: Any,
    X: Any,
    y: Any = None,
    *,
    cv: Any = 5,
    task: str | None = None,
    confounders: Any = None,
    all_columns: bool = True,
) -> HeldOut:
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
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Class labels, sets of labels, or numbers.
    cv : int, splitter or iterable, default=5
        Number of folds, shuffled in a fixed way and with every class in all of them: fewer folds where
        a class has fewer samples. Or a splitter of scikit-learn, or pairs of row numbers.
    task : {"classification", "regression"}, default=None
        Whether y holds labels or numbers; None for that of the selector, else "classification".
    confounders : array-like of shape (n_samples, n_confounders), default=None
        Numbers that a joint selector adjusts for. Columns, and targets that are numbers, are adjusted for
        them in the models too, by the coefficients of the training rows; as for `adjust_for`.
    all_columns : bool, default=True
        Whether to score a model of all columns: of thousands it costs much more than all else.

    Returns
    -------
    result : HeldOut
        Scores next to those of all columns, of a one-by-one ranking and of the most frequent class.

    Notes
    -----
    For :class:`GeneralizedFisherScore` and :class:`JointRegressionScore` nothing is fitted anew: sums over
    the training rows are those of the other folds, added up. Other selectors, and these with
    `class_weight` or `missing`, are fitted on the rows. Weights of classes count in the selection alone.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from fisherset import GeneralizedFisherScore
    >>> from fisherset.evaluation import held_out
    >>> found = held_out(GeneralizedFisherScore(5), *load_wine(return_X_y=True))
    >>> print(f"{found.score:.0%}, all columns {found.all_columns:.0%}, majority {found.majority:.0%}")
    96%, all columns 99%, majority 40%
    """
    _check_selector(selector, confounders)
    check_flag("all_columns", all_columns)
    task = getattr(selector, "_task", CLASSIFICATION) if task is None else task
    check_choice("task", task, TASKS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on the whole table they are the fit's own
        table = table_for(selector, X, y, confounders, task)
        splits = _splits(cv, table)
        procedure = procedure_of(selector, table)
        most, scores = LARGEST_ORDER if all_columns else 0, []
        for fold in table.folds(splits, getattr(selector, "standardize", True)):
            scores.append(procedure.scores(fold, most))
            report_progress("held-out folds", len(scores), len(splits))
    n_features, own, every, ranking, majority = zip(*scores, strict=True)
    everything = None if every[0] is None else np.array(every)
    left_out = "" if everything is not None else _left_out(table.measured.n_columns, all_columns)
    metric = "accuracy" if table.labelled else "R²"
    given = np.array(own), everything, np.array(ranking), np.array(majority)
    return HeldOut(metric, *given, np.array(n_features), left_out)


def _left_out(width: int, wanted: bool) -> str:
    why = f"it needs at most {LARGEST_ORDER} rows or columns" if wanted else "it takes long"
    return f"A model of all {width} columns was left out: {why}."


def _check_selector(selector: Any, confounders: Any) -> None:
    known = all(hasattr(selector, name) for name in ("fit", "get_support", "get_params"))
    if isinstance(selector, type) or not known:
        raise TypeError(
            f"selector must be a selector such as GeneralizedFisherScore(10); got {shown(selector)}."
        )
    if confounders is not None and not isinstance(selector, JointSelector):
        raise ValueError(
            f"confounders must be None for a selector that does not adjust for them; got one of type "
            f"{type(selector).__name__}. Use GeneralizedFisherScore or JointRegressionScore."
        )


def _splits(cv: Any, table: HeldOutTable) -> list[Split]:
    """Row numbers to train and to test on, of each fold."""
    codes = table.measured.codes if table.labelled else None
    targets = table.targets if codes is None else codes
    rows = np.arange(len(targets))
    if is_number(cv):
        cv = _shuffled(cv, rows.size, codes, table.measured.classes)
    try:
        pairs = check_cv(cv, targets, classifier=codes is not None).split(rows, targets)
        splits = [(rows[train], rows[test]) for train, test in pairs]
    except (TypeError, ValueError, IndexError) as error:
        raise ValueError(
            f"cv must be a number of folds, a splitter, or pairs of row numbers to train and to test on; got "
            f"{shown(cv)}: {reason(error)}."
        ) from error
    if not splits or any(not train.size or not test.size for train, test in splits):
        raise ValueError("cv must give a split or more, each with rows to train and to test on.")
    what, kinds, tested = ("samples", rows, 2) if codes is None else ("classes", codes, 1)
    for train, test in splits:
        if np.unique(kinds[train]).size < 2 or test.size < tested:
            least = f"{tested} samples" if tested > 1 else "a sample"
            raise ValueError(
                f"cv must leave two {what} or more to train on, and {least} to test on. Use other folds, or "
                f"more rows."
            )
    return splits


def _shuffled(cv: Any, n_rows: int, codes: Indices | None, classes: Any) -> Any:
    """A splitter with as many folds as cv says, and the rows allow."""
    if not isinstance(cv, int | np.integer) or isinstance(cv, bool) or cv < 2:
        raise ValueError(f"cv must be a number of folds, 2 or more; got {shown(cv)}.")
    if codes is None:
        if n_rows < 4:
            raise ValueError(f"cv needs four samples or more, to leave two out in turns; there are {n_rows}.")
        return KFold(min(int(cv), n_rows // 2), shuffle=True, random_state=0)  # files are often sorted
    counts = np.bincount(codes)
    if counts.min() < 2:
        raise ValueError(
            f"cv needs two samples or more of every class; there is 1 of class "
            f"{shown(classes[int(counts.argmin())])}. Drop that class, or merge it with another."
        )
    return StratifiedKFold(min(int(cv), int(counts.min())), shuffle=True, random_state=0)
