"""Algorithm 1 of the paper: cutting planes over the m-subsets, multiple kernel learning inside.

Each cut p^t is a vertex of the capped simplex and lambda_t its weight, so that
q = sum of lambda_t p^t. The answer is the union of the cuts, whose size is steered
through m (section 4.1).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fisherset.solver.ascent import ascend
from fisherset.solver.problem import Floats, Indices, Problem
from fisherset.solver.relaxation import gradient, relax
from fisherset.solver.ridge import Pool, sample_ridge
from fisherset.solver.simplex import upper_bound
from fisherset.solver.solution import Solution, conclude, nothing
from fisherset.solver.subset import measure_subset
from fisherset.solver.trace import Status, Trace
from fisherset.solver.units import Units, largest


class Cuts(NamedTuple):
    """The working set Omega at the end of Algorithm 1, oldest cut first, and its q."""

    cuts: list[Indices]
    q: Floats
    g: Floats
    value: float
    upper_bound: float


def solve_cutting_plane(problem: Problem, k: int, gamma: float, *, tol: float, trace: Trace) -> Solution:
    """Raise m from 1 until the union of the cuts has k units, trim the last cut, certify at k.

    The paper raises m by one. One more unit in every cut widens the union by at most the
    number of cuts, so while the union is far from k, m leaps by half of what that needs.
    """
    if k == 0:
        return nothing(problem, trace)
    pool = Pool(problem, gamma)
    m = 1
    while True:
        found = algorithm1(problem, m, gamma, tol=tol, trace=trace, pool=pool)
        union = np.unique(np.concatenate(found.cuts))
        if union.size >= k or m == k or trace.out_of_time():
            break
        m = min(k, m + max(1, (k - union.size) // (2 * len(found.cuts))))
    units = np.sort(_trim(found, k))
    state = measure_subset(problem, Units(problem).columns(units), gamma)
    return conclude(problem, units, state, found.q, relax(problem, k, gamma, tol=tol, trace=trace), trace)


def algorithm1(
    problem: Problem,
    m: int,
    gamma: float,
    *,
    tol: float,
    trace: Trace,
    pool: Pool | None = None,
) -> Cuts:
    """Algorithm 1 for one m, to a gap of `tol` between the bounds of Theorem 3.3.

    Departures from the printed algorithm: V starts at H, as V = 11'/n gives s = 0 on
    centred data; lambda starts from its last value with a share 1/t for the new cut
    instead of 1/t for all; cuts with no weight are dropped.
    """
    units, pool = Units(problem), Pool(problem, gamma) if pool is None else pool
    everything, columns = np.arange(units.size), np.arange(units.n_columns)
    g = units.total(gradient(problem.C, problem, gamma), everything, columns)
    cuts, weights = [largest(g, m)], np.ones(1)
    bound = problem.ceiling
    for t in range(1, trace.max_iter + 1):
        ridge = _Ridge(problem, pool, units, cuts, gamma)
        weights = ascend(ridge.mixture, weights, 1, tol=tol / 4, trace=trace).x
        # the cut just made stays for now: found again, it tells that precision is exhausted
        used = [i for i, weight in enumerate(weights) if weight > 0 or i == len(cuts) - 1]
        cuts, weights = [cuts[i] for i in used], weights[used] / weights[used].sum()
        q = np.zeros(units.size)
        for cut, weight in zip(cuts, weights, strict=True):
            q[cut] += weight
        np.minimum(q, 1.0, out=q)
        solved = weights
        value, XV = ridge.everywhere(q)
        g = units.total(gradient(XV, problem, gamma), everything, columns)
        bound = min(bound, upper_bound(value, g, q, m))  # u_t of Eq. (27)
        trace.record(f"cuts, m = {m}", value, bound, int(np.count_nonzero(q)))
        cut = largest(g, m)  # the most violated constraint, Eq. (26)
        known = any(np.array_equal(cut, other) for other in cuts)
        if bound - value <= tol * bound or known or trace.out_of_time():
            break
        cuts.append(cut)
        weights = np.append(weights * (1 - 1 / (t + 1)), 1 / (t + 1))
    else:
        trace.stopped(Status.MAX_ITER)
    working = [cut for cut, weight in zip(cuts, solved, strict=False) if weight > 0]
    return Cuts(working, q, g, value, bound)


class _Ridge:
    """F and its gradient in lambda for a set of cuts, in the smaller of the two spaces."""

    def __init__(self, problem: Problem, pool: Pool, units: Units, cuts: list[Indices], gamma: float) -> None:
        self.problem, self.pool, self.units, self.gamma = problem, pool, units, gamma
        self.members = np.unique(np.concatenate(cuts))
        self.columns = units.columns(self.members)
        self.choice = np.array([np.isin(self.members, cut) for cut in cuts], dtype=float)
        samples = problem.samples
        self.samples = samples if samples is not None and samples.size < self.columns.size else None
        if self.samples is None:
            pool.admit(self.columns)
            self.places = pool.positions(self.columns)

    def mixture(self, weights: Floats) -> tuple[float, Floats]:
        """F at q = sum of lambda_t p^t and its gradient, sum of g over each cut, Eq. (23)."""
        q = self.units.spread(weights @ self.choice, self.members, self.columns)
        if self.samples is None:
            pooled = np.zeros(self.pool.columns.size)
            pooled[self.places] = q
            value, XV = self.pool.evaluate(pooled)
            XV = XV[self.places]
        else:
            everywhere = np.zeros(self.units.n_columns)
            everywhere[self.columns] = q
            value, XV = sample_ridge(self.problem, self.samples, self.gamma, everywhere)
            XV = XV[self.columns]
        g = self.units.total(gradient(XV, self.problem, self.gamma), self.members, self.columns)
        return value, self.choice @ g

    def everywhere(self, q: Floats) -> tuple[float, Floats]:
        """F(q) and XV on all columns, for q over all units."""
        columns = np.arange(self.units.n_columns)
        spread = self.units.spread(q, np.arange(self.units.size), columns)
        if self.samples is None:
            return self.pool.everywhere(spread[self.pool.columns])
        return sample_ridge(self.problem, self.samples, self.gamma, spread)


def _trim(found: Cuts, k: int) -> Indices:
    """The first k units of the union: whole cuts while they fit, the next one by q."""
    chosen: Indices = np.empty(0, dtype=np.intp)
    for cut in found.cuts:
        new = np.setdiff1d(cut, chosen)
        room = k - chosen.size
        if new.size > room:
            new = new[largest(found.q[new], room, found.g[new])]
        chosen = np.concatenate([chosen, new])
    if chosen.size < k:  # stopped by time before the union was large enough
        others = np.setdiff1d(np.arange(found.q.size), chosen)
        chosen = np.concatenate([chosen, others[largest(found.g[others], k - chosen.size)]])
    return chosen
