"""The relaxation against the paper's equations, an independent convex solver, and itself in sample space."""

import cvxpy as cp
import numpy as np
import pytest
from numpy.testing import assert_allclose

from fisherset.solver import Status, Trace, ridge
from fisherset.solver.relaxation.relaxation import relax
from fisherset.solver.ridge import FeatureRidge, SampleRidge
from support import reference
from support.solver_calls import domain_of


def relaxed(problem, m, gamma, tol=1e-8):
    return relax(problem, domain_of(problem, m), gamma, tol=tol, trace=Trace(max_iter=2000))


@pytest.fixture(params=[(40, 9, 3), (15, 30, 4)], ids=["n > d", "d > n"])
def data(request):
    n, d, c = request.param
    X, y = reference.random_problem(1, n, d, c)
    return reference.standardize(X), reference.indicator(y), y


@pytest.mark.parametrize("share", [0.0, 1.0])  # of columns in play from which their block is not taken out
def test_value_and_gradient_are_the_papers(data, share, monkeypatch):
    """F(q) and XV in both spaces equal what Eq. (15), (25) and (26) give with n x n matrices."""
    monkeypatch.setattr(ridge, "NEARLY_ALL", share)
    Z, H, _ = data
    n, d = Z.shape
    gamma, q = 3.7, np.random.default_rng(0).uniform(0, 1, d) * (np.arange(d) % 3 > 0)
    V = reference.dual_solution(q, Z, H, gamma)
    c = H.shape[1]
    # the minimum over W of Eq. (8) is n/2 (c - 1 - F), and equals the dual of Eq. (15)
    F = c - 1 - 2 / n * reference.dual_objective(V, q, Z, H, gamma)
    problem = reference.ArrayProblem(Z, H)
    held = SampleRidge(problem, problem, np.arange(d), gamma)
    monkeypatch.setattr(ridge, "VALUES_HELD", 0)  # columns by value in batches
    monkeypatch.setattr(ridge, "VALUES_AT_A_TIME", 2 * n)
    for found in (
        FeatureRidge(problem, np.arange(d), gamma),
        held,
        SampleRidge(problem, problem, np.arange(d), gamma),
    ):
        value, XV = found.evaluate(q)
        A, W = found.weights(q)
        assert q[A].all()
        assert value == pytest.approx(F, rel=1e-10)
        for scores in (XV, problem.C - problem.product(A, W)):
            assert_allclose(np.sum(scores**2, axis=1), reference.scores(V, Z), rtol=1e-9, atol=1e-12)


def test_gradient_by_differences(data):
    Z, H, _ = data
    gamma, d, step = 5.0, Z.shape[1], 1e-6
    problem = reference.ArrayProblem(Z, H)
    q = np.random.default_rng(1).uniform(0.2, 0.8, d)
    in_samples = SampleRidge(problem, problem, np.arange(d), gamma)
    _, XV = in_samples.evaluate(q)
    g = np.sum(XV**2, axis=1) / (gamma * len(Z))
    for j in range(d):
        e = np.eye(d)[j] * step
        up, down = (in_samples.evaluate(q + sign * e)[0] for sign in (1, -1))
        assert (up - down) / (2 * step) == pytest.approx(g[j], rel=1e-5)


@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")  # to its own, tighter, tolerance
@pytest.mark.parametrize("m", [2, 5])
@pytest.mark.parametrize("gamma", [0.5, 20.0])
def test_agrees_with_cvxpy(data, m, gamma):
    """The largest F(q) is that of a conic solver on the matrix fractional form of Eq. (22)."""
    Z, H, _ = data
    n, d = Z.shape
    q = cp.Variable(d)
    # H'(I + X D X'/gamma)^-1 H: convex in q as a matrix fractional function of an affine matrix
    M = np.eye(n) + sum(q[j] * (np.outer(Z[:, j], Z[:, j]) / gamma) for j in range(d))
    problem = cp.Problem(cp.Minimize(cp.matrix_frac(H, M)), [q >= 0, q <= 1, cp.sum(q) == m])
    problem.solve(solver=cp.CLARABEL)
    optimum = (np.sum(H**2) - problem.value) / n
    for samples in (True, False):
        ours = relaxed(reference.ArrayProblem(Z, H, samples=samples), m, gamma)
        assert ours.value == pytest.approx(optimum, rel=1e-5)
        assert optimum <= ours.upper_bound * (1 + 1e-6)


def test_both_spaces_agree():
    X, y = reference.random_problem(3, 20, 60, 3)
    Z, H = reference.standardize(X), reference.indicator(y)
    in_samples = relaxed(reference.ArrayProblem(Z, H), 30, 10.0)
    in_features = relaxed(reference.ArrayProblem(Z, H, samples=False), 30, 10.0)
    assert in_samples.value == pytest.approx(in_features.value, rel=1e-7)


def test_pool_finds_columns_that_score_low_alone():
    """The pool starts from the best single scores; two columns that only work together lie outside it."""
    rng = np.random.default_rng(0)
    n, y = 2000, np.arange(2000) % 2
    noise = rng.standard_normal(n)
    hidden = np.column_stack([noise + 0.1 * y, noise - 0.1 * y])
    decoys = rng.standard_normal((n, 150)) + 0.15 * y[:, None]
    Z, H = reference.standardize(np.column_stack([decoys, hidden])), reference.indicator(y)
    assert np.all(np.argsort(-reference.scores(H, Z[:, :]))[:100] < 150)
    ours = relaxed(reference.ArrayProblem(Z, H, samples=False), 4, 0.5, tol=1e-4)
    assert set(np.argsort(-ours.q)[:2]) == {150, 151}


@pytest.mark.parametrize("tol", [0.3, 1e-2, 1e-5])
def test_bound_holds_at_every_tolerance(data, tol):
    Z, H, _ = data
    tight = relaxed(reference.ArrayProblem(Z, H), 4, 8.0, tol=1e-9)
    loose = relaxed(reference.ArrayProblem(Z, H), 4, 8.0, tol=tol)
    assert loose.upper_bound >= tight.value * (1 - 1e-12)
    assert loose.upper_bound - loose.value <= tol * loose.upper_bound


@pytest.mark.parametrize("gamma", [1e10, 1e14, 1e18])
def test_weights_stay_feasible_where_f_is_almost_linear(gamma):
    X, y = reference.random_problem(1, 40, 9, 3)
    Z = np.hstack([reference.standardize(X)] * 5)
    for samples in (True, False):
        ours = relaxed(reference.ArrayProblem(Z, reference.indicator(y), samples=samples), 4, gamma, tol=1e-4)
        assert ours.q.sum() == pytest.approx(4, rel=1e-6)


@pytest.mark.parametrize("samples", [True, False])
def test_tolerance_out_of_reach_is_reported(data, samples):
    Z, H, _ = data
    trace = Trace(max_iter=5000)
    problem = reference.ArrayProblem(Z, H, samples=samples)
    relax(problem, domain_of(problem, 4), 0.1, tol=1e-17, trace=trace)
    assert trace.status is Status.PRECISION


def test_trace_counts_the_active_units(data):
    Z, H, _ = data
    for samples in (True, False):
        trace = Trace(max_iter=500)
        problem = reference.ArrayProblem(Z, H, samples=samples)
        ours = relax(problem, domain_of(problem, 4), 8.0, tol=1e-4, trace=trace)
        assert trace.iterations[-1].n_active == np.count_nonzero(ours.q)
        assert trace.iterations[-1].upper_bound == ours.upper_bound


def test_more_units_than_there_are_is_refused(data):
    Z, H, _ = data
    with pytest.raises(ValueError, match="m must be between 0 and"):
        relaxed(reference.ArrayProblem(Z, H), Z.shape[1] + 1, 1.0)


@pytest.mark.parametrize("order", [12, 13, 16])
def test_a_pool_without_room_lets_the_idle_go(order):
    """The pool keeps to the systems there is room for, and comes to the same bound."""
    X, y = reference.random_problem(2, n=60, d=200, c=4)
    Z, H = reference.standardize(X), reference.indicator(y)
    plain = reference.ArrayProblem(Z, H, samples=False)
    tight = reference.ArrayProblem(Z, H, samples=False, room=order**2)
    gram, asked = tight.gram, []

    def watched(columns, rows=None):
        asked.append(columns.size)
        return gram(columns, rows)

    tight.gram = watched
    found, expected = (
        relax(problem, domain_of(problem, 4), 60.0, tol=1e-3, trace=Trace(max_iter=1000))
        for problem in (tight, plain)
    )
    assert len(asked) > 1
    assert max(asked) <= order
    assert found.value <= expected.upper_bound * (1 + 1e-12)
    assert found.upper_bound == pytest.approx(expected.upper_bound, rel=2e-3)
    again = relax(tight, domain_of(tight, 4), 60.0, tol=1e-3, trace=Trace(max_iter=1000), start=found.q)
    assert again.upper_bound == pytest.approx(expected.upper_bound, rel=2e-3)


class Looked(reference.ArrayProblem):
    """Counts the looks at all columns."""

    looks = 0

    def product(self, columns, W, rows=None):
        self.looks += rows is None
        return super().product(columns, W, rows)


def test_where_the_first_pool_is_right_all_columns_are_looked_at_once():
    """A few columns tell the classes apart, the others are noise: at a large gamma nothing else counts."""
    rng = np.random.default_rng(5)
    y = np.arange(300) % 3
    X = rng.standard_normal((300, 400))
    X[:, :40] += 1.5 * (y[:, None] == np.arange(40) % 3)
    problem = Looked(reference.standardize(X), reference.indicator(y))
    found = relax(problem, domain_of(problem, 10), 600.0, tol=1e-3, trace=Trace(max_iter=100))
    assert problem.looks == 1
    assert 0 <= found.upper_bound - found.value <= 1e-3 * found.upper_bound
    plain = relaxed(reference.ArrayProblem(problem.Z, problem.H), 10, 600.0)
    assert found.upper_bound >= plain.value * (1 - 1e-12)
    assert found.value == pytest.approx(plain.value, rel=1e-3)
