"""The nodes of an exact search: their relaxations, many at a time, their order, and their division.

Rows are nodes and columns are units. Each node has a diagonal Delta of its own, which is moved from G into
the ridge (see `diagonal`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from heapq import heapify, heappop, heappush
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats, Indices
from fisherset.solver.domain import Domains, Flags
from fisherset.solver.exact.candidates import Candidates
from fisherset.solver.linear import shifted
from fisherset.solver.proof import SUMS_ROUNDED, UnitBounds, bounds_from_sums
from fisherset.solver.relaxation.ascent import Ascents, Points, ascend_many
from fisherset.solver.trace import Trace

GRAM_AT_A_TIME = 2**18  # numbers of the Gram rows that are gathered: 2 MB, about a cache
ASCENT_STEPS = 30  # branching gains more than a longer ascent
# Share of its value that a bound is brought to if nothing else ends the ascent.
SHARP = 1e-6
# If F(q) exceeds what a node must stay below, no ascent closes it: its bound is brought to this share of
# the distance, which is enough to branch by.
ENOUGH_TO_BRANCH = 0.2


class Effort(NamedTuple):
    """How far to bring a bound down: by so many steps, or to a share of its distance to the threshold."""

    steps: int = ASCENT_STEPS
    enough: float = ENOUGH_TO_BRANCH


USUAL = Effort()


@dataclass
class Nodes:
    """Domains: units that are required, that are free, the others excluded; and where each stands."""

    required: Flags
    free: Flags
    q: Floats
    forms: NDArray[np.object_]  # the `Relaxations` of each, with G or another matrix in its place
    delta: Floats  # of the columns: the diagonal that is subtracted from G
    scope: Indices  # number of free units when it was computed
    step: Floats  # length of the last step
    bound: Floats

    @property
    def size(self) -> int:
        return self.bound.size

    def domains(self, m: int) -> Domains:
        """The sets of m units of each node."""
        return Domains(self.free, self.required, m - self.required.sum(axis=1))

    def by_form(self) -> Iterator[Self]:
        """The nodes of each form."""
        numbers = np.array([id(form) for form in self.forms])
        return (self.take(numbers == number) for number in dict.fromkeys(numbers.tolist()))

    def take(self, some: Indices | Flags) -> Self:
        return type(self)(*(getattr(self, field.name)[some] for field in fields(self)))

    @classmethod
    def joined(cls, parts: list[Self]) -> Self:
        names = [field.name for field in fields(cls)]
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


class Relaxations:
    """F(q) and its tangents on the candidates of a search."""

    def __init__(self, candidates: Candidates, gamma: float) -> None:
        self.candidates, self.gamma = candidates, gamma
        units = candidates.units
        self._firsts = None if units.groups is None else np.cumsum(units.sizes) - units.sizes

    def ascend(
        self,
        q: Floats,
        delta: Floats,
        domains: Domains,
        length: Floats,
        threshold: float,
        trace: Trace,
        effort: Effort,
    ) -> Ascents:
        """Bring the bounds of nodes down until it is clear what becomes of each.

        A node is done when its bound is down to the threshold, when F(q) shows that it cannot come there
        and the bound is good enough to branch by, or when it is sharp.
        """

        def functions(x: Floats, rows: Indices) -> Points:
            return self.at(x, delta[rows])[0]

        def finished(value: Floats, bound: Floats) -> Flags:
            left = bound - value
            settled = (value > threshold) & (left < effort.enough * (bound - threshold))
            unclear: Flags = (bound > threshold) & (left > SHARP * bound) & ~settled & (domains.remaining > 0)
            return ~unclear

        # units without a weight get none from the projection unless they must: fewer columns, smaller systems
        start = domains.project(np.where(q > 1e-6, q, -1.0))
        return ascend_many(
            functions, start, domains, finished=finished, trace=trace, length=length, max_steps=effort.steps
        )

    def at(self, q: Floats, delta: Floats) -> tuple[Points, Floats]:
        """F(q) and its tangents, and the squared lengths of the rows of W: nodes x columns."""
        n_nodes, width = q.shape[0], self.candidates.C.shape[0]
        points = Points(np.empty(n_nodes), np.empty(n_nodes), np.empty(q.shape))
        weights, of_columns = np.zeros((n_nodes, width)), self.spread(q)
        sizes = np.count_nonzero(of_columns, axis=1)
        order = np.argsort(sizes, kind="stable")
        start = 0
        while start < order.size:  # nodes of about as many columns in play share a stack of systems
            widest = max(int(sizes[order[start]]), 1) * width
            some = order[start : start + max(1, GRAM_AT_A_TIME // widest)]
            part, weights[some] = self._solve(of_columns[some], delta[some])
            for whole, new in zip(points, part, strict=True):
                whole[some] = new
            start += some.size
        return points, weights

    def spread(self, q: Floats) -> Floats:
        """Give each column the value of its unit."""
        groups = self.candidates.units.groups
        return q if groups is None else q[:, groups]

    def _total(self, s: Floats) -> Floats:
        """Sum values of columns over the units."""
        return s if self._firsts is None else np.add.reduceat(s, self._firsts, axis=1)

    def _systems(self, A: Indices, q: Floats, delta: Floats) -> tuple[Floats, Floats]:
        """The systems gamma I + D^1/2 (G - Delta) D^1/2 of columns A of some nodes, and the D^1/2.

        The ridge gamma + Delta_j is the ridge gamma with gamma / (gamma + Delta_j) times q_j.
        """
        root, at = np.sqrt(self.gamma * q / (self.gamma + delta)), np.arange(A.shape[1])
        M = self.candidates.G[A[:, :, None], A[:, None, :]]
        M[:, at, at] -= delta
        M *= root[:, :, None]
        M *= root[:, None, :]
        M[:, at, at] += self.gamma
        return M, root

    def _solve(self, q: Floats, delta: Floats) -> tuple[Points, Floats]:
        candidates, gamma = self.candidates, self.gamma
        rows, size = np.arange(len(q))[:, None], max(int(np.count_nonzero(q, axis=1).max()), 1)
        A = np.argpartition(-q, size - 1, axis=1)[:, :size]
        taken, C = delta[rows, A], candidates.C[A]
        M, root = self._systems(A, q[rows, A], taken)
        W = root[:, :, None] * np.linalg.solve(M, root[:, :, None] * C)
        GW = np.swapaxes(W, 1, 2) @ candidates.G[A]  # nodes x r x columns
        XV = np.subtract(candidates.C.T, GW, out=GW)
        own = XV[rows, :, A] + taken[:, :, None] * W
        squares = np.einsum("brj,brj->bj", XV, XV)
        squares[rows, A] = np.einsum("bir,bir->bi", own, own)
        # Delta adds terms to the sums, no larger than the others, as |Delta_i| <= G_ii <= l_i^2
        rounding, n_terms = candidates.rounding, 2 * sum(C.shape[1:])
        lengths = rounding.raise_lengths(np.sqrt(squares), A, W, slice(None), n_terms)
        explained = rounding.raise_explained(np.einsum("bir,bir->b", W, C - own), A, W, n_terms)
        weights = np.zeros(q.shape)
        weights[rows, A] = np.einsum("bir,bir->bi", W, W)
        points = Points(
            np.einsum("bir,bir->b", W, C) / candidates.n,
            explained / candidates.n,
            self._total(lengths**2 / ((gamma + delta) * candidates.n)),  # Eq. (26)
        )
        return points, weights

    def curvature(self, q: Floats, delta: Floats, members: Indices) -> Floats:
        """The Hessian (2 / (gamma^2 n)) N o (XV)(XV)' of -F among some units.

        N = X'(I + X D X'/gamma)^-1 X.
        """
        candidates, gamma, units = self.candidates, self.gamma, self.candidates.units
        of_columns = self.spread(q[None])[0]
        A = np.flatnonzero(of_columns)
        (M,), (root,) = self._systems(A[None], of_columns[None, A], delta[None, A])
        inverse = np.linalg.inv(M)
        columns = units.columns(members)
        places = np.searchsorted(A, columns)
        # both times the root of q: from M^-1 itself, not from a difference with G, which would cancel
        XV = gamma * (inverse @ (root[:, None] * candidates.C[A]))[places]
        N = shifted(-gamma * inverse[np.ix_(places, places)], 1.0)
        weight = of_columns[columns]
        curvature: Floats = 2 / (gamma * candidates.n) * N * (XV @ XV.T) / weight / weight[:, None]
        if units.groups is not None:
            firsts = np.cumsum(units.sizes[members]) - units.sizes[members]
            curvature = np.add.reduceat(np.add.reduceat(curvature, firsts, axis=0), firsts, axis=1)
        return curvature


def node_bounds(tangents: Points, domains: Domains) -> UnitBounds:
    """Bounds on the sets of each node with each unit and without it, from its tangent."""
    free, required, _ = domains
    sums = domains.sums(tangents.g)
    whole = tangents.offset + sums.most
    found = bounds_from_sums(whole, tangents.g, sums)
    all_sets = (whole * (1 + SUMS_ROUNDED))[:, None]
    with_each = np.where(free, found.with_each, np.where(required, all_sets, -np.inf))
    return UnitBounds(with_each, np.where(free, found.without_each, np.where(required, -np.inf, all_sets)))


class Frontier:
    """The open nodes, those of the largest bound first: none of them can be left out of a proof.

    Beyond the limit, those with the fewest free units come first, which end soonest and so free memory.
    """

    def __init__(self, limit: int) -> None:
        self._heap: list[tuple[float, int, Nodes]] = []
        self._count, self._limit = 0, limit

    def __len__(self) -> int:
        return len(self._heap)

    @property
    def bound(self) -> float:
        """The largest bound of an open node."""
        return -self._heap[0][0] if self._heap else -np.inf

    def add(self, nodes: Nodes) -> None:
        for place in range(nodes.size):
            node = nodes.take(np.array([place]))
            node.q = node.q.astype(np.float32)  # only a start: half the memory
            self._count += 1
            heappush(self._heap, (-float(node.bound[0]), self._count, node))

    def take(self, number: int) -> Nodes:
        """Remove some nodes from the frontier and return them."""
        if len(self._heap) > self._limit:
            self._heap.sort(key=lambda entry: (int(entry[2].free.sum()), entry[:2]))
            taken, self._heap = self._heap[:number], self._heap[number:]
            heapify(self._heap)
        else:
            taken = [heappop(self._heap) for _ in range(min(number, len(self._heap)))]
        nodes = Nodes.joined([node for _, _, node in taken])
        nodes.q = nodes.q.astype(np.float64)
        return nodes

    def all(self) -> Nodes | None:
        """All open nodes."""
        return Nodes.joined([node for _, _, node in self._heap]) if self._heap else None


class Branch(NamedTuple):
    """The unit to branch on, and q to start from with it required and with it excluded."""

    unit: int
    required: Floats
    excluded: Floats


def choose_branch(
    relaxations: Relaxations, q: Floats, delta: Floats, free: Flags, g: Floats, value: float, slack: float
) -> Branch:
    """Branch on the free unit that moves the bounds of both children most, at most by what closes them.

    Fixing q_j at p costs (p - q_j)^2 / (2 P_jj) to second order once the others have moved along column j of
    P, the inverse Hessian of F within sum q = m. A unit with near-duplicates costs little; others more.
    """
    fractional = 1e-3  # a relaxed weight closer to 0 or 1 counts as such: fixing it moves nothing
    members = np.flatnonzero(free & (q > fractional) & (q < 1 - fractional))
    P = _movement(relaxations, q, delta, members)
    if P is None:
        ends = np.where(free, np.minimum(q, 1 - q), -1.0)
        unit = int(np.argmax(np.where(free, g, -1.0) if ends.max() <= 0 else ends))
        return Branch(unit, q, q)
    x, stiffness = q[members], 1 / np.maximum(P.diagonal(), np.finfo(float).tiny)
    # every move counts at least a millionth of F, so that products of two tell units apart
    least = 1e-6 * value
    with np.errstate(over="ignore"):  # beyond float64 is beyond all limits that follow
        moves = [np.clip(d**2 * stiffness / 2, least, max(slack, least)) for d in (x, 1 - x)]
        place = int(np.argmax(np.prod(moves, axis=0)))
        along = P[:, place] * stiffness[place]
    starts = []
    for end in (1.0, 0.0):
        start = q.copy()
        start[members] = np.clip(x + (end - x[place]) * along, 0.0, 1.0)
        starts.append(start)
    return Branch(int(members[place]), *starts)


def _movement(relaxations: Relaxations, q: Floats, delta: Floats, members: Indices) -> Floats | None:
    """P of the fractional units, None if there are too few or the arithmetic fails."""
    if members.size < 2:
        return None
    curvature = relaxations.curvature(q, delta, members)
    curvature.flat[:: members.size + 1] *= 1 + 1e-9  # near-duplicates make it singular
    try:
        P = np.linalg.inv(curvature)
    except np.linalg.LinAlgError:
        return None
    with np.errstate(over="ignore", invalid="ignore"):  # where F is so small that P leaves float64
        sums = P.sum(axis=1)
        total = float(sums.sum())
        if not total > 0:
            return None
        within: Floats = P - np.outer(sums, sums) / total
    return within if np.all(np.isfinite(within)) else None
