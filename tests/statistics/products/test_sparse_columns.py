"""Columns taken out of sparse rows give what the rows give, in whatever order they are asked for."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from fisherset import GeneralizedFisherScore, JointRegressionScore
from fisherset.data import CountedRows, MemoryRows, memory
from fisherset.solver.trace import DEFAULT_LOOSE_TOL
from fisherset.statistics.products.products import RowProducts
from fisherset.statistics.products.sparse_columns import EXTRACTED_AHEAD, SparseColumnProducts
from fisherset.statistics.sums.coding import Classes
from fisherset.statistics.sums.moments import sum_moments


def made(n=120, d=90, density=0.2, seed=0):
    """Sparse columns, some of which tell three classes apart; a few far from nought, and one constant."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = rng.uniform(0.5, 2, (n, d)) * (rng.random((n, d)) < density)
    X[:, :12] += (rng.random((n, 12)) < 0.3) * (y[:, None] == np.arange(12) % 3)
    X[:, 20:23] = 1e6 + rng.standard_normal((n, 3))  # a guard shifts these
    X[:, 30] = 0.0
    return X, y


def products_of(X, y, weight=None, confounders=None):
    source = CountedRows(MemoryRows(sparse.csr_array(X), y, weight, confounders))
    guard = sum_moments(source, Classes(3)).guard
    return SparseColumnProducts(source, guard), RowProducts(source, guard)


def take_all(count, kept):
    return np.flatnonzero(~kept)[:count]


@pytest.mark.parametrize("foresee", [None, take_all])
@pytest.mark.parametrize("beside", [False, True])
def test_whatever_is_asked_is_what_the_rows_give(beside, foresee):
    X, y = made()
    rng = np.random.default_rng(1)
    weight, confounders = (
        (rng.uniform(0.5, 2, 120), rng.standard_normal((120, 2))) if beside else (None, None)
    )
    narrow, plain = products_of(X, y, weight, confounders)
    narrow.forecast = foresee
    for size in (3, 7, 1, 20, 5):
        columns, rows = rng.permutation(90)[:size], rng.permutation(90)[: 2 * size]
        W = rng.standard_normal((size, 2))
        shift = rng.standard_normal((3 if beside else 1, 2))
        assert_allclose(narrow.cross(columns, rows), plain.cross(columns, rows), rtol=1e-12, atol=1e-9)
        assert_allclose(narrow.cross(columns, columns), plain.cross(columns, columns), rtol=1e-12, atol=1e-9)
        assert_allclose(narrow.cross(columns, None), plain.cross(columns, None), rtol=1e-12, atol=1e-9)
        for some in (None, rows):
            expected = plain.combined(columns, W, shift, some)
            assert_allclose(narrow.combined(columns, W, shift, some), expected, rtol=1e-10, atol=1e-8)
        groups = rng.permutation(90)[:8].reshape(4, 2)
        assert_allclose(narrow.blocks(groups), plain.blocks(groups), rtol=1e-12, atol=1e-9)
        ours, theirs = narrow.take(columns), plain.take(columns)
        assert_allclose(ours.X.toarray(), theirs.X.toarray())
        assert_array_equal(ours.y, theirs.y)
    assert narrow.take(np.arange(0)).X.shape == (120, 0)


def test_rows_that_are_many_are_not_taken_out():
    X, y = made(d=3 * EXTRACTED_AHEAD)
    narrow, plain = products_of(X, y)
    columns, rows = np.arange(4), np.arange(0, 3 * EXTRACTED_AHEAD, 2)
    asked = columns, np.ones((4, 2)), np.zeros((1, 2)), rows
    assert_allclose(narrow.combined(*asked), plain.combined(*asked), rtol=1e-10, atol=1e-8)
    assert np.count_nonzero(narrow._place >= 0) == 4


def test_what_was_foreseen_costs_no_other_pass():
    X, y = made()
    narrow, _ = products_of(X, y)
    narrow.forecast = take_all
    narrow.cross(np.array([5, 80]), np.array([5, 80]))
    passes = narrow.source.n_passes
    narrow.cross(np.arange(90), np.arange(90))
    narrow.take(np.array([33, 2]))
    assert narrow.source.n_passes == passes


@pytest.fixture
def thin(monkeypatch):
    monkeypatch.setattr(memory, "COLUMN_COPY_SHARE", 1.0)  # whatever is stored by rows


OPTIONS = {
    "plain": {},
    "groups": {"groups": np.arange(90) // 3},
    "kept": {"keep": [40, 2], "exclude": [0, 1, 2][:2]},
    "adjusted": {"adjust_for": [3, 4]},
    "no certificate": {"tol": None},
    "exact": {"solver": "exact", "n_features_to_select": 4},
    "cutting plane": {"solver": "cutting-plane"},
    "not scaled": {"standardize": False, "exclude": [20, 21, 22]},
    "small gamma": {"gamma": 1.0},
}


@pytest.mark.usefixtures("thin")
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_a_selection_is_that_of_the_filled_in_table(options):
    X, y = made()
    options = {"n_features_to_select": 8} | options
    found, expected = (GeneralizedFisherScore(**options).fit(table, y) for table in (sparse.csr_array(X), X))
    assert_array_equal(found.support_, expected.support_)
    assert found.objective_ == pytest.approx(expected.objective_, rel=1e-9)
    # a loose bound is computed to a share of what it leaves open, so that the last digits decide the rest
    accuracy = max(2e-3, DEFAULT_LOOSE_TOL * expected.gap_)
    assert found.upper_bound_ == pytest.approx(expected.upper_bound_, rel=accuracy)


@pytest.mark.usefixtures("thin")
def test_weights_gaps_and_other_targets_too():
    X, y = made()
    rng = np.random.default_rng(2)
    weight, Z = rng.integers(0, 3, 120).astype(float), rng.standard_normal((120, 1))
    gaps = X.copy()
    gaps[rng.random(X.shape) < 0.05] = np.nan
    labels = np.eye(3, dtype=int)[y] | (rng.random((120, 3)) < 0.2)
    for make, table, target, beside in (
        (GeneralizedFisherScore, X, y, {"sample_weight": weight, "confounders": Z}),
        (lambda k: GeneralizedFisherScore(k, missing="mean"), gaps, y, {}),
        (GeneralizedFisherScore, X, labels, {}),
        (JointRegressionScore, X, X[:, :3].sum(axis=1) + rng.standard_normal(120), {}),
    ):
        found, expected = (
            make(6).fit(kind(table), target, **beside) for kind in (sparse.csr_array, np.asarray)
        )
        assert_array_equal(found.support_, expected.support_)
        assert found.objective_ == pytest.approx(expected.objective_, rel=1e-9)


def test_a_table_that_is_hardly_sparse_is_turned():
    X, _ = made(density=0.5)
    table = sparse.csr_array(X)
    assert MemoryRows(table, copied=2**20).X.format == "csc"
    thin = sparse.csr_array(np.where(np.arange(90 * 120).reshape(120, 90) % 97, 0.0, 1.0))
    assert MemoryRows(thin, copied=2**20).X.format == "csr"
