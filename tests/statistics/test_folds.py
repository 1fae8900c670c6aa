"""A table without a fold, by subtraction, against the rows that are left."""

import numpy as np
import pytest
from scipy import sparse

from fisherset.data import MemoryRows
from fisherset.statistics import (
    Classes,
    ComplementProducts,
    FoldedTable,
    RowProducts,
    Scatter,
    TableProblem,
    sum_moments,
)


def folded(X, codes, standardize=True):
    source, coding = MemoryRows(X, codes), Classes(int(codes.max()) + 1)
    return FoldedTable(source, coding, sum_moments(source, coding), standardize=standardize)


def of_rows(X, codes, rest, standardize=True):
    source, coding = MemoryRows(X[rest], codes[rest]), Classes(int(codes.max()) + 1)
    scatter = Scatter(sum_moments(source, coding), coding)
    return TableProblem(RowProducts(source, scatter.guard), scatter, coding, standardize=standardize)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 60)
    X = rng.normal(size=(60, 8)) * np.exp(rng.normal(size=8)) + 100 * rng.normal(size=8)
    X[:, 5] = 4.0
    X[:, 6] = np.where(np.arange(60) < 12, X[:, 6], 0.0)  # nothing but noughts outside the fold
    return X, codes, np.arange(12), np.arange(12, 60)


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
def test_subtraction_gives_the_statistics_of_the_rest(table, storage, standardize):
    X, codes, fold, rest = table
    X[:, 6] = np.round(X[:, 6])  # whole numbers subtract exactly
    found = folded(storage(X), codes, standardize).without(fold, rest)
    expected = of_rows(storage(X), codes, rest, standardize)
    assert isinstance(found.products, ComplementProducts)
    np.testing.assert_array_equal(found.columns, expected.columns)
    assert 6 not in found.columns
    np.testing.assert_allclose(found.C, expected.C, rtol=1e-9, atol=1e-9 * np.abs(expected.C).max())
    everything = np.arange(found.columns.size)
    np.testing.assert_allclose(found.gram(everything), expected.gram(everything), rtol=1e-9, atol=1e-8)
    W = np.random.default_rng(1).normal(size=(2, 3))
    pair = np.array([4, 1])
    fresh = folded(storage(X), codes, standardize).without(fold, rest)  # no columns cached: a pass
    for problem in (found, fresh):
        np.testing.assert_allclose(problem.product(pair, W), expected.product(pair, W), rtol=1e-9, atol=1e-7)


def test_what_is_nearly_all_in_the_fold_is_measured_from_the_rows(table):
    X, codes, fold, rest = table
    X[:12, 6] = 1e9 * np.random.default_rng(2).normal(size=12)
    X[12:, 6] = np.random.default_rng(3).normal(size=48)
    found = folded(X, codes).without(fold, rest)
    assert not isinstance(found.products, ComplementProducts)
    np.testing.assert_allclose(found.C, of_rows(X, codes, rest).C)


def test_class_that_is_only_in_the_fold():
    rng = np.random.default_rng(4)
    X, codes = rng.normal(size=(30, 4)), np.array([2] * 5 + [0, 1] * 12 + [0])
    found = folded(X, codes).without(np.arange(5), np.arange(5, 30))
    assert found.C.shape[1] == 1  # two classes are left
    np.testing.assert_allclose(np.abs(found.C), np.abs(of_rows(X, codes, np.arange(5, 30)).C), rtol=1e-9)


def test_columns_of_the_whole_are_read_once(table):
    X, codes, fold, rest = table
    whole = folded(X, codes)
    whole.without(fold, rest).gram(np.array([0, 1]))
    passes = whole.source.n_passes
    whole.without(np.arange(12, 24), np.setdiff1d(np.arange(60), np.arange(12, 24))).gram(np.array([1, 0]))
    assert whole.source.n_passes == passes


def test_the_whole_shares_its_products_with_the_folds(table):
    X, codes, fold, rest = table
    shared = folded(X, codes)
    columns = np.array([3, 0, 2])
    shared.without(fold, rest).gram(columns)
    before = shared.source.n_passes
    found = shared.whole().gram(columns)
    assert shared.source.n_passes == before
    expected = of_rows(X, codes, np.arange(60)).gram(columns)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-8)
