"""Numbers that break plain formulas: offsets, scales, duplicates, constants, few samples."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from fisherset import (
    FisherScore,
    GeneralizedFisherScore,
    HSICScore,
    LaplacianScore,
    TraceRatio,
    certify,
    fisher_criterion,
)
from support import reference
from support.all_selectors import selecting


@pytest.fixture(params=selecting(4))
def selector(request):
    return clone(request.param)


every_kind = pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csc_array])


@pytest.fixture
def data():
    X, y = reference.random_problem(11, n=60, d=12, c=3)
    return np.round(X * 256) / 256, y  # exact in binary: shifts lose nothing


@every_kind
def test_offsets(selector, kind, data):
    X, y = data
    plain = selector.fit(X, y).__dict__.copy()
    shifted = selector.fit(kind(X + 1e8 * (-1.0) ** np.arange(12)), y)
    assert_array_equal(shifted.support_, plain["support_"])
    if "objective_" in plain:
        assert shifted.objective_ == pytest.approx(plain["objective_"], rel=1e-8)


@every_kind
@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_scales(selector, kind, scale, data):
    X, y = data
    plain = selector.fit(X, y).__dict__.copy()
    scaled = selector.fit(kind(X * scale), y)
    assert_array_equal(scaled.support_, plain["support_"])
    if "linear" not in repr(selector) and not isinstance(selector, HSICScore | TraceRatio):
        assert_allclose(scaled.scores_, plain["scores_"], rtol=1e-6, atol=1e-9)


@every_kind
def test_mixed_scales(kind, data):
    """Scores that do not depend on the unit of a feature, with units 300 orders of magnitude apart."""
    X, y = data
    for selector in (
        FisherScore(4),
        GeneralizedFisherScore(4),
        GeneralizedFisherScore(4, solver="cutting-plane"),
        HSICScore(4, data_kernel="rbf"),
    ):
        plain = selector.fit(X, y).__dict__.copy()
        scaled = selector.fit(kind(X * 10.0 ** np.linspace(-150, 150, 12)), y)
        assert_array_equal(scaled.support_, plain["support_"])
        assert_allclose(scaled.scores_, plain["scores_"], rtol=1e-6, atol=1e-9)


@every_kind
def test_duplicated_columns_resolve_to_the_first(kind):
    X, y = reference.random_problem(5, n=80, d=6, c=3)
    plain = GeneralizedFisherScore(3, gamma=1.0).fit(X, y)
    tripled = GeneralizedFisherScore(3, gamma=1.0).fit(kind(np.hstack([X, X, X])), y)
    assert_array_equal(tripled.get_support(indices=True), plain.get_support(indices=True))
    assert tripled.objective_ == pytest.approx(plain.objective_, rel=1e-9)


@every_kind
def test_constant_columns_come_last(selector, kind, data):
    X, y = data
    X[:, [0, 3, 4]] = [0.0, 5.0, -1e300]
    selector.set_params(n_features_to_select=9)
    assert_array_equal(np.flatnonzero(~selector.fit(kind(X), y).support_), [0, 3, 4])
    selector.set_params(n_features_to_select=10)
    with pytest.warns(UserWarning, match="1 constant ones are among the selected"):
        assert_array_equal(np.flatnonzero(~selector.fit(kind(X), y).support_), [3, 4])


def test_nothing_but_constants(selector):
    with pytest.warns(UserWarning, match="features that vary, 0"):
        fitted = selector.fit(np.ones((10, 6)), np.arange(10) % 2)
    assert_array_equal(fitted.get_support(indices=True), [0, 1, 2, 3])
    if hasattr(fitted, "gap_"):
        assert (fitted.objective_, fitted.upper_bound_, fitted.gap_) == (0.0, 0.0, 0.0)


def test_features_without_any_class_difference(selector):
    """Zero scores everywhere: the first columns, and no warning or division by zero."""
    X = np.tile(np.random.default_rng(0).standard_normal((8, 6)), (2, 1))
    fitted = selector.fit(X, np.repeat([0, 1], 8))
    assert fitted.support_.sum() == 4
    graph = isinstance(selector, LaplacianScore) or getattr(selector, "criterion", None) == "laplacian"
    if not graph or selector.supervised:  # the others do not ask for the classes
        assert_array_equal(fitted.get_support(indices=True), [0, 1, 2, 3])


@pytest.mark.parametrize("solver", ["joint", "cutting-plane", "exact"])
@pytest.mark.parametrize(("n", "d"), [(8, 300), (6, 7), (400, 5), (9, 9)])
def test_shapes(solver, n, d):
    """D > n, n > d and two or three samples a class."""
    rng = np.random.default_rng(n)
    X, y = rng.standard_normal((n, d)), np.arange(n) % (n // 2 if n < 10 else 4)
    Z = reference.standardize(X)
    for k in (1, d // 2, d):
        selector = GeneralizedFisherScore(k, gamma=2.0, solver=solver).fit(X, y)
        assert selector.support_.sum() == k
        chosen = selector.get_support(indices=True)
        assert selector.objective_ == pytest.approx(reference.criterion(Z, y, chosen, 2.0), rel=1e-8)
        assert selector.objective_ <= selector.upper_bound_
    assert selector.gap_ == pytest.approx(0, abs=1e-3)  # all features: nothing to choose


def test_perfect_separators():
    """A feature constant inside each class: infinite Fisher score, finite criterion."""
    rng = np.random.default_rng(0)
    y = np.arange(30) % 3
    X = rng.standard_normal((30, 5))
    X[:, 2], X[:, 4] = y, -7.0 * y + 1e6
    fisher = FisherScore(2).fit(X, y)
    assert_array_equal(fisher.get_support(indices=True), [2, 4])
    assert np.isinf(fisher.scores_[[2, 4]]).all()
    assert GeneralizedFisherScore(2, gamma=1e-6).fit(X, y).objective_ < 2


@pytest.mark.parametrize("gamma", [1e-8, 1e-4, 1e12])
def test_extreme_gamma(gamma, data):
    X, y = data
    selector = GeneralizedFisherScore(4, gamma=gamma).fit(X, y)
    assert selector.gamma_ == gamma
    best, _ = reference.best_subset(reference.standardize(X), y, 4, gamma)
    assert selector.objective_ <= best * (1 + 1e-6)
    assert best <= selector.upper_bound_ * (1 + 1e-6)


@pytest.mark.parametrize("solver", ["joint", "cutting-plane", "exact"])
@pytest.mark.parametrize("gamma", [1e-12, 1e-8, 1e-6, 1e-4, 1e-2, 1.0])
def test_near_singular_systems(gamma, solver):
    """Duplicated and collinear columns: the exchange never goes down, F never passes c - 1."""
    rng = np.random.default_rng(0)
    y = np.arange(400) % 5
    X = rng.normal(size=(400, 20)) + rng.normal(size=(5, 20))[y] * 0.5
    X = np.hstack([X, X[:, :10] + X[:, 10:], X[:, :10]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the relaxation at tiny gamma
        selector = GeneralizedFisherScore(22, gamma=gamma, solver=solver, max_iter=50).fit(X, y)
        everything = fisher_criterion(X, y, np.arange(40), gamma=gamma)
    assert selector.gamma_ == gamma
    values = [i.objective for i in selector.trace_ if i.phase == "exchange"]
    assert values or solver != "joint" or gamma < 1e-6  # there any set is as good as all features
    assert np.all(np.diff(values) > -1e-7)
    if gamma >= 1e-6:
        assert 0 < selector.objective_ <= everything * (1 + 1e-6)
    assert selector.objective_ <= selector.upper_bound_ <= 4


@every_kind
def test_rows_without_weight_do_not_count(kind):
    """Not even as the zeros that keep a sparse column from being shifted."""
    rng = np.random.default_rng(0)
    y = np.arange(100) % 3
    X = np.round(rng.normal(size=(100, 3)) * 64) / 64 + 1e8
    X[99], w = 0.0, np.ones(100)
    w[99] = 0.0
    weighted = FisherScore(1).fit(kind(X), y, w)
    assert_allclose(weighted.scores_, FisherScore(1).fit(X[:99] - 1e8, y[:99]).scores_, rtol=1e-6)


def test_scores_far_apart_still_rank():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 50)
    selector = FisherScore(1).fit(y[:, None] + rng.normal(size=(100, 3)) * [1e-5, 1e-6, 1e-7], y)
    assert_array_equal(selector.ranking_, [3, 2, 1])


def test_differences_that_are_only_rounding_are_none():
    """Exclusive or: every class mean is the same, but for the last digit."""
    bits = np.array([[a, b] for a in (0, 1) for b in (0, 1)] * 10)
    X = np.hstack([bits, 1 - bits, bits]) * 0.7 + 0.3
    selector = GeneralizedFisherScore(2).fit(X, bits[:, 0] ^ bits[:, 1])
    assert selector.objective_ == 0.0
    assert_array_equal(selector.get_support(indices=True), [0, 1])


def test_many_classes():
    rng = np.random.default_rng(0)
    y = np.arange(300) % 60
    X = rng.standard_normal((300, 40)) + rng.standard_normal((60, 40))[y]
    selector = GeneralizedFisherScore(10).fit(X, y)
    assert selector.classes_.size == 60
    assert selector.objective_ == pytest.approx(fisher_criterion(X, y, selector.support_), rel=1e-9)


def test_bool_and_integer_tables():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.integers(0, 2, (60, 9)) | (y[:, None] & rng.integers(0, 2, (60, 9)))
    plain = GeneralizedFisherScore(3).fit(X.astype(float), y)
    for dtype in (bool, np.uint8, np.int8, np.int64, np.float16):
        other = GeneralizedFisherScore(3).fit(X.astype(dtype), y)
        assert_array_equal(other.support_, plain.support_)
        assert other.objective_ == pytest.approx(plain.objective_, rel=1e-10)


def test_weights_of_any_size(data):
    X, y = data
    plain = GeneralizedFisherScore(4, gamma=120.0).fit(X, y)
    for factor in (1e-9, 1e9):
        scaled = GeneralizedFisherScore(4, gamma=120 * factor)
        scaled.fit(X, y, sample_weight=np.full(60, factor))
        assert_array_equal(scaled.support_, plain.support_)
        assert scaled.objective_ == pytest.approx(plain.objective_, rel=1e-9)


def test_certificate_of_constant_features(data):
    X, y = data
    X[:, 0] = 1.0
    assert certify(X, y, [0]).objective == 0.0
    assert certify(X, y, [0], gamma=1e-13).objective == 0.0
    assert fisher_criterion(X, y, [0, 5]) == pytest.approx(fisher_criterion(X, y, [5]), rel=1e-12)
