"""All sets, where they are few: the proven optimum."""

from itertools import combinations

import numpy as np
import pytest

from fisherset.solver import SOLVERS, Domain, Units, solve
from fisherset.solver.exact import enumeration
from fisherset.solver.exact.enumeration import enumerate_sets
from fisherset.solver.proof import Tangent
from fisherset.solver.relaxation.relaxation import relax
from fisherset.solver.trace import Trace
from support import reference
from support.solver_calls import domain_of, solve_one


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("m", [1, 2, 3, 5, 10])
def test_the_best_set_is_found_and_proven(seed, m):
    X, y = reference.random_problem(seed, n=40, d=10, c=3)
    Z, gamma = reference.standardize(X), 0.5
    problem = reference.ArrayProblem(Z, reference.indicator(y))
    best, features = reference.best_subset(Z, y, m, gamma)
    found = solve_one("joint", problem, m, gamma)
    assert found.objective == pytest.approx(best, rel=1e-9)
    assert found.units.tolist() == list(features)
    assert found.upper_bound >= best
    assert found.gap < 1e-9
    assert solve_one("cutting-plane", problem, m, gamma).upper_bound == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("m", [2, 3])
def test_the_best_set_is_found_without_a_certificate(seed, m):
    """A pair or triple that is strong only together: no swap of a single column leads to it."""
    rng, y = np.random.default_rng(seed), np.arange(200) % 2
    X = rng.normal(size=(200, 10))
    X[:, :5] += (2 / 3) * y[:, None]
    contrast = np.array([1, -1, 0])[:m] / np.sqrt(2)
    own = rng.normal(size=(200, m)) + 3 * np.outer(y, contrast)
    X[:, -m:] = np.sqrt(0.97) * rng.normal(size=(200, 1)) + np.sqrt(0.03) * own
    Z = reference.standardize(X)
    problem = reference.ArrayProblem(Z, reference.indicator(y))
    best, features = reference.best_subset(Z, y, m, 2.0)
    domains, trace = [domain_of(problem, m)], Trace(max_iter=1000)
    (found,) = solve("joint", problem, domains, 2.0, tol=1e-3, certified=False, trace=trace)
    assert found.units.tolist() == list(features)
    assert found.objective == pytest.approx(best, rel=1e-9)
    assert found.upper_bound >= best


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("gamma", [1e-12, 1e-3, 1.0, 1e6])
def test_a_single_column_is_no_secret(solver, gamma):
    """At k = 1 the best is the best single F, whatever gamma."""
    X, y = reference.random_problem(3, n=40, d=30, c=3)
    Z = reference.standardize(X)
    problem = reference.ArrayProblem(Z, reference.indicator(y))
    best = max(reference.criterion(Z, y, [j], gamma) for j in range(30))
    assert solve_one(solver, problem, 1, gamma).upper_bound == pytest.approx(best, rel=1e-9)


def test_columns_that_cannot_matter_are_left_out(monkeypatch):
    """By the tangent, a unit is part of no better set; with what is left all pairs are tried."""
    X, y = reference.random_problem(3, n=60, d=60, c=3)
    Z, gamma = reference.standardize(X), 30.0
    problem = reference.ArrayProblem(Z, reference.indicator(y))
    domain = domain_of(problem, 2)
    relaxation = relax(problem, domain, gamma, tol=1e-4, trace=Trace(max_iter=500))
    best, features = reference.best_subset(Z, y, 2, gamma)
    possible = np.flatnonzero(enumeration._possible(domain, relaxation.tangent, best)[0])
    assert set(features) <= set(possible)
    assert possible.size < 40
    found = enumerate_sets(problem, domain, gamma, relaxation.tangent, best)
    assert found.value == pytest.approx(best, rel=1e-10)
    monkeypatch.setattr(enumeration, "MOST_NUMBERS", 10)
    assert enumerate_sets(problem, domain, gamma, relaxation.tangent, best) is None


def test_values_that_are_not_sure_are_not_tried():
    X, y = reference.random_problem(3, n=40, d=10, c=3)
    problem = reference.ArrayProblem(reference.standardize(X), reference.indicator(y))
    domain = domain_of(problem, 3)
    relaxation = relax(problem, domain, 1e-4, tol=1e-3, trace=Trace(max_iter=50))
    assert enumerate_sets(problem, domain, 1e-4, relaxation.tangent, 0.0) is not None
    assert enumerate_sets(problem, domain, 1e-9, relaxation.tangent, 0.0) is None


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("groups", [None, [0, 1, 1, 2, 3, 3, 3, 4, 5, 6, 6, 7]])
@pytest.mark.parametrize(("required", "excluded"), [([], []), ([2], []), ([0, 5], [3]), ([], [1, 6])])
def test_sets_of_groups_that_are_allowed_are_all_tried(seed, groups, required, excluded):
    X, y = reference.random_problem(seed, n=50, d=12, c=3)
    Z, gamma, m = reference.standardize(X), 0.5, 3
    problem = reference.ArrayProblem(Z, reference.indicator(y))
    units = Units(None if groups is None else np.array(groups), 12)
    domain = Domain(units, m, np.array(required, dtype=int), np.array(excluded, dtype=int))
    allowed = [
        some
        for some in combinations(range(units.size), m)
        if set(required) <= set(some) and not set(excluded) & set(some)
    ]
    values = [reference.criterion(Z, y, units.columns(np.array(some)), gamma) for some in allowed]
    (found,) = solve("joint", problem, [domain], gamma, tol=1e-3, trace=Trace(max_iter=500))
    assert found.objective == pytest.approx(max(values), rel=1e-9)
    assert tuple(found.units) == allowed[int(np.argmax(values))]
    assert found.objective <= found.upper_bound
    assert found.gap < 1e-9


def test_only_what_a_set_is_built_on_is_asked_for():
    """With all but one required the products of the others with each other are not looked at."""
    X, y = reference.random_problem(2, n=60, d=40, c=3)
    Z = reference.standardize(X)
    problem = reference.ArrayProblem(Z, reference.indicator(y))
    domain = domain_of(problem, 3, required=np.array([5, 11]))
    gram, asked = problem.gram, []

    def watched(columns, rows=None):
        asked.append(columns.size)
        return gram(columns, rows)

    problem.gram = watched
    tangent = Tangent(problem.ceiling, np.zeros(40))
    found = enumerate_sets(problem, domain, 6.0, tangent, 0.0)
    assert asked == [2]
    values = {j: reference.criterion(Z, y, [5, 11, j], 6.0) for j in range(40) if j not in (5, 11)}
    assert found.value == pytest.approx(max(values.values()), rel=1e-9)
    assert found.units.tolist() == sorted([5, 11, max(values, key=values.get)])
