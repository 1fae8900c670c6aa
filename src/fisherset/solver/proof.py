"""What is claimed of an answer, proven with the rounding of the arithmetic in it.

For any V whatever, and so for V = H - X_A W with any W,

    n F(A) <= ||H - V||^2 + sum over A of ||x_j' V||^2 / gamma,

as the minimum over W of Eq. (8) is the maximum over V of its dual. With V of Eq. (25)
this is Eq. (27), but it needs no solution to be exact: only that XV is known to a margin.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fisherset._types import EPS, Floats, Indices
from fisherset.solver.domain import Domain
from fisherset.solver.problem import Problem
from fisherset.solver.rows import RowFit, fit_rows, project_rows
from fisherset.solver.spaces import measure_subset
from fisherset.solver.subset import Subset
from fisherset.solver.tempered import temper
from fisherset.solver.units import ALL

# Share of F from which its rounding is worth a factorisation of the rows, and from which it has to be said.
ROUGH, WRONG = 1e-8, 1e-6
# Where F is next to nothing, the share of its ceiling that counts as nothing.
NEGLIGIBLE = 1e-13


class Tangent(NamedTuple):
    """A linear function of the 0/1 choice p that F nowhere exceeds: offset + g.p."""

    offset: float
    g: Floats  # of the units

    def bound(self, domain: Domain) -> float:
        """The most F can be on the domain."""
        return self.offset + domain.maximum(self.g)


def tangent_from_weights(problem: Problem, domain: Domain, gamma: float, A: Indices, W: Floats) -> Tangent:
    """The tangent for V = H - X_A W, and XV as computed: one pass over the data."""
    return tangent_of(problem, domain, gamma, *lengths_left(problem, A, W))


def lengths_left(
    problem: Problem, A: Indices, W: Floats, rows: Indices | None = None
) -> tuple[float, Floats]:
    """||H - V||^2 and the ||x_j'V|| for V = H - X_A W, of all columns or of `rows`, which hold A.

    Both as large as they can be: with what rounding may have taken from them.
    """
    every = slice(None) if rows is None else rows
    own = A if rows is None else np.searchsorted(rows, A)
    C, lengths, root = problem.C[every], problem.lengths[every], np.sqrt(problem.n)
    XV = problem.product(A, W, rows)
    np.subtract(C, XV, out=XV)
    unit = problem.precision + 4 * (A.size + 4) * EPS
    reach = float(problem.lengths[A] @ np.linalg.norm(W, axis=1))
    known = np.einsum("jr,jr->j", C, C) > 0  # without any difference there is none to be off
    margin = unit * lengths * (3 * reach + 2 * root * known)
    # ||H - V||^2 = tr(W'GW) = tr(W'(C - XV))
    explained = float(np.vdot(W, C[own] - XV[own])) + unit * reach * (4 * reach + 4 * root)
    return max(explained, 0.0), _lengthened(problem, XV, margin, every)


def tangent_from_rows(problem: Problem, domain: Domain, gamma: float, fit: RowFit) -> Tangent:
    """The tangent for the V of a fit by rows."""
    assert problem.samples is not None
    explained = float(np.square(problem.samples.H - fit.V).sum()) * (1 + 64 * EPS)
    margin = 2 * problem.precision * np.sqrt(problem.diagonal) * float(np.linalg.norm(fit.V))
    lengths = _lengthened(problem, project_rows(problem, fit.V), margin, slice(None))
    return tangent_of(problem, domain, gamma, explained, lengths)


def tangent_of(problem: Problem, domain: Domain, gamma: float, explained: float, lengths: Floats) -> Tangent:
    """The tangent for a V of which ||H - V||^2 and the ||x_j'V|| are known, Eq. (26)."""
    return Tangent(explained / problem.n, domain.units.total(lengths**2 / (gamma * problem.n)))


def _lengthened(problem: Problem, XV: Floats, margin: Floats, columns: Indices | slice) -> Floats:
    """The lengths of the rows of XV with what they can be off by."""
    lengths: Floats = np.sqrt(np.einsum("jr,jr->j", XV, XV))
    lengths *= 1 + scale_error(problem, columns)
    lengths += margin
    return lengths


def scale_error(problem: Problem, columns: Indices | slice = ALL) -> Floats:
    """Share by which columns can be off, as the spread that they are divided by is rounded, too."""
    share: Floats = 2 * problem.precision * problem.lengths[columns] ** 2 / problem.diagonal[columns]
    return share


class Value(NamedTuple):
    """F of a subset and how far it can be off."""

    value: float
    error: float

    @property
    def rough(self) -> bool:
        return self.error > ROUGH * self.value + NEGLIGIBLE

    @property
    def wrong(self) -> bool:
        return self.error > WRONG * self.value + NEGLIGIBLE


def prove_value(problem: Problem, columns: Indices, gamma: float, state: Subset | None = None) -> Value:
    """F of a subset: from its system, which may be at hand, or from the rows where that is too rough.

    Without rows what is left is F with a larger ridge, which is never larger than F.
    """
    if not columns.size:
        return Value(0.0, 0.0)
    searched = temper(problem, gamma, columns.size)
    if state is None or state.problem is not searched or not np.array_equal(state.columns, columns):
        state = measure_subset(searched, columns, gamma)
    found = Value(state.value, state.error if searched is problem else np.inf)
    if found.rough:
        fit = fit_rows(problem, columns, np.ones(columns.size), gamma)
        if fit is not None and not fit.error > found.error:
            found = Value(fit.value, fit.error)
    return found


def prove_tangents(
    problem: Problem, domain: Domain, gamma: float, q: Floats, A: Indices, W: Floats
) -> list[Tangent]:
    """Tangents of F from weights W of columns A; where rows are at hand, q gives a better one, too."""
    tangents = [tangent_from_weights(problem, domain, gamma, A, W)]
    of_columns = domain.units.spread(q)
    A = np.flatnonzero(of_columns > 0)
    fit = fit_rows(problem, A, of_columns[A], gamma)
    if fit is not None:
        tangents.append(tangent_from_rows(problem, domain, gamma, fit))
    return tangents
