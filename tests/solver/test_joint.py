"""The joint solver and the certificate against brute force over all subsets."""

import itertools

import numpy as np
import pytest

from fisherset.solver import SOLVERS, Status, Trace, measure_subset
from fisherset.solver.relaxation.relaxation import relax
from support import reference
from support.solver_calls import domain_of, solve_one


def small_problem(seed):
    rng = np.random.default_rng(seed)
    X, y = reference.random_problem(seed)
    Z, H = reference.standardize(X), reference.indicator(y)
    m = int(rng.integers(1, X.shape[1]))
    gamma = float(len(X) * 10 ** rng.uniform(-2.5, 1))
    return Z, H, y, m, gamma


def test_against_brute_force():
    """Over 200 small problems: the bound always holds, joint is the optimum in 95 % or more."""
    hits = 0
    for seed in range(200):
        Z, H, y, m, gamma = small_problem(seed)
        best, _ = reference.best_subset(Z, y, m, gamma)
        problem = reference.ArrayProblem(Z, H, samples=seed % 2 == 0)
        found = solve_one("joint", problem, m, gamma)
        assert found.status is Status.CONVERGED
        assert best <= found.upper_bound * (1 + 1e-12)
        assert found.objective <= found.upper_bound
        assert found.objective <= best * (1 + 1e-10)
        hits += found.objective >= best * (1 - 1e-9)
    assert hits >= 190, f"joint found the optimum in {hits} of 200 problems"


@pytest.mark.parametrize("seed", range(8))
def test_cutting_plane_is_certified_by_a_valid_bound(seed):
    Z, H, y, m, gamma = small_problem(seed)
    best, _ = reference.best_subset(Z, y, m, gamma)
    found = solve_one("cutting-plane", reference.ArrayProblem(Z, H), m, gamma)
    assert found.objective <= best * (1 + 1e-10) <= found.upper_bound * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_no_single_exchange_improves(seed):
    X, y = reference.random_problem(seed, n=30, d=25, c=3)
    Z, H = reference.standardize(X), reference.indicator(y)
    found = solve_one("joint", reference.ArrayProblem(Z, H), 6, 2.0)
    for out, into in itertools.product(found.units, np.setdiff1d(np.arange(25), found.units)):
        swapped = [*np.setdiff1d(found.units, [out]), into]
        assert reference.criterion(Z, y, swapped, 2.0) <= found.objective * (1 + 1e-8)


def test_groups_against_brute_force():
    """Units of several columns: the bound and the exchange hold for them too."""
    for seed in range(12):
        X, y = reference.random_problem(seed, n=40, d=14, c=3)
        Z, H = reference.standardize(X), reference.indicator(y)
        groups = np.random.default_rng(seed).permutation(np.repeat(np.arange(7), 2))
        problem = reference.ArrayProblem(Z, H, groups=groups, samples=seed % 2 == 0)
        values = {
            units: measure_subset(problem, np.flatnonzero(np.isin(groups, units)), 5.0).value
            for units in itertools.combinations(range(7), 3)
        }
        best = max(values.values())
        found = solve_one("joint", problem, 3, 5.0, tol=1e-4)
        assert best <= found.upper_bound * (1 + 1e-12)
        assert found.objective == pytest.approx(best, rel=1e-9)
        cuts = solve_one("cutting-plane", problem, 3, 5.0, tol=1e-4)
        assert cuts.units.size == 3
        assert cuts.objective <= best * (1 + 1e-10)


def test_order_starts_with_the_chosen_by_what_each_is_worth():
    X, y = reference.random_problem(5, n=40, d=12, c=3)
    Z, H = reference.standardize(X), reference.indicator(y)
    found = solve_one("joint", reference.ArrayProblem(Z, H), 4, 3.0)
    assert sorted(found.order[:4]) == found.units.tolist()
    assert sorted(found.order) == list(range(12))
    without = [reference.criterion(Z, y, np.setdiff1d(found.units, [j]), 3.0) for j in found.order[:4]]
    assert np.all(np.diff(without) >= 0)


def test_out_of_time_still_gives_a_valid_certificate():
    X, y = reference.random_problem(2, n=40, d=13, c=3)
    Z, H = reference.standardize(X), reference.indicator(y)
    best, _ = reference.best_subset(Z, y, 4, 1.0)
    for solver in SOLVERS:
        late = Trace(max_iter=500, time_limit=1e-9)
        found = solve_one(solver, reference.ArrayProblem(Z, H), 4, 1.0, tol=1e-6, trace=late)
        assert found.status is Status.TIME_LIMIT
        assert found.units.size == 4
        assert found.objective <= best * (1 + 1e-10) <= found.upper_bound * (1 + 1e-9)


def test_max_iter_is_reported():
    X, y = reference.random_problem(2, n=40, d=13, c=3)
    problem = reference.ArrayProblem(reference.standardize(X), reference.indicator(y))
    trace = Trace(max_iter=1)
    relax(problem, domain_of(problem, 4), 0.1, tol=1e-12, trace=trace)
    assert trace.status is Status.MAX_ITER
