"""Reweighting: the q of the hull that suits given weights, and turns that never lose."""

import cvxpy as cp
import numpy as np
import pytest
from numpy.testing import assert_allclose

from fisherset.solver import Domain, Trace, Units, relax
from fisherset.solver.domain import cap_shares
from support import reference


@pytest.mark.parametrize("seed", range(4))
def test_shares_are_the_best_there_are(seed):
    """The least sum of w^2 / q on the hull, as a conic solver finds it."""
    rng = np.random.default_rng(seed)
    w, m = rng.exponential(size=12) ** 3, 4
    q = cp.Variable(12)
    problem = cp.Problem(
        cp.Minimize(sum(cp.quad_over_lin(w[j], q[j]) for j in range(12))), [q <= 1, cp.sum(q) == m]
    )
    problem.solve(solver=cp.CLARABEL)
    ours = cap_shares(w, m)
    assert ours.sum() == pytest.approx(m)
    assert ours.max() <= 1
    assert np.sum(w**2 / ours) <= problem.value * (1 + 1e-6)


@pytest.mark.parametrize(
    ("w", "m"),
    [([1.0, 0, 0, 0], 2), ([0.0, 0, 0], 1), ([3.0, 3, 3], 3), ([1e300, 1e300, 1e-300], 2), ([5.0], 1)],
)
def test_shares_stay_in_the_hull(w, m):
    shares = cap_shares(np.array(w), m)
    assert shares.sum() == pytest.approx(m)
    assert np.all((shares >= 0) & (shares <= 1))


def test_required_and_excluded_units_stay_fixed():
    domain = Domain(Units(None, 6), 3, np.array([1]), np.array([4]))
    q = domain.reweighted(np.array([1.0, 0.0, 2.0, 3.0, 9.0, 1.0]))
    assert q[1] == 1
    assert q[4] == 0
    assert q.sum() == pytest.approx(3)


def test_a_first_bound_that_says_nothing_leads_to_all_units():
    """Where gamma is next to nothing the first pool is left for all units, and the bound is as tight."""
    rng = np.random.default_rng(0)
    y = np.arange(400) % 4
    X = rng.standard_normal((400, 300)) + 0.1 * rng.standard_normal((4, 300))[y]
    problem = reference.ArrayProblem(reference.standardize(X), reference.indicator(y), samples=False)
    domain = Domain(Units(None, 300), 10)
    trace = Trace(max_iter=1000)
    found = relax(problem, domain, 2.0, tol=1e-3, trace=trace)
    assert trace.iterations[0].upper_bound == problem.ceiling
    assert len(trace.iterations) < 8
    assert found.upper_bound - found.value <= 1e-3 * found.upper_bound
    exact = relax(problem, domain, 2.0, tol=1e-7, trace=Trace(max_iter=1000))
    assert_allclose(found.upper_bound, exact.upper_bound, rtol=2e-3)
    assert found.upper_bound >= exact.value


def test_a_loose_bound_is_computed_to_fewer_digits():
    X, y = reference.random_problem(5, n=300, d=150, c=4)
    problem = reference.ArrayProblem(reference.standardize(X), reference.indicator(y), samples=False)
    domain = Domain(Units(None, 150), 5)
    for gamma in (3.0, 3000.0):
        sharp, loose = (
            relax(problem, domain, gamma, tol=1e-6, trace=Trace(max_iter=1000, loose_tol=loose_tol))
            for loose_tol in (0.0, 0.05)
        )
        assert loose.upper_bound >= sharp.value  # a bound all the same
        left = 1 - reference_value(problem, domain, sharp, gamma) / sharp.upper_bound
        if left < 0.1:
            assert loose.upper_bound == pytest.approx(sharp.upper_bound, rel=2e-6)
        else:
            assert loose.upper_bound <= sharp.upper_bound * (1 + 0.06 * left)


def reference_value(problem, domain, relaxation, gamma):
    A = domain.best(relaxation.q)
    M = problem.G[np.ix_(A, A)] + gamma * np.eye(A.size)
    return float(np.sum(problem.C[A] * np.linalg.solve(M, problem.C[A]))) / problem.n
