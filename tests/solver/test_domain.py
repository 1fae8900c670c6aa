"""The domain of the search: projection, best set and bound, with units required and excluded."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from fisherset.solver import SOLVERS, Domain, Units
from fisherset.solver.domain import project_capped
from support import reference
from support.solver_calls import solve_one

vectors = arrays(float, st.integers(1, 30), elements=st.floats(-1e3, 1e3))


@given(vectors, st.floats(0, 1))
def test_projection_is_the_nearest_point(v, share):
    """The variational inequality (v - p).(x - p) <= 0 for the vertices x, and p itself feasible."""
    domain = Domain(Units(None, v.size), max(1, round(share * v.size)))
    p = domain.project(v)
    assert p.min() >= 0
    assert p.max() <= 1
    assert_allclose(p.sum(), domain.m, rtol=1e-9)
    assert domain.maximum(v - p) <= (v - p) @ p + 1e-6


def test_projection_keeps_feasible_points():
    q = np.array([0.0, 0.25, 1.0, 0.75])
    assert_allclose(project_capped(q, 2), q, atol=1e-15)


@pytest.mark.parametrize("m", [1, 3, 5])
def test_maximum_is_the_sum_of_the_largest(m):
    g = np.array([3.0, -1.0, 2.0, 5.0, 0.5])
    assert Domain(Units(None, 5), m).maximum(g) == pytest.approx(np.sort(g)[::-1][:m].sum())


def test_required_and_excluded_units():
    domain = Domain(Units(None, 6), 3, required=np.array([4]), excluded=np.array([0, 2]))
    g = np.array([9.0, 1.0, 8.0, 3.0, -5.0, 2.0])
    assert_array_equal(domain.best(g), [3, 4, 5])
    assert domain.maximum(g) == 0.0
    assert domain.threshold(g) == 2.0
    for q in (domain.project(g), domain.start(g), domain.nearest(np.ones(6) / 2)):
        assert_array_equal(q[[0, 2, 4]], [0, 0, 1])
        assert q.sum() == pytest.approx(3)
    inner = domain.subdomain(np.array([5, 4, 3]))
    assert_array_equal(inner.required, [1])
    assert_array_equal(inner.best(np.zeros(3)), [0, 1, 2])
    with pytest.raises(ValueError, match="m must be between 1 and 4"):
        Domain(Units(None, 6), 5, required=np.array([4]), excluded=np.array([0, 2]))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("samples", [True, False])
def test_solvers_keep_to_the_domain(solver, samples):
    """Against all sets that hold the required units and none of the excluded ones."""
    for seed in range(12):
        X, y = reference.random_problem(seed, n=14 if samples else 40, d=9, c=3)
        Z, gamma = reference.standardize(X), 5.0
        problem = reference.ArrayProblem(Z, reference.indicator(y), samples=samples)
        ranking = np.argsort(-np.sum(problem.C**2, axis=1))
        required, excluded = ranking[-1:], np.sort(ranking[:2])  # the worst has to be in, the best out
        found = solve_one(solver, problem, 4, gamma, required=required, excluded=excluded)
        assert set(required) <= set(found.units)
        assert not set(excluded) & set(found.units)
        others = np.setdiff1d(np.arange(9), np.r_[required, excluded])
        best = max(reference.criterion(Z, y, [*required, *some], gamma) for some in combinations(others, 3))
        assert found.objective <= best * (1 + 1e-9) <= found.upper_bound * (1 + 1e-8)
        if solver == "joint":
            assert found.objective == pytest.approx(best, rel=1e-9)
