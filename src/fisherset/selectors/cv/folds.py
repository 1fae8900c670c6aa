"""The search over gammas and sizes: scorers of models, and a score for each fold, gamma and size."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import get_scorer, get_scorer_names, r2_score
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import has_fit_parameter

from fisherset._progress import report_progress
from fisherset._threads import one_thread
from fisherset._types import Floats, Indices
from fisherset.selection.constraints import Constraints, PosedProblem
from fisherset.selection.outcome import solutions_along
from fisherset.selection.request import SearchOptions
from fisherset.selectors.cv.models import LabelFit
from fisherset.selectors.cv.neighbours import NearestNeighbour, Values
from fisherset.statistics import FoldedTable, Numbers, TableProblem
from fisherset.validation.parameters import as_float, is_number, reason, shown
from fisherset.validation.targets import REGRESSION

# Of a fitted model, the rows held out, their labels and their weights, if any.
Scorer: TypeAlias = Callable[[Any, Any, Any, Any], float]
# The model that the statistics give, of a problem and some of its columns.
OwnModel: TypeAlias = Callable[[TableProblem, Indices], Any]


def accuracy(model: Any, X: Any, y: NDArray[Any], weights: Any = None) -> float:
    """The default scorer, without the checks of scikit-learn's, which cost more than it does."""
    return float(np.average(model.predict(X) == y, weights=weights))


def explained_share(model: Any, X: Any, y: NDArray[Any], weights: Any = None) -> float:
    """R^2, the mean over the targets; of sets of labels that of their indicators."""
    found = model.decision_function(X) if isinstance(model, LabelFit) else model.predict(X)
    size = np.maximum(np.abs(y).max(axis=0), np.abs(found).max(axis=0))
    unit = np.ldexp(1.0, np.frexp(np.where(size > 0, size, 1.0))[1])  # whose squares are safe
    return _one_number(r2_score(y / unit, found / unit, sample_weight=weights))


def scorer_of(scoring: Any, one_class_each: bool = True) -> Scorer:
    """The scorer behind `scoring`: one of scikit-learn by name, a callable, or None for the default."""
    if scoring is None:
        return accuracy if one_class_each else explained_share
    if isinstance(scoring, str):
        if scoring not in get_scorer_names():
            raise ValueError(
                f"scoring must be one of sklearn.metrics.get_scorer_names(), a callable or None; "
                f"got {shown(scoring)}."
            )
        return _by_name(scoring)
    if not callable(scoring) or isinstance(scoring, type):
        raise TypeError(
            f"scoring must be the name of one scorer, a callable or None; got {shown(scoring)}. "
            f"Several scores at once are not supported."
        )
    return lambda model, X, y, weights: _one_number(scoring(model, X, y, **_weighed(weights)))


def _weighed(weights: Any) -> dict[str, Any]:
    return {} if weights is None else {"sample_weight": weights}


def _by_name(name: str) -> Scorer:
    """A scorer of scikit-learn's, whose complaints become a sentence; those of a callable are the user's."""
    score = get_scorer(name)

    def scorer(model: Any, X: Any, y: NDArray[Any], weights: Any) -> float:
        try:
            value = score(model, X, y, **_weighed(weights))
        except (AttributeError, TypeError, ValueError) as error:
            raise ValueError(
                f"scoring={name!r} could not be computed on a fold: {reason(error)}. "
                f"Use another scorer, or an estimator or folds that suit it."
            ) from error
        return _one_number(value)

    return scorer


def _one_number(value: Any) -> float:
    if not is_number(value):
        raise TypeError(f"scoring must give a number for each fold; got {shown(value)}.")
    number = as_float(value)
    if not np.isfinite(number):
        raise ValueError(
            f"scoring must give a finite number for each fold; got {number}. "
            f"Use fewer folds, or another scorer."
        )
    return number


def check_estimator(estimator: Any, task: str, weighted: bool = False) -> None:
    """A model for the task that can be cloned, and weigh samples where they have weights, or None."""
    if estimator is None:
        return
    known = all(hasattr(estimator, name) for name in ("fit", "predict", "get_params"))
    if isinstance(estimator, type) or not known:
        model = "regressor" if task == REGRESSION else "classifier"
        raise TypeError(
            f"estimator must be a {model} with fit and predict, such as KNeighbors{model.title()}(), or "
            f"None; got {shown(estimator)}."
        )
    if weighted and not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(
            f"estimator must take sample_weight where samples or classes have weights; "
            f"{type(estimator).__name__} does not. Use another, or no weights."
        )


class FoldScorer(NamedTuple):
    """Rows with their targets, and how a model is fitted on some of them and scored on others.

    Models see columns, and targets that are numbers, adjusted for the confounders by the coefficients of
    the training rows.
    """

    X: Any
    y: NDArray[Any]
    confounders: Floats | None  # as the statistics adjust for them
    own_model: OwnModel
    estimator: Any  # None for the model of the statistics
    scorer: Scorer
    weights: Floats | None  # of the rows, in training
    score_weights: Floats | None  # and in the score
    neighbour: NearestNeighbour | None = None  # whose accuracy counts as much as the score

    def on(self, train: Indices, test: Indices) -> Callable[[TableProblem, Indices], float]:
        """The score of columns of a problem, which is that of the training rows."""
        held_out, of_scores = (
            self.values(test),
            None if self.score_weights is None else self.score_weights[test],
        )
        known = None if self.estimator is None else self.values(train)
        second = None if self.neighbour is None else self.neighbour.on(train, test, self.values)

        def score(problem: TableProblem, members: Indices) -> float:
            if known is None:
                model = self.own_model(problem, members)
            else:
                weights = _weighed(None if self.weights is None else self.weights[train])
                rows, targets = known(problem, members), self.targets(problem, train)
                model = clone(self.estimator).fit(rows, targets, **weights)
            rows = held_out(problem, members)
            first = float(self.scorer(model, rows, self.targets(problem, test), of_scores))
            return first if second is None else (first + second(problem, members)) / 2

        return score

    def values(self, rows: Indices) -> Values:
        """The adjusted values of some rows in columns of a problem."""
        some = self.X[rows] if sparse.issparse(self.X) else None  # of dense ones columns are taken alone

        def values(problem: TableProblem, members: Indices) -> Any:
            columns = problem.columns[members]
            X = self.X[np.ix_(rows, columns)] if some is None else some[:, columns]
            return problem.adjusted_values(X, self._confounders(rows), members)

        return values

    def _confounders(self, rows: Indices) -> Floats | None:
        return None if self.confounders is None else self.confounders[rows]

    def targets(self, problem: TableProblem, rows: Indices) -> NDArray[Any]:
        y, coding = self.y[rows], problem.coding
        if self.confounders is None or not isinstance(coding, Numbers) or y.dtype.kind != "f":
            return y
        explained = self.confounders[rows] @ problem.scatter.moments.alpha[1:] * coding.unit
        return y - explained.reshape(y.shape)


class GridSearch(NamedTuple):
    """A table, the gammas and sizes to try on every fold of it, and the scorer of a fold."""

    folded: FoldedTable
    ks: Sequence[int]
    constraints: Constraints
    gammas: Callable[[PosedProblem], list[float]]  # for a problem and the largest sets
    options: SearchOptions
    scorer: FoldScorer

    def scores(self, splits: Sequence[tuple[Indices, Indices]], n_jobs: int | None) -> Floats:
        """Scores of shape (splits, gammas, sizes)."""
        run = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator")  # the folds share products
        scores = []
        with one_thread():
            for of_fold in run(delayed(self._fold_scores)(*split) for split in splits):
                scores.append(of_fold)
                report_progress("cross-validating", len(scores), len(splits))
        return np.array(scores)

    def _fold_scores(self, train: Indices, test: Indices) -> Floats:
        columns = self.ks[-1] * len(self.constraints.codes) // len(self.constraints.labels)
        by_rows = train.size < 2 * columns  # the solver will want the sample space
        times = np.bincount(np.concatenate([train, test]), minlength=len(self.scorer.y))
        complete = bool(np.all(times == 1))  # each row on one side, once
        problem = self.folded.without(test, train, by_rows=by_rows or not complete)
        posed = [self.constraints.pose(problem, k) for k in self.ks]
        gammas = np.array(self.gammas(posed[-1]))
        falling = np.argsort(gammas)[::-1]  # large gammas are solved at once, and lead on to small ones
        score = self.scorer.on(train, test)
        seen: dict[bytes, float] = {}  # gammas often agree on a set
        scores = np.empty((gammas.size, len(self.ks)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            paths = list(solutions_along(posed, gammas[falling].tolist(), self.options, certified=False))
        for at_gamma, path in zip(falling, paths, strict=True):
            for at_k, solution in enumerate(path):
                key = solution.units.tobytes()
                if key not in seen:
                    seen[key] = score(problem, posed[at_k].domain.units.columns(solution.units))
                scores[at_gamma, at_k] = seen[key]
        return scores
