"""A problem whose columns are shrunk until gamma stands out from their rounding.

Where gamma is below the rounding of G, G + gamma I may not even be positive definite as
computed, and a search by it would follow noise. (G + Gamma)^-1 with a larger ridge
Gamma_j on some columns is the same as shrinking these columns by sqrt(gamma / Gamma_j):
the solvers need not know. What they find is proven on the problem itself.
"""

from __future__ import annotations

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.problem import Problem, Samples
from fisherset.solver.units import ALL

# How far gamma has to stand out from what k columns can be off by.
MARGIN = 1e3


def rescale(problem: Problem, gamma: float, n_columns: int, columns: Indices | slice = ALL) -> Problem:
    """The problem to search for sets of so many of some columns: itself where gamma is large enough."""
    least = np.zeros(len(problem.C))
    least[columns] = (
        MARGIN * problem.rounding.unit * max(n_columns, 1) * problem.rounding.lengths[columns] ** 2
    )
    if np.all(least <= gamma):
        return problem
    return RescaledProblem(problem, np.sqrt(gamma / np.maximum(least, gamma)))


class RescaledProblem:
    """A problem with every column times a factor."""

    def __init__(self, problem: Problem, factor: Floats) -> None:
        self.problem, self.factor = problem, factor
        self.n, self.ceiling, self.room = problem.n, problem.ceiling, problem.room
        self.C: Floats = problem.C * factor[:, None]
        self.diagonal: Floats = problem.diagonal * factor**2
        self.rounding = problem.rounding.times(factor)

    @property
    def samples(self) -> Samples | None:
        samples = self.problem.samples
        return None if samples is None else _RescaledSamples(samples, self.factor)

    def gram(self, columns: Indices, rows: Indices | None = None) -> Floats:
        """The block G[rows, columns]; all rows when None."""
        of_rows = self.factor if rows is None else self.factor[rows]
        G: Floats = self.problem.gram(columns, rows) * of_rows[:, None]
        G *= self.factor[columns]
        return G

    def blocks(self, columns: Indices) -> Floats:
        """G among the columns of each group."""
        factor = self.factor[columns]
        return self.problem.blocks(columns) * factor[:, :, None] * factor[:, None, :]

    def product(self, columns: Indices, W: Floats, rows: Indices | None = None) -> Floats:
        """G[rows, columns] @ W; all rows when None."""
        product = self.problem.product(columns, self.factor[columns, None] * W, rows)
        product *= (self.factor if rows is None else self.factor[rows])[:, None]
        return product


class _RescaledSamples:
    """The sample space with every column times its factor."""

    def __init__(self, samples: Samples, factor: Floats) -> None:
        self.samples, self.factor = samples, factor
        self.size, self.H = samples.size, samples.H

    def kernel(self, columns: Indices, weights: Floats) -> Floats:
        return self.samples.kernel(columns, weights * self.factor[columns] ** 2)

    def values(self, columns: Indices) -> Floats:
        return self.samples.values(columns) * self.factor[columns]


def unscaled(searched: Problem, columns: Indices, W: Floats) -> Floats:
    """Weights of some columns of a problem as it was searched, as weights of the problem itself."""
    return searched.factor[columns, None] * W if isinstance(searched, RescaledProblem) else W
