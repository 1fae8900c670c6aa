"""Claims about an answer, proven with the rounding of the arithmetic in them.

For any V whatever, and so for V = H - X_A W with any W,

    n F(A) <= ||H - V||^2 + sum over A of ||x_j' V||^2 / gamma,

as the minimum over W of Eq. (8) is the maximum over V of its dual. With V of Eq. (25)
this is Eq. (27), but it needs no solution to be exact: only that XV is known to a margin (see `rounding`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fisherset._rounding import Upper, Uppers, Value
from fisherset._types import EPS, Floats, Indices
from fisherset.solver.domain import Domain
from fisherset.solver.problem import Problem
from fisherset.solver.rescaling import rescale
from fisherset.solver.ridge import measure_subset
from fisherset.solver.subset import Subset


class Tangent(NamedTuple):
    """A linear function of the 0/1 choice p that F nowhere exceeds: offset + g.p."""

    offset: Upper
    g: Uppers  # of the units

    def bound(self, domain: Domain) -> float:
        """The most F can be on the domain; infinite where that is not a number."""
        bound = self.offset + domain.maximum(self.g)
        return float(bound * (1 + 16 * EPS)) if bound >= 0 else np.inf


def tangent_from_weights(problem: Problem, domain: Domain, gamma: float, A: Indices, W: Floats) -> Tangent:
    """The tangent for V = H - X_A W, and XV as computed: one pass over the data."""
    return tangent_of(problem, domain, gamma, *lengths_left(problem, A, W))


def lengths_left(
    problem: Problem, A: Indices, W: Floats, rows: Indices | None = None
) -> tuple[Upper, Uppers]:
    """||H - V||^2 and the ||x_j'V|| at most for V = H - X_A W, of all columns or of `rows`, which hold A."""
    every = slice(None) if rows is None else rows
    own = A if rows is None else np.searchsorted(rows, A)
    C, rounding = problem.C[every], problem.rounding
    XV = problem.product(A, W, rows)
    np.subtract(C, XV, out=XV)
    # ||H - V||^2 = tr(W'GW) = tr(W'(C - XV))
    explained = float(np.einsum("jr,jr->j", W, C[own] - XV[own]).sum())
    lengths: Floats = np.sqrt(np.einsum("jr,jr->j", XV, XV))
    return rounding.raise_explained(explained, A, W), rounding.raise_lengths(lengths, A, W, every)


def tangent_from_rows(problem: Problem, domain: Domain, gamma: float, fit: RowFit) -> Tangent:
    """The tangent for the V of a fit by rows."""
    assert problem.samples is not None
    rounding, V = problem.rounding, fit.V
    explained = rounding.raise_distance(float(np.square(problem.samples.H - V).sum()))
    lengths = np.linalg.norm(project_rows(problem, V), axis=1)
    return tangent_of(problem, domain, gamma, explained, rounding.raise_projections(lengths, V))


def tangent_of(problem: Problem, domain: Domain, gamma: float, explained: Upper, lengths: Uppers) -> Tangent:
    """The tangent for a V of which ||H - V||^2 and the ||x_j'V|| are known, Eq. (26)."""
    g = domain.units.total(lengths**2 / (gamma * problem.n))
    return Tangent(Upper(explained / problem.n), Uppers(g))


def prove_value(problem: Problem, columns: Indices, gamma: float, state: Subset | None = None) -> Value:
    """F of a subset: from its system, which may be at hand, or from the rows where that is too rough.

    Without rows what is left is F with a larger ridge, which is never larger than F.
    """
    if not columns.size:
        return Value(0.0, 0.0)
    searched = rescale(problem, gamma, columns.size, columns)
    if state is None or state.problem is not searched or not np.array_equal(state.columns, columns):
        state = measure_subset(searched, columns, gamma)
    found = Value(state.value, state.error)
    if searched is not problem:
        found = Value(found.value, np.inf, found.least)  # which F reaches, and may exceed
    if found.rough:
        fit = fit_rows(problem, columns, np.ones(columns.size), gamma)
        if fit is not None and fit.error < found.error:
            found = Value(fit.value, fit.error, found.least)
    return found


def prove_tangents(
    problem: Problem, domain: Domain, gamma: float, q: Floats, A: Indices, W: Floats
) -> list[Tangent]:
    """Tangents of F from weights W of columns A; where there are rows, q gives a better one, too."""
    tangents = [tangent_from_weights(problem, domain, gamma, A, W)]
    of_columns = domain.units.spread(q)
    A = np.flatnonzero(of_columns > 0)
    fit = fit_rows(problem, A, of_columns[A], gamma)
    if fit is not None:
        tangents.append(tangent_from_rows(problem, domain, gamma, fit))
    return tangents


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
