"""The domain of the search: units of selection, the sets of them that may be chosen, and their convex hull.

A unit is a group of columns chosen together, a single column being a group of one. Projections and sums work
along the last axis, so that they serve one domain and the many nodes of an exact search alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats, Indices

# Scores that differ by less than this share of the largest are a tie, and ties go to the earlier column:
# duplicated columns then resolve alike in every storage. Well above the 1e-13 or so by which the
# rounding of dense and sparse storage differs, well below any difference that matters.
TIE = 1e-9

Flags = NDArray[np.bool_]
Places = Indices | slice
ALL = slice(None)
EMPTY: Indices = np.empty(0, dtype=np.intp)
FAR = 1e30  # beyond any v - 1 of a projection, and finite, so that differences are


class Stack(NamedTuple):
    """Groups of one size, and their columns: groups x size."""

    units: Indices
    columns: Indices


class Units:
    """Translate between units (counted) and columns (computed with).

    With `groups=None`, each column being its own unit, every method is the identity and costs nothing.
    Values of columns are in the order of the columns given, values of units in the order of the units.
    """

    def __init__(self, groups: Indices | None, n_columns: int) -> None:
        self.groups, self.n_columns = groups, n_columns
        self.size = n_columns if groups is None else int(groups.max()) + 1

    @cached_property
    def sizes(self) -> Indices:
        """Number of columns of each unit."""
        if self.groups is None:
            return np.ones(self.size, dtype=np.intp)
        return np.bincount(self.groups, minlength=self.size)

    @cached_property
    def in_order(self) -> Indices:
        """The columns, one unit after the other."""
        return np.arange(self.size) if self.groups is None else np.argsort(self.groups, kind="stable")

    def total(self, s: Floats, units: Places = ALL, columns: Places = ALL) -> Floats:
        """Sum values of the columns, which are those of `units`, over the units."""
        if self.groups is None:
            return s
        totals: Floats = np.bincount(self.groups[columns], s, minlength=self.size).astype(np.float64)
        return totals[units]

    def most(self, s: Floats) -> Floats:
        """Largest value among the columns of each unit."""
        if self.groups is None:
            return s
        most = np.full(self.size, -np.inf)
        np.maximum.at(most, self.groups, s)
        return most

    def spread(self, q: Floats, units: Places = ALL, columns: Places = ALL) -> Floats:
        """Give each of the columns, which are those of `units`, the value of its unit."""
        if self.groups is None:
            return q
        values = np.zeros(self.size)
        values[units] = q
        return values[self.groups[columns]]

    def columns(self, units: Indices) -> Indices:
        """Columns of the given units: in column order, or in the order of the units if they are columns."""
        if self.groups is None:
            return units
        return np.flatnonzero(mask_of(self.size, units)[self.groups])

    def stacks(self, some: Indices) -> list[Stack]:
        """Some units by size."""
        first, sizes = np.cumsum(self.sizes) - self.sizes, self.sizes[some]
        alike = ((size, some[sizes == size]) for size in np.unique(sizes))
        return [Stack(few, self.in_order[first[few][:, None] + np.arange(size)]) for size, few in alike]


class Sums(NamedTuple):
    """Largest sum of g over the sets of a domain, the least free g in it, the largest free g outside."""

    most: Floats
    least: Floats
    following: Floats


@dataclass(frozen=True)
class Domain:
    """The sets of m units that hold all of `required` and none of `excluded`.

    Their convex hull is {0 <= q <= 1, sum q = m, q = 1 on required, q = 0 on excluded}, Eq. (17).
    Values of units (q, g, s) are in the order of the units everywhere.
    """

    units: Units
    m: int
    required: Indices = field(default_factory=lambda: EMPTY)
    excluded: Indices = field(default_factory=lambda: EMPTY)

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
        return without(self.units.size, self.fixed) if self.fixed.size else ALL

    @cached_property
    def columns(self) -> Indices | slice:
        """The columns of the units that may be chosen."""
        if not self.excluded.size:
            return ALL
        return self.units.columns(without(self.units.size, self.excluded))

    @property
    def remaining(self) -> int:
        """Number of free units in a set."""
        return self.m - self.required.size

    @cached_property
    def most_columns(self) -> int:
        """Number of columns of the largest set."""
        return int(np.sort(self.units.sizes)[self.units.size - self.m :].sum())

    def subdomain(self, members: Indices) -> Domain:
        """The domain of some of the units alone, the required ones among them, renumbered in their order."""
        fixed = (self.required, self.excluded)
        places = (np.flatnonzero(np.isin(members, some)) if some.size else EMPTY for some in fixed)
        return Domain(Units(None, members.size), self.m, *places)

    def candidates(self, s: Floats, size: int) -> Indices:
        """The `size` allowed units with the largest s, the required ones among them."""
        return self._with_required(largest(s[self.free], max(size - self.required.size, self.remaining)))

    def best(self, g: Floats, second: Floats | None = None) -> Indices:
        """The set with the largest sum of g, Eq. (26); ties go to `second`, then to column order."""
        of_free = None if second is None else second[self.free]
        return self._with_required(largest(g[self.free], self.remaining, of_free))

    def _with_required(self, places: Indices) -> Indices:
        """The required units and the free ones at some places."""
        free = self.free
        return places if isinstance(free, slice) else np.union1d(free[places], self.required)

    def movable(self, members: Indices) -> Indices:
        """Places of the members that are not required."""
        if not self.required.size:
            return np.arange(members.size)
        return np.flatnonzero(~np.isin(members, self.required))

    def sums(self, g: Floats) -> Sums:
        """Largest sums of g over the sets, Eq. (26)."""
        sums = largest_sums(g[..., self.free], self.remaining)
        if not self.required.size:
            return sums
        return sums._replace(most=sums.most + g[..., self.required].sum(axis=-1))

    def threshold(self, g: Floats) -> float:
        """The least g of a free unit in the best set."""
        return float(self.sums(g).least) if self.remaining else float(g.max())

    def maximum(self, g: Floats) -> float:
        """The largest sum of g of a set, the maximum of g.p over the hull."""
        return float(self.sums(g).most)

    def bound(self, value: float, g: Floats, q: Floats) -> float:
        """Bound on a concave function over the hull from its value and gradient at q: Eq. (27)."""
        return value + self.maximum(g) - float(q @ g)

    def project(self, v: Floats) -> Floats:
        """Nearest point of the hull."""
        if not self.fixed.size:
            return project_capped(v, self.remaining)
        q = np.zeros(v.shape)
        q[..., self.required] = 1.0
        q[..., self.free] = project_capped(v[..., self.free], self.remaining)
        return q

    def reweighted(self, w: Floats) -> Floats:
        """The q of the hull with the least sum of w^2 / q: min(1, w / tau) where it is free."""
        q = np.zeros(w.size)
        q[self.required] = 1.0
        q[self.free] = cap_shares(w[self.free], self.remaining)
        return q

    def nearest(self, q: Floats) -> Floats:
        """The point of this domain nearest to the q of another domain, scaled to the same sum."""
        return self.project(q * (self.m / q.sum()))

    def start(self, s: Floats) -> Floats:
        """A first q: half weight on the 2m units of largest s, between the first cut and the middle."""
        q = np.zeros(s.size)
        values = s[self.free]
        first = largest(values, min(2 * self.remaining, values.size))
        of_free = np.zeros(values.size)
        of_free[first] = self.remaining / max(first.size, 1)
        q[self.free], q[self.required] = of_free, 1.0
        return q


class Domains(NamedTuple):
    """Many domains over the same units, a row each: the nodes of a search."""

    free: Flags
    required: Flags
    remaining: Indices  # free units of a set, one number a row

    def sums(self, g: Floats) -> Sums:
        """Largest sums of g over the sets of each domain."""
        sums = largest_sums(g, self.remaining, self.free)
        return sums._replace(most=sums.most + np.where(self.required, g, 0.0).sum(axis=1))

    def project(self, v: Floats) -> Floats:
        """Nearest points of the hulls."""
        return np.where(self.free, project_capped(v, self.remaining, self.free), self.required)

    def of_rows(self, rows: Indices) -> Domains:
        """Some of the domains."""
        return Domains(self.free[rows], self.required[rows], self.remaining[rows])


def largest_sums(g: Floats, m: Indices | int, free: Flags | None = None) -> Sums:
    """Sum of the m largest of the free g along the last axis, the least of them, and the next one.

    A value that is not a number is the largest of all: the sum is none then, and bounds nothing.
    """
    size = g.shape[-1]
    if isinstance(m, np.ndarray):
        # sums of a masked array, not differences of running sums: these would cancel, and round m times
        ordered, rows = np.sort(g if free is None else np.where(free, g, -np.inf), axis=-1), np.arange(len(g))
        most = np.where(np.arange(size) >= (size - m)[:, None], ordered, 0.0).sum(axis=-1)
        inside, outside = ordered[rows, np.minimum(size - m, size - 1)], ordered[rows, size - m - 1]
        return Sums(most, np.where(m > 0, inside, np.inf), np.where(m < size, outside, -np.inf))
    if not 0 < m < size:  # no free unit in a set, or all of them
        zero = np.zeros(g.shape[:-1])
        if m == 0:
            return Sums(zero, zero + np.inf, g.max(axis=-1, initial=-np.inf))
        return Sums(g.sum(axis=-1), g.min(axis=-1), zero - np.inf)
    # one m: a partition costs O(size), and tells both the least inside and the largest outside
    ordered = np.partition(g, (size - m - 1, size - m), axis=-1)
    return Sums(ordered[..., size - m :].sum(axis=-1), ordered[..., size - m], ordered[..., size - m - 1])


def cap_shares(w: Floats, m: int) -> Floats:
    """min(1, w / tau) for the tau that makes the sum m; if too few w are positive, the nearest to it."""
    order = np.sort(w)[::-1][: m + 1]
    left = float(w.sum()) - np.concatenate([[0.0], np.cumsum(order)])[: order.size]
    places = m - np.arange(order.size)
    # the t largest are capped, t the first for which the next is not
    fits = np.flatnonzero((order * places <= left) & (left > 0) & (places > 0))
    if not fits.size:
        return project_capped(w, m)
    t = int(fits[0])
    return np.minimum(1.0, w * (places[t] / left[t]))


def project_capped(v: Floats, m: Indices | int, free: Flags | None = None) -> Floats:
    """Nearest points of {0 <= q <= 1, sum q = m} along the last axis, of the free entries alone.

    They are clip(v - tau, 0, 1) for the tau that makes the sum m. The sum is a piecewise linear, falling
    function of tau with a kink at every v_j - 1 and v_j, so one sort finds the piece and the piece gives tau.
    """
    size, rows = v.shape[-1], () if v.ndim == 1 else (np.arange(len(v))[:, None],)
    n_free = size if free is None else free.sum(axis=1, keepdims=True)
    m = m[:, None] if isinstance(m, np.ndarray) else m
    if not isinstance(m, np.ndarray) and not 0 < m < size:  # a hull of one point
        return np.full(v.shape, float(m > 0))
    kinks = np.concatenate([v - 1.0, v], axis=-1)
    if free is not None:  # the others have no kink: theirs stand last, where no sum is looked up
        kinks = np.where(np.concatenate([free, free], axis=-1), kinks, FAR)
    order = kinks.argsort(axis=-1)
    kinks = kinks[(*rows, order)]
    slopes = np.where(order < size, -1.0, 1.0).cumsum(axis=-1)
    # the sum at each kink less that at the first, which is the number of free entries
    falls = np.zeros(kinks.shape)
    np.cumsum(slopes[..., :-1] * (kinks[..., 1:] - kinks[..., :-1]), axis=-1, out=falls[..., 1:])
    # the piece ends at the first kink with a sum of no more than m: its slope is below 0
    ahead = (falls > m - n_free).sum(axis=-1, keepdims=True)
    at = (*rows, np.maximum(np.minimum(ahead, 2 * size - 1), 1) - 1)
    tau = kinks[at] + (m - n_free - falls[at]) / np.minimum(slopes[at], -1.0)
    if free is not None:  # hulls of one point
        tau = np.where(m <= 0, FAR, np.where(m >= n_free, -FAR, tau))
    return np.minimum(np.maximum(v - tau, 0.0), 1.0)


def mask_of(size: int, some: Indices) -> Flags:
    """Mask of the places 0, ..., size - 1 that are among some."""
    mask = np.zeros(size, dtype=bool)
    mask[some] = True
    return mask


def without(size: int, some: Indices) -> Indices:
    """The places 0, ..., size - 1 that are not among some."""
    return np.flatnonzero(~mask_of(size, some))


def largest(values: Floats, m: int, second: Floats | None = None) -> Indices:
    """Positions of the m largest values, in column order; ties go to `second`, then to column order."""
    if m >= values.size:
        return np.arange(values.size)
    if m == 0:
        return EMPTY
    rounded = _rounded(values)
    # the m-th from the top: a partition is slow where most values are equal, and those are the least ones
    candidates = np.flatnonzero(rounded >= -np.partition(-rounded, m - 1)[m - 1])
    if candidates.size == m:
        return candidates
    # several are tied for the last places
    among = None if second is None else _rounded(second)[candidates]
    return np.sort(candidates[ranked(rounded[candidates], among)[:m]])


def ranked(values: Floats, second: Floats | None = None) -> Indices:
    """All positions from best to worst, ties by `second`, then by column order."""
    values = _rounded(values)
    if second is None:
        return _falling(values)
    second = _rounded(second)
    least = values == values.min(initial=np.inf)  # zero for most units: only `second` tells them apart
    above, last = np.flatnonzero(~least), np.flatnonzero(least)
    above = above[np.lexsort([-second[above], -values[above]])]
    return np.concatenate([above, last[_falling(second[last])]])


def _falling(values: Floats) -> Indices:
    """All positions from the largest to the least, ties in their order: faster than a stable sort."""
    order: Indices = np.argsort(-values)
    falling = values[order]
    tied = falling[:-1] == falling[1:]
    if falling.size and np.isnan(falling[-1]):
        tied |= np.isnan(falling[:-1])
    if tied.any():
        # number the runs of equals, and sort run and position packed into one integer
        keys = np.zeros(order.size, dtype=np.int64)
        np.cumsum(~tied, out=keys[1:])
        keys *= order.size
        keys += order
        keys.sort()
        order = keys % order.size
    return order


def _rounded(values: Floats) -> Floats:
    scale = np.max(np.abs(values), initial=0.0) * TIE
    return np.round(values / scale) if scale > 0 and np.isfinite(scale) else values
