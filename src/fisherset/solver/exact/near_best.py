"""Near-best sets: a search that lists every set above a floor."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fisherset._format import NEGLIGIBLE
from fisherset._rounding import WRONG
from fisherset._types import Floats, Indices
from fisherset.solver.domain import TIE, Domain, ranked
from fisherset.solver.exact.candidates import Candidates
from fisherset.solver.exact.exact import ROOT_TOL, choose_candidates, most_candidates, searchable
from fisherset.solver.exact.search import Search
from fisherset.solver.problem import Problem
from fisherset.solver.solution import Solution
from fisherset.solver.solvers import solve
from fisherset.solver.trace import Status, Trace


class NearBestSets(NamedTuple):
    """The near-best sets of a domain, best first, ties in lexicographic order."""

    sets: list[Indices]  # units, each in column order
    values: Floats  # their F, in the same order
    complete: bool  # whether it is proven that no other set has F >= (1 - within) * best
    upper_bound: float  # on F over all sets of the domain
    status: Status
    n_nodes: int = 0
    n_columns: int = 0  # candidates, if memory did not allow to search them


def near_best_sets(
    problem: Problem, domain: Domain, gamma: float, *, within: float, max_sets: int, trace: Trace
) -> NearBestSets:
    """Every set with F >= (1 - within) times the best, or the best `max_sets` of those found.

    Values that differ from that floor by rounding alone, the share `TIE`, count as inside.
    """
    if domain.m == 0:
        return NearBestSets([np.arange(0)], np.zeros(1), True, 0.0, Status.CONVERGED)
    (root,) = solve("joint", problem, [domain], gamma, tol=ROOT_TOL, trace=trace)
    alone = [root.units], np.array([root.objective]), False, root.upper_bound
    if not (searchable(problem, domain, gamma) and np.isfinite(root.objective)):
        trace.stopped(Status.PRECISION)
        return NearBestSets(*alone, trace.status)
    # the floor is lowered by all that rounding may add to a set or take from the best one
    rounding = problem.rounding.of(domain.columns)
    margin = rounding.margin_of_sets(domain.most_columns, gamma)
    slack = margin.share(root.objective * problem.n) + 2 * rounding.target_scale
    if not slack <= WRONG:
        trace.stopped(Status.INEXACT)
        slack = float(np.fmin(slack, 1.0))
    goal = AllSets(root.objective, min(within + slack, 1.0), max_sets)
    members, left_out = choose_candidates(domain, root, goal.threshold, most_candidates(problem, domain))
    if not left_out <= goal.threshold:
        trace.stopped(Status.MEMORY)
        possible = choose_candidates(domain, root, goal.threshold, domain.units.n_columns).members
        return NearBestSets(*alone, trace.status, n_columns=int(domain.units.sizes[possible].sum()))
    candidates = Candidates(problem, domain, members)
    search, finished = _search(candidates, gamma, goal, root, left_out, trace)
    sets, values = goal.listed()
    # if six digits are not known, lower bounds on F
    values = np.minimum(values if slack <= WRONG else values * (1 - slack), problem.ceiling)
    if goal.more:
        trace.stopped(Status.MAX_SETS)
    if goal.unknown:
        trace.stopped(Status.INEXACT)
    searched = problem.rounding.raise_bound(max(search.upper_bound, float(values[0])))
    bound = min(root.upper_bound, searched)
    sure = finished and not goal.more and trace.status not in (Status.INEXACT, Status.UNKNOWN)
    status: Status = Status.CONVERGED if sure else trace.status
    return NearBestSets([members[units] for units in sets], values, sure, bound, status, search.n_nodes)


def _search(
    candidates: Candidates, gamma: float, goal: AllSets, root: Solution, left_out: float, trace: Trace
) -> tuple[Search, bool]:
    """Search from the set of the root, and say whether the search came to its end.

    Sets that differ by copies of a column are different sets here: all of them are listed.
    """
    members = candidates.members
    chosen = np.searchsorted(members, root.units)
    goal.offer([chosen], candidates.values(candidates.units.columns(chosen)[None], gamma))
    q, bound = root.relaxation.q[members], root.upper_bound
    search = Search(candidates, gamma, goal, q, bound, trace, left_out=left_out, one_of_copies=False)
    return search, search.run()


class AllSets:
    """All sets above a floor, which rises with the best of them; the best `max_sets` if they are more."""

    def __init__(self, value: float, within: float, max_sets: int) -> None:
        self.best, self.more, self.unknown = value, False, False
        self._within, self._max_sets = within, max_sets
        self._found: dict[tuple[int, ...], float] = {}
        self._least = -np.inf  # of the sets listed, once there are enough

    @property
    def threshold(self) -> float:
        """F that a set has to exceed."""
        return max(self._floor, self._least)

    @property
    def _floor(self) -> float:
        """Slightly less than the share of the best; all sets exceed it if F is negligible."""
        return (1 - self._within) * self.best * (1 - TIE) - NEGLIGIBLE

    def offer(self, sets: list[Indices], values: Floats) -> None:
        """Take the sets above the floor."""
        if not len(sets):
            return
        self.unknown |= bool(np.isnan(values).any())  # a set of unknown F may be one of them
        self.best = max(self.best, float(np.max(values, initial=-np.inf, where=~np.isnan(values))))
        for units, value in zip(sets, values.tolist(), strict=True):
            if value > self.threshold:
                self._found[tuple(units.tolist())] = value
        if len(self._found) > 2 * self._max_sets:
            self._drop()

    def listed(self) -> tuple[list[Indices], Floats]:
        """The sets, best first, and their F."""
        self._drop()
        return [np.array(units, dtype=np.intp) for units in self._found], np.array(list(self._found.values()))

    def _drop(self) -> None:
        """Drop the sets below the floor, and the worst if there are too many."""
        sets = sorted(units for units, value in self._found.items() if value > self._floor)
        values = np.array([self._found[units] for units in sets])
        order = ranked(values)[: self._max_sets]
        if order.size < len(sets):
            self.more = True
            self._least = float(values[order[-1]]) * (1 + TIE) + NEGLIGIBLE
        self._found = {sets[place]: float(values[place]) for place in order.tolist()}
