"""All sets, where they are few: the best one single column, pairs of hundreds, half of a dozen.

A tangent tells what the sets with a given column can reach at most; columns that cannot
be part of a better set drop out first.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats, Indices
from fisherset.solver.domain import Domain
from fisherset.solver.exchange.forward import most_columns
from fisherset.solver.problem import Problem
from fisherset.solver.proof import Tangent
from fisherset.solver.relaxation.relaxation import Relaxation
from fisherset.solver.unit_bounds import bound_units

# Numbers that may be worked through, about a tenth of a second.
WORK = 2e7
SETS = 20_000  # of groups, which are put together one by one
BATCH = 2**20  # numbers at a time


def tighten(
    problem: Problem, domain: Domain, gamma: float, relaxation: Relaxation, incumbent: float
) -> tuple[Relaxation, Enumeration | None]:
    """The relaxation with the bound that trying all sets gives, where it is loose and they are few."""
    if relaxation.tangent is None or relaxation.upper_bound <= incumbent:
        return relaxation, None
    found = enumerate_sets(problem, domain, gamma, relaxation.tangent, incumbent)
    if found is not None:
        bound = min(relaxation.upper_bound, found.upper_bound)
        relaxation = relaxation._replace(upper_bound=bound, with_each=found.with_each)
    return relaxation, found


class Enumeration(NamedTuple):
    """The best set of the domain, what no set of it exceeds, and none with each of the units."""

    units: Indices
    value: float
    upper_bound: float
    with_each: Floats


def enumerate_sets(
    problem: Problem, domain: Domain, gamma: float, tangent: Tangent, incumbent: float
) -> Enumeration | None:
    """The best set, None where there are too many to try or gamma is too small for the arithmetic."""
    if domain.spare == 0:
        return None
    single, size, columns = domain.units.groups is None, most_columns(domain), domain.columns
    # what systems of so many columns are at least, and so what their errors are a share of
    least = problem.diagonal[columns] + gamma if size == 1 else gamma
    margin = problem.rounding.of(columns).margin_of_sets(size, least)
    if not margin.usable:
        return None
    free, others = np.arange(domain.units.size)[domain.free], 0.0
    if domain.m > 1:
        possible, others = _possible(domain, tangent, incumbent)
        free = free[possible[free]]
    if free.size < domain.spare:
        return None
    search = _search_columns if single else _search_groups
    found = search(problem, domain, free, gamma)
    if found is None:
        return None
    best, values = found
    if np.isnan(values).any():
        return None
    bounds, with_each = margin.raise_sets(values) / problem.n, np.full(domain.units.size, np.inf)
    with_each[free] = np.maximum(bounds, others)  # what was not tried may be in a set with it
    return Enumeration(best, float(values.max()) / problem.n, float(bounds.max()), with_each)


def _possible(domain: Domain, tangent: Tangent, incumbent: float) -> tuple[NDArray[np.bool_], float]:
    """Which units some set better than the incumbent may hold, and the most that sets with others reach."""
    with_each = bound_units(domain, np.inf, [tangent]).with_each
    possible = with_each >= incumbent * (1 - 1e-9)
    return possible, float(np.max(with_each[~possible], initial=0.0))


def _search_columns(
    problem: Problem, domain: Domain, free: Indices, gamma: float
) -> tuple[Indices, Floats] | None:
    """The best set, and n F of the best with each free column: all but one of it, and then that one."""
    m, r, columns = domain.m, problem.C.shape[1], np.concatenate([domain.required, free])
    if comb(free.size, domain.spare - 1) * columns.size * m * (r + m) > WORK:
        return None
    C, diagonal = problem.C[columns], problem.diagonal[columns]
    # the last column need not be the prefix of any: of one set alone only the required ones are
    prefixed = columns[: domain.required.size] if domain.spare == 1 else columns
    if prefixed.size * columns.size > problem.room:
        return None
    G = problem.gram(prefixed, rows=columns).T if m > 1 else np.empty((0, 0))
    best, value, with_each = np.empty(0, dtype=np.intp), -np.inf, np.full(columns.size, -np.inf)
    required = tuple(range(domain.required.size))
    prefixes = np.array(
        [required + some for some in combinations(range(len(required), columns.size), domain.spare - 1)],
        dtype=np.intp,
    )
    step = max(1, int(BATCH / (columns.size * (r + m))))
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
    problem: Problem, domain: Domain, free: Indices, gamma: float
) -> tuple[Indices, Floats] | None:
    """The best set, and n F of the best with each free group: sets with as many columns in one stack."""
    units, size = domain.units, most_columns(domain)
    number = comb(free.size, domain.spare)
    if number > SETS or number * size**2 * (size + problem.C.shape[1]) > WORK:
        return None
    required = domain.required.tolist()
    sets = np.array([required + list(some) for some in combinations(free.tolist(), domain.spare)])
    own = {unit: np.flatnonzero(units.groups == unit) for unit in np.unique(sets)}
    sizes = units.sizes[sets].sum(axis=1)
    best, value, with_each = np.empty(0, dtype=np.intp), -np.inf, np.full(units.size, -np.inf)
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
    result: Floats = values
    return result
