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

HELD = 2**24  # numbers of columns by value that are kept between evaluations
BATCH = 2**20  # numbers of them taken at a time where they are not


class Ridge(Protocol):
    """F as a function of the weights q of some columns, the others having none."""

    def evaluate(self, q: Floats) -> tuple[float, Floats]:
        """F(q) and the rows of XV of these columns, in their order."""

    def weights(self, q: Floats) -> tuple[Indices, Floats]:
        """Columns A of the problem and W with XV = C - G_:A W."""


class FeatureRidge:
    """Through the Gram block G_SS of the columns S."""

    def __init__(self, problem: Problem, columns: Indices, gamma: float) -> None:
        self.problem, self.columns, self.gamma = problem, columns, gamma
        self._G, self._C = problem.gram(columns, rows=columns), problem.C[columns]

    def evaluate(self, q: Floats) -> tuple[float, Floats]:
        A, W, value = self._solve(q)
        spread = np.zeros_like(self._C)
        spread[A] = W  # a product with zeros is cheaper than a copy of columns of G
        return value, self._C - self._G @ spread

    def weights(self, q: Floats) -> tuple[Indices, Floats]:
        A, W, _ = self._solve(q)
        return self.columns[A], W

    def _solve(self, q: Floats) -> tuple[Indices, Floats, float]:
        """The support A of q, W = D^1/2 (gamma I + D^1/2 G D^1/2)^-1 D^1/2 C on it, and F(q)."""
        A = np.flatnonzero(q > 0)
        root = np.sqrt(q[A])
        M = self._G[np.ix_(A, A)]
        M *= root
        M *= root[:, None]
        M.flat[:: A.size + 1] += self.gamma
        B = root[:, None] * self._C[A]
        Y = solve(M, B)
        return A, root[:, None] * Y, float(np.vdot(B, Y)) / self.problem.n


class SampleRidge:
    """Through V = (I + sum of q_j K_j / gamma)^-1 H."""

    def __init__(self, problem: Problem, samples: Samples, columns: Indices, gamma: float) -> None:
        self.problem, self.samples, self.columns, self.gamma = problem, samples, columns, gamma
        held = samples.size * columns.size <= min(HELD, problem.room)
        self._X = samples.values(columns) if held else None

    def evaluate(self, q: Floats) -> tuple[float, Floats]:
        value, V = self._solve(q)
        return value, self._project(self.columns, V) if self._X is None else self._X.T @ V

    def weights(self, q: Floats) -> tuple[Indices, Floats]:
        _, V = self._solve(q)
        A = np.flatnonzero(q > 0)
        XV = self._project(self.columns[A], V) if self._X is None else self._X[:, A].T @ V
        return self.columns[A], q[A, None] / self.gamma * XV

    def _solve(self, q: Floats) -> tuple[float, Floats]:
        H, A = self.samples.H, np.flatnonzero(q > 0)
        if self._X is None:
            K = self.samples.kernel(self.columns[A], q[A])
        else:
            some = self._X[:, A]
            K = (some * q[A]) @ some.T
        V = self.gamma * solve(shifted(K, self.gamma), H)
        # F(q) = tr(H'(H - V))/n = tr(H' K V)/(gamma n), without the cancellation
        return float(np.vdot(H, K @ V)) / (self.gamma * self.problem.n), V

    def _project(self, columns: Indices, V: Floats) -> Floats:
        """X'V of some columns, a batch of them at a time."""
        XV, step = np.empty((columns.size, V.shape[1])), max(1, BATCH // self.samples.size)
        for start in range(0, columns.size, step):
            part = slice(start, start + step)
            XV[part] = self.samples.values(columns[part]).T @ V
        return XV
