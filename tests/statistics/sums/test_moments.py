"""Moments: exact sums, additive over blocks and folds, safe where raw sums are not."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from fisherset.data import CountedRows, MemoryRows
from fisherset.statistics import Classes, Scatter, sum_moments

KINDS = [np.asarray, sparse.csr_array, sparse.csc_array]


def measured(X, y, weights=None, **kwargs):
    return sum_moments(MemoryRows(X, y, weights, **kwargs), Classes(y.max() + 1))


def scatter_of(X, y):
    return Scatter(measured(X, y), Classes(y.max() + 1))


def labelled(seed=0, n=60, d=7, c=3):
    rng = np.random.default_rng(seed)
    return rng.poisson(0.7, (n, d)) * rng.uniform(0.5, 2, (n, d)), np.arange(n) % c


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_against_plain_sums(kind, weighted):
    X, y = labelled()
    w = np.random.default_rng(1).uniform(0, 2, 60) if weighted else np.ones(60)
    moments = measured(kind(X), y, w if weighted else None, block_bytes=500)
    assert moments.guard.idle
    assert_allclose(moments.TX, [(w[y == k, None] * X[y == k]).sum(axis=0) for k in range(3)])
    assert_allclose(moments.squares, w @ X**2)
    assert_allclose(moments.NT[0], np.bincount(y, w))


def test_folds_subtract_and_merge():
    X, y = labelled()
    X[:, 2] += 1e6  # so that the guards of the parts differ from that of the whole
    X[30:, 2] += 17
    whole, first, second = (measured(X[rows], y[rows]) for rows in (slice(None), slice(30), slice(30, None)))
    for found, wanted in ((whole - first, second), (first + second, whole)):
        wanted = wanted.through(found.guard)
        assert_allclose(found.TX, wanted.TX, rtol=1e-9, atol=1e-6)
        assert_allclose(Scatter(found, Classes(3)).total, Scatter(wanted, Classes(3)).total, rtol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("offset", [0.0, 1e8, -3e12])
def test_scatter_survives_offsets(kind, offset):
    rng = np.random.default_rng(0)
    X, y = rng.integers(1, 100, (200, 5)) / 16.0, np.arange(200) % 4  # exact in binary at any of the offsets
    X[:7] = X[0]  # first rows that all look constant
    plain = scatter_of(X, y)
    shifted = scatter_of(kind(X + offset), y)
    assert_allclose(shifted.total, plain.total, rtol=1e-10)
    assert_allclose(shifted.between, plain.between, rtol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [1e-150, 1e150, 1e-300, 1e307])
def test_scatter_survives_scales(kind, scale):
    X, y = labelled()
    X /= X.max()
    X[:10, 3] = 0.0  # nothing to see in the first rows
    plain = scatter_of(X, y)
    scaled = scatter_of(kind(X * scale), y)
    assert_allclose(scaled.between / scaled.total, plain.between / plain.total, rtol=1e-9)
    assert not scaled.constant.any()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("block_bytes", [2**20, 200])
@pytest.mark.parametrize("weight", [1.0, 1e-90])
@pytest.mark.parametrize("scale", [5e-324, 1e-299, 1e-160, 1e-150, 1.0, 1e160, 1e299])
def test_a_few_values_late_in_a_column_whose_sums_cancel(kind, block_bytes, weight, scale):
    y, X = np.arange(40) % 2, np.zeros((40, 3))
    X[20, 0], X[30, 0] = scale, -scale
    X[31, 1] = scale
    weights = np.full(40, weight)
    weights[39], X[39, 2] = 0.0, scale  # what has no weight is not there
    source = MemoryRows(kind(X), y, weights, block_bytes=block_bytes)
    scatter = Scatter(sum_moments(source, Classes(2)), Classes(2))
    assert_array_equal(scatter.constant, [False, False, True])
    spread = np.sqrt(scatter.total[:2] / scatter.n)
    expected = np.sqrt([2 / 39, 1 / 39 - 1 / 39**2]) * (scale / scatter.guard.unit[:2])
    assert_allclose(spread, expected, rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_needless_offsets_are_given_up(kind):
    """A column that only starts like a constant far from zero ends up unshifted: blocks need no copy."""
    X, y = labelled(n=300)
    X[:, 3] = np.r_[np.ones(9), np.arange(291) % 2 + 0.5]
    X[:, 5] = 0.1  # nor does a constant column, such as an intercept, need one
    moments = measured(kind(X), y)
    assert moments.guard.idle
    assert_array_equal(np.flatnonzero(Scatter(moments, Classes(3)).constant), [5])
    X[:, 5] = 0.0
    assert_allclose(Scatter(moments, Classes(3)).total, X.var(axis=0) * 300, rtol=1e-12)


def test_first_rows_that_mislead_cost_a_second_pass():
    X, y = labelled(n=300)
    X[:, 0] = np.round(X[:, 0] * 64) / 64 + 3e5
    X[:9, 0] += np.arange(9) * 2e3  # spread enough to seem to need no offset
    source = CountedRows(MemoryRows(X, y))
    scatter = Scatter(sum_moments(source, Classes(3)), Classes(3))
    assert source.n_passes == 2
    assert_allclose(scatter.total[0], X[:, 0].var() * 300, rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [0.0, 0.1, -7e11, 1e-200])
def test_constant_columns_are_found_exactly(kind, value):
    X, y = labelled()
    X[:, 4] = value
    scatter = scatter_of(kind(X), y)
    assert_array_equal(np.flatnonzero(scatter.constant), [4])


def test_rounding_noise_is_constant():
    X, y = labelled()
    X[:, 1] = np.where(np.arange(60) % 5 == 0, 0.1 + 0.2, 0.3)
    assert scatter_of(X, y).constant[1]


def test_non_finite_columns_are_known():
    X, y = labelled()
    X[5, 2], X[40, 3] = np.nan, np.inf
    assert_array_equal(np.flatnonzero(~measured(X, y, block_bytes=500).finite), [2, 3])
