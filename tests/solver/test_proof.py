"""What is claimed of an answer: bounds from any weights, values beyond the digits of G, or a status."""

import numpy as np
import pytest

import reference
from fisherset.solver import SOLVERS, Status, measure_subset, prove_value, temper
from fisherset.solver.proof import tangent_from_rows, tangent_from_weights
from fisherset.solver.relaxation import relax
from fisherset.solver.rows import fit_rows
from fisherset.solver.trace import Trace
from searching import domain_of, solve_one
from truth import Truth


def near_copies(distance, n=60, seed=0):
    """Columns in pairs whose small difference carries the signal; the rows and the problem they make."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = rng.standard_normal((n, 3))
    X = np.hstack([X, X + distance * (rng.standard_normal((n, 3)) + y[:, None])])
    return X, y, reference.ArrayProblem(reference.standardize(X), reference.indicator(y))


@pytest.mark.parametrize("m", [1, 3, 6, 9])
def test_a_bound_from_any_weights_holds(m):
    """However wrong the weights are."""
    X, y = reference.random_problem(2, n=30, d=9, c=3)
    Z, gamma, rng = reference.standardize(X), 3.0, np.random.default_rng(0)
    problem = reference.ArrayProblem(Z, reference.indicator(y))
    domain, (best, _) = domain_of(problem, m), reference.best_subset(Z, y, m, gamma)
    for scale in (0.0, 1e-3, 0.03, 1.0, 30.0):
        A = np.sort(rng.choice(9, 4, replace=False))
        W = scale * rng.standard_normal((4, 3))
        assert tangent_from_weights(problem, domain, gamma, A, W).bound(domain) >= best


def test_at_the_optimum_it_is_eq_27():
    X, y = reference.random_problem(2, n=30, d=9, c=3)
    Z, gamma = reference.standardize(X), 3.0
    problem = reference.ArrayProblem(Z, reference.indicator(y))
    domain = domain_of(problem, 4)
    found = relax(problem, domain, gamma, tol=1e-9, trace=Trace(max_iter=500))
    V = reference.dual_solution(found.q, Z, reference.indicator(y), gamma)
    g = reference.scores(V, Z) / (gamma * len(Z))
    printed = found.value + np.sort(g)[-4:].sum() - found.q @ g
    assert found.upper_bound == pytest.approx(printed, rel=1e-9)
    fit = fit_rows(problem, np.flatnonzero(found.q), found.q[found.q > 0], gamma)
    assert fit.value == pytest.approx(found.value, rel=1e-10)
    assert tangent_from_rows(problem, domain, gamma, fit).bound(domain) == pytest.approx(printed, rel=1e-9)


@pytest.mark.parametrize("distance", [1e-3, 1e-5, 1e-6, 0.0])
@pytest.mark.parametrize("gamma", [1e-4, 1e-8, 1e-12])
def test_the_value_is_right_where_products_are_not_enough(distance, gamma):
    X, y, problem = near_copies(distance)
    true = float(Truth(X, y).criterion([np.arange(6)], gamma)[0])
    found = prove_value(problem, np.arange(6), gamma)
    assert not found.wrong
    assert found.value == pytest.approx(true, rel=1e-6)
    assert abs(found.value - true) <= found.error + 1e-12


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("distance", [1e-5, 1e-7])
def test_without_rows_it_is_said(solver, distance):
    """Products alone do not know F then: the bound holds all the same, and the status says so."""
    X, y, problem = near_copies(distance)
    problem.samples = None
    truth, gamma = Truth(X, y), 1e-12
    found = solve_one(solver, problem, 4, gamma)
    assert found.status is Status.INEXACT
    assert "float64" in found.status.value
    assert found.objective <= truth.criterion([found.units], gamma)[0] * (1 + 1e-3)
    assert truth.best(4, gamma) <= found.upper_bound * (1 + 1e-9)


def test_a_tempered_problem_has_a_larger_ridge():
    """Shrunken columns are the same as more ridge on them, and F is never larger for it."""
    X, y = reference.random_problem(2, n=30, d=9, c=3)
    Z, gamma, A = reference.standardize(X) * 10.0 ** np.arange(9), 1e-6, np.array([0, 3, 7])
    problem = reference.ArrayProblem(Z, reference.indicator(y))
    assert temper(problem, 1e20, 3) is problem
    tempered = temper(problem, gamma, 3)
    ridge = gamma / tempered.factor[A] ** 2
    assert ridge[0] < ridge[1] < ridge[2]
    C, G = problem.C[A], problem.G[np.ix_(A, A)]
    value = np.trace(C.T @ np.linalg.solve(G + np.diag(ridge), C)) / len(Z)
    found = measure_subset(tempered, A, gamma)
    assert found.value == pytest.approx(value, rel=1e-8)
    assert found.value <= prove_value(problem, A, gamma).value
    W = np.ones((3, 2))
    np.testing.assert_allclose(tempered.product(A, W), tempered.gram(A) @ W, rtol=1e-12)


def test_no_number_is_clamped_into_range(monkeypatch):
    """A system that gives rubbish ends with a status, not as a perfect score."""
    _, _, problem = near_copies(1e-7)
    problem.samples, problem.rounding = None, reference.rounding_of(problem, 1e-25)  # too well of itself
    problem.G = problem.G - 1e-3 * np.eye(6)  # not positive definite any more
    found = prove_value(problem, np.arange(6), 1e-6)
    assert found.wrong
