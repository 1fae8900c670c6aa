"""The exact solver: the joint one's answer, then branch and bound on what it leaves open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.domain import TIE, Domain, without
from fisherset.solver.exact.candidates import Candidates
from fisherset.solver.exact.search import Search
from fisherset.solver.exchange.exchange import improve
from fisherset.solver.joint import SWAP_TOL, joint_path
from fisherset.solver.problem import Problem, largest_system
from fisherset.solver.proof import UnitBounds
from fisherset.solver.relaxation.relaxation import Relaxation
from fisherset.solver.solution import Solution, Task, conclude
from fisherset.solver.trace import DEFAULT_TOL, Status, Trace

# Gap to which the first relaxation is solved: the units it rules out need not be searched.
ROOT_TOL = 1e-4
# Columns that are searched first, 8 MB of G, and the factor by which they grow then.
FIRST_CANDIDATES, GROWTH = 1000, 4
# Share of F that proofs about single units need between the best set and others: twice the largest gap that
# rounding may explain (`solution.LARGEST_ROUNDED_GAP`).
UNIQUE_BAND = 2e-6
# Share of F below the best at which a set is worth an exchange.
WORTH_EXCHANGE = 0.02


def exact_path(task: Task) -> Iterator[Solution]:
    """The joint solver's answer, then branch and bound until the gap is down to `tol`.

    Without `certified` the joint solver's answer is good enough.
    """
    root_tol = max(min(task.tol, DEFAULT_TOL), ROOT_TOL)
    roots = joint_path(task._replace(tol=root_tol))
    for domain, root in zip(task.domains, roots, strict=True):
        if task.certified and domain.m > 0:
            root = search_from(task.problem, domain, task.gamma, root, tol=task.tol, trace=task.trace)
        yield root


def search_from(
    problem: Problem, domain: Domain, gamma: float, root: Solution, *, tol: float, trace: Trace
) -> Solution:
    """Close the gap of a solution, as far as time, nodes and arithmetic allow.

    The bounds on the sets with each unit say which units are promising: these are searched first, and
    more of them only once the others are what keeps the gap open.
    """
    share, width, most = max(tol, TIE), FIRST_CANDIDATES, most_candidates(problem, domain)
    if root.gap <= share:
        return root
    if not searchable(problem, domain, gamma):
        trace.stopped(Status.PRECISION)
        return replace(root, status=trace.status)
    while not trace.out_of_time():
        chosen = choose_candidates(domain, root, (1 - UNIQUE_BAND) * root.objective, min(width, most))
        if chosen.members.size < domain.m:  # the tangent of the relaxation rules out all other sets
            return _bounded(root, chosen.left_out, UnitBounds(root.with_each, root.without_each), trace, 0)
        root, finished = search_among(problem, domain, gamma, root, chosen, share, trace)
        if not finished or chosen.left_out <= root.objective / (1 - share):
            break
        if width >= most:
            trace.stopped(Status.MEMORY)
            break
        width *= GROWTH
    return replace(root, status=trace.status)


def search_among(
    problem: Problem,
    domain: Domain,
    gamma: float,
    root: Solution,
    chosen: Chosen,
    share: float,
    trace: Trace,
    *,
    lifting: bool = True,
) -> tuple[Solution, bool]:
    """The solution after a search among some candidates, and whether that came to its end."""
    members, left_out = chosen
    candidates = Candidates(problem, domain, members)
    units = np.flatnonzero(np.isin(members, root.units))
    goal = BestSet(candidates, gamma, units, root.objective, share, left_out)
    q, bound = root.relaxation.q[members], root.upper_bound
    given = candidates, gamma, goal, q, bound, trace
    search = Search(*given, n_nodes=root.n_nodes, left_out=left_out, lifting=lifting)
    finished = search.run()
    search.finish()
    bounds = bounds_outside(root, members, search, left_out)
    if goal.improved:  # a set of candidates may still be improved by the others
        tol = SWAP_TOL * ROOT_TOL
        found = improve(problem, domain, members[goal.units], root.relaxation, gamma, tol=tol, trace=trace)
        better = conclude(problem, domain, *found, root.q, root.relaxation, trace)
        root = replace(better, with_each=root.with_each, without_each=root.without_each)
    return _bounded(root, search.upper_bound, bounds, trace, search.n_nodes), finished


def searchable(problem: Problem, domain: Domain, gamma: float) -> bool:
    """Whether gamma exceeds the rounding of G so far that values of sets count as exact."""
    return problem.rounding.of(domain.columns).margin_of_sets(domain.most_columns, gamma).small


def most_candidates(problem: Problem, domain: Domain) -> int:
    """Columns that can be searched: all if rows in memory give G on demand, else those whose G fits."""
    return domain.units.n_columns if problem.samples is not None else largest_system(problem)


class Chosen(NamedTuple):
    """Units to search, and a bound on the sets that hold another."""

    members: Indices
    left_out: float


def choose_candidates(domain: Domain, root: Solution, threshold: float, width: int) -> Chosen:
    """The units that a set above the threshold may hold; the best of them if the columns exceed the width."""
    reach = root.with_each.copy()
    reach[domain.required] = np.inf
    possible = np.flatnonzero(reach > threshold)
    order = possible[np.argsort(-reach[possible], kind="stable")]
    fitting = np.cumsum(domain.units.sizes[order]) <= width
    fitting[: domain.m] = True  # or there would be no set
    members = np.sort(order[fitting])
    others = without(reach.size, members)
    return Chosen(members, float(np.max(root.with_each[others], initial=-np.inf)))


def bounds_outside(root: Solution, members: Indices, search: Search, left_out: float) -> UnitBounds:
    """Bounds on the sets with and without each unit: the sets of the search, and those it left out."""
    with_each, without_each = (np.minimum(own, left_out) for own in (root.with_each, root.without_each))
    with_each[members] = np.maximum(with_each[members], search.with_each)
    without_each = np.maximum(without_each, search.upper_bound)  # no set of the search holds the other units
    inside = np.minimum(root.without_each[members], left_out)
    without_each[members] = np.maximum(inside, search.without_each)
    return UnitBounds(with_each, without_each)


def _bounded(root: Solution, bound: float, bounds: UnitBounds, trace: Trace, n_nodes: int) -> Solution:
    """The solution with the tighter of its bounds and new ones."""
    bound = min(root.upper_bound, max(bound, root.objective))
    return replace(
        root,
        relaxation=root.relaxation._replace(upper_bound=bound),
        upper_bound=bound,
        with_each=np.minimum(root.with_each, bounds.with_each),
        without_each=np.minimum(root.without_each, bounds.without_each),
        trace=tuple(trace.iterations),
        status=trace.status,
        n_nodes=n_nodes or root.n_nodes,
    )


class BestSet:
    """The best set found so far, improved by exchange.

    While it is alone in its band, only sets below the band are closed, so that the bounds tell it from all
    others; once another is found as good, all sets that are no better. Sets below the bound on those that are
    not searched (`left_out`) need not be told apart.
    """

    def __init__(
        self,
        candidates: Candidates,
        gamma: float,
        units: Indices,
        value: float,
        share: float,
        left_out: float,
    ) -> None:
        self.units, self.best, self.improved = units, value, False
        self._candidates, self._gamma, self._share, self._left_out = candidates, gamma, share, left_out
        self._alone = share <= TIE
        self._trace = Trace(max_iter=1000)
        self._unrelaxed = Relaxation(np.zeros(candidates.units.size), 0.0, candidates.ceiling)

    @property
    def threshold(self) -> float:
        """F that a set has to exceed to matter."""
        closed = (1 - UNIQUE_BAND) * self.best if self._alone else self.best / (1 - self._share)
        return max(closed, self._left_out)

    def offer(self, sets: list[Indices], values: Floats) -> None:
        """Exchange from the best of some sets, if it is near the best set so far."""
        if not len(sets):
            return
        place = int(np.argmax(values))
        if values[place] < (1 - WORTH_EXCHANGE) * self.best:
            return
        found, state = improve(
            self._candidates,
            self._candidates.domain,
            sets[place],
            self._unrelaxed,
            self._gamma,
            tol=TIE,
            trace=self._trace,
        )
        if state.value > self.best * (1 + TIE):
            self.best, self.units, self.improved = state.value, found, True
        floor = (1 - UNIQUE_BAND) * self.best
        as_good = (units for units, value in zip(sets, values, strict=True) if value > floor)
        if any(not np.array_equal(units, self.units) for units in as_good):
            self._alone = False
