"""Bounds on screened columns hold, and the solution without them is the same."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fisherset.solver import Domain, Trace, Units, relax
from fisherset.solver.proof import Screen, tangent_from_weights
from support import reference


def made(seed, groups=None, n=80, d=120):
    X, y = reference.random_problem(seed, n=n, d=d, c=4)
    return reference.ArrayProblem(reference.standardize(X), reference.indicator(y), groups=groups)


@pytest.mark.parametrize("seed", range(5))
def test_lengths_are_never_below_what_they_are(seed):
    """At any weights of any columns, near to those that were seen or far."""
    problem, rng = made(seed), np.random.default_rng(seed)
    screen = Screen(problem)
    assert screen.lengths(np.arange(3), np.ones((3, 4))) is None
    A = np.sort(rng.choice(120, 15, replace=False))
    W = rng.normal(scale=0.02, size=(15, problem.C.shape[1]))
    seen = np.linalg.norm(problem.C - problem.G[:, A] @ W, axis=1)
    screen.note(A, W, seen)
    assert_allclose(screen.lengths(A, W), seen, rtol=1e-4)  # nothing has changed since, but for rounding
    for scale in (1e-6, 1e-3, 0.1):
        B = np.sort(rng.choice(120, 12, replace=False))
        U = rng.normal(scale=scale, size=(12, problem.C.shape[1]))
        columns = np.union1d(A, B)
        new = np.zeros((columns.size, problem.C.shape[1]))
        new[np.searchsorted(columns, A)] += W
        new[np.searchsorted(columns, B)] += U
        true = np.linalg.norm(problem.C - problem.G[:, columns] @ new, axis=1)
        assert np.all(screen.lengths(columns, new) >= true)


@pytest.mark.parametrize("groups", [None, np.arange(120) // 3])
def test_a_tangent_of_some_columns_is_never_below_that_of_all(groups):
    problem, rng, gamma = made(7, groups), np.random.default_rng(1), 40.0
    domain = Domain(Units(groups, 120), 8)
    screen = Screen(problem)
    A, W = np.arange(0, 120, 6), rng.normal(scale=0.02, size=(20, problem.C.shape[1]))
    first, whole = screen.tangent(domain, gamma, A, W, 0.0)
    assert whole
    W = W + rng.normal(scale=1e-4, size=W.shape)
    true = tangent_from_weights(problem, domain, gamma, A, W)
    threshold = float(np.sort(true.g)[-8])
    found, whole = screen.tangent(domain, gamma, A, W, threshold)
    assert not whole
    assert np.all(found.g >= true.g * (1 - 1e-12))
    assert found.bound(domain) == pytest.approx(true.bound(domain), rel=1e-12)
    counted = true.g >= threshold
    assert_allclose(found.g[counted], true.g[counted], rtol=1e-9)
    assert first.bound(domain) > 0


@pytest.mark.parametrize("seed", range(4))
def test_a_relaxation_that_looks_again_at_some_is_the_same(seed, monkeypatch):
    problem = made(seed, n=200, d=400)
    domain = Domain(Units(None, 400), 10)
    asked, product = [], problem.product

    def watched(columns, W, rows=None):
        asked.append(400 if rows is None else rows.size)
        return product(columns, W, rows)

    problem.product = watched
    found = relax(problem, domain, 100.0, tol=1e-5, trace=Trace(max_iter=1000))
    screened, asked = asked, []
    monkeypatch.setattr(Screen, "most", 0.0)
    expected = relax(problem, domain, 100.0, tol=1e-5, trace=Trace(max_iter=1000))
    assert found.upper_bound == pytest.approx(expected.upper_bound, rel=1e-9)
    assert_allclose(found.tangent.g, expected.tangent.g, rtol=1e-6)
    assert set(asked) == {400}
    assert min(screened) < 200
    assert screened[-1] == 400 or asked[-1] == 400  # of all units it is told in the end what they can reach


def test_nothing_is_said_where_all_columns_may_count():
    problem, rng = made(3), np.random.default_rng(3)
    A = np.arange(0, 120, 8)
    W = rng.normal(scale=0.02, size=(15, problem.C.shape[1]))
    screen = Screen(problem)
    screen.note(A, W, np.linalg.norm(problem.C - problem.G[:, A] @ W, axis=1))
    U = W + rng.normal(scale=0.01, size=W.shape)
    known = screen.lengths(A, U)
    way = np.linalg.norm(np.linalg.cholesky(problem.G[np.ix_(A, A)]).T @ (U - W), 2)
    least = 0.999 * way * np.sqrt(problem.diagonal.min())
    assert screen.lengths(A, U, least) is None
    assert np.all(known >= least)
    assert_allclose(screen.lengths(A, U, 1.01 * way * np.sqrt(problem.diagonal.min())), known)
