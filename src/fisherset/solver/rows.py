"""F(q) by an orthogonal factorisation of the columns by value: the digits that G squares away stay.

With S = diag(q) on the columns in play and the rows of Z = X_A S^1/2 over those of
gamma^1/2 I, nF is the square of what the columns of that matrix B explain of H over zeros.
Products of columns know n F to about eps n / gamma of it, B to the root of that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fisherset._types import EPS, Floats, Indices
from fisherset.solver.problem import Problem

BATCH = 2**20  # numbers of the table taken at a time


class RowFit(NamedTuple):
    """F(q), how far it can be off, and V of Eq. (25)."""

    value: float
    error: float
    V: Floats


def fit_rows(problem: Problem, columns: Indices, q: Floats, gamma: float) -> RowFit | None:
    """Fit H by the columns with the weights q > 0; None without rows, or where they are too many."""
    samples, rounding = problem.samples, problem.rounding
    if samples is None or not columns.size:
        return None
    widest = max(columns.size, problem.C.shape[1])  # of B and H
    if (samples.size + columns.size) * widest > problem.room:
        return None
    H, n_rows = samples.H, samples.size
    root = np.sqrt(q)
    B = np.vstack([samples.values(columns) * root, np.sqrt(gamma) * np.eye(columns.size)])
    norms = np.linalg.norm(B, axis=0)
    B /= norms  # the factorisation is as good as each column by itself
    Q, R = np.linalg.qr(B)
    top = Q[:n_rows]
    Y = top.T @ H
    V = H - top @ Y
    nF = float(np.vdot(Y, Y))
    smallest = float(np.linalg.svd(R, compute_uv=False)[-1])
    if not rounding.stands(columns, norms / root, smallest):
        return RowFit(nF / problem.n, np.inf, V)
    weights = np.linalg.norm(np.linalg.solve(R, Y), axis=1)
    residual = np.sqrt(max(float(np.vdot(H, H)) - nF, 0.0)) + EPS * float(np.linalg.norm(H))
    error = rounding.of_backward(columns, norms / root, weights, np.sqrt(nF), float(residual))
    error += rounding.of_scales(columns, nF) + 64 * EPS * problem.ceiling * problem.n
    return RowFit(nF / problem.n, error / problem.n, V)


def project_rows(problem: Problem, V: Floats) -> Floats:
    """X'V of all columns, a batch of them at a time."""
    samples, d = problem.samples, problem.C.shape[0]
    assert samples is not None
    XV, step = np.empty((d, V.shape[1])), max(1, BATCH // samples.size)
    for start in range(0, d, step):
        some = np.arange(start, min(start + step, d))
        XV[some] = samples.values(some).T @ V
    return XV
