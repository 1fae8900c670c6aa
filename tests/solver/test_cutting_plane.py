"""Algorithm 1: same optimum as the joint relaxation, monotone bounds, the union rule."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import reference
from fisherset.solver import Trace, algorithm1, relax, solve_cutting_plane


@pytest.fixture(params=[(50, 14, 3), (16, 40, 4)], ids=["n > d", "d > n"])
def data(request):
    n, d, c = request.param
    X, y = reference.random_problem(7, n, d, c)
    return reference.standardize(X), reference.indicator(y)


@pytest.mark.parametrize("samples", [True, False])
@pytest.mark.parametrize("m", [1, 3, 6])
def test_agrees_with_the_joint_relaxation(data, m, samples):
    """Eq. (22) over the cuts and F(q) over their convex hull are one problem."""
    problem, tol = reference.ArrayProblem(*data, samples=samples), 1e-5
    cuts = algorithm1(problem, m, 4.0, tol=tol, trace=Trace(max_iter=500))
    direct = relax(problem, m, 4.0, tol=tol, trace=Trace(max_iter=500))
    assert cuts.value == pytest.approx(direct.value, rel=tol)
    assert cuts.value <= direct.upper_bound
    assert direct.value <= cuts.upper_bound


def test_bounds_are_monotone(data):
    """Theorem 3.3: l_t rises and u_t falls."""
    trace = Trace(max_iter=200)
    algorithm1(reference.ArrayProblem(*data), 3, 4.0, tol=1e-6, trace=trace)
    lower = np.array([i.objective for i in trace.iterations])
    upper = np.array([i.upper_bound for i in trace.iterations])
    assert len(lower) > 3
    assert np.all(np.diff(lower) >= -1e-12)
    assert np.all(np.diff(upper) <= 0)
    assert np.all(lower <= upper)


def test_first_cut_is_the_fisher_ranking(data):
    """At V = H the most violated constraint takes the m largest ||C_j||^2."""
    Z, H = data
    trace = Trace(max_iter=1)
    cuts = algorithm1(reference.ArrayProblem(Z, H), 4, 4.0, tol=1e-6, trace=trace).cuts
    assert_allclose(cuts[0], np.sort(np.argsort(-reference.scores(H, Z))[:4]))


def test_gradient_in_lambda_is_eq_23(data):
    """The ascent's gradient, dF/dlambda_t, is Eq. (23) times -2/n: F = c - 1 - 2 g / n."""
    from fisherset.solver.cutting_plane import _Ridge
    from fisherset.solver.ridge import Pool
    from fisherset.solver.units import Units

    Z, H = data
    gamma, problem = 4.0, reference.ArrayProblem(Z, H)
    cuts, weights = [np.array([0, 2, 5]), np.array([1, 2, 7])], np.array([0.3, 0.7])
    p = np.zeros((2, Z.shape[1]))
    p[0, cuts[0]] = p[1, cuts[1]] = 1
    V = reference.dual_solution(weights @ p, Z, H, gamma)
    ridge = _Ridge(problem, Pool(problem, gamma), Units(problem), cuts, gamma)
    _, gradient = ridge.mixture(weights)
    assert_allclose(gradient, -2 / len(Z) * reference.lambda_gradient(V, p, Z, gamma), rtol=1e-9)


@pytest.mark.parametrize("k", [1, 5, 9, 14])
def test_union_has_exactly_k(data, k):
    problem = reference.ArrayProblem(*data)
    solution = solve_cutting_plane(problem, k, 4.0, tol=1e-3, trace=Trace(max_iter=500))
    assert solution.units.size == k
    assert np.unique(solution.units).size == k
    assert solution.objective <= solution.upper_bound


def test_idle_cuts_are_dropped(data):
    """Every cut left in the working set carries weight: q is a mixture of them alone."""
    found = algorithm1(reference.ArrayProblem(*data), 3, 4.0, tol=1e-7, trace=Trace(max_iter=500))
    assert set(np.flatnonzero(found.q)) == set(np.concatenate(found.cuts))
