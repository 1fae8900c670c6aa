"""Selections without a certificate: tol=None."""

import pytest

from fisherset import GeneralizedFisherScore
from support import reference


@pytest.mark.parametrize("solver", ["joint", "cutting-plane"])
def test_without_certificate(solver):
    X, y = reference.random_problem(3, n=300, d=40, c=3)
    bare = GeneralizedFisherScore(6, solver=solver, tol=None).fit(X, y)
    certified = GeneralizedFisherScore(6, solver=solver).fit(X, y)
    assert bare.objective_ >= 0.99 * certified.objective_
    assert bare.upper_bound_ == 2.0  # the number of classes less one
    assert bare.n_passes_ <= certified.n_passes_


@pytest.mark.parametrize("n", [15, 200])  # sample space and features
def test_without_certificate_the_bound_still_holds(n):
    X, y = reference.random_problem(5, n=n, d=12, c=3)
    best = reference.best_subset(reference.standardize(X), y, 8, 20.0)
    bare = GeneralizedFisherScore(8, gamma=20.0, tol=None).fit(X, y)
    assert bare.objective_ <= best[0] * (1 + 1e-9) <= bare.upper_bound_ * (1 + 2e-9)
