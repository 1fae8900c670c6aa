"""The relaxations of many nodes at a time.

For any diagonal Delta with G - Delta positive semidefinite, F of a set is what it is with G - Delta
for G and gamma + Delta_j for the ridge of column j: and the larger the ridge, the tighter the
relaxation. So each node has a Delta of its own (see `diagonal`), and with any W whatever

    n F(A) <= tr W'(G - Delta)W + sum over A of ||(C - (G - Delta)W)_j||^2 / (gamma + Delta_j),

the bound of `proof` for Delta = 0. It needs no solution to be exact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fisherset._types import EPS, Floats, Indices
from fisherset.solver.algorithm1.cutting_plane import IDLE
from fisherset.solver.exact.candidates import Core
from fisherset.solver.exact.nodes import Flags, Nodes, best_sums, project_rows
from fisherset.solver.relaxation.ascent import MEMORY
from fisherset.solver.trace import Trace

AT_A_TIME = 2**18  # numbers of the Gram rows that are gathered
ASCENT_STEPS = 30  # of an ascent, at most
SHARP = 1e-6  # share of its value that a bound is brought to, where nothing else ends the ascent
# Where F(q) exceeds what a node must stay below, no ascent closes it: its bound is brought to this share of
# the distance, which is enough to branch by.
ENOUGH = 0.2


class Point(NamedTuple):
    """Relaxed choices of many nodes: F(q), and the tangent offset + g.p that F nowhere exceeds."""

    value: Floats
    offset: Floats
    g: Floats  # nodes x units
    W: Floats  # nodes x columns, squared lengths of the rows of W


class Relaxations:
    """F(q) and its tangents on a core."""

    def __init__(self, core: Core, gamma: float) -> None:
        self.core, self.gamma = core, gamma
        units = core.units
        self._firsts = None if units.groups is None else np.cumsum(units.sizes) - units.sizes

    def at(self, q: Floats, delta: Floats) -> Point:
        """F(q) and its tangents."""
        shape = q.shape[0], self.core.C.shape[0]
        point = Point(np.empty(shape[0]), np.empty(shape[0]), np.empty(q.shape), np.empty(shape))
        of_columns = self.spread(q)
        sizes = np.count_nonzero(of_columns, axis=1)
        order = np.argsort(sizes, kind="stable")
        start = 0
        while start < order.size:  # nodes of about as many columns in play together
            widest = max(int(sizes[order[start]]), 1) * shape[1]
            some = order[start : start + max(1, AT_A_TIME // widest)]
            for whole, part in zip(point, self._some(of_columns[some], delta[some]), strict=True):
                whole[some] = part
            start += some.size
        return point

    def spread(self, q: Floats) -> Floats:
        """Give each column the value of its unit."""
        groups = self.core.units.groups
        return q if groups is None else q[:, groups]

    def total(self, s: Floats) -> Floats:
        """Sum values of columns over the units."""
        totals: Floats = s if self._firsts is None else np.add.reduceat(s, self._firsts, axis=1)
        return totals

    def _some(self, q: Floats, delta: Floats) -> Point:
        core, gamma = self.core, self.gamma
        rows, size = np.arange(len(q))[:, None], max(int(np.count_nonzero(q, axis=1).max()), 1)
        A = np.argpartition(-q, size - 1, axis=1)[:, :size]
        taken = delta[rows, A]
        root = np.sqrt(gamma * q[rows, A] / (gamma + taken))
        M = core.G[A[:, :, None], A[:, None, :]]
        at = np.arange(size)
        M[:, at, at] -= taken
        M *= root[:, :, None]
        M *= root[:, None, :]
        M[:, at, at] += gamma
        C = core.C[A]
        W = root[:, :, None] * np.linalg.solve(M, root[:, :, None] * C)
        GW = np.swapaxes(W, 1, 2) @ core.G[A]  # nodes x r x columns
        XV = np.subtract(core.C.T, GW, out=GW)
        own = XV[rows, :, A] + taken[:, :, None] * W
        squares = np.einsum("brj,brj->bj", XV, XV)
        squares[rows, A] = np.einsum("bir,bir->bi", own, own)
        lengths, rounding = np.sqrt(np.einsum("bir,bir->bi", W, W)), core.rounding
        # as in `Rounding.raise_lengths` and `raise_explained`, for many W at a time; Delta_i <= G_ii <= l_i^2
        reach = np.einsum("bi,bi->b", rounding.lengths[A], lengths)
        unit = rounding.unit_of(2 * sum(C.shape[1:]))
        s = np.sqrt(squares) + unit * reach[:, None] * rounding.lengths + rounding.cross
        s = (s * (1 + rounding.scale)) ** 2  # Eq. (26)
        explained = np.einsum("bir,bir->b", W, C - own)
        explained = np.maximum(explained + unit * reach * (2 * reach + rounding.targets), 0.0)
        weights = np.zeros(q.shape)
        weights[rows, A] = lengths**2
        return Point(
            np.einsum("bir,bir->b", W, C) / core.n,
            explained / core.n,
            self.total(s / ((gamma + delta) * core.n)),
            weights,
        )

    def ascend(self, nodes: Nodes, threshold: float, trace: Trace) -> tuple[Nodes, Point]:
        """Bring the bounds of nodes down, from where they stand, until it is clear what becomes of each.

        A node is done with when its bound is down to the threshold, when F(q) shows that it cannot come there
        and the bound is good enough to branch by, or when it is sharp. Spectral steps, as in `ascent`.
        The nodes come back with the q, step and bound of the best tangent, which is the second value.
        """
        free, required, delta = nodes.free, nodes.required, nodes.delta
        spare = self.core.domain.m - required.sum(axis=1)
        # units without a weight get none from the projection unless they must: the fewer have, the quicker
        q = project_rows(np.where(nodes.q > IDLE, nodes.q, -1.0), free, required, spare)
        now = self.at(q, delta)
        best, at_best, bound = now, q, np.full(nodes.size, np.inf)
        step, recent = nodes.step, [now.value]
        for _ in range(ASCENT_STEPS):
            sums = best_sums(now.g, free, required, spare)
            new = now.offset + sums.most
            better = new < bound
            bound = np.where(better, new, bound)
            at_best = np.where(better[:, None], q, at_best)
            best = Point(*(_chosen(better, *pair) for pair in zip(now, best, strict=True)))
            settled = (now.value > threshold) & (bound - now.value < ENOUGH * (bound - threshold))
            open_ = (bound > threshold) & (bound - now.value > SHARP * bound) & ~settled & (spare > 0)
            rows = np.flatnonzero(open_)
            if not rows.size or trace.out_of_time():
                break
            moved = self._stepped(
                q[rows],
                Point(*(part[rows] for part in now)),
                delta[rows],
                (free[rows], required[rows], spare[rows]),
                step[rows],
                np.min([past[rows] for past in recent[-MEMORY:]], axis=0),
                np.where(np.isfinite(sums.least[rows]), sums.least[rows], 0.0),
            )
            q, step = q.copy(), step.copy()
            q[rows], after, step[rows] = moved
            now = Point(*(_put(part, rows, new) for part, new in zip(now, after, strict=True)))
            recent.append(now.value)
        nodes.q, nodes.step = at_best, step
        nodes.bound = np.minimum(nodes.bound, bound + 16 * EPS * np.abs(bound))
        return nodes, best

    def _stepped(
        self,
        q: Floats,
        now: Point,
        delta: Floats,
        domains: tuple[Flags, Flags, Indices],
        step: Floats,
        floor: Floats,
        least: Floats,
    ) -> tuple[Floats, Point, Floats]:
        """A step of each: along the projection of the gradient, shortened until it rises above the floor."""
        relative = np.where(domains[0], now.g - least[:, None], 0.0)
        direction = project_rows(q + step[:, None] * relative, *domains) - q
        slope = np.einsum("bj,bj->b", now.g, direction)
        length = np.ones(len(q))
        there = np.clip(q + direction, 0.0, 1.0)
        after = self.at(there, delta)
        for _ in range(12):
            short = np.flatnonzero(after.value < floor + 1e-4 * length * slope)
            if not short.size:
                break
            length[short] /= 3
            there[short] = np.clip(q[short] + length[short, None] * direction[short], 0.0, 1.0)
            again = self.at(there[short], delta[short])
            after = Point(*(_put(part, short, new) for part, new in zip(after, again, strict=True)))
        change = there - q
        curvature = np.einsum("bj,bj->b", change, now.g - after.g)
        size = np.einsum("bj,bj->b", change, change)
        step = np.where(curvature > 0, size / np.maximum(curvature, 1e-300), step)
        return there, after, step


def _chosen(which: Flags, one: Floats, other: Floats) -> Floats:
    return np.where(which if one.ndim == 1 else which[:, None], one, other)


def _put(whole: Floats, rows: Indices, part: Floats) -> Floats:
    whole = whole.copy()
    whole[rows] = part
    return whole
