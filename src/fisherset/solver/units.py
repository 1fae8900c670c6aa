"""The unit of selection: a group of columns chosen together, a single column being a group of one."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats, Indices

# Scores that differ by less than this share of the largest are a tie, and ties go to
# the earlier column: duplicated columns then resolve alike whatever the storage.
TIE = 1e-9

Places = Indices | slice
ALL = slice(None)


class Units:
    """Translate between units (what is counted) and columns (what is computed).

    With `groups=None`, each column being its own unit, every method is the identity and
    costs nothing. Made once for a problem; values of columns are in the order of the
    columns they are asked with, values of units in the order of the units.
    """

    def __init__(self, groups: Indices | None, n_columns: int) -> None:
        self.groups, self.n_columns = groups, n_columns
        self.size = n_columns if groups is None else int(groups.max()) + 1

    @cached_property
    def sizes(self) -> Indices:
        """How many columns each unit has."""
        if self.groups is None:
            return np.ones(self.size, dtype=np.intp)
        return np.bincount(self.groups, minlength=self.size)

    @cached_property
    def in_order(self) -> Indices:
        """The columns, one unit after the other."""
        return np.arange(self.size) if self.groups is None else np.argsort(self.groups, kind="stable")

    def total(self, s: Floats, units: Places = ALL, columns: Places = ALL) -> Floats:
        """Sum a value of each of the columns, which are those of `units`, over the units."""
        if self.groups is None:
            return s
        totals: Floats = np.bincount(self.groups[columns], s, minlength=self.size).astype(np.float64)
        return totals[units]

    def most(self, s: Floats) -> Floats:
        """The largest value among the columns of each unit."""
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
        """The columns of the given units: in column order, or as the units where they are columns."""
        if self.groups is None:
            return units
        return np.flatnonzero(mask_of(self.size, units)[self.groups])


def mask_of(size: int, some: Indices) -> NDArray[np.bool_]:
    """Whether each of the places 0, ..., size - 1 is one of some."""
    mask = np.zeros(size, dtype=bool)
    mask[some] = True
    return mask


def without(size: int, some: Indices) -> Indices:
    """The places 0, ..., size - 1 but for some."""
    return np.flatnonzero(~mask_of(size, some))


def largest(values: Floats, m: int, second: Floats | None = None) -> Indices:
    """Positions of the m largest values, in column order; ties go to `second`, then to column order."""
    if m >= values.size:
        return np.arange(values.size)
    if m == 0:
        return np.empty(0, dtype=np.intp)
    rounded = _rounded(values)
    candidates = np.flatnonzero(rounded >= np.partition(rounded, values.size - m)[values.size - m])
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
    least = values == values.min(initial=np.inf)  # of most units nought: only `second` tells them apart
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
