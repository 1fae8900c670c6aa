"""Missing values that count as the mean: as if the table had been filled in before."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from fisherset import GeneralizedFisherScore, JointRegressionScore
from support import reference

STORES = [np.asarray, np.asfortranarray, lambda X: X.astype(np.float32), sparse.csr_array, sparse.csc_array]


def holed(seed, n=80, d=10):
    X, y = reference.random_problem(seed, n=n, d=d, c=3)
    X[X < -0.5] = 0.0
    X = X.astype(np.float32).astype(np.float64)
    gaps = np.random.default_rng(seed).random((n, d)) < np.linspace(0, 0.6, d)
    return np.where(gaps, np.nan, X), y, gaps


def filled(X, w):
    gaps = np.isnan(X)
    means = np.sum(np.where(gaps, 0, X) * w[:, None], axis=0) / np.sum(~gaps * w[:, None], axis=0)
    return np.where(gaps, means, X)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("offset", [0.0, 1e5])
def test_as_filling_in_before(seed, store, weighted, offset):
    X, y, gaps = holed(seed)
    X = (X + offset).astype(np.float32).astype(np.float64)
    w = np.random.default_rng(seed).uniform(0.2, 2, 80) if weighted else np.ones(80)
    before = X.copy()
    found = GeneralizedFisherScore(4, missing="mean").fit(store(X), y, sample_weight=w)
    plain = GeneralizedFisherScore(4).fit(filled(X, w), y, sample_weight=w)
    assert_array_equal(X, before)
    assert_allclose(found.objective_, plain.objective_, rtol=1e-8)
    assert_array_equal(found.support_, plain.support_)
    assert_array_equal(found.n_missing_, gaps.sum(axis=0))


def test_more_columns_than_rows_and_numbers():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 80)), rng.normal(size=30)
    X[rng.random(X.shape) < 0.2] = np.nan
    found = JointRegressionScore(40, missing="mean").fit(X, y)
    plain = JointRegressionScore(40).fit(filled(X, np.ones(30)), y)
    assert_allclose(found.objective_, plain.objective_, rtol=1e-8)
    assert_array_equal(found.support_, plain.support_)


def test_nothing_missing_changes_nothing_and_nothing_there_is_constant():
    X, y, _ = holed(1)
    X = np.nan_to_num(X)
    found, plain = GeneralizedFisherScore(4, missing="mean").fit(X, y), GeneralizedFisherScore(4).fit(X, y)
    assert found.objective_ == plain.objective_
    assert not found.n_missing_.any()
    assert not hasattr(found.set_params(missing="error").fit(X, y), "n_missing_")
    X[:, 3] = np.nan
    found = GeneralizedFisherScore(4, missing="mean").fit(X, y)
    assert not found.support_[3]
    assert found.n_missing_[3] == 80


def test_infinity_is_refused_all_the_same():
    X, y, _ = holed(2)
    X[0, 0] = np.inf
    with pytest.raises(ValueError, match="column 0 holds"):
        GeneralizedFisherScore(4, missing="mean").fit(X, y)
    with pytest.raises(ValueError, match="NaN or infinity"):
        GeneralizedFisherScore(4).fit(X, y)
    with pytest.raises(ValueError, match="missing must be"):
        GeneralizedFisherScore(4, missing="median").fit(X, y)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("level", [0.0, 1e6, 1e12, -3e14])
def test_they_add_nothing_however_far_the_column_is_from_nought(level, weighted, store):
    """The mean of such a column is no float64; what counts is its distance from the values."""
    rng = np.random.default_rng(2)
    y = np.arange(64) % 2
    values = rng.integers(0, 9, (64, 3)).astype(float) + y[:, None]
    holes = rng.random(values.shape) < 0.3
    near = np.where(holes, np.nan, values)
    far = np.where(holes, np.nan, values + level)
    weights = rng.random(64) * (rng.random(64) < 0.9) if weighted else None
    selector = GeneralizedFisherScore(2, gamma=5.0, missing="mean")
    plain = selector.fit(near, y, sample_weight=weights).objective_
    assert selector.fit(store(far), y, sample_weight=weights).objective_ == pytest.approx(plain, rel=1e-11)


@pytest.mark.parametrize("kind", ["pandas", "pandas of Arrow", "polars", "pyarrow"])
def test_nulls_among_integers_leave_the_other_values(kind):
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    y = np.arange(60) % 3
    whole = [None if i % 11 == 0 else int(i % 7 + label) for i, label in enumerate(y)]
    other = np.random.default_rng(0).normal(size=60)
    X = {
        "pandas": lambda: pd.DataFrame({"a": pd.array(whole, dtype="Int64"), "b": other}),
        "pandas of Arrow": lambda: pd.DataFrame({"a": pd.array(whole, dtype="int64[pyarrow]"), "b": other}),
        "polars": lambda: pl.DataFrame({"a": whole, "b": other}),
        "pyarrow": lambda: pa.table({"a": whole, "b": other}),
    }[kind]()
    found = GeneralizedFisherScore(1, missing="mean").fit(X, y)
    plain = np.column_stack([np.array(whole, dtype=float), other])
    expected = GeneralizedFisherScore(1, missing="mean").fit(plain, y)
    assert found.n_missing_.tolist() == [6, 0]
    assert_allclose(found.objective_, expected.objective_, rtol=1e-12)
