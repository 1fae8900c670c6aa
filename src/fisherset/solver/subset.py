"""One subset A: F(A), the worth of each member, and the terms that swaps with columns outside depend on.

With M = G_AA + gamma I everything here comes from W = M^-1 C_A, diag M^-1,
U = M^-1 G_A:, R = C - G_:A W and base_j = G_jj + gamma - (G_:A U)_jj. In sample space
the same follows from P = (gamma I + X_A X_A')^-1 by Woodbury's identity.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from fisherset._rounding import BOUNDED
from fisherset._types import EPS, Floats, Indices
from fisherset.solver.linear import inverse, refined, shifted
from fisherset.solver.problem import Problem, Samples, largest_system, samples_for
from fisherset.solver.ridge import IterativeRidge

COLUMNS_AT_A_TIME = 4096  # columns of the table that are read into sample space at a time


class CrossTerms(NamedTuple):
    """Between some members and some outsiders: R and base of the outsiders, U between the two."""

    R: Floats  # outsiders x r
    base: Floats  # outsiders
    U: Floats  # members x outsiders, the caller's to write to


class GroupTerms(NamedTuple):
    """The same between all members and some groups of outsiders, of one size."""

    R: Floats  # groups x size x r
    base: Floats  # groups x size x size
    U: Floats  # members x groups x size


class Subset(Protocol):
    """A subset of columns as the exchange sees it."""

    problem: Problem
    columns: Indices
    gamma: float
    value: float
    W: Floats  # k x r
    inverse_diagonal: Floats  # k, diag M^-1

    @property
    def error(self) -> float:
        """Bound on the rounding error of `value`; infinite if none is known."""

    def cross_terms(self, places: Indices, outsiders: Indices) -> CrossTerms:
        """Terms of the swaps of the members at some places for columns outside."""

    def inverse_block(self, places: Indices) -> Floats:
        """(M^-1) among the members at some places."""

    def group_terms(self, outsiders: Indices) -> GroupTerms:
        """Terms of the swaps of members for groups of columns outside, a row of `outsiders` each."""


def measure_subset(problem: Problem, columns: Indices, gamma: float) -> Subset:
    """The subset in the smaller of the two spaces."""
    samples = samples_for(problem, columns.size)
    if samples is not None:
        return SampleSubset(problem, samples, columns, gamma)
    if columns.size > largest_system(problem):
        return IterativeSubset(problem, columns, gamma)
    return FeatureSubset(problem, columns, gamma)


class FeatureSubset:
    """The subset through its k x k system."""

    def __init__(self, problem: Problem, columns: Indices, gamma: float) -> None:
        self.problem, self.columns, self.gamma = problem, columns, gamma
        C, M = problem.C[columns], shifted(problem.gram(columns, rows=columns), gamma)
        self._inverse = inverse(M)
        self.W, left = refined(M, self._inverse, C)
        # tr(C'M^-1 C) = tr(C'W + W'r) + tr(r'M^-1 r) with r = C - MW: the error of W enters squared
        self.value = float(np.vdot(C, self.W) + np.vdot(self.W, left)) / problem.n
        self._left = float(np.vdot(left, left)) / gamma / problem.n
        self.inverse_diagonal: Floats = self._inverse.diagonal().copy()

    @property
    def error(self) -> float:
        problem, nF = self.problem, self.value * self.problem.n
        of_products = problem.rounding.of_products(self.columns, self.W, self.inverse_diagonal, nF)
        return self._left + of_products / problem.n

    def cross_terms(self, places: Indices, outsiders: Indices) -> CrossTerms:
        problem = self.problem
        G = problem.gram(self.columns, rows=outsiders).T
        U = self._inverse @ G
        explained = np.einsum("kj,kj->j", U, G)
        # below gamma only by rounding: a duplicate of a member is fully explained
        base = np.maximum(problem.diagonal[outsiders] - explained, 0.0) + self.gamma
        return CrossTerms(problem.C[outsiders] - G.T @ self.W, base, U[places])

    def inverse_block(self, places: Indices) -> Floats:
        return self._inverse[np.ix_(places, places)]

    def group_terms(self, outsiders: Indices) -> GroupTerms:
        problem, shape = self.problem, outsiders.shape
        G = problem.gram(self.columns, rows=outsiders.ravel()).T
        U = self._inverse @ G
        R = problem.C[outsiders.ravel()] - G.T @ self.W
        base = problem.blocks(outsiders) + self.gamma * np.eye(shape[1])
        base -= _blockwise(G.reshape(-1, *shape), U.reshape(-1, *shape))
        return GroupTerms(R.reshape(*shape, -1), base, U.reshape(-1, *shape))


class SampleSubset:
    """The subset through the n x n system P = (gamma I + X_A X_A')^-1."""

    def __init__(self, problem: Problem, samples: Samples, columns: Indices, gamma: float) -> None:
        self.problem, self.samples, self.columns, self.gamma = problem, samples, columns, gamma
        K = samples.kernel(columns, np.ones(columns.size))
        M, H = shifted(K, gamma), samples.H
        self._P = inverse(M)
        self._V, left = refined(M, self._P, H)
        # n F = tr(H'H - gamma H'M^-1 H), and H'M^-1 H as in feature space
        self.value = float(np.vdot(H, K @ self._V) + np.vdot(H - gamma * self._V, left)) / problem.n
        self._left = float(np.vdot(left, left)) / problem.n
        self.W: Floats = np.empty((columns.size, self._V.shape[1]))
        self.inverse_diagonal: Floats = np.empty(columns.size)
        self._step = max(1, min(COLUMNS_AT_A_TIME, problem.room // samples.size // 2))
        for start in range(0, columns.size, self._step):
            part = slice(start, start + self._step)
            X = samples.values(columns[part])
            self.W[part] = X.T @ self._V
            self.inverse_diagonal[part] = 1.0 - np.einsum("ij,ij->j", X, self._P @ X)
        self.inverse_diagonal = np.maximum(self.inverse_diagonal, EPS) / gamma

    @property
    def error(self) -> float:
        problem, rounding, nF = self.problem, self.problem.rounding, self.value * self.problem.n
        # K itself is a sum of k products, of columns as long as before centring and adjusting
        lengths, n_terms = rounding.lengths[self.columns], self.samples.size + self.columns.size
        of_kernel = 4 * n_terms * EPS * float(lengths @ lengths) / self.gamma
        if not 0 <= of_kernel < BOUNDED:
            return np.inf
        V = self.gamma * self._V
        left, explained = float(np.linalg.norm(V)), float(np.linalg.norm(self.samples.H - V))
        error = rounding.of_values(self.columns, self.W, left, explained, self.gamma, nF)
        error += of_kernel * left**2 / (1 - of_kernel) + 8 * n_terms * EPS * explained * left
        return self._left + float(error) / problem.n

    def cross_terms(self, places: Indices, outsiders: Indices) -> CrossTerms:
        X = self.samples.values(outsiders)
        PX = self._P @ X
        base = self.gamma * (1.0 + np.einsum("ij,ij->j", X, PX))
        U = np.empty((places.size, outsiders.size))
        for start in range(0, places.size, self._step):
            part = slice(start, start + self._step)
            U[part] = self.samples.values(self.columns[places[part]]).T @ PX
        return CrossTerms(self.gamma * (X.T @ self._V), base, U)

    def inverse_block(self, places: Indices) -> Floats:
        X = self.samples.values(self.columns[places])
        return shifted(-(X.T @ (self._P @ X)), 1.0) / self.gamma

    def group_terms(self, outsiders: Indices) -> GroupTerms:
        shape, X = outsiders.shape, self.samples.values(outsiders.ravel())
        PX = self._P @ X
        base = self.gamma * (np.eye(shape[1]) + _blockwise(X.reshape(-1, *shape), PX.reshape(-1, *shape)))
        U = self.samples.values(self.columns).T @ PX
        R = self.gamma * (X.T @ self._V)
        return GroupTerms(R.reshape(*shape, -1), base, U.reshape(-1, *shape))


class IterativeSubset:
    """A subset too large for its system: F and its weights, without swaps."""

    def __init__(self, problem: Problem, columns: Indices, gamma: float) -> None:
        self.problem, self.columns, self.gamma = problem, columns, gamma
        ridge = IterativeRidge(problem, columns, gamma, left=1e-10)  # F to ten digits, as it is stated
        self.value, _, self._below = ridge.solve(np.ones(columns.size))
        self.W: Floats = ridge.weights(np.ones(columns.size))[1]
        # as if the columns were uncorrelated: the worth of each is then only an order of magnitude
        self.inverse_diagonal: Floats = 1.0 / (problem.diagonal[columns] + gamma)

    @property
    def error(self) -> float:
        most, nF = np.full(self.columns.size, 1.0 / self.gamma), self.value * self.problem.n
        of_products = self.problem.rounding.of_products(self.columns, self.W, most, nF)
        return self._below + of_products / self.problem.n

    def cross_terms(self, places: Indices, outsiders: Indices) -> CrossTerms:
        raise NotImplementedError(NO_SWAPS)

    def inverse_block(self, places: Indices) -> Floats:
        return np.diag(self.inverse_diagonal[places])

    def group_terms(self, outsiders: Indices) -> GroupTerms:
        raise NotImplementedError(NO_SWAPS)


NO_SWAPS = "Swaps need the inverse of the system, which is too large to hold."


def _blockwise(A: Floats, B: Floats) -> Floats:
    """A_J'B_J of each group J, of arrays of the shape rows x groups x size."""
    return A.transpose(1, 2, 0) @ B.transpose(1, 0, 2)
