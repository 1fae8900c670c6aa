"""The parts of exact search, many nodes at a time, against the same for one, and against all sets."""

from itertools import combinations

import numpy as np
import pytest

from fisherset.solver import Domain, Units
from fisherset.solver.diagonal import find_diagonal
from fisherset.solver.domain import Domains
from fisherset.solver.exact.candidates import Candidates
from fisherset.solver.exact.enumeration import complete
from fisherset.solver.exact.nodes import Relaxations, choose_branch, node_bounds
from fisherset.solver.proof import Tangent, bound_units
from fisherset.solver.relaxation.ascent import Points
from fisherset.solver.ridge import ridge_on
from support import reference

GROUPS = np.array([0, 0, 1, 2, 2, 2, 3, 4, 5])


def random_core(seed, groups=None, d=9, n=40):
    X, y = reference.random_problem(seed, n=n, d=d, c=3)
    problem = reference.ArrayProblem(reference.standardize(X), reference.indicator(y))
    units = Units(groups, d)
    return Candidates(problem, Domain(units, 3), np.arange(units.size)), problem


def random_domains(rng, size, m, number=20):
    """Some units required, some excluded, with m of them left to choose."""
    required, free = np.zeros((number, size), dtype=bool), np.ones((number, size), dtype=bool)
    for row in range(number):
        mixed = rng.permutation(size)
        n_required = int(rng.integers(0, m + 1))
        n_excluded = int(rng.integers(0, size - m + 1))
        required[row, mixed[:n_required]] = True
        free[row, mixed[: n_required + n_excluded]] = False
    return Domains(free, required, m - required.sum(axis=1))


def domain_of(core, required, free, m):
    return Domain(core.units, m, np.flatnonzero(required), np.flatnonzero(~required & ~free))


@pytest.mark.parametrize("seed", range(5))
def test_rows_are_domains(seed):
    rng = np.random.default_rng(seed)
    core, _ = random_core(seed)
    domains = random_domains(rng, 9, 4)
    v, g, offset = rng.standard_normal((20, 9)), rng.random((20, 9)), rng.random(20)
    projected, found = domains.project(v), node_bounds(Points(offset, offset, g), domains)
    for row in range(20):
        domain = domain_of(core, domains.required[row], domains.free[row], 4)
        np.testing.assert_allclose(projected[row], domain.project(v[row]), atol=1e-12)
        tangent = Tangent(offset[row], g[row])
        bounds = bound_units(domain, tangent.bound(domain) * (1 + 1e-13), [tangent])
        assert np.max(found, axis=0)[row].max() == pytest.approx(tangent.bound(domain), rel=1e-12)
        np.testing.assert_allclose(found.with_each[row], bounds.with_each, rtol=1e-12)
        np.testing.assert_allclose(found.without_each[row], bounds.without_each, rtol=1e-12)


@pytest.mark.parametrize("groups", [None, GROUPS])
@pytest.mark.parametrize("seed", range(3))
def test_many_relaxations_are_as_one(seed, groups):
    rng = np.random.default_rng(seed)
    core, problem = random_core(seed, groups)
    relaxations, size = Relaxations(core, 7.0), core.units.size
    q = rng.random((6, size)) * (rng.random((6, size)) < 0.7)
    point, _ = relaxations.at(q, np.zeros((6, 9)))
    ridge = ridge_on(problem, np.arange(9), 7.0)
    for row in range(6):
        value, XV = ridge.evaluate(core.units.spread(q[row]))
        g = core.units.total(np.einsum("jr,jr->j", XV, XV) / (7.0 * problem.n))
        assert point.value[row] == pytest.approx(value, rel=1e-10)
        np.testing.assert_allclose(point.g[row], g, rtol=1e-9)
        assert point.offset[row] == pytest.approx(value - q[row] @ g, rel=1e-8)


@pytest.mark.parametrize("groups", [None, GROUPS])
@pytest.mark.parametrize("seed", range(4))
def test_a_tangent_with_the_diagonal_taken_out_bounds_all_sets(seed, groups):
    """At any q, and tighter than the one with G as it is."""
    rng = np.random.default_rng(seed)
    core, _problem = random_core(seed, groups)
    gamma, size = 2.0, core.units.size
    relaxations = Relaxations(core, gamma)
    q = rng.random((5, size))
    plain, _ = relaxations.at(q, np.zeros((5, 9)))
    required = np.array([1])
    of_kept = core.units.columns(required)
    free = np.setdiff1d(np.arange(9), of_kept)
    delta, slopes = np.zeros(9), rng.random(free.size)
    delta[free] = find_diagonal(core, gamma, of_kept, free, 0.0 * free, lambda _: slopes)
    assert delta.max() > 0.1
    left = core.G + gamma * np.diag(np.isin(np.arange(9), of_kept)) - np.diag(delta)
    assert np.linalg.eigvalsh(left)[0] > -1e-9
    point, _ = relaxations.at(q, np.tile(delta, (5, 1)))
    for m in range(1, size + 1):
        for units in combinations(range(size), m):
            if 1 in units:
                columns = core.units.columns(np.array(units))
                value = core.values(columns[None], gamma)[0]
                assert np.all(value <= (point.offset + point.g[:, units].sum(axis=1)) * (1 + 1e-12))
    q[:, 1] = 1.0  # required, as it is at a node
    with_it, without_it = (relaxations.at(q, np.tile(some, (5, 1)))[0] for some in (delta, 0 * delta))
    assert np.all(with_it.value < without_it.value)
    assert plain.value.shape == point.value.shape


@pytest.mark.parametrize("lacking", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_all_ways_to_complete_a_set(seed, lacking):
    core, _ = random_core(seed)
    required, free = np.array([2, 5]), np.array([0, 1, 3, 6, 7, 8])
    all_sets = [np.sort([*required, *some]) for some in combinations(free, lacking)]
    values = core.values(np.array(all_sets), 3.0)
    point, _ = Relaxations(core, 3.0).at(np.full((1, 9), 0.4), np.zeros((1, 9)))
    tangent = float(point.offset[0] + point.g[0, required].sum()), point.g[0, free]
    floor = float(np.sort(values)[values.size // 2 - 1 :][:2].mean())
    found = complete(core, 3.0, required, free, lacking, floor, tangent)
    reaching = {tuple(some): value for some, value in zip(all_sets, values, strict=True) if value >= floor}
    assert {tuple(some) for some in found.sets} == set(reaching)
    np.testing.assert_allclose(found.values, [reaching[tuple(some)] for some in found.sets], rtol=1e-9)
    left = [value for some, value in zip(all_sets, values, strict=True) if tuple(some) not in reaching]
    best_with = [max(values[[j in some for some in all_sets]]) for j in free]
    assert np.all(np.maximum(found.most, found.left_out) >= np.array(best_with) * (1 - 1e-12))
    assert max(float(found.most.max()), found.left_out) >= max(left) * (1 - 1e-12)


@pytest.mark.parametrize("groups", [None, GROUPS])
def test_branching_foresees_what_it_costs(groups):
    """To second order: the start of a child is near its optimum, for a unit fixed a bit off."""
    rng = np.random.default_rng(1)
    core, _ = random_core(1, groups)
    relaxations, size = Relaxations(core, 5.0), core.units.size
    q, free, nothing = np.full(size, 3 / size), np.ones(size, dtype=bool), np.zeros((1, 9))
    for _ in range(3000):  # to the optimum of the relaxation
        g = relaxations.at(q[None], nothing)[0].g
        q = Domains(free[None], ~free[None], np.array([3])).project(q[None] + 2.0 * g)[0]
    point, _ = relaxations.at(q[None], nothing)
    branch = choose_branch(relaxations, q, nothing[0], free, point.g[0], float(point.value[0]), 1.0)
    assert 0 < q[branch.unit] < 1
    assert branch.required[branch.unit] == pytest.approx(1)
    assert branch.excluded[branch.unit] == pytest.approx(0)
    for start in (branch.required, branch.excluded):
        way = start - q
        inside = 0.05 * way  # near enough for the second order to tell
        moved = relaxations.at((q + inside)[None], nothing)[0].value[0]
        for _ in range(30):  # no other way to move the unit as far costs less
            other = rng.standard_normal(size) * 0.2 * np.abs(inside).max() * (way != 0)
            other[branch.unit] = 0.0
            others = (way != 0) & (np.arange(size) != branch.unit)
            other[others] -= other[others].mean()
            there = np.clip(q + inside + other, 0, 1)[None]
            assert relaxations.at(there, nothing)[0].value[0] <= moved + 1e-6
