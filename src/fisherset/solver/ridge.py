"""The ridge systems behind F(q): value and XV at a relaxed choice q, Eq. (25).

Two spaces give the same numbers: |A| x |A| with the Gram block of the columns in play,
and n x n in sample space. The smaller one is used.
"""

from __future__ import annotations

from math import isqrt
from typing import Any, Protocol

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.iterative import IterativeRidge, IterativeSubset
from fisherset.solver.linear import solve_scaled, solve_shifted
from fisherset.solver.problem import Problem, Samples
from fisherset.solver.subset import FeatureSubset, SampleSubset, Subset

HELD = 2**24  # numbers of columns by value that are kept between evaluations
BATCH = 2**20  # numbers of them taken at a time where they are not
# Share of the columns from which the block of those in play is not taken out: it costs more than it saves.
NEARLY_ALL = 0.9
ROUGHLY, ROUGH_STEPS = 1e-3, 100  # share of the right side that may be left over, and steps


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
        self._support, self._block = np.empty(0, dtype=np.intp), self._G[:0, :0]
        self._last: tuple[Floats, tuple[Indices, Floats, float]] | None = None

    def evaluate(self, q: Floats) -> tuple[float, Floats]:
        A, W, value = self._solve(q)
        spread = np.zeros_like(self._C)
        spread[A] = W  # a product with zeros is cheaper than a copy of columns of G
        return value, self._C - self._G @ spread

    def weights(self, q: Floats) -> tuple[Indices, Floats]:
        A, W, _ = self._solve(q)
        own = q[A] > 0
        return self.columns[A[own]], W[own]

    def _solve(self, q: Floats) -> tuple[Indices, Floats, float]:
        """The support A of q or all, W = D^1/2 (gamma I + D^1/2 G D^1/2)^-1 D^1/2 C on it, and F(q)."""
        if self._last is not None and np.array_equal(q, self._last[0]):
            return self._last[1]
        A = np.flatnonzero(q > 0)
        if A.size >= NEARLY_ALL * q.size:
            A = np.arange(q.size)
        root = np.sqrt(q[A])
        B = root[:, None] * self._C[A]
        Y = solve_scaled(self._among(A), root, self.gamma, B)
        self._last = q.copy(), (A, root[:, None] * Y, float(np.vdot(B, Y)) / self.problem.n)
        return self._last[1]

    def roughly(self) -> RoughRidge:
        """The same in less time, for whoever need not know it to many digits."""
        return RoughRidge(self._G, self._C, self.gamma, self.problem.n)

    def _among(self, A: Indices) -> Floats:
        """G among some of the columns, kept for as long as it is of these that it is asked."""
        if not np.array_equal(A, self._support):
            whole = A.size == len(self._G)
            self._support, self._block = A, self._G if whole else self._G[np.ix_(A, A)]
        return self._block


class RoughRidge:
    """F(q) and XV to three digits: by conjugate gradients in single precision, each from the last W."""

    def __init__(self, G: Floats, C: Floats, gamma: float, n: float) -> None:
        self._G, self._C, self._gamma, self._n = G.astype(np.float32), C.astype(np.float32), gamma, n
        self._W = np.zeros_like(self._C)

    def evaluate(self, q: Floats) -> tuple[float, Floats]:
        """F(q) from below and the rows of XV; q may be nowhere nought."""
        root, gamma = np.sqrt(q).astype(np.float32)[:, None], np.float32(self._gamma)
        B, Y = root * self._C, self._W / root
        lighter = 1 / (gamma + root**2 * self._G.diagonal()[:, None])  # about the inverse of the system

        def multiply(P: Any) -> Any:
            return gamma * P + root * (self._G @ (root * P))

        left = B - multiply(Y)
        step = lighter * left
        along, least = _of_columns(left, step), ROUGHLY * np.linalg.norm(B)
        for _ in range(ROUGH_STEPS):
            if np.linalg.norm(left) <= least:
                break
            turned = multiply(step)
            length = along / _of_columns(step, turned)
            Y, left = Y + length * step, left - length * turned
            last, along = along, _of_columns(left, lighter * left)
            step = lighter * left + along / last * step
        self._W = root * Y
        value = (float(np.vdot(B, Y)) + float(np.vdot(Y, left))) / self._n
        return value, np.asarray(self._C - self._G @ self._W, dtype=np.float64)


def _of_columns(A: Any, B: Any) -> Any:
    """The product of each column with its like."""
    return np.einsum("jr,jr->r", A, B)


class SampleRidge:
    """Through V = (I + sum of q_j K_j / gamma)^-1 H."""

    def __init__(self, problem: Problem, samples: Samples, columns: Indices, gamma: float) -> None:
        self.problem, self.samples, self.columns, self.gamma = problem, samples, columns, gamma
        held = samples.size * columns.size <= min(HELD, problem.room)
        # a row for each column: those in play are taken out at every step
        self._held = np.ascontiguousarray(samples.values(columns).T) if held else None
        self._last: tuple[Floats, tuple[float, Floats]] | None = None

    def evaluate(self, q: Floats) -> tuple[float, Floats]:
        value, V = self._solve(q)
        return value, self._project(self.columns, V) if self._held is None else self._held @ V

    def weights(self, q: Floats) -> tuple[Indices, Floats]:
        _, V = self._solve(q)
        A = np.flatnonzero(q > 0)
        XV = self._project(self.columns[A], V) if self._held is None else self._held[A] @ V
        return self.columns[A], q[A, None] / self.gamma * XV

    def _solve(self, q: Floats) -> tuple[float, Floats]:
        if self._last is not None and np.array_equal(q, self._last[0]):
            return self._last[1]
        H, A = self.samples.H, np.flatnonzero(q > 0)
        if self._held is None:
            K = self.samples.kernel(self.columns[A], q[A])
        else:
            some = self._held[A] * np.sqrt(q[A])[:, None]
            K = some.T @ some  # of a matrix with itself numpy computes one half only
        V = self.gamma * solve_shifted(K, self.gamma, H)
        # F(q) = tr(H'(H - V))/n = tr(H' K V)/(gamma n), without the cancellation
        self._last = q.copy(), (float(np.vdot(H, K @ V)) / (self.gamma * self.problem.n), V)
        return self._last[1]

    def _project(self, columns: Indices, V: Floats) -> Floats:
        """X'V of some columns, a batch of them at a time."""
        XV, step = np.empty((columns.size, V.shape[1])), max(1, BATCH // self.samples.size)
        for start in range(0, columns.size, step):
            part = slice(start, start + step)
            XV[part] = self.samples.values(columns[part]).T @ V
        return XV


def largest_system(problem: Problem) -> int:
    """Order of a system that is formed."""
    return isqrt(problem.room)


def samples_for(problem: Problem, n_columns: int) -> Samples | None:
    """The sample space where it is the smaller one for so many columns, else None."""
    samples = problem.samples
    most = min(n_columns, largest_system(problem) + 1)
    return samples if samples is not None and samples.size < most else None


def measure_subset(problem: Problem, columns: Indices, gamma: float) -> Subset:
    """The subset in the smaller of the two spaces."""
    samples = samples_for(problem, columns.size)
    if samples is not None:
        return SampleSubset(problem, samples, columns, gamma)
    if columns.size > largest_system(problem):
        return IterativeSubset(problem, columns, gamma)
    return FeatureSubset(problem, columns, gamma)


def ridge_on(problem: Problem, columns: Indices, gamma: float, most: int | None = None) -> Ridge:
    """The ridge of some columns, of which `most` are in play at a time, in the smaller of the two spaces."""
    samples = samples_for(problem, columns.size if most is None else most)
    if samples is not None:
        return SampleRidge(problem, samples, columns, gamma)
    if columns.size > largest_system(problem):
        return IterativeRidge(problem, columns, gamma)
    return FeatureRidge(problem, columns, gamma)
