"""Branch and bound: the best set of a domain, or all sets above a floor, with proof.

Nodes are domains, many of which are relaxed together. In turns, for the nodes of the largest bounds:

1. relax each, with a diagonal of its own (`diagonal`, `nodes.Relaxations`), of G or of a matrix in its place
   (`lift`), if that tightens the relaxation of the root;
2. close the nodes whose bound is below the threshold of the goal;
3. fix units: the tangent of a node bounds the sets with each unit, and without it; a unit that cannot be in
   is excluded, one that cannot be out is required;
4. try all sets if few are left (`enumeration.complete`);
5. branch on the unit whose choice moves the bounds most (`nodes.choose_branch`).

Everything closed is accounted for: the bounds at the end, on all sets and on those with and without each
unit, hold however the nodes were chosen.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, cast
from weakref import WeakSet

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.diagonal import find_diagonal, idle_shares
from fisherset.solver.domain import largest, mask_of
from fisherset.solver.exact.candidates import COPY_ERRORS, Candidates
from fisherset.solver.exact.enumeration import completable, complete
from fisherset.solver.exact.lift import lift
from fisherset.solver.exact.nodes import (
    USUAL,
    Effort,
    Frontier,
    Nodes,
    Relaxations,
    choose_branch,
    node_bounds,
)
from fisherset.solver.proof import SUMS_ROUNDED
from fisherset.solver.relaxation.ascent import Ascents
from fisherset.solver.trace import Status, Trace

# Nodes relaxed together: more would be of smaller bounds, and might never be needed.
NODES_TOGETHER = 64
NODES_WIDTH = 2**15  # numbers of their q, nodes x units: the arrays of a step stay in the cache
LEAST_OPEN = 1000  # open nodes that are always allowed, with any memory limit
# The first node is all that a short search has: its bound is worth more steps. Those for each step of the
# root's diagonal go on from the last.
FIRST, SLOPES = Effort(60, 0.05), Effort(10)
MOST_LIFTED = 16  # matrices in place of G at a time: 130 MB for a thousand columns
ROUNDED_REMEMBERED = 100_000  # rounded sets that are remembered, so that none is tried twice


class Goal(Protocol):
    """The purpose of a search."""

    best: float  # F of the best set so far

    @property
    def threshold(self) -> float:
        """Sets that reach no more than this are of no interest."""

    def offer(self, sets: list[Indices], values: Floats) -> None:
        """Take note of sets of units, and F of each."""


class Part(NamedTuple):
    """A node with some of its units fixed, its tangent offset + g.p, and its bounds on each unit."""

    node: Nodes
    remaining: int  # units still to choose
    offset: float
    g: Floats
    with_each: Floats
    without_each: Floats

    @property
    def bound(self) -> float:
        return float(self.node.bound[0])


class Search:
    """A search of the domain of some candidates.

    Attributes
    ----------
    n_nodes : int
        Nodes explored.
    upper_bound : float
        Bound on F over all sets, including the sets with units that are no candidates (`left_out`).
    with_each, without_each : ndarray
        Bounds on F over the sets with each unit, and without it.
    """

    def __init__(
        self,
        candidates: Candidates,
        gamma: float,
        goal: Goal,
        q: Floats,
        bound: float,
        trace: Trace,
        *,
        n_nodes: int = 0,
        left_out: float = -np.inf,
        one_of_copies: bool = True,
        lifting: bool = True,
    ) -> None:
        self.candidates, self.gamma, self.goal, self.trace = candidates, gamma, goal, trace
        self.relaxations = Relaxations(candidates, gamma)
        self.n_nodes, self._closed = n_nodes, left_out
        size, width, domain = candidates.units.size, candidates.C.shape[0], candidates.domain
        self.with_each, self.without_each = np.full(size, -np.inf), np.full(size, -np.inf)
        self._frontier = Frontier(max(LEAST_OPEN, candidates.room // (width + size)))
        self._at_a_time = int(np.clip(NODES_WIDTH // size, 4, NODES_TOGETHER))
        self._margin = candidates.rounding.margin_of_sets(domain.most_columns, gamma)
        self._rounded: set[bytes] = set()
        self._firsts = candidates.copies() if one_of_copies else np.arange(size)
        self._copied = bool(np.any(self._firsts != np.arange(size)))
        required = mask_of(size, domain.required)[None]
        step, scope = np.array([1.0 / max(bound, np.finfo(float).tiny)]), np.array([size * 4])
        forms, delta = np.array([self.relaxations], dtype=object), np.zeros((1, width))
        root = Nodes(required, ~required, q[None], forms, delta, scope, step, np.array([bound]))
        self._frontier.add(root)
        self._shown, self._first = np.inf, True
        self._lifting = (
            lifting  # whether to try a matrix in place of G: on from the root if it is better there
        )
        self._lifted: WeakSet[Relaxations] = WeakSet()

    @property
    def upper_bound(self) -> float:
        return float(self._for_copies(np.array([max(self._closed, self._frontier.bound)]))[0])

    def _for_copies(self, bounds: Floats) -> Floats:
        """Bounds that hold for sets with copies of the units searched, too: their errors are larger."""
        if not self._copied:
            return bounds
        raised: Floats = self._margin.raise_sets(bounds * self.candidates.n, COPY_ERRORS + 2)
        return raised / self.candidates.n

    def run(self) -> bool:
        """Search until nothing is open, and say whether that was reached."""
        bound = self._frontier.bound
        try:
            while self._frontier and not bound <= self.goal.threshold:  # a bound that is NaN is open
                if self.trace.out_of_time() or self.trace.out_of_nodes(self.n_nodes):
                    return False
                for children in self._explore(self._frontier.take(self._at_a_time)):
                    self._frontier.add(children)
                self._show()
                bound = self._frontier.bound
        except KeyboardInterrupt:
            # all that is open now, wherever it struck, was open before this turn
            self._closed = max(self._closed, bound)
            for known in (self.with_each, self.without_each):
                np.maximum(known, bound, out=known)
            self.trace.stopped(Status.INTERRUPTED)
            return False
        return True

    def finish(self) -> None:
        """Account for the open nodes, and for copies: a bound for one of them holds for the others."""
        left = self._frontier.all()
        if left is not None:
            allowed, bound = left.required | left.free, left.bound[:, None]
            without_each = np.where(left.required, -np.inf, bound)
            self._account(np.where(allowed, bound, -np.inf), without_each, left.bound)
        for known in (self.with_each, self.without_each):
            most = known.copy()
            np.maximum.at(most, self._firsts, known)
            np.copyto(known, self._for_copies(most[self._firsts]))

    def _show(self) -> None:
        """Record the gap when it has fallen by a twentieth since it was recorded."""
        bound, best = self.upper_bound, self.goal.best
        gap = max(bound - best, 0.0)
        if gap <= 0.95 * self._shown or not self._frontier:
            self._shown = gap
            self.trace.record("exact", best, max(bound, best), len(self._frontier), self.n_nodes)

    def _explore(self, nodes: Nodes) -> list[Nodes]:
        """Relax some nodes, close what can be closed, and return the children of the rest."""
        self.n_nodes += nodes.size
        self._update_diagonals(nodes)
        return [children for alike in nodes.by_form() for children in self._divide(alike)]

    def _divide(self, nodes: Nodes) -> list[Nodes]:
        """The same for nodes of one form."""
        # 1. relax
        domains, threshold = nodes.domains(self.candidates.domain.m), self.goal.threshold
        effort, self._first = FIRST if self._first and nodes.delta.any() else USUAL, False
        found = self._relax(nodes, effort)
        nodes.q, nodes.step = found.x, found.length
        # a tangent that is not a number says nothing: the bound of the node holds without it
        nodes.bound = np.fmin(nodes.bound, found.bound * (1 + SUMS_ROUNDED))
        known = nodes.bound[:, None]
        with_each, without_each = (np.fmin(part, known) for part in node_bounds(found.tangents, domains))
        # 2. close
        done = nodes.bound <= threshold
        self._account(with_each[done], without_each[done], nodes.bound[done])
        self._round(nodes.take(~done))
        # 3. to 5. fix, complete, branch
        children = []
        for place in np.flatnonzero(~done).tolist():
            offset, g = float(found.tangents.offset[place]), found.tangents.g[place]
            node = nodes.take(np.array([place]))
            part = self._fix(Part(node, 0, offset, g, with_each[place], without_each[place]))
            if part is not None and not self._complete(part):
                children.append(self._branch(part))
        return children

    def _update_diagonals(self, nodes: Nodes) -> None:
        """Compute the diagonal anew for the nodes with half as many free units as when it was computed."""
        n_free = nodes.free.sum(axis=1)
        some = np.flatnonzero(2 * n_free <= nodes.scope)
        if not some.size:
            return
        for place in some.tolist():
            node = self._with_diagonal(nodes.take(np.array([place])))
            for field in ("forms", "delta", "q", "step"):
                getattr(nodes, field)[place] = getattr(node, field)[0]
        nodes.scope[some] = n_free[some]

    def _with_diagonal(self, node: Nodes) -> Nodes:
        """One node with a diagonal of its own, of G or of a matrix in its place: what bounds it better."""
        at_root = self._first
        lifted = self._lift(node) if self._lifting else None
        if lifted is None:
            self._lifting = self._lifting and not at_root
            return self._find_diagonal(node, self.relaxations, at_root)
        there = self._find_diagonal(node, lifted, at_root)
        bound = self._relax(there).bound[0]
        if bound <= self.goal.threshold:
            return there
        here = self._find_diagonal(node, self.relaxations, at_root)
        better = bool(bound < (self._relax(here).bound[0] if here.delta.any() else node.bound[0]))
        self._lifting = better or not at_root
        return there if better else here

    def _lift(self, node: Nodes) -> Relaxations | None:
        """The relaxation with a matrix in place of G: one made for the node, or its own if there are many."""
        if len(self._lifted) >= MOST_LIFTED:
            return None if node.forms[0] is self.relaxations else cast(Relaxations, node.forms[0])
        units, free = self.candidates.units, np.flatnonzero(node.free[0])
        likely = free[largest(node.q[0, free], self.candidates.domain.m - int(node.required.sum()))]
        most = int(np.sort(units.sizes[free])[free.size - likely.size :].sum())
        required, columns, core = (
            units.columns(some) for some in (np.flatnonzero(node.required[0]), free, likely)
        )
        found = lift(self.candidates, self.gamma, required, columns, core, most)
        if found is None:
            return None
        relaxations = Relaxations(found, self.gamma)
        self._lifted.add(relaxations)
        return relaxations

    def _find_diagonal(self, node: Nodes, form: Relaxations, moving: bool) -> Nodes:
        """The node with another form, and a diagonal computed anew; q moves along if it may."""
        node, units = node.take(np.array([0])), self.candidates.units
        required, free = (units.columns(np.flatnonzero(of[0])) for of in (node.required, node.free))
        node.forms[0], node.delta[:] = form, 0.0

        tangent, _ = form.at(node.q, node.delta)
        threshold = node.domains(self.candidates.domain.m).sums(tangent.g).least[:, None]
        idle = form.spread(idle_shares(node.q, tangent.g, threshold))[0, free]

        def slopes(delta: Floats) -> Floats:
            node.delta[0, free] = delta
            if moving:
                found = self._relax(node, SLOPES)
                node.q, node.step = found.x, found.length
            _, weights = form.at(node.q, node.delta)
            q = np.maximum(form.spread(node.q), 1e-3)
            omega: Floats = weights * (1 - q) / q
            return omega[0, free]

        node.delta[0, free] = find_diagonal(form.candidates, self.gamma, required, free, idle, slopes)
        return node

    def _relax(self, nodes: Nodes, effort: Effort = USUAL) -> Ascents:
        """Relax nodes of one form."""
        domains = nodes.domains(self.candidates.domain.m)
        given = nodes.q, nodes.delta, domains, nodes.step, self.goal.threshold, self.trace
        return cast(Relaxations, nodes.forms[0]).ascend(*given, effort)

    def _fix(self, part: Part) -> Part | None:
        """Require units no good set is without, exclude units no good set holds; None if no set is left."""
        threshold, node = self.goal.threshold, part.node
        free, with_each, without_each = node.free[0], part.with_each, part.without_each
        excluded, needed = free & (with_each <= threshold), free & (without_each <= threshold)
        if excluded.any() or needed.any():
            left_out = np.concatenate([with_each[excluded], without_each[needed]]).max()
            self._account(with_each[None], without_each[None], np.array([left_out]))
        required, free = node.required[0] | needed, free & ~excluded & ~needed
        remaining = self.candidates.domain.m - int(required.sum())
        if (excluded & needed).any() or not 0 <= remaining <= free.sum():
            return None
        node.required, node.free = required[None], free[None]
        return part._replace(remaining=remaining)

    def _complete(self, part: Part) -> bool:
        """Try all sets of a part if they are few, and say whether they were."""
        units, threshold = self.candidates.units, self.goal.threshold
        required, free = part.node.required[0], part.node.free[0]
        members, others = np.flatnonzero(required), np.flatnonzero(free)
        if part.remaining in (0, others.size):  # a single set
            chosen = np.flatnonzero(required | free) if part.remaining else members
            value = self.candidates.values(units.columns(chosen)[None], self.gamma)
            self.goal.offer([chosen], value)
            self._account_tried(chosen, others[:0], value[:0], float(value[0]), part.bound)
            return True
        if units.groups is not None or not completable(others.size, part.remaining):
            return False
        tangent = part.offset + float(part.g[required].sum()), part.g[free]
        found = complete(self.candidates, self.gamma, members, others, part.remaining, threshold, tangent)
        self.goal.offer(found.sets, found.values)
        self._account_tried(members, others, found.most, float(found.most.max()), part.bound)
        left_out = np.array([min(found.left_out, part.bound)])
        self._account(part.with_each[None], part.without_each[None], left_out)
        return True

    def _branch(self, part: Part) -> Nodes:
        """Two nodes: with a unit, and without it."""
        node, slack = part.node, part.bound - self.goal.threshold
        given = node.q[0], node.delta[0], node.free[0], part.g, self.goal.best, slack
        branch = choose_branch(node.forms[0], *given)
        # of free copies the first is chosen first: without it none of them is
        unit, copies = branch.unit, np.flatnonzero(node.free[0] & (self._firsts == self._firsts[branch.unit]))
        children = Nodes.joined([node, node])
        children.q = np.array([branch.required, branch.excluded])
        children.q[0, [unit, copies[0]]] = children.q[0, [copies[0], unit]]
        children.required[0, copies[0]] = True
        children.free[0, copies[0]] = children.free[1, copies] = False
        bounds = np.array([part.with_each[copies].max(), part.without_each[unit]])
        children.bound = np.minimum(bounds, part.bound)
        return children

    def _account_tried(
        self, members: Indices, others: Indices, most: Floats, best: float, known: float
    ) -> None:
        """Account for sets that were all tried: the members and some of the others, which reach `most`."""
        n = self.candidates.n
        bounds = self._margin.raise_sets(np.append(most, best) * n) / n
        if np.isnan(bounds).any():  # then the sets count as not tried
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
        for known, new in ((self.with_each, with_each), (self.without_each, without_each)):
            np.maximum(known, np.minimum(new, bound[:, None]).max(axis=0), out=known)

    def _round(self, nodes: Nodes) -> None:
        """Offer the sets that relaxed choices round to, those not tried before."""
        m, sets = self.candidates.domain.m, []
        if len(self._rounded) > ROUNDED_REMEMBERED:
            self._rounded.clear()
        for q, required, free in zip(nodes.q, nodes.required, nodes.free, strict=True):
            members, others = np.flatnonzero(required), np.flatnonzero(free)
            chosen = np.union1d(members, others[largest(q[others], m - members.size)])
            key = np.packbits(mask_of(q.size, chosen)).tobytes()
            if key not in self._rounded:
                self._rounded.add(key)
                sets.append(chosen)
        if sets:
            units = self.candidates.units
            columns = (units.columns(chosen)[None] for chosen in sets)
            values = [float(self.candidates.values(some, self.gamma)[0]) for some in columns]
            self.goal.offer(sets, np.array(values))
