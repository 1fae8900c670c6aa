"""The discriminant classifier that the statistics of a table give in closed form, without its rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from fisherset._types import Floats, Indices
from fisherset.statistics import Numbers, TableProblem

SCORES = 2**22  # discriminants formed at a time


class Discriminant(ClassifierMixin, BaseEstimator):
    """Regularised linear discriminant analysis on some columns of a problem.

    The within-class covariance gets as much ridge as one sample for each feature would
    bring, so that it can be inverted whatever their number.
    """

    def __init__(self, problem: TableProblem, columns: Indices, classes: NDArray[Any]) -> None:
        n, scatter, table = problem.n, problem.scatter, problem.columns[columns]
        weights = scatter.moments.NT[0]
        present = weights > 0
        # class means of the centred and scaled features, features x classes
        means = (scatter.sums_of(table) / problem.scale[columns])[present].T / weights[present]
        within = problem.gram(columns, rows=columns) - (means * weights[present]) @ means.T
        ridge = float(problem.diagonal[columns].sum()) / n
        within[np.diag_indices_from(within)] += ridge
        coefficients = n * np.linalg.solve(within, means)
        self.classes_: NDArray[Any] = classes[present]
        # of the columns in the units of the guard: those of a column of 1e-310 would overflow
        self.coef_, self.unit_ = coefficients / problem.scale[columns][:, None], scatter.guard.unit[table]
        self.intercept_: Floats = (
            np.log(weights[present] / n) - np.einsum("jk,jk->k", coefficients, means) / 2
        )
        self.center_ = scatter.guard.offset[table] + problem.beta[0, columns] * scatter.guard.unit[table]

    def fit(self, X: Any, y: Any) -> Self:
        """Nothing to do: the statistics are all there is to learn from."""
        return self

    def decision_function(self, X: Any) -> Floats:
        """Log-odds of the second of two classes, or the discriminant of each of more."""
        rows = X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
        scores: Floats = ((rows - self.center_) / self.unit_) @ self.coef_ + self.intercept_
        return scores[:, 1] - scores[:, 0] if self.classes_.size == 2 else scores

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class: the discriminants are log-likelihoods, up to what all share."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros_like(scores), scores])
        likelihood = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares: Floats = likelihood / likelihood.sum(axis=1, keepdims=True)
        return shares

    def predict(self, X: Any) -> NDArray[Any]:
        """The most likely class of each row, some rows at a time: there may be as many classes."""
        step = max(1, SCORES // self.classes_.size)
        parts = [self._places(X[start : start + step]) for start in range(0, X.shape[0], step)]
        labels: NDArray[Any] = self.classes_[np.concatenate(parts)]
        return labels

    def _places(self, X: Any) -> Indices:
        scores = self.decision_function(X)
        return (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)


class LinearFit(RegressorMixin, BaseEstimator):
    """Ridge regression of the targets on some columns of a problem.

    The ridge is as much as one sample for each feature would bring, so that the system can be solved
    whatever their number.
    """

    def __init__(self, problem: TableProblem, columns: Indices) -> None:
        coding, scatter, table = problem.coding, problem.scatter, problem.columns[columns]
        assert isinstance(coding, Numbers)
        system = np.array(problem.gram(columns, rows=columns))
        system[np.diag_indices_from(system)] += float(problem.diagonal[columns].sum()) / problem.n
        # of standardised columns and targets: their own units may be out of the range of float64
        sums: Floats = scatter.sums_of(table).T / problem.scale[columns][:, None]
        self.coef_: Floats = np.linalg.solve(system, sums).astype(np.float64)
        self.unit_: Floats = scatter.guard.unit[table]
        self.scale_: Floats = problem.scale[columns]
        self.center_: Floats = scatter.guard.offset[table] + problem.beta[0, columns] * self.unit_
        self.intercept_: Floats = scatter.moments.alpha[0]
        self.target_unit_, self.target_offset_ = coding.unit, coding.offset

    def fit(self, X: Any, y: Any) -> Self:
        """Nothing to do: the statistics are all there is to learn from."""
        return self

    def _numbers(self, X: Any) -> Floats:
        rows = X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
        standard = (rows - self.center_) / self.unit_ / self.scale_
        found: Floats = (standard @ self.coef_ + self.intercept_) * self.target_unit_ + self.target_offset_
        return found

    def predict(self, X: Any) -> Floats:
        """The targets of each row, n x p; of a single target flat."""
        found = self._numbers(X)
        return found[:, 0] if found.shape[1] == 1 else found


class LabelFit(ClassifierMixin, LinearFit):
    """The same for sets of labels: a sample has those that come out nearer to one than to nought."""

    def __init__(self, problem: TableProblem, columns: Indices) -> None:
        super().__init__(problem, columns)
        # labels stay what they are, whatever is taken out of the columns: their mean goes with that of these
        moments = problem.scatter.moments
        self.intercept_ = moments.NT[0] / moments.n
        self.classes_ = [np.array([0, 1])] * self.intercept_.size

    def decision_function(self, X: Any) -> Floats:
        """What comes out for each label."""
        return self._numbers(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """The indicator of the labels of each row."""
        return (self._numbers(X) > 0.5).astype(np.intp)
