"""Swaps of whole groups of columns, by block updates of the system of a subset.

Removing the group I and adding J changes n F(A) by

    tr{R'(base_JJ + u u')^-1 R} - ||w||^2    with R = R_J + u w,

where (M^-1)_II = L L', w = L^-1 W_I, u = U_IJ' L^-T, and base_JJ is what is left of (G + gamma I)_JJ
when the members are taken out of it (see `subset`): for groups of one, the formula of `exchange`.
Groups of a size are solved for in one stack. Where (M^-1)_II is what rounding has left of it, the
system without I is solved anew, and J added to that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._types import EPS, Floats, Indices
from fisherset.solver.domain import NONE, Domain
from fisherset.solver.exchange.forward import Stack, stacks
from fisherset.solver.iterative import IterativeSubset
from fisherset.solver.linear import solve_stack
from fisherset.solver.problem import Problem
from fisherset.solver.ridge import measure_subset
from fisherset.solver.subset import SampleSubset, Subset
from fisherset.solver.units import Units

NUMBERS_AT_A_TIME = 8_000_000  # of U
WELL_ENOUGH = 1e-4  # share of itself to which a search has to know what a swap changes


class Offer(NamedTuple):
    """What swapping the members at some places (rows) for outsiders (columns) changes in F."""

    places: Indices
    outsiders: Indices
    gain: Floats
    worth: Floats  # what F loses without each of the members: the measure of a tie


class _Member(NamedTuple):
    """A group of the subset: where its columns stand, and its factor L and w."""

    place: int
    rows: Indices
    inverse_root: Floats  # L^-1
    w: Floats
    own: float


def group_swaps(
    problem: Problem, domain: Domain, state: Subset, places: Indices, outsiders: Indices
) -> Iterator[Offer]:
    """What all swaps change, some outsiders at a time."""
    units = domain.units
    assert units.groups is not None
    widest = max(state.columns.size, problem.C.shape[1])
    numbers = min(NUMBERS_AT_A_TIME, problem.room) // widest
    of_places = _rows(state, units)
    lost = np.array([_lost(state, of_places[place], WELL_ENOUGH) for place in places], dtype=bool)
    members = [_member(state, place, of_places[place]) for place in places[~lost].tolist()]
    for alike, columns in _batches(units, outsiders if members else NONE, numbers):
        yield _updated(state, members, alike, columns)
    for place in places[lost].tolist():  # one after the other: each has a system of its own
        rest, own = taken_out(state, of_places[place])
        for alike, columns in _batches(units, outsiders, numbers):
            gain = (_added(rest, columns) - own)[None] / problem.n
            yield Offer(np.array([place]), alike, gain, np.array([own]) / problem.n)


def _rows(state: Subset, units: Units) -> list[Indices]:
    """Where the columns of each group of the subset stand, in the order of the groups."""
    assert units.groups is not None
    of_column = units.groups[state.columns]
    return [np.flatnonzero(of_column == unit) for unit in np.unique(of_column)]


def _batches(units: Units, some: Indices, numbers: int) -> Iterator[Stack]:
    """Some groups by size, not more than so many columns at a time."""
    for alike, columns in stacks(units, some):
        step = max(1, numbers // columns.shape[1])
        for start in range(0, alike.size, step):
            yield Stack(alike[start : start + step], columns[start : start + step])


def _updated(state: Subset, members: list[_Member], outsiders: Indices, columns: Indices) -> Offer:
    """The swaps of some members with some groups of a size, by updates of the system of the subset."""
    R, base, U = state.group_terms(columns)
    gain = np.empty((len(members), len(R)))
    for row, member in enumerate(members):
        u = np.moveaxis(np.tensordot(member.inverse_root, U[member.rows], 1), 0, 2)
        left = R + u @ member.w
        solved = solve_stack(base + u @ np.swapaxes(u, 1, 2), left, state.gamma)
        gain[row] = np.einsum("jsr,jsr->j", left, solved) - member.own
    places, own = np.array([member.place for member in members]), np.array([member.own for member in members])
    return Offer(places, outsiders, gain / state.problem.n, own / state.problem.n)


def _added(state: Subset, columns: Indices) -> Floats:
    """Gain of n F by each of some groups of a size outside the subset: tr(R_J' base_JJ^-1 R_J)."""
    R, base, _ = state.group_terms(columns)
    gains: Floats = np.einsum("jsr,jsr->j", R, solve_stack(base, R, state.gamma))
    return gains


def _member(state: Subset, place: int, rows: Indices) -> _Member:
    inverse_root = np.linalg.inv(np.linalg.cholesky(state.inverse_block(rows)))
    w = inverse_root @ state.W[rows]
    return _Member(place, rows, inverse_root, w, float(np.vdot(w, w)))


def taken_out(state: Subset, rows: Indices) -> tuple[Subset, float]:
    """The subset without some of its columns, by a system of its own, and what n F loses without them."""
    rest = measure_subset(state.problem, np.delete(state.columns, rows), state.gamma)
    return rest, state.problem.n * max(state.value - rest.value, 0.0)


def _lost(state: Subset, rows: Indices, trusted: float) -> bool:
    """Whether removing the columns at some places by an update would lose the digits of the rest."""
    return bool(cancelled(state, state.inverse_block(rows)[None], trusted)[0])


def cancelled(state: Subset, blocks: Floats, trusted: float) -> NDArray[np.bool_]:
    """Whether rounding may be more than a share of the blocks of M^-1, of groups of a size, a stack of them.

    M^-1 is known to a few EPS of the roots of its diagonal. In sample space it is what is left of
    I - X'PX, and that to the rounding of P: of a column that stands out from all others nothing may be left.
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
    known: NDArray[np.bool_] = off <= trusted * least
    return ~known


def unit_losses(state: Subset, units: Units) -> Floats:
    """Loss of n F without each of the units of the subset, in their order.

    Of a subset whose system is too large to be held they are estimates.
    """
    lost = lost_units(state, units, WELL_ENOUGH)
    if units.groups is None:
        losses: Floats = np.einsum("ir,ir->i", state.W, state.W) / state.inverse_diagonal
        for place in np.flatnonzero(lost).tolist():
            losses[place] = taken_out(state, np.array([place]))[1]
        return losses
    return np.array(
        [
            taken_out(state, rows)[1] if hopeless else _member(state, 0, rows).own
            for rows, hopeless in zip(_rows(state, units), lost, strict=True)
        ]
    )


def lost_units(state: Subset, units: Units, trusted: float) -> NDArray[np.bool_]:
    """Whether what F loses without each of the units is not known to the share `trusted` by an update."""
    if isinstance(state, IterativeSubset):  # nor is it by anything else
        return np.zeros(state.columns.size if units.groups is None else len(_rows(state, units)), dtype=bool)
    if units.groups is None:
        return cancelled(state, state.inverse_diagonal[:, None, None], trusted)
    return np.array([_lost(state, rows, trusted) for rows in _rows(state, units)], dtype=bool)
