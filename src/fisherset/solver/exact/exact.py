"""The exact solver: the joint one's answer, then branch and bound on what it leaves open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.domain import Domain
from fisherset.solver.exact.candidates import Core
from fisherset.solver.exact.search import Search
from fisherset.solver.exchange.exchange import improve
from fisherset.solver.exchange.forward import most_columns
from fisherset.solver.joint import FINENESS, joint_path
from fisherset.solver.problem import Problem
from fisherset.solver.relaxation.relaxation import Relaxation
from fisherset.solver.ridge import largest_system
from fisherset.solver.solution import Solution, conclude
from fisherset.solver.trace import USUAL, Status, Trace
from fisherset.solver.unit_bounds import UnitBounds
from fisherset.solver.units import TIE, without

ROOT = 1e-4  # what the first relaxation is solved to: the units it rules out need not be searched
NARROW, WIDER = 1000, 4  # columns among which is searched first, and how many times more then
# Share of F that proofs about single units need between the best set and others.
BAND = 2e-6
HOPEFUL = 0.02  # share of F below the best at which a set is worth an exchange


def exact_path(
    problem: Problem,
    domains: Sequence[Domain],
    gamma: float,
    *,
    tol: float,
    certified: bool = True,
    trace: Trace,
    start: Floats | None = None,
) -> Iterator[Solution]:
    """Solve for each domain in turn, until the gap is down to `tol` or to the rounding of the arithmetic.

    Without `certified` the joint solver's answer is good enough.
    """
    accuracy = max(min(tol, USUAL), ROOT)
    roots = joint_path(problem, domains, gamma, tol=accuracy, certified=certified, trace=trace, start=start)
    for domain, root in zip(domains, roots, strict=True):
        if certified and domain.m > 0:
            root = search_from(problem, domain, gamma, root, tol=tol, trace=trace)
        yield root


def search_from(
    problem: Problem, domain: Domain, gamma: float, root: Solution, *, tol: float, trace: Trace
) -> Solution:
    """Close the gap of a solution, as far as time, nodes and arithmetic allow.

    What the sets with a unit can reach at most says which units to look at first: the search is among these,
    and among more of them only once the others are what keeps the gap open.
    """
    share, width = max(tol, TIE), NARROW
    # rows in memory give whatever of G a search asks for; else G among what is in play has to fit
    most = domain.units.n_columns if problem.samples is not None else largest_system(problem)
    if root.gap <= share:
        return root
    if not searchable(problem, domain, gamma):
        trace.stopped(Status.PRECISION)
        return replace(root, status=trace.status)
    while not trace.out_of_time():
        play = in_play(domain, root, (1 - BAND) * root.objective, min(width, most))
        if play.members.size < domain.m:  # the tangent of the relaxation says it all
            return _bounded(root, play.left_out, UnitBounds(root.with_each, root.without_each), trace, 0)
        root, finished = _searched(problem, domain, gamma, root, play, share, trace)
        if not finished or play.left_out <= root.objective / (1 - share):
            break
        if width >= most:
            trace.stopped(Status.MEMORY)
            break
        width *= WIDER
    return replace(root, status=trace.status)


def _searched(
    problem: Problem,
    domain: Domain,
    gamma: float,
    root: Solution,
    play: Play,
    share: float,
    trace: Trace,
) -> tuple[Solution, bool]:
    """The solution after a search among some units, and whether that came to its end."""
    core = Core(problem, domain, play.members)
    goal = BestSet(core, gamma, np.flatnonzero(np.isin(play.members, root.units)), root.objective, share)
    goal.left_out = play.left_out
    q, bound = root.relaxation.q[play.members], root.upper_bound
    search = Search(core, gamma, goal, q, bound, trace, n_nodes=root.n_nodes, left_out=play.left_out)
    finished = search.run()
    search.finish()
    bounds = bounds_outside(root, play.members, search, play.left_out)
    if goal.improved:
        chosen, state = improve(
            problem,
            domain,
            play.members[goal.units],
            root.relaxation,
            gamma,
            tol=FINENESS * ROOT,
            trace=trace,
        )
        better = conclude(problem, domain, chosen, state, root.q, root.relaxation, trace)
        root = replace(better, with_each=root.with_each, without_each=root.without_each)
    return _bounded(root, search.upper_bound, bounds, trace, search.n_nodes), finished


def searchable(problem: Problem, domain: Domain, gamma: float) -> bool:
    """Whether gamma stands out from the rounding of G enough for values to be as good as exact."""
    return problem.rounding.of(domain.columns).margin_of_sets(most_columns(domain), gamma).small


class Play(NamedTuple):
    """Units to search among, and what the sets reach at most that hold another."""

    members: Indices
    left_out: float


def in_play(domain: Domain, root: Solution, threshold: float, width: int) -> Play:
    """The units that a set above the threshold may hold; the best of them where these are too many."""
    reach = root.with_each.copy()
    reach[domain.required] = np.inf
    possible = np.flatnonzero(reach > threshold)
    order = possible[np.argsort(-reach[possible], kind="stable")]
    fitting = np.cumsum(domain.units.sizes[order]) <= width
    fitting[: domain.m] = True  # or there would be no set
    members = np.sort(order[fitting])
    others = without(reach.size, members)
    return Play(members, float(np.max(root.with_each[others], initial=-np.inf)))


def bounds_outside(root: Solution, members: Indices, search: Search, left_out: float) -> UnitBounds:
    """Bounds on the sets with and without each unit: those the search went through, and those it left out."""
    with_each, without_each = (np.minimum(own, left_out) for own in (root.with_each, root.without_each))
    with_each[members] = np.maximum(with_each[members], search.with_each)
    without_each = np.maximum(without_each, search.upper_bound)  # no set of the search holds the others
    inside = np.minimum(root.without_each[members], left_out)
    without_each[members] = np.maximum(inside, search.without_each)
    return UnitBounds(with_each, without_each)


def _bounded(root: Solution, bound: float, bounds: UnitBounds, trace: Trace, n_nodes: int) -> Solution:
    """The solution with bounds that are as tight as both say."""
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

    While it is alone in its band, sets below the band are what is closed, so that the bounds tell it from all
    others; once another is found as good, sets that are no better.
    """

    left_out = -np.inf  # what sets reach that are not searched for

    def __init__(self, core: Core, gamma: float, units: Indices, value: float, share: float) -> None:
        self.units, self.best, self.improved = units, value, False
        self._core, self._gamma, self._share = core, gamma, share
        self._alone = share <= TIE
        self._trace = Trace(max_iter=1000)
        self._nothing_known = Relaxation(np.zeros(core.units.size), 0.0, core.ceiling)

    @property
    def threshold(self) -> float:
        """What a set has to exceed to matter."""
        closed = (1 - BAND) * self.best if self._alone else self.best / (1 - self._share)
        return max(closed, self.left_out)

    def offer(self, sets: list[Indices], values: Floats) -> None:
        """Exchange from the best of some sets, if it comes near."""
        if not len(sets):
            return
        place = int(np.argmax(values))
        if values[place] < (1 - HOPEFUL) * self.best:
            return
        found, state = improve(
            self._core,
            self._core.domain,
            sets[place],
            self._nothing_known,
            self._gamma,
            tol=TIE,
            trace=self._trace,
        )
        if state.value > self.best * (1 + TIE):
            self.best, self.units, self.improved = state.value, found, True
        near = (units for units, value in zip(sets, values, strict=True) if value > (1 - BAND) * self.best)
        if any(not np.array_equal(units, self.units) for units in near):
            self._alone = False
