"""Claims about an answer, proven with the rounding of the arithmetic in them.

For any V, and so for V = H - X_A W with any W,

    n F(A) <= ||H - V||^2 + sum over A of ||x_j' V||^2 / gamma,

as the minimum over W of Eq. (8) is the maximum over V of its dual. With V of Eq. (25) this is Eq. (27), but
it needs no solution to be exact: only that XV is known to a margin (see `_rounding`). The right side is
linear in the 0/1 choice p: a tangent, from which all bounds follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fisherset._rounding import Upper, Uppers, Value
from fisherset._types import EPS, Floats, Indices
from fisherset.solver.domain import Domain, Sums, Units, mask_of
from fisherset.solver.problem import Problem, rescale
from fisherset.solver.ridge import project_columns
from fisherset.solver.subset import Subset, measure_subset

PRODUCT = 60  # cost of a product with all columns, in multiplications a column and row: it waits for memory
SUMS_ROUNDED = 16 * EPS  # share by which pairwise sums of up to a million g may be off


class Tangent(NamedTuple):
    """A linear function of the 0/1 choice p that F nowhere exceeds: offset + g.p."""

    offset: Upper
    g: Uppers  # of the units

    def bound(self, domain: Domain) -> float:
        """Upper bound on F over the domain; infinite if the tangent is not a number."""
        bound = self.offset + domain.maximum(self.g)
        return float(bound * (1 + SUMS_ROUNDED)) if bound >= 0 else np.inf

    def bounds(self, domain: Domain, most: int) -> Floats:
        """Upper bounds on F over the sets of 0, 1, ..., `most` units with the same constraints.

        Smaller sets reach no more than larger ones, and sets that cannot hold all required units nothing.
        """
        free = self.g[domain.free]
        first = np.sort(free)[::-1][: max(most - domain.required.size, 0)]
        base = self.offset + float(self.g[domain.required].sum())
        sums = [first[: max(m - domain.required.size, 0)].sum() for m in range(most + 1)]
        bounds = (base + np.array(sums)) * (1 + SUMS_ROUNDED)
        bounds = np.where(bounds >= 0, bounds, np.inf)
        return np.minimum.accumulate(bounds[::-1])[::-1]


def tangent_from_weights(problem: Problem, domain: Domain, gamma: float, A: Indices, W: Floats) -> Tangent:
    """The tangent for V = H - X_A W: one pass over the data."""
    return tangent_of(problem, domain, gamma, *projection_lengths(problem, A, W))


def projection_lengths(
    problem: Problem, A: Indices, W: Floats, rows: Indices | None = None
) -> tuple[Upper, Uppers]:
    """Bounds on ||H - V||^2 and the ||x_j'V|| for V = H - X_A W, for all columns or `rows`, which hold A."""
    every = slice(None) if rows is None else rows
    own = A if rows is None else np.searchsorted(rows, A)
    C, rounding = problem.C[every], problem.rounding
    XV = problem.product(A, W, rows)
    np.subtract(C, XV, out=XV)
    # ||H - V||^2 = tr(W'GW) = tr(W'(C - XV)): no second product with G
    explained = np.einsum("jr,jr->j", W, C[own] - XV[own]).sum()
    lengths: Floats = np.sqrt(np.einsum("jr,jr->j", XV, XV))
    raised = rounding.raise_lengths(lengths, A, W, every)
    return Upper(float(rounding.raise_explained(explained, A, W))), raised


def tangent_from_rows(problem: Problem, domain: Domain, gamma: float, fit: RowFit) -> Tangent:
    """The tangent for the V of a fit by rows."""
    assert problem.samples is not None
    rounding, V = problem.rounding, fit.V
    explained = rounding.raise_distance(float(np.square(problem.samples.H - V).sum()))
    XV = project_columns(problem.samples, np.arange(len(problem.C)), V)
    lengths = rounding.raise_projections(np.linalg.norm(XV, axis=1), V)
    return tangent_of(problem, domain, gamma, explained, lengths)


def tangent_of(problem: Problem, domain: Domain, gamma: float, explained: Upper, lengths: Uppers) -> Tangent:
    """The tangent for a V with bounds on ||H - V||^2 and on the ||x_j'V||, Eq. (26)."""
    g = domain.units.total(lengths**2 / (gamma * problem.n))
    return Tangent(Upper(explained / problem.n), Uppers(g))


def prove_value(problem: Problem, columns: Indices, gamma: float, state: Subset | None = None) -> Value:
    """F of a subset, from its system if that is accurate enough, else from the rows.

    Without rows, the value is F with a larger ridge, which is never larger than F.
    """
    if not columns.size:
        return Value(0.0, 0.0)
    searched = rescale(problem, gamma, columns.size, columns)
    if state is None or state.problem is not searched or not np.array_equal(state.columns, columns):
        state = measure_subset(searched, columns, gamma)
    found = Value(state.value, state.error)
    if searched is not problem:
        found = Value(found.value, np.inf, found.least)  # F reaches it, and may exceed it
    if found.rough:
        fit = fit_rows(problem, columns, np.ones(columns.size), gamma)
        if fit is not None and fit.error < found.error:
            found = Value(fit.value, fit.error, found.least)
    return found


def prove_tangents(
    problem: Problem, domain: Domain, gamma: float, q: Floats, A: Indices, W: Floats
) -> list[Tangent]:
    """Tangents of F from weights W of columns A, and a better one from the rows at q if there are any."""
    tangents = [tangent_from_weights(problem, domain, gamma, A, W)]
    of_columns = domain.units.spread(q)
    A = np.flatnonzero(of_columns > 0)
    fit = fit_rows(problem, A, of_columns[A], gamma)
    if fit is not None:
        tangents.append(tangent_from_rows(problem, domain, gamma, fit))
    return tangents


class RowFit(NamedTuple):
    """F(q), a bound on its error, V of Eq. (25), and Y with n F(q) = tr(Y'Y), a column for each of H."""

    value: float
    error: float
    V: Floats
    Y: Floats


def fit_rows(problem: Problem, columns: Indices, q: Floats, gamma: float) -> RowFit | None:
    """Fit H by the columns with the weights q > 0; None without rows, or if they exceed the memory limit.

    An orthogonal factorisation of [X D^1/2; gamma^1/2 I] works with the condition number of X, where the
    system of G has its square: this is how F is known when gamma is near the rounding of G.
    """
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
    B /= norms  # Householder's errors are relative to each column: their scales must not mix
    Q, R = np.linalg.qr(B)
    top = Q[:n_rows]
    Y = top.T @ H
    V = H - top @ Y
    nF = float(np.vdot(Y, Y))
    smallest = float(np.linalg.svd(R, compute_uv=False)[-1])
    if not rounding.stands(columns, norms / root, smallest):
        return RowFit(nF / problem.n, np.inf, V, Y)
    weights = np.linalg.norm(np.linalg.solve(R, Y), axis=1)
    residual = np.sqrt(max(float(np.vdot(H, H)) - nF, 0.0)) + EPS * float(np.linalg.norm(H))
    error = rounding.of_backward(columns, norms / root, weights, np.sqrt(nF), float(residual))
    error += rounding.of_scales(columns, nF) + 64 * EPS * problem.ceiling * problem.n
    return RowFit(nF / problem.n, error / problem.n, V, Y)


class UnitBounds(NamedTuple):
    """Upper bounds on F of the sets with each unit, and without it; -inf if there is no such set."""

    with_each: Floats
    without_each: Floats

    def least(self, other: UnitBounds) -> UnitBounds:
        """The smaller of two bounds on each; one that is not a number says nothing."""
        return UnitBounds(*(np.fmin(*pair) for pair in zip(self, other, strict=True)))

    def times(self, factor: float, most: float) -> UnitBounds:
        """The bounds times a factor, no more than F can be; -inf stays."""
        known = np.isfinite(factor)
        raised = []
        for bounds in self:
            scaled = np.where(np.isfinite(bounds), bounds, most) * (factor if known else 1.0)
            scaled = np.where((scaled <= most) & known, scaled, most)
            raised.append(np.where(np.isneginf(bounds), -np.inf, scaled))
        return UnitBounds(*raised)

    def around(self, units: Indices, m: int, objective: float, upper_bound: float) -> UnitBounds:
        """The bounds made consistent with F of a set that was found and the bound on all sets of m units.

        A set without one of its m units has another instead, and the other way round. The set itself has
        its units and not the others: rounding must not say otherwise.
        """
        inside = mask_of(self.with_each.size, units)
        with_each, without_each = (np.fmin(bounds, upper_bound) for bounds in self)
        if units.size == m:
            others = np.max(with_each[~inside], initial=-np.inf)
            without_each[inside] = np.minimum(without_each[inside], others)
            own = np.max(without_each[inside], initial=-np.inf)
            with_each[~inside] = np.minimum(with_each[~inside], own)
        for bounds, own_set in ((with_each, inside), (without_each, ~inside)):
            some = own_set & np.isfinite(bounds)
            bounds[some] = np.maximum(bounds[some], objective)
        return UnitBounds(with_each, without_each)


def bound_units(domain: Domain, upper_bound: float, tangents: Sequence[Tangent] = ()) -> UnitBounds:
    """The bounds that tangents give, at most `upper_bound`, which is all that is known without any."""
    with_each, without_each = (np.full(domain.units.size, upper_bound) for _ in range(2))
    free, remaining = domain.free, domain.remaining
    n_free = domain.units.size - domain.fixed.size
    if remaining == 0:
        with_each[free] = -np.inf
    if remaining == n_free:
        without_each[free] = -np.inf
    with_each[domain.excluded], without_each[domain.required] = -np.inf, -np.inf
    if not 0 < remaining < n_free:
        return UnitBounds(with_each, without_each)
    for tangent in tangents:
        whole = tangent.bound(domain)
        if not np.isfinite(whole):  # it says nothing
            continue
        found = bounds_from_sums(np.asarray(whole), tangent.g, domain.sums(tangent.g))
        for bounds, new in zip((with_each, without_each), found, strict=True):
            bounds[free] = np.fmin(bounds[free], new[free])
    return UnitBounds(with_each, without_each)


def bounds_from_sums(whole: Floats, g: Floats, sums: Sums) -> UnitBounds:
    """Bounds on the sets with and without each free unit, from a tangent's bound on all sets, by rows.

    The tangent's best set that must hold unit j gives up its least unit for it; the best without j takes
    the best unit outside. All units of all rows cost one partition of g.
    """
    whole = (whole * (1 + SUMS_ROUNDED))[..., None]
    with_each = whole - np.maximum(sums.least[..., None] - g, 0.0)
    return UnitBounds(with_each, whole - np.maximum(g - sums.following[..., None], 0.0))


class _Seen(NamedTuple):
    """A V = H - X_A W for which all columns were computed, and bounds on the ||x_j'V||."""

    A: Indices
    W: Floats
    lengths: Uppers


class Screen:
    """Tangents that need only some of the columns: the others cannot count, wherever V has moved.

    For any V and V_0, by the triangle inequality,

        ||x_j'V|| <= ||x_j'V_0|| + ||x_j|| ||V - V_0||,

    and with V = H - X_A W the last norm, the spectral one, follows from G among the columns with weights
    alone. Once all columns have been computed, later products need only those that this lets reach what
    counts: of thousands of columns, often hundreds.
    """

    most = 0.5  # share of the columns up to which a product with them alone is faster than one with all

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._seen: _Seen | None = None

    def note(self, A: Indices, W: Floats, lengths: Uppers) -> None:
        """Remember the ||x_j'V|| of all columns for V = H - X_A W."""
        if self.problem.samples is not None:  # out of core a block of G costs as much as all of it
            self._seen = _Seen(A, W, lengths)

    def lengths(self, A: Indices, W: Floats, least: float = np.inf) -> Uppers | None:
        """Bounds on the ||x_j'V|| for V = H - X_A W.

        None if nothing is known, or nothing but that all columns may reach the `least` length.
        """
        if self._seen is None:
            return None
        problem, seen = self.problem, self._seen
        columns = np.union1d(A, seen.A)
        if columns.size**2 > min(problem.room, PRODUCT * len(problem.C)):  # slower than all columns
            return None
        change = np.zeros((columns.size, W.shape[1]))
        change[np.searchsorted(columns, A)] += W
        change[np.searchsorted(columns, seen.A)] -= seen.W
        G = problem.gram(columns, rows=columns)
        squared = float(np.linalg.eigvalsh(change.T @ (G @ change))[-1])
        way = np.sqrt(problem.rounding.raise_norm(squared, columns, change))
        if not way * np.sqrt(float(problem.diagonal.min())) < least:
            return None
        return Uppers(seen.lengths + problem.rounding.raise_own(problem.diagonal) * way)

    def tangent(
        self, domain: Domain, gamma: float, A: Indices, W: Floats, threshold: float
    ) -> tuple[Tangent, bool]:
        """The tangent for V = H - X_A W, and whether g is exact for all units.

        Else it is exact for those that may reach the threshold, and an upper bound for the others.
        """
        problem, units = self.problem, domain.units
        lengths = self.lengths(A, W, least_length(units, threshold, gamma * problem.n))
        if lengths is not None:
            g = units.spread(units.total(lengths**2 / (gamma * problem.n)))
            g[A] = np.inf
            rows = np.flatnonzero(g >= threshold)
            if rows.size <= self.most * lengths.size:
                explained, lengths[rows] = projection_lengths(problem, A, W, rows)
                return tangent_of(problem, domain, gamma, explained, lengths), False
        explained, lengths = projection_lengths(problem, A, W)
        self.note(A, W, lengths)
        return tangent_of(problem, domain, gamma, explained, lengths), True


def least_length(units: Units, g: float, scale: float) -> float:
    """The ||x_j'V|| with which a single column reaches a gradient; no such length exists for groups."""
    return float(np.sqrt(max(g, 0.0) * scale)) if units.groups is None else np.inf
