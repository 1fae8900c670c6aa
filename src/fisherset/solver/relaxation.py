"""The convex relaxation: F(q) over the hull of the domain, and the bound it gives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.ascent import ascend
from fisherset.solver.domain import NONE, Domain
from fisherset.solver.problem import Problem
from fisherset.solver.proof import Tangent, tangent_from_weights
from fisherset.solver.spaces import largest_system, ridge_on, samples_for
from fisherset.solver.trace import Status, Trace
from fisherset.solver.units import largest

# The pool of columns starts at this many times m and grows by what the bound asks for.
POOL_FACTOR = 3
POOL_LEAST = 100
# What the relaxation is solved to where nobody asks for its bound: the exchange mends the rest.
LOOSE = 0.01
# Share of F below which the arithmetic, not the iteration, limits the gap.
PRECISION = 1e-14


class Relaxation(NamedTuple):
    """A nearly optimal q, F(q), the best tangent met, and its bound on every set of the domain.

    Where only a pool of units was looked at there is no tangent: the bound is the ceiling of F.
    """

    q: Floats
    value: float
    upper_bound: float
    tangent: Tangent | None = None
    A: Indices = np.empty(0, dtype=np.intp)  # the columns in play
    W: Floats = np.empty((0, 0))  # and their weights, which the tangent comes from
    with_each: Floats | None = None  # the most that sets with each unit reach, where all were tried


def relax(
    problem: Problem,
    domain: Domain,
    gamma: float,
    *,
    tol: float | None,
    trace: Trace,
    start: Floats | None = None,
) -> Relaxation:
    """Maximise F(q) until its upper bound is within the share `tol` of it, or, with None, on a pool only.

    Solves on a pool of promising units and lets the bound over all of them name those that
    lack; in sample space, where their number costs little, on all at once. `start` is the q
    of a problem alike, such as another m or gamma on the same table.
    """
    units = domain.units
    if domain.m == 0:
        return Relaxation(np.zeros(units.size), 0.0, 0.0)
    g = units.total(gradient(problem.C, problem, gamma))  # at q = 0, where V = H
    most = 2 * domain.m * units.n_columns // units.size  # columns in play
    by_samples = samples_for(problem, most) is not None
    capacity = units.size if by_samples else _capacity(problem, domain)
    size = capacity if by_samples else min(capacity, max(POOL_FACTOR * domain.m, POOL_LEAST))
    before = NONE if start is None else np.setdiff1d(np.flatnonzero(start), domain.barred)
    members = domain.candidates(g, min(size, max(capacity - before.size, 0)))
    members = np.union1d(members, before) if before.size else members
    pool = _Pool(problem, domain, members, gamma, most)
    x = pool.domain.start(g[members]) if start is None else pool.domain.near(start[members])
    inner = (tol or LOOSE) / 2 if by_samples else max((tol or 0.0) / 4, LOOSE)
    best = Relaxation(np.zeros(units.size), 0.0, problem.ceiling)
    for _ in range(trace.max_iter):
        ascent = ascend(pool.evaluate, x, pool.domain, tol=inner, trace=trace)
        x, q = ascent.x, np.zeros(units.size)
        q[pool.members] = x
        best = best._replace(q=q, value=ascent.value)
        if tol is not None:
            A, W = pool.weights(x)
            tangent = tangent_from_weights(problem, domain, gamma, A, W)
            bound = tangent.bound(domain)
            if best.tangent is None or bound <= best.upper_bound:
                best = Relaxation(q, ascent.value, min(bound, problem.ceiling), tangent, A, W)
        trace.record("relaxation", best.value, best.upper_bound, int(np.count_nonzero(x)))
        if tol is None or best.upper_bound - best.value <= tol * best.upper_bound or trace.out_of_time():
            return best
        lacking = _lacking(tangent.g, pool.members, domain)
        full = x.size + lacking.size > capacity
        stuck = not lacking.size or (full and not ascent.steps)
        if stuck and inner <= PRECISION:
            trace.stopped(Status.PRECISION)
            return best
        gap = (best.upper_bound - best.value) / best.upper_bound
        inner = inner / 4 if stuck else max(tol / 4, min(inner, gap / 10))
        if lacking.size:
            pool, x = pool.joined_by(lacking, x, tangent.g, capacity)
    trace.stopped(Status.MAX_ITER)
    return best


class _Pool:
    """F as a function of the q of some units; values of units are in the order of `members`."""

    def __init__(self, problem: Problem, domain: Domain, members: Indices, gamma: float, most: int) -> None:
        self._whole, self._gamma, self._most = domain, gamma, most
        self.problem, self.units, self.members = problem, domain.units, members
        self.domain, self._columns = domain.within(members), domain.units.columns(members)
        self._ridge = ridge_on(problem, self._columns, gamma, most)

    def joined_by(self, lacking: Indices, x: Floats, g: Floats, capacity: int) -> tuple[_Pool, Floats]:
        """The pool with more units, which come last, and its x; the idle ones make place where they must."""
        stay = np.arange(x.size)
        if x.size + lacking.size > capacity:
            stay = np.flatnonzero(x > 0)
            lacking = lacking[largest(g[lacking], max(capacity - stay.size, 1))]
        members = np.concatenate([self.members[stay], lacking])
        pool = _Pool(self.problem, self._whole, members, self._gamma, self._most)
        return pool, np.concatenate([x[stay], np.zeros(lacking.size)])

    def evaluate(self, x: Floats) -> tuple[float, Floats]:
        """F and its gradient."""
        value, XV = self._ridge.evaluate(self.units.spread(x, self.members, self._columns))
        g = gradient(XV, self.problem, self._gamma)
        return value, self.units.total(g, self.members, self._columns)

    def weights(self, x: Floats) -> tuple[Indices, Floats]:
        """Columns A of the problem and W with XV = C - G_:A W."""
        return self._ridge.weights(self.units.spread(x, self.members, self._columns))


def _capacity(problem: Problem, domain: Domain) -> int:
    """Units whose system is formed: the pool keeps to it where it leaves a choice."""
    units = domain.units
    capacity = largest_system(problem) * units.size // max(units.n_columns, 1)
    return min(capacity, units.size) if capacity >= 3 * domain.m else units.size


def _lacking(g: Floats, members: Indices, domain: Domain) -> Indices:
    """Units outside the pool that the bound counts: their gradient exceeds the least of the best inside."""
    threshold = domain.within(members).threshold(g[members])
    outside = np.ones(g.size, dtype=bool)
    outside[members] = False
    outside[domain.barred] = False
    candidates = np.flatnonzero(outside & (g > threshold))
    return candidates[largest(g[candidates], max(domain.m, POOL_LEAST))]


def gradient(XV: Floats, problem: Problem, gamma: float) -> Floats:
    """dF/dq = s / (gamma n), Eq. (23) and (26)."""
    g: Floats = np.einsum("jr,jr->j", XV, XV) / (gamma * problem.n)
    return g
