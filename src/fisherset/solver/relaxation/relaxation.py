"""The convex relaxation: F(q) over the hull of the domain, and the bound it gives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fisherset._format import NEGLIGIBLE
from fisherset._types import Floats, Indices
from fisherset.solver.domain import NONE, Domain
from fisherset.solver.linear import solve_scaled
from fisherset.solver.problem import Problem
from fisherset.solver.proof import Tangent, tangent_from_weights
from fisherset.solver.relaxation.ascent import Function, ascend
from fisherset.solver.relaxation.screening import Screen
from fisherset.solver.ridge import FeatureRidge, largest_system, ridge_on, samples_for
from fisherset.solver.trace import Status, Trace
from fisherset.solver.units import TIE, largest, without

# The pool of columns starts at this many times m and grows by what the bound asks for.
POOL_FACTOR = 3
POOL_LEAST = 100
LARGE_POOL = 500  # units from which a factor takes long, and steps are faster where few digits are needed
# What a bound has to leave open of the rounded set to be loose anyway.
LOOSE_BOUND = 0.1
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
    first: Floats | None = None  # q of the first pool, which is where it ends without a certificate


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

    With `thrift`, until what F(q) of a large pool may still gain is little beside what the bound leaves
    open of the rounded set. Solves on a pool of promising units and lets the bound over all of them name
    those that lack; on all units at once where a first bound says nothing, as the optimum is spread over
    most of them then. `start` is the q of a problem alike, such as another m or gamma on the same table.
    """
    units = domain.units
    if domain.m == 0:
        return Relaxation(np.zeros(units.size), 0.0, 0.0)
    g = units.total(gradient(problem.C, problem, gamma))  # at q = 0, where V = H
    most = 2 * domain.m * units.n_columns // units.size  # columns in play
    capacity = _capacity(problem, domain, most)
    size = min(capacity, max(POOL_FACTOR * domain.m, POOL_LEAST))
    before = NONE if start is None else np.flatnonzero(start)
    before = np.setdiff1d(before, domain.excluded) if domain.excluded.size else before
    members = domain.candidates(g, min(size, max(capacity - before.size, 0)))
    members = np.union1d(members, before) if before.size else members
    pool = _Pool(problem, domain, members, gamma, most)
    x = pool.domain.start(g[members]) if start is None else pool.domain.near(start[members])
    inner, first, growth = max((tol or 0.0) / 4, LOOSE), None, 1
    best, screen, whole = Relaxation(np.zeros(units.size), 0.0, problem.ceiling), Screen(problem), True
    looked_at: _Pool | None = None
    largest_square = float(problem.diagonal.max())
    nothing = NEGLIGIBLE * largest_square / (largest_square + gamma)  # a bound that is rounding alone
    beyond = _best_outside(g, members, domain)
    for _ in range(trace.max_iter):
        ascent = ascend(pool.evaluate, x, pool.domain, tol=inner, trace=trace)
        if looked_at is None and tol is not None and beyond < pool.domain.threshold(ascent.gradient):
            # the pool is likely to stay: it is solved to what is asked before all units are looked at
            ascent = ascend(pool.evaluate, ascent.x, pool.domain, tol=tol / 4, trace=trace)
        x, q = ascent.x, np.zeros(units.size)
        q[pool.members] = x
        first = q if first is None else first
        best = best._replace(q=q, value=ascent.value)
        if tol is not None and (ascent.steps or pool is not looked_at):  # else there is nothing new to see
            looked_at = pool
            A, W = pool.weights(x)
            counts = pool.domain.threshold(ascent.gradient)
            tangent, of_all = screen.tangent(domain, gamma, A, W, counts)
            bound = tangent.bound(domain)
            if best.tangent is None or bound <= best.upper_bound:
                best = Relaxation(q, ascent.value, min(problem.ceiling, bound), tangent, A, W)
                whole = of_all
        trace.record("relaxation", best.value, best.upper_bound, int(np.count_nonzero(x)))
        if tol is None or trace.out_of_time():
            break
        thrift = trace.thrift if x.size >= LARGE_POOL else 0.0  # where a sharper bound costs time
        left, enough = best.upper_bound - best.value, _enough(problem, domain, gamma, best, tol, thrift)
        if left <= enough * best.upper_bound or best.upper_bound <= nothing:
            break
        lacking, growth = _lacking(tangent.g, pool.members, domain, growth), 2 * growth
        full = x.size + lacking.size > capacity
        stuck = not lacking.size or (full and not ascent.steps)
        if stuck and inner <= PRECISION:
            trace.stopped(Status.PRECISION)
            break
        least = enough / 2 if enough > tol else tol / 4
        inner = inner / 4 if stuck else max(least, min(inner, left / best.upper_bound / 10))
        if bound > problem.ceiling and units.size - domain.excluded.size <= capacity and lacking.size:
            pool = _Pool(problem, domain, without(units.size, domain.excluded), gamma, units.n_columns)
            x = pool.domain.reweighted(np.sqrt(g[pool.members]) + TIE * np.sqrt(g.max()))
            x = reweigh(pool.roughly(), x, pool.domain, tol=inner, trace=trace)
        elif lacking.size:
            pool, x = pool.joined_by(lacking, x, tangent.g, capacity)
    else:
        trace.stopped(Status.MAX_ITER)
    if not whole:  # of every unit it is to be told what it can reach, and where it ranks
        best = best._replace(tangent=tangent_from_weights(problem, domain, gamma, best.A, best.W))
    return best if best.q is first else best._replace(first=first)


def _enough(
    problem: Problem, domain: Domain, gamma: float, found: Relaxation, tol: float, thrift: float
) -> float:
    """The share by which F(q) may stay below its bound: the tolerance, or what is worth the while."""
    bound = found.upper_bound
    if not tol * bound < bound - found.value <= thrift * bound:
        return tol
    A = domain.units.columns(domain.best(found.q, None if found.tangent is None else found.tangent.g))
    if A.size > largest_system(problem):
        return tol
    W = solve_scaled(problem.gram(A, rows=A), np.ones(A.size), gamma, problem.C[A])
    open_ = 1 - float(np.vdot(problem.C[A], W)) / problem.n / bound
    loose = open_ - LOOSE_BOUND  # and the looser, the less it matters
    return max(tol, min(thrift, loose / 3) * open_)


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

    def roughly(self) -> Function:
        """The same function in less time where that can be had, not to many digits."""
        ridge, units = self._ridge, self.units
        if units.groups is not None or not isinstance(ridge, FeatureRidge) or len(self.members) < LARGE_POOL:
            return self.evaluate
        rough = ridge.roughly()

        def function(x: Floats) -> tuple[float, Floats]:
            value, XV = rough.evaluate(x)
            return value, gradient(XV, self.problem, self._gamma)

        return function

    def weights(self, x: Floats) -> tuple[Indices, Floats]:
        """Columns A of the problem and W with XV = C - G_:A W."""
        return self._ridge.weights(self.units.spread(x, self.members, self._columns))


def _capacity(problem: Problem, domain: Domain, most: int) -> int:
    """Units whose system is formed: the pool keeps to it where it leaves a choice."""
    units = domain.units
    if samples_for(problem, most) is not None:  # where their number costs little
        return units.size
    capacity = largest_system(problem) * units.size // max(units.n_columns, 1)
    return min(capacity, units.size) if capacity >= 3 * domain.m else units.size


def _best_outside(g: Floats, members: Indices, domain: Domain) -> float:
    """The largest gradient of a unit that may be chosen and is not in the pool."""
    outside = g.copy()
    outside[members] = outside[domain.excluded] = -np.inf
    return float(outside.max(initial=-np.inf))


def _lacking(g: Floats, members: Indices, domain: Domain, growth: int) -> Indices:
    """Units outside the pool that the bound counts: their gradient exceeds the least of the best inside.

    Of many the best, `growth` times as many as the pool has.
    """
    threshold = domain.within(members).threshold(g[members])
    outside = np.ones(g.size, dtype=bool)
    outside[members] = False
    outside[domain.excluded] = False
    candidates = np.flatnonzero(outside & (g > threshold))
    return candidates[largest(g[candidates], max(domain.m, POOL_LEAST, growth * members.size))]


def gradient(XV: Floats, problem: Problem, gamma: float) -> Floats:
    """dF/dq = s / (gamma n), Eq. (23) and (26)."""
    g: Floats = np.einsum("jr,jr->j", XV, XV) / (gamma * problem.n)
    return g


ROUNDS = 12
SLOW = 0.7  # what a turn has to leave of the gap at most, for another to be worth it


def reweigh(function: Function, x: Floats, domain: Domain, *, tol: float, trace: Trace) -> Floats:
    """A better point of the hull than x, which has no unit at nought."""
    last = np.inf
    for _ in range(ROUNDS):
        value, gradient = function(x)
        bound = domain.bound(value, gradient, x)
        gap = bound - value
        if gap <= tol * bound or gap > SLOW * last or trace.out_of_time():
            break
        last = gap
        x = domain.reweighted(x * np.sqrt(gradient))  # w_j = q_j (XV)_j / gamma
    return x
