"""Trying all sets, if they are few: single columns, pairs of hundreds, half of a dozen.

`enumerate_sets` tries all sets of a domain. A tangent bounds the sets with a given column; columns that
cannot be part of a better set are dropped first. `complete` tries all ways to complete the required columns
of a node of exact search. With R and G^K, C and G adjusted for them (see `subset`), columns i and j add

    (b_j ||R_i||^2 + b_i ||R_j||^2 - 2 G^K_ij R_i.R_j) / (b_i b_j - (G^K_ij)^2),    b_i = G^K_ii + gamma,

to n F: all pairs at once, in one product. Of more columns, all but the last two are added one after the
other, as far as a tangent lets them reach the floor.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.domain import EMPTY, Domain, Flags
from fisherset.solver.exact.candidates import Candidates
from fisherset.solver.linear import shifted, solve
from fisherset.solver.problem import Problem
from fisherset.solver.proof import Tangent, bound_units
from fisherset.solver.relaxation.relaxation import Relaxation

MOST_NUMBERS = 2e7  # of the arrays of an enumeration: about a tenth of a second
MOST_UNCERTIFIED = 1e6  # of them without a certificate, where one of many searches is to take milliseconds
MOST_GROUP_SETS = 20_000  # sets of groups, which are put together one by one
NUMBERS_AT_A_TIME = 2**20  # of an array: 8 MB
MOST_COMPLETIONS = 3_000_000  # sets that are tried for one node: about a tenth of a second, too
MOST_STARTS = 300  # of them without the last two columns, a call in Python each


def tighten(
    problem: Problem, domain: Domain, gamma: float, relaxation: Relaxation, incumbent: float
) -> tuple[Relaxation, Enumeration | None]:
    """The relaxation with the bound of trying all sets, if it is loose and they are few.

    Without a certificate the bound stays as it is, but a better set is found: a pair of columns that are
    useless alone is not reached by swaps.
    """
    if relaxation.upper_bound <= incumbent:
        return relaxation, None
    found = enumerate_sets(problem, domain, gamma, relaxation.tangent, incumbent)
    if found is not None and relaxation.tangent is not None:
        bound = min(relaxation.upper_bound, found.upper_bound)
        relaxation = relaxation._replace(upper_bound=bound, with_each=found.with_each)
    return relaxation, found


class Enumeration(NamedTuple):
    """The best set of the domain, and bounds on F over all sets and over the sets with each unit."""

    units: Indices
    value: float
    upper_bound: float
    with_each: Floats


def enumerate_sets(
    problem: Problem, domain: Domain, gamma: float, tangent: Tangent | None, incumbent: float
) -> Enumeration | None:
    """The best set; None if there are too many to try or gamma is too small for the arithmetic."""
    if domain.remaining == 0:
        return None
    single, size, columns = domain.units.groups is None, domain.most_columns, domain.columns
    # a lower bound on the systems of so many columns: their errors are a share of it
    least = problem.diagonal[columns] + gamma if size == 1 else gamma
    margin = problem.rounding.of(columns).margin_of_sets(size, least)
    if not margin.usable:
        return None
    free, others = np.arange(domain.units.size)[domain.free], 0.0
    if domain.m > 1 and tangent is not None:
        possible, others = _possible(domain, tangent, incumbent)
        free = free[possible[free]]
    if free.size < domain.remaining:
        return None
    search = _search_columns if single else _search_groups
    found = search(problem, domain, free, gamma, MOST_UNCERTIFIED if tangent is None else MOST_NUMBERS)
    if found is None:
        return None
    best, values = found
    if np.isnan(values).any():
        return None
    bounds, with_each = margin.raise_sets(values) / problem.n, np.full(domain.units.size, np.inf)
    with_each[free] = np.maximum(bounds, others)  # sets that were not tried may hold it, too
    return Enumeration(best, float(values.max()) / problem.n, float(bounds.max()), with_each)


def _possible(domain: Domain, tangent: Tangent, incumbent: float) -> tuple[Flags, float]:
    """Units that a set better than the incumbent may hold, and the bound on sets with others."""
    with_each = bound_units(domain, np.inf, [tangent]).with_each
    possible = with_each >= incumbent * (1 - 1e-9)
    return possible, float(np.max(with_each[~possible], initial=0.0))


def _search_columns(
    problem: Problem, domain: Domain, free: Indices, gamma: float, most: float
) -> tuple[Indices, Floats] | None:
    """The best set, and n F of the best with each free column.

    All prefixes of m - 1 columns, each completed by every column at once: a factorisation for each prefix.
    """
    m, r, columns = domain.m, problem.C.shape[1], np.concatenate([domain.required, free])
    if comb(free.size, domain.remaining - 1) * columns.size * m * (r + m) > most:
        return None
    C, diagonal = problem.C[columns], problem.diagonal[columns]
    # if only one column is free to choose, the prefix is the required columns
    prefixed = columns[: domain.required.size] if domain.remaining == 1 else columns
    if prefixed.size * columns.size > problem.room:
        return None
    G = problem.gram(prefixed, rows=columns).T if m > 1 else np.empty((0, 0))
    best, value, with_each = EMPTY, -np.inf, np.full(columns.size, -np.inf)
    required = tuple(range(domain.required.size))
    prefixes = np.array(
        [required + some for some in combinations(range(len(required), columns.size), domain.remaining - 1)],
        dtype=np.intp,
    )
    step = max(1, int(NUMBERS_AT_A_TIME / (columns.size * (r + m))))
    for start in range(0, len(prefixes), step):
        some = prefixes[start : start + step]
        values = _completed(C, G, diagonal, gamma, some)
        np.maximum(with_each, values.max(axis=0), out=with_each)
        place = int(np.argmax(values))
        if values.flat[place] > value * (1 + 1e-12):
            prefix, last = np.divmod(place, columns.size)
            best, value = np.sort(columns[[*some[prefix], last]]), float(values.flat[place])
    return best, with_each[domain.required.size :]


def _search_groups(
    problem: Problem, domain: Domain, free: Indices, gamma: float, most: float
) -> tuple[Indices, Floats] | None:
    """The best set, and n F of the best with each free group: sets of the same size in one stack."""
    units, size = domain.units, domain.most_columns
    number = comb(free.size, domain.remaining)
    if number > MOST_GROUP_SETS or number * size**2 * (size + problem.C.shape[1]) > most:
        return None
    required = domain.required.tolist()
    sets = np.array([required + list(some) for some in combinations(free.tolist(), domain.remaining)])
    own = {unit: np.flatnonzero(units.groups == unit) for unit in np.unique(sets)}
    sizes = units.sizes[sets].sum(axis=1)
    best, value, with_each = EMPTY, -np.inf, np.full(units.size, -np.inf)
    for size in np.unique(sizes):
        alike = sets[sizes == size]
        columns = np.array([np.concatenate([own[unit] for unit in some]) for some in alike])
        every = np.unique(columns)
        G, places = problem.gram(every, rows=every), np.searchsorted(every, columns)
        C, M = problem.C[columns], G[places[:, :, None], places[:, None, :]] + gamma * np.eye(size)
        values = np.einsum("pir,pir->p", C, np.linalg.solve(M, C))
        place = int(np.argmax(values))
        np.maximum.at(with_each, alike, values[:, None])
        if values[place] > value * (1 + 1e-12):
            best, value = np.sort(alike[place]), float(values[place])
    return best, with_each[free]


def _completed(C: Floats, G: Floats, diagonal: Floats, gamma: float, prefixes: Indices) -> Floats:
    """N F of every prefix with each of the columns added: prefixes x columns, -inf where it is in the prefix.

    The prefix explains tr(C'M^-1 C), and column j adds ||R_j||^2 / base_j (see `subset`).
    """
    if prefixes.shape[1] == 0:
        singles: Floats = np.einsum("jr,jr->j", C, C) / (diagonal + gamma)
        return singles[None]
    M = G[prefixes[:, :, None], prefixes[:, None, :]] + gamma * np.eye(prefixes.shape[1])
    of_prefix = G[prefixes]  # prefixes x m - 1 x columns
    W = np.linalg.solve(M, np.concatenate([C[prefixes], of_prefix], axis=2))
    weights, U = W[:, :, : C.shape[1]], W[:, :, C.shape[1] :]
    R = C - np.swapaxes(of_prefix, 1, 2) @ weights
    base = np.maximum(diagonal - np.einsum("pij,pij->pj", of_prefix, U), 0.0) + gamma
    explained = np.einsum("pir,pir->p", C[prefixes], weights)
    values = explained[:, None] + np.einsum("pjr,pjr->pj", R, R) / base
    np.put_along_axis(values, prefixes, -np.inf, axis=1)
    return values


class Completions(NamedTuple):
    """The completed sets that reach the floor, their F, and the largest F with each free column."""

    sets: list[Indices]
    values: Floats
    most: Floats
    left_out: float  # bound on the sets that were not tried


def completable(n_free: int, remaining: int) -> bool:
    """Whether the ways to choose so many of the free columns are few enough to try."""
    return comb(n_free, remaining) <= MOST_COMPLETIONS and comb(n_free, max(remaining - 2, 0)) <= MOST_STARTS


def complete(
    candidates: Candidates,
    gamma: float,
    required: Indices,
    free: Indices,
    remaining: int,
    floor: float,
    tangent: tuple[float, Floats],
) -> Completions:
    """All sets of the required columns and `remaining` of the free ones that can reach the floor.

    The tangent is its value for the required ones, and its slope for each of the free ones.
    """
    order = np.argsort(-tangent[1], kind="stable")
    free, g = free[order], tangent[1][order]
    R, given, diagonal = candidates.C[free], 0.0, candidates.diagonal[free]
    # single columns need only the diagonal, and may be many
    G = np.empty((0, 0)) if remaining == 1 else candidates.gram(free, rows=free)
    if required.size:
        across, C = candidates.gram(free, rows=required), candidates.C[required]
        solved = solve(shifted(candidates.gram(required, rows=required), gamma), np.hstack([across, C]))
        if remaining > 1:
            G -= across.T @ solved[:, : free.size]
        diagonal = diagonal - np.einsum("kj,kj->j", across, solved[:, : free.size])
        R = R - across.T @ solved[:, free.size :]
        given = float(np.vdot(C, solved[:, free.size :]))
    tried = _Tried(gamma, floor * candidates.n, g * candidates.n)
    tried.try_all(_Prefix((), 0, G, diagonal, R, given, tangent[0] * candidates.n), remaining)
    sets = [np.sort(np.concatenate([required, free[list(some)]])) for some in tried.sets]
    most = np.empty(free.size)
    most[order] = tried.most / candidates.n
    return Completions(sets, np.array(tried.values) / candidates.n, most, tried.left_out / candidates.n)


class _Prefix(NamedTuple):
    """Columns chosen so far, by place, and G and C of the columns from `first` on, adjusted for them."""

    places: tuple[int, ...]
    first: int
    G: Floats
    diagonal: Floats
    R: Floats
    nF: float
    bound: float  # n times the tangent, of these columns alone


class _Tried:
    """Sets of the free columns, by place in the order of falling n g, that reach the floor, and their n F."""

    def __init__(self, gamma: float, floor: float, g: Floats) -> None:
        self._gamma, self._floor = gamma, floor
        self._sums: list[float] = np.concatenate([[0.0], np.cumsum(g)]).tolist()
        self.left_out = -np.inf
        self.sets: list[tuple[int, ...]] = []
        self.values: list[float] = []
        self.most: Floats = np.full(g.size, -np.inf)

    def try_all(self, prefix: _Prefix, remaining: int) -> None:
        """Try all sets of a prefix and `remaining` of the columns after it."""
        if remaining <= 2:
            self._try_last(prefix, remaining)
            return
        places, first, G, diagonal, R, nF, bound = prefix
        base, sums = np.maximum(diagonal, 0.0) + self._gamma, self._sums
        for i in range(len(G) - remaining + 1):
            place = first + i
            reach = bound + sums[place + remaining] - sums[place]
            reach += 1e-12 * abs(reach)  # running sums are rounded
            if reach < self._floor:  # and so is that of all columns that follow, as g falls
                self.left_out = max(self.left_out, reach)
                return
            # one step of a Cholesky factorisation adjusts the rest for column i
            row, rest = G[i, i + 1 :] / base[i], slice(i + 1, None)
            G_left = G[rest, rest] - row[:, None] * G[i, rest]
            R_left, gain = R[rest] - row[:, None] * R[i], float(R[i] @ R[i]) / base[i]
            higher = bound + sums[place + 1] - sums[place]
            of_rest = G_left, G_left.diagonal(), R_left
            self.try_all(_Prefix((*places, place), place + 1, *of_rest, nF + gain, higher), remaining - 1)

    def _try_last(self, prefix: _Prefix, remaining: int) -> None:
        """Complete a prefix by every column, or by every pair of columns, at once."""
        places, first, G, diagonal, R, nF, _ = prefix
        values = nF + _gains(G, R, np.maximum(diagonal, 0.0) + self._gamma, self._gamma, remaining)
        most = values if remaining == 1 else values.max(axis=1, initial=-np.inf)
        here = self.most[first:]
        np.maximum(here, most, out=here)
        best = float(most.max(initial=-np.inf))
        for place in places:
            self.most[place] = max(self.most[place], best)
        if best >= self._floor:
            reaching = values >= self._floor
            reaching = reaching if remaining == 1 else np.triu(reaching)
            for at, value in zip(np.argwhere(reaching).tolist(), values[reaching].tolist(), strict=True):
                self.sets.append((*places, *(first + place for place in at)))
                self.values.append(value)


def _gains(G: Floats, R: Floats, base: Floats, gamma: float, remaining: int) -> Floats:
    """Gain of n F by one more column, or by each pair of them, -inf on the diagonal."""
    squares = np.einsum("ir,ir->i", R, R)
    if remaining == 1:
        return squares / base
    crossed = base * squares[:, None]
    gains: Floats = crossed + crossed.T
    gains -= 2 * G * (R @ R.T)
    within = np.multiply.outer(base, base)
    within -= G**2
    gains /= np.maximum(within, gamma**2, out=within)  # below gamma^2 only by rounding, for duplicates
    np.fill_diagonal(gains, -np.inf)
    return gains
