"""One subset A: F(A), what each member is worth, and how it meets the columns outside.

With M = G_AA + gamma I everything here comes from W = M^-1 C_A, diag M^-1,
U = M^-1 G_A:, R = C - G_:A W and base_j = G_jj + gamma - (G_:A U)_jj. In sample space
the same follows from P = (gamma I + X_A X_A')^-1 by Woodbury's identity.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.linear import inverse, shifted
from fisherset.solver.problem import Problem, Samples

# Columns of the table taken into sample space at a time.
STEP = 4096
EPS = float(np.finfo(np.float64).eps)


class Meeting(NamedTuple):
    """Some members and some outsiders: R and base of the outsiders, U between the two."""

    R: Floats  # outsiders x r
    base: Floats  # outsiders
    U: Floats  # members x outsiders, the caller's to write to


class Subset(Protocol):
    """A subset of columns as the exchange sees it."""

    columns: Indices
    gamma: float
    value: float
    W: Floats  # k x r
    inverse_diagonal: Floats  # k, diag M^-1

    def residual(self) -> Floats:
        """R of all columns, d x r, which is XV of Eq. (26) at this subset: one pass over the data."""

    def meet(self, places: Indices, outsiders: Indices) -> Meeting:
        """How the members at some places meet columns outside."""


class FeatureSubset:
    """The subset through its k x k system."""

    def __init__(self, problem: Problem, columns: Indices, gamma: float) -> None:
        self.problem, self.columns, self.gamma = problem, columns, gamma
        C = problem.C[columns]
        self._inverse = inverse(shifted(problem.gram(columns, rows=columns), gamma))
        self.W: Floats = self._inverse @ C
        self.value = within(float(np.vdot(C, self.W)) / problem.n, problem)
        self.inverse_diagonal: Floats = self._inverse.diagonal().copy()

    def residual(self) -> Floats:
        R = self.problem.C - self.problem.product(self.columns, self.W)
        R[self.columns] = self.gamma * self.W  # the same, without the cancellation
        return R

    def meet(self, places: Indices, outsiders: Indices) -> Meeting:
        problem = self.problem
        G = problem.gram(self.columns, rows=outsiders).T
        U = self._inverse @ G
        explained = np.einsum("kj,kj->j", U, G)
        # never below gamma but for rounding: a duplicate of a member is fully explained
        base = np.maximum(problem.diagonal[outsiders] - explained, 0.0) + self.gamma
        return Meeting(problem.C[outsiders] - G.T @ self.W, base, U[places])


class SampleSubset:
    """The subset through the n x n system P = (gamma I + X_A X_A')^-1."""

    def __init__(self, problem: Problem, samples: Samples, columns: Indices, gamma: float) -> None:
        self.problem, self.samples, self.columns, self.gamma = problem, samples, columns, gamma
        K = samples.kernel(columns, np.ones(columns.size))
        self._P = inverse(shifted(K, gamma))
        self._V = self._P @ samples.H
        self.value = within(float(np.vdot(samples.H, K @ self._V)) / problem.n, problem)
        self.W: Floats = np.empty((columns.size, self._V.shape[1]))
        self.inverse_diagonal: Floats = np.empty(columns.size)
        for start in range(0, columns.size, STEP):
            part = slice(start, start + STEP)
            X = samples.values(columns[part])
            self.W[part] = X.T @ self._V
            self.inverse_diagonal[part] = 1.0 - np.einsum("ij,ij->j", X, self._P @ X)
        self.inverse_diagonal = np.maximum(self.inverse_diagonal, EPS) / gamma

    def residual(self) -> Floats:
        return self.gamma * self.samples.project(self._V)

    def meet(self, places: Indices, outsiders: Indices) -> Meeting:
        X = self.samples.values(outsiders)
        PX = self._P @ X
        base = self.gamma * (1.0 + np.einsum("ij,ij->j", X, PX))
        U = np.empty((places.size, outsiders.size))
        for start in range(0, places.size, STEP):
            part = slice(start, start + STEP)
            U[part] = self.samples.values(self.columns[places[part]]).T @ PX
        return Meeting(self.gamma * (X.T @ self._V), base, U)


def within(value: float, problem: Problem) -> float:
    """F where rounding cannot take it out of its range, as a gamma near nought would."""
    return min(max(value, 0.0), problem.ceiling)


def measure_subset(problem: Problem, columns: Indices, gamma: float) -> Subset:
    """The subset in the smaller of the two spaces."""
    if problem.samples is not None and problem.samples.size < columns.size:
        return SampleSubset(problem, problem.samples, columns, gamma)
    return FeatureSubset(problem, columns, gamma)
