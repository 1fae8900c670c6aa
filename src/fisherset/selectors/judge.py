"""How good a set of columns is on rows that were held out: the model fitted on it, and its score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from fisherset._types import Floats, Indices
from fisherset.selectors.scoring import Scorer
from fisherset.statistics import Numbers, TableProblem

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
                rows = problem.left_of(X, self._beside(train), members)
                model = clone(self.estimator).fit(rows, self._targets(problem, train), **weights)
            X = self.X[np.ix_(test, columns)] if held_out is None else held_out[:, columns]
            rows = problem.left_of(X, self._beside(test), members)
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
