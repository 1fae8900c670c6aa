"""The ridge systems behind F(q): value and XV at a relaxed choice q, Eq. (25).

Two spaces give the same numbers: |A| x |A| on a pool of columns whose Gram block is
held, and n x n in sample space over all columns at once. The smaller one is used.
"""

from __future__ import annotations

import numpy as np

from fisherset.solver.linear import shifted, solve
from fisherset.solver.problem import Floats, Indices, Problem, Samples


class Pool:
    """Columns under consideration with their Gram block G_SS; it only ever grows."""

    def __init__(self, problem: Problem, gamma: float) -> None:
        self.problem, self.gamma = problem, gamma
        self.columns: Indices = np.empty(0, dtype=np.intp)
        self._G: Floats = np.empty((0, 0))

    def admit(self, columns: Indices) -> None:
        """Add the columns not yet in the pool; their positions come after the others."""
        new = np.setdiff1d(columns, self.columns)
        if not new.size:
            return
        old = self.columns.size
        self.columns = np.concatenate([self.columns, new])
        G = np.empty((self.columns.size, self.columns.size))
        G[:old, :old] = self._G
        G[:, old:] = self.problem.gram(new, rows=self.columns)
        G[old:, :old] = G[:old, old:].T
        self._G = G

    def positions(self, columns: Indices) -> Indices:
        """Where the given columns, all admitted, stand in the pool."""
        order = np.argsort(self.columns)
        return order[np.searchsorted(self.columns[order], columns)]

    def evaluate(self, q: Floats) -> tuple[float, Floats]:
        """F(q) and XV on the pool, for q over the pool's columns."""
        A, W, value = self._solve(q)
        return value, self.problem.C[self.columns] - self._G[:, A] @ W

    def everywhere(self, q: Floats) -> tuple[float, Floats]:
        """F(q) and XV on all columns: one pass over the data."""
        A, W, value = self._solve(q)
        return value, self.problem.C - self.problem.product(self.columns[A], W)

    def _solve(self, q: Floats) -> tuple[Indices, Floats, float]:
        """The support A of q, W = D^1/2 (gamma I + D^1/2 G D^1/2)^-1 D^1/2 C on it, and F(q)."""
        A = np.flatnonzero(q > 0)
        root = np.sqrt(q[A])
        M = shifted(self._G[np.ix_(A, A)] * root * root[:, None], self.gamma)
        B = root[:, None] * self.problem.C[self.columns[A]]
        Y = solve(M, B)
        return A, root[:, None] * Y, float(np.vdot(B, Y)) / self.problem.n


def sample_ridge(problem: Problem, samples: Samples, gamma: float, q: Floats) -> tuple[float, Floats]:
    """F(q) and XV on all columns through V = (I + sum of q_j K_j / gamma)^-1 H, Eq. (25)."""
    A = np.flatnonzero(q > 0)
    K = samples.kernel(A, q[A])
    V = gamma * solve(shifted(K, gamma), samples.H)
    # F(q) = tr(H'(H - V))/n = tr(H' K V)/(gamma n), without the cancellation
    value = float(np.vdot(samples.H, K @ V)) / (gamma * problem.n)
    return value, samples.project(V)
