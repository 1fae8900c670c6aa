"""The sample space of a table: kernels of n x n for when there are more columns in play than rows."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.sources import Matrix
from fisherset.statistics.blocks import kernel_of, take_columns

if TYPE_CHECKING:
    from fisherset.statistics.problem import TableProblem


BATCH = 2**20  # numbers of the table taken at a time


class SampleSpace:
    """Every row stands for itself, times the root of its weight."""

    def __init__(self, problem: TableProblem) -> None:
        self._problem = problem
        self.size = problem.source.shape[0]
        weights = problem.targets.weights
        self._root = None if weights is None else np.sqrt(weights)

    @cached_property
    def H(self) -> Floats:
        """The targets, n x r."""
        return self._problem.targets.sample_H()

    def kernel(self, columns: Indices, weights: Floats) -> Floats:
        """Sum of weights[j] K_j, Eq. (16)."""
        problem, K = self._problem, np.zeros((self.size, self.size))
        step = max(BATCH // self.size, self.size)  # as large as K itself is nothing lost
        for start in range(0, columns.size, step):
            some = columns[start : start + step]
            X = self._take(some)
            scaled = weights[start : start + step] / problem.scale[some] ** 2
            K += kernel_of(X).outer(X, problem.mean[some], scaled)
        return K if self._root is None else K * self._root * self._root[:, None]

    def values(self, columns: Indices) -> Floats:
        """The centred and scaled columns, n x len(columns)."""
        X = self._take(columns)
        dense = X if isinstance(X, np.ndarray) else X.toarray()
        Z: Floats = (dense - self._problem.mean[columns]) / self._problem.scale[columns]
        return Z if self._root is None else Z * self._root[:, None]

    def project(self, V: Floats) -> Floats:
        """Z'V, d x p."""
        rooted = V if self._root is None else V * self._root[:, None]
        return self._problem.transposed(lambda X, rows: rooted[rows])

    def _take(self, columns: Indices) -> Matrix:
        """Some columns of all rows as the guard shows them."""
        problem = self._problem
        return take_columns(problem.source, problem.guard, problem.columns[columns])
