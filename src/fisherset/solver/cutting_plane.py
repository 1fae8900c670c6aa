"""Algorithm 1 of the paper: cutting planes over the m-subsets, multiple kernel learning inside.

Each cut p^t is a vertex of the capped simplex and lambda_t its weight, so that
q = sum of lambda_t p^t. The answer is the union of the cuts, whose size is steered
through m (section 4.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.ascent import ascend
from fisherset.solver.domain import Domain
from fisherset.solver.enumeration import tighten
from fisherset.solver.problem import Problem
from fisherset.solver.proof import tangent_from_weights
from fisherset.solver.relaxation import PRECISION, Relaxation, gradient, relax
from fisherset.solver.solution import Solution, conclude, empty_solution
from fisherset.solver.spaces import measure_subset, ridge_on
from fisherset.solver.trace import Status, Trace
from fisherset.solver.units import Units, largest, without

# Weight up to which a cut counts as idle: whether a weight that vanishes in the limit is
# exactly nought after finitely many steps is a matter of rounding.
IDLE = 1e-6


class Cuts(NamedTuple):
    """The working set Omega at the end of Algorithm 1, oldest cut first, and its q."""

    cuts: list[Indices]
    q: Floats
    g: Floats
    value: float
    upper_bound: float


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
    """Raise m from 1, and for each domain, in rising order, take the first union that has as many units.

    The last cut is trimmed. The paper raises m by one. One more unit in every cut widens
    the union by at most the number of cuts, so while the union is far from k, m leaps by
    half of what that needs. Without `certified` the bound is the ceiling of F, which costs
    nothing. There is no use for a `start`.
    """
    m, found = 1, None
    for domain in domains:
        k = domain.m
        if k == 0:
            yield empty_solution(domain, trace)
            continue
        m = max(m, domain.kept.size)
        while True:
            if found is None:
                found = algorithm1(problem, replace(domain, m=m), gamma, tol=tol, trace=trace)
            union = np.unique(np.concatenate(found.cuts))
            if union.size >= k or m >= k or trace.out_of_time():
                break
            m = min(k, m + max(1, (k - union.size) // (2 * len(found.cuts))))
            found = None
        units = np.sort(trimmed(found, domain))
        state = measure_subset(problem, domain.units.columns(units), gamma)
        relaxation = Relaxation(found.q, found.value, problem.ceiling)
        if certified:
            relaxation = relax(problem, domain, gamma, tol=tol, trace=trace, start=found.q)
            relaxation, _ = tighten(problem, domain, gamma, relaxation, state.value)
        yield conclude(problem, domain, units, state, found.q, relaxation, trace)


def algorithm1(problem: Problem, domain: Domain, gamma: float, *, tol: float, trace: Trace) -> Cuts:
    """Algorithm 1 for one m, to a gap of `tol` between the bounds of Theorem 3.3.

    Departures from the printed algorithm: V starts at H, as V = 11'/n gives s = 0 on
    centred data; lambda starts from its last value instead of 1/t, so that l_t cannot
    fall; cuts without weight are dropped.
    """
    units, m = domain.units, domain.m
    cuts, weights = [domain.best(units.total(gradient(problem.C, problem, gamma)))], np.ones(1)
    bound, inner = problem.ceiling, tol / 4
    for _ in range(trace.max_iter):
        mixture = _Mixture(problem, units, cuts, gamma)
        one_cut = Domain(Units(None, len(cuts)), 1)
        weights = ascend(mixture.evaluate, weights, one_cut, tol=inner, trace=trace).x
        cuts = [cut for cut, weight in zip(cuts, weights, strict=True) if weight > IDLE]
        weights = weights[weights > IDLE]
        q, value, A, W = mixture.everywhere(cuts, weights)
        tangent = tangent_from_weights(problem, domain, gamma, A, W)
        bound = min(bound, tangent.bound(domain))  # u_t of Eq. (27)
        trace.record(f"cuts, m = {m}", value, bound, int(np.count_nonzero(q)))
        found = Cuts(cuts, q, tangent.g, value, bound)
        if bound - value <= tol * bound or trace.out_of_time():
            return found
        violated = domain.best(tangent.g)  # Eq. (26)
        if not any(np.array_equal(violated, cut) for cut in cuts):
            cuts, weights = [*cuts, violated], np.append(weights, 0.0)
        elif inner > PRECISION:
            inner /= 4  # the worst cut is at hand already: lambda is not yet exact enough
        else:
            trace.stopped(Status.PRECISION)
            return found
    trace.stopped(Status.MAX_ITER)
    return found


class _Mixture:
    """F as a function of the weights lambda of some cuts."""

    def __init__(self, problem: Problem, units: Units, cuts: list[Indices], gamma: float) -> None:
        self.problem, self.gamma, self.units = problem, gamma, units
        self.members = np.unique(np.concatenate(cuts))
        self.columns = self.units.columns(self.members)
        self.choice = np.array([np.isin(self.members, cut) for cut in cuts], dtype=float)
        self.ridge = ridge_on(problem, self.columns, gamma)

    def evaluate(self, weights: Floats) -> tuple[float, Floats]:
        """F at q = sum of lambda_t p^t and its gradient, the sum of g over each cut, Eq. (23)."""
        q = self.units.spread(weights @ self.choice, self.members, self.columns)
        value, XV = self.ridge.evaluate(q)
        g = self.units.total(gradient(XV, self.problem, self.gamma), self.members, self.columns)
        return value, self.choice @ g

    def everywhere(self, cuts: list[Indices], weights: Floats) -> tuple[Floats, float, Indices, Floats]:
        """Q over all units, F(q), and columns A and W with XV = C - G_:A W on all columns."""
        q = np.zeros(self.units.size)
        for cut, weight in zip(cuts, weights / weights.sum(), strict=True):
            q[cut] += weight
        np.minimum(q, 1.0, out=q)
        of_columns = self.units.spread(q[self.members], self.members, self.columns)
        value, _ = self.ridge.evaluate(of_columns)
        return q, value, *self.ridge.weights(of_columns)


def trimmed(found: Cuts, domain: Domain) -> Indices:
    """The first k units of the union: whole cuts while they fit, of the next those with the largest q."""
    chosen, k = domain.kept, domain.m
    for cut in found.cuts:
        new = np.setdiff1d(cut, chosen)
        room = k - chosen.size
        if new.size > room:
            new = new[largest(found.q[new], room, found.g[new])]
        chosen = np.concatenate([chosen, new])
    if chosen.size < k:  # stopped by time before the union was large enough
        others = without(found.q.size, np.union1d(chosen, domain.barred))
        chosen = np.concatenate([chosen, others[largest(found.g[others], k - chosen.size)]])
    return chosen
