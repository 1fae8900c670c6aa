"""The last few columns of a set: all ways to complete what is required.

With R and G^K left of C and G once the required columns are taken out (see `subset`), columns i and j add

    (b_j ||R_i||^2 + b_i ||R_j||^2 - 2 G^K_ij R_i.R_j) / (b_i b_j - (G^K_ij)^2),    b_i = G^K_ii + gamma,

to n F: all pairs at once. Of more columns, all but the last two are taken out one after the other, as far
as a tangent lets them reach the floor.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.exact.candidates import Core
from fisherset.solver.linear import shifted, solve

SETS_AT_ONCE = 3_000_000  # that are tried for one node
STARTS = 300  # of them, but for the last two columns


class Completions(NamedTuple):
    """The completed sets that reach the floor and their F, and the most that each free column reaches."""

    sets: list[Indices]
    values: Floats
    most: Floats
    left_out: float  # what the sets reach at most that were not tried


def completable(n_free: int, lacking: int) -> bool:
    """Whether all ways to choose so many of the free columns are soon tried."""
    return comb(n_free, lacking) <= SETS_AT_ONCE and comb(n_free, max(lacking - 2, 0)) <= STARTS


def complete(
    core: Core,
    gamma: float,
    required: Indices,
    free: Indices,
    lacking: int,
    floor: float,
    tangent: tuple[float, Floats],
) -> Completions:
    """All sets of the required columns and `lacking` of the free ones that can reach the floor.

    The tangent gives what the required ones have, and adds for each of the free ones.
    """
    order = np.argsort(-tangent[1], kind="stable")
    free, g = free[order], tangent[1][order]
    R, given, diagonal = core.C[free], 0.0, core.diagonal[free]
    # of single columns the diagonal says it all, and they may be many
    G = np.empty((0, 0)) if lacking == 1 else core.gram(free, rows=free)
    if required.size:
        across, C = core.gram(free, rows=required), core.C[required]
        solved = solve(shifted(core.gram(required, rows=required), gamma), np.hstack([across, C]))
        if lacking > 1:
            G -= across.T @ solved[:, : free.size]
        diagonal = diagonal - np.einsum("kj,kj->j", across, solved[:, : free.size])
        R = R - across.T @ solved[:, free.size :]
        given = float(np.vdot(C, solved[:, free.size :]))
    tried = _Tried(gamma, floor * core.n, g * core.n)
    tried.all_of(G, diagonal, R, given, 0, (), lacking, tangent[0] * core.n)
    sets = [np.sort(np.concatenate([required, free[list(some)]])) for some in tried.sets]
    most = np.empty(free.size)
    most[order] = tried.most / core.n
    return Completions(sets, np.array(tried.values) / core.n, most, tried.left_out / core.n)


class _Tried:
    """Sets of some of the free columns, by place, that reach the floor; n F of them, and n g, which falls."""

    def __init__(self, gamma: float, floor: float, g: Floats) -> None:
        self._gamma, self._floor = gamma, floor
        self._sums: list[float] = np.concatenate([[0.0], np.cumsum(g)]).tolist()
        self.left_out = -np.inf
        self.sets: list[tuple[int, ...]] = []
        self.values: list[float] = []
        self.most: Floats = np.full(g.size, -np.inf)

    def all_of(
        self,
        G: Floats,
        diagonal: Floats,
        R: Floats,
        given: float,
        first: int,
        before: tuple[int, ...],
        lacking: int,
        so_far: float,
    ) -> None:
        """Try all sets of those before and `lacking` of the columns from `first` on, which G and R are of."""
        base = np.maximum(diagonal, 0.0) + self._gamma
        if lacking > 2:
            sums = self._sums
            for i in range(len(G) - lacking + 1):
                place = first + i
                reach = so_far + sums[place + lacking] - sums[place]
                reach += 1e-12 * abs(reach)  # sums are rounded
                if reach < self._floor:
                    self.left_out = max(self.left_out, reach)
                    break
                row, rest = G[i, i + 1 :] / base[i], slice(i + 1, None)
                G_left = G[rest, rest] - row[:, None] * G[i, rest]
                R_left, gain = R[rest] - row[:, None] * R[i], float(R[i] @ R[i]) / base[i]
                self.all_of(
                    G_left,
                    G_left.diagonal(),
                    R_left,
                    given + gain,
                    place + 1,
                    (*before, place),
                    lacking - 1,
                    so_far + sums[place + 1] - sums[place],
                )
            return
        values = given + _gains(G, R, base, self._gamma, lacking)
        most = values if lacking == 1 else values.max(axis=1, initial=-np.inf)
        here = self.most[first:]
        np.maximum(here, most, out=here)
        best = float(most.max(initial=-np.inf))
        for place in before:
            self.most[place] = max(self.most[place], best)
        if best >= self._floor:
            reaching = values >= self._floor
            reaching = reaching if lacking == 1 else np.triu(reaching)
            for at, value in zip(np.argwhere(reaching).tolist(), values[reaching].tolist(), strict=True):
                self.sets.append((*before, *(first + place for place in at)))
                self.values.append(value)


def _gains(G: Floats, R: Floats, base: Floats, gamma: float, lacking: int) -> Floats:
    """What one more column adds to n F, or each pair of them, -inf on the diagonal."""
    squares = np.einsum("ir,ir->i", R, R)
    if lacking == 1:
        alone: Floats = squares / base
        return alone
    crossed = base * squares[:, None]
    gains: Floats = crossed + crossed.T
    gains -= 2 * G * (R @ R.T)
    within = np.multiply.outer(base, base)
    within -= G**2
    gains /= np.maximum(within, gamma**2, out=within)  # never below but for rounding: duplicates
    np.fill_diagonal(gains, -np.inf)
    return gains
