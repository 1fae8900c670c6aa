"""How a fold is judged: the model and the score of it, checked before anything is fitted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import get_scorer, get_scorer_names

from fisherset.selectors._parameters import as_float, is_number, reason, shown

Scorer: TypeAlias = Callable[[Any, Any, Any], float]  # of a fitted model, the rows held out and their labels


def accuracy(model: Any, X: Any, y: NDArray[Any]) -> float:
    """The default scorer, without the checks of scikit-learn's, which cost more than it does."""
    return float(np.mean(model.predict(X) == y))


def scorer_of(scoring: Any) -> Scorer:
    """The scorer behind `scoring`: one of scikit-learn by name, a callable, or None for the accuracy."""
    if scoring is None:
        return accuracy
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
    return lambda model, X, y: _one_number(scoring(model, X, y))


def _by_name(name: str) -> Scorer:
    """A scorer of scikit-learn's, whose complaints become a sentence; those of a callable are the user's."""
    score = get_scorer(name)

    def scorer(model: Any, X: Any, y: NDArray[Any]) -> float:
        try:
            value = score(model, X, y)
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


def check_estimator(estimator: Any) -> None:
    """A classifier that can be cloned, or None."""
    asked = ("fit", "predict", "get_params")
    if estimator is None or (
        all(hasattr(estimator, name) for name in asked) and not isinstance(estimator, type)
    ):
        return
    raise TypeError(
        f"estimator must be a classifier with fit and predict, such as KNeighborsClassifier(), or None; "
        f"got {shown(estimator)}."
    )
