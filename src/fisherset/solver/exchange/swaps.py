"""The best swap of each member of a subset, of all there are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.domain import Domain
from fisherset.solver.exchange.exchange import column_swaps
from fisherset.solver.exchange.groups import Offer, group_swaps
from fisherset.solver.iterative import IterativeSubset
from fisherset.solver.subset import Subset
from fisherset.solver.units import TIE, without


class BestSwaps(NamedTuple):
    """For each member, a row, the units that best take its place, best first, and what F gains by each.

    -1 and -inf where there are not so many.
    """

    units: Indices
    gains: Floats


def best_swaps(state: Subset, domain: Domain, members: Indices, count: int = 1) -> BestSwaps:
    """The `count` best swaps of each of the members, which are the units of the state, ties by column order.

    None where the system is too large to be held, as no swap can be looked at then.
    """
    best = BestSwaps(*_nothing(members.size, count))
    outsiders = without(domain.units.size, np.union1d(members, domain.fixed))
    if not outsiders.size or isinstance(state, IterativeSubset):
        return best
    find_swaps = column_swaps if domain.units.groups is None else group_swaps
    tie = TIE * state.value
    for offer in find_swaps(state.problem, domain, state, np.arange(members.size), outsiders):
        found, at = list(_foremost(offer, tie, count)), offer.places
        units = np.hstack([best.units[at], *(units for units, _ in found)])
        gains = np.hstack([best.gains[at], *(gains for _, gains in found)])
        order = np.lexsort([units, -_levels(gains, tie)], axis=1)[:, :count]
        rows = np.arange(at.size)[:, None]
        best.units[at], best.gains[at] = units[rows, order], gains[rows, order]
    return best


def _nothing(n_members: int, count: int) -> tuple[Indices, Floats]:
    return np.full((n_members, count), -1, dtype=np.intp), np.full((n_members, count), -np.inf)


def _foremost(offer: Offer, tie: float, count: int) -> Iterator[tuple[Indices, Floats]]:
    """The best outsider of each row, the second best, and so on; of equals the first."""
    levels, rows = _levels(offer.gain, tie), np.arange(len(offer.gain))
    for _ in range(min(count, offer.outsiders.size)):
        at = levels.argmax(axis=1)
        yield offer.outsiders[at][:, None], offer.gain[rows, at][:, None]
        levels[rows, at] = -np.inf


def _levels(gains: Floats, tie: float) -> Floats:
    """Gains of which equals are equal; from F = 0 nothing is a tie."""
    levels: Floats = gains / tie if tie > 0 else gains.copy()
    return np.round(levels, out=levels) if tie > 0 else levels
