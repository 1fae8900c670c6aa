"""The relaxation on a subspace: its weights bound F, its q is as good, by whichever products with G."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fisherset.solver import Domain, Trace, Units, relax
from fisherset.solver.proof import tangent_from_weights
from fisherset.solver.relaxation import subspace
from fisherset.solver.relaxation.relaxation import gradient
from support import reference


def problem_of(seed, n, d, c, **options):
    X, y = reference.random_problem(seed, n=n, d=d, c=c)
    return reference.ArrayProblem(reference.standardize(X), reference.indicator(y), **options)


def climb_from_nothing(problem, domain, gamma, share):
    q, W = domain.start(domain.units.total(gradient(problem.C, problem, gamma))), np.zeros_like(problem.C)
    W[:] = domain.units.spread(q)[:, None] * problem.C / gamma
    start = subspace.Climb(q, 0.0, problem.ceiling, W)
    g = domain.units.total(gradient(problem.C, problem, gamma))
    return subspace.climb(
        problem, domain, gamma, start, g, enough=lambda *_: share, trace=Trace(max_iter=100)
    )


@pytest.mark.parametrize("gamma", [2.0, 50.0, 1000.0])
@pytest.mark.parametrize("grouped", [False, True])
def test_it_ends_at_the_optimum(gamma, grouped):
    problem = problem_of(1, 350, 120, 4)
    units = Units(np.arange(120) // 2 if grouped else None, 120)
    domain = Domain(units, 8, np.array([3]), np.array([5, 7]))
    exact = relax(problem, domain, gamma, tol=1e-8, trace=Trace(max_iter=1000))
    found = climb_from_nothing(problem, domain, gamma, 1e-3)
    assert found.value <= exact.value * (1 + 1e-6)
    assert found.bound - found.value <= 1e-3 * found.bound
    bound = tangent_from_weights(problem, domain, gamma, np.arange(120), found.W).bound(domain)
    assert exact.value <= bound
    assert_allclose(bound, found.bound, rtol=1e-4)
    assert found.q.sum() == pytest.approx(8)
    assert found.q[3] == 1
    assert not found.q[[5, 7]].any()
    ridge = reference_value(problem, units.spread(found.q), gamma)
    assert found.value <= ridge * (1 + 1e-6)
    assert ridge <= exact.value * (1 + 1e-7)


def reference_value(problem, q, gamma):
    """F(q) by its definition."""
    root = np.sqrt(q)[:, None]
    B = root * problem.C
    return (
        float(np.vdot(B, np.linalg.solve(gamma * np.eye(q.size) + root * problem.G * root.T, B))) / problem.n
    )


@pytest.mark.parametrize("options", [{}, {"n": 500}, {"samples": False}])
def test_products_are_those_with_the_gram_matrix(options):
    options = {"n": 100, "d": 60} | options
    problem = problem_of(2, c=3, **options)
    W = np.random.default_rng(0).standard_normal((60, 2))
    assert_allclose(subspace.product_with(problem)(W), problem.G @ W, rtol=1e-4, atol=1e-3)


def test_a_wide_basis_is_narrowed(monkeypatch):
    monkeypatch.setattr(subspace, "WIDEST", 8)
    problem, domain = problem_of(1, 350, 120, 4), Domain(Units(None, 120), 8)
    exact = relax(problem, domain, 5.0, tol=1e-8, trace=Trace(max_iter=1000))
    found = climb_from_nothing(problem, domain, 5.0, 0.01)
    assert found.value <= exact.value * (1 + 1e-6)
    assert found.bound - found.value <= 0.01 * found.bound


def test_a_relaxation_over_many_units_climbs_and_goes_on_to_the_tolerance():
    rng = np.random.default_rng(0)
    y = np.arange(400) % 4
    X = rng.standard_normal((400, 700)) + 0.1 * rng.standard_normal((4, 700))[y]
    problem = reference.ArrayProblem(reference.standardize(X), reference.indicator(y))
    domain = Domain(Units(None, 700), 10)
    rough, sharp = (relax(problem, domain, 4.0, tol=tol, trace=Trace(max_iter=1000)) for tol in (1e-2, 1e-6))
    assert sharp.upper_bound - sharp.value <= 1e-6 * sharp.upper_bound
    assert sharp.value <= rough.upper_bound <= 1.01 * sharp.upper_bound
