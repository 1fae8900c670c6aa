"""The ridge systems behind F(q): value and XV at a relaxed choice q, Eq. (25).

Two spaces give the same numbers: |A| x |A| with the Gram block of the columns in play, and n x n in sample
space. The smaller one is used; a system too large to be held is solved by conjugate gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.linear import solve_scaled, solve_shifted
from fisherset.solver.problem import Problem, Samples, largest_system, samples_for

VALUES_HELD = 2**24  # numbers of columns by value that are kept between evaluations: 128 MB
VALUES_AT_A_TIME = 2**20  # numbers of them that are read at a time otherwise: 8 MB
# Share of the columns in play from which copying their block of G costs more than the larger system.
NEARLY_ALL = 0.9


class Ridge(Protocol):
    """F as a function of the weights q of some columns, the others having none."""

    def evaluate(self, q: Floats) -> tuple[float, Floats]:
        """F(q) and the rows of XV of these columns, in their order."""

    def weights(self, q: Floats) -> tuple[Indices, Floats]:
        """Columns A of the problem and W with XV = C - G_:A W."""


def ridge_on(problem: Problem, columns: Indices, gamma: float, most: int | None = None) -> Ridge:
    """The ridge of some columns, `most` of them in play at a time, in the smaller of the two spaces."""
    samples = samples_for(problem, columns.size if most is None else most)
    if samples is not None:
        return SampleRidge(problem, samples, columns, gamma)
    if columns.size > largest_system(problem):
        return IterativeRidge(problem, columns, gamma)
    return FeatureRidge(problem, columns, gamma)


class FeatureRidge:
    """F(q) through the Gram block G_SS of the columns S."""

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
        """The support A of q or all, W = D^1/2 (gamma I + D^1/2 G D^1/2)^-1 D^1/2 C on it, and F(q).

        The symmetric form has eigenvalues of at least gamma, however small some q are.
        """
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

    def _among(self, A: Indices) -> Floats:
        """G among some of the columns, cached until the support changes."""
        if not np.array_equal(A, self._support):
            whole = A.size == len(self._G)
            self._support, self._block = A, self._G if whole else self._G[np.ix_(A, A)]
        return self._block


class SampleRidge:
    """F(q) through V = (I + sum of q_j K_j / gamma)^-1 H, Eq. (25)."""

    def __init__(self, problem: Problem, samples: Samples, columns: Indices, gamma: float) -> None:
        self.problem, self.samples, self.columns, self.gamma = problem, samples, columns, gamma
        held = samples.size * columns.size <= min(VALUES_HELD, problem.room)
        # a row for each column: those in play are gathered at every step
        self._held = np.ascontiguousarray(samples.values(columns).T) if held else None
        self._last: tuple[Floats, tuple[float, Floats]] | None = None

    def evaluate(self, q: Floats) -> tuple[float, Floats]:
        value, V = self._solve(q)
        return value, project_columns(self.samples, self.columns, V) if self._held is None else self._held @ V

    def weights(self, q: Floats) -> tuple[Indices, Floats]:
        _, V = self._solve(q)
        A = np.flatnonzero(q > 0)
        columns = self.columns[A]
        XV = project_columns(self.samples, columns, V) if self._held is None else self._held[A] @ V
        return columns, q[A, None] / self.gamma * XV  # Eq. (14)

    def _solve(self, q: Floats) -> tuple[float, Floats]:
        if self._last is not None and np.array_equal(q, self._last[0]):
            return self._last[1]
        H, A = self.samples.H, np.flatnonzero(q > 0)
        if self._held is None:
            K = self.samples.kernel(self.columns[A], q[A])
        else:
            some = self._held[A] * np.sqrt(q[A])[:, None]
            K = some.T @ some  # numpy computes only one half of a matrix times its own transpose
        V = self.gamma * solve_shifted(K, self.gamma, H)
        # F(q) = tr(H'(H - V))/n = tr(H' K V)/(gamma n): the latter without the cancellation
        self._last = q.copy(), (float(np.vdot(H, K @ V)) / (self.gamma * self.problem.n), V)
        return self._last[1]


def project_columns(samples: Samples, columns: Indices, V: Floats) -> Floats:
    """X'V of some columns, a batch of them at a time."""
    XV, step = np.empty((columns.size, V.shape[1])), max(1, VALUES_AT_A_TIME // samples.size)
    for start in range(0, columns.size, step):
        part = slice(start, start + step)
        XV[part] = samples.values(columns[part]).T @ V
    return XV


Multiply = Callable[[Any], tuple[Any, Any]]
Enough = Callable[[Any, Any], bool]


def conjugate_gradients(
    multiply: Multiply, B: Any, Y: Any, enough: Enough, max_steps: int, preconditioner: Any = 1.0
) -> tuple[Any, Any, Any]:
    """Solve M Y = B from Y, each column with its own steps, until `enough(Y, residual)`.

    `multiply(P)` returns M P and another linear function of P, which is carried along for the solution: it
    would cost another pass over the data at the end. Returns Y, the residual B - M Y, and that function of Y.
    """
    MY, also = multiply(Y)
    left = B - MY
    step = preconditioner * left
    along = np.einsum("jr,jr->r", left, step)
    for _ in range(max_steps):
        if enough(Y, left):
            break
        turned, also_turned = multiply(step)
        curvature = np.einsum("jr,jr->r", step, turned)
        length = np.divide(along, curvature, out=np.zeros_like(along), where=curvature > 0)
        Y, left, also = Y + length * step, left - length * turned, also + length * also_turned
        ahead = preconditioner * left
        last, along = along, np.einsum("jr,jr->r", left, ahead)
        step = ahead + np.divide(along, last, out=np.zeros_like(along), where=last > 0) * step
    return Y, left, also


class IterativeRidge:
    """F(q) of columns too many for a Gram block: a pass over the data for each step, each from the last W.

    Neither G nor its inverse is formed. With the residual r = B - M Y, and M at least gamma, F is known to
    ||r||^2 / (gamma n): as a bound holds for any weights, nothing has to be exact.
    """

    max_steps = 300

    def __init__(self, problem: Problem, columns: Indices, gamma: float, left: float = 1e-6) -> None:
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
        A, n, gamma = np.flatnonzero(q > 0), self.problem.n, self.gamma
        root, C = np.sqrt(q[A])[:, None], self.problem.C[self.columns]
        B = root * C[A]

        def multiply(Y: Floats) -> tuple[Floats, Floats]:
            """(gamma I + D^1/2 G D^1/2) Y, and G D^1/2 Y on all columns."""
            GW = self.problem.product(self.columns[A], root * Y)[self.columns]
            return gamma * Y + root * GW[A], GW

        def value_of(Y: Floats, r: Floats) -> float:
            """2 tr(B'Y) - tr(Y'MY), which is below n F by tr(r'M^-1 r)."""
            return float(np.vdot(B, Y) + np.vdot(Y, r))

        def enough(Y: Floats, r: Floats) -> bool:
            return float(np.vdot(r, r)) / gamma <= self._left * max(value_of(Y, r), 0.0)

        Y, r, GW = conjugate_gradients(multiply, B, self._W[A] / root, enough, self.max_steps)
        self._W = np.zeros_like(self._W)
        self._W[A] = root * Y
        return value_of(Y, r) / n, C - GW, float(np.vdot(r, r)) / gamma / n
