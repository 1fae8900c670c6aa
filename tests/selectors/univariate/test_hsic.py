"""HSIC against dense kernel matrices, and the identities that tie it to the Fisher score."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from fisherset import FisherScore, HSICScore
from support import reference

KINDS = [np.asarray, sparse.csr_array, sparse.csc_array]


@pytest.fixture
def data():
    X, y = reference.random_problem(2, n=40, d=9, c=3)
    X[:, 4] = np.random.default_rng(0).poisson(0.5, 40)  # many samples with one value
    return X, y


def kernel_matrices(X, y, data_kernel, label_kernel, bandwidth):
    for f in X.T:
        s = f.std() if bandwidth == "scale" else bandwidth
        K = (
            np.outer(f, f)
            if data_kernel == "linear"
            else np.exp(-(np.subtract.outer(f, f) ** 2) / (2 * s**2))
        )
        yield K, np.equal.outer(y, y).astype(float) if label_kernel == "delta" else np.outer(y, y)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("label_kernel", ["delta", "linear"])
@pytest.mark.parametrize(("data_kernel", "bandwidth"), [("linear", "scale"), ("rbf", "scale"), ("rbf", 0.7)])
def test_against_the_formula(data, kind, data_kernel, label_kernel, bandwidth):
    X, y = data
    selector = HSICScore(3, data_kernel=data_kernel, label_kernel=label_kernel, bandwidth=bandwidth)
    selector.fit(kind(X), np.array(["a", "b", "c"])[y])
    expected = [reference.hsic(K, L) for K, L in kernel_matrices(X, y, data_kernel, label_kernel, bandwidth)]
    assert_allclose(selector.scores_, expected, rtol=1e-10)
    assert_array_equal(selector.get_support(indices=True), np.sort(np.argsort(expected)[::-1][:3]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("data_kernel", ["linear", "rbf"])
def test_weights_are_repeats(data, data_kernel, kind):
    X, y = data
    w = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = HSICScore(data_kernel=data_kernel).fit(kind(X), y, sample_weight=w)
    repeated = HSICScore(data_kernel=data_kernel).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert_allclose(weighted.scores_, repeated.scores_, rtol=1e-9)


def test_bounded_memory_gives_the_same(data, monkeypatch):
    from fisherset.statistics.univariate import pairs

    X, y = data
    whole = HSICScore(data_kernel="rbf").fit(X, y).scores_
    monkeypatch.setattr(pairs, "PAIRS_AT_A_TIME", 100)
    monkeypatch.setattr(pairs, "VALUES_AT_A_TIME", 80)
    assert_allclose(HSICScore(data_kernel="rbf").fit(X, y).scores_, whole, rtol=1e-12)


def test_balanced_delta_ranks_as_fisher():
    X, y = reference.random_problem(3, n=60, d=20, c=3)
    y = np.arange(60) % 3
    Z = reference.standardize(X)
    assert_array_equal(HSICScore().fit(Z, y).ranking_, FisherScore().fit(Z, y).ranking_)


@pytest.mark.parametrize("data_kernel", ["linear", "rbf"])
def test_two_classes_delta_is_linear(data_kernel):
    X, y = reference.random_problem(4, n=50, d=20, c=2)
    delta = HSICScore(data_kernel=data_kernel).fit(X, y)
    linear = HSICScore(data_kernel=data_kernel, label_kernel="linear").fit(X, y)
    assert_array_equal(delta.ranking_, linear.ranking_)
    assert_allclose(delta.scores_, 2 * linear.scores_, rtol=1e-10)


@pytest.mark.parametrize("data_kernel", ["linear", "rbf"])
def test_weights_of_any_sum(data, data_kernel):
    X, y = data
    plain = HSICScore(data_kernel=data_kernel).fit(X, y)
    for total in (1e-3, 1.0):
        with pytest.raises(ValueError, match=r"must sum to more than 1, .* Divide the weights by their mean"):
            HSICScore(data_kernel=data_kernel).fit(X, y, sample_weight=np.full(40, total / 40))
    scaled = HSICScore(data_kernel=data_kernel).fit(X, y, sample_weight=np.full(40, 2.0 / 40))
    assert_array_equal(scaled.ranking_, plain.ranking_)


def test_sums_that_cancel_are_nought():
    q = np.array([1.0, 0.0, 1.0])[np.arange(30) % 3]
    selector = HSICScore(1, label_kernel="linear").fit(np.c_[0.1 * q, 0.3 * q, 0.7 * q], np.arange(30) % 3)
    assert_array_equal(selector.scores_, 0.0)
    assert_array_equal(selector.ranking_, [1, 2, 3])


@pytest.mark.parametrize(("factor", "bandwidth"), [(1.0, 1e-310), (1e200, 1e-200), (1e-200, 1e200)])
def test_bandwidths_out_of_proportion(data, factor, bandwidth):
    X, y = data
    scores = HSICScore(data_kernel="rbf", bandwidth=bandwidth).fit(X * factor, y).scores_
    assert np.isfinite(scores).all()


def test_linear_takes_one_pass(data):
    assert HSICScore().fit(*data).n_passes_ == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"data_kernel": "poly"}, "data_kernel must be 'linear' or 'rbf'; got 'poly'"),
        ({"label_kernel": "rbf"}, "label_kernel must be 'delta' or 'linear'"),
        ({"bandwidth": 0.0}, "bandwidth must be a finite number greater than 0"),
        ({"bandwidth": "median"}, "bandwidth must be 'scale'"),
    ],
)
def test_parameters(data, parameters, message):
    with pytest.raises(ValueError, match=message):
        HSICScore(2, **parameters).fit(*data)
