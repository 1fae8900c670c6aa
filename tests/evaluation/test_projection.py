"""Rows as chosen features see them: against scikit-learn, closed forms and the criterion itself."""

import numpy as np
import pytest
from scipy import linalg, sparse
from sklearn.datasets import load_diabetes, load_digits, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler

from fisherset import GeneralizedFisherScore, JointRegressionScore
from fisherset.evaluation import discriminant_plane, evenly, fitted_values

WINE = load_wine(return_X_y=True)


def alike(first, second):
    """The correlation of two lists of coordinates, whatever their sign."""
    return abs(np.corrcoef(first, second)[0, 1])


def test_without_a_regulariser_it_is_linear_discriminant_analysis():
    X, y = WINE
    plane = discriminant_plane(X, y, gamma=1e-8)
    lda = LinearDiscriminantAnalysis(solver="eigen").fit(X, y).transform(X)
    for direction in range(2):
        assert alike(plane.coordinates[:, direction], lda[:, direction]) == pytest.approx(1, abs=1e-9)
    assert plane.discriminates


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("n", "gamma"), [(150, 3.0), (30, 40.0)])  # more rows than features, and fewer
def test_directions_are_the_eigenvectors_as_written(kind, n, gamma):
    X, y = load_digits(return_X_y=True)
    X, y = X[:n, 2:60], y[:n]
    Z = StandardScaler().fit_transform(X)
    between = sum((y == c).sum() * np.outer(*[Z[y == c].mean(axis=0)] * 2) for c in np.unique(y))
    values, vectors = linalg.eigh(between, Z.T @ Z + gamma * np.eye(Z.shape[1]))
    plane = discriminant_plane(kind(X), y, gamma=gamma)
    np.testing.assert_allclose(plane.parts, values[:-3:-1])
    assert plane.objective == pytest.approx(values.sum())
    for direction in range(2):
        expected = Z @ vectors[:, -1 - direction] * np.sqrt(n)
        assert alike(plane.coordinates[:, direction], expected) == pytest.approx(1, abs=1e-9)
        np.testing.assert_allclose(np.abs(plane.coordinates[:, direction]), np.abs(expected), atol=1e-8)


def test_parts_add_up_to_the_criterion():
    X, y = load_digits(return_X_y=True)
    chosen = GeneralizedFisherScore(10).fit(X, y)
    plane = discriminant_plane(X, y, chosen.support_, gamma=chosen.gamma_)
    assert plane.objective == pytest.approx(chosen.objective_)


def test_of_two_classes_the_second_direction_is_of_the_rest():
    X, y = WINE
    X, y = X[y < 2], y[y < 2]
    plane = discriminant_plane(X, np.array(["b", "a"])[y], gamma=10.0)
    assert not plane.discriminates
    assert plane.parts[1] == 0
    assert plane.classes == ["a", "b"]
    assert np.corrcoef(plane.coordinates.T)[0, 1] == pytest.approx(0, abs=1e-9)
    first, Z = plane.coordinates[:, 0], StandardScaler().fit_transform(X)
    rest = Z - np.outer(first, first @ Z) / (first @ first)
    component = np.linalg.svd(rest, full_matrices=False)[0][:, 0]
    assert alike(plane.coordinates[:, 1], component) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("X", [np.ones((9, 2)), np.arange(9.0)[:, None]])
def test_where_there_is_no_plane_the_second_coordinate_is_nought(X):
    plane = discriminant_plane(X, np.arange(9) % 3, gamma=1.0)
    assert np.ptp(plane.coordinates[:, 1]) == 0
    assert not plane.discriminates


def test_fitted_values_are_those_of_ridge_regression():
    X, y = load_diabetes(return_X_y=True)
    chosen = JointRegressionScore(4).fit(X, y)
    fitted = fitted_values(X, y, chosen.support_, gamma=chosen.gamma_)
    Z = StandardScaler().fit_transform(X[:, chosen.support_])
    np.testing.assert_allclose(fitted, Ridge(chosen.gamma_).fit(Z, y).predict(Z))
    explained = (fitted - y.mean()) @ (y - y.mean()) / np.sum((y - y.mean()) ** 2)
    assert explained == pytest.approx(chosen.objective_)


@pytest.mark.parametrize("gamma", [0, -1.0, np.inf, np.nan, "scale", None])
def test_gamma_must_be_positive(gamma):
    for function in (discriminant_plane, fitted_values):
        with pytest.raises((TypeError, ValueError), match=r"gamma must be a .*number greater than 0; got"):
            function(*WINE, gamma=gamma)


def test_rows_are_drawn_from_every_class():
    codes = np.arange(10_000) % 4  # one of every four rows would be one class
    codes[77] = 4
    rows = evenly(codes, 1000)
    assert 1000 <= rows.size <= 1005
    assert (np.diff(rows) > 0).all()
    np.testing.assert_allclose(np.bincount(codes[rows]), [250, 250, 250, 250, 1], atol=2)
    np.testing.assert_array_equal(rows, evenly(codes, 1000))
    assert evenly(codes, 10_000).size == 10_000
