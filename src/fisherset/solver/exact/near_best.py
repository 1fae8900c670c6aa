"""All sets nearly as good as the best one: a search that closes nothing above the floor."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fisherset._format import NEGLIGIBLE
from fisherset._rounding import WRONG
from fisherset._types import Floats, Indices
from fisherset.solver.domain import Domain
from fisherset.solver.exact.candidates import Core
from fisherset.solver.exact.exact import ROOT, in_play, searchable
from fisherset.solver.exact.search import Search
from fisherset.solver.exchange.forward import most_columns
from fisherset.solver.problem import Problem
from fisherset.solver.ridge import largest_system
from fisherset.solver.solvers import solve
from fisherset.solver.trace import Status, Trace
from fisherset.solver.units import TIE, ranked


class NearSets(NamedTuple):
    """The sets of a domain that come near the best one, best first, ties in lexicographic order."""

    sets: list[Indices]  # units, each in column order
    values: Floats  # their F, in the same order
    complete: bool  # whether it is proven that no other set has F >= (1 - within) * best
    upper_bound: float  # on F over all sets of the domain
    status: Status
    n_nodes: int = 0
    n_columns: int = 0  # among which there was no memory to search


def near_sets(
    problem: Problem, domain: Domain, gamma: float, *, within: float, max_sets: int, trace: Trace
) -> NearSets:
    """Every set with F >= (1 - within) times the best, or the best `max_sets` of those found.

    Values that differ from that floor by rounding alone, the share `TIE`, count as inside.
    """
    if domain.m == 0:
        return NearSets([np.arange(0)], np.zeros(1), True, 0.0, Status.CONVERGED)
    (root,) = solve("joint", problem, [domain], gamma, tol=ROOT, trace=trace)
    alone = [root.units], np.array([root.objective]), False, root.upper_bound
    if not (searchable(problem, domain, gamma) and np.isfinite(root.objective)):
        trace.stopped(Status.PRECISION)
        return NearSets(*alone, trace.status)
    rounding = problem.rounding.of(domain.columns)
    margin = rounding.margin_of_sets(most_columns(domain), gamma)
    slack = margin.share(root.objective * problem.n) + 2 * rounding.target_scale
    if not slack <= WRONG:
        trace.stopped(Status.INEXACT)
        slack = float(np.fmin(slack, 1.0))
    goal = AllSets(root.objective, min(within + slack, 1.0), max_sets)
    # rows in memory give whatever of G a search asks for; else G among what is in play has to fit
    width = domain.units.n_columns if problem.samples is not None else largest_system(problem)
    members, left_out = in_play(domain, root, goal.threshold, width)
    if not left_out <= goal.threshold:
        trace.stopped(Status.MEMORY)
        possible = in_play(domain, root, goal.threshold, domain.units.n_columns).members
        return NearSets(*alone, trace.status, n_columns=int(domain.units.sizes[possible].sum()))
    core = Core(problem, domain, members)
    chosen = np.searchsorted(members, root.units)
    goal.offer([chosen], core.values(core.units.columns(chosen)[None], gamma))
    q, bound = root.relaxation.q[members], root.upper_bound
    search = Search(core, gamma, goal, q, bound, trace, left_out=left_out, one_of_copies=False)
    finished = search.run()
    sets, values = goal.listed()
    # where six digits are not known, what the sets certainly reach
    values = np.minimum(values if slack <= WRONG else values * (1 - slack), problem.ceiling)
    if goal.more:
        trace.stopped(Status.MAX_SETS)
    if goal.unknown:
        trace.stopped(Status.INEXACT)
    searched = problem.rounding.raise_bound(max(search.upper_bound, float(values[0])))
    bound = min(root.upper_bound, searched)
    sure = finished and not goal.more and trace.status not in (Status.INEXACT, Status.UNKNOWN)
    status: Status = Status.CONVERGED if sure else trace.status
    return NearSets([members[units] for units in sets], values, sure, bound, status, search.n_nodes)


class AllSets:
    """All sets above a floor, which rises with the best of them; the best of them where they are too many."""

    def __init__(self, value: float, within: float, max_sets: int) -> None:
        self.best, self.more, self.unknown = value, False, False
        self._within, self._max_sets = within, max_sets
        self._found: dict[tuple[int, ...], float] = {}
        self._least = -np.inf  # of a set that would still be listed, once there are enough

    @property
    def threshold(self) -> float:
        """What a set has to exceed."""
        return max(self._floor, self._least)

    @property
    def _floor(self) -> float:
        """A bit less than the share of the best; where F is next to nothing, all sets exceed it."""
        return (1 - self._within) * self.best * (1 - TIE) - NEGLIGIBLE

    def offer(self, sets: list[Indices], values: Floats) -> None:
        """Take the sets above the floor."""
        if not len(sets):
            return
        self.unknown |= bool(np.isnan(values).any())  # a set whose F is not known may be one of them
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
        """Drop what the floor has risen above, and the worst where there are too many."""
        sets = sorted(units for units, value in self._found.items() if value > self._floor)
        values = np.array([self._found[units] for units in sets])
        order = ranked(values)[: self._max_sets]
        if order.size < len(sets):
            self.more = True
            self._least = float(values[order[-1]]) * (1 + TIE) + NEGLIGIBLE
        self._found = {sets[place]: float(values[place]) for place in order.tolist()}
