"""Some columns of a problem as a problem of its own, with all of their products held."""

from __future__ import annotations

import numpy as np

from fisherset._rounding import Rounding
from fisherset._types import Floats, Indices
from fisherset.statistics.problem import TableProblem


class CandidateProblem:
    """The problem of a few columns, for a search that never looks at the others."""

    samples = None

    def __init__(self, problem: TableProblem, columns: Indices) -> None:
        self.n, self.ceiling, self.room = problem.n, problem.ceiling, problem.room
        self.C: Floats = problem.C[columns]
        self.diagonal: Floats = problem.diagonal[columns]
        self.rounding: Rounding = problem.rounding.of(columns)
        self._G = problem.gram(columns, rows=columns)

    def gram(self, columns: Indices, rows: Indices | None = None) -> Floats:
        """The block G[rows, columns]; all rows when None."""
        return self._G[:, columns] if rows is None else self._G[np.ix_(rows, columns)]

    def blocks(self, columns: Indices) -> Floats:
        """G among the columns of each group, a row of `columns`: groups x size x size."""
        return self._G[columns[:, :, None], columns[:, None, :]]

    def product(self, columns: Indices, W: Floats, rows: Indices | None = None) -> Floats:
        """G[rows, columns] @ W."""
        product: Floats = self._G[columns].T @ W
        return product if rows is None else product[rows]
