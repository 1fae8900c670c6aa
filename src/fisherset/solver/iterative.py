"""Systems too large to be held: solved by conjugate gradients, a pass over the data for each step.

Neither G nor its inverse is formed. What is left over at the end, r = B - M Y, is at hand,
and as M is at least gamma, F is known to ||r||^2 / (gamma n): as a bound holds for any
weights, nothing has to be exact.
"""

from __future__ import annotations

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.problem import Problem
from fisherset.solver.subset import CrossTerms, GroupTerms

STEPS = 300
# Share of F that may be left over: while searching, and in an answer.
SEARCHING, ANSWERING = 1e-6, 1e-10


class IterativeRidge:
    """F(q) of columns too many for a Gram block, each solution starting from the last."""

    def __init__(self, problem: Problem, columns: Indices, gamma: float, left: float = SEARCHING) -> None:
        self.problem, self.columns, self.gamma, self._left = problem, columns, gamma, left
        self._W: Floats = np.zeros((columns.size, problem.C.shape[1]))

    def evaluate(self, q: Floats) -> tuple[float, Floats]:
        value, XV, _ = self.solve(q)
        return value, XV

    def weights(self, q: Floats) -> tuple[Indices, Floats]:
        self.solve(q)
        A = np.flatnonzero(q > 0)
        return self.columns[A], self._W[A]

    def solve(self, q: Floats) -> tuple[float, Floats, float]:
        """F(q) from below, the rows of XV, and how far below it can be."""
        A, n = np.flatnonzero(q > 0), self.problem.n
        root, C = np.sqrt(q[A])[:, None], self.problem.C[self.columns]
        B = root * C[A]

        def multiply(Y: Floats) -> tuple[Floats, Floats]:
            """(gamma I + D^1/2 G D^1/2) Y, and G D^1/2 Y on all columns."""
            GW = self.problem.product(self.columns[A], root * Y)[self.columns]
            return self.gamma * Y + root * GW[A], GW

        Y = self._W[A] / root
        MY, GW = multiply(Y)
        r = B - MY
        p, size = r.copy(), np.einsum("jr,jr->r", r, r)
        for _ in range(STEPS):
            # 2 tr(B'Y) - tr(Y'MY) is below n F by tr(r'M^-1 r)
            value = float(np.vdot(B, Y) + np.vdot(Y, r))
            if size.sum() / self.gamma <= self._left * max(value, 0.0):
                break
            Mp, Gp = multiply(p)
            curvature = np.einsum("jr,jr->r", p, Mp)
            step = np.divide(size, curvature, out=np.zeros_like(size), where=curvature > 0)
            Y, r, GW = Y + step * p, r - step * Mp, GW + step * Gp
            old, size = size, np.einsum("jr,jr->r", r, r)
            p = r + np.divide(size, old, out=np.zeros_like(size), where=old > 0) * p
        self._W = np.zeros_like(self._W)
        self._W[A] = root * Y
        value = float(np.vdot(B, Y) + np.vdot(Y, r))
        return value / n, C - GW, float(size.sum()) / self.gamma / n


NO_SWAPS = "Swaps need the inverse of the system, which is too large to hold."


class IterativeSubset:
    """A subset too large for its system: F and its weights, without swaps."""

    def __init__(self, problem: Problem, columns: Indices, gamma: float) -> None:
        self.problem, self.columns, self.gamma = problem, columns, gamma
        ridge = IterativeRidge(problem, columns, gamma, ANSWERING)
        self.value, _, self._below = ridge.solve(np.ones(columns.size))
        self.W: Floats = ridge.weights(np.ones(columns.size))[1]
        # as if the columns had nothing in common: what each is worth is then only an order of magnitude
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
