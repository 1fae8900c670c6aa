"""The domain of the search: which sets of units may be chosen, and their convex hull."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.units import Units, largest, without

NONE: Indices = np.empty(0, dtype=np.intp)


@dataclass(frozen=True)
class Domain:
    """The sets of m units that hold all of `required` and none of `excluded`.

    Their convex hull is {0 <= q <= 1, sum q = m, q = 1 on required, q = 0 on excluded}, Eq. (17).
    Values of units (q, g, s) are in the order of the units everywhere.
    """

    units: Units
    m: int
    required: Indices = field(default_factory=lambda: NONE)
    excluded: Indices = field(default_factory=lambda: NONE)

    def __post_init__(self) -> None:
        most = self.units.size - self.excluded.size
        if not self.required.size <= self.m <= most:
            raise ValueError(
                f"m must be between {self.required.size} and {most}, the units allowed; got {self.m}."
            )

    @cached_property
    def fixed(self) -> Indices:
        return np.union1d(self.required, self.excluded)

    @cached_property
    def free(self) -> Indices | slice:
        """The units that may be chosen or not."""
        return without(self.units.size, self.fixed) if self.fixed.size else slice(None)

    @cached_property
    def columns(self) -> Indices | slice:
        """The columns of the units that may be chosen."""
        if not self.excluded.size:
            return slice(None)
        return self.units.columns(without(self.units.size, self.excluded))

    @property
    def spare(self) -> int:
        """How many of the free units are chosen."""
        return self.m - self.required.size

    def within(self, members: Indices) -> Domain:
        """The domain of some of the units alone, the required ones among them, renumbered in their order."""
        required, excluded = (
            np.flatnonzero(np.isin(members, some)) if some.size else NONE
            for some in (self.required, self.excluded)
        )
        return Domain(Units(None, members.size), self.m, required, excluded)

    def candidates(self, s: Floats, size: int) -> Indices:
        """The `size` allowed units with the largest s, the required ones among them."""
        free = self.free
        found = largest(s[free], max(size - self.required.size, self.spare))
        return found if isinstance(free, slice) else np.union1d(free[found], self.required)

    def movable(self, members: Indices) -> Indices:
        """Places of the members that need not stay."""
        return (
            np.flatnonzero(~np.isin(members, self.required))
            if self.required.size
            else np.arange(members.size)
        )

    def best(self, g: Floats, second: Floats | None = None) -> Indices:
        """The set with the largest sum of g, Eq. (26); ties go to `second`, then to column order."""
        free, of_free = self.free, None if second is None else second[self.free]
        chosen = largest(g[free], self.spare, of_free)
        return chosen if isinstance(free, slice) else np.union1d(free[chosen], self.required)

    def threshold(self, g: Floats) -> float:
        """The least g of a free unit in the best set."""
        values = g[self.free]
        if not self.spare:
            return float(g.max())
        return float(np.partition(values, values.size - self.spare)[values.size - self.spare])

    def maximum(self, g: Floats) -> float:
        """The largest sum of g of a set, the maximum of g.p over the hull."""
        values, spare = g[self.free], self.spare
        if 0 < spare < values.size:
            values = np.partition(values, values.size - spare)[values.size - spare :]
        return float(values.sum() if spare else 0.0) + float(g[self.required].sum())

    def bound(self, value: float, g: Floats, q: Floats) -> float:
        """Bound on a concave function over the hull from its value and gradient at q: Eq. (27)."""
        return value + self.maximum(g) - float(q @ g)

    def project(self, v: Floats) -> Floats:
        """Nearest point of the hull."""
        q = np.zeros(v.size)
        q[self.required] = 1.0
        q[self.free] = project_capped(v[self.free], self.spare)
        return q

    def reweighted(self, w: Floats) -> Floats:
        """The q of the hull with the least sum of w^2 / q: min(1, w / tau) where it is free."""
        q = np.zeros(w.size)
        q[self.required] = 1.0
        q[self.free] = cap_shares(w[self.free], self.spare)
        return q

    def near(self, q: Floats) -> Floats:
        """The point of this domain next to the q of another."""
        return self.project(q * (self.m / q.sum()))

    def start(self, s: Floats) -> Floats:
        """A first q: half weight on the 2m units of largest s, between the first cut and the middle."""
        q = np.zeros(s.size)
        values = s[self.free]
        first = largest(values, min(2 * self.spare, values.size))
        of_free = np.zeros(values.size)
        of_free[first] = self.spare / max(first.size, 1)
        q[self.free], q[self.required] = of_free, 1.0
        return q


def cap_shares(w: Floats, m: int) -> Floats:
    """min(1, w / tau) for the tau that makes the sum m; where too few w are not nought, the nearest to it."""
    order = np.sort(w)[::-1][: m + 1]
    left = float(w.sum()) - np.concatenate([[0.0], np.cumsum(order)])[: order.size]
    places = m - np.arange(order.size)
    # the t largest are capped, t the first for which the next is not
    fits = np.flatnonzero((order * places <= left) & (left > 0) & (places > 0))
    if not fits.size:
        return project_capped(w, m)
    t = int(fits[0])
    shares: Floats = np.minimum(1.0, w * (places[t] / left[t]))
    return shares


def project_capped(v: Floats, m: float) -> Floats:
    """Nearest point of {0 <= q <= 1, sum q = m}: clip(v - tau, 0, 1) for the tau that makes the sum m.

    The sum is a piecewise linear, falling function of tau with a kink at every v_j - 1
    and v_j, so one sort finds the piece and the piece gives tau.
    """
    size = v.size
    if m >= size or m == 0:
        return np.full(size, float(m > 0))
    kinks = np.concatenate([v - 1.0, v])
    slopes = np.concatenate([-np.ones(size), np.ones(size)])
    order = np.argsort(kinks, kind="stable")
    kinks, slopes = kinks[order], np.cumsum(slopes[order])
    sums = size + np.concatenate([[0.0], np.cumsum(slopes[:-1] * np.diff(kinks))])
    # sums falls from size to 0, up to rounding
    piece = int(np.searchsorted(-sums, -m, side="left"))
    piece = min(max(piece, 1), 2 * size - 1)
    slope = slopes[piece - 1]
    tau = kinks[piece - 1] + ((m - sums[piece - 1]) / slope if slope < 0 else 0.0)
    nearest: Floats = np.clip(v - tau, 0.0, 1.0)
    return nearest
