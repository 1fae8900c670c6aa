"""Algorithm 1 of the paper: cutting planes over the m-subsets, multiple kernel learning inside.

Each cut p^t is a vertex of the capped simplex and lambda_t its weight, so that
q = sum of lambda_t p^t. The answer is the union of the cuts, whose size is steered
through m (section 4.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.algorithm1.mixture import Mixture, Shortlist
from fisherset.solver.domain import Domain, largest, without
from fisherset.solver.exact.enumeration import tighten
from fisherset.solver.problem import Problem
from fisherset.solver.proof import tangent_from_weights
from fisherset.solver.relaxation.relaxation import PRECISION, Relaxation, relax
from fisherset.solver.solution import Solution, conclude, empty_solution
from fisherset.solver.subset import measure_subset
from fisherset.solver.trace import Status, Trace

# Weight up to which a cut counts as idle: whether a weight that vanishes in the limit is
# exactly zero after finitely many steps is a matter of rounding.
IDLE = 1e-6


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


def cutting_plane_path(
    problem: Problem,
    domains: Sequence[Domain],
    gamma: float,
    *,
    tol: float,
    certified: bool = True,
    trace: Trace,
    start: Floats | None = None,
) -> Iterator[Solution]:
    """Raise m from 1, and for each domain take the first union that has as many units (see `Solver`).

    The last cut is trimmed. The paper raises m by one; here it leaps, and comes back by halves. The runs of
    Algorithm 1 share the shortlist: a run that had to list more units is repeated if it is the answer, as its
    first cuts were the worst of too few. A `start` is of no use.
    """
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
