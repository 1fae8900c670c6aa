"""Linear models that the statistics of a table give in closed form, without its rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from fisherset._types import Floats, Indices
from fisherset.statistics import Numbers, TableProblem

SCORES = 2**22  # discriminants held at a time: 32 MB


class _ClosedFormModel(BaseEstimator):
    """A linear model on some columns of a problem.

    Its system gets as much ridge as one sample for each feature would bring, so that it can be solved for
    any number of features.
    """

    def __init__(self, problem: TableProblem, columns: Indices) -> None:
        guard, table = problem.scatter.guard, problem.columns[columns]
        # in the units of the guard: coefficients of a column of 1e-310 would overflow
        self.unit_: Floats = guard.unit[table]
        self.center_: Floats = guard.offset[table] + problem.beta[0, columns] * self.unit_

    def fit(self, X: Any, y: Any) -> Self:
        """Return the model as it is: it was fitted by its statistics."""
        return self

    def _in_units(self, X: Any) -> Floats:
        rows = X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
        return (rows - self.center_) / self.unit_


def _ridge(problem: TableProblem, columns: Indices) -> float:
    return float(problem.diagonal[columns].sum()) / problem.n


def standardized(problem: TableProblem, columns: Indices, X: Any) -> Floats:
    """Rows of some columns as the problem has them: centred and, where it does so, scaled."""
    return _ClosedFormModel(problem, columns)._in_units(X) / problem.scale[columns]


class Discriminant(ClassifierMixin, _ClosedFormModel):
    """Regularised linear discriminant analysis."""

    def __init__(self, problem: TableProblem, columns: Indices, classes: NDArray[Any]) -> None:
        super().__init__(problem, columns)
        n, scatter, scale = problem.n, problem.scatter, problem.scale[columns]
        weights = scatter.moments.NT[0]
        present = weights > 0
        # class means of the centred and scaled features, features x classes
        means = (scatter.sums_of(problem.columns[columns]) / scale)[present].T / weights[present]
        within = problem.gram(columns, rows=columns) - (means * weights[present]) @ means.T
        within[np.diag_indices_from(within)] += _ridge(problem, columns)
        coefficients = n * np.linalg.solve(within, means)
        self.classes_: NDArray[Any] = classes[present]
        self.coef_ = coefficients / scale[:, None]
        self.intercept_: Floats = (
            np.log(weights[present] / n) - np.einsum("jk,jk->k", coefficients, means) / 2
        )

    def decision_function(self, X: Any) -> Floats:
        """Log-odds of the second of two classes, or the discriminant of each of more."""
        scores: Floats = self._in_units(X) @ self.coef_ + self.intercept_
        return scores[:, 1] - scores[:, 0] if self.classes_.size == 2 else scores

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class: discriminants are log-likelihoods up to a common term."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros_like(scores), scores])
        likelihood = np.exp(scores - scores.max(axis=1, keepdims=True))
        return likelihood / likelihood.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> NDArray[Any]:
        """Most likely class of each row, some rows at a time: there may be as many classes as rows."""
        step = max(1, SCORES // self.classes_.size)
        parts = [self._places(X[start : start + step]) for start in range(0, X.shape[0], step)]
        return self.classes_[np.concatenate(parts)]

    def _places(self, X: Any) -> Indices:
        scores = self.decision_function(X)
        return (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)


class LinearFit(RegressorMixin, _ClosedFormModel):
    """Ridge regression of the targets."""

    def __init__(self, problem: TableProblem, columns: Indices) -> None:
        super().__init__(problem, columns)
        coding, scatter = problem.coding, problem.scatter
        assert isinstance(coding, Numbers)
        system = np.array(problem.gram(columns, rows=columns))
        system[np.diag_indices_from(system)] += _ridge(problem, columns)
        # of standardised columns and targets: their own units may be out of the range of float64
        self.scale_: Floats = problem.scale[columns]
        sums: Floats = scatter.sums_of(problem.columns[columns]).T / self.scale_[:, None]
        self.coef_: Floats = np.linalg.solve(system, sums).astype(np.float64)
        self.intercept_: Floats = scatter.moments.alpha[0]
        self.target_unit_, self.target_offset_ = coding.unit, coding.offset

    def _numbers(self, X: Any) -> Floats:
        standard = self._in_units(X) / self.scale_ @ self.coef_ + self.intercept_
        return standard * self.target_unit_ + self.target_offset_

    def predict(self, X: Any) -> Floats:
        """Targets of each row, n x p; of a single target flat."""
        found = self._numbers(X)
        return found[:, 0] if found.shape[1] == 1 else found


class LabelFit(ClassifierMixin, LinearFit):
    """Ridge regression of the indicators of labels: a sample has those predicted above 1/2."""

    def __init__(self, problem: TableProblem, columns: Indices) -> None:
        super().__init__(problem, columns)
        # labels are not adjusted for the confounders, so that their mean is that of the adjusted columns
        moments = problem.scatter.moments
        self.intercept_ = moments.NT[0] / moments.n
        self.classes_ = [np.array([0, 1])] * self.intercept_.size

    def decision_function(self, X: Any) -> Floats:
        """Predicted indicator of each label."""
        return self._numbers(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Indicator of the labels of each row."""
        return (self._numbers(X) > 0.5).astype(np.intp)
