"""The nodes of an exact search: domains, where each stands, which comes next, and how it is divided.

Rows are nodes and columns are units.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from heapq import heapify, heappop, heappush
from typing import NamedTuple, Self

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.domain import Domains, Flags
from fisherset.solver.exact.relaxations import Relaxations


@dataclass
class Nodes:
    """Domains: units that are required, that are free, the others excluded; and where each stands."""

    required: Flags
    free: Flags
    q: Floats
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

    def take(self, some: Indices | Flags) -> Self:
        return type(self)(*(getattr(self, field.name)[some] for field in fields(self)))

    @classmethod
    def joined(cls, parts: list[Self]) -> Self:
        names = [field.name for field in fields(cls)]
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


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
    moves = (np.clip(d**2 * stiffness / 2, least, max(slack, least)) for d in (x, 1 - x))
    place = int(np.argmax(np.prod(list(moves), axis=0)))
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
    sums = P.sum(axis=1)
    total = float(sums.sum())
    return P - np.outer(sums, sums) / total if total > 0 else None
