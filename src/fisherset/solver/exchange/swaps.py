"""Gains of swaps: a member of the subset for an outsider, by updates of the system of the subset.

Removing the unit I and adding J changes n F(A) by

    tr{R'(base_JJ + u u')^-1 R} - ||w||^2    with R = R_J + u w,

where (M^-1)_II = L L', w = L^-1 W_I, u = U_IJ' L^-T, and base_JJ is (G + gamma I)_JJ
adjusted for the members (see `subset`). For single columns this is

    ||R_j + u_ij w_i||^2 / (base_j + u_ij^2) - ||w_i||^2,

and all k x d swaps together cost three matrix products. Groups of a size are solved for in one stack. If
(M^-1)_II is lost in rounding, the system without I is solved anew, and J added to that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fisherset._types import EPS, Floats, Indices
from fisherset.solver.domain import EMPTY, TIE, Domain, Flags, Stack, Units, without
from fisherset.solver.linear import solve_stack
from fisherset.solver.problem import Problem
from fisherset.solver.subset import IterativeSubset, SampleSubset, Subset, measure_subset

NUMBERS_AT_A_TIME = 8_000_000  # of U, members x columns outside: 64 MB
# Share of itself to which a search has to know a gain: far below the differences that it acts on.
SEARCH_ACCURACY = 1e-4


class Offer(NamedTuple):
    """Changes of F by swapping the members at some places (rows) for outsiders (columns)."""

    places: Indices
    outsiders: Indices
    gain: Floats
    worth: Floats  # loss of F without each of the members: the measure of a tie


def find_swaps(
    problem: Problem, domain: Domain, state: Subset, places: Indices, outsiders: Indices
) -> Iterator[Offer]:
    """Gains of all swaps of the members at some places for some outsiders, a batch of outsiders at a time."""
    units, n = domain.units, problem.n
    numbers = min(NUMBERS_AT_A_TIME, problem.room) // max(state.columns.size, problem.C.shape[1])
    lost = lost_units(state, units, SEARCH_ACCURACY, places)
    if not lost.all():
        update = _updated_columns if units.groups is None else _updated_groups
        for batch in _batches(units, outsiders, numbers):
            yield update(state, units, places[~lost], batch)
    rows = _rows(state, units) if lost.any() else []
    for place in places[lost].tolist():  # one after the other: each has a system of its own
        rest, own = removed(state, rows[place])
        for batch in _batches(units, outsiders, numbers):
            gain = (_added(rest, units, batch) - own)[None] / n
            yield Offer(np.array([place]), batch.units, gain, np.array([own]) / n)


def _rows(state: Subset, units: Units) -> list[Indices]:
    """Places of the columns of each unit of the subset, in the order of the units."""
    if units.groups is None:
        return list(np.arange(state.columns.size)[:, None])
    of_column = units.groups[state.columns]
    return [np.flatnonzero(of_column == unit) for unit in np.unique(of_column)]


def _batches(units: Units, some: Indices, numbers: int) -> Iterator[Stack]:
    """Some units by size, with at most so many columns at a time."""
    singles = [Stack(some, some[:, None])]
    for alike, columns in singles if units.groups is None else units.stacks(some):
        step = max(1, numbers // columns.shape[1])
        for start in range(0, alike.size, step):
            yield Stack(alike[start : start + step], columns[start : start + step])


def _updated_columns(state: Subset, units: Units, places: Indices, batch: Stack) -> Offer:
    """The swaps of single columns; in place, as u has members x outsiders numbers."""
    root, n = np.sqrt(state.inverse_diagonal[places])[:, None], state.problem.n
    w = state.W[places] / root
    own = np.einsum("ir,ir->i", w, w)[:, None]
    R, base, u = state.cross_terms(places, batch.units)
    u /= root
    # ||R_j + u w_i||^2 = ||R_j||^2 + u (2 R_j.w_i + u ||w_i||^2)
    gain = (2.0 * w) @ R.T
    gain += u * own
    gain *= u
    gain += np.einsum("jr,jr->j", R, R)
    np.square(u, out=u)
    u += base
    gain /= u
    gain -= own
    gain /= n
    return Offer(places, batch.units, gain, own[:, 0] / n)


def _updated_groups(state: Subset, units: Units, places: Indices, batch: Stack) -> Offer:
    """The swaps of members with groups of a size, one member after the other."""
    R, base, U = state.group_terms(batch.columns)
    gain, own, rows = np.empty((places.size, len(R))), np.empty((places.size, 1)), _rows(state, units)
    for row, place in enumerate(places.tolist()):
        inverse_root, w = _whitened(state, rows[place])
        u = np.moveaxis(np.tensordot(inverse_root, U[rows[place]], 1), 0, 2)
        left = R + u @ w
        solved = solve_stack(base + u @ np.swapaxes(u, 1, 2), left, state.gamma)
        own[row] = np.vdot(w, w)
        gain[row] = np.einsum("jsr,jsr->j", left, solved)
    n = state.problem.n
    return Offer(places, batch.units, (gain - own) / n, own[:, 0] / n)


def _whitened(state: Subset, rows: Indices) -> tuple[Floats, Floats]:
    """L^-1 and w = L^-1 W_I of a group."""
    inverse_root: Floats = np.linalg.inv(np.linalg.cholesky(state.inverse_block(rows)))
    return inverse_root, inverse_root @ state.W[rows]


def _added(state: Subset, units: Units, batch: Stack) -> Floats:
    """Gain of n F by each of some units outside the subset: tr(R_J' base_JJ^-1 R_J)."""
    if units.groups is None:
        R, base, _ = state.cross_terms(EMPTY, batch.units)
        return np.einsum("jr,jr->j", R, R) / base
    R, base, _ = state.group_terms(batch.columns)
    return np.einsum("jsr,jsr->j", R, solve_stack(base, R, state.gamma))


def removed(state: Subset, rows: Indices) -> tuple[Subset, float]:
    """The subset without some of its columns, by a system of its own, and the loss of n F without them."""
    rest = measure_subset(state.problem, np.delete(state.columns, rows), state.gamma)
    return rest, state.problem.n * max(state.value - rest.value, 0.0)


def unit_losses(state: Subset, units: Units) -> Floats:
    """Loss of n F without each of the units of the subset, in their order.

    They are estimates for a subset whose system is too large to be held.
    """
    rows, lost = _rows(state, units), lost_units(state, units, SEARCH_ACCURACY)
    if units.groups is None:
        losses: Floats = np.einsum("ir,ir->i", state.W, state.W) / state.inverse_diagonal
    else:
        whitened = (
            EMPTY if gone else _whitened(state, some)[1] for some, gone in zip(rows, lost, strict=True)
        )
        losses = np.array([np.square(w).sum() for w in whitened], dtype=float)
    for place in np.flatnonzero(lost).tolist():
        losses[place] = removed(state, rows[place])[1]
    return losses


def lost_units(state: Subset, units: Units, accuracy: float, places: Indices | None = None) -> Flags:
    """Whether an update does not tell the loss of F without each unit to the share `accuracy`."""
    if isinstance(state, IterativeSubset):  # nor does anything else
        n_units = state.columns.size if units.groups is None else len(_rows(state, units))
        return np.zeros(n_units, dtype=bool)
    if units.groups is None:
        diagonal = state.inverse_diagonal if places is None else state.inverse_diagonal[places]
        return _cancelled(state, diagonal[:, None, None], accuracy)
    rows = _rows(state, units)
    rows = rows if places is None else [rows[place] for place in places.tolist()]
    blocks = (state.inverse_block(some)[None] for some in rows)
    return np.array([_cancelled(state, block, accuracy)[0] for block in blocks], dtype=bool)


def _cancelled(state: Subset, blocks: Floats, accuracy: float) -> Flags:
    """Whether rounding may exceed a share of the blocks of M^-1, a stack of them for groups of a size.

    M^-1 is known to a few EPS of the roots of its diagonal. In sample space it is the rest of
    I - X'PX, known to the rounding of P: nothing may be left of a column that is far longer than all others.
    """
    problem, columns, gamma = state.problem, state.columns, state.gamma
    with np.errstate(divide="ignore", invalid="ignore"):  # a diagonal of zero, or below, is all rounding
        root = np.sqrt(np.einsum("gii->gi", blocks))
        scaled = blocks / root[:, :, None] / root[:, None, :]
        off = np.full(len(blocks), columns.size * EPS)
        if isinstance(state, SampleSubset):
            lengths = problem.rounding.lengths[columns]
            share = problem.rounding.unit * float(lengths @ lengths) / gamma
            off += (share + EPS) / (gamma * root.min(axis=1) ** 2)
    sure = np.isfinite(scaled).all(axis=(1, 2))
    least = np.full(len(blocks), -np.inf)
    least[sure] = np.linalg.eigvalsh(scaled[sure])[:, 0]
    known: Flags = off <= accuracy * least
    return ~known


class BestSwaps(NamedTuple):
    """For each member, a row, the units that best replace it, best first, and the gain of F by each.

    -1 and -inf if there are not so many.
    """

    units: Indices
    gains: Floats


def best_swaps(state: Subset, domain: Domain, members: Indices, count: int = 1) -> BestSwaps:
    """The `count` best swaps of each of the members, which are the units of the state, ties by column order.

    None if the system is too large to be held, as no gain can be computed then.
    """
    shape = members.size, count
    best = BestSwaps(np.full(shape, -1, dtype=np.intp), np.full(shape, -np.inf))
    outsiders = without(domain.units.size, np.union1d(members, domain.fixed))
    if not outsiders.size or isinstance(state, IterativeSubset):
        return best
    tie = TIE * state.value
    for offer in find_swaps(state.problem, domain, state, np.arange(members.size), outsiders):
        found, at = list(_foremost(offer, tie, count)), offer.places
        units = np.hstack([best.units[at], *(units for units, _ in found)])
        gains = np.hstack([best.gains[at], *(gains for _, gains in found)])
        order = np.lexsort([units, -_levels(gains, tie)], axis=1)[:, :count]
        rows = np.arange(at.size)[:, None]
        best.units[at], best.gains[at] = units[rows, order], gains[rows, order]
    return best


def _foremost(offer: Offer, tie: float, count: int) -> Iterator[tuple[Indices, Floats]]:
    """The best outsider of each row, the second best, and so on; of equals the first."""
    levels, rows = _levels(offer.gain, tie), np.arange(len(offer.gain))
    for _ in range(min(count, offer.outsiders.size)):
        at = levels.argmax(axis=1)
        yield offer.outsiders[at][:, None], offer.gain[rows, at][:, None]
        levels[rows, at] = -np.inf


def _levels(gains: Floats, tie: float) -> Floats:
    """Gains in units of a tie, so that equals are equal; from F = 0 nothing is a tie."""
    levels: Floats = gains / tie if tie > 0 else gains.copy()
    return np.round(levels, out=levels) if tie > 0 else levels


class OutsiderGains(NamedTuple):
    """Units outside a subset, the gain of F by the best swap with each, and by adding it."""

    units: Indices
    swapped: Floats
    added: Floats


def outsider_gains(state: Subset, domain: Domain, members: Indices) -> OutsiderGains:
    """Gains of the units outside, which the members that are not required may be swapped for."""
    units, outsiders = domain.units, without(domain.units.size, np.union1d(members, domain.excluded))
    swapped, added = np.full(units.size, -np.inf), np.zeros(units.size)
    for offer in find_swaps(state.problem, domain, state, domain.movable(members), outsiders):
        best = offer.gain.max(axis=0, initial=-np.inf)
        swapped[offer.outsiders] = np.maximum(swapped[offer.outsiders], best)
    numbers = min(NUMBERS_AT_A_TIME, state.problem.room) // max(state.columns.size, state.W.shape[1])
    for batch in _batches(units, outsiders, numbers):
        added[batch.units] = _added(state, units, batch) / state.problem.n
    return OutsiderGains(outsiders, swapped[outsiders], added[outsiders])
