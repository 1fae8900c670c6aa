"""Many domains at a time: the nodes of a search, and what is asked of the hull of each.

Rows are nodes and columns are units in all that is here.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from heapq import heapify, heappop, heappush
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fisherset._types import EPS, Floats, Indices

Flags = NDArray[np.bool_]
BEYOND = 1e30  # where the kinks of units that are not free stand


@dataclass
class Nodes:
    """Domains: units that are required, that are free, the others excluded; and where each stands."""

    required: Flags
    free: Flags
    q: Floats
    delta: Floats  # of the columns: what is taken out of the diagonal of G
    scope: Indices  # how many units were free when it was
    step: Floats  # length of the last step
    bound: Floats

    @property
    def size(self) -> int:
        return self.bound.size

    def take(self, some: Indices | Flags) -> Self:
        return type(self)(*(getattr(self, field.name)[some] for field in fields(self)))

    @classmethod
    def joined(cls, parts: list[Self]) -> Self:
        names = [field.name for field in fields(cls)]
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


class Sums(NamedTuple):
    """The largest sum of g over the sets of each domain, the least free g in it and the next one outside."""

    most: Floats
    least: Floats
    following: Floats


def best_sums(g: Floats, free: Flags, required: Flags, spare: Indices) -> Sums:
    """The largest sums of g over the sets of domains, as `Domain.maximum` has it."""
    rows, width = np.arange(len(g)), g.shape[1]
    ordered = -np.sort(np.where(free, -g, np.inf), axis=1)
    sums = np.cumsum(np.where(np.isfinite(ordered), ordered, 0.0), axis=1)
    most = np.where(spare > 0, sums[rows, spare - 1], 0.0) + np.where(required, g, 0.0).sum(axis=1)
    least = np.where(spare > 0, ordered[rows, spare - 1], np.inf)
    following = np.where(spare < width, ordered[rows, np.minimum(spare, width - 1)], -np.inf)
    return Sums(most, least, following)


class Reaches(NamedTuple):
    """The most a set of each domain with each unit, and without it, can reach; -inf where there is none."""

    whole: Floats
    with_each: Floats
    without_each: Floats


def reaches(offset: Floats, g: Floats, free: Flags, required: Flags, spare: Indices) -> Reaches:
    """What the tangents offset + g.p say of the sets with each unit and without it."""
    sums = best_sums(g, free, required, spare)
    whole = offset + sums.most
    whole = whole + 16 * EPS * np.abs(whole)  # sums are rounded
    least, following = sums.least[:, None], sums.following[:, None]
    with_each = whole[:, None] - np.where(free, np.maximum(least - g, 0.0), 0.0)
    without_each = whole[:, None] - np.where(free, np.maximum(g - following, 0.0), 0.0)
    return Reaches(
        whole, np.where(free | required, with_each, -np.inf), np.where(required, -np.inf, without_each)
    )


def project_rows(v: Floats, free: Flags, required: Flags, spare: Indices) -> Floats:
    """Nearest points of the hulls: clip(v - tau, 0, 1) on the free units, as `project_capped` has it."""
    rows, width = np.arange(len(v)), v.shape[1]
    kinks = np.where(np.tile(free, 2), np.concatenate([v - 1.0, v], axis=1), BEYOND)
    order = np.argsort(kinks, axis=1)
    kinks = np.take_along_axis(kinks, order, axis=1)
    slopes = np.cumsum(np.where(order < width, -1.0, 1.0), axis=1)
    gaps = np.where(kinks[:, 1:] < BEYOND, np.diff(kinks, axis=1), 0.0)
    falls = np.cumsum(slopes[:, :-1] * gaps, axis=1)
    sums = free.sum(axis=1)[:, None] + np.concatenate([np.zeros((len(v), 1)), falls], axis=1)
    piece = np.clip(np.argmax(sums <= spare[:, None] + 1e-12, axis=1), 1, 2 * width - 1) - 1
    slope, lacking = slopes[rows, piece], spare - sums[rows, piece]
    tau = kinks[rows, piece] + np.where(slope < 0, lacking / np.minimum(slope, -1.0), 0.0)
    q: Floats = np.where(free, np.clip(v - tau[:, None], 0.0, 1.0), required.astype(float))
    return q


class Frontier:
    """The nodes that are still open: those of the largest bound come first.

    Where they are too many, those with the fewest free units do, which end soonest.
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
            node.q = node.q.astype(np.float32)
            self._count += 1
            heappush(self._heap, (-float(node.bound[0]), self._count, node))

    def take(self, number: int) -> Nodes:
        """Some nodes, out of the frontier."""
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
        """All that are left."""
        return Nodes.joined([node for _, _, node in self._heap]) if self._heap else None
