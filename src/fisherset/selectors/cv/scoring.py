"""How a fold is judged: the model and the score of it, checked before anything is fitted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import get_scorer, get_scorer_names, r2_score
from sklearn.utils.validation import has_fit_parameter

from fisherset._types import Floats, Indices
from fisherset.selectors.cv.models import LabelFit
from fisherset.statistics import Numbers, TableProblem
from fisherset.validation.parameters import as_float, is_number, reason, shown
from fisherset.validation.targets import CLASSIFICATION, REGRESSION

# Of a fitted model, the rows held out, their labels and their weights, if any.
Scorer: TypeAlias = Callable[[Any, Any, Any, Any], float]
MODELS = {
    CLASSIFICATION: ("classifier", "KNeighborsClassifier"),
    REGRESSION: ("regressor", "KNeighborsRegressor"),
}


def accuracy(model: Any, X: Any, y: NDArray[Any], weights: Any = None) -> float:
    """The default scorer, without the checks of scikit-learn's, which cost more than it does."""
    return float(np.average(model.predict(X) == y, weights=weights))


def explained_share(model: Any, X: Any, y: NDArray[Any], weights: Any = None) -> float:
    """R^2, the mean over the targets; of sets of labels that of their indicators."""
    found = model.decision_function(X) if isinstance(model, LabelFit) else model.predict(X)
    size = np.maximum(np.abs(y).max(axis=0), np.abs(found).max(axis=0))
    unit = np.ldexp(1.0, np.frexp(np.where(size > 0, size, 1.0))[1])  # whose squares are safe
    return _one_number(r2_score(y / unit, found / unit, sample_weight=weights))


def scorer_of(scoring: Any, targets: str = "classes") -> Scorer:
    """The scorer behind `scoring`: one of scikit-learn by name, a callable, or None for the default."""
    if scoring is None:
        return accuracy if targets == "classes" else explained_share
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
    asked = ("fit", "predict", "get_params")
    if estimator is None or (
        all(hasattr(estimator, name) for name in asked) and not isinstance(estimator, type)
    ):
        if weighted and estimator is not None and not has_fit_parameter(estimator, "sample_weight"):
            raise ValueError(
                f"estimator must take sample_weight where samples or classes have weights; "
                f"{type(estimator).__name__} does not. Use another, or no weights."
            )
        return
    model, example = MODELS[task]
    raise TypeError(
        f"estimator must be a {model} with fit and predict, such as {example}(), or None; "
        f"got {shown(estimator)}."
    )


# The model that the statistics give, of a problem and some of its columns.
OwnModel: TypeAlias = Callable[[TableProblem, Indices], Any]


class Judge(NamedTuple):
    """Rows with their targets, and how a model is fitted on some of them and scored on others.

    Models see what is left of the columns once the confounders are taken out, by what the training rows
    say of them; targets that are numbers likewise.
    """

    X: Any
    y: NDArray[Any]
    confounders: Floats | None  # as the statistics take them out
    own_model: OwnModel
    estimator: Any  # None for the model of the statistics
    scorer: Scorer
    weights: Floats | None  # of the rows, in training
    score_weights: Floats | None  # and in the score

    def on(self, train: Indices, test: Indices) -> Callable[[TableProblem, Indices], float]:
        """The score of columns of a problem, which is that of the training rows."""
        held_out = self.X[test] if sparse.issparse(self.X) else None  # of dense ones columns are taken alone
        of_scores = None if self.score_weights is None else self.score_weights[test]

        def score(problem: TableProblem, members: Indices) -> float:
            columns = problem.columns[members]
            if self.estimator is None:
                model = self.own_model(problem, members)
            else:
                X = self.X[np.ix_(train, columns)] if held_out is None else self.X[train][:, columns]
                weights = {} if self.weights is None else {"sample_weight": self.weights[train]}
                rows = problem.adjusted_values(X, self._beside(train), members)
                model = clone(self.estimator).fit(rows, self._targets(problem, train), **weights)
            X = self.X[np.ix_(test, columns)] if held_out is None else held_out[:, columns]
            rows = problem.adjusted_values(X, self._beside(test), members)
            return float(self.scorer(model, rows, self._targets(problem, test), of_scores))

        return score

    def _beside(self, rows: Indices) -> Floats | None:
        return None if self.confounders is None else self.confounders[rows]

    def _targets(self, problem: TableProblem, rows: Indices) -> NDArray[Any]:
        y, coding = self.y[rows], problem.coding
        if self.confounders is None or not isinstance(coding, Numbers) or y.dtype.kind != "f":
            return y
        explained = self.confounders[rows] @ problem.scatter.moments.alpha[1:] * coding.unit
        left: NDArray[Any] = y - explained.reshape(y.shape)
        return left
