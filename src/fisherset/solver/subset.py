"""One subset A: F(A), what each member is worth, and how it meets the columns outside.

With M = G_AA + gamma I everything here comes from W = M^-1 C_A, diag M^-1,
U = G_:A M^-1, R = C - G_:A W and base_j = G_jj + gamma - U_j G_:A,j. In sample space
the same follows from P = (gamma I + X_A X_A')^-1 by Woodbury's identity.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np

from fisherset.solver.linear import inverse, shifted
from fisherset.solver.problem import Floats, Indices, Problem, Samples

# Entries of a slice of U held at a time.
SLICE = 8_000_000


class Neighbourhood(NamedTuple):
    """What the exchange needs to know of all columns: R, base, and U by slices.

    Each slice names some members and has their columns of U as rows, b x d. It is the
    caller's to write to.
    """

    R: Floats  # d x r
    base: Floats  # d
    couplings: Iterator[tuple[slice, Floats]]


class Subset(Protocol):
    """A subset of columns as the exchange sees it."""

    columns: Indices
    gamma: float
    value: float
    W: Floats  # k x r
    inverse_diagonal: Floats  # k, diag M^-1

    def neighbourhood(self) -> Neighbourhood:
        """How the members meet every column of the table."""


class FeatureSubset:
    """The subset through its k x k system."""

    def __init__(self, problem: Problem, columns: Indices, gamma: float) -> None:
        self.problem, self.columns, self.gamma = problem, columns, gamma
        C = problem.C[columns]
        self._inverse = inverse(shifted(problem.gram(columns, rows=columns), gamma))
        self.W: Floats = self._inverse @ C
        self.value = float(np.vdot(C, self.W)) / problem.n
        self.inverse_diagonal: Floats = self._inverse.diagonal().copy()

    def neighbourhood(self) -> Neighbourhood:
        G = self.problem.gram(self.columns).T
        parts = slices(self.columns.size, G.shape[1])
        explained = np.zeros(G.shape[1])
        for part in parts:
            U = self._inverse[part] @ G
            explained += np.einsum("kj,kj->j", U, G[part])
        # never below gamma but for rounding: a duplicate of a member is fully explained
        base = np.maximum(self.problem.diagonal - explained, 0.0) + self.gamma
        single = len(parts) == 1
        couplings = ((part, U if single else self._inverse[part] @ G) for part in parts)
        return Neighbourhood(self.problem.C - G.T @ self.W, base, couplings)


class SampleSubset:
    """The subset through the n x n system P = (gamma I + X_A X_A')^-1."""

    def __init__(self, problem: Problem, samples: Samples, columns: Indices, gamma: float) -> None:
        self.problem, self.samples, self.columns, self.gamma = problem, samples, columns, gamma
        K = samples.kernel(columns, np.ones(columns.size))
        self._P = inverse(shifted(K, gamma))
        V = self._P @ samples.H
        self.value = float(np.vdot(samples.H, K @ V)) / problem.n
        self._projected: Floats = samples.project(V)  # X'PH, d x r
        self.W: Floats = self._projected[columns]
        self._leverage = self._leverages()
        self.inverse_diagonal: Floats = (1.0 - self._leverage[columns]) / gamma

    def _leverages(self) -> Floats:
        """x_j' P x_j of every column, a bounded number of columns at a time."""
        d = self.problem.C.shape[0]
        leverage = np.empty(d)
        for part in slices(d, self.samples.size):
            X = self.samples.values(np.arange(d)[part])
            leverage[part] = np.einsum("ij,ij->j", X, self._P @ X)
        return leverage

    def neighbourhood(self) -> Neighbourhood:
        parts = slices(self.columns.size, self._leverage.size)
        couplings = ((part, self._coupling(self.columns[part])) for part in parts)
        return Neighbourhood(self.gamma * self._projected, self.gamma * (1.0 + self._leverage), couplings)

    def _coupling(self, columns: Indices) -> Floats:
        return self.samples.project(self._P @ self.samples.values(columns)).T


def slices(size: int, width: int) -> list[slice]:
    """Cut `size` rows of the given width into slices of at most SLICE entries."""
    step = max(1, SLICE // width)
    return [slice(start, min(start + step, size)) for start in range(0, size, step)]


def measure_subset(problem: Problem, columns: Indices, gamma: float) -> Subset:
    """The subset in the smaller of the two spaces."""
    if problem.samples is not None and problem.samples.size < columns.size:
        return SampleSubset(problem, problem.samples, columns, gamma)
    return FeatureSubset(problem, columns, gamma)
