"""Branch and bound: the best set of a domain, or all sets above a floor, with proof.

Nodes are domains, many of which are looked at together. The tangent of a node tells what the sets
with each unit, and without it, can reach (`nodes.reaches`): units that cannot go one way are fixed
the other, and what that leaves out is closed for good. What is closed is accounted for: the bounds at
the end, of all sets and of those with and without each unit, hold for whatever was looked at.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.exact.branching import choose_branch
from fisherset.solver.exact.candidates import OFF_IN_COPIES, Core
from fisherset.solver.exact.completion import completable, complete
from fisherset.solver.exact.diagonal import take_diagonal
from fisherset.solver.exact.nodes import Frontier, Nodes, Reaches, reaches
from fisherset.solver.exact.relaxations import Point, Relaxations
from fisherset.solver.exchange.forward import most_columns
from fisherset.solver.trace import Status, Trace
from fisherset.solver.units import largest, mask_of

NODES_TOGETHER = 64  # nodes looked at together
NODES_WIDTH = 2**15  # numbers of their q
SHRUNK = 0.5  # share of the units still free at which the diagonal is taken anew
TELLING = 0.95  # share of the gap at which it is shown again
REMEMBERED = 100_000  # sets that were offered
LEAST_OPEN = 1000  # open nodes there is always room for


class Goal(Protocol):
    """What a search is for."""

    best: float  # F of the best set so far

    @property
    def threshold(self) -> float:
        """Sets that reach no more than this are of no interest."""

    def offer(self, sets: list[Indices], values: Floats) -> None:
        """Take note of sets of units, and F of each."""


class Part(NamedTuple):
    """A node with some of its units fixed, its tangent offset + g.p, and what that says of each unit."""

    node: Nodes
    lacking: int  # units still to choose
    offset: float
    g: Floats
    with_each: Floats
    without_each: Floats

    @property
    def bound(self) -> float:
        return float(self.node.bound[0])


class Search:
    """A search of the domain of a core.

    Attributes
    ----------
    n_nodes : int
        Nodes looked at.
    upper_bound : float
        What no set exceeds, with what sets reach at most that are `left_out` of the core.
    with_each, without_each : ndarray
        What no set with each unit, and without it, exceeds.
    """

    def __init__(
        self,
        core: Core,
        gamma: float,
        goal: Goal,
        q: Floats,
        bound: float,
        trace: Trace,
        *,
        n_nodes: int = 0,
        left_out: float = -np.inf,
        one_of_copies: bool = True,
    ) -> None:
        self.core, self.gamma, self.goal, self.trace = core, gamma, goal, trace
        self.relaxations = Relaxations(core, gamma)
        self.n_nodes, self._closed = n_nodes, left_out
        size, width = core.units.size, core.C.shape[0]
        self.with_each, self.without_each = np.full(size, -np.inf), np.full(size, -np.inf)
        self._frontier = Frontier(max(LEAST_OPEN, core.room // (width + size)))
        self._at_a_time = int(np.clip(NODES_WIDTH // size, 4, NODES_TOGETHER))
        self._margin = core.rounding.margin_of_sets(most_columns(core.domain), gamma)
        self._rounded: set[bytes] = set()
        self._firsts = core.copies() if one_of_copies else np.arange(size)
        self._copied = bool(np.any(self._firsts != np.arange(size)))
        required = np.zeros((1, size), dtype=bool)
        required[:, core.domain.required] = True
        step = np.array([1.0 / max(bound, np.finfo(float).tiny)])
        root = Nodes(
            required, ~required, q[None], np.zeros((1, width)), np.array([size * 4]), step, np.array([bound])
        )
        self._frontier.add(root)
        self._shown = np.inf

    @property
    def upper_bound(self) -> float:
        return float(self._of_copies(np.array([max(self._closed, self._frontier.bound)]))[0])

    def _of_copies(self, bounds: Floats) -> Floats:
        """Bounds that hold for sets with copies of the units searched among, too: these are off by more."""
        if not self._copied:
            return bounds
        raised: Floats = self._margin.raise_sets(bounds * self.core.n, OFF_IN_COPIES + 2) / self.core.n
        return raised

    def run(self) -> bool:
        """Search until nothing is open, and say whether that was reached."""
        bound = self._frontier.bound
        try:
            while self._frontier and not bound <= self.goal.threshold:  # what is not known is open
                if self.trace.out_of_time() or self.trace.out_of_nodes(self.n_nodes):
                    return False
                for children in self._explored(self._frontier.take(self._at_a_time)):
                    self._frontier.add(children)
                self._show()
                bound = self._frontier.bound
        except KeyboardInterrupt:
            # wherever it struck, what is open now was open before
            self._closed = max(self._closed, bound)
            for known in (self.with_each, self.without_each):
                np.maximum(known, bound, out=known)
            self.trace.stopped(Status.INTERRUPTED)
            return False
        return True

    def finish(self) -> None:
        """Account for what is left open, and for copies: what holds for one of them holds for the others."""
        left = self._frontier.all()
        if left is not None:
            allowed, bound = left.required | left.free, left.bound[:, None]
            self._account(
                np.where(allowed, bound, -np.inf), np.where(left.required, -np.inf, bound), left.bound
            )
        for known in (self.with_each, self.without_each):
            most = known.copy()
            np.maximum.at(most, self._firsts, known)
            np.copyto(known, self._of_copies(most[self._firsts]))

    def _show(self) -> None:
        bound, best = self.upper_bound, self.goal.best
        gap = max(bound - best, 0.0)
        if gap <= TELLING * self._shown or not self._frontier:
            self._shown = gap
            self.trace.record("exact", best, max(bound, best), len(self._frontier), self.n_nodes)

    def _explored(self, nodes: Nodes) -> list[Nodes]:
        """Close what can be closed of some nodes, and give the children of the rest."""
        self.n_nodes += nodes.size
        self._take_diagonals(nodes)
        nodes, point = self.relaxations.ascend(nodes, self.goal.threshold, self.trace)
        spare = self.core.domain.m - nodes.required.sum(axis=1)
        reach = reaches(point.offset, point.g, nodes.free, nodes.required, spare)
        # a tangent that is not a number says nothing: the bound of the node holds without it
        reach = Reaches(nodes.bound, *(np.fmin(part, nodes.bound[:, None]) for part in reach[1:]))
        done = nodes.bound <= self.goal.threshold
        self._account(reach.with_each[done], reach.without_each[done], nodes.bound[done])
        self._round(nodes.take(~done))
        parts = (self._fixed(nodes, point, reach, place) for place in np.flatnonzero(~done).tolist())
        return [self._children(part) for part in parts if part is not None and not self._completed(part)]

    def _take_diagonals(self, nodes: Nodes) -> None:
        """Take the diagonal out anew where half of the units are fixed since that was done."""
        n_free = nodes.free.sum(axis=1)
        some = np.flatnonzero(n_free <= SHRUNK * nodes.scope)
        if not some.size:
            return
        units = self.core.units
        weights = self.relaxations.at(nodes.q[some], nodes.delta[some]).W
        q = np.maximum(self.relaxations.spread(nodes.q[some]), 1e-3)
        # weights that are not numbers only say where delta is wanted most
        for place, omega in zip(some.tolist(), np.nan_to_num(weights * (1 - q) / q), strict=True):
            required, free = (units.columns(np.flatnonzero(of[place])) for of in (nodes.required, nodes.free))
            nodes.delta[place] = take_diagonal(self.core, self.gamma, required, free, omega[free])
        nodes.scope[some] = n_free[some]

    def _fixed(self, nodes: Nodes, point: Point, reach: Reaches, place: int) -> Part | None:
        """What is left of a node once units that cannot go one way are fixed the other, if anything."""
        threshold = self.goal.threshold
        with_each, without_each = reach.with_each[place], reach.without_each[place]
        free, required = nodes.free[place], nodes.required[place]
        excluded, needed = free & (with_each <= threshold), free & (without_each <= threshold)
        if excluded.any() or needed.any():
            left_out = np.concatenate([with_each[excluded], without_each[needed]]).max()
            self._account(with_each[None], without_each[None], np.array([left_out]))
        required, free = required | needed, free & ~excluded & ~needed
        lacking = self.core.domain.m - int(required.sum())
        if (excluded & needed).any() or not 0 <= lacking <= free.sum():
            return None
        node = nodes.take(np.array([place]))
        node.required, node.free = required[None], free[None]
        return Part(node, lacking, float(point.offset[place]), point.g[place], with_each, without_each)

    def _completed(self, part: Part) -> bool:
        """Try all sets of a part, where that is done at once."""
        units, threshold = self.core.units, self.goal.threshold
        required, free = part.node.required[0], part.node.free[0]
        members, others = np.flatnonzero(required), np.flatnonzero(free)
        if part.lacking in (0, others.size):
            chosen = np.flatnonzero(required | free) if part.lacking else members
            value = self.core.values(units.columns(chosen)[None], self.gamma)
            self.goal.offer([chosen], value)
            self._tried(chosen, others[:0], value[:0], float(value[0]), part.bound)
            return True
        if units.groups is not None or not completable(others.size, part.lacking):
            return False
        tangent = part.offset + float(part.g[required].sum()), part.g[free]
        found = complete(self.core, self.gamma, members, others, part.lacking, threshold, tangent)
        self.goal.offer(found.sets, found.values)
        self._tried(members, others, found.most, float(found.most.max()), part.bound)
        left_out = np.array([min(found.left_out, part.bound)])
        self._account(part.with_each[None], part.without_each[None], left_out)
        return True

    def _children(self, part: Part) -> Nodes:
        """Two nodes: with a unit, and without it."""
        node, slack = part.node, part.bound - self.goal.threshold
        given = node.q[0], node.delta[0], node.free[0], part.g, self.goal.best, slack
        branch = choose_branch(self.relaxations, *given)
        # of copies that are free the first is chosen first: without it none of them is
        unit, copies = branch.unit, np.flatnonzero(node.free[0] & (self._firsts == self._firsts[branch.unit]))
        children = Nodes.joined([node, node])
        children.q = np.array([branch.required, branch.excluded])
        children.q[0, [unit, copies[0]]] = children.q[0, [copies[0], unit]]
        children.required[0, copies[0]] = True
        children.free[0, copies[0]] = children.free[1, copies] = False
        reach = np.array([part.with_each[copies].max(), part.without_each[unit]])
        children.bound = np.minimum(reach, part.bound)
        return children

    def _tried(self, members: Indices, others: Indices, most: Floats, best: float, known: float) -> None:
        """Account for sets that were all tried: of the members and some of the others, which reach `most`."""
        n = self.core.n
        bounds = self._margin.raise_sets(np.append(most, best) * n) / n
        if np.isnan(bounds).any():  # then the sets were not tried
            self.trace.stopped(Status.INEXACT)
        *with_others, bound = np.fmin(bounds, known)
        with_each = np.full((1, self.with_each.size), -np.inf)
        with_each[0, others], with_each[0, members] = with_others, bound
        without_each = np.full_like(with_each, bound)
        without_each[0, members] = -np.inf
        self._account(with_each, without_each, np.array([bound]))

    def _account(self, with_each: Floats, without_each: Floats, bound: Floats) -> None:
        """Close parts of the domain whose sets reach no more than the bounds."""
        if not bound.size:
            return
        self._closed = max(self._closed, float(bound.max()))
        self.with_each = np.maximum(self.with_each, np.minimum(with_each, bound[:, None]).max(axis=0))
        self.without_each = np.maximum(
            self.without_each, np.minimum(without_each, bound[:, None]).max(axis=0)
        )

    def _round(self, nodes: Nodes) -> None:
        """Offer the sets that relaxed choices round to, those not seen before."""
        m, sets = self.core.domain.m, []
        if len(self._rounded) > REMEMBERED:
            self._rounded.clear()
        for q, required, free in zip(nodes.q, nodes.required, nodes.free, strict=True):
            members, others = np.flatnonzero(required), np.flatnonzero(free)
            chosen = np.union1d(members, others[largest(q[others], m - members.size)])
            key = np.packbits(mask_of(q.size, chosen)).tobytes()
            if key not in self._rounded:
                self._rounded.add(key)
                sets.append(chosen)
        if sets:
            units = self.core.units
            values = [float(self.core.values(units.columns(chosen)[None], self.gamma)[0]) for chosen in sets]
            self.goal.offer(sets, np.array(values))
