"""The statistics the solver works from, the letters it uses, and problems rescaled for its arithmetic.

Notation
--------
The paper stores samples in columns; here they are rows, standardised to mean 0.

======  ===============  =====================================================
letter  shape            meaning
======  ===============  =====================================================
n       scalar           number of samples (their total weight)
d, m    scalar           number of columns, number of units to select
H       n x c            the class indicator of Eq. (9)
C       d x r            X'H, rotated to its rank r = c - 1 columns
G       d x d            X'X, only ever read in pieces
A       index array      the columns in play: the subset, or the support of q
p, q    vector           0/1 choice of Eq. (5) and its relaxation, 0 <= q <= 1
D       diagonal         diag(q)
V       n x r            the dual variable of Eq. (12); here only XV appears
XV      d x r            C - G D^1/2 (gamma I + D^1/2 G D^1/2)^-1 D^1/2 C
s       vector           s_j = ||row j of XV||^2, Eq. (26)
g       vector           dF/dq = s / (gamma n), Eq. (23)
======  ===============  =====================================================

The criterion of Eq. (2) on the columns A is F(A) = tr(C_A' (G_AA + gamma I)^-1 C_A) / n.
"""

from __future__ import annotations

from math import isqrt
from typing import Protocol

import numpy as np

from fisherset._rounding import Rounding
from fisherset._types import Floats, Indices, Singles


class Samples(Protocol):
    """The sample space: n x n systems, for fewer samples than columns in play."""

    @property
    def size(self) -> int:
        """Number of samples, the order of the kernel."""

    @property
    def H(self) -> Floats:
        """The targets in sample space, n x r, with X'H = C."""

    def kernel(self, columns: Indices, weights: Floats) -> Floats:
        """Sum of weights[j] K_j over the columns, K_j = x_j x_j' as in Eq. (16)."""

    def values(self, columns: Indices) -> Floats:
        """The centred and scaled columns themselves, n x len(columns)."""

    def in_single(self) -> Singles:
        """All of them in single precision, n x d: for products that need few digits."""


class Problem(Protocol):
    """The statistics the solver works from. It never sees a row of the table."""

    @property
    def n(self) -> float:
        """Total weight of the samples."""

    @property
    def C(self) -> Floats:
        """X'H, d x r."""

    @property
    def diagonal(self) -> Floats:
        """Diagonal of G."""

    @property
    def rounding(self) -> Rounding:
        """Bounds on the errors of all these numbers."""

    @property
    def ceiling(self) -> float:
        """tr(H'H) / n, which no F exceeds; c - 1 for classes."""

    @property
    def room(self) -> int:
        """Numbers an array of a search may have; larger ones are taken in parts, or avoided by iteration."""

    @property
    def samples(self) -> Samples | None:
        """The sample space, or None where the rows cannot be held together."""

    def gram(self, columns: Indices, rows: Indices | None = None) -> Floats:
        """The block G[rows, columns]; all rows when None. Not to be written to."""

    def blocks(self, columns: Indices) -> Floats:
        """G among the columns of each group, a row of `columns`: groups x size x size."""

    def product(self, columns: Indices, W: Floats, rows: Indices | None = None) -> Floats:
        """G[rows, columns] @ W; all rows when None. The caller's to write to."""


def largest_system(problem: Problem) -> int:
    """Order of the largest system that fits the memory limit."""
    return isqrt(problem.room)


def samples_for(problem: Problem, n_columns: int) -> Samples | None:
    """The sample space if it is the smaller one for so many columns, else None."""
    samples = problem.samples
    most = min(n_columns, largest_system(problem) + 1)
    return samples if samples is not None and samples.size < most else None


# Factor by which gamma has to exceed the rounding error of k columns for G + gamma I to be searched as it is:
# three digits of gamma are then right, enough to tell sets apart. Claims are proven on the problem itself.
RIDGE_TO_ROUNDING = 1e3


def rescale(
    problem: Problem, gamma: float, n_columns: int, columns: Indices | slice = slice(None)
) -> Problem:
    """The problem to search for sets of so many of some columns: itself if gamma is large enough.

    If gamma is below the rounding of G, G + gamma I may not even be positive definite as computed, and a
    search would follow noise. (G + Gamma)^-1 with a larger ridge Gamma_j on some columns is the same as
    shrinking these columns by sqrt(gamma / Gamma_j): the solvers need not know.
    """
    least = np.zeros(len(problem.C))
    lengths = problem.rounding.lengths[columns]
    least[columns] = RIDGE_TO_ROUNDING * problem.rounding.unit * max(n_columns, 1) * lengths**2
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
        of_rows = self.factor if rows is None else self.factor[rows]
        G: Floats = self.problem.gram(columns, rows) * of_rows[:, None]
        G *= self.factor[columns]
        return G

    def blocks(self, columns: Indices) -> Floats:
        factor = self.factor[columns]
        return self.problem.blocks(columns) * factor[:, :, None] * factor[:, None, :]

    def product(self, columns: Indices, W: Floats, rows: Indices | None = None) -> Floats:
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

    def in_single(self) -> Singles:
        return self.samples.in_single() * self.factor.astype(np.float32)


def unscaled(searched: Problem, columns: Indices, W: Floats) -> Floats:
    """Weights of columns of a rescaled problem, as weights of the problem itself."""
    return searched.factor[columns, None] * W if isinstance(searched, RescaledProblem) else W
