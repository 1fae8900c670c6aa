"""The trace ratio against brute force over all subsets: always the optimum."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import reference
from fisherset import FisherScore, LaplacianScore, TraceRatio
from fisherset.solver import best_ratio

KINDS = [np.asarray, sparse.csr_array, sparse.csc_array]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(8))
def test_fisher_is_the_best_of_all_sets(seed, kind):
    X, y = reference.random_problem(seed)
    X = X * np.random.default_rng(seed).uniform(0.1, 10, X.shape[1])
    m = 1 + seed % (X.shape[1] - 1)
    between, within = reference.scatters(X, y)
    ratio, features = reference.best_ratio(between, within, m)
    selector = TraceRatio(m).fit(kind(X), y)
    assert selector.trace_ratio_ == pytest.approx(ratio, rel=1e-10)
    assert_array_equal(selector.get_support(indices=True), features)
    assert_allclose(selector.scores_, between - ratio * within, rtol=1e-8, atol=1e-8 * between.max())
    assert selector.n_iter_ >= 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("supervised", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_laplacian_is_the_best_of_all_sets(seed, supervised, kind):
    X, y = reference.random_problem(seed, n=40, d=10)
    S = reference.neighbour_graph(X, 5, "heat", None, y if supervised else None)
    edges, nodes = reference.laplacian_forms(X, S)
    ratio, features = reference.best_ratio(nodes, edges, 4)
    selector = TraceRatio(4, criterion="laplacian", supervised=supervised).fit(kind(X), y)
    assert selector.trace_ratio_ == pytest.approx(ratio, rel=1e-10)
    assert_array_equal(selector.get_support(indices=True), features)


def test_iteration_against_brute_force():
    rng = np.random.default_rng(0)
    for _ in range(200):
        d = int(rng.integers(2, 12))
        m = int(rng.integers(1, d + 1))
        a, b = rng.exponential(size=d) ** 3, rng.exponential(size=d) ** 3
        assert best_ratio(a, b, m).ratio == pytest.approx(reference.best_ratio(a, b, m)[0], rel=1e-12)


def test_standardised_data_selects_as_the_fisher_score():
    for seed in range(10):
        X, y = reference.random_problem(seed, n=50, d=20, c=4)
        Z = reference.standardize(X)
        assert_array_equal(TraceRatio(7).fit(Z, y).support_, FisherScore(7).fit(Z, y).support_)


def test_one_feature_is_the_best_score():
    X, y = reference.random_problem(5, n=50, d=20, c=4)
    assert TraceRatio(1).fit(X, y).trace_ratio_ == pytest.approx(
        FisherScore().fit(X, y).scores_.max(), rel=1e-10
    )
    laplacian = TraceRatio(1, criterion="laplacian").fit(X)
    assert laplacian.trace_ratio_ == pytest.approx(-1 / LaplacianScore().fit(X).scores_.max(), rel=1e-10)


def test_perfect_separators():
    rng = np.random.default_rng(0)
    y = np.arange(30) % 3
    X = rng.standard_normal((30, 5))
    X[:, 1], X[:, 3] = y, -2.0 * y
    for m, ratio in ((1, np.inf), (2, np.inf)):
        selector = TraceRatio(m).fit(X, y)
        assert selector.trace_ratio_ == ratio
        assert set(selector.get_support(indices=True)) <= {1, 3}
    selector = TraceRatio(3).fit(X, y)
    assert np.isfinite(selector.trace_ratio_)
    assert {1, 3} <= set(selector.get_support(indices=True))


def test_parameters():
    X, y = reference.random_problem(5, n=50, d=6, c=2)
    with pytest.raises(ValueError, match="criterion must be 'fisher' or 'laplacian'; got 'gini'"):
        TraceRatio(2, criterion="gini").fit(X, y)
