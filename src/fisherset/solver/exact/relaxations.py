"""The relaxations of many nodes at a time, each with a diagonal of its own.

For any diagonal Delta with G - Delta positive semidefinite, F of a set is the same with G - Delta
for G and gamma + Delta_j for the ridge of column j: and the larger the ridge, the tighter the
relaxation. So each node has a Delta of its own, and with any W

    n F(A) <= tr W'(G - Delta)W + sum over A of ||(C - (G - Delta)W)_j||^2 / (gamma + Delta_j),

the bound of `proof` for Delta = 0. It needs no solution to be exact.
"""

from __future__ import annotations

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.domain import Domains, Flags
from fisherset.solver.exact.candidates import Candidates
from fisherset.solver.linear import shifted, solve
from fisherset.solver.proof import SUMS_ROUNDED, UnitBounds, bounds_from_sums
from fisherset.solver.relaxation.ascent import Ascents, Points, ascend_many
from fisherset.solver.trace import Trace

GRAM_AT_A_TIME = 2**18  # numbers of the Gram rows that are gathered: 2 MB, about a cache
ASCENT_STEPS = 30  # branching gains more than a longer ascent
# Share of its value that a bound is brought to if nothing else ends the ascent.
SHARP = 1e-6
# If F(q) exceeds what a node must stay below, no ascent closes it: its bound is brought to this share of
# the distance, which is enough to branch by.
ENOUGH_TO_BRANCH = 0.2


class Relaxations:
    """F(q) and its tangents on the candidates of a search."""

    def __init__(self, candidates: Candidates, gamma: float) -> None:
        self.candidates, self.gamma = candidates, gamma
        units = candidates.units
        self._firsts = None if units.groups is None else np.cumsum(units.sizes) - units.sizes

    def ascend(
        self, q: Floats, delta: Floats, domains: Domains, length: Floats, threshold: float, trace: Trace
    ) -> Ascents:
        """Bring the bounds of nodes down until it is clear what becomes of each.

        A node is done when its bound is down to the threshold, when F(q) shows that it cannot come there
        and the bound is good enough to branch by, or when it is sharp.
        """

        def functions(x: Floats, rows: Indices) -> Points:
            return self.at(x, delta[rows])[0]

        def finished(value: Floats, bound: Floats) -> Flags:
            left = bound - value
            settled = (value > threshold) & (left < ENOUGH_TO_BRANCH * (bound - threshold))
            unclear: Flags = (bound > threshold) & (left > SHARP * bound) & ~settled & (domains.remaining > 0)
            return ~unclear

        # units without a weight get none from the projection unless they must: fewer columns, smaller systems
        start = domains.project(np.where(q > 1e-6, q, -1.0))
        return ascend_many(
            functions, start, domains, finished=finished, trace=trace, length=length, max_steps=ASCENT_STEPS
        )

    def at(self, q: Floats, delta: Floats) -> tuple[Points, Floats]:
        """F(q) and its tangents, and the squared lengths of the rows of W: nodes x columns."""
        n_nodes, width = q.shape[0], self.candidates.C.shape[0]
        points = Points(np.empty(n_nodes), np.empty(n_nodes), np.empty(q.shape))
        weights, of_columns = np.zeros((n_nodes, width)), self.spread(q)
        sizes = np.count_nonzero(of_columns, axis=1)
        order = np.argsort(sizes, kind="stable")
        start = 0
        while start < order.size:  # nodes of about as many columns in play share a stack of systems
            widest = max(int(sizes[order[start]]), 1) * width
            some = order[start : start + max(1, GRAM_AT_A_TIME // widest)]
            part, weights[some] = self._solve(of_columns[some], delta[some])
            points = points.replaced(some, part)
            start += some.size
        return points, weights

    def spread(self, q: Floats) -> Floats:
        """Give each column the value of its unit."""
        groups = self.candidates.units.groups
        return q if groups is None else q[:, groups]

    def _total(self, s: Floats) -> Floats:
        """Sum values of columns over the units."""
        totals: Floats = s if self._firsts is None else np.add.reduceat(s, self._firsts, axis=1)
        return totals

    def _systems(self, A: Indices, q: Floats, delta: Floats) -> tuple[Floats, Floats]:
        """The systems gamma I + D^1/2 (G - Delta) D^1/2 of columns A of some nodes, and the D^1/2.

        The ridge gamma + Delta_j is the ridge gamma with gamma / (gamma + Delta_j) times q_j.
        """
        root, at = np.sqrt(self.gamma * q / (self.gamma + delta)), np.arange(A.shape[1])
        M = self.candidates.G[A[:, :, None], A[:, None, :]]
        M[:, at, at] -= delta
        M *= root[:, :, None]
        M *= root[:, None, :]
        M[:, at, at] += self.gamma
        return M, root

    def _solve(self, q: Floats, delta: Floats) -> tuple[Points, Floats]:
        candidates, gamma = self.candidates, self.gamma
        rows, size = np.arange(len(q))[:, None], max(int(np.count_nonzero(q, axis=1).max()), 1)
        A = np.argpartition(-q, size - 1, axis=1)[:, :size]
        taken, C = delta[rows, A], candidates.C[A]
        M, root = self._systems(A, q[rows, A], taken)
        W = root[:, :, None] * np.linalg.solve(M, root[:, :, None] * C)
        GW = np.swapaxes(W, 1, 2) @ candidates.G[A]  # nodes x r x columns
        XV = np.subtract(candidates.C.T, GW, out=GW)
        own = XV[rows, :, A] + taken[:, :, None] * W
        squares = np.einsum("brj,brj->bj", XV, XV)
        squares[rows, A] = np.einsum("bir,bir->bi", own, own)
        # Delta adds terms to the sums, no larger than the others, as Delta_i <= G_ii <= l_i^2
        rounding, n_terms = candidates.rounding, 2 * sum(C.shape[1:])
        lengths = rounding.raise_lengths(np.sqrt(squares), A, W, slice(None), n_terms)
        explained = rounding.raise_explained(np.einsum("bir,bir->b", W, C - own), A, W, n_terms)
        weights = np.zeros(q.shape)
        weights[rows, A] = np.einsum("bir,bir->bi", W, W)
        points = Points(
            np.einsum("bir,bir->b", W, C) / candidates.n,
            explained / candidates.n,
            self._total(lengths**2 / ((gamma + delta) * candidates.n)),  # Eq. (26)
        )
        return points, weights

    def curvature(self, q: Floats, delta: Floats, members: Indices) -> Floats:
        """The Hessian (2 / (gamma^2 n)) N o (XV)(XV)' of -F among some units.

        N = X'(I + X D X'/gamma)^-1 X.
        """
        candidates, gamma, units = self.candidates, self.gamma, self.candidates.units
        of_columns = self.spread(q[None])[0]
        A = np.flatnonzero(of_columns)
        (M,), (root,) = self._systems(A[None], of_columns[None, A], delta[None, A])
        inverse = np.linalg.inv(M)
        columns = units.columns(members)
        places = np.searchsorted(A, columns)
        # both times the root of q: from M^-1 itself, not from a difference with G, which would cancel
        XV = gamma * (inverse @ (root[:, None] * candidates.C[A]))[places]
        N = shifted(-gamma * inverse[np.ix_(places, places)], 1.0)
        weight = of_columns[columns]
        curvature: Floats = 2 / (gamma * candidates.n) * N * (XV @ XV.T) / weight / weight[:, None]
        if units.groups is not None:
            firsts = np.cumsum(units.sizes[members]) - units.sizes[members]
            curvature = np.add.reduceat(np.add.reduceat(curvature, firsts, axis=0), firsts, axis=1)
        return curvature


def node_bounds(tangents: Points, domains: Domains) -> UnitBounds:
    """Bounds on the sets of each node with each unit and without it, from its tangent."""
    free, required, _ = domains
    sums = domains.sums(tangents.g)
    whole = tangents.offset + sums.most
    found = bounds_from_sums(whole, tangents.g, sums)
    all_sets = (whole * (1 + SUMS_ROUNDED))[:, None]
    with_each = np.where(free, found.with_each, np.where(required, all_sets, -np.inf))
    return UnitBounds(with_each, np.where(free, found.without_each, np.where(required, -np.inf, all_sets)))


# Columns beyond which no diagonal is computed: a Newton step costs their number cubed.
LARGEST_DIAGONAL = 400
# Share of the mean of the diagonal below which nothing is subtracted: above the rounding of an eigenvalue.
LEAST_DELTA = 1e-7


def find_diagonal(
    candidates: Candidates, gamma: float, required: Indices, free: Indices, omega: Floats
) -> Floats:
    """Delta of the free columns, zero for the others, good for all sets that hold the required columns.

    Subtracting Delta tightens the relaxation by w_j^2 (1 - q_j) / q_j times Delta_j, to first order. So it
    solves the semidefinite programme

        max  sum of omega_j Delta_j    over    G - Delta psd,  Delta >= 0,

    by Newton's method on its barrier. In mixed-integer programming this is the diagonal of a perspective
    reformulation (Frangioni and Gentile 2007, Dong, Chen and Linderoth 2015). The required columns have no
    relaxed weight: G is adjusted for them first, as for the members of a subset.
    """
    delta = np.zeros(candidates.C.shape[0])
    if not 0 < free.size <= LARGEST_DIAGONAL:
        return delta
    G = candidates.gram(free, rows=free)
    Y = np.empty((0, free.size))
    if required.size:
        across = candidates.gram(free, rows=required)
        Y = solve(shifted(candidates.gram(required, rows=required), gamma), across)
        G -= across.T @ Y
    unit = float(candidates.diagonal[free].mean())
    # less than rounding may have added to the least eigenvalue of G
    G = shifted(G / unit, -2 * candidates.rounding.schur(free, required, Y) / unit)
    least = float(np.linalg.eigvalsh(G)[0])
    if not least >= LEAST_DELTA:
        return delta
    # no more than the part of a column that the others do not explain can be subtracted
    most = float(np.max(1 / np.linalg.inv(G).diagonal())) * unit
    if not most >= 0.02 * gamma:  # it would hardly tighten the relaxation
        return delta
    weights = omega / max(float(omega.mean()), np.finfo(float).tiny) + 1e-3
    delta[free] = _maximise(G, weights, least) * unit
    return delta


def _maximise(G: Floats, omega: Floats, least: float) -> Floats:
    """The Delta that maximises omega.Delta, nearly, and keeps G - Delta positive definite for certain."""
    size, delta, weight = omega.size, np.full(omega.size, least / 2), least
    while True:
        for _ in range(3):  # Newton steps for each weight of the barrier
            inverse = np.linalg.inv(G - np.diag(delta))
            slope = omega + weight * (1 / delta - inverse.diagonal())
            curvature = np.square(inverse)
            curvature.flat[:: size + 1] += 1 / delta**2
            step = solve(weight * curvature, slope)
            length = _length(G, delta, step)
            delta = delta + length * step
        if not weight >= 1e-4 * float(delta.mean()):  # what the barrier still costs
            break
        weight /= 5
    return np.where(delta > LEAST_DELTA, delta * (1 - 1e-9), 0.0)


def _length(G: Floats, delta: Floats, step: Floats) -> float:
    """The longest step that stays well inside, 0 if there is none."""
    falling = step < 0
    length = min(1.0, 0.95 * float(np.min(-delta[falling] / step[falling], initial=np.inf)))
    for _ in range(30):
        try:
            np.linalg.cholesky(G - np.diag(delta + min(length / 0.95, 1.0) * step))
        except np.linalg.LinAlgError:
            length *= 0.7
        else:
            return length
    return 0.0
