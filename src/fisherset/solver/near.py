"""All sets nearly as good as the best one.

A tangent that F nowhere exceeds leaves only the sets whose sum of g is large enough to be looked at;
where these are few they are all tried, and the list is proven complete. Where they are many, exchange
finds some of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.domain import Domain
from fisherset.solver.enumeration import BATCH, ROUNDING
from fisherset.solver.forward import most_columns
from fisherset.solver.problem import Problem
from fisherset.solver.proof import NEGLIGIBLE, Tangent
from fisherset.solver.solvers import solve
from fisherset.solver.trace import USUAL, Status, Trace
from fisherset.solver.units import TIE, ranked, without

TRIED = 200_000  # sets that are looked at
OFF = 1e-10  # share of the ceiling of F that a small F may be off by


class NearSets(NamedTuple):
    """The sets of a domain that come near the best one, best first, ties in lexicographic order."""

    sets: list[Indices]  # units, each in column order
    values: Floats  # their F, in the same order
    complete: bool  # whether it is proven that no other set has F >= (1 - within) * best
    upper_bound: float  # on F over all sets of the domain
    status: Status
    n_nodes: int = 0


def near_sets(
    problem: Problem, domain: Domain, gamma: float, *, within: float, max_sets: int, trace: Trace
) -> NearSets:
    """Every set with F >= (1 - within) times the best, or the best `max_sets` of those found.

    Values that differ from that floor by rounding alone, the share `TIE`, count as inside.
    """
    if domain.m == 0:
        return NearSets([np.arange(0)], np.zeros(1), True, 0.0, Status.CONVERGED)
    (found,) = solve("joint", problem, [domain], gamma, tol=USUAL, trace=trace)
    tangent, bound = found.relaxation.tangent, found.upper_bound
    rough = problem.precision * most_columns(domain) * float(np.max(problem.lengths**2)) > ROUNDING * gamma
    if tangent is None or rough:
        trace.stopped(Status.PRECISION)
        return NearSets([found.units], np.array([found.objective]), False, bound, trace.status)
    floor = _floor(found.objective, within)
    candidates = _possible(problem, domain, tangent, floor)
    values = _Values(problem, domain, candidates, gamma)
    search = _Search(values, within, max_sets, trace)
    search.add([found.units])
    search.add(_reaching(domain, candidates, tangent, floor))
    complete = search.finished
    if not complete:
        search.walk(domain, candidates)
    sets, numbers, more = search.best()
    numbers = np.minimum(numbers, problem.ceiling)
    if more:
        trace.stopped(Status.MAX_SETS)
    elif not complete:
        trace.stopped(Status.MAX_ITER)
    sure = complete and trace.status is not Status.INEXACT
    if sure:  # no set that was not tried exceeds the floor
        bound = min(bound, float(numbers[0]) * (1 + 16 * ROUNDING) + OFF * problem.ceiling)
    status: Status = Status.CONVERGED if sure and not more else trace.status
    return NearSets(sets, numbers, sure and not more, max(bound, float(numbers[0])), status, search.n_tried)


def _floor(best: float, within: float) -> float:
    """What a set has to reach: where F is next to nothing, all do."""
    return (1 - within) * best * (1 - TIE) - NEGLIGIBLE


def _possible(problem: Problem, domain: Domain, tangent: Tangent, floor: float) -> Indices:
    """The units that a set above the floor may hold, kept ones among them; the best of them if too many."""
    g = tangent.g
    reach = tangent.bound(domain) + np.minimum(g - domain.threshold(g), 0.0)
    allowed = without(g.size, domain.barred)
    allowed = np.union1d(allowed[reach[allowed] >= floor], domain.best(g))
    most = int(np.sqrt(problem.room)) * g.size // domain.units.n_columns
    return allowed if allowed.size <= most else np.sort(domain.candidates(g, max(most, domain.m)))


def _reaching(domain: Domain, candidates: Indices, tangent: Tangent, floor: float) -> Iterator[Indices]:
    """All sets whose tangent reaches the floor, depth first, units of large g before others."""
    free = np.setdiff1d(candidates, domain.kept)
    free = free[np.argsort(-tangent.g[free], kind="stable")]
    g, m = tangent.g[free].tolist(), domain.spare
    sums = np.concatenate([[0.0], np.cumsum(g)]).tolist()
    values = [tangent.offset + float(tangent.g[domain.kept].sum())]
    places: list[int] = []
    start = 0
    while True:
        lacking = m - len(places)
        if not lacking:
            yield np.union1d(free[places], domain.kept)
        elif start + lacking <= free.size and values[-1] + sums[start + lacking] - sums[start] >= floor:
            places.append(start)
            values.append(values[-1] + g[start])
            start += 1
            continue
        if not places:
            return
        start = places.pop() + 1
        values.pop()


class _Values:
    """F of sets of some units, many at a time.

    Groups differ in size; a column of noughts, which adds nothing to F, fills them up.
    """

    def __init__(self, problem: Problem, domain: Domain, members: Indices, gamma: float) -> None:
        units = domain.units
        own = [units.columns(np.array([unit])) for unit in members.tolist()]
        columns, size = np.concatenate(own), max(some.size for some in own)
        self.members, self.gamma, self.n = members, gamma, problem.n
        self.C = np.vstack([problem.C[columns], np.zeros((1, problem.C.shape[1]))])
        self.G = np.zeros((columns.size + 1, columns.size + 1))
        self.G[:-1, :-1] = problem.gram(columns, rows=columns)
        self.places = np.full((members.size, size), columns.size, dtype=np.intp)
        ends = np.cumsum([some.size for some in own]).tolist()
        for row, some, end in zip(self.places, own, ends, strict=True):
            row[: some.size] = np.arange(end - some.size, end)
        self.batch = max(1, BATCH // (domain.m * size) ** 2)  # sets at a time

    def __call__(self, sets: Indices) -> Floats:
        at = self.places[np.searchsorted(self.members, sets)].reshape(len(sets), -1)
        C, M = self.C[at], self.G[at[:, :, None], at[:, None, :]] + self.gamma * np.eye(at.shape[1])
        values: Floats = np.einsum("pir,pir->p", C, np.linalg.solve(M, C)) / self.n
        return values


class _Search:
    """The sets above the floor among those tried; the floor rises with the best of them."""

    def __init__(self, values: _Values, within: float, max_sets: int, trace: Trace) -> None:
        self._values, self._within, self._max_sets, self._trace = values, within, max_sets, trace
        self._found: dict[tuple[int, ...], float] = {}
        self._best, self._dropped, self.n_tried, self.finished = -np.inf, -np.inf, 0, True

    def add(self, sets: Iterable[Indices]) -> None:
        """Try sets, as long as there is time."""
        remaining = iter(sets)
        while some := list(islice(remaining, self._values.batch)):
            if self._found and (self.n_tried >= TRIED or self._trace.out_of_time()):
                self.finished = False
                return
            values = self._values(np.array(some))
            self.n_tried += len(some)
            self._best = max(self._best, float(values.max()))
            inside = np.flatnonzero(values >= _floor(self._best, self._within)).tolist()
            self._found.update((tuple(some[place].tolist()), float(values[place])) for place in inside)
            if len(self._found) > 2 * self._max_sets + 1000:
                self._prune()

    def walk(self, domain: Domain, candidates: Indices) -> None:
        """Exchange from the sets found, best first, and from what this finds, as long as there is room."""
        seen: set[tuple[int, ...]] = set()
        limit, self.n_tried = self.n_tried, 0
        while len(self._found) < self._max_sets:
            left = [found for found in self._found if found not in seen]
            if not left or self.n_tried >= TRIED or self._trace.out_of_time():
                break
            current = max(left, key=lambda found: (self._found[found], [-unit for unit in found]))
            seen.add(current)
            others = np.setdiff1d(candidates, current)
            self.add(
                np.sort([*(unit for unit in current if unit != out), into])
                for out in current
                if out not in domain.kept
                for into in others.tolist()
            )
        self.n_tried += limit

    def best(self) -> tuple[list[Indices], Floats, bool]:
        """The best sets and their F, and whether there are more than may be listed."""
        self._prune()
        sets = [np.array(found, dtype=np.intp) for found in self._found]
        more = self._dropped >= _floor(self._best, self._within)
        return sets, np.array(list(self._found.values())), more

    def _prune(self) -> None:
        """Drop what the floor has risen above, and the worst where there are too many."""
        floor = _floor(self._best, self._within)
        sets = sorted(found for found, value in self._found.items() if value >= floor)
        values = np.array([self._found[found] for found in sets])
        order = ranked(values)
        self._dropped = max(self._dropped, float(values[order[self._max_sets :]].max(initial=-np.inf)))
        self._found = {sets[place]: float(values[place]) for place in order[: self._max_sets].tolist()}
