"""The nearest neighbours against scikit-learn's."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.neighbors import NearestNeighbors

from fisherset.statistics.univariate import pairs as neighbours


@pytest.mark.parametrize("step", [3, 7, 64, 1000])
@pytest.mark.parametrize("k", [1, 5, 59])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
def test_against_scikit_learn(step, k, dtype, monkeypatch):
    monkeypatch.setattr(neighbours, "ROWS_AT_A_TIME", step)
    X = (np.random.default_rng(0).random((60, 20)) * 200).astype(dtype)
    squared, indices = neighbours.nearest_neighbours(X, k)
    distances, expected = NearestNeighbors(n_neighbors=k, algorithm="brute").fit(X.astype(float)).kneighbors()
    assert_array_equal(indices, expected)
    assert_allclose(np.sqrt(squared), distances, rtol=1e-9)


def test_copies_are_neighbours_but_not_oneself():
    X = np.repeat(np.random.default_rng(0).random((20, 30)), 2, axis=0)
    squared, indices = neighbours.nearest_neighbours(X, 1)
    assert_array_equal(indices[:, 0], np.arange(40) ^ 1)
    assert_allclose(squared, 0.0, atol=1e-12)
