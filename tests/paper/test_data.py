"""Standardising, with missing values and without leaks."""

import numpy as np
from sklearn.preprocessing import StandardScaler

from fisherset.paper.experiment import standardised


def test_as_scikit_learn_on_whole_data():
    X = np.random.default_rng(0).normal(3, 2, (40, 5))
    np.testing.assert_allclose(standardised(X, slice(None)), StandardScaler().fit_transform(X))


def test_scales_come_from_the_given_rows_alone():
    rng = np.random.default_rng(1)
    X, rows = rng.normal(size=(30, 4)), np.arange(0, 30, 2)
    np.testing.assert_allclose(standardised(X, rows), StandardScaler().fit(X[rows]).transform(X))
    changed = X.copy()
    changed[1::2] *= 100
    np.testing.assert_allclose(standardised(changed, rows)[rows], standardised(X, rows)[rows])


def test_missing_values_become_the_mean_and_constants_nought():
    X = np.array([[1.0, 7.0], [np.nan, 7.0], [3.0, 7.0]])
    np.testing.assert_allclose(standardised(X, slice(None)), [[-1, 0], [0, 0], [1, 0]])
    assert np.isnan(X[1, 0])  # the input is left alone
