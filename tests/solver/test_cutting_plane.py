"""Algorithm 1: same optimum as the joint relaxation, monotone bounds, the union rule."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import reference
from fisherset.solver import Domain, Status, Trace, Units, cutting_plane
from fisherset.solver.cutting_plane import Cuts, algorithm1
from fisherset.solver.relaxation import relax
from searching import domain_of, solve_one


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
    cuts = algorithm1(problem, domain_of(problem, m), 4.0, tol=tol, trace=Trace(max_iter=500))
    direct = relax(problem, domain_of(problem, m), 4.0, tol=tol, trace=Trace(max_iter=500))
    assert cuts.value == pytest.approx(direct.value, rel=tol)
    assert cuts.value <= direct.upper_bound
    assert direct.value <= cuts.upper_bound


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
@pytest.mark.parametrize("m", [1, 3])
def test_bounds_are_monotone(data, m, tol):
    """Theorem 3.3: l_t rises and u_t falls."""
    trace = Trace(max_iter=200)
    problem = reference.ArrayProblem(*data)
    algorithm1(problem, domain_of(problem, m), 1.0, tol=tol, trace=trace)
    lower = np.array([i.objective for i in trace.iterations])
    upper = np.array([i.upper_bound for i in trace.iterations])
    assert len(lower) > 3
    assert np.all(np.diff(lower) >= -1e-13)
    assert np.all(np.diff(upper) <= 0)
    assert np.all(lower <= upper)


def test_first_cut_is_the_fisher_ranking(data):
    """At V = H the most violated constraint takes the m largest ||C_j||^2."""
    Z, H = data
    trace = Trace(max_iter=1)
    problem = reference.ArrayProblem(Z, H)
    cuts = algorithm1(problem, domain_of(problem, 4), 4.0, tol=1e-6, trace=trace).cuts
    assert_allclose(cuts[0], np.sort(np.argsort(-reference.scores(H, Z))[:4]))


def test_gradient_in_lambda_is_eq_23(data):
    """The ascent's gradient, dF/dlambda_t, is Eq. (23) times -2/n: F = c - 1 - 2 g / n."""
    Z, H = data
    gamma, problem = 4.0, reference.ArrayProblem(Z, H)
    cuts, weights = [np.array([0, 2, 5]), np.array([1, 2, 7])], np.array([0.3, 0.7])
    p = np.zeros((2, Z.shape[1]))
    p[0, cuts[0]] = p[1, cuts[1]] = 1
    V = reference.dual_solution(weights @ p, Z, H, gamma)
    mixture = cutting_plane._Mixture(problem, domain_of(problem, 3).units, cuts, gamma)
    _, gradient = mixture.evaluate(weights)
    assert_allclose(gradient, -2 / len(Z) * reference.lambda_gradient(V, p, Z, gamma), rtol=1e-9)


@pytest.mark.parametrize("k", [1, 5, 9, 14])
def test_union_has_exactly_k(data, k):
    problem = reference.ArrayProblem(*data)
    solution = solve_one("cutting-plane", problem, k, 4.0)
    assert solution.units.size == k
    assert np.unique(solution.units).size == k
    assert solution.objective <= solution.upper_bound


def test_idle_cuts_are_dropped(data, monkeypatch):
    """While it runs, at most one cut of the working set has no weight: the new one."""
    sizes, kept = [], []

    class Watched(cutting_plane._Mixture):
        def __init__(self, problem, units, cuts, *rest):
            sizes.append(len(cuts))
            super().__init__(problem, units, cuts, *rest)

        def everywhere(self, cuts, weights):
            kept.append(len(cuts))
            assert np.all(weights > 0)
            return super().everywhere(cuts, weights)

    monkeypatch.setattr(cutting_plane, "_Mixture", Watched)
    problem = reference.ArrayProblem(*data)
    found = algorithm1(problem, domain_of(problem, 3), 4.0, tol=1e-7, trace=Trace(max_iter=500))
    assert set(np.flatnonzero(found.q)) == set(np.concatenate(found.cuts))
    assert all(new <= old + 1 for old, new in zip(kept, sizes[1:], strict=False))
    assert any(new < old for old, new in zip(sizes, kept, strict=True))  # some were dropped


@pytest.mark.parametrize("k", [4, 9, 13])
def test_m_rises_as_by_one(data, k):
    """Leaps of m end at the m, and with the set, that raising it by one ends with."""
    problem, tol = reference.ArrayProblem(*data), 1e-3
    trace = Trace(max_iter=500)
    units = solve_one("cutting-plane", problem, k, 4.0, tol=tol, trace=trace).units
    for m in range(1, k + 1):
        found = algorithm1(problem, domain_of(problem, m), 4.0, tol=tol, trace=Trace(max_iter=500))
        if np.unique(np.concatenate(found.cuts)).size >= k:
            break
    phases = [i.phase for i in trace.iterations if i.phase.startswith("cuts")]
    assert phases[0] == "cuts, m = 1"
    assert phases[-1] == f"cuts, m = {m}"
    assert_array_equal(units, np.sort(cutting_plane.trimmed(found, domain_of(problem, k))))


def test_the_cut_that_overflows_is_trimmed_by_q():
    q = np.array([0.9, 0.1, 0.6, 0.3, 0.2, 0.5])
    found = Cuts([np.array([0, 1]), np.array([1, 2, 3, 5])], q, np.zeros(6), 0.0, 0.0)
    assert_array_equal(np.sort(cutting_plane.trimmed(found, Domain(Units(None, 6), 4))), [0, 1, 2, 5])


def test_gap_is_reached():
    """The worst cut found again is no proof of convergence: lambda is then solved more exactly."""
    for seed in (1, 17):
        X, y = reference.random_problem(seed, n=40, d=12, c=3)
        problem = reference.ArrayProblem(reference.standardize(X), reference.indicator(y))
        trace = Trace(max_iter=1000)
        found = algorithm1(problem, domain_of(problem, 1), 0.01, tol=1e-3, trace=trace)
        assert trace.status is Status.CONVERGED
        assert found.value <= found.upper_bound <= found.value / (1 - 1e-3)
