"""Proofs about an answer: bounds from any weights, values beyond the digits of G, or a status."""

import numpy as np
import pytest

from fisherset._types import EPS
from fisherset.solver import SOLVERS, Status, measure_subset, prove_value, rescale
from fisherset.solver.proof import fit_rows, tangent_from_rows, tangent_from_weights
from fisherset.solver.relaxation.relaxation import relax
from fisherset.solver.ridge import FeatureRidge
from fisherset.solver.trace import Trace
from support import reference
from support.precise_oracle import Truth
from support.solver_calls import domain_of, solve_one


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


@pytest.fixture(params=[0.1, 3.0, 1e4], ids="gamma = {:g}".format)
def posed(request):
    """A problem of nine columns of which four are selected, its truth, and gamma."""
    X, y = reference.random_problem(2, n=30, d=9, c=3)
    problem = reference.ArrayProblem(reference.standardize(X), reference.indicator(y))
    return problem, domain_of(problem, 4), Truth(X, y), request.param


def excess(problem, gamma, q):
    """Largest distance of a bound from Eq. (27) at q: by rounding, and by the margin that covers it.

    With entries of G and C off by the share u, XV is off by u ||x_j|| (R + t) where R is the sum of
    ||x_j|| ||w_j|| and t the length of the targets; and as W solves a system that is off, too, by another
    x / (2 gamma^1/2) times that.
    The margin may be four times the rounding.
    """
    n, x, rows, H = problem.n, problem.rounding.lengths.max(), problem.Z, problem.H
    V = reference.dual_solution(q, rows, H, gamma)
    W = q[:, None] * (rows.T @ V) / gamma
    u, t = problem.rounding.unit + 4 * (len(q) + 4) * EPS, problem.rounding.targets
    R = x * np.linalg.norm(W, axis=1).sum()
    off = u * x * (R + t) * (1 + x / (2 * np.sqrt(gamma)))
    lengths = np.sort(np.sqrt(reference.scores(V, rows)))[-4:]
    rounding = np.sum(2 * lengths * off + off**2) / (gamma * n) + 2 * u * R * (R + t) / n
    return 5 * rounding


def inside(q):
    """A q that adds up to four at most, however it was rounded."""
    return q * (1 - 16 * EPS)


# Share of F to which float64 closes the gap: F is flat at its maximum, so that F known to EPS
# tells q, and the gap with it, to the root of that.
FLAT = 64 * np.sqrt(EPS)

Q = {
    "inside": np.array([0.7, 0.6, 0.1, 0.05, 0.8, 0.85, 0.9, 0.0, 0.0]),
    "all columns": np.full(9, 4 / 9),
    "a set": np.array([1.0, 0, 1, 0, 0, 1, 0, 1, 0]),
}


@pytest.mark.parametrize("q", Q.values(), ids=Q)
def test_with_v_of_eq_25_it_is_eq_27(posed, q):
    """At any q and but for rounding, whether V comes from products or from rows."""
    problem, domain, truth, gamma = posed
    A, W = FeatureRidge(problem, np.arange(9), gamma).weights(q)
    fit = fit_rows(problem, A, q[A], gamma)
    assert abs(fit.value - truth.relaxed(q, gamma)) <= fit.error
    printed, off = truth.tangent_bound(q, 4, gamma), excess(problem, gamma, q)
    for tangent in (
        tangent_from_weights(problem, domain, gamma, A, W),
        tangent_from_rows(problem, domain, gamma, fit),
    ):
        assert abs(tangent.bound(domain) - printed) <= off


@pytest.mark.parametrize("tol", [1e-3, FLAT, 0.0])
def test_at_the_optimum_it_is_eq_27(posed, tol):
    """Where Eq. (27) is the largest F(q): the bound is never below that, and above by the tolerance at most.

    The relaxation returns the last q and the lowest bound, which need not be that of the last q.
    """
    problem, domain, truth, gamma = posed
    trace = Trace(max_iter=500)
    found = relax(problem, domain, gamma, tol=tol, trace=trace)
    assert trace.status is (Status.CONVERGED if tol else Status.PRECISION)
    q, off = inside(found.q), excess(problem, gamma, found.q)
    assert truth.relaxed(q, gamma) <= found.upper_bound
    assert found.upper_bound <= truth.relaxed(q, gamma) / (1 - max(tol, FLAT)) + off
    assert found.upper_bound <= truth.tangent_bound(q, 4, gamma) + off


@pytest.mark.parametrize("precision", [1e-10, 1e-6])
@pytest.mark.parametrize("less", ["explained", "scores"])
def test_at_the_optimum_the_bound_bears_the_rounding(posed, precision, less):
    """Every part of it is large enough when products are off by as much as they can be, all to one side."""
    problem, domain, truth, gamma = posed
    q = inside(relax(problem, domain, gamma, tol=0.0, trace=Trace(max_iter=500)).q)
    V = reference.dual_solution(q, problem.Z, problem.H, gamma)
    XV, A = problem.Z.T @ V, np.flatnonzero(q)
    W = q[A, None] * XV[A] / gamma  # Eq. (25) again: V = H - X_A W
    problem.rounding = reference.rounding_of(problem, precision)
    x, side = problem.rounding.lengths, 1 if less == "scores" else -1
    problem.G[:, A] += side * precision * np.outer(x, x[A]) * np.sign(XV @ W.T)
    problem.C -= side * (problem.rounding.cross / np.linalg.norm(XV, axis=1))[:, None] * XV
    tangent = tangent_from_weights(problem, domain, gamma, A, W)
    assert tangent.offset >= np.sum((problem.H - V) ** 2) / problem.n
    assert np.all(tangent.g >= reference.scores(V, problem.Z) / (gamma * problem.n))
    assert truth.relaxed(q, gamma) <= tangent.bound(domain)
    assert tangent.bound(domain) <= truth.tangent_bound(q, 4, gamma) + excess(problem, gamma, q)


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


def test_a_rescaled_problem_has_a_larger_ridge():
    """Shrunken columns are the same as more ridge on them, and F is never larger for it."""
    X, y = reference.random_problem(2, n=30, d=9, c=3)
    Z, gamma, A = reference.standardize(X) * 10.0 ** np.arange(9), 1e-6, np.array([0, 3, 7])
    problem = reference.ArrayProblem(Z, reference.indicator(y))
    assert rescale(problem, 1e20, 3) is problem
    rescaled = rescale(problem, gamma, 3)
    ridge = gamma / rescaled.factor[A] ** 2
    assert ridge[0] < ridge[1] < ridge[2]
    C, G = problem.C[A], problem.G[np.ix_(A, A)]
    value = np.trace(C.T @ np.linalg.solve(G + np.diag(ridge), C)) / len(Z)
    found = measure_subset(rescaled, A, gamma)
    assert found.value == pytest.approx(value, rel=1e-8)
    assert found.value <= prove_value(problem, A, gamma).value
    W = np.ones((3, 2))
    np.testing.assert_allclose(rescaled.product(A, W), rescaled.gram(A) @ W, rtol=1e-12)


def test_no_number_is_clamped_into_range(monkeypatch):
    """A system that gives rubbish ends with a status, not as a perfect score."""
    _, _, problem = near_copies(1e-7)
    problem.samples, problem.rounding = None, reference.rounding_of(problem, 1e-25)  # too well of itself
    problem.G = problem.G - 1e-3 * np.eye(6)  # not positive definite any more
    found = prove_value(problem, np.arange(6), 1e-6)
    assert found.wrong
