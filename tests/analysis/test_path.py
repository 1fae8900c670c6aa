"""Paths over sizes and gammas, against single fits."""

import numpy as np
import pandas as pd
import pytest

from fisherset import GeneralizedFisherScore, fisher_criterion, selection_path

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


@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize("solver", ["joint", "cutting-plane"])
def test_every_step_is_as_good_as_a_single_fit(table, solver, gamma):
    X, y = table
    path = selection_path(X, y, KS, gamma=gamma, solver=solver)
    assert [step.k for step in path] == list(KS)
    assert path.gamma == gamma
    for step in path:
        single = GeneralizedFisherScore(step.k, gamma=gamma, solver=solver).fit(X, y)
        assert step.features.size == step.k
        assert step.objective == pytest.approx(fisher_criterion(X, y, step.features, gamma=gamma))
        assert step.objective == pytest.approx(single.objective_, rel=1e-6)
        # both bounds hold, and are as tight as tol asks
        assert step.objective <= step.upper_bound * (1 + 1e-12)
        assert step.upper_bound == pytest.approx(single.upper_bound_, rel=2e-3)
        assert step.gap == pytest.approx((step.upper_bound - step.objective) / step.upper_bound)


def test_scale_is_that_of_the_largest_size(table):
    X, y = table
    path = selection_path(X, y, (6, 1, 6))
    assert [step.k for step in path] == [1, 6]
    assert len(path) == 2
    assert path[1].k == 6
    assert path.gamma == GeneralizedFisherScore(6).fit(X, y).gamma_


def test_larger_sets_are_never_worse(table):
    X, y = table
    path = selection_path(X, y, range(1, 12), gamma=20.0)
    assert np.all(np.diff([step.objective for step in path]) > -1e-12)


@pytest.mark.parametrize(
    ("ks", "error", "message"),
    [
        ((13,), ValueError, "at most the number of features"),
        ((0,), ValueError, "at least 1"),
        ((), ValueError, "at least one number"),
        (5, TypeError, "ks must be a sequence"),
        ("10", TypeError, "ks must be a sequence"),
        (["x"], TypeError, "must be an int"),
    ],
)
def test_bad_sizes(table, ks, error, message):
    with pytest.raises(error, match=message):
        selection_path(*table, ks)


@pytest.mark.parametrize(
    "bad", [{"solver": "greedy"}, {"gamma": -1.0}, {"gamma": "auto"}, {"tol": 0}, {"max_iter": 0}]
)
def test_bad_parameters(table, bad):
    with pytest.raises(ValueError, match="must be"):
        selection_path(*table, (2,), **bad)


def test_constants_fill_up_what_lacks(table):
    path = selection_path(*table, (11, 12), gamma=1.0)
    assert 9 not in path[0].features
    assert path[1].features.tolist() == list(range(12))


def test_names_and_weights(table):
    X, y = table
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(12)])
    path = selection_path(frame, y, (3,), gamma=50.0, sample_weight=np.full(120, 2.0))
    assert path.feature_names[path[0].features].tolist() == [f"f{j}" for j in path[0].features]
    twice = selection_path(np.vstack([X, X]), np.tile(y, 2), (3,), gamma=50.0)
    np.testing.assert_array_equal(path[0].features, twice[0].features)
