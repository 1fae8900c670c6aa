"""Systems that are not formed: the same numbers, known to what is left over."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fisherset.solver import measure_subset
from fisherset.solver.ridge import FeatureRidge, IterativeRidge
from fisherset.solver.subset import FeatureSubset, IterativeSubset
from support import reference
from support.solver_calls import solve_one


@pytest.fixture
def problem():
    X, y = reference.random_problem(3, n=80, d=40, c=4)
    return reference.ArrayProblem(reference.standardize(X), reference.indicator(y), samples=False)


@pytest.mark.parametrize("gamma", [1.0, 80.0])
def test_the_same_as_by_elimination(problem, gamma):
    columns, rng = np.array([3, 1, 17, 30, 22, 8]), np.random.default_rng(0)
    formed, stepped = FeatureRidge(problem, columns, gamma), IterativeRidge(problem, columns, gamma, 1e-14)
    for q in (np.ones(6), rng.uniform(0, 1, 6), np.array([0, 1, 0.5, 0, 0.2, 1])):  # each from the last
        (value, XV), (ours, ours_XV) = formed.evaluate(q), stepped.evaluate(q)
        assert ours == pytest.approx(value, rel=1e-10)
        assert_allclose(ours_XV, XV, rtol=1e-5, atol=1e-5)
        A, W = stepped.weights(q)
        assert_array_equal(A, columns[q > 0])
        assert_allclose(problem.product(A, W), problem.product(*formed.weights(q)), atol=1e-5)


@pytest.mark.parametrize("left", [1e-1, 1e-3, 1e-6])
def test_what_is_left_over_bounds_the_error(problem, left):
    value, _ = FeatureRidge(problem, np.arange(40), 2.0).evaluate(np.ones(40))
    ours, _, below = IterativeRidge(problem, np.arange(40), 2.0, left).solve(np.ones(40))
    assert ours <= value <= ours + below + 1e-12
    assert below <= left * ours


def test_large_systems_are_not_formed(problem):
    problem.room = 7**2
    assert type(measure_subset(problem, np.arange(7), 1.0)) is FeatureSubset
    large = measure_subset(problem, np.arange(8), 1.0)
    assert type(large) is IterativeSubset
    exact = FeatureSubset(problem, np.arange(8), 1.0)
    assert abs(large.value - exact.value) <= large.error
    assert large.value == pytest.approx(exact.value, rel=1e-9)


@pytest.mark.parametrize("solver", ["joint", "cutting-plane"])
def test_an_answer_all_the_same(problem, solver, monkeypatch):
    """Without swaps it may be a worse one, but its certificate holds and is as tight."""
    plain = solve_one(solver, problem, 15, 80.0)
    problem.room = 10**2
    gram, asked = problem.gram, [0]

    def watched(columns, rows=None):
        asked.append(max(columns.size, 40 if rows is None else rows.size))
        return gram(columns, rows)

    monkeypatch.setattr(problem, "gram", watched)
    ours = solve_one(solver, problem, 15, 80.0)
    assert max(asked) <= 10  # no larger piece of G is asked for
    assert ours.units.size == 15
    assert ours.objective <= plain.upper_bound
    assert plain.objective <= ours.upper_bound * (1 + 1e-9)
    assert ours.upper_bound == pytest.approx(plain.upper_bound, rel=2e-3)
    assert ours.objective >= 0.97 * plain.objective
