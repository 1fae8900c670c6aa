"""The trace ratio against brute force over all subsets: always the optimum."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from fisherset import FisherScore, LaplacianScore, TraceRatio
from fisherset.selectors.univariate.trace_ratio import best_ratio
from support import reference

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
    X, y = reference.random_problem(seed, n=40, d=10 if seed % 2 else 17)
    S = reference.neighbour_graph(X, 5, "heat", None, y if supervised else None)
    edges, nodes = reference.laplacian_forms(X, S)
    ratio, features = reference.best_ratio(nodes, edges, 4)
    selector = TraceRatio(4, criterion="laplacian", supervised=supervised).fit(kind(X), y)
    assert selector.trace_ratio_ == pytest.approx(ratio, rel=1e-10)
    assert_array_equal(selector.get_support(indices=True), features)


def test_iteration_against_brute_force():
    """Also with terms up to fourteen orders of magnitude apart."""
    rng = np.random.default_rng(0)
    for trial in range(300):
        d = int(rng.integers(2, 12))
        m = int(rng.integers(1, d + 1))
        scale = 10 ** rng.uniform(-14 * (trial % 2), 0, d)
        a, b = scale * rng.exponential(size=d) ** 3, scale * rng.exponential(size=d) ** 3
        found = best_ratio(a, b, m)
        assert found.ratio == pytest.approx(reference.best_ratio(a, b, m)[0], rel=1e-12)
        assert a[found.chosen].sum() / b[found.chosen].sum() == pytest.approx(found.ratio, rel=1e-12)


def test_features_of_very_different_scale():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    for _ in range(20):
        X = (rng.standard_normal((60, 8)) + y[:, None] * rng.uniform(0, 3, 8)) * 10 ** rng.uniform(-7, 0, 8)
        ratio, features = reference.best_ratio(*reference.scatters(X, y), 3)
        selector = TraceRatio(3).fit(X, y)
        assert selector.trace_ratio_ == pytest.approx(ratio, rel=1e-9)
        assert_array_equal(selector.get_support(indices=True), features)


def test_several_large_features_do_not_drown_small_ones():
    y = np.array([0, 0, 0, 0, 0, 1])
    X = np.zeros((6, 5))
    X[4] = [1.0, 0.0, 1e-11, 1.0, 1.0]
    X[5, 1] = 1e-11
    ratio, features = reference.best_ratio(*reference.scatters(X, y), 2)
    selector = TraceRatio(2).fit(X, y)
    assert selector.trace_ratio_ == pytest.approx(ratio, rel=1e-9)
    assert_array_equal(selector.get_support(indices=True), features)


def test_scales_whose_squares_float64_cannot_hold_together():
    X, y = reference.random_problem(5, n=50, d=3, c=2)
    with pytest.raises(ValueError, match=r"within 140 decades.*column 1 holds.*Standardise"):
        TraceRatio(1).fit(X * [1.0, 1e-200, 1e60], y)


def test_nothing_between_the_classes():
    Z = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1.0]] * 5)
    selector = TraceRatio(1).fit(Z * [1e-100, 1.0], [0, 1, 1, 0] * 5)
    assert selector.trace_ratio_ == 0.0
    assert not np.isnan(selector.scores_).any()


def test_a_second_fit_forgets_the_first():
    X, y = reference.random_problem(5, n=50, d=6, c=2)
    selector = TraceRatio(2).fit(X, y)
    assert hasattr(selector, "classes_")
    assert not hasattr(selector.set_params(criterion="laplacian").fit(X), "classes_")


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


@pytest.mark.parametrize("b", [1.0, 0.0])
def test_of_terms_that_rounding_tells_apart_the_first_is_taken(b):
    """Also where the later one looks better; what differs by more than rounding is another term."""
    a, rounding = np.array([3.0, 7.0, 7.0, 0.5]), np.array([0.0, 0.0, 1e-15, 0.0])
    assert best_ratio(a * (1 + rounding), np.full(4, b), 1).chosen.tolist() == [1]
    assert best_ratio(a * (1 + 1e6 * rounding), np.full(4, b), 1).chosen.tolist() == [2]
