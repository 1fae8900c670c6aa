"""Paths over sizes and gammas, against single fits."""

import numpy as np
import pytest

from fisherset import GeneralizedFisherScore, fisher_criterion
from fisherset.selectors.path import selection_paths

KS, GAMMAS = (1, 3, 6, 10), (5.0, 200.0)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 4
    X = rng.normal(size=(120, 12))
    X[:, :5] += rng.normal(size=(4, 5))[y]
    X[:, 7] = X[:, 1] - X[:, 2] + 0.2 * X[:, 7]
    X[:, 9] = 3.0  # constant
    return X, y


@pytest.mark.parametrize("solver", ["joint", "cutting-plane"])
def test_every_step_is_as_good_as_a_single_fit(table, solver):
    X, y = table
    for gamma, path in zip(GAMMAS, selection_paths(X, y, KS, GAMMAS, solver=solver), strict=True):
        assert [step.k for step in path] == list(KS)
        for step in path:
            single = GeneralizedFisherScore(step.k, gamma=gamma, solver=solver).fit(X, y)
            assert step.features.size == step.k
            assert step.objective == pytest.approx(fisher_criterion(X, y, step.features, gamma=gamma))
            assert step.objective == pytest.approx(single.objective_, rel=1e-6)
            # both bounds hold, and are as tight as tol asks
            assert step.objective <= step.upper_bound * (1 + 1e-12)
            assert step.upper_bound == pytest.approx(single.upper_bound_, rel=2e-3)


def test_uncertified_bounds_hold_too(table):
    X, y = table
    (path,) = selection_paths(X, y, KS, [5.0], solver="cutting-plane", certified=False)
    (tight,) = selection_paths(X, y, KS, [5.0], solver="cutting-plane")
    for loose, step in zip(path, tight, strict=True):
        np.testing.assert_array_equal(loose.features, step.features)
        assert loose.upper_bound >= step.upper_bound
        assert 0 <= step.gap <= loose.gap <= 1


def test_sizes_are_put_in_order_and_checked(table):
    X, y = table
    (path,) = selection_paths(X, y, (6, 1, 6), ["scale"])
    assert [step.k for step in path] == [1, 6]
    with pytest.raises(ValueError, match="at most the number of features"):
        next(selection_paths(X, y, (13,), [1.0]))
    with pytest.raises(ValueError, match="solver must be"):
        next(selection_paths(X, y, (1,), [1.0], solver="greedy"))


def test_constants_fill_up_what_lacks(table):
    X, y = table
    (path,) = selection_paths(X, y, (11, 12), [1.0])
    assert 9 not in path[0].features
    assert path[1].features.tolist() == list(range(12))
