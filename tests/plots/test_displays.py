"""The pictures of the report show what they say."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_wine, make_classification

from fisherset.evaluation import Comparison, looks_like_images
from fisherset.plots import ComparisonDisplay, CorrelationDisplay, DistributionDisplay, PixelDisplay
from fisherset.plots.style import as_svg, styled


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_correlations(kind):
    X, _ = load_wine(return_X_y=True)
    display = CorrelationDisplay.from_data(kind(X), [0, 5, 9])
    np.testing.assert_allclose(display.matrix, np.corrcoef(X[:, [0, 5, 9]].T))
    np.testing.assert_allclose(display.ax_.images[0].get_array(), display.matrix)
    assert "between x0 and x9" in display.text_


def test_constant_columns_correlate_with_nothing():
    X = np.column_stack([np.ones(9), np.arange(9.0)])
    assert CorrelationDisplay.from_data(X, [0, 1]).matrix[0, 1] == 0.0


def test_distributions():
    X, y = load_wine(return_X_y=True)
    display = DistributionDisplay.from_data(X, y, [6], names=[f"n{j}" for j in range(13)])
    for label in range(3):
        np.testing.assert_allclose(
            display.quantiles[0, label], np.quantile(X[y == label, 6], [0.05, 0.25, 0.5, 0.75, 0.95])
        )
    assert display.axes_.flat[0].get_title() == "n6"
    assert "n6 has its lowest median" in display.text_


def test_many_classes_leave_the_largest():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(40), np.arange(1, 41))
    display = DistributionDisplay.from_data(rng.normal(size=(y.size, 2)), y, [0, 1])
    assert display.classes == [str(label) for label in range(28, 40)]


def test_comparison():
    accuracy = {"a": np.array([[0.5, 0.9], [0.7, 0.9]]), "b": np.array([[0.4, 0.8], [0.4, 1.0]])}
    display = ComparisonDisplay(Comparison([2, 4], accuracy), {"a": "Method A", "b": "Method B"}).plot()
    lines = [container.lines[0] for container in display.ax_.containers]
    np.testing.assert_allclose(lines[0].get_ydata(), [60, 90])
    np.testing.assert_allclose(lines[1].get_ydata(), [40, 90])
    assert "with 2 features Method A 60.0 %, Method B 40.0 %" in display.text_


def test_pixels():
    X, _ = load_digits(return_X_y=True)
    display = PixelDisplay(X.mean(axis=0), [0, 9, 63]).plot()
    np.testing.assert_allclose(display.ax_.collections[0].get_offsets(), [[0, 0], [1, 1], [7, 7]])
    with pytest.raises(ValueError, match="square image"):
        PixelDisplay(np.ones(10), [0])


def spectra():
    rng = np.random.default_rng(0)
    peaks = np.exp(-((np.linspace(0, 1, 256) - rng.random((20, 1))) ** 2) / 0.002)
    return rng.normal(size=(100, 20)) @ peaks


@pytest.mark.parametrize(
    ("X", "images"),
    [
        (load_digits().data, True),
        (sparse.csr_array(load_digits().data), True),
        (make_classification(200, 64, n_informative=20, random_state=0)[0], False),
        (spectra(), False),
        (load_digits().data[:, :60], False),
    ],
)
def test_images_are_told_from_other_tables(X, images):
    assert looks_like_images(X) is images


@pytest.mark.parametrize("name", ["$x^2$", "a_{b", "\\alpha", "名前", "x\ny", "\x1b[31m", "", "w" * 300])
def test_any_name_can_be_drawn(name):
    X, labels = np.random.default_rng(0).normal(size=(20, 2)), np.array([name, "q"])[np.arange(20) % 2]
    with styled(dark=True):
        for display in (
            CorrelationDisplay.from_data(X, [0, 1], names=[name, "b"]),
            DistributionDisplay.from_data(X, labels, [0], names=[name, "b"]),
        ):
            assert as_svg(display.figure_).startswith("<?xml")
