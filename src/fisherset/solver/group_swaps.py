"""Swaps of whole groups of columns, by block updates of the system of a subset.

Removing the group I and adding J changes n F(A) by

    tr{R'(base_JJ + u u')^-1 R} - ||w||^2    with R = R_J + u w,

where (M^-1)_II = L L', w = L^-1 W_I, u = U_IJ' L^-T, and base_JJ is what is left of (G + gamma I)_JJ
when the members are taken out of it (see `subset`): for groups of one, the formula of `exchange`.
Groups of a size are solved for in one stack.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.blocks import stacks
from fisherset.solver.domain import Domain
from fisherset.solver.problem import Problem
from fisherset.solver.subset import Subset
from fisherset.solver.units import Units

NUMBERS_AT_A_TIME = 8_000_000  # of U


class Offer(NamedTuple):
    """What swapping the members at some places (rows) for outsiders (columns) changes in F."""

    places: Indices
    outsiders: Indices
    gain: Floats
    worth: Floats  # what F loses without each of the members: the measure of a tie


class _Member(NamedTuple):
    """A group of the subset: where its columns stand, and its factor L and w."""

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
    of_column = units.groups[state.columns]
    members = [_member(state, np.flatnonzero(of_column == unit)) for unit in np.unique(of_column)[places]]
    worth = np.array([member.own for member in members]) / problem.n
    for alike, columns in stacks(units, outsiders):
        widest = max(state.columns.size, problem.C.shape[1])
        step = max(1, min(NUMBERS_AT_A_TIME, problem.room) // (widest * columns.shape[1]))
        for start in range(0, alike.size, step):
            batch = slice(start, start + step)
            R, base, U = state.group_terms(columns[batch])
            gain = np.empty((places.size, len(R)))
            for row, member in enumerate(members):
                u = np.moveaxis(np.tensordot(member.inverse_root, U[member.rows], 1), 0, 2)
                left = R + u @ member.w
                solved = np.linalg.solve(base + u @ np.swapaxes(u, 1, 2), left)
                gain[row] = np.einsum("jsr,jsr->j", left, solved) - member.own
            yield Offer(places, alike[batch], gain / problem.n, worth)


def _member(state: Subset, rows: Indices) -> _Member:
    inverse_root = np.linalg.inv(np.linalg.cholesky(state.inverse_block(rows)))
    w = inverse_root @ state.W[rows]
    return _Member(rows, inverse_root, w, float(np.vdot(w, w)))


def unit_losses(state: Subset, units: Units) -> Floats:
    """What n F loses without each of the units of the subset, in their order."""
    if units.groups is None:
        losses: Floats = np.einsum("ir,ir->i", state.W, state.W) / state.inverse_diagonal
        return losses
    of_column = units.groups[state.columns]
    return np.array([_member(state, np.flatnonzero(of_column == unit)).own for unit in np.unique(of_column)])
