"""The convex relaxation: F(q) over the hull of the domain, and the bound it gives."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from fisherset._format import NEGLIGIBLE
from fisherset._types import Floats, Indices
from fisherset.solver.domain import EMPTY, Domain, largest, mask_of
from fisherset.solver.linear import solve_scaled
from fisherset.solver.problem import Problem, largest_system, samples_for
from fisherset.solver.proof import Screen, Tangent, tangent_from_weights
from fisherset.solver.relaxation.ascent import Ascent, ascend
from fisherset.solver.relaxation.subspace import Climb, can_climb, climb
from fisherset.solver.ridge import Ridge, ridge_on
from fisherset.solver.trace import Status, Trace

# The pool starts at this many times m units, at least so many: the support of q is rarely above 2m.
POOL_FACTOR = 3
POOL_LEAST = 100
# Units from which factors take long: a subspace is faster then.
LARGE_POOL = 400
# Gap to which the relaxation is solved without a certificate: exchange mends the rest.
UNCERTIFIED_TOL = 0.01
# Share of F below which the arithmetic, not the iteration, limits the gap.
PRECISION = 1e-14


class Relaxation(NamedTuple):
    """A nearly optimal q, F(q), the best tangent met, and its bound on every set of the domain.

    Without a certificate only a pool of units is searched: without a tangent, the bound is the ceiling of F.
    """

    q: Floats
    value: float
    upper_bound: float
    tangent: Tangent | None = None
    A: Indices = EMPTY  # the columns in play
    W: Floats = np.empty((0, 0))  # and their weights, which the tangent comes from
    with_each: Floats | None = None  # bound on the sets with each unit, if all sets were tried
    first: Floats | None = None  # q of the first pool, which is the answer without a certificate


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

    F(q) is concave, Eq. (22), and few of the units have a weight at its maximum. So, in turns:

    1. ascend on a pool of promising units, Eq. (23) to (25);
    2. bound F over all units by the tangent at that q, Eq. (26) and (27);
    3. add the units outside the pool that the bound counts, and solve more exactly.

    If the first bound counts very many units, `climb` on all of them, and go on from there.
    `start` is the q of a similar problem, such as another m or gamma on the same table.
    """
    if domain.m == 0:
        return Relaxation(np.zeros(domain.units.size), 0.0, 0.0)
    run = _Run(problem, domain, gamma, tol, trace, start)
    for _ in range(trace.max_iter):
        ascent = run.ascend()
        run.bound(ascent)
        if run.finished(ascent) or run.climbed():
            break
        run.enlarge()
    else:
        trace.stopped(Status.MAX_ITER)
    return run.result()


class _Run:
    """The state of one relaxation: the pool with its x, and the best bound so far."""

    def __init__(
        self,
        problem: Problem,
        domain: Domain,
        gamma: float,
        tol: float | None,
        trace: Trace,
        start: Floats | None,
    ) -> None:
        self.problem, self.domain, self.gamma, self.tol, self.trace = problem, domain, gamma, tol, trace
        units = domain.units
        self._g = units.total(gradient(problem.C, problem, gamma))  # at q = 0, where V = H
        self._most = 2 * domain.m * units.n_columns // units.size  # columns with a weight, as a guess
        self._capacity = _capacity(problem, domain, self._most)
        self.pool = self._first_pool(start)
        members = self.pool.members
        inside = self.pool.domain
        self.x = inside.start(self._g[members]) if start is None else inside.nearest(start[members])
        self._outside = _best_outside(self._g, members, domain)
        self._inner = max((tol or 0.0) / 4, UNCERTIFIED_TOL)  # what the pool is solved to
        self._growth = 1
        self._bounded: _Pool | None = None  # the pool of the last bound
        self._screen, self._exact_for_all = Screen(problem), True
        self._may_climb = tol is not None and can_climb(problem)
        self._first: Floats | None = None
        self.best = Relaxation(np.zeros(units.size), 0.0, problem.ceiling)

    def _first_pool(self, start: Floats | None) -> _Pool:
        """The units of largest gradient, and those that had a weight before."""
        domain = self.domain
        size = min(self._capacity, max(POOL_FACTOR * domain.m, POOL_LEAST))
        before = EMPTY if start is None else np.setdiff1d(np.flatnonzero(start), domain.excluded)
        members = domain.candidates(self._g, min(size, max(self._capacity - before.size, 0)))
        members = np.union1d(members, before) if before.size else members
        return _Pool(self.problem, domain, members, self.gamma, self._most)

    def ascend(self) -> Ascent:
        """Step 1: maximise F on the pool, Eq. (23) to (25)."""
        pool, tol = self.pool, self.tol
        ascent = ascend(pool.evaluate, self.x, pool.domain, tol=self._inner, trace=self.trace)
        threshold = pool.domain.threshold(ascent.gradient)
        if tol is not None and self._bounded is None and self._outside < threshold:
            # the pool will probably stay: solved to tol at once, one pass over all units may suffice
            ascent = ascend(pool.evaluate, ascent.x, pool.domain, tol=tol / 4, trace=self.trace)
        self.x, q = ascent.x, np.zeros(self.domain.units.size)
        q[pool.members] = ascent.x
        self._first = q if self._first is None else self._first
        self.best = self.best._replace(q=q, value=ascent.value)
        return ascent

    def bound(self, ascent: Ascent) -> None:
        """Step 2: the tangent at q over all units, Eq. (26), and its bound, Eq. (27)."""
        # without a step, on the same pool, the tangent would be the same
        if self.tol is not None and (ascent.steps or self.pool is not self._bounded):
            self._bounded = self.pool
            A, W = self.pool.weights(self.x)
            counts = self.pool.domain.threshold(ascent.gradient)
            tangent, for_all = self._screen.tangent(self.domain, self.gamma, A, W, counts)
            self._note(tangent, A, W, for_all)
        self._record()

    def _note(self, tangent: Tangent, A: Indices, W: Floats, for_all: bool) -> None:
        """Keep the tangent for weights W of columns A if it is the best."""
        self._tangent, bound = tangent, tangent.bound(self.domain)
        best = self.best
        if best.tangent is None or bound <= best.upper_bound:
            upper_bound = min(self.problem.ceiling, bound)
            self.best = Relaxation(best.q, best.value, upper_bound, tangent, A, W)
            self._exact_for_all = for_all

    def _record(self) -> None:
        active = int(np.count_nonzero(self.x))
        self.trace.record("relaxation", self.best.value, self.best.upper_bound, active)

    def finished(self, ascent: Ascent) -> bool:
        """Whether the bound is tight enough, or cannot become tighter; else say what the next turn needs."""
        if self.tol is None or self.trace.out_of_time():
            return True
        best, tol = self.best, self.tol
        left, enough = best.upper_bound - best.value, self._enough()
        longest = float(self.problem.diagonal.max())
        nothing = NEGLIGIBLE * longest / (longest + self.gamma)  # a bound that is rounding alone
        if left <= enough * best.upper_bound or best.upper_bound <= nothing:
            return True
        self._lacking = _lacking(self._tangent.g, self.pool.members, self.domain)
        self._growth *= 2
        full = self.x.size + self._lacking.size > self._capacity
        stuck = not self._lacking.size or (full and not ascent.steps)
        if stuck and self._inner <= PRECISION:
            self.trace.stopped(Status.PRECISION)
            return True
        least = enough / 2 if enough > tol else tol / 4
        # a tenth of the gap is exact enough while units are lacking; if none is, the pool has the gap
        self._inner = self._inner / 4 if stuck else max(least, min(self._inner, left / best.upper_bound / 10))
        return False

    def _enough(self) -> float:
        """The share by which F(q) may stay below its bound: more than the tolerance for a large pool."""
        found, tol = self.best, self.tol or 0.0
        if self.x.size < LARGE_POOL or found.tangent is None:
            return tol
        return self._enough_at(found.q, found.tangent.g, found.value, found.upper_bound)

    def _enough_at(self, q: Floats, g: Floats, value: float, bound: float) -> float:
        """The share by which F(q) may stay below a bound: the tolerance, or more if the bound is loose.

        The bound leaves open what the rounded set does not reach: F(q) need only be known to a part of that.
        """
        tol, loose_tol, problem = self.tol or 0.0, self.trace.loose_tol, self.problem
        if not tol * bound < bound - value <= loose_tol * bound:
            return tol
        A = self.domain.units.columns(self.domain.best(q, g))
        if A.size > largest_system(problem):
            return tol
        W = solve_scaled(problem.gram(A, rows=A), np.ones(A.size), self.gamma, problem.C[A])
        open_ = 1 - float(np.vdot(problem.C[A], W)) / problem.n / bound
        return max(tol, loose_tol * open_)

    def climbed(self) -> bool:
        """Instead of a third step, once: go on with all units if many lack; whether that is enough."""
        if not self._may_climb or self.x.size + self._lacking.size < LARGE_POOL:
            return False
        self._may_climb = False
        problem, domain, best = self.problem, self.domain, self.best
        assert best.tangent is not None
        W = np.zeros_like(problem.C)
        W[best.A] = best.W
        start = Climb(best.q, best.value, best.upper_bound, W)
        found = climb(
            problem, domain, self.gamma, start, best.tangent.g, enough=self._enough_at, trace=self.trace
        )
        A = np.flatnonzero(found.W.any(axis=1))
        self.best = best._replace(q=found.q, value=found.value)
        self._note(tangent_from_weights(problem, domain, self.gamma, A, found.W[A]), A, found.W[A], True)
        members = domain.candidates(found.q, max(int(np.count_nonzero(found.q)), domain.m))
        self.pool = _Pool(problem, domain, members, self.gamma, self._most)
        self.x = found.q[members]
        self._record()
        bound = self.best.upper_bound
        left = bound - self.best.value
        if left <= self._enough_at(found.q, self._tangent.g, found.value, bound) * bound:
            return True
        self._lacking = _lacking(self._tangent.g, members, domain)
        self._inner = max((self.tol or 0.0) / 4, min(self._inner, left / bound / 10))
        return self.trace.out_of_time()

    def enlarge(self) -> None:
        """Step 3: add the best of the units that lack, more of them each time."""
        lacking, g = self._lacking, self._tangent.g
        if lacking.size:
            most = max(self.domain.m, POOL_LEAST, self._growth // 2 * self.x.size)
            some = lacking[largest(g[lacking], most)]
            self.pool, self.x = self.pool.joined_by(some, self.x, g, self._capacity)

    def result(self) -> Relaxation:
        best = self.best
        if not self._exact_for_all:  # bounds and ranks are stated for every unit
            tangent = tangent_from_weights(self.problem, self.domain, self.gamma, best.A, best.W)
            best = best._replace(tangent=tangent)
        return best if best.q is self._first else best._replace(first=self._first)


class _Pool:
    """F as a function of the q of some units; values of units are in the order of `members`."""

    def __init__(self, problem: Problem, domain: Domain, members: Indices, gamma: float, most: int) -> None:
        self._whole, self._gamma, self._most = domain, gamma, most
        self.problem, self.units, self.members = problem, domain.units, members
        self.domain, self._columns = domain.subdomain(members), domain.units.columns(members)

    @cached_property
    def _ridge(self) -> Ridge:
        return ridge_on(self.problem, self._columns, self._gamma, self._most)

    def joined_by(self, lacking: Indices, x: Floats, g: Floats, capacity: int) -> tuple[_Pool, Floats]:
        """The pool with more units, which come last, and its x; beyond capacity, idle units leave."""
        stay = np.arange(x.size)
        if x.size + lacking.size > capacity:
            stay = np.flatnonzero(x > 0)
            lacking = lacking[largest(g[lacking], max(capacity - stay.size, 1))]
        members = np.concatenate([self.members[stay], lacking])
        most = max(self._most, int(self.units.sizes[self.members[x > 0]].sum()))  # now that more is known
        pool = _Pool(self.problem, self._whole, members, self._gamma, most)
        return pool, np.concatenate([x[stay], np.zeros(lacking.size)])

    def evaluate(self, x: Floats) -> tuple[float, Floats]:
        """F and its gradient."""
        value, XV = self._ridge.evaluate(self.units.spread(x, self.members, self._columns))
        g = gradient(XV, self.problem, self._gamma)
        return value, self.units.total(g, self.members, self._columns)

    def weights(self, x: Floats) -> tuple[Indices, Floats]:
        """Columns A of the problem and W with XV = C - G_:A W."""
        return self._ridge.weights(self.units.spread(x, self.members, self._columns))


def _capacity(problem: Problem, domain: Domain, most: int) -> int:
    """Units whose system fits the memory limit; all units if that leaves the pool no choice."""
    units = domain.units
    if samples_for(problem, most) is not None:  # an n x n system, however many they are
        return units.size
    capacity = largest_system(problem) * units.size // max(units.n_columns, 1)
    return min(capacity, units.size) if capacity >= 3 * domain.m else units.size


def _best_outside(g: Floats, members: Indices, domain: Domain) -> float:
    """The largest gradient of an allowed unit that is not in the pool."""
    outside = g.copy()
    outside[members] = outside[domain.excluded] = -np.inf
    return float(outside.max(initial=-np.inf))


def _lacking(g: Floats, members: Indices, domain: Domain) -> Indices:
    """Units outside the pool that the bound counts: their gradient exceeds the least of the best inside."""
    threshold = domain.subdomain(members).threshold(g[members])
    outside = (g > threshold) & ~mask_of(g.size, members)
    outside[domain.excluded] = False
    return np.flatnonzero(outside)


def gradient(XV: Floats, problem: Problem, gamma: float) -> Floats:
    """dF/dq = s / (gamma n), Eq. (23) and (26)."""
    return np.einsum("jr,jr->j", XV, XV) / (gamma * problem.n)
