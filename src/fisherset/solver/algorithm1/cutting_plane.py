"""Algorithm 1 of the paper: cutting planes over the m-subsets, multiple kernel learning inside.

Each cut p^t is a vertex of the capped simplex and lambda_t its weight, so that
q = sum of lambda_t p^t. The answer is the union of the cuts, whose size is steered
through m (section 4.1). F as a function of lambda has

    dF/dlambda = P g,   d2F/dlambda2 = -2 / (gamma^2 n) P [N o (XV)(XV)'] P',

a row of P for each cut and N = X'(I + X D X' / gamma)^-1 X. The cuts are few, so that a Newton step costs
little more than F itself, and a new cut takes one or two of them where projected gradients take tens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fisherset._types import EPS, Floats, Indices
from fisherset.solver.domain import EMPTY, Domain, Units, largest, without
from fisherset.solver.exact.enumeration import tighten
from fisherset.solver.linear import shifted, solve
from fisherset.solver.problem import Problem, largest_system
from fisherset.solver.proof import tangent_from_weights
from fisherset.solver.relaxation.ascent import Function, ascend
from fisherset.solver.relaxation.relaxation import (
    POOL_FACTOR,
    POOL_LEAST,
    PRECISION,
    Relaxation,
    gradient,
    relax,
)
from fisherset.solver.ridge import FeatureRidge, ridge_on
from fisherset.solver.solution import Solution, Task, conclude, empty_solution
from fisherset.solver.subset import measure_subset
from fisherset.solver.trace import Status, Trace

# Weight up to which a cut counts as idle: whether a weight that vanishes in the limit is
# exactly zero after finitely many steps is a matter of rounding.
IDLE = 1e-6
ALL_LISTED = 1024  # columns up to which all units are on the shortlist: 8 MB of G
# Share of F below which lambda is found by Newton's method: a few gradient steps reach a larger one.
NEWTON_TOL = 5e-3
# Newton steps after which F is too far from a parabola, as with a tiny gamma: gradients are cheaper then.
NEWTON_STEPS = 8


@dataclass(frozen=True)
class Cuts:
    """The working set Omega at the end of Algorithm 1, oldest cut first, and its q."""

    cuts: list[Indices]
    q: Floats
    g: Floats
    value: float
    upper_bound: float
    complete: bool = True  # whether every unit that was needed was on the shortlist from the start

    @cached_property
    def size(self) -> int:
        """Number of units in the union of the cuts."""
        return int(np.unique(np.concatenate(self.cuts)).size)


def cutting_plane_path(task: Task) -> Iterator[Solution]:
    """Raise m from 1, and for each domain take the first union that has as many units.

    The last cut is trimmed. The paper raises m by one; here it leaps, and comes back by halves. The runs of
    Algorithm 1 share the shortlist: a run that had to list more units is repeated if it is the answer, as its
    first cuts were the worst of too few. A `start` is of no use.
    """
    problem, domains, gamma, tol, certified, trace, _ = task
    tried: dict[int, Cuts] = {}
    shortlist = None
    for domain in domains:
        if domain.m == 0:
            yield empty_solution(domain, trace)
            continue
        shortlist = shortlist or Shortlist(problem, domain, gamma)
        while (m := next_m(tried, domain)) not in tried or not tried[m].complete:
            if tried and trace.out_of_time():
                break
            tried[m] = algorithm1(
                problem, replace(domain, m=m), gamma, tol=tol, trace=trace, shortlist=shortlist
            )
        found = tried[min((m for m in tried if tried[m].size >= domain.m), default=max(tried))]
        units = np.sort(trimmed(found, domain))
        state = measure_subset(problem, domain.units.columns(units), gamma)
        relaxation = Relaxation(found.q, found.value, problem.ceiling)
        if certified:
            relaxation = relax(problem, domain, gamma, tol=tol, trace=trace, start=found.q)
            relaxation, _ = tighten(problem, domain, gamma, relaxation, state.value)
        yield conclude(problem, domain, units, state, found.q, relaxation, trace)


def next_m(tried: Mapping[int, Cuts], domain: Domain) -> int:
    """The m to try next for a union of k units, or again the one that is the answer.

    The answer is the least m tried whose union has k units, that of m - 1 having fewer. Until
    some m has, m leaps by what the last two promise, at most half of the way to k, whose
    cuts have k units each; then the interval is halved.
    """
    k = domain.m
    high = min((m for m in tried if tried[m].size >= k), default=k)
    below = sorted(m for m in tried if m < high)
    if not below:
        return max(1, domain.required.size)
    m, half = below[-1], (below[-1] + high) // 2
    if m == high - 1 or high in tried:
        return high if m == high - 1 else half
    last, size = (below[-2], tried[below[-2]].size) if len(below) > 1 else (0, 0)
    gained = tried[m].size - size
    leap = (k - tried[m].size) * (m - last) // gained if gained > 0 else k
    return min(m + max(leap, 1), half)


def algorithm1(
    problem: Problem,
    domain: Domain,
    gamma: float,
    *,
    tol: float,
    trace: Trace,
    shortlist: Shortlist | None = None,
) -> Cuts:
    """Algorithm 1 for one m, to a gap of `tol` between the bounds of Theorem 3.3.

    Departures from the printed algorithm: V starts at H, as V = 11'/n gives s = 0 on
    centred data; lambda starts from its last value instead of 1/t, so that l_t cannot
    fall, and moves by Newton's method if `tol` is small; cuts without weight are dropped;
    the worst cut is looked for among all units, which takes a pass over the data, only
    when the shortlist has none that is violated by more than `tol`.
    """
    shortlist = shortlist or Shortlist(problem, domain, gamma)
    cuts, weights = [domain.best(shortlist.first)], np.ones(1)
    shortlist.add(cuts[0])
    bound, inner, second_order, complete = problem.ceiling, tol / 4, True, True
    for step in range(1, trace.max_iter + 1):
        # the multiple kernel learning problem on the working set, Eq. (22)
        mixture = Mixture(problem, domain.units, cuts, gamma, shortlist)
        weights, second_order = mixture.best_weights(weights, second_order, tol=inner, trace=trace)
        cuts = [cut for cut, weight in zip(cuts, weights, strict=True) if weight > IDLE]
        weights = weights[weights > IDLE]
        q, value, A, W = mixture.everywhere(cuts, weights)
        late = trace.out_of_time()
        # the most violated constraint, Eq. (26): of the shortlist, or, if none is, of all units
        violated, by = shortlist.violated(domain, q, A, W)
        settled = by <= tol * (value + by) or (inner <= PRECISION and _among(cuts, violated))
        if settled or late or step == trace.max_iter:
            tangent = tangent_from_weights(problem, domain, gamma, A, W)
            bound = min(bound, tangent.bound(domain))  # u_t of Eq. (27)
            violated = domain.best(tangent.g)
            complete = not shortlist.add_lacking(domain, tangent.g) and complete
            found = Cuts(cuts, q, tangent.g, value, bound, complete)
        trace.record(f"cuts, m = {domain.m}", value, bound, int(np.count_nonzero(q)))
        if late or (settled and bound - value <= tol * bound):
            return found
        if not _among(cuts, violated):
            cuts, weights = [*cuts, violated], np.append(weights, 0.0)
        elif inner > PRECISION:
            inner /= 4  # the worst cut is in the working set: lambda is not yet exact enough
        elif settled:
            trace.stopped(Status.PRECISION)
            return found
    trace.stopped(Status.MAX_ITER)
    return found


def _among(cuts: list[Indices], cut: Indices) -> bool:
    return any(np.array_equal(cut, one) for one in cuts)


def trimmed(found: Cuts, domain: Domain) -> Indices:
    """The first k units of the union: whole cuts while they fit, of the next those with the largest q."""
    chosen, k = domain.required, domain.m
    for cut in found.cuts:
        new = np.setdiff1d(cut, chosen)
        room = k - chosen.size
        if new.size > room:
            new = new[largest(found.q[new], room, found.g[new])]
        chosen = np.concatenate([chosen, new])
    if chosen.size < k:  # stopped by time before the union was large enough
        others = without(found.q.size, np.union1d(chosen, domain.excluded))
        chosen = np.concatenate([chosen, others[largest(found.g[others], k - chosen.size)]])
    return chosen


class Shortlist:
    """The units among which cuts are looked for first: their block of G is held, so that it takes no pass.

    Excluded units are never listed.
    """

    def __init__(self, problem: Problem, domain: Domain, gamma: float) -> None:
        self.problem, self.units, self.gamma = problem, domain.units, gamma
        self.first: Floats = self.units.total(gradient(problem.C, problem, gamma))  # at q = 0, where V = H
        self.members, self.columns, self._G = EMPTY, EMPTY, np.empty((0, 0))
        columns = self.units.n_columns
        size = self.units.size if columns <= ALL_LISTED else max(POOL_FACTOR * domain.m, POOL_LEAST)
        most = largest_system(problem) * self.units.size // max(columns, 1)
        allowed = self.units.size - domain.excluded.size
        self.add(domain.candidates(self.first, min(size, most, allowed)))

    def add(self, some: Indices) -> bool:
        """List more units, if their block fits the memory limit, and say whether any is new."""
        new = np.setdiff1d(some, self.members)
        members = np.union1d(self.members, new)
        columns = self.units.columns(members)
        if not new.size or columns.size > largest_system(self.problem):
            return False
        known = np.isin(columns, self.columns)
        G = np.empty((columns.size, columns.size))
        G[np.ix_(known, known)] = self._G
        G[:, ~known] = self.problem.gram(columns[~known], rows=columns)
        G[np.ix_(~known, known)] = G[np.ix_(known, ~known)].T
        self.members, self.columns, self._G = members, columns, G
        return True

    def add_lacking(self, domain: Domain, g: Floats) -> bool:
        """List the units whose g would put them into the worst cut of the listed ones."""
        threshold = -np.inf
        if self.members.size >= domain.m:
            threshold = domain.subdomain(self.members).threshold(g[self.members])
        outside = g > threshold
        outside[self.members] = outside[domain.excluded] = False
        lacking = np.flatnonzero(outside)
        return self.add(lacking[largest(g[lacking], max(domain.m, POOL_LEAST))])

    def violated(self, domain: Domain, q: Floats, A: Indices, W: Floats) -> tuple[Indices, float]:
        """The set of listed units that is violated most for V = H - X_A W, Eq. (26), and by how much of F.

        Not violated if some of the columns A are not listed.
        """
        if not self.lists(A):
            return EMPTY, 0.0
        XV = self.problem.C[self.columns] - self._G[:, np.searchsorted(self.columns, A)] @ W
        g = self.units.total(gradient(XV, self.problem, self.gamma), self.members, self.columns)
        listed = domain.subdomain(self.members)
        return self.members[listed.best(g)], listed.bound(0.0, g, q[self.members])

    def lists(self, columns: Indices) -> bool:
        """Whether all of the columns are of listed units."""
        return bool(np.isin(columns, self.columns).all())

    def gram(self, columns: Indices) -> Floats:
        """G among listed columns."""
        places = np.searchsorted(self.columns, columns)
        return self._G[np.ix_(places, places)]


class Mixture:
    """F as a function of the weights lambda of some cuts."""

    def __init__(
        self,
        problem: Problem,
        units: Units,
        cuts: list[Indices],
        gamma: float,
        shortlist: Shortlist | None = None,
    ) -> None:
        self.problem, self.gamma, self.units = problem, gamma, units
        self.members = np.unique(np.concatenate(cuts))
        self.columns = self.units.columns(self.members)
        self.choice = np.array([np.isin(self.members, cut) for cut in cuts], dtype=float)
        self.ridge = ridge_on(problem, self.columns, gamma)
        self._shortlist = shortlist

    def evaluate(self, weights: Floats) -> tuple[float, Floats]:
        """F at q = sum of lambda_t p^t and its gradient, the sum of g over each cut, Eq. (23)."""
        q = self.units.spread(weights @ self.choice, self.members, self.columns)
        value, XV = self.ridge.evaluate(q)
        g = self.units.total(gradient(XV, self.problem, self.gamma), self.members, self.columns)
        return value, self.choice @ g

    def best_weights(
        self, weights: Floats, second_order: bool, *, tol: float, trace: Trace
    ) -> tuple[Floats, bool]:
        """The weights of the largest F, and whether Newton's method still pays.

        It needs G, a sample space that is no smaller, and a tol that gradients take long to reach.
        """
        listed = self._shortlist is not None and self._shortlist.lists(self.columns)
        if second_order and tol <= NEWTON_TOL and listed and isinstance(self.ridge, FeatureRidge):
            weights, second_order = newton(self.evaluate, self.curvature, weights, tol=tol, trace=trace)
            if second_order:
                return weights, True
        one_cut = Domain(Units(None, len(weights)), 1)
        return ascend(self.evaluate, weights, one_cut, tol=tol, trace=trace).x, second_order

    def curvature(self, weights: Floats) -> Floats:
        """The Hessian of -F, cuts x cuts."""
        assert self._shortlist is not None
        G, C = self._shortlist.gram(self.columns), self.problem.C[self.columns]
        P = np.array([self.units.spread(cut, self.members, self.columns) for cut in self.choice])
        root = np.sqrt(weights @ P)
        T = root[:, None] * G
        # one factorisation for N and XV: G and C adjusted for the columns with a weight
        Y = solve(shifted(T * root, self.gamma), np.hstack([T, root[:, None] * C]))
        N, XV = G - T.T @ Y[:, : len(G)], C - T.T @ Y[:, len(G) :]
        return 2 / (self.gamma**2 * self.problem.n) * (P @ (N * (XV @ XV.T)) @ P.T)

    def everywhere(self, cuts: list[Indices], weights: Floats) -> tuple[Floats, float, Indices, Floats]:
        """Q over all units, F(q), and columns A and W with XV = C - G_:A W on all columns."""
        q = np.zeros(self.units.size)
        for cut, weight in zip(cuts, weights / weights.sum(), strict=True):
            q[cut] += weight
        np.minimum(q, 1.0, out=q)
        of_columns = self.units.spread(q[self.members], self.members, self.columns)
        value, _ = self.ridge.evaluate(of_columns)
        return q, value, *self.ridge.weights(of_columns)


def newton(
    function: Function, curvature: Callable[[Floats], Floats], x: Floats, *, tol: float, trace: Trace
) -> tuple[Floats, bool]:
    """Maximise a concave function on the simplex from x; `curvature` is its Hessian with the sign turned.

    Returns a point no worse than x, and whether it is within `tol` of the best.
    """
    value, gradient = function(x)
    for step in range(NEWTON_STEPS + 1):
        gap = float(np.max(gradient) - x @ gradient)  # Eq. (27) on the simplex
        if gap <= tol * (value + gap):
            return x, True
        if step == NEWTON_STEPS or trace.out_of_time():
            break
        direction = top_on_simplex(gradient, curvature(x), x) - x
        slope, length = float(gradient @ direction), 1.0
        while True:
            new = np.maximum(x + length * direction, 0.0)
            new /= new.sum()
            new_value, new_gradient = function(new)
            # 4 EPS: at the top, F does not tell points apart
            if new_value >= value + 1e-4 * length * slope - 4 * EPS * value:
                break
            length /= 2
            if length < 1 / 64:  # far from a parabola
                return x, False
        x, value, gradient = new, new_value, new_gradient
    return x, False


def top_on_simplex(gradient: Floats, Q: Floats, x: Floats) -> Floats:
    """The y of the simplex with the largest gradient.(y - x) - (y - x)'Q(y - x) / 2, by active sets from x.

    Weights that reach zero are held there, and released, the most promising first, once
    the others are at their best. Each y on the way is of the simplex and better than the last.
    """
    y, size = x.copy(), x.size
    # a share of the curvature, so that the parabola has one top if cuts are alike
    Q = Q + 1e-10 * max(float(np.max(np.diag(Q))), np.finfo(float).tiny) * np.eye(size)
    rising, free = gradient, (x > 0) | (gradient > x @ gradient)
    for _ in range(3 * size + 10):
        F = np.flatnonzero(free)
        # weights keep their sum: only differences of the gradient matter, and are small
        ones, ahead = np.ones(F.size), rising[F] - rising[F].max()
        own, common = solve(Q[np.ix_(F, F)], np.column_stack([ahead, ones])).T
        level = float(own.sum() / common.sum())
        way = own - level * common
        way -= way.sum() / F.size
        falling = np.flatnonzero(way < 0)
        reach = y[F[falling]] / -way[falling]
        if falling.size and reach.min() < 1:
            held = F[falling[np.argmin(reach)]]
            y[F] += reach.min() * way
            y[held], free[held] = 0.0, False
            rising = gradient - Q @ (y - x)
            continue
        y[F] += way
        rising = gradient - Q @ (y - x)
        best = int(np.argmax(np.where(free, -np.inf, rising)))
        level = float(rising[F].max())
        if free[best] or rising[best] <= level + EPS * size * abs(level):
            break
        free[best] = True
    return np.maximum(y, 0.0)
