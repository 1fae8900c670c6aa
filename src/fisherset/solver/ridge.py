"""The ridge systems behind F(q): value and XV at a relaxed choice q, Eq. (25).

Two spaces give the same numbers: |A| x |A| with the Gram block of the columns in play,
and n x n in sample space. The smaller one is used.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.linear import shifted, solve
from fisherset.solver.problem import Problem, Samples


class Ridge(Protocol):
    """F as a function of the weights q of some columns, the others having none."""

    def evaluate(self, q: Floats) -> tuple[float, Floats]:
        """F(q) and the rows of XV of these columns."""

    def everywhere(self, q: Floats) -> tuple[float, Floats]:
        """F(q) and all rows of XV: one pass over the data."""


class FeatureRidge:
    """Through the Gram block G_SS of the columns S."""

    def __init__(self, problem: Problem, columns: Indices, G: Floats, gamma: float) -> None:
        self.problem, self.columns, self.gamma = problem, columns, gamma
        self._G, self._C = G, problem.C[columns]

    def evaluate(self, q: Floats) -> tuple[float, Floats]:
        A, W, value = self._solve(q)
        spread = np.zeros_like(self._C)
        spread[A] = W  # a product with zeros is cheaper than a copy of columns of G
        return value, self._C - self._G @ spread

    def everywhere(self, q: Floats) -> tuple[float, Floats]:
        A, W, value = self._solve(q)
        return value, self.problem.C - self.problem.product(self.columns[A], W)

    def _solve(self, q: Floats) -> tuple[Indices, Floats, float]:
        """The support A of q, W = D^1/2 (gamma I + D^1/2 G D^1/2)^-1 D^1/2 C on it, and F(q)."""
        A = np.flatnonzero(q > 0)
        root = np.sqrt(q[A])
        M = shifted(self._G[np.ix_(A, A)] * root * root[:, None], self.gamma)
        B = root[:, None] * self._C[A]
        Y = solve(M, B)
        return A, root[:, None] * Y, float(np.vdot(B, Y)) / self.problem.n


class SampleRidge:
    """Through V = (I + sum of q_j K_j / gamma)^-1 H; all columns when none are named."""

    def __init__(
        self, problem: Problem, samples: Samples, gamma: float, columns: Indices | None = None
    ) -> None:
        self.problem, self.samples, self.gamma = problem, samples, gamma
        self._X = None if columns is None else samples.values(columns)

    def evaluate(self, q: Floats) -> tuple[float, Floats]:
        value, V = self._solve(q)
        return value, self.samples.project(V) if self._X is None else self._X.T @ V

    def everywhere(self, q: Floats) -> tuple[float, Floats]:
        value, V = self._solve(q)
        return value, self.samples.project(V)

    def _solve(self, q: Floats) -> tuple[float, Floats]:
        H = self.samples.H
        if self._X is None:
            A = np.flatnonzero(q > 0)
            K = self.samples.kernel(A, q[A])
        else:
            K = (self._X * q) @ self._X.T
        V = self.gamma * solve(shifted(K, self.gamma), H)
        # F(q) = tr(H'(H - V))/n = tr(H' K V)/(gamma n), without the cancellation
        return float(np.vdot(H, K @ V)) / (self.gamma * self.problem.n), V


class Pool:
    """Columns met so far with their Gram block; it only ever grows."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.columns: Indices = np.empty(0, dtype=np.intp)
        self.G: Floats = np.empty((0, 0))

    def admit(self, columns: Indices) -> None:
        """Add the columns not yet in the pool; their positions come after the others."""
        new = np.setdiff1d(columns, self.columns)
        if not new.size:
            return
        old = self.columns.size
        self.columns = np.concatenate([self.columns, new])
        G = np.empty((self.columns.size, self.columns.size))
        G[:old, :old] = self.G
        G[:, old:] = self.problem.gram(new, rows=self.columns)
        G[old:, :old] = G[:old, old:].T
        self.G = G

    def block(self, columns: Indices) -> Floats:
        """The Gram block of some columns, admitted if they are new."""
        self.admit(columns)
        order = np.argsort(self.columns)
        places = order[np.searchsorted(self.columns[order], columns)]
        return self.G[np.ix_(places, places)]


def ridge_on(problem: Problem, columns: Indices, gamma: float, pool: Pool) -> Ridge:
    """The ridge of some columns in the smaller of the two spaces."""
    samples = problem.samples
    if samples is not None and samples.size < columns.size:
        return SampleRidge(problem, samples, gamma, columns)
    return FeatureRidge(problem, columns, pool.block(columns), gamma)
