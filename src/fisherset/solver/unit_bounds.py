"""What sets with a given unit, and sets without it, can reach at most: of all units at once, from tangents.

A tangent's best set that must hold unit j gives up its least unit for it; one that must do without
j takes the best unit left outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._types import EPS, Floats, Indices
from fisherset.solver.domain import Domain
from fisherset.solver.proof import Tangent
from fisherset.solver.units import mask_of


class UnitBounds(NamedTuple):
    """The most a set of the domain with each unit, and without it, can reach; -inf where there is none."""

    with_each: Floats
    without_each: Floats

    def least(self, other: UnitBounds) -> UnitBounds:
        """The smaller of two bounds on each; what is not a number says nothing."""
        return UnitBounds(*(np.fmin(*pair) for pair in zip(self, other, strict=True)))

    def times(self, factor: float, most: float) -> UnitBounds:
        """The bounds times a factor, where there is a set at all; no more than F can be."""
        known = np.isfinite(factor)
        raised = []
        for bounds in self:
            scaled = np.where(np.isfinite(bounds), bounds, most) * (factor if known else 1.0)
            scaled = np.where((scaled <= most) & known, scaled, most)
            raised.append(np.where(np.isneginf(bounds), -np.inf, scaled))
        return UnitBounds(*raised)

    def around(self, units: Indices, m: int, objective: float, upper_bound: float) -> UnitBounds:
        """The same, between what a set that was found reaches and what no set of m units exceeds.

        A set without one of its m units has another instead, and the other way round. The set itself has
        its units and not the others: rounding must not say otherwise.
        """
        inside = mask_of(self.with_each.size, units)
        with_each, without_each = (np.fmin(bounds, upper_bound) for bounds in self)
        if units.size == m:
            others = np.max(with_each[~inside], initial=-np.inf)
            without_each[inside] = np.minimum(without_each[inside], others)
            own = np.max(without_each[inside], initial=-np.inf)
            with_each[~inside] = np.minimum(with_each[~inside], own)
        _raise(with_each, inside, objective)
        _raise(without_each, ~inside, objective)
        return UnitBounds(with_each, without_each)


def bound_units(domain: Domain, upper_bound: float, tangents: Sequence[Tangent] = ()) -> UnitBounds:
    """The bounds that tangents give, at most `upper_bound`, which is all there is to say without any."""
    with_each, without_each = (np.full(domain.units.size, upper_bound) for _ in range(2))
    free, spare = domain.free, domain.spare
    n_free = domain.units.size - domain.fixed.size
    if spare == 0:
        with_each[free] = -np.inf
    if spare == n_free:
        without_each[free] = -np.inf
    with_each[domain.excluded], without_each[domain.required] = -np.inf, -np.inf
    if not 0 < spare < n_free:
        return UnitBounds(with_each, without_each)
    for tangent in tangents:
        g, whole = tangent.g[free], tangent.bound(domain)
        if not np.isfinite(whole):  # which says nothing
            continue
        whole += 16 * EPS * abs(whole)  # sums are rounded
        following, least = np.partition(g, [n_free - spare - 1, n_free - spare])[n_free - spare - 1 :][:2]
        with_each[free] = np.fmin(with_each[free], whole - np.maximum(least - g, 0.0))
        without_each[free] = np.fmin(without_each[free], whole - np.maximum(g - following, 0.0))
    return UnitBounds(with_each, without_each)


def _raise(bounds: Floats, some: NDArray[np.bool_], objective: float) -> None:
    """Let some of the bounds be at least the objective, where there is a set at all."""
    some = some & np.isfinite(bounds)
    bounds[some] = np.maximum(bounds[some], objective)
