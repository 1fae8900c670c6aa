"""One subset A: F(A), what each member is worth, and how it meets the columns outside.

With M = G_AA + gamma I everything here comes from W = M^-1 C_A, diag M^-1,
U = G_:A M^-1, R = C - G_:A W and base_j = G_jj + gamma - U_j G_:A,j. In sample space
the same follows from P = (gamma I + X_A X_A')^-1 by Woodbury's identity.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from fisherset.solver.problem import Floats, Indices, Problem, Samples


class Subset(Protocol):
    """What the exchange needs to know of a subset of columns."""

    columns: Indices
    gamma: float
    value: float
    W: Floats  # k x r
    inverse_diagonal: Floats  # k, diag M^-1

    def outside(self) -> tuple[Floats, Floats]:
        """R (d x r) and base (d), for all columns."""

    def coupling(self, members: slice) -> Floats:
        """The columns of U of some members, as rows: b x d."""


class FeatureSubset:
    """The subset through its k x k system."""

    def __init__(self, problem: Problem, columns: Indices, gamma: float) -> None:
        self.problem, self.columns, self.gamma = problem, columns, gamma
        M = np.array(problem.gram(columns, rows=columns))
        M.flat[:: columns.size + 1] += gamma
        factor = cho_factor(M, overwrite_a=True, check_finite=False)
        C = problem.C[columns]
        self.W: Floats = cho_solve(factor, C, check_finite=False)
        self.value = float(np.vdot(C, self.W)) / problem.n
        self._inverse: Floats = cho_solve(factor, np.eye(columns.size), check_finite=False)
        self.inverse_diagonal: Floats = self._inverse.diagonal().copy()

    def outside(self) -> tuple[Floats, Floats]:
        G = self.problem.gram(self.columns)
        explained = np.einsum("jk,jk->j", G @ self._inverse, G)
        # never below gamma but for rounding: a duplicate of a member is fully explained
        base = np.maximum(self.problem.diagonal - explained, 0.0) + self.gamma
        return self.problem.C - G @ self.W, base

    def coupling(self, members: slice) -> Floats:
        U: Floats = self._inverse[members] @ self.problem.gram(self.columns).T
        return U


class SampleSubset:
    """The subset through the n x n system P = (gamma I + X_A X_A')^-1."""

    def __init__(self, problem: Problem, samples: Samples, columns: Indices, gamma: float) -> None:
        self.problem, self.samples, self.columns, self.gamma = problem, samples, columns, gamma
        K = samples.kernel(columns, np.ones(columns.size))
        M = K.copy()
        M.flat[:: samples.size + 1] += gamma
        self._factor = cho_factor(M, overwrite_a=True, check_finite=False)
        V = cho_solve(self._factor, samples.H, check_finite=False)
        self.value = float(np.vdot(samples.H, K @ V)) / problem.n
        self._PXV: Floats = samples.project(V)  # X'PH, d x r
        self.W: Floats = self._PXV[columns]
        self._leverage = self._leverages()
        self.inverse_diagonal: Floats = (1.0 - self._leverage[columns]) / gamma

    def _leverages(self) -> Floats:
        """x_j' P x_j of every column, a bounded number of columns at a time."""
        d, step = self.problem.C.shape[0], max(1, 4_000_000 // self.samples.size)
        leverage = np.empty(d)
        for start in range(0, d, step):
            X = self.samples.values(np.arange(start, min(start + step, d)))
            leverage[start : start + step] = np.einsum(
                "ij,ij->j", X, cho_solve(self._factor, X, check_finite=False)
            )
        return leverage

    def outside(self) -> tuple[Floats, Floats]:
        return self.gamma * self._PXV, self.gamma * (1.0 + self._leverage)

    def coupling(self, members: slice) -> Floats:
        X = self.samples.values(self.columns[members])
        return self.samples.project(cho_solve(self._factor, X, check_finite=False)).T


def subset(problem: Problem, columns: Indices, gamma: float) -> Subset:
    """The subset in the smaller of the two spaces."""
    if problem.samples is not None and problem.samples.size < columns.size:
        return SampleSubset(problem, problem.samples, columns, gamma)
    return FeatureSubset(problem, columns, gamma)
