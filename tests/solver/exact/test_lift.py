"""Matrices in place of G: no larger on any set of the domain, and definite where G is not."""

from itertools import combinations

import numpy as np
import pytest

from fisherset import JointRegressionScore
from fisherset.solver import Domain, Units
from fisherset.solver.diagonal import find_diagonal
from fisherset.solver.exact.candidates import Candidates
from fisherset.solver.exact.lift import lift
from support import reference

NONE = np.arange(0)


def candidates_of(X, y, m=3):
    problem = reference.ArrayProblem(reference.standardize(X), reference.indicator(y))
    units = Units(None, X.shape[1])
    return Candidates(problem, Domain(units, m), np.arange(units.size))


@pytest.mark.parametrize("most", [2, 3])
@pytest.mark.parametrize("required", [NONE, np.array([3, 7])], ids=["none required", "two required"])
@pytest.mark.parametrize("n", [40, 13, 12])
def test_no_larger_on_any_set(n, required, most):
    """Also next to near-duplicates, with columns of all sizes."""
    found = 0
    for seed in range(10):
        X, y = reference.random_problem(seed, n=n, d=13, c=3)
        X[:, 12] = X[:, 11] + (0.3 if seed % 2 else 1e-3) * X[:, 12]
        candidates = candidates_of(X, y)
        sizes = 10.0 ** np.random.default_rng(seed).uniform(-3, 3, 13)
        candidates = candidates.with_gram(candidates.G * sizes * sizes[:, None])
        free = np.setdiff1d(np.arange(13), required)
        other = lift(candidates, 0.01 * n, required, free, free[:most], most)
        if other is None:
            continue
        found += 1
        less = candidates.G - other.G
        np.testing.assert_allclose(less, less.T, atol=1e-12 * np.outer(sizes, sizes).max())
        assert np.count_nonzero(less[required]) == 0
        less = less / sizes / sizes[:, None] / n
        for some in combinations(free.tolist(), most):
            assert np.linalg.eigvalsh(less[np.ix_(some, some)])[0] > -1e-13
    assert found >= 2


@pytest.mark.parametrize("d", [100, 130])
def test_a_diagonal_where_columns_are_as_many_as_rows(d):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((100, d)), np.arange(100) % 2
    candidates, every = candidates_of(X, y), np.arange(d)
    gamma, slopes = 0.01, lambda delta: np.ones(d)
    assert find_diagonal(candidates, gamma, NONE, every, 0.0 * every, slopes).mean() < gamma
    other = lift(candidates, gamma, NONE, every, every[:3], 3)
    delta = find_diagonal(other, gamma, NONE, every, 0.0 * every, slopes)
    assert delta.min() > 0
    assert delta.mean() > 10 * gamma
    assert np.linalg.eigvalsh(other.G - np.diag(delta))[0] > 0


def test_none_for_copies_or_for_sets_of_most_columns():
    X, y = reference.random_problem(0, n=40, d=12, c=3)
    candidates, every = candidates_of(X, y), np.arange(12)
    assert lift(candidates, 1.0, NONE, every, every[:7], 7) is None
    assert lift(candidates, 1.0, NONE, every, every[:1], 1) is None
    X[:, 1] = X[:, 0]
    assert lift(candidates_of(X, y), 1.0, NONE, every, every[:3], 3) is None
    assert lift(candidates_of(X, y), 1.0, NONE, every, every[5:8], 3) is None


def test_proof_with_columns_as_many_as_rows(monkeypatch):
    """A small ridge: the relaxation with G explains nearly everything, whatever the set."""
    rng = np.random.default_rng(0)
    X, true = rng.standard_normal((150, 150)), [0, 30, 60, 90, 120, 149]
    y = X[:, true].sum(axis=1) + rng.standard_normal(150)
    search = JointRegressionScore(6, solver="exact", gamma=0.015, tol=1e-4, max_nodes=20)
    found = search.fit(X, y)
    np.testing.assert_array_equal(np.flatnonzero(found.support_), true)
    assert found.gap_ <= 1e-4
    monkeypatch.setattr("fisherset.solver.exact.search.lift", lambda *_: None)
    with pytest.warns(UserWarning, match="max_nodes"):
        assert search.fit(X, y).gap_ > 0.05
